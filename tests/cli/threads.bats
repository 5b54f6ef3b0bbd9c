#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# Walks by many threads, and by many processes at once: every entry is met once.  .ci/run
# runs this file under the thread sanitizer, too.

load ../lib/helpers

setup() {
	mkcache -o "$T/cache" --count 2000 --template 'httpGETa.test/%d'
	mkcache -o "$T/cache" --vary X-Device --variant-headers 'X-Device: phone' httpGETa.test/7
}

@test "list: many threads list what one lists, each entry once" {
	run -0 --separate-stderr ngxcache -d "$T/cache" -j 1 list --json
	equal "$stderr" ""
	one=$(sort <<<"$output")
	equal "$(wc -l <<<"$one")" 2001
	for jobs in 2 4 16; do
		run -0 --separate-stderr ngxcache -d "$T/cache" -j "$jobs" list --json
		equal "$stderr" ""
		[ "$(sort <<<"$output")" = "$one" ]
	done
}

@test "purge: many threads take what was selected and count it once" {
	run -0 --separate-stderr ngxcache -d "$T/cache" -j 8 purge --json \
	    --glob '*7' --regex '/1[0-9]*$' --key httpGETa.test/7
	equal "$stderr" ""
	# 200 end in 7, 1111 begin with 1, 111 of them are both, and one is a variant.
	json_is '[d["matched"], d["purged"], d["variants"], d["failed"]]' '[1201, 1201, 1, 0]'
	equal "$(entries_in "$T/cache")" 800
}

@test "purge: two at once share the work, and neither fails" {
	ngxcache -d "$T/cache" -j 4 purge --json --all >"$T/first" 2>"$T/first.err" 3>&- &
	first=$!
	run -0 --separate-stderr ngxcache -d "$T/cache" -j 4 purge --json --all
	equal "$stderr" ""
	wait "$first"
	equal "$(cat "$T/first.err")" ""
	[ "$(($(json_get 'd["purged"]' "$T/first") + $(json_get 'd["purged"]' <<<"$output")))" -eq 2001 ]
	equal "$(entries_in "$T/cache")" 0
}
