"""A simulated board behind a pty that belongs to the test, and a command beside it: two processes that know each other by the path."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.patience import PATIENCE_S

ROOT = Path(__file__).resolve().parents[2]
COMMAND = [sys.executable, "-W", "error", "-m", "referee.cli.main"]
RED = [f"{column}{row}" for row in (1, 2, 3, 4) for column in "abcdefghij"]
BLUE = [f"{column}{row}" for row in (7, 8, 9, 10) for column in "abcdefghij"]


class Board:
    """`python -m simulator.process` with pipes."""

    def __init__(self, *arguments: str) -> None:
        self.child = subprocess.Popen(
            [sys.executable, "-m", "simulator.process", "--board", "travel-10x10", "--speed", "max", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            cwd=ROOT,
        )
        self._listener: int | None = None
        self.path = str(self._answer()["pty"])

    @contextmanager
    def listened_to(self) -> Iterator[None]:
        """Read the pty here: a board that nobody reads stands still."""
        self._listener = os.open(self.path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        yield
        os.close(self._listener)
        self._listener = None

    def wish(self, **motion: Any) -> None:
        """Let a hand do something, and wait until it has; somebody must read the pty meanwhile."""
        assert self.child.stdin is not None
        self.child.stdin.write(json.dumps(motion).encode() + b"\n")
        answer = self._answer()
        assert "done" in answer, answer

    def set_up(self, *, without: tuple[str, ...] = ()) -> None:
        """Set down both armies."""
        for seat, squares in (("red", RED), ("blue", BLUE)):
            self.wish(motion="place", seat=seat, squares=[square for square in squares if square not in without])

    def _answer(self) -> dict[str, Any]:
        assert self.child.stdout is not None
        answers, line = self.child.stdout.fileno(), b""
        wanted = [answers] if self._listener is None else [answers, self._listener]
        while not line.endswith(b"\n"):
            ready = select.select(wanted, [], [], PATIENCE_S)[0]
            assert ready, "the simulated board says nothing"
            if self._listener in ready:
                os.read(self._listener, 65536)
            if answers in ready:
                data = os.read(answers, 1)
                assert data, "the simulated board has ended"
                line += data
        answer: dict[str, Any] = json.loads(line)
        return answer

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self.child.stdin is not None
        assert self.child.stdout is not None
        self.child.stdin.close()
        self.child.wait(PATIENCE_S)
        self.child.stdout.close()


class Running:
    """A command at work: its stderr line by line, Enter on its stdin, and what it left."""

    def __init__(self, *arguments: str) -> None:
        self.child = subprocess.Popen(
            [*COMMAND, *arguments],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
        )
        self.told: list[str] = []

    def says(self, beginning: str) -> None:
        """Wait for a line of stderr that begins so; the lines before it stay in `told`."""
        assert self.child.stderr is not None
        while True:
            line = b""
            while not line.endswith(b"\n"):
                assert select.select([self.child.stderr], [], [], PATIENCE_S)[0], f"it never says {beginning!r}"
                data = os.read(self.child.stderr.fileno(), 1)
                assert data, f"it ended without saying {beginning!r}: {self.told}"
                line += data
            self.told.append(line.decode().strip())
            if self.told[-1].startswith(beginning):
                return

    def enter(self) -> None:
        """Press Enter."""
        assert self.child.stdin is not None
        self.child.stdin.write(b"\n")

    def ends(self) -> tuple[int, str, str]:
        """Close stdin and give exit code, stdout and the rest of stderr."""
        out, err = self.child.communicate(timeout=PATIENCE_S)
        return self.child.returncode, out.decode(), err.decode()


def children_of(pid: int) -> list[int]:
    """Return the ids of a process's child processes that still run."""
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    return [int(child) for child in text.split()]
