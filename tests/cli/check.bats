#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# check: a plugin by the Monitoring Plugins guidelines.

load cli

# says STATUS WORD PATTERN ARGUMENT...: one line on standard output, of that state
says() {
	run "-$1" --separate-stderr ngxcache check "${@:4}"
	equal "${#lines[@]}" 1 "$output"
	[[ $output == "CACHE $2 - "?* ]] || equal "$output" "CACHE $2 - ..."
	# shellcheck disable=SC2053
	[[ $output == $3 ]] || equal "$output" "$3"
}

# a_cache [ZONE PARAMETERS]: ten entries, of which four are expired
a_cache() {
	mkcache -o "$C" --count 6 --template httpGETa.test/%d
	mkcache -o "$C" --valid $((NOW - 1)) --count 4 --template httpGETb.test/%d
	allocated=$(($(find "$C" -type f -printf '%b\n' | awk '{ n += $1 } END { print n }') * 512))
	conf <<<"proxy_cache_path $C levels=1:2 keys_zone=pages:1m ${1:-};"
}

# limit PERCENT: a max_size of which the entries are so much
limit() {
	conf <<<"proxy_cache_path $C levels=1:2 keys_zone=pages:1m max_size=$((allocated * 100 / $1));"
}

@test "check: a cache within its limits is OK" {
	a_cache max_size=1g
	says 0 OK '*pages: 10 entries, *' -c "$CONF"
	equal "$stderr" ""
}

@test "check: performance data has values, units, thresholds and bounds" {
	a_cache
	limit 50
	says 0 OK '* | *' -c "$CONF" --now "$NOW" --warn-fill 80 --crit-fill 10:90 \
	    --warn-keys '~:70' --crit-expired @60:100
	equal "${output#* | }" "pages_allocated=${allocated}B;;;0;$((allocated * 2)) pages_entries=10;;;0;8095 pages_fill=50.00%;80;10:90;0; pages_keys=0.12%;~:70;;0; pages_expired=40.00%;;@60:100;0;"
}

@test "check: labels of performance data can be read back" {
	mkcache -o "$C" httpGETa.test/1
	says 0 OK "* | 'a b__c_allocated'=*;;;0; 'a b__c_entries'=1;;;0;" -d "$C,name=a b='c"
	says 0 OK '*: 1 entry, *' -d "$C,name=x|y"
	equal "$(tr -dc '|' <<<"$output")" '|'
}

@test "check: ranges decide, the critical one first" {
	a_cache
	limit 50
	for case in '0 OK --warn-fill 60' '1 WARNING --warn-fill 40' '0 OK --warn-fill 50' \
	    '2 CRITICAL --crit-fill 40' '2 CRITICAL --warn-fill 40 --crit-fill 45' \
	    '1 WARNING --warn-fill 40 --crit-fill 60' '1 WARNING --warn-fill 60:' \
	    '0 OK --warn-fill 40:' '0 OK --warn-fill ~:60' '1 WARNING --warn-fill 10:20' \
	    '2 CRITICAL --crit-fill @40:60' '0 OK --crit-fill @5:10' \
	    '1 WARNING --warn-keys 0.1' '2 CRITICAL --crit-keys 0.1' '0 OK --warn-keys 0.13' \
	    '1 WARNING --warn-expired 30' '0 OK --warn-expired 40' '2 CRITICAL --crit-expired 39.9'; do
		read -ra words <<<"$case"
		says "${words[0]}" "${words[1]}" '*' -c "$CONF" --now "$NOW" "${words[@]:2}"
	done
	says 1 WARNING '*pages: 50.0% of max_size*40*' -c "$CONF" --warn-fill 40
}

@test "check: a cache well over its max_size is a warning without a threshold" {
	a_cache
	limit 105
	says 0 OK '*' -c "$CONF"
	limit 125
	says 1 WARNING '*of max_size*' -c "$CONF"
	says 0 OK '*' -c "$CONF" --warn-fill '~:200'
	says 2 CRITICAL '*of max_size*' -c "$CONF" --crit-fill '~:100'
}

@test "check: more entries than the key zone holds are a warning" {
	mkcache -o "$C" --count 260 --template httpGETa.test/%d
	conf <<<"proxy_cache_path $C levels=1:2 keys_zone=pages:32k;"
	says 1 WARNING '*of the key zone*' -c "$CONF"
}

@test "check: a directory that is missing is critical" {
	a_cache
	rm -r "$C"
	says 2 CRITICAL "*pages: $C: *" -c "$CONF"
	run -1 grep '|' <<<"$output"
}

@test "check: a directory that nginx cannot write to is critical" {
	a_cache
	chmod a-w "$C"
	says 2 CRITICAL "*pages: $C: *not writable*" -c "$CONF"
	chmod u+w "$C"
	says 0 OK '*' -c "$CONF"
}

@test "check: root's directory must let in the user of the configuration" {
	need_root
	a_cache
	sed -i '1i user nobody;' "$CONF"
	chmod 755 "$C"
	says 2 CRITICAL "*pages: $C: *root*nobody*" -c "$CONF"
	chown nobody "$C"
	says 0 OK '*' -c "$CONF"
	chown root "$C"
	chmod 777 "$C"
	says 0 OK '*' -c "$CONF"
}

@test "check: a cache that may not be read is unknown" {
	need_root
	a_cache
	cp "$O/ngxcache" "$T/"
	chmod 755 "$T"
	chmod 700 "$C"
	chown www-data "$C"
	run -3 --separate-stderr as_nobody "$T/ngxcache" check -c "$CONF"
	[[ $output == "CACHE UNKNOWN - pages: $C: permission denied"* ]]
}

@test "check: the worst zone decides, and is named first" {
	a_cache
	conf <<-END
		proxy_cache_path $C levels=1:2 keys_zone=one:1m max_size=1k;
		proxy_cache_path $T/missing levels=1:2 keys_zone=two:1m;
	END
	says 2 CRITICAL '*two: *; one: * | one_*' -c "$CONF"
	says 1 WARNING '*one: *' -c "$CONF" -z one
}

# zones N...: the configuration of so many, each with a directory
zones() {
	mkdir "${@/#/$T/zone-}"
	conf < <(printf "proxy_cache_path $T/zone-%s levels=1:2 keys_zone=zone-%s:1m max_size=%sk;\n" \
	    $(for n in "$@"; do echo "$n $n $n"; done))
}

@test "check: of several zones that are well the sum is told, and where it is most" {
	zones {1..40}
	mkcache -o "$T/zone-40" httpGETa.test/{1,2,3}
	mkcache -o "$T/zone-20" httpGETa.test/{1,2}
	says 0 OK 'CACHE OK - 40 zones: 5 entries, * on disk, at most *% of max_size (zone-20), at most 0.0% of the key zone (zone-40) | *' \
	    -c "$CONF"
	equal "$(grep -o '_fill=' <<<"$output" | wc -l)" 40
	says 0 OK '*, at most 0.0% not fresh (zone-20) | *' -c "$CONF" -z zone-20 -z zone-30 \
	    --now "$NOW" --warn-expired 10
}

@test "check: what is furthest out of its range is told first" {
	zones 8 2 4
	for n in 8 2 4; do
		mkcache -o "$T/zone-$n" httpGETa.test/{1,2,3}
	done
	says 1 WARNING '* - zone-2: *% of *; zone-4: *% of *; zone-8: *% of * | zone-8_*' \
	    -c "$CONF"
	says 2 CRITICAL '* - zone-8: *% of *; zone-4: *% of *; zone-2: *% of * | *' \
	    -c "$CONF" --crit-fill 1000:
}

@test "check: however many zones are wrong, the text stays short" {
	zones {1..40}
	rmdir "$T"/zone-{1..35}
	says 2 CRITICAL "* - zone-1: $T/zone-1: no such directory; * more; 5 zones well | zone-36_*" \
	    -c "$CONF"
	text=${output%% |*}
	told=$(grep -o 'no such directory' <<<"$text" | wc -l)
	[[ $text == *"; $((35 - told)) more; "* ]]
	[ "$told" -ge 2 ] && [ "${#text}" -le 400 ]
}

@test "check: what is wrong with the command line or the configuration is unknown" {
	a_cache
	for words in '--nope' '--warn-fill x' '--warn-fill 20:10' '--crit-keys 5%' '--timeout 0' \
	    '--timeout x' 'word' '--warn-fill' '-z nope' '-j 0' '--json'; do
		# shellcheck disable=SC2086
		says 3 UNKNOWN '*' -c "$CONF" $words
		[ -n "$stderr" ]
	done
	says 3 UNKNOWN '*nope*' -c "$T/nope"
	says 3 UNKNOWN '*nope*' -d "$T/nope"
	echo '}' >>"$CONF"
	says 3 UNKNOWN "*$CONF*" -c "$CONF"
	for words in '--nope check' '-j 0 check' '-z check --nope check' '--conf'; do
		# shellcheck disable=SC2086
		run --separate-stderr ngxcache $words
		equal "$status" "$([[ $words == *check ]] && echo 3 || echo 2)" "$words"
	done
	run -2 --separate-stderr ngxcache --nope list check
	equal "$output" ""
}

@test "check: no cache at all is unknown" {
	conf <<<''
	says 3 UNKNOWN '*no cache*' -c "$CONF" -q
}

@test "check: what takes too long is unknown" {
	mkfifo "$T/pipe"
	sleep 60 3>&- >"$T/pipe" &
	run -3 --separate-stderr ngxcache -c - check --timeout 1 <"$T/pipe"
	kill $!
	equal "$output" 'CACHE UNKNOWN - no answer within 1 seconds'
}

@test "check: no file is opened unless a threshold asks for it" {
	a_cache
	name=$(basename "$(find "$C" -type f | head -n 1)")
	run -0 --separate-stderr inject "openat@$name:0=EACCES" ngxcache check -c "$CONF"
	equal "$stderr" ""
	[[ $output == "CACHE OK - pages: 10 entries, "* ]]
	run -3 --separate-stderr inject "openat@$name:0=EACCES" ngxcache check -c "$CONF" \
	    --warn-expired 100
	[[ $stderr == "ngxcache: $C/"*"$name"* ]]
	[[ $output == "CACHE UNKNOWN - pages: not all "* ]]
}

@test "check: its help is that of every command" {
	run -0 --separate-stderr ngxcache check --help
	[[ ${lines[0]} == 'usage: ngxcache check'* ]]
}
