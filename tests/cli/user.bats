#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# --user: the rights of root are given up before anything in a cache is looked at.

load cli

# owned USER: the cache of USER with three entries, which nobody else may enter
owned() {
	mkcache -o "$C" --valid 2000000000 --etag x httpGETa.test/{1,2,3}
	chown -R "$1" "$C" 2>/dev/null || skip "there is no $1"
	chmod -R go-rwx "$C"
}

# for_nobody DIR: make one that nobody may write to
for_nobody() {
	mkdir "$1"
	chown nobody "$1"
}

@test "--user: what its owner may do is done as the owner of the cache" {
	need_root
	owned nobody
	for words in 'list --json' 'stats --json' 'urls' 'verify --json' 'show --json --key httpGETa.test/1' \
	    'purge --json --soft --key httpGETa.test/1' 'purge --json --key httpGETa.test/2'; do
		# shellcheck disable=SC2086
		ok --user nobody $words -d "$C,levels=1:2"
	done
	json_is 'd["purged"]' 1
	ok list --user "$(id -u nobody)" --json -d "$C"
	json_is 'len(lines)' 2
}

@test "--user: what the user may not read stays unread" {
	need_root
	owned www-data
	fails 3 "ermission denied" --user nobody list -d "$C"
	equal "$output" ""
	fails 3 "ermission denied" --user nobody purge --json -d "$C,levels=1:2" --key httpGETa.test/1
	json_is 'd["purged"]' 0
	equal "$(entries_in "$C")" 3
}

@test "--user: a configuration that only root may read is read before" {
	need_root
	owned nobody
	site '$scheme$request_method$host$request_uri'
	echo http://a.test/1 >"$T/urls"
	chmod 600 "$CONF" "$T/urls"
	ok --user nobody purge --json -c "$CONF" --from "$T/urls"
	json_is 'd["purged"]' 1
}

@test "--user: user, groups and capabilities are given up for good" {
	need_root
	owned nobody
	for_nobody "$T/out"
	[ "$VARIANT" != tsan ] || skip "nothing can be preloaded before the thread sanitizer"
	run -0 --separate-stderr setpriv --groups 0,4,27 env LD_PRELOAD="$O/tests/lib/inject.so" \
	    ASAN_OPTIONS="$ASAN_OPTIONS:verify_asan_link_order=0" \
	    INJECT="unlinkat:1=!cat /proc/\$PPID/status >$T/out/status" \
	    "$O/ngxcache" purge --user nobody -d "$C" --key httpGETa.test/1
	user=$(id -u nobody) group=$(id -g nobody)
	equal "$(awk '/^Uid:/ { print $2, $3, $4 }' "$T/out/status")" "$user $user $user"
	equal "$(awk '/^Gid:/ { print $2, $3, $4 }' "$T/out/status")" "$group $group $group"
	equal "$(awk '/^Groups:/ { $1 = ""; print }' "$T/out/status" | xargs)" "$(id -G nobody)"
	equal "$(awk '/^Cap(Prm|Eff|Amb):/ { print $2 }' "$T/out/status" | sort -u)" 0000000000000000
	equal "$(awk '/^NoNewPrivs:/ { print $2 }' "$T/out/status")" 1
}

@test "--user: where the rights of root would stay within reach, nothing is done" {
	need_root
	owned nobody
	run -2 --separate-stderr setpriv --securebits +no_setuid_fixup ngxcache --user nobody \
	    purge --json -d "$C" --all
	equal "$output" ""
	equal "$stderr" "ngxcache: --user 'nobody': the rights of root can be had again"
	equal "$(entries_in "$C")" 3
}

@test "--user: files that a run writes are the user's, where he may write" {
	need_root
	owned nobody
	for_nobody "$T/out"
	ok --user nobody archive --json -d "$C" -o "$T/out/a.tar"
	ok --user nobody stats -d "$C" --format csv -o "$T/out/stats"
	ok --user nobody purge --json --backup "$T/out/b.tar" -d "$C" --all
	json_is 'd["purged"]' 3
	equal "$(stat -c %U "$T/out"/*)" "$(printf 'nobody\n%.0s' 1 2 3)"
	ok --user nobody restore --json -d "$C,levels=1:2" "$T/out/a.tar"
	json_is 'd["restored"]' 3
	equal "$(find "$C" -type f -printf '%u\n' | sort -u)" nobody
	mkdir -m 755 "$T/others"
	fails 3 "ermission denied" --user nobody archive -d "$C" -o "$T/others/a.tar"
	fails 3 "ermission denied" --user nobody purge -d "$C" --backup "$T/others/a.tar" --all
	equal "$(entries_in "$C")" 3
}

@test "--user: an unknown user, root, and what needs root are refused" {
	need_root
	owned nobody
	refused "no such user" --user no-such-user list -d "$C"
	refused "no such user" --user 4294967296 list -d "$C"
	refused "no such user" --user '' list -d "$C"
	refused "another user than root" --user root list -d "$C"
	refused "another user than root" --user 0 list -d "$C"
	conf <<<"proxy_cache_path $C levels=1:2 keys_zone=pages:1m;"
	refused "only root may signal nginx" --user nobody reload -c "$CONF"
	refused "only root may signal nginx" --user nobody purge -c "$CONF" --all --reload
	equal "$(entries_in "$C")" 3
	run -3 --separate-stderr ngxcache check --user no-such-user -d "$C"
	[[ $output == *UNKNOWN* ]]
}

@test "--user: who is not root cannot become anybody" {
	need_root
	owned nobody
	for user in nobody www-data; do
		run -2 --separate-stderr setpriv --reuid nobody --clear-groups "$(command -v ngxcache)" \
		    list -d "$C" --user $user
		equal "$stderr" "ngxcache: --user '$user': only root can become another user"
	done
}
