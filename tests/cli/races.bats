#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# Files that vanish, are replaced or turn into links while a purge looks at them, and calls
# that fail: each made to happen right before the call it matters to (tests/lib/inject.c).

load cli

KEY=httpGETa.test/1
COUNTS='[d[k] for k in ("matched", "purged", "already_gone", "replaced", "failed")]'

setup() {
	[ "$VARIANT" != tsan ] || skip "nothing can be preloaded before the thread sanitizer"
	C=$T/cache
	OUTSIDE=$T/outside
	file=$(mkcache -v -o "$C" --valid 4000000000 --etag x "$KEY")
	name=${file##*/}
	dir=${file%/*}
	# What an attacker may want to be touched: the same entry, elsewhere.
	mkcache -o "$OUTSIDE" --valid 4000000000 --etag x "$KEY"
	outside=$OUTSIDE/${file#"$C/"}
	before=$(tree "$OUTSIDE")
	mkcache -o "$T/new" --valid 4000000000 --body new "$KEY"
	cp "$T/new/${file#"$C/"}" "$T/fresh"
	fresh=$(sha256sum <"$T/fresh")
}

# disturbed RULES ARGUMENT...: purge by key meanwhile; nothing is an error
disturbed() {
	local rules=$1

	shift
	run -0 --separate-stderr inject "$rules" ngxcache purge --json -d "$C,levels=1:2" "$@"
	equal "$stderr" "" "$rules"
	equal "$(tree "$OUTSIDE")" "$before" "$rules"
}

# again: the file is as it was at first
again() {
	rm -rf "$C"
	mkcache -o "$C" --valid 4000000000 --etag x "$KEY"
}

MODES='remove invalidate expire'

# --- vanished ---

@test "race: a file that vanishes before it is opened was never there" {
	for what in "--key=$KEY" '--glob=*' "--file=$file" --all; do
		again
		disturbed "openat@$name:1=!rm $file" "$what"
		json_is "$COUNTS" '[0, 0, 0, 0, 0]'
	done
}

@test "race: a file that vanishes after it was judged is already gone" {
	for mode in $MODES; do
		again
		disturbed "openat@$name:2=!rm $file" --mode "$mode" --key "$KEY"
		json_is "$COUNTS" '[1, 0, 1, 0, 0]'
		json_is '[d["bytes"], d["zones"][0]["purged"]]' '[0, 0]'
	done
	for call in fstatat unlinkat; do
		again
		disturbed "$call@$name:1=!rm $file" --all
		json_is "$COUNTS" '[1, 0, 1, 0, 0]'
		json_is 'd["bytes"]' 0
	done
}

@test "race: a vanished file is skipped and does not count as freed" {
	mkcache -o "$C" httpGETa.test/{2,3}
	disturbed 'unlinkat:2=ENOENT' -j 1 --all
	json_is "$COUNTS" '[3, 2, 1, 0, 0]'
	json_is 'd["bytes"] == d["zones"][0]["bytes"] > 0' true
}

@test "race: a level directory that vanishes is skipped" {
	for what in "--key=$KEY" '--glob=*'; do
		again
		mkcache -o "$C" --levels 1:2 httpGETa.test/2
		disturbed "openat@${dir##*/}:1=!rm -r $dir" "$what"
		json_is 'd["failed"]' 0
		[ ! -e "$dir" ]
	done
}

@test "race: a file that was unlinked while nginx holds it open is not written" {
	disturbed "openat@$name:2=!exec 9<$file; rm $file; cp $T/fresh $file" --mode invalidate --key "$KEY"
	json_is "$COUNTS" '[1, 0, 0, 1, 0]'
	equal "$(sha256sum <"$file")" "$fresh"
}

# --- replaced ---

@test "race: a file that nginx replaces after it was judged is kept" {
	for mode in $MODES; do
		again
		disturbed "openat@$name:2=!mv $T/fresh $file" --mode "$mode" --key "$KEY"
		json_is "$COUNTS" '[1, 0, 0, 1, 0]'
		equal "$(sha256sum <"$file")" "$fresh" "$mode"
		mv "$file" "$T/fresh"
	done
}

@test "race: a file that nginx replaces right before the last look is kept" {
	for what in "--key=$KEY" --all; do
		again
		disturbed "fstatat@$name:1=!mv $T/fresh $file" "$what"
		json_is "$COUNTS" '[1, 0, 0, 1, 0]'
		equal "$(sha256sum <"$file")" "$fresh"
		mv "$file" "$T/fresh"
	done
}

@test "race: a header that nginx rewrites in place meanwhile is still the entry" {
	mkcache -o "$T/later" --valid 4000000001 --etag x "$KEY"
	later=$T/later/${file#"$C/"}
	disturbed "openat@$name:2=!cat $later >$file" --soft --key "$KEY"
	json_is "$COUNTS" '[1, 1, 0, 0, 0]'
	ok list --json -d "$C"
	json_is 'd["state"]' expired
}

@test "race: another key in the same file is another entry" {
	other=$(mkcache -v -o "$T/later" --valid 4000000000 --etag x httpGETa.test/2)
	for mode in $MODES; do
		again
		disturbed "openat@$name:2=!cat $other >$file" --mode "$mode" --key "$KEY"
		json_is "$COUNTS" '[1, 0, 0, 1, 0]'
		cmp "$other" "$file"
	done
}

# --- links ---

@test "race: a file that turns into a link is not followed" {
	for mode in $MODES; do
		for n in 1 2; do
			again
			disturbed "openat@$name:$n=!ln -sf $outside $file" --mode "$mode" --key "$KEY"
			json_is 'd["purged"] + d["failed"]' 0
			[ -L "$file" ]
		done
	done
	for call in fstatat unlinkat; do
		again
		disturbed "$call@$name:1=!ln -sf $outside $file" --all
		json_is 'd["failed"]' 0
	done
}

@test "race: a file that gets a second name is not written" {
	for mode in $MODES; do
		again
		sum=$(sha256sum <"$file")
		rm -f "$T/second"
		run --separate-stderr inject "openat@$name:2=!ln $file $T/second" \
		    ngxcache purge --json -d "$C" --mode "$mode" --key "$KEY"
		equal "$(sha256sum <"$T/second")" "$sum" "$mode"
		if [ "$mode" = remove ]; then
			equal "$status" 0
			[ ! -e "$file" ]
		else
			equal "$status" 3
			json_is "$COUNTS" '[1, 0, 0, 0, 1]'
		fi
	done
}

@test "race: a directory that is swapped for a link is not followed" {
	level=${dir#"$C/"}
	for what in "--key=$KEY" '--glob=*' "--file=$file" --all; do
		for swap in "$C/${level%/*}" "$dir"; do
			for n in 1 2; do
				again
				rm -rf "$T/aside"
				disturbed "openat@${swap##*/}:$n=!mv $swap $T/aside; ln -s $OUTSIDE${swap#"$C"} $swap" \
				    "$what" || { echo "$what $swap $n" >&2; return 1; }
			done
			again
			rm -rf "$T/aside"
			disturbed "openat@$name:1=!mv $swap $T/aside; ln -s $OUTSIDE${swap#"$C"} $swap" "$what"
			json_is "$COUNTS" '[1, 1, 0, 0, 0]' # what was moved aside is the cache's
		done
	done
}

@test "race: a root that is swapped for somebody else's link is refused" {
	need_root
	for n in 1 2; do
		again
		rm -rf "$T/aside"
		run --separate-stderr inject \
		    "openat@cache:$n=!mv $C $T/aside; ln -s $OUTSIDE $C; chown -h nobody $C" \
		    ngxcache purge --json -d "$C,levels=1:2" --all
		equal "$status" 2 "$n"
		equal "$output" ""
		[ -n "$stderr" ]
		equal "$(tree "$OUTSIDE")" "$before"
		equal "$(entries_in "$T/aside")" 1
		rm "$C"
	done
}

@test "race: a root that is swapped while it is walked stays the one that was opened" {
	disturbed "openat@$name:1=!mv $C $T/aside; ln -s $OUTSIDE $C" --all
	json_is "$COUNTS" '[1, 1, 0, 0, 0]'
	equal "$(entries_in "$T/aside")" 0
}

# --- failures ---

# failed RULES ARGUMENT...: the purge of one of three entries fails
failed() {
	local rules=$1

	shift
	again
	mkcache -o "$C" --etag x httpGETa.test/{2,3}
	run -3 --separate-stderr inject "$rules" ngxcache purge --json -d "$C" -j 1 --all "$@"
	equal "$(wc -l <<<"$stderr")" 1 "$rules"
	[[ $stderr == "ngxcache: $C/"*": $WHY" ]] || equal "$stderr" "$WHY"
	json_is "$COUNTS" '[3, 2, 0, 0, 1]'
	json_is '[len(d["errors"]), d["bytes"] == d["zones"][0]["bytes"]]' '[1, true]'
}

@test "race: a file that cannot be unlinked or written is a failure, and the rest goes" {
	WHY='unlink: Input/output error'
	failed 'unlinkat:2=EIO'
	equal "$(entries_in "$C")" 1
	WHY='unlink: Read-only file system'
	failed 'unlinkat:3=EROFS'
	WHY='write: No space left on device'
	failed 'pwrite:2=ENOSPC' --mode invalidate
	WHY='write: Input/output error'
	failed 'pwrite:1=EIO' --mode expire
	WHY='stat: Input/output error'
	failed "fstatat:2=EIO"
}

@test "race: what cannot be spoiled is unlinked all the same" {
	run -0 --separate-stderr inject 'pwrite:1=EIO' ngxcache purge --json -d "$C" --all
	json_is "$COUNTS" '[1, 1, 0, 0, 0]'
	[ ! -e "$file" ]
}

@test "race: a file that cannot be read is a failure" {
	run -3 --separate-stderr inject 'pread:1=EIO' ngxcache purge --json -d "$C" --all
	equal "$stderr" "ngxcache: $file: Input/output error"
	json_is "$COUNTS" '[0, 0, 0, 0, 0]'
	[ -e "$file" ]
}

@test "race: an interrupted call is made again" {
	disturbed $'pread:1=EINTR\npread:3=EINTR\npwrite:1=EINTR' --key "$KEY"
	json_is "$COUNTS" '[1, 1, 0, 0, 0]'
}

@test "race: a purge that is killed at any moment is completed by the same command" {
	for call in unlinkat pwrite fstatat; do
		for n in 1 3 4 9; do # there are no nine
			rm -rf "$C"
			mkcache -o "$C" --valid 4000000000 --vary X-A "$KEY"
			for value in one two three; do
				mkcache -o "$C" --valid 4000000000 --vary X-A --variant-headers "X-A: $value" "$KEY"
			done
			run --separate-stderr inject "$call:$n=!kill -9 \$PPID" \
			    ngxcache purge --json -j 1 -d "$C,levels=1:2" --key "$KEY"
			if [ "$n" -le 4 ]; then
				equal "$status" 137 "$call $n"
				[ "$call" != unlinkat ] || equal "$(entries_in "$C")" $((5 - n))
			else
				equal "$status" 0
			fi
			ok purge --json -d "$C,levels=1:2" --key "$KEY"
			equal "$(entries_in "$C")" 0 "$call $n"
		done
	done
}

@test "race: links that come and go all the time never lead a purge outside" {
	need_root
	mkdir "$C/0" # it is a cache also while the other directory is none
	chown -R nobody "$C" "$OUTSIDE" # the owner is not what protects it
	before=$(tree "$OUTSIDE")
	level=${dir%/*}
	as_nobody bash -c "while [ ! -e $C/stop ]; do
		mv $level $C/aside; ln -s $OUTSIDE/${level##*/} $level
		rm $level; mv $C/aside $level
		mv $file $C/file; ln -s $outside $file; rm $file; cp $C/file $file; done" 2>/dev/null 3>&- &
	hostile=$!
	for round in {1..12}; do
		for mode in $MODES; do
			ngxcache purge -q -d "$C" --mode "$mode" --all 2>/dev/null || :
			ngxcache purge -q -d "$C,levels=1:2" --mode "$mode" --key "$KEY" 2>/dev/null || :
		done
	done
	touch "$C/stop"
	wait "$hostile" || :
	equal "$(tree "$OUTSIDE")" "$before"
}
