# SPDX-License-Identifier: BSD-2-Clause
"""Type into a real shell on a terminal of its own, and see how it completes the line.

	shell.py bash|zsh COMPLETIONS TEXT

The completions are loaded from that directory, TEXT is typed, then a tab; printed are the
words of the line it made of that, as [WORD].
"""

import os
import pty
import select
import subprocess
import sys
import time


class Terminal:
    def __init__(self, command, env):
        self.fd, child_end = pty.openpty()
        self.child = subprocess.Popen(command, stdin=child_end, stdout=child_end, stderr=child_end,
                                      env=env, start_new_session=True)
        os.close(child_end)
        self.seen = ""

    def type(self, text):
        os.write(self.fd, text.encode())

    def wait_for(self, text, seconds=30):
        """What is shown up to the next appearance of text."""
        deadline = time.monotonic() + seconds
        while text not in self.seen:
            left = deadline - time.monotonic()
            if left < 0 or not select.select([self.fd], [], [], left)[0]:
                sys.exit("never shown: %r; shown: %r" % (text, self.seen))
            self.seen += os.read(self.fd, 65536).decode("utf-8", "replace")
        before, _, self.seen = self.seen.partition(text)
        return before

    def end(self):
        self.child.kill()
        self.child.wait()
        os.close(self.fd)


def main():
    shell, completions, text = sys.argv[1:]
    env = {**os.environ, "TERM": "dumb", "PS1": "$ ", "HOME": "/nonexistent", "HISTFILE": ""}
    command, load = {
        "bash": (["bash", "--norc", "--noprofile", "-i"],
                 "bind 'set enable-bracketed-paste off' 'set bell-style none'; . %s/ngxcache.bash" % completions),
        "zsh": (["zsh", "-f", "-i"],
                "unsetopt beep; bindkey -e; fpath=(%s $fpath); autoload -Uz compinit; compinit -u -D"
                % completions),
    }[shell]
    terminal = Terminal(command, env)
    terminal.type(load + "; echo 'rea''dy'\n")
    terminal.wait_for("ready\r\n")
    # Ctrl-A: the completed line becomes the arguments of a command that shows them.
    terminal.type(text + "\t")
    time.sleep(0.2)
    terminal.type("\x01printf 'wo''rd[%s]' \x05; echo 'do''ne'\n")
    shown = terminal.wait_for("done\r\n")
    terminal.end()
    print(" ".join("[" + part.split("]")[0] + "]" for part in shown.split("word[")[1:]))


main()
