#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# Variants (Vary) in the cache of a running nginx: a URL covers all of them.

load sites

setup() {
	proxy_site
	origin_rule '*' '{"vary": "X-Device"}'
}

teardown() {
	stop_servers
}

DEVICES=(phone tablet desktop)

warm_all() {
	local device

	for device in "${DEVICES[@]}"; do
		warm -H "X-Device: $device" "$1"
	done
}

@test "all variants go with their URL and do not come back after a refill" {
	warm_all http://www.test/a
	warm_all http://www.test/b
	equal "$(entries_in "$CACHE")" 6
	publish 2

	purge http://www.test/a
	json_is '[d["purged"], d["variants"]]' '[3, 2]'
	equal "$(entries_in "$CACHE")" 3
	for device in desktop phone tablet; do
		fetch_is MISS -H "X-Device: $device" http://www.test/a
		page_is "www.test/a version 2 for $device"
	done
	for device in "${DEVICES[@]}"; do
		fetch_is HIT -H "X-Device: $device" http://www.test/a
		page_is "www.test/a version 2 for $device"
		fetch_is HIT -H "X-Device: $device" http://www.test/b
		page_is "www.test/b version 1 for $device"
	done
}

@test "all variants expire with their URL" {
	warm_all http://www.test/a
	publish 2

	purge --soft http://www.test/a
	json_is '[d["purged"], d["variants"]]' '[3, 2]'
	for device in "${DEVICES[@]}"; do
		fetch_is EXPIRED -H "X-Device: $device" http://www.test/a
		page_is "www.test/a version 2 for $device"
	done
}

@test "variants by Accept-Encoding go with their URL" {
	origin_rule '*' '{"vary": "Accept-Encoding"}'
	warm http://www.test/a
	warm -H 'Accept-Encoding: gzip' http://www.test/a
	warm -H 'Accept-Encoding: gzip, deflate, br' http://www.test/a
	warm -H 'Accept-Encoding: x-unheard-of' http://www.test/a
	publish 2

	purge http://www.test/a
	json_is 'd["purged"]' 4
	fetch_is MISS -H 'Accept-Encoding: x-unheard-of' http://www.test/a
	fetch_is MISS -H 'Accept-Encoding: gzip' http://www.test/a
	fetch_is MISS http://www.test/a
}

@test "list tells main entries and variants apart" {
	warm_all http://www.test/a
	run -0 --separate-stderr admin list --json http://www.test/a
	equal "$stderr" ""
	json_is 'sorted([e["kind"], e["vary"], e["key"]] for e in lines)' \
	    '[["main", "X-Device", "httpGETwww.test/a"], ["variant", "X-Device", "httpGETwww.test/a"], ["variant", "X-Device", "httpGETwww.test/a"]]'
	json_is 'len({e["variant"] for e in lines})' 3
}

# remove_main URL: as another tool may do, which knows nothing of variants
remove_main() {
	run -0 --separate-stderr admin list --json "$1"
	rm "$(json_get '[e["file"] for e in lines if e["kind"] == "main"][0]' <<<"$output")"
}

# all_are_new URL: no variant is answered from before the purge, in whatever order
all_are_new() {
	local device

	for device in desktop phone tablet; do
		fetch_is MISS -H "X-Device: $device" "$1"
		page_is "${1#http://} version 2 for $device"
	done
	for device in "${DEVICES[@]}"; do
		fetch_is HIT -H "X-Device: $device" "$1"
		page_is "${1#http://} version 2 for $device"
	done
}

@test "thorough: variants go whose main entry another tool removed" {
	warm_all http://www.test/a
	warm_all http://www.test/b
	remove_main http://www.test/a
	publish 2
	purge --thorough http://www.test/a
	json_is '[d["walked"], d["purged"], d["variants"]]' '[true, 2, 2]'
	all_are_new http://www.test/a
	equal "$(entries_in "$CACHE")" 6
}

@test "thorough: variants go whose main entry was once stored without Vary" {
	warm_all http://www.test/a
	remove_main http://www.test/a
	origin_rule '/a' '{"vary": ""}'
	warm http://www.test/a
	page_is "www.test/a version 1"
	origin_rule '/a' '{"vary": "X-Device"}'
	publish 2
	purge --thorough http://www.test/a
	json_is '[d["walked"], d["purged"], d["variants"]]' '[true, 3, 2]'
	all_are_new http://www.test/a
}

@test "without thorough, a variant whose main entry is gone comes back with a refill" {
	warm_all http://www.test/a
	remove_main http://www.test/a
	publish 2
	purge http://www.test/a
	json_is '[d["walked"], d["purged"]]' '[false, 0]'
	fetch_is MISS -H "X-Device: phone" http://www.test/a
	fetch_is HIT -H "X-Device: tablet" http://www.test/a
	page_is "www.test/a version 1 for tablet"
}
