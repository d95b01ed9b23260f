"""The referee's own Mosquitto: found, configured, started, watched and ended here.

Its state directory (mode 0700) gets `mosquitto.conf`, `dynamic-security.json` (password hashes), `mosquitto.log` (who came and
went, never what was said) and `kiosk.json` (the credential for a kiosk that is started by hand), all 0600. Nothing is kept by the
broker across its starts except the users of paired handsets and the kiosk's.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from referee.net.broker import dynsec, mosquitto
from referee.net.broker.access import KIOSK_FILE, BrokerAccess, keep_for_kiosks
from referee.net.credential import Address, Credential
from referee.net.errors import BrokerError, BrokerPortError, BrokerStartError, CredentialError
from referee.net.topics.topics import Role, checked_name

_PORT_TRIES = 5
_INNER_HOST = "127.0.0.1"


class Broker(mosquitto.OwnBroker, BrokerAccess):
    """A running Mosquitto of our own. Made by `start`.

    It listens on this machine alone, for the referee, its kiosks and the front door; with `tls` also on the network, for terminals and
    gadgets, and shows a certificate of its own there. Who holds all connections of that listener open keeps none of the others out.
    """

    def __init__(
        self,
        state_dir: Path,
        board: str,
        address: Address,
        inner: Address,
        passwords: dict[str, str],
        listeners: Sequence[mosquitto.Listener],
        on_end: Callable[[BrokerError], None],
    ) -> None:
        BrokerAccess.__init__(self, board, address, inner, passwords)
        self.state_dir = state_dir
        mosquitto.OwnBroker.__init__(self, state_dir, listeners, on_end)

    @classmethod
    def start(
        cls,
        state_dir: Path,
        board: str,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        tls: bool = False,
        bridge: str = "",
        on_end: Callable[[BrokerError], None] = lambda error: None,
    ) -> Broker:
        """Return a broker that accepts connections. Port 0 means a free one; `bridge` are lines that join it to a hall's.

        `host` and `port` are those of the listener with `tls`; without it `port` is that of the listener on this machine.
        `on_end` is called on another thread when Mosquitto ends without having been asked to. Raises `BrokerMissingError`,
        `BrokerPortError` or `BrokerStartError`, one clear line each, and has then left nothing running.
        """
        plugin, signed, pem = mosquitto.prepare(state_dir, host, checked_name(board), tls)
        for attempt in range(1, _PORT_TRIES + 1):
            inner = address = Address(_INNER_HOST, mosquitto.free_port(_INNER_HOST, 0 if tls else port))
            listeners = [mosquitto.Listener(inner.port, inner.host)]
            if tls:
                address = Address(host, mosquitto.free_port(host, port), None, pem)
                listeners.insert(0, mosquitto.Listener(address.port, host, tls=signed))
            try:
                passwords = _write_files(state_dir, board, plugin, listeners, bridge)
                keep_for_kiosks(state_dir, board, replace(address, host=mosquitto.near(address.host)), passwords)
            except OSError as error:
                raise BrokerStartError(f"{state_dir}: {error.strerror}") from None
            try:
                return cls(state_dir, board, address, inner, passwords, listeners, on_end)
            except BrokerPortError:
                # between our look for a free port and Mosquitto's taking it somebody else took it: look again
                if port or attempt == _PORT_TRIES:
                    raise
        raise AssertionError("the last attempt either returned or raised")

    def connections(self) -> int:
        """Count who is connected to it, the referee, its kiosk and those whom the front door brings among them."""
        return mosquitto.connections_to([each.port for each in self._listeners])


def _write_files(
    state_dir: Path, board: str, plugin: Path, listeners: Sequence[mosquitto.Listener], bridge: str
) -> dict[str, str]:
    """Write both files; give the passwords of the users that live only as long as this broker, and the kiosk's."""
    passwords = dynsec.new_passwords(board)
    kiosk = dynsec.user_name(board, Role.KIOSK)
    passwords[kiosk] = _kept_for_kiosks(state_dir, kiosk) or passwords[kiosk]
    document = dynsec.config(board, passwords, dynsec.kept_handsets(board, _earlier(state_dir / mosquitto.USERS)))
    mosquitto.write_configuration(state_dir, plugin, listeners, document, bridge)
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
