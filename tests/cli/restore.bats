#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# restore: what of an archive gets into a zone, where, and whose it is then.

load cli

setup() {
	C=$T/caches
	A=$T/cache.tar
	R=$T/restored
	mkdir "$R"
}

teardown() {
	rm -rf "$C" "$R"
}

# three: an archive of a zone "pages" with three entries, one a variant
three() {
	mkcache -o "$C/pages" --body 'the page' httpsGETa.test/1
	mkcache -o "$C/pages" --vary Accept-Encoding --body 'in clear' httpsGETa.test/2
	mkcache -o "$C/pages" --vary Accept-Encoding --variant-headers 'Accept-Encoding: gzip' \
	    --body packed httpsGETa.test/2
	tar -C "$C" --format=pax -cf "$A" pages
}

# zone PARAMETERS: a configuration whose zone "pages" lies in $R
zone() {
	conf <<-END
		proxy_cache_path $R $1;
	END
}

# counts NAMES VALUES: of the document
counts() {
	json_is "[d[k] for k in '$1'.split()]" "$2"
}

@test "restore: every entry is as it was, byte by byte" {
	three
	ok restore --json -d "$R,levels=1:2" "$A"
	shape d schema:int command:str file:str dry_run:bool nginx:str\|null selectors:list \
	    zones:list errors:list matched:int restored:int variants:int bytes:int kept:int \
	    no_room:int refused:int failed:int
	counts 'command file dry_run nginx' "[\"restore\", \"$A\", false, null]"
	counts 'matched restored variants kept no_room refused failed' '[3, 3, 1, 0, 0, 0, 0]'
	counts bytes "$(find "$C" -type f -printf '%s\n' | awk '{ n += $1 } END { print "[" n "]" }')"
	diff -r "$C/pages" "$R"
	equal "$(cd "$R" && find . -type f -printf '%P %T@\n' | sort)" \
	    "$(cd "$C/pages" && find . -type f -printf '%P %T@\n' | sort)"
}

@test "restore: the levels are those of the zone" {
	three
	for levels in 2:2 1:1:1 2 1:2; do
		rm -rf "$R" && mkdir "$R"
		ok restore -d "$R,levels=$levels" "$A"
		ok list --json -d "$R,levels=$levels"
		json_is '[x["orphan"] for x in lines]' '[false, false, false]'
		equal "$(find "$R" -type f -exec sha256sum {} + | cut -d' ' -f1 | sort)" \
		    "$(find "$C" -type f -exec sha256sum {} + | cut -d' ' -f1 | sort)"
	done
	rm -rf "$R" && mkdir "$R"
	ok restore -d "$R" "$A"
	diff -r "$C/pages" "$R"
}

@test "restore: files are the owner's of the root and 0600, directories 0700" {
	need_root
	three
	chown -R 1234:1234 "$C"
	chmod -R a+rwX "$C"
	tar -C "$C" -cf "$A" pages
	chown www-data "$R"
	umask 0
	ok restore -d "$R,levels=1:2" "$A"
	equal "$(find "$R" -mindepth 1 -type d -printf '%m %u:%g\n' | sort -u)" '700 www-data:www-data'
	equal "$(find "$R" -type f -printf '%m %u:%g\n' | sort -u)" '600 www-data:www-data'
}

@test "restore: where root still owns the cache, files are the user of the configuration's" {
	need_root
	three
	zone 'levels=1:2 keys_zone=pages:1m'
	sed -i '1i user www-data;' "$CONF"
	ok restore -c "$CONF" "$A"
	equal "$(find "$R" -mindepth 1 -printf '%m %u:%g\n' | sort -u | tr '\n' ' ')" \
	    '600 www-data:www-data 700 www-data:www-data '
}

@test "restore: who is neither root nor the owner of the cache is told whom to be" {
	need_root
	three
	chown www-data "$R"
	chmod 755 "$R" "$BATS_TEST_TMPDIR"
	cp "$O/ngxcache" "$T/ngxcache"
	for how in '' -n; do
		# shellcheck disable=SC2086
		run -3 --separate-stderr setpriv --reuid=nobody --clear-groups "$T/ngxcache" restore $how -d "$R" "$A"
		equal "$stderr" "ngxcache: $R: files must be its owner's: run as www-data or as root"
	done
	equal "$(files "$R")" ""
}

@test "restore: the owner of the cache needs no root" {
	need_root
	three
	chown www-data "$R"
	chmod 755 "$R"
	chmod 644 "$A"
	cp "$O/ngxcache" "$T/ngxcache"
	run -0 --separate-stderr setpriv --reuid=www-data --regid=www-data --clear-groups \
	    "$T/ngxcache" restore -d "$R" "$A"
	diff -r "$C/pages" "$R"
	equal "$(find "$R" -mindepth 1 -printf '%u\n' | sort -u)" www-data
}

@test "restore: --dry-run tells the same numbers and changes nothing" {
	three
	before=$(tree "$R")
	ok restore --json -n -d "$R" "$A"
	counts 'dry_run matched restored variants' '[true, 3, 3, 1]'
	equal "$(tree "$R")" "$before"
	ok restore -n -d "$R" "$A"
	[[ $output == 'would restore 3 entries ('* ]]
}

@test "restore: an entry that is there and is not older stays" {
	three
	mkcache -o "$R" --body newer --date 1796050001 httpsGETa.test/1
	ok restore --json -d "$R,levels=1:2" "$A"
	counts 'matched restored kept' '[3, 2, 1]'
	ok show --body -d "$R" --key httpsGETa.test/1
	equal "$output" newer
	ok restore --json -d "$R,levels=1:2" "$A"
	counts 'matched restored kept' '[3, 0, 3]'
}

@test "restore: an entry that is older, damaged or invalidated is replaced" {
	for old in '--date 1796049999' --invalidated damaged; do
		rm -rf "$C" "$R" && mkdir "$R"
		three
		if [ "$old" = damaged ]; then
			file=$(mkcache -v -o "$R" httpsGETa.test/1)
			echo >"$file"
		else
			# shellcheck disable=SC2086
			mkcache -o "$R" $old --body old httpsGETa.test/1
		fi
		sleep 0.02
		ok restore --json -d "$R,levels=1:2" "$A"
		counts 'restored kept' '[3, 0]'
		diff -r "$C/pages" "$R"
	done
}

@test "restore: --overwrite replaces newer entries, too" {
	three
	mkcache -o "$R" --body newer --date 1796050001 httpsGETa.test/1
	sleep 0.02
	ok restore --json --overwrite -d "$R,levels=1:2" "$A"
	counts 'restored kept' '[3, 0]'
	diff -r "$C/pages" "$R"
}

@test "restore: of two members of one name the first counts, also with --overwrite" {
	mkcache -o "$C/pages" --body first httpsGETa.test/1
	tar -C "$C" -cf "$A" pages
	mkcache -o "$T/c2/pages" --body second --date 1796060000 httpsGETa.test/1
	tar -C "$T/c2" -rf "$A" pages
	ok restore --json --overwrite -d "$R" "$A"
	counts 'matched restored kept' '[2, 1, 1]'
	ok show --body -d "$R" --key httpsGETa.test/1
	equal "$output" first
}

@test "restore: a selection takes what list shows of the archive" {
	three
	ok restore --json -d "$R" "$A" https://a.test/2
	counts 'matched restored' '[2, 2]'
	json_is '[(s["selector"], s["matched"]) for s in d["selectors"]]' '[["https://a.test/2", 2]]'
	ok restore --json -d "$R" "$A" --key httpsGETa.test/1
	counts 'matched restored' '[1, 1]'
	ok restore --json -d "$R" "$A" 'https://a.test/*' --variants-only
	counts 'matched restored kept' '[1, 0, 1]'
	ok list --json -d "$A" --key httpsGETa.test/1
	file=$(json_get 'lines[0]["file"]' <<<"$output")
	ok restore --json --overwrite -d "$R" "$A" --file "$file"
	counts matched '[1]'
	run -1 --separate-stderr ngxcache restore --fail-if-none --json -d "$R" "$A" https://a.test/9
	counts matched '[0]'
}

@test "restore: --fresh leaves out what has expired" {
	mkcache -o "$C/pages" --valid 1796050300 httpsGETa.test/old
	mkcache -o "$C/pages" --valid 1796060000 httpsGETa.test/new
	tar -C "$C" -cf "$A" pages
	ok restore --json --fresh --now "$NOW" -d "$R" "$A"
	counts 'matched restored' '[1, 1]'
	ok list --json -d "$R"
	keys httpsGETa.test/new
}

@test "restore: entries go into the zone that has their name" {
	three
	mkcache -o "$C/api" httpsGETb.test/3
	tar -C "$C" -czf "$A" api pages
	mkdir "$T/r2"
	conf <<-END
		proxy_cache_path $R levels=2:2 keys_zone=pages:1m;
		proxy_cache_path $T/r2 levels=1:2 keys_zone=api:1m;
	END
	ok restore --json -c "$CONF" "$A"
	json_is '[(z["zone"], z["restored"]) for z in d["zones"]]' '[["pages", 3], ["api", 1]]'
	ok list --json -c "$CONF" -z pages
	json_is 'set(x["orphan"] for x in lines) == {false}' true
	diff -r "$C/api" "$T/r2"
}

@test "restore: -z takes the entries of that zone alone" {
	three
	mkcache -o "$C/api" httpsGETb.test/3
	tar -C "$C" -czf "$A" api pages
	mkdir "$T/r2"
	conf <<-END
		proxy_cache_path $R levels=1:2 keys_zone=pages:1m;
		proxy_cache_path $T/r2 levels=1:2 keys_zone=api:1m;
	END
	ok restore --json -c "$CONF" -z pages "$A"
	counts 'matched restored' '[3, 3]'
	equal "$(files "$T/r2")" ""
}

@test "restore: what has a name that no zone has goes where -z tells, or is left out" {
	three
	conf <<-END
		proxy_cache_path $R levels=1:2 keys_zone=other:1m;
	END
	fails 3 "no zone is called 'pages': say with -z or -d where its entries go" \
	    restore --json -c "$CONF" "$A"
	counts 'matched restored' '[0, 0]'
	json_is 'len(d["errors"])' 1
	ok restore --json -c "$CONF" -z other "$A"
	counts 'matched restored' '[3, 3]'
	diff -r "$C/pages" "$R"
}

@test "restore: URLs are read by the keys of the zone's configuration" {
	mkcache -o "$C/pages" 'odd#a.test#/1' 'odd#a.test#/2'
	tar -C "$C" -cf "$A" pages
	C=$R site 'odd#$host#$request_uri'
	ok restore --json -c "$CONF" "$A" http://a.test/2
	counts 'matched restored' '[1, 1]'
	ok list --json -d "$R"
	keys 'odd#a.test#/2'
}

@test "restore: never more than the key zone holds, 8000 for each MiB, unless --force" {
	# nginx's least is 8 pages: 32 KiB, 250 entries
	mkcache -o "$C/pages" --count 300 --template 'GETa.test/%d'
	tar -C "$C" -cf "$A" pages
	mkcache -o "$R" GETa.test/there
	zone 'levels=1:2 keys_zone=pages:32k'
	fails 3 'zone pages: full' restore --json -c "$CONF" "$A"
	counts 'matched restored no_room failed' '[300, 249, 51, 0]'
	json_is 'd["zones"][0]["no_room"]' 51
	equal "$(files "$R" | wc -l)" 250
	equal "$(grep -c . <<<"$stderr")" 1
	ok restore --json --force -c "$CONF" "$A"
	counts 'restored kept no_room' '[51, 249, 0]'
}

@test "restore: never more than max_size, unless --force" {
	mkcache -o "$C/pages" --count 20 --template 'GETa.test/%d' --body-size 5000
	tar -C "$C" -cf "$A" pages
	zone 'levels=1:2 keys_zone=pages:1m max_size=64k'
	fails 3 'full' restore --json -c "$CONF" "$A"
	counts 'matched restored no_room' '[20, 8, 12]'
	ok restore --json --force -c "$CONF" "$A"
	counts 'restored kept' '[12, 8]'
}

@test "restore: an entry that replaces one needs no more room" {
	mkcache -o "$C/pages" --count 10 --template 'GETa.test/%d' --body-size 5000
	tar -C "$C" -cf "$A" pages
	mkcache -o "$R" --date 1796040000 --count 10 --template 'GETa.test/%d' --body-size 5000
	zone 'levels=1:2 keys_zone=pages:1m max_size=80k'
	sleep 0.02
	ok restore --json -c "$CONF" "$A"
	counts 'restored no_room' '[10, 0]'
}

@test "restore: what is no entry of nginx's is refused by name" {
	three
	mkcache -o "$C/pages" --name 0123456789abcdef0123456789abcdef httpsGETa.test/4
	mkcache -o "$C/pages" --invalidated httpsGETa.test/5
	file=$(mkcache -v -o "$C/pages" httpsGETa.test/6)
	truncate -s 100 "$file"
	tar -C "$C" -cf "$A" pages
	fails 3 'named by neither its key nor its variant' restore --json -d "$R" "$A"
	[[ $stderr == *'not a cache file'* && $stderr == *'it was invalidated'* ]]
	counts 'matched restored refused' '[6, 3, 3]'
	json_is 'sorted(e["file"][:'$((${#A} + 7))'] for e in d["errors"])' \
	    "[\"$A/pages/\", \"$A/pages/\", \"$A/pages/\"]"
	equal "$(files "$R" | wc -l)" 3
}

@test "restore: nothing is written outside the cache, whatever the archive names" {
	mkcache -o "$C/pages" httpsGETa.test/1
	name=$(files "$C/pages")
	"$PYTHON" - "$C/pages/$name" "$T/bad.tar" "${name##*/}" "$T" <<-'END'
		import io, sys, tarfile
		data, name, top = open(sys.argv[1], "rb").read(), sys.argv[3], sys.argv[4]
		t = tarfile.open(sys.argv[2], "w")
		def add(path, kind=tarfile.REGTYPE, link=""):
		    m = tarfile.TarInfo(path)
		    m.type, m.linkname, m.size = kind, link, len(data) if kind == tarfile.REGTYPE else 0
		    t.addfile(m, io.BytesIO(data))
		add("pages/../../../" + name)
		add(top + "/outside/" + name)
		add("pages/" + name[-1], tarfile.SYMTYPE, top)
		add("pages/" + name, tarfile.SYMTYPE, "/etc/passwd")
		add("pages/" + name, tarfile.LNKTYPE, "/etc/passwd")
		add("pages/" + name, tarfile.CHRTYPE)
		add("pages/README")
		t.close()
	END
	before=$(find "$T" -newer "$A" 2>/dev/null; tree "$T" | sort)
	run -3 --separate-stderr ngxcache restore --json -d "$R,levels=1:2" "$T/bad.tar"
	counts 'matched restored' '[0, 0]'
	equal "$(grep -c 'left out' <<<"$stderr")" 5
	equal "$(files "$R")" ""
	[ ! -e "$T/outside" ]
	[ "$before" ]
}

@test "restore: links in the cache's directories are not followed" {
	three
	mkdir "$T/elsewhere"
	for file in $(files "$C/pages"); do
		ln -sfn "$T/elsewhere" "$R/${file%%/*}"
	done
	# Something must make it a cache.
	mkcache -o "$T/x" --levels none GETx
	cp "$T/x"/* "$R"
	fails 3 'directory' restore --json -d "$R,levels=1:2" "$A"
	counts 'restored failed' '[0, 3]'
	equal "$(files "$T/elsewhere")" ""
}

@test "restore: a link in the place of an entry is replaced, and what it leads to stays" {
	mkcache -o "$C/pages" httpsGETa.test/1
	tar -C "$C" -cf "$A" pages
	file=$(files "$C/pages")
	mkdir -p "$R/${file%/*}"
	echo mine >"$T/mine"
	ln -s "$T/mine" "$R/$file"
	ok restore --json -d "$R,levels=1:2" "$A"
	equal "$(cat "$T/mine")" mine
	[ ! -L "$R/$file" ]
	diff -r "$C/pages" "$R"
}

@test "restore: of an archive that is cut, whole entries are restored and the status is 3" {
	mkcache -o "$C/pages" --count 5 --template 'GETa.test/%d' --body-size 20000
	tar -C "$C" -cf "$A" pages
	gzip -c "$A" >"$A.gz"
	for at in 700 5000 30000 60000 90000; do
		rm -rf "$R" && mkdir "$R"
		head -c "$at" "$A" >"$T/cut.tar"
		fails 3 'damaged' restore --json -d "$R,levels=1:2" "$T/cut.tar"
		for file in $(files "$R"); do
			cmp "$R/$file" "$C/pages/$file"
		done
		equal "$(files "$R" | wc -l)" "$(json_get 'd["restored"]' <<<"$output")"
	done
	head -c $(($(stat -c %s "$A.gz") / 2)) "$A.gz" >"$T/cut.tar.gz"
	fails 3 'damaged' restore --json -d "$R,levels=1:2" "$T/cut.tar.gz"
}

# flip FILE OFFSET: change a bit of a byte there
flip() {
	"$PYTHON" - "$@" <<-'END'
		import sys
		with open(sys.argv[1], "r+b") as f:
		    f.seek(int(sys.argv[2]))
		    byte = f.read(1)[0]
		    f.seek(int(sys.argv[2]))
		    f.write(bytes([byte ^ 4]))
	END
}

@test "restore: an entry of which a bit has changed in the archive is told, and left out" {
	mkcache -o "$C/pages" --body 'one body' httpsGETa.test/1
	mkcache -o "$C/pages" --body 'the other' httpsGETa.test/2
	mkcache -o "$C/pages" --body-size 3000000 httpsGETa.test/3
	ngxcache archive -q -d "$C/pages,levels=1:2" -o "$A"
	flip "$A" "$(grep -obaF 'the other' "$A" | cut -d: -f1)"
	gzip -c "$A" >"$A.gz"
	for file in "$A" "$A.gz"; do
		rm -rf "$R" && mkdir "$R"
		fails 3 'damaged: its checksum is not that of its bytes' \
		    restore --json -d "$R,levels=1:2" "$file"
		counts 'matched restored failed' '[3, 2, 1]'
		equal "$(files "$R" | wc -l)" 2
		for entry in $(files "$R"); do
			cmp "$R/$entry" "$C/pages/$entry"
		done
	done
	run -1 --separate-stderr ngxcache verify --json -d "$A.gz"
	json_is '[(x["class"], x["reason"]) for x in lines]' '[["misserved", "bad_sum"]]'
	fails 3 'its checksum' show --body -d "$A" --key httpsGETa.test/2
	ok show --body -d "$A" --key httpsGETa.test/1
	equal "$output" 'one body'
}

@test "restore: an entry that is missing in an archive is told by how many it should hold" {
	mkcache -o "$C/pages" httpsGETa.test/1 httpsGETa.test/2
	ngxcache archive -q -d "$C/pages,levels=1:2" -o "$A"
	tar --delete -f "$A" "pages/$(files "$C/pages" | head -n 1)"
	fails 3 'damaged: 1 entries of 2 that were archived' restore --json -d "$R,levels=1:2" "$A"
	counts 'matched restored' '[1, 1]'
	fails 3 'damaged: 1 entries of 2' list -d "$A" --key nothing
}

@test "restore: whatever bit of an archive changes, what is restored is what was archived" {
	mkcache -o "$C/pages" --count 20 --template 'GETa.test/%d' --body-size 3000
	for ending in tar.gz tar.zst tar.lz4; do
		ngxcache archive -q -d "$C/pages,levels=1:2" -o "$T/x.$ending"
		for part in 1 2 3; do
			rm -rf "$R" && mkdir "$R"
			cp "$T/x.$ending" "$T/y.$ending"
			flip "$T/y.$ending" $(($(stat -c %s "$T/x.$ending") * part / 4 + part))
			if ngxcache restore -q -d "$R,levels=1:2" "$T/y.$ending" 2>"$T/why"; then
				diff -r "$C/pages" "$R"
			fi
			for entry in $(files "$R"); do
				cmp "$R/$entry" "$C/pages/$entry"
			done
		done
	done
}

@test "restore: a full disk leaves whole entries alone, and the status is 3" {
	need_root
	mount -t tmpfs -o size=100k,mode=755 none "$R" 2>/dev/null || skip "no mount"
	mkcache -o "$C/pages" --count 10 --template 'GETa.test/%d' --body-size 30000
	tar -C "$C" -cf "$A" pages
	run -3 --separate-stderr ngxcache restore --json -d "$R,levels=1:2" "$A"
	got=$output
	for file in $(files "$R"); do
		cmp "$R/$file" "$C/pages/$file"
	done
	n=$(files "$R" | wc -l)
	umount "$R"
	[[ $stderr == *'No space left on device'* ]]
	equal "$(json_get 'd["restored"]' <<<"$got")" "$n"
	[ "$n" -gt 0 ]
}

@test "restore: a disk that is full in the midst of a file leaves no part of it" {
	three
	run -3 --separate-stderr inject 'pwrite:2=ENOSPC' ngxcache restore --json -d "$R,levels=1:2" "$A"
	[[ $stderr == *'write: No space left on device'* ]]
	counts 'matched restored failed' '[2, 1, 1]'
	equal "$(files "$R" | wc -l)" 1
	cmp "$R/$(files "$R")" "$C/pages/$(files "$R")"
}

@test "restore: a file that cannot be written is left out, and the next is restored" {
	three
	run -3 --separate-stderr inject 'pwrite:1=EIO' ngxcache restore --json -d "$R,levels=1:2" "$A"
	counts 'matched restored failed' '[3, 2, 1]'
	equal "$(files "$R" | wc -l)" 2
	json_is 'len(d["errors"])' 1
}

@test "restore: a directory that becomes a link meanwhile is not followed" {
	mkcache -o "$C/pages" httpsGETa.test/1
	tar -C "$C" -cf "$A" pages
	file=$(files "$C/pages")
	up=${file%%/*}
	mkdir "$T/elsewhere"
	# The second time it is opened, it is to be entered for the writing.
	run --separate-stderr inject "openat@$up:2=!rm -rf $R/$up; ln -s $T/elsewhere $R/$up" \
	    ngxcache restore --json -d "$R,levels=1:2" "$A"
	[ "$status" -eq 3 ]
	counts 'restored failed' '[0, 1]'
	equal "$(files "$T/elsewhere")" ""
}

@test "restore: killed at any moment, no entry is half there" {
	mkcache -o "$C/pages" --count 200 --template 'GETa.test/%d' --body-size 100000
	tar -C "$C" -czf "$A" pages
	for ms in 0 5 10 20 40 80 120; do
		for signal in TERM KILL; do
			rm -rf "$R" && mkdir "$R"
			ngxcache restore -d "$R,levels=1:2" "$A" >"$T/out" 2>&1 &
			pid=$!
			sleep "0.$(printf %03d $ms)"
			kill -$signal $pid 2>/dev/null || :
			wait $pid || :
			for file in $(files "$R"); do
				case $file in
				*.??????????) [ $signal = KILL ] ;;
				*) cmp "$R/$file" "$C/pages/$file" ;;
				esac
			done
		done
	done
}

@test "restore: the archive may come through standard input" {
	three
	run -0 --separate-stderr bash -c 'gzip -c "$1" | ngxcache restore -d "$2" -' - "$A" "$R"
	diff -r "$C/pages" "$R"
}

@test "restore: what archive wrote comes back" {
	three
	for ending in tar tar.gz tar.zst tar.xz tar.lz4; do
		rm -rf "$R" && mkdir "$R"
		run -0 --separate-stderr ngxcache archive -d "$C/pages" -o "$T/x.$ending"
		ok restore --json -d "$R,levels=1:2" "$T/x.$ending"
		counts 'restored refused' '[3, 0]'
		diff -r "$C/pages" "$R"
	done
}

@test "restore: what is wrong with the command line is status 2" {
	three
	refused 'a file is missing' restore -d "$R"
	refused 'no such file' restore -d "$R" "$T/missing.tar"
	refused 'no such directory' restore -d "$T/missing" "$A"
	refused 'a directory, not an archive' restore -d "$R" "$C"
	refused 'not a directory' restore -d "$A" "$A"
	refused 'not a cache' restore -d "$C" "$A"
	zone 'levels=1:2 keys_zone=pages:1m'
	refused "unknown zone 'x'" restore -c "$CONF" -z x "$A"
	echo text >"$T/text"
	refused 'nor a tar archive' restore -d "$R" "$T/text"
}

@test "restore: a root that is missing is told, and made by nobody" {
	three
	rmdir "$R"
	zone 'levels=1:2 keys_zone=pages:1m'
	fails 3 'no such directory' restore -c "$CONF" "$A"
	[ ! -e "$R" ]
	mkdir "$R"
}

@test "restore: the caches of every server that there are fixtures of come back" {
	for fixture in "$TOP"/tests/data/fixtures/*.tar.gz; do
		rm -rf "$C" "$R" && mkdir "$C" "$R"
		tar -C "$C" -xzf "$fixture"
		for zone in "$C"/*/cache/*; do
			ngxcache list -0 -d "$zone" 2>/dev/null >"$T/list" || continue
			n=$(tr -cd '\0' <"$T/list" | wc -c)
			[ "$n" -gt 0 ] || continue
			rm -rf "$R" && mkdir "$R"
			tar -C "$(dirname "$zone")" -czf "$T/zone.tar.gz" "$(basename "$zone")"
			ok restore --json -d "$R,levels=2:1" "$T/zone.tar.gz"
			counts 'restored refused' "[$n, 0]"
			ok verify -d "$R,levels=2:1"
			equal "$(find "$R" -type f -exec sha256sum {} + | cut -d' ' -f1 | sort)" \
			    "$(xargs -0 sha256sum <"$T/list" | cut -d' ' -f1 | sort)" "$zone"
		done
	done
}
