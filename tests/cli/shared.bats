#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# Several zones on one directory: it is looked into once, for what any of them stores there.

load cli

# both KEY: list shows this one entry, once, and purge would take it once, for $URL with
# these zones
both() {
	ok list --json "${ZONES[@]}" "$URL"
	keys "$1"
	ok purge --json --dry-run "${ZONES[@]}" "$URL"
	json_is '[d["matched"], d["purged"], [s["matched"] for s in d["selectors"]]]' '[1, 1, [1]]'
}

@test "two directories of the command line: keys by both templates are looked up" {
	mkcache -o "$C" 'one|a.test/x' 'two|a.test/y' 'three|a.test/z'
	ln -s "$C" "$T/link"
	for second in "$C" "$T/link"; do
		ZONES=(-d "$C,levels=1:2,key=one|\$host\$uri" -d "$second,levels=1:2,key=two|\$host\$uri")
		URL=http://a.test/x both 'one|a.test/x'
		URL=http://a.test/y both 'two|a.test/y'
		json_is 'd["walked"]' false
		ok list --json "${ZONES[@]}" http://a.test/z
		keys ''
	done
}

@test "a directory beside its configuration: the template given with it is looked up, too" {
	site '$scheme$host$request_uri'
	mkcache -o "$C" httpa.test/x 'mine|a.test/y'
	ZONES=(-c "$CONF" -d "$C,key=mine|\$host\$uri")
	URL=http://a.test/x both httpa.test/x
	URL=http://a.test/y both 'mine|a.test/y'
	ok list --json -c "$CONF" http://a.test/y
	keys ''
}

@test "two zones of a configuration: what the locations of both store is looked up" {
	ln -s "$C" "$T/link"
	conf <<-END
		proxy_cache_path $C levels=1:2 keys_zone=one:1m;
		proxy_cache_path $T/link levels=2 keys_zone=two:1m;
		server {
			listen 80;
			server_name a.test;
			proxy_cache one;
			proxy_cache_key "one|\$host\$uri";
			location / { proxy_pass http://127.0.0.1:9; }
			location /two/ {
				proxy_pass http://127.0.0.1:9;
				proxy_cache two;
				proxy_cache_key "two|\$host\$uri";
			}
		}
	END
	mkcache -o "$C" 'one|a.test/x'
	mkcache -o "$C" --levels 2 'two|a.test/two/y'
	ZONES=(-c "$CONF")
	URL=http://a.test/x both 'one|a.test/x'
	URL=http://a.test/two/y both 'two|a.test/two/y'
	json_is 'd["walked"]' false
	ok list --json -c "$CONF"
	json_is '[x["orphan"] for x in lines]' '[false, false]'
	json_is 'sorted(x["url"] for x in lines)' '["http://a.test/two/y", "http://a.test/x"]'
	ok list --json -c "$CONF" 'http://a.test/two/*'
	keys 'two|a.test/two/y'
	ok list --json -c "$CONF" -z one
	json_is 'sorted(x["orphan"] for x in lines)' '[false, false]'
	ok verify --repair -c "$CONF" -z one
	equal "$(find "$C" -type f | wc -l)" 2
	ok purge --json -c "$CONF" http://a.test/x http://a.test/two/y http://a.test/two/none
	json_is '[d["purged"], [s["matched"] for s in d["selectors"]]]' '[2, [1, 1, 0]]'
	equal "$(find "$C" -type f)" ""
}

@test "a part that is open in the second zone alone is found by a walk" {
	mkcache -o "$C" 'one|a.test/x' 'two|a.test/x|blue' 'two|a.test/y|blue'
	ZONES=(-d "$C,levels=1:2,key=one|\$host\$uri" -d "$C,levels=1:2,key=two|\$host\$uri|\$cookie_c")
	ok purge --json "${ZONES[@]}" http://a.test/x
	json_is '[d["matched"], d["purged"], d["walked"]]' '[2, 2, true]'
	equal "$(find "$C" -type f | wc -l)" 1
}

@test "a file is counted once whatever zones, selectors and levels lead to it" {
	mkcache -o "$C" httpa.test/x
	file=$(find "$C" -type f)
	for levels in '' ',levels=1:2' ',levels=2'; do
		ok purge --json --dry-run -d "$C,levels=1:2,key=\$scheme\$host\$uri" \
		    -d "$C$levels,key=\$scheme\$host\$uri" http://a.test/x --key httpa.test/x \
		    --file "$file" --thorough
		json_is '[d["matched"], [s["matched"] for s in d["selectors"]]]' '[1, [1, 1, 1]]'
	done
}

@test "--limit-host: where zones share a directory, the readings of all of them must agree" {
	mkcache -o "$C" 'a.test/b.test/x' 'a.test/y'
	ok list --json -d "$C,key=\$host\$uri" --limit-host a.test
	keys 'a.test/b.test/x a.test/y'
	ok list --json -d "$C,key=\$host\$uri" -d "$C,key=a.test/\$host\$uri" --limit-host a.test
	keys 'a.test/y'
	ok list --json -d "$C,key=\$host\$uri" -d "$C" --limit-host a.test
	keys 'a.test/b.test/x a.test/y'
	ok list --json -d "$C" -d "$C" --limit-host a.test
	keys ''
}

@test "two zones on one directory: a variant is found, and its main file goes last" {
	mkcache -o "$C" --vary Accept-Encoding 'two|a.test/x'
	mkcache -o "$C" --vary Accept-Encoding --variant-headers 'Accept-Encoding: odd' 'two|a.test/x'
	ZONES=(-d "$C,levels=1:2,key=one|\$host\$uri" -d "$C,levels=1:2,key=two|\$host\$uri")
	ok purge --json --list "${ZONES[@]}" http://a.test/x
	json_is '[x["kind"] for x in d["entries"]]' '["variant", "main"]'
}
