"""A board on a serial port, or on a pty that looks like one; and a simulated board of one's own, which has such a pty.

The simulated one is `python -m simulator.process`, started as a child; its pty is opened like any serial port.
"""

from __future__ import annotations

import contextlib
import errno
import json
import logging
import os
import select
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import serial

import hardware
from firmware_bridge import messages as m
from firmware_bridge._wire_constants import BAUD
from firmware_bridge.talk import NumberedSource, Tap
from firmware_bridge.wire import Decoder, encode
from hardware import BoardFile

_log = logging.getLogger(__name__)

_READ_BYTES = 65536
_WRITE_TIMEOUT_S = 1.0  # a command is a few bytes: if they find no room in a second, nobody is there
_RETRY_S = 0.5
_LONGEST_WAITS = 16  # times the first wait
_STEADY_WAITS = 10  # a link that lasted so many times its last wait was no rattle
_ASK_AGAIN_MS = 1000
_END = b"\0"  # ends whatever the board's side had half heard when the line was opened
_REASONS = {
    errno.ENOENT: "there is no such port (is the board plugged in?)",
    errno.EACCES: "permission denied (is this user in the group that owns the port, often dialout?)",
    errno.EBUSY: "another program uses it",
    errno.EAGAIN: "another program uses it",
    errno.ENOTTY: "that is no serial port",
    errno.EINVAL: "that is no serial port",
}
_PORT_ERRORS = (OSError, ValueError, TypeError, termios.error)
"""What pyserial lets through: SerialException is an OSError, TypeError is how it reads a port that is closed, termios.error is neither."""


class SerialSource(NumberedSource):
    """An open port, held for this process alone. Opening one may restart a board for a second or two and drops what had arrived.

    When the cable comes out, `read` gives one `LinkLost`, then nothing, and one `LinkBack` when the port is there again under the same
    path (so give a path that stays: one below /dev/serial/by-id). `fileno` stays the same all that time. `send` raises while the
    link is lost. With `reconnect=False` a lost link is a board that is gone for good: `read` raises.
    """

    def __init__(
        self, url: str, path: str, tap: Tap | None = None, *, reconnect: bool = True, retry_s: float = _RETRY_S
    ) -> None:
        self.url = url
        self._path = path
        self._tap = tap
        self._reconnect = reconnect
        self._patience = Patience(retry_s)
        self._opened_s = time.monotonic()
        self._decoder = Decoder()
        self._gone: str | None = None
        self._news: list[m.News] = []
        self._reopening: _Reopening | None = None
        self._greeting = _Greeting()
        try:
            self._port: serial.Serial | None = _open(path)
        except _PORT_ERRORS as error:
            raise m.BoardUnreachableError(f"board {url}: {_reason(error)}") from error
        # one descriptor for whoever waits, whichever port is behind it: the port, or the bell of whoever reopens it
        self._bell = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._either = select.epoll()
        self._either.register(self._bell, select.EPOLLIN)
        self._either.register(self._port.fileno(), select.EPOLLIN)
        try:
            self._ask_who_is_there()
        except m.BoardUnreachableError:
            self.close()
            raise

    def fileno(self) -> int:
        """Return a descriptor that is readable when `read` has something to say, and that outlives a lost link."""
        return self._either.fileno()

    def read(self) -> list[m.News]:
        """Return what has arrived; raise BoardUnreachableError when the source is closed, or the port is gone for good."""
        self._check()
        if self._reopening is not None:
            self._take_back()
        if self._port is not None:
            self._take_bytes(self._port)
        news, self._news = self._news, []
        return news

    def send(self, command: m.Command) -> m.Command:
        """Send a command with the next seq and return it as sent; raise BoardUnreachableError if the link is lost."""
        self._check()
        if self._port is None:
            raise m.BoardUnreachableError(f"board {self.url}: the connection is lost")
        sent = self.numbered(command)
        self._write(self._port, encode(sent))
        return sent

    def close(self) -> None:
        """Close the port."""
        if self._gone == _CLOSED:
            return
        self._gone = _CLOSED
        if self._reopening is not None:
            found = self._reopening.stop()
            if found is not None:
                found.close()
        if self._port is not None:
            self._port.close()
        self._either.close()
        os.close(self._bell)

    def _check(self) -> None:
        if self._gone is not None:
            raise m.BoardUnreachableError(f"board {self.url}: {self._gone}")

    def _take_bytes(self, port: serial.Serial) -> None:
        try:
            # pyserial's own read makes three calls of it, a hundred times a second; where nothing came it knows why
            data: bytes = os.read(port.fileno(), _READ_BYTES) or port.read(_READ_BYTES)
        except BlockingIOError:
            return
        except _PORT_ERRORS as error:
            self._lose(error)
            return
        if not data:
            return
        if self._tap:
            self._tap(True, data)
        messages = self._decoder.feed(data)
        self._news += messages
        if self._greeting.is_missed(messages):
            with contextlib.suppress(m.BoardUnreachableError):  # what send found out stands in the news
                self.send(m.AskHello())

    def _ask_who_is_there(self) -> None:
        assert self._port is not None
        self._write(self._port, _END)
        self.send(m.AskHello())
        self.send(m.AskKeyframe())

    def _write(self, port: serial.Serial, data: bytes) -> None:
        try:
            port.write(data)
        except _PORT_ERRORS as error:
            self._lose(error)
            raise m.BoardUnreachableError(f"board {self.url}: the connection is lost ({error})") from error
        if self._tap:
            self._tap(False, data)

    def _lose(self, error: Exception) -> None:
        assert self._port is not None
        with contextlib.suppress(OSError):  # the kernel drops a descriptor that hung up for some drivers
            self._either.unregister(self._port.fileno())
        self._port.close()
        self._port = None
        reason = f"the connection is lost ({error})"
        _log.info("board %s: %s", self.url, reason)
        if not self._reconnect:
            self._gone = reason
            os.eventfd_write(self._bell, 1)  # and never read again: whoever waits is told at once, each time
            self._check()
        self._news.append(m.LinkLost(reason))
        os.eventfd_write(self._bell, 1)  # send may have found out: let whoever waits read the news
        wait_s = self._patience.after(time.monotonic() - self._opened_s)
        self._reopening = _Reopening(self._path, wait_s, self._bell)

    def _take_back(self) -> None:
        assert self._reopening is not None
        self._still_bell()  # before looking: whatever is found after the look rings again
        port = self._reopening.found
        if port is None:
            return
        self._reopening.stop()
        self._still_bell()  # it may have rung between the look and its end, and would then ring for ever
        self._reopening = None
        self._port = port
        self._opened_s = time.monotonic()
        self._either.register(port.fileno(), select.EPOLLIN)
        self._decoder.cut()
        self._greeting = _Greeting()
        _log.info("board %s: open again", self.url)
        self._news.append(m.LinkBack())
        with contextlib.suppress(m.BoardUnreachableError):  # lost again already: that stands in the news now
            self._ask_who_is_there()

    def _still_bell(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.eventfd_read(self._bell)


_CLOSED = "it was closed"


class Patience:
    """How long to wait before a lost port is opened again: longer each time that it did not last, so that a loose plug does not rattle."""

    def __init__(self, least_s: float) -> None:
        self._least_s = self._wait_s = least_s

    def after(self, lasted_s: float) -> float:
        """Return the wait in seconds, after the link had lasted so long."""
        steady = lasted_s >= _STEADY_WAITS * self._wait_s
        self._wait_s = self._least_s if steady else min(2 * self._wait_s, _LONGEST_WAITS * self._least_s)
        return self._wait_s


class _Reopening:
    """Opens a port again, off the thread that reads: tries each `wait_s` seconds until it can, then rings `bell` (an eventfd) once.

    Every failure counts as not there yet: a port that has just appeared belongs to nobody for a moment, or to another program.
    """

    def __init__(self, path: str, wait_s: float, bell: int) -> None:
        self._path, self._wait_s, self._bell = path, wait_s, bell
        self.found: serial.Serial | None = None
        """The open port, None until there is one."""
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="reopening", daemon=True)
        self._thread.start()

    def stop(self) -> serial.Serial | None:
        """Try no more; return the open port, if there is one, which is then the caller's to close."""
        self._stopped.set()
        self._thread.join()
        return self.found

    def _run(self) -> None:
        while not self._stopped.wait(self._wait_s):
            try:
                self.found = _open(self._path)
            except _PORT_ERRORS:
                continue
            os.eventfd_write(self._bell, 1)
            return


class _Greeting:
    """Notices that no HELLO answers the first question: a board that was still starting did not hear it. Counts the board's own time."""

    def __init__(self) -> None:
        self._came = False
        self._asked_ms: int | None = None

    def is_missed(self, news: list[m.BoardMessage | m.WireFault]) -> bool:
        """Return whether it is time to ask again."""
        if self._came:
            return False
        for message in news:
            if isinstance(message, m.Hello):
                self._came = True
                return False
        frame = next((message for message in reversed(news) if isinstance(message, m.Frame)), None)
        if frame is None:
            return False
        passed_ms = 0 if self._asked_ms is None else (frame.board_ms - self._asked_ms) % m.RANGE_MS
        if 0 < passed_ms < _ASK_AGAIN_MS:
            return False
        self._asked_ms = frame.board_ms
        return passed_ms >= _ASK_AGAIN_MS  # also after a restart, which looks like a very long time


def _open(path: str) -> serial.Serial:
    port = serial.Serial(path, BAUD, timeout=0, write_timeout=_WRITE_TIMEOUT_S, exclusive=True)
    with contextlib.suppress(
        ValueError, OSError
    ):  # an FTDI chip holds bytes back for 16 ms otherwise; a pty has no such thing
        port.set_low_latency_mode(True)
    return port


def _reason(error: Exception) -> str:
    # pyserial wraps a termios.error into an exception without an errno; the number is in what it wrapped
    number = getattr(error, "errno", None)
    if number is None and error.__context__ is not None and error.__context__.args:
        number = error.__context__.args[0]
    return _REASONS.get(number, str(error)) if isinstance(number, int) else str(error)


# ---------------------------------------------------------------- a simulated board of one's own

_ROOT = Path(hardware.__file__).resolve().parent.parent  # where the rooms lie, installed or not
_START_S = 60.0  # a child that cannot start ends, and is not waited for
_BUILD_S = 180.0  # with a controller the child may have to build its firmware first
_END_S = 2.0
_BAD_ARGUMENTS = 2  # the child's exit code when an option of the URL is not to its taste


class SimSource(SerialSource):
    """The child lives as long as the pipe to it: it ends when this source is closed, and also when this process is killed.

    Its hands are moved by `wish`; what became of a wish is in `answers`, and `answers_fileno` is readable when there is one.
    """

    def __init__(
        self,
        url: str,
        board: BoardFile,
        options: Mapping[str, str],
        tap: Tap | None = None,
        *,
        fingers: bool = False,
    ) -> None:
        """`fingers`: a wish may move a hand at once (`simulator.fingers`), and where magnets are stands among the answers."""
        self.url = url
        command = [sys.executable, "-m", "simulator.process", "--board", str(board.path or board.id)]
        command += ["--sensing", board.sensing.value]
        command += [f"--{name}={value}" for name, value in options.items()]
        command += ["--fingers"] if fingers else []
        self._wished = 0
        self._rest = b""
        self._start_s = _BUILD_S if "controller" in options else _START_S
        # a new process group: Ctrl-C is for us, and we end the board in order
        self.child = subprocess.Popen(  # noqa: S603 # our own module, a list, no shell
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
        assert self.child.stdin is not None
        try:
            self.child.stdin.write(json.dumps(dict(motion)).encode() + b"\n")
        except (OSError, ValueError) as error:
            raise m.BoardUnreachableError(f"board {self.url}: the simulated board has ended") from error
        self._wished += 1
        return self._wished

    def answers_fileno(self) -> int:
        """Return a descriptor that is readable when `answers` has something to say."""
        assert self.child.stdout is not None
        return self.child.stdout.fileno()

    def answers(self) -> list[dict[str, Any]]:
        """Return the answers to wishes that have come, never waiting: {"done": number, "board_ms": time} or {"error", "motion"}."""
        if not select.select([self.answers_fileno()], [], [], 0)[0]:
            return []
        data = os.read(self.answers_fileno(), 65536)
        if not data:
            raise m.BoardUnreachableError(f"board {self.url}: the simulated board has ended")
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
                raise (m.BoardUrlError if self.child.returncode == _BAD_ARGUMENTS else m.BoardUnreachableError)(text)
            line += data
        return str(json.loads(line)["pty"])

    def _last_words(self) -> str:
        assert self.child.stderr is not None
        end_child(self.child, _END_S)
        lines = self.child.stderr.read().decode(errors="replace").strip().splitlines()
        return f": {lines[-1]}" if lines else ""

    def _end_child(self) -> None:
        with self.child:  # closes its pipes
            end_child(self.child, _END_S)


def end_child(child: subprocess.Popen[bytes], seconds: float) -> None:
    """Let a child end, for which the end of its stdin is the sign; it is killed if it has not after so long."""
    assert child.stdin is not None
    child.stdin.close()
    try:
        child.wait(seconds)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
