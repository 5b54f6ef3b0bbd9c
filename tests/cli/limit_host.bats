#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# --limit-host is a border: one site's user may call the program as root with it, and chooses
# every other argument's contents, and what keys and files hold.

load cli

# Two sites, a.test and b.test, in one zone under a key template.
sites() {
	conf <<-END
		proxy_cache_path $C levels=1:2 keys_zone=pages:1m;
		proxy_cache pages;
		proxy_cache_key $1;
		server {
			listen 80;
			server_name a.test www.a.test;
			location / { proxy_pass http://127.0.0.1:9; }
		}
		server {
			listen 80;
			server_name b.test;
			location / { proxy_pass http://127.0.0.1:9; }
		}
	END
}

# leaves LEFT ARGUMENT...: a purge of a.test, whatever else is asked, leaves these keys
leaves() {
	local left=$1

	shift
	run --separate-stderr ngxcache purge --json -c "$CONF" --limit-host a.test "$@"
	[ "$status" -eq 0 ] || equal "$status" 0 "status of ${*@Q}: $stderr"
	ok list --json -d "$C"
	keys "$left"
}

setup_entries() {
	sites '$host$request_uri'
	rm -rf "$C"
	mkcache -o "$C" --valid 4000000000 --header 'Cache-Tag: t' a.test/1 b.test/1 b.test/a.test/1 'b.test/?r=a.test' xa.test/1 a.test.b/1
}

OTHERS='a.test.b/1 b.test/1 b.test/?r=a.test b.test/a.test/1 xa.test/1'

@test "--limit-host: no selector takes more than the host's own entries" {
	for what in --all '--glob *' '--regex .' '--tag t' 'http://*' '/1' 'http://a.test/1 http://b.test/1' \
	    '--key b.test/1 --key a.test/1' 'http://b.test/* http://a.test/*' '--host b.test --host a.test --all' \
	    '--recursive --any-query --any-host http://a.test/ http://b.test/' '--thorough http://b.test/1 http://a.test/1'; do
		setup_entries
		set -f
		# shellcheck disable=SC2086
		leaves "$OTHERS" $what
		set +f
	done
}

@test "--limit-host: no mode writes to another host's entry" {
	for mode in invalidate expire remove; do
		setup_entries
		before=$(find "$C" -type f -exec sha256sum {} + | sort)
		run -0 --separate-stderr ngxcache purge --json -c "$CONF" --mode "$mode" --limit-host a.test --all
		json_is 'd["purged"]' 1
		after=$(find "$C" -type f -exec sha256sum {} + | sort)
		equal "$(comm -13 <(echo "$before") <(echo "$after") | wc -l)" "$([ "$mode" = remove ] && echo 0 || echo 1)" \
		    "files that changed in $mode"
		equal "$(comm -12 <(echo "$before") <(echo "$after") | wc -l)" 5 "files that did not"
	done
}

@test "--limit-host: the names of files are no way around it" {
	setup_entries
	mapfile -t files < <(find "$C" -type f)
	args=()
	for file in "${files[@]}"; do
		args+=(--file "$file")
	done
	leaves "$OTHERS" "${args[@]}"
	run -0 --separate-stderr ngxcache purge --json --limit-host a.test "${args[@]}"
	json_is 'd["purged"]' 0
	leaves "$OTHERS" --all
}

@test "--limit-host: a list of URLs of strangers' making is held to it" {
	setup_entries
	printf '%s\n' http://b.test/1 'http://b.test/*' /1 'http://*' http://a.test/1 >"$T/urls"
	leaves "$OTHERS" --from "$T/urls"
	setup_entries
	printf '["http://*", "/*", "http://b.test/1"]' >"$T/urls"
	leaves "$OTHERS" --from "$T/urls"
}

@test "--limit-host: several hosts are each allowed, and a star takes subdomains alone" {
	sites '$host$request_uri'
	mkcache -o "$C" a.test/1 www.a.test/1 m.a.test/1 b.test/1 xa.test/1
	ok list --json -c "$CONF" --limit-host a.test --limit-host b.test
	keys 'a.test/1 b.test/1'
	ok list --json -c "$CONF" --limit-host '*.a.test'
	keys 'm.a.test/1 www.a.test/1'
	ok list --json -c "$CONF" --limit-host '*'
	keys ''
	refused 'expected a name' list -c "$CONF" --limit-host ''
}

@test "--limit-host: a cookie that spells a host and a slash makes nobody's entry another's" {
	sites '$cookie_lang$host$request_uri'
	# The first is b.test's page /1 for a client that sent lang=a.test/; the second, /b.test/1 of a.test.
	mkcache -o "$C" a.test/b.test/1 b.test/1
	leaves 'a.test/b.test/1 b.test/1' --all
	leaves 'a.test/b.test/1 b.test/1' http://a.test/b.test/1
	leaves 'a.test/b.test/1 b.test/1' --key a.test/b.test/1
	leaves 'a.test/b.test/1 b.test/1' --loose http://b.test/1
}

@test "--limit-host: arguments and paths before the host make nobody's entry another's" {
	for template in '$args$host$uri' '$uri$host' '$arg_x$host$uri' '$http_x_y$host$uri'; do
		sites "$template"
		rm -rf "$C"
		mkcache -o "$C" a.test/b.test/1 /b.test/a.test /xa.test
		leaves '/b.test/a.test /xa.test a.test/b.test/1' --all
	done
}

@test "--limit-host: a host with a user, a port or odd letters is read as nginx reads it" {
	sites '$scheme://$http_host$request_uri'
	mkcache -o "$C" http://a.test/1 http://a.test:8080/1 http://A.test/1 http://a.test@b.test/1 \
	    http://b.test:a.test/1 'http://b.test?a.test/1' http://a.test.:80/1
	ok purge --json -n --list -c "$CONF" --limit-host a.test --all
	json_is '" ".join(sorted(e["key"] for e in d["entries"]))' \
	    'http://A.test/1 http://a.test/1 http://a.test:8080/1'
}

@test "--limit-host: damaged files have no host and stay" {
	setup_entries
	file=$(mkcache -v -o "$C" a.test/2)
	truncate -s 50 "$file"
	run -0 --separate-stderr ngxcache purge --json -c "$CONF" --limit-host a.test --all
	json_is 'd["purged"]' 1
	run -0 --separate-stderr ngxcache purge --json -c "$CONF" --limit-host a.test --file "$file"
	json_is 'd["purged"]' 0
	[ -e "$file" ]
}

@test "--limit-host: variants belong to the host of their key" {
	sites '$host$request_uri'
	for host in a.test b.test; do
		mkcache -o "$C" --vary X-A "$host/1"
		mkcache -o "$C" --vary X-A --variant-headers 'X-A: a.test' "$host/1"
	done
	run -0 --separate-stderr ngxcache purge --json -c "$CONF" --limit-host a.test --variants-only
	json_is 'd["purged"]' 1
	leaves 'b.test/1 b.test/1' http://a.test/1 http://b.test/1
}

@test "--limit-host alone is a filter like others: it purges the host's entries and no more" {
	setup_entries
	leaves "$OTHERS"
}

@test "--limit-host: keys of a zone that is not of the configuration's making have no host" {
	mkcache -o "$C" a.test/1 httpGETa.test/1 a.test/b.test/1
	ok purge --json -n -d "$C,key=\$cookie_x\$host\$request_uri" --limit-host a.test --all
	json_is 'd["purged"]' 0
}

# sharing KEY A B [HTTP]: a.test with the directives A and b.test with B, under one key
sharing() {
	conf <<-END
		proxy_cache_path $C levels=1:2 keys_zone=pages:1m;
		proxy_cache pages;
		proxy_cache_key $1;
		${4-}
		server {
			server_name a.test;
			$2
			location / { proxy_pass http://127.0.0.1:9; }
		}
		server {
			server_name b.test;
			$3
			location / { proxy_pass http://127.0.0.1:9; }
		}
	END
}

# takes N [HOST]: so many of the entries are the host's, or else a.test's
takes() {
	ok purge --json -n -c "$CONF" --limit-host "${2-a.test}" --all
	json_is 'd["purged"]' "$1"
}

# A client of b.test chooses what stands before the host, so the entry may be b.test's.
@test "--limit-host: a set variable that something else writes to may hold anything" {
	mkcache -o "$C" a.test/b.test/t/a.test/
	for writer in 'location ~ ^/t/(?<x>.+)$ { proxy_pass http://127.0.0.1:9; }' \
	    'rewrite ^/t/(?P<X>.+)$ /t;' "if (\$http_x ~ \"^(?'x'.*)\") { break; }" \
	    'location /p { auth_request /auth; auth_request_set $x $upstream_http_x; }' \
	    'set_unescape_uri $x $cookie_x;' 'eval $x { proxy_pass http://127.0.0.1:9; }' \
	    'keyval $cookie_x $x zone=z;' 'array_join / $list to=$x;' \
	    'rewrite_by_lua_block { ngx.var.x = ngx.var.cookie_x }' 'js_content main.x;'; do
		sharing '$x$host$request_uri' 'set $x "";' "set \$x \"\"; $writer"
		takes 0
	done
	for writer in 'js_set $x main.x;' 'perl_set $x main::x;' 'js_var $x;' 'auth_jwt_claim_set $x sub;' \
	    'map $http_x $y { "~^(?<x>.*)$" 1; }' 'map $http_x $x { default $http_x; }'; do
		sharing '$x$host$request_uri' 'set $x "";' 'set $x "";' "$writer"
		takes 0
	done
}

@test "--limit-host: a map's variable that something else writes to may hold anything" {
	mkcache -o "$C" a.test/b.test/1
	for writer in 'if ($cookie_dev) { set $dev $cookie_dev; }' 'rewrite ^/(?<dev>.*)$ /;' 'set_misc $dev x;'; do
		sharing '$dev$host$request_uri' '' "$writer" 'map $http_user_agent $dev { default ""; }'
		takes 0
	done
}

@test "--limit-host: a set that something before it may skip leaves its variable empty" {
	# Of b.test with a cookie x=b.test/, or c.test's where b.test is the server of last resort.
	mkcache -o "$C" b.test/c.test/y
	for before in 'rewrite ^/q /y break;' 'rewrite ^/q /y last;' 'break;' 'if ($http_x) { break; }' \
	    'if ($http_x) { return 404; } error_page 404 @x; location @x { proxy_pass http://127.0.0.1:9; }'; do
		sharing '$host$request_uri' '' "$before set \$s v1:; proxy_cache_key \$s\$cookie_x\$host\$uri;"
		takes 0 b.test
	done
}

@test "--limit-host: variables that only set, or only one map, gives values to are gone through" {
	sharing '$x$dev$host$request_uri' 'set $x ""; if ($cookie_l) { set $x /m/; }' 'set $x "";' \
	    'map $http_user_agent $dev { default ""; mobile /t/; }
	     limit_req_zone $x zone=r:1m; log_format l "$x"; proxy_cache_bypass $x $dev;'
	mkcache -o "$C" a.test/1 /m/a.test/1 /t/a.test/1 /m//t/a.test/1 b.test/1 /t/b.test/a.test/1
	leaves '/t/b.test/a.test/1 b.test/1' --all
}

# own KEY SERVER_NAMES [LINES]: one server that alone stores into the zone
own() {
	conf <<-END
		proxy_cache_path $C levels=1:2 keys_zone=pages:1m;
		map \$host \$site { default d; a.test s1; b.test s2; }
		server {
			listen 80;
			server_name $2;
			proxy_cache pages;
			proxy_cache_key "$1";
			${3-}
			location / { proxy_pass http://127.0.0.1:9; }
		}
	END
}

# nobodys KEYS: none of them has a host that is certain, so they are nobody's
nobodys() {
	rm -rf "$C"
	# shellcheck disable=SC2086
	mkcache -o "$C" $1
	for host in a.test b.test x.test; do
		ok purge --json -n -c "$CONF" --limit-host "$host" --all
		json_is 'd["purged"]' 0
		ok list --json -c "$CONF" "http://$host/*"
		keys ''
	done
	ok list --json -c "$CONF"
	json_is '[x["url"] for x in lines if x["url"]]' '[]'
}

@test "--limit-host: a key that depends on the host without holding it is nobody's" {
	own '$site$request_uri' 'a.test b.test'
	nobodys 's1/1 s2/2'
	own '$t$request_uri' '~^(?<t>\w+)[.]m[.]test$ x.test'
	nobodys 'a/1 /3'
	own '$s$request_uri' 'a.test b.test' 'set $s ""; if ($host = b.test) { set $s B; }'
	nobodys '/1 B/2'
	own '$s$request_uri' 'a.test b.test' 'set $s ""; if ($http_host ~ ^(\w+)[.]test) { set $s $1; }'
	nobodys 'b/2'
	own '$request_uri' 'a.test b.test' 'if ($host = b.test) { rewrite ^ /b$uri; }'
	nobodys '/1 /b/1'
	own '$geoip_city$request_uri' 'a.test b.test'
	nobodys '/1'
}

@test "--host: a condition that sends away, and variables that are not the host's, hide nothing" {
	own '$dev$request_uri' 'a.test b.test' 'if ($host != a.test) { return 301 http://a.test$request_uri; }
		set $dev ""; if ($http_user_agent ~ mobile) { set $dev m; }'
	mkcache -o "$C" /1 m/2
	ok purge --json -n -c "$CONF" --host a.test --all
	json_is 'd["purged"]' 2
	takes 0
	ok purge --json -n -c "$CONF" --limit-host a.test --limit-host b.test --all
	json_is 'd["purged"]' 2
}

@test "--host: where templates tell the servers apart, each has its own entries, but no border" {
	conf <<-END
		proxy_cache_path $C levels=1:2 keys_zone=pages:1m;
		proxy_cache pages;
		upstream blog { server 127.0.0.1:9; }
		upstream shop { server 127.0.0.1:9; }
		server { listen 80; server_name a.test; location / { proxy_pass http://blog; } }
		server { listen 80; server_name b.test; location / { proxy_pass http://shop; } }
		server { listen 80; server_name c.test; proxy_cache_key "c:\$request_uri";
			location / { proxy_pass http://shop; } }
	END
	mkcache -o "$C" http://blog/1 http://shop/2 c:/3
	ok list --json -c "$CONF" --sort key
	json_is '[x["url"] for x in lines]' '["http://c.test/3", "http://a.test/1", "http://b.test/2"]'
	ok list --json -c "$CONF" --host b.test
	keys http://shop/2
	leaves 'c:/3 http://blog/1 http://shop/2' --all
}

@test "--limit-host: a guess at the template of keys is not certain enough" {
	mkcache -o "$C" httpGETa.test/b.test/1
	ok purge --json -n -d "$C" --limit-host a.test --all
	json_is 'd["purged"]' 0
	ok purge --json -n --limit-host a.test --file "$(find "$C" -type f)"
	json_is 'd["purged"]' 0
	ok purge --json -n -d "$C,key=\$scheme\$request_method\$host\$request_uri" --limit-host a.test --all
	json_is 'd["purged"]' 1
}

# apart KEY_A KEY_B [LINES [LISTEN [HTTP [NAME_B [NAME_A]]]]]: a.test stores under one template
# and b.test, with these lines, under another
apart() {
	conf <<-END
		proxy_cache_path $C levels=1:2 keys_zone=pages:1m;
		proxy_cache pages;
		${5-}
		server {
			listen 80;
			server_name ${7-a.test};
			proxy_cache_key "$1";
			location / { proxy_pass http://127.0.0.1:9; }
		}
		server {
			listen ${4-80};
			server_name ${6-b.test};
			proxy_cache_key "$2";
			location / { ${3-} proxy_pass http://127.0.0.1:9; }
		}
	END
}

# not_its KEY: b.test's entry, though a.test's template could give that key, too
not_its() {
	rm -rf "$C"
	mkcache -o "$C" "$1"
	ok purge --json -n -c "$CONF" --limit-host a.test --all
	json_is 'd["purged"]' 0
}

@test "--limit-host: a key that is too hard to take apart is nobody's" {
	apart '$host$request_uri' '$cookie_b|$arg_x|$request_method|$host$uri'
	not_its "a.test/$(printf '|%.0s' {1..250})&|x|GET|b.test/u"
}

@test "--limit-host: a template of very many parts does not hide the host in it" {
	apart '$host$request_uri' "$(printf '$cookie_a%d-' {1..13})\$host\$uri"
	not_its 'a.test/x-------------b.test/u'
	apart '$host$request_uri' "$(printf '$cookie_a%d-' {1..70})\$host\$uri"
	not_its "a.test/x$(printf -- '-%.0s' {1..70})b.test/u"
}

@test "--limit-host: parts that are empty for some requests are no border within a key" {
	for part in '$server_port' '$slice_range'; do
		apart '$host$uri' "\$cookie_a|$part|\$host\$uri" '' "unix:$T/s"
		not_its 'a.test/||b.test/1'
	done
}

@test "--limit-host: arguments that are set may hold anything" {
	apart '$host$uri' '$args|$host$uri' 'set $args $cookie_l;'
	not_its 'a.test/ x|b.test/ar'
}

@test "--limit-host: a URI that a rewrite takes the slash from is no border within a key" {
	apart '$host$uri' '$cookie_a|$host|$uri' 'rewrite ^/q(.*) $1 break;'
	not_its 'a.test/|b.test|x'
}

@test "--limit-host: a blank in a request line, which old nginx took, is no border within a key" {
	apart '$host$request_uri' '$cookie_a|$host$request_uri'
	not_its 'a.test/|b.test/x y'
}

@test "--limit-host: a target without a path is no border within a key" {
	apart '$host$request_uri' '$cookie_x|$host$request_uri'
	not_its 'a.test/|b.test?X'
	sites '$cookie_x|$host$request_uri'
	not_its '|b.test?X|a.test/u'
}

@test "--limit-host: a host that is empty is no border within a key" {
	sites '$cookie_x|$http_host$request_uri'
	not_its '|/u|a.test/z'
	apart '$host$uri' '$cookie_x|$host|$uri' '' 80 '' '""'
	not_its 'a.test/||/u'
}

@test "--limit-host: a host ends at its first colon or with its bracket" {
	sites '$scheme://$http_host$request_uri'
	mkcache -o "$C" 'http://b.test:80.a.test/1' 'http://[::1].a.test/1' http://x.a.test:80/1
	takes 1 '*.a.test'
}

@test "--limit-host: whatever leaves a URI without a slash makes it no border within a key" {
	for extra in 'try_files $uri index.php;' 'rewrite ^(/q)(.*) $2 break;' 'rewrite ^/q(.*) httpx$1 break;'; do
		apart '$host$uri' '$cookie_a|$host|$uri' "$extra"
		not_its 'a.test/|b.test|index.php'
	done
}

@test "--limit-host: a subrequest has any method of its main request, and no slice" {
	apart '$host$uri' '$cookie_b|$request_method|$host$uri' 'auth_request /auth;'
	not_its 'a.test/|FOO|b.test/'
	apart '$host$uri' '$cookie_b|$slice_range|$host$uri' 'slice 1k; auth_request /auth;'
	not_its 'a.test/||b.test/'
}

@test "--limit-host: a set of the server is skipped by what does not parse and has a named location" {
	sharing '$host$request_uri' '' 'error_page 400 = @x; set $s v1:; proxy_cache_key $s$cookie_x$host$uri;
		location @x { proxy_pass http://127.0.0.1:9; }'
	mkcache -o "$C" a.test/b.test/y
	takes 0
}

@test "a key that holds a blank has no URL: none leads to it" {
	mkcache -o "$C" 'httpGETa.test/x y' httpGETa.test/x
	ok list --json -d "$C" --sort key
	json_is '[x["url"] for x in lines]' '["http://a.test/x", null]'
}

@test "--limit-host: of a server with several names no name has keys without host" {
	mkcache -o "$C" /1 a/1 '/a.test/1' '/1?site=a.test' be1/1 'h=a.test&q/1' a.test/1
	for extra in '' 'rewrite ^ /$host$uri break;' 'error_page 404 = /e/$host;' 'set $args "h=$host&$args";' \
	    'if ($host = b.test) { return 418; } error_page 418 = @b;' 'server_name ~^(?<t>.)b[.]test$;'; do
		for key in '$uri' '$uri$is_args$args' '$request_uri' '$proxy_host$request_uri' '$server_name$request_uri' \
		    '$geoip_city$request_uri'; do
			own "$key" 'a.test b.test' "$extra"
			takes 0
			takes 0 b.test
		done
	done
	own '$request_uri' 'a.test b.test'
	ok purge --json -n -c "$CONF" --limit-host a.test --limit-host B.test --all
	json_is 'd["purged"]' 7
	for names in 'a.test www.a.test' 'a.test ""' 'a.test *.a.test' 'a.test ~.' 'a.test .a.test' 'a.test a.*' '""' '_' \
	    '$hostname a.test' '.a.test'; do
		own '$request_uri' "$names"
		takes 0
	done
	own '$request_uri' '*.a.test x.a.test'
	takes 7 '*.a.test'
}

@test "--limit-host: a name that an earlier server has already makes the later one nobody's" {
	conf <<-END
		proxy_cache_path $C levels=1:2 keys_zone=pages:1m;
		server { listen 80; server_name a.test; location / { proxy_pass http://127.0.0.1:9; } }
		server {
			listen 80;
			server_name b.test a.test;
			location / { proxy_cache pages; proxy_cache_key \$request_uri; proxy_pass http://127.0.0.1:9; }
		}
	END
	mkcache -o "$C" /1
	takes 0
	sed -i "s/.request_uri/\$server_name&/; s/b.test a.test/a.test b.test/" "$CONF"
	mkcache -o "$C" a.test/1
	takes 0
}

@test "--limit-host: all zones of a directory count, by whatever path and whether asked for or not" {
	ln -s "$C" "$T/link"
	mkcache -o "$C" /1 a.test/b.test/1
	for other in "$T/link" "$C/." "$T/../${T##*/}/cache"; do
		for key in '$request_uri' '$cookie_x$host$request_uri'; do
			conf <<-END
				proxy_cache_path $C levels=1:2 keys_zone=za:1m;
				proxy_cache_path $other levels=1:2 keys_zone=zb:1m;
				server { server_name a.test; location / { proxy_pass http://127.0.0.1:9;
					proxy_cache za; proxy_cache_key \$request_uri; } }
				server { server_name b.test; location / { proxy_pass http://127.0.0.1:9;
					proxy_cache zb; proxy_cache_key $key; } }
			END
			for zone in '' '-z za'; do
				# shellcheck disable=SC2086
				ok purge --json -n -c "$CONF" $zone --limit-host a.test --all
				json_is 'd["purged"]' 0
			done
		done
	done
}

@test "--limit-host: whom a variable's zone may be stores in every zone" {
	mkcache -o "$C" /2 a.test/2
	for extra in 'set $zone zb; proxy_cache $zone;' 'set $zone za; if ($uri ~ "^/(?<zone>zb)/") { } proxy_cache $zone;'; do
		for key in '$request_uri' '$host$request_uri'; do
			conf <<-END
				proxy_cache_path $T/za levels=1:2 keys_zone=za:1m;
				proxy_cache_path $C levels=1:2 keys_zone=zb:1m;
				map \$http_x \$zone { default za; }
				server { server_name a.test; location / { proxy_pass http://127.0.0.1:9;
					proxy_cache zb; proxy_cache_key $key; } }
				server { server_name b.test; $extra location / { proxy_pass http://127.0.0.1:9;
					proxy_cache_key \$cookie_x\$request_uri; } }
			END
			ok purge --json -n -c "$CONF" -z zb --limit-host a.test --all
			json_is 'd["purged"]' 0
		done
	done
}

@test "--limit-host: a server for each port is one site, and needs no host in its keys" {
	conf <<-END
		proxy_cache_path $C levels=1:2 keys_zone=pages:1m;
		proxy_cache pages;
		proxy_cache_key \$scheme\$proxy_host\$request_uri;
		server { listen 80; server_name a.test; location / { fastcgi_pass 127.0.0.1:9; proxy_pass http://127.0.0.1:9; } }
		server { listen 443 ssl; server_name A.test; location / { proxy_pass http://127.0.0.1:9; } }
	END
	mkcache -o "$C" http127.0.0.1:9/1 https127.0.0.1:9/1 x
	takes 3
}

@test "--limit-host: what geo and split_clients give is taken as it stands" {
	for block in 'geo $dollar { default "$"; }' 'split_clients x $dollar { * "$"; }'; do
		apart '$host$request_uri' '${dollar}$cookie_x$host$request_uri' '' 80 "$block"
		not_its '$a.test/b.test/1'
		apart '${dollar}$host$request_uri' '${dollar}$cookie_x$host$request_uri' '' 80 "$block"
		not_its '$a.test/b.test/1'
	done
}

@test "--limit-host: \$server_name is what nginx makes of the first name" {
	apart '$host$uri' '$cookie_x|$server_name|$uri' '' 80 '' '""'
	not_its 'a.test/||/u'
	apart '$host$uri' '$cookie_x|$server_name|$uri' '' 80 '' '"~^(?P<Sub>.+)[.]b[.]test$"'
	not_its 'a.test/|~^(?P<Sub>.+)[.]b[.]test$|/u'
	rm -rf "$C"
	apart '$server_name$uri' '$cookie_x|$server_name|$uri' '' 80 '' b.test A.Test
	mkcache -o "$C" a.test/1
	takes 1
}

@test "--limit-host: \$proxy_host is empty where another module answers" {
	conf <<-END
		fastcgi_cache_path $C levels=1:2 keys_zone=zb:1m;
		server { server_name a.test; location / { fastcgi_cache zb; fastcgi_cache_key \$host\$uri; fastcgi_pass 127.0.0.1:9; } }
		server { server_name b.test; location / { fastcgi_cache zb;
			fastcgi_cache_key \$cookie_x|\$proxy_host|\$host\$uri; fastcgi_pass 127.0.0.1:9; } }
	END
	mkcache -o "$C" 'a.test/||b.test/1'
	takes 0
}

@test "--limit-host: servers of a directory that may not be looked into could be anybody's" {
	need_root
	mkdir "$T/sites"
	chmod 755 "$BATS_TEST_TMPDIR"
	cp "$O/ngxcache" "$T/ngxcache"
	echo 'server { server_name b.test; location / { proxy_pass http://127.0.0.1:9; } }' >"$T/sites/b.conf"
	for pattern in "sites/*.conf" "*/b.conf"; do
		conf <<-END
			proxy_cache_path $C levels=1:2 keys_zone=pages:1m;
			proxy_cache pages;
			proxy_cache_key \$request_uri;
			server { server_name a.test; location / { proxy_pass http://127.0.0.1:9; } }
			include $T/$pattern;
		END
		mkcache -o "$C" /1
		chown -R www-data "$C"
		chmod 700 "$T/sites"
		run -2 --separate-stderr setpriv --reuid=www-data --clear-groups \
		    "$T/ngxcache" purge -n -c "$CONF" --limit-host a.test --all
		[[ $stderr == "ngxcache: $CONF:7: include: $T/sites"*": Permission denied" ]] || equal "$stderr" ...
		chmod 755 "$T/sites"
		run -0 --separate-stderr setpriv --reuid=www-data --clear-groups \
		    "$T/ngxcache" purge --json -n -c "$CONF" --limit-host a.test --all
		json_is 'd["purged"]' 0
	done
}

@test "--limit-host: a zone is not named for certain by a variable, though one is called so" {
	conf <<-END
		proxy_cache_path $T/za levels=1:2 keys_zone=za:1m;
		proxy_cache_path $C levels=1:2 keys_zone=zb:1m;
		proxy_cache_path $T/zx levels=1:2 keys_zone=z\$x:1m;
		proxy_cache_key \$request_uri;
		server { server_name a.test; location / { proxy_pass http://127.0.0.1:9; proxy_cache zb; } }
		server { server_name b.test; set \$x b; location / { proxy_pass http://127.0.0.1:9; proxy_cache z\$x; } }
	END
	mkcache -o "$C" /b
	ok purge --json -n -c "$CONF" -z zb --limit-host a.test --all
	json_is 'd["purged"]' 0
}

@test "--limit-host: an include is read though a backslash stands in it" {
	mkdir "$T/inc.d"
	echo 'server { server_name b.test; location / { proxy_pass http://127.0.0.1:9; } }' >"$T/inc.d/b.conf"
	conf <<-END
		proxy_cache_path $C levels=1:2 keys_zone=pages:1m;
		proxy_cache pages;
		proxy_cache_key \$request_uri;
		server { server_name a.test; location / { proxy_pass http://127.0.0.1:9; } }
		include "$T/inc\\\\.d/*.conf";
	END
	mkcache -o "$C" /b
	takes 0
}

@test "--limit-host: a subrequest has the method of the main request, also by http's auth_request" {
	conf <<-END
		proxy_cache_path $C levels=1:2 keys_zone=pages:1m;
		proxy_cache pages;
		auth_request /auth;
		server { server_name intranet; location / { proxy_pass http://127.0.0.1:9; proxy_cache_key \$http_host\$uri; } }
		server { server_name b.test;
			location / { proxy_pass http://127.0.0.1:9; proxy_cache_key \$host\$uri; }
			location /auth { proxy_pass http://127.0.0.1:9; proxy_cache_key \$request_method\$uri; } }
	END
	mkcache -o "$C" INTRANET/auth
	takes 0 intranet
}

# beside KEY B [HTTP]: a.test stores under KEY, and b.test has these lines, in one directory
beside() {
	conf <<-END
		proxy_cache_path $C levels=1:2 keys_zone=pages:1m;
		proxy_cache pages;
		${3-}
		server {
			server_name a.test;
			proxy_cache_key "$1";
			location / { proxy_pass http://127.0.0.1:9; }
		}
		server {
			server_name b.test;
			$2
		}
	END
}

@test "--limit-host: a host behind what a client chooses is no proof, however it is set apart" {
	apart '$host$request_uri' '$cookie_x|$host$request_uri'
	mkcache -o "$C" a.test/1 'en|a.test/2' 'a.test/|b.test/1'
	takes 1
	apart '$http_x$host$request_uri' '$host$request_uri'
	takes 0
}

@test "--limit-host: what stands right behind the host must not go on in it" {
	mkcache -o "$C" a.test/1
	for template in '$host$cookie_x' '$host$is_args$args' '$host$server_port$uri' '$host$arg_x$uri'; do
		apart '$host$uri' "$template"
		takes 0
	done
	for template in '$host|$cookie_x' '$host:$server_port$uri' 'x-$scheme-$host$cookie_x' '$host$is_args/$args'; do
		apart '$host$uri' "$template"
		takes 1
	done
}

@test "--limit-host: a template whose text a key has not is not in its way" {
	mkcache -o "$C" a.test/1
	for template in '$cookie_x|$host$uri' 'b-$cookie_x' '$uri' '$request_uri|x' '$args--$uri'; do
		apart '$host$uri' "$template"
		takes 1
	done
}

@test "--limit-host: a default key whose URI stands in a variable is like any other's" {
	mkcache -o "$C" http://a.test/1
	for pass in 'location / { proxy_pass http://a.test$request_uri; }' \
	    'set $t http://a.test/; location / { proxy_pass $t; }' \
	    'location / { set $t http://a.test/x; proxy_pass $t; }' \
	    'location / { proxy_pass http://a.test?$args; }' \
	    'location / { set $u a; rewrite "^/b(.*)$" $1 break; proxy_pass http://$u; }' \
	    'location / { rewrite "^/b(.*)$" $1 break; proxy_pass http://a; }'; do
		beside '$scheme://$host$request_uri' "$pass" \
		    'upstream a.test { server 127.0.0.1:9; } upstream a { server 127.0.0.1:9; }'
		takes 0
	done
	beside '$scheme://$host$request_uri' 'location / { set $u blog; proxy_pass http://$u; }' \
	    'upstream blog { server 127.0.0.1:9; }'
	takes 1
}

@test "--limit-host: \$proxy_host and \$proxy_port may be defined anew" {
	mkcache -o "$C" a.test/1
	for line in 'map $uri $proxy_host { default a.test; }' 'geo $proxy_host { default a.test; }'; do
		beside '$host$request_uri' \
		    'location / { proxy_cache_key $proxy_host$request_uri; proxy_pass http://127.0.0.1:9; }' "$line"
		takes 0
	done
	beside '$host$request_uri' 'set $proxy_port a.test;
		location / { proxy_cache_key $proxy_port$request_uri; proxy_pass http://127.0.0.1:9; }'
	takes 0
}

@test "--limit-host: a URI that may have lost its slash is like any other text" {
	mkcache -o "$C" a.test/y
	for line in 'rewrite "^/b(/?)(.*)$" $1$2 break;' 'rewrite "^/b(/)?(.*)$" $1$2 break;' \
	    'rewrite "^/b(/|a.test)(.*)$" $1$2 break;' 'rewrite ^(/y)|/b $1;' 'set $uri_x a.test/y; try_files /none $uri_x;' \
	    'try_files index.php /none;' 'auth_request a.test/y;' 'mirror a.test/y;'; do
		beside '$host$uri' "location / { $line proxy_cache_key \$uri\$is_args; proxy_pass http://127.0.0.1:9; }"
		takes 0
	done
	for line in 'rewrite ^(/y)/b $1;' 'try_files $uri /y =404;' 'auth_request /y;' 'mirror /y;' 'auth_request off;'; do
		beside '$host$uri' "location / { $line proxy_cache_key \$uri\$is_args; proxy_pass http://127.0.0.1:9; }"
		takes 1
	done
}

@test "--limit-host: the name that \$host has without a Host header may hold a slash" {
	mkcache -o "$C" a.test/1
	conf <<-END
		proxy_cache_path $C levels=1:2 keys_zone=pages:1m;
		proxy_cache pages;
		proxy_cache_key \$host\$uri;
		server { server_name a.test/q; location / { proxy_pass http://127.0.0.1:9; } }
		server { server_name a.test; location / { proxy_pass http://127.0.0.1:9; } }
	END
	takes 0
}

@test "--limit-host: in limit_except the first module's pass answers, though another holds outside" {
	mkcache -o "$C" /1
	for handler in 'empty_gif;' 'fastcgi_pass 127.0.0.1:9;'; do
		beside '$request_uri' "location / { proxy_pass http://127.0.0.1:9; $handler
			limit_except GET { deny 192.0.2.1; } }"
		takes 0
		beside '$request_uri' "location / { proxy_pass http://127.0.0.1:9; $handler }"
		takes 1
	done
}

@test "--limit-host: a default key has no default port, however it is written" {
	mkcache -o "$C" http://a.test/1
	for pass in 'set $t a.test:80; location / { proxy_pass http://$t; }' \
	    'location / { set $t http://a.test:80; proxy_pass $t; }' 'location / { proxy_pass http://a.test:080; }'; do
		beside '$scheme://$host$request_uri' "$pass" 'upstream a.test { server 127.0.0.1:9; }'
		takes 0
	done
}

@test "--limit-host: an if takes the handler that another set, and the pass around it" {
	mkcache -o "$C" /1
	beside '$request_uri' 'location / { proxy_pass http://127.0.0.1:9; empty_gif;
		if ($args ~ x) { proxy_pass http://127.0.0.1:9; } if ($uri ~ b) { set $z 1; } }'
	takes 0
	beside '$request_uri' 'location / { proxy_pass http://127.0.0.1:9; empty_gif;
		if ($args ~ x) { return 403; } if ($uri ~ b) { set $z 1; } }'
	takes 1
}

@test "--limit-host: a host that the key tells is the entry's, though one server alone stores" {
	conf <<-END
		proxy_cache_path $C levels=1:2 keys_zone=pages:1m;
		server { server_name a.test; location / { proxy_pass http://127.0.0.1:9;
			proxy_cache pages; proxy_cache_key \$host\$request_uri; } }
	END
	mkcache -o "$C" a.test/1 b.test/1
	leaves b.test/1 --all
}

@test "--limit-host: a name with a dot in front is allowed with all its subdomains" {
	conf <<-END
		proxy_cache_path $C levels=1:2 keys_zone=pages:1m;
		server { server_name .a.test; location / { proxy_pass http://127.0.0.1:9;
			proxy_cache pages; proxy_cache_key \$request_uri; } }
	END
	mkcache -o "$C" /1
	takes 0
	takes 0 '*.a.test'
	ok purge --json -n -c "$CONF" --limit-host a.test --limit-host '*.a.test' --all
	json_is 'd["purged"]' 1
}

@test "--limit-host: nginx's own default key, written out, is in nobody's way" {
	mkcache -o "$C" httpGETa.test/1
	for template in '$scheme$proxy_host$request_uri' '$scheme$proxy_host$uri$is_args$args' '$request_method$request_uri'; do
		beside '$scheme$request_method$host$request_uri' "proxy_cache_key $template; location / { proxy_pass http://127.0.0.1:9; }"
		takes 1
	done
}

# nested: b.test's zone lies where a.test's has a level; a.test's user selects by URLs
nested() {
	conf <<-END
		proxy_cache_path $C levels=1 keys_zone=za:1m;
		proxy_cache_path $C/a keys_zone=zb:1m;
		proxy_cache_key \$request_uri;
		$(for i in {1..12}; do echo "proxy_cache_path $T/z$i keys_zone=z$i:1m;"; done)
		server { server_name a.test; location / { proxy_cache za; proxy_pass http://127.0.0.1:9; } }
		server { server_name b.test; location / { proxy_cache zb; proxy_pass http://127.0.0.1:9; } }
	END
	mkcache -o "$C" --levels 1 /own
	mkcache -o "$C/a" --levels none --count 40 --template '/b%d'
	mkdir "$T"/z{1..12}
}

@test "--limit-host: a zone that lies within another's levels is not looked into, by no selector" {
	nested
	ok purge --json -n -c "$CONF" --limit-host a.test http://a.test/b{1..40} --key /b{1..40} --thorough
	json_is 'd["matched"]' 0
	for file in "$C"/a/*a; do
		run --separate-stderr ngxcache purge --json -n -c "$CONF" -z za --limit-host a.test --file "$file"
		json_is 'd["matched"]' 0
	done
	ok purge --json -n -c "$CONF" --limit-host a.test --all
	json_is 'd["matched"]' 1
}

@test "--limit-host: where the roots of all zones cannot be looked for, nothing is touched" {
	nested
	for n in {8..24}; do
		run --separate-stderr bash -c 'ulimit -S -n "$1"; shift; exec "$@"' bash "$n" \
		    "$O/ngxcache" purge -n --list --limit-host a.test --all -c "$CONF"
		[[ $output != *"$C/a/"* ]] || equal "$output" "none of b.test's" "with $n descriptors"
	done
}
