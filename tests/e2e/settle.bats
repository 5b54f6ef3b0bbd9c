#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# An answer that is on its way from the origin during a purge is stored after it; --settle.

load sites

teardown() {
	rm -f "${HELD:-}"
	stop_servers
}

# on_the_way CONDITION: while there is a file $HELD, the origin holds its answers for /slow;
# a request for it is on the way, for the old version, once CONDITION holds.
on_the_way() {
	: >"$HELD"
	chmod a+w "$HELD"
	warm http://www.test/quick
	curl -sS --max-time 60 -H 'Host: www.test' "http://127.0.0.1:$PORT/slow" -o "$T/first" 3>&- &
	CURL_PID=$!
	wait_until "$1" 20
	publish 2
}

# slow_site: the origin of proxy_cache, with a request on the way
slow_site() {
	proxy_site
	origin_rule '/slow' '{"hold": "held"}'
	HELD=$ORIGIN/held
	on_the_way '[ "$(origin_count " /slow ")" -eq 1 ]'
	FIRST='www.test/slow version 1' SECOND='www.test/slow version 2'
}

# slow_php: the same behind fastcgi_cache
slow_php() {
	fastcgi_site
	HELD=$PHP/held
	on_the_way '[ -s "$HELD" ]'
	FIRST='<p>www.test/slow version 1</p>' SECOND='<p>www.test/slow version 2</p>'
}

# the_answer_arrives: nginx stores what the origin was asked for before the purge.
the_answer_arrives() {
	rm "$HELD"
	wait "$CURL_PID"
	equal "$(cat "$T/first")" "$FIRST"
}

# stays: a purge does not take what is on the way.
stays() {
	purge http://www.test/slow
	json_is 'd["matched"]' 0
	the_answer_arrives
	fetch_is HIT http://www.test/slow
	page_is "$FIRST"
}

# settles: it does with --settle.
settles() {
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
	page_is "$SECOND"
}

@test "an answer on its way during the purge is stored after it" {
	slow_site
	stays
}

@test "fastcgi: an answer on its way during the purge is stored after it" {
	slow_php
	stays
}

@test "settle: an answer on its way during the purge goes with the second pass" {
	slow_site
	settles
}

@test "settle: an answer of fastcgi, too" {
	slow_php
	settles
}

@test "settle: what was fetched meanwhile expires, too" {
	slow_site
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
	slow_site
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
