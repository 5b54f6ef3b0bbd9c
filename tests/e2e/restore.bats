#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# Archive and restore, as nginx sees them: what comes back is served, byte by byte.

load sites

setup() {
	proxy_site
	origin_rule '/variants*' '{"vary": "X-Device"}'
}

teardown() {
	stop_servers
}

PAGES=(http://www.test/ http://www.test/a http://www.test/a?b=1 http://shop.test/a)
DEVICES=(phone tablet desktop)

# fetch_all STATUS DIR: every page and variant is of that status; the bodies are left in DIR
fetch_all() {
	local device url n=0

	mkdir -p "$2"
	for url in "${PAGES[@]}"; do
		fetch_is "$1" "$url"
		cp "$T/body" "$2/$((n += 1))"
	done
	for device in "${DEVICES[@]}"; do
		fetch_is "$1" -H "X-Device: $device" http://www.test/variants
		cp "$T/body" "$2/$device"
	done
}

stop_nginx() {
	kill "$NGINX_PID"
	wait "$NGINX_PID" || :
	NGINX_PID=
}

# filled: the pages are in the cache and in $T/cache.tar.zst, and the origin has others now
filled() {
	fetch_all MISS "$T/first"
	fetch_all HIT "$T/before"
	run -0 --separate-stderr admin archive -z pages -o "$T/cache.tar.zst"
	publish 2
}

# restore ARGUMENT...: without a word on standard error; JSON in $output
restore() {
	run -0 --separate-stderr admin restore --json "$@"
	equal "$stderr" ""
}

wipe() {
	find "$CACHE" -mindepth 1 -delete
}

@test "a cache that was archived, wiped and restored is served as before, variants included" {
	filled
	stop_nginx
	wipe
	restore -z pages "$T/cache.tar.zst"
	json_is '[d[k] for k in ("nginx", "restored", "variants", "refused", "failed")]' \
	    '["stopped", 7, 2, 0, 0]'
	start_nginx
	fetch_all HIT "$T/after"
	diff -r "$T/before" "$T/after"
	run -0 admin verify
}

@test "a tar of the cache's directory, made by tar, comes back as well" {
	filled
	tar -C "$T" -czf "$T/plain.tgz" "${CACHE##*/}"
	stop_nginx
	wipe
	restore "$T/plain.tgz"
	json_is '[d["restored"], d["failed"]]' '[7, 0]'
	start_nginx
	fetch_all HIT "$T/after"
	diff -r "$T/before" "$T/after"
}

@test "a cache of levels 1:2 is served by a server whose levels are 2:2" {
	filled
	stop_nginx
	wipe
	sed -i 's/levels=1:2/levels=2:2/' "$NGINX_CONF"
	restore -z pages "$T/cache.tar.zst"
	json_is '[d["restored"], d["failed"]]' '[7, 0]'
	start_nginx
	fetch_all HIT "$T/after"
	diff -r "$T/before" "$T/after"
	run -0 admin verify
}

@test "a server that has just been started finds what is restored" {
	filled
	stop_nginx
	wipe
	start_nginx
	restore -z pages "$T/cache.tar.zst"
	json_is 'd["nginx"]' cold
	fetch_all HIT "$T/after"
	diff -r "$T/before" "$T/after"
}

@test "what a purge removed is found at once, for nginx knows of it" {
	filled
	purge http://www.test/a
	run -0 --separate-stderr admin restore -z pages "$T/cache.tar.zst" http://www.test/a
	fetch_is HIT http://www.test/a
	page_is "www.test/a version 1"
	fetch_is HIT http://www.test/a?b=1
}

@test "a page that nginx has stored anew is kept" {
	filled
	purge http://www.test/a
	sleep 1.1 # nginx stores whole seconds
	fetch_is MISS http://www.test/a
	restore -z pages "$T/cache.tar.zst"
	json_is '[d["restored"], d["kept"]]' '[0, 7]'
	fetch_is HIT http://www.test/a
	page_is "www.test/a version 2"
}

@test "a server that has read its caches in ignores what is restored, and restore says so" {
	# The loader begins a minute after the start, and says when it has ended.
	wait_until 'grep -q "http file cache: $CACHE" "$NGINX/log/error.log"' 90
	wait_until loader_is_gone
	mkcache_page
	run -0 --separate-stderr admin restore --json -z pages "$T/new.tar"
	[[ $stderr == *"nginx (process $NGINX_PID) has read its caches in"* ]]
	[[ $stderr == *'stop nginx, restore, start it'* ]]
	json_is '[d["nginx"], d["restored"]]' '["warm", 1]'
	fetch_is MISS http://www.test/new
	run -0 --separate-stderr admin restore -q -z pages --overwrite "$T/new.tar"
	equal "$stderr" ""
	stop_nginx
	run -0 --separate-stderr admin restore --overwrite -z pages "$T/new.tar"
	equal "$stderr" ""
	start_nginx
	fetch_is HIT http://www.test/new
	page_is "from the archive"
}

loader_is_gone() {
	local pid

	for pid in $(cat "/proc/$NGINX_PID/task/$NGINX_PID/children"); do
		! grep -qz 'cache loader' "/proc/$pid/cmdline" || return 1
	done
}

# mkcache_page: an archive of a page that nginx has not seen
mkcache_page() {
	mkcache -o "$T/made/pages" --valid $(($(date +%s) + 3600)) --date "$(date +%s)" \
	    --body 'from the archive' httpGETwww.test/new
	tar -C "$T/made" -cf "$T/new.tar" pages
}
