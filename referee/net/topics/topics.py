"""The topics as one table: who publishes, who may read, how; and the addresses that a role has of a board.

`docs/asyncapi.yaml` is the source (`topic_rows` is made from it), and the brokers' access rules are made from this table. The level
after the board names the audience.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from referee.net.errors import TopicError
from referee.net.topics.topic_rows import ROOT as ROOT
from referee.net.topics.topic_rows import Role as Role
from referee.net.topics.topic_rows import Topic as Topic
from referee.rules.values import Seat

_ANY = "any"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


DELAYED = (Topic.INFO, Topic.STATE, Topic.EVENT)
"""What spectators get a delayed copy of."""
_ONE_A_SEAT = {Role.HANDSET}
"""In topics with a seat these roles get their own only."""


def checked_name(name: str) -> str:
    """Return the board id or event name itself; raises `TopicError` for one that is not 1 to 64 letters, digits, `_` or `-`."""
    if not _NAME.fullmatch(name):
        raise TopicError(f"{name!r} cannot stand in a topic: use 1 to 64 letters, digits, - and _")
    return name


def address(topic: Topic, board: str, seat: Seat | None = None) -> str:
    """Return the whole address of a topic. Asking for a seat's topic without a seat is a fault of the caller."""
    blanks = {"board": checked_name(board)}
    if seat is not None:
        blanks["seat"] = seat.value
    return f"{ROOT}/{topic.value.format(**blanks)}"


def parse(text: str, board: str) -> tuple[Topic, Seat | None] | None:
    """Return the topic that an address of this board means, with its seat; None for anything else."""
    return _parsed(board).get(text)


def hall_reads(role: Role = Role.STATION) -> tuple[str, ...]:
    """Return what a role of the hall subscribes to: what it may read of every board, `+` standing for the board and the seat."""
    blanks = {"board": "+", "seat": "+"}
    read = (topic for topic in Topic if role in topic.reads and "{board}" in topic.value)
    return tuple(f"{ROOT}/{topic.value.format(**blanks)}" for topic in read)


def hall_writes(role: Role = Role.STATION) -> tuple[str, ...]:
    """Return what a role of the hall may publish to, for every board and event, with the wildcards of MQTT."""
    blanks = {"board": "+", "event": "+"}
    return tuple(f"{ROOT}/{topic.value.format(**blanks)}" for topic in Topic if topic.publishes is role)


def delayed(board: str, topic: Topic) -> str:
    """Return where spectators find the copy of a board's public topic."""
    return f"{address(Topic.SPECTATORS, board).removesuffix('#')}{topic.value.rpartition('/')[2]}"


def parse_delayed(text: str) -> tuple[str, Topic] | None:
    """Return the board and the topic whose copy an address means; None for anything else."""
    start, _, rest = text.partition("/spec/")
    board, _, name = rest.partition("/")
    topic = next((topic for topic in DELAYED if topic.value.rpartition("/")[2] == name), None)
    return (board, topic) if start == ROOT and topic is not None and _NAME.fullmatch(board) else None


def crossing_out(board: str) -> tuple[str, ...]:
    """Return the addresses of a board that leave its own broker for the hall's: what a station may read, and nothing else.

    What the broker itself says of the bridge is not among them: that is made at the hall's.
    """
    read = (topic for topic in Topic if Role.STATION in topic.reads and topic.value.startswith("boards/"))
    return _addresses((topic for topic in read if topic.publishes is not Role.BRIDGE), Role.STATION, board, None)


def parse_of_hall(text: str) -> tuple[str, Topic, Seat | None] | None:
    """Return the board, topic and seat of an address of any board; None for anything else."""
    parts = text.split("/")
    if len(parts) < 5 or "/".join(parts[:3]) != f"{ROOT}/boards" or not _NAME.fullmatch(parts[3]):
        return None
    found = parse("/".join((*parts[:3], _ANY, *parts[4:])), _ANY)
    return None if found is None else (parts[3], *found)


def published_by(role: Role, board: str, seat: Seat | None = None) -> tuple[str, ...]:
    """Return the addresses that a role publishes to."""
    return _addresses((topic for topic in Topic if topic.publishes is role), role, board, seat)


def read_by(role: Role, board: str, seat: Seat | None = None) -> tuple[str, ...]:
    """Return the addresses that a role may read, which are also the subscriptions it may make."""
    return _addresses((topic for topic in Topic if role in topic.reads), role, board, seat)


def _addresses(those: Iterable[Topic], role: Role, board: str, seat: Seat | None) -> tuple[str, ...]:
    return tuple(text for topic in those for text in _spelt(topic, role, board, seat))


def _spelt(topic: Topic, role: Role, board: str, seat: Seat | None) -> Iterator[str]:
    if "{event}" in topic.value:
        return  # a hall's own topics; the rules for them are made with the event, at the station
    if "{seat}" not in topic.value:
        yield address(topic, board)
    elif role not in _ONE_A_SEAT:
        yield from (address(topic, board, each) for each in Seat)
    elif seat is not None:
        yield address(topic, board, seat)


@lru_cache(maxsize=16)
def _parsed(board: str) -> dict[str, tuple[Topic, Seat | None]]:
    found: dict[str, tuple[Topic, Seat | None]] = {}
    for topic in Topic:
        if "{event}" in topic.value or topic.value.endswith("#"):
            continue
        if "{seat}" in topic.value:
            found |= {address(topic, board, seat): (topic, seat) for seat in Seat}
        else:
            found[address(topic, board)] = (topic, None)
    return found
