#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# archive: entries into a tar archive.  What is in one, tar tells.

load cli

# members FILE: the names in an archive but the last, sorted; the last must be its manifest
members() {
	local names

	names=$(tar -tf "$1") || return
	equal "$(tail -n 1 <<<"$names")" ngxcache.json
	head -n -1 <<<"$names" | sort
}

# files_of DIR: the files below: names, modes, owners, times and contents
files_of() {
	find "$1" -type f -printf '%p %m %U:%G %s %T@\n' | sort
	find "$1" -type f -exec sha256sum {} + | sort
}

# holds FILE DIR: the archive holds exactly the files below, as they are, under its base name
holds() {
	rm -rf "$T/out"
	mkdir "$T/out"
	tar -xpf "$1" -C "$T/out" --numeric-owner
	rm "$T/out/ngxcache.json"
	equal "$(cd "$T/out" && files_of "${2##*/}")" "$(cd "${2%/*}" && files_of "${2##*/}")"
}

# only_in DIR NAME...: these files and no others, hidden ones included
only_in() {
	equal "$(ls -A -I 'separate-stderr-*' "$1")" "$(printf '%s\n' "${@:2}")" "in $1"
}

manifest() {
	output=$(tar -xOf "$1" ngxcache.json)
}

cache() {
	mkcache -o "$C" --count 12 --template 'GETa.test/%d' --body-size 3000
	mkcache -o "$C" --body-size 3000000 GETa.test/large
	mkcache -o "$C" --body-size 0 GETa.test/small
}

@test "archive: it holds the files as they are, and then tells what it holds" {
	cache
	touch -d '2026-11-30 12:34:56.123456789' "$C"/*/*/*[0-7]
	chmod 640 "$C"/*/*/*[4-b]
	if [ "$(id -u)" -eq 0 ]; then
		chown 33:4 "$C"/*/*/*
	fi
	ok archive -d "$C" -o "$T/a.tar"
	[[ $output == "archived 14 entries ("*") in $T/a.tar ("*")" ]]
	holds "$T/a.tar" "$C"
	manifest "$T/a.tar"
	json_is '[d[n] for n in ("format", "program", "entries")]' '[1, "ngxcache", 14]'
	json_is 'd["bytes"]' "$(find "$C" -type f -printf '%s\n' | awk '{ n += $1 } END { print n }')"
}

@test "archive: the ending of the name tells the compression" {
	mkcache -o "$C" --count 3 --template 'GETa.test/%d'
	while read -r ending undo; do
		ok archive -d "$C" -o "$T/a$ending"
		$undo <"$T/a$ending" >"$T/plain.tar"
		equal "$(members "$T/plain.tar" | wc -l)" 3 "$ending"
	done <<-END
		.tar cat
		.tar.gz gzip -dc
		.TAR.GZ gzip -dc
		.tgz gzip -dc
		.tar.zst zstd -dc
		.tar.xz xz -dc
		.tar.lz4 lz4 -dc
		-of-monday cat
	END
}

@test "archive: a name that promises another format is refused" {
	mkcache -o "$C" GETa.test/
	for ending in .zip .tar.bz2 .7z .cpio .ZIP; do
		refused 'expected a name that ends in .tar' archive -d "$C" -o "$T/a$ending"
	done
	only_in "$T" cache
}

@test "archive: without -o nothing is done" {
	mkcache -o "$C" GETa.test/
	refused '-o FILE is missing' archive -d "$C"
}

@test "archive: - streams, and nothing else is written there" {
	mkcache -o "$C" --count 3 --template 'GETa.test/%d'
	ngxcache archive -d "$C" -o - >"$T/a.tar"
	holds "$T/a.tar" "$C"
	refused 'both write to standard output' archive -d "$C" -o - --json
}

@test "archive: a terminal is refused" {
	mkcache -o "$C" GETa.test/
	run -2 script -qec "ngxcache archive -d '$C' -o -" /dev/null
	[[ $output == *'a terminal takes no archive'* ]]
}

@test "archive: a pipe with a name is written to" {
	mkcache -o "$C" --count 3 --template 'GETa.test/%d'
	mkfifo "$T/pipe"
	cat "$T/pipe" >"$T/a.tar" 3>&- &
	ok archive -d "$C" -o "$T/pipe"
	wait
	[ -p "$T/pipe" ]
	holds "$T/a.tar" "$C"
}

@test "archive: a reader that goes away is a failure: the copy is not whole" {
	cache
	run -3 --separate-stderr bash -c 'set -o pipefail; ngxcache archive -d "$0" -o - | head -c 100 >/dev/null' "$C"
	equal "$stderr" 'ngxcache: standard output: Broken pipe'
}

@test "archive: the selection is that of every command" {
	mkcache -o "$C" GETa.test/1 GETb.test/1 GETb.test/2
	ok archive -d "$C" -o "$T/a.tar" --host b.test
	equal "$(members "$T/a.tar" | wc -l)" 2
	ok archive -d "$C" -o "$T/a.tar" http://a.test/1
	equal "$(members "$T/a.tar")" "cache/$(cd "$C" && grep -rl 'KEY: GETa.test/1')"
}

@test "archive: what matches nothing makes an archive of nothing, or none" {
	mkcache -o "$C" GETa.test/1
	ok archive -q -d "$C" -o "$T/a.tar" --key nothing
	equal "$(tar -tf "$T/a.tar")" ngxcache.json
	run -1 --separate-stderr ngxcache archive -d "$C" -o "$T/b.tar" --key nothing --fail-if-none
	only_in "$T" a.tar cache
}

@test "archive: damaged files are in it when a selector takes them" {
	mkcache -o "$C" GETa.test/1 GETa.test/2
	for file in "$C"/*/*/*; do break; done
	echo rubbish >"$file"
	ok archive -d "$C" -o "$T/a.tar"
	equal "$(members "$T/a.tar" | wc -l)" 1
	ok archive -d "$C" -o "$T/a.tar" --all
	holds "$T/a.tar" "$C"
}

@test "archive: temporary and foreign files, links and other names are not in it" {
	mkcache -o "$C" GETa.test/1
	mkcache -o "$C" --suffix .0123456789 GETa.test/2
	mkdir -p "$C/temp" "$C/0/00"
	touch "$C/notes" "$C/temp/0123456789"
	ln -s /etc/passwd "$C/0/00/ffffffffffffffffffffffffffffff000"
	ln -s /etc/passwd "$C/0/00/fffffffffffffffffffffffffffff000"
	ok archive -d "$C" -o "$T/a.tar" --all
	equal "$(members "$T/a.tar" | wc -l)" 1
}

@test "archive: each zone has its directory, and its parameters in the manifest" {
	mkcache -o "$T/one" GETa.test/1 GETa.test/2
	mkcache -o "$T/two" --levels 2 GETa.test/3
	conf <<-END
		proxy_cache_path $T/one levels=1:2 keys_zone=pages:1m max_size=10m inactive=1h;
		fastcgi_cache_path $T/two levels=2 keys_zone=..a/b:2m;
		server { listen 80; }
	END
	ok archive -c "$CONF" -o "$T/a.tar"
	equal "$(members "$T/a.tar" | cut -d/ -f1 | uniq -c | awk '{ print $1, $2 }')" \
	    $'1 %2E%2Ea%2Fb\n2 pages'
	manifest "$T/a.tar"
	json_is '[[z[n] for n in ("zone", "directory", "type", "levels", "keys_zone_size",
	    "max_size", "min_free", "inactive", "entries")] for z in d["zones"]]' \
	    '[["pages", "pages", "proxy", "1:2", 1048576, 10485760, null, 3600, 2], ["..a/b", "%2E%2Ea%2Fb", "fastcgi", "2", 2097152, null, null, 600, 1]]'
}

@test "archive: two directories of one name are two in the archive" {
	mkcache -o "$T/a/cache" GETa.test/1
	mkcache -o "$T/b/cache" GETa.test/1
	ok archive -d "$T/a/cache" -d "$T/b/cache" -o "$T/a.tar"
	equal "$(members "$T/a.tar" | cut -d/ -f1)" $'cache\ncache~2'
}

@test "archive: the directory of the command line is named by its last part, or by name=" {
	mkcache -o "$C" --levels none GETa.test/1
	ok archive -d "$C/" -o "$T/a.tar"
	equal "$(members "$T/a.tar")" "cache/$(ls "$C")"
	ok archive -d "$C,name=shop" -o "$T/a.tar"
	equal "$(members "$T/a.tar")" "shop/$(ls "$C")"
}

@test "archive: holes of a large file are kept" {
	mkcache -o "$C" GETa.test/1
	for file in "$C"/*/*/*; do break; done
	truncate -s 3G "$file"
	printf end >>"$file"
	[ "$(stat -c %b "$file")" -lt 100000 ] || skip "the file system knows no holes"
	ok archive -d "$C" -o "$T/a.tar"
	[ "$(stat -c %s "$T/a.tar")" -lt 1000000 ]
	mkdir "$T/out"
	tar -xf "$T/a.tar" -C "$T/out"
	cmp "$file" "$T/out/cache/${file#"$C/"}"
}

@test "archive: the answer in JSON" {
	mkcache -o "$C" --body-size 100 GETa.test/1 GETa.test/2
	ok archive --json -d "$C,name=shop" -o "$T/a.tar"
	shape d schema:int command:str file:str selectors:list zones:list errors:list walked:bool \
	    entries:int bytes:int gone:int failed:int size:int complete:bool
	json_is '[d["command"], d["entries"], d["complete"], d["zones"][0]["zone"]]' \
	    '["archive", 2, true, "shop"]'
	json_is 'd["bytes"] == d["zones"][0]["bytes"]' true
	json_is 'd["size"]' "$(stat -c %s "$T/a.tar")"
}

# --- what may go wrong ---

@test "archive: only its owner may read it, whatever the umask" {
	mkcache -o "$C" GETa.test/1
	(umask 0 && ngxcache archive -q -d "$C" -o "$T/a.tar")
	equal "$(stat -c %a "$T/a.tar")" 600
}

@test "archive: on a full disk nothing is left, and the archive before stays" {
	cache
	mkdir "$T/d"
	echo before >"$T/d/a.tar"
	# Blocks of 1 KiB: less than the large entry.
	run -3 --separate-stderr bash -c 'ulimit -f 1000; exec ngxcache archive -d "$1" -o "$2"' - \
	    "$C" "$T/d/a.tar"
	equal "$output" ""
	[[ $stderr == "ngxcache: $C/"*': copy: File too large' ]]
	run -3 --separate-stderr bash -c 'ulimit -f 20; exec ngxcache archive -d "$1" -o "$2" --smaller-than 10k' - \
	    "$C" "$T/d/a.tar"
	equal "$stderr" "ngxcache: $T/d/a.tar: File too large"
	equal "$(cat "$T/d/a.tar")" before
	only_in "$T/d" a.tar
}

@test "archive: a small tmpfs that is full leaves nothing behind" {
	need_root
	cache
	mkdir "$T/small"
	mount -t tmpfs -o size=64k tmpfs "$T/small" || skip "cannot mount"
	run --separate-stderr ngxcache archive -d "$C" -o "$T/small/a.tar.gz" --smaller-than 10k
	first=$status
	run --separate-stderr ngxcache archive -d "$C" -o "$T/small/b.tar"
	left=$(ls -A "$T/small")
	umount "$T/small"
	equal "$first" 0
	equal "$status" 3
	equal "$left" a.tar.gz
	[[ $stderr == *'No space left on device'* ]]
}

@test "archive: a directory that is not there, or may not be written to" {
	mkcache -o "$C" GETa.test/1
	fails 3 'No such file or directory' archive -d "$C" -o "$T/none/a.tar"
	refused 'Is a directory' archive -d "$C" -o "$T"
	refused 'Is a directory' archive -d "$C" -o "$T/"
}

@test "archive: a wrong cache leaves no archive" {
	mkdir "$T/d"
	refused 'no such directory' archive -d "$T/none" -o "$T/d/a.tar"
	only_in "$T/d"
}

@test "archive: an unreadable file is left out, reported, and the status is 3" {
	mkcache -o "$C" --body-size 3000 --count 3 --template 'GETa.test/%d'
	# A walk by one thread: each entry is read for its header and then whole.
	run -3 --separate-stderr inject 'pread:4=EIO' ngxcache archive --json -j 1 -d "$C" -o "$T/a.tar"
	[[ $stderr == "ngxcache: $C/"*': read: Input/output error' ]]
	json_is '[d["entries"], d["failed"], len(d["errors"]), d["complete"]]' '[2, 1, 1, true]'
	json_is 'd["errors"][0]["error"]' 'read: Input/output error'
	equal "$(members "$T/a.tar" | wc -l)" 2
}

@test "archive: a large file that cannot be read to its end is left out whole" {
	mkcache -o "$C" --body-size 3000000 --count 2 --template 'GETa.test/%d'
	run -3 --separate-stderr inject 'pread:3=EIO' ngxcache archive -j 1 -d "$C" -o "$T/a.tar"
	[[ $stderr == "ngxcache: $C/"*': read: Input/output error' ]]
	equal "$(members "$T/a.tar" | wc -l)" 1
	tar -xf "$T/a.tar" -C "$T"
	cmp "$T/$(members "$T/a.tar")" "$C/$(members "$T/a.tar" | cut -d/ -f2-)"
}

# copied RULES...: the archive of a cache of three entries by one thread, with faults
copied() {
	run "-$1" --separate-stderr inject "$2" ngxcache archive --json -j 1 -d "$C" -o "$T/a.tar"
}

# three [SIZE]: such a cache; $file is one of them, $name its name, $fresh another for its place
three() {
	mkcache -o "$C" --body-size "${1:-3000}" --count 3 --template 'GETa.test/%d'
	for file in "$C"/*/*/*; do break; done
	name=${file##*/}
	cp -a "$C" "$T/before"
	mkcache -o "$T/other" --body-size 4000 GETa.test/other
	fresh=$(find "$T/other" -type f)
}

@test "archive: a file that vanishes or is replaced while it is copied is left out" {
	for command in 'rm $file' 'mv $fresh $file' 'ln -sf /etc/passwd $file'; do
		rm -rf "$C" "$T/before" "$T/other"
		three
		copied 0 "fstatat@$name:1=!$(eval "echo \"$command\"")"
		equal "$stderr" ""
		json_is '[d["entries"], d["gone"], d["failed"]]' '[2, 1, 0]'
		equal "$(members "$T/a.tar" | grep -c "$name")" 0
	done
}

@test "archive: a file that is written to while it is copied is copied again" {
	for size in 3000 3000000; do
		rm -rf "$C" "$T/before" "$T/other" "$T/out"
		three $size
		# The fifth look at a file is that behind the copy of the second.
		copied 0 "pread:2=!sleep 0.02; printf new | dd of=$file bs=1 seek=2000 conv=notrunc status=none"
		equal "$stderr" ""
		json_is '[d["entries"], d["gone"], d["failed"]]' '[3, 0, 0]'
		holds "$T/a.tar" "$C"
	done
}

@test "archive: a file that is truncated while it is copied is whole or left out" {
	for size in 3000 3000000; do
		rm -rf "$C" "$T/before" "$T/other" "$T/out"
		three $size
		copied 0 "pread:3=!sleep 0.02; truncate -s 1500 $C/*/*/*"
		mkdir "$T/out"
		tar -xf "$T/a.tar" -C "$T/out"
		equal "$(members "$T/a.tar" | wc -l)" 3
		for member in $(members "$T/a.tar"); do
			cmp "$T/out/$member" "$T/before/${member#*/}" ||
			    cmp "$T/out/$member" "$T/$member"
		done
	done
}

@test "archive: a file that changes all the time is left out and reported" {
	three
	copied 3 "pread:0=!sleep 0.02; printf new | dd of=$file bs=1 seek=2000 conv=notrunc status=none"
	equal "$stderr" "ngxcache: $file: it changes while it is read"
	json_is '[d["entries"], d["failed"], d["errors"][0]["file"]]' "[2, 1, \"$file\"]"
}

# nothing_made PATTERN RULE: it fails so, and leaves nothing behind
nothing_made() {
	copied 3 "$2"
	# shellcheck disable=SC2053
	[[ $stderr == $1 ]] || equal "$stderr" "$1"
	json_is 'd["complete"]' false
	only_in "$T" before cache other
}

@test "archive: what cannot be written leaves nothing behind" {
	three 3000000
	nothing_made "ngxcache: $T/a.tar: No space left on device" 'write:1=ENOSPC'
	nothing_made "ngxcache: $T/a.tar: Input/output error" 'write:9=EIO'
	nothing_made "ngxcache: $C/*: copy: No space left on device" 'pwrite:2=ENOSPC'
	nothing_made "ngxcache: $T/a.tar: Input/output error" 'fsync:1=EIO'
	nothing_made "ngxcache: $T/a.tar: No space left on device" 'linkat:1=ENOSPC'
	nothing_made "ngxcache: $T/a.tar: Read-only file system" 'renameat:1=EROFS'
}

@test "archive: where a file needs a name from the start, it is the same" {
	# Of the archive, and then of the copies in its directory.
	unnamed=$'openat@.:1=EOPNOTSUPP\nopenat@.:1=EOPNOTSUPP'
	three 3000000
	nothing_made "ngxcache: $T/a.tar: No space left on device" "$unnamed"$'\nwrite:1=ENOSPC'
	nothing_made "ngxcache: $T/a.tar: Read-only file system" "$unnamed"$'\nrenameat:1=EROFS'
	copied 0 "$unnamed"
	holds "$T/a.tar" "$C"
	only_in "$T" a.tar before cache other out
}

@test "archive: short writes are written on" {
	three 3000000
	copied 0 $'write:1=SHORT\nwrite:2=EINTR\npwrite:1=SHORT\npwrite:2=EINTR'
	holds "$T/a.tar" "$C"
}

@test "archive: a signal ends it and leaves nothing behind" {
	# Not INT: a program does not hear it while it waits for a shell.
	for signal in TERM:143 HUP:129 KILL:137; do
		rm -rf "$C" "$T/before" "$T/other"
		three 3000000
		run "-${signal#*:}" --separate-stderr inject \
		    "pread:4=!kill -${signal%:*} \$PPID" \
		    ngxcache archive -j 1 -d "$C" -o "$T/a.tar"
		equal "$output$stderr" ""
		only_in "$T" before cache other
	done
}

@test "archive: a signal ends a run that waits for its reader" {
	mkcache -o "$C" --body-size 200000 --count 3 --template 'GETa.test/%d'
	mkfifo "$T/pipe"
	sleep 60 <"$T/pipe" 3>&- &
	reader=$!
	ngxcache archive -d "$C" -o - >"$T/pipe" 3>&- &
	writer=$!
	wait_until "grep -q pipe_w /proc/$writer/wchan || grep -q poll /proc/$writer/wchan ||
	    [ \$(awk '{ print \$3 }' /proc/$writer/stat) = S ]"
	kill -TERM $writer
	status=0
	wait $writer || status=$?
	kill $reader
	equal "$status" 143
}

@test "archive: without libarchive it says so, and the rest works" {
	mkcache -o "$C" GETa.test/1
	need_root
	mkdir "$T/empty"
	run -3 --separate-stderr unshare -m bash -c '
		for library in /usr/lib/*/libarchive.so.13 /lib/*/libarchive.so.13; do
			[ ! -e "$library" ] || mount --bind /dev/null "$library"
		done
		exec ngxcache archive -d "$1" -o "$2"' - "$C" "$T/a.tar"
	[[ $stderr == 'ngxcache: archives need libarchive: '*'libarchive.so.13'* ]]
	only_in "$T" cache empty
	run ldd "$O/ngxcache"
	[[ $output != *libarchive* ]]
}

@test "archive: bad URLs of a list stand among the errors of its answer" {
	mkcache -o "$C" httpGETa.test/1
	printf '%s\n' http://a.test/1 ftp://a.test/2 >"$T/list"
	run -3 --separate-stderr ngxcache archive --json -d "$C" -o "$T/a.tar" --from "$T/list"
	json_is '[d["entries"], [e["file"] for e in d["errors"]]]' '[1, [null]]'
	json_is '"list: URL 2: " in d["errors"][0]["error"]' true
}
