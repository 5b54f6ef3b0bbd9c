# SPDX-License-Identifier: BSD-2-Clause
"""A private WordPress: MariaDB, php-fpm (or php-cgi) and nginx in a temporary folder.

Nothing of the system's configuration is used but PHP's list of extensions.  Every process is
a child of ours and ended by its pid; on loopback, only nginx listens.
"""

import glob
import html
import http.client
import json
import os
import pwd
import shutil
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
NGXCACHE = os.path.join(TOP, os.environ.get("O", "build/debug"), "ngxcache")
PLUGIN = os.path.join(TOP, "contrib/wordpress/ngxcache.php")
WORDPRESS = "/usr/share/wordpress"
ROOT = os.getuid() == 0
PATHS = "/usr/sbin:/usr/bin:/sbin:/bin"

FASTCGI = """
	fastcgi_param QUERY_STRING $query_string;
	fastcgi_param REQUEST_METHOD $request_method;
	fastcgi_param CONTENT_TYPE $content_type;
	fastcgi_param CONTENT_LENGTH $content_length;
	fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name;
	fastcgi_param SCRIPT_NAME $fastcgi_script_name;
	fastcgi_param REQUEST_URI $request_uri;
	fastcgi_param DOCUMENT_ROOT $document_root;
	fastcgi_param SERVER_PROTOCOL $server_protocol;
	fastcgi_param REQUEST_SCHEME $scheme;
	fastcgi_param REMOTE_ADDR $remote_addr;
	fastcgi_param SERVER_PORT 80;
	fastcgi_param SERVER_NAME $host;
"""


def found(*names):
    """The first of these programs, or None; names may be patterns."""
    for name in names:
        for directory in PATHS.split(":"):
            for path in sorted(glob.glob(os.path.join(directory, name))):
                return path
    return None


PHP_FPM = found("php-fpm", "php-fpm[0-9]*")
PHP_CGI = found("php-cgi", "php-cgi[0-9]*")
PHP = found("php", "php[0-9]*")
MARIADBD = found("mariadbd")
NGINX = found("nginx")


def missing():
    """What the tests need and the system has not."""
    return [name for name, there in (
        ("wordpress", os.path.exists(WORDPRESS + "/wp-load.php")),
        ("wordpress-theme-twentytwentythree", glob.glob("/usr/share/wordpress/wp-content/themes/twentytwentythree") or
         glob.glob("/var/lib/wordpress/wp-content/themes/twentytwentythree")),
        ("mariadb-server-core", MARIADBD), ("nginx", NGINX), ("php-fpm", PHP_FPM),
        ("php-cgi", PHP_CGI), ("php-cli", PHP), ("php-mysql", glob.glob("/etc/php/*/fpm/conf.d/*mysqli.ini")),
    ) if not there]


def wait_for(condition, what, seconds=30):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise RuntimeError("never happened: " + what)
        time.sleep(0.01)


def free_port():
    out = subprocess.run(["python3", os.path.join(TOP, "tests/lib/free_port.py"), tempfile.gettempdir()],
                         check=True, stdout=subprocess.PIPE)
    return int(out.stdout)


html_unescape = html.unescape


class Reply:
    def __init__(self, response, body):
        self.status = response.status
        self.headers = response.headers
        self.cache = response.headers.get("X-Cache", "")
        self.location = response.headers.get("Location", "")
        self.body = body

    @property
    def text(self):
        return self.body.decode("utf-8", "replace")


class Stack:
    """hosts: one zone each, unless one_zone; settings: NGXCACHE_* of wp-config.php."""

    def __init__(self, hosts, settings=None, cgi=False, one_zone=False, multisite=False,
                 php_user="www-data", php_extra="", wrap=None):
        self.hosts, self.settings = hosts, dict(settings or {})
        self.cgi, self.one_zone, self.multisite = cgi, one_zone, multisite
        self.php_user, self.php_extra, self.wrap = php_user, php_extra, wrap
        self.dir = tempfile.mkdtemp(prefix="wp.", dir="/tmp")
        self.port, self.plain_port = free_port(), free_port()
        self.pids = []
        self.sessions = {}

    def path(self, *names):
        return os.path.join(self.dir, *names)

    def write(self, name, text):
        with open(self.path(name + ".new"), "w") as f:
            f.write(text)
        os.rename(self.path(name + ".new"), self.path(name))

    # --- files ---

    def make_files(self):
        for name in ("run", "log", "db", "content", "content/uploads", "content/mu-plugins", "spool",
                     "cache", "temp"):
            os.makedirs(self.path(name), exist_ok=True)
        os.chmod(self.dir, 0o755)
        os.mkdir(self.path("wp"))
        for name in os.listdir(WORDPRESS):
            if name.endswith(".php") and name != "wp-config.php":
                shutil.copy(os.path.join(WORDPRESS, name), self.path("wp"))
        for name in ("wp-admin", "wp-includes"):
            subprocess.run(["cp", "-a", os.path.join(WORDPRESS, name), self.path("wp")], check=True)
        for name in ("themes", "plugins", "languages"):
            subprocess.run(["cp", "-a", os.path.join("/var/lib/wordpress/wp-content", name),
                            self.path("content")], check=True)
        shutil.copy(PLUGIN, self.path("content/mu-plugins"))
        shutil.copy(os.path.join(HERE, "driver.php"), self.path("content/mu-plugins"))
        self.write_config()
        self.write_php()
        self.write_nginx()
        if ROOT:
            for name in ("content/uploads", "spool", "log"):
                shutil.chown(self.path(name), self.php_user)

    def write_config(self, network=False):
        settings = {"COMMAND": NGXCACHE, "CONF": self.path("nginx.conf"), **self.settings}
        lines = ["define('NGXCACHE_%s', %s);" % (k, json.dumps(v)) for k, v in settings.items()
                 if v is not None]
        if network:
            lines += ["define('%s', %s);" % (k, json.dumps(v)) for k, v in (
                ("MULTISITE", True), ("SUBDOMAIN_INSTALL", True), ("DOMAIN_CURRENT_SITE", self.hosts[0]),
                ("PATH_CURRENT_SITE", "/"), ("SITE_ID_CURRENT_SITE", 1), ("BLOG_ID_CURRENT_SITE", 1),
                ("COOKIE_DOMAIN", ""))]
        elif not self.multisite:
            lines += ["define('WP_HOME', \"http://$h\"); define('WP_SITEURL', \"http://$h\");"]
        prefix = "'wp_'" if self.multisite else "$h[0] . '_'"
        self.write("wp/wp-config.php", """<?php
$h = $_SERVER['HTTP_HOST'] ?? getenv('HTTP_HOST');
$_SERVER['HTTP_HOST'] = $h;
ini_set('error_log', '%(dir)s/log/php.log');
define('DB_NAME', 'wp'); define('DB_USER', 'any'); define('DB_PASSWORD', 'any');
define('DB_HOST', 'localhost:%(dir)s/run/db.sock'); define('DB_CHARSET', 'utf8mb4');
define('DB_COLLATE', '');
$table_prefix = %(prefix)s;
define('WP_CONTENT_DIR', '%(dir)s/content'); define('WP_CONTENT_URL', "http://$h/wp-content");
define('DISABLE_WP_CRON', true); define('WP_HTTP_BLOCK_EXTERNAL', true);
define('AUTOMATIC_UPDATER_DISABLED', true); define('DISALLOW_FILE_MODS', true);
define('WP_DEBUG', false);
%(lines)s
foreach (['AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE'] as $k) {
	define($k . '_KEY', "key of $k"); define($k . '_SALT', "salt of $k");
}
if (isset($_SERVER['HTTP_X_TEST_INSTALL'])) {
	define('WP_INSTALLING', true);
}
if (!defined('ABSPATH')) define('ABSPATH', '%(dir)s/wp/');
require_once ABSPATH . 'wp-settings.php';
""" % {"dir": self.dir, "prefix": prefix, "lines": "\n".join(lines)})

    def write_php(self):
        user = "user = %s\ngroup = %s\n" % (self.php_user, self.php_user) if ROOT else ""
        self.write("fpm.conf", """[global]
error_log = %s/log/fpm.log
daemonize = no
[www]
%slisten = %s/run/php.sock
listen.mode = 0666
pm = static
pm.max_children = 3
catch_workers_output = yes
%s
""" % (self.dir, user, self.dir, self.php_extra))

    def server(self, host, port, zone):
        cache = """
		fastcgi_cache %s;
		fastcgi_cache_valid 200 301 302 404 1h;
		fastcgi_ignore_headers Cache-Control Expires Set-Cookie;
		fastcgi_cache_bypass $skip;
		fastcgi_no_cache $skip;
		add_header X-Cache $upstream_cache_status always;""" % zone if zone else ""
        return """
server {
	listen 127.0.0.1:%d;
	server_name %s;
	root %s/wp;
	index index.php;
	location / { try_files $uri $uri/ /index.php?$args; }
	location ~ \\.php$ {%s
		fastcgi_pass unix:%s/run/php.sock;%s
	}
}
""" % (port, host, self.dir, FASTCGI.replace("\n\t", "\n\t\t"), self.dir, cache)

    def zone(self, host):
        return "all" if self.one_zone else host.split(".")[0]

    def write_nginx(self):
        temp = "".join("%s_temp_path %s/temp/%s;\n" % (k, self.dir, k)
                       for k in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        zones = "".join("fastcgi_cache_path %s/cache/%s levels=1:2 keys_zone=%s:1m inactive=1d;\n" %
                        (self.dir, z, z) for z in sorted({self.zone(h) for h in self.hosts}))
        servers = "".join(self.server(h, p, z) for h in self.hosts
                          for p, z in ((self.port, self.zone(h)), (self.plain_port, None)))
        self.write("nginx.conf", """%spid %s/run/nginx.pid;
error_log %s/log/nginx.log;
worker_processes 1;
events { worker_connections 128; }
http {
access_log off;
%s%sfastcgi_cache_key "$scheme$request_method$host$request_uri";
fastcgi_buffers 16 32k;
fastcgi_buffer_size 32k;
map $request_method$http_cookie$request_uri $skip {
	default 0;
	~^POST 1;
	~^PUT 1;
	~^DELETE 1;
	~wordpress_logged_in 1;
	~/wp-admin/|/wp-login|/wp-cron 1;
}
%s}
""" % ("user www-data;\n" if ROOT else "", self.dir, self.dir, temp, zones, servers))

    # --- processes ---

    def spawn(self, *command, **more):
        out = open(self.path("log", os.path.basename(command[0]) + ".out"), "ab")
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                 env={"PATH": PATHS, **more.pop("env", {})}, **more)
        out.close()
        self.pids.append(child)
        return child

    def start_database(self):
        self.spawn(MARIADBD, "--no-defaults", "--datadir=" + self.path("db"),
                   "--socket=" + self.path("run/db.sock"), "--pid-file=" + self.path("run/db.pid"),
                   "--skip-networking", "--skip-grant-tables", "--skip-innodb",
                   "--default-storage-engine=MyISAM", "--aria-log-file-size=8M",
                   "--character-set-server=utf8mb4", "--skip-log-bin", *(["--user=root"] if ROOT else []))
        wait_for(lambda: os.path.exists(self.path("run/db.sock")), "MariaDB's socket")
        os.chmod(self.path("run/db.sock"), 0o777)
        client = found("mariadb") or found("mysql")
        subprocess.run([client, "--no-defaults", "--socket=" + self.path("run/db.sock"), "-e",
                        "CREATE DATABASE wp"], check=True)

    def start_php(self):
        if self.cgi:
            drop = ["setpriv", "--reuid=" + self.php_user, "--regid=" + self.php_user,
                    "--clear-groups"] if ROOT else []
            if ROOT:
                shutil.chown(self.path("run"), self.php_user)
            self.php = self.spawn(*drop, PHP_CGI, "-b", self.path("run/php.sock"),
                                  env={"PHP_FCGI_CHILDREN": "3", "PHP_FCGI_MAX_REQUESTS": "100000"})
        else:
            command = [PHP_FPM, "-F", "-y", self.path("fpm.conf"), "-d", "opcache.enable=1", "-d", "opcache.validate_timestamps=0"]
            self.php = self.spawn(*(self.wrap(self, command) if self.wrap else command))
        wait_for(lambda: os.path.exists(self.path("run/php.sock")), "PHP's socket")
        if self.cgi:
            os.chmod(self.path("run/php.sock"), 0o777)

    def stop_php(self):
        self.end(self.php)
        if os.path.exists(self.path("run/php.sock")):
            os.unlink(self.path("run/php.sock"))

    def start_nginx(self):
        self.spawn(NGINX, "-p", self.dir, "-c", self.path("nginx.conf"), "-e",
                   self.path("log/nginx.log"), "-g", "daemon off;")
        wait_for(lambda: os.path.exists(self.path("run/nginx.pid")), "nginx's pid file")

    def end(self, child):
        if child in self.pids:
            self.pids.remove(child)
            child.terminate()
            try:
                child.wait(20)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()

    def __enter__(self):
        try:
            self.make_files()
            self.start_database()
            self.start_php()
            self.start_nginx()
            self.install()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *exception):
        for child in reversed(list(self.pids)):
            self.end(child)
        shutil.rmtree(self.dir, ignore_errors=True)

    # --- requests ---

    def ask(self, url, method="GET", body=None, headers=None, cached=True):
        """One request; URL without scheme: //HOST/PATH.  Redirects are not followed."""
        host, _, path = url.split("//", 1)[1].partition("/")
        port = self.port if cached else self.plain_port
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        try:
            connection.request(method, "/" + path, body=body, headers={"Host": host, **(headers or {})})
            response = connection.getresponse()
            return Reply(response, response.read())
        finally:
            connection.close()

    def run(self, code, host=None, headers=None):
        """Run PHP on the site as its administrator; the value it returns."""
        reply = self.ask("//%s/" % (host or self.hosts[0]), "POST", code.encode(),
                         {"X-Test-Run": "1", "Content-Type": "text/plain", **(headers or {})})
        try:
            return json.loads(reply.body)
        except ValueError:
            raise RuntimeError("%d: %s" % (reply.status, reply.text[-800:]))

    def command_line(self, code, host=None):
        """Run PHP on the command line; what it prints."""
        return subprocess.run([PHP, "-r", code], check=True, stdout=subprocess.PIPE,
                              env={"HTTP_HOST": host or self.hosts[0]}).stdout

    def run_installing(self, host, code):
        self.write("wp/install.php", """<?php
require __DIR__ . '/wp-load.php';
require ABSPATH . 'wp-admin/includes/admin.php';
require ABSPATH . 'wp-admin/includes/upgrade.php';
global $wpdb, $wp_rewrite;
%s
echo 'done';
""" % code)
        reply = self.ask("//%s/install.php" % host, "POST", "", {"X-Test-Install": "1"})
        if not reply.text.endswith("done"):
            raise RuntimeError("%d: %s" % (reply.status, reply.text[-800:]))

    def install(self):
        for host in self.hosts[:1] if self.multisite else self.hosts:
            self.run_installing(host, """
wp_install('Site %s', 'admin', 'admin@%s', true, '', 'secret');
""" % (host, host))
        if self.multisite:
            self.run_installing(self.hosts[0], """
foreach ($wpdb->tables('ms_global') as $n => $t) $wpdb->$n = $t;
install_network();
populate_network(1, '%s', 'admin@a.test', 'Net', '/', true);
""" % self.hosts[0])
            self.write_config(network=True)
            self.reload_php()
            for host in self.hosts[1:]:
                self.run("return wp_insert_site(['domain' => '%s', 'path' => '/', 'user_id' => 1, "
                         "'title' => 'Site %s']);" % (host, host))
        os.unlink(self.path("wp/install.php"))
        for host in self.hosts:
            self.run("global $wp_rewrite; $wp_rewrite->set_permalink_structure('/%postname%/');", host)
            self.run("flush_rewrite_rules(false);", host)

    def configure(self, **settings):
        """Other settings of the plugin, from the next request on."""
        self.settings.update(settings)
        self.write_config(self.multisite)
        self.reload_php()

    def reload_php(self):
        """What it has compiled of wp-config.php is out of date."""
        self.stop_php()
        self.start_php()

    def login(self, host, user="admin"):
        """The cookies of a session, as a header."""
        if (host, user) not in self.sessions:
            reply = self.ask("//%s/wp-login.php" % host, "POST",
                             "log=%s&pwd=secret&testcookie=1" % user,
                             {"Content-Type": "application/x-www-form-urlencoded",
                              "Cookie": "wordpress_test_cookie=WP+Cookie+check"})
            cookies = [c.split(";")[0] for c in reply.headers.get_all("Set-Cookie")]
            self.sessions[host, user] = {"Cookie": "; ".join(cookies)}
        return self.sessions[host, user]

    def account(self):
        """The user PHP runs as."""
        return pwd.getpwnam(self.php_user) if ROOT else pwd.getpwuid(os.getuid())
