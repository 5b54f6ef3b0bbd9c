#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Visitors of a site whose pages are purged again and again.

usage: live.py [--visitors N] [--rounds N] [--at-once N] [--kill] [--stale] PORT VERSION PURGE...

The site on PORT has 100 pages that are purged, www.test/even/N, and 100 that are not,
www.test/odd/N; a page says which it is and which version of the site is published, the text
of the file VERSION.  Visitors ask for all of them all the time.  When all are cached, a round
publishes the next version and runs the command PURGE...; the next one begins when the new
version of all purged pages is cached.  No answer may be on its way then that was begun before.

    --at-once N  N such commands at the same time
    --kill       before it, the command is started and killed (SIGKILL), three times
    --stale      an old page may be served until the new one is stored

Ends with 0 when no request failed, no page that was not purged changed or left the cache, no
request begun after the end of a purge got an old page, and every purge ended with 0 and said
nothing on standard error.
"""

import argparse
import http.client
import os
import random
import re
import subprocess
import sys
import threading
import time

PAGES = ["/even/%d" % n for n in range(100)] + ["/odd/%d" % n for n in range(100)]
DEADLINE = 60


class Site:
    """What the visitors know, and what they complain about."""

    def __init__(self, args):
        self.args = args
        self.lock = threading.Lock()
        self.stop = False
        self.least = 0  # the version of the last purge: no purged page may be older; 0: none yet
        self.cached = {}  # page: the version of the last HIT
        self.requests = 0
        self.complaints = []

    def complain(self, text):
        with self.lock:
            self.complaints.append(text)

    def judge(self, page, least, answer):
        status, cache, body = answer
        match = re.fullmatch(r"www\.test(\S+) version (\d+)\n", body)
        if status != 200 or match is None or match.group(1) != page:
            self.complain("%s: status %s, %s, %r" % (page, status, cache, body[:100]))
            return
        version = int(match.group(2))
        if page.startswith("/odd") and version != 1:
            self.complain("%s was not purged, but is of version %d" % (page, version))
        if page.startswith("/odd") and cache != "HIT" and least > 0:
            self.complain("%s was not purged, but is a %s" % (page, cache))
        if page.startswith("/even") and version < least and not self.args.stale:
            self.complain("%s of version %d, %s, after %d" % (page, version, cache, least))
        with self.lock:
            self.requests += 1
            if cache == "HIT":
                self.cached[page] = version

    def visit(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.args.port, timeout=30)
        pages = random.sample(PAGES, len(PAGES))
        while not self.stop:
            for page in pages:
                least = self.least
                try:
                    connection.request("GET", page, headers={"Host": "www.test"})
                    response = connection.getresponse()
                    body = response.read().decode()
                except (OSError, http.client.HTTPException) as error:
                    self.complain("%s: %r" % (page, error))
                    connection.close()
                    continue
                self.judge(page, least, (response.status, response.headers.get("X-Cache"), body))
                if self.stop:
                    break

    def wait_for(self, version):
        """Until all pages are cached, the purged ones in that version."""
        deadline = time.monotonic() + DEADLINE
        while time.monotonic() < deadline:
            with self.lock:
                if all(self.cached.get(p) == (version if "even" in p else 1) for p in PAGES):
                    return True
                if len(self.complaints) > 20:
                    return False
            time.sleep(0.01)
        self.complain("version %d was never cached" % version)
        return False

    def purge(self):
        run = [
            subprocess.Popen(self.args.purge, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            for _ in range(self.args.at_once)
        ]
        for process in run:
            errors = process.communicate()[1].decode()
            if process.returncode != 0 or errors:
                self.complain("purge: status %d: %s" % (process.returncode, errors))

    def kill_some(self):
        for _ in range(3):
            process = subprocess.Popen(self.args.purge, stdout=subprocess.DEVNULL)
            time.sleep(random.uniform(0, 0.03))
            process.kill()
            process.wait()

    def rounds(self):
        if not self.wait_for(1):
            return
        self.least = 1
        for version in range(2, self.args.rounds + 2):
            with open(self.args.version + ".new", "w") as f:
                f.write("%d" % version)
            os.rename(self.args.version + ".new", self.args.version)
            if self.args.kill:
                self.kill_some()
            self.purge()
            self.least = version
            if not self.wait_for(version):
                return


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--visitors", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--at-once", type=int, default=1)
    parser.add_argument("--kill", action="store_true")
    parser.add_argument("--stale", action="store_true")
    parser.add_argument("port", type=int)
    parser.add_argument("version")
    parser.add_argument("purge", nargs=argparse.REMAINDER)
    site = Site(parser.parse_args())
    visitors = [threading.Thread(target=site.visit) for _ in range(site.args.visitors)]
    for thread in visitors:
        thread.start()
    site.rounds()
    site.stop = True
    for thread in visitors:
        thread.join()
    print("\n".join(site.complaints[:20]), file=sys.stderr)
    print("%d requests" % site.requests)
    return 1 if site.complaints else 0


sys.exit(main())
