"""The broker's users and access rules, made from the table of topics. Pure, but for the salt of a password.

The words are those of Mosquitto's dynamic-security plugin (https://mosquitto.org/documentation/dynamic-security/, read for 2.0.11). Every
default is "no": what a role may publish and receive is listed address by address, so that a handset's role has no wildcard.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from referee.net.credential import Credential
from referee.net.errors import BrokerControlError
from referee.net.links.connection import Connection, Outgoing
from referee.net.topics import topics
from referee.net.topics.topics import Role
from referee.rules.values import Seat

CONTROL_TOPIC: Final = "$CONTROL/dynamic-security/v1"
CONTROL_ANSWERS: Final = "$CONTROL/dynamic-security/v1/response"
HALL_USERS: Final = {Role.STATION: "station", Role.DELAY: "hall.delay", Role.SPECTATOR: "hall.spectator"}
HALL_CONTROL: Final = "hall.control"
"""The users of a hall's broker: the station, the delay service, whoever shows its copy, and the one that may change users."""
PLACES: Final = ((Role.REFEREE, None), (Role.KIOSK, None), *((Role.HANDSET, seat) for seat in Seat))
"""Everybody at a board, as role and seat."""
_ITERATIONS = 1_000
"""Hashing slowly guards passwords that people think of. Ours are 192 random bits, and a hall's broker hashes hundreds at its start."""
_SALT_BYTES = 12  # the plugin takes no other length

Json = dict[str, Any]


def user_name(board: str, role: Role, seat: Seat | None = None) -> str:
    """Return the user, which is also the client id, of a role at a board (`board-1.referee`, `board-1.red`)."""
    return f"{topics.checked_name(board)}.{seat.value if seat else role.value}"


def control_user(board: str) -> str:
    """Return the user that may change users, and nothing else."""
    return f"{topics.checked_name(board)}.control"


def new_password() -> str:
    """Return a random password of 32 signs (192 bits)."""
    return secrets.token_urlsafe(24)


def new_passwords(board: str) -> dict[str, str]:
    """Return new passwords for the users that a table has from the start: control, referee and kiosk."""
    names = (control_user(board), *(user_name(board, role) for role in (Role.REFEREE, Role.KIOSK)))
    return {name: new_password() for name in names}


def config(board: str, passwords: Mapping[str, str], kept: Iterable[Json] = ()) -> Json:
    """Return the plugin's whole file: a role for referee, kiosk, control and each seat, and a user for each password that is given.

    `passwords` names users; `kept` are users of an earlier file that stay as they are (handsets that were paired).
    """
    users = [_user(name, passwords[name]) for name in sorted(passwords)]
    return _document([*users, *kept], [_control_role(control_user(board)), *_roles(board)])


def hall_config(passwords: Mapping[str, str], boards: Iterable[str], whole: Iterable[str] = ()) -> Json:
    """Return the plugin's whole file for a hall's broker: a role for the station, the control user and each board's way in.

    A board of `boards` comes over a bridge and may publish what a station reads, nothing else. One of `whole` has no broker of its own:
    all its users are here (a simulated hall, a bench).
    """
    users = [_user(name, passwords[name]) for name in sorted(passwords)]
    roles = [
        _control_role(HALL_CONTROL),
        *(_role(name, topics.hall_writes(role), topics.hall_reads(role)) for role, name in HALL_USERS.items()),
        *(_table_role(board) for board in boards),
    ]
    return _document(users, [*roles, *(role for board in whole for role in _roles(board))])


def table_user(board: str) -> str:
    """Return the user as which a board's own broker comes to the hall's."""
    return f"{topics.checked_name(board)}.table"


def table_admission(board: str, password: str) -> list[Json]:
    """Return the commands that let another board's broker in."""
    user = table_user(board)
    return [
        {"command": "createRole", **_table_role(board)},
        {"command": "createClient", **_client(user, password=password)},
    ]


def table_readmission(board: str, password: str) -> list[Json]:
    """Return the commands that let a board's broker in with another password only; who came with the old one is thrown off."""
    user = table_user(board)
    removed = {"command": "deleteClient", "username": user}
    return [removed, {"command": "createClient", **_client(user, password=password)}]


def kept_handsets(board: str, earlier: Json) -> list[Json]:
    """Return the users of paired handsets in an earlier file; whatever does not look like one of ours is left out."""
    names = {user_name(board, Role.HANDSET, seat) for seat in Seat}
    found = []
    users = earlier.get("clients")
    for user in users if isinstance(users, list) else ():
        name = user.get("username") if isinstance(user, dict) else None
        if name not in names or not all(isinstance(user.get(key), str) for key in ("password", "salt")):
            continue
        hashed = {key: user[key] for key in ("password", "salt", "iterations") if key in user}
        found.append(_client(name, **hashed))
    return found


def known_roles(board: str) -> list[Json]:
    """Return commands that change nothing and fail where a role of this table is missing."""
    names = [control_user(board), *(user_name(board, *place) for place in PLACES)]
    return [{"command": "getRole", "rolename": name} for name in names]


def known_handsets(board: str, seats: Iterable[Seat]) -> list[Json]:
    """Return commands that change nothing; the answer to one has an `error` where that seat's handset is not known."""
    return [{"command": "getClient", "username": user_name(board, Role.HANDSET, seat)} for seat in seats]


def admission(board: str, seat: Seat, password: str) -> list[Json]:
    """Return the commands that let a seat's handset in with a new password; whoever held the seat before is thrown off."""
    user = user_name(board, Role.HANDSET, seat)
    return [*removal(board, seat), {"command": "createClient", **_client(user, password=password)}]


def removal(board: str, seat: Seat) -> list[Json]:
    """Return the command that throws a seat's handset off and forgets it."""
    return [{"command": "deleteClient", "username": user_name(board, Role.HANDSET, seat)}]


def _document(clients: list[Json], roles: list[Json]) -> Json:
    return {
        "defaultACLAccess": {
            "publishClientSend": False,
            "publishClientReceive": False,
            "subscribe": False,
            "unsubscribe": True,
        },
        "clients": clients,
        "roles": roles,
    }


def _roles(board: str) -> list[Json]:
    """Return the roles of everybody at a board, each with its user's name: several boards may share a broker."""
    return [
        _role(user_name(board, role, seat), topics.published_by(role, board, seat), topics.read_by(role, board, seat))
        for role, seat in PLACES
    ]


def _table_role(board: str) -> Json:
    says = (*topics.crossing_out(board), *topics.published_by(Role.BRIDGE, board))
    return _role(table_user(board), says, topics.published_by(Role.STATION, board))


def _user(name: str, password: str) -> Json:
    salt = secrets.token_bytes(_SALT_BYTES)
    hashed = hashlib.pbkdf2_hmac("sha512", password.encode(), salt, _ITERATIONS)
    shown, salted = (base64.b64encode(each).decode() for each in (hashed, salt))
    return _client(name, password=shown, salt=salted, iterations=_ITERATIONS)


def _client(name: str, **secret: object) -> Json:
    """Return a user with the role of its name; the client id is bound to it, so that nobody can take over another's connection."""
    return {"username": name, "clientid": name, "roles": [{"rolename": name}], **secret}


def _control_role(name: str) -> Json:
    return _role(name, (CONTROL_TOPIC,), (CONTROL_ANSWERS,))


def _role(name: str, sends: Sequence[str], reads: Sequence[str]) -> Json:
    """Return a role: where it may publish, and what it may subscribe to and receive."""
    rights = (("publishClientSend", sends), ("publishClientReceive", reads), ("subscribePattern", reads))
    rules = [{"acltype": kind, "topic": text, "priority": 0, "allow": True} for kind, texts in rights for text in texts]
    return {"rolename": name, "acls": rules}


# Changing the users of a broker that runs, through the plugin's own topic.


CONTROL_PATIENCE_S = 3.0
"""So long a broker may take in all: somebody stands at the table and waits."""
_HARMLESS = "Client not found"  # the answer to the removal of a user that was never there


def command(credential: Credential, commands: list[Json], patience_s: float = CONTROL_PATIENCE_S) -> list[Json]:
    """Carry out commands in order; return the broker's answers once it has confirmed all. For one thread at a time: the user is one client.

    Raises `BrokerControlError` naming the command that failed and the broker's reason, or a `BrokerError` when it is not there.
    """
    answers: list[Json] = []
    done = threading.Event()

    def take(_topic: str, payload: bytes) -> None:
        answers.extend(json.loads(payload).get("responses", ()))
        if len(answers) >= len(commands):
            done.set()

    connection = Connection(credential, [(CONTROL_ANSWERS, 1)], on_message=take)
    deadline_s = time.monotonic() + patience_s
    connection.start(patience_s)
    try:
        connection.publish(Outgoing(CONTROL_TOPIC, json.dumps({"commands": commands}).encode()))
        if not done.wait(max(0.0, deadline_s - time.monotonic())):
            raise BrokerControlError(f"the broker did not change its users within {patience_s:.0f} s")
    finally:
        connection.stop()
    for answer in answers:
        if answer.get("error") not in (None, _HARMLESS):
            raise BrokerControlError(f"the broker refused {answer.get('command')}: {answer['error']}")
    return answers
