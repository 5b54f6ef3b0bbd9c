#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# The command line itself: help, version, global options, and what is wrong with it.

load cli

COMMANDS='zones list show purge reload'

@test "help: names every command, on standard output" {
	ok --help
	for command in $COMMANDS; do
		grep -qE "^ +$command " <<<"$output"
	done
	whole=$output
	ok -h
	equal "$output" "$whole"
	ok help
	equal "$output" "$whole"
}

@test "help: of a command is the same in all three spellings" {
	for command in $COMMANDS; do
		ok help "$command"
		whole=$output
		[[ $whole == *"ngxcache $command"* ]]
		ok "$command" --help
		equal "$output" "$whole"
		ok "$command" -h
		equal "$output" "$whole"
		ok --help "$command"
		equal "$output" "$whole"
	done
}

@test "help: global options may stand before it" {
	ok help list
	whole=$output
	ok -v help list
	equal "$output" "$whole"
	ok --json --now 1 help list
	equal "$output" "$whole"
}

@test "help: of every command names the global options" {
	for command in $COMMANDS; do
		ok help "$command"
		for option in '-c, --conf' '-p, --prefix' '-R, --root' '-z, --zone' '-d, --cache' --json \
		    --now '-j, --jobs' --nice '-q, --quiet' '-v, --verbose' --color '-h, --help' '-V, --version'; do
			grep -qE -- "^ +$option( |$)" <<<"$output" || equal missing "$option" "$command"
		done
	done
}

@test "help: names the options of selection where a command selects" {
	for command in list purge; do
		ok help "$command"
		for option in --key --glob --regex --file --all --host --status --expired --fresh \
		    --exclude --fail-if-none; do
			grep -qE -- "^ +$option( |$)" <<<"$output" || equal missing "$option" "$command"
		done
	done
}

@test "help: names each command's own options" {
	while read -r command options; do
		ok help "$command"
		for option in $options; do
			grep -qE -- "^ +(-., )?$option( |$)" <<<"$output" || equal missing "$option" "$command"
		done
	done <<-'END'
		zones --no-usage
		list --null
		show --key --file --body
		purge --mode --soft --refetch --dry-run --list --yes
		reload --signal
	END
}

@test "help: of an unknown command is refused" {
	refused "unknown command 'frobnicate'" help frobnicate
}

@test "version: is one line on standard output" {
	ok --version
	[[ $output =~ ^ngxcache\ [0-9]+\.[0-9]+(\.[0-9]+)?$ ]]
	version=$output
	ok -V
	equal "$output" "$version"
	ok list -V
	equal "$output" "$version"
}

@test "a missing command is refused" {
	refused 'command'
	refused 'command' --json
}

@test "an unknown command is refused, with the one that was meant" {
	refused "unknown command 'prugde', did you mean 'purge'?" prugde
	refused "unknown command 'zone', did you mean 'zones'?" zone
}

@test "an unknown command that resembles none gets no guess" {
	refused "unknown command 'frobnicate'" frobnicate
	[[ $stderr != *'did you mean'* ]]
}

@test "an unknown option is refused, with the one that was meant" {
	refused "unknown option '--jsn', did you mean '--json'?" list --jsn
	refused "unknown option '--drry-run', did you mean '--dry-run'?" purge --drry-run
	refused "unknown option '--jsn', did you mean '--json'?" --jsn list
	refused "unknown option '-X'" list -X
}

@test "an option of another command is refused" {
	refused "'--mode'" list --mode expire
	refused "'--all'" show --all
	refused "'--all'" zones --all
	refused "'--glob'" reload --glob '*'
	refused "'--no-usage'" purge --no-usage
}

@test "an option is never abbreviated" {
	refused "'--js'" list --js
	refused "'--verb'" --verb list
	refused "'--dry'" purge --dry --all
}

@test "misuse points to the help" {
	refused "ngxcache help purge" purge --frobnicate
	refused "ngxcache help" frobnicate
}

@test "an option without its value is refused" {
	for option in -c --conf -p --prefix -R --root -z --zone -d --cache --now -j --jobs --color; do
		refused "$option' needs a value" list "$option"
		refused "$option' needs a value" "$option"
	done
	for option in --key --glob --regex --file --host --status --exclude; do
		refused "$option' needs a value" list "$option"
		refused "$option' needs a value" purge "$option"
	done
	refused "--mode' needs a value" purge --mode
	refused "--signal' needs a value" reload --signal
	refused "--key' needs a value" show --key
}

@test "a value for an option that takes none is refused" {
	refused "--json" list --json=yes
	refused "--all" purge --all=yes
	refused "--dry-run" purge -d "$T" --all --dry-run=no
}

@test "a value may be joined to its option" {
	mkcache -o "$C" GETa.test/1
	ok list --json "--cache=$C" --now="$NOW" --glob='GET*'
	keys GETa.test/1
	ok list --json "-d$C" -j2
	keys GETa.test/1
}

@test "global options may stand before and after the command" {
	mkcache -o "$C" httpGETa.test/1
	ok list --json -d "$C" --now "$NOW"
	whole=$output
	ok -d "$C" --json --now "$NOW" list
	equal "$output" "$whole"
	ok --json list -d "$C" http://a.test/1 --now "$NOW"
	equal "$output" "$whole"
	ok list http://a.test/1 --json --now "$NOW" -d "$C"
	equal "$output" "$whole"
}

@test "-- ends the options" {
	mkcache -o "$C" httpGETa.test/1 httpGETa.test/2
	ok list -d "$C" --json -- http://a.test/1
	keys httpGETa.test/1
	refused "'--json'" list -d "$C" -- --json
	refused "'--all'" purge -d "$C" -- --all
	equal "$(entries_in "$C")" 2
}

@test "commands without arguments refuse one" {
	mkcache -o "$C" GETa.test/1
	refused "'http://a.test/'" zones -d "$C" http://a.test/
	refused "'now'" reload now
}

@test "--nice: runs with the lowest priority of processor and disk" {
	mkcache -o "$C" key
	run -0 --separate-stderr inject "pread:1=!ps -o ni= -p \$PPID >'$T/cpu'; ionice -p \$PPID >'$T/disk'" \
	    ngxcache --nice list --json -d "$C"
	equal "$(jq -r .key <<< "$output")" key
	equal "$(tr -d ' ' < "$T/cpu")" 19
	equal "$(cat "$T/disk")" idle
}

@test "a run of more than a second tells a terminal how far it is, and nobody else" {
	mkcache -o "$C" one two three
	slow="INJECT='pread:2=!sleep 1.3' LD_PRELOAD='$O/tests/lib/inject.so' ngxcache list --json -j 1 -d '$C'"
	[ "$VARIANT" = debug ] || skip "what is preloaded would have to come after the sanitizer"
	run -0 script -qec "$slow" /dev/null
	[[ $output == *'entries looked at'* ]] || equal missing progress "$output"
	run -0 script -qec "$slow -q" /dev/null
	[[ $output != *'looked at'* ]] || equal "$output" quiet
	run -0 --separate-stderr bash -c "$slow"
	equal "$stderr" ''
	run -0 script -qec "ngxcache list --json -j 1 -d '$C'" /dev/null
	[[ $output != *'looked at'* ]] || equal "$output" short
}

@test "--jobs: takes a positive number" {
	mkcache -o "$C" --count 50 --template GETa.test/%d
	for jobs in 1 2 7 64; do
		ok list --json -d "$C" --jobs "$jobs"
		json_is 'len(lines)' 50
	done
	for jobs in 0 -1 x '' 1x 99999999999999999999; do
		refused "--jobs '$jobs'" list -d "$C" --jobs "$jobs"
	done
}

@test "--now: decides freshness" {
	mkcache -o "$C" --valid 1000 --updating 10 --error 20 GETa.test/1
	for case in 999:fresh 1000:fresh 1001:stale 1010:stale 1020:stale 1021:expired; do
		ok list --json -d "$C" --now "${case%:*}"
		json_is 'lines[0]["state"]' "${case#*:}"
	done
	for now in x '' 1.5 1h; do
		refused "--now '$now'" list -d "$C" --now "$now"
	done
}

@test "--color: only auto looks at the terminal" {
	mkcache -o "$C" GETa.test/1
	ok list -d "$C"
	[[ $output != *$'\e'* ]]
	ok list -d "$C" --color auto
	[[ $output != *$'\e'* ]]
	ok list -d "$C" --color never
	[[ $output != *$'\e'* ]]
	ok list -d "$C" --color always
	[[ $output == *$'\e['* ]]
	refused "--color 'sometimes'" list -d "$C" --color sometimes
}

@test "--color: on a terminal auto colours, unless NO_COLOR is set" {
	command -v script >/dev/null || skip "script is not installed"
	mkcache -o "$C" GETa.test/1
	export TERM=xterm SHELL=/bin/sh
	run -0 script -qec "ngxcache list -d '$C'" /dev/null </dev/null
	[[ $output == *$'\e['* ]]
	run -0 script -qec "ngxcache list -d '$C' --color never" /dev/null </dev/null
	[[ $output != *$'\e['* ]]
	export NO_COLOR=1
	run -0 script -qec "ngxcache list -d '$C'" /dev/null </dev/null
	[[ $output != *$'\e['* ]]
	run -0 script -qec "ngxcache list -d '$C' --color always" /dev/null </dev/null
	[[ $output == *$'\e['* ]]
}

@test "--color: JSON has none" {
	mkcache -o "$C" GETa.test/1
	ok list -d "$C" --color always --json
	[[ $output != *$'\e'* ]]
}

@test "--quiet: a purge that works says nothing" {
	mkcache -o "$C" GETa.test/1
	ok purge -q -d "$C" --all
	equal "$output" ""
	equal "$(entries_in "$C")" 0
}

@test "--quiet: errors are still told" {
	refused "$T/none" purge --quiet -d "$T/none" --all
}

@test "--verbose: says which configuration was read" {
	conf </dev/null
	run -0 --separate-stderr ngxcache zones -v -c "$CONF"
	[[ $output$stderr == *"$CONF"* ]]
}

@test "the configuration of NGXCACHE_CONF is read when there is no -c" {
	mkdir "$C"
	conf <<<"proxy_cache_path $C keys_zone=env:1m;"
	cp "$CONF" "$T/env.conf"
	conf <<<"proxy_cache_path $C keys_zone=option:1m;"
	NGXCACHE_CONF=$T/env.conf ok zones --json
	json_is '[z["name"] for z in d["zones"]]' '["env"]'
	NGXCACHE_CONF=$T/env.conf ok zones --json -c "$CONF"
	json_is '[z["name"] for z in d["zones"]]' '["option"]'
	NGXCACHE_CONF=$T/none.conf refused "$T/none.conf" zones
}

@test "under sudo NGXCACHE_CONF is ignored" {
	mkdir "$C"
	conf <<<"proxy_cache_path $C keys_zone=env:1m;"
	NGXCACHE_CONF=$CONF SUDO_UID=1000 run --separate-stderr ngxcache zones --json
	[[ $output != *'"env"'* ]]
	[ "$status" -eq 0 ] || [ "$status" -eq 2 ] || [ "$status" -eq 3 ]
}

@test "under sudo no program of the caller's PATH is run" {
	mkdir "$T/bin"
	printf '#!/bin/sh\n>%s\n' "$T/ran" >"$T/bin/nginx"
	chmod +x "$T/bin/nginx"
	conf <<<'proxy_cache_path cache keys_zone=c:1m;'
	PATH=$T/bin:$PATH SUDO_UID=1000 run ngxcache zones -c "$CONF"
	[ ! -e "$T/ran" ]
	PATH=$T/bin:$PATH run ngxcache zones -c "$CONF"
	[ -e "$T/ran" ]
}

@test "no configuration is read beside -d, unless -c is given" {
	mkcache -o "$C" GETa.test/1
	NGXCACHE_CONF=$T/none.conf ok list --json -d "$C"
	keys GETa.test/1
	mkcache -o "$T/zone" GETa.test/2
	conf <<<"proxy_cache_path $T/zone levels=1:2 keys_zone=one:1m;"
	ok list --json -d "$C" -c "$CONF"
	keys 'GETa.test/1 GETa.test/2'
}

@test "-d: repeated, the entries of all are listed" {
	mkcache -o "$C" GETa.test/1
	mkcache -o "$T/more" GETa.test/2
	ok list --json -d "$C" -d "$T/more"
	keys 'GETa.test/1 GETa.test/2'
	json_is 'sorted(x["file"].rsplit("/", 3)[0] for x in lines)' "[\"$C\", \"$T/more\"]"
}

@test "-d: name= names the zone, also for -z" {
	mkcache -o "$C" GETa.test/1
	mkcache -o "$T/more" GETa.test/2
	ok list --json -d "$C,name=one" -d "$T/more,name=two" -z two
	json_is '[[x["zone"], x["key"]] for x in lines]' '[["two", "GETa.test/2"]]'
	ok list --json -d "$C"
	json_is 'lines[0]["zone"]' null
}

@test "-d: levels= makes an entry of other levels an orphan" {
	mkcache -o "$C" --levels 1:2 GETa.test/1
	mkcache -o "$C" --levels 2 GETa.test/2
	ok list --json -d "$C"
	json_is 'sorted([x["key"], x["orphan"]] for x in lines)' \
	    '[["GETa.test/1", false], ["GETa.test/2", false]]'
	ok list --json -d "$C,levels=2"
	json_is 'sorted([x["key"], x["orphan"]] for x in lines)' \
	    '[["GETa.test/1", true], ["GETa.test/2", false]]'
}

@test "-d: a key is looked up at every levels when they are unknown, without a walk" {
	for levels in none 1 2 1:1 1:2 2:1 2:2 1:1:1 1:1:2 1:2:1 1:2:2 2:1:1 2:1:2 2:2:1 2:2:2; do
		mkcache -o "$C" --levels "$levels" GETa.test/1
		equal "$(entries_in "$C")" 1
		ok purge --json -d "$C" --key GETa.test/1
		json_is '[d["purged"], d["walked"]]' '[1, false]'
		equal "$(entries_in "$C")" 0 "$levels"
	done
}

@test "-d: key= takes the rest, commas and all" {
	mkcache -o "$C" 'a.test,GET,/x' 'b.test,GET,/x'
	ok list --json -d "$C,name=n,key=\$host,\$request_method,\$request_uri"
	json_is 'sorted([x["zone"], x["host"], x["method"], x["uri"]] for x in lines)' \
	    '[["n", "a.test", "GET", "/x"], ["n", "b.test", "GET", "/x"]]'
	ok list --json -d "$C,key=\$host,\$request_method,\$request_uri" http://b.test/x
	keys 'b.test,GET,/x'
}

@test "-d: a comma in the directory is written with a backslash" {
	mkcache -o "$T/a,b" GETa.test/1
	ok list --json -d "$T/a\\,b,name=comma"
	json_is '[[x["zone"], x["file"].rsplit("/", 3)[0]] for x in lines]' "[[\"comma\", \"$T/a,b\"]]"
}

@test "-d: slashes at the end change nothing" {
	mkcache -o "$C" GETa.test/1
	ok list --json -d "$C"
	whole=$output
	ok list --json -d "$C///"
	equal "$output" "$whole"
}

@test "-d: wrong parameters are refused" {
	mkcache -o "$C" GETa.test/1
	for params in ,levels=3 ,levels=1:2:2:1 ,name= ,frobnicate=1 ,levels=0 ,; do
		refused "$C" list -d "$C$params"
	done
	refused "-d" list -d ''
	refused "-d" list -d ',name=x'
}

@test "-z: of a zone that is mistyped, the one that was meant is told" {
	mkcache -o "$C" k
	mkcache -o "$T/more" k
	refused "unknown zone 'imges', did you mean 'images'? there is: images, pages" list \
	    -d "$C,name=images" -d "$T/more,name=pages" -z imges
	refused "unknown zone 'x'; there is: images" list -d "$C,name=images" -z x
}

@test "-z: an unknown zone is refused, and the known ones are named" {
	mkcache -o "$C" GETa.test/1
	mkcache -o "$T/more" GETa.test/2
	refused "unknown zone 'three'" list -d "$C,name=one" -d "$T/more,name=two" -z three
	[[ $stderr == *one* && $stderr == *two* ]]
	refused "unknown zone 'x'" purge -d "$C" -z x --all
	equal "$(entries_in "$C")" 1
}

@test "-z: repeated, each zone counts" {
	for zone in one two three; do
		mkcache -o "$T/$zone" "GET$zone.test/"
	done
	ok list --json -d "$T/one,name=one" -d "$T/two,name=two" -d "$T/three,name=three" \
	    -z one -z three
	keys 'GETone.test/ GETthree.test/'
}

@test "status 0: nothing matched" {
	mkcache -o "$C" GETa.test/1
	for what in '--key GETa.test/2' '--glob x*'; do
		# shellcheck disable=SC2086
		run -0 --separate-stderr ngxcache list -d "$C" $what
		equal "$output" ""
		[[ $stderr == 'ngxcache: nothing matched '* ]]
	done
	ok purge -d "$C" --key GETa.test/2
	ok purge -d "$C" --glob 'x*'
}

@test "status 1: --fail-if-none and nothing matched" {
	mkcache -o "$C" GETa.test/1
	for what in '--key x' '--glob x*' '--regex ^x' 'http://x.test/' '--all --host x.test'; do
		# shellcheck disable=SC2086
		run -1 --separate-stderr ngxcache list -d "$C" --fail-if-none $what
		equal "$output$stderr" ""
		# shellcheck disable=SC2086
		run -1 --separate-stderr ngxcache purge --json -d "$C" --fail-if-none $what
		equal "$stderr" ""
		json_is 'd["matched"]' 0
	done
	equal "$(entries_in "$C")" 1
}

@test "status 0: --fail-if-none and something matched" {
	mkcache -o "$C" GETa.test/1
	ok list -d "$C" --fail-if-none --glob '*'
	ok purge -d "$C" --fail-if-none --dry-run --glob '*'
	ok purge -d "$C" --fail-if-none --glob '*'
}

# wait_full FIFO: until its reader could take as much as a pipe holds
wait_full() {
	"$PYTHON" - "$1" <<-'END'
		import array, fcntl, os, sys, termios, time
		fd = os.open(sys.argv[1], os.O_RDONLY | os.O_NONBLOCK)
		size = fcntl.fcntl(fd, 1032)  # F_GETPIPE_SZ
		end = time.time() + 20
		n = array.array("i", [0])
		while time.time() < end:
		    fcntl.ioctl(fd, termios.FIONREAD, n)
		    if n[0] > size - 4096:
		        sys.exit(0)
		    time.sleep(0.01)
		sys.exit(1)
	END
}

# ended_by SIGNAL ARGUMENT...: the program gets SIGNAL while it waits for the reader of its
# output, which goes to $T/out; its status in $status.
ended_by() {
	local signal=$1 pid

	shift
	mkfifo "$T/fifo"
	exec 4<>"$T/fifo"
	ngxcache "$@" >"$T/fifo" 2>"$T/err" 3>&- 4>&- &
	pid=$!
	wait_full "$T/fifo"
	kill "-$signal" "$pid"
	cat "$T/fifo" >"$T/out" 3>&- 4>&- &
	status=0
	wait "$pid" || status=$?
	exec 4>&-
	wait $!
}

@test "status 128+n: a listing ended by a signal ends with a whole line" {
	mkcache -o "$C" --count 3000 --template GETa.test/%d
	ended_by TERM list --json -d "$C" --jobs 1
	equal "$status" 143
	equal "$(cat "$T/err")" ""
	[ "$(json_get 'len(lines)' "$T/out")" -gt 0 ]
}

@test "status 128+n: a purge ended by a signal closes its document" {
	mkcache -o "$C" --count 3000 --template GETa.test/%d
	ended_by INT purge --json --list -d "$C" --all --jobs 1
	equal "$status" 130
	equal "$(cat "$T/err")" ""
	purged=$(json_get 'd["purged"]' "$T/out")
	equal "$(json_get 'len(d["entries"])' "$T/out")" "$purged"
	equal "$(entries_in "$C")" $((3000 - purged))
}
