"""The referee's own Mosquitto: found, configured, started, watched and ended here.

Its state directory (mode 0700) gets `mosquitto.conf`, `dynamic-security.json` (password hashes) and `mosquitto.log` (who came and
went, never what was said), all 0600. Nothing is kept by the broker across its starts except the users of paired handsets.

The child is killed by the kernel when the *thread* that started it ends (PR_SET_PDEATHSIG follows threads, not processes), so a
thread of its own starts it and waits for its end. That thread lives exactly as long as the broker, whoever called `start`.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from referee.journal.private_file import write_private
from referee.link import child, control, dynsec
from referee.link.credential import Address, Credential, KeyPair
from referee.link.errors import BrokerError, BrokerMissingError, BrokerPortError, BrokerStartError
from referee.link.pairing import Grant
from referee.link.topics import Role, checked_name
from referee.rules.values import Seat

_PLUGIN = "mosquitto_dynamic_security.so"
_PLUGIN_FOLDERS = ("/usr/lib/*-linux-gnu*", "/usr/lib64", "/usr/lib", "/usr/local/lib", "/usr/lib/mosquitto")
_APT = "install it with: sudo apt install mosquitto"
_LOG_BYTES = 4 * 1024 * 1024
_START_S = 10.0
_STOP_S = 3.0
_PORT_TRIES = 5
_TAKEN = "Address already in use"

# No memory_limit: when the plugin throws a client off, 2.0.11 counts its memory below zero and from then on refuses everybody as "out
# of memory" (met here). Connections times queue limits bound the memory instead: 2 x 64 clients, at most 2 MiB each.
_CONF = """\
# Written by Hallmarshal at every start; changes are lost.
user {user}
per_listener_settings false
allow_anonymous false
allow_zero_length_clientid false
plugin {plugin}
plugin_opt_config_file {users}
persistence false
retain_available true
sys_interval 0
set_tcp_nodelay true
log_dest stderr
log_type error
log_type warning
log_type notice
connection_messages true
max_packet_size 81920
max_inflight_messages 20
max_queued_messages 512
max_queued_bytes 2097152
max_keepalive 120
listener {port} {host}
max_connections 64
listener {ws_port} {host}
protocol websockets
max_connections 64
"""

_UPGRADE = (
    b"GET /mqtt HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: mqtt\r\n\r\n"
)


class Broker:
    """A running Mosquitto of our own. Made by `start`."""

    def __init__(
        self, state_dir: Path, board: str, address: Address, passwords: dict[str, str], process: _Process
    ) -> None:
        self.state_dir = state_dir
        self.address = address
        self.board = board
        self._passwords = passwords
        self._process = process

    @classmethod
    def start(
        cls,
        state_dir: Path,
        board: str,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        ws_port: int = 0,
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
        for attempt in range(1, _PORT_TRIES + 1):
            address = Address(host, _port(host, port), _port(host, ws_port))
            try:
                passwords = _write_files(state_dir, board, address, plugin)
            except OSError as error:
                raise BrokerStartError(f"{state_dir}: {error.strerror}") from None
            process = _Process([program, "-c", str(state_dir / "mosquitto.conf")], state_dir / "mosquitto.log", on_end)
            try:
                process.wait_until_it_listens(address)
            except BrokerPortError:
                # between our look for a free port and Mosquitto's taking it somebody else took it: look again
                if port or attempt == _PORT_TRIES:
                    raise
            else:
                return cls(state_dir, board, address, passwords, process)
        raise AssertionError("the last attempt either returned or raised")

    @property
    def pid(self) -> int:
        """Give the process id of Mosquitto."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Tell whether Mosquitto is running."""
        return self._process.running

    def credential(self, role: Role, own: KeyPair | None = None) -> Credential:
        """Give the credential of the referee or the kiosk."""
        user = dynsec.user_name(self.board, role)
        return Credential(role, user, self._passwords[user], self.address, self.board, own=own)

    def admit(self, grant: Grant) -> None:
        """Let a paired handset in; the one that held the seat before is thrown off. Raises a `BrokerError`."""
        control.command(self._control(), dynsec.admission(self.board, grant.seat, grant.credential.password))

    def remove(self, seat: Seat) -> None:
        """Throw a seat's handset off and forget its password. Raises a `BrokerError`."""
        control.command(self._control(), dynsec.removal(self.board, seat))

    def stop(self) -> None:
        """End Mosquitto and wait for its end."""
        self._process.stop()

    def _control(self) -> Credential:
        user = dynsec.control_user(self.board)
        return Credential(Role.REFEREE, user, self._passwords[user], self.address, self.board)


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

    def wait_until_it_listens(self, address: Address) -> None:
        """Return once both listeners accept; raises `BrokerPortError` or `BrokerStartError`, and then it has ended."""
        deadline = time.monotonic() + _START_S
        for port, answers in ((address.port, _accepts), (address.ws_port or 0, _speaks_websocket)):
            while not answers(address.host, port):
                if self._ended.wait(0.005):
                    raise self._why(address)
                if time.monotonic() > deadline:
                    self.stop()
                    raise BrokerStartError(f"Mosquitto did not listen at {address.host}:{port} within {_START_S:.0f} s")
        if self._ended.is_set():
            raise self._why(address)  # it was somebody else who accepted
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

    def _why(self, address: Address) -> BrokerError:
        errors = self._errors()
        if any(_TAKEN in line for line in errors):
            return _port_taken(address.host, address.port)
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


def find_mosquitto() -> str:
    """Give the path of Mosquitto; Debian keeps it where only root's PATH looks. Raises `BrokerMissingError`."""
    path = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin:/sbin")
    if path is None:
        raise BrokerMissingError(f"Mosquitto, the MQTT broker, is not installed; {_APT}")
    return path


def find_plugin() -> Path:
    """Give the path of the dynamic-security plugin, on any processor. Raises `BrokerMissingError`."""
    for folder in _PLUGIN_FOLDERS:
        for found in sorted(Path("/").glob(f"{folder[1:]}/{_PLUGIN}")):
            return found
    raise BrokerMissingError(f"Mosquitto's dynamic-security plugin ({_PLUGIN}) is not installed; {_APT}")


def _write_files(state_dir: Path, board: str, address: Address, plugin: Path) -> dict[str, str]:
    """Write both files; give the passwords of the users that live only as long as this broker."""
    users = state_dir / "dynamic-security.json"
    names = [dynsec.control_user(board), *(dynsec.user_name(board, role) for role in (Role.REFEREE, Role.KIOSK))]
    passwords = {name: dynsec.new_password() for name in names}
    document = dynsec.config(board, passwords, dynsec.kept_handsets(board, _earlier(users)))
    write_private(users, json.dumps(document, indent=1) + "\n")
    user = (
        "root" if os.geteuid() == 0 else "mosquitto"
    )  # unread unless started as root, where it else drops to its own user
    conf = _CONF.format(
        user=user, plugin=plugin, users=users, host=address.host, port=address.port, ws_port=address.ws_port
    )
    write_private(state_dir / "mosquitto.conf", conf)
    return passwords


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
    wanted = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104  # compared with, not bound to
    return socket.create_connection((wanted, port), timeout=1.0)
