#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# show: one entry in full, found by URL, key or file.

load cli

# A configuration whose only zone lies in that directory.
site_of() {
	CONF=$T/show.conf
	cat >"$CONF" <<-EOF
		events { }
		http {
			proxy_cache_path $1 levels=1:2 keys_zone=z:1m;
			server {
				listen 80;
				server_name a.test;
				location / {
					proxy_pass http://127.0.0.1:9;
					proxy_cache z;
					proxy_cache_key \$scheme\$request_method\$host\$request_uri;
				}
			}
		}
	EOF
}

@test "show: JSON has an entry's fields, and the headers behind them" {
	mkcache -o "$C" GETa.test/1
	ok show --json -d "$C" --key GETa.test/1
	shape d "${ENTRY[@]}" headers:list variants:null crc_ok:bool name_ok:bool
	equal "${#lines[@]}" 1
}

# varied: a main entry and two variants of it, and others that are none of theirs
varied() {
	mkcache -o "$C" --vary Accept-Encoding GETa.test/1
	for coding in gzip br; do
		mkcache -o "$C" --vary Accept-Encoding --variant-headers "Accept-Encoding: $coding" \
		    --header "Content-Encoding: $coding" GETa.test/1
		mkcache -o "$C" --vary Accept-Encoding --variant-headers "Accept-Encoding: $coding" GETa.test/2
	done
	mkcache -o "$T/other" GETa.test/1
}

@test "show --variants: tells the other entries of the key, in that zone" {
	varied
	ok show --json -d "$C" -d "$T/other" --variants --key GETa.test/1
	json_is 'd["kind"]' main
	json_is 'sorted([v["kind"], v["key"], v["content_encoding"]] for v in d["variants"])' \
	    '[["variant", "GETa.test/1", "br"], ["variant", "GETa.test/1", "gzip"]]'
	json_is '[v["file"] for v in d["variants"]] == sorted(v["file"] for v in d["variants"])' true
	json_is 'list(d["variants"][0]) == [k for k in d if k not in ("headers", "variants", "crc_ok", "name_ok")]' true
	file=$(json_get '[v["file"] for v in d["variants"] if v["content_encoding"] == "br"][0]' <<<"$output")
	ok show --json -d "$C" --file "$file" --variants
	json_is '[d["kind"], sorted(v["kind"] for v in d["variants"])]' '["variant", ["main", "variant"]]'
	ok show -d "$C" --variants --key GETa.test/1
	[[ $output == *"$file (variant, "*", br)"* ]] || equal "$output" "$file"
	ok show --json -d "$T/other" --variants --key GETa.test/1
	json_is 'd["variants"]' '[]'
}

@test "show --variants: with what cannot be" {
	mkcache -o "$C" GETa.test/1
	refused '--variants and --body' show -d "$C" --variants --body --key GETa.test/1
	run -1 --separate-stderr ngxcache show -d "$C" --variants --key GETa.test/3
	[[ $stderr == 'ngxcache: GETa.test/3: not cached'* ]] || equal "$stderr" "not cached"
}

@test "explain --variants: tells the entries of the key, also without a main entry" {
	varied
	site '$request_method$host$request_uri'
	ok explain --json -c "$CONF" --variants http://a.test/1
	json_is '[d["present"], len(d["variants"])]' '[true, 2]'
	ok explain --json -c "$CONF" --variants http://a.test/2
	json_is '[d["present"], [v["kind"] for v in d["variants"]]]' '[false, ["variant", "variant"]]'
	ok explain --json -c "$CONF" --variants http://a.test/3
	json_is 'd["variants"]' '[]'
	ok explain -c "$CONF" --variants http://a.test/2
	equal "$(grep -c '(variant, ' <<<"$output")" 2
	ok explain --json -c "$CONF" http://a.test/2
	json_is 'd["variants"]' null
}

@test "show: headers are told in order, repeated ones too" {
	mkcache -o "$C" --header 'X-A: 1' --header 'Set-Cookie: s=1' --header 'X-A: 2' --body hi GETa.test/1
	ok show --json -d "$C" --key GETa.test/1
	json_is '[h for h in d["headers"] if h[0] in ("X-A", "Set-Cookie")]' \
	    '[["X-A", "1"], ["Set-Cookie", "s=1"], ["X-A", "2"]]'
	json_is '["Content-Length", "2"] in d["headers"]' true
}

@test "show: the text tells key, file, status and headers" {
	file=$(mkcache -v -o "$C" --status 301 --header 'Location: /2' --etag '"v1"' GETa.test/1)
	ok show -d "$C" --key GETa.test/1
	for word in GETa.test/1 "$file" 301 'Location: /2' '"v1"'; do
		[[ $output == *"$word"* ]] || equal "$output" "$word"
	done
}

@test "show: says what nginx would do with the entry" {
	mkcache -o "$C" --valid 1000 --updating 10 GETa.test/1
	ok show -d "$C" --key GETa.test/1 --now 1000
	[[ $output == *fresh* && $output != *stale:* ]]
	ok show -d "$C" --key GETa.test/1 --now 1001
	[[ $output == *stale* ]]
	ok show -d "$C" --key GETa.test/1 --now 1011
	[[ $output == *expired* ]]
	ok purge --mode invalidate -d "$C" --all
	ok show -d "$C" --key GETa.test/1 --now 1000
	[[ $output == *invalidated* ]]
}

@test "show: finds an entry by its URL" {
	mkcache -o "$C" httpGETa.test/1 httpGETa.test/2
	ok show --json -d "$C" http://a.test/2
	json_is 'd["key"]' httpGETa.test/2
}

@test "show: of several entries of a URL it takes the one asked for by GET and scheme" {
	mkcache -o "$C" httpHEADa.test/1 httpGETa.test/1 httpsHEADa.test/1 httpsGETa.test/1
	ok show --json -d "$C" http://a.test/1
	json_is 'd["key"]' httpGETa.test/1
	ok show --json -d "$C" https://a.test/1
	json_is 'd["key"]' httpsGETa.test/1
}

@test "show: finds an entry by its file, without -d" {
	file=$(mkcache -v -o "$C" GETa.test/1)
	mkcache -o "$C" GETa.test/2
	ok show --json --file "$file"
	json_is '[d["key"], d["file"]]' "[\"GETa.test/1\", \"$file\"]"
	cd "$C"
	ok show --json --file "${file#"$C/"}"
	json_is 'd["key"]' GETa.test/1
}

@test "show: --body writes the stored body, byte for byte" {
	mkcache -o "$C" --body-size 200000 GETa.test/big
	ngxcache show --body -d "$C" --key GETa.test/big >"$T/body" 2>"$T/err"
	equal "$(cat "$T/err")" ""
	cmp "$T/body" <(head -c 200000 /dev/zero | tr '\0' x)
	mkcache -o "$C" --body $'no end of line' GETa.test/small
	ngxcache show --body -d "$C" --key GETa.test/small >"$T/body"
	cmp "$T/body" <(printf 'no end of line')
}

@test "show: a wrong crc or name is told" {
	file=$(mkcache -v -o "$C" GETa.test/1)
	ok show --json --file "$file"
	json_is '[d["crc_ok"], d["name_ok"]]' '[true, true]'
	file=$(mkcache -v -o "$C" --name 0123456789abcdef0123456789abcdef GETa.test/2)
	ok show --json --file "$file"
	json_is '[d["key"], d["crc_ok"], d["name_ok"]]' '["GETa.test/2", true, false]'
}

@test "show: nothing there is status 1" {
	file=$(mkcache -v -o "$C" httpGETa.test/1)
	for what in '--key x' http://a.test/2 "--file ${file%/*}/0123456789abcdef0123456789abc${file: -3}"; do
		for option in --json --body --color=never; do
			# shellcheck disable=SC2086
			run -1 --separate-stderr ngxcache show "$option" -d "$C" $what
			equal "$output" ""
			[[ $stderr == 'ngxcache: '* ]]
		done
	done
}

@test "show: a damaged file is status 3, with its name" {
	file=$(mkcache -v -o "$C" --truncate 100 GETa.test/1)
	for option in --json --body --color=never; do
		fails 3 "$file" show "$option" --file "$file"
		equal "$output" ""
	done
}

@test "show: wants one entry" {
	mkcache -o "$C" httpGETa.test/1 httpGETa.test/2
	refused 'ngxcache help show' show -d "$C"
	refused '' show -d "$C" http://a.test/1 http://a.test/2
	refused '' show -d "$C" http://a.test/1 --key httpGETa.test/1
	refused '' show -d "$C" --key a --key b
}

@test "show: a pattern is no entry, and its star is one with a backslash or a configuration" {
	mkcache -o "$C" 'httpGETa.test/*' httpGETa.test/1
	refused "*'http://a.test/\**' is a pattern*list*" show -d "$C" 'http://a.test/*'
	ok show --json -d "$C" 'http://a.test/\*'
	json_is 'd["key"]' 'httpGETa.test/*'
	site_of "$C"
	ok show --json -c "$CONF" 'http://a.test/*'
	json_is 'd["key"]' 'httpGETa.test/*'
	run -1 --separate-stderr ngxcache show -c "$CONF" 'http://a.test/1*'
	equal "${stderr_lines[0]}" 'ngxcache: http://a.test/1*: not cached'
	[[ ${stderr_lines[-1]} == "a '*' stands for itself here: "* ]]
}

@test "show: changes nothing" {
	mkcache -o "$C" --count 5 --template GETa.test/%d
	before=$(tree "$C")
	ok show -d "$C" --key GETa.test/1
	ok show --body -d "$C" --key GETa.test/1
	equal "$(tree "$C")" "$before"
}

@test "show: control characters of headers and keys are escaped in the text" {
	mkcache -o "$C" --header $'X-Evil: \e[31mred' $'GETa.test/\e]0;title\a'
	ok show -d "$C" --key $'GETa.test/\e]0;title\a'
	equal "$(tr -d '[:print:]\n' <<<"$output")" ""
	[[ $output == *X-Evil:* ]]
}

@test "show: -H chooses the variant that nginx would answer with" {
	mkcache -o "$T/z" --vary Accept-Encoding --variant-headers 'accept-encoding: gzip' \
	    --main --body main httpGETa.test/1
	mkcache -o "$T/z" --vary Accept-Encoding --variant-headers 'accept-encoding: br' \
	    --body variant httpGETa.test/1
	site_of "$T/z"
	ok show --body -c "$CONF" -H 'Accept-Encoding: gzip' http://a.test/1
	equal "$output" main
	ok show --body -c "$CONF" -H 'Accept-Encoding: br' http://a.test/1
	equal "$output" variant
	run -1 --separate-stderr ngxcache show --body -c "$CONF" http://a.test/1
	equal "$output" ""
}

@test "show: -X follows a request of that method, and takes no other" {
	mkcache -o "$T/z" httpHEADa.test/1
	site_of "$T/z"
	ok show --json -c "$CONF" -X HEAD http://a.test/1
	json_is 'd["key"]' httpHEADa.test/1
	run -1 --separate-stderr ngxcache show -c "$CONF" http://a.test/1
	[[ $stderr == *"httpGETa.test/1"* ]]
}

@test "show: -X and -H without a URL are refused" {
	mkcache -o "$C" GETa.test/1
	run -2 --separate-stderr ngxcache show -d "$C" --key GETa.test/1 -X HEAD
	[[ $stderr == *"go with a URL"* ]]
}

@test "show: a zone whose directory is missing is a failure, not an answer" {
	conf <<-END
		proxy_cache_path $T/none levels=1:2 keys_zone=pages:1m;
		server {
			listen 80;
			server_name a.test;
			location / { proxy_pass http://127.0.0.1:9; proxy_cache pages; proxy_cache_key \$uri; }
		}
	END
	for what in http://a.test/1 '--key /1'; do
		# shellcheck disable=SC2086
		fails 3 "$T/none" show -c "$CONF" $what
		equal "$(wc -l <<<"$stderr")" 1
		equal "$output" ""
	done
}

# encoded CODINGS [OPTION...]: an entry GETa.test/1 in $C whose body is standard input
encoded() {
	rm -rf "$C"
	cat >>"$(mkcache -v -o "$C" --no-length --body '' --header "Content-Encoding: $1" "${@:2}" GETa.test/1)"
}

# decoded WANTED: what show --body --decode writes
decoded() {
	ok show --body --decode -d "$C" --key GETa.test/1
	equal "$output" "$1"
}

# python_zlib BITS: standard input, deflated: 15 with zlib's header, -15 bare
python_zlib() {
	"$PYTHON" -c 'import sys, zlib
c = zlib.compressobj(wbits=int(sys.argv[1]))
sys.stdout.buffer.write(c.compress(sys.stdin.buffer.read()) + c.flush())' "$1"
}

# From libbrotlienc 1.0.9: "hello brotli " twenty times and a newline.
BR=GwQB+J0JNk6odze8VBBDSxA2uiqTS7a0t1JkwGjgsWV9AQ==

# From zstd 1.5.4: "one" and a newline.
ZSTD=KLUv/QRYIQAAb25lCt8WaAk=

# need_library NAME
need_library() {
	"$PYTHON" -c 'import ctypes, sys; ctypes.CDLL(sys.argv[1])' "$1" || skip "$1 is not installed"
}

@test "show: --decode undoes gzip, also of several members" {
	{ gzip <<<one; gzip <<<two; } | encoded gzip
	decoded 'one
two'
	gzip <<<one | encoded ' X-GZIP '
	decoded one
	gzip <<<one | encoded gzip --fastcgi
	decoded one
}

@test "show: --decode undoes deflate, with the header of zlib and without" {
	python_zlib 15 <<<one | encoded deflate
	decoded one
	python_zlib -15 <<<two | encoded deflate
	decoded two
}

@test "show: --decode undoes br" {
	need_library libbrotlidec.so.1
	base64 -d <<<"$BR" | encoded br
	decoded "$(printf 'hello brotli %.0s' {1..20})"
}

@test "show: --decode undoes zstd, also of several frames" {
	need_library libzstd.so.1
	base64 -d <<<"$ZSTD" | encoded zstd
	decoded one
	{ base64 -d <<<"$ZSTD"; base64 -d <<<"$ZSTD"; } | encoded zstd
	decoded 'one
one'
}

@test "show: --decode undoes codings one around the other, the last one first" {
	gzip <<<one | python_zlib 15 | encoded 'gzip, identity , deflate'
	decoded one
	gzip <<<one | python_zlib 15 | encoded gzip --header 'Content-Encoding: deflate'
	decoded one
}

@test "show: --decode of a body without a coding, or without a byte, is the body" {
	mkcache -o "$C" --body plain GETa.test/1
	decoded plain
	encoded gzip </dev/null
	decoded ''
	encoded identity <<<x
	decoded x
}

@test "show: --decode of a large body comes out whole" {
	"$PYTHON" -c 'import sys
for i in range(300000): sys.stdout.write("%d\n" % i)' >"$T/large"
	gzip <"$T/large" | encoded gzip
	ngxcache show --body --decode -d "$C" --key GETa.test/1 | cmp - "$T/large"
	head -c 50000000 /dev/zero | gzip | encoded gzip
	equal "$(ngxcache show --body --decode -d "$C" --key GETa.test/1 | wc -c)" 50000000
}

@test "show: --decode of a reader who goes away is quiet" {
	head -c 5000000 /dev/zero | gzip | encoded gzip
	run -0 --separate-stderr bash -c 'ngxcache show --body --decode -d "$1" --key GETa.test/1 | head -c 1 | wc -c' _ "$C"
	equal "$output$stderr" 1
}

@test "show: --decode of a broken body, and of a coding that is not known, is status 3" {
	gzip <<<one | head -c 12 | encoded gzip
	fails 3 'gzip: it ends early' show --body --decode -d "$C" --key GETa.test/1
	encoded gzip <<<'no gzip at all'
	fails 3 'gzip: incorrect header check' show --body --decode -d "$C" --key GETa.test/1
	equal "$output" ''
	{ gzip <<<one; echo more; } | encoded gzip
	fails 3 gzip: show --body --decode -d "$C" --key GETa.test/1
	{ python_zlib 15 <<<one; echo more; } | encoded deflate
	fails 3 'deflate: something follows its end' show --body --decode -d "$C" --key GETa.test/1
	encoded 'rot13' <<<x
	fails 3 "Content-Encoding 'rot13' is not known" show --body --decode -d "$C" --key GETa.test/1
	encoded 'gzip,gzip,gzip,gzip,gzip,gzip,gzip,gzip,gzip' <<<x
	fails 3 'too many' show --body --decode -d "$C" --key GETa.test/1
}

@test "show: --decode of a broken br or zstd body is status 3" {
	need_library libbrotlidec.so.1
	need_library libzstd.so.1
	for coding in br zstd; do
		encoded $coding <<<'neither one nor the other'
		fails 3 "$coding: " show --body --decode -d "$C" --key GETa.test/1
	done
	base64 -d <<<"$BR" | head -c 20 | encoded br
	fails 3 'br: it ends early' show --body --decode -d "$C" --key GETa.test/1
	base64 -d <<<"$ZSTD" | head -c 10 | encoded zstd
	fails 3 'zstd: it ends early' show --body --decode -d "$C" --key GETa.test/1
	{ base64 -d <<<"$BR"; echo more; } | encoded br
	fails 3 'br: something follows its end' show --body --decode -d "$C" --key GETa.test/1
}

# broken BYTES: standard input but for its last BYTES, which are zeros
broken() {
	head -c "-$1"
	head -c "$1" /dev/zero
}

@test "show: --decode writes what was decoded until a body turns out broken" {
	printf %300s one | gzip | broken 8 | encoded gzip
	fails 3 'gzip: incorrect data check' show --body --decode -d "$C" --key GETa.test/1
	equal "$output" "$(printf %300s one)"
	printf %300s one | python_zlib 15 | broken 4 | encoded deflate
	fails 3 'deflate: incorrect data check' show --body --decode -d "$C" --key GETa.test/1
	equal "$output" "$(printf %300s one)"
	printf %300s one | gzip | broken 8 | gzip | encoded gzip,gzip
	fails 3 'gzip: incorrect data check' show --body --decode -d "$C" --key GETa.test/1
	equal "$output" "$(printf %300s one)"
}

@test "show: --decode without --body is refused" {
	mkcache -o "$C" GETa.test/1
	refused '--decode goes with --body' show --decode -d "$C" --key GETa.test/1
}
