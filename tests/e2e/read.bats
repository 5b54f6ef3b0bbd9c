#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# zones, list and show on the caches of a running nginx: what they tell is what it served.

load sites

teardown() {
	stop_servers
}

# sum DIR FORMAT: of what find prints for the files below DIR
sum() {
	find "$1" -type f -printf "$2\n" | awk '{ n += $1 } END { print n }'
}

@test "zones: the zone of a running server, its use, its key and what it holds" {
	proxy_site 'max_size=10m use_temp_path=off'
	warm http://www.test/a
	warm http://www.test/b

	run -0 --separate-stderr admin zones --json
	equal "$stderr" ""
	json_is '[d["schema"], d["command"], len(d["zones"])]' '[1, "zones", 1]'
	json_is '[d["zones"][0][k] for k in ("name", "type", "path", "levels")]' \
	    "[\"pages\", \"proxy\", \"$CACHE\", \"1:2\"]"
	json_is '[d["zones"][0][k] for k in ("keys_zone_size", "max_size", "min_free", "inactive", "use_temp_path")]' \
	    '[1048576, 10485760, null, 3600, false]'
	json_is '[d["zones"][0][k] for k in ("exists", "entries", "bytes", "allocated")]' \
	    "[true, 2, $(sum "$CACHE" %s), $((512 * $(sum "$CACHE" %b)))]"
	json_is '[d["zones"][0]["file"], d["zones"][0]["line"]]' \
	    "[\"$NGINX_CONF\", $(grep -n proxy_cache_path "$NGINX_CONF" | cut -d: -f1)]"
	json_is '[[u[k] for k in ("zone", "server_names", "listen", "location", "protocol", "key")] for u in d["zones"][0]["uses"]]' \
	    "[[\"pages\", [\"www.test\", \"shop.test\"], [\"127.0.0.1:$PORT\"], \"/\", \"proxy\", \"$KEY\"]]"
	json_is 'd["uses_unresolved"]' '[]'

	run -0 --separate-stderr admin zones --no-usage --json
	equal "$stderr" ""
	json_is '[d["zones"][0]["name"], d["zones"][0]["max_size"]]' '["pages", 10485760]'
}

@test "list: the fields of a proxied page are those that the server sent" {
	proxy_site
	headers='"Content-Type": "text/css", "Cache-Control": "max-age=600"'
	headers+=', "Last-Modified": "Mon, 02 Nov 2026 10:00:00 GMT"'
	origin_rule /a "{\"etag\": true, \"headers\": {$headers}}"
	before=$(date +%s)
	warm http://www.test/a
	after=$(date +%s)
	file=$(find "$CACHE" -type f)

	run -0 --separate-stderr admin list --json
	equal "$stderr" ""
	equal "${#lines[@]}" 1
	json_is '[d[k] for k in ("zone", "file", "key", "url")]' \
	    "[\"pages\", \"$file\", \"httpGETwww.test/a\", \"http://www.test/a\"]"
	json_is '[d[k] for k in ("scheme", "method", "host", "uri")]' '["http", "GET", "www.test", "/a"]'
	json_is '[d[k] for k in ("kind", "vary", "variant", "orphan", "protocol", "state")]' \
	    '["main", null, null, false, "http", "fresh"]'
	json_is '[d[k] for k in ("status", "content_type", "content_length", "etag")]' \
	    "[200, \"text/css\", $(wc -c <"$T/body"), \"\\\"1\\\"\"]"
	json_is '[d[k] for k in ("size", "allocated", "body_size")]' \
	    "[$(stat -c %s "$file"), $(($(stat -c '%b*512' "$file"))), $(wc -c <"$T/body")]"
	json_is 'd["last_modified"]' "$(date -d '2026-11-02 10:00:00Z' +%s)"
	json_is "$before <= d['date'] <= $after" true
	json_is "$before + 600 <= d['valid'] <= $after + 600" true
	json_is 'd["size"] - d["body_start"] == d["body_size"]' true
}

@test "list: the fields of a fastcgi page are those that PHP sent" {
	fastcgi_site
	warm http://www.test/a
	fetch http://www.test/missing
	fetch http://www.test/moved

	run -0 --separate-stderr admin list --json
	equal "$stderr" ""
	json_is 'sorted([e["uri"], e["status"], e["content_type"], e["protocol"]] for e in lines)' \
	    '[["/a", 200, "text/html; charset=utf-8", "fastcgi"], ["/missing", 404, "text/html; charset=utf-8", "fastcgi"], ["/moved", 301, "text/html; charset=UTF-8", "fastcgi"]]'
}

@test "list: methods have entries of their own, and errors their status" {
	proxy_site
	origin_rule '/gone*' '{"status": 404}'
	warm http://www.test/a
	warm --head http://www.test/a
	fetch http://www.test/gone

	run -0 --separate-stderr admin list --json
	json_is 'sorted([e["method"], e["uri"], e["status"], e["body_size"]] for e in lines)' \
	    '[["GET", "/a", 200, 21], ["GET", "/gone", 404, 24], ["HEAD", "/a", 200, 21]]'
	run -0 --separate-stderr admin list --json --status 4xx
	json_is '[e["uri"] for e in lines]' '["/gone"]'
}

@test "show: the headers and the body of a proxied page are those that the server sent" {
	proxy_site
	origin_rule '*' '{"headers": {"Content-Type": "text/plain", "X-One": "1", "Link": "<a>; rel=b"}}'
	warm http://www.test/a

	run -0 --separate-stderr admin show --json http://www.test/a
	equal "$stderr" ""
	json_is '[d["crc_ok"], d["name_ok"], d["variants"]]' '[true, true, null]'
	for name in Content-Type X-One Link Content-Length; do
		sent=$(sed -n "s/\r\$//; s/^$name: //p" "$T/head")
		[ -n "$sent" ]
		json_is "[v for n, v in d['headers'] if n == '$name']" "[\"$sent\"]"
	done

	ngxcache -c "$NGINX_CONF" show --body http://www.test/a >"$T/shown"
	cmp "$T/shown" "$T/body"
	ngxcache show --body --file "$(find "$CACHE" -type f)" >"$T/shown"
	cmp "$T/shown" "$T/body"
}

@test "show: the headers and the body of a fastcgi page, its warnings left out" {
	fastcgi_site
	warm http://www.test/noisy
	grep -q 'a warning of the site' "$NGINX/log/error.log"

	run -0 --separate-stderr admin show --json http://www.test/noisy
	equal "$stderr" ""
	json_is '[v for n, v in d["headers"] if n == "X-Version"]' '["1"]'
	json_is '[d["status"], any("warning" in n + v for n, v in d["headers"])]' '[200, false]'
	ngxcache -c "$NGINX_CONF" show --body http://www.test/noisy >"$T/shown"
	cmp "$T/shown" "$T/body"
}

@test "show: a page that is not cached is status 1" {
	proxy_site
	warm http://www.test/a
	run -1 --separate-stderr admin show --json http://www.test/b
	equal "$output" ""
	[[ $stderr == *http://www.test/b* ]]
}

@test "configuration: zones and servers are found through includes" {
	need_nginx
	start_origin
	PORT=$(free_port)
	CACHE=$T/pages
	nginx_conf <<-END
		include conf.d/*.conf;
		include sites/www.conf;
	END
	mkdir "$NGINX/conf.d" "$NGINX/sites"
	cat >"$NGINX/conf.d/cache.conf" <<-END
		proxy_cache_path $CACHE levels=1:2 keys_zone=pages:1m inactive=1h;
		proxy_cache_key $KEY;
	END
	cat >"$NGINX/sites/www.conf" <<-END
		server { listen 127.0.0.1:$PORT; server_name www.test; include sites/locations; }
	END
	cat >"$NGINX/sites/locations" <<-END
		proxy_set_header Host \$host;
		location / { proxy_cache pages; proxy_cache_valid 1h; proxy_pass http://127.0.0.1:$ORIGIN_PORT; }
	END
	start_nginx
	warm http://www.test/a

	run -0 --separate-stderr admin zones --json
	equal "$stderr" ""
	json_is '[[z["name"], z["file"], z["entries"]] for z in d["zones"]]' \
	    "[[\"pages\", \"$NGINX/conf.d/cache.conf\", 1]]"
	json_is '[[u["location"], u["file"], u["line"]] for u in d["zones"][0]["uses"]]' \
	    "[[\"/\", \"$NGINX/sites/locations\", 2]]"
	purge http://www.test/a
	json_is 'd["purged"]' 1
	fetch_is MISS http://www.test/a
}

@test "configuration: the dump of nginx -T is read from standard input" {
	proxy_site
	warm http://www.test/a
	run -0 --separate-stderr nginx -T -p "$NGINX" -c "$NGINX_CONF"
	printf '%s\n' "$output" >"$T/dump"

	run -0 --separate-stderr admin zones --json
	zones=$output
	run -0 --separate-stderr ngxcache -c - zones --json <"$T/dump"
	equal "$stderr" ""
	equal "$output" "$zones"
	run -0 --separate-stderr ngxcache -c - purge --json http://www.test/a <"$T/dump"
	equal "$stderr" ""
	json_is 'd["purged"]' 1
	fetch_is MISS http://www.test/a
}

@test "a cache that may not be read: which directory, and whom to become" {
	[ "$(id -u)" -eq 0 ] || skip "needs root to become somebody else"
	proxy_site
	warm http://www.test/a
	cp "$O/ngxcache" "$T/"

	for command in "list --json" "purge --json http://www.test/a" "purge --json --all"; do
		run -3 --separate-stderr as_nobody "$T/ngxcache" -c "$NGINX_CONF" -p "$NGINX" $command
		[[ $stderr == *"$CACHE"* ]]
		[[ $stderr == *"$WORKER"* ]]
	done
	fetch_is HIT http://www.test/a
}

@test "the worker's user may read and purge without being root" {
	[ "$(id -u)" -eq 0 ] || skip "needs root to become somebody else"
	proxy_site
	warm http://www.test/a
	cp "$O/ngxcache" "$T/"

	run -0 --separate-stderr setpriv --reuid="$WORKER" --regid="$WORKER" --clear-groups -- \
	    "$T/ngxcache" -c "$NGINX_CONF" -p "$NGINX" purge --json http://www.test/a
	equal "$stderr" ""
	json_is 'd["purged"]' 1
	fetch_is MISS http://www.test/a
}
