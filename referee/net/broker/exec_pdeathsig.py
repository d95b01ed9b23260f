"""Runs another program in this process's place, such that it dies with its parent. Started as a script, imports nothing of ours.

    python -I -S exec_pdeathsig.py PARENT_PID LOG_BYTES PROGRAM ARGUMENT ...

Linux only (prctl). A tiny program of its own, since `preexec_fn` is unsafe in a process that has threads.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys

_PR_SET_PDEATHSIG = 1
PARENT_GONE = 75
NO_PROGRAM = 127
MOST_DATA_BYTES = 96 * 1024 * 1024
"""A busy broker needs a fifth of it; more is what a stranger announces, and does not get (see `referee.net.broker.mosquitto`)."""


def main(argv: list[str]) -> int:
    """Become the program; gives an exit code only when that is not possible."""
    parent, log_bytes, *program = int(argv[0]), int(argv[1]), *argv[2:]
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) != 0:
        return NO_PROGRAM
    if os.getppid() != parent:
        return PARENT_GONE  # it died before the signal was asked for
    os.umask(0o077)  # the plugin writes its file anew at every change of a user
    # no file that it writes grows beyond this: a flood of refused connections must not fill the disk with log lines
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (log_bytes, log_bytes))
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_DATA_BYTES, MOST_DATA_BYTES))
    try:
        os.execv(program[0], program)  # noqa: S606  # no shell is wanted; the path was found by the parent
    except OSError:
        return NO_PROGRAM


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
