# SPDX-License-Identifier: BSD-2-Clause
#
# TAP for checks that are written in shell: check NAME COMMAND... reports one test, which
# holds when COMMAND succeeds; what it prints becomes a comment below a failure.
#
# shellcheck shell=bash

tap_count=0
tap_failed=0

check() {
	local name=$1 out

	shift
	tap_count=$((tap_count + 1))
	if out=$("$@" 2>&1); then
		echo "ok $tap_count - $name"
	else
		tap_failed=$((tap_failed + 1))
		echo "not ok $tap_count - $name"
		sed 's/^/# /' <<<"$out"
	fi
}

check_skip() {
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # skip $2"
}

# check_done: the plan and the exit status
check_done() {
	echo "1..$tap_count"
	[ "$tap_failed" -eq 0 ]
	exit
}
