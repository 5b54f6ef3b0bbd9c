#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# What a purge leaves alone, what it refuses, and what it does when it may not.

load cli

MODES='remove invalidate expire'

# digest FILE...: of their contents
digest() {
	sha256sum "$@" | cut -c 1-64
}

# need_nobody: another user who can run the program
need_nobody() {
	need_root
	as_nobody ngxcache --version >/dev/null || skip "nobody cannot run the program"
}

# the_cache: entries of every kind in $C
the_cache() {
	mkcache -o "$C" --valid 2000000000 --count 10 --template httpGETa.test/%d
	mkcache -o "$C" --valid 2000000000 --truncate 60 httpGETa.test/damaged
}

# --- what is kept ---

@test "purge: the root and the level directories are kept" {
	the_cache
	before=$(find "$C" -type d | sort)
	ok purge --json -d "$C" --all
	json_is 'd["purged"]' 11
	equal "$(find "$C" -type d | sort)" "$before"
	equal "$(files "$C")" ""
}

@test "purge: no directory is ever created" {
	mkdir "$C"
	for what in '--key x' http://a.test/ '--glob=*' --all \
	    "--file $C/f/de/0123456789abcdef0123456789abcdef"; do
		# shellcheck disable=SC2086
		ok purge --json -d "$C,levels=1:2" $what
	done
	equal "$(find "$C")" "$C"
}

@test "purge: temporary files of both styles are kept" {
	the_cache
	name=0123456789abcdef0123456789abcdef
	mkcache -o "$C" --name "$name" --suffix .0000000001 httpGETa.test/1
	mkdir -p "$C/temp/f/de"
	cp "$C/f/de/$name.0000000001" "$C/temp/0000000001"
	cp "$C/f/de/$name.0000000001" "$C/temp/f/de/0000000002"
	cp "$C/f/de/$name.0000000001" "$C/temp/f/de/$name"
	before=$(tree "$C/temp" "$C/f/de/$name.0000000001")
	for mode in $MODES; do
		ok purge --json -d "$C" --mode "$mode" --all
		equal "$(tree "$C/temp" "$C/f/de/$name.0000000001")" "$before" "$mode"
	done
	ok purge --json -d "$C" --all
	equal "$(tree "$C/temp" "$C/f/de/$name.0000000001")" "$before"
	equal "$(entries_in "$C/f")" 0
}

@test "purge: foreign files and directories are kept" {
	the_cache
	name=0123456789abcdef0123456789abcdef
	file=$(find "$C" -type f -size +100c | head -n 1)
	mkdir -p "$C/f/de/$name" "$C/f/DE" "$C/other/de" "$C/f/de/abc"
	for foreign in README .lock index.html f/README f/de/notes "f/de/${name^^}" "f/$name" "f/DE/$name" \
	    "other/de/$name" "f/de/abc/$name" "f/de/$name.bak" "f/de/${name}0" "f/de/${name%?}" \
	    "${name%?}g" "f/de/$name/$name"; do
		cp "$file" "$C/$foreign"
	done
	mv "$C/f/$name" "$C/e" # a file named like a level
	before=$(find "$C" -type f -not -regex '.*/[0-9a-f]/[0-9a-f][0-9a-f]/[0-9a-f]*' -exec sha256sum {} + | sort)
	ok purge --json -d "$C" --all
	json_is 'd["failed"]' 0
	for foreign in README .lock index.html f/README f/de/notes "f/de/${name^^}" "e" "f/DE/$name" \
	    "other/de/$name" "f/de/abc/$name" "f/de/$name.bak" "f/de/${name}0" "f/de/${name%?}" \
	    "${name%?}g" "f/de/$name/$name"; do
		[ -f "$C/$foreign" ] || equal gone "$C/$foreign"
	done
	equal "$(find "$C" -type f -not -regex '.*/[0-9a-f]/[0-9a-f][0-9a-f]/[0-9a-f]*' -exec sha256sum {} + | sort)" "$before"
}

@test "purge: with -v it tells how much it met that is not its business" {
	mkcache -o "$C" httpGETa.test/{1,2,3}
	mkcache -o "$C" --truncate 60 httpGETa.test/damaged
	mkcache -o "$C" --name 0123456789abcdef0123456789abcdef --suffix .0000000001 httpGETa.test/1
	mkdir -p "$C/temp/0" "$C/other/de"
	echo hello >"$C/README"
	ln -s /etc/passwd "$C/f/link"
	mkfifo "$C/f/de/00000000000000000000000000000def"
	run -0 --separate-stderr ngxcache purge -v -d "$C" --all
	equal "$output" "$(grep '^removed 4 entries ' <<<"$output")"
	equal "$stderr" 'ngxcache: walked: 4 candidates, 1 damaged, 0 orphans, 2 temporary, 4 foreign'
	[ -p "$C/f/de/00000000000000000000000000000def" ]
	[ -L "$C/f/link" ]
	equal "$(files "$C")" $'README\nf/de/0123456789abcdef0123456789abcdef.0000000001'
}

@test "purge: pipes and sockets named like entries are neither read nor removed" {
	the_cache
	mkdir -p "$C/f/de" "$C/0/de"
	mkfifo "$C/f/de/0123456789abcdef0123456789abcdef"
	"$PYTHON" -c 'import socket, sys
socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$C/0/de/0123456789abcdef0123456789abcde0" || skip "the path is too long"
	ok list --json -d "$C"
	json_is 'len(lines)' 10
	ok purge --json -d "$C" --all
	json_is '[d["purged"], d["failed"]]' '[11, 0]'
	ok purge --json --file "$C/f/de/0123456789abcdef0123456789abcdef"
	json_is 'd["matched"]' 0
	[ -p "$C/f/de/0123456789abcdef0123456789abcdef" ]
	[ -S "$C/0/de/0123456789abcdef0123456789abcde0" ]
}

@test "purge: a symbolic link to a file below the root is never followed" {
	file=$(mkcache -v -o "$T/outside" --valid 2000000000 httpGETa.test/1)
	the_cache
	link=$C/${file#"$T/outside/"}
	rm -f "$link"
	mkdir -p "${link%/*}"
	ln -s "$file" "$link"
	before=$(tree "$T/outside")
	for mode in $MODES; do
		for what in --all '--glob=*' --key=httpGETa.test/1 "--file=$link" http://a.test/1; do
			ok purge --json -d "$C" --mode "$mode" "$what"
			json_is 'd["failed"]' 0
			[ -L "$link" ]
			equal "$(tree "$T/outside")" "$before" "$mode $what"
		done
	done
	ok list --json -d "$C" --key httpGETa.test/1
	equal "$output" ""
	run -1 --separate-stderr ngxcache show -d "$C" --key httpGETa.test/1
	equal "$output" ""
}

@test "purge: a symbolic link to a directory below the root is never followed" {
	mkcache -o "$T/outside" --valid 2000000000 --levels 2 --count 40 --template httpGETa.test/%d
	mkcache -o "$C" --valid 2000000000 httpGETb.test/1
	file=$(find "$T/outside" -type f | head -n 1)
	name=${file##*/}
	rm -rf "${C:?}/${name: -1}"
	ln -s "$T/outside" "$C/${name: -1}"
	ln -s "${file%/*}" "$C/${name: -2}"
	ln -s "${file%/*}" "$C/0a"
	before=$(tree "$T/outside")
	key=$(ngxcache list --json --file "$file" | json_get 'd["key"]')
	for mode in $MODES; do
		for what in --all '--glob=*' "--key=$key" "--file=$C/${name: -2}/$name"; do
			ok purge --json -d "$C" --mode "$mode" "$what"
			json_is 'd["failed"]' 0
			equal "$(tree "$T/outside")" "$before" "$mode $what"
		done
	done
	equal "$(find "$C" -type l | wc -l)" 3
	ok list --json -d "$C" --key "$key"
	equal "$output" ""
}

@test "purge: dangling and circular links disturb nothing" {
	the_cache
	ln -s /nowhere "$C/0a"
	ln -s . "$C/0b"
	ln -s 0123456789abcdef0123456789abcdef "$C/0123456789abcdef0123456789abcdef"
	ok purge --json -d "$C" --all
	json_is '[d["purged"], d["failed"]]' '[11, 0]'
	equal "$(find "$C" -type l | wc -l)" 3
}

@test "purge: a file with several links is unlinked, but never written" {
	file=$(mkcache -v -o "$C" --valid 2000000000 httpGETa.test/1)
	ln "$file" "$T/other"
	before=$(digest "$T/other")
	ok purge --json -d "$C" --all
	json_is '[d["purged"], d["failed"]]' '[1, 0]'
	[ ! -e "$file" ]
	equal "$(digest "$T/other")" "$before"
}

@test "purge: a file with several links can be neither invalidated nor expired" {
	file=$(mkcache -v -o "$C" --valid 2000000000 --etag x httpGETa.test/1)
	mkcache -o "$C" --valid 2000000000 httpGETa.test/2
	ln "$file" "$T/other"
	before=$(digest "$file")
	for mode in '--mode invalidate' '--mode expire' '--mode expire --refetch'; do
		# shellcheck disable=SC2086
		fails 3 "$file" purge --json -d "$C" $mode --all
		equal "$(wc -l <<<"$stderr")" 1
		json_is '[d["matched"], d["purged"], d["failed"]]' '[2, 1, 1]'
		json_is '[e["file"] for e in d["errors"]]' "[\"$file\"]"
		equal "$(digest "$file" "$T/other")" "$before
$before"
	done
}

# foretold STATUS OPTION...: with these a dry run ends with STATUS and changes nothing, and
# the real run then ends alike and says the same; one thread, for the order of the errors
foretold() {
	local wanted=$1 before dry said

	shift
	before=$(tree "$C")
	run "-$wanted" --separate-stderr "${AS[@]}" ngxcache purge --json -j 1 -n "$@"
	equal "$(tree "$C")" "$before" "after a dry run of $*"
	dry=${output/'"dry_run":true'/'"dry_run":false'} said=$stderr
	run "-$wanted" --separate-stderr "${AS[@]}" ngxcache purge --json -j 1 "$@"
	equal "$dry" "$output" "$*"
	equal "$said" "$stderr" "$*"
}

@test "purge: a dry run foresees what will be refused, in every mode" {
	AS=()
	for mode in invalidate expire remove; do
		rm -rf "$C" "$T/other"
		file=$(mkcache -v -o "$C" --valid 2000000000 httpGETa.test/1)
		mkcache -o "$C" --valid 2000000000 httpGETa.test/2 httpGETa.test/3
		ln "$file" "$T/other"
		if [ "$(id -u)" -eq 0 ]; then
			chown 12345 "$(mkcache -v -o "$C" --valid 2000000000 httpGETa.test/3)"
		fi
		foretold "$([ "$mode" = remove ] && echo 0 || echo 3)" --mode "$mode" -d "$C" --all
		foretold 0 --mode "$mode" -d "$C" --key httpGETa.test/2
	done
}

@test "purge: a dry run foresees that a directory may not be written" {
	need_nobody
	AS=(as_nobody)
	mkcache -o "$C" httpGETa.test/1
	chmod -R a+rX "$C"
	for mode in invalidate expire remove; do
		foretold 3 --mode "$mode" -d "$C" --all
	done
	chmod -R a+rwX "$C"
	foretold 0 -d "$C" --all
}

@test "purge: the entries of another zone below are kept" {
	mkcache -o "$C" httpGETa.test/{1,2,3}
	mkcache -o "$C/a" --levels 2 httpGETb.test/{1,2,3}
	mkcache -o "$C/0/bc" --levels none httpGETc.test/1
	conf <<-END
		proxy_cache_path $C levels=1:2 keys_zone=outer:1m;
		proxy_cache_path $C/a levels=2 keys_zone=inner:1m;
		fastcgi_cache_path $C/0/bc keys_zone=deep:1m;
	END
	before=$(tree "$C/a" "$C/0/bc")
	ok list --json -c "$CONF" -z outer
	equal "$(json_get 'sorted(set(x["key"][7:13] for x in lines))' <<<"$output")" '["a.test"]'
	for what in --all '--glob=*' '--regex=test'; do
		ok purge --json -c "$CONF" -z outer "$what"
		equal "$(tree "$C/a" "$C/0/bc")" "$before" "$what"
	done
	equal "$(find "$C" -type f | wc -l)" 4
	ok purge --json -c "$CONF" --all
	json_is '[[z["zone"], z["purged"]] for z in d["zones"]]' '[["outer", 0], ["inner", 3], ["deep", 1]]'
}

@test "purge: the entries of another -d below are kept" {
	mkcache -o "$C" httpGETa.test/1
	mkcache -o "$C/a" --levels 2 httpGETb.test/{1,2,3}
	before=$(tree "$C/a")
	ok purge --json -d "$C,name=outer" -d "$C/a,name=inner" -z outer --all
	equal "$(tree "$C/a")" "$before"
	json_is 'd["purged"]' 1
}

# --- what is written ---

@test "purge: the removing mode first spoils the version, so that an open file is refused, too" {
	file=$(mkcache -v -o "$C" --valid 2000000000 httpGETa.test/1)
	cp "$file" "$T/before"
	exec 5<"$file"
	ok purge --json -d "$C" --all
	[ ! -e "$file" ]
	cat <&5 >"$T/after"
	exec 5<&-
	run -1 cmp -l "$T/before" "$T/after"
	equal "$(tr -s ' ' <<<"$output" | sed 's/^ //')" "1 5 0"
}

@test "purge: a file of another owner than the root's is not written" {
	need_root
	one=$(mkcache -v -o "$C" --valid 2000000000 httpGETa.test/1)
	two=$(mkcache -v -o "$C" --valid 2000000000 httpGETa.test/2)
	chown -R www-data "$C" 2>/dev/null || skip "there is no www-data"
	chown nobody "$one"
	before=$(digest "$one")
	for mode in invalidate expire; do
		fails 3 "$one" purge --json -d "$C" --mode "$mode" --all
		json_is '[d["purged"], d["failed"]]' '[1, 1]'
		equal "$(digest "$one")" "$before" "$mode"
	done
	exec 5<"$one"
	ok purge --json -d "$C" --all
	json_is '[d["purged"], d["failed"]]' '[2, 0]'
	equal "$(sha256sum <&5 | cut -c 1-64)" "$before"
	exec 5<&-
	[ ! -e "$one" ]
	[ ! -e "$two" ]
}

@test "purge: owner and mode of a file stay" {
	file=$(mkcache -v -o "$C" --valid 2000000000 httpGETa.test/1)
	chmod 640 "$file"
	before=$(stat -c '%u:%g %a %s %i' "$file")
	for mode in expire invalidate; do
		ok purge -d "$C" --mode "$mode" --all
		equal "$(stat -c '%u:%g %a %s %i' "$file")" "$before"
	done
}

# --- what is refused ---

@test "system directories are refused, however they are written" {
	for dir in / /etc /usr /var /home // /etc/ /etc/. /usr/../etc /var/; do
		[ -d "$dir" ] || continue
		refused "not a cache" list -d "$dir"
		refused "not a cache" zones -d "$dir"
		refused "not a cache" purge -n -d "$dir" --all
		refused "not a cache" purge -n -d "$dir" --key x
		refused "not a cache" show -d "$dir" --key x
	done
	refused "/etc" list -d /etc
	ln -s /etc "$T/link"
	refused "$T/link" purge -n -d "$T/link" --all
	conf <<<"proxy_cache_path /etc keys_zone=pages:1m;"
	refused "/etc" purge -n -c "$CONF" --all
	refused "/etc" list -c "$CONF"
}

@test "a directory that is no cache is refused" {
	mkdir -p "$T/site/css" "$T/site/img"
	echo hello >"$T/site/index.html"
	before=$(tree "$T/site")
	refused "$T/site" list -d "$T/site"
	refused "$T/site" zones -d "$T/site"
	refused "$T/site" show -d "$T/site" --key x
	for what in --all '--glob=*' --key=x; do
		refused "$T/site" purge -d "$T/site" "$what"
	done
	conf <<<"proxy_cache_path $T/site keys_zone=pages:1m;"
	refused "$T/site" purge -c "$CONF" --all
	equal "$(tree "$T/site")" "$before"
}

@test "a directory that is no cache is refused before another cache is touched" {
	the_cache
	mkdir "$T/site"
	echo hello >"$T/site/index.html"
	before=$(tree "$C")
	refused "$T/site" purge -d "$C" -d "$T/site" --all
	refused "$T/site" purge -d "$T/site" -d "$C" --all
	refused "$T/none" purge -d "$C" -d "$T/none" --all
	equal "$(tree "$C")" "$before"
}

@test "a level directory or a temporary file makes a directory a cache" {
	name=0123456789abcdef0123456789abcdef
	mkdir -p "$C/one/a" "$C/two/0f" "$C/three" "$C/four"
	touch "$C/three/$name.0000000001" "$C/four/$name" "$C/one/README"
	for dir in one two three four; do
		ok list --json -d "$C/$dir"
		equal "$output" ""
	done
}

@test "a file or something else instead of a directory is refused" {
	echo hello >"$T/file"
	refused "$T/file" list -d "$T/file"
	refused "$T/file" purge -d "$T/file" --all
	refused "/dev/null" list -d /dev/null
}

@test "a missing -d is refused, an empty one is fine" {
	refused "$T/none" list -d "$T/none"
	refused "$T/none" zones -d "$T/none"
	refused "$T/none" show -d "$T/none" --key x
	refused "$T/none" purge -d "$T/none" --all
	refused "$T/none" purge -d "$T/none" --key x
	mkdir "$C"
	ok list -d "$C"
	ok zones -d "$C"
	ok purge -d "$C" --all
	ok purge -d "$C" --key x
}

@test "a missing root of a zone is a failure, and the rest is done" {
	the_cache
	conf <<-END
		proxy_cache_path $T/none levels=1:2 keys_zone=gone:1m;
		proxy_cache_path $C levels=1:2 keys_zone=pages:1m;
	END
	fails 3 "$T/none" list --json -c "$CONF"
	json_is 'len(lines)' 10
	fails 3 "$T/none" purge --json -c "$CONF" --glob 'http*'
	json_is '[d["purged"], [z["purged"] for z in d["zones"]]]' '[10, [0, 10]]'
	ok purge --json -c "$CONF" -z pages --all
	fails 3 "$T/none" purge --json -c "$CONF" -z gone --all
	json_is 'd["purged"]' 0
}

# --- the root through links ---

@test "a root reached through a link of its owner or of root works" {
	need_root
	the_cache
	for owner in nobody root; do
		chown -R nobody "$C"
		rm -f "$T/link"
		ln -s "$C" "$T/link"
		chown -h "$owner" "$T/link"
		ok list --json -d "$T/link"
		json_is 'len(lines)' 10
		json_is 'lines[0]["file"].startswith('"\"$T/link/\")" true
	done
	chown -h nobody "$T/link"
	ok purge --json -d "$T/link" --all
	json_is 'd["purged"]' 11
	[ -L "$T/link" ]
}

@test "a root reached through somebody else's link is refused" {
	need_root
	the_cache
	chown -R www-data "$C" 2>/dev/null || skip "there is no www-data"
	ln -s "$C" "$T/link"
	mkdir "$T/dir"
	ln -s "$T" "$T/dir/up"
	chown -h nobody "$T/link" "$T/dir/up"
	before=$(tree "$C")
	for dir in "$T/link" "$T/dir/up/cache"; do
		refused "$dir" list -d "$dir"
		refused "$dir" purge -d "$dir" --all
		conf <<<"proxy_cache_path $dir levels=1:2 keys_zone=pages:1m;"
		refused "$dir" purge -c "$CONF" --all
	done
	equal "$(tree "$C")" "$before"
}

@test "a root reached through a link works for a zone of the configuration" {
	the_cache
	ln -s "$C" "$T/link"
	conf <<<"proxy_cache_path $T/link levels=1:2 keys_zone=pages:1m;"
	ok purge --json -c "$CONF" --all
	json_is 'd["purged"]' 11
}

# --- without the right ---

@test "an unreadable root is named, with whom to run as" {
	need_nobody
	the_cache
	chown -R www-data "$C" 2>/dev/null || skip "there is no www-data"
	chmod 700 "$C"
	for command in list 'purge --all' 'purge --key x' zones; do
		# shellcheck disable=SC2086
		run -3 --separate-stderr as_nobody ngxcache -d "$C" $command
		[[ $stderr == "ngxcache: "*"$C"*www-data* ]] || equal "$stderr" www-data
		equal "$(wc -l <<<"$stderr")" 1
	done
	run -3 --separate-stderr as_nobody ngxcache -d "$C" purge --json --all
	json_is '[d["purged"], d["matched"]]' '[0, 0]'
	conf <<<"proxy_cache_path $C levels=1:2 keys_zone=pages:1m;"
	run -3 --separate-stderr as_nobody ngxcache -c "$CONF" list
	[[ $stderr == "ngxcache: "*"$C"*www-data* ]]
}

@test "a directory above the root that may not be passed is named" {
	need_nobody
	mkdir "$T/above"
	mkcache -o "$T/above/cache" httpGETa.test/1
	chown www-data "$T/above" 2>/dev/null || skip "there is no www-data"
	chmod 700 "$T/above"
	run -3 --separate-stderr as_nobody ngxcache list -d "$T/above/cache"
	[[ $stderr == "ngxcache: "*"$T/above: "*www-data* ]]
	equal "$output" ""
}

@test "an unreadable level directory is named, and the rest is done" {
	need_nobody
	mkcache -o "$C" --levels 1 --count 60 --template httpGETa.test/%d
	total=$(entries_in "$C")
	hidden=$(entries_in "$C/a")
	[ "$hidden" -gt 0 ]
	chmod -R a+rwX "$C"
	chown www-data "$C/a" 2>/dev/null || skip "there is no www-data"
	chmod 700 "$C/a"
	run -3 --separate-stderr as_nobody ngxcache list --json -d "$C"
	[[ $stderr == "ngxcache: "*"$C/a"*www-data* ]] || equal "$stderr" "$C/a"
	equal "$(wc -l <<<"$stderr")" 1
	json_is 'len(lines)' $((total - hidden))
	run -3 --separate-stderr as_nobody ngxcache zones --json -d "$C"
	[[ $stderr == "ngxcache: "*"$C/a"*www-data* ]] || equal "$stderr" "$C/a"
	run -3 --separate-stderr as_nobody ngxcache purge --json -d "$C" --all
	[[ $stderr == "ngxcache: "*"$C/a"*www-data* ]] || equal "$stderr" "$C/a"
	json_is 'd["purged"]' $((total - hidden))
	equal "$(entries_in "$C")" "$hidden"
}

@test "a file in a directory that may not be passed says whom to run as" {
	need_nobody
	file=$(mkcache -v -o "$C" httpGETa.test/1)
	chown -R www-data "$C" 2>/dev/null || skip "there is no www-data"
	chmod 700 "$C"
	for words in purge 'purge -n' list; do
		# shellcheck disable=SC2086
		run -3 --separate-stderr as_nobody ngxcache $words --file "$file"
		[[ $stderr == "ngxcache: "*"$C"*www-data* ]] || equal "$stderr" "$C"
		# shellcheck disable=SC2086
		run -3 --separate-stderr as_nobody ngxcache $words -d "$C" --file "$file"
		[[ $stderr == "ngxcache: "*"$C"*www-data* ]] || equal "$stderr" "$C"
	done
	[ -e "$file" ]
}

@test "an exact look-up in an unreadable directory says whom to run as, not that there is nothing" {
	need_nobody
	file=$(mkcache -v -o "$C" httpGETa.test/1)
	chown -R www-data "$C" 2>/dev/null || skip "there is no www-data"
	chmod 711 "$C"
	chmod 700 "$C"/?
	site '$scheme$request_method$host$request_uri'
	chmod a+r "$C" "$CONF"
	for words in 'show --key httpGETa.test/1' 'show http://a.test/1' 'list http://a.test/1' \
	    'list --key httpGETa.test/1' 'purge http://a.test/1' 'purge -n --key httpGETa.test/1'; do
		# shellcheck disable=SC2086
		run -3 --separate-stderr as_nobody ngxcache -c "$CONF" $words
		[[ $output != *matched* && $output != *cached* ]] || equal "$output" "" "$words"
		while IFS= read -r line; do
			equal "$line" "ngxcache: ${file%/*/*}: permission denied: run as its owner (www-data) or as root" "$words"
		done <<<"$stderr"
	done
}

@test "a level directory that may be passed need not be read for an exact look-up" {
	need_nobody
	file=$(mkcache -v -o "$C" --valid 2000000000 httpGETa.test/1)
	chmod -R a+rX "$C"
	chmod a+rw "$file"
	chmod 733 "$C"/? "$C"/?/??
	for words in 'list --key httpGETa.test/1' "list --file $file" \
	    'purge --json --soft --key httpGETa.test/1' 'purge --key httpGETa.test/1'; do
		# shellcheck disable=SC2086
		run -0 --separate-stderr as_nobody ngxcache -d "$C,levels=1:2" $words
		equal "$stderr" "" "$words"
		[ -n "$output" ]
	done
	[ ! -e "$file" ]
	run -0 --separate-stderr as_nobody ngxcache list --json -d "$C,levels=1:2" --key httpGETa.test/1
	equal "$output" ""
	run -3 --separate-stderr as_nobody ngxcache list --json -d "$C,levels=1:2" --all
}

@test "an unreadable file is named, and the rest is done" {
	need_nobody
	one=$(mkcache -v -o "$C" httpGETa.test/1)
	two=$(mkcache -v -o "$C" httpGETa.test/2)
	chmod -R a+rwX "$C"
	chmod 600 "$one"
	run -3 --separate-stderr as_nobody ngxcache list --json -d "$C"
	equal "$stderr" "ngxcache: $one: permission denied: run as its owner (root) or as root"
	json_is '[x["file"] for x in lines]' "[\"$two\"]"
	run -3 --separate-stderr as_nobody ngxcache purge --json -d "$C" --glob '*'
	[[ $stderr == "ngxcache: "*"$one"* ]]
	[ -e "$one" ]
}

@test "a file that may not be written is reported by the modes that write" {
	need_nobody
	file=$(mkcache -v -o "$C" --valid 2000000000 httpGETa.test/1)
	chmod -R a+rX "$C"
	before=$(digest "$file")
	for mode in invalidate expire; do
		run -3 --separate-stderr as_nobody ngxcache purge --json -d "$C" --mode "$mode" --all
		[[ $stderr == "ngxcache: $file: "* ]]
		json_is '[d["purged"], d["failed"], len(d["errors"])]' '[0, 1, 1]'
	done
	run -3 --separate-stderr as_nobody ngxcache purge --json -d "$C" --all
	json_is '[d["purged"], d["failed"]]' '[0, 1]'
	equal "$(digest "$file")" "$before"
}

@test "who may read a cache but not change it is told whom to run as" {
	need_nobody
	file=$(mkcache -v -o "$C" --valid 2000000000 httpGETa.test/1)
	chown -R www-data "$C" 2>/dev/null || skip "there is no www-data"
	chmod -R a+rX "$C"
	for mode in $MODES; do
		run -3 --separate-stderr as_nobody ngxcache purge -d "$C" --mode "$mode" --all
		[[ $stderr == "ngxcache: $file: "*': permission denied: run as the owner of the cache (www-data) or as root' ]] ||
		    equal "$stderr" www-data "$mode"
	done
	[ -e "$file" ]
}

@test "the owner of the cache needs no other right" {
	need_nobody
	the_cache
	chown -R nobody "$C"
	find "$C" -type d -exec chmod 700 {} +
	run -0 --separate-stderr as_nobody ngxcache purge --json -d "$C" --all
	equal "$stderr" ""
	json_is '[d["purged"], d["failed"]]' '[11, 0]'
}

# --- what a look-up by name needs ---

@test "a look-up by name reads no level directory: the others may be closed" {
	need_nobody
	mkcache -o "$C" --count 200 --template httpGETa.test/%d
	file=$(mkcache -v -o "$C" httpGETa.test/wanted)
	chown -R nobody "$C"
	dir=${file%/*}
	chmod 000 "$C"/?/??
	chmod 000 "$C"/?
	chmod 700 "$dir" "${dir%/*}"
	run -0 --separate-stderr as_nobody ngxcache purge --json -d "$C,levels=1:2" --key httpGETa.test/wanted
	equal "$stderr" ""
	json_is '[d["walked"], d["purged"], d["failed"]]' '[false, 1, 0]'
	[ ! -e "$file" ]
	run -3 --separate-stderr as_nobody ngxcache purge --json -d "$C,levels=1:2" --glob '*'
	json_is '[d["walked"], len(d["errors"]) > 15]' '[true, true]'
}

# calls PATTERN COMMAND...: how many system calls of such names it makes, in $T/trace
calls() {
	ASAN_OPTIONS=detect_leaks=0 strace -f -qq -e "trace=$1" -o "$T/trace" "${@:2}" >/dev/null
	grep -c '(' "$T/trace" || :
}

need_strace() {
	strace -qq -e trace=none true 2>/dev/null || skip "strace is not installed or cannot trace"
}

@test "a look-up by name reads the root directory alone, once" {
	need_strace
	mkcache -o "$C" --count 300 --template httpGETa.test/%d
	site '$scheme$request_method$host$request_uri'
	calls /getdents ngxcache purge -c "$CONF" http://a.test/7
	equal "$(grep -c getdents "$T/trace")" 1
	calls /getdents ngxcache purge -c "$CONF" --glob '*/8'
	[ "$(grep -c getdents "$T/trace")" -gt 100 ]
	equal "$(entries_in "$C")" 298
}

@test "purge: makes, renames, links and lengthens nothing" {
	need_strace
	for mode in $MODES; do
		rm -rf "$C"
		the_cache
		equal "$(calls '/^(mkdir|mknod|rename|link|symlink|creat|f?truncate|fallocate|f?chmod|f?chown|lchown|rmdir)' \
		    ngxcache purge -d "$C" --mode "$mode" --all)" 0 "$mode"
		[ "$(calls '/^open' ngxcache purge -d "$C" --mode "$mode" --key nope --glob '*')" -gt 0 ]
		run -1 grep O_CREAT "$T/trace"
	done
}

# --- standard streams ---

@test "a reader that went away is no error" {
	mkcache -o "$C" --count 2000 --template httpGETa.test/%d
	for format in --json --color=never -0; do
		ngxcache list "$format" -d "$C" 2>"$T/err" | head -c 10 >/dev/null
		status=("${PIPESTATUS[@]}")
		equal "${status[0]}" 0 "$format"
		equal "$(cat "$T/err")" ""
	done
}

@test "purge: ends its work when the reader went away" {
	mkcache -o "$C" --count 2000 --template httpGETa.test/%d
	ngxcache purge --list -d "$C" --all 2>"$T/err" | true
	status=("${PIPESTATUS[@]}")
	equal "${status[0]}" 0
	equal "$(cat "$T/err")" ""
	equal "$(entries_in "$C")" 0
}

@test "a full disk is a failure" {
	[ -c /dev/full ] || skip "there is no /dev/full"
	mkcache -o "$C" httpGETa.test/1
	for words in list 'list --json' 'list -0' zones 'zones --json' 'show --key httpGETa.test/1' \
	    'show --json --key httpGETa.test/1' 'show --body --key httpGETa.test/1' \
	    'purge -n --all' 'purge --json --list --all' --help --version 'list --help'; do
		rc=0
		# shellcheck disable=SC2086
		ngxcache -d "$C" $words >/dev/full 2>"$T/err" || rc=$?
		equal "$rc" 3 "$words"
		[[ $(cat "$T/err") == 'ngxcache: standard output: '* ]] || equal "$(cat "$T/err")" "$words"
	done
	equal "$(entries_in "$C")" 0
}

@test "a run started without standard streams harms no file" {
	for closed in '<&-' '>&-' '2>&-' '<&- >&-' '<&- 2>&-' '>&- 2>&-' '<&- >&- 2>&-'; do
		rm -rf "$C"
		mkcache -o "$C" --valid 2000000000 httpGETa.test/{1,2,3}
		before=$(find "$C" -type f -exec sha256sum {} + | sort)
		wanted=0
		[[ $closed != *'>&-'* || $closed == '2>&-' || $closed == '<&- 2>&-' ]] || wanted=3
		for words in 'list --json -v' 'purge --json --list --key nope'; do
			rc=0
			eval "ngxcache $words -d '$C' $closed" || rc=$?
			equal "$rc" "$wanted" "$words $closed"
		done
		equal "$(find "$C" -type f -exec sha256sum {} + | sort)" "$before" "$closed"
		rc=0
		eval "ngxcache purge --json --list -d '$C' --key httpGETa.test/2 $closed" || rc=$?
		equal "$rc" "$wanted" "$closed"
		equal "$(entries_in "$C")" 2 "$closed"
		equal "$(find "$C" -type f -exec sha256sum {} + | grep -vxF "$before")" "" "$closed"
	done
}

@test "a closed standard output is a failure" {
	mkcache -o "$C" httpGETa.test/1
	for words in list 'list --json' 'list -0' zones 'zones --json' 'show --key httpGETa.test/1' \
	    'purge -n --all' 'purge --json --list --all' --help --version; do
		rc=0
		# shellcheck disable=SC2086
		ngxcache -d "$C" $words >&- 2>"$T/err" || rc=$?
		equal "$rc" 3 "$words"
		equal "$(cat "$T/err")" 'ngxcache: standard output: Bad file descriptor'
	done
	equal "$(entries_in "$C")" 0
}

@test "a closed standard input is no empty list of URLs" {
	mkcache -o "$C" httpGETa.test/1
	rc=0
	ngxcache purge -d "$C" --from - <&- 2>"$T/err" || rc=$?
	equal "$rc" 2
	[[ $(cat "$T/err") == 'ngxcache: --from: '* ]] || equal "$(cat "$T/err")" "--from"
}

# --- confinement ---

# has_landlock: this kernel and this build have it
has_landlock() {
	# The sum of a coverage build is written into files.
	[ "$VARIANT" != coverage ] || skip "a coverage build is not confined"
	[ "$VARIANT" != tsan ] || skip "nothing can be preloaded before the thread sanitizer"
	"$PYTHON" -c 'import ctypes, sys
sys.exit(ctypes.CDLL(None).syscall(444, None, 0, 1) < 1)' || skip "this kernel has no Landlock"
}

# A rule of inject makes the program do what it never should, here: run a shell.
@test "purge: no mistake in it can change anything but the caches" {
	has_landlock
	the_cache
	rule="unlinkat:1=!touch $T/outside"
	run -0 inject "$rule" ngxcache purge -d "$C" --mode remove --file "$(find "$C" -type f | head -n 1)"
	[ -e "$T/outside" ]
	rm "$T/outside"
	for words in '' "--backup $T/out/a.tar"; do
		mkdir -p "$T/out"
		# shellcheck disable=SC2086
		INJECT_CONFINED=1 run inject "$rule" ngxcache purge -d "$C" $words --all
		equal "$status" 134 "a shell was not run"
		[[ $output == *"inject: bad rule"* ]]
		[ ! -e "$T/outside" ]
	done
}

@test "purge: where the kernel cannot confine it, it purges all the same" {
	unused=open@nothing:1=EIO
	the_cache
	run -0 --separate-stderr inject "$unused" ngxcache purge --json -d "$C" --key httpGETa.test/1
	equal "$stderr" ""
	run -0 --separate-stderr inject "$unused" ngxcache purge -v --json -d "$C" --all
	[[ $stderr == *"ngxcache: not confined to the caches: Landlock: "* ]]
	equal "$(entries_in "$C")" 0
}
