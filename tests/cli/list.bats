#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# list: which files are entries, and what is told of each.

load cli

@test "list: an entry's JSON has the fields of the manual, in order" {
	mkcache -o "$C" httpGETa.test/1
	ok list --json -d "$C"
	shape 'lines[0]' "${ENTRY[@]}"
	equal "${#lines[@]}" 1
}

@test "list: JSON tells what the header and the response say" {
	file=$(mkcache -v -o "$C" --valid 1796050300 --date 1796050001 --updating 60 --error 90 \
	    --last-modified 1700000000 --etag '"v1"' --status 404 --type 'text/css; charset=utf-8' \
	    --header 'Content-Encoding: gzip' --body 0123456789 'httpsGETa.test/x?y=1')
	ok list --json -d "$C,name=pages,key=\$scheme\$request_method\$host\$request_uri" --now 1796050301
	json_is 'lines[0]["zone"]' pages
	json_is 'lines[0]["file"]' "$file"
	json_is 'lines[0]["key"]' 'httpsGETa.test/x?y=1'
	json_is '[lines[0][k] for k in ("url", "scheme", "method", "host", "uri")]' \
	    '["https://a.test/x?y=1", "https", "GET", "a.test", "/x?y=1"]'
	json_is '[lines[0][k] for k in ("kind", "vary", "variant", "orphan")]' \
	    '["main", null, null, false]'
	json_is '[lines[0][k] for k in ("version", "layout", "protocol", "status")]' \
	    '[5, "lp64le", "http", 404]'
	json_is '[lines[0][k] for k in ("content_type", "content_encoding", "content_length")]' \
	    '["text/css; charset=utf-8", "gzip", 10]'
	json_is 'lines[0]["tags"]' '[]'
	json_is '[lines[0][k] for k in ("size", "body_size")]' "[$(stat -c %s "$file"), 10]"
	json_is 'lines[0]["allocated"]' "$(($(stat -c %b "$file") * 512))"
	json_is 'lines[0]["header_start"]' $((336 + 6 + 20 + 1))
	json_is 'lines[0]["size"] - lines[0]["body_start"]' 10
	json_is '[lines[0][k] for k in ("valid", "last_modified", "date", "updating", "error")]' \
	    '[1796050300, 1700000000, 1796050001, 60, 90]'
	json_is '[lines[0][k] for k in ("etag", "state")]' '["\"v1\"", "stale"]'
}

# tells_urls TEMPLATE KEY=URL...: the URLs of entries stored by that template of a.test; "null"
# for none.
tells_urls() {
	local template=$1 pair

	shift
	conf <<-END
		proxy_cache_path $C levels=1:2 keys_zone=z:1m;
		server {
			listen 80;
			server_name a.test;
			slice 1m;
			location / { proxy_cache z; proxy_cache_key "$template"; proxy_pass http://up; }
		}
	END
	for pair; do
		mkcache -o "$C" "${pair%%=>*}"
		ok list --fields url --json -c "$CONF"
		json_is 'lines[0]["url"]' "${pair#*=>}"
		rm -r "$C"
	done
}

@test "list: what nginx decoded of a path is encoded in the URL" {
	tells_urls '$host$uri' 'a.test/a#b=>http://a.test/a%23b' 'a.test/100%=>http://a.test/100%25' \
	    'a.test/100%41=>http://a.test/100%2541' 'a.test/a?b=>http://a.test/a%3Fb' \
	    $'a.test/a b/\xc3\xa4=>http://a.test/a%20b/%C3%A4'
	tells_urls '$host$uri$is_args$args' 'a.test/a b?c=%41?d=>http://a.test/a%20b?c=%41?d' \
	    'a.test/100%=>http://a.test/100%25'
	tells_urls '$host$uri?$args' 'a.test/a b?c=%41=>http://a.test/a%20b?c=%41'
	tells_urls '$host$request_uri' 'a.test/a%20b?c=>http://a.test/a%20b?c'
	mkcache -o "$C" 'a.test/100%41 b'
	conf <<-END
		proxy_cache_path $C levels=1:2 keys_zone=z:1m;
		server {
			listen 80;
			server_name a.test;
			location / { proxy_cache z; proxy_cache_key \$host\$uri; proxy_pass http://up; }
		}
	END
	ok urls -c "$CONF"
	equal "$output" http://a.test/100%2541%20b
	ok list --json -c "$CONF" 'http://a.test/100%2541*'
	json_is '[lines[0]["uri"], lines[0]["url"]]' '["/100%41 b", "http://a.test/100%2541%20b"]'
}

@test "list: arguments that stand apart from the path in a key are in the URL" {
	tells_urls '$host|$uri|$args' 'a.test|/p|id=5=>http://a.test/p?id=5' \
	    'a.test|/p|=>http://a.test/p' 'a.test|/a b|c=%41=>http://a.test/a%20b?c=%41'
	tells_urls '$host$uri|$query_string' 'a.test/p|id=5=>http://a.test/p?id=5'
	tells_urls '$scheme|$host|$args|$uri' 'http|a.test|id=5|/p=>http://a.test/p?id=5'
	tells_urls '$host$uri$slice_range$is_args$args' \
	    'a.test/pbytes=0-99?id=5=>http://a.test/p?id=5' \
	    'a.test/pbytes=0-99=>http://a.test/p'
	tells_urls '$host$request_uri|$uri|$args' 'a.test/%70?id=5|/p|id=5=>http://a.test/%70?id=5'
	tells_urls '$uri|$host$uri$is_args$args' '/p|a.test/p?id=5=>http://a.test/p?id=5'
	tells_urls '$host$uri$is_args$args|$uri' 'a.test/p?id=5|/p=>http://a.test/p?id=5'
}

@test "list: a key that tells one argument of a query has no URL but where that is empty" {
	tells_urls '$host$uri|$arg_id' 'a.test/p|5=>null' 'a.test/p|=>http://a.test/p'
	tells_urls '$host$request_uri|$arg_id' 'a.test/p?id=5|5=>http://a.test/p?id=5'
}

@test "list: a URL pattern sees the arguments that stand apart from the path" {
	mkcache -o "$C" 'a.test|/p|id=5' 'a.test|/p|id=6'
	ok list --json -d "$C,key=\$host|\$uri|\$args" 'http://a.test/*?id=5'
	json_is '[[x["key"], x["uri"]] for x in lines]' '[["a.test|/p|id=5", "/p"]]'
}

# tells_rewritten LOCATIONS KEY=>URL,URI...: of entries stored by those locations of a.test
tells_rewritten() {
	local locations=$1 pair

	shift
	conf <<-END
		proxy_cache_path $C levels=1:2 keys_zone=z:1m;
		upstream up { server 127.0.0.1:8000; }
		server { listen 80; server_name a.test; proxy_cache z; $locations }
	END
	for pair; do
		mkcache -o "$C" "${pair%%=>*}"
		ok list --fields url,uri --json -c "$CONF"
		equal "$output" "${pair#*=>}"
		rm -r "$C"
	done
}

@test "list: a URI that a location rewrote is no URL of the entry" {
	local none='{"url":null,"uri":null}'

	tells_rewritten 'location /api/ { rewrite ^/api/(.*)$ /$1 break; proxy_pass http://up; }' \
	    "http://up/x?q=1=>$none" "http://up/api/x=>$none"
	tells_rewritten 'location /api/ { rewrite ^/api/(.*)$ /n/$1; break; proxy_pass http://up; }' \
	    "http://up/n/x=>$none"
	tells_rewritten 'location /api/ { if ($arg_a) { rewrite ^ /n break; } proxy_pass http://up/v1/; }' \
	    "http://up/n=>$none" "http://up/v1/x=>$none"
	tells_rewritten 'location /api/ { rewrite ^/api/(.*)$ /$1 break; proxy_pass http://up;
	    proxy_cache_key $host$uri; }' "a.test/x=>$none"
	tells_rewritten 'location /api/ { rewrite ^/api/(.*)$ /$1 break; proxy_pass http://up;
	    proxy_cache_key $host$request_uri; }' \
	    'a.test/api/x=>{"url":"http://a.test/api/x","uri":"/api/x"}'
}

@test "list: a URI that a rewrite leaves alone is a URL of the entry" {
	tells_rewritten 'location / { rewrite ^/api/(.*)$ /$1 break; proxy_pass http://up; }' \
	    'http://up/x?q=1=>{"url":"http://a.test/x?q=1","uri":"/x?q=1"}' \
	    'http://up/api/x=>{"url":null,"uri":null}'
	tells_rewritten 'location /api/ { rewrite ^/api/(.*)$ /b/$1 last; }
	    location /b/ { proxy_pass http://up; }' \
	    'http://up/b/x=>{"url":"http://a.test/b/x","uri":"/b/x"}'
}

@test "list: the port that a key tells is in the URL unless it is the default" {
	tells_urls '$scheme://$host:$server_port$request_uri' \
	    'http://a.test:47310/p?id=5=>http://a.test:47310/p?id=5' \
	    'http://a.test:80/p=>http://a.test/p' 'https://a.test:443/p=>https://a.test/p' \
	    'https://a.test:80/p=>https://a.test:80/p'
	tells_urls '$http_host|$host$uri' 'a.test:81|a.test/x=>http://a.test:81/x' \
	    'a.test|a.test/x=>http://a.test/x'
	tells_urls '$http_host$uri' 'a.test:81/x=>http://a.test:81/x'
	tells_urls '$server_port$request_uri' '8080/x=>http://a.test:8080/x'
}

@test "list: a location without a path of its own writes no key of another path" {
	local v1='location /api/ { proxy_pass http://up/v1/; }'
	local none='{"url":null,"uri":null}'

	tells_rewritten "$v1 location /static/ { proxy_pass http://up; }" \
	    'http://up/v1/x?q=1=>{"url":"http://a.test/api/x?q=1","uri":null}' \
	    'http://up/static/x=>{"url":"http://a.test/static/x","uri":"/static/x"}'
	tells_rewritten "$v1 location /v1/ { proxy_pass http://up; }" "http://up/v1/x=>$none"
	tells_rewritten "$v1 location / { proxy_pass http://up; }" "http://up/v1/x=>$none"
	tells_rewritten "$v1 location /static/ { proxy_pass http://up; }" \
	    "http://up/v1/../static/x=>$none"
	mkcache -o "$C" http://up/v1/x http://up/static/x
	ok list --json -c "$CONF" 'http://a.test/api/*'
	json_is '[x["key"] for x in lines]' '["http://up/v1/x"]'
}

@test "list: what an entry lacks is null" {
	mkcache -o "$C" --type '' --no-length GETa.test/1
	ok list --json -d "$C"
	json_is '[lines[0][k] for k in ("zone", "scheme", "vary", "variant", "content_type")]' \
	    '[null, null, null, null, null]'
	json_is '[lines[0][k] for k in ("content_encoding", "content_length")]' '[null, null]'
	json_is '[lines[0][k] for k in ("last_modified", "etag")]' '[null, null]'
}

@test "list: the state is invalidated, fresh, stale or expired" {
	mkcache -o "$C" --valid 1000 --invalidated GETa.test/invalidated
	mkcache -o "$C" --valid 1000 GETa.test/plain
	mkcache -o "$C" --valid 1000 --updating 10 GETa.test/updating
	mkcache -o "$C" --valid 1000 --error 20 GETa.test/error
	for case in '1000 invalidated fresh fresh fresh' '1001 invalidated expired stale stale' \
	    '1010 invalidated expired stale stale' '1011 invalidated expired expired stale' \
	    '1021 invalidated expired expired expired'; do
		read -r now invalidated plain updating error <<<"$case"
		ok list --json -d "$C" --now "$now"
		json_is 'sorted([x["key"][10:], x["state"]] for x in lines)' \
		    "[[\"error\", \"$error\"], [\"invalidated\", \"$invalidated\"], [\"plain\", \"$plain\"], [\"updating\", \"$updating\"]]"
	done
}

@test "list: an invalidated entry keeps the version of its layout" {
	mkcache -o "$C" --invalidated GETa.test/1
	ok list --json -d "$C"
	json_is '[lines[0]["version"], lines[0]["state"]]' '[5, "invalidated"]'
}

@test "list: a variant is told from the main entry of its key" {
	mkcache -o "$C" --vary Accept-Encoding GETa.test/1
	file=$(mkcache -v -o "$C" --vary Accept-Encoding --variant-headers 'Accept-Encoding: gzip' \
	    GETa.test/1)
	ok list --json -d "$C"
	json_is 'sorted(x["kind"] for x in lines)' '["main", "variant"]'
	json_is '[x["vary"] for x in lines]' '["Accept-Encoding", "Accept-Encoding"]'
	json_is '[x["variant"] for x in lines if x["kind"] == "variant"]' "[\"${file##*/}\"]"
	json_is '[len(x["variant"]) for x in lines]' '[32, 32]'
}

@test "list: tags come from every known header, on any line, parted by blanks or commas" {
	mkcache -o "$C" --header 'Cache-Tag: a, b' --header 'Surrogate-Key: c d' \
	    --header 'X-Cache-Tags: e' --header 'xkey: f' --header 'X-Magento-Tags: g,h' \
	    --header 'cache-tags: i' --header 'Cache-Tag: j' --header 'X-Other: k' GETa.test/1
	ok list --json -d "$C"
	json_is '"".join(sorted(lines[0]["tags"]))' abcdefghij
}

@test "list: the text has a line for every entry, with its key and status" {
	mkcache -o "$C" --status 404 GETa.test/gone
	mkcache -o "$C" GETa.test/here
	ok list -d "$C"
	[[ $output =~ (^|$'\n')[^$'\n']*404[^$'\n']*GETa.test/gone($'\n'|$) ]]
	[[ $output =~ (^|$'\n')[^$'\n']*200[^$'\n']*GETa.test/here($'\n'|$) ]]
}

@test "list: -0 and --null print paths alone, each ended by NUL" {
	mkcache -v -o "$C" --count 20 --template GETa.test/%d | sort >"$T/wanted"
	for option in -0 --null; do
		ngxcache list "$option" -d "$C" >"$T/got" 2>"$T/err"
		equal "$(cat "$T/err")" ""
		equal "$(tr -dc '\0' <"$T/got" | wc -c)" 20
		cmp <(tr '\0' '\n' <"$T/got" | sort) "$T/wanted"
	done
}

@test "list: -0 names only what is selected" {
	mkcache -o "$C" GETa.test/1
	file=$(mkcache -v -o "$C" GETa.test/2)
	ngxcache list -0 -d "$C" --key GETa.test/2 >"$T/got"
	cmp "$T/got" <(printf '%s\0' "$file")
}

@test "list: without a selection everything is listed" {
	mkcache -o "$C" --count 300 --template GETa.test/%d
	ok list --json -d "$C"
	json_is 'len(lines)' 300
	json_is 'len(set(x["key"] for x in lines))' 300
	ok list --json -d "$C" --all
	json_is 'len(lines)' 300
}

@test "list: an empty directory is a cache without entries" {
	mkdir "$C"
	ok list -d "$C"
	equal "$output" ""
	ok list --json -d "$C"
	equal "$output" ""
}

@test "list: level directories without entries are a cache" {
	mkdir -p "$C/a/0f"
	ok list --json -d "$C"
	equal "$output" ""
}

@test "list: a file is an entry only where its name leads" {
	name=0123456789abcdef0123456789abcdef
	for dir in . f de/f f/de f/e/d ef/cd/ab f/e/cd f/e/dc 0 f/d; do
		mkcache -o "$T/right" --levels none --name "$name" GETa.test/1
		mkdir -p "$C/$dir"
		cp "$T/right/$name" "$C/$dir/$name"
	done
	ok list --json -d "$C"
	json_is '" ".join(sorted(x["file"] for x in lines))' \
	    "$C/$name $C/ef/cd/ab/$name $C/f/$name $C/f/de/$name $C/f/e/cd/$name $C/f/e/d/$name"
}

@test "list: only directories of one or two lower-case hex digits are entered, three deep" {
	name=0123456789abcdef0123456789abcdef
	mkcache -o "$T/right" --levels none --name "$name" GETa.test/1
	for dir in def F g temp f/e/d/c .f; do
		mkdir -p "$C/$dir"
		cp "$T/right/$name" "$C/$dir/$name"
	done
	mkdir -p "$C/f/e/d"
	ok list --json -d "$C"
	equal "$output" ""
}

@test "list: other names are no entries" {
	mkcache -o "$C" GETa.test/1
	file=$(cd "$C" && find . -type f)
	for name in "${file^^}" "${file}0" "${file%?}" "$file.0123456789" "$file.bak" .lock README; do
		cp "$C/$file" "$C/${name##*/}" || cp "$C/$file" "$C/x"
	done
	ok list --json -d "$C"
	json_is 'len(lines)' 1
}

@test "list: changes nothing" {
	mkcache -o "$C" --count 20 --template GETa.test/%d
	before=$(tree "$C")
	ok list -d "$C"
	ok list --json -d "$C" --status 200 --host a.test
	equal "$(tree "$C")" "$before"
}

@test "list: a key in the text is written on one line, whatever it holds" {
	mkcache -o "$C" $'GETa.test/\n\e[31m\r\t\x7f'
	ok list -d "$C"
	equal "${#lines[@]}" "$(grep -c . <<<"$output")"
	equal "$(tr -d '[:print:]\n' <<<"$output")" ""
	equal "$(grep -c 'GETa.test/' <<<"$output")" 1
}

@test "list: a selector that matched nothing tells on standard error what was tried" {
	mkcache -o "$C" GETa.test/1
	sum=$(printf GETa.test/nope | md5sum | cut -c 1-32)
	run -0 --separate-stderr ngxcache list -d "$C,levels=1:2" --key GETa.test/nope --key GETa.test/1
	equal "${#lines[@]}" 1
	equal "$stderr" "$(printf '%s\n' "ngxcache: nothing matched 'GETa.test/nope'; looked up:" \
	    '    GETa.test/nope' "        $C/${sum: -1}/${sum: -3:2}/$sum")"
	run -0 --separate-stderr ngxcache list -d "$C" 'http://b.test/*'
	equal "$output" ""
	equal "$stderr" "ngxcache: nothing matched 'http://b.test/*'"
}

@test "list: programs are not told what was tried" {
	mkcache -o "$C" GETa.test/1
	for format in --json -0 -q; do
		ok list "$format" -d "$C,levels=1:2" --key GETa.test/nope
		equal "$output" ""
	done
	ok list -d "$C" --status 404
	equal "$output" ""
}

@test "list: what JSON must escape is escaped wherever in a key it stands" {
	special=('"' '\' $'\x7f' $'\x01' $'\t' 'é')
	keys=()
	for c in "${special[@]}"; do
		for n in {0..24}; do
			printf -v before '%*s' "$n" ''
			printf -v after '%*s' $((24 - n)) ''
			keys+=("k${before// /a}$c${after// /~}")
		done
	done
	mkcache -o "$T/escapes" "${keys[@]}"
	ok list --json --fields key -d "$T/escapes"
	equal "$(jq -r .key <<< "$output" | sort)" "$(printf '%s\n' "${keys[@]}" | sort)"
}
