#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# stats: counts and bytes of the entries, and their formats.

load cli

ZONE=(zone:str\|null entries:int bytes:int allocated:int fresh:int stale:int expired:int
	invalidated:int variants:int damaged:int orphans:int temporary:int foreign:int
	max_size:int\|null fill:float\|null keys_zone_entries_max:int\|null)

# sum FORMAT DIR: of what find prints for the candidates below DIR that are entries
sum() {
	find "$2" -regextype posix-extended -regex '.*/[0-9a-f]{32}' -size +100c -printf "$1\n" |
	    awk '{ n += $1 } END { print n }'
}

# a_site: two zones; one has a limit and, beside entries of every state, all there can be.
a_site() {
	mkcache -o "$T/pages" httpGETa.test/{1,2,3}
	mkcache -o "$T/pages" --valid $((NOW - 10)) httpGETa.test/expired
	mkcache -o "$T/pages" --valid $((NOW - 10)) --updating 100 httpGETa.test/stale
	mkcache -o "$T/pages" --invalidated httpGETa.test/invalidated
	mkcache -o "$T/pages" --vary X --variant-headers 'X: 1' httpGETa.test/1
	mkcache -o "$T/pages" --levels 2 httpGETa.test/orphan
	mkcache -o "$T/pages" --truncate 20 httpGETa.test/damaged
	mkcache -o "$T/pages" --suffix .0000000001 httpGETa.test/temporary
	echo foreign >"$T/pages/README"
	mkcache -o "$T/php" --fastcgi --status 404 httpGETb.test/1
	conf <<-END
		proxy_cache_path $T/pages levels=1:2 keys_zone=pages:10m max_size=2m;
		fastcgi_cache_path $T/php levels=1:2 keys_zone=php:1m;
		proxy_cache_key \$scheme\$request_method\$host\$request_uri;
		fastcgi_cache_key \$scheme\$request_method\$host\$request_uri;
		server {
			server_name a.test b.test;
			location / { proxy_pass http://127.0.0.1:8000; proxy_cache pages; }
			location /php { fastcgi_pass 127.0.0.1:9000; fastcgi_cache php; }
		}
	END
}

# by WHAT WANTED ARGUMENT...: the values and entries of the groups, sorted
by() {
	ok stats --json -d "$C" --now "$NOW" --by "$1" "${@:3}"
	json_is 'sorted([list(g["by"].values())[0], g["entries"]] for g in d["groups"])' "$2"
}

@test "stats: JSON has the fields of the manual, in order" {
	a_site
	ok stats --json -c "$CONF" --by host --top 1
	equal "${#lines[@]}" 1
	shape d schema:int command:str zones:list groups:list total:dict
	json_is '[d["schema"], d["command"]]' '[1, "stats"]'
	shape 'd["zones"][0]' "${ZONE[@]}"
	shape 'd["zones"][1]' "${ZONE[@]}"
	shape 'd["groups"][0]' by:dict entries:int bytes:int allocated:int
	shape 'd["total"]' "${ZONE[@]:1:12}"
}

@test "stats: entries are counted by state and kind, other files by number" {
	a_site
	ok stats --json -c "$CONF" --now "$NOW"
	json_is '[z["zone"] for z in d["zones"]]' '["pages", "php"]'
	json_is '[d["zones"][0][k] for k in ("entries", "fresh", "stale", "expired", "invalidated")]' \
	    '[8, 5, 1, 1, 1]'
	json_is '[d["zones"][0][k] for k in ("variants", "orphans", "damaged", "temporary", "foreign")]' \
	    '[1, 1, 1, 1, 1]'
	json_is '[d["zones"][1][k] for k in ("entries", "fresh", "variants", "foreign")]' '[1, 1, 0, 0]'
	json_is 'd["groups"]' '[]'
	json_is 'all(d["total"][k] == sum(z[k] for z in d["zones"]) for k in d["total"])' true
}

@test "stats: bytes are told as apparent and as allocated" {
	a_site
	ok stats --json -c "$CONF" --now "$NOW"
	json_is '[d["zones"][0]["bytes"], d["zones"][1]["bytes"]]' "[$(sum %s "$T/pages"), $(sum %s "$T/php")]"
	json_is '[d["zones"][0]["allocated"], d["zones"][1]["allocated"]]' \
	    "[$(($(sum %b "$T/pages") * 512)), $(($(sum %b "$T/php") * 512))]"
}

@test "stats: fill is what is allocated of max_size, and null without a limit" {
	a_site
	ok stats --json -c "$CONF"
	json_is '[z["max_size"] for z in d["zones"]]' '[2097152, null]'
	json_is 'd["zones"][0]["fill"] == d["zones"][0]["allocated"] / 2097152 > 0' true
	json_is 'd["zones"][1]["fill"]' null
	json_is '[z["keys_zone_entries_max"] for z in d["zones"]]' '[80950, 8095]'
	ok stats --json -d "$T/pages"
	json_is '[d["zones"][0][k] for k in ("zone", "max_size", "fill", "keys_zone_entries_max")]' \
	    '[null, null, null, null]'
}

@test "stats: an empty cache is all zeros" {
	mkdir "$C"
	ok stats --json -d "$C"
	json_is 'sorted(set(d["total"].values()))' '[0]'
}

@test "stats: counts what is selected" {
	a_site
	ok stats --json -c "$CONF" --now "$NOW" --status 404
	json_is '[z["entries"] for z in d["zones"]]' '[0, 1]'
	ok stats --json -c "$CONF" --now "$NOW" --expired
	json_is 'd["total"]["entries"]' 3
	ok stats --json -c "$CONF" --now "$NOW" --all
	json_is 'd["total"]["entries"]' 9
	run -1 --separate-stderr ngxcache stats -c "$CONF" --status 500 --fail-if-none
}

@test "stats: what was looked up by name tells nothing of other files" {
	a_site
	ok stats --json -c "$CONF" http://a.test/2
	json_is '[d["total"][k] for k in ("entries", "damaged", "temporary", "foreign")]' \
	    '[1, null, null, null]'
}

@test "stats: a zone that is missing is null, and the status 3" {
	a_site
	rm -r "$T/php"
	fails 3 "*$T/php*" stats --json -c "$CONF"
	json_is '[d["zones"][1][k] for k in ("entries", "bytes", "allocated", "fresh", "foreign", "fill")]' \
	    '[null, null, null, null, null, null]'
	json_is 'd["total"]["entries"]' 8
}

@test "stats, check, urls, show, verify, doctor: nothing is changed, times of access included" {
	a_site
	mapfile -t all < <(find "$T/pages" "$T/php")
	touch -a -d '2020-01-01' "${all[@]}"
	stamps() {
		stat -c '%n %x %y %z %a %u %s' "${all[@]}"
	}
	before=$(stamps)
	run -0 --separate-stderr ngxcache stats -c "$CONF" --by host,tag,type,path
	run -0 --separate-stderr ngxcache check -c "$CONF" --warn-expired 100
	run -0 --separate-stderr ngxcache urls -c "$CONF"
	run -0 --separate-stderr ngxcache show -c "$CONF" --body --key httpGETa.test/2
	run -1 --separate-stderr ngxcache verify -c "$CONF"
	run --separate-stderr ngxcache doctor -c "$CONF"
	equal "$(stamps)" "$before"
}

@test "stats: groups by all there is to group by" {
	mkcache -o "$C" --status 301 --type '' httpHEADa.test/x/y/z
	mkcache -o "$C" --type 'Text/CSS; charset=utf-8' --header 'Content-Encoding: br' \
	    --header 'xkey: t u' --date $((NOW - 30)) 'httpGETa.test/x/style?v=/q'
	mkcache -o "$C" httpGETb.test/
	by host '[["a.test", 2], ["b.test", 1]]'
	by path '[["/", 1], ["/x", 2]]'
	by path:2 '[["/", 1], ["/x/style", 1], ["/x/y", 1]]'
	by status '[[200, 2], [301, 1]]'
	by method '[["GET", 2], ["HEAD", 1]]'
	by age '[["1h to 1d", 2], ["under 1m", 1]]'
	by 'regex:(\w)\.test' '[["a", 2], ["b", 1]]'
	by tag '[["t", 1], ["u", 1]]' --tag t
	by type '[["text/css", 1]]' --tag t
	by encoding '[["br", 1]]' --tag t
	by type '[[null, 1]]' --status 301
	by encoding '[[null, 1]]' --status 301
	by tag '[[null, 1]]' --status 301
}

@test "stats: groups by zone are told by name, or else by directory" {
	mkcache -o "$C" httpGETa.test/{1,2,3}
	mkcache -o "$T/d" httpGETa.test/{1,2}
	mkcache -o "$T/e" httpGETa.test/1
	by zone "[[\"$C\", 3], [\"$T/d\", 2], [\"pages\", 1]]" -d "$T/d" -d "$T/e,name=pages"
}

@test "stats: groups by several at once, in the order asked for" {
	mkcache -o "$C" httpGETa.test/1 httpGETb.test/1
	mkcache -o "$C" --status 404 --body-size 900 httpGETa.test/2
	ok stats --json -d "$C" --by host,status
	json_is '[[g["by"], g["entries"]] for g in d["groups"]]' \
	    '[[{"host": "a.test", "status": 404}, 1], [{"host": "a.test", "status": 200}, 1], [{"host": "b.test", "status": 200}, 1]]'
	ok stats --json -d "$C" --by status --by 'regex:(a|b)\.test'
	json_is 'd["groups"][0]["by"]' '{"status": 404, "regex": "a"}'
	json_is 'list(d["groups"][0]["by"])' '["status", "regex"]'
}

@test "stats: groups add up to the total, with --top by what is other" {
	for n in 1 2 3 4 5; do
		mkcache -o "$C" --count "$n" --template "httpGEThost$n.test/%d"
	done
	for top in '' '--top 1' '--top 4' '--top 5' '--top 1000'; do
		# shellcheck disable=SC2086
		ok stats --json -d "$C" --by host $top
		for field in entries bytes allocated; do
			json_is "sum(g['$field'] for g in d['groups']) == d['total']['$field'] > 0" true
		done
	done
	ok stats --json -d "$C" --by host --top 2
	json_is '[[g["by"]["host"], g["entries"], g.get("other")] for g in d["groups"]]' \
	    '[["host5.test", 5, null], ["host4.test", 4, null], ["other", 6, true]]'
	ok stats --json -d "$C" --by host --top 5
	json_is '["other" in g for g in d["groups"]]' '[false, false, false, false, false]'
}

@test "stats: CSV has the JSON field names in its first line" {
	a_site
	ok stats --json -c "$CONF" --now "$NOW"
	json_get '",".join(d["zones"][0])' <<<"$output" >"$T/wanted"
	json_get '"\n".join(",".join("" if v is None else str(v) for v in z.values()) for z in d["zones"])' \
	    <<<"$output" >>"$T/wanted"
	ok stats --format csv -c "$CONF" --now "$NOW"
	equal "$output" "$(cat "$T/wanted")"
	ok stats --format csv -c "$CONF" --by host,status
	equal "${lines[0]}" host,status,entries,bytes,allocated
	equal "${#lines[@]}" 3
}

@test "stats: CSV is quoted, and no cell is a formula" {
	mkcache -o "$C" 'httpGETa.test/x,y' 'httpGETa.test/"q"' $'httpGETa.test/\n' \
	    'httpGETa.test/=1+1' 'httpGETa.test/+1' 'httpGETa.test/-1' 'httpGETa.test/@a' \
	    $'httpGETa.test/\tx' $'httpGETa.test/\rx' 'httpGETa.test/plain'
	run -0 --separate-stderr ngxcache stats --format csv -d "$C" --by 'regex:test/((?s).+)'
	printf '%s' "$output" | "$PYTHON" -c '
import csv, io, sys
rows = list(csv.reader(io.StringIO(sys.stdin.buffer.read().decode(), newline="")))
assert all(len(r) == 4 for r in rows), rows
print(sorted(r[0] for r in rows[1:]))' >"$T/got"
	equal "$(cat "$T/got")" \
	    "$("$PYTHON" -c 'print(sorted(["x,y", "\"q\"", "\\n", "'\''=1+1", "'\''+1", "'\''-1", "'\''@a", "\\tx", "\\rx", "plain"]))')"
	equal "${#lines[@]}" 11
}

@test "stats: the text format of Prometheus is valid" {
	a_site
	mkcache -o "$T/pages" 'httpGETa.test/"quoted"\' $'httpGETa.test/\n' --key-base64 \
	    "$(printf 'httpGETa.test/\377' | base64)"
	ok stats --format prometheus -c "$CONF" --now "$NOW" --by path,status --top 3
	printf '%s\n' "$output" >"$T/metrics"
	"$PYTHON" - "$T/metrics" <<-'END'
		import re, sys
		label = r'[a-z_]+="(?:[^"\\\n]|\\["\\n])*"'
		sample = re.compile(r'([a-z_]+)(?:\{%s(?:,%s)*\})? (-?[0-9.e+-]+)$' % (label, label))
		help, kind, seen = set(), set(), set()
		with open(sys.argv[1], encoding="utf-8") as f:
		    for line in f.read().split("\n")[:-1]:
		        word = line.split(" ")
		        if line.startswith("# HELP "):
		            assert word[2] not in help and len(word) > 3, line
		            help.add(word[2])
		            current = word[2]
		        elif line.startswith("# TYPE "):
		            assert word[2] == current and word[3:] == ["gauge"], line
		            kind.add(word[2])
		        else:
		            m = sample.match(line)
		            assert m, line
		            assert m.group(1) == current and current in kind, line
		            assert line.rsplit(" ", 1)[0] not in seen, line
		            seen.add(line.rsplit(" ", 1)[0])
		assert help == kind
	END
	if command -v promtool >/dev/null; then
		promtool check metrics <"$T/metrics"
	fi
}

@test "stats: the metrics tell when they were taken, and what failed" {
	a_site
	ok stats --format prometheus -c "$CONF" --now "$NOW"
	[[ $output == *$'\nngxcache_stats_failures 0\n'* ]]
	equal "${lines[-1]}" "ngxcache_stats_timestamp_seconds $NOW"
	rm -r "$T/php"
	run -3 --separate-stderr ngxcache stats --format prometheus -c "$CONF" --now "$NOW"
	[[ $output == *$'\nngxcache_stats_failures 1\n'* ]]
	run -1 grep '^ngxcache_zone_entries.*"php"' <<<"$output"
}

# metric NAME FIELD: of each zone, the metric is what JSON has in that field, or absent
metric() {
	json_get "'\n'.join('$1{zone=\"%s\",path=\"$T/%s\"} %s' % (z['zone'], z['zone'], z['$2'])
	    for z in d['zones'] if z['$2'] is not None)" "$T/stats.json" >"$T/wanted"
	grep "^$1{" "$T/metrics" >"$T/got"
	[ -s "$T/wanted" ]
	equal "$(cat "$T/got")" "$(cat "$T/wanted")"
	sed -i "/ $1 /d; /^$1{/d" "$T/metrics"
}

@test "stats: each metric of a zone is a figure of JSON" {
	a_site
	ngxcache stats --json -c "$CONF" --now "$NOW" >"$T/stats.json"
	ngxcache stats --format prometheus -c "$CONF" --now "$NOW" >"$T/metrics"
	metric ngxcache_zone_entries entries
	metric ngxcache_zone_size_bytes bytes
	metric ngxcache_zone_allocated_bytes allocated
	metric ngxcache_zone_variants variants
	metric ngxcache_zone_damaged_files damaged
	metric ngxcache_zone_orphans orphans
	metric ngxcache_zone_temporary_files temporary
	metric ngxcache_zone_foreign_files foreign
	metric ngxcache_zone_max_size_bytes max_size
	metric ngxcache_zone_keys_zone_entries_max keys_zone_entries_max
	metric ngxcache_zone_fill_ratio fill
	equal "$(sed -n 's/^ngxcache_zone_state_entries{zone="pages",.*state="\(.*\)"}/\1/p' "$T/metrics")" \
	    $'fresh 5\nstale 1\nexpired 1\ninvalidated 1'
	grep -qxF "ngxcache_zone_inactive_seconds{zone=\"php\",path=\"$T/php\"} 600" "$T/metrics"
	equal "$(sed -n 's/^# TYPE \([a-z_]*\) gauge/\1/p' "$T/metrics")" "$(printf 'ngxcache_%s\n' \
	    zone_state_entries zone_inactive_seconds stats_failures stats_timestamp_seconds)"
}

@test "stats: the metrics of groups are their figures in JSON" {
	a_site
	ngxcache stats --json -c "$CONF" --by host --top 1 >"$T/stats.json"
	ok stats --format prometheus -c "$CONF" --by host --top 1
	for metric in entries:entries size_bytes:bytes allocated_bytes:allocated; do
		equal "$(grep "^ngxcache_group_${metric%:*}{" <<<"$output")" "$(json_get \
		    "'\n'.join('ngxcache_group_${metric%:*}{host=\"%s\"%s} %d' % (g['by']['host'],
		        ',other=\"true\"' if 'other' in g else '', g['${metric#*:}']) for g in d['groups'])" \
		    "$T/stats.json")"
	done
}

@test "stats: -o writes the file whole, for anybody to read, and nothing else" {
	a_site
	mkdir "$T/out"
	ok stats --format prometheus -c "$CONF" --now "$NOW"
	wanted=$output
	echo old >"$T/out/x.prom"
	exec 9<"$T/out/x.prom"
	(umask 077; ngxcache stats --format prometheus -c "$CONF" --now "$NOW" -o "$T/out/x.prom") >"$T/said" 2>&1
	equal "$(cat "$T/said")" ""
	equal "$(cat "$T/out/x.prom")" "$wanted"
	equal "$(stat -c %a "$T/out/x.prom")" 644
	equal "$(ls -A "$T/out")" x.prom
	equal "$(cat <&9)" old "the one that is open stays as it was"
	exec 9<&-
	ok stats --json -c "$CONF" --output "$T/out/y"
	equal "$output" ""
	json_get 'd["command"]' "$T/out/y"
	ok stats --json -c "$CONF" -o -
	json_is 'd["command"]' stats
	ok stats --json -c "$CONF" -o /dev/null
	[ -c /dev/null ]
}

@test "stats: a file that cannot be written is status 3, and the old one stays" {
	mkcache -o "$C" httpGETa.test/1
	fails 3 "*$T/no/x*" stats -d "$C" -o "$T/no/x"
	mkdir "$T/out"
	fails 3 "*$T/out*" stats -d "$C" -o "$T/out"
	echo old >"$T/out/x"
	full() {
		trap '' XFSZ
		ulimit -f 1
		ngxcache stats --format prometheus -d "$C" -o "$T/out/x"
	}
	run -3 --separate-stderr full
	[[ $stderr == "ngxcache: $T/out/x: "* ]]
	equal "$(cat "$T/out/x")" old
	equal "$(ls -A "$T/out")" x
}

@test "stats: a run that a signal ends leaves the old file" {
	mkcache -o "$C" --count 50 --template httpGETa.test/%d
	echo old >"$T/x"
	run -143 --separate-stderr inject 'openat:20=!kill -TERM $PPID' \
	    ngxcache stats -d "$C" -o "$T/x"
	equal "$(cat "$T/x")" old
	run -143 --separate-stderr inject 'openat:20=!kill -TERM $PPID' ngxcache stats --json -d "$C"
	json_is 'd["total"]["entries"] < 50' true
}

@test "stats: a selector that matched nothing is told, but not to programs" {
	mkcache -o "$C" httpGETa.test/1
	run -0 --separate-stderr ngxcache stats -d "$C" 'http://a.test/2*'
	equal "$stderr" "ngxcache: nothing matched 'http://a.test/2*'"
	for format in --json --format=csv --format=prometheus -q; do
		ok stats "$format" -d "$C" 'http://a.test/2*'
	done
}

@test "stats: files alone need no configuration" {
	file=$(mkcache -v -o "$C" httpGETa.test/1)
	mkcache -o "$C" httpGETa.test/2
	ok stats --json --file "$file"
	json_is '[d["total"]["entries"], d["total"]["bytes"]]' "[1, $(stat -c %s "$file")]"
}

@test "stats: a file is not written when the command line is wrong" {
	echo old >"$T/x"
	fails 2 "*" stats -d "$T/missing" -o "$T/x"
	equal "$(cat "$T/x")" old
}

@test "stats: the table is aligned, and ends in the total" {
	a_site
	ok stats -c "$CONF" --now "$NOW" --by host,status --top 1
	equal "${#lines[@]}" 4
	[[ ${lines[0]} =~ ^HOST\ +STATUS\ +ENTRIES\ +SIZE\ +ON\ DISK\ +SHARE$ ]]
	[[ ${lines[1]} =~ ^a.test\ +200\ +8\  ]]
	[[ ${lines[2]} =~ ^other\ +1\  ]]
	[[ ${lines[3]} =~ ^total\ +9\ .*\ 100%$ ]]
	for line in "${lines[@]}"; do
		equal "${#line}" "${#lines[0]}" "$line"
	done
	ok stats -c "$CONF" --now "$NOW"
	[[ ${lines[1]} =~ ^pages\ +8\ .*\ 2m\ +[0-9.]+%\ +0.0%$ ]]
	[[ ${lines[2]} =~ ^php\ +1\ .*\ -\ +-\ +0.0%$ ]]
	[[ ${lines[3]} =~ ^total\ +9\  ]]
}

@test "stats: a terminal is shown bars" {
	command -v script >/dev/null || skip "script is not installed"
	mkcache -o "$C" httpGETa.test/1 httpGETb.test/1
	run -0 script -qec "ngxcache stats -d '$C' --by host" /dev/null
	[[ $output == *'##########..........'* ]]
	ok stats -d "$C" --by host
	[[ $output != *#* ]]
}

@test "stats: a terminal of 80 columns has room for both tables" {
	mkcache -o "$C" --count 100 --template 'httpGETa.test/%d'
	terminal 80 stats -d "$C,name=wordpress"
	for line in "${lines[@]}"; do
		[ "${#line}" -le 80 ] || equal "$line" "80 columns"
	done
	[[ ${lines[0]} == ZONE*KEYS && ${lines[4]} == ZONE*FOREIGN ]]
}

@test "stats: in a terminal bars make room for names, and long names for figures" {
	local fifty=/f234567890123456789012345678901234567890123456789
	mkcache -o "$C" "httpGETa.test$fifty" httpGETa.test/2
	terminal 120 stats -d "$C" --by path
	[[ ${lines[1]} == "$fifty "*'#'* ]]
	terminal 82 stats -d "$C" --by path
	[[ ${lines[1]} == "$fifty "*[0-9]% ]]
	terminal 60 stats -d "$C" --by path
	[[ ${lines[1]} == "${fifty:0:13}...${fifty: -13}  "*[0-9]% ]]
	equal "${#lines[1]}" 60
	terminal 20 stats -d "$C" --by path
	[[ ${lines[1]} == "${fifty:0:3}...${fifty: -3}  "*[0-9]% ]]
}

@test "stats: in a table no cell is wider than 200 columns, in CSV it is whole" {
	long=/$(printf 'é%.0s' {1..300})
	mkcache -o "$C" "httpGETa.test$long" httpGETa.test/2
	ok stats -d "$C" --by path
	[[ ${lines[1]} == "${long:0:98}...${long: -99}  "*[0-9]% ]]
	equal "${#lines[1]}" "${#lines[2]}"
	ok stats -d "$C" --by path --format csv
	[[ $output == *"$long,"* ]]
}

@test "stats: a value in the table is safe for a terminal" {
	mkcache -o "$C" $'httpGETa.test/\e[31m'
	ok stats -d "$C" --by 'regex:test/(.*)'
	[[ $output == *'\x1b[31m'* ]]
	equal "$(tr -d '[:print:]\n' <<<"$output")" ""
}

@test "stats: a wrong command line is refused" {
	mkcache -o "$C" httpGETa.test/1
	refused "*--by*hosts*" stats -d "$C" --by hosts
	refused "*--by*twice*" stats -d "$C" --by host --by host
	refused "*--by*'('*" stats -d "$C" --by 'regex:('
	refused "*--top*" stats -d "$C" --by host --top 0
	refused "*--top*--by*" stats -d "$C" --top 1
	refused "*--format*xml*" stats -d "$C" --format xml
	refused "*--json*--format*" stats -d "$C" --json --format csv
}
