"""The table of topics against the design, and the access rules that are made from it."""

from __future__ import annotations

import pytest

from referee.net.broker import dynsec
from referee.net.errors import TopicError
from referee.net.sealing.sealing import LARGE_PAYLOAD
from referee.net.topics.topics import Role, Topic, address, parse, published_by, read_by
from referee.rules.values import Seat

BOARD = "b1"
PUB = "hallmarshal/1/boards/b1/pub"
SEAT = "hallmarshal/1/boards/b1/seat"


def test_addresses_are_those_of_the_design() -> None:
    """Golden addresses: other programs rely on them."""
    assert address(Topic.STATUS, BOARD) == f"{PUB}/status"
    assert address(Topic.INFO, BOARD) == f"{PUB}/info"
    assert address(Topic.STATE, BOARD) == f"{PUB}/state"
    assert address(Topic.EVENT, BOARD) == f"{PUB}/event"
    assert address(Topic.SEAT_IN, BOARD, Seat.RED) == f"{SEAT}/red/in"
    assert address(Topic.SEAT_OUT, BOARD, Seat.BLUE) == f"{SEAT}/blue/out"
    assert address(Topic.PRESENCE, BOARD, Seat.YELLOW) == f"{SEAT}/yellow/presence"
    assert address(Topic.KIOSK_IN, BOARD) == "hallmarshal/1/boards/b1/kiosk/in"
    assert address(Topic.ARBITER_COMMAND, BOARD) == "hallmarshal/1/boards/b1/arb/cmd"
    assert address(Topic.SPECTATORS, BOARD) == "hallmarshal/1/spec/b1/#"


def test_the_table_says_what_the_design_says() -> None:
    """Publisher, QoS and retain of every topic, typed in from design section 8."""
    table = {topic: (topic.publishes, topic.qos, topic.retain) for topic in Topic}
    assert table == {
        Topic.STATUS: (Role.REFEREE, 1, True),
        Topic.INFO: (Role.REFEREE, 1, True),
        Topic.STATE: (Role.REFEREE, 1, True),
        Topic.EVENT: (Role.REFEREE, 1, False),
        Topic.SEAT_IN: (Role.REFEREE, 1, False),
        Topic.SEAT_OUT: (Role.HANDSET, 1, False),
        Topic.PRESENCE: (Role.HANDSET, 1, True),
        Topic.KIOSK_IN: (Role.REFEREE, 1, False),
        Topic.KIOSK_OUT: (Role.KIOSK, 1, False),
        Topic.ARBITER_COMMAND: (Role.STATION, 1, False),
        Topic.ARBITER_ACK: (Role.REFEREE, 1, False),
        Topic.ARBITER_ALERTS: (Role.REFEREE, 1, True),
        Topic.BRIDGE: (Role.BRIDGE, 1, True),
        Topic.DIAGNOSIS: (Role.REFEREE, 0, False),
        Topic.TOURNAMENT: (Role.STATION, 1, True),
        Topic.SPECTATORS: (Role.DELAY, 1, True),
    }


def test_what_is_sealed_is_never_retained_and_has_one_reader() -> None:
    """A letter lies nowhere, and only its addressee may receive it; its limit is the larger padding."""
    for topic, reader in ((Topic.SEAT_IN, Role.HANDSET), (Topic.SEAT_OUT, Role.REFEREE)):
        assert (topic.retain, topic.reads, topic.most_bytes) == (False, frozenset({reader}), LARGE_PAYLOAD)


def test_a_handset_may_read_its_own_letters_and_what_is_public() -> None:
    """The list for red, typed in; blue's differs in the seat alone."""
    red = read_by(Role.HANDSET, BOARD, Seat.RED)
    assert red == (f"{PUB}/status", f"{PUB}/info", f"{PUB}/state", f"{PUB}/event", f"{SEAT}/red/in")
    assert published_by(Role.HANDSET, BOARD, Seat.RED) == (f"{SEAT}/red/out", f"{SEAT}/red/presence")
    assert read_by(Role.HANDSET, BOARD, Seat.BLUE) == tuple(text.replace("red", "blue") for text in red)


def test_the_kiosk_is_kept_out_of_every_seat() -> None:
    """The kiosk reads what is public and its own notes, no seat's topic."""
    assert read_by(Role.KIOSK, BOARD) == (
        *(f"{PUB}/{name}" for name in ("status", "info", "state", "event")),
        "hallmarshal/1/boards/b1/kiosk/in",
    )
    assert published_by(Role.KIOSK, BOARD) == ("hallmarshal/1/boards/b1/kiosk/out",)


@pytest.mark.parametrize("name", ["", "a/b", "+", "#", "a b", "$SYS", "é", "-a", "x" * 65, "a\n"])
def test_names_that_would_change_the_meaning_of_a_topic_are_refused(name: str) -> None:
    """A board id with a wildcard, a slash or anything odd is one clear error."""
    with pytest.raises(TopicError):
        address(Topic.STATUS, name)


def test_parsing_is_the_reverse_of_spelling() -> None:
    """Every address without a wildcard is found again, with its seat; others are nothing."""
    for topic in Topic:
        if topic in (Topic.TOURNAMENT, Topic.SPECTATORS, Topic.DIAGNOSIS):
            continue
        for seat in Seat if "{seat}" in topic.value else (None,):
            assert parse(address(topic, BOARD, seat), BOARD) == (topic, seat)
    for text in ("", f"{PUB}/status/x", f"{PUB}", f"{SEAT}/purple/in", "hallmarshal/1/boards/b2/pub/status"):
        assert parse(text, BOARD) is None


def test_access_rules_are_exact_and_default_to_no() -> None:
    """Handsets and kiosk have no wildcard; nothing but control may touch `$CONTROL`; nobody may do what is not listed."""
    document = dynsec.config(BOARD, {})
    assert document["defaultACLAccess"] == {
        "publishClientSend": False,
        "publishClientReceive": False,
        "subscribe": False,
        "unsubscribe": True,
    }
    roles = {role["rolename"].removeprefix(f"{BOARD}."): role["acls"] for role in document["roles"]}
    assert set(roles) == {"control", "referee", "kiosk", "red", "blue", "green", "yellow"}
    for name, rules in roles.items():
        texts = [rule["topic"] for rule in rules]
        assert all(rule["allow"] for rule in rules)
        assert any("$" in text for text in texts) == (name == "control")
        if name not in ("referee", "control"):
            assert not any("+" in text or "#" in text for text in texts)
            others = {seat.value for seat in Seat} - {name}
            assert not any(f"seat/{other}/" in text for text in texts for other in others)


def test_users_are_bound_to_their_client_id_and_keep_no_password() -> None:
    """A user's client id is its name; the password stands there as a salted PBKDF2 hash only."""
    document = dynsec.config(BOARD, {"b1.referee": "a secret", "b1.kiosk": "a secret"})
    first, second = document["clients"]
    assert (
        [first["clientid"], second["clientid"]] == [first["username"], second["username"]] == ["b1.kiosk", "b1.referee"]
    )
    assert first["password"] != second["password"]
    assert "a secret" not in str(document)


def test_paired_handsets_stay_and_strangers_in_the_file_do_not() -> None:
    """Of an earlier file only seats' users are kept, with nothing but their hash, whatever else stood there."""
    earlier = {
        "clients": [
            {"username": "b1.red", "password": "p", "salt": "s", "iterations": 7, "roles": [{"rolename": "referee"}]},
            {"username": "b1.referee", "password": "p", "salt": "s"},
            {"username": "b2.red", "password": "p", "salt": "s"},
            {"username": "b1.blue"},
            "nonsense",
        ]
    }
    assert dynsec.kept_handsets("b1", earlier) == [
        {
            "username": "b1.red",
            "clientid": "b1.red",
            "roles": [{"rolename": "b1.red"}],
            "password": "p",
            "salt": "s",
            "iterations": 7,
        }
    ]
    assert dynsec.kept_handsets("b1", {}) == dynsec.kept_handsets("b1", {"clients": 3}) == []
