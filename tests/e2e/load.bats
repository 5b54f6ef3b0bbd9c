#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# Purging while nginx answers as fast as it can: no request may see an error.

load sites

teardown() {
	[ -z "${LOAD_PID:-}" ] || kill "$LOAD_PID" 2>/dev/null || :
	stop_servers
}

# start_load: requests for 30 pages of www.test for 4 seconds; what wrk says in $T/wrk
start_load() {
	command -v wrk >/dev/null || skip "wrk is not installed"
	cat >"$T/pages.lua" <<-'END'
		local n = 0
		function request()
			n = n + 1
			return wrk.format("GET", "/p/" .. n % 30)
		end
		function done(summary, latency, requests)
			local e = summary.errors
			io.write(string.format("requests=%d errors=%d\n", summary.requests,
			    e.connect + e.read + e.write + e.status + e.timeout))
		end
	END
	wrk -t1 -c8 -d4 --timeout 10 -s "$T/pages.lua" -H 'Host: www.test' \
	    "http://127.0.0.1:$PORT/" >"$T/wrk" 2>&1 3>&- &
	LOAD_PID=$!
}

load_goes_on() {
	kill -0 "$LOAD_PID" 2>/dev/null
}

# purge_under_load ARGUMENT...: again and again until the load ends; at least three times
purge_under_load() {
	local rounds=0 purged=0

	warm http://www.test/p/1
	start_load
	while load_goes_on; do
		purge "$@"
		json_is '[d["failed"], d["errors"]]' '[0, []]'
		purged=$((purged + $(json_get 'd["purged"]' <<<"$output")))
		rounds=$((rounds + 1))
	done
	wait "$LOAD_PID"
	LOAD_PID=''
	run -0 cat "$T/wrk"
	[[ $output =~ requests=([0-9]+)\ errors=0 ]] || { cat "$T/wrk" >&2; return 1; }
	[ "${BASH_REMATCH[1]}" -gt 100 ]
	[ "$rounds" -ge 3 ]
	[ "$purged" -ge 3 ]
	run -1 grep -E '\[(alert|emerg)\]' "$NGINX/log/error.log"
	# What nginx was still fetching is stored after a purge: the last one has to come later.
	publish last
	wait_until "admin purge ${*@Q}; fetch http://www.test/p/1; grep -q 'version last' $T/body"
}

@test "removing one page again and again lets no request fail" {
	proxy_site
	purge_under_load http://www.test/p/1
}

@test "removing everything again and again lets no request fail" {
	proxy_site use_temp_path=off
	purge_under_load --all
}

@test "invalidating a pattern again and again lets no request fail" {
	proxy_site "" 'open_file_cache max=100;'
	purge_under_load --mode invalidate --glob '*/p/1*'
}

@test "expiring everything again and again lets no request fail" {
	proxy_site
	purge_under_load --soft --all
}
