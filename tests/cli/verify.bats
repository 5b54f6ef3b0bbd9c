#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# verify: each reason, what is not wrong, and what a repair removes and leaves.

load cli

# wrong REASON [CLASS]: verify of $C finds one file, for that reason; $found is its path.
wrong() {
	run -1 --separate-stderr ngxcache verify --json -d "$C${PARAMS:-}"
	equal "$stderr" ""
	json_is '[x["reason"] for x in lines]' "[\"$1\"]"
	json_is 'lines[0]["class"]' "$2"
	json_is 'lines[0]["repaired"]' false
	found=$(json_get 'lines[0]["file"]' <<<"$output")
}

# clean: verify of $C finds nothing
clean() {
	ok verify --json -d "$C${PARAMS:-}"
	equal "$output" ""
}

# one [OPTION...]: a cache with a single entry, $file
one() {
	rm -rf "$C"
	file=$(mkcache -v -o "$C" "$@" httpGETa.test/1)
}

# old FILE...: last written to more than an hour ago
old() {
	touch -d '61 minutes ago' "$@"
}

# --- the binary header ---

@test "verify: a file that ends within its binary header or its key is too small" {
	for size in 0 10 100 335 341 345; do
		one --truncate $size
		wrong too_small damaged
		equal "$found" "$file"
	done
}

@test "verify: a file that ends within its response header is too small" {
	one --truncate 380
	wrong too_small damaged
	one --fastcgi --truncate 380
	wrong too_small damaged
}

@test "verify: another version, random bytes and zeros are an unknown version" {
	for version in 01 03 04 06; do
		one --poke 0=$version
		wrong unknown_version damaged
	done
	for source in /dev/zero /dev/urandom; do
		one
		head -c 4096 $source >"$file"
		wrong unknown_version damaged
	done
}

@test "verify: impossible offsets are told from a cut" {
	one --poke 54=0000
	wrong bad_offsets damaged
	one --poke 54=ffff --poke 56=ffff # beyond the file, and the key is whole
	wrong bad_offsets damaged
	one --poke 56=0100
	wrong bad_offsets damaged
	one --poke 56=ffff
	wrong bad_offsets damaged
	one --poke 187=81 # nginx: incorrect vary length
	wrong bad_offsets damaged
}

@test "verify: a key mark that is not there" {
	for at in 336 337 341; do
		one --poke $at=58
		wrong bad_key_mark damaged
	done
	one --layout v0 --poke 41=58
	wrong bad_key_mark damaged
}

@test "verify: a changed byte of the key or of its checksum" {
	one --poke 345=58
	wrong bad_crc damaged
	one --poke 48=00000000
	wrong bad_crc damaged
}

@test "verify: the same in every layout" {
	for abi in lp64le lp64be ilp32le ilp32be i386t64; do
		for layout in v0 v2 v3 v5; do
			one --abi $abi --layout $layout
			clean
			printf X | dd of="$file" bs=1 conv=notrunc status=none \
			    seek=$(($(grep -abo 'KEY: ' "$file" | cut -d: -f1) + 8))
			wrong bad_crc damaged
			one --abi $abi --layout $layout --truncate 20
			wrong too_small damaged
		done
	done
}

# --- name and place ---

@test "verify: a name that is neither the key's nor the variant's" {
	one --name 0123456789abcdef0123456789abcdef
	wrong name_mismatch damaged
	one --vary Accept --variant-headers 'Accept: a' --name 0123456789abcdef0123456789abcdef
	wrong name_mismatch damaged
}

@test "verify: an entry at the place of other levels is an orphan" {
	PARAMS=,levels=2:2
	one --levels 1:2
	wrong orphan orphan
	PARAMS=
	clean # any levels are right when none are known
}

# --- the stored response ---

@test "verify: a body that is shorter or longer than its Content-Length" {
	one --body-size 1000 --truncate 1200
	wrong body_short misserved
	[[ $output == *"Content-Length 1000"* ]]
	one --body hello
	printf x >>"$file"
	wrong body_long misserved
	json_is 'lines[0]["detail"]' '6 bytes, Content-Length 5'
	one --fastcgi --body hello
	truncate -s -1 "$file"
	wrong body_short misserved
}

@test "verify: a file cut exactly where its body begins is short" {
	one --body hello
	truncate -s -5 "$file"
	wrong body_short misserved
}

@test "verify: a body without a length, or of chunks, cannot be short" {
	one --no-length --body hello
	clean
	truncate -s -5 "$file"
	clean
	one --header 'Transfer-Encoding: chunked' --body hello
	printf xx >>"$file"
	clean
}

@test "verify: a HEAD, a 204 and a 304 have no body" {
	for args in 'httpHEADa.test/1' '--status 204 httpGETa.test/1' '--status 304 httpGETa.test/1'; do
		rm -rf "$C"
		# shellcheck disable=SC2086
		mkcache -o "$C" --body '' --no-length --header 'Content-Length: 500' $args
		clean
	done
	rm -rf "$C"
	mkcache -o "$C" --body 'some' --no-length --header 'Content-Length: 500' httpHEADa.test/1
	wrong body_short misserved
}

@test "verify: a key of one's own that holds HEAD may be a HEAD's" {
	mkcache -o "$C" --body '' --no-length --header 'Content-Length: 500' 'my|HEAD|key'
	clean
	mkcache -o "$C" --body '' --no-length --header 'Content-Length: 500' 'my|GET|key'
	wrong body_short misserved
}

@test "verify: a garbled response header" {
	one --head-base64 "$(printf 'HTTP/1.1 xxx\r\nA: b\r\n\r\n' | base64)"
	wrong bad_header misserved
	one --head-base64 "$(printf 'XTTP/1.1 200 OK\r\nA: b\r\n\r\n' | base64)"
	wrong bad_header misserved
	one --head-base64 "$(printf 'HTTP/1.1 200 OK\r\nA: \0b\r\n\r\n' | base64)"
	wrong bad_header misserved
	one --head-base64 "$(printf 'HTTP/1.1 200 OK\r\nA: b\r\n' | base64)"
	wrong bad_header misserved
}

@test "verify: garbled FastCGI records" {
	one --fastcgi
	at=$(($(grep -abo 'httpGETa.test/1' "$file" | cut -d: -f1) + 16))
	printf '\377' | dd of="$file" bs=1 conv=notrunc status=none seek=$((at + 3)) # the request id
	wrong bad_framing misserved
}

@test "verify: in a zone of fastcgi everything is in records, in a zone of proxy nothing" {
	conf <<-END
		fastcgi_cache_path $C levels=1:2 keys_zone=f:1m;
		proxy_cache_path $T/p levels=1:2 keys_zone=p:1m;
	END
	one --fastcgi
	printf '\002' | dd of="$file" bs=1 conv=notrunc status=none \
	    seek=$(($(grep -abo 'httpGETa.test/1' "$file" | cut -d: -f1) + 16))
	mkcache -o "$T/p" --cgi httpGETa.test/2
	run -1 --separate-stderr ngxcache verify --json -c "$CONF"
	json_is 'sorted([x["zone"], x["reason"]] for x in lines)' '[["f", "bad_framing"], ["p", "bad_header"]]'
}

# --- what is not an entry ---

@test "verify: a temporary file is told of when it is older than an hour" {
	one
	cp "$file" "$file.0000000001"
	clean
	old "$file.0000000001"
	wrong temporary temporary
	equal "$found" "$file.0000000001"
	rm "$found"
	mkdir -p "$C/temp/5/00"
	touch "$C/temp/5/00/0000000005"
	clean
	old "$C/temp/5/00/0000000005"
	wrong temporary temporary
	equal "$found" "$C/temp/5/00/0000000005"
}

@test "verify: what is not nginx's is foreign" {
	for name in README a/.lock DE 1/0123456789abcdef0123456789abcdef 0123456789ABCDEF0123456789ABCDEF \
	    temp/x; do
		one
		mkdir -p "$C/a" "$C/1" "$C/temp"
		touch "$C/$name"
		wrong foreign foreign
		equal "$found" "$C/$name"
	done
	one
	mkdir "$C/other"
	wrong foreign foreign
	one
	mkfifo "$file.fifo"
	wrong foreign foreign
}

@test "verify: the lost+found of a file system is not foreign" {
	one
	mkdir "$C/lost+found"
	clean
	mkdir "$C/1"
	mkdir "$C/1/lost+found"
	wrong foreign foreign
}

@test "verify: symbolic links of every name, and a directory in the place of a file" {
	for name in x 3 temp 0123456789abcdef0123456789abcdef 0123456789abcdef0123456789abcdef.0000000001; do
		one
		ln -s /nowhere "$C/$name"
		wrong symlink foreign
		equal "$found" "$C/$name"
	done
	one
	rm "$file"
	mkdir "$file"
	wrong directory foreign
	equal "$found" "$file"
}

@test "verify: the root of another zone is not foreign" {
	conf <<-END
		proxy_cache_path $C levels=1:2 keys_zone=a:1m;
		proxy_cache_path $C/img levels=1:2 keys_zone=b:1m;
	END
	one
	mkcache -o "$C/img" httpGETa.test/2
	ok verify --json -c "$CONF"
	equal "$output" ""
}

@test "verify: a file with another owner, mode or name than nginx makes" {
	one
	chmod 644 "$file"
	wrong mode ownership
	chmod 600 "$file"
	ln "$file" "$T/second"
	wrong hard_link foreign
	rm "$T/second"
	clean
	need_root
	chown -R 65534 "$C"
	clean
	chown 0 "$file"
	wrong owner ownership
	chown 0 "$C" # as whom the workers run is not known
	clean
}

@test "verify: what the disk does not give is unreadable, and stays" {
	one
	mkcache -o "$C" httpGETa.test/2
	run -1 --separate-stderr inject "pread:1=EIO" ngxcache verify --json --repair -j 1 -d "$C"
	equal "$stderr" ""
	json_is '[[x["class"], x["reason"], x["repaired"]] for x in lines]' '[["damaged", "unreadable", false]]'
	equal "$(entries_in "$C")" 2
}

# --- selections ---

@test "verify: a selection judges entries alone, and of these the selected ones" {
	mkcache -o "$C" --body-size 1000 --truncate 1200 httpGETa.test/1 httpGETb.test/2
	mkcache -o "$C" --truncate 100 httpGETa.test/3
	touch "$C/README"
	for selection in '--host a.test' 'http://a.test/1' '--glob *a.test* --glob *1'; do
		# shellcheck disable=SC2086
		run -1 --separate-stderr ngxcache verify --json -d "$C" $selection
		equal "$stderr" ""
		json_is '[x["reason"] for x in lines]' '["body_short"]'
	done
	run -1 --separate-stderr ngxcache verify --json -d "$C" --all
	json_is 'sorted(x["reason"] for x in lines)' '["body_short", "body_short", "foreign", "too_small"]'
	damaged=$(find "$C" -type f -size 1 -name '[0-9a-f]*')
	run -1 --separate-stderr ngxcache verify --json --file "$damaged"
	json_is '[x["reason"] for x in lines]' '["too_small"]'
}

@test "verify: the border of --limit-host holds for repairs, too" {
	mkcache -o "$C" --body-size 1000 --truncate 1200 httpGETa.test/1 httpGETb.test/2
	mkcache -o "$C" --truncate 100 httpGETa.test/3
	run -1 --separate-stderr ngxcache verify --json --repair --all --limit-host a.test \
	    -d "$C,key=\$scheme\$request_method\$host\$request_uri"
	json_is '[[x["reason"], x["repaired"]] for x in lines]' '[["body_short", true]]'
	equal "$(entries_in "$C")" 2
}

# --- repair ---

# spoiled: an entry of every kind in $C, $keep of which a repair leaves
spoiled() {
	mkcache -o "$C" httpGETa.test/good
	mkcache -o "$C" --truncate 100 httpGETa.test/damaged
	mkcache -o "$C" --body-size 1000 --truncate 1200 httpGETa.test/short
	mkcache -o "$C" --levels 2:2 httpGETa.test/orphan
	mkcache -o "$C" --suffix .0000000001 httpGETa.test/old
	old "$C"/*/*/*.0000000001
	mkcache -o "$C" --suffix .0000000002 httpGETa.test/new
	touch "$C/README"
	ln -s /nowhere "$C/link"
	mkdir "$C/dir"
	file=$(mkcache -v -o "$C" httpGETa.test/mode)
	chmod 640 "$file"
	PARAMS=,levels=1:2
}

@test "verify: a repair removes what is bad, leaves the rest and says both" {
	spoiled
	run -1 --separate-stderr ngxcache verify --json --repair -d "$C$PARAMS"
	equal "$stderr" ""
	json_is 'sorted([x["reason"], x["repaired"]] for x in lines)' \
	    "[[\"body_short\", true], [\"foreign\", false], [\"foreign\", false], [\"mode\", false], [\"orphan\", true], [\"symlink\", false], [\"temporary\", true], [\"too_small\", true]]"
	ok list --json -d "$C"
	keys 'httpGETa.test/good httpGETa.test/mode'
	[ -e "$C/README" ] && [ -L "$C/link" ] && [ -d "$C/dir" ]
	equal "$(find "$C" -name '*.0000000002' | wc -l)" 1
	run -1 --separate-stderr ngxcache verify --json --repair -d "$C$PARAMS"
	json_is 'len([x for x in lines if x["repaired"]])' 0
}

@test "verify: a dry run tells the same and touches nothing" {
	spoiled
	before=$(tree "$C")
	run -1 --separate-stderr ngxcache verify --json --repair -n -d "$C$PARAMS"
	json_is 'len([x for x in lines if x["repaired"]])' 4
	run -1 --separate-stderr ngxcache verify --repair --dry-run -d "$C$PARAMS"
	[[ $output == *'; would be removed'*'; 4 would be removed, 4 left'* ]]
	equal "$(tree "$C")" "$before"
}

@test "verify: without --repair nothing is changed, access times included" {
	spoiled
	mapfile -t all < <(find "$C")
	touch -h -a -d '2 days ago' "${all[@]}"
	before=$(stat -c '%n %x %y %z' "${all[@]}")
	run -1 --separate-stderr ngxcache verify -d "$C$PARAMS"
	equal "$(stat -c '%n %x %y %z' "${all[@]}")" "$before"
}

@test "verify: a temporary file that a process holds open is left" {
	one
	cp "$file" "$file.0000000001"
	exec 9<>"$file.0000000001"
	old "$file.0000000001"
	run -1 --separate-stderr ngxcache verify --json --repair -d "$C"
	json_is '[[x["reason"], x["repaired"], x["detail"]] for x in lines]' \
	    '[["temporary", false, "a process holds it open"]]'
	exec 9>&-
	run -1 --separate-stderr ngxcache verify --json --repair -d "$C"
	json_is '[[x["reason"], x["repaired"]] for x in lines]' '[["temporary", true]]'
	[ ! -e "$file.0000000001" ]
}

@test "verify: --now makes no temporary file old enough to be removed" {
	one
	cp "$file" "$file.0000000001"
	run -1 --separate-stderr ngxcache verify --json --repair -d "$C" --now $(($(date +%s) + 9000))
	json_is '[[x["reason"], x["repaired"]] for x in lines]' '[["temporary", false]]'
	[ -e "$file.0000000001" ]
}

@test "verify: the owner of a temporary file need not be root to remove it" {
	need_root
	one
	cp "$file" "$file.0000000001"
	old "$file.0000000001"
	chown -R 65534 "$C"
	as_nobody ngxcache --version >/dev/null || skip "nobody cannot run the program"
	exec 9<>"$file.0000000001"
	run -1 --separate-stderr as_nobody ngxcache verify --json --repair -d "$C"
	json_is '[[x["reason"], x["repaired"]] for x in lines]' '[["temporary", false]]'
	exec 9>&-
	run -1 --separate-stderr as_nobody ngxcache verify --json --repair -d "$C"
	json_is '[[x["reason"], x["repaired"]] for x in lines]' '[["temporary", true]]'
	[ ! -e "$file.0000000001" ]
}

@test "verify: what cannot be removed is status 3, and told" {
	one --truncate 100
	run -3 --separate-stderr inject 'unlinkat:1=EACCES' ngxcache verify --json --repair -d "$C"
	[[ $stderr == "ngxcache: $file: unlink: "* ]] || equal "$stderr" "$file: unlink"
	json_is '[[x["reason"], x["repaired"]] for x in lines]' '[["too_small", false]]'
}

@test "verify: a file that is replaced or vanishes while it is looked at is not told of" {
	one --truncate 100
	mkcache -o "$T/new" httpGETa.test/1
	fresh=$(find "$T/new" -type f)
	run -0 --separate-stderr inject "fstatat@${file##*/}:1=!cp $fresh $file.tmp; mv $file.tmp $file" \
	    ngxcache verify --json --repair -d "$C"
	equal "$output$stderr" ""
	clean
	one --truncate 100
	run -0 --separate-stderr inject "fstatat@${file##*/}:1=!rm $file" \
	    ngxcache verify --json -d "$C"
	equal "$output$stderr" ""
}

@test "verify: a directory that may not be read is status 3, the rest is judged" {
	need_root
	mkcache -o "$C" --truncate 100 httpGETa.test/1
	mkcache -o "$C" httpGETa.test/2 httpGETa.test/3
	chown -R 65534 "$C"
	as_nobody ngxcache --version >/dev/null || skip "nobody cannot run the program"
	other=$(find "$C" -type f -size +400c | head -n 1)
	chown 0 "${other%/*}"
	run -3 --separate-stderr as_nobody ngxcache verify --json -d "$C"
	[[ $stderr == *"permission denied"* ]]
	json_is '[x["reason"] for x in lines]' '["too_small"]'
	run -3 --separate-stderr as_nobody ngxcache verify -d "$C"
	equal "${lines[-1]}" "2 entries looked at, 1 wrong: 1 damaged; 1 failure"
}

@test "verify: of what could not be looked at it is not said that nothing is wrong" {
	need_root
	mkcache -o "$C" httpGETa.test/1
	chmod 700 "$C"
	as_nobody ngxcache --version >/dev/null || skip "nobody cannot run the program"
	run -3 --separate-stderr as_nobody ngxcache verify -d "$C"
	equal "$output" "0 entries looked at; 1 failure"
}

# --- text, statuses ---

@test "verify: text has a line for each file and one that counts" {
	one --body hello
	printf x >>"$file"
	run -1 --separate-stderr ngxcache verify -d "$C"
	equal "$output" "body_long        $file  6 bytes, Content-Length 5
1 entry looked at, 1 wrong: 1 misserved"
	run -1 --separate-stderr ngxcache verify -q -d "$C"
	equal "$output" "body_long        $file  6 bytes, Content-Length 5"
	rm "$file"
	ok verify -d "$C"
	equal "$output" "0 entries looked at, nothing wrong"
}

@test "verify: names that a terminal must not see are escaped" {
	one
	touch "$C/"$'\e[31m'
	run -1 --separate-stderr ngxcache verify -d "$C"
	[[ $output == *'\x1b[31m'* && $output != *$'\e'* ]]
}

@test "verify: --dry-run alone, and a walk that is forbidden, are refused" {
	one
	refused '--dry-run goes with --repair' verify -n -d "$C"
	refused 'need a walk' verify --no-walk -d "$C"
}

@test "verify: nothing matched is fine, or status 1 when asked so" {
	one
	run -0 --separate-stderr ngxcache verify --key other -d "$C"
	[[ $stderr == *'looked up'* ]]
	run -1 --separate-stderr ngxcache verify --json --fail-if-none --key other -d "$C"
	equal "$output$stderr" ''
}
