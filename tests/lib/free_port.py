#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A free loopback port.

usage: free_port.py DIR

Prints it, and makes DIR/port.NUMBER so that no other call with that DIR gets the same.  The
kernel hands out ports from 32768 on by itself: those below stay free until they are used.
"""

import os
import random
import socket
import sys

while True:
    port = random.randrange(20000, 32000)
    try:
        with socket.socket() as s:
            s.bind(("127.0.0.1", port))
        os.mkdir("%s/port.%d" % (sys.argv[1], port))
    except OSError:
        continue
    print(port)
    break
