#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# A CMS under Apache behind nginx's proxy_cache, whose key begins with a class of devices from
# a map: contrib/hooks/ngxcache-hook.php is what the CMS calls after a page was saved.

load ../lib/helpers

APACHE_MODULES=/usr/lib/apache2/modules

AGENTS=('Mozilla/5.0 (X11; Linux)' 'Mozilla/5.0 (iPhone; CPU)' 'Mozilla/5.0 (iPad; CPU)' 'DoCoMo/2.0')

# start_apache: PHP on $APACHE_PORT; nothing of the system's configuration is used.
start_apache() {
	local modules=("$APACHE_MODULES"/libphp*.so)

	command -v apache2 >/dev/null || skip "apache2 is not installed"
	[ -e "${modules[0]}" ] || skip "Apache's module for PHP is not installed"
	APACHE_PORT=$(free_port)
	mkdir -p "$T/apache/run" "$T/apache/www"
	cat >"$T/apache/httpd.conf" <<-END
		ServerName localhost
		ServerRoot $T/apache
		PidFile $T/apache/run/apache.pid
		DefaultRuntimeDir $T/apache/run
		Mutex file:$T/apache/run default
		ErrorLog $T/apache/error.log
		Listen 127.0.0.1:$APACHE_PORT
		LoadModule mpm_prefork_module $APACHE_MODULES/mod_mpm_prefork.so
		LoadModule authz_core_module $APACHE_MODULES/mod_authz_core.so
		LoadModule dir_module $APACHE_MODULES/mod_dir.so
		LoadModule mime_module $APACHE_MODULES/mod_mime.so
		LoadModule php_module ${modules[0]}
		TypesConfig /etc/mime.types
		StartServers 2
		DocumentRoot $T/apache/www
		FallbackResource /index.php
		<FilesMatch \.php\$>
			SetHandler application/x-httpd-php
		</FilesMatch>
	END
	if [ "$(id -u)" -eq 0 ]; then
		printf 'User %s\nGroup %s\n' "$WORKER" "$WORKER" >>"$T/apache/httpd.conf"
	fi
	start_cms
	# It ends its whole process group: that is to be its own.
	setsid apache2 -f "$T/apache/httpd.conf" -D FOREGROUND </dev/null >"$T/apache/start.log" 2>&1 3>&- &
	ORIGIN_PID=$!
	wait_until 'curl -sf --noproxy "*" "http://127.0.0.1:$APACHE_PORT/"' 20 || {
		cat "$T/apache/start.log" "$T/apache/error.log" >&2
		return 1
	}
}

# A CMS of one text: a POST changes it and calls the hook for the page and the news.
start_cms() {
	mkdir "$T/apache/data"
	echo old >"$T/apache/data/text"
	[ "$(id -u)" -ne 0 ] || chown -R "$WORKER" "$T/apache/data"
	cat >"$T/apache/www/index.php" <<-END
		<?php
		require '$TOP/contrib/hooks/ngxcache-hook.php';
		putenv('NGXCACHE_CONF=$T/nginx/nginx.conf');
		if (\$_SERVER['REQUEST_METHOD'] === 'POST') {
			file_put_contents('$T/apache/data/text', \$_POST['text']);
			\$ok = ngxcache_purge(['http://www.test/page', 'http://www.test/news/*'], 'www.test',
				['$O/ngxcache']);
			echo \$ok ? 'purged' : 'failed';
			exit;
		}
		header('Content-Type: text/html');
		echo \$_SERVER['REQUEST_URI'], ' ', \$_SERVER['HTTP_USER_AGENT'], ': ';
		readfile('$T/apache/data/text');
	END
}

site() {
	need_nginx
	start_apache
	PORT=$(free_port)
	nginx_conf <<-END
		map \$http_user_agent \$ua_class {
			default "@pc";
			"~*(iPhone|iPod|Android.*Mobile)" "@sp";
			"~*(iPad|Android)" "@tb";
			"~*(DoCoMo|KDDI|SoftBank)" "@mb";
		}
		proxy_cache_path $T/pages levels=1:2 keys_zone=pages:1m inactive=1h;
		proxy_cache_key "\$ua_class\$scheme://\$host\$request_uri";
		server {
			listen 127.0.0.1:$PORT;
			server_name www.test shop.test;
			location / {
				proxy_pass http://127.0.0.1:$APACHE_PORT;
				proxy_set_header Host \$host;
				proxy_cache pages;
				proxy_cache_valid 200 1h;
			}
		}
	END
	start_nginx
}

teardown() {
	stop_servers
}

# every_device WANTED URL: X-Cache for each of them
every_device() {
	local agent

	for agent in "${AGENTS[@]}"; do
		fetch_is "$1" -A "$agent" "$2"
	done
}

@test "apache: what a CMS has saved is new for every class of devices, the rest stays" {
	site
	for url in http://www.test/page http://www.test/news/1 http://www.test/other http://shop.test/page; do
		every_device MISS "$url"
		every_device HIT "$url"
	done
	equal "$(entries_in "$T/pages")" 16
	curl -sS --noproxy '*' --connect-to "::127.0.0.1:$PORT" -d text=new http://www.test/save >"$T/answer"
	equal "$(cat "$T/answer")" purged "$(cat "$T/apache/error.log")"
	every_device HIT http://www.test/other
	every_device HIT http://shop.test/page
	every_device MISS http://www.test/news/1
	for agent in "${AGENTS[@]}"; do
		fetch_is MISS -A "$agent" http://www.test/page
		equal "$(body)" "/page $agent: new"
	done
}
