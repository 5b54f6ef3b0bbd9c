#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# Tags and filters over what is stored: what each takes, the same for list and purge.

load cli

PARAMS=',levels=1:2,key=$scheme$request_method$host$request_uri'

@test "--tag: whole tags of every known header, on any line, parted by blanks or commas" {
	mkcache -o "$C" --header 'Cache-Tag: news, sport' 1
	mkcache -o "$C" --header 'Surrogate-Key: sport news-archive' 2
	mkcache -o "$C" --header 'xkey: a' --header 'xkey: sport' 3
	mkcache -o "$C" --header 'X-Cache-Tags: sports,nosport' 4
	mkcache -o "$C" --header 'x-magento-tags: cat_p,sport' 5
	mkcache -o "$C" --header 'Cache-Tags: Sport' 6
	mkcache -o "$C" --header 'X-Other: sport' --body sport sport
	selects '1 2 3 5' --tag sport
	selects '1 2 3 5 6' --tag sport --tag Sport
	selects '' --tag spor
	selects '1 2 3 5 sport' --tag sport --tag-header x-other
	refused 'expected one word' list -d "$C" --tag 'a b'
}

@test "--tag: is found in FastCGI records and in CGI headers" {
	mkcache -o "$C" --fastcgi --header 'Cache-Tag: t' 1
	mkcache -o "$C" --fastcgi --split 7 --header 'Cache-Tag: t' 2
	mkcache -o "$C" --cgi --header 'Cache-Tag: t' 3
	mkcache -o "$C" --fastcgi 4
	selects '1 2 3' --tag t
}

@test "--method: only entries whose key names it" {
	mkcache -o "$C" httpGETa.test/1 httpHEADa.test/1 httpPOSTa.test/1 a.test/1
	selects httpHEADa.test/1 --method HEAD
	selects 'httpHEADa.test/1 httpPOSTa.test/1' --method HEAD --method POST
	selects '' --method head
}

@test "--type: the media type as a whole, without parameters and case" {
	mkcache -o "$C" --type 'text/html; charset=utf-8' 1
	mkcache -o "$C" --type 'Image/PNG' 2
	mkcache -o "$C" --type 'image/webp' 3
	mkcache -o "$C" --type '' 4
	selects 1 --type text/html
	selects '2 3' --type 'image/*'
	selects '1 3' --type '*/html' --type image/webp
	selects '' --type html
}

@test "--header: the value of any line of that name, as a whole" {
	mkcache -o "$C" --header 'X-A: one' --header 'X-A: two' 1
	mkcache -o "$C" --header 'x-a:  two  ' 2
	mkcache -o "$C" --header 'X-A: two three' 3
	mkcache -o "$C" --header 'X-B: two' 4
	selects '1 2' --header 'X-A: two'
	selects '1 2 3' --header 'x-a:two*'
	selects 1 --header 'X-A: one' --header 'X-A: two'
	refused 'expected NAME: GLOB' list -d "$C" --header two
}

@test "--larger-than and --smaller-than: the size of the file, in nginx's units" {
	mkcache -o "$C" --body-size 100 small
	mkcache -o "$C" --body-size 3000 medium
	mkcache -o "$C" --body-size 2000000 large
	exact=$(stat -c %s "$(mkcache -v -o "$T/other" --body-size 3000 medium)")
	selects 'large medium' --larger-than 2k
	selects large --larger-than 1m
	selects 'medium small' --smaller-than 4K
	selects medium --larger-than 1k --smaller-than 1m
	selects large --larger-than "$exact"
	selects small --smaller-than "$exact"
	refused 'expected a number' list -d "$C" --larger-than 2kb
}

@test "--older-than and --newer-than: since nginx stored or revalidated it" {
	for age in 100 1000 4000; do
		mkcache -o "$C" --date $((NOW - age)) "$age"
	done
	selects '1000 4000' --older-than 10m
	selects 4000 --older-than '1h 1m'
	selects 100 --newer-than 1000
	selects 1000 --newer-than 1h --older-than 999
	refused 'expected one like' list -d "$C" --older-than 1x
}

@test "--cached-before: then or earlier, in seconds, as an instant, or now" {
	mkcache -o "$C" --date 1000 1
	mkcache -o "$C" --date 1001 2
	mkcache -o "$C" --date 4102444800 later
	selects 1 --cached-before 1000
	selects '1 2' --cached-before 1970-01-01T00:16:41Z
	ok list --json -d "$C" --cached-before now
	keys '1 2'
	refused 'expected Unix seconds' list -d "$C" --cached-before yesterday
}

@test "--cached-before now: what was stored since the run began stays" {
	mkcache -o "$C" --date $(($(date +%s) - 10)) before
	mkcache -o "$C" --date $(($(date +%s) + 600)) after
	ok purge --json -d "$C" --all --cached-before now
	json_is 'd["purged"]' 1
	ok list --json -d "$C"
	keys after
}

@test "--variants-only: variants, not the main entries of their keys" {
	mkcache -o "$C" --vary X-A 1
	mkcache -o "$C" --vary X-A --variant-headers 'X-A: 1' 1
	mkcache -o "$C" 2
	selects 1 --variants-only
	ok list --json -d "$C" --variants-only
	json_is 'd["kind"]' variant
}

@test "--exclude: subtracts from whatever selected, several times" {
	mkcache -o "$C" a/1 a/2 a/3 b/1
	selects 'a/1 a/3' --glob 'a/*' --exclude '*/2'
	selects b/1 --all --exclude 'a/*'
	selects a/3 --exclude '*1' --exclude '*2'
	selects 'a/1 a/2 a/3 b/1' --all --exclude a
}
