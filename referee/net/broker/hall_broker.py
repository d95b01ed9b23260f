"""A hall's Mosquitto: every table's broker comes here, each as a user of its own, and the station reads and orders.

Its directory (0700) gets `hall.json` (users and passwords, so that tables come back after a restart), and what `broker` writes.
Nothing that was published is kept across its starts: tables and station publish what is retained anew at every connect.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from referee.net.broker import certificate, control, dynsec
from referee.net.broker.broker import own_head
from referee.net.broker.broker_process import BrokerProcess, check_host, free_port, make_private
from referee.net.broker.hall_pass import HallPass
from referee.net.broker.mosquitto import Listener, configuration, find_mosquitto, find_plugin
from referee.net.credential import Address, Credential, KeyPair
from referee.net.errors import BrokerError, BrokerStartError
from referee.net.sealing.signing import OrderKey
from referee.net.topics.topics import Role, checked_name
from referee.private_file import write_private
from referee.rules.values import Seat

_USERS = "hall.json"
_INNER_HOST = "127.0.0.1"


class HallBroker:
    """A running broker of a hall. Made by `start`."""

    def __init__(
        self,
        folder: Path,
        address: Address,
        inner: Address,
        passwords: dict[str, str],
        process: BrokerProcess,
        listeners: Sequence[Listener],
    ) -> None:
        self.address = address
        """Where tables come; its host may be a wildcard."""
        self._folder, self._inner, self._passwords = folder, inner, passwords
        self._process, self._listeners = process, listeners

    @classmethod
    def start(
        cls,
        folder: Path,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        tls: bool = False,
        whole: Iterable[str] = (),
        on_end: Callable[[BrokerError], None] = lambda error: None,
    ) -> HallBroker:
        """Give a broker that accepts connections; port 0 means a free one. `whole` names boards that have no broker of their own.

        `on_end` is called on another thread when it ends by itself. Raises a `BrokerError`, and has then left nothing running.
        """
        program, plugin = find_mosquitto(), find_plugin()
        check_host(host)
        make_private(folder)
        simulated = [checked_name(board) for board in whole]
        passwords = _passwords(folder, simulated)
        signed = certificate.load_or_create(folder, "hall") if tls else None
        pem = signed.certificate.read_text() if signed else None
        address = Address(host, free_port(host, port), None, pem)
        inner = Address(_INNER_HOST, free_port(_INNER_HOST, 0))
        listeners = (
            Listener(address.port, host, tls=signed, most=_MOST_TABLES),
            Listener(inner.port, inner.host, most=_MOST_TABLES),
        )
        users = folder / "dynamic-security.json"
        try:
            document = dynsec.hall_config(passwords, tables_in(folder), simulated)
            write_private(users, json.dumps(document) + "\n")
            write_private(folder / "mosquitto.conf", configuration(plugin, users, listeners, own_head()))
        except OSError as error:
            raise BrokerStartError(f"{folder}: {error.strerror}") from None
        process = BrokerProcess([program, "-c", str(folder / "mosquitto.conf")], folder / "mosquitto.log", on_end)
        process.wait_until_it_listens(listeners)
        return cls(folder, address, inner, passwords, process, listeners)

    @property
    def pid(self) -> int:
        """Give the process id of Mosquitto."""
        return self._process.pid

    def station(self) -> Credential:
        """Give the station's credential."""
        return Credential(Role.STATION, dynsec.STATION, self._passwords[dynsec.STATION], self._inner, "hall")

    def delay(self) -> Credential:
        """Give the delay service's credential."""
        return Credential(Role.DELAY, dynsec.DELAY, self._passwords[dynsec.DELAY], self._inner, "hall")

    def spectator(self) -> Credential:
        """Give the credential of who shows the delayed copy."""
        return Credential(Role.SPECTATOR, dynsec.SPECTATOR, self._passwords[dynsec.SPECTATOR], self._inner, "hall")

    def credential(self, board: str, role: Role, seat: Seat | None = None, own: KeyPair | None = None) -> Credential:
        """Give the credential of a user of a board that has no broker of its own."""
        user = dynsec.user_name(board, role, seat)
        return Credential(role, user, self._passwords[user], self._inner, board, seat=seat, own=own)

    def admit(self, board: str, station: OrderKey, host: str) -> HallPass:
        """Give the pass of a table, letting it in where it is new; `host` is where tables reach this machine. Raises a `LinkError`."""
        user = dynsec.table_user(board)
        if user not in self._passwords:
            password = dynsec.new_password()
            control.command(self._control(), dynsec.table_admission(board, password))
            self._passwords[user] = password
            _keep(self._folder, {**_kept(self._folder), user: password})
        address = self.address
        return HallPass(board, host, address.port, user, self._passwords[user], station.text, address.certificate)

    def restart(self) -> None:
        """Start Mosquitto again after it has ended: the same ports, users and passwords. Raises a `BrokerError`."""
        self._process = self._process.again()
        self._process.wait_until_it_listens(self._listeners)

    def stop(self) -> None:
        """End it and wait for its end."""
        self._process.stop()

    def _control(self) -> Credential:
        name = dynsec.HALL_CONTROL
        return Credential(Role.STATION, name, self._passwords[name], self._inner, "hall")


_MOST_TABLES = 1024


def tables_in(folder: Path) -> tuple[str, ...]:
    """Give the boards that have a pass of this hall, by name. Raises `BrokerStartError`."""
    return tuple(sorted(user.removesuffix(".table") for user in _kept(folder)))


def _passwords(folder: Path, whole: Iterable[str]) -> dict[str, str]:
    """Give the kept passwords of the tables, and new ones for everybody who lives only as long as this broker."""
    users = [dynsec.STATION, dynsec.DELAY, dynsec.SPECTATOR, dynsec.HALL_CONTROL]
    for board in whole:
        users += [dynsec.user_name(board, role) for role in (Role.REFEREE, Role.KIOSK)]
        users += [dynsec.user_name(board, Role.HANDSET, seat) for seat in Seat]
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
    """Give a table's pass while the hall's broker does not run; one that has a pass keeps its password. Raises a `LinkError`."""
    user, kept = dynsec.table_user(board), _kept(folder)
    made = HallPass(board, host, port, user, kept.get(user) or dynsec.new_password(), station.text)
    if user not in kept:
        make_private(folder)
        _keep(folder, {**kept, user: made.password})
    return made
