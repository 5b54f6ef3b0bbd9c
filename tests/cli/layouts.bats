#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# Every layout of a cache file that nginx has written: read right, and purged in each mode
# with only the right bytes changed.  The offsets here are those of the table that tells where
# C compilers put the fields, not the program's.

load cli

teardown() {
	[ -n "${BATS_TEST_COMPLETED:-}" ] || echo "with layout ${LAYOUT:-} of ${ABI:-}" >&2
}

# offsets LAYOUT ABI: $H where the key line starts; $TIME and $WORD the sizes of a time and of
# the version; the offsets $VERSION $VALID $MODIFIED $ETAG (of its length); - what is not there
offsets() {
	TIME=8 WORD=8 VERSION=0
	case $2 in
	ilp32*) TIME=4 WORD=4 ;;
	i386t64) WORD=4 ;;
	esac
	case $1/$2 in
	v0/lp64*) H=40 VALID=0 MODIFIED=8 ETAG=- ;;
	v2/lp64*) H=88 VALID=8 MODIFIED=16 ETAG=42 ;;
	v3/lp64*) H=144 VALID=8 MODIFIED=16 ETAG=42 ;;
	v5/lp64*) H=336 VALID=8 MODIFIED=32 ETAG=58 ;;
	v0/ilp32*) H=24 VALID=0 MODIFIED=4 ETAG=- ;;
	v2/ilp32*) H=72 VALID=4 MODIFIED=8 ETAG=26 ;;
	v3/ilp32*) H=128 VALID=4 MODIFIED=8 ETAG=26 ;;
	v5/ilp32*) H=308 VALID=4 MODIFIED=16 ETAG=34 ;;
	v0/i386t64) H=36 VALID=0 MODIFIED=8 ETAG=- ;;
	v2/i386t64) H=84 VALID=4 MODIFIED=12 ETAG=38 ;;
	v3/i386t64) H=140 VALID=4 MODIFIED=12 ETAG=38 ;;
	v5/i386t64) H=328 VALID=4 MODIFIED=28 ETAG=54 ;;
	esac
	[ "$1" != v0 ] || VERSION=-
}

# each_layout COMMAND: with every layout and ABI as $LAYOUT and $ABI
each_layout() {
	for LAYOUT in v0 v2 v3 v5; do
		for ABI in lp64le lp64be ilp32le ilp32be i386t64; do
			offsets "$LAYOUT" "$ABI"
			"$@"
		done
	done
}

# changed OLD NEW: the offsets of the bytes that differ, from 0
changed() {
	{ cmp -l "$1" "$2" || :; } | while read -r at _; do
		echo $((at - 1))
	done
	[ "$(stat -c %s "$1")" -eq "$(stat -c %s "$2")" ] || echo 1000000
}

# within OFFSETS FIELD SIZE [FIELD SIZE]: no other offsets than these
within() {
	local at ok

	for at in $1; do
		ok=0
		if [ "$2" != - ] && [ "$at" -ge "$2" ] && [ "$at" -lt $(($2 + $3)) ]; then
			ok=1
		elif [ "${4:--}" != - ] && [ "$at" -ge "$4" ] && [ "$at" -lt $(($4 + $5)) ]; then
			ok=1
		fi
		equal "$ok" 1 "byte $at changed, only ${*:2} may"
	done
}

# number FILE OFFSET SIZE: a signed number in the byte order of $ABI
number() {
	local order=little

	[[ $ABI != *be ]] || order=big
	od -An "-td$3" --endian="$order" -j "$2" -N "$3" "$1" | tr -d ' '
}

# purged N: by the last purge, and none failed
purged() {
	[[ $output == *"\"purged\":$1,"*"\"failed\":0,"* ]] || equal "$output" "$1 purged"
}

# entry OPTION...: one of $LAYOUT and $ABI with the key GETa.test/1 alone in the cache: $F, and
# its copy $T/before
entry() {
	rm -rf "$C"
	F=$(mkcache -v -o "$C" --layout "$LAYOUT" --abi "$ABI" "$@" GETa.test/1)
	cp "$F" "$T/before"
}

listed() {
	local etag='"\"v1\""' updating=30 error=40 version=${LAYOUT#v}

	entry --valid 1796056000 --date 1796050001 --last-modified 1700000000 --etag '"v1"' \
	    --updating 30 --error 40 --status 404 --body 0123456789
	[ "$LAYOUT" != v0 ] || etag=null
	[ "$LAYOUT" = v5 ] || updating=null error=null
	ok list --json -d "$C" --now "$NOW"
	json_is '[lines[0][k] for k in ("key", "layout", "version", "protocol", "status", "kind",
	    "state", "header_start", "body_size", "size", "valid", "date", "last_modified", "updating",
	    "error", "etag", "file")]' \
	    "[\"GETa.test/1\", \"$ABI\", $version, \"http\", 404, \"main\", \"fresh\", $((H + 18)), 10, $(stat -c %s "$F"), 1796056000, 1796050001, 1700000000, $updating, $error, $etag, \"$F\"]"
	equal "${#lines[@]}" 1
}

@test "list: every layout has the right fields" {
	each_layout listed
}

without() {
	entry --type '' --no-length
	ok list --json -d "$C"
	json_is '[lines[0][k] for k in ("last_modified", "etag", "vary", "variant")]' \
	    '[null, null, null, null]'
}

@test "list: what an entry of a layout lacks is null" {
	each_layout without
}

shown() {
	entry --header 'X-A: b' --body 'the body'
	ok show --json -d "$C" --key GETa.test/1
	json_is '[d["layout"], d["crc_ok"], d["name_ok"], ["X-A", "b"] in d["headers"]]' \
	    "[\"$ABI\", true, true, true]"
	ok show --body -d "$C" --key GETa.test/1
	equal "$output" "the body"
}

@test "show: every layout is shown, with its body" {
	each_layout shown
}

variants() {
	case $LAYOUT in v0 | v2) return ;; esac
	rm -rf "$C"
	mkcache -o "$C" --layout "$LAYOUT" --abi "$ABI" --vary X-A GETa.test/1
	F=$(mkcache -v -o "$C" --layout "$LAYOUT" --abi "$ABI" --vary X-A --variant-headers 'X-A: 1' GETa.test/1)
	ok list --json -d "$C"
	json_is 'sorted([x["kind"], x["vary"], x["kind"] == "main" or x["variant"]] for x in lines)' \
	    "[[\"main\", \"X-A\", true], [\"variant\", \"X-A\", \"${F##*/}\"]]"
	ok purge --json -d "$C" --key GETa.test/1
	purged 2
	[[ $output == *'"variants":1,'* ]]
}

@test "the variants of every layout that has them are found with their key" {
	each_layout variants
}

removed() {
	entry --valid 2100000000
	exec 5<"$F"
	ok purge --json -d "$C" --key GETa.test/1
	purged 1
	[ ! -e "$F" ]
	cat <&5 >"$T/after"
	exec 5<&-
	invalid
}

# invalid: of $T/before and $T/after, nginx refuses the second, and nothing else changed.
invalid() {
	if [ "$VERSION" = - ]; then
		equal "$(number "$T/after" "$VALID" "$TIME")" 1
		within "$(changed "$T/before" "$T/after")" "$VALID" "$TIME"
	else
		equal "$(number "$T/after" "$VERSION" "$WORD")" 0
		within "$(changed "$T/before" "$T/after")" "$VERSION" "$WORD"
	fi
}

@test "remove: the file is gone, and who has it open sees it invalid" {
	each_layout removed
}

invalidated() {
	entry --valid 2100000000 --etag '"v1"' --last-modified 1700000000
	ok purge --json --mode invalidate -d "$C" --key GETa.test/1
	purged 1
	cp "$F" "$T/after"
	invalid
	ok list --json -d "$C"
	case $LAYOUT in
	v0) [[ $output == *'"version":0,'*'"valid":1,'*'"state":"expired"}' ]] ;;
	*) [[ $output == *"\"version\":${LAYOUT#v},"*'"valid":2100000000,'*'"state":"invalidated"}' ]] ;;
	esac
	ok purge --json --mode invalidate -d "$C" --all
	purged 1
	cmp "$F" "$T/after"
}

@test "invalidate: only the version becomes 0; without a version, valid becomes 1" {
	each_layout invalidated
}

expired() {
	local before after valid

	entry --valid 2100000000 --etag '"v1"' --last-modified 1700000000 --updating 30 --error 40
	before=$(date +%s)
	ok purge --json --mode expire -d "$C" --key GETa.test/1
	after=$(date +%s)
	purged 1
	valid=$(number "$F" "$VALID" "$TIME")
	[ "$valid" -ge $((before - 1)) ]
	[ "$valid" -le $((after - 1)) ]
	within "$(changed "$T/before" "$F")" "$VALID" "$TIME"
}

@test "expire: valid becomes a second before now, and nothing else changes" {
	each_layout expired
}

not_raised() {
	entry --valid 1000000000 --etag '"v1"' --last-modified 1700000000
	ok purge --json --mode expire -d "$C" --key GETa.test/1
	purged 1
	cmp "$F" "$T/before"
}

@test "expire: never raises valid" {
	each_layout not_raised
}

refetched() {
	entry --valid 1000000000 --etag '"v1"' --last-modified 1700000000
	ok purge --json --mode expire --refetch -d "$C" --key GETa.test/1
	purged 1
	equal "$(number "$F" "$MODIFIED" "$TIME")" -1
	[ "$ETAG" = - ] || equal "$(number "$F" "$ETAG" 1)" 0
	within "$(changed "$T/before" "$F")" "$MODIFIED" "$TIME" "$ETAG" 1
	equal "$(number "$F" "$VALID" "$TIME")" 1000000000
	ok list --json -d "$C"
	[[ $output == *'"last_modified":null,'*'"etag":null,'* ]]
}

@test "expire --refetch: clears the length of the ETag and the time of modification" {
	each_layout refetched
}

@test "expire: an invalidated entry stays invalidated" {
	LAYOUT=v5 ABI=lp64le
	offsets v5 lp64le
	entry --valid 2100000000 --invalidated
	ok purge --json --mode expire -d "$C" --all
	equal "$(number "$F" 0 8)" 0
	ok list --json -d "$C"
	json_is 'lines[0]["state"]' invalidated
}

@test "a cache of all layouts is purged as one" {
	for layout in v0 v2 v3 v5; do
		for abi in lp64le lp64be ilp32le ilp32be i386t64; do
			mkcache -o "$C" --layout "$layout" --abi "$abi" --valid 2100000000 "GET$layout.test/$abi"
		done
	done
	ok list --json -d "$C"
	json_is 'len(set(x["layout"] + str(x["version"]) for x in lines))' 20
	json_is 'all(x["key"] == "GETv%d.test/%s" % (x["version"], x["layout"]) for x in lines)' true
	for mode in expire invalidate remove; do
		ok purge --json -d "$C" --mode "$mode" --glob '*'
		purged 20
	done
	equal "$(entries_in "$C")" 0
}

# --- what upstreams send ---

@test "stored responses: HTTP, FastCGI, CGI and HTTP/0.9 are told apart" {
	mkcache -o "$C" --status 201 GET/http
	mkcache -o "$C" --status 202 --fastcgi GET/fastcgi
	mkcache -o "$C" --status 203 --cgi GET/cgi
	mkcache -o "$C" --status 204 --fastcgi --split 7 GET/split
	ok list --json -d "$C"
	json_is 'sorted([x["key"][4:], x["protocol"], x["status"], x["content_type"]] for x in lines)' \
	    '[["cgi", "cgi", 203, "text/html"], ["fastcgi", "fastcgi", 202, "text/html"], ["http", "http", 201, "text/html"], ["split", "fastcgi", 204, "text/html"]]'
}

@test "stored responses: an answer without a header is an entry" {
	mkcache -o "$C" --http09 --body hello GET/old
	ok list --json -d "$C"
	json_is '[lines[0]["header_start"] == lines[0]["body_start"], lines[0]["body_size"]]' '[true, 5]'
	json_is '[lines[0]["protocol"], lines[0]["content_type"]]' '["http", null]'
	ok show --body -d "$C" --key GET/old
	equal "$output" hello
	ok purge --json -d "$C" --key GET/old
	json_is 'd["purged"]' 1
}

@test "stored responses: headers split over FastCGI records are whole" {
	mkcache -o "$C" --fastcgi --split 5 --header 'X-Long: abcdefghijklmnopqrstuvwxyz' \
	    --header 'Cache-Tag: one,two' GET/split
	ok show --json -d "$C" --key GET/split
	json_is '["X-Long", "abcdefghijklmnopqrstuvwxyz"] in d["headers"]' true
	json_is 'd["tags"]' '["one", "two"]'
}
