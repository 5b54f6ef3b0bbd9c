# SPDX-License-Identifier: BSD-2-Clause
"""Changes of a site as an editor makes them: name, what is done, URLs to know before.

What is done is PHP (run as the administrator; $m holds what seed.php made) or a function of
the stack and of those names.
"""

import json
import re
import time
import xmlrpc.client as xmlrpc_client
from urllib.parse import urlencode

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def nonce_of(text):
    return re.search(r'name="_wpnonce" value="(\w+)"', text).group(1)


def classic_edit(stack, m):
    """The form of wp-admin/post.php, as the classic editor and meta boxes send it."""
    session = stack.login("a.test")
    page = stack.ask("//a.test/wp-admin/post.php?post=%d&action=edit" % m["Oak"], headers=session)
    reply = stack.ask("//a.test/wp-admin/post.php", "POST", urlencode({
        "action": "editpost", "post_ID": m["Oak"], "post_type": "post", "post_title": "Oak tree",
        "content": "<p>Told anew.</p>", "post_status": "publish", "_wpnonce": nonce_of(page.text),
        "user_ID": 1, "post_author": m["ben"]}), {**session, **FORM})
    assert reply.status == 302, reply.text


def rest(stack, method, path, value):
    session = stack.login("a.test")
    nonce = stack.ask("//a.test/wp-admin/admin-ajax.php?action=rest-nonce", headers=session).text
    reply = stack.ask("//a.test/wp-json/wp/v2/" + path, "POST", json.dumps(value), {
        **session, "X-WP-Nonce": nonce, "X-HTTP-Method-Override": method,
        "Content-Type": "application/json"})
    assert reply.status in (200, 201), reply.text
    return json.loads(reply.text)


def block_edit(stack, m):
    rest(stack, "PUT", "posts/%d" % m["Elm"], {
        "title": "Elm tree", "content": "<p>Written in blocks.</p>", "tags": [m["red"]],
        "categories": [m["fauna"]], "sticky": False})


def block_new(stack, m):
    draft = rest(stack, "POST", "posts", {"title": "Yew", "status": "draft", "content": "y"})
    rest(stack, "PUT", "posts/%d" % draft["id"], {"status": "publish", "categories": [m["flora"]]})


def bulk_edit(stack, m):
    session = stack.login("a.test")
    page = stack.ask("//a.test/wp-admin/edit.php", headers=session)
    reply = stack.ask("//a.test/wp-admin/edit.php?" + urlencode([
        ("bulk_edit", "Update"), ("action", "edit"), ("post_type", "post"), ("_status", "-1"),
        ("post_author", m["anna"]), ("post[]", m["Owl"]), ("post[]", m["Wren"]),
        ("post_category[]", m["flora"]), ("_wpnonce", nonce_of(page.text))]), headers=session)
    assert reply.status == 302 and "updated=2" in reply.location, reply.text


def quick_edit(stack, m):
    """A line of the list of posts, with another slug."""
    session = stack.login("a.test")
    page = stack.ask("//a.test/wp-admin/edit.php", headers=session).text
    nonce = re.search(r'name="_inline_edit" value="(\w+)"', page).group(1)
    reply = stack.ask("//a.test/wp-admin/admin-ajax.php", "POST", urlencode({
        "action": "inline-save", "_inline_edit": nonce, "post_ID": m["Fern"], "post_type": "post",
        "post_title": "Fern", "post_name": "bracken", "_status": "publish", "edit_date": "true",
        "aa": "2026", "mm": "01", "jj": "06", "hh": "10", "mn": "00", "ss": "00", "post_author": m["anna"],
        "post_category[]": m["flora"], "tax_input[post_tag]": "", "comment_status": "open",
        "screen": "edit-post", "post_view": "list"}), {**session, **FORM})
    assert reply.status == 200 and "bracken" in reply.text, reply.text


def xmlrpc(stack, m):
    """An application of a phone."""
    call = xmlrpc_client.dumps((1, "admin", "secret", str(m["team"]), {"post_title": "Our team"}), "wp.editPost")
    reply = stack.ask("//a.test/xmlrpc.php", "POST", call.encode(), {"Content-Type": "text/xml"})
    assert "<boolean>1</boolean>" in reply.text, reply.text


def command_line(stack, m):
    """As wp-cli does it: no web server, no host but in the environment, another user."""
    stack.command_line("""require '%s'; echo wp_update_post(['ID' => %d, 'post_content' => 'Soft.']);""" %
              (stack.path("wp/wp-load.php"), m["Moss"]))


def visitor_comment(stack, m):
    reply = stack.ask("//a.test/wp-comments-post.php", "POST", urlencode({
        "comment_post_ID": m["Fox"], "author": "Guest", "email": "guest@a.test",
        "comment": "Well said."}), FORM)
    assert reply.status == 302, reply.text


def scheduled(stack, _m):
    """Published by cron: the post's time comes."""
    made = stack.run("""return wp_insert_post(['post_title' => 'Later', 'post_status' => 'future',
        'post_content' => 'l', 'post_date' => wp_date('Y-m-d H:i:s', time() + 2)]);""")
    stack.run("while (strtotime(get_post(%d)->post_date_gmt . ' UTC') >= time()) usleep(50000);" % made)
    stack.ask("//a.test/wp-cron.php")   # which answers before it works
    while stack.run("clean_post_cache(%d); return get_post_status(%d);" % (made, made)) != "publish" or \
            stack.run("return (bool) get_transient('doing_cron');"):
        time.sleep(0.1)


def theme(stack, _m):
    """The first request under another theme moves the widgets."""
    stack.run("switch_theme('twentytwentyone');")
    stack.ask("//a.test/", cached=False)


#: (what changes, how, further URLs that were asked for before)
BLOCK_THEME = [
    ("a post is published", "wp_publish_post($m['draft']);", ["/draft/", "/draft"]),
    ("a post is edited in the classic editor", classic_edit, []),
    ("a post is edited in the block editor, with its terms", block_edit, []),
    ("a post is written and published in the block editor", block_new, ["/yew/", "/yew"]),
    ("only the content of a post changes, from the command line", command_line, []),
    ("a post gets another slug by quick edit", quick_edit, ["/bracken/", "/bracken"]),
    ("a post gets another date",
     "wp_update_post(['ID' => $m['Wren'], 'post_date' => '2026-01-20 10:00:00', 'edit_date' => true]);",
     ["/2026/01/20/", "/2025/11/"]),
    ("a post gets another category", "wp_set_post_categories($m['Hare'], [$m['birds']]);", []),
    ("a post becomes sticky", "stick_post($m['Owl']);", []),
    ("a post is sticky no more", "unstick_post($m['Owl']);", []),
    ("a post gets a featured image", "set_post_thumbnail($m['Moss'], $m['image']);", []),
    ("the text of a featured image changes",
     "update_post_meta($m['image'], '_wp_attachment_image_alt', 'A dot');", []),
    ("a visitor's comment waits", visitor_comment, []),
    ("a comment is approved",
     "wp_set_comment_status(get_comments(['status' => 'hold', 'fields' => 'ids'])[0], 'approve');", []),
    ("a comment is edited",
     "wp_update_comment(['comment_ID' => $m['comment0'], 'comment_content' => 'On second thought']);", []),
    ("a comment goes to the trash", "wp_trash_comment($m['comment1']);", []),
    ("several posts are edited at once", bulk_edit, []),
    ("a post with Japanese letters is edited",
     "wp_update_post(['ID' => $m['日本語の記事'], 'post_title' => '新しい題名']);", []),
    ("a post is unpublished", "wp_update_post(['ID' => $m['Oak'], 'post_status' => 'draft']);", []),
    ("a post goes to the trash", "wp_trash_post($m['Fox']);", []),
    ("a post comes back from the trash",
     "wp_untrash_post($m['Fox']); wp_publish_post($m['Fox']);", []),
    ("a post is deleted for good", "wp_delete_post($m['Hare'], true);", ["/dot/", "/hare/dot/"]),
    ("a scheduled post is published by cron", scheduled, ["/later/"]),
    ("a page gets another title by XML-RPC", xmlrpc, []),
    ("a page's content changes",
     "wp_update_post(['ID' => $m['about'], 'post_content' => 'Who we were.']);", []),
    ("a category gets another name",
     "wp_update_term($m['flora'], 'category', ['name' => 'Plants']);", []),
    ("a tag is deleted", "wp_delete_term($m['blue'], 'post_tag');", []),
    ("an author gets another name",
     "wp_update_user(['ID' => $m['anna'], 'display_name' => 'Anna B.']);", []),
    ("the site gets another title", "update_option('blogname', 'Another name');", []),
    ("an option changes that no page shows", "update_option('ngx_counter', 7);", []),
]

CLASSIC_THEME = [
    ("the theme changes", theme, []),
    ("a widget is added", """
        update_option('widget_recent-posts', [2 => ['title' => '', 'number' => 3], '_multiwidget' => 1]);
        update_option('widget_recent-comments', [2 => ['number' => 3], '_multiwidget' => 1]);
        update_option('widget_block', [2 => ['content' =>
            '<!-- wp:latest-posts {"postsToShow":20,"displayPostContent":true} /-->'], '_multiwidget' => 1]);
        wp_set_sidebars_widgets(['sidebar-1' => ['recent-posts-2', 'recent-comments-2', 'block-2'],
            'wp_inactive_widgets' => []]);""", []),
    ("a post is published that a sidebar lists",
     "wp_insert_post(['post_title' => 'Ivy', 'post_status' => 'publish', 'post_content' => 'i']);", ["/ivy/"]),
    ("a comment is written that a sidebar lists",
     "wp_insert_comment(['comment_post_ID' => $m['Owl'], 'comment_author' => 'C', 'comment_content' => 'c',"
     "'comment_author_email' => 'c@a.test', 'comment_approved' => 1]);", []),
    ("a menu is put into its place",
     "set_theme_mod('nav_menu_locations', ['primary' => $m['menu']]);", []),
    ("an item is added to a menu",
     "wp_update_nav_menu_item($m['menu'], 0, ['menu-item-title' => 'Elsewhere', 'menu-item-url' => "
     "'http://c.test/', 'menu-item-status' => 'publish']);", []),
    ("the content of a post changes that a sidebar lists",
     "wp_update_post(['ID' => $m['Moss'], 'post_content' => 'Softer.']);", []),
    ("an author tells about herself below every post",
     "update_user_meta($m['anna'], 'description', 'Walks in woods.');", []),
]
