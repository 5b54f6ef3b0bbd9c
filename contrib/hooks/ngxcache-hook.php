<?php
/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For a CMS that can run PHP after a page was saved: include this file and call
 *
 *	ngxcache_purge(['https://www.example.com/news/', 'https://www.example.com/news/*']);
 *
 * It is one run of the program, whatever the number of URLs; a * makes a URL a pattern.  What
 * nginx's keys hold besides the URL, as the class of a visitor's device, need not be known
 * here: a URL covers all of them.
 *
 * True: done.  False: something failed, and the error log tells what; a save should go on.
 */
function ngxcache_purge(array $urls, $host = null, $program = ['/usr/bin/ngxcache'])
{
	$command = array_merge($program, ['purge', '--json']);
	if ($host !== null) {
		array_push($command, '--limit-host', $host);
	}
	array_push($command, '--from', '-');
	$child = proc_open($command, [['pipe', 'r'], ['file', '/dev/null', 'w'], ['pipe', 'w']], $pipes);
	if (!is_resource($child)) {
		error_log("$command[0]: cannot be run");
		return false;
	}
	fwrite($pipes[0], json_encode(array_values($urls)));
	fclose($pipes[0]);
	$said = stream_get_contents($pipes[2]);
	if (proc_close($child) === 0) {
		return true;
	}
	error_log(trim($said));
	return false;
}
