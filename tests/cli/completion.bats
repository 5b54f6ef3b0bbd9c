#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# Completion: what the program offers at a place of the command line, and what real shells
# make of that.

load cli

setup() {
	C=$T/cache
	conf <<-END
		proxy_cache_path $C levels=1:2 keys_zone=pages:1m;
		proxy_cache_path $T/other levels=1:2 keys_zone=images:1m;
		server {
			listen 80;
			server_name a.test www.a.test *.b.test ~^c;
			location / { proxy_pass http://127.0.0.1:9; proxy_cache pages; }
		}
	END
	export NGXCACHE_CONF=$CONF
	mkcache -o "$C" http://a.test/1
}

# offers WORDS WORD...: these, sorted, at the end of that line
offers() {
	local wanted=$1

	shift
	run -0 --separate-stderr ngxcache __complete "$@"
	equal "$stderr" ""
	equal "$(cut -f 1 <<<"$output" | sort | xargs)" "$wanted" "$*"
}

@test "completion: every command, and those that begin so" {
	offers "$(ngxcache help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' | (cat; echo help) | sort | xargs)" ''
	offers 'show stats' s
	offers 'purge' -v -z pages --conf=x pu
	offers 'purge' help pu
	offers '' purge pu
}

@test "completion: every option of a command's help, and no other" {
	for command in $(ngxcache help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
		offers "$(ngxcache help "$command" | grep -oE '^ +(-.,)? +--[a-z-]+' | grep -oE -- '--[a-z-]+' | sort | xargs)" \
		    "$command" --
	done
	offers '--limit-host' purge --limit
	offers '' purge -- --limit
}

@test "completion: zones and hosts of the configuration" {
	offers 'images pages' purge -z ''
	offers 'pages' purge --zone p
	offers '--zone=pages' purge --zone=p
	offers 'pages' -c "$CONF" list -z = p
	offers 'pages' list --zone = p
	offers '*.b.test a.test www.a.test' purge --limit-host ''
	offers 'www.a.test' list --host w
	offers 'mine' list -d "$C,name=mine" -z ''
}

@test "completion: nothing is said of a configuration that cannot be read" {
	offers '' -c /nonexistent list -z ''
	offers '' -c - list -z ''
}

@test "completion: status classes, and the next item of a list" {
	offers '2xx' list --status 2x
	offers '2xx,4xx' list --status 2xx,4x
	offers 'host,tag host,type' stats --by host,t
}

# accepted OPTION VALUES COMMAND...: these are offered, and each is taken
accepted() {
	local option=$1 wanted=$2 value

	shift 2
	offers "$wanted" "$1" "$option" ''
	for value in $wanted; do
		run --separate-stderr ngxcache "$@" "$option" "$value"
		[[ $stderr != *expected* && $stderr != *unknown* ]] || equal "$stderr" "" "$1 $option $value"
		[ "$status" -ne 2 ] || equal "$status" "" "$1 $option $value"
	done
}

@test "completion: the values that are offered are those that a command takes" {
	accepted --mode 'expire invalidate remove' purge -n --all
	accepted --format 'csv table tsv' list
	accepted --format 'csv prometheus table' stats
	accepted --sort 'cached expires key size status' list
	accepted --by 'age encoding host method path status tag type zone' stats
	accepted --color 'always auto never' zones
	accepted --request 'GET HEAD POST' explain http://a.test/
	accepted --method 'GET HEAD POST' list
	accepted --status '200 2xx 301 302 304 3xx 403 404 410 4xx 500 502 503 504 5xx' list
}

@test "completion: what reload may send is what it takes" {
	offers 'quit reload reopen stop' reload --signal ''
	refused "expected reload, reopen, quit or stop" reload --signal x
}

@test "completion: files and directories are the shell's" {
	offers ':file' purge --from ''
	offers ':file' -c ''
	offers ':dir' -d ''
	offers ':dir' purge -d ''
	offers ':file' list -d ''
	offers ':file' restore -z pages ''
	offers '' restore cache.tar ''
	offers '' purge --older-than ''
}

# completes SHELL TEXT WORDS: a tab behind TEXT makes these words of it
completes() {
	command -v "$1" >/dev/null || skip "$1 is not installed"
	equal "$("$PYTHON" "$LIB/shell.py" "$1" "$TOP/completions" "$2")" "$3" "$1: $2"
}

in_shell() {
	touch "$T/urls of today"
	completes "$1" 'ngxcache pur' '[ngxcache] [purge]'
	completes "$1" 'ngxcache purge --dry' '[ngxcache] [purge] [--dry-run]'
	completes "$1" 'ngxcache purge --limit-host w' '[ngxcache] [purge] [--limit-host] [www.a.test]'
	completes "$1" 'ngxcache list --zone=p' '[ngxcache] [list] [--zone=pages]'
	completes "$1" "ngxcache purge --from $T/url" "[ngxcache] [purge] [--from] [$T/urls of today]"
}

@test "completion: bash" {
	in_shell bash
}

@test "completion: zsh" {
	in_shell zsh
}

@test "completion: fish" {
	command -v fish >/dev/null || skip "fish is not installed"
	touch "$T/urls of today"
	in_fish() {
		HOME=$T fish --no-config -c "source $TOP/completions/ngxcache.fish; complete -C '$1'" | cut -f 1
	}
	equal "$(in_fish 'ngxcache pur')" purge
	equal "$(in_fish 'ngxcache purge --dry')" --dry-run
	equal "$(in_fish 'ngxcache purge --limit-host w')" www.a.test
	equal "$(in_fish 'ngxcache list --zone=p')" --zone=pages
	[[ $(in_fish "ngxcache purge --from $T/url") == "$T/urls of today" ]]
}
