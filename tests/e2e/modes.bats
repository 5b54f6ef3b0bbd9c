#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# The three ways of purging, beside a running nginx that may hold the files open.

load sites

teardown() {
	stop_servers
}

# Each worker has an open file cache of its own: one makes sure that it is the warm one.
NGINX_WORKERS=1
OPEN_FILES='open_file_cache max=100; open_file_cache_valid 60s; open_file_cache_min_uses 1;'

# served_from_open_file URL: nginx answers it although the file's name is gone.
served_from_open_file() {
	local file

	file=$(find "$CACHE" -type f | head -n 1)
	mv "$file" "$T/aside"
	fetch_is HIT "$1"
	mv "$T/aside" "$file"
}

@test "remove: under open_file_cache the old page is never served again" {
	proxy_site "" "$OPEN_FILES"
	warm http://www.test/a
	served_from_open_file http://www.test/a
	publish 2

	purge http://www.test/a
	json_is '[d["mode"], d["purged"]]' '["remove", 1]'
	equal "$(entries_in "$CACHE")" 0
	fetch_is MISS http://www.test/a
	page_is "www.test/a version 2"
	fetch_is HIT http://www.test/a
	page_is "www.test/a version 2"
}

@test "invalidate: under open_file_cache the old page is never served again" {
	proxy_site "" "$OPEN_FILES"
	warm http://www.test/a
	served_from_open_file http://www.test/a
	publish 2

	purge --mode invalidate http://www.test/a
	json_is '[d["mode"], d["purged"]]' '["invalidate", 1]'
	equal "$(entries_in "$CACHE")" 1
	fetch_is MISS http://www.test/a
	page_is "www.test/a version 2"
	fetch_is HIT http://www.test/a
	page_is "www.test/a version 2"
	equal "$(entries_in "$CACHE")" 1
	log_is_clean
}

@test "expire: under open_file_cache the page is stale at once" {
	proxy_site "" "$OPEN_FILES"
	warm http://www.test/a
	served_from_open_file http://www.test/a
	publish 2

	purge --mode expire http://www.test/a
	json_is '[d["mode"], d["purged"]]' '["expire", 1]'
	fetch_is EXPIRED http://www.test/a
	page_is "www.test/a version 2"
	fetch_is HIT http://www.test/a
}

@test "invalidate: an invalidated entry is listed as such and purged again without harm" {
	proxy_site
	warm http://www.test/a
	purge --mode invalidate http://www.test/a

	run -0 --separate-stderr admin list --json
	equal "$stderr" ""
	json_is '[[e["state"], e["key"]] for e in lines]' '[["invalidated", "httpGETwww.test/a"]]'
	purge http://www.test/a
	equal "$(entries_in "$CACHE")" 0
	fetch_is MISS http://www.test/a
}

@test "expire: the stale page is served while nginx fetches the new one" {
	proxy_site "" 'proxy_cache_use_stale updating; proxy_cache_background_update on;'
	warm http://www.test/a
	publish 2

	purge --mode expire http://www.test/a
	fetch_is STALE http://www.test/a
	page_is "www.test/a version 1"
	wait_until '[ "$(fetch http://www.test/a)" = HIT ] && grep -q "version 2" "$T/body"'
	page_is "www.test/a version 2"
	log_is_clean
}

@test "expire: others get the stale page while one request fetches the new one" {
	proxy_site "" 'proxy_cache_use_stale updating;'
	warm http://www.test/a
	origin_rule /a '{"hold": "held"}'
	: >"$ORIGIN/held"
	publish 2

	purge --soft http://www.test/a
	json_is 'd["mode"]' expire
	curl -sS --max-time 20 -H 'Host: www.test' "http://127.0.0.1:$PORT/a" -o "$T/first" 3>&- &
	first=$!
	wait_until '[ "$(origin_count " /a ")" -eq 2 ]'
	fetch_is UPDATING http://www.test/a
	page_is "www.test/a version 1"
	rm "$ORIGIN/held"
	wait "$first"
	equal "$(cat "$T/first")" "www.test/a version 2"
	fetch_is HIT http://www.test/a
	page_is "www.test/a version 2"
}

@test "expire: a stale fastcgi page is served while nginx fetches the new one" {
	fastcgi_site "" 'fastcgi_cache_use_stale updating; fastcgi_cache_background_update on;'
	warm http://www.test/a
	publish 2

	purge --soft http://www.test/a
	fetch_is STALE http://www.test/a
	page_is "<p>www.test/a version 1</p>"
	wait_until '[ "$(fetch http://www.test/a)" = HIT ] && grep -q "version 2" "$T/body"'
}

@test "expire: the neighbour page stays fresh, and the entry keeps its file" {
	proxy_site
	warm http://www.test/a
	warm http://www.test/b
	before=$(find "$CACHE" -type f -printf '%i\n' | sort)
	now=$(date +%s)

	purge --soft http://www.test/a
	equal "$(find "$CACHE" -type f -printf '%i\n' | sort)" "$before"
	run -0 --separate-stderr admin list --json http://www.test/a
	json_is 'd["state"]' expired
	json_is "$now - 1 <= d['valid'] <= $now + 60" true
	fetch_is HIT http://www.test/b
	fetch_is EXPIRED http://www.test/a
}

@test "expire: an unchanged page is revalidated instead of sent again" {
	proxy_site "" 'proxy_cache_revalidate on;'
	origin_rule '*' '{"etag": true}'
	warm http://www.test/a

	purge --soft http://www.test/a
	fetch_is REVALIDATED http://www.test/a
	fetch_is HIT http://www.test/a
	equal "$(origin_count '/a "1"')" 1
}

@test "remove: a page that is unchanged at the origin is fetched in full" {
	proxy_site "" 'proxy_cache_revalidate on;'
	origin_rule '*' '{"etag": true}'
	warm http://www.test/a

	purge http://www.test/a
	fetch_is MISS http://www.test/a
	equal "$(origin_count '/a None')" 2
}

@test "expire: the old page helps out while the origin is down" {
	proxy_site "" 'proxy_cache_use_stale error http_500 updating;'
	warm http://www.test/a
	origin_rule '/a' '{"status": 500}'

	purge --soft http://www.test/a
	fetch_is STALE http://www.test/a
	page_is "www.test/a version 1"
	origin_rule '/a' '{"status": 200}'
	publish 2
	fetch_is EXPIRED http://www.test/a
	page_is "www.test/a version 2"
}

# expired_ago SECONDS: the only entry's time passed so long ago, and the origin lets it be
# served for 30 seconds more while it is fetched.  (The entry's layout: "valid" at byte 8.)
expired_ago() {
	"$PYTHON" - "$CACHE" "$1" <<-'END'
		import glob, struct, sys, time
		name, = glob.glob(sys.argv[1] + "/*/*/*")
		with open(name, "r+b") as f:
		    f.seek(8)
		    f.write(struct.pack("=q", int(time.time()) - int(sys.argv[2])))
	END
}

@test "expire: the life of an entry that has passed is not lengthened" {
	proxy_site "" 'proxy_cache_background_update on;'
	origin_rule '/a' '{"headers": {"Cache-Control": "max-age=3600, stale-while-revalidate=30"}}'
	warm http://www.test/a
	run -0 --separate-stderr admin list --json
	json_is '[d["layout"], d["updating"]]' '["lp64le", 30]'
	expired_ago 100
	before=$(find "$CACHE" -type f -printf '%i %b %s\n' -exec sha256sum {} +)
	publish 2

	purge --soft http://www.test/a
	json_is 'd["purged"]' 1
	equal "$(find "$CACHE" -type f -printf '%i %b %s\n' -exec sha256sum {} +)" "$before"
	fetch_is EXPIRED http://www.test/a
	page_is "www.test/a version 2"
}

@test "expire: the stale windows of the origin stay" {
	proxy_site "" 'proxy_cache_background_update on;'
	origin_rule '/a' '{"headers": {"Cache-Control": "max-age=3600, stale-while-revalidate=3000"}}'
	warm http://www.test/a
	before=$(find "$CACHE" -type f -printf '%i %b %s\n')
	purge --soft http://www.test/a
	equal "$(find "$CACHE" -type f -printf '%i %b %s\n')" "$before"
	fetch_is STALE http://www.test/a
	page_is "www.test/a version 1"
}
