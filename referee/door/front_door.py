"""The application's side of the door: it has the ports, starts the door, answers what that asks, and starts it again when it ends.

The ports stay open while there is no door, so that who comes meanwhile waits for the next one.
"""

from __future__ import annotations

import contextlib
import json
import logging
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import replace
from http import HTTPStatus
from typing import BinaryIO

from referee.door.messages import MOST_MESSAGE, Application, Request, Response, json_reply
from referee.door.settings import DoorSettings

_log = logging.getLogger(__name__)

_WAITING_TO_BE_LET_IN = 128
"""Who comes while another is let in, or while there is no door, waits; a room that comes at once fits in."""
_LEAST_LIFE_S = 0.5
"""A door that ends sooner is not started again before this time is over."""
_PATIENCE_S = 20.0
_MOST_FIGURES = 4096
_BROKEN = json_reply(HTTPStatus.INTERNAL_SERVER_ERROR, {"error": "broken"})


class WebAddressError(Exception):
    """The address to serve at cannot be had; one clear line."""


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address; port 0 means a free one. Raises `WebAddressError`."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=_WAITING_TO_BE_LET_IN)
    except (OSError, OverflowError, UnicodeError) as error:
        reason, _, _ = (getattr(error, "strerror", None) or str(error)).partition(" (while")  # the address, once more
        raise WebAddressError(f"the web server cannot have {host}:{port}: {reason}") from None


class FrontDoor:
    """A door with what is behind it. Ended by `stop`."""

    def __init__(self, listeners: Iterable[socket.socket], application: Application, settings: DoorSettings) -> None:
        """Open it; the sockets are the door's from now on."""
        self._listeners = list(listeners)
        self._application, self._settings = application, settings
        self.port = int(self._listeners[0].getsockname()[1])
        self.figures: Mapping[str, int] = {"connections": 0, "refused": 0, "phones": 0}
        """What the door has counted: connections, phones at the broker, and whom it refused."""
        self.pid = 0
        """The process id of the door that is open now."""
        self._ended = threading.Event()
        self._control: socket.socket | None = None
        self._thread = threading.Thread(target=self._run, name="door", daemon=True)
        self._thread.start()

    def listen_too(self, listeners: Iterable[socket.socket]) -> None:
        """Let people in at other ports as well; the door is started again for it, and everybody comes back by himself."""
        self._listeners += listeners
        self._hang_up()

    def stop(self) -> None:
        """Close it and wait until it is."""
        self._ended.set()
        self._hang_up()
        self._thread.join()
        for each in self._listeners:
            each.close()

    def open_door(self, settings: DoorSettings) -> Callable[[], object]:
        """Start a door, and return what waits for its end; it ends once its line to us is cut."""
        door = subprocess.Popen(  # noqa: S603  # every part of the command is ours
            [sys.executable, "-m", "referee.door", settings.written()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=(*settings.listeners, settings.control),
            start_new_session=True,  # Ctrl-C is ours to answer
        )
        self.pid = door.pid
        _log.info("the door is process %d", door.pid)

        def wait() -> None:
            try:
                door.wait(_PATIENCE_S)
            except subprocess.TimeoutExpired:
                door.kill()
                door.wait()

        return wait

    def _hang_up(self) -> None:
        if (control := self._control) is not None:
            with contextlib.suppress(OSError):
                control.shutdown(socket.SHUT_RDWR)

    def _run(self) -> None:
        while not self._ended.is_set():
            begun_s = time.monotonic()
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            with ours:
                with theirs:
                    listeners = tuple(each.fileno() for each in self._listeners)
                    wait = self.open_door(replace(self._settings, listeners=listeners, control=theirs.fileno()))
                self._control = ours  # from now on it is cut where it has to end, before that it is looked at here
                if not self._ended.is_set() and len(listeners) == len(self._listeners):
                    self._serve(ours)
            wait()
            if not self._ended.is_set() and len(listeners) == len(self._listeners):
                _log.warning("the door has ended; it is opened again")
                self._ended.wait(max(0.0, begun_s + _LEAST_LIFE_S - time.monotonic()))

    def _serve(self, control: socket.socket) -> None:
        """Answer each request on a thread of its own until the door has gone; it sends no more at once than it has places for."""
        while True:
            try:
                said, lines, *_ = socket.recv_fds(control, _MOST_FIGURES, 1)
            except OSError:
                return
            if not said:
                return
            if lines:
                line = socket.socket(fileno=lines[0])
                threading.Thread(target=self._answer, args=(line,), name="request", daemon=True).start()
            else:
                self.figures = json.loads(said)

    def _answer(self, line: socket.socket) -> None:
        line.settimeout(_PATIENCE_S)
        with (
            line,
            contextlib.suppress(OSError, ValueError),
            line.makefile("rb") as sent,
            contextlib.ExitStack() as stack,
        ):
            answer = self._answered(Request.read(sent))
            if isinstance(answer.body, Generator):
                stack.callback(answer.body.close)
            if answer.hear is not None:
                line.settimeout(None)  # the door ends it where a browser reads nothing
                threading.Thread(target=_hear, args=(sent, answer.hear), name="channel", daemon=True).start()
            line.sendall(json.dumps(answer.head).encode() + b"\n")
            for piece in (answer.body,) if isinstance(answer.body, bytes) else answer.body:
                line.sendall(piece)

    def _answered(self, request: Request) -> Response:
        """Return the application's answer; of what breaks is said the kind alone, since its text could hold a password."""
        try:
            return self._application(request)
        except Exception as error:
            _log.error("a request of %s ended with %s", request.address, type(error).__name__)
            return _BROKEN


def _hear(sent: BinaryIO, hear: Callable[[bytes], None]) -> None:
    """Hand over each message of a channel until it ends."""
    with contextlib.suppress(OSError, ValueError):
        while message := sent.readline(MOST_MESSAGE + 1):
            hear(message)
    hear(b"")


def machine_names(*names: str) -> tuple[str, ...]:
    """Return the names under which this machine is reached, with these among them."""
    own = socket.gethostname().lower()
    return tuple(sorted({own, f"{own.partition('.')[0]}.local", *(name.lower() for name in names if name)}))


def certified_names(certificate: str) -> tuple[str, ...]:
    """Return the names in a certificate's file (PEM), with `*.` where it holds for all of a domain; none without a file.

    Python reads a certificate's names only once a connection has shown it, so `openssl` does, which also makes certificates here.
    """
    if not certificate:
        return ()
    command = ["openssl", "x509", "-in", certificate, "-noout", "-ext", "subjectAltName"]
    try:
        # a fixed program, and a file that the table's owner named
        told = subprocess.run(command, capture_output=True, text=True, check=False).stdout  # noqa: S603
    except OSError:
        return ()
    return tuple(name.lower() for name in re.findall(r"DNS:([^\s,]+)", told))
