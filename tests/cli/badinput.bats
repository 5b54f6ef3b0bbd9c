#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# Bad input: one clear line, the right status, and nothing is lost.

load cli

setup() {
	C=$T/cache
	F=$C/a/bc/0123456789abcdef0123456789abcbca
}

# damaged: write $F, whose name is an entry's, from standard input.
damaged() {
	mkdir -p "${F%/*}"
	cat >"$F"
}

# is_damaged: $F is a damaged file for every command, and the entry beside it is fine.
is_damaged() {
	local size

	size=$(stat -c %s "$F")
	mkcache -o "$C" GETa.test/good
	ok list --json -d "$C"
	keys GETa.test/good
	ok list --json -d "$C" --all
	json_is 'sorted(x["file"] for x in lines if x["key"] is null)' "[\"$F\"]"
	json_is "[[x['size'], x['state'], x['status'], x['valid'], x['orphan']] for x in lines if x['key'] is null]" \
	    "[[$size, null, null, null, false]]"
	json_is 'list(lines[0]) == list(lines[1])' true
	ok list -d "$C" --all
	[[ $output == *damaged*"$F"* ]]
	ok list --json --file "$F"
	json_is '[x["file"] for x in lines]' "[\"$F\"]"
	fails 3 "$F" show --json --file "$F"
	equal "$output" ""
	ok zones --json -d "$C"
	json_is 'd["zones"][0]["entries"]' 2
	ok purge --json -d "$C" --regex . --dry-run
	json_is 'd["purged"]' 1
	ok purge --json --file "$F"
	json_is '[d["purged"], d["bytes"]]' "[1, $size]"
	[ ! -e "$F" ]
	equal "$(entries_in "$C")" 1
}

@test "an empty file is damaged" {
	damaged </dev/null
	is_damaged
}

@test "a file of garbage is damaged" {
	printf 'GIF89a and more' | damaged
	is_damaged
}

@test "a large file of zeros is damaged" {
	head -c 100000 /dev/zero | damaged
	is_damaged
}

@test "a large file of noise is damaged" {
	"$PYTHON" -c 'import random, sys
random.seed(1)
sys.stdout.buffer.write(random.randbytes(100000))' | damaged
	is_damaged
}

@test "a file cut within its header or key is damaged, wherever it is cut" {
	whole=$(mkcache -v -o "$T/whole" GETa.test/1)
	for size in 1 7 8 39 40 335 336 337 341 342 343 350; do
		rm -rf "$C"
		head -c "$size" "$whole" | damaged
		ok list --json -d "$C" --all
		json_is '[[x["size"], x["key"]] for x in lines]' "[[$size, null]]"
		ok purge --json -d "$C" --all
		json_is '[d["purged"], d["bytes"]]' "[1, $size]"
	done
}

@test "a file cut behind its key is an entry that is shown as far as it goes" {
	file=$(mkcache -v -o "$C" --status 404 --body 0123456789 GETa.test/1)
	ok list --json -d "$C"
	start=$(json_get 'lines[0]["header_start"]' <<<"$output")
	body=$(json_get 'lines[0]["body_start"]' <<<"$output")
	truncate -s $((body + 3)) "$file"
	ok list --json -d "$C"
	json_is '[lines[0][k] for k in ("key", "status", "body_size")]' '["GETa.test/1", 404, 3]'
	ok show --json -d "$C" --key GETa.test/1
	truncate -s $((body - 5)) "$file"
	ok list --json -d "$C"
	json_is '[lines[0][k] for k in ("key", "body_size")]' '["GETa.test/1", null]'
	ok show --json -d "$C" --key GETa.test/1
	truncate -s "$start" "$file"
	ok list --json -d "$C"
	json_is '[lines[0][k] for k in ("key", "body_size")]' '["GETa.test/1", null]'
	ok show -d "$C" --key GETa.test/1
	ok show --body -d "$C" --key GETa.test/1
	equal "$output" ""
	ok purge --json -d "$C" --key GETa.test/1
	json_is 'd["purged"]' 1
}

@test "a wrong crc, version, mark or offset is damaged" {
	for poke in 48=00000000 0=ff 0=04 336=58 54=ffff 54=0000 56=0100 341=0a; do
		rm -rf "$C"
		F=$(mkcache -v -o "$C" --poke "$poke" GETa.test/1)
		ok list --json -d "$C"
		equal "$output" "" "$poke"
		ok list --json -d "$C" --all
		json_is '[x["key"] for x in lines]' '[null]'
	done
}

@test "a damaged file is named with -v, and changes no status" {
	printf garbage | damaged
	mkcache -o "$C" GETa.test/good
	for words in list 'purge --glob *good'; do
		# shellcheck disable=SC2086
		run -0 --separate-stderr ngxcache -v -d "$C" $words
		[[ $stderr == *"$F"* ]] || equal "$stderr" "$F" "$words"
	done
}

@test "a damaged file can be neither invalidated nor expired, and is left alone" {
	printf garbage | damaged
	for mode in invalidate expire; do
		run --separate-stderr ngxcache purge --json -d "$C" --mode "$mode" --all
		[ "$status" -eq 0 ] || [ "$status" -eq 3 ]
		json_is 'd["purged"]' 0
		equal "$(cat "$F")" garbage
	done
}

@test "a half-written file is judged by what is there" {
	whole=$(mkcache -v -o "$T/whole" --body-size 100000 GETa.test/1)
	head -c 50000 "$whole" | damaged
	ok list --json --file "$F"
	json_is '[[x["key"], x["size"], x["content_length"]] for x in lines]' '[["GETa.test/1", 50000, 100000]]'
}

# --- keys of any bytes ---

# odd_key BYTES: an entry with that key (\xHH and so on as printf takes them); its base64 in $B64
odd_key() {
	B64=$(printf '%b' "$1" | base64 -w 0)
	mkcache -o "$C" --key-base64 "$B64"
}

# is_json_key KEY BASE64|null: what JSON tells; KEY as Python writes it
is_json_key() {
	json_is "lines[0]['key'] == $1" true
	json_is 'lines[0].get("key_base64")' "$2"
}

@test "a key with LF is one line of text and whole in JSON" {
	odd_key 'GETa.test/1\n2'
	ok list --json -d "$C"
	equal "${#lines[@]}" 1
	is_json_key '"GETa.test/1\n2"' null
	ok list -d "$C"
	equal "$(grep -c 'GETa.test/1' <<<"$output")" 1
	equal "$(grep -c '^2' <<<"$output" || :)" 0
}

@test "a key with LF KEY: in it is not cut" {
	odd_key 'GETa.test/1\nKEY: GETb.test/2'
	ok list --json -d "$C"
	is_json_key '"GETa.test/1\nKEY: GETb.test/2"' null
	ok purge --json -d "$C" --key 'GETb.test/2'
	json_is 'd["matched"]' 0
	ok purge --json -d "$C" --regex '^GETa[^$]*2$'
	json_is 'd["purged"]' 1
}

@test "a key with NUL is whole" {
	odd_key 'GETa.test/1\x002'
	ok list --json -d "$C"
	is_json_key '"GETa.test/1\0002"' null
	ok list -d "$C"
	[[ $output == *GETa.test/1*2* ]]
	ok show --json --file "$(find "$C" -type f)"
	json_is 'd["key"] == "GETa.test/1\0002"' true
	ok purge --json -d "$C" --regex '1\x002$'
	json_is 'd["purged"]' 1
}

@test "a key with escape sequences is escaped on the terminal" {
	odd_key 'GETa.test/\e[31mred\a\b\x9b'
	for words in list 'purge -n --all' "show --file $(find "$C" -type f)"; do
		# shellcheck disable=SC2086
		ok -d "$C" $words
		equal "$(LC_ALL=C tr -d '\n -~' <<<"$output")" "" "$words"
		[[ $output == *'GETa.test/'*'[31mred'* ]]
	done
	ok list --json -d "$C"
	equal "$(LC_ALL=C tr -d '\n -~' <<<"$output" | iconv -f UTF-8 | tr -d '\357\277\275')" ""
	is_json_key '"GETa.test/\x1b[31mred\x07\x08\ufffd"' "$B64"
}

@test "a key of invalid UTF-8 is valid UTF-8 in JSON, with its bytes in key_base64" {
	odd_key 'GETa.test/\xff\xfe'
	ok list --json -d "$C"
	iconv -f UTF-8 -t UTF-8 <<<"$output" >/dev/null
	is_json_key '"GETa.test/\ufffd\ufffd"' "$B64"
	json_is 'list(lines[0])[2:4]' '["key", "key_base64"]'
	ok show --json --file "$(find "$C" -type f)"
	json_is 'd["key_base64"]' "$B64"
	ok purge --json --list -d "$C" --all
	json_is 'd["entries"][0]["key_base64"]' "$B64"
}

@test "overlong, surrogate and cut sequences are no UTF-8" {
	for bytes in '\xc0\xaf' '\xed\xa0\x80' '\xf4\x90\x80\x80' '\xe2\x82' '\x80' '\xf8\x88\x80\x80\x80'; do
		rm -rf "$C"
		odd_key "GET/$bytes"
		ok list --json -d "$C"
		iconv -f UTF-8 -t UTF-8 <<<"$output" >/dev/null
		json_is 'lines[0]["key_base64"]' "$B64"
		json_is '"\ufffd" in lines[0]["key"]' true
	done
}

@test "a key of valid UTF-8 is itself, without key_base64" {
	odd_key 'GETa.test/é€😀'
	ok list --json -d "$C"
	is_json_key '"GETa.test/é€😀"' null
	json_is '"key_base64" in lines[0]' false
	ok purge --json -d "$C" --key GETa.test/é€😀
	json_is 'd["purged"]' 1
}

@test "an empty key and a very long one are keys" {
	mkcache -o "$C" ''
	ok list --json -d "$C"
	is_json_key '""' null
	ok purge --json -d "$C" --key ''
	json_is 'd["purged"]' 1
	long=GETa.test/$(head -c 30000 /dev/zero | tr '\0' x)
	mkcache -o "$C" "$long"
	ok list --json -d "$C"
	json_is 'len(lines[0]["key"])' 30010
	ok purge --json -d "$C" --key "$long"
	json_is 'd["purged"]' 1
}

@test "headers of invalid UTF-8 are valid UTF-8 in JSON" {
	mkcache -o "$C" --type $'text/\xff' --header $'X-Bad: \xfe\x01' --etag $'"\xfd"' GETa.test/1
	ok list --json -d "$C"
	iconv -f UTF-8 -t UTF-8 <<<"$output" >/dev/null
	json_is '[lines[0]["content_type"], lines[0]["etag"]]' $'["text/\ufffd", "\\"\ufffd\\""]'
	ok show --json -d "$C" --key GETa.test/1
	iconv -f UTF-8 -t UTF-8 <<<"$output" >/dev/null
	json_is '[h[1] for h in d["headers"] if h[0] == "X-Bad"] == ["\ufffd\x01"]' true
}

@test "a directory whose name is not UTF-8 is valid UTF-8 in JSON" {
	mkcache -o "$T/"$'\xff' GETa.test/1
	ok list --json -d "$T/"$'\xff'
	iconv -f UTF-8 -t UTF-8 <<<"$output" >/dev/null
	json_is "lines[0]['file'].startswith('$T/\ufffd/')" true
	ok zones --json -d "$T/"$'\xff'
	iconv -f UTF-8 -t UTF-8 <<<"$output" >/dev/null
	ok purge --json --list -d "$T/"$'\xff' --all
	iconv -f UTF-8 -t UTF-8 <<<"$output" >/dev/null
	json_is 'd["purged"]' 1
}

@test "an error about a name with escape sequences is escaped" {
	run -2 --separate-stderr ngxcache list -d $'/no\e[31m\n'
	equal "$(tr -d '[:print:]\n' <<<"$stderr")" ""
	equal "$(wc -l <<<"$stderr")" 1
	run -2 --separate-stderr ngxcache $'li\e[31mst'
	equal "$(tr -d '[:print:]\n' <<<"$stderr")" ""
	run -2 --separate-stderr ngxcache list $'--\e[31m'
	equal "$(tr -d '[:print:]\n' <<<"$stderr")" ""
}

# --- the configuration ---

@test "without any configuration the way out is told" {
	mkdir "$T/root"
	for command in zones list 'show --key x' 'purge --all' reload; do
		# shellcheck disable=SC2086
		refused 'no nginx configuration found' -R "$T/root" $command
		[[ $stderr == *-c* && $stderr == *-d* ]]
	done
}

@test "a configuration that does not exist is named" {
	for command in zones list 'show --key x' 'purge --all' reload; do
		# shellcheck disable=SC2086
		refused "$T/none.conf" -c "$T/none.conf" $command
	done
}

@test "a directory or an unreadable file is no configuration" {
	refused "$T" zones -c "$T"
	need_root
	as_nobody ngxcache --version >/dev/null || skip "nobody cannot run the program"
	conf </dev/null
	chmod 600 "$CONF"
	run --separate-stderr as_nobody ngxcache zones -c "$CONF"
	[ "$status" -eq 2 ] || [ "$status" -eq 3 ]
	[[ $stderr == "ngxcache: "*"$CONF"*[Pp]'ermission denied'* ]]
	equal "$output" ""
}

# bad_conf LINE TEXT: a configuration from standard input is refused at that line.
bad_conf() {
	cat >"$T/bad.conf"
	for command in zones 'purge --json --all'; do
		# shellcheck disable=SC2086
		refused "$T/bad.conf:$1: " -c "$T/bad.conf" $command
		equal "$(wc -l <<<"$stderr")" 1
	done
}

@test "a wrong configuration is refused with its file and line: blocks" {
	bad_conf 3 <<-'END'
		http {
			server {
	END
	bad_conf 2 <<-'END'
		http { }
		}
	END
	bad_conf 2 <<-'END'
		http {
			; server { }
		}
	END
	bad_conf 2 <<-'END'
		http {
			server listen 80 }
		}
	END
}

@test "a wrong configuration is refused with its file and line: quotes" {
	bad_conf 4 <<-'END'
		http {
			proxy_cache_key "abc;
		}
	END
	bad_conf 2 <<-'END'
		http {
			proxy_cache_key "abc"def;
		}
	END
}

@test "a wrong configuration is refused with its file and line: cache paths" {
	for arguments in "$C" "$C keys_zone=a" "$C keys_zone=a:x" "$C keys_zone=:1m" "$C levels=1:2" \
	    "$C keys_zone=a:1m levels=3" "$C keys_zone=a:1m levels=1:2:2:2" "$C keys_zone=a:1m max_size=x" \
	    "$C keys_zone=a:1m inactive=soon" "$C keys_zone=a:1m frobnicate=1" "keys_zone=a:1m"; do
		bad_conf 3 <<-END
			http {
				# two
				proxy_cache_path $arguments;
			}
		END
	done
}

@test "a wrong configuration is refused with its file and line: includes" {
	bad_conf 2 <<-END
		http {
			include $T/none.conf;
		}
	END
	echo 'server {' >"$T/part.conf"
	printf 'http {\n\tinclude %s;\n}\n' "$T/part.conf" >"$T/bad.conf"
	refused "$T/part.conf:" zones -c "$T/bad.conf"
}

@test "two zones of one name are refused" {
	bad_conf 3 <<-END
		http {
			proxy_cache_path $T/one keys_zone=a:1m;
			proxy_cache_path $T/two keys_zone=a:1m;
		}
	END
}

@test "an unknown directive elsewhere is ignored, and told with -v" {
	mkdir "$C"
	conf <<-END
		frobnicate on;
		proxy_cache_path $C levels=1:2 keys_zone=pages:1m;
		server { frobnicate { a b; } }
	END
	ok zones --json -c "$CONF"
	json_is '[z["name"] for z in d["zones"]]' '["pages"]'
	run -0 --separate-stderr ngxcache zones -v -c "$CONF"
	[[ $stderr == *"$CONF:"*frobnicate* ]]
}

@test "an unknown zone is refused, and the known ones are named" {
	mkcache -o "$C" GETa.test/1
	conf <<-END
		proxy_cache_path $C levels=1:2 keys_zone=pages:1m;
		fastcgi_cache_path $T/none levels=1:2 keys_zone=php:1m;
	END
	for command in zones list 'show --key x' 'purge --all'; do
		# shellcheck disable=SC2086
		refused "unknown zone 'page'" -c "$CONF" -z page $command
		[[ $stderr == *pages* && $stderr == *php* ]]
	done
	refused "unknown zone 'page'" purge -c "$CONF" -z pages -z page --all
	equal "$(entries_in "$C")" 1
}

# --- selectors ---

@test "a bad regex is refused, with where it is wrong" {
	mkcache -o "$C" GETa.test/1
	for re in '(' '[' 'a**' '*' '(?<'; do
		refused "'$re'" list -d "$C" --regex "$re"
		refused "'$re'" purge -d "$C" --regex "$re"
		[[ $stderr =~ [0-9] ]]
	done
	equal "$(entries_in "$C")" 1
}

@test "an unclosed bracket or brace of a glob stands for itself" {
	mkcache -o "$C" 'GET/[x' 'GET/{x' GET/x
	ok list --json -d "$C" --glob 'GET/[x'
	keys 'GET/[x'
	ok list --json -d "$C" --glob 'GET/{x'
	keys 'GET/{x'
}

@test "a bad URL is refused" {
	mkcache -o "$C" httpGETa.test/1
	for url in a.test/1 ftp://a.test/1 http:// http:///1 http://user@a.test/1 http://u:p@a.test/ \
	    http://a.test:port/ http://a.test:99999/ 'http://a b/' '' $'http://a.test/\n' '://a.test/'; do
		refused '' list -d "$C" "$url"
		equal "$(wc -l <<<"$stderr")" 1
		refused '' purge -d "$C" "$url"
		refused '' show -d "$C" "$url"
	done
	equal "$(entries_in "$C")" 1
}

@test "a bad selector among good ones: nothing is touched" {
	mkcache -o "$C" httpGETa.test/1
	refused '' purge -d "$C" http://a.test/1 ftp://a.test/
	refused '' purge -d "$C" --all --regex '('
	refused '' purge -d "$C" --all --status x
	refused '' purge -d "$C" --all --host ''
	equal "$(entries_in "$C")" 1
}

@test "a regex that backtracks for ever is given up on, and the rest is done" {
	file=$(mkcache -v -o "$C" "GET/$(head -c 200 /dev/zero | tr '\0' a)!b")
	mkcache -o "$C" GET/ab
	fails 3 "$file" list --json -d "$C" --regex 'GET/(a|aa|aaa)+b'
	keys GET/ab
}
