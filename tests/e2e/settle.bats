#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# An answer that is on its way from the origin during a purge is stored after it; --settle.

load sites

# The origin holds its answers for /slow; a request for it is on the way, for the old version.
setup() {
	proxy_site "" "${LOCATION:-}"
	origin_rule '/slow' '{"hold": "held"}'
	: >"$ORIGIN/held"
	warm http://www.test/quick
	curl -sS --max-time 60 -H 'Host: www.test' "http://127.0.0.1:$PORT/slow" -o "$T/first" 3>&- &
	CURL_PID=$!
	wait_until '[ "$(origin_count " /slow ")" -eq 1 ]' 20
	publish 2
}

teardown() {
	rm -f "$ORIGIN/held"
	stop_servers
}

# the_answer_arrives: nginx stores what the origin was asked for before the purge.
the_answer_arrives() {
	rm "$ORIGIN/held"
	wait "$CURL_PID"
	equal "$(cat "$T/first")" "www.test/slow version 1"
}

@test "an answer on its way during the purge is stored after it" {
	purge http://www.test/slow
	json_is 'd["matched"]' 0
	the_answer_arrives
	fetch_is HIT http://www.test/slow
	page_is "www.test/slow version 1"
}

@test "settle: an answer on its way during the purge goes with the second pass" {
	quick=$(find "$CACHE" -type f)
	admin purge --json --settle 5 http://www.test/slow http://www.test/quick >"$T/answer" 3>&- &
	purge=$!
	wait_until "[ ! -e $quick ]" # the first pass
	the_answer_arrives
	wait "$purge"
	output=$(cat "$T/answer")
	json_is '[d["matched"], d["purged"], d["failed"]]' '[2, 2, 0]'
	json_is '[s["matched"] for s in d["selectors"]]' '[1, 1]'
	fetch_is MISS http://www.test/slow
	page_is "www.test/slow version 2"
}

@test "settle: what was fetched meanwhile expires, too" {
	admin purge --json --soft --settle 5 http://www.test/slow http://www.test/quick >"$T/answer" 3>&- &
	purge=$!
	wait_until "[ -z \"\$(admin list --json --fresh)\" ]" # the first pass
	the_answer_arrives
	wait "$purge"
	output=$(cat "$T/answer")
	json_is '[d["matched"], d["purged"], d["failed"]]' '[2, 2, 0]'
	fetch_is EXPIRED http://www.test/slow
	page_is "www.test/slow version 2"
	fetch_is EXPIRED http://www.test/quick
}

@test "settle: a variant on its way goes with the second pass, though its main entry is gone" {
	origin_rule '/vary' '{"vary": "X-Device"}'
	for device in phone tablet; do
		warm -H "X-Device: $device" http://www.test/vary
	done
	purge --soft http://www.test/vary
	: >"$ORIGIN/held-too"
	origin_rule '/vary' '{"hold": "held-too"}'
	curl -sS --max-time 60 -H 'Host: www.test' -H 'X-Device: tablet' "http://127.0.0.1:$PORT/vary" \
	    -o "$T/tablet" 3>&- &
	wait_until '[ "$(origin_count " /vary ")" -eq 3 ]' 20
	publish 3
	admin purge --json --settle 5 http://www.test/vary >"$T/answer" 3>&- &
	purge=$!
	wait_until '[ "$(entries_in "$CACHE")" -eq 1 ]' # the first pass
	rm "$ORIGIN/held-too"
	wait_until '[ -s "$T/tablet" ]'
	equal "$(cat "$T/tablet")" "www.test/vary version 2 for tablet"
	wait "$purge"
	output=$(cat "$T/answer")
	json_is '[d["matched"], d["purged"], d["variants"]]' '[3, 3, 2]'
	for device in phone tablet; do
		fetch_is MISS -H "X-Device: $device" http://www.test/vary
		page_is "www.test/vary version 3 for $device"
	done
}
