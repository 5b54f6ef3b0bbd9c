#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# verify on the caches of a real nginx: no false alarm, and what nginx makes of the files that
# it finds.

load sites

teardown() {
	stop_servers
}

# clean: verify has nothing to say
clean() {
	run -0 --separate-stderr admin verify --json
	equal "$output$stderr" ""
}

# wrong REASON [ARGUMENT...]: verify tells of one file, for that reason, and repairs it with
# --repair
wrong() {
	run -1 --separate-stderr admin verify --json "${@:2}"
	equal "$stderr" ""
	json_is '[x["reason"] for x in lines]' "[\"$1\"]"
	json_is 'lines[0]["repaired"]' "$([ "${2:-}" = --repair ] && echo true || echo false)"
}

# the_file: the only file of the cache
the_file() {
	find "$CACHE" -type f
}

# poke OFFSET HEX: overwrite bytes of the only file
poke() {
	printf '%b' "$(sed 's/../\\x&/g' <<<"$2")" |
	    dd of="$(the_file)" bs=1 seek="$1" conv=notrunc status=none
}

# body_start: of the only file
body_start() {
	admin list --json | json_get 'd["body_start"]'
}

# served_anew REASON COMMAND...: a page is cached and spoilt by COMMAND; verify says REASON, and
# nginx does not serve it.
served_anew() {
	local reason=$1

	shift
	warm http://www.test/a
	"$@"
	wrong "$reason"
	[ "$(fetch http://www.test/a)" != HIT ] || equal HIT "no HIT" "$reason"
	clean
}

@test "verify: pages of every kind that nginx stores are in order" {
	proxy_site '' 'proxy_cache_convert_head off; proxy_cache_methods GET HEAD;'
	origin_rule /vary '{"vary": "Accept-Language"}'
	origin_rule /gone '{"status": 404}'
	origin_rule /moved '{"status": 301, "headers": {"Location": "/"}}'
	origin_rule /empty '{"body": ""}'
	origin_rule /big '{"size": 300000}'
	for page in a vary gone moved empty big; do
		fetch "http://www.test/$page"
		fetch -I "http://www.test/$page"
	done
	fetch -H 'Accept-Language: de' http://www.test/vary
	fetch -H 'Accept-Language: en' http://www.test/vary
	[ "$(entries_in "$CACHE")" -ge 12 ]
	clean
	purge --mode invalidate http://www.test/a
	purge --soft --refetch http://www.test/vary
	clean
}

@test "verify: FastCGI pages are in order" {
	fastcgi_site
	for page in a noisy missing moved; do
		fetch "http://www.test/$page"
		fetch -I "http://www.test/$page"
	done
	[ "$(entries_in "$CACHE")" -ge 4 ]
	clean
}

@test "verify: slices are in order" {
	KEY='$scheme$request_method$host$request_uri$slice_range'
	proxy_site '' 'slice 1000; proxy_set_header Range $slice_range; proxy_cache_valid 206 1h;'
	origin_rule /big '{"size": 4500}'
	fetch http://www.test/big
	equal "$(entries_in "$CACHE")" 5
	clean
}

@test "verify: a cache that nginx stores into and revalidates all the time has nothing wrong" {
	command -v wrk >/dev/null || skip "wrk is not installed"
	proxy_site 'use_temp_path=off' 'proxy_cache_revalidate on; proxy_cache_valid 200 1s;'
	origin_rule '/p/*[02468]' '{"etag": true}'
	cat >"$T/pages.lua" <<-'END'
		local n = 0
		function request()
			n = n + 1
			return wrk.format("GET", "/p/" .. n % 200)
		end
	END
	warm http://www.test/p/1
	wrk -t1 -c8 -d4 -s "$T/pages.lua" -H 'Host: www.test' "http://127.0.0.1:$PORT/" >"$T/wrk" 2>&1 3>&- &
	pid=$! rounds=0
	while kill -0 $pid 2>/dev/null; do
		run -0 --separate-stderr admin verify --json --repair
		equal "$output$stderr" ""
		rounds=$((rounds + 1))
	done
	wait $pid
	[ "$rounds" -ge 3 ]
}

@test "verify: nginx refuses what is damaged, and stores it anew" {
	proxy_site
	served_anew too_small eval 'truncate -s 100 "$(the_file)"'
	served_anew too_small eval 'truncate -s $(($(body_start) - 10)) "$(the_file)"'
	served_anew unknown_version poke 0 04
	served_anew unknown_version eval 'head -c 5000 /dev/urandom >"$(the_file)"'
	served_anew bad_offsets poke 54 0000
	served_anew bad_offsets poke 187 ff
	served_anew bad_crc poke 48 00000000
	served_anew bad_crc poke 345 58
}

@test "verify: a file under a name that is not its own" {
	proxy_site
	warm http://www.test/a
	mkdir -p "$CACHE/a/aa"
	mv "$(the_file)" "$CACHE/a/aa/01234567890123456789012345678aaa"
	fetch_is MISS http://www.test/a
	wrong name_mismatch --repair
	clean
	rm -r "$CACHE/a" # of root, not of the worker
	origin_rule /vary '{"vary": "Accept-Language"}'
	warm -H 'Accept-Language: de' http://www.test/vary
	warm -H 'Accept-Language: en' http://www.test/vary
	admin purge -q --glob '*' --exclude '*/vary'
	file=$(admin list --json --variants-only | json_get 'd["file"]')
	printf '\0\0\0' | dd of="$file" bs=1 seek=316 conv=notrunc status=none
	wrong name_mismatch
	fetch_is MISS -H 'Accept-Language: en' http://www.test/vary
	clean
}

# served_wrongly REASON COMMAND...: a page is cached and spoilt by COMMAND; nginx serves
# what is there, verify says REASON, and after its repair the page is fetched and right again.
served_wrongly() {
	local reason=$1

	shift
	warm http://www.test/a
	cp "$T/body" "$T/right"
	"$@"
	wrong "$reason"
	rm "$T/body"
	run fetch http://www.test/a # curl may find the answer garbled
	! cmp -s "$T/body" "$T/right" || equal "the right page" "a wrong one" "$reason"
	wrong "$reason" --repair
	equal "$(entries_in "$CACHE")" 0
	fetch_is MISS http://www.test/a
	cmp "$T/body" "$T/right"
	clean
}

@test "verify: nginx serves what is misserved; after a repair it is right again" {
	proxy_site
	served_wrongly body_short eval 'truncate -s -4 "$(the_file)"'
	served_wrongly body_short eval 'truncate -s $(body_start) "$(the_file)"'
	served_wrongly bad_header eval 'poke $(head -c $(body_start) "$(the_file)" | grep -abo HTTP/1.1 | cut -d: -f1) 58'
}

@test "verify: what nginx serves although something is wrong with it" {
	proxy_site
	warm http://www.test/a
	poke 337 58
	fetch_is HIT http://www.test/a
	wrong bad_key_mark --repair
	warm http://www.test/a
	printf more >>"$(the_file)"
	fetch_is HIT http://www.test/a
	wrong body_long --repair
	fetch_is MISS http://www.test/a
	clean
}

@test "verify: records of FastCGI that are garbled" {
	fastcgi_site
	warm http://www.test/a
	poke $(($(admin list --json | json_get 'd["header_start"]') + 1)) 63
	wrong bad_framing --repair
	fetch_is MISS http://www.test/a
	clean
}

@test "verify: after a change of levels the old entries are orphans" {
	proxy_site
	warm http://www.test/a
	kill "$NGINX_PID"
	wait "$NGINX_PID" || :
	sed -i 's/levels=1:2/levels=2:2/' "$NGINX_CONF"
	start_nginx
	fetch_is MISS http://www.test/a
	wrong orphan --repair
	fetch_is HIT http://www.test/a
	clean
}

@test "verify: the temporary file of a worker is left while it works, and removed when it was killed" {
	NGINX_WORKERS=1
	proxy_site use_temp_path=off 'proxy_limit_rate 20k;'
	origin_rule /big '{"size": 2000000}'
	curl -s -o "$T/big" -H 'Host: www.test' "http://127.0.0.1:$PORT/big" 3>&- &
	client=$!
	wait_until '[ -n "$(find "$CACHE" -name "*.0*")" ]'
	worker=$(nginx_workers)
	kill -STOP "$worker"
	touch -d '2 hours ago' "$(the_file)"
	run -1 --separate-stderr admin verify --json --repair
	json_is '[[x["reason"], x["repaired"]] for x in lines]' '[["temporary", false]]'
	kill -KILL "$worker"
	wait "$client" || :
	wait_until '! kill -0 '"$worker"
	wrong temporary
	wrong temporary --repair
	equal "$(the_file)" ""
}

fetch_fails() {
	[[ $(fetch http://www.test/a) == '500 '* ]]
}

@test "verify: a directory in the place of a file, a link, and a file the worker may not read" {
	proxy_site
	warm http://www.test/a
	file=$(the_file)
	chmod 0 "$file"
	if [ "$(id -u)" -eq 0 ]; then
		fetch_fails
		wrong mode
		chmod 600 "$file"
		chown 0 "$file"
		fetch_fails
		wrong owner
	fi
	mv "$file" "$T/aside"
	mkdir "$file"
	fetch_fails
	wrong directory
	rmdir "$file"
	chmod 644 "$T/aside"
	chmod 711 "$T"
	ln -s "$T/aside" "$file"
	fetch_is HIT http://www.test/a
	wrong symlink
}
