#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# zones, and the configuration that every command reads.

load cli

ZONE=(name:str type:str path:str levels:str\|null keys_zone_size:int max_size:int\|null
	min_free:int\|null inactive:int use_temp_path:bool file:str line:int exists:bool
	entries:int\|null bytes:int\|null allocated:int\|null uses:list)
USE=(zone:str server_names:list listen:list location:str\|null parents:list protocol:str
	pass:str key:str\|null file:str line:int)

# field ZONE-INDEX FIELD...: as a Python expression
field() {
	local list

	printf -v list '"%s", ' "${@:2}"
	echo "[d['zones'][$1][k] for k in (${list%, },)]"
}

# a_site: two zones with entries, and uses of them
a_site() {
	mkcache -o "$T/pages" httpGETa.test/{1,2,3}
	mkcache -o "$T/php" --levels 2 --fastcgi httpGETb.test/1
	conf <<-END
		proxy_cache_path $T/pages levels=1:2 keys_zone=pages:10m max_size=2g;
		fastcgi_cache_path $T/php levels=2 keys_zone=php:512k;
		server {
			listen 80;
			server_name a.test;
			location / {
				proxy_pass http://127.0.0.1:8000;
				proxy_cache pages;
				proxy_cache_key \$scheme\$request_method\$host\$request_uri;
			}
		}
		server {
			listen 80;
			server_name b.test;
			location ~ \.php\$ {
				fastcgi_pass 127.0.0.1:9000;
				fastcgi_cache php;
				fastcgi_cache_key "\$scheme\$request_method\$host\$request_uri";
			}
		}
	END
}

@test "zones: JSON has the fields of the manual, in order" {
	a_site
	ok zones --json -c "$CONF"
	shape d schema:int command:str zones:list uses_unresolved:list
	json_is '[d["schema"], d["command"], len(d["zones"])]' '[1, "zones", 2]'
	for zone in 0 1; do
		shape "d['zones'][$zone]" "${ZONE[@]}"
		shape "d['zones'][$zone]['uses'][0]" "${USE[@]}"
	done
	equal "${#lines[@]}" 1
}

@test "zones: the parameters of a zone are told" {
	conf <<-END
		# a comment
		proxy_cache_path $T/one
		    levels=1:2 keys_zone=one:10m max_size=2g min_free=100m inactive=1h30m use_temp_path=off;
	END
	ok zones --json --no-usage -c "$CONF"
	json_is "$(field 0 name type path levels keys_zone_size max_size min_free inactive use_temp_path file line)" \
	    "[\"one\", \"proxy\", \"$T/one\", \"1:2\", 10485760, 2147483648, 104857600, 5400, false, \"$CONF\", 4]"
}

@test "zones: what a zone leaves open has nginx's defaults" {
	conf <<<"uwsgi_cache_path $T/one keys_zone=one:512k;"
	ok zones --json --no-usage -c "$CONF"
	json_is "$(field 0 levels keys_zone_size max_size min_free inactive use_temp_path)" \
	    '[null, 524288, null, null, 600, true]'
}

@test "zones: all four protocols have zones" {
	conf <<-END
		proxy_cache_path $T/1 keys_zone=p:1m;
		fastcgi_cache_path $T/2 keys_zone=f:1m;
		uwsgi_cache_path $T/3 keys_zone=u:1m;
		scgi_cache_path $T/4 keys_zone=s:1m;
	END
	ok zones --json --no-usage -c "$CONF"
	json_is '[[z["name"], z["type"]] for z in d["zones"]]' \
	    '[["p", "proxy"], ["f", "fastcgi"], ["u", "uwsgi"], ["s", "scgi"]]'
}

@test "zones: every form of levels is told" {
	for levels in 1 2 1:1 1:2 2:1 2:2 1:1:1 1:2:2 2:2:2; do
		conf <<<"proxy_cache_path $T/1 levels=$levels keys_zone=p:1m;"
		ok zones --json --no-usage -c "$CONF"
		json_is 'd["zones"][0]["levels"]' "$levels"
	done
}

@test "zones: entries and bytes are counted, by names and sizes" {
	a_site
	mkcache -o "$T/pages" --truncate 20 httpGETa.test/damaged
	echo foreign >"$T/pages/README"
	mkcache -o "$T/pages" --suffix .0000000001 httpGETa.test/temporary
	bytes=$(find "$T/pages" -regextype posix-extended -regex '.*/[0-9a-f]{32}' -printf '%s\n' |
	    awk '{ n += $1 } END { print n }')
	blocks=$(find "$T/pages" -regextype posix-extended -regex '.*/[0-9a-f]{32}' -printf '%b\n' |
	    awk '{ n += $1 } END { print n * 512 }')
	ok zones --json -c "$CONF"
	json_is "$(field 0 exists entries bytes allocated)" "[true, 4, $bytes, $blocks]"
	json_is "$(field 1 exists entries)" '[true, 1]'
}

@test "zones: --no-usage counts nothing, and looks into no cache" {
	a_site
	ok zones --json --no-usage -c "$CONF"
	json_is "$(field 0 exists entries bytes allocated)" '[true, null, null, null]'
	rm -r "$T/php"
	mkdir "$T/no-cache"
	touch "$T/no-cache/file"
	sed -i "s,$T/pages,$T/no-cache," "$CONF"
	ok zones --json --no-usage -c "$CONF"
	json_is '[z["exists"] for z in d["zones"]]' '[true, false]'
}

@test "zones: a missing root is told, and is a failure" {
	a_site
	rm -r "$T/php"
	fails 3 "$T/php" zones --json -c "$CONF"
	json_is "$(field 0 exists entries)" '[true, 3]'
	json_is "$(field 1 exists entries bytes allocated)" '[false, null, null, null]'
	fails 3 "$T/php" zones -c "$CONF"
	[[ $output == *pages* && $output == *php* ]]
	ok zones --json -c "$CONF" -z pages
}

@test "zones: an empty root is a cache without entries" {
	mkdir "$T/one"
	conf <<<"proxy_cache_path $T/one keys_zone=one:1m;"
	ok zones --json -c "$CONF"
	json_is "$(field 0 exists entries bytes allocated)" '[true, 0, 0, 0]'
}

@test "zones: the text tells name, path, levels, limits, entries and uses" {
	a_site
	ok zones -c "$CONF"
	for word in pages "$T/pages" 1:2 10m 2g '3 entries' a.test php "$T/php" 512k '1 entry' b.test \
	    '$scheme$request_method$host$request_uri'; do
		[[ $output == *"$word"* ]] || equal "$output" "$word"
	done
}

@test "zones: a configuration without caches has none, and that is said" {
	conf <<<'server { location / { return 200; } }'
	fails 0 "$CONF" zones --json -c "$CONF"
	json_is '[d["zones"], d["uses_unresolved"]]' '[[], []]'
	fails 0 "$CONF" list --json -c "$CONF"
	equal "$output" ""
}

@test "zones: -z leaves the others out" {
	a_site
	ok zones --json -c "$CONF" -z php
	json_is '[z["name"] for z in d["zones"]]' '["php"]'
	ok zones --json -c "$CONF" -z php --zone pages
	json_is 'sorted(z["name"] for z in d["zones"])' '["pages", "php"]'
	ok zones -c "$CONF" -z php
	[[ $output != *"$T/pages"* ]]
}

@test "zones: a directory of -d is one, with what is known of it" {
	mkcache -o "$T/one" GETa.test/1
	ok zones --json -d "$T/one,name=one,levels=1:2"
	json_is "$(field 0 name path levels exists entries uses)" \
	    "[\"one\", \"$T/one\", \"1:2\", true, 1, []]"
	json_is "$(field 0 type keys_zone_size max_size min_free inactive use_temp_path file line)" \
	    '[null, null, null, null, null, null, null, null]'
	ok zones --json -d "$T/one"
	json_is "$(field 0 name levels)" '[null, null]'
}

@test "zones: the entries of a nested zone are the nested one's" {
	mkcache -o "$T/outer" httpGETa.test/{1,2,3}
	mkcache -o "$T/outer/b" --levels 2 httpGETb.test/{1,2}
	mkcache -o "$T/outer/0c" --levels none httpGETc.test/{1,2,3,4}
	conf <<-END
		proxy_cache_path $T/outer levels=1:2 keys_zone=outer:1m;
		proxy_cache_path $T/outer/b levels=2 keys_zone=b:1m;
		proxy_cache_path $T/outer/0c keys_zone=c:1m;
	END
	ok zones --json -c "$CONF"
	json_is '[z["entries"] for z in d["zones"]]' '[3, 2, 4]'
	ok zones --json -c "$CONF" -z outer
	json_is '[z["entries"] for z in d["zones"]]' '[3]'
	ok list --json -c "$CONF"
	json_is 'sorted([x["zone"], x["key"][7:13]] for x in lines)[::3]' \
	    '[["b", "b.test"], ["c", "c.test"], ["outer", "a.test"]]'
}

# --- uses ---

@test "uses: server, location, pass and key are told" {
	a_site
	ok zones --json --no-usage -c "$CONF"
	json_is '[[u[k] for k in ("zone", "server_names", "listen", "location", "parents", "protocol", "pass", "key", "file")] for u in d["zones"][1]["uses"]]' \
	    "[[\"php\", [\"b.test\"], [\"80\"], \"~ \\\\.php\$\", [], \"fastcgi\", \"127.0.0.1:9000\", \"\$scheme\$request_method\$host\$request_uri\", \"$CONF\"]]"
}

@test "uses: every modifier of a location stands before its pattern, with one blank" {
	conf <<-END
		proxy_cache_path $T/1 keys_zone=p:1m;
		proxy_cache p;
		server {
			location / { proxy_pass http://u; }
			location  =  /exact { proxy_pass http://u; }
			location ^~ /prefix { proxy_pass http://u; }
			location ~ \.x\$ { proxy_pass http://u; }
			location ~* "\.y\$" { proxy_pass http://u; }
			location @named { proxy_pass http://u; }
			location =/glued { proxy_pass http://u; }
		}
	END
	ok zones --json --no-usage -c "$CONF"
	json_is '[u["location"] for u in d["zones"][0]["uses"]]' \
	    '["/", "= /exact", "^~ /prefix", "~ \\.x$", "~* \\.y$", "@named", "= /glued"]'
}

@test "uses: zone and key are inherited, and switched off" {
	conf <<-END
		proxy_cache_path $T/1 keys_zone=p:1m;
		proxy_cache_path $T/2 keys_zone=q:1m;
		proxy_cache p;
		proxy_cache_key \$uri;
		server {
			server_name a.test;
			location /inherits { proxy_pass http://u; }
			location /off { proxy_cache off; proxy_pass http://u; }
			location /other { proxy_cache q; proxy_cache_key \$host\$uri; proxy_pass http://u; }
			location /none { return 204; }
		}
		server {
			server_name b.test;
			proxy_cache q;
			location /1 { proxy_pass http://u; }
		}
	END
	ok zones --json --no-usage -c "$CONF"
	json_is '[[z["name"], [[u["server_names"], u["location"], u["key"]] for u in z["uses"]]] for z in d["zones"]]' \
	    '[["p", [[["a.test"], "/inherits", "$uri"]]], ["q", [[["a.test"], "/other", "$host$uri"], [["b.test"], "/1", "$uri"]]]]'
}

@test "uses: nested locations name their parents, outermost first" {
	conf <<-END
		proxy_cache_path $T/1 keys_zone=p:1m;
		server {
			location /a {
				location /a/b {
					location ~ c { proxy_cache p; proxy_pass http://u; }
				}
			}
		}
	END
	ok zones --json --no-usage -c "$CONF"
	json_is '[[u["location"], u["parents"]] for u in d["zones"][0]["uses"]]' \
	    '[["~ c", ["/a", "/a/b"]]]'
}

@test "uses: a key that is not set is null" {
	conf <<-END
		proxy_cache_path $T/1 keys_zone=p:1m;
		server { location / { proxy_cache p; proxy_pass http://u; } }
	END
	ok zones --json --no-usage -c "$CONF"
	json_is 'd["zones"][0]["uses"][0]["key"]' null
}

@test "uses: a zone in a variable is listed under every zone it may select" {
	conf <<-END
		proxy_cache_path $T/1 keys_zone=one:1m;
		proxy_cache_path $T/2 keys_zone=two:1m;
		fastcgi_cache_path $T/3 keys_zone=php:1m;
		map \$host \$which { default one; b.test two; }
		server { location / { proxy_cache \$which; proxy_pass http://u; } }
	END
	ok zones --json --no-usage -c "$CONF"
	json_is '[[z["name"], [u["zone"] for u in z["uses"]]] for z in d["zones"]]' \
	    '[["one", ["$which"]], ["two", ["$which"]], ["php", []]]'
	json_is 'd["uses_unresolved"]' '[]'
}

@test "uses: one that may select no zone is unresolved" {
	conf <<-END
		fastcgi_cache_path $T/3 keys_zone=php:1m;
		server { location / { proxy_cache x\$host; proxy_pass http://u; } }
	END
	ok zones --json --no-usage -c "$CONF"
	json_is '[u["zone"] for u in d["uses_unresolved"]]' '["x$host"]'
	shape 'd["uses_unresolved"][0]' "${USE[@]}"
}

@test "uses: words are decoded, but not evaluated" {
	conf <<-'END'
		proxy_cache_path '/var/cache/with blank' keys_zone=p:1m;
		server {
			server_name "a.test" ~^www\d+\.test$;
			location "/with blank" { proxy_cache p; proxy_cache_key "$host;\"x\"${uri}"; proxy_pass http://u$request_uri; }
		}
	END
	ok zones --json --no-usage -c "$CONF"
	json_is 'd["zones"][0]["path"]' '/var/cache/with blank'
	json_is '[d["zones"][0]["uses"][0][k] for k in ("server_names", "location", "key", "pass")]' \
	    '[["a.test", "~^www\\d+\\.test$"], "/with blank", "$host;\"x\"${uri}", "http://u$request_uri"]'
}

# --- where the configuration comes from ---

@test "-c: includes are read, relative to the configuration's directory, by globs, in order" {
	mkdir -p "$T/etc/sites"
	cat >"$T/etc/nginx.conf" <<-END
		events { }
		http {
			include caches.conf;
			include sites/*.conf;
			include none/*.conf;
			include $T/etc/last.inc;
		}
	END
	echo "proxy_cache_path $T/1 keys_zone=p:1m;" >"$T/etc/caches.conf"
	for site in b a c; do
		printf '\nserver { server_name %s.test; location / { proxy_cache p; proxy_pass http://u; } }\n' \
		    "$site" >"$T/etc/sites/$site.conf"
	done
	echo 'server { broken' >"$T/etc/sites/c.disabled"
	echo 'server { server_name last.test; location / { proxy_cache p; proxy_pass http://u; } }' \
	    >"$T/etc/last.inc"
	ok zones --json --no-usage -c "$T/etc/nginx.conf"
	json_is '[[u["server_names"][0], u["file"]] for u in d["zones"][0]["uses"]]' \
	    "[[\"a.test\", \"$T/etc/sites/a.conf\"], [\"b.test\", \"$T/etc/sites/b.conf\"], [\"c.test\", \"$T/etc/sites/c.conf\"], [\"last.test\", \"$T/etc/last.inc\"]]"
	json_is "$(field 0 file line)" "[\"$T/etc/caches.conf\", 1]"
	cd "$T/etc"
	ok zones --json --no-usage -c nginx.conf
	json_is 'len(d["zones"][0]["uses"])' 4
}

# dump: what nginx -T prints for a main file and an include
dump() {
	cat <<-END
		nginx: the configuration file /etc/nginx/nginx.conf syntax is ok
		nginx: configuration file /etc/nginx/nginx.conf test is successful
		# configuration file /etc/nginx/nginx.conf:
		events { }
		http {
			include /etc/nginx/conf.d/*.conf;
		}

		# configuration file /etc/nginx/conf.d/cache.conf:
		proxy_cache_path $T/pages levels=1:2 keys_zone=pages:1m;
		server { server_name a.test; location / { proxy_cache pages; proxy_pass http://u; } }

	END
}

@test "-c -: the output of nginx -T is read from standard input" {
	mkcache -o "$T/pages" httpGETa.test/1
	dump | grep -v ^nginx: >"$T/dump"
	ok zones --json -c - <"$T/dump"
	json_is '[[z["name"], z["entries"], z["file"], z["line"]] for z in d["zones"]]' \
	    '[["pages", 1, "/etc/nginx/conf.d/cache.conf", 1]]'
	json_is 'd["zones"][0]["uses"][0]["server_names"]' '["a.test"]'
	ok purge --json -c - --glob '*' <"$T/dump"
	json_is 'd["purged"]' 1
}

@test "-c -: what nginx -T says on standard error may stand before it" {
	mkcache -o "$T/pages" httpGETa.test/1
	dump >"$T/dump"
	ok list --json -c - <"$T/dump"
	keys httpGETa.test/1
}

@test "-c -: an empty or foreign dump is refused" {
	refused '' zones -c - </dev/null
	refused '' zones -c - <<<'hello'
	refused '' purge --all -c - <<<'nginx: [emerg] unknown directive'
}

@test "-c -: an error in a dump names the file and line of the dumped file" {
	dump | sed 's/keys_zone=pages:1m/keys_zone=pages/' >"$T/dump"
	refused '/etc/nginx/conf.d/cache.conf:1: ' zones -c - <"$T/dump"
}

@test "-p: relative paths lie below the prefix" {
	mkcache -o "$T/prefix/var/pages" httpGETa.test/1
	conf <<<"proxy_cache_path var/pages levels=1:2 keys_zone=pages:1m;"
	for prefix in "$T/prefix" "$T/prefix/"; do
		ok zones --json -c "$CONF" -p "$prefix"
		json_is "$(field 0 path entries)" "[\"$T/prefix/var/pages\", 1]"
	done
	ok list --json -c "$CONF" --prefix "$T/prefix"
	json_is '[x["file"].rsplit("/", 3)[0] for x in lines]' "[\"$T/prefix/var/pages\"]"
}

@test "-p: absolute paths are left alone" {
	conf <<<"proxy_cache_path $T/1 keys_zone=pages:1m;"
	ok zones --json --no-usage -c "$CONF" -p /nowhere
	json_is 'd["zones"][0]["path"]' "$T/1"
}

# a_root: a tree in $T/root with a configuration and a cache
a_root() {
	mkdir -p "$T/root/etc/nginx/conf.d" "$T/root/var"
	echo 'events { } http { include conf.d/*.conf; }' >"$T/root/etc/nginx/nginx.conf"
	cat >"$T/root/etc/nginx/conf.d/a.conf" <<-'END'
		proxy_cache_path /var/cache/pages levels=1:2 keys_zone=pages:1m;
		server {
			listen 80;
			server_name a.test;
			location / {
				proxy_cache pages;
				proxy_cache_key $scheme$host$request_uri;
				proxy_pass http://u;
			}
		}
	END
	mkcache -o "$T/root/var/cache/pages" httpa.test/1 httpa.test/2
}

@test "-R: the configuration and its paths lie below, reported paths carry it, keys do not" {
	a_root
	ok zones --json -R "$T/root"
	json_is "$(field 0 path file entries)" \
	    "[\"$T/root/var/cache/pages\", \"$T/root/etc/nginx/conf.d/a.conf\", 2]"
	ok list --json -R "$T/root" -c /etc/nginx/nginx.conf http://a.test/1
	json_is '[[x["key"], x["url"]] for x in lines]' '[["httpa.test/1", "http://a.test/1"]]'
	json_is 'lines[0]["file"].startswith("'"$T/root/var/cache/pages/"'")' true
	ok purge --json -R "$T/root/" http://a.test/1
	json_is 'd["purged"]' 1
	equal "$(entries_in "$T/root/var/cache/pages")" 1
}

@test "-R: symbolic links are resolved as if it were the root" {
	a_root
	mkdir -p "$T/root/srv"
	mv "$T/root/var/cache" "$T/root/srv/cache"
	ln -s /srv/cache "$T/root/var/cache"
	mv "$T/root/etc/nginx/conf.d/a.conf" "$T/root/srv/a.conf"
	ln -s /srv/a.conf "$T/root/etc/nginx/conf.d/a.conf"
	ok list --json -R "$T/root"
	keys 'httpa.test/1 httpa.test/2'
	rm "$T/root/var/cache"
	ln -s ../../../../../../../../srv/cache "$T/root/var/cache"
	ok list --json -R "$T/root"
	keys 'httpa.test/1 httpa.test/2'
}

@test "-R: a directory of -d does not lie below it" {
	a_root
	mkcache -o "$C" GETa.test/x
	ok list --json -R "$T/root" -d "$C"
	keys GETa.test/x
}

@test "-R: a missing one is refused" {
	refused '' zones -R "$T/none"
	refused "$T/none" zones -R "$T/none" -c /etc/nginx/nginx.conf
}

# --- what a configuration makes of entries and URLs ---

@test "list: with a configuration an entry tells its zone" {
	a_site
	ok list --json -c "$CONF"
	json_is 'sorted([x["zone"], x["key"], x["protocol"]] for x in lines)' \
	    '[["pages", "httpGETa.test/1", "http"], ["pages", "httpGETa.test/2", "http"], ["pages", "httpGETa.test/3", "http"], ["php", "httpGETb.test/1", "fastcgi"]]'
}

@test "a file of other levels than the zone's is an orphan, listed and purged" {
	mkcache -o "$C" --levels 1:2 httpGETa.test/1
	mkcache -o "$C" --levels 2:2 httpGETa.test/2
	conf <<<"proxy_cache_path $C levels=1:2 keys_zone=pages:1m;"
	ok list --json -c "$CONF"
	json_is 'sorted([x["key"], x["orphan"]] for x in lines)' \
	    '[["httpGETa.test/1", false], ["httpGETa.test/2", true]]'
	ok purge --json -c "$CONF" --glob '*'
	json_is 'd["purged"]' 2
}

@test "purge: a URL is looked up in the zone of its location alone, without a walk" {
	mkcache -o "$T/one" httpGETa.test/1 httpGETb.test/1
	mkcache -o "$T/two" httpGETa.test/1 a.test/two/1
	conf <<-END
		proxy_cache_path $T/one levels=1:2 keys_zone=one:1m;
		proxy_cache_path $T/two levels=1:2 keys_zone=two:1m;
		server {
			server_name a.test;
			proxy_cache_key \$scheme\$request_method\$host\$request_uri;
			location / { proxy_cache one; proxy_pass http://u; }
			location /two { proxy_cache two; proxy_cache_key \$host\$uri; proxy_pass http://u; }
		}
	END
	ok purge --json -c "$CONF" http://a.test/1
	json_is '[[z["zone"], z["purged"]] for z in d["zones"]]' '[["one", 1], ["two", 0]]'
	json_is 'd["walked"]' false
	ok purge --json -c "$CONF" http://a.test/two/1
	json_is '[[z["zone"], z["purged"]] for z in d["zones"]]' '[["one", 0], ["two", 1]]'
	equal "$(entries_in "$T/one") $(entries_in "$T/two")" '1 1'
}

@test "purge: a filter of hosts works on the keys of the configuration" {
	a_site
	ok purge --json -c "$CONF" --host b.test
	json_is '[[z["zone"], z["purged"]] for z in d["zones"]]' '[["pages", 0], ["php", 1]]'
}

@test "zones: the paths of a dump lie below -R, too" {
	mkcache -o "$T/root/var/z" httpGETa.test/1
	cat >"$T/dump" <<-'EOF'
		# configuration file /etc/nginx/nginx.conf:
		events { }
		http { proxy_cache_path /var/z levels=1:2 keys_zone=z:1m; }
	EOF
	run -0 --separate-stderr ngxcache zones --json -c - -R "$T/root" <"$T/dump"
	json_is 'd["zones"][0]["path"]' "$T/root/var/z"
	json_is 'd["zones"][0]["entries"]' 1
}
