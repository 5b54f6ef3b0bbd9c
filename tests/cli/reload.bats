#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# reload without nginx: what it refuses, and whom it does not signal.  With nginx:
# tests/e2e/reload.bats.

load cli

setup() {
	conf <<<"proxy_cache_path $T/none keys_zone=pages:1m;"
	sed -i "1i pid $T/nginx.pid;\nerror_log $T/error.log;" "$CONF"
	BYSTANDER=
}

teardown() {
	[ -z "$BYSTANDER" ] || kill "$BYSTANDER" 2>/dev/null || :
}

# bystander PROGRAM [TITLE]: a process that waits, its pid in $BYSTANDER and in the pid file
bystander() {
	local pipe

	mkfifo "$T/pipe"
	(exec -a "${2:-$1}" "$1" "$T/pipe" >/dev/null 2>&1 3>&-) &
	BYSTANDER=$!
	echo "$BYSTANDER" >"$T/nginx.pid"
	wait_until "[ \"\$(tr '\\0' ' ' </proc/$BYSTANDER/cmdline)\" = '${2:-$1} $T/pipe ' ]"
}

lives() {
	kill -0 "$BYSTANDER"
}

@test "reload: without a pid file nginx is not running" {
	for signal in reload reopen quit stop; do
		fails 3 "$T/nginx.pid" reload -c "$CONF" --signal "$signal"
		equal "$(wc -l <<<"$stderr")" 1
	done
}

@test "reload: a pid file without a pid is a failure" {
	for text in '' x 0 1 -5 '12 13' 99999999999; do
		echo "$text" >"$T/nginx.pid"
		fails 3 "$T/nginx.pid" reload -c "$CONF"
	done
}

@test "reload: a pid file of a process that is gone is a failure" {
	bash -c 'echo $$' >"$T/nginx.pid"
	fails 3 "$(cat "$T/nginx.pid")" reload -c "$CONF"
}

@test "reload: a process that is not nginx is not signalled" {
	bystander "$(type -P cat)"
	for signal in reload reopen quit stop; do
		fails 3 "$BYSTANDER" reload -c "$CONF" --signal "$signal"
		[[ $stderr == *'not signalled'* ]]
		lives
	done
}

@test "reload: a process that only calls itself nginx is not signalled" {
	bystander "$(type -P cat)" 'nginx: master process /usr/sbin/nginx'
	for signal in reload stop; do
		fails 3 "$BYSTANDER" reload -c "$CONF" --signal "$signal"
		lives
	done
}

@test "reload: nginx that is no master is not signalled" {
	cp "$(type -P cat)" "$T/nginx"
	bystander "$T/nginx" 'nginx: worker process'
	fails 3 "$BYSTANDER" reload -c "$CONF" --signal stop
	lives
}

@test "reload: what the test of the configuration refuses is not signalled" {
	cp "$(type -P cat)" "$T/nginx"
	"$T/nginx" /dev/null || skip "cat cannot be copied"
	bystander "$T/nginx" "nginx: master process $T/nginx"
	# cat knows no -c: its words are shown as nginx's would be.
	refused '' reload -c "$CONF"
	equal "$(head -n 1 <<<"$stderr" | grep -c -- "-- 'c'")" 1
	lives
	refused '' reload --json -c "$CONF"
	lives
}

@test "reload: JSON has the fields of the manual, in order" {
	cp "$(type -P cat)" "$T/nginx"
	"$T/nginx" /dev/null || skip "cat cannot be copied"
	bystander "$T/nginx" "nginx: master process $T/nginx"
	ok reload --json -c "$CONF" --signal stop
	shape d schema:int command:str signal:str pid:int tested:bool ok:bool workers_before:list \
	    workers_after:list messages:list
	json_is '[d["schema"], d["command"], d["signal"], d["pid"]]' "[1, \"reload\", \"stop\", $BYSTANDER]"
	json_is '[d["tested"], d["ok"], d["workers_before"], d["workers_after"]]' '[false, true, [], []]'
	run ! lives
	BYSTANDER=
}

@test "reload: a failure before the signal is a document with --json, too" {
	fails 3 "$T/nginx.pid" reload --json -c "$CONF"
	json_is '[d["ok"], d["pid"], d["tested"]]' '[false, null, false]'
}

@test "reload: an unknown signal is refused" {
	for signal in HUP restart '' Reload; do
		refused "--signal '$signal'" reload -c "$CONF" --signal "$signal"
	done
}

@test "reload: needs the file of the configuration" {
	refused '' reload -c - <"$CONF"
	mkcache -o "$C" GETa.test/1
	refused '' reload -d "$C"
}

@test "reload: below another root only that of a process is possible" {
	mkdir -p "$T/root/etc/nginx"
	cp "$CONF" "$T/root/etc/nginx/nginx.conf"
	refused "$T/root" reload -R "$T/root"
	refused '' reload -R "$T/root/proc/1/root" -c "$CONF"
}

@test "reload: a relative pid file lies below the prefix" {
	sed -i 's,^pid .*,pid run/nginx.pid;,' "$CONF"
	fails 3 "$T/prefix/run/nginx.pid" reload -c "$CONF" -p "$T/prefix"
}
