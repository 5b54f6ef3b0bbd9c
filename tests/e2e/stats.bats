#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# stats and check on the caches that a running nginx filled: what they tell is what ls and
# du see, and what nginx was asked for.

load sites

teardown() {
	stop_servers
}

# blocks DIR: what du sees of the files below, without directories, in bytes
blocks() {
	find "$1" -type f -print0 | du -cB 512 --files0-from=- | awk 'END { print $1 * 512 }'
}

apparent() {
	find "$1" -type f -print0 | du -cb --files0-from=- | awk 'END { print $1 }'
}

@test "stats: counts and bytes are those of the files that nginx stored" {
	proxy_site 'max_size=10m'
	origin_rule '/big*' "{\"body\": \"$(printf '%100000s' x)\"}"
	origin_rule '/gone*' '{"status": 404}'
	for url in http://www.test/{a,b,big/1,big/2,gone} http://shop.test/c; do
		fetch "$url" >/dev/null
	done

	run -0 --separate-stderr admin stats --json --by host,status
	equal "$stderr" ""
	json_is '[d["total"][k] for k in ("entries", "bytes", "allocated")]' \
	    "[$(entries_in "$CACHE"), $(apparent "$CACHE"), $(blocks "$CACHE")]"
	json_is '[d["total"][k] for k in ("entries", "fresh", "expired", "damaged", "orphans", "foreign")]' \
	    '[6, 6, 0, 0, 0, 0]'
	json_is 'd["zones"][0]["fill"]' "$("$PYTHON" -c "print($(blocks "$CACHE") / 10485760)")"
	json_is 'sorted([g["by"]["host"], g["by"]["status"], g["entries"]] for g in d["groups"])' \
	    '[["shop.test", 200, 1], ["www.test", 200, 4], ["www.test", 404, 1]]'
	json_is 'sum(g["allocated"] for g in d["groups"]) == d["total"]["allocated"]' true
}

@test "stats: FastCGI's pages are grouped by the status and type that PHP sent" {
	fastcgi_site
	for path in /a /b /missing /moved; do
		fetch "http://www.test$path" >/dev/null
	done
	run -0 --separate-stderr admin stats --json --by status,type
	json_is 'sorted([g["by"]["status"], g["by"]["type"], g["entries"]] for g in d["groups"])' \
	    '[[200, "text/html", 2], [301, "text/html", 1], [404, "text/html", 1]]'
}

@test "stats: what a purge leaves in place is counted as such" {
	proxy_site
	for n in 1 2 3 4; do
		warm "http://www.test/$n"
	done
	purge --soft http://www.test/1
	purge --mode invalidate http://www.test/2
	purge http://www.test/3
	run -0 --separate-stderr admin stats --json
	json_is '[d["total"][k] for k in ("entries", "fresh", "expired", "invalidated")]' '[3, 1, 1, 1]'
}

@test "check: a running server's cache is well, until its directory is gone" {
	proxy_site 'max_size=10m'
	warm http://www.test/a
	run -0 --separate-stderr admin check --crit-fill 90 --warn-expired 50
	equal "$stderr" ""
	[[ $output == 'CACHE OK - pages: 1 entry, '*" | pages_allocated=$(blocks "$CACHE")B;;;0;10485760 "* ]]
	run -2 admin check --crit-fill 0
	[[ $output == 'CACHE CRITICAL - pages: '* ]]
	mv "$CACHE" "$CACHE.gone"
	run -2 --separate-stderr admin check
	[[ $output == "CACHE CRITICAL - pages: $CACHE: "* ]]
}
