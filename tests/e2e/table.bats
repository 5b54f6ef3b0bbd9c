#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# The table in ngxcache-purge(1), WHICH MODE, against nginx: what becomes of a page, by mode
# and configuration.  What it says of disk space and the log later on: live.bats; of open
# files: modes.bats.

load sites

MODES=(remove invalidate expire)

setup() {
	need_nginx
	start_origin
	PORT=$(free_port)
	CACHE=$T/pages
	nginx_conf <<-END
		proxy_cache_path $CACHE levels=1:2 keys_zone=pages:1m inactive=1h;
		proxy_cache_key $KEY;
		proxy_cache pages;
		proxy_cache_valid 200 1h;
		proxy_cache_lock_timeout 60s;
		proxy_cache_lock_age 60s;
		server {
			listen 127.0.0.1:$PORT;
			server_name www.test;
			set \$origin 127.0.0.1:$ORIGIN_PORT;
			proxy_set_header Host \$host;
			location = /status { stub_status; proxy_cache off; }
			location /plain/ { proxy_pass http://\$origin; }
			location /lock/ { proxy_pass http://\$origin; proxy_cache_lock on; }
			location /updating/ { proxy_pass http://\$origin; proxy_cache_use_stale updating; }
			location /background/ {
				proxy_pass http://\$origin;
				proxy_cache_use_stale updating;
				proxy_cache_background_update on;
			}
			location /error/ { proxy_pass http://\$origin; proxy_cache_use_stale error; }
			location /revalidate/ { proxy_pass http://\$origin; proxy_cache_revalidate on; }
		}
	END
	start_nginx
}

teardown() {
	rm -f "$ORIGIN/held"
	stop_servers
}

# cell ROW MODE: what the manual says, without the number of its note
cell() {
	awk -v row=".It $1 Ta " -v mode="$2" '
		index($0, row) == 1 {
			split(substr($0, length(row) + 1), cells, / Ta /)
			text = cells[mode == "remove" ? 1 : mode == "invalidate" ? 2 : 3]
			sub(/ \([0-9]\)$/, "", text)
			print text
		}' "$TOP/man/ngxcache-purge.1"
}

# says ROW MODE SEEN: the manual says so
says() {
	equal "$3" "$(cell "$1" "$2")" "$1, $2"
}

# ask N URL: N visitors at once, in the background; their answers in $T/visit.*
ask() {
	local n

	VISITORS=()
	for ((n = 1; n <= $1; n++)); do
		curl -sS --noproxy '*' --max-time 60 --connect-to "::127.0.0.1:$PORT" -o "$T/visit.$n" \
		    "$2" 3>&- &
		VISITORS+=($!)
	done
}

# in_hand N: nginx works on so many requests, beside this one for its status
in_hand() {
	[ "$(curl -sS --connect-to "::127.0.0.1:$PORT" http://www.test/status |
	    sed -n 's/.*Writing: \([0-9]*\).*/\1/p')" -eq $(($1 + 1)) ]
}

# busy ROW LOCATION: four visitors ask for a page after its purge, before the origin answers.
busy() {
	local mode url seen old fetched

	for mode in "${MODES[@]}"; do
		url=http://www.test/$2/$mode
		publish 1
		warm "$url"
		: >"$ORIGIN/held"
		origin_rule "/$2/$mode" '{"hold": "held"}'
		publish 2
		purge --mode "$mode" "$url"
		json_is 'd["purged"]' 1
		fetched=$(origin_count " /$2/$mode ")
		ask 4 "$url"
		if [ "$(cell "$1" "$mode")" = 'all fetch' ]; then
			wait_until "[ \"\$(origin_count ' /$2/$mode ')\" -eq $((fetched + 4)) ]" 30
		elif [ "$2" = lock ]; then
			wait_until 'in_hand 4' 30
		elif [ "$2" = updating ]; then
			wait_until '[ "$(cat "$T"/visit.* | grep -c "version 1")" -eq 3 ]' 30
		else
			wait "${VISITORS[@]}"
			wait_until "[ \"\$(origin_count ' /$2/$mode ')\" -gt $fetched ]" 30
		fi
		seen=$(($(origin_count " /$2/$mode ") - fetched))
		rm "$ORIGIN/held"
		wait "${VISITORS[@]}"
		case $seen in
		1) says "$1" "$mode" 'one fetches' ;;
		4) says "$1" "$mode" 'all fetch' ;;
		*) equal "$seen" "1 or 4" "$1, $mode" ;;
		esac
		old=$(cat "$T"/visit.* | grep -c 'version 1' || :)
		OLD[$mode]=$old
		rm "$T"/visit.*
	done
}

@test "table: what the next visitor gets" {
	for mode in "${MODES[@]}"; do
		warm "http://www.test/plain/$mode"
		purge --mode "$mode" "http://www.test/plain/$mode"
		says 'next request' "$mode" "$(fetch "http://www.test/plain/$mode")"
	done
}

@test "table: all visitors of a busy page fetch it" {
	declare -A OLD
	busy 'busy page' plain
	equal "${OLD[*]}" '0 0 0'
}

@test "table: the lock makes one fetch a removed page, and only a removed one" {
	declare -A OLD
	busy '+ cache_lock on' lock
	equal "${OLD[*]}" '0 0 0'
}

@test "table: while one fetches an expired page, the others get the old one" {
	declare -A OLD
	busy '+ use_stale updating' updating
	equal "${OLD[remove]} ${OLD[invalidate]} ${OLD[expire]}" '0 0 3'
}

@test "table: with background update nobody waits for an expired page" {
	declare -A OLD
	busy '+ background_update' background
	equal "${OLD[remove]} ${OLD[invalidate]} ${OLD[expire]}" '0 0 4'
}

# down ROW LOCATION: what a visitor gets while the origin answers nothing
down() {
	local mode url answer

	for mode in "${MODES[@]}"; do
		url=http://www.test/$2/$mode
		warm "$url"
		origin_rule "/$2/$mode" '{"gone": true}'
		purge --mode "$mode" "$url"
		answer=$(fetch "$url")
		case $answer in
		'502 '*) says "$1" "$mode" error ;;
		STALE) says "$1" "$mode" 'old page' ;;
		*) equal "$answer" '502 or STALE' ;;
		esac
	done
}

@test "table: while the origin is down there is an old page only if it expired and may be served" {
	down 'origin down' plain
	down '+ use_stale error' error
}

@test "table: an origin that answers 304 keeps an expired page, unless it is fetched whole" {
	origin_rule '*' '{"etag": true}'
	for mode in "${MODES[@]}"; do
		url=http://www.test/revalidate/$mode
		warm "$url"
		purge --mode "$mode" "$url"
		case $(fetch "$url") in
		REVALIDATED) says 'origin answers 304' "$mode" 'old page' ;;
		MISS) says 'origin answers 304' "$mode" '\(en' ;;
		*) equal "$mode" REVALIDATED ;;
		esac
	done
	purge --soft --refetch http://www.test/revalidate/expire
	fetch_is EXPIRED http://www.test/revalidate/expire
	equal "$(origin_count '/revalidate/expire None')" 2
}

@test "table: disk space, and the size that nginx knows" {
	for mode in "${MODES[@]}"; do
		warm "http://www.test/plain/$mode"
		before=$(find "$CACHE" -type f -printf '%i %b\n')
		purge --mode "$mode" "http://www.test/plain/$mode"
		if [ "$mode" = remove ]; then
			says 'disk space' "$mode" freed
			equal "$(entries_in "$CACHE")" 0
			continue
		fi
		equal "$(find "$CACHE" -type f -printf '%i %b\n')" "$before" "$mode"
		says 'zone size in nginx' "$mode" right
		rm -r "${CACHE:?}"/?
	done
}

@test "table: what nginx logs when the page is asked for again" {
	for mode in "${MODES[@]}"; do
		warm "http://www.test/plain/$mode"
		purge --mode "$mode" "http://www.test/plain/$mode"
		: >"$NGINX/log/error.log"
		fetch "http://www.test/plain/$mode" >/dev/null
		seen=nothing
		if grep -q 'version mismatch' "$NGINX/log/error.log"; then
			seen=info
			run -0 grep -F '[info]' "$NGINX/log/error.log"
		fi
		log_is_clean
		[ "$mode" = remove ] || says "nginx's log" "$mode" "$seen"
	done
}
