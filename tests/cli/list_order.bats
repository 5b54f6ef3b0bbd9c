#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# list: its order, its length, its fields and formats.

load cli

# Sizes, times and statuses that each give another order: b a d c, c a b d, a d c b, d b a c.
setup_four() {
	mkcache -o "$C" --body-size 200 --date 200 --valid 1000 --status 404 a
	mkcache -o "$C" --body-size 100 --date 300 --valid 4000 --status 301 b
	mkcache -o "$C" --body-size 400 --date 100 --valid 3000 --status 500 c
	mkcache -o "$C" --body-size 300 --date 400 --valid 2000 --status 200 d
}

# order: the keys of the $output, as they come
order() {
	json_get '" ".join(x["key"] for x in lines)' <<<"$output"
}

@test "list --sort: by key, size, time of caching, expiry and status" {
	setup_four
	while read -r by wanted; do
		ok list --json -d "$C" --sort "$by"
		equal "$(order)" "$wanted" "$by"
		ok list --json -d "$C" --sort "$by" -r
		equal "$(order)" "$(rev <<<"$wanted")" "$by in reverse"
	done <<-END
		key a b c d
		size b a d c
		cached c a b d
		expires a d c b
		status d b a c
	END
}

@test "list --limit: the first of the order, in every number of threads" {
	mkcache -o "$C" --count 300 --template 'k%d' --body-size 10
	mkcache -o "$C" --body-size 5000 big1
	mkcache -o "$C" --body-size 4000 big2
	for jobs in 1 2 16; do
		ok list --json -j "$jobs" -d "$C" --sort size -r --limit 2
		equal "$(order)" 'big1 big2'
		ok list --json -j "$jobs" -d "$C" --sort key --limit 3
		equal "$(order)" 'big1 big2 k1'
		ok list --json -j "$jobs" -d "$C" --sort key -r --limit 1000
		json_is '[len(lines), lines[-1]["key"]]' '[302, "big1"]'
		ok list --json -j "$jobs" -d "$C" --limit 7
		json_is 'len(lines)' 7
	done
}

@test "list --sort: what is alike comes in the same order every time" {
	mkcache -o "$C" --count 50 --template 'k%d' --body-size 10
	ok list --json -j 1 -d "$C" --sort cached
	once=$(order)
	for jobs in 2 5 16; do
		ok list --json -j "$jobs" -d "$C" --sort cached
		equal "$(order)" "$once"
	done
}

@test "list --sort: several zones come in one order" {
	mkcache -o "$T/one" a c
	mkcache -o "$T/two" b d
	ok list --json -d "$T/one" -d "$T/two" --sort key
	equal "$(order)" 'a b c d'
}

@test "list --sort: goes with selectors and filters, and tells what matched nothing" {
	setup_four
	ok list --json -d "$C" --sort size --glob '[abd]' --exclude b
	equal "$(order)" 'a d'
	run -1 --separate-stderr ngxcache list -d "$C" --sort size --fail-if-none --key z
	run -0 --separate-stderr ngxcache list -d "$C" --sort key --key z
	[[ $stderr == *z* ]]
}

@test "list --sort: damaged files come first" {
	setup_four
	truncate -s 10 "$(mkcache -v -o "$C" e)"
	ok list --json -d "$C" --sort key --all
	json_is '[x["key"] for x in lines]' '[null, "a", "b", "c", "d"]'
}

@test "list: wrong words for order and format are refused" {
	setup_four
	refused "expected key, size, cached, expires or status" list -d "$C" --sort sice
	refused "expected a number" list -d "$C" --limit 0
	refused "expected a number" list -d "$C" --limit x
	refused "goes with --sort" list -d "$C" -r
	refused "expected table, tsv or csv" list -d "$C" --format xml
	refused "did you mean 'status'" list -d "$C" --fields key,statsu
	refused "unknown field ''" list -d "$C" --fields key,
	refused "exclude each other" list -d "$C" --json --format csv
	refused "exclude each other" list -d "$C" -0 --fields key
}

@test "list --fields: these, in this order, in JSON" {
	setup_four
	ok list --json -d "$C" --fields size,key,state --key a
	equal "$output" "{\"size\":$(stat -c %s "$(mkcache -v -o "$T/same" --body-size 200 --date 200 --valid 1000 --status 404 a)"),\"key\":\"a\",\"state\":\"expired\"}"
}

@test "list --fields: every field alone is what it is among all" {
	mkcache -o "$C" --vary X-A --etag '"e"' --last-modified 5 --header 'Cache-Tag: x y' \
	    --header 'Content-Encoding: gzip' --updating 5 --error 6 httpGETa.test/x
	truncate -s 10 "$(mkcache -v -o "$C" e)"
	ok list --json -d "$C,name=z" --all --sort size
	all=$output
	mapfile -t names < <(json_get '"\n".join(lines[1])' <<<"$all")
	for name in "${names[@]}"; do
		ok list --json -d "$C,name=z" --all --sort size --fields "$name"
		equal "$(json_get "[x['$name'] for x in lines]" <<<"$output")" \
		    "$(json_get "[x['$name'] for x in lines]" <<<"$all")" "$name"
	done
}

@test "list --format csv: a heading and quoted cells, and no formula" {
	mkcache -o "$C" --status 200 -- 'a,b"c' '=cmd()' '+1' '-1' '@x' plain
	ok list -d "$C" --format csv --fields status,key --sort key
	equal "$output" "status,key
200,'+1
200,'-1
200,'=cmd()
200,'@x
200,\"a,b\"\"c\"
200,plain"
}

@test "list --format tsv and csv: bytes of a key cannot break a line" {
	mkcache -o "$C" $'a\tb\nc\\\e\xff'
	ok list -d "$C" --format tsv --fields key,etag,size
	equal "$(wc -l <<<"$output")" 2
	equal "$(sed -n '2s/\t[0-9]*$//p' <<<"$output")" $'a\\tb\\nc\\\\x1b\\xff\t'
	ok list -d "$C" --format csv --fields key
	equal "$(sed -n 2p <<<"$output")" 'a\tb\nc\\x1b\xff'
}

@test "list --format: the usual fields, and tags and absent fields in a cell" {
	mkcache -o "$C" --header 'Cache-Tag: x,y z' a
	ok list -d "$C" --format csv
	equal "$(head -n 1 <<<"$output")" status,state,size,date,key
	ok list -d "$C" --format csv --fields tags,vary,key
	equal "$(sed -n 2p <<<"$output")" 'x y z,,a'
}

@test "list --format: the heading stands above an empty list, not above an error" {
	mkdir "$T/empty"
	ok list -d "$T/empty" --format csv --fields key,size
	equal "$output" key,size
	refused 'no such directory' list -d "$T/none" --format csv
}
