#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
#
# Evaluate Python expressions over JSON, for the tests of one file: starting the interpreter
# takes longer than most of what it is asked.
#
#	json_eval.py DIR
#
# Requests come by the pipe DIR/in and are answered by DIR/out, from when DIR/ready is there
# until the directory goes.  A request is ID, EXPRESSION, PATH, and an answer ID, STATUS, TEXT;
# each ends with a NUL.
#
# Of the file, d is the document, lines the list of the objects that stand one on a line;
# true, false and null can be written so.  What comes of it is printed as JSON, a lone string
# as it stands.
import json
import os
import select
import sys
import traceback


def names(text):
    found = {"true": True, "false": False, "null": None}
    try:
        found["d"] = json.loads(text)
    except ValueError:
        pass
    try:
        found["lines"] = [json.loads(line) for line in text.splitlines()]
    except ValueError:
        pass
    return found


def evaluate(expression, path):
    with open(path, "rb") as f:
        text = f.read().decode("utf-8")
    v = eval(expression, names(text))
    return v if isinstance(v, str) else json.dumps(v, ensure_ascii=False)


def answer(expression, path):
    try:
        return "0", evaluate(expression, path)
    except Exception:
        return "1", traceback.format_exc()


def write(fd, data):
    while data:
        data = data[os.write(fd, data):]


def serve(directory):
    requests = os.open(directory + "/in", os.O_RDWR)
    answers = os.open(directory + "/out", os.O_RDWR)
    open(directory + "/ready", "w").close()
    got = b""
    while os.path.isdir(directory):
        if not select.select([requests], [], [], 1)[0]:
            continue
        got += os.read(requests, 65536)
        while got.count(b"\0") >= 3:
            name, expression, path, got = got.split(b"\0", 3)
            status, text = answer(expression.decode(), path.decode())
            text = text.replace("\0", "\\0").encode("utf-8", "surrogatepass")
            write(answers, name + b"\0" + status.encode() + b"\0" + text + b"\0")


serve(sys.argv[1])
