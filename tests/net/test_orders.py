"""Orders of an arbiter: signed by the station, carried out once, refused when anything is not as it was when they were given."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import cast

import pytest

from referee.journal.events import JournalRow
from referee.journal.journal import public_rows
from referee.journal.journal_to_record import record_as_agreed
from referee.journal.records.audit import audit
from referee.journal.records.chained import Evidence
from referee.net.errors import SignatureError
from referee.net.sealing.signing import OrderKey, StationKey
from referee.net.topics.payloads import (
    Act,
    ArbiterAck,
    ArbiterOrder,
    AskFacts,
    BeginGame,
    HandSign,
    PairAgain,
    SignedOrder,
)
from referee.rules import rule_set
from referee.rules.hidden import Hidden
from referee.rules.values import Seat
from referee.runtime.game import RunningTable, TableGame
from referee.runtime.game_archive import Keeping, find
from referee.runtime.orders import ArbiterDesk
from referee.table.arbiter_commands import (
    ArbiterVerb,
    EndGame,
    PauseGame,
    ResumeGame,
    Rule,
    SetClock,
    SetHallClock,
    SignEnd,
)
from referee.table.chain import signed_end
from referee.table.commitments import STATION
from referee.table.inputs import Reopen
from referee.table.settings import TableSettings
from referee.table.table import Table
from tests.records.test_corrected_games import corrected, facts
from tests.table.random_play import SALTS
from tests.table.sitting import Sitting

KEY = StationKey(bytes(32))
SESSION = "0123456789abcdef"


class Desk:
    """A table that plays, and the desk where orders for it come in."""

    def __init__(self, key: OrderKey | None = KEY.public) -> None:
        self.sitting = Sitting()
        self.table, self.rules, self.shell = self.sitting.table, self.sitting.rules, self
        self.hands: list[HandSign] = []
        self.done: list[object] = []
        self.answers: list[ArbiterAck] = []
        self.game = self
        self.desk = ArbiterDesk(key, "t1", SESSION, cast(RunningTable, self), self.answers.append)

    @property
    def seq(self) -> int:
        """The number of the last event."""
        return self.table.view().seq

    def catch_up(self) -> None:
        """Stand in the event loop's place: nothing is due."""

    def order(self, verb: ArbiterVerb) -> None:
        """Stand in the event loop's place."""
        if self.sitting.order(verb).facts:
            self.done.append(verb)

    def correct(self, verb: ArbiterVerb) -> None:
        """Stand in the game's place, whose result nobody has confirmed."""
        self.order(verb)

    def is_signed(self, signer: str, by: SignEnd) -> bool:
        """Return what a game's own check says of its table."""
        return TableGame.is_signed(cast(TableGame, self), signer, by)

    def pair_again(self, seat: Seat) -> None:
        """Stand in the lobby's place."""
        self.done.append(seat)

    def begin(self) -> None:
        """Stand in the table's place."""
        self.done.append("begun")

    def rows(self) -> list[JournalRow]:
        """Have no journal."""
        return []

    def take(self, act: Act, *, board: str = "t1", session: str = SESSION, game: str = "g1") -> ArbiterAck:
        """Take an order as it was signed."""
        ack = self.desk.take(KEY.sign(ArbiterOrder(board=board, session=session, game=game, act=act)))
        assert self.answers[-1] == ack
        return ack


BEGUN = Desk().seq
"""The number of the last event before anything is ordered."""


def ruling(name: str = "order-1", seq: int | None = BEGUN) -> Rule:
    """Return an order that depends on the moment."""
    return Rule(id=name, reason="wrong square", seq=seq, by="Ann")


def test_an_order_of_the_station_is_carried_out_and_acknowledged() -> None:
    """The answer names the order and the event that came of it."""
    desk = Desk()
    assert desk.take(ruling()) == ArbiterAck("order-1", True, "done", "g1", BEGUN + 1)
    assert desk.done == [ruling()]


@pytest.mark.parametrize(
    ("word", "act", "where"),
    [
        ("stale", ruling(seq=BEGUN - 1), {}),
        ("stale", ruling(seq=BEGUN + 1), {}),
        ("stale", ruling(seq=None), {}),
        ("other-game", ruling(), {"game": "g0"}),
        ("other-game", PauseGame(id="order-1", reason="noise"), {"game": "g0"}),
        ("other-board", ruling(), {"board": "t2"}),
        ("other-session", ruling(), {"session": "f" * 16}),
    ],
)
def test_what_is_not_as_the_arbiter_saw_it_is_refused(word: str, act: Act, where: dict[str, str]) -> None:
    """Every mismatch has its word, and nothing is carried out."""
    desk = Desk()
    ack = desk.take(act, **where)
    assert (ack.re, ack.done, ack.word) == ("order-1", False, word)
    assert desk.done == []


@pytest.mark.parametrize(
    "act",
    [
        PauseGame(id="order-1", reason="noise"),
        PairAgain(id="order-1", reason="flat battery", seat=Seat.RED),
        AskFacts(id="order-1", reason="dispute", square="a4"),
    ],
)
def test_standing_still_and_what_is_beside_the_game_need_no_moment(act: Act) -> None:
    """A table that goes on while an arbiter reaches for *Pause* is paused all the same."""
    assert Desk().take(act).done


def test_a_repeat_is_answered_as_before_and_is_carried_out_once() -> None:
    """MQTT may deliver twice, and so may somebody who listens; also when the table has gone on since."""
    desk = Desk()
    for order in (ruling(), PauseGame(id="pause", reason="noise"), PairAgain(id="p", reason="flat", seat=Seat.RED)):
        first = desk.take(order)
        desk.sitting.order(Rule(id=f"after-{order.id}", reason="so"))
        assert (desk.take(order).done, desk.take(order).word) == (first.done, first.word) == (True, "done")
    assert len(desk.done) == 3 + 1  # that a seat was offered anew is a ruling, too


def test_an_order_whose_answer_is_forgotten_is_still_no_new_order() -> None:
    """However long ago it was, within a start of the referee an id works once; one about a moment is stale."""
    desk = Desk()
    desk.take(ruling())
    desk.take(PauseGame(id="first", reason="noise"))
    for number in range(300):
        desk.take(AskFacts(id=f"later-{number}", reason="dispute"))
        desk.sitting.order(Rule(id=f"more-{number}", reason="so"))
    assert desk.take(PauseGame(id="first", reason="noise")).word == "replayed"
    assert desk.take(ruling()).word == "stale"
    assert len(desk.done) == 2


def test_of_two_arbiters_the_second_has_to_look_again() -> None:
    """Both ordered on what they saw; what came of the first makes the second stale, a repeat of the first is answered as before."""
    desk = Desk()
    first, second = ruling("one"), ruling("two")
    assert desk.take(first).word == "done"
    refused = desk.take(second)
    assert (refused.word, refused.detail) == (
        "stale",
        f"event {BEGUN + 1} has happened since; the order knew of {BEGUN}",
    )
    assert [desk.take(order).word for order in (first, second)] == ["done", "stale"]
    assert desk.done == [first]


def test_a_game_is_begun_on_what_its_arbiter_has_seen() -> None:
    """Once, and only while nothing has happened since, as with every order about a moment."""
    desk = Desk()
    begin = BeginGame(id="b", reason="round 2", seq=BEGUN)
    assert desk.take(BeginGame(id="late", reason="round 2", seq=BEGUN - 1)).word == "stale"
    assert [desk.take(begin).word, desk.take(begin).word] == ["done", "done"]
    assert desk.done == ["begun"]


def test_what_was_refused_is_not_carried_out_later() -> None:
    """A pause that came while the table stood still, sent again by somebody who listens once it goes on."""
    desk = Desk()
    desk.take(PauseGame(id="first", reason="noise"))
    refused = desk.take(PauseGame(id="second", reason="noise"))
    assert (refused.done, refused.word) == (False, "not-now")
    desk.sitting.order(ResumeGame(id="on", reason="quiet"))
    assert desk.take(PauseGame(id="second", reason="noise")) == refused


def test_the_station_signs_the_end_and_no_other_signature_is_kept() -> None:
    """Another station's, one under another game, one before the end: each has its word, and the table is as it was."""
    desk = Desk()
    desk.sitting = corrected(salts=Hidden(SALTS))
    desk.table = desk.sitting.table
    view = desk.table.view()
    signed = signed_end(view, STATION) or b""

    def order(name: str, by: StationKey, text: bytes) -> SignEnd:
        key, signature = by.countersign(text)
        return SignEnd(id=name, reason="the end", by=STATION, key=key, signature=signature)

    strangers = StationKey(bytes(range(1, 33)))
    for wrong in (
        order("other", strangers, signed),
        order("game", KEY, signed + b"."),
        order("seat", KEY, signed_end(view, "red") or b""),
    ):
        assert desk.take(wrong).word == "bad-signature"
    assert (desk.table.view(), desk.done) == (view, [])
    assert desk.take(order("right", KEY, signed)).word == "done"
    assert desk.table.view().signed == (STATION,)
    assert desk.take(order("again", KEY, signed)).word == "done"
    record = record_as_agreed(facts(desk.sitting), desk.sitting.rules)
    found = audit(record, known=Evidence(keys={STATION: KEY.public.text}))
    assert (found.wrong, found.chain.signed) == ((), (STATION,))
    assert Desk().take(order("early", KEY, signed)).word == "bad-signature"
    # who saw the end and not yet the signature has seen all that there was to see, and no more than that
    assert desk.take(ruling("before", view.seq - 1)).word == "stale"
    assert desk.take(ruling("beyond", desk.seq + 1)).word == "stale"
    assert desk.take(ruling("after", view.seq)).word == "done"
    assert desk.take(ruling("past", view.seq)).word == "stale"


class JournaledDesk(Desk):
    """A desk whose table writes down what an order does before it is answered."""

    def __init__(self, table: Table, keeping: Keeping, session: str) -> None:
        super().__init__()
        self.table, self.keeping = table, keeping
        self.desk = ArbiterDesk(KEY.public, "t1", session, cast(RunningTable, self), self.answers.append)

    def order(self, verb: ArbiterVerb) -> None:
        """Stand in the event loop's place."""
        self.keeping.journal.write(self.table.apply(verb, 0).facts)
        self.done.append(verb)

    def rows(self) -> list[JournalRow]:
        """Return what the journal holds."""
        return public_rows(self.keeping.journal_path)


def test_an_order_that_comes_again_after_a_power_cut_is_answered_and_not_carried_out_again(tmp_path: Path) -> None:
    """The hall's bridge delivers again what it got no receipt for. What is on disk was done; what is not never was."""
    done, lost = PauseGame(id="done", reason="noise"), PauseGame(id="lost", reason="noise")
    sitting, folder = Sitting(), tmp_path / "before" / "games" / "of-today"
    keeping = Keeping.open(folder, TableSettings("t1", "g1", sitting.rules))
    for step in sitting.steps:
        keeping.journal.write(step.facts)
    assert JournaledDesk(sitting.table, keeping, SESSION).take(done).word == "done"
    shutil.copytree(tmp_path / "before", tmp_path / "after")  # what is on the disk now
    keeping.close()
    found = find(tmp_path / "after", folder.name, rule_set, print)
    assert found is not None
    after = JournaledDesk(found.rebuilt.table, found.keeping, "f" * 16)
    after.table.apply(Reopen(), 0)
    stood = after.table.view()
    assert [(ack.re, ack.done, ack.word) for ack in (after.take(done), after.take(done), after.take(lost))] == [
        ("done", True, "done"),
        ("done", True, "done"),
        ("lost", False, "other-session"),
    ]
    assert (after.done, after.table.view()) == ([], stood)
    resume = ResumeGame(id="on", reason="quiet", seq=stood.seq)
    assert after.take(resume, session="f" * 16).word == "done"
    assert after.take(done).word == "done"
    assert after.done == [resume]
    found.keeping.close()


def forged(order: str, signature: str) -> SignedOrder:
    """Return an order put together by somebody without the key."""
    return SignedOrder(order, signature)


def test_what_the_station_did_not_sign_is_refused() -> None:
    """Another key, a changed word, a changed signature, a signature over something else, nothing at all."""
    good = KEY.sign(ArbiterOrder(board="t1", session=SESSION, game="g1", act=ruling()))
    other = StationKey(bytes(range(32)))
    by_other = other.sign(ArbiterOrder(board="t1", session=SESSION, game="g1", act=ruling()))
    for signed in (
        by_other,
        forged(good.order.replace("wrong", "right"), good.signature),
        forged(good.order, good.signature[::-1]),
        forged(good.order, by_other.signature),
        forged(good.order, ""),
        forged(good.order, "é"),
        forged("", good.signature),
    ):
        desk = Desk()
        assert desk.desk.take(signed).word == "not-signed"
        assert desk.done == []
        with pytest.raises(SignatureError):
            KEY.public.open(signed)


def test_a_table_of_no_hall_takes_no_orders() -> None:
    """Without a station's key nothing can be signed well enough."""
    desk = Desk(None)
    assert desk.take(ruling()).word == "not-signed"
    assert desk.done == []


def test_signed_nonsense_is_refused_by_its_own_word() -> None:
    """A station of another version may say what this table does not know."""
    import nacl.signing

    from referee.net.credential import write_base64

    raw = '{"board":"t1","session":"x","game":"g","act":{"type":"dance","id":"1","reason":"r"}}'
    signature = nacl.signing.SigningKey(bytes(32)).sign(b"hallmarshal order 1\0" + raw.encode()).signature
    assert Desk().desk.take(SignedOrder(raw, write_base64(signature))).word == "not-understood"


@pytest.mark.parametrize(
    "act",
    [
        SetClock(id="1", reason="r", seq=1, seat=Seat.BLUE, left_ms=5),
        SetHallClock(id="1", reason="r", left_ms=3_000_000, at_end="draw"),
        EndGame(id="1", reason="r", seq=1, result="both-lose"),
    ],
)
def test_orders_travel_unchanged(act: Act) -> None:
    """What was signed is what is opened."""
    order = ArbiterOrder(board="t1", session=SESSION, game="g", act=act)
    assert KEY.public.open(KEY.sign(order)) == order
