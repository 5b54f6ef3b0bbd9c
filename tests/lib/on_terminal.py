# SPDX-License-Identifier: BSD-2-Clause
"""Run a command on a terminal, and print what it wrote there; ends as the command does.

	on_terminal.py COMMAND...
"""

import os
import pty
import sys


def main():
    pid, fd = pty.fork()
    if pid == 0:
        os.execvp(sys.argv[1], sys.argv[1:])
    while True:
        try:
            piece = os.read(fd, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        sys.stdout.buffer.write(piece)
    sys.stdout.flush()
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


if __name__ == "__main__":
    sys.exit(main())
