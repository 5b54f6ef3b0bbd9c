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

@test "live: a page in slices is answered whole while its slices are purged" {
	if ! nginx -V 2>&1 | grep -q http_slice_module; then
		skip "nginx has no slice module"
	fi
	proxy_site "" 'slice 1k; proxy_cache_key $uri|$slice_range; proxy_cache_valid 206 1h;
		proxy_set_header Range $slice_range;'
	origin_rule '/big' '{"size": 20000}'
	whole=$("$PYTHON" -c 'import sys; sys.stdout.buffer.write(bytes(n % 251 for n in range(20000)))' | sha256sum)
	fetch http://www.test/big >/dev/null
	equal "$(sha256sum <"$T/body")" "$whole"
	equal "$(entries_in "$CACHE")" 20
	for mode in remove invalidate expire; do
		for ((i = 0; i < 6; i++)); do
			curl -sS --fail --max-time 20 -H 'Host: www.test' "http://127.0.0.1:$PORT/big" \
			    "http://127.0.0.1:$PORT/big" 2>&1 | sha256sum
		done >"$T/sums" 3>&- &
		visitor=$!
		purged=0
		while kill -0 "$visitor" 2>/dev/null; do
			purge --mode "$mode" http://www.test/big
			purged=$((purged + $(json_get 'd["purged"]' <<<"$output")))
		done
		wait "$visitor"
		[ "$purged" -ge 20 ]
		equal "$(sort "$T/sums" | uniq -c | wc -l)" 1 "$mode"
		equal "$(head -n 1 "$T/sums")" "$(cat "$T/body" "$T/body" | sha256sum)" "$mode"
	done
	log_is_clean
}

@test "live: when pages were not asked for again, only removed ones leave lines in nginx's log" {
	local mode

	need_nginx
	start_origin
	PORT=$(free_port)
	nginx_conf <<-END
		proxy_cache_key $KEY;
		proxy_cache_valid 1h;
		$(for mode in remove invalidate expire; do
			echo "proxy_cache_path $T/$mode levels=1:2 keys_zone=$mode:1m inactive=3s;"
			echo "server { listen 127.0.0.1:$PORT; server_name $mode.test;"
			echo "location / { proxy_pass http://127.0.0.1:$ORIGIN_PORT; proxy_cache $mode; } }"
		done)
	END
	start_nginx
	for mode in remove invalidate expire; do
		fetch "http://$mode.test/{1,2,3,4,5}" >/dev/null
		purge -z "$mode" --mode "$mode" --all
		json_is '[d["purged"], d["failed"]]' '[5, 0]'
	done
	# The cache manager looks every ten seconds at most.
	wait_until '[ "$(entries_in "$T/invalidate")" -eq 0 ] && [ "$(entries_in "$T/expire")" -eq 0 ]' 60
	wait_until 'grep -q "\[crit\]" "$NGINX/log/error.log"' 60
	run -1 grep -E '\[(crit|alert|emerg)\].*/(invalidate|expire)/' "$NGINX/log/error.log"
	run -0 grep -E '\[crit\].*unlink\(\) "'"$T"'/remove/' "$NGINX/log/error.log"
}
