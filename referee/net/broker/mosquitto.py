"""Mosquitto as a program: found, configured, given a certificate, started, watched and ended.

No memory_limit: when the plugin throws a client off, 2.0.11 counts its memory below zero and from then on refuses everybody as "out
of memory" (met here). Queue limits bound the memory instead: a user is bound to one client id, so a table has at most seven clients
that got in, with 2 MiB of queue each, and the others wait for a CONNECT of at most 80 KiB.

Up to 2.0 all that goes for TCP only: on a WebSocket listener libwebsockets counts no connections, and Mosquitto's reader there knows
no max_packet_size (its websockets.c, read for 2.0.11). So ours has none: phones come by the front door, which carries their MQTT to the
listener on this machine. `referee.net.broker.exec_pdeathsig` gives the process no more memory than it ever needs.
"""

from __future__ import annotations

import errno
import json
import logging
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import SystemRandom
from typing import Any

from referee.net.broker import exec_pdeathsig
from referee.net.errors import BrokerError, BrokerMissingError, BrokerPortError, BrokerStartError
from referee.private_file import write_private

_log = logging.getLogger(__name__)

PLUGIN = "mosquitto_dynamic_security.so"
CONFIGURATION = "mosquitto.conf"
USERS = "dynamic-security.json"
MOST_CONNECTIONS = 64
"""A listener. That on this machine alone is the referee's: the front door brings at most the connections of its `KNOCKING`, twice, and
one for each user there.
"""
_PLUGIN_FOLDERS = ("/usr/lib/*-linux-gnu*", "/usr/lib64", "/usr/lib", "/usr/local/lib", "/usr/lib/mosquitto")
_APT = "install it with: sudo apt install mosquitto"

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
LIMITS = """\
per_listener_settings false
allow_anonymous false
allow_zero_length_clientid false
retain_available true
sys_interval 0
set_tcp_nodelay true
max_packet_size 81920
message_size_limit 81920
max_inflight_messages 20
max_queued_messages 4096
max_queued_bytes 2097152
max_keepalive 120
"""
"""What holds for all listeners: who gets in, how much one may send at once, how much is kept for one who reads slowly or not at all."""


@dataclass(frozen=True, slots=True)
class Tls:
    """The files of a listener's certificate and key."""

    certificate: Path
    key: Path


@dataclass(frozen=True, slots=True)
class Listener:
    """Where Mosquitto listens; without a host everywhere."""

    port: int
    host: str = ""
    websockets: bool = False
    tls: Tls | None = None
    most: int = MOST_CONNECTIONS

    def text(self) -> str:
        """Return its lines."""
        lines = [f"listener {self.port} {self.host}".rstrip(), f"max_connections {self.most}"]
        if self.websockets:
            lines.append("protocol websockets")
        if self.tls is not None:
            lines += [f"certfile {self.tls.certificate}", f"keyfile {self.tls.key}", "tls_version tlsv1.2"]
        return "\n".join(lines) + "\n"


def configuration(plugin: Path, users: Path, listeners: Iterable[Listener], head: str = "") -> str:
    """Return the configuration; `head` are lines that go first, `users` is the plugin's own file."""
    plugged = f"plugin {plugin}\nplugin_opt_config_file {users}\n"
    return head + LIMITS + plugged + "".join(listener.text() for listener in listeners)


def write_configuration(
    folder: Path, plugin: Path, listeners: Iterable[Listener], users: dict[str, Any], more: str = ""
) -> None:
    """Write what a Mosquitto of ours starts with: the plugin's file of its users, and its configuration. Raises `OSError`."""
    path = folder / USERS
    write_private(path, json.dumps(users, indent=1) + "\n")
    # the user is unread unless started as root, where Mosquitto else drops to its own
    head = _OWN.format(user="root" if os.geteuid() == 0 else "mosquitto")
    write_private(folder / CONFIGURATION, configuration(plugin, path, listeners, head) + more)


def find_mosquitto() -> str:
    """Return the path of Mosquitto; Debian keeps it where only root's PATH looks. Raises `BrokerMissingError`."""
    path = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin:/sbin")
    if path is None:
        raise BrokerMissingError(f"Mosquitto, the MQTT broker, is not installed; {_APT}")
    return path


def find_plugin() -> Path:
    """Return the path of the dynamic-security plugin, on any processor. Raises `BrokerMissingError`."""
    for folder in _PLUGIN_FOLDERS:
        for found in sorted(Path("/").glob(f"{folder[1:]}/{PLUGIN}")):
            return found
    raise BrokerMissingError(f"Mosquitto's dynamic-security plugin ({PLUGIN}) is not installed; {_APT}")


# A certificate of the table's own for its broker: made once, by the `openssl` program, and kept.
#
# Nobody signs it but itself. Who connects is told the certificate by somebody he believes (a paired handset by the referee's sealed
# letter, whose key the join link proves), and takes no other.


_DAYS = 7300


def own_certificate(folder: Path, name: str) -> Tls:
    """Return the certificate in a folder; the first call makes it (P-256, 20 years). Raises `BrokerStartError`."""
    tls = Tls(folder / "certificate.pem", folder / "certificate.key")
    if tls.certificate.exists() and tls.key.exists():
        return tls
    program = shutil.which("openssl")
    if program is None:
        raise BrokerStartError(
            "openssl, which makes the broker's certificate, is not installed: sudo apt install openssl"
        )
    drafts = [path.with_name(path.name + ".new") for path in (tls.key, tls.certificate)]
    command = f"{program} req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days {_DAYS}".split()
    subject = ["-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}"]
    files = ["-keyout", str(drafts[0]), "-out", str(drafts[1])]
    done = subprocess.run(  # noqa: S603  # every part is ours; the name was checked
        [*command, *subject, *files], capture_output=True, text=True, check=False, umask=0o077
    )
    if done.returncode != 0:
        reason = done.stderr.strip().splitlines()
        raise BrokerStartError(f"openssl made no certificate: {reason[-1] if reason else 'it said nothing'}")
    for draft, path in zip(drafts, (tls.key, tls.certificate), strict=True):
        os.replace(draft, path)
    return tls


# Mosquitto as a child of ours: started, watched, ended; and the ports that it may have.
#
# The child is killed by the kernel when the *thread* that started it ends (PR_SET_PDEATHSIG follows threads, not processes), so a
# thread of its own starts it and waits for its end. That thread lives exactly as long as the broker, whoever called `start`.


_LOG_BYTES = 4 * 1024 * 1024
_START_S = 60.0
"""A machine that starts up has much else to do; one that cannot be started ends, and is not waited for."""
_STOP_S = 3.0
_LEAST_PORT = 10_081
"""Browsers refuse some ports, of which 10080 is the highest (fetch.spec.whatwg.org, "bad port")."""
_GIVEN_AWAY = Path("/proc/sys/net/ipv4/ip_local_port_range")
_ESTABLISHED = "01"
"""A state of the kernel's list of connections."""
_TAKEN = "Address already in use"
_NOBODY = b"\x10\x0d\x00\x04MQTT\x04\x02\x00\x14\x00\x01-"
"""A CONNECT without a password, which is refused."""


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
        """Return the process id."""
        assert self._process is not None
        return self._process.pid

    @property
    def running(self) -> bool:
        """Return whether it has not ended."""
        return not self._ended.is_set()

    def again(self) -> BrokerProcess:
        """Restart the same command."""
        return BrokerProcess(self._command, self._log, self._on_end)

    def wait_until_it_listens(self, listeners: Sequence[Listener]) -> None:
        """Return once all listeners accept; raises `BrokerPortError` or `BrokerStartError`, and then it has ended."""
        deadline = time.monotonic() + _START_S
        for listener in listeners:
            answers = accepts if listener.tls is not None else _speaks_mqtt
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
            _log.info("Mosquitto is process %d", self._process.pid)
            self._started.set()
            self._process.wait()
            _log.info("Mosquitto (process %d) ended with exit code %d", self._process.pid, self._process.returncode)
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
            return port_taken(first.host, first.port)
        return BrokerStartError(f"Mosquitto did not start: {errors[0]}")

    def _errors(self) -> list[str]:
        """Return what Mosquitto complained of, at least one line."""
        if self._fault is not None:
            return [self._fault]
        try:
            lines = [
                line.split(": ", 1)[-1] for line in self._log.read_text(errors="replace").splitlines() if "rror" in line
            ]
        except OSError:
            lines = []
        return lines or [f"it said nothing (see {self._log})"]


class OwnBroker:
    """A Mosquitto that was started here, with where it listens: seen, started again, ended."""

    def __init__(self, folder: Path, listeners: Sequence[Listener], on_end: Callable[[BrokerError], None]) -> None:
        """Start it with the configuration in its folder. Raises a `BrokerError`, and has then left nothing running."""
        self._listeners = tuple(listeners)
        command = [find_mosquitto(), "-c", str(folder / CONFIGURATION)]
        self._process = BrokerProcess(command, folder / "mosquitto.log", on_end)
        self._process.wait_until_it_listens(self._listeners)

    @property
    def pid(self) -> int:
        """Return the process id of Mosquitto."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Return whether Mosquitto is running."""
        return self._process.running

    def restart(self) -> None:
        """Start Mosquitto again after it has ended: the same ports, users and passwords, so that everybody comes back.

        Raises a `BrokerError`.
        """
        self._process = self._process.again()
        self._process.wait_until_it_listens(self._listeners)

    def stop(self) -> None:
        """End Mosquitto and wait for its end."""
        self._process.stop()


def prepare(folder: Path, host: str, name: str, tls: bool) -> tuple[Path, Tls | None, str | None]:
    """Make the folder of a Mosquitto of ours; return the plugin and, with `tls`, the certificate's files and its text (PEM).

    Raises `BrokerMissingError` or `BrokerStartError`.
    """
    find_mosquitto()
    plugin = find_plugin()
    check_host(host)
    make_private(folder)
    signed = own_certificate(folder, name) if tls else None
    return plugin, signed, signed.certificate.read_text() if signed else None


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
    """Return a port that is free now: the wanted one, or any when that is 0; raises `BrokerPortError` or `BrokerStartError`.

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
    """Return some ports, by chance, of those that the kernel does not give away itself; none where it does not say which it does."""
    try:
        beyond = int(_GIVEN_AWAY.read_text(encoding="ascii").split()[0])
    except (OSError, ValueError, IndexError):
        return []
    return [SystemRandom().randrange(_LEAST_PORT, beyond) for _ in range(20)] if beyond > _LEAST_PORT else []


def port_taken(host: str, port: int) -> BrokerPortError:
    """Return the error for a port that somebody else has."""
    return BrokerPortError(f"port {port} of {host} cannot be had; is another program using it?")


def accepts(host: str, port: int) -> bool:
    """Return whether something listens there."""
    try:
        with socket.create_connection((near(host), port), timeout=1.0):
            return True
    except OSError:
        return False


def _speaks_mqtt(host: str, port: int) -> bool:
    """Return whether a broker answers there. It does so once it has all its listeners."""
    try:
        with socket.create_connection((near(host), port), timeout=1.0) as line:
            line.sendall(_NOBODY)
            return line.recv(1) == b"\x20"
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


def near(host: str) -> str:
    """Return the address by which this machine reaches a listener of its own."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104  # compared with, not bound to
