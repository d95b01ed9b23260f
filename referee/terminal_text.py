"""What strangers wrote, on its way to a terminal: their control sequences become text. And the end of a terminal.

A server's error word, a rule file or the name of a file may hold escapes that clear the screen, set the window's title or turn the
writing direction. Everything that a command prints passes `visible_output`, which `referee.cli.main.guarded` puts around the
command; consoles of rich, which write escapes of their own, are `referee.terminal.TerminalConsole`. Needs nothing but
the standard library, since every command goes through it.
"""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any, TextIO, cast

_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""C0 without tab and line feed, DEL, C1, line and paragraph separators, all that turns the direction (UAX #9), lone surrogates."""


def visible(text: str) -> str:
    r"""Return the text with every character that steers a terminal written out as `\u` and four hex digits.

    JSON stays the same document: that is how JSON writes them, too.
    """
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


@contextmanager
def visible_output() -> Iterator[None]:
    """Let stdout and stderr pass `visible` as long as the context lasts."""
    out, err = (cast(TextIO, _VisibleStream(raw(stream))) for stream in (sys.stdout, sys.stderr))
    with redirect_stdout(out), redirect_stderr(err):
        yield


def end_with_terminal() -> None:
    """Let a terminal that is closed end the program as SIGTERM does, unless it is to outlive it (nohup)."""
    terminals = [number for number in (1, 2) if os.isatty(number)]

    def end(*_: object) -> None:
        for number in terminals:  # what is still printed on the way out would fail
            nothing = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nothing, number)
            os.close(nothing)
        os.kill(os.getpid(), signal.SIGTERM)

    if signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:
        signal.signal(signal.SIGHUP, end)


def raw(stream: TextIO) -> TextIO:
    """Return the stream that lies below: for data that must stay what they are, and for rich."""
    return stream.stream if isinstance(stream, _VisibleStream) else stream


def print_data(text: str) -> None:
    """Write a document to stdout: unchanged into a file or pipe, `visible` in a terminal."""
    (sys.stdout if sys.stdout.isatty() else raw(sys.stdout)).write(text)


class _VisibleStream:
    """A text stream; all but writing is that of the stream below."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        """Write `visible(text)`; return the length of `text`."""
        self.stream.write(visible(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write them one after the other."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)
