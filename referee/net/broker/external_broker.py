"""A broker that somebody else started: what is set up there once, and how the table then joins it.

    passwords = load_or_create(state_dir, board)          # three users' passwords, kept in the state directory (0600)
    text = printed_configuration(...)                     # goes into Mosquitto's own folder of configurations
    users = printed_users(board, passwords)               # the plugin's file: roles, and hashes of the passwords

The plugin knows no narrower right than its own topic: whoever may change one user may change all. So what is set up serves one table,
and a Mosquitto that others use too should get a second instance.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from referee.net.broker import dynsec
from referee.net.broker.access import BrokerAccess, keep_for_kiosks
from referee.net.broker.mosquitto import Listener, Tls, configuration
from referee.net.credential import Address
from referee.net.errors import BrokerStartError
from referee.private_file import write_private

_PASSWORDS = "passwords.json"
_HEAD = """\
# Hallmarshal, table {board}: a Mosquitto of its own (2.0 or later), or the only one on this machine.
# The plugin's file has to lie where Mosquitto may write, since pairing changes it.
"""


def printed_configuration(board: str, plugin: Path, users: Path, port: int, ws_port: int, tls: Tls | None) -> str:
    """Give what belongs into Mosquitto's configuration. Handsets' pages use the WebSocket listener, which stays plain."""
    listeners = (Listener(port, tls=tls), Listener(ws_port, websockets=True))
    return configuration(plugin, users, listeners, _HEAD.format(board=board))


def printed_users(board: str, passwords: Mapping[str, str]) -> str:
    """Give the plugin's file: a role a seat, the users of referee and kiosk, and the one that may change users."""
    return json.dumps(dynsec.config(board, passwords), indent=1) + "\n"


def load_or_create(folder: Path, board: str) -> dict[str, str]:
    """Give the passwords of this table's own users; the first call draws them. Raises `BrokerStartError`."""
    path = folder / _PASSWORDS
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not path.exists():
            write_private(path, json.dumps(dynsec.new_passwords(board)) + "\n")
    except OSError as error:
        raise BrokerStartError(f"{path}: {error.strerror}") from None
    return load(folder, board)


def load(folder: Path, board: str) -> dict[str, str]:
    """Give the passwords that were drawn; raises `BrokerStartError` when there are none for this board."""
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


def join(folder: Path, board: str, inner: Address, address: Address) -> BrokerAccess:
    """Give access to a broker that runs and was set up for this table. Raises a `BrokerError`.

    `inner` is where this machine reaches it, `address` where handsets do.
    """
    passwords = load(folder, board)
    access = BrokerAccess(board, address, inner, passwords)
    access.check()
    keep_for_kiosks(folder, board, inner, passwords)
    return access
