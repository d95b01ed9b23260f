"""The broker of a table: one of its own, or one that runs already and was set up with `hallmarshal broker`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from referee.net.broker import access as broker_access
from referee.net.broker.access import BrokerAccess
from referee.net.broker.broker import Broker
from referee.net.broker.hall_broker import HallPass
from referee.net.credential import Address, own_address
from referee.net.errors import BrokerError, BrokerPortError, CredentialError, LinkError
from referee.private_file import write_private
from referee.rules.values import Seat
from referee.runtime.errors import BadInputError
from referee.runtime.state_file import Kept, is_free
from referee.runtime.table_config import BrokerUrl, TableConfig

WEBSOCKET_PORT = 9001
_ANYWHERE = ("0.0.0.0", "::")  # noqa: S104 # compared with, not bound to
_DEATHS, _DEATHS_S = 3, 60.0
"""A broker that ends by itself more often than this within this time is not started again."""
_HERE = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True)
class TableBroker:
    """A broker that can be used: the way in, where this machine is for others, and where handsets come."""

    access: BrokerAccess
    host: str
    """Under which name or address others reach this machine."""
    address: Address

    @property
    def url(self) -> str:
        """Give the broker's address as others write it."""
        return BrokerUrl(self.address.host, self.address.port, self.address.certificate is not None).text


def open_broker(
    config: TableConfig, folder: Path, on_end: Callable[[BrokerError], None], kept: Collection[Seat] = ()
) -> TableBroker:
    """Start the table's own broker, or join the one that the configuration names. Raises a `BrokerError` or `BadInputError`.

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
            ws_port=config.websocket_port,
            tls=config.tls,
            bridge=_bridge_lines(config, folder),
            on_end=on_end,
        )
        return TableBroker(access, host, replace(access.address, host=host))
    found = config.broker_url
    inner = Address(found.host, found.port, None, _certificate(config))
    address = replace(
        inner, host=host if found.host in _HERE else found.host, ws_port=config.websocket_port or WEBSOCKET_PORT
    )
    access = broker_access.join(folder, config.name, inner, address)
    for seat in set(Seat) - set(kept):
        access.remove(seat)
    return TableBroker(access, host, address)


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
    if not config.broker_url.tls:
        return None
    if config.certificate is None:
        raise BadInputError("a broker at mqtts:// needs broker.certificate, the file of the certificate that it shows")
    try:
        return config.certificate.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        raise BadInputError(f"{config.certificate}: no certificate can be read") from None


class FormerPorts:
    """Ports of the table's own broker at which phones of earlier starts look for it, and where it does not listen now."""

    def __init__(self, kept: Kept, seats: Iterable[Seat], broker: TableBroker) -> None:
        """`seats` are those whose phones may come back. For a broker that is not the table's own there are none."""
        here = {"broker": broker.address.port, "websocket": broker.address.ws_port}
        self._access = broker.access
        self._missing: dict[Seat, dict[str, int]] = {}
        if isinstance(broker.access, Broker):
            for seat in seats:
                others = {name: port for name, port in kept.ports_of(seat).items() if port and here.get(name) != port}
                if others:
                    self._missing[seat] = others

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Give the seats whose phones do not find the broker now."""
        return tuple(self._missing)

    @property
    def text(self) -> str:
        """Give the ports as they are said."""
        ports = sorted({port for each in self._missing.values() for port in each.values()})
        return f"port{'s' * (len(ports) > 1)} {' and '.join(map(str, ports))} of the broker"

    def forget(self, seat: Seat) -> None:
        """A phone of this seat was paired: it knows where the broker is now."""
        self._missing.pop(seat, None)

    def are_free(self, host: str) -> bool:
        """Tell whether nobody has any of them now."""
        return all(is_free(host, port) for each in self._missing.values() for port in each.values())

    def take(self) -> bool:
        """Let the broker listen there as well; tell whether it does. Raises another `BrokerError` than that a port is taken."""
        assert isinstance(self._access, Broker)
        found: dict[str, set[int]] = {"broker": set(), "websocket": set()}
        for each in tuple(self._missing.values()):  # a phone may be paired meanwhile
            for name, port in each.items():
                found[name].add(port)
        try:
            self._access.listen_too(found["broker"], found["websocket"])
        except BrokerPortError:
            return False  # somebody was quicker
        return True


class BrokerDeaths:
    """Counts how often the table's own broker has ended by itself."""

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
