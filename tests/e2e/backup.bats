#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# Archives of a cache that nginx is writing to, and what a purge with --backup leaves.

load sites

setup() {
	proxy_site
}

teardown() {
	rm -f "$T/busy"
	[ -z "${LOAD_PID:-}" ] || wait "$LOAD_PID" || :
	stop_servers
}

stop_nginx() {
	kill "$NGINX_PID"
	wait "$NGINX_PID" || :
	NGINX_PID=
}

# whole FILE: every entry in it is as nginx writes them, and not a byte more or less
whole() {
	rm -rf "$T/out"
	mkdir "$T/out"
	tar -xf "$1" -C "$T/out"
	rm "$T/out/ngxcache.json"
	run -0 --separate-stderr ngxcache verify -d "$T/out/pages,levels=1:2"
	equal "$stderr" ""
}

# keep_busy: until $T/busy goes, some pages are purged and fetched anew, time and again
keep_busy() {
	: >"$T/busy"
	(
		while [ -e "$T/busy" ]; do
			curl -sS -o "$T/page" -H 'Host: www.test' "http://127.0.0.1:$PORT/[1-40]"
			admin purge -q --glob "*[$((RANDOM % 10))$((RANDOM % 10))]" || :
		done
	) 3>&- &
	LOAD_PID=$!
}

@test "archives of a cache that nginx writes to hold whole entries" {
	keep_busy
	wait_until '[ "$(origin_count)" -gt 50 ]'
	for n in {1..6}; do
		run -0 --separate-stderr admin archive -z pages -o "$T/a$n.tar"
		equal "$stderr" ""
		whole "$T/a$n.tar"
	done
}

@test "what a purge with a backup took is in the archive, and comes back from there" {
	for page in {1..8}; do
		warm "http://www.test/$page"
	done
	before=$(cd "$CACHE" && find . -type f -exec sha256sum {} + | sort)
	publish 2
	purge -z pages --all --backup "$T/a.tar.gz"
	json_is '[d["purged"], d["backup"]["entries"]]' '[8, 8]'
	fetch http://www.test/1 >/dev/null
	fetch_is HIT http://www.test/1
	page_is 'www.test/1 version 2'
	whole "$T/a.tar.gz"
	equal "$(cd "$T/out/pages" && find . -type f -exec sha256sum {} + | sort)" "$before"
	stop_nginx
	run -0 --separate-stderr admin restore --json -z pages "$T/a.tar.gz"
	json_is '[d["restored"], d["kept"]]' '[7, 1]'
	start_nginx
	fetch_is HIT http://www.test/2
	page_is 'www.test/2 version 1'
	fetch_is HIT http://www.test/1
	page_is 'www.test/1 version 2'
}

@test "a purge with a backup beside a busy nginx loses nothing" {
	keep_busy
	wait_until '[ "$(origin_count)" -gt 50 ]'
	for n in {1..6}; do
		run -0 --separate-stderr admin purge --json -z pages --all --backup "$T/a.tar"
		equal "$stderr" ""
		# Nothing may be there: then there is no archive, and 0 of everything.
		json_is 'd["purged"] + d["replaced"] <= d["backup"]["entries"] <= d["matched"]' true
		[ ! -e "$T/a.tar" ] || whole "$T/a.tar"
	done
	log_is_clean
}
