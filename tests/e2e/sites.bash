# SPDX-License-Identifier: BSD-2-Clause
#
# The sites of the tests with a real nginx: www.test and shop.test share the zone "pages" of
# one server on $PORT, in front of the origin or of PHP.
#
# shellcheck shell=bash disable=SC2034,SC2154

load ../lib/helpers

KEY='$scheme$request_method$host$request_uri'

# proxy_site [ZONE PARAMETERS [LOCATION DIRECTIVES]]: the origin behind proxy_cache.
proxy_site() {
	need_nginx
	start_origin
	PORT=$(free_port)
	CACHE=${CACHE:-$T/pages}
	nginx_conf <<-END
		proxy_cache_path $CACHE levels=1:2 keys_zone=pages:1m inactive=1h ${1:-};
		proxy_cache_key $KEY;
		server {
			listen 127.0.0.1:$PORT;
			server_name www.test shop.test;
			location / {
				proxy_pass http://127.0.0.1:$ORIGIN_PORT;
				proxy_set_header Host \$host;
				proxy_cache pages;
				proxy_cache_valid 200 301 404 1h;
				${2:-}
			}
		}
	END
	start_nginx
}

# fastcgi_site [ZONE PARAMETERS [LOCATION DIRECTIVES]]: PHP behind fastcgi_cache.
fastcgi_site() {
	need_nginx
	start_php
	PORT=$(free_port)
	CACHE=${CACHE:-$T/pages}
	nginx_conf <<-END
		fastcgi_cache_path $CACHE levels=1:2 keys_zone=pages:1m inactive=1h ${1:-};
		fastcgi_cache_key $KEY;
		server {
			listen 127.0.0.1:$PORT;
			server_name www.test shop.test;
			location / {
				fastcgi_pass unix:$PHP_SOCKET;
				fastcgi_param SCRIPT_FILENAME $PHP_FRONT;
				fastcgi_param REQUEST_METHOD \$request_method;
				fastcgi_param REQUEST_URI \$request_uri;
				fastcgi_param QUERY_STRING \$query_string;
				fastcgi_cache pages;
				fastcgi_cache_valid 200 301 404 1h;
				${2:-}
			}
		}
	END
	start_nginx
}

# admin COMMAND...: the program as the administrator of the private server calls it.
admin() {
	ngxcache -c "$NGINX_CONF" -p "$NGINX" "$@"
}

# purge ARGUMENT...: must do its work and say nothing on standard error; JSON in $output.
purge() {
	run -0 --separate-stderr admin purge --json "$@"
	equal "$stderr" ""
}

# page_is TEXT: the body of the last fetch
page_is() {
	equal "$(body)" "$1" "page"
}

# No line of this level or worse in nginx's log.
log_is_clean() {
	run -1 grep -E '\[(crit|alert|emerg)\]' "$NGINX/log/error.log"
}
