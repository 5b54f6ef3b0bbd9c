#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# The manual says what the program does: the tables behind the help are the truth.
#
# A command's page describes the options of its own.  The options of every command and those
# that select entries are described in ngxcache(1), in a section each, to which the page of
# every command that selects refers.  The examples of all pages are run.

load ../lib/helpers

MAN=$TOP/man
NOW=1796061600 # 2026-11-30T18:00:00Z, when the examples happen

setup() {
	MANPAGE=("$PYTHON" "$LIB/manpage.py")
	mapfile -t COMMANDS < <(ngxcache help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
	[ "${#COMMANDS[@]}" -gt 0 ]
}

# help_options TITLE [COMMAND]: the options below a title of the help
help_options() {
	ngxcache help "${@:2}" | awk -v title="$1" '
		/:$/ { inside = index($0, title) == 1 }
		inside && /^ +-/ { sub(/^ +/, ""); sub(/  +.*/, ""); print }'
}

man_page() {
	if [ -e "$MAN/ngxcache-$1.1" ]; then
		echo "$MAN/ngxcache-$1.1"
	else
		echo "no man/ngxcache-$1.1" >&2
		return 1
	fi
}

# same FILE FILE: with what differs
same() {
	diff -u "$1" "$2" >&2
}

@test "manual: ngxcache(1) describes the options of every command" {
	same <(help_options "options of every command") \
	    <("${MANPAGE[@]}" options "$MAN/ngxcache.1" OPTIONS)
}

@test "manual: ngxcache(1) describes the options that select entries" {
	same <(help_options "selecting entries" list) \
	    <("${MANPAGE[@]}" options "$MAN/ngxcache.1" "SELECTING ENTRIES")
}

@test "manual: ngxcache(1) lists the commands" {
	same <(printf '%s\n' "${COMMANDS[@]}") \
	    <(sed -n 's/^\.It Cm \([a-z]*\)$/\1/p' "$MAN/ngxcache.1" | head -n "${#COMMANDS[@]}")
	for command in "${COMMANDS[@]}"; do
		grep -qx "\.Xr ngxcache-$command 1" "$MAN/ngxcache.1"
	done
}

@test "manual: every command has a page with its options, no more and no fewer" {
	for command in "${COMMANDS[@]}"; do
		page=$(man_page "$command")
		same <(help_options "options:" "$command" | sort) \
		    <("${MANPAGE[@]}" options "$page" | sort)
		grep -q '^\.Xr ngxcache 1' "$page"
	done
}

@test "manual: the page of every command that selects entries says where that is told" {
	for command in "${COMMANDS[@]}"; do
		page=$(man_page "$command")
		selects=$(help_options "selecting entries" "$command" | wc -l)
		told=$(grep -c 'SELECTING ENTRIES' "$page" || :)
		equal "$((selects > 0))" "$((told > 0))" "$page"
	done
}

@test "manual: every page has the synopsis of the help" {
	for command in "" "${COMMANDS[@]}"; do
		page=$MAN/ngxcache${command:+-$command}.1
		same <(ngxcache help ${command:+"$command"} | sed -n 's/^\(usage:\|      \) \(ngxcache\)/\2/p') \
		    <("${MANPAGE[@]}" synopsis "$page")
	done
}

@test "manual: every page lists the exit statuses, 1 where there is a question" {
	same <(printf '%s\n' 0 1 2 3 128+n) \
	    <("${MANPAGE[@]}" items "$MAN/ngxcache.1" "EXIT STATUS")
	for command in "${COMMANDS[@]}"; do
		page=$(man_page "$command")
		asks=
		if [[ $command == @(show|check|doctor) ]] ||
		    ngxcache help "$command" | grep -q -- --fail-if-none; then
			asks=1
		fi
		same <(printf '%s\n' 0 $asks 2 3 128+n) \
		    <("${MANPAGE[@]}" items "$page" "EXIT STATUS")
	done
}

@test "manual: the help fits into 80 columns" {
	for command in "" "${COMMANDS[@]}"; do
		same /dev/null <(ngxcache help ${command:+"$command"} | awk 'length($0) > 79')
	done
}

# --- a small server: what the examples talk about ---

# page ZONE SIZE KEY [OPTION...]: a page that was cached twelve minutes ago
page() {
	local fastcgi=()

	[ "$1" != blog ] || fastcgi=(--fastcgi)
	mkcache -o "$BATS_FILE_TMPDIR/cache/$1" --date $((NOW - 720)) --valid $((NOW + 1080)) \
	    --type 'text/html; charset=utf-8' --body-size "$2" "${fastcgi[@]}" "${@:4}" "$3"
}

make_caches() {
	mkdir "$BATS_FILE_TMPDIR/cache"
	page blog 24000 httpGETwww.example.com/
	page blog 9100 httpGETwww.example.com/about
	page blog 31500 httpGETwww.example.com/blog/
	page blog 0 httpHEADwww.example.com/blog/
	page blog 14800 httpGETwww.example.com/blog/first-post
	page blog 16200 httpGETwww.example.com/blog/second-post --valid $((NOW - 120))
	page blog 2900 httpGETwww.example.com/missing --status 404
	page shop 40900 httpGETshop.example.com/
	page shop 22300 httpGETshop.example.com/shoes/1
	page shop 22400 'httpGETshop.example.com/shoes/1?size=43'
	page shop 21700 httpGETshop.example.com/shoes/2 --vary Accept-Encoding
	page shop 5800 httpGETshop.example.com/shoes/2 --vary Accept-Encoding \
	    --variant-headers 'Accept-Encoding: gzip' --header 'Content-Encoding: gzip'
}

# sandbox: a configuration with two sites in $T/box, and their caches
sandbox() {
	[ -e "$BATS_FILE_TMPDIR/cache" ] || make_caches
	rm -rf "$T/box"
	mkdir -p "$T/box"
	cp -a "$BATS_FILE_TMPDIR/cache" "$T/box/cache"
	cat >"$T/box/nginx.conf" <<-END
		events { }
		http {
		    fastcgi_cache_path $T/box/cache/blog levels=1:2 keys_zone=blog:10m
		        inactive=7d max_size=1g;
		    proxy_cache_path $T/box/cache/shop levels=1:2 keys_zone=shop:10m inactive=1d;
		    fastcgi_cache_key \$scheme\$request_method\$host\$request_uri;
		    proxy_cache_key \$scheme\$request_method\$host\$request_uri;
		    server {
		        server_name www.example.com;
		        location / {
		            fastcgi_cache blog;
		            fastcgi_pass unix:/run/php.sock;
		        }
		    }
		    server {
		        server_name shop.example.com;
		        location / {
		            proxy_cache shop;
		            proxy_pass http://127.0.0.1:8080;
		        }
		    }
		}
	END
	export NGXCACHE_CONF=$T/box/nginx.conf
}

# What differs from run to run: where the sandbox is, the order of entries, blocks of a disk.
settle() {
	sed "s|$T/box/cache|/var/cache/nginx|g; s/[0-9.]*[kM]* on disk/N on disk/" | sort
}

# example_runs FILE STATUS COMMAND: it prints what FILE holds, if anything
example_runs() {
	local status=0

	(
		ngxcache() { command ngxcache --now "$NOW" "$@"; }
		eval "${3//\/var\/cache\/nginx/$T/box/cache}"
	) </dev/null >"$T/out" 2>&1 || status=$?
	equal "$status" "$2" "$3" || { cat "$T/out" >&2; return 1; }
	[ ! -s "$1" ] || same <(settle <"$1") <(settle <"$T/out") || { echo "$3" >&2; return 1; }
}

# example_parses COMMAND: the program knows the command and its options
example_parses() {
	(
		ngxcache() { command ngxcache "$@" --help >/dev/null; }
		nginx() { :; }
		jq() { :; }
		ssh() { :; }
		xargs() { :; }
		set -o pipefail
		eval "$1"
	) </dev/null >"$T/out" 2>&1 || { echo "$1" >&2; cat "$T/out" >&2; return 1; }
}

@test "manual: the examples of every page do and print what it says" {
	for page in "$MAN"/*.[1-9]; do
		dir=$T/examples/${page##*/}
		mkdir -p "$dir"
		"${MANPAGE[@]}" examples "$page" "$dir"
		[ -n "$(ls "$dir")" ] || { echo "$page has no example" >&2; return 1; }
		for example in "$dir"/*.run "$dir"/*.parse; do
			[ -e "$example" ] || continue
			[[ $example != *.run ]] || sandbox
			n=0
			while IFS=$'\t' read -r status command; do
				n=$((n + 1))
				case $example in
				*.run) example_runs "${example%.run}.$n" "$status" "$command" ;;
				*.parse) example_parses "$command" ;;
				esac || { echo "in $page" >&2; return 1; }
			done <"$example"
		done
	done
}

# members EXPRESSION: the names of the members of all objects in EXPRESSION, sorted; see json_get
members() {
	json_get "'\n'.join((f := lambda v: sorted(set(v) | {n for x in v.values() for n in f(x)})
	    if isinstance(v, dict) else
	    sorted({n for x in v for n in f(x)}) if isinstance(v, list) else [])($1))"
}

# documented SECTION...: the names that ngxcache-json(5) describes there
documented() {
	local section

	for section in "$@"; do
		"${MANPAGE[@]}" items "$MAN/ngxcache-json.5" "$section"
	done | LC_ALL=C sort -u
}

@test "manual: ngxcache-json(5) describes the fields of entries" {
	sandbox
	mkcache -o "$T/box/cache/shop" --key-base64 "$(printf '\377' | base64)"
	same <(ngxcache list --json -z shop --glob '?' | members 'lines') \
	    <(documented ENTRIES | grep -vE '^(headers|variants|crc_ok|name_ok)$')
	same <(ngxcache show --json --file "$T/box/cache/shop"/*/*/00594fd4f42ba43fc1ca0427a0576295 |
	    members d) <(documented ENTRIES)
}

@test "manual: ngxcache-json(5) describes the lines of verify" {
	sandbox
	touch "$T/box/cache/shop/stranger"
	run -1 --separate-stderr ngxcache verify --json
	same <(members lines <<<"$output") <(documented "LINES OF VERIFY")
}

@test "manual: ngxcache-verify(1) tells of every reason" {
	same <(sed -n 's/.*\[NGC_REASON_[A-Z_]*\] = { "\([a-z_]*\)".*/\1/p' "$TOP/lib/op/flaw.c" |
	    grep -vx none | LC_ALL=C sort) \
	    <("${MANPAGE[@]}" items "$MAN/ngxcache-verify.1" REASONS | LC_ALL=C sort)
}

@test "manual: ngxcache-json(5) describes the document of purge" {
	sandbox
	ngxcache purge -n --list --reload --backup "$T/box/a.tar" --json http://www.example.com/ http://www.example.com/blog >"$T/doc"
	mkdir "$T/box/empty"
	ngxcache purge --json -d "$T/box/empty" --key x >"$T/empty"
	json_get 'd["selectors"][1]["near"]' "$T/doc"
	same <(members "{k: v for k, v in {**d, 'errors': [{'file': 0, 'error': 0}]}.items()
	    if k != 'entries'} | {'entries': []}" <"$T/doc") <(documented "DOCUMENT OF PURGE")
}

@test "manual: ngxcache-json(5) describes the document of zones" {
	sandbox
	same <(ngxcache zones --json | members d) <(documented "DOCUMENT OF ZONES")
}

@test "manual: ngxcache-json(5) describes the document of stats" {
	sandbox
	same <(ngxcache stats --json --by host --top 1 |
	    members "{**d, 'groups': [{**g, 'by': {}} for g in d['groups']]}") \
	    <(documented "DOCUMENT OF STATS")
}

@test "manual: ngxcache-stats(1) tells of every metric" {
	sandbox
	same <(ngxcache stats --format prometheus --by host |
	    sed -n 's/^# TYPE \([a-z_]*\) gauge$/\1/p' | LC_ALL=C sort) \
	    <("${MANPAGE[@]}" items "$MAN/ngxcache-stats.1" METRICS | LC_ALL=C sort)
}

@test "manual: ngxcache-json(5) describes the document of explain" {
	sandbox
	same <({ members d; echo key_base64; } < <(ngxcache explain --json \
	    http://www.example.com/) | LC_ALL=C sort -u) <(documented "DOCUMENT OF EXPLAIN")
}

@test "manual: ngxcache-json(5) describes the document of doctor" {
	sandbox
	rm -r "$T/box/cache/shop"
	run -1 --separate-stderr ngxcache doctor --json
	same <(members d <<<"$output") <(documented "DOCUMENT OF DOCTOR")
}

@test "manual: ngxcache-doctor(1) tells of every finding" {
	same <(sed -n 's/.*= { NGC_\(FAULT\|WARNING\|NOTE\), "\([a-z_]*\)",.*/\2/p' "$TOP"/lib/op/doctor*.c |
	    LC_ALL=C sort -u) \
	    <("${MANPAGE[@]}" items "$MAN/ngxcache-doctor.1" FINDINGS | LC_ALL=C sort)
}

@test "manual: ngxcache-json(5) describes the document of archive" {
	sandbox
	ngxcache archive --json -o "$T/box/a.tar" http://www.example.com/blog >"$T/doc"
	same <(members "{**d, 'errors': [{'file': 0, 'error': 0}]}" <"$T/doc") \
	    <(documented "DOCUMENT OF ARCHIVE")
}

@test "manual: ngxcache-json(5) describes the document of restore" {
	sandbox
	ngxcache archive -q -z shop -o "$T/box/shop.tar"
	ngxcache restore --json -z shop "$T/box/shop.tar" http://www.example.com/blog >"$T/doc"
	same <(members "{**d, 'errors': [{'file': 0, 'error': 0}]}" <"$T/doc") \
	    <(documented "DOCUMENT OF RESTORE")
}

@test "manual: ngxcache-json(5) describes the document of reload" {
	sandbox
	sed -i "1i pid $T/box/nginx.pid;" "$NGXCACHE_CONF"
	run -3 --separate-stderr ngxcache reload --json
	same <(members d <<<"$output") <(documented "DOCUMENT OF RELOAD")
}
