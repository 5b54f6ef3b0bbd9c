#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# purge --settle: what is stored between the two passes is purged and counted, and nothing
# else is counted twice.  With nginx: tests/e2e/settle.bats.

load cli

teardown() {
	[ -z "${PURGE_PID:-}" ] || kill "$PURGE_PID" 2>/dev/null || :
}

# start_purge ARGUMENT...: in the background, its answer in $T/answer
start_purge() {
	ngxcache purge --json "$@" >"$T/answer" 2>"$T/err" 3>&- &
	PURGE_PID=$!
}

# finish_purge STATUS
finish_purge() {
	local rc=0

	wait "$PURGE_PID" || rc=$?
	PURGE_PID=''
	equal "$rc" "$1" "status"
	equal "$(cat "$T/err")" ""
	output=$(cat "$T/answer")
}

COUNTED='[d[k] for k in ("matched", "purged", "already_gone", "replaced", "failed")]'

@test "settle: what is stored between the passes is removed and counted" {
	one=$(mkcache -v -o "$C" GETa.test/1)
	mkcache -o "$C" GETb.test/1
	start_purge --settle 4 -d "$C" --list --key GETa.test/1 --key GETa.test/2
	wait_until "[ ! -e $one ]"
	mkcache -o "$C" GETa.test/1 GETa.test/2
	finish_purge 0
	json_is "$COUNTED" '[3, 3, 0, 0, 0]'
	json_is '[[s["selector"], s["matched"]] for s in d["selectors"]]' '[["GETa.test/1", 2], ["GETa.test/2", 1]]'
	json_is '["tried" in s for s in d["selectors"]]' '[false, false]'
	json_is 'sorted(e["key"] for e in d["entries"])' '["GETa.test/1", "GETa.test/1", "GETa.test/2"]'
	json_is '[z["purged"] for z in d["zones"]]' '[3]'
	ok list --json -d "$C"
	keys GETb.test/1
}

@test "settle: a pattern takes what is stored between the passes, too" {
	one=$(mkcache -v -o "$C" GETa.test/1)
	start_purge --settle 4 -d "$C" --glob 'GETa*'
	wait_until "[ ! -e $one ]"
	mkcache -o "$C" GETa.test/1 GETa.test/2 GETb.test/1
	finish_purge 0
	json_is "$COUNTED" '[3, 3, 0, 0, 0]'
	json_is '[s["matched"] for s in d["selectors"]]' '[3]'
	ok list --json -d "$C"
	keys GETb.test/1
}

@test "settle: what is stored between the passes expires, and nothing is counted twice" {
	one=$(mkcache -v -o "$C" --valid 4000000000 GETa.test/1)
	mkcache -o "$C" --valid 4000000000 GETa.test/2
	start_purge --settle 4 --soft -d "$C" --glob 'GETa*'
	wait_until "[ -z \"\$(ngxcache list -0 -d $C --fresh | tr -d '\\0')\" ]"
	rm "$one"
	mkcache -o "$C" --valid 4000000000 GETa.test/1
	finish_purge 0
	json_is "$COUNTED" '[3, 3, 0, 0, 0]'
	ok list --json -d "$C" --fresh
	equal "$output" ""
}

@test "settle: a variant whose main entry is gone goes with the second pass" {
	one=$(mkcache -v -o "$C" --vary X-A GETa.test/1)
	start_purge --settle 4 -d "$C" --key GETa.test/1
	wait_until "[ ! -e $one ]"
	mkcache -o "$C" --vary X-A --variant-headers 'X-A: 1' GETa.test/1
	finish_purge 0
	json_is "$COUNTED" '[2, 2, 0, 0, 0]'
	json_is 'd["variants"]' 1
	equal "$(entries_in "$C")" 0
}

@test "settle: without new entries the numbers are those of one pass, in every mode" {
	for mode in '--mode remove' '--mode invalidate' '--mode expire' '--mode expire --refetch'; do
		rm -rf "$C"
		mkcache -o "$C" --count 20 --valid 4000000000 --etag x --template GETa.test/%d
		mkcache -o "$C" --invalidated GETa.test/old
		mkcache -o "$C" --layout v0 --valid 4000000000 GETa.test/v0
		rm -rf "$T/copy"
		cp -a "$C" "$T/copy"
		# shellcheck disable=SC2086
		ok purge --json $mode -d "$T/copy" --all
		one=$(json_get '[d["matched"], d["purged"], d["bytes"], d["selectors"], d["zones"]]' <<<"$output")
		# shellcheck disable=SC2086
		ok purge --json $mode --settle 0 -d "$C" --all
		json_is '[d["matched"], d["purged"], d["bytes"], d["selectors"], d["zones"]]' "$one"
		json_is 'd["matched"]' 22
	done
}

@test "settle: a failure is counted once" {
	need_root
	mkcache -o "$C" GETa.test/1
	one=$(mkcache -v -o "$C" GETa.test/2)
	chown nobody "$one"
	fails 3 "$one" purge --json --mode invalidate --settle 0 -d "$C" --all
	json_is "$COUNTED" '[2, 1, 0, 0, 1]'
	json_is 'len(d["errors"])' 1
	equal "$(wc -l <<<"$stderr")" 1
}

@test "settle: what cannot be looked at is said once" {
	mkcache -o "$C" GETa.test/1
	conf <<-END
		proxy_cache_path $T/none levels=1:2 keys_zone=gone:1m;
		proxy_cache_path $C levels=1:2 keys_zone=pages:1m;
	END
	fails 3 "$T/none" purge --json -c "$CONF" --settle 0 --all
	equal "$(wc -l <<<"$stderr")" 1
	json_is '[d["purged"], len(d["errors"])]' '[1, 1]'
}

@test "settle: the filters are those of the first pass" {
	one=$(mkcache -v -o "$C" --date 1000 GETa.test/1)
	start_purge --settle 4 -d "$C" --cached-before 2000
	wait_until "[ ! -e $one ]"
	mkcache -o "$C" --date 1000 GETa.test/2
	mkcache -o "$C" --date 3000 GETa.test/3
	finish_purge 0
	json_is 'd["purged"]' 2
	ok list --json -d "$C"
	keys GETa.test/3
}

@test "settle: a dry run does not wait" {
	mkcache -o "$C" GETa.test/1
	run -0 timeout 60 ngxcache purge -n --json --settle 3600 -d "$C" --all
	json_is 'd["purged"]' 1
}

@test "settle: a signal ends the wait, and the document is whole" {
	one=$(mkcache -v -o "$C" GETa.test/1)
	start_purge --settle 3600 -d "$C" --all
	wait_until "[ ! -e $one ]"
	mkcache -o "$C" GETa.test/1
	kill -TERM "$PURGE_PID"
	finish_purge 143
	json_is "$COUNTED" '[1, 1, 0, 0, 0]'
	equal "$(entries_in "$C")" 1
}

@test "settle: what is no time is refused before anything is touched" {
	mkcache -o "$C" GETa.test/1
	for time in '' soon -1 1.5; do
		refused "--settle '$time'" purge -d "$C" --settle "$time" --all
	done
	equal "$(entries_in "$C")" 1
}
