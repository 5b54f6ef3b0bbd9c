#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# doctor beside a running nginx: a healthy one, another configuration in use, and states that
# nginx itself makes.

load sites

setup() {
	proxy_site
}

teardown() {
	stop_servers
}

# codes: the codes of the findings, of this severity when one is given
codes() {
	json_get '" ".join(x["code"] for x in d["findings"] if x["severity"] in ("'"${1:-}"'" or "fault warning note"))' \
	    <<<"$output"
}

@test "a healthy server has neither faults nor warnings, and its cache stays as it is" {
	warm http://www.test/a
	warm http://shop.test/b
	run -0 --separate-stderr admin doctor --json
	equal "$stderr" ""
	equal "$(codes fault)$(codes warning)" ''
	fetch_is HIT http://www.test/a
}

@test "a root that went missing is a fault: nothing is stored until a reload makes it" {
	rm -r "$CACHE"
	run -1 --separate-stderr admin doctor --json
	equal "$(codes fault)" root_missing
	fetch_is MISS http://www.test/a
	fetch_is MISS http://www.test/a
	admin -q reload
	run -0 --separate-stderr admin doctor --json
	warm http://www.test/a
}

@test "a root of another user is a fault: clients get errors until a reload takes it back" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	warm http://www.test/a
	chown root "$CACHE"
	run -1 --separate-stderr admin doctor --json
	equal "$(codes fault)" root_owner
	fetch_is '500 MISS' http://www.test/b
	admin -q reload
	run -0 --separate-stderr admin doctor --json
	fetch_is HIT http://www.test/a
}

@test "a root without rights is a fault: clients get errors until a reload gives them back" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	warm http://www.test/a
	chmod 600 "$CACHE"
	run -1 --separate-stderr admin doctor --json
	equal "$(codes fault)" root_mode
	fetch_is '500 MISS' http://www.test/b
	admin -q reload
	run -0 --separate-stderr admin doctor --json
	fetch_is HIT http://www.test/a
}

@test "a level directory of another user is a fault" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	warm http://www.test/a
	chown root "$CACHE"/?
	run -1 --separate-stderr admin doctor --json
	equal "$(codes fault)" level_owner
	fetch_is '500 MISS' http://www.test/a
	chown -R root "$CACHE"/?
	chmod -R go=rX "$CACHE"/?
	fetch_is HIT http://www.test/a
	run -1 --separate-stderr admin doctor --json
	equal "$(codes fault)" level_owner
}

@test "the master runs with another file than the one that was read" {
	sed 's/inactive=1h/inactive=2h/' "$NGINX_CONF" >"$NGINX/other.conf"
	run -1 --separate-stderr ngxcache -c "$NGINX/other.conf" -p "$NGINX" doctor --json
	equal "$stderr" ""
	equal "$(codes fault)" other_configuration
	json_is 'd["findings"][0]["path"]' "$NGINX_CONF"
	ln -s nginx.conf "$NGINX/link.conf"
	run -0 --separate-stderr ngxcache -c "$NGINX/link.conf" -p "$NGINX" doctor --json
	equal "$(codes fault)" ''
}

@test "a configuration that was changed after nginx read it is not the one in use" {
	touch -d '+1 minute' "$NGINX_CONF"
	run -0 --separate-stderr admin doctor --json
	equal "$(codes warning)" other_configuration
	json_is 'd["findings"][0]["path"]' "$NGINX_CONF"
	touch "$NGINX_CONF"
	admin -q reload
	run -0 --separate-stderr admin doctor --json
	equal "$(codes warning)" ''
}

@test "changed levels leave orphans" {
	warm http://www.test/a
	warm http://www.test/b
	sed -i 's/levels=1:2/levels=2:2/' "$NGINX_CONF"
	kill "$NGINX_PID"
	wait "$NGINX_PID" || :
	start_nginx
	fetch_is MISS http://www.test/a
	run -0 --separate-stderr admin doctor --json
	equal "$(codes warning)" levels_changed
	[[ $(json_get 'd["findings"][0]["seen"]' <<<"$output") == *'2 of 3'* ]]
}

@test "two sites with one key: nginx serves a page of one as that of the other" {
	kill "$NGINX_PID"
	wait "$NGINX_PID" || :
	nginx_conf <<-END
		proxy_cache_path $CACHE levels=1:2 keys_zone=pages:1m;
		proxy_cache_valid 1h;
		proxy_cache_key \$request_uri;
		proxy_cache pages;
		proxy_set_header Host \$host;
		server {
			listen 127.0.0.1:$PORT;
			server_name www.test;
			location / { proxy_pass http://127.0.0.1:$ORIGIN_PORT; }
		}
		server {
			listen 127.0.0.1:$PORT;
			server_name shop.test;
			location / { proxy_pass http://127.0.0.1:$ORIGIN_PORT; }
		}
	END
	start_nginx
	warm http://www.test/a
	fetch_is HIT http://shop.test/a
	run -1 --separate-stderr admin doctor --json
	equal "$(codes fault)" key_without_host
}

@test "a worker is asked whom it runs as, whatever the configuration says" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	sed -i 's/^user .*/user daemon;/' "$NGINX_CONF"
	run -0 --separate-stderr admin doctor --json
	equal "$(codes fault)" ''
	sed -i '/^user /d' "$NGINX_CONF"
	chown daemon "$CACHE"
	run -1 --separate-stderr admin doctor --json
	equal "$(codes fault)" root_owner
}

@test "a key zone that nginx filled is nearly full, and what it stored can be over max_size" {
	sed -i 's/pages:1m/pages:128k max_size=1m manager_files=1 manager_sleep=30s/' "$NGINX_CONF"
	kill "$NGINX_PID"
	wait "$NGINX_PID" || :
	start_nginx
	# More than 128k hold: nginx forgets old ones for new ones.
	fetch 'http://www.test/p[1-1100]' >/dev/null
	run -0 --separate-stderr admin doctor --json
	equal "$(codes warning)" 'key_zone_full over_max_size'
	[ "$(entries_in "$CACHE")" -lt 1100 ]
}
