"""Referee, handsets and kiosk on a real broker: what each gets, once, in order, also after the connection was lost."""

from __future__ import annotations

import gc
import os
import socket
import threading
from dataclasses import replace

import pytest

from referee.net.credential import Credential, KeyPair
from referee.net.errors import CredentialError, LinkFullError, NoGameError
from referee.net.links import connection as connection_module
from referee.net.links import handset_link
from referee.net.links.connection import Connection, Outgoing
from referee.net.links.handset_link import HandsetLink
from referee.net.links.public_links import KioskLink
from referee.net.links.referee_link import RefereeLink
from referee.net.topics.payloads import (
    FromSeat,
    KioskNote,
    KioskWish,
    LinkDown,
    LinkUp,
    PeerFault,
    SeatPresence,
    Status,
    ToSeat,
)
from referee.net.topics.topics import Role, Topic, address
from referee.rules.hidden import Hidden
from referee.rules.values import Rank, Seat
from referee.table.commitments import link
from referee.table.heard_chain import Proof
from referee.table.messages import (
    Accepted,
    Countersign,
    Declare,
    Heard,
    Hello,
    History,
    Letter,
    Missed,
    Ready,
    Rejected,
    SeatState,
    ToHandset,
)
from referee.table.views import GameEnd, PublicEvent, PublicInfo, PublicView
from tests.net.hall import BOARD, Hall, Inbox, event, info, view
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.process


def letter(message: ToHandset, seat: Seat = Seat.RED) -> Letter:
    """Return a message of the referee as it reaches the link."""
    return Letter(seat, Hidden(message))


def hello(hall: Hall, seat: Seat = Seat.RED, after: int = 0) -> FromSeat:
    """Wait for a seat's hello."""
    return hall.inbox.wait(FromSeat, lambda value: value.seat is seat and isinstance(value.message, Hello), after)


def cut(link: HandsetLink | RefereeLink) -> None:
    """Break a link's TCP connection, as a lost Wi-Fi does."""
    sock = link._connection._client.socket()
    assert isinstance(sock, socket.socket)
    sock.shutdown(socket.SHUT_RDWR)


@pytest.mark.process
def test_a_handset_gets_what_is_public_and_says_hello_by_itself(hall: Hall) -> None:
    """Status, info, state and events arrive as the values that were published; the hello comes with the game's start."""
    credential = hall.pair(Seat.RED)
    _, inbox = hall.handset(credential)
    assert hall.inbox.wait(SeatPresence, lambda value: value.here) == SeatPresence(Seat.RED, True)
    hall.referee.publish_info(info())
    hall.referee.publish_state(view(1))
    for number in range(2, 12):
        hall.referee.publish_event(event(number))
    inbox.wait(PublicEvent, lambda value: value.seq == 11)
    assert inbox.of(PublicInfo) == [info()]
    assert inbox.of(PublicView) == [view(1)]
    assert inbox.of(PublicEvent) == [event(number) for number in range(2, 12)]
    assert inbox.wait(Status).up
    assert hello(hall).ply == 0


@pytest.mark.process
def test_a_handset_that_comes_late_gets_the_retained_values(hall: Hall) -> None:
    """Info and the newest state are there for whoever joins; events that are past are not."""
    hall.referee.publish_info(info())
    for number in range(1, 4):
        hall.referee.publish_event(event(number))
        hall.referee.publish_state(view(number, ply=number))
    sentinel = hall.handset(hall.pair(Seat.BLUE))[1]
    sentinel.wait(PublicView, lambda value: value.seq == 3)
    link, inbox = hall.handset(hall.pair(Seat.RED))
    inbox.wait(PublicView, lambda value: value.seq == 3)
    hello(hall)
    link.send(Ready(id="red-1"))
    assert hall.inbox.wait(FromSeat, lambda value: isinstance(value.message, Ready)).ply == 3
    assert inbox.of(PublicEvent) == []


@pytest.mark.process
def test_letters_go_to_their_seat_and_answers_come_from_it(hall: Hall) -> None:
    """Each seat gets its own letters, in order; the referee knows who spoke."""
    hall.referee.publish_info(info())
    red, red_inbox = hall.handset(hall.pair(Seat.RED))
    blue, blue_inbox = hall.handset(hall.pair(Seat.BLUE))
    hello(hall, Seat.RED)
    hello(hall, Seat.BLUE)
    for number in range(20):
        hall.referee.send(letter(Accepted(id=f"r{number}", re="x")), 4)
        hall.referee.send(letter(Accepted(id=f"b{number}", re="x"), Seat.BLUE), 4)
    red_inbox.wait(ToSeat, lambda value: value.message.id == "r19")
    blue_inbox.wait(ToSeat, lambda value: value.message.id == "b19")
    assert [value.message.id for value in red_inbox.of(ToSeat)] == [f"r{number}" for number in range(20)]
    assert [value.message.id for value in blue_inbox.of(ToSeat)] == [f"b{number}" for number in range(20)]
    assert {value.ply for value in red_inbox.of(ToSeat)} == {4}
    red.send(Declare(id="red-1", question=1, rank=Rank.SPY))
    blue.send(Declare(id="blue-1", question=1, rank=Rank.MARSHAL))
    got = hall.inbox.wait(FromSeat, lambda value: value.message == Declare(id="blue-1", question=1, rank=Rank.MARSHAL))
    assert got.seat is Seat.BLUE


@pytest.mark.process
def test_a_repeat_gets_the_same_answer_and_is_not_told_twice(hall: Hall) -> None:
    """A message that comes again under its id is answered again and reaches the owner once; one without an answer yet is quiet."""
    hall.referee.publish_info(info())
    red, inbox = hall.handset(hall.pair(Seat.RED))
    hello(hall)
    red.send(Ready(id="red-1"))
    hall.inbox.wait(FromSeat, lambda value: value.message.id == "red-1")
    red._post(Ready(id="red-1"))
    hall.referee.send(letter(Accepted(id="r1", re="red-1")), 0)
    inbox.wait(ToSeat, lambda value: value.message.id == "r1")
    mark = len(inbox.values)
    red._post(Ready(id="red-1"))
    assert inbox.wait(ToSeat, after=mark).message == Accepted(id="r1", re="red-1")
    assert [value.message.id for value in hall.inbox.of(FromSeat) if isinstance(value.message, Ready)] == ["red-1"]


@pytest.mark.process
def test_what_was_not_answered_is_repeated_after_a_lost_connection(hall: Hall) -> None:
    """A handset whose connection breaks comes back, says hello, and repeats what has no answer, under the same id."""
    hall.referee.publish_info(info())
    red, inbox = hall.handset(hall.pair(Seat.RED))
    hello(hall)
    red.send(Ready(id="red-1"))
    hall.inbox.wait(FromSeat, lambda value: value.message.id == "red-1")
    mark, seen = len(inbox.values), len(hall.inbox.values)
    cut(red)
    inbox.wait(LinkDown, after=mark)
    assert not hall.inbox.wait(SeatPresence, lambda value: not value.here).here
    red.send(Declare(id="red-2", question=1, rank=Rank.SPY))
    inbox.wait(LinkUp, after=mark)
    hello(hall, after=seen)
    hall.inbox.wait(FromSeat, lambda value: value.message.id == "red-2", seen)
    assert [value.message.id for value in hall.inbox.of(FromSeat)].count("red-1") == 1
    hall.referee.send(letter(Rejected(id="r1", re="red-2", reason="not-now")), 0)
    inbox.wait(ToSeat, lambda value: value.message.id == "r1")
    assert list(red._unanswered) == ["red-1"]


@pytest.mark.process
def test_what_the_broker_dropped_is_said_again(hall: Hall) -> None:
    """A message that got lost on a connection that holds is repeated, under the same id, once its answer is overdue."""
    hall.referee.publish_info(info())
    inbox = Inbox()
    red = HandsetLink(hall.pair(Seat.RED), on_value=inbox, patience_s=0.05)
    red.start()
    hello(hall)
    publish = red._connection.publish
    lost: list[Outgoing] = []

    def losing(message: Outgoing) -> None:
        if lost:
            publish(message)
        else:
            lost.append(message)

    red._connection.publish = losing  # type: ignore[method-assign]  # a broker whose queue is full
    red.send(Ready(id="red-1"))
    hall.inbox.wait(FromSeat, lambda value: value.message.id == "red-1")
    hall.referee.send(letter(Accepted(id="r1", re="red-1")), 0)
    inbox.wait(ToSeat, lambda value: value.message.id == "r1")
    red.stop()
    assert len(lost) == 1
    assert inbox.of(LinkDown) == []


@pytest.mark.process
def test_letters_that_were_lost_come_after_the_next_hello(hall: Hall) -> None:
    """What the referee wrote while the handset was away is sent again, once and in order."""
    hall.referee.publish_info(info())
    red, inbox = hall.handset(hall.pair(Seat.RED))
    hello(hall)
    hall.referee.send(letter(Accepted(id="r1", re="x")), 0)
    inbox.wait(ToSeat, lambda value: value.message.id == "r1")
    mark, seen = len(inbox.values), len(hall.inbox.values)
    cut(red)
    hall.inbox.wait(SeatPresence, lambda value: not value.here, seen)
    for number in (2, 3):
        hall.referee.send(letter(Accepted(id=f"r{number}", re="x")), 0)
    hello(hall, after=seen)
    state = SeatState(id="r4", seat=Seat.RED, ply=0, ready=False, own={}, seen={})
    hall.referee.send(letter(state), 0)
    inbox.wait(ToSeat, lambda value: value.message.id == "r4")
    assert [value.message.id for value in inbox.of(ToSeat)] == ["r1", "r2", "r3", "r4"]
    assert inbox.of(PeerFault) == []
    assert inbox.wait(LinkUp, after=mark)


@pytest.mark.process
def test_the_referee_comes_back_and_publishes_everything_anew(hall: Hall) -> None:
    """After the referee's own connection broke its newest state is there again, and what it published meanwhile."""
    hall.referee.publish_info(info())
    hall.referee.publish_state(view(1))
    red, inbox = hall.handset(hall.pair(Seat.RED))
    hello(hall)
    mark, seen = len(inbox.values), len(hall.inbox.values)
    cut(hall.referee)
    hall.inbox.wait(LinkDown)
    hall.referee.publish_state(view(2))
    hall.referee.publish_event(event(3))
    hall.referee.publish_state(view(3))
    inbox.wait(Status, lambda value: not value.up, mark)
    inbox.wait(PublicView, lambda value: value.seq == 3, mark)
    inbox.wait(PublicEvent, lambda value: value.seq == 3, mark)
    hello(hall, after=seen)
    red.send(Ready(id="red-1"))
    hall.inbox.wait(FromSeat, lambda value: value.message.id == "red-1")
    assert hall.referee.figures().connection.connects == 2


@pytest.mark.process
def test_a_referee_that_resumes_a_game_is_greeted_once_it_has_announced_it(hall: Hall) -> None:
    """The info of before a restart is still at the broker: a hello that came too early is followed by one that is heard."""
    hall.referee.publish_info(info())
    red, inbox = hall.handset(hall.pair(Seat.RED))
    hello(hall)
    hall.referee.stop()
    again = Inbox()
    later = RefereeLink(hall.broker.credential(Role.REFEREE, hall.keys), on_value=again, boot=2)
    later.pair(Seat.RED, red._credential.own.public)  # type: ignore[union-attr]  # a paired handset has its keys
    later.start()
    inbox.wait(Status, lambda status: status.boot == 2)
    red.send(Ready(id="red-1"))
    later.publish_info(info())
    again.wait(FromSeat, lambda value: value.message.id.startswith("hello-"))
    again.wait(FromSeat, lambda value: value.message.id == "red-1")
    later.stop()


def test_a_hello_says_what_was_heard_before_the_referee_was_started_again(hall: Hall) -> None:
    """Not what was heard of this start, nor of another game."""

    def heard(link: Inbox) -> list[int]:
        return [said.message.heard for said in link.of(FromSeat) if isinstance(said.message, Hello)]

    hall.referee.publish_info(info())
    hall.referee.publish_state(view(1))
    hall.referee.publish_event(event(2))
    red, inbox = hall.handset(hall.pair(Seat.RED))
    hall.referee.publish_event(event(3))
    inbox.wait(PublicEvent, lambda value: value.seq == 3)
    red.repeat()
    hall.inbox.wait(FromSeat, lambda value: value.message.id.endswith("-2"))
    assert set(heard(hall.inbox)) == {0}
    hall.referee.stop()
    again = Inbox()
    later = RefereeLink(hall.broker.credential(Role.REFEREE, hall.keys), on_value=again, boot=2)
    later.pair(Seat.RED, red._credential.own.public)  # type: ignore[union-attr]  # a paired handset has its keys
    later.start()
    later.publish_info(info())
    later.publish_state(view(2))
    later.publish_event(event(7))
    inbox.wait(PublicEvent, lambda value: value.seq == 7)
    mark = len(again.values)
    red.repeat()
    again.wait(FromSeat, after=mark)
    later.publish_info(info("game-2"))
    again.wait(FromSeat, lambda value: isinstance(value.message, Hello) and value.message.heard == 0)
    assert set(heard(again)[:-1]) == {3}
    later.stop()


@pytest.mark.process
@pytest.mark.parametrize("told", ["opened", "another"])
def test_a_handset_signs_what_it_has_computed_and_nothing_else(hall: Hall, told: str) -> None:
    """It asks for what it missed; with all links it signs the head that they lead to, and no other."""
    opened = replace(event(1), kind="opened", links=("opened",))
    over = replace(view(2), chain=f"1:{link('game-1', told)}", result=GameEnd(Seat.RED, "flag"))
    hall.referee.publish_info(info())
    red = HandsetLink(hall.pair(Seat.RED), on_value=(inbox := Inbox()), signs=True)
    red.start()
    try:
        hello(hall)
        hall.referee.publish_event(event(2))
        hall.referee.publish_state(over)
        asked = hall.inbox.wait(FromSeat, lambda value: isinstance(value.message, Missed)).message
        assert (red.proof, asked.heard) == (Proof.UNHEARD, 0)  # type: ignore[union-attr]  # it is the one that was waited for
        hall.referee.send(letter(History("h-1", asked.id, (Heard(opened), Heard(event(2))))), 0)
        if told == "opened":
            signed = hall.inbox.wait(FromSeat, lambda value: isinstance(value.message, Countersign)).message
            assert (red.proof, signed.key) == (Proof.CHECKED, red.signing_key)  # type: ignore[union-attr]  # as above
        hall.referee.send(letter(Accepted(id="r1", re="x")), 0)
        inbox.wait(ToSeat, lambda value: value.message.id == "r1")
        said = [value.message for value in hall.inbox.of(FromSeat)]
        assert any(isinstance(each, Countersign) for each in said) == (told == "opened")
        assert red.proof is (Proof.CHECKED if told == "opened" else Proof.DIFFERS)
    finally:
        red.stop()


@pytest.mark.process
def test_a_handset_that_is_stopped_waits_for_its_answers(hall: Hall) -> None:
    """What it had asked for comes, it still signs the end, and only then it goes; afterwards it says nothing."""
    opened = replace(event(1), kind="opened", links=("opened",))
    over = replace(view(2), chain=f"1:{link('game-1', 'opened')}", result=GameEnd(Seat.RED, "flag"))
    hall.referee.publish_info(info())
    red = HandsetLink(hall.pair(Seat.RED), on_value=Inbox(), signs=True)
    red.start()
    hello(hall)
    hall.referee.publish_event(event(2))
    hall.referee.publish_state(over)
    asked = hall.inbox.wait(FromSeat, lambda value: isinstance(value.message, Missed)).message
    leaving = threading.Thread(target=red.stop, args=(PATIENCE_S,))
    leaving.start()
    hall.referee.send(letter(History("h-1", asked.id, (Heard(opened), Heard(event(2))))), 0)
    signed = hall.inbox.wait(FromSeat, lambda value: isinstance(value.message, Countersign)).message
    assert leaving.is_alive()
    seen = len(hall.inbox.values)
    hall.referee.send(letter(Accepted(id="r1", re=signed.id)), 0)
    leaving.join(PATIENCE_S)
    assert not hall.inbox.wait(SeatPresence, lambda value: not value.here, seen).here
    red.send(Ready(id="red-1"))
    assert not red._unanswered


@pytest.mark.process
def test_a_new_game_begins_with_a_new_hello(hall: Hall) -> None:
    """When another game is published the handset greets again; letters of the new game are read."""
    hall.referee.publish_info(info())
    _, inbox = hall.handset(hall.pair(Seat.RED))
    hello(hall)
    seen = len(hall.inbox.values)
    hall.referee.publish_info(info("game-2"))
    hello(hall, after=seen)
    hall.referee.send(letter(Accepted(id="r1", re="x")), 0)
    inbox.wait(ToSeat, lambda value: value.message.id == "r1")
    assert inbox.of(PeerFault) == []


@pytest.mark.process
def test_a_second_start_of_the_same_handset_takes_over(hall: Hall) -> None:
    """The same credential in another window: the newer one gets the letters, and the older one is put off."""
    hall.referee.publish_info(info())
    credential = hall.pair(Seat.RED)
    older, older_inbox = hall.handset(credential)
    hello(hall)
    seen = len(hall.inbox.values)
    _, newer = hall.handset(credential)
    older_inbox.wait(LinkDown)
    older.stop()
    hello(hall, after=seen)
    hall.referee.send(letter(Accepted(id="r1", re="x")), 0)
    newer.wait(ToSeat, lambda value: value.message.id == "r1")


@pytest.mark.process
def test_a_letter_for_nobody_is_dropped_and_counted(hall: Hall) -> None:
    """Before the hello there is nobody to write to; before a game there is nothing to write about."""
    with pytest.raises(NoGameError):
        hall.referee.send(letter(Accepted(id="r1", re="x")), 0)
    hall.referee.publish_info(info())
    hall.referee.send(letter(Accepted(id="r1", re="x")), 0)
    hall.pair(Seat.RED)
    hall.referee.send(letter(Accepted(id="r2", re="x")), 0)
    assert hall.referee.figures().unheard == 2


@pytest.mark.process
def test_a_kiosk_gets_what_is_public_and_its_notes_only(hall: Hall) -> None:
    """The kiosk sees the views and its own notes, and its wishes reach the referee; no letter reaches it."""
    inbox = Inbox()
    kiosk = KioskLink(hall.broker.credential(Role.KIOSK), on_value=inbox)
    kiosk.start()
    hall.referee.publish_info(info())
    hall.handset(hall.pair(Seat.RED))
    hello(hall)
    hall.referee.send(letter(Accepted(id="r1", re="x")), 0)
    hall.referee.publish_state(view(1))
    hall.referee.publish_event(event(1))
    hall.referee.tell_kiosk(KioskNote("digits", "123456", Seat.RED))
    assert inbox.wait(KioskNote).text == "123456"
    kiosk.wish(KioskWish("language", "nl"))
    assert hall.inbox.wait(KioskWish) == KioskWish("language", "nl")
    kinds = {type(value) for value in inbox.values}
    assert kinds == {LinkUp, Status, PublicInfo, PublicView, PublicEvent, KioskNote}
    assert kiosk.figures().faults == 0
    kiosk.stop()


@pytest.mark.process
def test_the_end_of_a_link_is_told_to_the_others(hall: Hall) -> None:
    """A handset that leaves, and a referee that leaves, say so; the will is not needed for it."""
    hall.referee.publish_info(info())
    red, inbox = hall.handset(hall.pair(Seat.RED))
    hall.inbox.wait(SeatPresence, lambda value: value.here)
    red.stop()
    hall.inbox.wait(SeatPresence, lambda value: not value.here)
    _, inbox = hall.handset(hall.pair(Seat.BLUE))
    inbox.wait(Status, lambda value: value.up)
    hall.referee.stop()
    inbox.wait(Status, lambda value: not value.up)


@pytest.mark.process
def test_a_connection_that_ended_leaves_no_descriptor(hall: Hall) -> None:
    """Nothing is left to the garbage collector: a station makes connections for months."""
    reads = [(address(Topic.KIOSK_IN, BOARD), 1)]
    link = Connection(hall.broker.credential(Role.KIOSK), reads, on_message=lambda *_: None)
    before = sorted(os.listdir("/proc/self/fd"))
    gc.disable()
    try:
        link.start()
        link.stop()
        assert sorted(os.listdir("/proc/self/fd")) == before
    finally:
        gc.enable()


@pytest.mark.process
def test_too_many_unanswered_messages_are_refused(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    """The handset's memory of unanswered messages has a limit with a clear error; a repeat under a known id still goes."""
    monkeypatch.setattr(handset_link, "UNANSWERED_KEPT", 3)
    hall.referee.publish_info(info())
    red, _ = hall.handset(hall.pair(Seat.RED))
    assert hello(hall)  # it knows the game: another one would make it forget
    for number in range(3):
        red.send(Ready(id=f"red-{number}"))
    with pytest.raises(LinkFullError):
        red.send(Ready(id="red-9"))
    red.send(Ready(id="red-0"))
    hall.inbox.wait(FromSeat, lambda value: value.message.id == "red-2")


@pytest.mark.process
def test_what_waits_for_a_connection_is_limited(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    """While there is no connection the newest messages are kept, the oldest dropped and counted; of retained topics the newest."""
    monkeypatch.setattr(connection_module, "MOST_WAITING", 3)
    kiosk = hall.broker.credential(Role.KIOSK)
    topic = address(Topic.KIOSK_OUT, BOARD)
    link = Connection(kiosk, [(address(Topic.KIOSK_IN, BOARD), 1)], on_message=lambda text, payload: None)
    for number in range(5):
        link.publish(Outgoing(topic, b'{"kind":"start","value":"%d"}' % number))
    assert (link.figures().waiting, link.figures().dropped) == (3, 2)
    link.start()
    hall.inbox.wait(KioskWish, lambda value: value.value == "4")
    link.stop()
    assert [value.value for value in hall.inbox.of(KioskWish)] == ["2", "3", "4"]
    assert link.figures().waiting == 0


@pytest.mark.process
def test_bad_payloads_are_counted_and_reported_now_and_then(hall: Hall) -> None:
    """Nonsense on a handset's own topic changes nothing; it is reported the 1st, 2nd, 4th ... time only."""
    hall.referee.publish_info(info())
    hostile = hall.stranger(hall.pair(Seat.BLUE))
    for _ in range(10):
        hostile.publish(address(Topic.SEAT_OUT, BOARD, Seat.BLUE), b"nonsense")
    hostile.publish(address(Topic.PRESENCE, BOARD, Seat.BLUE), b'{"here":"yes"}')
    hall.inbox.wait(PeerFault, lambda fault: fault.what == "PayloadError")
    assert [fault.count for fault in hall.inbox.of(PeerFault) if fault.what == "SealError"] == [1, 2, 4, 8]
    assert hall.referee.figures().faults == 11


@pytest.mark.process
def test_credentials_that_lack_something_are_refused_at_once(hall: Hall) -> None:
    """No key pair, no seat, no referee's key: refused before anything connects."""
    grant = hall.pairing.grant(Seat.RED, KeyPair.create().public).credential
    with pytest.raises(CredentialError):
        HandsetLink(grant, on_value=Inbox())
    with pytest.raises(CredentialError):
        HandsetLink(replace(grant, own=hall.keys, peer=None), on_value=Inbox())
    with pytest.raises(CredentialError):
        RefereeLink(hall.broker.credential(Role.REFEREE), on_value=Inbox())


@pytest.mark.process
def test_values_come_on_another_thread_and_links_may_be_used_from_any(hall: Hall) -> None:
    """Many threads may write at once; every letter arrives once."""
    hall.referee.publish_info(info())
    _, inbox = hall.handset(hall.pair(Seat.RED))
    hello(hall)

    def write(name: str) -> None:
        for number in range(25):
            hall.referee.send(letter(Accepted(id=f"{name}{number}", re="x")), 0)

    threads = [threading.Thread(target=write, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    for name in "abcd":
        inbox.wait(ToSeat, lambda value, last=f"{name}24": value.message.id == last)  # type: ignore[misc]  # a default binds it
    got = [value.message.id for value in inbox.of(ToSeat)]
    assert len(got) == len(set(got)) == 100
    for name in "abcd":
        assert [one for one in got if one.startswith(name)] == [f"{name}{number}" for number in range(25)]


@pytest.mark.process
def test_nothing_a_link_shows_holds_a_secret(hall: Hall) -> None:
    """The values that are handed over show no rank in their text, and credentials no password."""
    hall.referee.publish_info(info())
    credential: Credential = hall.pair(Seat.RED)
    red, inbox = hall.handset(credential)
    hello(hall)
    red.send(Declare(id="red-1", question=1, rank=Rank.LIEUTENANT))
    got = hall.inbox.wait(FromSeat, lambda value: value.message.id == "red-1")
    secret = SeatState(id="r1", seat=Seat.RED, ply=0, ready=True, own={"a1": Rank.SPY}, seen={"b2": Rank.MINER})
    hall.referee.send(letter(secret), 0)
    shown = repr(got) + repr(inbox.wait(ToSeat)) + repr(letter(secret)) + repr(credential)
    assert not any(rank.value in shown for rank in Rank)
    assert credential.password not in shown
