"""Mosquitto as a child of ours: started, watched, ended; and the ports that it may have.

The child is killed by the kernel when the *thread* that started it ends (PR_SET_PDEATHSIG follows threads, not processes), so a
thread of its own starts it and waits for its end. That thread lives exactly as long as the broker, whoever called `start`.
"""

from __future__ import annotations

import errno
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from random import SystemRandom

from referee.net.broker import exec_pdeathsig
from referee.net.broker.mosquitto import Listener
from referee.net.errors import BrokerError, BrokerPortError, BrokerStartError

_LOG_BYTES = 4 * 1024 * 1024
_START_S = 60.0
"""A machine that starts up has much else to do; one that cannot be started ends, and is not waited for."""
_STOP_S = 3.0
_LEAST_PORT = 10_081
"""Browsers refuse some ports, of which 10080 is the highest (fetch.spec.whatwg.org, "bad port")."""
_GIVEN_AWAY = Path("/proc/sys/net/ipv4/ip_local_port_range")
_ESTABLISHED = "01"
"""A state of the kernel's list of connections."""
_TAKEN = ("Address already in use", "Unable to create websockets listener")

_UPGRADE = (
    b"GET /mqtt HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: mqtt\r\n\r\n"
)


class BrokerProcess:
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
        """Give the process id."""
        assert self._process is not None
        return self._process.pid

    @property
    def running(self) -> bool:
        """Tell whether it has not ended."""
        return not self._ended.is_set()

    def again(self) -> BrokerProcess:
        """Start the same command anew."""
        return BrokerProcess(self._command, self._log, self._on_end)

    def wait_until_it_listens(self, listeners: Sequence[Listener]) -> None:
        """Return once all listeners accept; raises `BrokerPortError` or `BrokerStartError`, and then it has ended."""
        deadline = time.monotonic() + _START_S
        for listener in listeners:
            answers = _speaks_websocket if listener.websockets else accepts
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
        """End it and wait for its end."""
        self._stopping = True
        if self._process is not None and self.running:
            self._process.terminate()
            if not self._ended.wait(_STOP_S):
                self._process.kill()
        self._thread.join()

    def _run(self) -> None:
        wrapper = [
            sys.executable,
            "-I",
            "-S",
            exec_pdeathsig.__file__,
            str(os.getpid()),
            str(_LOG_BYTES),
            *self._command,
        ]
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
        if any(word in line for line in errors for word in _TAKEN):
            return port_taken(first.host, first.port)
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


def make_private(state_dir: Path) -> None:
    """Make a directory that nobody else may look into; raises `BrokerStartError`."""
    try:
        state_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        state_dir.chmod(0o700)
    except OSError as error:
        raise BrokerStartError(f"{state_dir}: {error.strerror}") from None


def check_host(host: str) -> None:
    """Raise `BrokerStartError` for what is no address of this machine."""
    try:
        socket.getaddrinfo(host, None)
    except (OSError, UnicodeError):
        raise _no_address(host) from None


def _no_address(host: str) -> BrokerStartError:
    return BrokerStartError(f"{host!r} is no address of this machine")


def free_port(host: str, wanted: int) -> int:
    """Give a port that is free now: the wanted one, or any when that is 0; raises `BrokerPortError` or `BrokerStartError`.

    Looked at here for all listeners, so that a wanted one that is taken is told before anything is started. Any is one that the kernel
    gives to nobody who asks for just any: it is free still when Mosquitto takes it, and when a table that was killed wants it again.
    """
    for port in [wanted] if wanted else [*_beside_the_kernels(), 0]:
        try:
            with socket.create_server((host, port)) as server:
                return int(server.getsockname()[1])
        except (OSError, OverflowError) as error:
            if isinstance(error, OSError) and error.errno == errno.EADDRNOTAVAIL:
                raise _no_address(host) from None
    raise port_taken(host, wanted)


def _beside_the_kernels() -> list[int]:
    """Give some ports, by chance, of those that the kernel does not give away itself; none where it does not say which it does."""
    try:
        beyond = int(_GIVEN_AWAY.read_text(encoding="ascii").split()[0])
    except (OSError, ValueError, IndexError):
        return []
    return [SystemRandom().randrange(_LEAST_PORT, beyond) for _ in range(20)] if beyond > _LEAST_PORT else []


def port_taken(host: str, port: int) -> BrokerPortError:
    """Give the error for a port that somebody else has."""
    return BrokerPortError(f"port {port} of {host} cannot be had; is another program using it?")


def accepts(host: str, port: int) -> bool:
    """Tell whether something listens there."""
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


def connections_to(ports: Collection[int]) -> int:
    """Count the TCP connections to these ports of this machine, as its kernel lists them; 0 where it lists none."""
    found = 0
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        try:
            lines = Path(table).read_text(encoding="ascii").splitlines()[1:]
        except OSError:
            continue
        for _, here, _, state, *_ in (line.split(maxsplit=4) for line in lines):
            found += state == _ESTABLISHED and int(here.rpartition(":")[2], 16) in ports
    return found


def _connected(host: str, port: int) -> socket.socket:
    return socket.create_connection((near(host), port), timeout=1.0)


def near(host: str) -> str:
    """Give the address by which this machine reaches a listener of its own."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104  # compared with, not bound to
