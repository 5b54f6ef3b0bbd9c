# SPDX-License-Identifier: BSD-2-Clause
"""TAP for tests in Python."""

import traceback

count = failed = 0
notes = []


def note(text):
    notes.append(text)


def ok(name, holds, said=""):
    """One test; what was noted on the way follows it."""
    global count, failed
    count += 1
    failed += not holds
    print("%s %d - %s" % ("ok" if holds else "not ok", count, name), flush=True)
    for line in ([] if holds else str(said).splitlines()) + notes:
        print("# " + line, flush=True)
    notes.clear()


def skip(name, why):
    global count
    count += 1
    print("ok %d - %s # skip %s" % (count, name, why), flush=True)


def check(name, function, *arguments):
    """One test: it holds when the function returns nothing that could be complained about."""
    try:
        complaints = function(*arguments)
    except Exception:
        complaints = [traceback.format_exc()]
    ok(name, not complaints, "\n".join(complaints or []))


def done():
    for line in notes:
        print("# " + line)
    print("1..%d" % count)
    return 1 if failed else 0
