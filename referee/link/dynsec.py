"""The broker's users and access rules, made from the table of topics. Pure, but for the salt of a password.

The words are those of Mosquitto's dynamic-security plugin (https://mosquitto.org/documentation/dynamic-security/, read for 2.0.11). Every
default is "no": what a role may publish and receive is listed address by address, so that a handset's role has no wildcard.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
from collections.abc import Iterable, Mapping
from typing import Any, Final

from referee.link import topics
from referee.link.topics import Role
from referee.rules.values import Seat

CONTROL_TOPIC: Final = "$CONTROL/dynamic-security/v1"
CONTROL_ANSWERS: Final = "$CONTROL/dynamic-security/v1/response"
CONTROL_ROLE: Final = "control"
_ITERATIONS = 10_000
_SALT_BYTES = 12  # the plugin takes no other length

Json = dict[str, Any]


def user_name(board: str, role: Role, seat: Seat | None = None) -> str:
    """Give the user, which is also the client id, of a role at a board (`board-1.referee`, `board-1.red`)."""
    return f"{topics.checked_name(board)}.{seat.value if seat else role.value}"


def control_user(board: str) -> str:
    """Give the user that may change users, and nothing else."""
    return f"{topics.checked_name(board)}.{CONTROL_ROLE}"


def new_password() -> str:
    """Give a random password of 32 signs (192 bits)."""
    return secrets.token_urlsafe(24)


def config(board: str, passwords: Mapping[str, str], kept: Iterable[Json] = ()) -> Json:
    """Give the plugin's whole file: a role for referee, kiosk, control and each seat, and users for the passwords that are given.

    `passwords` names users; `kept` are users of an earlier file that stay as they are (handsets that were paired).
    """
    roles = {control_user(board): CONTROL_ROLE}
    roles |= {user_name(board, role): role.value for role in (Role.REFEREE, Role.KIOSK)}
    roles |= {user_name(board, Role.HANDSET, seat): seat.value for seat in Seat}
    users = [_user(name, roles[name], passwords[name]) for name in sorted(passwords)]
    return {
        "defaultACLAccess": {
            "publishClientSend": False,
            "publishClientReceive": False,
            "subscribe": False,
            "unsubscribe": True,
        },
        "clients": [*users, *kept],
        "roles": [
            _control_role(),
            _role(Role.REFEREE.value, Role.REFEREE, board, None),
            _role(Role.KIOSK.value, Role.KIOSK, board, None),
            *(_role(seat.value, Role.HANDSET, board, seat) for seat in Seat),
        ],
    }


def kept_handsets(board: str, earlier: Json) -> list[Json]:
    """Give the users of paired handsets in an earlier file; whatever does not look like one of ours is left out."""
    names = {user_name(board, Role.HANDSET, seat): seat for seat in Seat}
    found = []
    users = earlier.get("clients")
    for user in users if isinstance(users, list) else ():
        seat = names.get(str(user.get("username"))) if isinstance(user, dict) else None
        if seat is None or not all(isinstance(user.get(key), str) for key in ("password", "salt")):
            continue
        hashed = {key: user[key] for key in ("password", "salt", "iterations") if key in user}
        found.append(
            {"username": user["username"], "clientid": user["username"], "roles": [_held(seat.value)], **hashed}
        )
    return found


def admission(board: str, seat: Seat, password: str) -> list[Json]:
    """Give the commands that let a seat's handset in with a new password; whoever held the seat before is thrown off."""
    user = user_name(board, Role.HANDSET, seat)
    return [
        {"command": "deleteClient", "username": user},
        {
            "command": "createClient",
            "username": user,
            "clientid": user,
            "password": password,
            "roles": [_held(seat.value)],
        },
    ]


def removal(board: str, seat: Seat) -> list[Json]:
    """Give the command that throws a seat's handset off and forgets it."""
    return [{"command": "deleteClient", "username": user_name(board, Role.HANDSET, seat)}]


def _user(name: str, role: str, password: str) -> Json:
    salt = secrets.token_bytes(_SALT_BYTES)
    hashed = hashlib.pbkdf2_hmac("sha512", password.encode(), salt, _ITERATIONS)
    return {
        "username": name,
        "clientid": name,  # binds the client id, so that nobody can take over another's connection
        "password": base64.b64encode(hashed).decode(),
        "salt": base64.b64encode(salt).decode(),
        "iterations": _ITERATIONS,
        "roles": [_held(role)],
    }


def _held(role: str) -> Json:
    return {"rolename": role}


def _role(name: str, role: Role, board: str, seat: Seat | None) -> Json:
    sends = [_rule("publishClientSend", text) for text in topics.published_by(role, board, seat)]
    reads = topics.read_by(role, board, seat)
    return {
        "rolename": name,
        "acls": [
            *sends,
            *(_rule("publishClientReceive", text) for text in reads),
            *(_rule("subscribePattern", text) for text in reads),
        ],
    }


def _control_role() -> Json:
    return {
        "rolename": CONTROL_ROLE,
        "acls": [
            _rule("publishClientSend", CONTROL_TOPIC),
            _rule("publishClientReceive", CONTROL_ANSWERS),
            _rule("subscribePattern", CONTROL_ANSWERS),
        ],
    }


def _rule(kind: str, text: str) -> Json:
    return {"acltype": kind, "topic": text, "priority": 0, "allow": True}
