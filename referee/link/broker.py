"""The referee's own Mosquitto: found, configured, started, watched and ended here.

Its state directory (mode 0700) gets `mosquitto.conf`, `dynamic-security.json` (password hashes), `mosquitto.log` (who came and
went, never what was said) and `kiosk.json` (the credential for a kiosk that is started by hand), all 0600. Nothing is kept by the
broker across its starts except the users of paired handsets and the kiosk's.

The child is killed by the kernel when the *thread* that started it ends (PR_SET_PDEATHSIG follows threads, not processes), so a
thread of its own starts it and waits for its end. That thread lives exactly as long as the broker, whoever called `start`.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from referee.journal.private_file import write_private
from referee.link import certificate, child, dynsec
from referee.link.access import KIOSK_FILE, BrokerAccess, keep_for_kiosks
from referee.link.credential import Address, Credential
from referee.link.errors import BrokerError, BrokerPortError, BrokerStartError, CredentialError
from referee.link.mosquitto import Listener, configuration, find_mosquitto, find_plugin
from referee.link.topics import Role, checked_name

_LOG_BYTES = 4 * 1024 * 1024
_START_S = 10.0
_STOP_S = 3.0
_PORT_TRIES = 5
_TAKEN = "Address already in use"
_INNER_HOST = "127.0.0.1"
_INNER_CONNECTIONS = 16

_OWN = """\
# Written by Hallmarshal at every start; changes are lost.
user {user}
persistence false
log_dest stderr
log_type error
log_type warning
log_type notice
connection_messages true
"""

_UPGRADE = (
    b"GET /mqtt HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: mqtt\r\n\r\n"
)


class Broker(BrokerAccess):
    """A running Mosquitto of our own. Made by `start`.

    It listens three times: for handsets and kiosks by TCP (with a certificate of its own if `tls`) and by WebSocket, and on this
    machine alone for the referee, whom nobody can keep out by holding connections open.
    """

    def __init__(
        self,
        state_dir: Path,
        board: str,
        address: Address,
        inner: Address,
        passwords: dict[str, str],
        process: _Process,
        listeners: Sequence[Listener],
    ) -> None:
        super().__init__(board, address, inner, passwords)
        self.state_dir = state_dir
        self._process = process
        self._listeners = listeners

    @classmethod
    def start(
        cls,
        state_dir: Path,
        board: str,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        ws_port: int = 0,
        tls: bool = False,
        on_end: Callable[[BrokerError], None] = lambda error: None,
    ) -> Broker:
        """Give a broker that accepts connections. Port 0 means a free one.

        `on_end` is called on another thread when Mosquitto ends without having been asked to. Raises `BrokerMissingError`,
        `BrokerPortError` or `BrokerStartError`, one clear line each, and has then left nothing running.
        """
        program, plugin = find_mosquitto(), find_plugin()
        checked_name(board)
        _check_host(host)
        _make_private(state_dir)
        signed = certificate.load_or_create(state_dir, board) if tls else None
        pem = signed.certificate.read_text() if signed else None
        for attempt in range(1, _PORT_TRIES + 1):
            address = Address(host, _port(host, port), _port(host, ws_port), pem)
            inner = Address(_INNER_HOST, _port(_INNER_HOST, 0))
            listeners = (
                Listener(address.port, host, tls=signed),
                Listener(address.ws_port or 0, host, websockets=True),
                Listener(inner.port, inner.host, most=_INNER_CONNECTIONS),
            )
            try:
                passwords = _write_files(state_dir, board, plugin, listeners)
                keep_for_kiosks(state_dir, board, replace(address, host=_near(host)), passwords)
            except OSError as error:
                raise BrokerStartError(f"{state_dir}: {error.strerror}") from None
            process = _Process([program, "-c", str(state_dir / "mosquitto.conf")], state_dir / "mosquitto.log", on_end)
            try:
                process.wait_until_it_listens(listeners)
            except BrokerPortError:
                # between our look for a free port and Mosquitto's taking it somebody else took it: look again
                if port or attempt == _PORT_TRIES:
                    raise
            else:
                return cls(state_dir, board, address, inner, passwords, process, listeners)
        raise AssertionError("the last attempt either returned or raised")

    def restart(self) -> None:
        """Start Mosquitto again after it has ended by itself: the same ports, users and passwords, so that everybody comes back.

        Raises a `BrokerError`.
        """
        self._process = self._process.again()
        self._process.wait_until_it_listens(self._listeners)

    @property
    def pid(self) -> int:
        """Give the process id of Mosquitto."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Tell whether Mosquitto is running."""
        return self._process.running

    def stop(self) -> None:
        """End Mosquitto and wait for its end."""
        self._process.stop()


class _Process:
    """Mosquitto as a child, with the thread that started it."""

    def __init__(self, command: list[str], log: Path, on_end: Callable[[BrokerError], None]) -> None:
        self._command = command
        self._log = log
        self._on_end = on_end
        self._started = threading.Event()
        self._ended = threading.Event()
        self._stopping = False
        self._listening = False
        self._fault: str | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._run, name="mosquitto", daemon=True)
        self._thread.start()
        self._started.wait()

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def running(self) -> bool:
        return not self._ended.is_set()

    def again(self) -> _Process:
        """Start the same command anew."""
        return _Process(self._command, self._log, self._on_end)

    def wait_until_it_listens(self, listeners: Sequence[Listener]) -> None:
        """Return once all listeners accept; raises `BrokerPortError` or `BrokerStartError`, and then it has ended."""
        deadline = time.monotonic() + _START_S
        for listener in listeners:
            answers = _speaks_websocket if listener.websockets else _accepts
            while not answers(listener.host, listener.port):
                if self._ended.wait(0.005):
                    raise self._why(listeners[0])
                if time.monotonic() > deadline:
                    self.stop()
                    where = f"{listener.host}:{listener.port}"
                    raise BrokerStartError(f"Mosquitto did not listen at {where} within {_START_S:.0f} s")
        if self._ended.is_set():
            raise self._why(listeners[0])  # it was somebody else who accepted
        self._listening = True

    def stop(self) -> None:
        self._stopping = True
        if self._process is not None and self.running:
            self._process.terminate()
            if not self._ended.wait(_STOP_S):
                self._process.kill()
        self._thread.join()

    def _run(self) -> None:
        wrapper = [sys.executable, "-I", "-S", child.__file__, str(os.getpid()), str(_LOG_BYTES), *self._command]
        try:
            self._log.unlink(missing_ok=True)
            handle = os.open(self._log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                # a session of its own: Ctrl-C is the referee's to answer
                self._process = subprocess.Popen(  # noqa: S603  # every part of the command is ours
                    wrapper, stdin=subprocess.DEVNULL, stdout=handle, stderr=handle, start_new_session=True
                )
            finally:
                os.close(handle)
            self._started.set()
            self._process.wait()
        except OSError as error:
            self._fault = str(error)
        finally:
            self._ended.set()
            self._started.set()
        if self._listening and not self._stopping:
            self._on_end(BrokerStartError(f"Mosquitto ended by itself: {self._errors()[-1]}"))

    def _why(self, first: Listener) -> BrokerError:
        errors = self._errors()
        if any(_TAKEN in line for line in errors):
            return _port_taken(first.host, first.port)
        return BrokerStartError(f"Mosquitto did not start: {errors[0]}")

    def _errors(self) -> list[str]:
        """Give what Mosquitto complained of, at least one line."""
        if self._fault is not None:
            return [self._fault]
        try:
            lines = [
                line.split(": ", 1)[-1] for line in self._log.read_text(errors="replace").splitlines() if "rror" in line
            ]
        except OSError:
            lines = []
        return lines or [f"it said nothing (see {self._log})"]


def _write_files(state_dir: Path, board: str, plugin: Path, listeners: Sequence[Listener]) -> dict[str, str]:
    """Write both files; give the passwords of the users that live only as long as this broker, and the kiosk's."""
    users = state_dir / "dynamic-security.json"
    passwords = dynsec.new_passwords(board)
    kiosk = dynsec.user_name(board, Role.KIOSK)
    passwords[kiosk] = _kept_for_kiosks(state_dir, kiosk) or passwords[kiosk]
    document = dynsec.config(board, passwords, dynsec.kept_handsets(board, _earlier(users)))
    write_private(users, json.dumps(document, indent=1) + "\n")
    # unread unless started as root, where Mosquitto else drops to its own user
    head = _OWN.format(user="root" if os.geteuid() == 0 else "mosquitto")
    write_private(state_dir / "mosquitto.conf", configuration(plugin, users, listeners, head))
    return passwords


def _kept_for_kiosks(state_dir: Path, user: str) -> str | None:
    try:
        kept = Credential.from_json(json.loads((state_dir / KIOSK_FILE).read_text()))
    except (OSError, ValueError, CredentialError):
        return None  # there is none, or none that can be read: kiosks get a new one
    return kept.password if kept.user == user else None


def _earlier(users: Path) -> dynsec.Json:
    try:
        found = json.loads(users.read_text())
    except (OSError, ValueError):
        return {}  # nothing there, or unreadable: the handsets pair again
    return found if isinstance(found, dict) else {}


def _make_private(state_dir: Path) -> None:
    try:
        state_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        state_dir.chmod(0o700)
    except OSError as error:
        raise BrokerStartError(f"{state_dir}: {error.strerror}") from None


def _check_host(host: str) -> None:
    try:
        socket.getaddrinfo(host, None)
    except (OSError, UnicodeError):
        raise BrokerStartError(f"{host!r} is no address of this machine") from None


def _port(host: str, wanted: int) -> int:
    """Give a port that is free now: the wanted one, or any when that is 0; raises `BrokerPortError`.

    Looked at here for both listeners, since Mosquitto's WebSocket library goes on without a listener when its port is taken.
    """
    try:
        with socket.create_server((host, wanted)) as server:
            return int(server.getsockname()[1])
    except (OSError, OverflowError):
        raise _port_taken(host, wanted) from None


def _port_taken(host: str, port: int) -> BrokerPortError:
    return BrokerPortError(f"port {port} of {host} cannot be had; is another program using it?")


def _accepts(host: str, port: int) -> bool:
    try:
        with _connected(host, port):
            return True
    except OSError:
        return False


def _speaks_websocket(host: str, port: int) -> bool:
    try:
        with _connected(host, port) as sock:
            sock.sendall(_UPGRADE)
            return b" 101 " in sock.recv(64)
    except OSError:
        return False


def _connected(host: str, port: int) -> socket.socket:
    return socket.create_connection((_near(host), port), timeout=1.0)


def _near(host: str) -> str:
    """Give the address by which this machine reaches a listener of its own."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104  # compared with, not bound to
