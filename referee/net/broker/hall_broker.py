"""A hall's broker, and the pass that lets one table in: where that broker is, as whom the table comes, whose orders it takes.

The station writes it as a file of its own a table (`hallmarshal station tables`); the table reads it (`hall` in its configuration).
From it come the lines that join the table's own broker to the hall's: only what a station may read crosses, outward, and only its
orders come in. Seats' topics have no line, so they never cross. Whether the bridge stands Mosquitto says itself (`boards/.../bridge`): the
table's broker says 1 when it has come, and leaves 0 as its last will.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from referee.net.broker import dynsec, mosquitto
from referee.net.credential import Address, Credential, KeyPair
from referee.net.errors import BrokerError, BrokerStartError, CredentialError, LinkError
from referee.net.sealing.signing import OrderKey
from referee.net.topics import topics
from referee.net.topics.topics import Role, Topic, checked_name
from referee.private_file import write_private
from referee.rules.values import Seat

_RETRY_S = (1, 10)
"""A bridge that was cut tries again after a second at first, later after ten."""
_KEEPALIVE_S = 10
"""A wire that carries nothing is taken for cut after one and a half of these."""


@dataclass(frozen=True, slots=True)
class HallPass:
    """One table's way into a hall."""

    board: str
    host: str
    port: int
    user: str
    password: str = field(repr=False)
    station: str
    """The station's public key, as `OrderKey` writes it."""
    certificate: str | None = field(default=None, repr=False)
    """The one certificate (PEM) that the hall's broker shows; without it the connection is plain."""

    def __post_init__(self) -> None:
        checked_name(self.board)
        words = (self.host, self.user, self.password)
        if any(" " in word or not word.isprintable() or not word for word in words) or not 0 < self.port < 65536:
            raise CredentialError("this is no pass of a hall")

    @property
    def key(self) -> OrderKey:
        """Return the key that tells the station's orders."""
        return OrderKey(self.station)

    @property
    def text(self) -> str:
        """Return what stands in its file, which `read` reads."""
        return json.dumps({name: getattr(self, name) for name in self.__slots__}, indent=1) + "\n"

    def write(self, path: Path) -> None:
        """Write it to a file (0600). Raises `OSError`."""
        write_private(path, self.text)

    @classmethod
    def read(cls, path: Path) -> HallPass:
        """Read what `write` wrote; raises `CredentialError` naming no secret."""
        try:
            found = msgspec.json.decode(path.read_bytes(), type=cls)
            found.key  # noqa: B018  # is it one?
        except OSError as error:
            raise CredentialError(f"{path}: {error.strerror}") from None
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, LinkError):
            raise CredentialError(f"{path}: this is no pass of a hall") from None
        return found

    def bridge(self, certificate: Path | None = None) -> str:
        """Return Mosquitto's lines for the bridge; `certificate` is the file that `self.certificate` was written to."""
        short, long = _RETRY_S
        lines = [
            "connection hall",
            f"address {self.host}:{self.port}",
            "bridge_protocol_version mqttv311",
            f"local_clientid {self.board}.bridge",
            f"remote_clientid {self.user}",
            f"remote_username {self.user}",
            f"remote_password {self.password}",
            "cleansession false",
            "notifications true",
            f"notification_topic {topics.address(Topic.BRIDGE, self.board)}",
            "try_private true",
            f"restart_timeout {short} {long}",
            f"keepalive_interval {_KEEPALIVE_S}",
        ]
        if certificate is not None:
            lines += [f"bridge_cafile {certificate}", "bridge_insecure true", "bridge_tls_version tlsv1.2"]
        lines += [f"topic {text} out 1" for text in topics.crossing_out(self.board)]
        lines += [f"topic {text} in 1" for text in topics.published_by(Role.STATION, self.board)]
        return "\n".join(lines) + "\n"


# A hall's Mosquitto: every table's broker comes here, each as a user of its own, and the station reads and orders.
#
# Its directory (0700) gets `hall.json` (users and passwords, so that tables come back after a restart), and what `broker` writes.
# Nothing that was published is kept across its starts: tables and station publish what is retained anew at every connect.


_USERS = "hall.json"
_SPARE_TABLES = 8
"""Tables that may be let in before Mosquitto needs to be started again for its limit of connections."""
_INNER_HOST = "127.0.0.1"


class HallBroker(mosquitto.OwnBroker):
    """A running broker of a hall. Made by `start`."""

    def __init__(
        self,
        folder: Path,
        address: Address,
        inner: Address,
        passwords: dict[str, str],
        whole: Sequence[str],
        host: str,
        tls: mosquitto.Tls | None,
        on_end: Callable[[BrokerError], None],
    ) -> None:
        self.address = address
        """Where tables come; its host may be a wildcard."""
        self._folder, self._inner, self._passwords = folder, inner, passwords
        self._whole, self._host, self._tls = whole, host, tls
        self._control_lock = threading.Lock()
        super().__init__(folder, self._prepared(), on_end)

    @classmethod
    def start(
        cls,
        folder: Path,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        tls: bool = False,
        is_open: bool = True,
        whole: Iterable[str] = (),
        on_end: Callable[[BrokerError], None] = lambda error: None,
    ) -> HallBroker:
        """Return a broker that accepts connections; port 0 means a free one. `whole` names boards that have no broker of their own.

        Unless `is_open` it listens on this machine alone: no table has to come.
        `on_end` is called on another thread when it ends by itself. Raises a `BrokerError`, and has then left nothing running.
        """
        shown = host if is_open else _INNER_HOST
        _, signed, pem = mosquitto.prepare(folder, host, "hall", tls)
        simulated = [checked_name(board) for board in whole]
        passwords = _passwords(folder, simulated)
        address = Address(shown, mosquitto.free_port(shown, port), None, pem)
        inner = Address(_INNER_HOST, mosquitto.free_port(_INNER_HOST, 0))
        return cls(folder, address, inner, passwords, simulated, host, signed, on_end)

    def _prepared(self) -> tuple[mosquitto.Listener, ...]:
        """Write the configuration, and return its listeners. Raises `BrokerStartError`."""
        self._room = len(tables_in(self._folder)) + _SPARE_TABLES
        most = mosquitto.MOST_CONNECTIONS + 2 * self._room
        listeners = (
            mosquitto.Listener(self.address.port, self.address.host, tls=self._tls, most=most),
            mosquitto.Listener(self._inner.port, self._inner.host, most=_MOST_TABLES),
        )
        try:
            document = dynsec.hall_config(self._passwords, tables_in(self._folder), self._whole)
            mosquitto.write_configuration(self._folder, mosquitto.find_plugin(), listeners, document)
        except OSError as error:
            raise BrokerStartError(f"{self._folder}: {error.strerror}") from None
        return listeners

    def open(self) -> None:
        """Listen to the network with room for every table that has a pass; changes nothing where it does so already.

        Otherwise Mosquitto is started again and everybody comes back. Raises a `BrokerError`, and listens as before then.
        """
        if self.address.host == self._host and len(tables_in(self._folder)) <= self._room:
            return
        before = self.address
        self.stop()
        try:
            self.address = replace(before, host=self._host)
            mosquitto.free_port(self._host, before.port)
            self._listeners = self._prepared()
            self.restart()
        except BrokerError:
            self.address = before
            self._listeners = self._prepared()
            self.restart()
            raise

    def client(self, role: Role) -> Credential:
        """Return the credential of the station, of the delay service, or of a spectator: who shows the delayed copy."""
        return self._of_hall(role, dynsec.HALL_USERS[role])

    def credential(self, board: str, role: Role, seat: Seat | None = None, own: KeyPair | None = None) -> Credential:
        """Return the credential of a user of a board that has no broker of its own."""
        user = dynsec.user_name(board, role, seat)
        return Credential(role, user, self._passwords[user], self._inner, board, seat=seat, own=own)

    def admit(self, board: str, station: OrderKey, host: str, *, anew: bool = False) -> HallPass:
        """Return the pass of a table, letting it in where it is new; `host` is where tables reach this machine. Raises a `LinkError`.

        With `anew` a pass that it had before opens nothing from now on.
        """
        user = dynsec.table_user(board)
        with self._control_lock:  # the control user is one client
            known = user in self._passwords
            if anew or not known:
                password = dynsec.new_password()
                asked = dynsec.table_readmission if known else dynsec.table_admission
                dynsec.command(self._control(), asked(board, password))
                self._passwords[user] = password
                _keep(self._folder, {**_kept(self._folder), user: password})
        address = self.address
        return HallPass(board, host, address.port, user, self._passwords[user], station.text, address.certificate)

    def _control(self) -> Credential:
        return self._of_hall(Role.STATION, dynsec.HALL_CONTROL)

    def _of_hall(self, role: Role, user: str) -> Credential:
        return Credential(role, user, self._passwords[user], self._inner, "hall")


_MOST_TABLES = 1024
"""Connections on this machine, where simulated tables come. The network has fewer, since each may announce a packet of 80 KiB."""


def tables_in(folder: Path) -> tuple[str, ...]:
    """Return the boards that have a pass of this hall, by name. Raises `BrokerStartError`."""
    return tuple(sorted(user.removesuffix(".table") for user in _kept(folder)))


def _passwords(folder: Path, whole: Iterable[str]) -> dict[str, str]:
    """Return the kept passwords of the tables, and new ones for everybody who lives only as long as this broker."""
    users = [*dynsec.HALL_USERS.values(), dynsec.HALL_CONTROL]
    for board in whole:
        users += [dynsec.user_name(board, *place) for place in dynsec.PLACES]
    return _kept(folder) | {user: dynsec.new_password() for user in users}


def _kept(folder: Path) -> dict[str, str]:
    path = folder / _USERS
    try:
        found = json.loads(path.read_text())
        return {str(user): str(password) for user, password in found.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, AttributeError):
        raise BrokerStartError(f"{path}: the users of this hall cannot be read") from None


def _keep(folder: Path, passwords: dict[str, str]) -> None:
    write_private(folder / _USERS, json.dumps(passwords) + "\n")


def new_pass(folder: Path, board: str, station: OrderKey, host: str, port: int) -> HallPass:
    """Return a table's pass while the hall's broker does not run; one that has a pass keeps its password. Raises a `LinkError`."""
    user, kept = dynsec.table_user(board), _kept(folder)
    made = HallPass(board, host, port, user, kept.get(user) or dynsec.new_password(), station.text)
    if user not in kept:
        mosquitto.make_private(folder)
        _keep(folder, {**kept, user: made.password})
    return made
