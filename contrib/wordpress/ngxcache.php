<?php
/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * Plugin Name: ngxcache
 * Description: Takes changed pages out of the cache of nginx when they are saved.
 * Requires PHP: 7.0
 * License: BSD-2-Clause
 *
 * A must-use plugin: put this file into wp-content/mu-plugins/; there is nothing to activate.
 *
 * While a request changes the site, the plugin collects what shows the change: old and new
 * permalinks, archives, feeds, REST and sitemaps, or the whole site where lists of posts stand
 * on every page.  At its end, before the reply is complete, one command takes all that out of
 * the cache, so that the editor never sees the old page:
 *
 *	ngxcache purge --json --limit-host HOST --from -
 *
 * What can be set in wp-config.php:
 *
 *	NGXCACHE_COMMAND	the program (/usr/bin/ngxcache or /usr/local/bin/ngxcache)
 *	NGXCACHE_SUDO		'/usr/bin/sudo': run it as root; see contrib/sudoers.d/ngxcache
 *	NGXCACHE_HOSTS		'a.example,b.example': the hosts of --limit-host, in the order
 *				of the sudoers line (the host of the site, or of the sites)
 *	NGXCACHE_CONF		nginx's configuration, where it is not in the usual place
 *	NGXCACHE_TIMEOUT	seconds that one run may take (10)
 *	NGXCACHE_AGAIN		purge once more so many seconds later, for pages that were being
 *				rendered meanwhile; 0: not (10)
 *	NGXCACHE_SPOOL		a directory, where commands are disabled: a file is left there for
 *				systemd to hand to the program; see contrib/systemd
 *	NGXCACHE_MAX		selectors of one request, above which the whole site goes (400)
 *
 * Filters: ngxcache_selectors (what one request purges; add or remove), ngxcache_options and
 * ngxcache_meta (names of options and post meta that matter, with *), ngxcache_lists_everywhere
 * (whether every page shows a list of 'posts' or 'comments', or the 'content' of posts),
 * ngxcache_capability (who may purge a 'page' or the 'site' by hand).
 * Actions for others: do_action('ngxcache_purge', $urls), do_action('ngxcache_purge_site').
 */

defined('ABSPATH') || exit;

final class Ngxcache {
	/** Names of options that show on pages; theirs and all others change all the time. */
	const OPTIONS = ['blogname', 'blogdescription', 'home', 'siteurl', 'permalink_structure',
		'category_base', 'tag_base', 'posts_per_page', 'posts_per_rss', 'rss_use_excerpt',
		'show_on_front', 'page_on_front', 'page_for_posts', 'date_format', 'time_format',
		'timezone_string', 'gmt_offset', 'start_of_week', 'WPLANG', 'blog_public', 'blog_charset',
		'site_icon', 'site_logo', 'use_smilies', 'thread_comments*', 'page_comments',
		'comments_per_page', 'default_comments_page', 'comment_order', 'comment_registration',
		'require_name_email', 'close_comments_*', 'show_avatars', 'avatar_*', 'sidebars_widgets',
		'widget_*', 'theme_mods_*', 'stylesheet', 'template', 'active_plugins',
		'wp_page_for_privacy_policy'];

	/** Post meta that show, besides all that do not begin with an underscore. */
	const META = ['_thumbnail_id', '_wp_page_template', '_wp_attachment_image_alt',
		'_wp_attached_file'];

	/** Kinds of posts that are a piece of every page. */
	const PIECES = ['nav_menu_item', 'wp_template', 'wp_template_part', 'wp_navigation',
		'wp_global_styles', 'wp_block', 'custom_css'];

	/** What lists posts or comments, as a widget or as a block. */
	const LISTS = [
		'posts' => 'recent-posts|archives|categories|tag_cloud|calendar|latest-posts|query|tag-cloud',
		'comments' => 'recent-comments|latest-comments',
	];

	/** Of a post, what decides where it stands and who sees it; and what menus tell of it. */
	const PLACED = ['post_name', 'post_status', 'post_date', 'post_author', 'post_parent',
		'post_type', 'post_password'];
	const NAMED = ['post_title', 'menu_order', 'post_name', 'post_status', 'post_date',
		'post_author', 'post_parent', 'post_type', 'post_password'];

	/** What shows more of posts than their names. */
	const CONTENT = 'query|latest-posts \{[^}]*"display(?:PostContent|FeaturedImage)';

	private static $selectors = [];  // base => [selector => true]
	private static $again = [];      // of selectors and hosts: what is purged for the second time
	private static $whole = [];      // base => true
	private static $terms = [];      // id => term before its change
	private static $attached = [];   // id of a post => its attachments
	private static $everywhere = []; // base and kind => do all pages list it?
	private static $error = '';      // of this request

	public static function start() {
		$hooks = [
			'pre_post_update' => 'post_old', 'wp_trash_post' => 'post_old',
			'before_delete_post' => 'post_goes', 'after_delete_post' => 'post_gone',
			'wp_after_insert_post' => 'post_new', 'post_stuck' => 'sticky',
			'post_unstuck' => 'sticky',
			'add_attachment' => 'media', 'edit_attachment' => 'media',
			'attachment_updated' => 'media', 'delete_attachment' => 'media',
			'add_term_relationship' => 'post_moves', 'delete_term_relationships' => 'post_moves',
			'set_object_terms' => 'terms_set', 'created_term' => 'term_new',
			'edit_terms' => 'term_old', 'edited_term' => 'term_changed',
			'pre_delete_term' => 'everything',
			'added_post_meta' => 'meta', 'updated_post_meta' => 'meta',
			'deleted_post_meta' => 'meta',
			'wp_update_comment_count' => 'comments_counted', 'edit_comment' => 'comment',
			'delete_comment' => 'comment', 'transition_comment_status' => 'comment_status',
			'updated_option' => 'option', 'added_option' => 'option', 'deleted_option' => 'option',
			'profile_update' => 'user', 'deleted_user' => 'everything',
			'added_user_meta' => 'user_meta', 'updated_user_meta' => 'user_meta',
			'deleted_user_meta' => 'user_meta',
			'wp_update_nav_menu' => 'everything', 'wp_delete_nav_menu' => 'everything',
			'switch_theme' => 'everything', 'customize_save_after' => 'everything',
			'upgrader_process_complete' => 'everything', 'import_end' => 'everything',
			'wp_initialize_site' => 'blog', 'wp_update_site' => 'blog', 'wp_delete_site' => 'blog',
			'ngxcache_again' => 'second_time', 'ngxcache_purge' => 'urls',
			'ngxcache_purge_site' => 'everything',
			'admin_bar_menu' => 'bar', 'admin_post_ngxcache' => 'by_hand',
			'admin_notices' => 'notices', 'network_admin_notices' => 'notices',
		];
		foreach ($hooks as $hook => $method) {
			self::on($hook, $method, $hook === 'admin_bar_menu' ? 90 : 20);
		}
		self::on('shutdown', 'flush', PHP_INT_MAX);
	}

	/** Whatever goes wrong in here, a save goes on. */
	private static function on($hook, $method, $priority) {
		add_action($hook, function () use ($hook, $method) {
			try {
				call_user_func_array([__CLASS__, $method], func_get_args());
			} catch (Throwable $e) {
				self::broke($hook, $e);
			}
		}, $priority, 6);
	}

	/** What should have gone is not known any more: everything goes, at the end or later. */
	private static function broke($hook, $e) {
		try {
			if ($hook !== 'shutdown') {
				self::everything();
			}
			list($selectors, $hosts) = self::with_failed(self::whole(array_keys(self::$selectors)),
				self::hosts());
			self::keep_failure("$hook: " . $e->getMessage(), $selectors, $hosts);
		} catch (Throwable $ignored) {
			error_log("ngxcache: $hook: " . $e->getMessage());
		}
	}

	private static function setting($name, $default) {
		return defined("NGXCACHE_$name") ? constant("NGXCACHE_$name") : $default;
	}

	private static function is_named($name, $patterns) {
		foreach ($patterns as $pattern) {
			if (fnmatch($pattern, (string) $name)) {
				return true;
			}
		}
		return false;
	}

	// --- collecting selectors ---

	/** The address of the site in hand, without a slash. */
	private static function base() {
		return untrailingslashit((string) get_option('home'));
	}

	private static function add($selector) {
		$base = self::base();
		if (isset(self::$whole[$base])) {
			return;
		}
		self::$selectors[$base][$selector] = true;
		if (count(self::$selectors[$base]) > self::setting('MAX', 400)) {
			self::everything();
		}
	}

	/** A URL in which a star is a star, or '' for what is none. */
	private static function literal($url) {
		if (!is_string($url)) {
			return '';
		}
		return str_replace('*', '\*', preg_replace('/#.*/', '', $url));
	}

	private static function everything() {
		$base = self::base();
		self::$whole[$base] = true;
		self::$selectors[$base] = [$base => true, "$base/*" => true];
	}

	/** A page with what hangs below it: its pages, comment pages, feeds, embeds, attachments. */
	private static function page($url) {
		$url = self::literal($url);
		$path = untrailingslashit($url);
		if ($url === '') {
			return;
		}
		self::add($url);
		if (strpos($url, '?') !== false) {
			self::add("$url&*");
		} elseif ($path === self::base()) {
			self::front();
		} else {
			self::add($path);
			self::add("$path?*");
			self::add("$path/*");
		}
	}

	/** A list of posts with its further pages and feeds, not what else is below it. */
	private static function archive($url) {
		$url = self::literal($url);
		$path = untrailingslashit($url);
		if ($url === '' || strpos($url, '?') !== false || $path === self::base()) {
			self::page($url);
			return;
		}
		foreach (['', '?*', '/', '/?*', '/page/*', '/feed', '/feed?*', '/feed/*'] as $below) {
			self::add($path . $below);
		}
	}

	/** The front page, posts or not; with every query, which plain permalinks are, too. */
	private static function front() {
		$base = self::base();
		foreach (['', '/', '?*', '/?*', '/page/*', '/comment-page-*', '/embed*', '/feed',
			'/feed?*', '/feed/*'] as $below) {
			self::add($base . $below);
		}
	}

	/** What lists posts of any kind: the front page, searches, feeds, pages with such a list. */
	private static function lists() {
		self::front();
		self::add(self::base() . '/search/*');
		if (get_option('page_for_posts')) {
			self::archive(get_permalink(get_option('page_for_posts')));
		}
		foreach (self::listing_pages() as $id) {
			self::page(get_permalink($id));
			self::rest(['pages']);
		}
	}

	/** What tells of any post, its name and how many there are. */
	private static function common() {
		$base = self::base();
		self::lists();
		self::add("$base/comments/feed*");
		self::add("$base/wp-sitemap*");
		self::add("$base/sitemap*");
		self::rest(['']);
	}

	/** Lists of REST and what is in them, by the beginnings of their names. */
	private static function rest($names) {
		$rest = untrailingslashit(get_rest_url());
		if (strpos($rest, '?') === false) { /* else the front page has it */
			foreach (array_merge($names, $names === [''] ? [] : ['search', '*_embed']) as $name) {
				self::add("$rest/wp/v2/$name*");
			}
		}
	}

	/** What embeds a post asks for it by its URL, which is encoded there, or by its number. */
	private static function oembed($post) {
		$rest = untrailingslashit(get_rest_url());
		$name = $post->post_name;
		if (strpos($rest, '?') !== false) {
			return; /* the front page has it */
		}
		if (preg_match('/^[a-z0-9-]+$/', $name) && strpos(get_permalink($post), $name) !== false) {
			self::add("$rest/oembed/*$name*");
			self::add("$rest/oembed/*$post->ID*");
		} else {
			self::add("$rest/oembed/*");
		}
	}

	/** Pages whose own content lists posts or comments. */
	private static function listing_pages() {
		global $wpdb;
		static $found = [];
		$blog = get_current_blog_id();
		if (!isset($found[$blog])) {
			$found[$blog] = $wpdb->get_col("SELECT ID FROM $wpdb->posts WHERE post_type = 'page'" .
				" AND post_status = 'publish' AND post_content REGEXP 'wp:(" .
				implode('|', self::LISTS) . ")'");
		}
		return $found[$blog];
	}

	// --- posts ---

	private static function is_visible($post) {
		return $post instanceof WP_Post && $post->post_type !== 'revision' &&
			is_post_type_viewable($post->post_type) &&
			is_post_status_viewable(get_post_status($post));
	}

	/** A post, every list it stands in, and what tells no more than its name. */
	private static function named($post) {
		if (self::is_visible($post)) {
			self::content($post);
			self::neighbours($post);
			self::oembed($post);
			self::add(self::base() . '/comments/feed*');
		}
	}

	/** The same, and what tells whether it is there. */
	private static function post($post) {
		if (!self::is_visible($post)) {
			return;
		}
		self::named($post);
		self::common();
		foreach (self::attachments($post->ID) as $id) {
			self::page(get_permalink($id));
		}
	}

	/** A post, and every list it stands in. */
	private static function content($post) {
		if (!self::is_visible($post)) {
			return;
		}
		$base = self::base();
		$type = get_post_type_object($post->post_type);
		self::listed($post);
		self::rest([!empty($type->rest_base) ? $type->rest_base : $type->name]);
		self::add("$base/wp-sitemap.xml*");
		self::add("$base/wp-sitemap-posts-$type->name-*");
		self::add("$base/sitemap*");
	}

	private static function listed($post) {
		self::page(get_permalink($post));
		self::lists();
		self::archive(get_author_posts_url($post->post_author));
		if ($post->post_type === 'post') {
			list($y, $m, $d) = explode('-', substr($post->post_date, 0, 10));
			self::archive(get_year_link($y));
			self::archive(get_month_link($y, $m));
			self::archive(get_day_link($y, $m, $d));
		}
		self::archive(get_post_type_archive_link($post->post_type));
		foreach (get_object_taxonomies($post->post_type) as $taxonomy) {
			$terms = get_the_terms($post->ID, $taxonomy);
			foreach (is_array($terms) ? $terms : [] as $term) {
				self::term($term);
			}
		}
	}

	private static function attachments($id) {
		return get_posts(['post_parent' => $id, 'post_type' => 'attachment', 'fields' => 'ids',
			'post_status' => 'any', 'numberposts' => 100]);
	}

	/** The posts before and after this one name it. */
	private static function neighbours($post) {
		$kept = isset($GLOBALS['post']) ? $GLOBALS['post'] : null;
		$GLOBALS['post'] = $post;
		foreach ([true, false] as $previous) {
			$near = get_adjacent_post(false, '', $previous);
			if ($near instanceof WP_Post) {
				self::page(get_permalink($near));
			}
		}
		$GLOBALS['post'] = $kept;
	}

	/** Before a change; what will be is not always known. */
	private static function post_old($id, $data = null) {
		$post = get_post($id);
		if (!$post instanceof WP_Post || !is_array($data)) {
			self::post($post);
			return;
		}
		self::changed($post, (object) $data);
	}

	/** The first page of posts shows it above the others. */
	private static function sticky($id) {
		$post = get_post($id);
		if (self::is_visible($post)) {
			self::lists();
			self::rest(['posts']);
			self::content_changed();
		}
	}

	/** Its URL may hold the terms that it is about to get or to lose. */
	private static function post_moves($id) {
		$post = get_post($id);
		if (self::is_visible($post)) {
			self::page(get_permalink($post));
		}
	}

	private static function post_new($id, $post, $update, $before = null) {
		$post = get_post($id);
		if (!$post instanceof WP_Post || wp_is_post_revision($post)) {
			return;
		}
		if (in_array($post->post_type, self::PIECES, true)) {
			self::everything();
			return;
		}
		$was = self::is_visible($before);
		if (!$was && !self::is_visible($post)) {
			return;
		}
		if ($was) {
			self::page(get_permalink($before));
		}
		if (!$was || !self::is_visible($post)) {
			self::post($post);
		} else {
			self::changed($post, $before);
		}
		if (!$was || self::differ($post, $before, self::NAMED)) {
			self::lists_changed($post);
		} else {
			self::content_changed();
		}
	}

	/** As far as the difference between two states of a post shows. */
	private static function changed($post, $other) {
		if (self::differ($post, $other, self::PLACED)) {
			self::post($post);
		} elseif (self::differ($post, $other, self::NAMED)) {
			self::named($post);
		} else {
			self::content($post);
		}
	}

	private static function differ($post, $other, $fields) {
		foreach ($fields as $field) {
			if (!isset($other->$field) || (string) $post->$field !== (string) $other->$field) {
				return true;
			}
		}
		return false;
	}

	/** A post came, went or got another name: menus, lists of pages and widgets tell. */
	private static function lists_changed($post) {
		if (is_post_type_hierarchical($post->post_type) || self::lists_everywhere('posts') ||
			wp_get_associated_nav_menu_items($post->ID, 'post_type', $post->post_type)) {
			self::everything();
		}
	}

	private static function content_changed() {
		if (self::lists_everywhere('content')) {
			self::everything();
		}
	}

	private static function post_goes($id) {
		$post = get_post($id);
		if ($post instanceof WP_Post && in_array($post->post_type, self::PIECES, true)) {
			self::everything();
		} elseif (self::is_visible($post)) {
			self::post($post);
			self::lists_changed($post);
			self::$attached[$id] = self::attachments($id);
		}
	}

	/** Its attachments have another URL now. */
	private static function post_gone($id) {
		foreach (isset(self::$attached[$id]) ? self::$attached[$id] : [] as $attachment) {
			clean_post_cache($attachment);
			self::page(get_permalink($attachment));
		}
	}

	/** An image shows on its own page, on its parent's, and where posts feature it. */
	private static function media($id) {
		$post = get_post($id);
		if (!$post instanceof WP_Post || $post->post_type !== 'attachment') {
			return;
		}
		self::page(get_permalink($post));
		self::page(self::base() . "/?attachment_id=$id");
		self::rest(['media']);
		$shown = get_posts(['meta_key' => '_thumbnail_id', 'meta_value' => $id,
			'post_type' => 'any', 'numberposts' => 50]);
		if ($post->post_parent) {
			$shown[] = get_post($post->post_parent);
		}
		foreach ($shown as $user) {
			self::named($user);
		}
		self::content_changed();
	}

	private static function meta($meta_id, $id, $key) {
		$names = apply_filters('ngxcache_meta', self::META);
		if (is_protected_meta($key, 'post') && !self::is_named($key, $names)) {
			return;
		}
		$post = get_post($id);
		if ($post instanceof WP_Post && $post->post_type === 'attachment') {
			self::media($id);
		} elseif ($key === '_thumbnail_id') {
			self::named($post);
			self::content_changed();
		} else {
			self::post($post);
		}
	}

	// --- terms, comments, users, options ---

	private static function term($term) {
		if (!is_taxonomy_viewable($term->taxonomy)) {
			return;
		}
		$ids = get_ancestors($term->term_id, $term->taxonomy, 'taxonomy');
		array_unshift($ids, $term->term_id);
		foreach ($ids as $id) {
			self::archive(get_term_link((int) $id, $term->taxonomy));
		}
	}

	private static function terms_set($id, $terms, $tt_ids, $taxonomy, $append, $old_tt_ids) {
		$post = get_post($id);
		$changed = array_merge(array_diff($tt_ids, $old_tt_ids),
			$append ? [] : array_diff($old_tt_ids, $tt_ids));
		if (!$changed || !self::is_visible($post)) {
			return;
		}
		foreach ($changed as $tt_id) {
			$term = get_term_by('term_taxonomy_id', $tt_id, $taxonomy);
			if ($term instanceof WP_Term) {
				self::term($term);
			}
		}
		self::post($post);
		if (self::lists_everywhere('posts')) {
			self::everything();
		}
	}

	private static function term_new($id, $tt_id, $taxonomy) {
		$term = get_term($id, $taxonomy);
		if ($term instanceof WP_Term && is_taxonomy_viewable($taxonomy)) {
			self::term($term);
			self::common();
		}
	}

	private static function term_old($id) {
		self::$terms[$id] = get_term($id);
	}

	private static function term_changed($id, $tt_id, $taxonomy) {
		$old = isset(self::$terms[$id]) ? self::$terms[$id] : null;
		$new = get_term($id, $taxonomy);
		if (!$old instanceof WP_Term || !$new instanceof WP_Term || $old->name !== $new->name ||
			$old->slug !== $new->slug || $old->parent !== $new->parent) {
			self::everything();
		} else {
			self::term_new($id, $tt_id, $taxonomy);
		}
	}

	/** A comment, with its post; lists tell how many there are. */
	private static function comments_changed($post_id, $counted) {
		$post = get_post($post_id);
		if (!self::is_visible($post)) {
			return;
		}
		if ($counted) {
			self::listed($post);
		} else {
			self::page(get_permalink($post));
			self::lists();
		}
		self::add(self::base() . '/comments/feed*');
		self::rest(['comments']);
		if (self::lists_everywhere('comments')) {
			self::everything();
		}
	}

	private static function comments_counted($post_id, $new, $old) {
		if ((int) $new !== (int) $old) {
			self::comments_changed($post_id, true);
		}
	}

	private static function comment($id) {
		$comment = get_comment($id);
		if ($comment instanceof WP_Comment && $comment->comment_approved === '1') {
			self::comments_changed($comment->comment_post_ID, false);
		}
	}

	private static function comment_status($new, $old, $comment) {
		if ($new === 'approved' || $old === 'approved') {
			self::comments_changed($comment->comment_post_ID, true);
		}
	}

	/** Posts, comments and lists show their author. */
	private static function user($id, $old) {
		$new = get_userdata($id);
		if (!$new || self::differ($new, $old, ['display_name', 'user_nicename', 'user_url',
			'user_email'])) {
			self::everything();
		}
	}

	private static function user_meta($meta_id, $id, $key) {
		if ($key === 'description') {
			self::everything();
		}
	}

	private static function option($name) {
		if (self::is_named($name, apply_filters('ngxcache_options', self::OPTIONS))) {
			self::everything();
		}
	}

	/** A site of a network that came, moved or went. */
	private static function blog($site, $old = null) {
		foreach ([$site, $old] as $one) {
			if ($one instanceof WP_Site) {
				$base = untrailingslashit("http://$one->domain$one->path");
				self::$whole[$base] = true;
				self::$selectors[$base] = [$base => true, "$base/*" => true];
			}
		}
	}

	/** Does every page show a list of this kind: in a sidebar, a header, a footer? */
	private static function lists_everywhere($kind) {
		$key = self::base() . $kind;
		if (!isset(self::$everywhere[$key])) {
			$names = $kind === 'content' ? self::CONTENT : self::LISTS[$kind];
			$found = self::in_widgets($names) || self::in_templates($names, $kind === 'comments');
			self::$everywhere[$key] = apply_filters('ngxcache_lists_everywhere', $found, $kind);
		}
		return self::$everywhere[$key];
	}

	private static function in_widgets($names) {
		$blocks = get_option('widget_block');
		foreach ((array) wp_get_sidebars_widgets() as $sidebar => $widgets) {
			if ($sidebar === 'wp_inactive_widgets' || !is_registered_sidebar($sidebar)) {
				continue;
			}
			foreach ((array) $widgets as $widget) {
				if (!preg_match('/^(.*)-(\d+)$/', $widget, $m)) {
					continue;
				}
				$content = $m[1] === 'block' && isset($blocks[$m[2]]['content']) ?
					$blocks[$m[2]]['content'] : '';
				if (preg_match("/^($names)$/", $m[1]) || preg_match("/wp:($names)\\b/", $content)) {
					return true;
				}
			}
		}
		return false;
	}

	/** Parts of templates, and the templates of single pages, or all, with the patterns they
	    name. */
	private static function in_templates($names, $all) {
		if (!function_exists('wp_is_block_theme') || !wp_is_block_theme()) {
			return false;
		}
		$templates = get_block_templates([], 'wp_template_part');
		foreach (get_block_templates() as $template) {
			if ($all || preg_match('/^(single|singular|page|404)/', $template->slug)) {
				$templates[] = $template;
			}
		}
		foreach ($templates as $template) {
			if (preg_match("/wp:($names)\\b/", self::with_patterns($template->content))) {
				return true;
			}
		}
		return false;
	}

	private static function with_patterns($content, $depth = 0) {
		$patterns = WP_Block_Patterns_Registry::get_instance();
		preg_match_all('/wp:pattern \{[^}]*"slug":"([^"]+)"/', $content, $m);
		foreach ($m[1] as $slug) {
			if ($depth < 4 && $patterns->is_registered($slug)) {
				$pattern = $patterns->get_registered($slug);
				$content .= self::with_patterns($pattern['content'], $depth + 1);
			}
		}
		return $content;
	}

	// --- at the end of the request ---

	private static function urls($urls) {
		foreach ((array) $urls as $url) {
			self::add($url);
		}
	}

	private static function second_time($selectors, $hosts) {
		self::$again[] = [$selectors, $hosts];
	}

	private static function host_of($url) {
		return strtolower((string) parse_url($url, PHP_URL_HOST));
	}

	private static function hosts() {
		$hosts = self::setting('HOSTS', null);
		if ($hosts === null) {
			$hosts = array_map([__CLASS__, 'host_of'], array_keys(self::$selectors));
			sort($hosts);
		} elseif (!is_array($hosts)) {
			$hosts = preg_split('/[\s,]+/', $hosts, -1, PREG_SPLIT_NO_EMPTY);
		}
		return array_values(array_unique($hosts));
	}

	/** Purge what was collected; at the end, or at once for who waits for the answer. */
	private static function flush() {
		$selectors = [];
		foreach (self::$selectors as $some) {
			$selectors = array_merge($selectors, array_map('strval', array_keys($some)));
		}
		$hosts = self::hosts();
		$selectors = array_values(array_filter(apply_filters('ngxcache_selectors', $selectors), 'is_string'));
		if ($selectors && self::purge($hosts, $selectors) && self::setting('AGAIN', 10) > 0) {
			/* Without the time, a second save of the page would not get an event of its own. */
			wp_schedule_single_event(time() + self::setting('AGAIN', 10), 'ngxcache_again',
				[$selectors, $hosts, time()]);
		}
		self::$selectors = self::$whole = [];
		while ($one = array_pop(self::$again)) {
			self::purge($one[1], $one[0]);
		}
	}

	/** What failed before is tried again with it. */
	private static function with_failed($selectors, $hosts) {
		$failed = get_site_option('ngxcache_failed');
		if (is_array($failed)) {
			$selectors = array_values(array_unique(array_merge($selectors, $failed['selectors'])));
			$hosts = array_values(array_unique(array_merge($hosts, $failed['hosts'])));
		}
		return [$selectors, $hosts, is_array($failed)];
	}

	private static function purge($hosts, $selectors) {
		list($selectors, $hosts, $again) = self::with_failed($selectors, $hosts);
		ignore_user_abort(true);
		$error = self::run($hosts, $selectors);
		if ($error !== '') {
			/* If it is one of the selectors that is wrong, it must not stay among them. */
			self::keep_failure($error, $again || count($selectors) > self::setting('MAX', 400) ?
				self::whole($selectors) : $selectors, $hosts);
			return false;
		}
		if ($again) {
			delete_site_option('ngxcache_failed');
		}
		return true;
	}

	/** The whole sites that URLs are of. */
	private static function whole($urls) {
		$sites = preg_replace('|^(https?://[^/?#\s]+)\S*$|', '$1/*', $urls);
		return array_values(array_unique(preg_grep('|^https?://[^/?#\s]+/\*$|', $sites)));
	}

	private static function keep_failure($text, $selectors, $hosts) {
		self::$error = $text;
		error_log("ngxcache: $text");
		update_site_option('ngxcache_failed', ['time' => time(), 'text' => $text,
			'selectors' => $selectors, 'hosts' => $hosts]);
	}

	/** The command with its arguments, exactly as a sudoers line has them. */
	private static function command($hosts) {
		$program = self::setting('COMMAND', '');
		if ($program === '') {
			$program = @is_executable('/usr/local/bin/ngxcache') ? '/usr/local/bin/ngxcache' :
				'/usr/bin/ngxcache';
		}
		$command = [$program, 'purge', '--json'];
		if (self::setting('SUDO', '')) {
			$command = array_merge([self::setting('SUDO', ''), '-n'], $command);
		}
		foreach ($hosts as $host) {
			array_push($command, '--limit-host', $host);
		}
		array_push($command, '--from', '-');
		return $command;
	}

	/** Hand the selectors over; what went wrong, or ''. */
	private static function run($hosts, $selectors) {
		$json = (string) wp_json_encode($selectors);
		if (self::setting('SPOOL', '')) {
			return self::spool(self::setting('SPOOL', ''), $selectors);
		}
		if (function_exists('proc_open') && PHP_VERSION_ID >= 70400) {
			return self::run_bounded(self::command($hosts), $json);
		}
		if (function_exists('popen')) {
			return self::run_in_shell(self::command($hosts), $json);
		}
		return 'commands are disabled here; set NGXCACHE_SPOOL';
	}

	/** Without a shell, and not for longer than it may take. */
	private static function run_bounded($command, $json) {
		$env = ['PATH' => '/usr/sbin:/usr/bin:/sbin:/bin', 'LC_ALL' => 'C.UTF-8'];
		if (self::setting('CONF', '')) {
			$env['NGXCACHE_CONF'] = self::setting('CONF', '');
		}
		$pipes = [];
		$child = @proc_open($command, [['pipe', 'r'], ['pipe', 'w'], ['pipe', 'w']], $pipes, '/', $env);
		if (!is_resource($child)) {
			return $command[0] . ': cannot be run';
		}
		$deadline = microtime(true) + self::setting('TIMEOUT', 10);
		$said = self::exchange($pipes, $json, $deadline);
		$state = self::wait_for($child, $deadline);
		if (!$state['running']) {
			proc_close($child);
			return self::judge($command[0], $state['exitcode'], $said[2]);
		}
		foreach ([15, 9] as $signal) { /* what takes neither is left behind: the reply waits */
			proc_terminate($child, $signal);
			if (!self::wait_for($child, microtime(true) + 0.5)['running']) {
				break;
			}
		}
		return sprintf('%s took longer than %d s', $command[0], self::setting('TIMEOUT', 10));
	}

	private static function wait_for($child, $until) {
		do {
			$state = proc_get_status($child);
		} while ($state['running'] && microtime(true) < $until && usleep(2000) === null);
		return $state;
	}

	/** Write to standard input and read the other two until they are closed, or it is late. */
	private static function exchange($pipes, $input, $deadline) {
		$said = [1 => '', 2 => ''];
		$open = [1 => $pipes[1], 2 => $pipes[2]];
		array_map(function ($pipe) {
			stream_set_blocking($pipe, false);
		}, $pipes);
		while (($open || $input !== '') && microtime(true) < $deadline) {
			$readable = $open;
			$writable = $input !== '' ? [$pipes[0]] : null;
			$except = null;
			if (@stream_select($readable, $writable, $except, 0, 200000) === false) {
				usleep(2000);
				continue;
			}
			if ($writable) {
				$n = @fwrite($pipes[0], $input);
				$input = $n ? (string) substr($input, $n) : '';
			}
			if ($input === '' && is_resource($pipes[0])) {
				fclose($pipes[0]);
			}
			foreach ($readable as $i => $pipe) {
				$said[$i] .= (string) fread($pipe, 65536);
				if (feof($pipe)) {
					unset($open[$i]);
				}
			}
		}
		return $said;
	}

	private static function run_in_shell($command, $json) {
		$limit = @is_executable('/usr/bin/timeout') ?
			sprintf('/usr/bin/timeout -k 1 %d ', self::setting('TIMEOUT', 10)) : '';
		$line = "exec $limit" . implode(' ', array_map(function ($word) {
			return "'" . str_replace("'", "'\\''", $word) . "'";
		}, $command)) . ' >/dev/null 2>&1';
		if (self::setting('CONF', '')) {
			$line = "NGXCACHE_CONF='" . str_replace("'", "'\\''", self::setting('CONF', '')) . "' $line";
		}
		$child = popen($line, 'w');
		if (!is_resource($child)) {
			return $command[0] . ': cannot be run';
		}
		fwrite($child, $json);
		return self::judge($command[0], pclose($child), '');
	}

	private static function judge($program, $status, $said) {
		if ($status === 0) {
			return '';
		}
		$said = trim(substr($said, 0, 1000));
		return $said !== '' ? $said : "$program ended with status $status";
	}

	/** A file of its own for every request, complete as soon as it has its name. */
	private static function spool($directory, $selectors) {
		$name = uniqid(getmypid() . '-', true);
		$lines = implode("\n", preg_replace('/[\x00-\x1f]/', '', $selectors)) . "\n";
		if (@file_put_contents("$directory/.$name", $lines) !== strlen($lines) ||
			!@rename("$directory/.$name", "$directory/$name.urls")) {
			return "$directory: cannot be written";
		}
		return '';
	}

	// --- by hand ---

	private static function may($what) {
		$default = $what === 'page' ? 'edit_others_posts' : 'manage_options';
		return current_user_can(apply_filters('ngxcache_capability', $default, $what));
	}

	private static function link($what, $url) {
		return wp_nonce_url(add_query_arg(['action' => 'ngxcache', 'what' => $what,
			'url' => rawurlencode($url)], admin_url('admin-post.php')), "ngxcache-$what");
	}

	private static function bar($bar) {
		if (!is_admin() && self::may('page')) {
			$url = set_url_scheme('http://' . $_SERVER['HTTP_HOST'] . $_SERVER['REQUEST_URI']);
			$bar->add_node(['id' => 'ngxcache-page', 'title' => 'Purge this page',
				'href' => self::link('page', $url)]);
		}
		if (self::may('site')) {
			$bar->add_node(['id' => 'ngxcache-site', 'title' => 'Purge site',
				'href' => self::link('site', '')]);
		}
	}

	/** admin-post.php?action=ngxcache */
	private static function by_hand() {
		$what = isset($_GET['what']) && $_GET['what'] === 'site' ? 'site' : 'page';
		check_admin_referer("ngxcache-$what");
		if (!self::may($what)) {
			wp_die('You may not do that.', '', ['response' => 403]);
		}
		if ($what === 'site') {
			self::everything();
		} else {
			self::page(wp_unslash(isset($_GET['url']) ? $_GET['url'] : ''));
		}
		self::flush();
		if (self::$error !== '') {
			wp_die(esc_html('ngxcache: ' . self::$error), '', ['response' => 500, 'back_link' => true]);
		}
		wp_safe_redirect(wp_get_referer() ?: home_url('/'));
		exit;
	}

	private static function notices() {
		$failed = get_site_option('ngxcache_failed');
		if (is_array($failed) && self::may('site')) {
			printf('<div class="notice notice-error"><p>ngxcache could not purge nginx\'s cache' .
				' (%s): %s <a href="%s">Purge site</a></p></div>',
				esc_html(wp_date('Y-m-d H:i', $failed['time'])), esc_html($failed['text']),
				esc_url(self::link('site', '')));
		}
	}
}

Ngxcache::start();
