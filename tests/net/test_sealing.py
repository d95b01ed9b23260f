"""Letters are read by their addressee, once, in their game, and all look alike."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.net.errors import (
    MessageTooLongError,
    OtherGameError,
    OtherSeatError,
    OtherSessionError,
    PayloadError,
    PeerError,
    ReplayError,
    SealError,
)
from referee.net.sealing.sealing import (
    KEPT,
    LARGE_PAYLOAD,
    MOST_SESSIONS,
    SMALL_PAYLOAD,
    HandsetSeal,
    Opened,
    RefereeSeal,
    Window,
    answered,
    digest,
    fitted,
)
from referee.rules.values import Rank, Seat
from referee.table.messages import Accepted, Declare, Hello, Rejected, ToHandset, Told, message_kind
from tests.amount import tries
from tests.net.made_up import LETTERS
from tests.net.sealed_ends import BLUE, BOOT, GAME, RED, REFEREE, Ends, letter


@given(message=LETTERS, ply=st.integers(0, 2**32 - 1))
@settings(max_examples=tries(60))
def test_a_letter_arrives_as_it_was_written(message: ToHandset, ply: int) -> None:
    """Whatever fits arrives whole, with its ply, in a payload of its kind's size."""
    ends = Ends()
    try:
        whole = fitted(message)
    except MessageTooLongError:
        return
    payload = ends.written(message, ply=ply)
    assert len(payload) == {256: SMALL_PAYLOAD, 4096: LARGE_PAYLOAD}[message_kind(message).value]
    opened = ends.handset.open(payload, GAME)
    assert opened.ply == ply
    if not isinstance(message, Rejected | Told):
        assert opened == Opened(message, ply)
    assert fitted(opened.message) == whole


def test_a_letter_is_taken_once(ends: Ends) -> None:
    """The same bytes again, in either direction, are a replay, and change nothing."""
    down, up = ends.written(Accepted(id="a", re="x")), ends.said(ends.handset, Hello(id="x"))
    ends.handset.open(down, GAME)
    ends.referee.open(up, GAME)
    with pytest.raises(ReplayError):
        ends.handset.open(down, GAME)
    with pytest.raises(ReplayError):
        ends.referee.open(up, GAME)
    ends.handset.open(ends.written(Accepted(id="b", re="x")), GAME)


def test_letters_may_overtake_each_other(ends: Ends) -> None:
    """Out of order, each is still taken once."""
    payloads = [ends.written(Accepted(id=f"a{number}", re="x")) for number in range(10)]
    for payload in reversed(payloads):
        ends.handset.open(payload, GAME)
    for payload in payloads:
        with pytest.raises(ReplayError):
            ends.handset.open(payload, GAME)


def test_a_letter_of_another_game_is_refused(ends: Ends) -> None:
    """What was sealed for the game before is not taken in this one, in either direction."""
    with pytest.raises(OtherGameError):
        ends.handset.open(ends.written(Accepted(id="a", re="x"), "game-0"), GAME)
    with pytest.raises(OtherGameError):
        ends.referee.open(ends.said(ends.handset, Hello(id="x"), "game-0"), GAME)


def test_a_letter_of_another_seat_is_refused(ends: Ends) -> None:
    """Blue's key cannot speak for red; one key for both seats (a careless owner) still cannot swap letters."""
    blue = HandsetSeal(BLUE, REFEREE.public, Seat.BLUE, b"hand0002")
    blue.follow(BOOT)
    with pytest.raises(SealError):
        ends.referee.open(ends.said(blue, Hello(id="x")), GAME)
    careless = HandsetSeal(RED, REFEREE.public, Seat.BLUE, b"hand0003")
    careless.follow(BOOT)
    with pytest.raises(OtherSeatError):
        ends.referee.open(ends.said(careless, Hello(id="x")), GAME)
    with pytest.raises(SealError):
        blue.open(ends.written(Accepted(id="a", re="x")), GAME)


def test_a_letter_cannot_be_sent_back_to_its_sender(ends: Ends) -> None:
    """A box opens with either key pair, so the direction is written inside."""
    with pytest.raises(OtherSeatError):
        ends.handset.open(ends.said(ends.handset, Hello(id="x")), GAME)
    with pytest.raises(OtherSeatError):
        ends.referee.open(ends.written(Accepted(id="a", re="x")), GAME)


def test_a_letter_of_an_earlier_start_is_refused(ends: Ends) -> None:
    """After the referee's restart old messages fit nobody, and a handset takes no letters of the old referee."""
    old_up = ends.said(ends.handset, Hello(id="x"))
    old_down = ends.written(Accepted(id="a", re="x"))
    ends.referee = RefereeSeal(REFEREE, RED.public, Seat.RED, b"boot0002")
    with pytest.raises(OtherSessionError):
        ends.referee.open(old_up, GAME)
    ends.handset.follow(b"boot0002")
    with pytest.raises(OtherSessionError):
        ends.handset.open(old_down, GAME)
    ends.greet(ends.handset)
    ends.handset.open(ends.written(Accepted(id="b", re="x")), GAME)


def test_a_new_handset_takes_over_and_letters_to_the_old_one_do_not_fit_it(ends: Ends) -> None:
    """A page that was reloaded says hello with a new session; letters of before were not for it."""
    before = ends.written(Accepted(id="a", re="x"))
    reloaded = ends.another_handset(b"hand0009")
    with pytest.raises(OtherSessionError):
        ends.referee.open(ends.said(reloaded, Declare(id="d", question=1, rank=Rank.SPY)), GAME)
    ends.greet(reloaded)
    with pytest.raises(OtherSessionError):
        reloaded.open(before, GAME)
    reloaded.open(ends.written(Accepted(id="b", re="x")), GAME)


def test_the_hello_of_a_session_that_was_left_is_a_replay_but_a_new_one_is_not(ends: Ends) -> None:
    """Somebody who kept the first hello cannot bring the old session back; its own handset can."""
    first = ends.said(ends.handset, Hello(id="x"))
    ends.referee.open(first, GAME)
    ends.greet(ends.another_handset(b"hand0009"))
    with pytest.raises(ReplayError):
        ends.referee.open(first, GAME)
    ends.greet(ends.handset)
    assert ends.handset.open(ends.written(Accepted(id="b", re="x")), GAME).message == Accepted(id="b", re="x")


def test_sessions_are_limited(ends: Ends) -> None:
    """A handset that begins session after session is refused at the limit, and the current one goes on."""
    for number in range(MOST_SESSIONS - 1):
        ends.greet(ends.another_handset(number.to_bytes(8)))
    with pytest.raises(OtherSessionError, match="pair"):
        ends.greet(ends.another_handset(b"one more"))
    ends.greet(ends.handset)


def test_nothing_can_be_sealed_before_the_other_side_is_known() -> None:
    """Without a hello the referee, and without a status the handset, has nobody to write to."""
    referee = RefereeSeal(REFEREE, RED.public, Seat.RED, BOOT)
    assert referee.seal(letter(Accepted(id="a", re="x")), GAME, 0) is None
    assert HandsetSeal(RED, REFEREE.public, Seat.RED, b"hand0001").seal(Hello(id="x"), GAME, 0) is None
    assert referee.unacknowledged() == ()


def test_what_was_not_confirmed_is_kept_in_order(ends: Ends) -> None:
    """Letters above the handset's mark stay ready to be sent again; once confirmed they are forgotten."""
    payloads = [ends.written(Accepted(id=f"a{number}", re="x")) for number in range(3)]
    ends.handset.open(payloads[0], GAME)
    ends.referee.open(ends.said(ends.handset, Hello(id="h2")), GAME)
    assert ends.referee.unacknowledged() == tuple(payloads[1:])
    for lost in ends.referee.unacknowledged():
        ends.handset.open(lost, GAME)
    ends.referee.open(ends.said(ends.handset, Hello(id="h3")), GAME)
    assert ends.referee.unacknowledged() == ()


def test_what_is_kept_is_limited(ends: Ends) -> None:
    """A handset that never confirms costs a bounded memory."""
    for number in range(KEPT + 10):
        ends.written(Accepted(id=f"a{number}", re="x"))
    assert len(ends.referee.unacknowledged()) == KEPT


@given(data=st.data())
@settings(max_examples=tries(80))
def test_no_change_of_a_byte_is_taken(data: st.DataObject) -> None:
    """Whatever is done to the bytes of a letter, it is refused as not sealed by the right key."""
    ends = Ends()
    payload = bytearray(ends.written(Accepted(id="a", re="x")))
    payload[data.draw(st.integers(0, len(payload) - 1))] ^= data.draw(st.integers(1, 255))
    with pytest.raises(SealError):
        ends.handset.open(bytes(payload), GAME)


@given(payload=st.binary(max_size=400) | st.binary(min_size=SMALL_PAYLOAD, max_size=SMALL_PAYLOAD))
def test_random_bytes_are_refused(payload: bytes) -> None:
    """Nothing but a peer error comes of any bytes."""
    with pytest.raises(PeerError):
        Ends().referee.open(payload, GAME)


def test_a_dishonest_handset_is_refused_one_check_after_the_other(ends: Ends) -> None:
    """With the right key but a wrong envelope: another format, a length beyond the end, something behind the body, nonsense inside."""
    envelope = ends.handset._envelope

    def sealed(body: bytes, counter: int = 2, length: int | None = None, version: int = 1) -> bytes:
        header = (
            bytes([version, 2, 0])
            + (len(body) if length is None else length).to_bytes(2)
            + counter.to_bytes(4)
            + bytes(8)
            + b"hand0001"
            + BOOT
            + digest(GAME)
        )
        return bytes(envelope._box.encrypt((header + body).ljust(256, b"\0")))

    for payload, error in (
        (sealed(b'["hello","x"]', version=2), PayloadError),
        (sealed(b'["hello","x"]', length=9999), PayloadError),
        (sealed(b'["hello","x"]', length=5), PayloadError),
        (sealed(b"nonsense", counter=3), PayloadError),
    ):
        with pytest.raises(error):
            ends.referee.open(payload, GAME)
    ends.said(ends.handset, Hello(id="x"))
    ends.said(ends.handset, Hello(id="x"))
    ends.referee.open(ends.said(ends.handset, Hello(id="x")), GAME)


@given(numbers=st.lists(st.integers(1, 200), max_size=300))
def test_a_window_takes_each_number_once(numbers: list[int]) -> None:
    """Against a plain set: what was taken is never taken again, and what is refused was taken or is far behind."""
    window, taken = Window(), set[int]()
    for number in numbers:
        try:
            window.take(number)
        except ReplayError:
            assert number in taken or number <= max(taken) - KEPT
        else:
            assert number not in taken
            taken.add(number)
        assert all(low in taken or low <= max(taken) - KEPT for low in range(1, window.whole + 1))


def test_what_a_letter_answers() -> None:
    """Answers name the message they answer; other letters do not."""
    assert answered(letter(Accepted(id="a", re="x"))) == "x"
    assert answered(letter(Rejected(id="a", re="y", reason="not-now"))) == "y"
    assert answered(letter(Told(id="a", ply=1, reason="chase"))) is None
