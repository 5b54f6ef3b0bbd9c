#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# What the configuration tells of an entry where its key does not: host and scheme of the only
# server that can have stored it.

load cli

# A zone for a site alone, one that two sites share, and keys without a host in both.
setup_sites() {
	CONF=$T/writers.conf
	cat >"$CONF" <<-EOF
		events { }
		http {
			proxy_cache_path $T/own levels=1:2 keys_zone=own:1m;
			proxy_cache_path $T/shared levels=1:2 keys_zone=shared:1m;
			proxy_cache_key \$request_uri;
			server {
				listen 443 ssl;
				server_name own.test www.own.test;
				location / { proxy_pass http://127.0.0.1:9; proxy_cache own; }
			}
			server {
				listen 80;
				server_name one.test;
				location / { proxy_pass http://127.0.0.1:9; proxy_cache shared; }
			}
			server {
				listen 80;
				server_name two.test;
				location / { proxy_pass http://127.0.0.1:9; proxy_cache shared; }
			}
		}
	EOF
	mkcache -o "$T/own" '/a?b'
	mkcache -o "$T/shared" /c
}

@test "a key without a host has the URL of the only server that can have written it" {
	setup_sites
	ok list --json -c "$CONF" -z own
	json_is 'd["url"]' 'https://own.test/a?b'
	json_is 'd["host"]' null
	json_is 'd["scheme"]' null
}

@test "a key without a host that several servers can have written has no URL" {
	setup_sites
	ok list --json -c "$CONF" -z shared
	json_is 'd["url"]' null
}

@test "--host takes entries of the only server, by each of its names; --limit-host by all of them" {
	setup_sites
	for host in own.test www.own.test '*.own.test'; do
		ok list -0 -c "$CONF" --host "$host"
		[[ $output == *"$T/own/"* ]] || equal "$output" "$host"
		[[ $output != *"$T/shared/"* ]]
		ok list -0 -c "$CONF" --limit-host "$host"
		equal "$output" ""
	done
	ok list -0 -c "$CONF" --limit-host www.own.test --limit-host own.test
	[[ $output == *"$T/own/"* ]] || equal "$output" "both"
	[[ $output != *"$T/shared/"* ]]
}

@test "--limit-host never takes an entry that several servers can have written" {
	setup_sites
	for host in one.test two.test; do
		ok purge --json -c "$CONF" --limit-host "$host" --all
		json_is 'd["purged"]' 0
		ok purge --json -c "$CONF" --limit-host "$host" --key /c
		json_is 'd["purged"]' 0
	done
	ok list -0 -c "$CONF" -z shared
	[[ $output == *"$T/shared/"* ]]
}

@test "the host of a key is the client's, wherever the server's name stands" {
	CONF=$T/names.conf
	cat >"$CONF" <<-EOF
		events { }
		http {
			proxy_cache_path $T/n levels=1:2 keys_zone=n:1m;
			server {
				listen 80;
				server_name def.test *.wild.test;
				location / {
					proxy_pass http://127.0.0.1:9;
					proxy_cache n;
					proxy_cache_key "\$host|\$server_name|\$uri";
				}
			}
		}
	EOF
	mkcache -o "$T/n" 'foo.test|def.test|/x' 'a.wild.test|def.test|/x' 'def.test|def.test|/x'
	ok list --json -c "$CONF" --host a.wild.test
	json_is 'd["url"]' http://a.wild.test/x
	ok purge --json -n -c "$CONF" --all --limit-host def.test
	json_is 'd["purged"]' 1
}
