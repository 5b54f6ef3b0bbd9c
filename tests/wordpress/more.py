# SPDX-License-Identifier: BSD-2-Clause
"""The plugin on other servers: a network of sites, sudo, php-cgi, no commands, failures."""

import os
import shutil
import subprocess
import threading
import time

import stack
import tap


def new_post(wp, title, host=None):
    return wp.run("return wp_insert_post(['post_title' => '%s', 'post_status' => 'publish', "
                  "'post_content' => 'One.']);" % title, host)


def edit(wp, post, text, host=None, headers=None):
    return wp.run("return wp_update_post(['ID' => %d, 'post_content' => '%s']);" % (post, text), host, headers)


def warm(wp, *urls):
    """They are in the cache."""
    for url in urls:
        wp.ask(url)
        if wp.ask(url).cache != "HIT":
            raise RuntimeError("not cached: " + url)


def shows(wp, url, text, cache):
    reply = wp.ask(url)
    if reply.cache != cache or text not in reply.text:
        return ["%s: %s, %s%s" % (url, reply.cache, "with " if text in reply.text else "without ", text)]
    return []


def failure(wp):
    return (wp.run("return get_site_option('ngxcache_failed');") or {}).get("text", "")


def edit_shows(wp, url, post, text, host=None):
    """An edit, and the page is new."""
    warm(wp, url)
    edit(wp, post, text, host)
    return shows(wp, url, text, "MISS") + ([failure(wp)] if failure(wp) else [])


# --- one site, differently configured ---

def one_site():
    with stack.Stack(["a.test"], settings={"AGAIN": 0}) as wp:
        owl = new_post(wp, "Owl")
        wp.ask("//a.test/", cached=False)
        tap.check("a page that was being rendered meanwhile is purged later", meanwhile, wp, owl)
        tap.check("the administrator purges a page and the site by hand", by_hand, wp, owl)
        tap.check("who may not, or has no nonce, purges nothing by hand", not_by_hand, wp)
        tap.check("other plugins purge URLs and the site by an action", actions, wp)
        tap.check("a save goes on without the program, and the administrator is told", no_program, wp, owl)
        tap.check("what failed is purged with the next change", retried, wp, owl)
        tap.check("what is no URL fails, and does not make all that follows fail", malformed, wp, owl)
        tap.check("a filter that breaks at the end makes the whole site go with the next change", broken_end, wp, owl)
        tap.check("all second times that are due are taken, and each save has its own", second_times, wp, owl)
        tap.check("a save goes on when the program takes too long", too_long, wp, owl)
        tap.check("a save goes on when another plugin breaks a filter", broken_filter, wp, owl)
        tap.check("it works with popen alone", popen_alone, wp, owl)
        tap.check("without any command a file is left, which the spool script hands over", spooled, wp, owl)
        tap.check("without any command nor a spool a save goes on, and it is told", helpless, wp, owl)


def entries(wp, uri):
    """How many entries of that URI there are."""
    done = subprocess.run([stack.NGXCACHE, "-c", wp.path("nginx.conf"), "list", "-0", "http://a.test" + uri],
                          check=True, stdout=subprocess.PIPE)
    return done.stdout.count(b"\0")


def meanwhile(wp, owl):
    wp.configure(AGAIN=2)
    slow = threading.Thread(target=wp.ask, args=("//a.test/owl/?slow=1",))
    slow.start()
    stack.wait_for(lambda: os.path.exists(wp.path("content/uploads/rendering")), "the page is being rendered")
    edit(wp, owl, "Second text.")
    wp.write("content/uploads/go-on", "")
    slow.join()
    said = shows(wp, "//a.test/owl/?slow=1", "One.", "HIT")
    if said:
        return ["the race did not happen"] + said
    while wp.run("foreach (_get_cron_array() as $t => $hooks) if (isset($hooks['ngxcache_again']))"
                 "return $t > time(); return false;"):
        time.sleep(0.1)
    wp.ask("//a.test/wp-cron.php")   # which answers before it works
    stack.wait_for(lambda: not entries(wp, "/owl/?slow=1"), "a second purge")
    said = shows(wp, "//a.test/owl/?slow=1", "Second text.", "MISS")
    wp.configure(AGAIN=0)
    return said


def link_of(text, node):
    start = text.index('id="wp-admin-bar-%s"' % node) if 'id="wp-admin-bar-%s"' % node in text \
        else text.index("id='wp-admin-bar-%s'" % node)
    href = text.index("href=", start)
    quote = text[href + 5]
    return stack.html_unescape(text[href + 6:text.index(quote, href + 6)])


def by_hand(wp, owl):
    session = wp.login("a.test")
    wp.run("global $wpdb; $wpdb->update($wpdb->posts, ['post_content' => 'Behind its back.'], ['ID' => %d]);" % owl)
    warm(wp, "//a.test/owl/", "//a.test/feed/", "//a.test/nothing/")
    page = wp.ask("//a.test/owl/", headers=session).text
    reply = wp.ask("//" + link_of(page, "ngxcache-page").split("//", 1)[1], headers={
        **session, "Referer": "http://a.test/owl/"})
    said = [] if reply.status == 302 and reply.location == "http://a.test/owl/" else [reply.text[-300:]]
    said += shows(wp, "//a.test/owl/", "Behind its back.", "MISS") + shows(wp, "//a.test/nothing/", "", "HIT")
    reply = wp.ask("//" + link_of(page, "ngxcache-site").split("//", 1)[1], headers=session)
    return said + ([] if reply.status == 302 else [reply.text[-300:]]) + \
        shows(wp, "//a.test/nothing/", "", "MISS") + shows(wp, "//a.test/feed/", "", "MISS")


def not_by_hand(wp):
    warm(wp, "//a.test/owl/")
    wp.run("wp_insert_user(['user_login' => 'sub', 'user_pass' => 'secret', 'role' => 'subscriber']);")
    warm(wp, "//a.test/owl/")
    url = "//a.test/wp-admin/admin-post.php?action=ngxcache&what=site"
    statuses = [wp.ask(url, headers=wp.login("a.test")).status,
                wp.ask(url + "&_wpnonce=1234567890", headers=wp.login("a.test")).status,
                wp.ask(url, headers=wp.login("a.test", "sub")).status]
    nonce = wp.run("wp_set_current_user(get_user_by('login', 'sub')->ID);"
                   "$_COOKIE[LOGGED_IN_COOKIE] = urldecode('%s'); return wp_create_nonce('ngxcache-site');" %
                   wp.login("a.test", "sub")["Cookie"].rpartition("wordpress_logged_in_")[2].partition("=")[2])
    statuses.append(wp.ask(url + "&_wpnonce=" + nonce, headers=wp.login("a.test", "sub")).status)
    return (["statuses %s" % statuses] if statuses != [403, 403, 403, 403] else []) + \
        shows(wp, "//a.test/owl/", "", "HIT")


def actions(wp):
    warm(wp, "//a.test/owl/", "//a.test/feed/", "//a.test/nothing/")
    wp.run("do_action('ngxcache_purge', ['http://a.test/feed*']);")
    said = shows(wp, "//a.test/feed/", "", "MISS") + shows(wp, "//a.test/owl/", "", "HIT")
    wp.run("do_action('ngxcache_purge_site');")
    return said + shows(wp, "//a.test/nothing/", "", "MISS")


def notices(wp):
    return wp.ask("//a.test/wp-admin/index.php", headers=wp.login("a.test")).text


def no_program(wp, owl):
    wp.configure(COMMAND="/nonexistent/ngxcache")
    warm(wp, "//a.test/owl/")
    said = [] if edit(wp, owl, "Third text.") == owl else ["the save did not go on"]
    if "could not purge nginx's cache" not in notices(wp) or "/nonexistent/ngxcache" not in notices(wp):
        said.append("the administrator is not told")
    return said + shows(wp, "//a.test/owl/", "Third text.", "HIT")[:0]


def retried(wp, owl):
    wp.configure(COMMAND=stack.NGXCACHE)
    warm(wp, "//a.test/owl/")
    wp.run("update_option('blogdescription', 'Another word');")
    said = shows(wp, "//a.test/owl/", "Third text.", "MISS")
    return said + (["still told"] if "could not purge" in notices(wp) else []) + \
        ([failure(wp)] if failure(wp) else [])


def malformed(wp, owl):
    wp.run("do_action('ngxcache_purge', ['no URL at all', 'http://a.test/owl/']);")
    said = [] if failure(wp) else ["nothing was told"]
    edit(wp, owl, "Not told of.")
    return said + edit_shows(wp, "//a.test/owl/", owl, "After something malformed.")


def broken_end(wp, owl):
    wp.write("content/mu-plugins/broken.php", "<?php add_filter('ngxcache_selectors', function () {"
             "throw new Error('broken by another plugin'); });")
    wp.reload_php()
    warm(wp, "//a.test/owl/", "//a.test/nothing/")
    said = [] if edit(wp, owl, "Kept for later.") == owl else ["the save did not go on"]
    os.unlink(wp.path("content/mu-plugins/broken.php"))
    wp.reload_php()
    wp.run("do_action('ngxcache_purge', ['http://a.test/feed*']);")
    return said + shows(wp, "//a.test/owl/", "Kept for later.", "MISS") + shows(wp, "//a.test/nothing/", "", "MISS")


def second_times(wp, owl):
    warm(wp, "//a.test/owl/", "//a.test/nothing/", "//a.test/feed/")
    wp.run("do_action('ngxcache_again', ['http://a.test/owl/'], ['a.test'], 1);"
           "do_action('ngxcache_again', ['http://a.test/nothing/'], ['a.test'], 2);")
    said = shows(wp, "//a.test/owl/", "", "MISS") + shows(wp, "//a.test/nothing/", "", "MISS") + \
        shows(wp, "//a.test/feed/", "", "HIT")
    wp.configure(AGAIN=3600)
    for text in ("One.", "Two."):
        edit(wp, owl, text)
        time.sleep(1.1)  # an event is told from another by its second
    wp.configure(AGAIN=0)
    events = wp.run("$n = 0; foreach (_get_cron_array() as $hooks) $n += count($hooks['ngxcache_again'] ?? []); return $n;")
    return said + ([] if events == 2 else ["%s second times" % events])


def program(wp, name, text):
    wp.write(name, "#!/bin/sh\n%s\n" % text)
    os.chmod(wp.path(name), 0o755)
    return wp.path(name)


def too_long(wp, owl):
    wp.configure(COMMAND=program(wp, "slow", "trap '' TERM; sleep 60"), TIMEOUT=1)
    start = time.monotonic()
    said = [] if edit(wp, owl, "Fourth text.") == owl else ["the save did not go on"]
    if not 1 <= time.monotonic() - start < 20:
        said.append("took %d s" % (time.monotonic() - start))
    said += [] if "took longer than 1 s" in failure(wp) else ["told: " + failure(wp)]
    wp.configure(COMMAND=stack.NGXCACHE, TIMEOUT=20)
    return said + edit_shows(wp, "//a.test/owl/", owl, "Fourth text, again.")


def broken_filter(wp, owl):
    wp.write("content/mu-plugins/broken.php", "<?php add_filter('ngxcache_meta', function () {"
             "throw new Error('broken by another plugin'); });")
    wp.reload_php()
    code = "update_post_meta(%d, 'shown', 'x'); return wp_update_post(['ID' => %d, 'post_content' => 'Fifth.']);"
    warm(wp, "//a.test/owl/", "//a.test/nothing/")
    said = [] if wp.run(code % (owl, owl)) == owl else ["the save did not go on"]
    said += shows(wp, "//a.test/nothing/", "", "MISS")
    os.unlink(wp.path("content/mu-plugins/broken.php"))
    wp.reload_php()
    return said


def disable(wp, functions):
    wp.php_extra = "php_admin_value[disable_functions] = " + functions
    wp.write_php()


def popen_alone(wp, owl):
    disable(wp, "exec,passthru,shell_exec,system,proc_open")
    wp.configure()
    return edit_shows(wp, "//a.test/owl/", owl, "By popen.")


def spooled(wp, owl):
    disable(wp, "exec,passthru,shell_exec,system,proc_open,popen")
    wp.configure(SPOOL=wp.path("spool"))
    warm(wp, "//a.test/owl/")
    edit(wp, owl, "By spool.")
    said = shows(wp, "//a.test/owl/", "By popen.", "HIT") + ([failure(wp)] if failure(wp) else [])
    os.symlink("/etc/passwd", wp.path("spool/link.urls"))
    os.mkfifo(wp.path("spool/pipe.urls"))
    done = subprocess.run([os.path.join(stack.TOP, "contrib/systemd/ngxcache-spool"), wp.path("spool"), "a.test"],
                          env={"PATH": stack.PATHS, "NGXCACHE": stack.NGXCACHE, "SETTLE": "0",
                               "NGXCACHE_CONF": wp.path("nginx.conf")}, timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0 or b"root:" in done.stdout + done.stderr or os.listdir(wp.path("spool")):
        said.append("status %d: %s" % (done.returncode, done.stderr.decode()))
    return said + shows(wp, "//a.test/owl/", "By spool.", "MISS")


def helpless(wp, owl):
    wp.configure(SPOOL=None)
    said = [] if edit(wp, owl, "Nobody purges.") == owl else ["the save did not go on"]
    return said + ([] if "set NGXCACHE_SPOOL" in failure(wp) else ["told: " + failure(wp)])


# --- other stacks ---

def network():
    with stack.Stack(["a.test", "b.test"], one_zone=True, multisite=True, settings={"AGAIN": 0}) as wp:
        owl, fox = new_post(wp, "Owl"), new_post(wp, "Fox", "b.test")
        for host in wp.hosts:
            wp.ask("//%s/" % host, cached=False)
        tap.check("network: a site's change leaves the other site in their common zone", one_of_two, wp, fox)
        tap.check("network: one run purges what a request changed on two sites", both, wp, owl, fox)


def one_of_two(wp, fox):
    warm(wp, "//a.test/owl/", "//a.test/", "//b.test/fox/", "//b.test/")
    edit(wp, fox, "Changed.", "b.test")
    return shows(wp, "//b.test/fox/", "Changed.", "MISS") + shows(wp, "//b.test/", "", "MISS") + \
        shows(wp, "//a.test/owl/", "", "HIT") + shows(wp, "//a.test/", "", "HIT")


def both(wp, owl, fox):
    calls = wp.path("log/calls")
    wp.configure(COMMAND=program(wp, "count", "echo \"$@\" >>%s\nexec %s \"$@\"" % (calls, stack.NGXCACHE)))
    warm(wp, "//a.test/owl/", "//b.test/fox/")
    wp.run("wp_update_post(['ID' => %d, 'post_content' => 'Both.']); switch_to_blog(2);"
           "wp_update_post(['ID' => %d, 'post_content' => 'Both.']); restore_current_blog();" % (owl, fox))
    with open(calls) as f:
        made = f.read()
    wanted = "purge --json --limit-host a.test --limit-host b.test --from -\n"
    return shows(wp, "//a.test/owl/", "Both.", "MISS") + shows(wp, "//b.test/fox/", "Both.", "MISS") + \
        ([] if made == wanted else ["called: " + made])


def cgi():
    with stack.Stack(["a.test"], cgi=True, settings={"AGAIN": 0}) as wp:
        owl = new_post(wp, "Owl")
        wp.ask("//a.test/", cached=False)
        tap.check("php-cgi: an edit shows at once", edit_shows, wp, "//a.test/owl/", owl, "By CGI.")


SUDO = "sudo: PHP and nginx run as different users"
SITE_USER = "games"


def sudoers(wp):
    """The lines of contrib/sudoers.d/ngxcache, for the site and the program under test."""
    with open(os.path.join(stack.TOP, "contrib/sudoers.d/ngxcache")) as f:
        text = f.read()
    for ours, theirs in (("www-example", SITE_USER), ("www.example.com", "a.test"),
                         ("/usr/bin/ngxcache", wp.path("bin/ngxcache"))):
        text = text.replace(ours, theirs)
    return text


def under_sudo(wp, command):
    """In a mount namespace of its own /etc/sudoers.d and /etc/nginx are ours."""
    os.makedirs(wp.path("bin"), exist_ok=True)
    shutil.copy(stack.NGXCACHE, wp.path("bin/ngxcache"))
    os.makedirs(wp.path("sudoers.d"), exist_ok=True)
    wp.write("sudoers.d/ngxcache", sudoers(wp))
    os.chmod(wp.path("sudoers.d/ngxcache"), 0o440)
    script = "mount --bind %s /etc/sudoers.d && mount --bind %s /etc/nginx/nginx.conf && exec \"$@\"" % (
        wp.path("sudoers.d"), wp.path("nginx.conf"))
    return ["unshare", "-m", "--propagation", "private", "sh", "-c", script, "sh", *command]


def can_sudo():
    if not stack.ROOT:
        return "needs root"
    if not stack.found("sudo"):
        return "sudo is not installed"
    if not os.path.exists("/etc/nginx/nginx.conf"):
        return "there is no /etc/nginx/nginx.conf"
    if subprocess.run(["unshare", "-m", "--propagation", "private", "mount", "--bind", "/etc/nginx", "/etc/nginx"],
                      stderr=subprocess.DEVNULL).returncode != 0:
        return "nothing can be mounted here"
    return ""


def sudo():
    why = can_sudo()
    if why:
        tap.skip(SUDO, why)
        return
    with stack.Stack(["a.test"], php_user=SITE_USER, wrap=under_sudo, settings={"AGAIN": 0}) as wp:
        owl = new_post(wp, "Owl")
        wp.ask("//a.test/", cached=False)
        tap.check(SUDO + ": without sudo an edit stays unseen, and it is told", unprivileged, wp, owl)
        wp.configure(SUDO=stack.found("sudo"), COMMAND=wp.path("bin/ngxcache"))
        tap.check(SUDO + ": with the sudoers line an edit shows at once", edit_shows, wp, "//a.test/owl/",
                  owl, "By sudo.")
        tap.check(SUDO + ": the line allows no other call", other_calls, wp)


def unprivileged(wp, owl):
    warm(wp, "//a.test/owl/")
    edit(wp, owl, "Unseen.")
    return shows(wp, "//a.test/owl/", "One.", "HIT") + ([] if failure(wp) else ["it is not told"])


def other_calls(wp):
    code = """
        exec(%s . ' -n %s %%s </dev/null 2>&1', $said, $status);
        return [$status, implode(' ', $said)];
    """ % (stack.json.dumps(stack.found("sudo")), wp.path("bin/ngxcache"))
    said = []
    for arguments in ("purge --json --limit-host b.test --from -", "purge --all", "list", "--version",
                      "purge --json --limit-host a.test --from - --all",
                      "purge --json --limit-host a.test --limit-host b.test --from -"):
        status, text = wp.run(code % arguments)
        if status != 1 or "password is required" not in text:
            said.append("%s: status %d, %s" % (arguments, status, text))
    return said


PARTS = [one_site, network, cgi, sudo]
