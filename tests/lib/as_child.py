# SPDX-License-Identifier: BSD-2-Clause
"""Run a program as a worker of a web server would: as_child.py WHAT PROGRAM ARGUMENT...

WHAT: some of sockets (50 pairs are open), sigpipe and sigchld (ignored), closed0, closed1 and
closed2 (descriptors).  There is no PATH.  Ends with the program's status.
"""

import os, signal, socket, sys
held = [socket.socketpair() for _ in range(50)] if "sockets" in sys.argv[1] else []
for pair in held:
    for s in pair:
        s.set_inheritable(True)
def start():
    if "sigpipe" in sys.argv[1]:
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    else:
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    if "sigchld" in sys.argv[1]:
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for fd in range(3):
        if "closed%d" % fd in sys.argv[1]:
            os.close(fd)
pid = os.fork()
if pid == 0:
    start()
    os.execve(sys.argv[2], sys.argv[2:], {"USER": "www-data", "HOME": "/nonexistent"})
os._exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) & 0xff)
