#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# Trees, keys and headers that somebody made to break what reads them, and a process that has
# little of everything.  What happens while a tree changes is in races.bats.

load cli

NAME=0123456789abcdef0123456789abcdef

teardown() {
	[ -z "${IN_MEMORY:-}" ] || rm -rf "$IN_MEMORY"
}

# The commands that only look.
READING=('list' 'list --json' 'list --sort key --json' 'urls' 'zones' 'zones --json' 'stats --by host,path'
	'verify --json' 'purge -n --all' 'check' 'archive -o /dev/null')

# quick COMMAND...: it does not hang
quick() {
	run --separate-stderr timeout 20 "$@"
	[ "$status" -lt 124 ] || equal "$status" "an end" "$*"
}

# each_reading: every command that only looks comes to an end, with 0, or where it tells of
# findings, 1; the tree stays as it is
each_reading() {
	local before words

	before=$(find "$C" -maxdepth 8 | sort)
	for words in "${READING[@]}"; do
		# shellcheck disable=SC2086
		quick ngxcache $words -d "$C"
		case $words in
		verify*) [ "$status" -le 1 ] || equal "$status" "0 or 1" "$words: $stderr" ;;
		check*) [ "$status" -le 3 ] || equal "$status" "0 to 3" "$words: $stderr" ;;
		*) equal "$status" 0 "$words: $stderr" ;;
		esac
	done
	equal "$(find "$C" -maxdepth 8 | sort)" "$before"
}

# --- trees ---

@test "hostile: what stands in the places of entries and levels is no entry, and stops nobody" {
	mkcache -o "$C" --valid 2000000000 httpGETa.test/{1,2,3}
	mkdir -p "$C/f/de/$NAME/f/de" "$C/f/ab"
	mkfifo "$C/f/ab/${NAME%def}fab" "$C/e" "$C/temp"
	ln -s "$C/f/de/$NAME" "$C/f/${NAME%?}0"
	ln -s /dev/zero "$C/f/de/1123456789abcdef0123456789abcdef"
	ln -s "$C" "$C/f/00"
	mknod "$C/f/de/2123456789abcdef0123456789abcdef" c 1 5 || :
	each_reading
	for path in "$C/f/ab/${NAME%def}fab" "$C/f/de/1123456789abcdef0123456789abcdef" \
	    "$C/f/de/2123456789abcdef0123456789abcdef" "$C/f/de/$NAME"; do
		[ -e "$path" ] || continue
		quick ngxcache show --file "$path"
		equal "$status" 1 "show $path"
		quick ngxcache purge --json --file "$path"
		equal "$status" 0 "purge $path"
		json_is 'd["matched"]' 0
	done
	ok purge --json -d "$C" --all
	json_is '[d["purged"], d["failed"]]' '[3, 0]'
}

@test "hostile: directories nested ten thousand deep are not gone into, and told of" {
	# A disk takes half a minute to remove them.
	IN_MEMORY=$(mktemp -d /dev/shm/ngxcache.XXXXXX) || skip "there is no /dev/shm"
	C=$IN_MEMORY/cache
	site '$scheme$request_method$host$request_uri'
	mkcache -o "$C" httpGETa.test/1
	"$PYTHON" - "$C/0" "$C/temp" "$C/other" <<-'END'
		import os, sys
		for path in sys.argv[1:]:
		    os.makedirs(path, exist_ok=True)
		    fd = os.open(path, os.O_RDONLY)
		    for i in range(10000):
		        os.mkdir("0", dir_fd=fd)
		        below = os.open("0", os.O_RDONLY, dir_fd=fd)
		        os.close(fd)
		        fd = below
	END
	each_reading
	run -1 --separate-stderr ngxcache verify --json -d "$C"
	json_is 'sorted([x["file"][len("'"$C"'/"):], x["class"]] for x in lines)' \
	    '[["0/0/0/0", "foreign"], ["other", "foreign"], ["temp/0/0/0/0", "foreign"]]'
	quick ngxcache doctor --json -c "$CONF"
	[ "$status" -le 1 ] || equal "$status" "0 or 1" "doctor: $stderr"
	quick ngxcache verify --repair --json -c "$CONF"
	equal "$status" 1
	ok purge --json -d "$C" --all
	json_is 'd["purged"]' 1
}

@test "hostile: names of 255 bytes, whatever they are, are foreign" {
	mkcache -o "$C" --levels 1 httpGETa.test/1
	level=$(echo "$C"/?)
	long=$(printf 'a%.0s' {1..255})
	odd=$(printf '\e[2J\n%.0s' {1..51})
	mkdir -p "$C/temp/0"
	touch "$C/$long" "$C/$odd" "$level/$long" "$level/$odd" "$C/temp/$odd"
	mkdir "$C/${long%?}b" "$C/temp/0/${long%?}b"
	each_reading
	run -1 --separate-stderr ngxcache verify --json -d "$C"
	json_is '[len(lines), {x["class"] for x in lines} == {"foreign"}, max(len(x["file"]) for x in lines) > 255]' \
	    '[7, true, true]'
	run -1 --separate-stderr ngxcache verify -d "$C"
	equal "$(LC_ALL=C tr -d '\n -~' <<<"$output")" ""
	equal "$(grep -c . <<<"$output")" "${#lines[@]}"
}

@test "hostile: a file of a TiB that has nothing in it costs nothing" {
	file=$(mkcache -v -o "$C" --valid 2000000000 --no-length httpGETa.test/1)
	truncate -s 1T "$file" 2>/dev/null || skip "the file system cannot"
	each_reading
	quick ngxcache archive --json -d "$C" -o "$T/a.tar"
	equal "$status" 0
	[ "$(stat -c %s "$T/a.tar")" -lt 1000000 ]
	quick bash -c 'ngxcache show --body --file "$1" | head -c 1000 | wc -c' - "$file"
	equal "$output" 1000
	mkdir "$T/empty"
	quick ngxcache restore --json -d "$T/empty,levels=1:2" "$T/a.tar"
	[ "$status" -eq 0 ] || equal "$status" 3 # as much room as there is
	equal "$(find "$T/empty" -name '*.*')" ""
	ok purge --json -d "$C" --all
	json_is '[d["purged"], d["zones"][0]["bytes"] == 1 << 40]' '[1, true]'
}

@test "hostile: a file that is cut or grows while it is read is told as it is, or not at all" {
	for how in 'truncate -s 100 ' 'truncate -s 0 ' 'truncate -s 100000 ' 'dd if=/dev/zero bs=900 count=1 status=none of='; do
		for words in 'list --json' 'verify --json' 'show --json --key httpGETa.test/1' \
		    'show --body --key httpGETa.test/1'; do
			for n in 1 2; do
				file=$(mkcache -v -o "$C" --valid 2000000000 --body-size 20000 httpGETa.test/1)
				# shellcheck disable=SC2086
				run --separate-stderr inject "pread:$n=!$how$file" ngxcache $words -j 1 -d "$C,levels=1:2"
				[ "$status" -le 3 ] || equal "$status" "an end" "$words $how $n"
				[[ $words != *--json || -z $output ]] || json_is 'lines != []' true
			done
		done
	done
}

@test "hostile: a file system mounted inside is a part of the cache" {
	need_root
	mkcache -o "$C" --levels 1 --count 40 --template httpGETa.test/%d
	level=$(find "$C" -mindepth 1 -type d | head -n 1)
	cp -a "$level" "$T/aside"
	unshare -m true 2>/dev/null || skip "cannot mount"
	# shellcheck disable=SC2016
	run -0 --separate-stderr unshare -m bash -c 'mount -t tmpfs -o size=1m none "$1" || exit 77
	    cp -a "$2/." "$1"; ngxcache list --json --fields key -d "$3" | wc -l
	    ngxcache purge --json -d "$3" --all; ls "$1"' - "$level" "$T/aside" "$C"
	equal "$stderr" ""
	equal "${lines[0]}" 40
	[[ ${lines[1]} == *'"purged":40,'*'"failed":0,'* ]]
	equal "${#lines[@]}" 2
}

@test "hostile: what a second name outside leads to is never written" {
	mkcache -o "$T/outside" --valid 4000000000 --etag x httpGETa.test/{1,2,3}
	before=$(cd "$T/outside" && find . -type f -exec sha256sum {} + | sort)
	for mode in remove invalidate expire; do
		rm -rf "$C"
		cp -al "$T/outside" "$C"
		run --separate-stderr ngxcache purge --json -d "$C" --mode $mode --all
		if [ $mode = remove ]; then
			equal "$status" 0
			equal "$(files "$C")" ""
		else
			equal "$status" 3
			json_is '[d["matched"], d["failed"]]' '[3, 3]'
		fi
		equal "$(cd "$T/outside" && find . -type f -exec sha256sum {} + | sort)" "$before" $mode
	done
}

# --- keys and headers ---

@test "hostile: keys of 60 KiB can be listed, sorted, archived, restored and purged" {
	for n in 1 2 3; do
		{ printf 'httpGETa.test/%d/' $n; head -c 61400 /dev/zero | tr '\0' a; } | base64 -w 0 >"$T/key"
		mkcache -o "$C" --valid 2000000000 --key-base64 "$(cat "$T/key")"
	done
	each_reading
	ok list --json --sort key -r -d "$C"
	json_is '[[len(x["key"]), x["key"][13:16]] for x in lines]' '[[61416, "/3/"], [61416, "/2/"], [61416, "/1/"]]'
	ok archive -d "$C" -o "$T/a.tar"
	ok purge --json -d "$C" --regex 'a/?a$' --exclude '*/2/*'
	json_is 'd["purged"]' 2
	ok restore --json -d "$C,levels=1:2" "$T/a.tar"
	json_is '[d["restored"], d["kept"]]' '[2, 1]'
	ok purge --json -d "$C" http://a.test/1/"$(head -c 61400 /dev/zero | tr '\0' a)"
	json_is 'd["purged"]' 1
	ok purge --json -d "$C" 'http://a.test/*'
	json_is 'd["purged"]' 2
}

@test "hostile: a key that would hold a pattern up for ever is given up, and said so" {
	mkcache -o "$C" "$(printf 'a%.0s' {1..40})!" httpGETa.test/1
	for words in list 'purge --json' 'stats --by regex:(a+)+$'; do
		[[ $words == stats* ]] && what=() || what=(--regex '^(a+)+$')
		# shellcheck disable=SC2086
		quick ngxcache $words -d "$C" "${what[@]}"
		equal "$status" 3 "$words"
		[[ $stderr == "ngxcache: "*match* ]] || equal "$stderr" "a limit" "$words"
	done
	equal "$(entries_in "$C")" 2
}

# The bytes that must not reach a terminal: all controls but line ends, tabs where they part
# fields, and what a terminal may take for controls in UTF-8.
ODD=$'\e[2J\e]0;x\a\b\x7f\xc2\x9b31m\xe2\x80\xae'

odd_cache() {
	local headers=(--type "text/$ODD" --header "Cache-Tag: =1+1,@t$ODD" --header "X-A: $ODD" \
	    --header "Content-Encoding: -$ODD" --etag "\"$ODD\"")

	mkcache -o "$C" --valid 2000000000 "${headers[@]}" "httpGETa.test/$ODD" $'httpGETa.test/\nngxcache: fake\r\nx' \
	    "httpGET$ODD.test/x" '=1+1' '@x' "+$ODD" "http://a.test/\"\\,;{}"$'\n' -- -1
	mkcache -o "$C" --vary "X-$ODD" "httpGETa.test/v$ODD"
	mkcache -o "$C" --truncate 60 httpGETa.test/damaged
	touch "$C/foreign$ODD"
}

@test "hostile: no command lets a control character through to a terminal" {
	odd_cache
	file=$(ngxcache list -0 -d "$C" --key "httpGETa.test/$ODD" | tr -d '\0')
	for words in list 'list --json' 'list --format csv' 'list --format tsv' \
	    'list --fields content_type,etag,tags,vary,key,url,content_encoding --format tsv' urls 'urls --json' "show --file $file" \
	    "show --json --file $file" 'verify -v' 'verify --json' 'purge -n --all' 'purge -n --list --json --all' \
	    'stats' 'stats --by host,path,type' 'stats --json --by host,path,type,encoding' 'stats --format csv --by path,type' \
	    'stats --format prometheus --by host,path,type,tag' "list --key x$ODD" "purge --key x$ODD" "list --glob [$ODD" \
	    "explain http://$ODD/" "list http://a.test/$ODD" "list -d $T/$ODD" "list --file $T/$ODD" "restore $T/$ODD" \
	    "zones -c $T/$ODD" "list -z $ODD"; do
		[[ $words == *--json* ]] && seen=json || seen=text
		echo "$words" | tr -cd '\n -~' >>"$T/$seen"
		# shellcheck disable=SC2086
		"$PYTHON" "$LIB/on_terminal.py" ngxcache --color never $words -d "$C" >>"$T/$seen" || :
	done
	# In JSON, what turns the direction of writing is text.
	"$PYTHON" - "$T/text" "$T/json" <<-'END'
		import re, sys
		for path, harmless in ((sys.argv[1], ""), (sys.argv[2], "\u202e")):
		    lines = open(path, encoding="utf-8", newline="\n").read().split("\n")
		    assert len(lines) > 20
		    for line in lines:
		        bad = re.findall("[\0-\x08\x0b-\x1f\x7f-\x9f\u202e]", line.rstrip("\r"))
		        assert set(bad) <= {harmless}, line
	END
}

@test "hostile: what keys and headers hold is one line, one cell and one label in every format" {
	odd_cache
	ok list --format csv --fields key,content_type,tags,etag -d "$C"
	"$PYTHON" -c '
import csv, io, sys
rows = list(csv.reader(io.StringIO(sys.argv[1])))
assert len(rows) == 10 and {len(r) for r in rows} == {4}, rows
assert not [c for r in rows for c in r if c[:1] in ("=", "+", "-", "@", "\t", "\r")], rows' "$output"
	ok list --format tsv --fields key,content_type,tags,etag -d "$C"
	equal "$(awk -F'\t' '{ print NF }' <<<"$output" | sort | uniq -c | tr -d ' ')" 104
	for words in 'list --format table' 'urls' 'purge -n --list --all'; do
		# shellcheck disable=SC2086
		ok $words -d "$C"
		equal "$(grep -c '^ngxcache' <<<"$output")" 0 "$words"
	done
	for words in 'list --json' 'urls --json' 'stats --json --by path,type,tag' 'purge -n --json --list --all'; do
		# shellcheck disable=SC2086
		ok $words -d "$C"
		iconv -f UTF-8 -t UTF-8 <<<"$output" >/dev/null
		"$PYTHON" -c 'import json, sys
[json.loads(line) for line in sys.argv[1].splitlines()]' "$output"
	done
	ok stats --format prometheus --by path,tag -d "$C"
	equal "$(grep -vE '^(# (HELP|TYPE) [a-z_]+ .*|[a-z_]+(\{([a-z_]+="([^"\\]|\\["\\n])*",?)*\})? [0-9.e+-]+)$' <<<"$output")" ""
}

# --- little of everything ---

@test "hostile: twenty descriptors are enough" {
	mkcache -o "$C" --valid 2000000000 --count 300 --template httpGETa.test/%d
	mkcache -o "$C" --valid 2000000000 --levels none --count 100 --template httpGETb.test/%d
	ulimit -n 20
	each_reading
	ok archive --json -d "$C" -o "$T/a.tar"
	json_is '[d["entries"], d["failed"]]' '[400, 0]'
	ok purge --json --backup "$T/b.tar" -d "$C" --glob '*a.test/1*'
	json_is '[d["purged"], d["failed"]]' '[111, 0]'
	ok purge --json -j 16 -d "$C" --all
	json_is '[d["purged"], d["failed"]]' '[289, 0]'
	ok restore --json -d "$C,levels=1:2" "$T/a.tar"
	json_is '[d["restored"], d["failed"]]' '[400, 0]'
	ok verify --json --repair -d "$C"
}

@test "hostile: where no file may grow nothing is half written, and nothing is purged unsaved" {
	mkcache -o "$C" --valid 2000000000 httpGETa.test/{1,2,3}
	ok archive -d "$C" -o "$T/a.tar"
	mkdir "$T/empty" "$T/out"
	before=$(tree "$C")
	for words in "restore --json -d $T/empty,levels=1:2 $T/a.tar" "archive -d $C -o $T/out/b.tar" \
	    "archive -d $C -o $T/out/b.tar.gz" "purge --json -d $C --backup $T/out/c.tar --all" \
	    "stats -d $C --format prometheus -o $T/out/s" "purge --json --soft -d $C --all"; do
		rc=0
		(ulimit -f 0; eval "exec ngxcache $words" 2>&1 | cat >/dev/full; exit "${PIPESTATUS[0]}") 2>/dev/null || rc=$?
		equal "$rc" 3 "$words"
		equal "$(files "$T/empty")$(files "$T/out")" "" "$words"
	done
	equal "$(tree "$C")" "$before"
	for words in "list --json -d $C" "stats -d $C"; do
		rc=0
		(ulimit -f 0; eval "exec ngxcache $words" >"$T/out/list" 2>/dev/null) || rc=$?
		equal "$rc" 3 "$words"
	done
}

@test "hostile: a run without standard streams writes into no file of its own" {
	mkcache -o "$C" --valid 2000000000 httpGETa.test/{1,2,3}
	ok archive -d "$C" -o "$T/a.tar"
	for closed in '<&-' '>&-' '2>&-' '<&- >&-' '>&- 2>&-' '<&- >&- 2>&-'; do
		rm -rf "$T/out" "$T/empty"
		mkdir "$T/out" "$T/empty"
		for words in "archive -v -d $C -o $T/out/b.tar" "restore -v -d $T/empty,levels=1:2 $T/a.tar" \
		    "purge -v --backup $T/out/c.tar -d $C --all" "verify --repair -v -d $T/empty" \
		    "stats -d $C -o $T/out/s --format csv"; do
			rc=0
			eval "ngxcache $words $closed" 3>&- || rc=$?
			[ "$rc" -eq 0 ] || equal "$rc" 3 "$words $closed"
		done
		for archive in "$T/out/b.tar" "$T/out/c.tar"; do
			equal "$(tar -tf "$archive" | grep -c '/[0-9a-f]\{32\}$')" 3 "$archive $closed"
		done
		[[ $(head -n 1 "$T/out/s") == zone,* ]]
		equal "$(files "$C")" ""
		ok list --json -d "$T/empty"
		json_is 'len(lines)' 3
		cp -a "$T/empty/." "$C"
	done
}
