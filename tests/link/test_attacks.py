"""A curious opponent with a valid seat and a laptop. Asserted on what was delivered: SUBACK says "granted" for what never comes."""

from __future__ import annotations

import json
from itertools import count

import pytest

from referee.arbitration.messages import Declare, Enrol, Hello, Letter, Question, QuestionKind, SeatState, Verdict
from referee.arbitration.views import PublicView
from referee.link.credential import Credential
from referee.link.incoming import FromSeat, PeerFault, SeatPresence, ToSeat
from referee.link.sealing import LARGE_PAYLOAD, SMALL_PAYLOAD
from referee.link.topics import ROOT, Role, Topic, address
from referee.rules.hidden import Hidden
from referee.rules.values import Rank, Seat
from tests.link.hall import BOARD, PATIENCE_S, Hall, Stranger, event, info, view

RED_IN = address(Topic.SEAT_IN, BOARD, Seat.RED)
RED_OUT = address(Topic.SEAT_OUT, BOARD, Seat.RED)
BLUE_IN = address(Topic.SEAT_IN, BOARD, Seat.BLUE)
BLUE_OUT = address(Topic.SEAT_OUT, BOARD, Seat.BLUE)
STATE = address(Topic.STATE, BOARD)
STATUS = address(Topic.STATUS, BOARD)
CANARIES = (
    b"lieutenant",
    b"infiltrator",
)  # long words, since short ones come up in ciphertext by chance; no marshal, the product has one
NUMBERS = count(1000)


class Table:
    """A hall where red plays honestly and blue is hostile: blue's credential in a client that does as it likes."""

    def __init__(self, hall: Hall) -> None:
        self.hall = hall
        self.last = 0
        hall.referee.publish_info(info())
        hall.referee.publish_state(view(1))
        self.red, self.inbox = hall.handset(hall.pair(Seat.RED))
        self.blue = hall.pair(Seat.BLUE)
        hall.inbox.wait(FromSeat, lambda value: isinstance(value.message, Hello))

    def play_an_attack(self) -> None:
        """Let red be asked, answer, and hear the verdict, with ranks as canaries."""
        send = self.hall.referee.send
        choices = ("lieutenant", "infiltrator")
        question = Question(
            id="r1",
            question=1,
            kind=QuestionKind.DECLARE,
            ply=9,
            source="a4",
            target="a5",
            square="a4",
            choices=choices,
        )
        send(Letter(Seat.RED, Hidden(question)), 9)
        self.inbox.wait(ToSeat, lambda value: value.message.id == "r1")
        self.red.send(Declare(id="red-1", question=1, rank=Rank.LIEUTENANT))
        self.red.send(Enrol(id="red-2", set_up={f"{file}1": Rank.LIEUTENANT for file in "abcdefghij"}))
        self.hall.inbox.wait(FromSeat, lambda value: value.message.id == "red-2")
        verdict = Verdict(id="r2", question=1, ply=9, result="attacker-wins", own=Rank.LIEUTENANT, other=None)
        send(Letter(Seat.RED, Hidden(verdict)), 9)
        state = SeatState(
            id="r3", seat=Seat.RED, ply=9, ready=True, own={"a5": Rank.LIEUTENANT}, seen={"b5": Rank.INFILTRATOR}
        )
        send(Letter(Seat.RED, Hidden(state)), 9)
        self.inbox.wait(ToSeat, lambda value: value.message.id == "r3")

    def close_with_a_sentinel(self, *clients: Stranger) -> None:
        """Publish a last public state; whoever has it has got everything that was for him before it."""
        self.last = next(NUMBERS)
        self.hall.referee.publish_state(view(self.last))
        for client in clients:
            client.wait_for(STATE, b'"seq":%d,' % self.last)
        self.inbox.wait(PublicView, lambda value: value.seq == self.last)


@pytest.fixture
def table(hall: Hall) -> Table:
    """Give a table with honest red and hostile blue."""
    return Table(hall)


FILTERS = [
    "#",
    "$SYS/#",
    "$CONTROL/#",
    "$CONTROL/dynamic-security/v1/response",
    "+/#",
    f"{ROOT}/#",
    f"{ROOT}/boards/+/seat/#",
    f"{ROOT}/boards/{BOARD}/seat/+/in",
    f"{ROOT}/boards/{BOARD}/seat/+/out",
    f"{ROOT}/boards/{BOARD}/+/+/in",
    f"{ROOT}/boards/{BOARD}/seat/red/#",
    RED_IN,
    RED_OUT,
    address(Topic.KIOSK_IN, BOARD),
    f"$share/x/{RED_IN}",
    f"$share/x/{RED_OUT}",
    "$share/x/#",
    f"{RED_IN}/",
    f"/{RED_IN}",
]


@pytest.mark.parametrize("text", FILTERS)
def test_no_subscription_brings_what_is_reds(table: Table, text: str) -> None:
    """Whatever blue subscribes to, nothing of red's letters, the kiosk's notes or the broker's own topics is delivered."""
    spy = table.hall.stranger(table.blue)
    spy.subscribe(text, STATE)
    table.play_an_attack()
    table.close_with_a_sentinel(spy)
    allowed = {address(topic, BOARD) for topic in (Topic.STATUS, Topic.INFO, Topic.STATE, Topic.EVENT)} | {BLUE_IN}
    assert {topic for topic, _ in spy.got} <= allowed
    assert not any(b"lieutenant" in payload for _, payload in spy.got)


def test_the_kiosk_gets_no_seats_topic_either(table: Table) -> None:
    """With the kiosk's credential and every filter at once nothing of a seat is delivered."""
    spy = table.hall.stranger(table.hall.broker.credential(Role.KIOSK))
    spy.subscribe(*FILTERS, STATE)
    table.play_an_attack()
    table.close_with_a_sentinel(spy)
    assert not any("/seat/" in topic or topic.startswith("$") for topic, _ in spy.got)


FORGED = [
    (RED_IN, b"x" * SMALL_PAYLOAD),
    (RED_OUT, b"x" * SMALL_PAYLOAD),
    (STATE, b'{"forged":true}'),
    (address(Topic.INFO, BOARD), b'{"forged":true}'),
    (address(Topic.EVENT, BOARD), b'{"forged":true}'),
    (STATUS, b'{"up":false,"boot":9,"session":"0000000000000000"}'),
    (address(Topic.PRESENCE, BOARD, Seat.RED), b'{"here":false}'),
    (address(Topic.KIOSK_IN, BOARD), b'{"kind":"digits","text":"000000","seat":null}'),
    (address(Topic.KIOSK_OUT, BOARD), b'{"kind":"abort","value":""}'),
    (address(Topic.ARBITER_COMMAND, BOARD), b"{}"),
    (
        "$CONTROL/dynamic-security/v1",
        json.dumps({"commands": [{"command": "setDefaultACLAccess", "acls": []}]}).encode(),
    ),
    (f"$share/x/{RED_IN}", b"x"),
    ("anything/else", b"x"),
]


@pytest.mark.parametrize("retain", [False, True], ids=["fleeting", "retained"])
def test_nobody_hears_what_blue_forges(table: Table, retain: bool) -> None:
    """Publishing as the referee, as red, as the kiosk or the arbiter, retained or not, reaches nobody, now or later."""
    witness = table.hall.stranger(table.hall.broker.credential(Role.KIOSK))
    witness.subscribe(
        STATE, STATUS, address(Topic.INFO, BOARD), address(Topic.EVENT, BOARD), address(Topic.KIOSK_IN, BOARD)
    )
    hostile = table.hall.stranger(table.blue)
    table.hall.inbox.wait(SeatPresence, lambda value: value == SeatPresence(Seat.RED, True))
    mark = len(table.hall.inbox.values)
    for topic, payload in FORGED:
        hostile.publish(topic, payload, retain)
    hostile.publish(BLUE_OUT, b"sentinel")
    table.hall.inbox.wait(PeerFault, lambda fault: fault.seat is Seat.BLUE)
    table.close_with_a_sentinel(witness)
    later = table.hall.handset(table.hall.pair(Seat.GREEN))[1]
    later.wait(PublicView, lambda value: value.seq == table.last)
    assert not any(
        b"forged" in payload or b'"up":false' in payload or b"000000" in payload for _, payload in witness.got
    )
    assert later.of(PeerFault) == table.inbox.of(PeerFault) == []
    assert [fault.seat for fault in table.hall.inbox.of(PeerFault)] == [Seat.BLUE]
    assert SeatPresence(Seat.RED, False) not in table.hall.inbox.values[mark:]
    assert not any(type(value).__name__ == "KioskWish" for value in table.hall.inbox.values)


def test_a_will_on_a_foreign_topic_is_not_published(table: Table) -> None:
    """A client that leaves a forged status as its will and vanishes is either refused or unheard."""
    witness = table.hall.stranger(table.hall.broker.credential(Role.KIOSK))
    witness.subscribe(STATUS, STATE)
    hostile = table.hall.stranger(table.blue, will=(STATUS, b'{"up":false,"boot":9,"session":"0000000000000000"}'))
    assert hostile.settled.wait(PATIENCE_S)
    hostile.drop()
    table.close_with_a_sentinel(witness)
    assert not any(b'"up":false' in payload for _, payload in witness.got)


def test_a_client_id_cannot_be_taken_over(table: Table) -> None:
    """Blue's user with red's client id is refused, and red's connection is not disturbed."""
    thief = table.hall.stranger(table.blue, client_id=f"{BOARD}.red")
    assert thief.refused.wait(PATIENCE_S)
    assert not thief.joined.is_set()
    table.play_an_attack()
    assert table.red.figures().connection.connects == 1


def test_nobody_comes_in_without_a_password(table: Table) -> None:
    """An unknown user, no password, and red's name with blue's password are refused."""
    blue = table.blue
    for user, password in (
        ("stranger", "x"),
        (blue.user, ""),
        (f"{BOARD}.red", blue.password),
        (f"{BOARD}.control", ""),
    ):
        client = table.hall.stranger(Credential(Role.HANDSET, user, password, blue.address, BOARD))
        assert client.refused.wait(PATIENCE_S)


def test_recorded_letters_are_refused_when_they_come_again(table: Table) -> None:
    """Blue records what it sent itself (all it can get hold of) and sends it again: it is dropped, and counted as a repeat."""
    hall = table.hall
    blue, inbox = hall.handset(table.blue)
    hall.inbox.wait(FromSeat, lambda value: value.seat is Seat.BLUE)
    recorded: list[bytes] = []
    seal = blue._seal.seal

    def recording(*arguments: object) -> bytes | None:
        payload = seal(*arguments)  # type: ignore[arg-type]  # passed on as it came
        recorded.append(payload or b"")
        return payload

    blue._seal.seal = recording  # type: ignore[method-assign,assignment]  # a tap on the wire, before the broker
    blue.send(Declare(id="blue-1", question=1, rank=Rank.SPY))
    hall.inbox.wait(FromSeat, lambda value: value.message.id == "blue-1")
    blue.stop()
    hostile = hall.stranger(table.blue)
    hostile.publish(BLUE_OUT, recorded[0])
    hostile.publish(BLUE_OUT, b"sentinel")
    hall.inbox.wait(PeerFault, lambda fault: fault.what == "SealError")
    assert hall.referee.figures().repeats == 1
    hall.referee.publish_info(info("game-2"))
    hostile.publish(BLUE_OUT, recorded[0])
    hall.inbox.wait(PeerFault, lambda fault: fault.what == "OtherGameError")
    assert [value.message.id for value in hall.inbox.of(FromSeat)].count("blue-1") == 1
    assert inbox.of(PeerFault) == []


def test_an_oversize_payload_costs_blue_its_connection_and_nobody_else_anything(table: Table) -> None:
    """A packet beyond the broker's limit ends the sender's connection; red's game goes on."""
    hostile = table.hall.stranger(table.blue)
    assert hostile.joined.wait(PATIENCE_S)
    hostile._client.publish(BLUE_OUT, b"x" * 200_000, 1)
    assert hostile.lost.wait(PATIENCE_S)
    table.play_an_attack()
    assert table.red.figures().connection.connects == 1


def test_a_flood_from_blue_does_not_lose_reds_letters(table: Table) -> None:
    """Two thousand pieces of nonsense, and red's attack is still settled."""
    hostile = table.hall.stranger(table.blue)
    assert hostile.joined.wait(PATIENCE_S)
    for _ in range(2000):
        hostile._client.publish(BLUE_OUT, b"x" * SMALL_PAYLOAD, 0)
    table.play_an_attack()
    assert table.hall.referee.figures().connection.dropped == 0


def test_what_crosses_the_wire_has_two_sizes_and_no_rank(table: Table) -> None:
    """On the seats' own topics, read with the referee's and red's rights, every payload is 296 or 4,136 bytes without a word in it."""
    hall = table.hall
    tap: list[tuple[str, bytes]] = []
    for link in (hall.referee, table.red):
        take = link._connection._on_message

        def tapped(text: str, payload: bytes, take: object = take) -> None:
            tap.append((text, payload))
            take(text, payload)  # type: ignore[operator]  # the link's own callable

        link._connection._on_message = tapped
    table.play_an_attack()
    letters = [payload for text, payload in tap if text in (RED_IN, RED_OUT)]
    assert sorted({len(payload) for payload in letters}) == [SMALL_PAYLOAD, LARGE_PAYLOAD]
    assert not any(canary in payload for payload in letters for canary in CANARIES)


def test_no_canary_lies_in_the_brokers_files(table: Table) -> None:
    """After an attack and a set-up, no file of the state directory holds a rank or a password."""
    table.play_an_attack()
    table.hall.referee.publish_event(event(2))
    table.close_with_a_sentinel()
    contents = b"".join(path.read_bytes() for path in table.hall.broker.state_dir.iterdir())
    assert not any(canary in contents for canary in CANARIES)
    assert table.blue.password.encode() not in contents
