#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# purge: the modes, the dry run, the answers.  What is touched and what is not: safety.bats;
# each layout's bytes: layouts.bats.

load cli

PURGE=(schema:int command:str mode:str dry_run:bool)
COUNTS=(selectors:list zones:list errors:list walked:bool matched:int purged:int variants:int
	bytes:int already_gone:int replaced:int failed:int)

@test "purge: JSON has the fields of the manual, in order" {
	mkcache -o "$C" GETa.test/1
	ok purge --json -d "$C" --dry-run --all
	shape d "${PURGE[@]}" "${COUNTS[@]}"
	shape 'd["selectors"][0]' selector:str matched:int
	shape 'd["zones"][0]' zone:null purged:int bytes:int
	ok purge --json --list -d "$C" --all
	shape d "${PURGE[@]}" entries:list "${COUNTS[@]}"
	shape 'd["entries"][0]' "${ENTRY[@]}"
}

@test "purge: JSON tells what was done" {
	mkcache -v -o "$C" --body-size 1000 GETa.test/{1,2} >"$T/go"
	mkcache -o "$C" GETb.test/1
	bytes=$(xargs stat -c %s <"$T/go" | awk '{ n += $1 } END { print n }')
	ok purge --json -d "$C,name=pages" --glob 'GETa.test/*'
	json_is '[d["schema"], d["command"], d["mode"], d["dry_run"]]' '[1, "purge", "remove", false]'
	json_is 'd["zones"]' "[{\"zone\": \"pages\", \"purged\": 2, \"bytes\": $bytes}]"
	json_is '[d["matched"], d["purged"], d["variants"], d["bytes"]]' "[2, 2, 0, $bytes]"
	json_is '[d["already_gone"], d["replaced"], d["failed"], d["errors"]]' '[0, 0, 0, []]'
	json_is '[[s["selector"], s["matched"]] for s in d["selectors"]]' '[["GETa.test/*", 2]]'
	equal "$(entries_in "$C")" 1
}

@test "purge: matched is the sum of what became of the files" {
	mkcache -o "$C" --count 40 --template GETa.test/%d
	ok purge --json -d "$C" --regex '[02468]$'
	json_is 'd["matched"] == d["purged"] + d["already_gone"] + d["replaced"] + d["failed"]' true
	json_is 'd["purged"]' 20
	equal "$(entries_in "$C")" 20
}

@test "purge: by default and with --mode remove the file is gone" {
	mkcache -o "$C" GETa.test/{1,2,3}
	ok purge -d "$C" --key GETa.test/1
	equal "$(entries_in "$C")" 2
	ok purge --json --mode remove -d "$C" --key GETa.test/2
	json_is 'd["mode"]' remove
	ok list --json -d "$C"
	keys GETa.test/3
}

@test "purge: invalidate keeps the file, which is not served any more" {
	mkcache -o "$C" GETa.test/1 GETa.test/2
	ok purge --json --mode invalidate -d "$C" --key GETa.test/1
	json_is '[d["mode"], d["purged"]]' '["invalidate", 1]'
	ok list --json -d "$C" --now "$NOW"
	json_is 'sorted([x["key"], x["state"]] for x in lines)' \
	    '[["GETa.test/1", "invalidated"], ["GETa.test/2", "fresh"]]'
}

@test "purge: an invalidated entry can be removed" {
	mkcache -o "$C" --invalidated GETa.test/1
	ok purge --json -d "$C" --key GETa.test/1
	json_is 'd["purged"]' 1
	equal "$(entries_in "$C")" 0
}

@test "purge: --soft is expire" {
	mkcache -o "$C" GETa.test/1
	ok purge --json --soft -d "$C" --all
	json_is '[d["mode"], d["purged"]]' '["expire", 1]'
	ok purge --json --soft --mode expire -d "$C" --all
	json_is 'd["mode"]' expire
	equal "$(entries_in "$C")" 1
}

@test "purge: expire makes the entry stale a second before the system's now" {
	mkcache -o "$C" --valid 4000000000 --updating 60 --error 120 GETa.test/1
	before=$(date +%s)
	ok purge --soft -d "$C" --all --now 1000000000
	after=$(date +%s)
	ok list --json -d "$C"
	json_is "$((before - 1)) <= lines[0]['valid'] <= $((after - 1))" true
	json_is '[lines[0][k] for k in ("updating", "error", "date")]' '[60, 120, 1796050000]'
}

@test "purge: expire never makes an entry live longer" {
	mkcache -o "$C" --valid 1000 GETa.test/1
	before=$(find "$C" -type f -exec sha256sum {} +)
	ok purge --json --soft -d "$C" --all
	json_is 'd["purged"]' 1
	equal "$(find "$C" -type f -exec sha256sum {} +)" "$before"
}

@test "purge: --refetch clears the validators" {
	mkcache -o "$C" --etag '"v1"' --last-modified 1700000000 GETa.test/1 GETa.test/2
	ok purge --soft -d "$C" --key GETa.test/1
	ok purge --soft --refetch -d "$C" --key GETa.test/2
	ok list --json -d "$C"
	json_is 'sorted([x["key"], x["etag"], x["last_modified"]] for x in lines)' \
	    '[["GETa.test/1", "\"v1\"", 1700000000], ["GETa.test/2", null, null]]'
}

@test "purge: modes that do not go together are refused" {
	mkcache -o "$C" GETa.test/1
	before=$(tree "$C")
	refused '--mode' purge -d "$C" --all --mode delete
	refused '--mode' purge -d "$C" --all --mode ''
	refused 'expire' purge -d "$C" --all --soft --mode remove
	refused '--refetch' purge -d "$C" --all --refetch
	refused '--refetch' purge -d "$C" --all --refetch --mode invalidate
	equal "$(tree "$C")" "$before"
}

@test "purge: nothing selected is refused" {
	mkcache -o "$C" GETa.test/1
	before=$(tree "$C")
	refused '--all' purge -d "$C"
	refused '--all' purge -d "$C,name=pages" -z pages
	refused '--all' purge -d "$C" --json --list
	equal "$(tree "$C")" "$before"
}

@test "purge: a filter alone selects" {
	mkcache -o "$C" --status 404 GETa.test/1
	mkcache -o "$C" GETa.test/2
	ok purge --json -d "$C" --status 404
	json_is '[d["purged"], d["selectors"]]' '[1, []]'
	ok list --json -d "$C"
	keys GETa.test/2
}

@test "purge: a dry run touches nothing and tells the same numbers, in every mode" {
	for n in 1 2 3 4 5; do
		mkcache -o "$C" --valid 4000000000 --body-size $((n * 700)) "GETa.test/$n" "GETb.test/$n"
	done
	mkcache -o "$C" --vary X-A --variant-headers 'X-A: 1' GETa.test/1
	before=$(tree "$C")
	for mode in remove invalidate expire; do
		rm -rf "$T/copy"
		cp -a "$C" "$T/copy"
		for option in -n --dry-run; do
			ok purge --json --mode "$mode" "$option" -d "$C" --glob 'GETa*' --key GETb.test/3
			json_is 'd["dry_run"]' true
			dry=$(json_get '[d[k] for k in ("mode", "selectors", "zones", "matched", "purged", "variants", "bytes", "failed")]' <<<"$output")
			equal "$(tree "$C")" "$before" "after a dry run of $mode"
		done
		ok purge --json --mode "$mode" -d "$T/copy" --glob 'GETa*' --key GETb.test/3
		json_is 'd["dry_run"]' false
		json_is '[d[k] for k in ("mode", "selectors", "zones", "matched", "purged", "variants", "bytes", "failed")]' "$dry"
		json_is '[d["matched"], d["variants"]]' '[7, 1]'
	done
}

@test "purge: a dry run names what would go" {
	mkcache -o "$C" GETa.test/1 GETa.test/2 GETb.test/1
	ok purge -n -d "$C" --glob 'GETa*'
	[[ $output == *GETa.test/1* && $output == *GETa.test/2* && $output != *GETb.test* ]]
	[[ $output == *'2 entries'* ]]
}

@test "purge: --list tells each entry as it goes" {
	mkcache -o "$C" GETa.test/1 GETa.test/2 GETb.test/1
	ok purge --list -d "$C" --glob 'GETa*'
	[[ $output == *GETa.test/1* && $output == *GETa.test/2* && $output != *GETb.test* ]]
	equal "$(entries_in "$C")" 1
	ok purge --json --list -d "$C" --all
	json_is '[e["key"] for e in d["entries"]]' '["GETb.test/1"]'
}

@test "purge: without --list there are no entries in the answer" {
	mkcache -o "$C" GETa.test/1
	ok purge -d "$C" --all
	[[ $output != *GETa.test/1* && $output == *'1 entry'* ]]
}

@test "purge: --json --list of many entries is one document" {
	mkcache -o "$C" --count 500 --template GETa.test/%d
	ok purge --json --list -d "$C" --all
	json_is 'len(set(e["key"] for e in d["entries"]))' 500
	json_is 'd["purged"]' 500
	equal "${#lines[@]}" 1
}

@test "purge: a second one finds nothing, and that is no error" {
	mkcache -o "$C" GETa.test/1
	ok purge --json -d "$C" --key GETa.test/1
	json_is 'd["purged"]' 1
	ok purge --json -d "$C" --key GETa.test/1
	json_is '[d["matched"], d["purged"]]' '[0, 0]'
}

@test "purge: a selector that matched nothing tells which keys and files were tried" {
	mkcache -o "$C" GETa.test/1
	ok purge --json -d "$C,levels=1:2" --key GETa.test/nope
	sum=$(printf GETa.test/nope | md5sum | cut -c 1-32)
	json_is 'd["selectors"][0]["tried"]' \
	    "[{\"key\": \"GETa.test/nope\", \"file\": \"$C/${sum: -1}/${sum: -3:2}/$sum\"}]"
	ok purge -d "$C,levels=1:2" --key GETa.test/nope
	[[ $output == *GETa.test/nope* && $output == *"$C/${sum: -1}/${sum: -3:2}/$sum"* ]]
}

@test "purge: a selector that matched tells no tries" {
	mkcache -o "$C" GETa.test/1
	ok purge --json -d "$C,levels=1:2" --key GETa.test/1 --key GETa.test/2
	json_is '["tried" in s for s in d["selectors"]]' '[false, true]'
}

@test "purge: keys are looked up without a walk, patterns walk" {
	mkcache -o "$C" httpGETa.test/{1,2,3,4}
	ok purge --json -d "$C,levels=1:2" --key httpGETa.test/1
	json_is '[d["walked"], d["purged"]]' '[false, 1]'
	ok purge --json -d "$C,levels=1:2,key=\$scheme\$request_method\$host\$request_uri" http://a.test/2
	json_is '[d["walked"], d["purged"]]' '[false, 1]'
	ok purge --json --file "$(mkcache -v -o "$C" httpGETa.test/3)"
	json_is '[d["walked"], d["purged"]]' '[false, 1]'
	ok purge --json -d "$C" --glob '*4'
	json_is '[d["walked"], d["purged"]]' '[true, 1]'
}

@test "purge: the variants of a key go with it, and nothing of another key" {
	for key in GETa.test/1 GETa.test/2; do
		mkcache -o "$C" --vary X-A "$key"
		for value in one two three; do
			mkcache -o "$C" --vary X-A --variant-headers "X-A: $value" "$key"
		done
	done
	equal "$(entries_in "$C")" 8
	ok purge --json -d "$C" --key GETa.test/1
	json_is '[d["matched"], d["purged"], d["variants"], d["walked"]]' '[4, 4, 3, true]'
	ok list --json -d "$C"
	json_is '[len(lines), set(x["key"] for x in lines) == {"GETa.test/2"}]' '[4, true]'
}

# variant ENCODING KEY: what nginx stores for a client that sends this Accept-Encoding
variant() {
	mkcache -v -o "$C" --vary Accept-Encoding --variant-headers "Accept-Encoding: $1" "$2"
}

@test "purge --no-walk: variants for the encodings that clients ask for are found by name" {
	mkcache -o "$C" --vary Accept-Encoding GETa.test/1
	variant gzip GETa.test/1
	variant 'gzip, deflate, br' GETa.test/1
	variant 'gzip,  deflate, br,zstd' GETa.test/1
	odd=$(variant 'quite, unusual' GETa.test/1)
	variant gzip GETa.test/2
	ok purge --json --no-walk -d "$C,levels=1:2" --key GETa.test/1
	json_is '[d["purged"], d["variants"], d["walked"]]' '[4, 3, false]'
	[ -e "$odd" ]
	ok list --json -d "$C"
	json_is 'sorted(x["key"] for x in lines)' '["GETa.test/1", "GETa.test/2"]'
}

@test "purge: variants that common clients were served go without a walk when their main entry is gone" {
	variant gzip GETa.test/1
	variant 'gzip, deflate, br' GETa.test/1
	variant gzip GETa.test/2
	ok purge --json -d "$C,levels=1:2" --key GETa.test/1
	json_is '[d["purged"], d["variants"], d["walked"]]' '[2, 2, false]'
	mkcache -o "$C" GETa.test/2 # stored anew, without a Vary
	ok purge --json --mode expire -d "$C,levels=1:2" --key GETa.test/2
	json_is '[d["purged"], d["variants"], d["walked"]]' '[2, 1, false]'
}

@test "purge: each variant counts once, whether it could be named or was walked for" {
	mkcache -o "$C" --vary Accept-Encoding GETa.test/1
	variant gzip GETa.test/1
	variant 'quite, unusual' GETa.test/1
	for mode in expire invalidate remove; do
		ok purge --json --mode "$mode" -d "$C,levels=1:2" --key GETa.test/1
		json_is '[d["purged"], d["variants"], d["walked"]]' '[3, 2, true]'
	done
}

@test "purge: several zones are counted each" {
	mkcache -o "$T/one" --body-size 100 GETa.test/{1,2}
	mkcache -o "$T/two" --body-size 200 GETa.test/1 GETb.test/1
	ok purge --json -d "$T/one,name=one" -d "$T/two,name=two" --glob 'GETa*'
	json_is '[[z["zone"], z["purged"]] for z in d["zones"]]' '[["one", 2], ["two", 1]]'
	json_is 'd["bytes"] == sum(z["bytes"] for z in d["zones"])' true
	json_is 'd["purged"]' 3
}

@test "purge: elsewhere than on a terminal --all never asks" {
	mkcache -o "$C" GETa.test/1
	ok purge -d "$C" --all </dev/null
	equal "$(entries_in "$C")" 0
}

@test "purge: on a terminal --all asks, unless --yes" {
	command -v script >/dev/null || skip "script is not installed"
	export SHELL=/bin/sh
	mkcache -o "$C" GETa.test/1
	run script -qec "ngxcache purge -d '$C' --all" /dev/null <<<n
	[ "$status" -ne 0 ]
	equal "$(entries_in "$C")" 1 "after a no"
	run script -qec "ngxcache purge -d '$C' --all" /dev/null </dev/null
	[ "$status" -ne 0 ]
	equal "$(entries_in "$C")" 1 "after the end of input"
	run -0 script -qec "ngxcache purge -n -d '$C' --all" /dev/null </dev/null
	equal "$(entries_in "$C")" 1 "after a dry run"
	run -0 script -qec "ngxcache purge -d '$C' --all" /dev/null <<<y
	equal "$(entries_in "$C")" 0 "after a yes"
	mkcache -o "$C" GETa.test/1
	run -0 script -qec "ngxcache purge --yes -d '$C' --all" /dev/null </dev/null
	equal "$(entries_in "$C")" 0 "with --yes"
}

@test "purge: --yes elsewhere changes nothing" {
	mkcache -o "$C" GETa.test/1
	ok purge --yes -d "$C" --all
	equal "$(entries_in "$C")" 0
}

@test "purge: a file that cannot be unlinked is a failure with its line, and the rest goes" {
	need_root
	one=$(mkcache -v -o "$C" GETa.test/1)
	two=$(mkcache -v -o "$C" GETa.test/2)
	chown -R nobody "$C"
	chown root "${one%/*}"
	chmod 755 "${one%/*}"
	run -3 --separate-stderr as_nobody ngxcache purge --json -d "$C" --all
	[[ $stderr == "ngxcache: $one: "* ]]
	equal "$(wc -l <<<"$stderr")" 1
	json_is '[d["matched"], d["purged"], d["failed"]]' '[2, 1, 1]'
	json_is '[e["file"] for e in d["errors"]]' "[\"$one\"]"
	shape 'd["errors"][0]' file:str error:str
	[ -e "$one" ]
	[ ! -e "$two" ]
}

# --- --reload; with nginx: tests/e2e/reload.bats ---

@test "purge: --reload that is impossible is refused before anything is touched" {
	mkcache -o "$C" GETa.test/1
	conf <<<"proxy_cache_path $C levels=1:2 keys_zone=pages:1m;"
	before=$(tree "$C")
	refused 'reload' purge -d "$C" --all --reload
	refused 'reload' purge --json --list -d "$C" --all --reload
	refused 'reload' purge -c - --all --reload <<<"# configuration file $CONF:
$(cat "$CONF")"
	mkdir -p "$T/root/etc/nginx" "$T/root/$C"
	cp -a "$C/." "$T/root/$C"
	cp "$CONF" "$T/root/etc/nginx/nginx.conf"
	refused "$T/root" purge -R "$T/root" --all --reload
	refused "$T/root" purge -n -R "$T/root" --all --reload
	equal "$(tree "$C")" "$before"
	equal "$(entries_in "$T/root/$C")" 1
}

@test "purge: --reload that fails is status 3, and the purge is done" {
	mkcache -o "$C" GETa.test/1
	conf <<<"proxy_cache_path $C levels=1:2 keys_zone=pages:1m;"
	sed -i "1i pid $T/nginx.pid;\nerror_log $T/error.log;" "$CONF"
	fails 3 "$T/nginx.pid" purge --json -c "$CONF" --all --reload
	shape d "${PURGE[@]}" "${COUNTS[@]}" reloaded:bool
	json_is '[d["purged"], d["failed"], d["reloaded"]]' '[1, 0, false]'
	json_is '[[e["file"], "nginx.pid" in e["error"]] for e in d["errors"]]' '[[null, true]]'
	equal "$(entries_in "$C")" 0
	fails 3 "$T/nginx.pid" purge -c "$CONF" --all --reload
	equal "${lines[-1]}" 'removed 0 entries'
}

@test "purge: a dry run does not reload" {
	mkcache -o "$C" GETa.test/1
	conf <<<"proxy_cache_path $C levels=1:2 keys_zone=pages:1m;"
	sed -i "1i pid $T/nginx.pid;\nerror_log $T/error.log;" "$CONF"
	ok purge -n --json -c "$CONF" --all --reload
	json_is '[d["purged"], d["reloaded"]]' '[1, false]'
}
