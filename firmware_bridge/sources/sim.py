"""A simulated board of one's own: starts `python -m simulator.process` as a child and opens its pty like any serial port."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import hardware
from firmware_bridge.messages import BoardUnreachableError, BoardUrlError
from firmware_bridge.sources.serial_port import SerialSource
from firmware_bridge.talk import Tap
from hardware import BoardFile

_ROOT = Path(hardware.__file__).resolve().parent.parent  # where the rooms lie, installed or not
_START_S = 60.0  # a child that cannot start ends, and is not waited for
_BUILD_S = 180.0  # with a controller the child may have to build its firmware first
_END_S = 2.0
_BAD_ARGUMENTS = 2  # the child's exit code when an option of the URL is not to its taste


class SimSource(SerialSource):
    """The child lives as long as the pipe to it: it ends when this source is closed, and also when this process is killed.

    Its hands are moved by `wish`; what became of a wish is in `answers`, and `answers_fileno` is readable when there is one.
    """

    def __init__(self, url: str, board: BoardFile, options: Mapping[str, str], tap: Tap | None = None) -> None:
        self.url = url
        command = [sys.executable, "-m", "simulator.process", "--board", str(board.path or board.id)]
        command += ["--sensing", board.sensing.value]
        command += [f"--{name}={value}" for name, value in options.items()]
        self._wished = 0
        self._rest = b""
        self._start_s = _BUILD_S if "controller" in options else _START_S
        # a new process group: Ctrl-C is for us, and we end the board in order
        self._child = subprocess.Popen(  # noqa: S603 # our own module, a list, no shell
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            process_group=0,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join([str(_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]),
            },
        )
        try:
            super().__init__(url, self._pty(), tap, reconnect=False)  # a child that ends is gone
        except BaseException:
            self._end_child()
            raise

    def wish(self, motion: Mapping[str, Any]) -> int:
        """Ask for a motion (see `simulator.motions` for its form); return its number, which its answer will name."""
        assert self._child.stdin is not None
        try:
            self._child.stdin.write(json.dumps(dict(motion)).encode() + b"\n")
        except (OSError, ValueError) as error:
            raise BoardUnreachableError(f"board {self.url}: the simulated board has ended") from error
        self._wished += 1
        return self._wished

    @property
    def child_pid(self) -> int:
        """The simulated board's process."""
        return self._child.pid

    def answers_fileno(self) -> int:
        """Return a descriptor that is readable when `answers` has something to say."""
        assert self._child.stdout is not None
        return self._child.stdout.fileno()

    def answers(self) -> list[dict[str, Any]]:
        """Return the answers to wishes that have come, never waiting: {"done": number, "board_ms": time} or {"error", "motion"}."""
        if not select.select([self.answers_fileno()], [], [], 0)[0]:
            return []
        data = os.read(self.answers_fileno(), 65536)
        if not data:
            raise BoardUnreachableError(f"board {self.url}: the simulated board has ended")
        *lines, self._rest = (self._rest + data).split(b"\n")
        return [json.loads(line) for line in lines]

    def close(self) -> None:
        """Close the port and end the child."""
        super().close()
        self._end_child()

    def _pty(self) -> str:
        line = b""
        while not line.endswith(b"\n"):
            ready, _, _ = select.select([self.answers_fileno()], [], [], self._start_s)
            data = os.read(self.answers_fileno(), 4096) if ready else b""
            if not data:
                text = f"board {self.url}: the simulated board did not start{self._last_words()}"
                raise (BoardUrlError if self._child.returncode == _BAD_ARGUMENTS else BoardUnreachableError)(text)
            line += data
        return str(json.loads(line)["pty"])

    def _last_words(self) -> str:
        assert self._child.stderr is not None
        self._end_child_process()
        lines = self._child.stderr.read().decode(errors="replace").strip().splitlines()
        return f": {lines[-1]}" if lines else ""

    def _end_child(self) -> None:
        with self._child:  # closes its pipes
            self._end_child_process()

    def _end_child_process(self) -> None:
        assert self._child.stdin is not None
        self._child.stdin.close()  # the child's sign to end
        try:
            self._child.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
