#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# Purging 100 of 200 pages that visitors ask for all the time: from the end of a purge on no
# old page is served, no request fails, and no other page changes (tests/lib/live.py).

load sites

teardown() {
	stop_servers
}

EVEN='http://www.test/even/*'
OPEN_FILES='open_file_cache max=1000; open_file_cache_valid 60s; open_file_cache_min_uses 1;'

# live [OPTION...] PURGE ARGUMENT...: with the options of live.py
live() {
	local options=()

	while [[ $1 == --visitors || $1 == --rounds || $1 == --at-once ]]; do
		options+=("$1" "$2")
		shift 2
	done
	while [[ $1 == --kill || $1 == --stale ]]; do
		options+=("$1")
		shift
	done
	"$PYTHON" "$LIB/live.py" "${options[@]}" "$PORT" "$T/version" \
	    ngxcache -c "$NGINX_CONF" -p "$NGINX" purge "$@"
	log_is_clean
}

@test "live: no old page after its removal" {
	proxy_site
	live "$EVEN"
}

@test "live: no old page after its removal, with open files and without temporary directory" {
	proxy_site use_temp_path=off "$OPEN_FILES"
	live "$EVEN"
}

@test "live: no old page after its removal, where one request fetches and others wait" {
	proxy_site "" 'proxy_cache_lock on;'
	live "$EVEN"
}

@test "live: no old page after its removal, where stale ones may be served" {
	proxy_site "" "$OPEN_FILES"' proxy_cache_use_stale updating error timeout; proxy_cache_background_update on;
		proxy_cache_lock on; proxy_cache_revalidate on;'
	live "$EVEN"
}

@test "live: no old page after it was invalidated, whatever the configuration" {
	proxy_site use_temp_path=off "$OPEN_FILES"' proxy_cache_use_stale updating error;
		proxy_cache_background_update on; proxy_cache_lock on;'
	live --mode invalidate "$EVEN"
}

@test "live: no old page after it expired, unless the configuration serves stale ones" {
	proxy_site "" "$OPEN_FILES proxy_cache_lock on;"
	live --soft "$EVEN"
}

@test "live: expired pages are served until the new ones are there, where that is allowed" {
	proxy_site "" "$OPEN_FILES"' proxy_cache_use_stale updating; proxy_cache_background_update on;'
	live --stale --soft "$EVEN"
}

@test "live: a list of URLs, and two purges at once" {
	proxy_site use_temp_path=off "$OPEN_FILES"
	printf 'http://www.test/even/%d\n' {0..99} >"$T/urls"
	live --at-once 2 --from "$T/urls"
}

@test "live: two purges of a pattern at once" {
	proxy_site "" 'proxy_cache_lock on;'
	live --at-once 2 --regex '/even/[0-9]+$'
}

@test "live: purges that are killed, and run again" {
	proxy_site "" "$OPEN_FILES"
	for mode in remove invalidate expire; do
		publish 1
		admin purge -q --all
		live --rounds 2 --kill --mode "$mode" "$EVEN"
	done
}
