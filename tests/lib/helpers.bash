# SPDX-License-Identifier: BSD-2-Clause
#
# What the bats files share: a fixed environment, the programs under test on the PATH, and
# private servers.  Every test gets its own servers, ports and files, so that tests may run
# beside each other; nothing sleeps for a guessed time: wait_until polls with a deadline.
#
#	load ../lib/helpers
#	setup() { need_nginx; start_origin; site; start_nginx; }
#	teardown() { stop_servers; }
#
# shellcheck shell=bash

bats_require_minimum_version 1.5.0

TOP=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd)
LIB=$TOP/tests/lib
VARIANT=${VARIANT:-debug}
O=$TOP/build/$VARIANT
T=$BATS_TEST_TMPDIR

export LC_ALL=C.UTF-8 TZ=UTC
export PATH=$O:$O/tests/lib:$PATH:/usr/sbin:/sbin
export ASAN_OPTIONS=detect_leaks=1:abort_on_error=1:strict_string_checks=1
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export TSAN_OPTIONS=halt_on_error=1
unset NO_COLOR CLICOLOR_FORCE NGXCACHE_CONF SUDO_UID COLUMNS http_proxy no_proxy

# The worker user of private servers, and their directory.
if [ "$(id -u)" -eq 0 ]; then
	WORKER=www-data
	umask 022
	# The worker must be able to pass.
	if [ -n "${BATS_RUN_TMPDIR:-}" ]; then
		chmod go+x "$BATS_RUN_TMPDIR"
	fi
else
	WORKER=$(id -un)
fi

# The system's interpreter first: shims in front of it are slow.
PYTHON=/usr/bin/python3
[ -x "$PYTHON" ] || PYTHON=python3

# mkcache is a tool, not under test: no search for leaks.
mkcache() {
	ASAN_OPTIONS=detect_leaks=0 command mkcache "$@"
}

# inject RULES COMMAND...: run a program with the faults and races of tests/lib/inject.c
inject() {
	[ "$VARIANT" != tsan ] || skip "nothing can be preloaded before the thread sanitizer"
	INJECT=$1 LD_PRELOAD=$O/tests/lib/inject.so \
	    ASAN_OPTIONS=$ASAN_OPTIONS:verify_asan_link_order=0 "${@:2}"
}

# --- waiting and reading ---

# wait_until CONDITION [SECONDS]: evaluate CONDITION until it holds; fail after SECONDS (10).
wait_until() {
	local deadline=$((SECONDS + ${2:-10} + 1))

	until eval "$1" >/dev/null 2>&1; do
		if [ "$SECONDS" -ge "$deadline" ]; then
			echo "never became true: $1" >&2
			return 1
		fi
		sleep 0.02
	done
}

# The server that evaluates for the tests of this file; false: it does not start.
json_server() {
	JSON=$BATS_FILE_TMPDIR/json
	[ ! -e "$JSON/ready" ] || return 0
	mkdir "$JSON" && mkfifo "$JSON/in" "$JSON/out" || return
	setsid "$PYTHON" -IS "$TOP/tests/lib/json_eval.py" "$JSON" \
	    </dev/null >"$JSON/log" 2>&1 3>&- &
	wait_until '[ -e "$JSON/ready" ]' 60
}

# json_get EXPRESSION [FILE]: a Python expression over the document d, or over lines, the list
# of the objects that stand one on a line; printed as JSON, a lone string without its quotes.
# Reads standard input without FILE.  true, false and null can be written so.
json_get() {
	local path=/proc/$BASHPID/fd/0 id=$BASHPID.$EPOCHREALTIME out name status text

	[ $# -lt 2 ] || path=$(realpath "$2") || return
	json_server || return
	exec {out}<>"$JSON/out"
	printf '%s\0' "$id" "$1" "$path" 1<>"$JSON/in"
	IFS= read -r -d '' -t 60 -u "$out" name && IFS= read -r -d '' -t 60 -u "$out" status &&
	    IFS= read -r -d '' -t 60 -u "$out" text
	exec {out}<&-
	if [ "$name" != "$id" ]; then
		echo "no answer of the JSON server" >&2
		return 1
	fi
	[ "$status" -eq 0 ] || { printf '%s\n' "$text" >&2; return 1; }
	printf '%s\n' "$text"
}

# json_is EXPRESSION WANTED: over the $output of the last run; WANTED as json_get prints it.
json_is() {
	local got

	got=$(json_get "$1" <<<"$output") || return
	if [ "$got" != "$2" ]; then
		printf '%s\n  is     %s\n  not    %s\nin\n%s\n' "$1" "$got" "$2" "$output" >&2
		return 1
	fi
}

# equal GOT WANTED [WHAT]
equal() {
	if [ "$1" != "$2" ]; then
		printf '%sgot     %s\nwanted  %s\n' "${3:+$3
}" "$1" "$2" >&2
		return 1
	fi
}

# --- servers ---

need_nginx() {
	command -v nginx >/dev/null || skip "nginx is not installed"
	command -v curl >/dev/null || skip "curl is not installed"
}

php_fpm() {
	local name

	for name in php-fpm /usr/sbin/php-fpm /usr/sbin/php-fpm[0-9]*; do
		if command -v "$name"; then
			return
		fi
	done
	return 1
}

# free_port: a loopback port nobody listens on, kept for this run of bats
free_port() {
	"$PYTHON" "$LIB/free_port.py" "${BATS_RUN_TMPDIR:-/tmp}"
}

# nginx_conf: write $NGINX/nginx.conf, its http block from standard input.  $NGINX_MAIN
# stands before that block.
nginx_conf() {
	NGINX=$T/nginx
	NGINX_CONF=$NGINX/nginx.conf
	mkdir -p "$NGINX/run" "$NGINX/temp" "$NGINX/log"
	{
		if [ "$(id -u)" -eq 0 ]; then
			echo "user $WORKER;"
		fi
		cat <<-END
			worker_processes ${NGINX_WORKERS:-2};
			pid run/nginx.pid;
			error_log log/error.log info;
			${NGINX_MAIN:-}
			events { worker_connections 256; }
			http {
				access_log log/access.log;
				client_body_temp_path temp/body;
				proxy_temp_path temp/proxy;
				fastcgi_temp_path temp/fastcgi;
				uwsgi_temp_path temp/uwsgi;
				scgi_temp_path temp/scgi;
				server_names_hash_bucket_size 64;
				add_header X-Cache \$upstream_cache_status always;
		END
		sed 's/^/\t/'
		echo "}"
	} >"$NGINX_CONF"
}

# start_nginx [CONF]: start the server of $NGINX and wait until it answers.
start_nginx() {
	local conf=${1:-$NGINX_CONF}

	rm -f "$NGINX/run/nginx.pid"
	nginx -p "$NGINX" -c "$conf" -e "$NGINX/log/error.log" -g 'daemon off;' \
	    </dev/null >"$NGINX/log/start.log" 2>&1 3>&- &
	NGINX_PID=$!
	# The pid file is written when all ports are open.
	wait_until '[ -s "$NGINX/run/nginx.pid" ] || ! kill -0 "$NGINX_PID"' 20
	if ! kill -0 "$NGINX_PID" 2>/dev/null; then
		echo "nginx does not start:" >&2
		cat "$NGINX/log/start.log" "$NGINX/log/error.log" >&2
		return 1
	fi
}

# The pids of nginx's workers that are not shutting down (the cache processes are no workers).
nginx_workers() {
	local pid

	for pid in $(cat "/proc/$NGINX_PID/task/$NGINX_PID/children"); do
		if grep -qz '^nginx: worker process *$' "/proc/$pid/cmdline"; then
			echo "$pid"
		fi
	done
}

# start_origin: an HTTP server whose answers origin_rule and publish decide; see origin.py.
start_origin() {
	ORIGIN=$T/origin
	mkdir -p "$ORIGIN"
	rm -f "$ORIGIN/port"
	publish 1
	"$PYTHON" "$LIB/origin.py" "$ORIGIN" </dev/null >"$ORIGIN/log" 2>&1 3>&- &
	ORIGIN_PID=$!
	wait_until '[ -s "$ORIGIN/port" ]' 20 || { cat "$ORIGIN/log" >&2; return 1; }
	ORIGIN_PORT=$(cat "$ORIGIN/port")
}

# publish VERSION: every page says so from now on.
publish() {
	printf '%s' "$1" >"$T/version.new"
	mv "$T/version.new" "$T/version"
}

# origin_rule GLOB JSON: how the origin answers for paths that match; later rules win.
origin_rule() {
	printf '%s\t%s\n' "$1" "$2" >>"$ORIGIN/rules"
}

# origin_count [REGEX]: how many requests the origin got (whose line matches).
origin_count() {
	grep -cE -- "${1:-.}" "$ORIGIN/requests" || :
}

# start_php: php-fpm with one pool at $PHP_SOCKET; every request runs front.php.
start_php() {
	local fpm

	fpm=$(php_fpm) || skip "php-fpm is not installed"
	PHP=$T/php
	PHP_SOCKET=$PHP/php.sock
	PHP_FRONT=$PHP/front.php
	mkdir -p "$PHP"
	rm -f "$PHP/php.pid"
	cp "$LIB/front.php" "$PHP_FRONT"
	cat >"$PHP/php.conf" <<-END
		[global]
		pid = $PHP/php.pid
		error_log = $PHP/php.log
		[www]
		listen = $PHP_SOCKET
		listen.mode = 0666
		pm = static
		pm.max_children = 3
		env[VERSION_FILE] = $T/version
		env[HOLD_FILE] = $PHP/held
	END
	if [ "$(id -u)" -eq 0 ]; then
		printf 'user = %s\n' "$WORKER" >>"$PHP/php.conf"
	fi
	[ -e "$T/version" ] || publish 1
	"$fpm" --nodaemonize -n -y "$PHP/php.conf" -d opcache.enable=0 \
	    </dev/null >"$PHP/start.log" 2>&1 3>&- &
	PHP_PID=$!
	wait_until '[ -S "$PHP_SOCKET" ] && [ -s "$PHP/php.pid" ]' 20 || {
		cat "$PHP/start.log" "$PHP/php.log" >&2
		return 1
	}
}

# stop_servers: for teardown; end whatever this test started, by its pid.  After a failure it
# shows what the last run said on standard error, and nginx's log.
stop_servers() {
	local pid

	if [ -z "${BATS_TEST_COMPLETED:-}" ]; then
		printf 'standard error: %s\n' "${stderr:-}"
		grep -vE '(info|notice)\]' "$T/nginx/log/error.log" 2>/dev/null | cut -c 1-200 || :
	fi
	for pid in "${NGINX_PID:-}" "${ORIGIN_PID:-}" "${PHP_PID:-}"; do
		if [ -n "$pid" ]; then
			kill "$pid" 2>/dev/null || :
			wait "$pid" 2>/dev/null || :
		fi
	done
	NGINX_PID='' ORIGIN_PID='' PHP_PID=''
}

# --- requests ---

# fetch [CURL OPTION...] URL: ask the private nginx; prints X-Cache, or the status where it
# is no 2xx.  The body is in $T/body, the header block in $T/head.
fetch() {
	local status

	status=$(curl -sS --noproxy '*' --max-time 20 --connect-to "::127.0.0.1:$PORT" \
	    -o "$T/body" -D "$T/head" -w '%{http_code}' "$@") || return
	case $status in
	2??) ;;
	*) printf '%s ' "$status" ;;
	esac
	sed -n 's/\r$//; s/^X-Cache: //p' "$T/head"
}

body() {
	cat "$T/body"
}

# fetch_is STATUS [CURL OPTION...] URL: X-Cache must be STATUS.
fetch_is() {
	local wanted=$1 got

	shift
	got=$(fetch "$@") || return
	equal "$got" "$wanted" "X-Cache of $*"
}

# warm [CURL OPTION...] URL: bring a page into the cache, and see it served from there.
warm() {
	fetch "$@" >/dev/null && fetch_is HIT "$@"
}

# entries_in DIR: how many cache files lie below it.
entries_in() {
	find "$1" -type f -regextype posix-extended -regex '.*/[0-9a-f]{32}' | wc -l
}

# --- other users ---

# as_nobody COMMAND...: run it without any right; needs root.
as_nobody() {
	setpriv --reuid=65534 --regid=65534 --clear-groups -- "$@"
}
