# SPDX-License-Identifier: BSD-2-Clause
"""All URLs of a site, through the cache and rendered anew."""

import concurrent.futures
import html
import re
from urllib.parse import quote, urljoin, urlsplit

LINK = re.compile(rb"""href=["']([^"']+)["']|<(?:loc|link)>([^<]+)</""")
NOT_PAGES = re.compile(r"/wp-(content|includes|admin|login|signup|activate)|/xmlrpc|\.(css|js|png|svg|xsl)\b|replytocom")
#: What every post has: the start of a crawl names some of them.
OF_EVERY_POST = re.compile(r"/oembed/|/wp/v2/\w+/\d+|/[^/]+/feed/$|\?p=")
#: What differs from one rendering of a page to the next.
RANDOM = [(re.compile(p), r) for p, r in (
    (rb"secret=(\\?\"|&quot;)?\w+", b"secret="), (rb"(embed-share-[a-z]+-[a-z]+-\d+)-\d+", rb"\1"),
    # A feed of nothing tells when anything changed.
    (rb"<(lastBuildDate|updated)>[^<]*</\1>(?![\s\S]*<(item|entry)\b)", b""),
)]


def settled(body):
    for pattern, replacement in RANDOM:
        body = pattern.sub(replacement, body)
    return body


class Crawl:
    """urls: URL -> what its uncached rendering was at last: status, Location, body."""

    def __init__(self, stack, host, start, most=400):
        self.stack, self.host, self.most = stack, host, most
        self.urls = {}
        self.links = {}
        self.pool = concurrent.futures.ThreadPoolExecutor(4)
        self.visit(start)

    def seen(self, reply):
        return (reply.status, reply.location, settled(reply.body))

    def links_of(self, url, reply):
        for match in LINK.finditer(reply.body):
            link = html.unescape((match.group(1) or match.group(2)).decode("utf-8", "replace"))
            link = quote(urljoin(url, link).split("#")[0], safe="%/:=&?~+!$,;'@()*[]")
            if urlsplit(link).hostname == self.host and not NOT_PAGES.search(link) and \
                    not OF_EVERY_POST.search(link):
                yield "//" + link.split("//", 1)[1]

    def visit(self, urls):
        """Bring them into the cache, and all they lead to."""
        new = [u for u in urls if u not in self.urls]
        while new and len(self.urls) < self.most:
            found = set()
            for url, reply in zip(new, self.pool.map(self.stack.ask, new)):
                self.urls[url] = self.seen(reply)
                if reply.cache == "HIT":
                    self.urls[url] = self.fresh(url)
                found.update(self.links_of(url, reply))
            new = sorted(found - set(self.urls))

    def fresh(self, url):
        return self.seen(self.stack.ask(url, cached=False))

    def check(self, url):
        """(answer of the cache, rendered anew, was it in the cache?)"""
        reply = self.stack.ask(url)
        if reply.cache == "HIT":
            return self.seen(reply), self.fresh(url), True, reply
        return self.seen(reply), self.seen(reply), False, reply

    def compare(self):
        """After a change: (stale URLs, URLs that changed, URLs purged without need)."""
        stale, changed, needless, found = [], [], [], set()
        urls = list(self.urls)
        for url, (cached, now, hit, reply) in zip(urls, self.pool.map(self.check, urls)):
            if cached != now:
                stale.append(url)
            if now != self.urls[url]:
                changed.append(url)
            elif not hit:
                needless.append(url)
            self.urls[url] = now
            found.update(self.links_of(url, reply))
        self.visit(sorted(found))
        return stale, changed, needless

    def all_hit(self):
        """The URLs that are not in the cache."""
        return [u for u, r in zip(self.urls, self.pool.map(self.stack.ask, self.urls)) if r.cache != "HIT"]
