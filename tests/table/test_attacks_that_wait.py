"""Attacks that wait, from docs/reference/messages.md alone: what the page promises of clocks, orders and offers, and of who hears what."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from referee.rules.values import Seat
from referee.sensing import AttackSeen, Final, Lifted, Read, Returned, Unread
from referee.table.arbiter_commands import Penalise, Rule, SetClock
from referee.table.inputs import BoardLink, BrokerLink, Connection, Input
from referee.table.messages import Accepted, ClaimImmobile, OfferDraw, Rejected, TellAttack, Told
from referee.table.replay import rebuild, told_settings
from referee.table.settings import ClockKind, TimeControl
from referee.table.step import Step
from tests.table.corrected import rebuilt
from tests.table.sitting import BLUE, RED, Sitting

CLOCKS = (
    TimeControl(ClockKind.SUDDEN_DEATH, 60_000),
    TimeControl(ClockKind.FISCHER, 60_000, 5_000),
    TimeControl(ClockKind.BRONSTEIN, 60_000, 5_000),
    TimeControl(ClockKind.PER_MOVE, 0, 20_000),
)
PLIES = (("e4", "e5"), ("a7", "a6"), ("e5", "e6"))


class Waiting(Sitting):
    """Red came to e6, beside e7; the last of the plies can still be revised."""

    def __init__(self, still_open: int = 1, clock: TimeControl | None = None) -> None:
        super().__init__(clock=clock)
        for number, ply in enumerate(PLIES):
            (self.move if number < len(PLIES) - still_open else self.read)(*ply)

    def tell(self, seat: Seat = BLUE, word_id: str = "a", source: str | None = "e7") -> list[str]:
        """Send that the piece attacks e6. Returns what its player is answered."""
        heard = len(self.letters(seat))
        self.say(seat, TellAttack(id=word_id, source=source, target="e6"))
        return self.answers(seat, heard)

    def answers(self, seat: Seat, heard: int = 0) -> list[str]:
        """Return what was said to a seat of words that wait, in short."""
        said = []
        for message in self.letters(seat)[heard:]:
            match message:
                case Told(reason=reason):
                    said.append(reason)
                case Accepted(re="a" | "b" | "c"):
                    said.append("accepted")
                case Rejected(reason=reason):
                    said.append(reason)
        return said

    def after(self, ms: int, given: Input) -> Step:
        """Put something in, some time later."""
        self.now_ms += ms
        return self.take(self.table.apply(given, self.now_ms))

    def left(self, seat: Seat = BLUE) -> int:
        """Return what a seat has left, once nothing runs; the rebuilt table has to say the same."""
        rows = [fact for step in self.steps for fact in step.facts]
        again = rebuild(told_settings(rows, lambda _: self.rules), rows).table
        left = {who: face.left_ms for who, face in self.table.view().clocks.items()}
        assert {who: face.left_ms for who, face in again.view().clocks.items()} == left
        assert not any(face.runs for face in self.table.view().clocks.values())
        return left[seat]


def at_once(clock: TimeControl) -> int:
    """Return what the attacker has left if the ply before was final when he said it, after a second."""
    sitting = Waiting(0, clock)
    sitting.after(1_000, Lifted(sitting.square("e7"), 0))
    assert sitting.tell() == ["accepted"]
    return sitting.left()


MEANWHILE: dict[str, Callable[[Waiting], object]] = {
    "nothing": lambda _: None,
    "the phone is away": lambda s: [s.after(500, Connection(BLUE, here)) for here in (False, True)],
    "the broker is away": lambda s: [s.after(500, BrokerLink(heard)) for heard in (False, True)],
    "the board is away": lambda s: [s.after(500, BoardLink(fault)) for fault in ("lost", None)],
    "hands show it": lambda s: s.after(500, AttackSeen(s.square("e7"), s.square("e6"), 0)),
    "an arbiter sets the other clock": lambda s: s.after(
        500, SetClock(id="o", reason="as ruled", seat=RED, left_ms=10_000)
    ),
    "put back": lambda s: s.after(500, Returned(s.square("e7"), 0)),
    "set down and unread": lambda s: (
        [s.after(500, seen) for seen in (Read(s.prospect("e7", "d7"), 0), Unread(0))] and None
    ),
    "set down and up again": lambda s: (
        [s.after(500, seen) for seen in (Read(s.prospect("e7", "d7"), 0), Lifted(s.square("d7"), 0))] and None
    ),
}


@pytest.mark.parametrize("clock", CLOCKS, ids=lambda clock: clock.kind.value)
@pytest.mark.parametrize("what", MEANWHILE)
def test_the_wait_costs_no_time_and_brings_none(what: str, clock: TimeControl) -> None:
    """The clock is what it was when the attack was told, however often it stood still since."""
    sitting = Waiting(clock=clock)
    sitting.after(1_000, Lifted(sitting.square("e7"), 0))
    assert sitting.tell(source=None) == ["attack-waits"]
    MEANWHILE[what](sitting)
    sitting.after(700, Final(0))
    assert sitting.answers(BLUE) == ["attack-waits", "attack-answered", "accepted"]
    assert sitting.events()[-1] == ("attack", "e7", "e6")
    assert sitting.left() == at_once(clock)


def test_what_an_arbiter_sets_meanwhile_stays() -> None:
    """The wait gives nothing back of what was before his word."""
    sitting = Waiting(clock=CLOCKS[0])
    sitting.tell()
    sitting.after(500, SetClock(id="o", reason="as ruled", seat=BLUE, left_ms=10_000))
    sitting.after(700, Final(0))
    assert sitting.events()[-1] == ("attack", "e7", "e6")
    assert sitting.left() == 10_000


@pytest.mark.parametrize(
    "what",
    [
        lambda s: s.say(RED, OfferDraw(id="d")),
        lambda s: s.say(BLUE, OfferDraw(id="d")),
        lambda s: s.say(BLUE, ClaimImmobile(id="d")),
        lambda s: s.order(Rule(id="o", reason="as ruled")),
        lambda s: s.order(Penalise(id="o", reason="as ruled", seat=RED)),
    ],
)
def test_what_stops_no_game_stops_no_word(what: Callable[[Sitting], object]) -> None:
    """An offer, a claim or an arbiter's note: the attack is asked about all the same."""
    sitting = Waiting()
    sitting.tell()
    what(sitting)
    assert sitting.answers(BLUE) == ["attack-waits"]
    sitting.see(Final(0))
    assert sitting.answers(BLUE) == ["attack-waits", "attack-answered", "accepted"]


def test_a_word_whose_turn_is_gone_is_not_told_that_it_is_not_its_turn() -> None:
    """Two plies never were, and it is Blue's turn again: in another position than the one that he spoke of."""
    sitting = Waiting(3)
    sitting.tell()
    sitting.see(Unread(0, 2))
    assert sitting.answers(BLUE) == ["attack-waits"]
    sitting.see(Final(0))
    assert sitting.table.view().turn is BLUE
    assert sitting.answers(BLUE) == ["attack-waits", "attack-answered", "not-now"]


def test_a_ply_that_is_read_again_is_the_one_that_was_waited_for() -> None:
    """The same as if it had never been unread."""
    sitting = Waiting(3)
    sitting.tell()
    sitting.see(Unread(0))
    sitting.read("e5", "e6")
    for _ in range(3):
        assert sitting.answers(BLUE) == ["attack-waits"]
        sitting.see(Final(0))
    assert sitting.events()[-1] == ("attack", "e7", "e6")


@pytest.mark.parametrize("still_open", [1, 3])
def test_the_rival_hears_the_same_whether_a_word_waits_or_not(still_open: int) -> None:
    """Neither what he is answered nor what he sees says that an attack was told, also where a word of his own waits; nor after that."""
    heard = []
    for told in (False, True):
        sitting = Waiting(still_open)
        if told:
            sitting.tell()
        sitting.see(Lifted(sitting.square("e6"), 0))  # his own rest: the attack that he tells replaces the last ply
        answers = [sitting.tell(RED, "b", "d4"), sitting.say(RED, TellAttack(id="c", target="e7")) and None]
        before = sitting.letters(RED), sitting.table.view(), sitting.steps[-1].deadline_ms
        for _ in range(still_open - 1):
            sitting.see(Final(0))
        assert sitting.events()[-1] == ("attack", "e5", "e7")
        heard.append((answers, before, sitting.letters(RED), sitting.table.view()))
        assert sitting.answers(BLUE) == (["attack-waits", "attack-answered", "not-your-turn"] if told else [])
        rebuilt(sitting)
    assert heard[0] == heard[1]
