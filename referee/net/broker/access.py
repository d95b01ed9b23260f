"""What a referee may do at a broker, whoever started it: give credentials, let a seat's handset in, throw it off.

Our own broker is `Broker.start`; one that somebody else started is set up once and joined with the functions at the end.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from referee.net.broker import dynsec
from referee.net.broker.mosquitto import Listener, Tls, configuration
from referee.net.credential import Address, Credential, KeyPair, PublicKey
from referee.net.errors import BrokerStartError
from referee.net.links.connection import PATIENCE_S
from referee.net.topics.topics import Role
from referee.private_file import write_private
from referee.rules.values import Seat

_log = logging.getLogger(__name__)

KIOSK_FILE = "kiosk.json"


class BrokerAccess:
    """A broker that knows this table's users. Own: `Broker.start`; one that runs already: `referee.net.broker.access`."""

    def __init__(self, board: str, address: Address, inner: Address, passwords: Mapping[str, str]) -> None:
        """`address` is where clients from outside come, `inner` where the referee, its own kiosk and the front door do."""
        self.board = board
        self.address = address
        self.inner = inner
        self._passwords = passwords

    def credential(self, role: Role, own: KeyPair | None = None) -> Credential:
        """Return the credential of the referee or the kiosk."""
        user = dynsec.user_name(self.board, role)
        return Credential(role, user, self._passwords[user], self.inner, self.board, own=own)

    def admit(self, grant: Grant) -> None:
        """Let a paired handset in; the one that held the seat before is thrown off. Raises a `BrokerError`."""
        dynsec.command(self._control(), dynsec.admission(self.board, grant.seat, grant.credential.password))
        _log.info("the broker lets in the phone of %s", grant.seat.value)

    def remove(self, seat: Seat) -> None:
        """Throw a seat's handset off and forget its password. Raises a `BrokerError`."""
        dynsec.command(self._control(), dynsec.removal(self.board, seat))
        _log.info("the broker keeps out the phone of %s", seat.value)

    def known(self, seats: Collection[Seat]) -> set[Seat]:
        """Return those of the seats whose handset the broker lets in. Raises a `BrokerError`."""
        if not seats:
            return set()
        answers = dynsec.command(self._control(), dynsec.known_handsets(self.board, seats), PATIENCE_S)
        return {seat for seat, answer in zip(seats, answers, strict=True) if "error" not in answer}

    def check(self) -> None:
        """Return when the broker lets the control user in and knows this table's roles; raises a `BrokerError`."""
        dynsec.command(self._control(), dynsec.known_roles(self.board), PATIENCE_S)

    def connections(self) -> int | None:
        """Count who is connected to it; None where that is not ours to know."""
        return None

    def stop(self) -> None:
        """Disconnect, and stop the broker if it is our own process."""

    def _control(self) -> Credential:
        user = dynsec.control_user(self.board)
        return Credential(Role.REFEREE, user, self._passwords[user], self.inner, self.board)


def keep_for_kiosks(folder: Path, board: str, address: Address, passwords: Mapping[str, str]) -> None:
    """Write the credential of kiosks that are started by hand (0600). Raises `OSError`.

    Its password is the same at every start of the broker; else a kiosk that runs on its own would be refused after one.
    """
    user = dynsec.user_name(board, Role.KIOSK)
    credential = Credential(Role.KIOSK, user, passwords[user], address, board)
    write_private(folder / KIOSK_FILE, json.dumps(credential.to_json()) + "\n")


# Gives a seat to a handset: a credential with a new password, and six digits that both screens show. Pure but for chance.
#
# Does not do: tokens and letters (`lobby`, `handshake`), pages, and telling the broker (`Broker.admit`) and the link
# (`RefereeLink.pair`).


@dataclass(frozen=True, slots=True)
class Grant:
    """A seat that was given away: the handset's credential (its own key pair is the handset's to add), its key, and the digits."""

    seat: Seat
    credential: Credential
    handset_key: PublicKey
    digits: str


@dataclass(frozen=True, slots=True)
class SeatPairing:
    """What a referee needs to give seats away: where its broker listens for handsets, its board, its key."""

    address: Address
    board: str
    referee_key: PublicKey
    web_host: str = ""
    """Where phones' pages come from, if that is another machine than `address` names."""

    @property
    def page_url(self) -> str:
        """Return where a page's MQTT goes, by WebSocket."""
        return f"ws://{self.web_host or self.address.host}:{self.address.ws_port}/mqtt"

    def grant(self, seat: Seat, handset_key: PublicKey, digits: str = "") -> Grant:
        """Seat the handset with this key; return its access, with a password that was never used before."""
        user = dynsec.user_name(self.board, Role.HANDSET, seat)
        credential = Credential(
            Role.HANDSET, user, dynsec.new_password(), self.address, self.board, seat=seat, peer=self.referee_key
        )
        return Grant(seat, credential, handset_key, digits)


# A broker that somebody else started: what is set up there once, and how the table then joins it.
#
# passwords = load_or_create(state_dir, board)          # three users' passwords, kept in the state directory (0600)
# text = printed_configuration(...)                     # goes into Mosquitto's own folder of configurations
# users = printed_users(board, passwords)               # the plugin's file: roles, and hashes of the passwords
#
# The plugin knows no narrower right than its own topic: whoever may change one user may change all. So what is set up serves one table,
# and a Mosquitto that others use too should get a second instance.


_PASSWORDS = "passwords.json"
_HEAD = """\
# Hallmarshal, table {board}: a Mosquitto of its own (2.0 or later), or the only one on this machine.
# The plugin's file has to lie where Mosquitto may write, since pairing changes it.
"""


def printed_configuration(board: str, plugin: Path, users: Path, port: int, ws_port: int, tls: Tls | None) -> str:
    """Return what belongs into Mosquitto's configuration: it listens on its own machine alone, with `tls` to the network.

    `ws_port` is 0, or that of a plain WebSocket listener for clients of somebody else's; ours have no use for it.
    """
    listeners = [Listener(port, "" if tls else "127.0.0.1", tls=tls)]
    if ws_port:
        listeners.append(Listener(ws_port, websockets=True))
    return configuration(plugin, users, listeners, _HEAD.format(board=board))


def printed_users(board: str, passwords: Mapping[str, str]) -> str:
    """Return the plugin's file: a role a seat, the users of referee and kiosk, and the one that may change users."""
    return json.dumps(dynsec.config(board, passwords), indent=1) + "\n"


def load_or_create(folder: Path, board: str) -> dict[str, str]:
    """Return the passwords of this table's own users; the first call draws them. Raises `BrokerStartError`."""
    path = folder / _PASSWORDS
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not path.exists():
            write_private(path, json.dumps(dynsec.new_passwords(board)) + "\n")
    except OSError as error:
        raise BrokerStartError(f"{path}: {error.strerror}") from None
    return load(folder, board)


def load(folder: Path, board: str) -> dict[str, str]:
    """Return the passwords that were drawn; raises `BrokerStartError` when there are none for this board."""
    path = folder / _PASSWORDS
    try:
        found = json.loads(path.read_text())
    except FileNotFoundError:
        raise BrokerStartError(f"{path}: no such file; hallmarshal broker users makes it") from None
    except (OSError, ValueError):
        raise BrokerStartError(f"{path}: the passwords cannot be read") from None
    if not isinstance(found, dict) or set(found) != set(dynsec.new_passwords(board)):
        raise BrokerStartError(f"{path}: these are not the users of table {board}")
    return {str(user): str(password) for user, password in found.items()}


def join(folder: Path, board: str, address: Address) -> BrokerAccess:
    """Return access to a broker that runs and was set up for this table. Raises a `BrokerError`."""
    passwords = load(folder, board)
    access = BrokerAccess(board, address, address, passwords)
    access.check()
    keep_for_kiosks(folder, board, address, passwords)
    return access
