"""The broker of a table: one of its own, or one that runs already and was set up with `hallmarshal broker`."""

from __future__ import annotations

import socket
from collections.abc import Callable, Collection, Iterable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from referee.door.front_door import WebAddressError, listening
from referee.door.settings import BrokerTarget
from referee.net.broker import access as broker_access
from referee.net.broker.access import BrokerAccess
from referee.net.broker.broker import Broker
from referee.net.broker.hall_broker import HallPass
from referee.net.credential import Address, own_address
from referee.net.errors import BrokerError, CredentialError, LinkError
from referee.private_file import write_private
from referee.rules.values import Seat
from referee.runtime.errors import BadInputError
from referee.runtime.state_file import SavedTable
from referee.runtime.table_config import BrokerUrl, TableConfig

_ANYWHERE = ("0.0.0.0", "::")  # noqa: S104 # compared with, not bound to
_DEATHS, _DEATHS_S = 3, 60.0
"""A broker that ends by itself more often than this within this time is not started again."""
_HERE = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True)
class TableBroker:
    """A broker that can be used: the way in, where this machine is for others, and where handsets come: by TLS, or by the door."""

    access: BrokerAccess
    host: str
    """Under which name or address others reach this machine."""
    address: Address

    @property
    def url(self) -> str:
        """Return the broker's address as others write it: that of its own listener, else the door's."""
        if self.address.certificate is None:
            return BrokerUrl("ws", self.host, self.address.ws_port or 0).text
        return BrokerUrl("mqtts", self.address.host, self.address.port).text

    @property
    def target(self) -> BrokerTarget:
        """Return where the door brings what phones say."""
        inner = self.access.inner
        return BrokerTarget(inner.host, inner.port, inner.certificate)


def open_broker(
    config: TableConfig, folder: Path, door: int, on_end: Callable[[BrokerError], None], kept: Collection[Seat] = ()
) -> TableBroker:
    """Start the table's own broker, or join the one that the configuration names. Raises a `BrokerError` or `BadInputError`.

    `door` is the port of the front door, to which everybody comes who does not speak TLS with the broker itself.
    Handsets that an earlier start of the table has paired are not let in any more, but those of the seats that are `kept`, whose game
    goes on. `folder` keeps what belongs to the broker.
    """
    where = config.web[0]
    host = config.address or (own_address() if where in _ANYWHERE else where)
    access: BrokerAccess
    if config.broker_url is None:
        if not kept:
            (folder / "dynamic-security.json").unlink(missing_ok=True)
        access = Broker.start(
            folder,
            config.name,
            host=where,
            port=config.broker_port,
            tls=config.tls,
            bridge=_bridge_lines(config, folder),
            on_end=on_end,
        )
        outside = host
    else:
        found = config.broker_url
        access = broker_access.join(folder, config.name, Address(found.host, found.port, None, _certificate(config)))
        for seat in set(Seat) - set(kept):
            access.remove(seat)
        outside = host if found.host in _HERE else found.host
    if access.address.certificate is None:
        return TableBroker(access, host, Address(host, 0, door))
    return TableBroker(access, host, replace(access.address, host=outside, ws_port=door))


def hall_pass(config: TableConfig) -> HallPass | None:
    """Return the table's pass, None where it belongs to no hall. Raises `BadInputError`."""
    if config.hall is None:
        return None
    try:
        found = HallPass.read(config.hall)
    except CredentialError as error:
        raise BadInputError(str(error)) from None
    if found.board != config.name:
        raise BadInputError(f"{config.hall}: this pass is for table {found.board}, not {config.name}")
    return found


def _bridge_lines(config: TableConfig, folder: Path) -> str:
    """Return the lines that join the table's own broker to the hall's; none without a pass. Raises `BadInputError`."""
    found = hall_pass(config)
    if found is None:
        return ""
    if found.certificate is None:
        return found.bridge()
    certificate = folder / "hall.pem"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_private(certificate, found.certificate)
    return found.bridge(certificate.absolute())


def _certificate(config: TableConfig) -> str | None:
    assert config.broker_url is not None
    if config.broker_url.scheme != "mqtts":
        return None
    if config.certificate is None:
        raise BadInputError("a broker at mqtts:// needs broker.certificate, the file of the certificate that it shows")
    try:
        return config.certificate.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        raise BadInputError(f"{config.certificate}: no certificate can be read") from None


class FormerPorts:
    """Ports at which phones of earlier starts look for the table, and where its door does not listen now."""

    def __init__(self, kept: SavedTable, seats: Iterable[Seat], here: int) -> None:
        """`seats` are those whose phones may come back; `here` is the door's port now."""
        found = {seat: kept.port_of(seat) for seat in seats}
        self._missing = {seat: port for seat, port in found.items() if port not in (0, here)}

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Return the seats whose phones do not find the table now."""
        return tuple(self._missing)

    @property
    def text(self) -> str:
        """Return the ports as they are said."""
        ports = sorted(set(self._missing.values()))
        return f"port{'s' * (len(ports) > 1)} {' and '.join(map(str, ports))}"

    def forget(self, seat: Seat) -> None:
        """A phone of this seat was paired: it knows where the table is now."""
        self._missing.pop(seat, None)

    def listeners(self, host: str) -> list[socket.socket]:
        """Return sockets that listen at all of them; none while somebody else has one."""
        with ExitStack() as stack:
            try:
                found = [stack.enter_context(listening(host, port)) for port in sorted(set(self._missing.values()))]
            except WebAddressError:
                return []
            stack.pop_all()
        return found


class Deaths:
    """Counts how often a process of the table's own has ended by itself."""

    def __init__(self) -> None:
        self._when: list[float] = []

    def may_start_again(self, now_s: float) -> bool:
        """Note one more end; tell whether it is worth another start: not more than three times within a minute."""
        self._when = [when for when in self._when if now_s - when < _DEATHS_S] + [now_s]
        return len(self._when) <= _DEATHS


def start_again(access: BrokerAccess, failed: Callable[[LinkError], None]) -> None:
    """Start the table's own broker again after it has ended; `failed` hears why it could not be."""
    try:
        assert isinstance(access, Broker)  # nobody else's end is heard of
        access.restart()
    except LinkError as error:
        failed(error)
