#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# What people see: widths of terminals, wide characters, exact figures, dumb terminals.

load cli

LONG=httpsGETwww.example.com/a/path/that/goes/on/and/on/and/never/ends/index.html?page=12

# columns: how many of a terminal each of the $lines takes, in a line of numbers
columns() {
	printf '%s\n' "${lines[@]}" | "$PYTHON" -c '
import re, sys, unicodedata
def width(c):
    return 0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF")
for line in sys.stdin.read().splitlines():
    print(sum(map(width, re.sub(r"\x1b\[[0-9;]*m", "", line))), end=" ")'
}

@test "terminal: the lines of list fit, and tell both ends of a long key" {
	mkcache -o "$C" "$LONG" GETa.test/1
	terminal 80 list -d "$C" --now "$NOW" --sort key -r
	equal "$(columns)" '44 80 52 '
	[[ ${lines[1]} == *'1h 23m '*' httpsGETwww.exampl...index.html?page=12' ]]
	terminal 40 list -d "$C" --now "$NOW" --sort key -r
	equal "$(columns)" '24 40 32 '
	[[ ${lines[1]} == *' httpsGET...?page=12' && ${lines[1]} != *1h* ]]
	terminal 200 list -d "$C" --now "$NOW"
	[[ $output == *"$LONG"* ]]
}

@test "terminal: a key is whole with -v, and where no terminal is" {
	mkcache -o "$C" "$LONG"
	terminal 40 list -v -d "$C" --now "$NOW"
	[[ $output == *"$LONG"* ]]
	ok list -d "$C" --now "$NOW"
	[[ $output == *" $LONG" ]]
}

@test "terminal: what is behind a long key stays" {
	mkcache -o "$C" --vary Accept-Encoding --variant-headers 'Accept-Encoding: gzip' "$LONG"
	terminal 80 purge -n --all -d "$C" --now "$NOW"
	[[ $(columns) == '80 '* ]]
	[[ ${lines[0]} == *'?page=12  (variant)' ]]
}

@test "terminal: East Asian characters take two columns, accents that combine none" {
	mkcache -o "$C" GETa.test/日本語の記事です $'GETa.test/cafe\u0301' GETa.test/plain
	ok stats -d "$C" --by path
	equal "$(columns | tr ' ' '\n' | sort -u | wc -l)" 1
	terminal 60 list -d "$C" --now "$NOW" --sort key
	[[ ${lines[3]} == *' GETa.tes...記事です' ]] || equal "${lines[3]}" "cut between characters"
	equal "$(columns)" '44 55 56 60 '
}

@test "terminal: both tables of stats fit into 80 columns, whatever a zone is called" {
	mkcache -o "$C" GETa.test/1
	terminal 80 stats -d "$C,name=the_images_of_the_shop_and_of_its_branches"
	for width in $(columns); do
		[ "$width" -le 80 ] || equal "$(columns)" "80 at most"
	done
}

@test "terminal: doctor breaks its lines where a narrow one ends" {
	site '$uri'
	mkcache -o "$C" /x
	rm -r "$C"
	terminal_status 1 50 doctor -c "$CONF"
	for line in "${lines[@]}"; do
		[[ ${#line} -le 50 || $line == *"$T"* ]] || equal "$line" "50 columns"
	done
}

@test "-v: sizes and ages are exact" {
	mkcache -o "$C" --body-size 3000 --date 1796000000 GETa.test/1
	size=$(stat -c %s "$C"/*/*/*)
	ok list -d "$C" --now "$NOW"
	[[ $output == *' 3.'?'k  15h 16m '* ]]
	run -0 --separate-stderr ngxcache list -v -d "$C" --now "$NOW"
	[[ $output == *" $size  15h 16m 40s "* ]]
	ok list -d "$C" --now "$NOW" --older-than '15h 16m 39s' --json
	json_is 'len(lines)' 1
	for command in stats zones 'purge -n --all'; do
		# shellcheck disable=SC2086
		run -0 --separate-stderr ngxcache $command -v -d "$C"
		[[ $output == *"$size"* && $output == *4096* || $command == purge* ]] ||
		    equal "$output" "exact sizes" "$command"
	done
	[[ $output == *"would remove 1 entry ($size bytes)" ]]
}

@test "terminal: a dumb one gets neither colours nor lines that clear themselves" {
	[ "$VARIANT" = debug ] || skip "what is preloaded would have to come after the sanitizer"
	mkcache -o "$C" one two three
	slow="INJECT='pread:2=!sleep 1.3' LD_PRELOAD='$O/tests/lib/inject.so' ngxcache list -j 1 -d '$C'"
	TERM=dumb run -0 script -qec "$slow" /dev/null
	[[ $output == *KEY*three* && $output != *$'\e'* ]]
}
