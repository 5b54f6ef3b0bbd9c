#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# Archives in the place of a cache: what tar makes of a cache's directory is read like it.

load cli

setup() {
	C=$T/caches
	A=$T/cache.tar
	mkcache -o "$C/static" --valid 1796050300 --body 'the page' httpsGETa.test/1
	mkcache -o "$C/static" --vary Accept-Encoding --body 'in clear' httpsGETa.test/2
	mkcache -o "$C/static" --vary Accept-Encoding --variant-headers 'Accept-Encoding: gzip' \
	    --body packed httpsGETa.test/2
	mkcache -o "$C/api" --levels 2:2 --body-size 70000 --status 404 httpsGETb.test/3
	tar -C "$C" -cf "$A" api static
}

teardown() {
	rm -rf "$C"
}

# plain COMMAND...: its output, with the paths of the caches and of the archive alike
plain() {
	ngxcache "$@" | sed -E 's#"(allocated)":[0-9]+#"\1":0#; s#\S*/(api|static)/#/\1/#' | sort
}

@test "from an archive: list tells of its entries what it tells of the directories" {
	plain list --json -d "$C/static,name=static" -d "$C/api,name=api" >"$T/wanted"
	equal "$(wc -l <"$T/wanted")" 4
	equal "$(plain list --json -d "$A")" "$(cat "$T/wanted")"
}

@test "from an archive: gzip, zstd, xz and lz4 are undone, whatever the file's name" {
	plain list --json -d "$A" >"$T/wanted"
	for coding in gzip zstd xz lz4; do
		$coding -c "$A" >"$T/x"
		equal "$(plain list --json -d "$T/x")" "$(cat "$T/wanted")" "$coding"
	done
}

@test "from an archive: one that comes through a pipe is read, too" {
	run -0 --separate-stderr bash -c 'gzip -c "$1" | ngxcache list --json -d /dev/stdin' - "$A"
	keys 'httpsGETa.test/1 httpsGETa.test/2 httpsGETa.test/2 httpsGETb.test/3'
}

@test "from an archive: a tar of one cache's directory has entries without a zone's name" {
	tar -C "$C/static" -czf "$T/one.tgz" .
	ok list --json -d "$T/one.tgz"
	keys 'httpsGETa.test/1 httpsGETa.test/2 httpsGETa.test/2'
	json_is 'set(x["zone"] for x in lines) == {null}' true
	ok list --json -d "$T/one.tgz,name=pages"
	json_is 'set(x["zone"] for x in lines) == {"pages"}' true
}

@test "from an archive: a zone is called as it was, whatever its name" {
	run -0 --separate-stderr ngxcache archive -d "$C/static,name=pages & more" -o "$T/odd.tar"
	ok list --json -d "$T/odd.tar" -z 'pages & more'
	json_is 'set(x["zone"] for x in lines) == {"pages & more"}' true
	equal "${#lines[@]}" 3
}

@test "from an archive: a file is named by the archive and its path within" {
	ok list --json -d "$A" -z api
	file=$(json_get 'lines[0]["file"]' <<<"$output")
	equal "$file" "$A/api/$(files "$C/api")"
	ok list --json -d "$A" --file "$file"
	keys httpsGETb.test/3
	refused 'not in a cache' list -d "$A" --file "$T/${file#"$A/"}"
}

@test "from an archive: -z takes the entries of those zones" {
	ok list --json -d "$A" -z api
	keys httpsGETb.test/3
	ok list --json -d "$A" -z static -z api
	equal "${#lines[@]}" 4
	ok list --json -d "$A" -z other
	equal "$output" ""
}

@test "from an archive: selectors and filters take what they take of a directory" {
	select_from() {
		local wanted=$1

		shift
		ok list --json -d "$A" --now "$NOW" "$@"
		keys "$wanted"
	}
	select_from 'httpsGETa.test/2 httpsGETa.test/2' https://a.test/2
	select_from 'httpsGETa.test/2' --strict https://a.test/2
	select_from 'httpsGETa.test/2' --variants-only
	select_from 'httpsGETa.test/1' --key httpsGETa.test/1
	select_from 'httpsGETa.test/1 httpsGETa.test/2 httpsGETa.test/2' 'https://a.test/*'
	select_from 'httpsGETb.test/3' --glob '*b.test*'
	select_from 'httpsGETb.test/3' --status 404
	select_from 'httpsGETb.test/3' --larger-than 64k
	select_from 'httpsGETa.test/1' --expired
	select_from '' https://a.test/other
	select_from 'httpsGETa.test/1' --no-walk https://a.test/1
}

@test "from an archive: a URL that is not there is a miss, told with --fail-if-none by status 1" {
	run -1 --separate-stderr ngxcache list --fail-if-none --json -d "$A" https://a.test/other
	equal "$output$stderr" ""
}

@test "from an archive: list --sort and --limit put it in order" {
	ok list --json --sort size -r --limit 2 -d "$A"
	json_is '[x["key"] for x in lines]' '["httpsGETb.test/3", "httpsGETa.test/2"]'
	ok list --json --sort key -d "$A"
	json_is '[x["key"][-1] for x in lines]' '["1", "2", "2", "3"]'
	json_is 'lines[3]["status"]' 404
	json_is 'lines[3]["zone"]' api
}

@test "from an archive: show tells of an entry, and writes its body" {
	ok show --json -d "$A" https://a.test/2
	json_is 'd["kind"]' main
	json_is 'd["file"].startswith("'"$A"'/static/")' true
	ok show --body -d "$A" https://a.test/1
	equal "$output" 'the page'
	ngxcache show --body -d "$A" https://b.test/3 >"$T/body"
	equal "$(tr -d x <"$T/body")" ""
	equal "$(stat -c %s "$T/body")" 70000
	run -2 --separate-stderr bash -c 'ngxcache show -d /dev/stdin https://a.test/1 < <(cat "$1")' - "$A"
	[[ $stderr == *'can be read only once'* ]]
	run -1 --separate-stderr ngxcache show -d "$A" https://a.test/other
	[[ $stderr == *'not cached'* ]]
}

@test "from an archive: stats counts its entries, and tells its zones apart" {
	ok stats --json -d "$A" --by zone --now "$NOW"
	json_is 'sorted((z["zone"], z["entries"]) for z in d["zones"])' '[["api", 1], ["static", 3]]'
	json_is 'd["total"]["entries"]' 4
	json_is 'd["total"]["bytes"]' "$(find "$C" -type f -printf '%s\n' | awk '{ n += $1 } END { print n }')"
	json_is 'd["total"]["variants"]' 1
	json_is 'sorted((g["by"]["zone"], g["entries"]) for g in d["groups"])' \
	    '[["api", 1], ["static", 3]]'
}

@test "from an archive: urls are those of its entries" {
	ok urls --json -d "$A"
	json_is '[(x["url"], x["zone"], x["entries"]) for x in lines]' \
	    '[["https://a.test/1", "static", 1], ["https://a.test/2", "static", 2], ["https://b.test/3", "api", 1]]'
}

@test "from an archive: verify finds what is wrong with an entry, and repairs nothing" {
	ok verify --json -d "$A"
	equal "$output" ""
	mkcache -o "$C/static" --name 0123456789abcdef0123456789abcdef httpsGETa.test/4
	tar -C "$C" -cf "$A" api static
	before=$(sha256sum "$A")
	run -1 --separate-stderr ngxcache verify --json -d "$A"
	json_is '[(x["reason"], x["zone"]) for x in lines]' '[["name_mismatch", "static"]]'
	refused 'an archive cannot be repaired' verify --repair -d "$A"
	equal "$(sha256sum "$A")" "$before"
}

@test "from an archive: zones counts by names and sizes" {
	ok zones --json -d "$A"
	json_is '[(z["path"], z["entries"]) for z in d["zones"]]' "[[\"$A\", 4]]"
}

@test "from an archive: commands that change or examine a directory refuse it" {
	before=$(sha256sum "$A")
	refused 'an archive can only be read' purge -d "$A" --all
	refused 'an archive can only be read' purge -n -d "$A" --all
	refused 'an archive can only be read' doctor -d "$A"
	refused 'an archive can only be read' explain -d "$A" https://a.test/1
	equal "$(sha256sum "$A")" "$before"
}

@test "from an archive: known levels tell orphans" {
	tar -C "$C/static" -cf "$A" .
	ok list --json -d "$A,levels=2:2"
	json_is '[x["orphan"] for x in lines]' '[true, true, true]'
	ok list --json -d "$A,levels=1:2"
	json_is '[x["orphan"] for x in lines]' '[false, false, false]'
}

@test "from an archive: what lies beside entries counts as in a directory" {
	mkcache -o "$C/static" --suffix .0123456789 httpsGETa.test/5
	echo readme >"$C/static/README"
	ln -s README "$C/static/link"
	tar -C "$C" -cf "$A" static
	ok stats --json -d "$A"
	json_is '[d["total"][k] for k in ("entries", "temporary", "foreign")]' '[3, 1, 2]'
	json_is '[[z[k] for k in ("zone", "entries", "foreign")] for z in d["zones"]]' \
	    '[[null, 0, 2], ["static", 3, 0]]'
}

@test "from an archive: one that is cut is status 3, with what could be read" {
	size=$(stat -c %s "$A")
	ngxcache list --json -d "$A" >"$T/all"
	for at in 600 5000 40000 75000; do
		head -c "$at" "$A" >"$T/cut.tar"
		run -3 --separate-stderr ngxcache list --json -d "$T/cut.tar"
		[[ $stderr == "ngxcache: $T/cut.tar: damaged: "* ]]
		while read -r line; do
			grep -qF "${line//cut.tar/cache.tar}" "$T/all"
		done <<<"$output"
	done
	gzip -c "$A" | head -c 700 >"$T/cut.tar.gz"
	fails 3 'damaged' list -d "$T/cut.tar.gz"
	[ "$size" -gt 75000 ]
}

@test "from an archive: xz that asks for 4 GiB of memory is refused, and not given" {
	python() { "$PYTHON" - "$@"; }
	python "$A" "$T/x.tar.xz" <<-'END'
		import lzma, struct, sys, zlib
		b = bytearray(lzma.compress(open(sys.argv[1], "rb").read()))
		size = (b[12] + 1) * 4  # of the header of its only block
		b[b.index(b"\x21\x01", 12) + 2] = 40  # the size of the dictionary
		b[12 + size - 4:12 + size] = struct.pack("<I", zlib.crc32(bytes(b[12:12 + size - 4])))
		open(sys.argv[2], "wb").write(b)
	END
	xz -t "$T/x.tar.xz"
	fails 3 'xz: it asks for more than 128 MiB of memory' list -d "$T/x.tar.xz"
	equal "$output" ''
}

@test "from an archive: one that is cut between two members is told by its missing end" {
	python() { "$PYTHON" - "$@"; }
	python "$A" "$T/cut" <<-'END'
		import sys, tarfile
		members = [m for m in tarfile.open(sys.argv[1]) if m.isfile()]
		end = members[1].offset
		open(sys.argv[2], "wb").write(open(sys.argv[1], "rb").read()[:end])
	END
	for coding in cat 'gzip -c' 'zstd -c' 'xz -c' 'lz4 -c'; do
		$coding <"$T/cut" >"$T/cut.tar"
		fails 3 'before its end is marked' list --json -d "$T/cut.tar"
		equal "$(wc -l <<<"$output")" 1 "$coding"
	done
	mkdir "$T/into"
	fails 3 'before its end is marked' restore --json -d "$T/into" "$T/cut.tar"
	equal "$(files "$T/into" | wc -l)" 1
}

@test "from an archive: one block of zeros is an end, and what follows it is not looked at" {
	python() { "$PYTHON" - "$@"; }
	python "$A" "$T/one.tar" <<-'END'
		import sys, tarfile
		last = tarfile.open(sys.argv[1]).getmembers()[-1]
		end = last.offset_data + (last.size + 511) // 512 * 512
		open(sys.argv[2], "wb").write(open(sys.argv[1], "rb").read()[:end] + bytes(512))
	END
	for end in '' text; do
		printf %s "$end" >>"$T/one.tar"
		for coding in cat 'gzip -c'; do
			$coding <"$T/one.tar" >"$T/x.tar"
			ok list --json -d "$T/x.tar"
			equal "${#lines[@]}" 4 "$coding"
		done
	done
}

@test "from an archive: a damaged entry is passed over, and -v names it" {
	: >"$C/static/$(files "$C/static" | head -1)"
	tar -C "$C" -cf "$A" static
	ok list --json -d "$A"
	equal "${#lines[@]}" 2
	fails 0 'damaged: not a cache file' list -v --json -d "$A"
}

@test "from an archive: links, devices and paths that lead out are left out by name" {
	"$PYTHON" - "$T/bad.tar" <<-'END'
		import io, sys, tarfile
		name = "0123456789abcdef0123456789abcdef"
		t = tarfile.open(sys.argv[1], "w")
		for path, kind in (("z/f/de/" + name, tarfile.SYMTYPE), ("z/f/de/" + name, tarfile.LNKTYPE),
		                   ("z/f/de/" + name, tarfile.CHRTYPE), ("z/f/de/" + name, tarfile.FIFOTYPE),
		                   ("z/f/de/" + name, tarfile.DIRTYPE), ("/z/f/de/" + name, tarfile.REGTYPE),
		                   ("z/../../f/de/" + name, tarfile.REGTYPE), ("../" + name, tarfile.REGTYPE)):
		    m = tarfile.TarInfo(path)
		    m.type, m.linkname = kind, "/etc/passwd"
		    t.addfile(m, io.BytesIO(b""))
		t.close()
	END
	run -3 --separate-stderr ngxcache list --json -d "$T/bad.tar"
	equal "$output" ""
	equal "$(grep -c 'left out: a link' <<<"$stderr")" 2
	equal "$(grep -c 'left out: not a file' <<<"$stderr")" 3
	equal "$(grep -c 'left out: its path is absolute' <<<"$stderr")" 1
	equal "$(grep -c 'left out: its path leads upwards' <<<"$stderr")" 2
	told=$stderr
	run -3 --separate-stderr ngxcache zones -d "$T/bad.tar"
	equal "$stderr" "$told"
}

@test "from an archive: a file that is no archive is refused" {
	echo text >"$T/file"
	refused 'neither a directory nor a tar archive' list -d "$T/file"
	refused 'no such directory' list -d "$T/missing.tar"
}

@test "from an archive: nothing of it is held but the entry in hand" {
	[[ $VARIANT == debug || $VARIANT == release ]] || skip "sanitizers take memory of their own"
	rm -rf "$C" && mkcache -o "$C/big" --count 60 --template 'GETa.test/%d' --body-size 1000000
	rss() {
		"$PYTHON" -c 'import resource, subprocess, sys
subprocess.run(["ngxcache"] + sys.argv[1:], check=True, stdout=open("'"$T"'/out", "w"))
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$@"
	}
	tar -C "$C" -cf "$T/big.tar" big
	gzip -1 -c "$T/big.tar" >"$T/big.tar.gz"
	mkdir "$T/empty"
	empty=$(rss list -d "$T/empty")
	for file in big.tar big.tar.gz; do
		used=$(rss list --json -d "$T/$file")
		equal "$(wc -l <"$T/out")" 60
		[ $((used - empty)) -lt 16384 ] || equal "$used" "below $empty + 16384 KiB" "$file"
	done
}
