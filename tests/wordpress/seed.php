/* SPDX-License-Identifier: BSD-2-Clause */
/* The contents of a site: posts over two years with categories, tags and comments, pages, an
   image, a menu.  Run by driver.php; answers with names and numbers of what was made. */
$made = [];
update_option('posts_per_page', 4);
update_option('posts_per_rss', 4);
update_option('page_comments', 1);
update_option('comments_per_page', 2);
update_option('comment_moderation', 1);
wp_delete_post(1, true);
wp_delete_post(2, true);
wp_delete_post(3, true);
foreach (['anna' => 'Anna', 'ben' => 'Ben'] as $login => $name) {
	$made[$login] = wp_insert_user(['user_login' => $login, 'user_pass' => 'secret',
		'display_name' => $name, 'user_email' => "$login@a.test", 'role' => 'author']);
}
$fauna = wp_insert_term('Fauna', 'category')['term_id'];
$made['birds'] = wp_insert_term('Birds', 'category', ['parent' => $fauna])['term_id'];
$made['flora'] = wp_insert_term('Flora', 'category')['term_id'];
$made['fauna'] = $fauna;
$made['red'] = wp_insert_term('red', 'post_tag')['term_id'];
$made['blue'] = wp_insert_term('blue', 'post_tag')['term_id'];
$posts = [
	['Owl', 'birds', 'red', '2025-11-02', 'anna'], ['Wren', 'birds', '', '2025-11-20', 'ben'],
	['Fox', 'fauna', 'red', '2025-12-24', 'anna'], ['Oak', 'flora', 'blue', '2026-01-05', 'ben'],
	['Fern', 'flora', '', '2026-01-06', 'anna'], ['Elm', 'flora', 'blue', '2026-02-07', 'anna'],
	['Moss', 'flora', 'red', '2026-02-08', 'ben'], ['Hare', 'fauna', '', '2026-02-09', 'anna'],
	['日本語の記事', 'fauna', 'blue', '2026-02-10', 'ben'],
];
foreach ($posts as list($title, $category, $tag, $day, $author)) {
	$made[$title] = wp_insert_post(['post_title' => $title, 'post_status' => 'publish',
		'post_content' => "<p>All about $title.</p>", 'post_date' => "$day 10:00:00",
		'post_category' => [$made[$category]], 'tags_input' => $tag ? [$tag] : [],
		'post_author' => $made[$author]]);
}
$made['draft'] = wp_insert_post(['post_title' => 'Draft', 'post_status' => 'draft',
	'post_content' => 'Not yet.', 'post_category' => [$made['flora']]]);
$made['about'] = wp_insert_post(['post_title' => 'About', 'post_status' => 'publish',
	'post_type' => 'page', 'post_content' => '<p>Who we are.</p>']);
$made['team'] = wp_insert_post(['post_title' => 'Team', 'post_status' => 'publish',
	'post_type' => 'page', 'post_content' => '<p>All of us.</p>', 'post_parent' => $made['about']]);
$made['latest'] = wp_insert_post(['post_title' => 'Latest', 'post_status' => 'publish',
	'post_type' => 'page', 'post_content' => '<!-- wp:latest-posts {"postsToShow":3} /-->']);
foreach (['Hare', 'Hare', 'Hare', 'Owl'] as $n => $title) {
	$made["comment$n"] = wp_insert_comment(['comment_post_ID' => $made[$title],
		'comment_author' => "Reader $n",
		'comment_author_email' => "reader$n@a.test", 'comment_content' => "Remark $n",
		'comment_approved' => 1, 'comment_date' => "2026-03-0" . ($n + 1) . ' 10:00:00']);
}
$upload = wp_upload_bits('dot.png', null, base64_decode(
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='));
$made['image'] = wp_insert_attachment(['post_title' => 'Dot', 'post_mime_type' => 'image/png',
	'post_status' => 'inherit'], $upload['file'], $made['Hare']);
$made['menu'] = wp_create_nav_menu('Main');
wp_update_nav_menu_item($made['menu'], 0, ['menu-item-object' => 'page',
	'menu-item-object-id' => $made['about'], 'menu-item-type' => 'post_type',
	'menu-item-status' => 'publish']);
return $made;
