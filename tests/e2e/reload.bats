#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# reload: accepted, refused by `nginx -t`, and refused only by the running master.

load sites

setup() {
	proxy_site
}

teardown() {
	[ -z "${BYSTANDER:-}" ] || kill "$BYSTANDER" 2>/dev/null || :
	stop_servers
}

@test "an accepted configuration gets new workers, which reload names" {
	warm http://www.test/a
	before=$(nginx_workers | sort -n)

	run -0 --separate-stderr admin reload --json
	equal "$stderr" ""
	after=$(nginx_workers | sort -n)
	[ "$before" != "$after" ]
	json_is '[d["schema"], d["command"], d["signal"]]' '[1, "reload", "reload"]'
	json_is '[d["pid"], d["tested"], d["ok"]]' "[$NGINX_PID, true, true]"
	json_is '" ".join(map(str, sorted(d["workers_before"])))' "$(xargs <<<"$before")"
	json_is '" ".join(map(str, sorted(d["workers_after"])))' "$(xargs <<<"$after")"
	fetch_is HIT http://www.test/a
}

@test "a changed configuration is in force when reload returns" {
	sed -i 's/server_name www.test/add_header X-Reloaded yes always; &/' "$NGINX_CONF"
	run -0 --separate-stderr admin reload
	equal "$stderr" ""
	fetch http://www.test/a
	run -0 grep -c '^X-Reloaded: yes' "$T/head"
}

@test "what nginx -t refuses is not signalled, and nginx's words are shown" {
	before=$(nginx_workers)
	sed -i 's/server_name www.test/no_such_directive on; &/' "$NGINX_CONF"

	run -2 --separate-stderr admin reload
	equal "$output" ""
	[[ $stderr == *'unknown directive "no_such_directive"'* ]]
	[[ $stderr == *"$NGINX_CONF"* ]]
	equal "$(nginx_workers)" "$before"
	run -1 grep -F 'signal 1 (SIGHUP) received' "$NGINX/log/error.log"
}

@test "changed levels of a live zone are refused by the master, whose line is quoted" {
	warm http://www.test/a
	before=$(nginx_workers)
	sed -i 's/levels=1:2/levels=2:2/' "$NGINX_CONF"
	start=$SECONDS

	run -3 --separate-stderr admin reload --json
	[ $((SECONDS - start)) -le 13 ]
	[[ $stderr == *'"pages" had previously different levels'* ]]
	json_is '[d["tested"], d["ok"]]' '[true, false]'
	json_is 'any("previously different levels" in m for m in d["messages"])' true
	equal "$(nginx_workers)" "$before"
	fetch_is HIT http://www.test/a
}

@test "a changed path of a live zone is refused by the master, whose line is quoted" {
	before=$(nginx_workers)
	mkdir "$T/elsewhere"
	sed -i "s|proxy_cache_path $CACHE|proxy_cache_path $T/elsewhere/pages|" "$NGINX_CONF"

	run -3 --separate-stderr admin reload
	[[ $stderr == *'uses the "'*'elsewhere/pages" cache path while previously it used'* ]]
	equal "$(nginx_workers)" "$before"
}

@test "a line of an earlier refusal is not taken for this one" {
	sed -i 's/levels=1:2/levels=2:2/' "$NGINX_CONF"
	run -3 --separate-stderr admin reload
	sed -i 's/levels=2:2/levels=1:2/' "$NGINX_CONF"

	run -0 --separate-stderr admin reload --json
	equal "$stderr" ""
	json_is '[d["ok"], any("emerg" in m for m in d["messages"])]' '[true, false]'
}

@test "a process that is no nginx is never signalled" {
	stop_servers
	sleep 60 3>&- &
	BYSTANDER=$!
	echo "$BYSTANDER" >"$NGINX/run/nginx.pid"

	run -3 --separate-stderr admin reload
	equal "$output" ""
	[[ $stderr == *"$BYSTANDER"* ]]
	kill -0 "$BYSTANDER"
}

@test "a server that does not run cannot be reloaded, and reload says so" {
	stop_servers
	rm -f "$NGINX/run/nginx.pid"

	run -3 --separate-stderr admin reload
	equal "$output" ""
	[[ $stderr == *"$NGINX/run/nginx.pid"* ]]
}

@test "a worker of nginx is no master: it is not signalled" {
	worker=$(nginx_workers | head -n 1)
	echo "$worker" >"$NGINX/run/nginx.pid"

	run -3 --separate-stderr admin reload
	[[ $stderr == *"$worker"* ]]
	kill -0 "$worker"
	run -1 grep -F 'signal 1 (SIGHUP) received' "$NGINX/log/error.log"
}

# --- purge --reload ---

@test "purge --reload gives nginx new workers after the purge" {
	warm http://www.test/a
	before=$(nginx_workers | sort -n)
	purge --reload http://www.test/a
	json_is '[d["purged"], d["reloaded"], d["errors"]]' '[1, true, []]'
	[ -z "$(comm -12 <(sort <<<"$before") <(nginx_workers | sort))" ]
	fetch_is MISS http://www.test/a
	run -0 --separate-stderr admin purge --reload http://www.test/a
	equal "$stderr" ""
	[[ ${lines[0]} == 'removed 1 entry '* && ${lines[1]} == "reloaded nginx (process $NGINX_PID): 2 new workers" ]]
}

@test "purge --reload of a configuration that nginx refuses purges, and is status 3" {
	warm http://www.test/a
	before=$(nginx_workers)
	sed -i 's/listen /no_such_directive; &/' "$NGINX_CONF"
	run -3 --separate-stderr admin purge --json --reload http://www.test/a
	[[ $stderr == *'unknown directive "no_such_directive"'*'nginx -t refuses the configuration'* ]]
	json_is '[d["purged"], d["failed"], d["reloaded"], len(d["errors"])]' '[1, 0, false, 1]'
	equal "$(nginx_workers)" "$before"
	fetch_is MISS http://www.test/a
}

@test "purge --reload reloads although some of the purge failed" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	warm http://www.test/a
	chown nobody "$(find "$CACHE" -type f)"
	before=$(nginx_workers | sort -n)
	run -3 --separate-stderr admin purge --json --soft --reload http://www.test/a
	json_is '[d["purged"], d["failed"], d["reloaded"]]' '[0, 1, true]'
	[ -z "$(comm -12 <(sort <<<"$before") <(nginx_workers | sort))" ]
}
