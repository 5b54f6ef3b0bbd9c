#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# contrib/: what others call us with does what it says, and every command in it is one of ours.

load cli

CONTRIB=$TOP/contrib

# Two sites in one zone, and the program where the scripts look for it.
setup() {
	C=$T/cache
	export NGXCACHE=$O/ngxcache NGXCACHE_CONF=$T/nginx.conf SETTLE=0
	conf <<-END
		proxy_cache_path $C levels=1:2 keys_zone=pages:1m;
		proxy_cache pages;
		proxy_cache_key \$scheme://\$host\$request_uri;
		server { listen 80; server_name a.test; location / { proxy_pass http://127.0.0.1:9; } }
		server { listen 80; server_name b.test; location / { proxy_pass http://127.0.0.1:9; } }
	END
	mkcache -o "$C" --valid 4000000000 http://a.test/1 http://a.test/2 http://b.test/1 http://b.test/2
	mkcache -o "$C" --valid 4000000000 --type text/css http://a.test/style.css
}

# left KEYS
left() {
	ok list --json -d "$C"
	keys "$1"
}

@test "contrib: the hook purges URLs of its host, and is silent" {
	run -0 --separate-stderr "$CONTRIB/hooks/ngxcache-hook" a.test http://a.test/1 'http://b.test/*'
	equal "$output$stderr" ""
	left 'http://a.test/2 http://a.test/style.css http://b.test/1 http://b.test/2'
}

@test "contrib: the hook tells what failed" {
	run -3 --separate-stderr "$CONTRIB/hooks/ngxcache-hook" a.test http://a.test/1 ftp://a.test/
	[[ $stderr == 'ngxcache: standard input: URL 2: '* ]]
	run -2 --separate-stderr "$CONTRIB/hooks/ngxcache-hook" a.test
	[[ $stderr == usage:* ]]
}

@test "contrib: the hook in PHP purges, and says when it could not" {
	command -v php >/dev/null || skip "php is not installed"
	cat >"$T/cms.php" <<-END
		<?php
		require '$CONTRIB/hooks/ngxcache-hook.php';
		ini_set('error_log', '$T/log');
		var_dump(ngxcache_purge(['http://a.test/1', 'http://b.test/1'], 'a.test', ['$NGXCACHE']));
		var_dump(ngxcache_purge(['ftp://a.test/'], null, ['$NGXCACHE']));
		var_dump(@ngxcache_purge(['http://a.test/'], null, ['/nonexistent']));
	END
	run -0 --separate-stderr php "$T/cms.php"
	equal "$output" $'bool(true)\nbool(false)\nbool(false)'
	grep -q 'ngxcache: standard input: URL 1' "$T/log"
	left 'http://a.test/2 http://a.test/style.css http://b.test/1 http://b.test/2'
}

@test "contrib: a deployment changes the release and purges the pages of its host, not its styles" {
	mkdir -p "$T/new" "$T/site"
	run -0 "$CONTRIB/hooks/deploy" "$T/new" "$T/site" a.test
	equal "$(readlink "$T/site/current")" "$T/new"
	left 'http://a.test/style.css http://b.test/1 http://b.test/2'
}

@test "contrib: the spool script purges what a site asks for, of its own, and empties the spool" {
	mkdir "$T/spool"
	printf 'http://a.test/1\n' >"$T/spool/1.urls"
	printf 'http://a.test/2' >"$T/spool/2.urls"
	printf 'http://b.test/*\n' >"$T/spool/3.urls"
	printf 'http://a.test/*\n' >"$T/spool/.unfinished"
	run -0 --separate-stderr "$CONTRIB/systemd/ngxcache-spool" "$T/spool" a.test
	left 'http://a.test/style.css http://b.test/1 http://b.test/2'
	equal "$(ls -A "$T/spool")" .unfinished
	run -0 --separate-stderr "$CONTRIB/systemd/ngxcache-spool" "$T/spool" a.test
	equal "$output$stderr" ""
}

@test "contrib: the spool script takes no option for a host" {
	mkdir "$T/spool"
	echo http://a.test/1 >"$T/spool/1.urls"
	for host in '' 'a.test --all' "a.test'"; do
		run -2 --separate-stderr "$CONTRIB/systemd/ngxcache-spool" "$T/spool" "$host"
	done
	left 'http://a.test/1 http://a.test/2 http://a.test/style.css http://b.test/1 http://b.test/2'
}

@test "contrib: sudo understands the lines for a site" {
	command -v visudo >/dev/null || skip "sudo is not installed"
	cp "$CONTRIB/sudoers.d/ngxcache" "$T/sudoers"
	chmod 440 "$T/sudoers"
	run -0 visudo -c -q -f "$T/sudoers"
	# The plugin makes exactly this call.
	grep -q 'NOPASSWD: /usr/bin/ngxcache purge --json --limit-host www.example.com --from -$' "$T/sudoers"
}

@test "contrib: systemd understands the units" {
	command -v systemd-analyze >/dev/null || skip "systemd is not installed"
	mkdir "$T/units"
	for unit in "$CONTRIB"/systemd/*.*; do
		name=${unit##*/}
		sed "s|/usr/bin/ngxcache|$NGXCACHE|; s|/usr/lib/ngxcache/|$CONTRIB/systemd/|" "$unit" \
		    >"$T/units/${name/@./@a.test.}"
	done
	run -0 systemd-analyze verify --man=no "$T"/units/*
	equal "$output" ""
}

# runs COMMAND: as written there, but for the program's place and where its output goes
runs() {
	local command=${1//\/usr\/bin\/ngxcache/ngxcache}

	run --separate-stderr bash -c "${command//\/var\/lib\/prometheus\/node-exporter/$T}"
	[ "$status" -le 1 ] || equal "$status" "0 or 1" "$1: $stderr"
}

@test "contrib: the commands of timers and of cron run" {
	n=0
	while IFS= read -r command; do
		runs "$command"
		n=$((n + 1))
	done < <(sed -n 's|^ExecStart=\(/usr/bin/.*\)|\1|p' "$CONTRIB"/systemd/*.service
		sed -n 's|^[0-9*].* root  *||p' "$CONTRIB/cron.d/ngxcache")
	equal "$n" 7
	grep -q '^ngxcache_' "$T/ngxcache.prom"
}

@test "contrib: cron is told nothing as long as nothing is wrong" {
	rm "$C"/*/*/* && mkcache -o "$C" --valid 4000000000 http://a.test/1
	chown -R --reference="$T" "$C"
	while IFS= read -r command; do
		[[ $command != *doctor* ]] || continue # which knows the owners of a real server
		runs "$command"
		equal "$status$output$stderr" 0 "$command"
	done < <(sed -n 's|^[0-9*].* root  *||p' "$CONTRIB/cron.d/ngxcache")
}
