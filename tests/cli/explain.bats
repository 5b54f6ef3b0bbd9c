#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# explain: its arguments, its document and its text; the routing itself is tested by
# tests/unit/test_routing.c, tests/unit/test_open.c and tests/check/routing.

load cli

# a_site: one zone, by a key with a header and a cookie; a.test alone is cached
a_site() {
	mkcache -o "$C" httpGETa.test/there
	conf <<-END
		proxy_cache_path $C levels=1:2 keys_zone=pages:1m;
		server {
			listen 80;
			server_name a.test;
			proxy_cache pages;
			proxy_cache_valid 1h;
			proxy_cache_key \$scheme\$request_method\$host\$request_uri\$http_x_lang;
			location / { proxy_pass http://127.0.0.1:8000; }
			location /body { proxy_cache_methods POST; proxy_pass http://127.0.0.1:8000;
			    proxy_cache_key \$request_method|\$request_body; }
			location /small { proxy_cache_methods POST; proxy_pass http://127.0.0.1:8000;
			    client_body_buffer_size 4; proxy_cache_key \$request_body; }
			location /user { proxy_pass http://127.0.0.1:8000;
			    proxy_cache_key \$uri|\$cookie_user|\$geoip_city; }
			location /private { proxy_no_cache 1; proxy_pass http://127.0.0.1:8000; }
		}
		server { listen 81; server_name b.test; location / { proxy_pass http://127.0.0.1:8000; } }
	END
}

# explained URL...: the document is in $output
explained() {
	ok explain --json -c "$CONF" "$@"
}

@test "explain: JSON has the fields of the manual, in order" {
	a_site
	explained http://a.test/there
	shape d schema:int command:str url:str method:str server_name:str location:str parents:list \
	    steps:list zone:str template:str key:str unknown:list pattern:str md5:str \
	    file:str present:bool variants:null cacheable:bool reasons:list reason:null
	json_is '[d["schema"], d["command"], d["method"], d["zone"], d["key"], d["present"]]' \
	    '[1, "explain", "GET", "pages", "httpGETa.test/there", true]'
}

@test "explain: a server may have the name of the machine, where nginx runs on it" {
	conf <<-END
		proxy_cache_path $C levels=1:2 keys_zone=pages:1m;
		server { listen 80; server_name a.test; }
		server {
			listen 80;
			server_name \$hostname;
			location / { proxy_pass http://127.0.0.1:8000; proxy_cache pages; proxy_cache_key \$server_name; }
		}
	END
	mkdir -p "$C"
	explained "http://$(uname -n)/"
	json_is 'd["key"]' "$(uname -n | tr '[:upper:]' '[:lower:]')"
	ok explain --json -R "$T" -c /nginx.conf "http://$(uname -n)/"
	json_is '[d["key"], d["server_name"]]' '[null, "a.test"]'
}

@test "explain: the file is where the entry lies" {
	a_site
	explained http://a.test/there
	json_is '[d["file"]]' "[\"$C/$(files "$C")\"]"
	explained http://a.test/not-there
	json_is '[d["present"], d["reason"]]' '[false, null]'
}

@test "explain: a request has the method, the headers and the body that are given" {
	a_site
	explained -X HEAD -H 'X-Lang: de' http://a.test/x
	json_is 'd["key"]' 'httpHEADa.test/xde'
	printf 'a=1' >"$T/body"
	explained -X POST --data "$T/body" http://a.test/body
	json_is 'd["key"]' 'POST|a=1'
	explained -X POST http://a.test/x
	json_is '[d["key"], d["reason"], d["cacheable"]]' '[null, "uncached", false]'
}

@test "explain: headers with an underscore count where the server takes them" {
	for takes in 'underscores_in_headers on' 'ignore_invalid_headers off' 'underscores_in_headers off'; do
		conf <<-END
			proxy_cache_path $C levels=1:2 keys_zone=pages:1m;
			server { listen 80; server_name first.test; }
			server {
				listen 80;
				server_name a.test;
				$takes;
				location / { proxy_pass http://127.0.0.1:8000; proxy_cache pages; proxy_cache_key "k\$http_x_y"; }
			}
		END
		mkdir -p "$C"
		explained -H 'X_Y: 1' http://a.test/
		[ "$takes" = 'underscores_in_headers off' ] && want=k || want=k1
		json_is 'd["key"]' "$want"
	done
}

@test "explain: what no request settles is unknown, and the selector takes all of it" {
	a_site
	explained -H 'Cookie: user=7' http://a.test/user
	json_is '[d["key"], d["unknown"]]' '[null, ["geoip_city"]]'
	json_is 'bool(__import__("re").match(d["pattern"].replace(chr(92) + "z", "$"), "/user|7|Rome"))' true
}

@test "explain: an ambiguous part is told" {
	a_site
	explained http://a.test/x
	json_is '[d["ambiguous"], d["key"]]' '[true, "httpGETa.test/x"]'
}

@test "explain: no cache, and no listener" {
	a_site
	explained http://b.test:81/
	json_is '[d["zone"], d["key"], d["file"], d["reason"]]' '[null, null, null, "uncached"]'
	explained http://a.test:82/
	json_is '[d["server_name"], d["location"], d["reason"]]' '[null, null, "no_listener"]'
}

@test "explain: why a response may not be stored" {
	a_site
	explained http://a.test/private
	json_is '[d["cacheable"], "proxy_no_cache" in d["reasons"][0]]' '[false, true]'
}

@test "explain: the text ends in the file" {
	a_site
	ok explain -c "$CONF" http://a.test/there
	[[ $output == *"location / ($CONF:"*"key        httpGETa.test/there"*"$C/"* ]]
	[[ $output == *'$http_x_lang = '* ]]
}

@test "explain: what is no request is refused" {
	a_site
	refused 'expected one URL' explain -c "$CONF"
	refused 'expected one URL' explain -c "$CONF" http://a.test/ http://a.test/
	refused 'neither a URL' explain -c "$CONF" a.test
	refused 'no host' explain -c "$CONF" /x
	refused 'NAME: VALUE' explain -c "$CONF" -H nonsense http://a.test/
	refused 'No such file' explain -c "$CONF" --data "$T/none" http://a.test/
	refused 'no configuration' explain -d "$C" http://a.test/
}

@test "explain: a Host header stands for the URL's host, as with curl" {
	a_site
	explained -H 'Host: A.test.:80' http://127.0.0.1/x
	json_is '[d["server_name"], d["key"]]' '["a.test", "httpGETa.test/x"]'
}

@test "explain: a body that does not fit into nginx's buffer is empty in the key" {
	a_site
	head -c 16383 /dev/zero | tr '\0' a >"$T/fits"
	head -c 20480 /dev/zero | tr '\0' a >"$T/large"
	head -c 17000 /dev/zero | tr '\0' a >"$T/perhaps"
	explained -X POST --data "$T/fits" http://a.test/body
	json_is 'len(d["key"])' 16388
	explained -X POST --data "$T/large" http://a.test/body
	json_is 'd["key"]' 'POST|'
	explained -X POST --data "$T/perhaps" http://a.test/body
	json_is '[d["key"], d["unknown"]]' '[null, ["request_body"]]'
	echo 'fits behind the header' >"$T/behind"
	explained -X POST --data "$T/behind" http://a.test/small
	json_is '[d["key"], d["unknown"]]' '[null, ["request_body"]]'
}

@test "explain: a server listens on each port of a range" {
	conf <<-END
		proxy_cache_path $C levels=1:2 keys_zone=pages:1m;
		server {
			listen 127.0.0.1:9001-9003;
			listen 9101-9102;
			server_name a.test;
			location / {
				proxy_pass http://127.0.0.1:8000;
				proxy_cache pages;
				proxy_cache_key \$server_port\$uri;
			}
		}
	END
	for port in 9001 9003 9102; do
		explained "http://a.test:$port/x"
		json_is 'd["key"]' "$port/x"
	done
	explained http://a.test:9004/x
	json_is 'd["reason"]' no_listener
	ok zones --json --no-usage -c "$CONF"
	json_is 'd["zones"][0]["uses"][0]["listen"]' '["127.0.0.1:9001-9003", "9101-9102"]'
}

@test "explain: an address in the URL chooses the socket that listens on it" {
	conf <<-END
		proxy_cache_path $C levels=1:2 keys_zone=pages:1m;
		proxy_cache pages;
		proxy_cache_key \$server_name\$uri;
		server { listen 9001; server_name any; location / { proxy_pass http://127.0.0.1:1; } }
		server { listen 127.0.0.1:9001; server_name lo; location / { proxy_pass http://127.0.0.1:1; } }
	END
	explained http://127.0.0.1:9001/x
	json_is 'd["key"]' lo/x
	explained http://127.0.0.2:9001/x
	json_is 'd["key"]' any/x
}

# a_relative_root: the key shows where nginx looks for files
a_relative_root() {
	conf <<-END
		proxy_cache_path $C levels=1:2 keys_zone=pages:1m;
		server {
			listen 80;
			server_name a.test;
			proxy_cache pages;
			proxy_cache_key "\$document_root|\$uri";
			location / { proxy_pass http://127.0.0.1:8000; }
			location /given { root /srv; proxy_pass http://127.0.0.1:8000; }
		}
	END
	mkdir "$T/bin"
	printf '#!/bin/sh\necho asked >>%s/asked\necho "configure arguments: --prefix=/opt/n" >&2\n' "$T" \
	    >"$T/bin/nginx"
	chmod +x "$T/bin/nginx"
	PATH=$T/bin:$PATH
}

@test "explain: without a root, files lie below the prefix that nginx was built with" {
	a_relative_root
	explained http://a.test/q
	json_is 'd["key"]' '/opt/n/html|/q'
	[ "$(cat "$T/asked")" = asked ]
}

@test "explain: nginx is not asked for its prefix where -p gives it, or no path needs it" {
	a_relative_root
	explained -p /given/ http://a.test/q
	json_is 'd["key"]' '/given/html|/q'
	explained http://a.test/given
	json_is 'd["key"]' '/srv|/given'
	[ ! -e "$T/asked" ]
}

@test "explain: without a prefix, where files lie is unknown" {
	a_relative_root
	printf '#!/bin/sh\nexit 1\n' >"$T/bin/nginx"
	explained http://a.test/q
	json_is '[d["key"], d["unknown"]]' '[null, ["document_root"]]'
}
