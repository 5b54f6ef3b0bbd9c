#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# urls: the URLs of the entries, each once.

load cli

@test "urls: the path that a location took off is put back" {
	mkcache -o "$C" 'http://up/v1/x?y=1' http://up/both/x http://up/two/x
	conf <<-END
		proxy_cache_path $C levels=1:2 keys_zone=pages:1m;
		upstream up { server 127.0.0.1:8000; }
		server {
			listen 80;
			server_name a.test;
			proxy_cache pages;
			location /api/ { proxy_pass http://up/v1/; }
			location /one/ { proxy_pass http://up/both/; }
			location /other/ { proxy_pass http://up/both/; }
			location = /two { proxy_pass http://up/two/x; }
		}
	END
	ok urls -c "$CONF"
	equal "$output" "$(printf '%s\n' 'http://a.test/api/x?y=1' http://a.test/two)"
	ok list --json -c "$CONF" '/api/*'
	json_is '[[x["url"], x["uri"]] for x in lines]' '[["http://a.test/api/x?y=1", null]]'
	ok list --json -c "$CONF" --key http://up/both/x
	json_is '[x["url"] for x in lines]' '[null]'
}

@test "urls: each URL is told once, in order, with how many entries have it" {
	mkcache -o "$C" httpGETa.test/2 httpGETa.test/1 httpHEADa.test/1 httpsGETa.test/1
	ok urls --json -d "$C,name=z"
	equal "${lines[0]}" '{"url":"http://a.test/1","zone":"z","entries":2}'
	equal "${lines[1]}" '{"url":"http://a.test/2","zone":"z","entries":1}'
	equal "${lines[2]}" '{"url":"https://a.test/1","zone":"z","entries":1}'
	equal "${#lines[@]}" 3
	ok urls -d "$C"
	equal "$output" $'http://a.test/1\nhttp://a.test/2\nhttps://a.test/1'
}

@test "urls: variants of a page are one URL" {
	mkcache -o "$C" --vary X --variant-headers 'x: 1' --main httpGETa.test/1
	mkcache -o "$C" --vary X --variant-headers 'x: 2' httpGETa.test/1
	ok urls -d "$C"
	equal "$output" http://a.test/1
}

@test "urls: takes the selection of list" {
	mkcache -o "$C" httpGETa.test/1 httpGETb.test/1
	mkcache -o "$C" --status 404 httpGETa.test/gone
	ok urls -d "$C" --host a.test --status 404
	equal "$output" http://a.test/gone
	run -1 --separate-stderr ngxcache urls -d "$C" --host c.test --fail-if-none
	equal "$output" ""
}

@test "urls: what has no URL is left out, and counted with -v" {
	mkcache -o "$C" httpGETa.test/1 'no url'
	run -0 --separate-stderr ngxcache urls -v -d "$C"
	equal "$output" http://a.test/1
	[[ $stderr == *"left out 1 entries"* ]]
}

@test "urls: bytes that a terminal must not see are escaped in text, exact in JSON" {
	mkcache -o "$C" $'httpGETa.test/\xc2\x9b31m'
	ok urls -d "$C,key=\$scheme\$request_method\$host\$request_uri"
	equal "$output" 'http://a.test/\u{009b}31m'
	ok urls --json -d "$C,key=\$scheme\$request_method\$host\$request_uri"
	json_is 'd["url"]' $'http://a.test/\u009b31m'
}
