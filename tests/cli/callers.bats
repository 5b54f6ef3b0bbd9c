#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# What a caller such as a worker of php-fpm hands to its children: open sockets, SIGPIPE
# ignored, SIGCHLD ignored, standard descriptors closed, no PATH, hardly an environment.

load cli

setup() {
	C=$T/cache
	site '$scheme://$host$request_uri'
	mkcache -o "$C" --valid 4000000000 http://a.test/1 http://a.test/2
}

# as_child WHAT ARGUMENT...: run the program as tests/lib/as_child.py says; its status
as_child() {
	"$PYTHON" "$TOP/tests/lib/as_child.py" "$1" "$O/ngxcache" "${@:2}"
}

@test "callers: a purge from standard input works as a child of php-fpm" {
	run -0 --separate-stderr as_child 'sockets sigpipe sigchld' purge --json -c "$CONF" \
	    --limit-host a.test --from - < <(printf '["http://a.test/1"]')
	equal "$stderr" ""
	json_is 'd["purged"]' 1
}

@test "callers: what the caller left open is not handed on to nginx -V" {
	printf '#!/bin/sh\nls -l /proc/self/fd >%s/fds\nexec /usr/sbin/nginx "$@"\n' "$T" >"$T/nginx"
	chmod +x "$T/nginx"
	sed -i "s|$C|cache|" "$CONF"
	need_nginx
	PATH=$T:$PATH run -0 --separate-stderr bash -c "exec 9<>'$T/held'; ngxcache zones --no-usage -c '$CONF'"
	[ -s "$T/fds" ]
	! grep -E 'socket:|held' "$T/fds"
}

@test "callers: nginx is found without a PATH" {
	need_nginx
	sed -i "s|proxy_cache_path $C|proxy_cache_path ngx-no-such-cache|" "$CONF"
	run -0 --separate-stderr as_child sigchld zones --json --no-usage -c "$CONF"
	json_is 'd["zones"][0]["path"].endswith("/ngx-no-such-cache")' true
	equal "$stderr" ""
}

@test "callers: a reader that went away is no failure, SIGPIPE ignored or not" {
	for i in $(seq 300); do echo "http://a.test/long/$i/$(printf '%0300d' 1)"; done |
	    xargs mkcache -o "$C" --valid 4000000000
	for how in sigpipe ''; do
		run --separate-stderr bash -c "set -o pipefail
			$(declare -f as_child); PYTHON=$PYTHON TOP=$TOP O=$O
			as_child '$how' list -c '$CONF' --json | head -n 1 >/dev/null"
		equal "$status$stderr" 0 "'$how'"
	done
}

@test "callers: closed standard descriptors do not become cache files" {
	for how in closed0 'closed0 closed1' 'closed0 closed1 closed2' 'closed2 sockets'; do
		before=$(find "$C" -type f -exec sha256sum {} +)
		as_child "$how" list -c "$CONF" >/dev/null 2>&1 || :
		equal "$(find "$C" -type f -exec sha256sum {} +)" "$before" "$how"
	done
	run -0 as_child 'closed0 closed2' purge --json -c "$CONF" http://a.test/1
	json_is 'd["purged"]' 1
}
