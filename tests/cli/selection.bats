#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# Selecting entries: what each selector and filter takes, the same for list and purge.

load cli

PARAMS=',levels=1:2,key=$scheme$request_method$host$request_uri'

# stored KEY...: a cache of these
stored() {
	mkcache -o "$C" "$@"
}

# --- selectors ---

@test "URL: takes every method and both schemes, and nothing else" {
	stored httpGETa.test/1 httpHEADa.test/1 httpsGETa.test/1 httpsHEADa.test/1 \
	    httpGETa.test/2 httpGETa.test/ httpGETa.test/11 httpGETb.test/1 'httpGETa.test/1?x=1' \
	    httpGETa.test/1/
	for url in http://a.test/1 https://a.test/1; do
		selects 'httpGETa.test/1 httpHEADa.test/1 httpsGETa.test/1 httpsHEADa.test/1' "$url"
	done
}

@test "URL: the query belongs to it, an empty one too" {
	stored httpGETa.test/x 'httpGETa.test/x?' 'httpGETa.test/x?a=1' 'httpGETa.test/x?a=2'
	selects httpGETa.test/x http://a.test/x
	selects 'httpGETa.test/x?' 'http://a.test/x?'
	selects 'httpGETa.test/x?a=1' 'http://a.test/x?a=1'
}

@test "URL: fragment, default port, case of the host and a missing path change nothing" {
	stored httpGETa.test/ httpGETa.test/x
	for url in http://a.test http://a.test/ 'http://a.test/#top' http://a.test:80/ \
	    HTTP://A.TEST/ http://A.test; do
		selects httpGETa.test/ "$url"
	done
	selects httpGETa.test/x 'http://a.test/x#part'
	selects '' http://a.test/X
}

@test "URL: the spellings of percent-encoding are the same page" {
	stored httpGETa.test/caf%c3%a9 httpGETa.test/caf%C3%A9 httpGETa.test/café httpGETa.test/cafe
	for url in http://a.test/caf%C3%A9 http://a.test/caf%c3%a9 http://a.test/café; do
		selects 'httpGETa.test/caf%C3%A9 httpGETa.test/caf%c3%a9 httpGETa.test/café' "$url"
	done
}

@test "URL: a host in UTF-8 stands for its xn-- form" {
	stored httpGETxn--bcher-kva.test/
	selects httpGETxn--bcher-kva.test/ http://bücher.test/
}

@test "URL: question mark and brackets are literal" {
	stored 'httpGETa.test/a[1]' httpGETa.test/a1 'httpGETa.test/x?y' httpGETa.test/xzy
	selects 'httpGETa.test/a[1]' 'http://a.test/a[1]'
	selects 'httpGETa.test/x?y' 'http://a.test/x?y'
	selects 'httpGETa.test/a[1]' 'http://a.test/a[1]*'
}

@test "--any-query: takes the page with every query and without, and no other page" {
	stored httpGETa.test/x 'httpGETa.test/x?' 'httpGETa.test/x?a=1' 'httpHEADa.test/x?b/c' \
	    httpGETa.test/x1 'httpGETa.test/x/?a' 'httpGETb.test/x?a=1' 'httpGETa.test/y?/x?'
	for url in http://a.test/x 'https://a.test/x?z=9'; do
		selects 'httpGETa.test/x httpGETa.test/x? httpGETa.test/x?a=1 httpHEADa.test/x?b/c' \
		    --any-query "$url"
	done
}

@test "--any-query: also where path, question mark and arguments stand apart in the key" {
	stored a.test/x 'a.test/x?a=1' a.test/xa=1 'a.test/x?'
	PARAMS=',levels=1:2,key=$host$uri$is_args$args'
	selects 'a.test/x a.test/x? a.test/x?a=1' --any-query http://a.test/x
}

@test "--any-query: arguments right behind the path may be another page: they are left" {
	stored a.test/x a.test/xa=1
	PARAMS=',levels=1:2,key=$host$uri$args'
	run -0 --separate-stderr ngxcache purge -n --json -d "$C$PARAMS" --any-query http://a.test/x
	json_is '[d["purged"], d["ambiguous"]]' '[1, 1]'
	selects 'a.test/x a.test/xa=1' --any-query --loose http://a.test/x
}

@test "--any-slash: takes both forms of the path, each with the query given" {
	stored httpGETa.test/x httpGETa.test/x/ 'httpGETa.test/x?q' 'httpGETa.test/x/?q' httpGETa.test/
	selects 'httpGETa.test/x httpGETa.test/x/' --any-slash http://a.test/x
	selects 'httpGETa.test/x httpGETa.test/x/' --any-slash http://a.test/x/
	selects 'httpGETa.test/x/?q httpGETa.test/x?q' --any-slash 'http://a.test/x?q'
	selects 'httpGETa.test/' --any-slash http://a.test/
}

@test "--any-slash: names are looked up, nothing is walked" {
	stored httpGETa.test/x/
	ok purge -n --json -d "$C$PARAMS" --any-slash http://a.test/x
	json_is '[d["matched"], d["walked"]]' '[1, false]'
}

@test "--recursive: takes the page and those below it, with any query" {
	stored httpGETa.test/blog httpGETa.test/blog/ httpGETa.test/blog/1 'httpGETa.test/blog/t/x?p=2' \
	    httpGETa.test/blogroll 'httpGETa.test/blog?p=2' 'httpGETa.test/blog/?p=2' \
	    httpGETb.test/blog/1 httpGETa.test/x/blog/1
	selects 'httpGETa.test/blog httpGETa.test/blog/1 httpGETa.test/blog/t/x?p=2' \
	    --recursive http://a.test/blog
	selects 'httpGETa.test/blog/ httpGETa.test/blog/1 httpGETa.test/blog/t/x?p=2' \
	    --recursive http://a.test/blog/
	refused 'needs a walk' list -d "$C$PARAMS" --recursive --no-walk http://a.test/blog/
}

@test "--recursive: the root page and everything below it is the host" {
	stored httpGETa.test/ httpGETa.test/x 'httpGETa.test/?x' httpGETaa.test/x httpGETb.test/a.test/
	selects 'httpGETa.test/ httpGETa.test/x' --recursive http://a.test/
	selects 'httpGETa.test/ httpGETa.test/?x httpGETa.test/x' --recursive --any-query http://a.test/
}

@test "--strict: takes the one request, not other schemes, methods and spellings" {
	stored httpGETa.test/é httpHEADa.test/é httpsGETa.test/é httpGETa.test/%c3%a9
	selects httpGETa.test/é --strict http://a.test/é
	selects httpGETa.test/%c3%a9 --strict http://a.test/%c3%a9
	selects '' --strict https://a.test/%C3%A9
}

@test "--strict: leaves what a URL does not determine, unless any query is asked for" {
	stored httpGETa.test/x 'httpGETa.test/x?1' httpsGETa.test/x 'httpsGETa.test/x?1'
	selects 'httpGETa.test/x httpGETa.test/x?1' --strict --any-query http://a.test/x
	rm -r "$C"
	stored a.test/x a.test/x1 a.test/y
	PARAMS=',levels=1:2,key=$host$uri$cookie_c'
	selects '' --strict http://a.test/x
}

@test "bare path: any query, any slash and what is below it work on every host" {
	stored httpGETa.test/x httpGETb.test/x/ 'httpGETa.test/x?1' httpGETa.test/x/1 httpGETa.test/y
	selects 'httpGETa.test/x httpGETa.test/x?1' --any-query /x
	selects 'httpGETa.test/x httpGETb.test/x/' --any-slash /x
	stored httpGETa.test/x%3F1 httpGETa.test/x%3F1?2
	selects 'httpGETa.test/x httpGETa.test/x?1' --any-query /x
	selects 'httpGETa.test/x%3F1 httpGETa.test/x%3F1?2' --any-query /x%3f1
	selects 'httpGETa.test/x httpGETa.test/x/1' --recursive /x
}

@test "bare path: keys that do not tell their path are computed for every server" {
	local i

	i=0
	conf <<-END
		proxy_cache_path $C levels=1:2 keys_zone=pages:1m;
		proxy_cache pages;
		$(for name in 'a.test; listen 80' '*.b.test; listen 80' 'c.*; listen 80' '_; listen 80 default_server'; do
			i=$((i + 1))
			cat <<-SERVER
				server {
					server_name $name;
					location ~ ^/p/(\\d+)\$ {
						proxy_pass http://127.0.0.1:9;
						proxy_cache_key page$i|\$1;
					}
					location ~ ^/c/(\\d+)\$ {
						proxy_pass http://127.0.0.1:9;
						proxy_cache_key c$i|\$1|\$cookie_a;
					}
					location /blog/ {
						rewrite ^/blog/(.*)\$ /index.php?p=\$1 break;
						proxy_pass http://127.0.0.1:9;
						proxy_cache_key \$host\$uri\$is_args\$args;
					}
					location / {
						proxy_pass http://127.0.0.1:9;
						proxy_cache_key \$host\$uri;
					}
				}
			SERVER
		done)
	END
	stored page{1,2,3,4}\|{7,77} a.test/index.php{,?p=x,?p=y} a.test/{x,y} c{1,4}\|7\|{red,} \
	    c1\|8\|red
	# covers KEYS SELECTION...: list shows these
	covers() {
		ok list --json -c "$CONF" "${@:2}"
		keys "$1"
	}
	covers 'page1|7 page2|7 page3|7 page4|7' /p/7
	covers 'c1|7| c1|7|red c4|7| c4|7|red' /c/7
	covers 'a.test/index.php?p=x' /blog/x
	covers a.test/x /x
	covers 'a.test/x' '/x?a=1'
	covers 'page1|7' http://a.test/p/7
	covers '' /p/
	ok purge -n --json -c "$CONF" /p/7
	json_is '[d["matched"], [s["matched"] for s in d["selectors"]]]' '[4, [4]]'
}

@test "URL pattern: a star is any run of characters, also slashes and none" {
	stored httpGETa.test/blog/ httpGETa.test/blog/1 httpsGETa.test/blog/2/3?x=/ httpGETa.test/blog \
	    httpGETa.test/other httpGETb.test/blog/1 httpGETa.test/x/blog/1
	selects 'httpGETa.test/blog/ httpGETa.test/blog/1 httpsGETa.test/blog/2/3?x=/' \
	    'http://a.test/blog/*'
	selects 'httpGETa.test/blog/1 httpGETa.test/x/blog/1' 'https://a.test/*/1'
	selects 'httpGETa.test/blog/1' 'http://a.test/b*g/1'
}

@test "URL pattern: a star in the host takes subdomains, not paths" {
	stored httpGETa.test/ httpGETwww.a.test/ httpGETshop.a.test/ httpGETb.test/.a.test/
	selects 'httpGETshop.a.test/ httpGETwww.a.test/' 'http://*.a.test/'
	selects 'httpGETb.test/.a.test/' 'http://b.test/*'
}

@test "URL pattern: scheme, method and percent-encoding are ignored" {
	stored httpGETa.test/caf%c3%a9/1 httpsHEADa.test/café/1 httpGETa.test/cafe/1
	selects 'httpGETa.test/caf%c3%a9/1 httpsHEADa.test/café/1' 'http://a.test/caf%C3%A9/*'
	selects 'httpGETa.test/caf%c3%a9/1 httpsHEADa.test/café/1' 'https://a.test/café/*'
}

@test "URL pattern: a star behind a backslash is a star" {
	stored 'httpGETa.test/5*3' httpGETa.test/5x3 'httpGETa.test/5*3/1' httpGETa.test/5x3/1
	selects 'httpGETa.test/5*3' 'http://a.test/5\*3'
	selects 'httpGETa.test/5*3 httpGETa.test/5*3/1' 'http://a.test/5\*3*'
}

@test "a bare path means that path on every host" {
	stored httpGETa.test/blog/ httpsHEADb.test/blog/ httpGETa.test/blog/1 httpGETa.test/x/blog/
	selects 'httpGETa.test/blog/ httpsHEADb.test/blog/' /blog/
	selects 'httpGETa.test/blog/ httpGETa.test/blog/1 httpsHEADb.test/blog/' '/blog/*'
	selects '' /blog
}

@test "--key: exactly this key, never a pattern" {
	stored 'httpGETa.test/*' httpGETa.test/1 'httpGETa.test/[1]' 'httpGETa.test/\*'
	selects 'httpGETa.test/*' --key 'httpGETa.test/*'
	selects 'httpGETa.test/[1]' --key 'httpGETa.test/[1]'
	selects 'httpGETa.test/\*' --key 'httpGETa.test/\*'
	selects '' --key httpGETa.test/
	selects '' --key HTTPGETA.TEST/1
	selects '' --key ''
}

@test "--key: may hold any byte" {
	mkcache -o "$C" $'GETa.test/\n\e' $'GETa.test/\xff\xfe'
	ok purge --json -d "$C" --key $'GETa.test/\n\e'
	json_is 'd["purged"]' 1
	ok purge --json -d "$C" --key $'GETa.test/\xff\xfe'
	json_is 'd["purged"]' 1
	equal "$(entries_in "$C")" 0
}

@test "--glob: star, question mark, brackets and braces, anchored at both ends" {
	stored GETa.test/1 GETa.test/12 GETa.test/a GETb.test/1 xGETa.test/1
	selects 'GETa.test/1 GETa.test/12 GETa.test/a' --glob 'GETa.test/*'
	selects 'GETa.test/1 GETa.test/a' --glob 'GETa.test/?'
	selects 'GETa.test/1' --glob 'GETa.test/[0-9]'
	selects 'GETa.test/a' --glob 'GETa.test/[!0-9]'
	selects 'GETa.test/1 GETb.test/1' --glob 'GET{a,b}.test/1'
	selects 'GETa.test/1 GETb.test/1 xGETa.test/1' --glob '*/1'
	selects 'GETa.test/1' --glob 'GETa.test/1'
	selects '' --glob 'a.test'
	selects '' --glob 'GETa_test/*'
}

@test "--glob: star and question mark take any byte" {
	mkcache -o "$C" $'GETa.test/\n1' $'GETa.test/\xff1' GETa.test/1
	ok purge --json -n -d "$C" --glob 'GETa.test/?1'
	json_is 'd["matched"]' 2
	ok purge --json -n -d "$C" --glob 'GETa.test/*1'
	json_is 'd["matched"]' 3
}

@test "--glob: a backslash takes the meaning off" {
	stored 'GETa.test/*' GETa.test/x 'GETa.test/?' 'GETa.test/{a,b}'
	selects 'GETa.test/*' --glob 'GETa.test/\*'
	selects 'GETa.test/?' --glob 'GETa.test/\?'
	selects 'GETa.test/{a,b}' --glob 'GETa.test/\{a,b\}'
}

@test "--regex: matches anywhere in the key" {
	stored GETa.test/1 GETa.test/22 GETb.test/333
	selects 'GETa.test/1 GETa.test/22' --regex 'a\.test'
	selects 'GETa.test/22 GETb.test/333' --regex '[0-9]{2,}$'
	selects 'GETb.test/333' --regex '^GETb'
	selects '' --regex '^a'
	selects 'GETa.test/1 GETa.test/22 GETb.test/333' --regex ''
	selects 'GETa.test/1 GETa.test/22' --regex '(?i)A\.TEST'
}

@test "--regex: works on bytes, a dot takes LF, a dollar only the very end" {
	mkcache -o "$C" $'GETa.test/x\n' $'GETa.test/\xffy' GETa.test/é
	ok purge --json -n -d "$C" --regex 'x.\z'
	json_is 'd["matched"]' 1
	ok purge --json -n -d "$C" --regex 'x$'
	json_is 'd["matched"]' 0
	ok purge --json -n -d "$C" --regex '/\xffy$'
	json_is 'd["matched"]' 1
	ok purge --json -n -d "$C" --regex '/..$'
	json_is 'd["matched"]' 3
}

@test "--regex: with (*UTF) a dot is a character" {
	mkcache -o "$C" GETa.test/é GETa.test/ee $'GETa.test/\xff'
	ok list --json -d "$C" --regex '(*UTF)/.$'
	keys GETa.test/é
}

@test "--file: this cache file, in whatever cache it lies" {
	stored httpGETa.test/1 httpGETa.test/2
	file=$(find "$C" -type f | sort | head -n 1)
	ok list --json --file "$file"
	json_is '[x["file"] for x in lines]' "[\"$file\"]"
	ok purge --json --file "$file"
	json_is '[d["purged"], d["walked"]]' '[1, false]'
	[ ! -e "$file" ]
	equal "$(entries_in "$C")" 1
}

@test "--file: beside -d the file must lie in that cache" {
	stored httpGETa.test/1
	file=$(mkcache -v -o "$T/other" httpGETa.test/1)
	refused "$file" purge -d "$C" --file "$file"
	ok purge --json -d "$C" --file "$(find "$C" -type f)"
	json_is 'd["purged"]' 1
	[ -e "$file" ]
}

@test "--file: in a zone of the configuration" {
	stored httpGETa.test/1 httpGETa.test/2
	conf <<<"proxy_cache_path $C levels=1:2 keys_zone=pages:1m;"
	file=$(find "$C" -type f | head -n 1)
	ok purge --json -c "$CONF" --file "$file"
	json_is '[d["purged"], [z["zone"] for z in d["zones"]]]' '[1, ["pages"]]'
	[ ! -e "$file" ]
}

@test "--file: what cannot be a cache file is refused" {
	stored httpGETa.test/1
	before=$(tree "$C")
	for file in "$C" "$C/x" /etc/passwd "$C/0123456789ABCDEF0123456789ABCDEF" '' \
	    "$C/0123456789abcdef0123456789abcdef.0123456789"; do
		refused "${file##*/}" purge --file "$file"
	done
	equal "$(tree "$C")" "$before"
}

@test "--file: one that does not exist matches nothing" {
	stored httpGETa.test/1
	ok purge --json --file "$C/f/de/0123456789abcdef0123456789abcdef"
	json_is 'd["matched"]' 0
}

@test "--all: everything, damaged files too" {
	stored GETa.test/1 GETa.test/2
	mkcache -o "$C" --truncate 50 GETa.test/3
	ok purge --json -d "$C" --all
	json_is '[d["matched"], d["purged"]]' '[3, 3]'
	equal "$(entries_in "$C")" 0
}

@test "selectors that need a key do not see damaged files" {
	mkcache -o "$C" --truncate 50 GETa.test/1
	for what in '--glob=*' --regex=. --key=GETa.test/1 /1; do
		ok purge --json -d "$C" "$what"
		json_is 'd["matched"]' 0
	done
	equal "$(entries_in "$C")" 1
	ok purge --json --file "$(find "$C" -type f)"
	json_is 'd["purged"]' 1
}

@test "several selectors are OR-ed, and an entry counts once" {
	stored httpGETa.test/1 httpGETa.test/2 httpGETa.test/3 httpGETa.test/4
	selects 'httpGETa.test/1 httpGETa.test/2 httpGETa.test/3' --key httpGETa.test/1 \
	    --glob '*[12]' --regex '[13]$' http://a.test/2
	selects 'httpGETa.test/1 httpGETa.test/2' --key httpGETa.test/1 --key httpGETa.test/1 \
	    http://a.test/2 http://a.test/2
	selects 'httpGETa.test/1' http://a.test/1 https://a.test/1 --key httpGETa.test/1
}

@test "purge: each selector tells how many it matched" {
	stored httpGETa.test/1 httpGETa.test/2 httpGETa.test/3 httpGETa.test/4
	ok purge --json -d "$C$PARAMS" http://a.test/2 http://a.test/9 --key httpGETa.test/1 \
	    --glob '*[12]' --regex '[123]$'
	json_is 'sorted([s["selector"], s["matched"]] for s in d["selectors"])' \
	    '[["*[12]", 2], ["[123]$", 3], ["http://a.test/2", 1], ["http://a.test/9", 0], ["httpGETa.test/1", 1]]'
	json_is '[d["matched"], d["purged"]]' '[3, 3]'
}

@test "purge: the counts of looked up selectors are told without a walk" {
	stored httpGETa.test/1 httpsGETa.test/1 httpGETa.test/2
	ok purge --json -d "$C$PARAMS" http://a.test/1 --key httpGETa.test/1 --key httpGETa.test/2
	json_is 'sorted([s["selector"], s["matched"]] for s in d["selectors"])' \
	    '[["http://a.test/1", 2], ["httpGETa.test/1", 1], ["httpGETa.test/2", 1]]'
	json_is '[d["matched"], d["walked"]]' '[3, false]'
}

@test "purge: a filtered out entry is not counted for its selector" {
	stored httpGETa.test/1
	mkcache -o "$C" --status 404 httpGETa.test/2
	ok purge --json -n -d "$C" --glob '*' --status 404
	json_is '[d["matched"], d["selectors"][0]["matched"]]' '[1, 1]'
}

# --- filters ---

@test "--host: exactly this host, in any case" {
	stored httpGETa.test/1 httpGETwww.a.test/1 httpGETaa.test/1 httpGETb.test/a.test/1
	selects httpGETa.test/1 --host a.test
	selects httpGETa.test/1 --host A.Test
	selects '' --host test
	selects '' --host 'a*'
	selects '' --host a.tes.
}

@test "--host: *.HOST takes its subdomains, not itself" {
	stored httpGETa.test/1 httpGETwww.a.test/1 httpGETx.y.a.test/1 httpGETaa.test/1 httpGET.a.test/1
	selects 'httpGETwww.a.test/1 httpGETx.y.a.test/1' --host '*.a.test'
}

@test "--host: repeated, any of them may hold" {
	stored httpGETa.test/1 httpGETb.test/1 httpGETc.test/1
	selects 'httpGETa.test/1 httpGETc.test/1' --host a.test --host c.test
}

@test "--host: an entry whose key tells no host never matches" {
	mkcache -o "$C" /1 deadbeef
	ok purge --json -n -d "$C" --host a.test
	json_is 'd["matched"]' 0
	ok purge --json -n -d "$C" --host '*.test'
	json_is 'd["matched"]' 0
}

@test "--host: what is no host is refused" {
	stored httpGETa.test/1
	for host in '' 'a.test/x' 'a test' http://a.test; do
		refused "host '$host'" list -d "$C" --host "$host"
	done
}

@test "--status: numbers, classes and ranges, in a list" {
	for status in 200 204 301 302 404 410 500 503; do
		mkcache -o "$C" --status "$status" "GET/$status"
	done
	selects 'GET/404' --status 404
	selects 'GET/301 GET/302' --status 3xx
	selects 'GET/301 GET/302 GET/404' --status 300-404
	selects 'GET/200 GET/410 GET/500 GET/503' --status 200,410,5xx
	selects 'GET/204 GET/410' --status 201-299,405-499
	selects '' --status 418
	selects 'GET/200 GET/404' --status 200 --status 404
}

@test "--status: is also read from FastCGI and CGI answers" {
	mkcache -o "$C" --fastcgi --status 404 GET/fastcgi
	mkcache -o "$C" --cgi --status 404 GET/cgi
	mkcache -o "$C" --status 404 GET/http
	mkcache -o "$C" --fastcgi GET/fastcgi-ok
	mkcache -o "$C" --cgi GET/cgi-ok
	selects 'GET/cgi GET/fastcgi GET/http' --status 404
	selects 'GET/cgi-ok GET/fastcgi-ok' --status 200
}

@test "--status: what is no status is refused" {
	stored httpGETa.test/1
	for list in '' x 40 4040 4x 404, ,404 404-400 '404 405' 4xx-5xx 400- -400 xxx; do
		refused "status '$list'" list -d "$C" --status "$list"
	done
}

@test "--expired: all but fresh; --fresh: the others" {
	mkcache -o "$C" --valid $((NOW + 10)) GET/fresh
	mkcache -o "$C" --valid "$NOW" GET/just
	mkcache -o "$C" --valid $((NOW - 1)) GET/expired
	mkcache -o "$C" --valid $((NOW - 1)) --updating 10 GET/stale
	mkcache -o "$C" --valid $((NOW + 10)) --invalidated GET/invalidated
	selects 'GET/expired GET/invalidated GET/stale' --expired
	selects 'GET/fresh GET/just' --fresh
	selects '' --fresh --expired
}

@test "--exclude: subtracts, repeatedly, whatever selected" {
	stored GETa.test/1 GETa.test/2 GETa.test/3 GETb.test/1
	selects 'GETa.test/1 GETa.test/3' --glob 'GETa*' --exclude '*2'
	selects 'GETa.test/1' --glob 'GETa*' --exclude '*2' --exclude '*3'
	selects 'GETb.test/1' --all --exclude 'GETa*'
	selects '' --key GETa.test/1 --exclude '*/1'
	selects 'GETa.test/1 GETa.test/2 GETa.test/3 GETb.test/1' --all --exclude a.test
	ok list --json -d "$C" --exclude '*1'
	keys 'GETa.test/2 GETa.test/3'
}

@test "filters are AND-ed" {
	for host in a b; do
		for status in 200 404; do
			mkcache -o "$C" --status "$status" --valid $((NOW + 1)) "httpGET$host.test/$status/fresh"
			mkcache -o "$C" --status "$status" --valid $((NOW - 1)) "httpGET$host.test/$status/old"
		done
	done
	selects 'httpGETa.test/404/fresh httpGETa.test/404/old' --host a.test --status 404
	selects 'httpGETa.test/404/old' --host a.test --status 404 --expired
	selects 'httpGETb.test/404/fresh' --host b.test --status 404 --fresh --exclude '*a.test*'
	selects '' --host a.test --status 404 --expired --exclude '*404*'
}

@test "filters hold for every selector" {
	mkcache -o "$C" --status 404 httpGETa.test/1 httpGETa.test/2
	stored httpGETa.test/3
	selects 'httpGETa.test/1 httpGETa.test/2' --key httpGETa.test/1 --key httpGETa.test/3 \
	    --glob '*2' --status 404
	selects 'httpGETa.test/1' http://a.test/1 http://a.test/3 --status 404
}

@test "a damaged file passes no filter" {
	mkcache -o "$C" --truncate 50 GETa.test/1
	for filter in '--status 200' --expired --fresh '--host a.test'; do
		# shellcheck disable=SC2086
		ok purge --json -d "$C" --all $filter
		json_is 'd["matched"]' 0
	done
	equal "$(entries_in "$C")" 1
}

@test "list and purge take the same selection" {
	for n in 1 2 3 4 5 6; do
		mkcache -o "$C" --status $((n % 2 ? 200 : 404)) "httpGETa.test/$n" "httpsGETb.test/$n"
	done
	ok list --json -d "$C$PARAMS" --host a.test --status 404 --glob '*[1-4]' http://a.test/6
	listed=$(json_get '" ".join(sorted(x["file"] for x in lines))' <<<"$output")
	equal "$(wc -w <<<"$listed")" 3
	ok purge --json --list -d "$C$PARAMS" --host a.test --status 404 --glob '*[1-4]' http://a.test/6
	json_is '" ".join(sorted(x["file"] for x in d["entries"]))' "$listed"
}

@test "a free part before the URI does not swallow the head of a longer URL" {
	mkcache -o "$C" a.test/x a.testabc/x a.test/y/x
	site '$host$cookie_x$uri'
	run -0 --separate-stderr ngxcache purge -n --json -c "$CONF" http://a.test/x
	json_is '[d["purged"], d["ambiguous"]]' '[2, 1]'
	run -0 --separate-stderr ngxcache purge -n --json --loose -c "$CONF" http://a.test/x
	json_is '[d["purged"], d["ambiguous"]]' '[3, 0]'
}

@test "of a map with many results, those and nothing else are covered" {
	mkcache -o "$C" v5/x v99/x /x v100/x q/x v5/y
	{
		echo "map \$cookie_a \$m {"
		for i in {0..99}; do echo "k$i v$i;"; done
		echo "}"
	} >"$T/map.conf"
	conf <<-END
		include $T/map.conf;
		proxy_cache_path $C levels=1:2 keys_zone=pages:1m;
		server {
			listen 80;
			server_name a.test;
			location / {
				proxy_pass http://127.0.0.1:8000;
				proxy_cache pages;
				proxy_cache_key \$m\$uri;
			}
		}
	END
	ok list --json -c "$CONF" http://a.test/x
	keys '/x v5/x v99/x'
}

# hosts: a configuration with two servers on one zone, and a cache of these keys
hosts() {
	mkcache -o "$C" "$@"
	conf <<-END
		proxy_cache_path $C keys_zone=pages:1m levels=1:2;
		proxy_cache pages;
		proxy_cache_key \$host\$request_uri;
		server {
			listen 80;
			server_name a.test www.a.test *.a.test ~^a[0-9]\.test\$;
			location / { proxy_pass http://127.0.0.1:8000; }
		}
		server {
			listen 80;
			server_name b.test www.b.test x.a.test;
			location / { proxy_pass http://127.0.0.1:8000; }
		}
	END
}

@test "--any-host: names of the server are looked up, and no other server's are taken" {
	hosts a.test/x b.test/x www.b.test/x www.b.test/y
	ok purge -n --json -c "$CONF" --any-host http://b.test/x
	json_is '[d["purged"], d["walked"]]' '[2, false]'
	ok list --json -c "$CONF" --any-host http://www.b.test/x
	keys 'b.test/x www.b.test/x'
}

@test "--any-host: wildcard and regex names take the hosts they stand for" {
	hosts a.test/x www.a.test/x m.a.test/x a7.test/x ax.test/x x.a.test/x b.test/x m.a.test/y
	ok list --json -c "$CONF" --any-host http://www.a.test/x
	keys 'a.test/x a7.test/x m.a.test/x www.a.test/x'
}

@test "--any-host and --recursive: pages below on every host of the server" {
	hosts a.test/x/1 m.a.test/x/2?q x.a.test/x/3 b.test/x/4 a7.test/xy a.test/x
	ok list --json -c "$CONF" --any-host --recursive http://a.test/x
	keys 'a.test/x a.test/x/1 m.a.test/x/2?q'
}

@test "URL pattern: where keys tell no host, the names of the only server count" {
	mkcache -o "$C" /blog/1 /other
	conf <<-END
		proxy_cache_path $C keys_zone=pages:1m levels=1:2;
		server {
			listen 80;
			server_name a.test www.a.test;
			location / {
				proxy_pass http://127.0.0.1:8000;
				proxy_cache pages;
				proxy_cache_key \$request_uri;
			}
		}
	END
	for host in a.test www.a.test; do
		ok list --json -c "$CONF" "http://$host/blog/*"
		keys /blog/1
	done
	ok list --json -c "$CONF" 'http://b.test/blog/*'
	keys ''
}

@test "a URL with more ways through the configuration than are gone is told and ends with 3" {
	mkcache -o "$C" a.test/x
	conf <<-END
		proxy_cache_path $C keys_zone=pages:1m levels=1:2;
		server {
			listen 80;
			server_name a.test;
			location / {
				$(for i in {1..12}; do echo "if (\$cookie_c$i) { set \$k$i $i; }"; done)
				proxy_pass http://127.0.0.1:8000;
				proxy_cache pages;
				proxy_cache_key \$host\$request_uri$(printf '$k%s' {1..12});
			}
		}
	END
	fails 3 'too many ways' purge -n --json -c "$CONF" http://a.test/x
	json_is 'd["purged"]' 1
}

# many_maps VARIABLE: four maps over it with nine results each, all in the key
many_maps() {
	conf <<-END
		proxy_cache_path $C keys_zone=pages:1m levels=1:2;
		$(for m in {1..4}; do
			echo "map $1$m \$m$m {"
			for i in {1..8}; do echo "v$i r$i;"; done
			echo "default other; }"
		done)
		server {
			listen 80;
			server_name a.test;
			location / {
				proxy_pass http://127.0.0.1:8000;
				proxy_cache pages;
				proxy_cache_key \$host\$request_uri\$m1\$m2\$m3\$m4;
			}
		}
	END
}

@test "parts that together have too many values are any of their values, found by a walk" {
	mkcache -o "$C" a.test/x{r1r2r3r4,otherotherotherr8,r1r2r3,r1r2r3r9,1r1r2r3r4} a.test/yr1r2r3r4 \
	    a.test/xr1r2r3r4r5
	many_maps '$cookie_c'
	ok purge -n --json -c "$CONF" http://a.test/x
	json_is '[d["matched"], d["ambiguous"], d["walked"]]' '[2, 0, true]'
	ok list --json -c "$CONF" http://a.test/x
	keys 'a.test/xotherotherotherr8 a.test/xr1r2r3r4'
	ok list --json -c "$CONF" --strict http://a.test/x
	keys ''
	mkcache -o "$C" a.test/xotherotherotherother
	ok purge -n --json -c "$CONF" --strict http://a.test/x
	json_is '[d["matched"], d["walked"]]' '[1, false]'
}

@test "--strict: the same of parts that no request would settle" {
	mkcache -o "$C" a.test/x{r1r2r3r4,otherotherotherr8,1r1r2r3r4} a.test/yr1r2r3r4
	many_maps '$geoip_city_'
	ok list --json -c "$CONF" --strict http://a.test/x
	keys 'a.test/xotherotherotherr8 a.test/xr1r2r3r4'
}

@test "parts that have as many values as are gone through cost no walk" {
	mkcache -o "$C" a.test/x$(printf '%.0s1' {1..11})
	conf <<-END
		proxy_cache_path $C keys_zone=pages:1m levels=1:2;
		$(for m in {1..11}; do echo "map \$cookie_c$m \$m$m { default 0; 1 1; }"; done)
		server {
			listen 80;
			server_name a.test;
			location / {
				proxy_pass http://127.0.0.1:8000;
				proxy_cache pages;
				proxy_cache_key \$host\$request_uri$(printf '$m%s' {1..11});
			}
		}
	END
	ok purge -n --json -c "$CONF" http://a.test/x
	json_is '[d["matched"], d["walked"]]' '[1, false]'
}

# near SELECTION...: what purge says is there instead, sorted
near() {
	run -0 --separate-stderr ngxcache purge -n --json "$@"
	json_is 'd["selectors"][0]["matched"]' 0
	near=$(json_get '" ".join(sorted(x["url"] for x in d["selectors"][0]["near"]))' <<<"$output")
}

@test "a miss tells of the other slash form, and of the page without its query" {
	hosts a.test/x/ a.test/y a.test/other
	near -c "$CONF" http://a.test/x
	equal "$near" http://a.test/x/
	near -c "$CONF" 'http://a.test/y/?q=1'
	equal "$near" http://a.test/y
	near -c "$CONF" http://a.test/z
	equal "$near" ''
}

@test "a miss tells of the other names of the server, and of no other server" {
	hosts www.b.test/x x.a.test/x a.test/x
	near -c "$CONF" http://b.test/x
	equal "$near" 'http://www.b.test/x http://x.a.test/x'
}

@test "a strict miss tells of the other scheme, method and spelling" {
	stored httpsGETa.test/é httpHEADa.test/é httpGETa.test/%C3%A9 httpGETa.test/e
	near -d "$C$PARAMS" --strict http://a.test/é
	equal "$near" 'http://a.test/%C3%A9 http://a.test/é https://a.test/é'
}

@test "a miss does not tell of what a filter left out" {
	stored httpGETa.test/x
	near -d "$C$PARAMS" --status 404 http://a.test/x
	equal "$near" ''
}

@test "what a miss tells is looked up by name: nothing is walked for it" {
	hosts www.b.test/x
	near -c "$CONF" http://b.test/x
	json_is 'd["walked"]' false
	json_is '[x["file"].startswith("/") for x in d["selectors"][0]["near"]]' '[true]'
}

@test "a miss of a run that walks tells of the nearest keys it came by" {
	stored httpGETa.test/shoes/42 httpGETa.test/shoes/red httpGETa.test/hats/42 httpGETb.test/shoes/43
	near -d "$C$PARAMS" http://a.test/shoes/43 --glob 'none*'
	equal "$near" 'http://a.test/shoes/42 http://a.test/shoes/red'
	json_is 'd["selectors"][0]["near"][0]["url"]' http://a.test/shoes/42
	near -d "$C$PARAMS" http://a.test/shoes/43
	equal "$near" ''
	near -d "$C$PARAMS" --key httpGETa.test/shoes/4 --glob 'none*'
	json_is 'd["selectors"][0]["near"][0]["key"]' httpGETa.test/shoes/42
}

@test "--strict --recursive: of the pages below, too, only what plain requests store" {
	stored httpGETa.test/d httpsGETa.test/d httpHEADa.test/d httpGETa.test/d/x httpsGETa.test/d/x \
	    httpHEADa.test/d/x
	mkcache -o "$C" --vary X-A httpGETa.test/d/v
	mkcache -o "$C" --vary X-A --variant-headers 'X-A: 1' httpGETa.test/d/v
	selects 'httpGETa.test/d httpGETa.test/d/v httpGETa.test/d/x' --strict --recursive http://a.test/d
}

@test "ambiguous entries count only where they are left" {
	stored a.test/p a.test/pd a.test/pde
	PARAMS=',levels=1:2,key=$host$request_uri$cookie_lang'
	run -0 --separate-stderr ngxcache purge -n --json -d "$C$PARAMS" http://a.test/p
	json_is '[d["purged"], d["ambiguous"]]' '[1, 2]'
	[[ $stderr == *'left 2 entries'* ]]
	run -0 --separate-stderr ngxcache purge -n --json -d "$C$PARAMS" http://a.test/p http://a.test/pd
	json_is '[d["purged"], d["ambiguous"], [s["ambiguous"] for s in d["selectors"]]]' '[2, 1, [1, 1]]'
	ok purge -n --json -d "$C$PARAMS" http://a.test/p --glob 'a.test/*'
	json_is '[d["purged"], d["ambiguous"]]' '[3, 0]'
	ok purge -n --json -d "$C$PARAMS" --status 404 http://a.test/p
	json_is '[d["purged"], d["ambiguous"]]' '[0, 0]'
}

@test "a miss says when no location caches the URL" {
	mkcache -o "$C" a.test/x
	conf <<-END
		proxy_cache_path $C keys_zone=pages:1m levels=1:2;
		proxy_cache pages;
		proxy_cache_key \$host\$request_uri;
		server {
			listen 80;
			server_name a.test;
			location / { proxy_pass http://127.0.0.1:8000; }
			location /no/ { proxy_cache off; proxy_pass http://127.0.0.1:8000; }
		}
	END
	ok purge -n -c "$CONF" http://a.test/no/x
	[[ $output == *"nothing matched 'http://a.test/no/x': no location caches this URL"* ]]
	ok purge -n --json -c "$CONF" http://a.test/no/x http://a.test/y http://a.test:81/x
	json_is '[s["uncached"] for s in d["selectors"]]' '[true, false, true]'
}

@test "selectors are told in the order of the command line" {
	stored httpGETa.test/1
	ok purge -n --json -d "$C$PARAMS" http://a.test/1 --key k --glob 'g*' -- http://a.test/2
	json_is '[s["selector"] for s in d["selectors"]]' \
	    '["http://a.test/1", "k", "g*", "http://a.test/2"]'
	ok purge -n --json -d "$C$PARAMS" --key k http://a.test/1 --from <(echo http://a.test/3) http://a.test/2
	json_is '[s["selector"] for s in d["selectors"]]' \
	    '["k", "http://a.test/1", "http://a.test/3", "http://a.test/2"]'
}
