# SPDX-License-Identifier: BSD-2-Clause
#
# What the tests of the command line share: caches are synthesised by mkcache, configurations
# written by the tests, and no server runs.
#
# shellcheck shell=bash disable=SC2034,SC2154

load ../lib/helpers

# The entries of mkcache are fresh at this time, and were cached 5000 seconds before.
NOW=1796055000

setup() {
	C=$T/cache
}

# ok ARGUMENT...: the program succeeds and says nothing on standard error; see $output.
ok() {
	run -0 --separate-stderr ngxcache "$@"
	equal "$stderr" "" "standard error of ngxcache ${*@Q}"
}

# fails STATUS PATTERN ARGUMENT...: it ends with STATUS; standard error, every line of it
# introduced by the program's name, matches the shell pattern somewhere.
fails() {
	local wanted=$1 pattern=$2 line

	shift 2
	run "-$wanted" --separate-stderr ngxcache "$@"
	while IFS= read -r line; do
		[[ $line == 'ngxcache: '?* ]] || equal "$line" "ngxcache: ..." "standard error"
	done <<<"$stderr"
	# shellcheck disable=SC2053
	[[ $stderr == *$pattern* ]] || equal "$stderr" "$pattern" "standard error"
}

# refused PATTERN ARGUMENT...: status 2, and nothing on standard output
refused() {
	fails 2 "$@"
	equal "$output" "" "standard output"
}

# keys KEYS: the $output lists these, sorted, parted by blanks.
keys() {
	if [ -z "$1" ]; then
		equal "$output" ""
		return
	fi
	json_is '" ".join(sorted(x["key"] for x in lines))' "$1"
}

# selects KEYS SELECTION...: of the cache $C, list shows these (sorted, parted by blanks) and
# purge would take as many.
selects() {
	local wanted=$1 n
	local -a words

	read -ra words <<<"$wanted"
	n=${#words[@]}
	shift
	ok list --json -d "$C${PARAMS:-}" --now "$NOW" "$@"
	keys "$wanted"
	ok purge --json --dry-run -d "$C${PARAMS:-}" --now "$NOW" "$@"
	[[ $output == *",\"matched\":$n,\"purged\":$n,"* ]] || equal "$output" "$n matched and purged"
}

# tree DIR...: everything below: names, kinds, modes, owners, links, times and contents
tree() {
	find "$@" -printf '%p %y %m %U:%G %n %l %T@\n' | sort
	find "$@" -type f -exec sha256sum {} + | sort
}

# files DIR: the regular files below, relative, sorted
files() {
	find "$1" -type f -printf '%P\n' | sort
}

# shape EXPRESSION FIELD:TYPE[|TYPE]...: exactly these fields in this order, of these types,
# in an object of the $output.  Fields of later versions may stand between them.
shape() {
	local expression=$1

	shift
	json_is "(lambda o: [k for k in o if k not in ('ambiguous', 'near', 'needs')])($expression)" \
	    "$(printf '%s\n' "$@" | "$PYTHON" -c '
import json, sys
print(json.dumps([line.split(":")[0] for line in sys.stdin]))')"
	json_is "(lambda o: [k for k, t in (f.split(':') for f in '$*'.split())
	    if type(o[k]).__name__ not in t.replace('null', 'NoneType').split('|')])($expression)" '[]'
}

ENTRY=(zone:str\|null file:str key:str url:str\|null scheme:str\|null method:str\|null
	host:str\|null uri:str\|null kind:str vary:str\|null variant:str\|null orphan:bool
	version:int layout:str protocol:str status:int\|null content_type:str\|null
	content_encoding:str\|null content_length:int\|null tags:list size:int allocated:int
	header_start:int body_start:int body_size:int valid:int last_modified:int\|null date:int
	updating:int\|null error:int\|null etag:str\|null state:str)

# conf: write $CONF, its http block from standard input.
conf() {
	CONF=$T/nginx.conf
	{
		echo 'events { }'
		echo 'http {'
		sed 's/^/\t/'
		echo '}'
	} >"$CONF"
}

# site KEY: the configuration of a.test, which stores into $C under that template.
site() {
	conf <<-END
		proxy_cache_path $C levels=1:2 keys_zone=pages:1m;
		server {
			listen 80;
			server_name a.test;
			location / {
				proxy_pass http://127.0.0.1:9;
				proxy_cache pages;
				proxy_cache_key "$1";
			}
		}
	END
}

# need_root: for what takes a second user
need_root() {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
}

# terminal COLUMNS ARGUMENT...: as a terminal of that width shows it, in lines
terminal() {
	terminal_status 0 "$@"
}

# terminal_status STATUS COLUMNS ARGUMENT...: the same of a run that ends with STATUS
terminal_status() {
	local status=$1 columns=$2

	shift 2
	command -v script >/dev/null || skip "script is not installed"
	TERM=xterm SHELL=/bin/sh run "-$status" \
	    script -qec "stty cols $columns; exec ngxcache ${*@Q}" /dev/null </dev/null
	output=${output//$'\r'/}
	mapfile -t lines <<<"$output"
}
