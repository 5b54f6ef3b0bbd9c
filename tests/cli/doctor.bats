#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# doctor: each finding, in a state made by hand, and what is none.  With nginx:
# tests/e2e/doctor.bats.

load cli

# The file system of the tests may be mounted in any way; what is said of it has tests of its
# own.
FOUND='[[x["code"], x["severity"]] for x in d["findings"] if x["code"] != "noatime"]'

# diagnosis STATUS WANTED [ARGUMENT...]: the findings of $CONF, as [CODE, SEVERITY], are
# these, and standard error is empty.
diagnosis() {
	run "-$1" --separate-stderr ngxcache doctor --json -c "$CONF" "${@:3}"
	equal "$stderr" ""
	json_is "$FOUND" "$2"
}

# told CODE FIELD: that field of the finding
told() {
	json_get '[x for x in d["findings"] if x["code"] == "'"$1"'"][0]["'"$2"'"]' <<<"$output"
}

# says CODE TEXT: what was seen holds TEXT
says() {
	[[ $(told "$1" seen) == *"$2"* ]] || equal "$(told "$1" seen)" "*$2*"
}

# site [PARAMETER...]: one zone, pages, at $C, with one site; two entries lie there.
site() {
	[ -e "$C" ] || mkcache -o "$C" httpGETa.test/1 httpGETa.test/2
	conf <<-END
		proxy_cache_path $C levels=1:2 keys_zone=pages:1m $*;
		proxy_temp_path $T/temp;
		server {
			server_name a.test;
			location / {
				proxy_cache pages;
				proxy_cache_key \$scheme\$request_method\$host\$request_uri;
				proxy_pass http://u;
			}
		}
	END
	sed -i "1i pid $T/nginx.pid;" "$CONF"
}

# user NAME: the workers run as
user() {
	sed -i "1i user $1;" "$CONF"
}

@test "doctor: nothing is found where all is well, and that is said" {
	site max_size=1g
	diagnosis 0 '[]'
	run -0 --separate-stderr ngxcache doctor -c "$CONF"
	equal "$stderr" ""
	[[ ${lines[-1]} == '1 zone with 2 entries looked at: '* ]]
}

@test "doctor: JSON has the fields of the manual, in order" {
	site
	rm -r "$C"
	run -1 --separate-stderr ngxcache doctor --json -c "$CONF"
	shape d schema:int command:str findings:list
	json_is '[d["schema"], d["command"]]' '[1, "doctor"]'
	shape 'd["findings"][0]' severity:str code:str zone:str\|null path:str\|null seen:str \
	    effect:str advice:str
}

@test "doctor: text tells zone, code, effect and advice, in 80 columns" {
	site
	rm -r "$C"
	run -1 --separate-stderr ngxcache doctor -c "$CONF"
	equal "$stderr" ""
	equal "${lines[0]%% pages: *}" 'fault   '
	[[ $output == *'[root_missing]'*'         effect: '*'         advice: '* ]]
	equal "${lines[-1]}" '1 zone with 0 entries looked at: 1 fault'
	equal "$(grep -v "$T" <<<"$output" | awk 'length($0) > 79')" ''
	run -1 --separate-stderr ngxcache doctor -q -c "$CONF"
	[[ $output != *'looked at'* ]]
}

@test "doctor: the worst stands first" {
	site max_size=1k
	sed -i "s|^\(\s*\)server {|\1proxy_cache_path $T/gone keys_zone=gone:1m;\n\1open_file_cache max=9;\n&|" "$CONF"
	diagnosis 1 '[["root_missing", "fault"], ["over_max_size", "warning"], ["open_file_cache", "note"]]'
}

@test "doctor: nothing is changed, not even a time of access" {
	site
	mkcache -o "$C" --levels 2:2 --layout v3 httpGETa.test/3
	mapfile -t all < <(find "$C")
	touch -a -d '2020-01-01' "${all[@]}"
	stamps() {
		stat -c '%n %x %y %z %a %u' "${all[@]}"
	}
	before=$(stamps)
	ngxcache doctor -c "$CONF" >/dev/null
	equal "$(stamps)" "$before"
}

# --- the directories ---

@test "root_missing: a root that does not exist, or is a file" {
	site
	rm -r "$C"
	diagnosis 1 '[["root_missing", "fault"]]'
	equal "$(told root_missing path) $(told root_missing zone)" "$C pages"
	touch "$C"
	diagnosis 1 '[["root_missing", "fault"]]'
}

@test "a directory of the configuration that is no cache is a failure, the rest is told" {
	site max_size=1k
	mkdir "$T/other"
	touch "$T/other/file"
	sed -i "s|^\(\s*\)server {|\1proxy_cache_path $T/other keys_zone=other:1m;\n&|" "$CONF"
	fails 3 "$T/other: not a cache" doctor --json -c "$CONF"
	json_is "$FOUND" '[["over_max_size", "warning"]]'
	fails 3 "$T/other: not a cache" doctor -c "$CONF" -z other
	[[ ${lines[-1]} == '1 zone with 0 entries looked at: '*'1 not to be looked at' ]]
}

@test "a root that may not be read is a failure that tells who can" {
	need_root
	site
	chmod go+x "$T"
	chmod go+r "$CONF"
	run -3 --separate-stderr as_nobody "$O/ngxcache" doctor --json -c "$CONF"
	equal "$stderr" "ngxcache: $C: permission denied: run as its owner (root) or as root"
	json_is "$FOUND" '[]'
}

@test "root_owner: a root in which the workers may not work, or only by its mode" {
	need_root
	site
	user www-data
	chown -R www-data "$C"
	diagnosis 0 '[]'
	chown root "$C"
	diagnosis 1 '[["root_owner", "fault"]]'
	says root_owner 'belongs to root (mode 700); nginx'\''s workers run as www-data'
	chown root:www-data "$C"
	chmod 770 "$C"
	diagnosis 0 '[["root_owner", "warning"]]'
}

@test "root_mode: a root that its owner may not use, or that everybody may" {
	need_root
	site
	user www-data
	chown -R www-data "$C"
	chmod 500 "$C"
	diagnosis 1 '[["root_mode", "fault"]]'
	chmod 707 "$C"
	diagnosis 0 '[["root_mode", "warning"]]'
	chmod 700 "$C"
	mkdir "$T/barrier"
	mv "$C" "$T/barrier/cache"
	sed -i "s|$C|$T/barrier/cache|" "$CONF"
	chmod 700 "$T/barrier"
	diagnosis 1 '[["root_mode", "fault"]]'
	equal "$(told root_mode path)" "$T/barrier"
}

@test "level_owner: level directories that the workers may not use" {
	need_root
	site
	user www-data
	chown -R www-data "$C"
	dir=$(find "$C" -mindepth 2 -type d | head -n 1)
	chown root "$dir"
	diagnosis 1 '[["level_owner", "fault"]]'
	equal "$(told level_owner path)" "$dir"
	says level_owner '1 level directory'
	chown www-data "$dir"
	chmod 500 "$dir"
	diagnosis 1 '[["level_owner", "fault"]]'
	chmod 700 "$dir"
	mkdir "$C/zz" "$C/abc"
	diagnosis 0 '[]'
}

@test "level_owner: without a user that is known, the owner of the root counts" {
	need_root
	site
	chown -R www-data "$C"
	diagnosis 0 '[]'
	chown root "$C"/?
	diagnosis 0 '[["level_owner", "warning"]]'
}

@test "shared_path: two zones on one root, also by a link" {
	site
	ln -s "$C" "$T/link"
	for path in "$C/" "$T/link"; do
		sed "s|^\(\s*\)server {|\1proxy_cache_path $path levels=1:2 keys_zone=other:1m;\n&|" \
		    "$CONF" >"$T/two.conf"
		CONF=$T/two.conf diagnosis 1 '[["shared_path", "fault"]]'
		CONF=$T/two.conf diagnosis 1 '[["shared_path", "fault"]]' -z other
	done
}

@test "nested_path: a root inside another, by whatever path, also one that is missing" {
	site
	mkdir "$C/in"
	ln -s "$C/in" "$T/link"
	for path in "$C/in" "$T/link"; do
		sed "s|^\(\s*\)server {|\1proxy_cache_path $path keys_zone=other:1m;\n&|" \
		    "$CONF" >"$T/two.conf"
		CONF=$T/two.conf diagnosis 0 '[["nested_path", "warning"]]'
		equal "$(told nested_path zone)" other
	done
	rmdir "$C/in"
	sed "s|^\(\s*\)server {|\1proxy_cache_path $C/in keys_zone=other:1m;\n&|" "$CONF" >"$T/two.conf"
	CONF=$T/two.conf diagnosis 1 '[["root_missing", "fault"], ["nested_path", "warning"]]'
}

@test "nested_path: a path that only begins alike is another" {
	site
	mkcache -o "$C-2" httpGETa.test/1
	sed -i "s|^\(\s*\)server {|\1proxy_cache_path $C-2 levels=1:2 keys_zone=other:1m;\n&|" "$CONF"
	diagnosis 0 '[]'
}

@test "temp_inside_cache: where nginx receives responses lies in a cache" {
	site
	sed -i "s|proxy_temp_path .*|proxy_temp_path $C/incoming 1 2;|" "$CONF"
	diagnosis 0 '[["temp_inside_cache", "warning"]]'
	equal "$(told temp_inside_cache path)" "$C/incoming"
	sed -i "s|proxy_temp_path .*|proxy_temp_path $C/temp;|" "$CONF"
	diagnosis 0 '[["temp_inside_cache", "note"]]'
	sed -i "s|keys_zone|use_temp_path=off &|" "$CONF"
	diagnosis 0 '[]'
}

@test "temp_inside_cache: a zone that nothing uses yet has the path of the http block" {
	mkcache -o "$C" httpGETa.test/1
	conf <<-END
		proxy_cache_path $C levels=1:2 keys_zone=pages:1m;
		proxy_temp_path $C/incoming;
	END
	diagnosis 0 '[["temp_inside_cache", "warning"]]'
}

@test "temp_inside_cache: each path is told of once, however many locations have it" {
	site
	sed -i "s|^\(\s*\)location / {|\1location /x { proxy_cache pages; proxy_temp_path $C/x; proxy_pass http://u; }\n\1location /y { proxy_cache pages; proxy_pass http://u; }\n\1location /z { proxy_cache pages; proxy_temp_path $C/x; proxy_pass http://u; }\n&|" "$CONF"
	diagnosis 0 '[["temp_inside_cache", "warning"]]'
}

@test "temp_inside_cache: the path in force is the one of the location" {
	site
	sed -i "s|proxy_cache pages;|& proxy_temp_path $C/x;|" "$CONF"
	diagnosis 0 '[["temp_inside_cache", "warning"]]'
	site
	sed -i "s|proxy_temp_path .*|fastcgi_temp_path $C/x; &|" "$CONF"
	diagnosis 0 '[]'
}

@test "temp_other_filesystem: a temporary path on another file system" {
	other=$(mktemp -d /dev/shm/ngxcache.XXXXXX) || skip "no /dev/shm"
	site
	[ "$(stat -c %d "$other")" != "$(stat -c %d "$C")" ] || skip "one file system"
	sed -i "s|proxy_temp_path .*|proxy_temp_path $other/not/there/yet;|" "$CONF"
	diagnosis 0 '[["temp_other_filesystem", "warning"]]'
	sed -i "s|keys_zone|use_temp_path=off &|" "$CONF"
	diagnosis 0 '[]'
	rmdir "$other"
}

# --- the configuration ---

# two_sites KEY_A KEY_B [PASS_B]: two sites in one zone; a key of - is not set
two_sites() {
	local a=("proxy_cache_key \"$1\";") b=("proxy_cache_key \"$2\";")

	[ "$1" != - ] || a=()
	[ "$2" != - ] || b=()
	mkdir -p "$C"
	conf <<-END
		proxy_cache_path $C levels=1:2 keys_zone=pages:1m;
		proxy_temp_path $T/temp;
		map \$host \$site { default x; b.test y; }
		map \$http_accept \$kind { default x; ~webp y; }
		server {
			server_name a.test;
			location / { proxy_cache pages; ${a[*]} proxy_pass http://u; }
		}
		server {
			server_name b.test;
			location / { proxy_cache pages; ${b[*]} proxy_pass ${3:-http://u}; }
		}
	END
}

@test "no_key: a module without a default key has none" {
	mkdir "$C"
	for module in fastcgi uwsgi scgi; do
		conf <<-END
			${module}_cache_path $C keys_zone=php:1m;
			${module}_temp_path $T/temp;
			server {
				server_name a.test;
				location /1 { ${module}_cache php; ${module}_pass 127.0.0.1:1; }
				location /2 { ${module}_cache php; ${module}_pass 127.0.0.1:1; }
			}
		END
		diagnosis 1 '[["no_key", "fault"]]'
		says no_key "location /1 of a.test ($CONF:7) and 1 more: no ${module}_cache_key"
		sed -i "s|keys_zone.*|&${module}_cache_key \$host\$uri;|" "$CONF"
		diagnosis 0 '[]'
	done
}

@test "key_without_host: sites with one key share their pages" {
	for key in '$request_uri' '${request_uri}' '$scheme$request_method$uri$is_args$args' \
	    '$kind$uri' 'static$uri' '$scheme$proxy_host$uri' -; do
		two_sites "$key" "$key"
		diagnosis 1 '[["key_without_host", "fault"]]'
		says key_without_host 'and 1 more'
	done
}

@test "key_without_host: keys that are written otherwise may be the same for a page" {
	while read -r a b; do
		two_sites "$a" "$b"
		diagnosis 1 '[["key_without_host", "fault"]]'
	done <<-'END'
		$uri $request_uri
		$uri $uri$is_args$args
		$request_uri $document_uri$is_args$query_string
		x$uri|$arg_page x$URI|$cookie_lang
		$request_method${request_uri} $request_method$uri
	END
	while read -r a b; do
		two_sites "$a" "$b"
		[[ $(ngxcache doctor --json -c "$CONF") != *'"severity":"fault"'* ]]
	done <<-'END'
		$uri $scheme$uri
		$uri $uri?$args
		$uri $uri|
		$request_method$uri $uri$request_method
		u$uri $uri
	END
}

@test "key_without_host: a key of its own is a warning when nothing in it names the site" {
	two_sites '$host$uri' '$uri'
	diagnosis 0 '[["key_without_host", "warning"]]'
	says key_without_host 'location / of b.test'
}

@test "key_without_host: a key that tells the site is well" {
	for key in '$host$uri' '$http_host$uri' '$server_name$uri' '$site$uri' '$HOST$uri'; do
		two_sites "$key" "$key"
		diagnosis 0 '[]'
	done
	two_sites 'a.test$uri' 'b.test$uri'
	diagnosis 0 '[]'
	two_sites - - http://v
	diagnosis 0 '[]'
	two_sites - - 'http://$host'
	diagnosis 0 '[]'
	two_sites '$proxy_host$uri' '$proxy_host$uri' http://v
	diagnosis 0 '[]'
}

@test "key_without_host: one site needs no host, on whatever ports" {
	site
	sed -i 's|\$host||' "$CONF"
	diagnosis 0 '[]'
	two_sites '$uri' '$uri'
	sed -i 's|server_name b.test;|server_name c.test a.test; listen 81;|' "$CONF"
	diagnosis 0 '[]'
}

@test "open_file_cache: in force where the zone is used, unless it is off there" {
	site
	sed -i 's|proxy_temp_path|open_file_cache max=100; &|' "$CONF"
	diagnosis 0 '[["open_file_cache", "note"]]'
	sed -i 's|proxy_cache pages;|& open_file_cache off;|' "$CONF"
	diagnosis 0 '[]'
}

# --- the contents ---

@test "levels_changed: orphans are counted" {
	site
	mkcache -o "$C" --levels 2:2 httpGETa.test/3
	diagnosis 0 '[["levels_changed", "warning"]]'
	says levels_changed '(1:2)'
	says levels_changed '1 of 3'
}

@test "mixed_versions: entries of an older nginx, or of another machine" {
	site
	mkcache -o "$C" --layout v3 httpGETa.test/3
	diagnosis 0 '[["mixed_versions", "warning"]]'
	says mixed_versions '2 of version 5 (lp64le)'
	says mixed_versions '1 of version 3 (lp64le)'
	rm -r "$C"
	site
	mkcache -o "$C" --abi lp64be httpGETa.test/3
	diagnosis 0 '[["mixed_versions", "warning"]]'
	rm -r "$C"
	site
	mkcache -o "$C" --invalidated httpGETa.test/3
	diagnosis 0 '[]'
}

@test "key_zone_full: from nine tenths of what it holds" {
	site
	sed -i 's|pages:1m|pages:8k|' "$CONF" # 63 entries
	rm -r "$C"
	mkcache -o "$C" --count 55 --template httpGETa.test/%d
	diagnosis 0 '[]'
	mkcache -o "$C" httpGETa.test/56
	diagnosis 0 '[["key_zone_full", "warning"]]'
	says key_zone_full '56 entries in a key zone of 8k, which holds about 63'
}

@test "over_max_size: what the entries take on the disk counts" {
	site max_size=1k
	diagnosis 0 '[["over_max_size", "warning"]]'
	site max_size=1m
	diagnosis 0 '[]'
}

# --- the system ---

# a_root PATH: $T/root with a configuration of a cache at PATH
a_root() {
	mkdir -p "$T/root/etc/nginx"
	mkcache -o "$T/root$1" httpGETa.test/1
	cat >"$T/root/etc/nginx/nginx.conf" <<-END
		events { }
		http { proxy_cache_path $1 levels=1:2 keys_zone=pages:1m; }
	END
	CONF=/etc/nginx/nginx.conf
}

# unit_file NAME TEXT: a unit file, or a drop-in
unit_file() {
	mkdir -p "$T/root/${1%/*}"
	printf '%b' "$2" >"$T/root/$1"
}

@test "private_tmp: a cache in /tmp or /var/tmp, and a unit with PrivateTmp" {
	for path in /tmp/cache /var/tmp/x/cache; do
		a_root "$path"
		diagnosis 0 '[]' -R "$T/root"
		unit_file lib/systemd/system/nginx.service '[Unit]\n[Service]\nPrivateTmp=true\n'
		diagnosis 1 '[["private_tmp", "fault"]]' -R "$T/root"
		equal "$(told private_tmp path)" "$T/root$path"
		says private_tmp nginx.service
		rm -r "$T/root"
	done
	a_root /srv/cache
	unit_file lib/systemd/system/nginx.service '[Service]\nPrivateTmp=true\n'
	diagnosis 0 '[]' -R "$T/root"
}

@test "private_tmp: the unit counts as systemd reads it" {
	a_root /tmp/cache
	unit_file usr/lib/systemd/system/nginx.service '[Service]\nPrivateTmp=yes\n'
	diagnosis 1 '[["private_tmp", "fault"]]' -R "$T/root"
	unit_file etc/systemd/system/nginx.service '[Service]\nPrivateTmp=yes\n PrivateTmp = no \n'
	diagnosis 0 '[]' -R "$T/root"
	unit_file run/systemd/system/nginx.service.d/20-tmp.conf '[Service]\nPrivateTmp=1\n'
	diagnosis 1 '[["private_tmp", "fault"]]' -R "$T/root"
	unit_file etc/systemd/system/nginx.service.d/30-tmp.conf '[Service]\n#PrivateTmp=on\nPrivateTmp=\n'
	diagnosis 0 '[]' -R "$T/root"
	unit_file etc/systemd/system/nginx.service.d/30-tmp.conf '[Install]\nPrivateTmp=no\n'
	diagnosis 1 '[["private_tmp", "fault"]]' -R "$T/root"
	unit_file etc/systemd/system/nginx.service.d/20-tmp.conf '[Service]\n'
	diagnosis 0 '[]' -R "$T/root"
	unit_file etc/systemd/system/openresty.service '[Service]\nPrivateTmp=on\n'
	diagnosis 1 '[["private_tmp", "fault"]]' -R "$T/root"
}

@test "selinux: in force, and a root of a type that nginx may not write" {
	need_root
	a_root /srv/cache
	label() {
		"$PYTHON" -c 'import os, sys
os.setxattr(sys.argv[1], "security.selinux", sys.argv[2].encode() + b"\0")' \
		    "$T/root/srv/cache" "system_u:object_r:$1:s0" 2>/dev/null ||
		    skip "no labels here"
	}
	label default_t
	diagnosis 0 '[]' -R "$T/root"
	unit_file sys/fs/selinux/enforce 1
	diagnosis 0 '[["selinux", "warning"]]' -R "$T/root"
	says selinux 'has the type default_t'
	label httpd_cache_t
	diagnosis 0 '[]' -R "$T/root"
	label default_t
	unit_file sys/fs/selinux/enforce 0
	diagnosis 0 '[]' -R "$T/root"
}

@test "noatime: told once for a file system that lacks it, never of one in memory" {
	site
	mkcache -o "$T/second" httpGETa.test/1
	sed -i "s|^\(\s*\)server {|\1proxy_cache_path $T/second levels=1:2 keys_zone=other:1m;\n&|" "$CONF"
	ok doctor --json -c "$CONF"
	case ,$(findmnt -no OPTIONS -T "$C"), in
	*,noatime,*) wanted='[]' ;;
	*,relatime,*) wanted='["note"]' ;;
	*) wanted='["warning"]' ;;
	esac
	[ "$(stat -f -c %T "$C")" != tmpfs ] || wanted='[]'
	json_is '[x["severity"] for x in d["findings"]]' "$wanted"
}

@test "the user of another root is the one of its passwd file" {
	need_root
	a_root /srv/cache
	sed -i '1i user someone;' "$T/root$CONF"
	unit_file etc/passwd 'root:x:0:0::/:/bin/sh\nsomeone:x:54321:54321::/:/bin/sh\n'
	chown -R 54321 "$T/root/srv/cache"
	chmod 755 "$T/root" "$T/root/srv"
	diagnosis 0 '[]' -R "$T/root"
	chown 0 "$T/root/srv/cache"
	diagnosis 1 '[["root_owner", "fault"]]' -R "$T/root"
}

# --- what it works on ---

@test "doctor: -z looks at single zones, -d at a directory without configuration" {
	site
	mkcache -o "$C" --levels 2:2 httpGETa.test/3
	sed -i "s|^\(\s*\)server {|\1proxy_cache_path $T/gone keys_zone=gone:1m;\n&|" "$CONF"
	diagnosis 0 '[["levels_changed", "warning"]]' -z pages
	diagnosis 1 '[["root_missing", "fault"]]' -z gone
	ok doctor --json -d "$C"
	json_is "$FOUND" '[]'
	ok doctor --json -d "$C,levels=1:2,name=mine"
	json_is '[[x["code"], x["zone"]] for x in d["findings"] if x["code"] != "noatime"]' \
	    '[["levels_changed", "mine"]]'
	refused "$T/none" doctor -d "$T/none"
	refused "unexpected argument 'x'" doctor -c "$CONF" x
}

@test "doctor: the output of nginx -T is looked at, too" {
	site
	{
		echo "# configuration file $CONF:"
		cat "$CONF"
	} >"$T/dump"
	rm -r "$C"
	run -1 --separate-stderr ngxcache doctor --json -c - <"$T/dump"
	equal "$stderr" ""
	json_is "$FOUND" '[["root_missing", "fault"]]'
}
