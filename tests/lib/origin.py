#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""An HTTP origin for tests.

usage: origin.py DIR

Listens on a free loopback port, which it writes to DIR/port.  A page says what was asked
for and which version of the site is published: the text of DIR/../version.  How it answers
is read for every request from the lines of DIR/rules, GLOB<TAB>JSON: the objects whose glob
matches the path and query are merged, later ones win.

    status   the status (200)            headers  an object of header fields
    delay    seconds before the answer   body     the body instead of the page
    etag     true: send one, answer If-None-Match with 304
    vary     a header name: sends Vary, and the page says the header's value; empty: none
    hold     a file name in DIR: the answer waits while it exists
    gone     true: close the connection without an answer
    size     so many bytes instead of the page, with an ETag, whole or the range asked for

DIR/requests gets a line per request: METHOD HOST PATH IF-NONE-MATCH.
"""

import fnmatch
import http.server
import json
import os
import re
import sys
import time

ROOT = sys.argv[1]


def read(name, default):
    try:
        with open(os.path.join(ROOT, name)) as f:
            return f.read()
    except FileNotFoundError:
        return default


def rule(path):
    merged = {"status": 200, "headers": {}}
    for line in read("rules", "").splitlines():
        glob, _, text = line.partition("\t")
        if fnmatch.fnmatchcase(path, glob):
            merged.update(json.loads(text))
    return merged


def wait(answer):
    """The delay of a rule, then as long as its hold file exists (20 s at most)."""
    time.sleep(answer.get("delay", 0))
    hold = answer.get("hold")
    deadline = time.monotonic() + 20
    while hold and os.path.exists(os.path.join(ROOT, hold)) and time.monotonic() < deadline:
        time.sleep(0.01)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "origin"
    sys_version = ""

    def page(self, answer, version):
        text = "%s%s version %s" % (self.headers.get("Host", ""), self.path, version)
        if answer.get("vary"):
            text += " for %s" % self.headers.get(answer["vary"], "nobody")
        return answer.get("body", text + "\n").encode()

    def part(self, size):
        match = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range") or "")
        start, end = (int(n) for n in match.groups()) if match else (0, size - 1)
        end = min(end, size - 1)
        self.send_response(206 if match else 200)
        if match:
            self.send_header("Content-Range", "bytes %d-%d/%d" % (start, end, size))
        self.send_header("ETag", '"whole"')
        self.send_header("Content-Length", str(end - start + 1))
        self.end_headers()
        self.wfile.write(bytes(n % 251 for n in range(start, end + 1)))

    def answer(self):
        answer = rule(self.path)
        version = read("../version", "1").strip()
        match = self.headers.get("If-None-Match")
        with open(os.path.join(ROOT, "requests"), "a") as log:
            log.write("%s %s %s %s\n" % (self.command, self.headers.get("Host"), self.path, match))
        wait(answer)
        if answer.get("gone"):
            self.close_connection = True
            return
        if "size" in answer:
            self.part(answer["size"])
            return
        body = self.page(answer, version)
        status = answer["status"]
        etag = '"%s"' % version if answer.get("etag") else None
        if etag and match == etag:
            status, body = 304, b""
        self.send_response(status)
        if etag:
            self.send_header("ETag", etag)
        if answer.get("vary"):
            self.send_header("Vary", answer["vary"])
        fields = {"Content-Type": "text/plain", **answer["headers"]}
        for name, value in fields.items():
            self.send_header(name, value)
        if status != 304:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_HEAD = do_POST = answer

    def log_message(self, *args):
        pass


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    new = os.path.join(ROOT, "port.new")
    with open(new, "w") as f:
        f.write("%d\n" % server.server_address[1])
    with open(os.path.join(ROOT, "origin.pid"), "w") as f:
        f.write("%d\n" % os.getpid())
    os.rename(new, os.path.join(ROOT, "port"))
    server.serve_forever()


main()
