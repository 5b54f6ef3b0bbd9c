#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What a manual page in mdoc says, for the tests that hold the program against it.

usage: manpage.py options PAGE [SECTION]    the options it describes, as the help writes them
       manpage.py synopsis PAGE             its forms, one a line
       manpage.py items PAGE SECTION        the heads of the section's lists, one word a line
       manpage.py examples PAGE DIR         its examples, as files of DIR

Every display (.Bd -literal) of EXAMPLES is an example: "$ " begins a command, the lines up to
the next one are what it prints.  A comment in front of a display tells more:

    .\\" status N      its last command ends with that status, not with 0
    .\\" only parsed   its commands need what a test has not got: only their options are checked

Example N becomes DIR/N.run or DIR/N.parse, a line for each command: STATUS<TAB>COMMAND; what
command K of it prints becomes DIR/N.K.
"""

import os
import re
import sys


def sections(page):
    """The lines of each section, by its title; those in front of the first under ""."""
    found, title = {"": []}, ""
    with open(page) as f:
        for line in f.read().splitlines():
            if line.startswith(".Sh "):
                title = line[4:]
                found[title] = []
            else:
                found[title].append(line)
    return found


def plain(text):
    """A text line as it is printed."""
    return text.replace("\\&", "").replace("\\e", "\\").replace("\\-", "-")


def words(line):
    """The text of a line of macros: Fl, Ar, Cm, Op and the like, and commas."""
    out, optional, dash = "", False, False
    for word in line[1:].split():
        if word == "Fl":
            dash = True
        elif word == "Op":
            optional = True
        elif word == ",":
            out += ","
        elif word not in ("It", "Ar", "Cm", "Li", "Nm", "Sy"):
            out += (" " if out else "") + ("-" if dash else "") + plain(word)
            dash = False
    return "[%s]" % out if optional else out


def options(page, title=None):
    for name, lines in sections(page).items():
        if title in (None, name):
            for line in lines:
                if line.startswith(".It Fl "):
                    yield words(line)


def synopsis(page):
    form = ""
    for line in sections(page)["SYNOPSIS"]:
        if line.startswith(".Nm") and form:
            yield form
            form = ""
        form += (" " if form else "") + words(line)
    yield form


def items(page, title):
    for line in sections(page)[title]:
        if line.startswith(".It ") and not line.startswith(".It Fl"):
            yield from words(line.replace(" Ns ", "")).replace(",", " ").split()


def examples(page):
    """(kind, status, lines) of every display."""
    kind, status, display = "run", 0, None
    for line in sections(page)["EXAMPLES"]:
        if line.startswith('.\\" only parsed'):
            kind = "parse"
        elif line.startswith('.\\" status '):
            status = int(line.split()[-1])
        elif line.startswith(".Bd -literal"):
            display = []
        elif line == ".Ed":
            yield kind, status, display
            kind, status, display = "run", 0, None
        elif display is not None:
            display.append(plain(line))


def write_examples(page, directory):
    for n, (kind, status, lines) in enumerate(examples(page), 1):
        commands, printed = [], []
        for line in lines:
            if line.startswith("$ "):
                commands.append(line[2:])
                printed.append([])
            else:
                printed[-1].append(line)
        for k, text in enumerate(printed, 1):
            with open(os.path.join(directory, "%d.%d" % (n, k)), "w") as f:
                f.write("".join(line + "\n" for line in text))
        with open(os.path.join(directory, "%d.%s" % (n, kind)), "w") as f:
            for k, command in enumerate(commands, 1):
                f.write("%d\t%s\n" % (status if k == len(commands) else 0, command))


def main(what, page, *rest):
    if what == "examples":
        write_examples(page, *rest)
        return
    found = {"options": options, "synopsis": synopsis, "items": items}[what](page, *rest)
    for line in found:
        print(line)


main(*sys.argv[1:])
