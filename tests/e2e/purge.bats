#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# Purging the cache of a running nginx: what is asked for goes, everything else stays.

load sites

teardown() {
	stop_servers
}

@test "proxy: a page is fetched anew after its purge, its neighbours still HIT" {
	proxy_site
	warm http://www.test/a
	warm http://www.test/a/
	warm http://www.test/a/b
	warm 'http://www.test/a?x=1'
	warm http://shop.test/a
	publish 2

	purge http://www.test/a
	json_is '[d["matched"], d["purged"], d["failed"], d["walked"]]' '[1, 1, 0, false]'
	json_is 'd["zones"][0]["zone"]' pages
	json_is '[[s["selector"], s["matched"]] for s in d["selectors"]]' '[["http://www.test/a", 1]]'

	fetch_is MISS http://www.test/a
	page_is "www.test/a version 2"
	fetch_is HIT http://www.test/a
	for url in http://www.test/a/ http://www.test/a/b 'http://www.test/a?x=1' http://shop.test/a; do
		fetch_is HIT "$url"
		page_is "${url#http://} version 1"
	done
	log_is_clean
}

@test "fastcgi: a page is fetched anew after its purge, its neighbours still HIT" {
	fastcgi_site
	warm http://www.test/a
	warm http://www.test/b
	warm http://shop.test/a
	publish 2

	purge http://www.test/a
	json_is '[d["matched"], d["purged"], d["failed"], d["walked"]]' '[1, 1, 0, false]'

	fetch_is MISS http://www.test/a
	page_is "<p>www.test/a version 2</p>"
	fetch_is HIT http://www.test/a
	fetch_is HIT http://www.test/b
	page_is "<p>www.test/b version 1</p>"
	fetch_is HIT http://shop.test/a
	log_is_clean
}

@test "a URL takes the entries of GET and of HEAD" {
	proxy_site
	warm http://www.test/a
	warm --head http://www.test/a
	warm --head http://www.test/b
	equal "$(entries_in "$CACHE")" 3

	purge http://www.test/a
	json_is 'd["purged"]' 2
	fetch_is MISS http://www.test/a
	fetch_is MISS --head http://www.test/a
	fetch_is HIT --head http://www.test/b
}

@test "a URL takes redirects and error pages, too" {
	fastcgi_site
	fetch_is '301 MISS' http://www.test/moved
	fetch_is '301 HIT' http://www.test/moved
	fetch_is '404 MISS' http://www.test/missing
	fetch_is '404 HIT' http://www.test/missing

	purge http://www.test/moved http://www.test/missing
	json_is '[s["matched"] for s in d["selectors"]]' '[1, 1]'
	fetch_is '301 MISS' http://www.test/moved
	fetch_is '404 MISS' http://www.test/missing
}

@test "a path alone means that path on every host" {
	proxy_site
	warm http://www.test/a
	warm http://shop.test/a
	warm http://www.test/b

	purge /a
	json_is 'd["purged"]' 2
	fetch_is MISS http://www.test/a
	fetch_is MISS http://shop.test/a
	fetch_is HIT http://www.test/b
}

@test "a URL with a star takes the pages below it on that host only" {
	proxy_site
	for url in www.test/blog/1 www.test/blog/2/3 www.test/blog shop.test/blog/1; do
		warm "http://$url"
	done

	purge 'http://www.test/blog/*'
	json_is 'd["purged"]' 2
	fetch_is MISS http://www.test/blog/1
	fetch_is MISS http://www.test/blog/2/3
	fetch_is HIT http://www.test/blog
	fetch_is HIT http://shop.test/blog/1
}

@test "keys are taken by their text, by shell patterns and by regular expressions" {
	proxy_site
	for n in 1 2 3 4 5; do
		warm "http://www.test/$n"
	done

	purge --key httpGETwww.test/1
	json_is 'd["purged"]' 1
	fetch_is MISS http://www.test/1

	purge --glob '*/[23]'
	json_is 'd["purged"]' 2
	fetch_is MISS http://www.test/2
	fetch_is MISS http://www.test/3

	purge --regex '/[4-9]$'
	json_is 'd["purged"]' 2
	fetch_is MISS http://www.test/4
	fetch_is MISS http://www.test/5
	fetch_is HIT http://www.test/1
}

@test "host and status filter what goes" {
	fastcgi_site
	warm http://www.test/a
	warm http://shop.test/a
	fetch http://www.test/missing
	fetch http://shop.test/missing

	purge --host shop.test --status 404
	json_is 'd["purged"]' 1
	fetch_is '404 MISS' http://shop.test/missing
	fetch_is '404 HIT' http://www.test/missing

	purge --host shop.test
	json_is 'd["purged"]' 2
	fetch_is MISS http://shop.test/a
	fetch_is HIT http://www.test/a
}

@test "a file that list names can be purged by its path" {
	proxy_site
	warm http://www.test/a
	warm http://www.test/b
	run -0 --separate-stderr admin list --json http://www.test/a
	file=$(json_get 'd["file"]' <<<"$output")

	purge --file "$file"
	json_is 'd["purged"]' 1
	[ ! -e "$file" ]
	fetch_is MISS http://www.test/a
	fetch_is HIT http://www.test/b
}

@test "everything goes with --all, and nginx fills the cache again" {
	proxy_site
	for n in 1 2 3 4; do
		warm "http://www.test/$n"
	done

	purge --all
	json_is 'd["purged"]' 4
	equal "$(entries_in "$CACHE")" 0
	[ -d "$CACHE" ]
	for n in 1 2 3 4; do
		fetch_is MISS "http://www.test/$n"
		fetch_is HIT "http://www.test/$n"
	done
	log_is_clean
}

@test "only expired entries go with --expired" {
	proxy_site
	origin_rule '/brief*' '{"headers": {"Cache-Control": "max-age=1"}}'
	fetch_is MISS http://www.test/brief
	warm http://www.test/long
	run -0 --separate-stderr admin list --json http://www.test/brief
	valid=$(json_get 'd["valid"]' <<<"$output")

	purge --expired --now "$((valid + 1))"
	json_is 'd["purged"]' 1
	fetch_is MISS http://www.test/brief
	fetch_is HIT http://www.test/long
}

@test "a dry run gives the numbers of the real one and touches nothing" {
	proxy_site
	warm http://www.test/a
	warm http://www.test/b
	before=$(find "$CACHE" -type f -printf '%p %i %s %T@\n' | sort)

	purge -n --list --all
	json_is '[d["dry_run"], d["purged"], len(d["entries"])]' '[true, 2, 2]'
	dry=$(json_get '[d["matched"], d["purged"], d["bytes"], d["zones"]]' <<<"$output")
	equal "$(find "$CACHE" -type f -printf '%p %i %s %T@\n' | sort)" "$before"
	fetch_is HIT http://www.test/a

	purge --list --all
	json_is '[d["matched"], d["purged"], d["bytes"], d["zones"]]' "$dry"
	fetch_is MISS http://www.test/a
}

@test "a page that is not cached is no failure, and the answer says what was tried" {
	proxy_site
	warm http://www.test/a/

	purge http://www.test/a
	json_is '[d["matched"], d["purged"]]' '[0, 0]'
	json_is '"httpGETwww.test/a" in [t["key"] for t in d["selectors"][0]["tried"]]' true
	json_is '[n["key"] for n in d["selectors"][0]["near"]]' '["httpGETwww.test/a/"]'
	fetch_is HIT http://www.test/a/

	run -1 --separate-stderr admin purge --json --fail-if-none http://www.test/a
	json_is 'd["purged"]' 0
}

@test "the cache is purged whether files are written there or moved there" {
	local param

	for param in use_temp_path=on use_temp_path=off; do
		CACHE=$T/$param
		proxy_site "$param"
		warm http://www.test/a
		warm http://www.test/b
		publish 2
		purge http://www.test/a
		json_is 'd["purged"]' 1
		fetch_is MISS http://www.test/a
		page_is "www.test/a version 2"
		fetch_is HIT http://www.test/b
		log_is_clean
		stop_servers
	done
}

@test "a cache directory reached through a link is purged like any other" {
	mkdir "$T/disk"
	ln -s disk "$T/var"
	CACHE=$T/var/pages
	proxy_site
	warm http://www.test/a
	warm http://www.test/b
	[ -d "$T/disk/pages" ]

	purge http://www.test/a
	json_is 'd["purged"]' 1
	fetch_is MISS http://www.test/a
	purge --glob '*/b'
	json_is 'd["purged"]' 1
	fetch_is MISS http://www.test/b
	log_is_clean
}

@test "a cache directory that is itself a link is purged like any other" {
	mkdir "$T/disk"
	if [ "$(id -u)" -eq 0 ]; then
		chown "$WORKER" "$T/disk"
	fi
	ln -s disk "$T/pages"
	proxy_site
	warm http://www.test/a

	purge --all
	json_is 'd["purged"]' 1
	fetch_is MISS http://www.test/a
	[ -L "$T/pages" ]
}

@test "zones keep apart: only the one asked for is purged" {
	need_nginx
	start_origin
	PORT=$(free_port)
	nginx_conf <<-END
		proxy_cache_path $T/one levels=1:2 keys_zone=one:1m inactive=1h;
		proxy_cache_path $T/two levels=2 keys_zone=two:1m inactive=1h;
		proxy_cache_key $KEY;
		proxy_cache_valid 1h;
		proxy_set_header Host \$host;
		server {
			listen 127.0.0.1:$PORT;
			server_name one.test;
			location / { proxy_cache one; proxy_pass http://127.0.0.1:$ORIGIN_PORT; }
		}
		server {
			listen 127.0.0.1:$PORT;
			server_name two.test;
			location / { proxy_cache two; proxy_pass http://127.0.0.1:$ORIGIN_PORT; }
		}
	END
	start_nginx
	warm http://one.test/a
	warm http://two.test/a

	purge -z two --all
	json_is '[[z["zone"], z["purged"]] for z in d["zones"]]' '[["two", 1]]'
	fetch_is HIT http://one.test/a
	fetch_is MISS http://two.test/a

	purge -z one http://one.test/a
	json_is 'd["purged"]' 1
	fetch_is MISS http://one.test/a
	fetch_is HIT http://two.test/a
}

@test "a directory is purged without any configuration" {
	proxy_site
	warm http://www.test/a
	warm http://www.test/b

	run -0 --separate-stderr ngxcache -d "$CACHE" purge --json --key httpGETwww.test/a
	equal "$stderr" ""
	json_is '[d["purged"], d["walked"]]' '[1, false]'
	fetch_is MISS http://www.test/a
	fetch_is HIT http://www.test/b
}
