"""What a command says when it cannot do what was asked, and what is said and kept of a fault of the program: nothing of any game.

CommandError
├── BadInputError      exit code 2: arguments, files or data that make no sense
└── UnreachableError   exit code 3: a board or a broker that does not answer

A file of its own: every command imports it before it loads anything heavy.
"""

from __future__ import annotations

import resource
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


class CommandError(Exception):
    """Ends a command with one line on stderr and `exit_code`. Its text holds no rank that was not shown."""

    exit_code = 2


class BadInputError(CommandError):
    """Arguments or input that cannot be used; nothing was done."""

    exit_code = 2


class UnreachableError(CommandError):
    """A board or a broker that cannot be reached."""

    exit_code = 3


@contextmanager
def told_as(kind: type[CommandError], *errors: type[Exception]) -> Iterator[None]:
    """Let these errors end a command, with the same text. For a whole function, or for what stands below `with`."""
    try:
        yield
    except errors as error:
        raise kind(str(error)) from error


@contextmanager
def file_named(name: object) -> Iterator[None]:
    """Let what is wrong with a file end a command, with its name."""
    try:
        yield
    except OSError as error:
        raise BadInputError(f"{name}: {error.strerror or 'cannot be read'}") from error


def write_named(path: Path, text: str) -> None:
    """Write a text file; what is wrong with it ends the command, with its name."""
    with file_named(path):
        path.write_text(text, encoding="utf-8")


# ---- faults of the program


def crash_in_private(say: Callable[[str], object]) -> None:
    """Let no core be dumped, which would hold every rank and key, and `say` of what breaks a thread what `our_fault` does.

    A limit of 1 also stops those that go to a program instead of a file (core(5)); children inherit it.
    """
    if resource.getrlimit(resource.RLIMIT_CORE)[1] != 0:  # a limit of 0 dumps nothing, and may not be raised
        resource.setrlimit(resource.RLIMIT_CORE, (1, 1))

    def say_of(error: BaseException | None) -> None:
        if isinstance(error, Exception):
            say(our_fault(error))

    threading.excepthook = lambda told: say_of(told.exc_value)
    sys.unraisablehook = lambda told: say_of(told.exc_value)


def our_fault(error: Exception) -> str:
    """Return what broke and where. The error's own text is left out: it could hold what nobody may see."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = "" if trace is None else f" in {trace.tb_frame.f_globals.get('__name__', '?')}, line {trace.tb_lineno}"
    return f"a fault of the program: {type(error).__name__}{place} (set HALLMARSHAL_TRACEBACK=1 to see all of it)"
