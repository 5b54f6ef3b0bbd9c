#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# The demo holds what it tells, says so when it does not, and leaves nothing behind.

load ../lib/helpers

setup() {
	need_nginx
	php_fpm >/dev/null || skip "php-fpm is not installed"
	mkdir "$T/tmp"
	export TMPDIR=$T/tmp
}

# Neither a file nor a process that names one.
nothing_is_left() {
	equal "$(ls -A "$T/tmp")" ""
	if grep -slzF "$T/tmp" /proc/[0-9]*/cmdline; then
		return 1
	fi
}

@test "demo: every claim is proved, on lines of 80 columns, and nothing is left" {
	run -0 --separate-stderr "$TOP/tests/demo" "$O/ngxcache"
	equal "$stderr" ""
	[[ $output != *'>>>'* ]]
	[[ $output == *'Everything happened as told'* ]]
	equal "$(grep -vE '^(\$|file|blog|shop) ' <<<"$output" | awk 'length > 80')" ""
	nothing_is_left
}

@test "demo: a purge that does nothing is found out, and nothing is left" {
	mkdir "$T/bin"
	cat >"$T/bin/ngxcache" <<-END
		#!/bin/sh
		case " \$* " in
		*' purge '*) exit 0 ;;
		esac
		exec "$O/ngxcache" "\$@"
	END
	chmod +x "$T/bin/ngxcache"
	run -1 --separate-stderr "$TOP/tests/demo" "$T/bin/ngxcache"
	[[ $output == *'>>> this should be MISS with version 2'* ]]
	[[ $stderr == 'demo: something did not happen as told'* ]]
	nothing_is_left
}

@test "demo: interrupted, it ends with that signal's status and nothing is left" {
	"$TOP/tests/demo" "$O/ngxcache" >"$T/out" 2>&1 3>&- &
	demo=$!
	wait_until '[ -s "$T"/tmp/*/nginx.pid ]' 20
	kill -TERM "$demo"
	status=0
	wait "$demo" || status=$?
	equal "$status" 143
	nothing_is_left
}
