<?php
// SPDX-License-Identifier: BSD-2-Clause
//
// The site behind fastcgi_cache: a page says what was asked for and which version is
// published.  /missing... is a 404, /moved a redirect; /noisy... writes to the FastCGI
// error stream before its headers; /slow... says so in the file $HOLD_FILE and is answered
// once that is removed.

$uri = $_SERVER['REQUEST_URI'];
$version = trim(file_get_contents(getenv('VERSION_FILE')));
$host = $_SERVER['HTTP_HOST'];

if (str_starts_with($uri, '/slow') && file_exists(getenv('HOLD_FILE'))) {
	file_put_contents(getenv('HOLD_FILE'), "held\n");
	while (file_exists(getenv('HOLD_FILE'))) {
		usleep(20000);
		clearstatcache();
	}
}
if (str_starts_with($uri, '/noisy'))
	error_log("a warning of the site about $uri");
if (str_starts_with($uri, '/missing'))
	http_response_code(404);
if (str_starts_with($uri, '/moved')) {
	header('Location: /', true, 301);
	exit;
}
header('Content-Type: text/html; charset=utf-8');
header("X-Version: $version");
echo "<p>$host$uri version $version</p>\n";
