#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# purge --backup: what is purged is in the archive, as it was.  What happens between archive
# and removal is made to happen by tests/lib/inject.c.

load cli

KEY=httpGETa.test/1

setup() {
	C=$T/cache
	A=$T/backup.tar
	mkcache -o "$C" --body-size 3000 --valid 4000000000 $KEY
	file=$(ngxcache list -0 -d "$C" --key $KEY | tr -d '\0')
	name=${file##*/}
	mkcache -o "$C" --body-size 3000 --valid 4000000000 httpGETa.test/{2,3,4}
	mkcache -o "$T/other" --body-size 3100 --valid 4000000000 $KEY
	fresh=$(find "$T/other" -type f)
	cp -a "$C" "$T/before"
}

# archived: the names of the entries in $A
archived() {
	tar -tf "$A" | sed -n 's|^cache/||p' | sort
}

# as_before NAME...: what the archive holds of these is what was in the cache
as_before() {
	local entry

	rm -rf "$T/out"
	mkdir "$T/out"
	tar -xpf "$A" -C "$T/out"
	for entry; do
		cmp "$T/out/cache/$entry" "$T/before/$entry"
	done
}

# purge RULES STATUS COUNTS OPTION...: of the whole cache, with faults; COUNTS are matched,
# purged, already_gone, replaced and failed
purge() {
	run "-$2" --separate-stderr inject "$1" ngxcache purge --json --backup "$A" -j 1 -d "$C" \
	    "${@:4}"
	json_is '[d[n] for n in ("matched", "purged", "already_gone", "replaced", "failed")]' "$3"
}

@test "backup: what is purged is in the archive, and then gone" {
	ok purge -d "$C" --backup "$A" --all
	[[ $output == "archived 4 entries (13k) in $A ("*$')\nremoved 4 entries (13k)' ]]
	equal "$(files "$C")" ""
	equal "$(archived)" "$(files "$T/before")"
	# shellcheck disable=SC2046
	as_before $(files "$T/before")
}

@test "backup: only what is selected is archived and purged" {
	ok purge --json -d "$C" --backup "$A" --key $KEY
	json_is '[d["purged"], d["backup"]["entries"], d["backup"]["complete"]]' '[1, 1, true]'
	equal "$(archived)" "${file#"$C"/}"
	equal "$(entries_in "$C")" 3
}

@test "backup: the archive holds entries as they were before they were written to" {
	for mode in invalidate expire; do
		rm -rf "$C"
		cp -a "$T/before" "$C"
		ok purge -d "$C" --backup "$A" --mode $mode --all
		# shellcheck disable=SC2046
		as_before $(archived)
		equal "$(entries_in "$C")" 4
		run -0 --separate-stderr ngxcache list --json -d "$C" --fresh
		equal "$output" ""
	done
}

@test "backup: variants are archived with their main entry" {
	mkcache -o "$C" --vary Accept-Encoding httpGETa.test/v
	mkcache -o "$C" --vary Accept-Encoding --variant-headers 'Accept-Encoding: gzip' httpGETa.test/v
	ok purge --json -d "$C,key=\$scheme\$request_method\$host\$uri" --backup "$A" http://a.test/v
	json_is '[d["purged"], d["variants"], d["backup"]["entries"]]' '[2, 1, 2]'
	equal "$(archived | wc -l)" 2
}

@test "backup: a damaged file is archived and purged" {
	echo rubbish >"$file"
	ok purge --json -d "$C" --backup "$A" --file "$file"
	json_is '[d["purged"], d["backup"]["entries"]]' '[1, 1]'
	equal "$(tar -xOf "$A" "cache/${file#"$C"/}")" rubbish
}

@test "backup: a dry run writes none, and so does a purge of nothing" {
	ok purge -n -d "$C" --backup "$A" --all
	ok purge --json -d "$C" --backup "$A" --glob 'nothing*'
	json_is 'd["backup"]["complete"]' false
	[ ! -e "$A" ]
	equal "$(entries_in "$C")" 4
}

@test "backup: what cannot be a safe copy is refused, and nothing is purged" {
	mkfifo "$T/pipe"
	refused 'expected a file' purge -d "$C" --all --backup -
	refused 'expected a file' purge -d "$C" --all --backup /dev/null
	cat "$T/pipe" >/dev/null 3>&- &
	refused 'expected a file' purge -d "$C" --all --backup "$T/pipe"
	wait
	refused 'expected a name that ends in' purge -d "$C" --all --backup "$T/a.zip"
	refused 'exclude each other' purge -d "$C" --all --backup "$A" --settle 1
	equal "$(entries_in "$C")" 4
}

# --- between archive and removal ---

@test "backup: an entry that nginx replaced after it was archived is kept" {
	purge "openat@$name:2=!mv $fresh $file" 0 '[4, 3, 0, 1, 0]' --all
	equal "$(stat -c %s "$file")" "$(($(stat -c %s "$T/before/${file#"$C"/}") + 100))"
	equal "$(archived)" "$(files "$T/before")"
	as_before "${file#"$C"/}"
}

@test "backup: an entry that was written to after it was archived is kept" {
	purge "openat@$name:2=!printf x | dd of=$file bs=1 seek=3000 conv=notrunc status=none" \
	    0 '[4, 3, 0, 1, 0]' --all
	[ -e "$file" ]
	as_before "${file#"$C"/}"
}

@test "backup: an entry that vanished after it was archived is already gone" {
	purge "openat@$name:2=!rm $file" 0 '[4, 3, 1, 0, 0]' --all
	equal "$(archived)" "$(files "$T/before")"
}

@test "backup: an entry that is replaced right before it is unlinked is kept" {
	purge "fstatat@$name:2=!mv $fresh $file" 0 '[4, 3, 0, 1, 0]' --all
	[ -e "$file" ]
}

@test "backup: an entry that is replaced while it is copied is in no archive, and kept" {
	purge "fstatat@$name:1=!mv $fresh $file" 0 '[4, 3, 1, 0, 0]' --all
	[ -e "$file" ]
	equal "$(archived | grep -c "$name")" 0
}

@test "backup: an entry that was stored after the archive is not touched" {
	mkdir -p "$C/0/00"
	purge "openat@$name:2=!cp $fresh $C/0/00/00000000000000000000000000000000" 0 \
	    '[4, 4, 0, 0, 0]' --all
	equal "$(files "$C")" 0/00/00000000000000000000000000000000
}

# --- faults ---

@test "backup: an entry that cannot be read is reported and kept" {
	purge 'pread:2=EIO' 3 '[4, 3, 0, 0, 1]' --all
	json_is '[e["error"] for e in d["errors"]]' '["read: Input/output error"]'
	[[ $stderr == "ngxcache: $C/"*': read: Input/output error' ]]
	equal "$(entries_in "$C")" 1
	equal "$(archived | wc -l)" 3
}

# untouched PATTERN RULES: nothing was purged, no archive is there, and standard error is so
untouched() {
	purge "$2" 3 '[0, 0, 0, 0, 0]' --all
	# shellcheck disable=SC2053
	[[ $stderr == $1 ]] || equal "$stderr" "$1"
	json_is '[d["backup"]["complete"], len(d["errors"])]' '[false, 1]'
	equal "$(tree "$C")" "$(tree "$T/before" | sed "s|$T/before|$C|")"
	equal "$(ls -A -I 'separate-stderr-*' "$T")" $'before\ncache\nother'
}

@test "backup: when the archive cannot be written nothing is purged" {
	untouched "ngxcache: $A: No space left on device" 'write:1=ENOSPC'
	untouched "ngxcache: $A: Input/output error" 'write:1=EIO'
	untouched "ngxcache: $A: Input/output error" 'fsync:1=EIO'
	untouched "ngxcache: $A: No space left on device" 'linkat:1=ENOSPC'
	untouched "ngxcache: $A: Read-only file system" 'renameat:1=EROFS'
}

@test "backup: when nobody can tell what was archived nothing is purged" {
	purge 'pwrite:1=ENOSPC' 3 '[0, 0, 0, 0, 0]' --all
	equal "$stderr" "ngxcache: $A: what was archived: No space left on device"
	equal "$(tree "$C")" "$(tree "$T/before" | sed "s|$T/before|$C|")"
}

@test "backup: short writes are written on" {
	purge $'write:1=SHORT\npwrite:1=SHORT' 0 '[4, 4, 0, 0, 0]' --all
	equal "$(archived)" "$(files "$T/before")"
}

@test "backup: a signal while it is archived leaves all as it is" {
	purge "fstatat@$name:1=!kill -TERM \$PPID" 143 '[0, 0, 0, 0, 0]' --all
	equal "$stderr" ""
	json_is 'd["backup"]["complete"]' false
	[ ! -e "$A" ]
	equal "$(entries_in "$C")" 4
}

@test "backup: a directory that is not there leaves all as it is" {
	A=$T/none/backup.tar
	untouched "ngxcache: $A: No such file or directory" 'write:9=EIO'
}

@test "backup: an entry too large for memory is archived and purged" {
	mkcache -o "$C" --valid 2000000000 --body-size 3000000 httpGETa.test/large
	ok purge --json -d "$C" --backup "$A" --key httpGETa.test/large
	json_is '[d["purged"], d["failed"]]' '[1, 0]'
	ok list --json --fields size -d "$A"
	json_is '[x["size"] > 3000000 for x in lines]' '[true]'
}
