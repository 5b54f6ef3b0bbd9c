#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# --from: many URLs from a file or standard input, as CMS hooks and scripts hand them over.

load cli

setup_pages() {
	mkcache -o "$C" httpGETa.test/{1,2,3,4} httpGETa.test/x%20y
	D="$C,levels=1:2,key=\$scheme\$request_method\$host\$request_uri"
}

# taken BYTES...: printf of these to standard input selects; $output is the answer of a dry run
taken() {
	# shellcheck disable=SC2059
	run --separate-stderr bash -c 'printf "$@" | ngxcache purge -n --json -d "$D" --from -' _ "$@"
}

@test "--from: lines, with or without the last end, empty ones passed over" {
	setup_pages
	export D
	taken 'http://a.test/1\n\nhttp://a.test/2\n'
	[ "$status" -eq 0 ]
	json_is '[[s["selector"], s["matched"]] for s in d["selectors"]]' \
	    '[["http://a.test/1", 1], ["http://a.test/2", 1]]'
	taken 'http://a.test/1\r\nhttp://a.test/2'
	[ "$status" -ne 2 ]
	taken 'http://a.test/1\nhttp://a.test/2'
	json_is '[d["purged"], d["walked"]]' '[2, false]'
}

@test "--from: parted by NUL when there is one, so that a line feed is no end" {
	setup_pages
	export D
	taken 'http://a.test/1\0http://a.test/3\0'
	json_is 'd["purged"]' 2
	taken 'http://a.test/1\nhttp://a.test/2\0http://a.test/3\0'
	[ "$status" -eq 3 ]
	json_is 'd["purged"]' 1
	[[ $stderr == *'URL 1: '* ]]
}

@test "--from: a JSON array of strings" {
	setup_pages
	export D
	taken '["http://a.test/1", "http:\\/\\/a.test\\/2", "http://a.test/x%%20y"]'
	[ "$status" -eq 0 ]
	json_is 'd["purged"]' 3
	taken '["http://a.test/1", 7, "nothing", "http://a.test/2"]'
	[ "$status" -eq 3 ]
	json_is 'd["purged"]' 2
	[[ $stderr == *'URL 2: not a string'*'URL 3: '* ]]
	taken '["http://a.test/1"'
	[ "$status" -eq 2 ]
	equal "$output" ""
}

@test "--from: a bad line is told with its number, and the rest still runs" {
	setup_pages
	export D
	taken 'http://a.test/1\nftp://a.test/2\n\nhttp://u@a.test/3\nhttp://a.test/4\n'
	[ "$status" -eq 3 ]
	json_is 'd["purged"]' 2
	[[ $stderr == *'standard input: URL 2: '*'standard input: URL 4: '* ]]
	json_is '[e["error"].split(": ")[:2] for e in d["errors"]]' \
	    '[["standard input", "URL 2"], ["standard input", "URL 4"]]'
	json_is '[e["file"] for e in d["errors"]]' '[null, null]'
	equal "$(wc -l <<<"$stderr")" 2
}

@test "--from: an empty list selects nothing, and is no reason to purge everything" {
	setup_pages
	export D
	for empty in '' '\n' '[]'; do
		taken "$empty"
		[ "$status" -eq 0 ]
		json_is '[d["matched"], d["selectors"]]' '[0, []]'
	done
}

@test "--from: a file by its name, and beside other selectors" {
	setup_pages
	echo http://a.test/1 >"$T/urls"
	ok purge -n --json -d "$D" --from "$T/urls" http://a.test/2 --key httpGETa.test/3
	json_is 'd["purged"]' 3
	refused 'No such file' purge -n -d "$D" --from "$T/none"
}

@test "--from: 500 URLs cost no walk when all can be computed, else one" {
	mkcache -o "$C" --count 600 --template 'httpGETa.test/%d'
	mkcache -o "$C" --vary X-A httpGETa.test/v
	mkcache -o "$C" --vary X-A --variant-headers 'X-A: 1' httpGETa.test/v
	D="$C,levels=1:2,key=\$scheme\$request_method\$host\$request_uri"
	printf 'http://a.test/%d\n' {1..500} >"$T/urls"
	ok purge -n --json -d "$D" --from "$T/urls"
	json_is '[d["purged"], d["walked"]]' '[500, false]'
	{ cat "$T/urls"; echo http://a.test/v; echo 'http://a.test/v*'; } >"$T/more"
	if [ "$(type -t strace || :)" ]; then
		directories=$(find "$C" -type d | wc -l)
		# shellcheck disable=SC2016
		run -0 --separate-stderr env ASAN_OPTIONS=detect_leaks=0 strace -f -c -e trace=openat -o "$T/calls" -- \
		    "$O/ngxcache" purge -n --json -j 1 -d "$D" --from "$T/more"
		calls=$(awk '$NF == "openat" { print $4 }' "$T/calls")
		entries=602
		# One walk opens each directory and each entry once; look-ups and start-up are few.
		[ "$calls" -lt $((2 * (directories + entries))) ] ||
		    equal "$calls" "about $((directories + entries))" "calls of openat"
	else
		ok purge -n --json -d "$D" --from "$T/more"
	fi
	json_is '[d["purged"], d["variants"], d["walked"]]' '[502, 1, true]'
	ok purge --json -d "$D" --from "$T/more"
	json_is '[d["purged"], d["variants"], d["walked"]]' '[502, 1, true]'
	equal "$(entries_in "$C")" 100
}
