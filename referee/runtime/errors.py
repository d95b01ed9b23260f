"""What a command says when it cannot do what was asked.

CommandError
├── BadInputError      exit code 2: arguments, files or data that make no sense
└── UnreachableError   exit code 3: a board or a broker that does not answer

A file of its own: every command imports it before it loads anything heavy.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


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
