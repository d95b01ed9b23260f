"""What broker, board and phones that cannot be heard cost the clocks, as tables of events; and the same after a restart."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from referee.rules.values import Seat
from referee.sensing import Agreed
from referee.table.inputs import BoardLink, BrokerLink, Connection, Input, Reopen, Tick
from referee.table.replay import rebuild, told_settings
from referee.table.settings import ClockKind, Limits, TimeControl
from tests.table.sitting import BLUE, RED, Sitting

MINUTES = TimeControl(ClockKind.SUDDEN_DEATH, 600_000)
BOTH = (Connection(RED, here=True), Connection(BLUE, here=True))
GONE, HERE = Connection(RED, here=False), Connection(RED, here=True)
LOST, HEARD = BrokerLink(heard=False), BrokerLink(heard=True)
OFF, ON = BoardLink("silent"), BoardLink(None)

Events = Sequence[tuple[float, Input]]


class Timed(Sitting):
    """A Duel with ten minutes a player, red to move, both phones connected."""

    def __init__(self, limits: Limits | None = None) -> None:
        super().__init__(clock=MINUTES, limits=limits)
        self.began_ms = self.now_ms
        for each in BOTH:
            self.put(each)

    def put(self, given: Input) -> None:
        """Put something in now."""
        self.take(self.table.apply(given, self.now_ms))

    def play(self, events: Events, until_s: float) -> None:
        """Put these in, each so many seconds after the beginning, and let time pass. What is due by itself happens when it is due."""
        for at_s, given in [*events, (until_s, Tick())]:
            at_ms = self.began_ms + round(at_s * 1000)
            while (due_ms := self.steps[-1].deadline_ms) is not None and due_ms < at_ms:
                self.now_ms = due_ms
                self.put(Tick())
            self.now_ms = at_ms
            self.put(given)

    def lost_s(self, seat: Seat = RED) -> float:
        """Return how much of a seat's time is gone, in seconds."""
        return (600_000 - self.table.view().clocks[seat].left_ms) / 1000

    def texts(self, kind: str) -> list[str | None]:
        """Return what the journal says of events of a kind."""
        return [fact.event.text for step in self.steps for fact in step.facts if fact.kind == kind and fact.event]


@pytest.mark.parametrize(
    ("events", "until_s", "lost_s"),
    [
        pytest.param([(5, LOST), (12, HEARD)], 12, 5, id="the broker is lost for 7 s"),
        pytest.param([(5, LOST), (12, HEARD)], 20, 13, id="it runs on afterwards"),
        pytest.param([(5, LOST)], 1000, 5, id="the broker does not come back"),
        pytest.param(
            [(7, BrokerLink(False, quiet_ms=2_000)), (12, HEARD)], 12, 5, id="what passed unnoticed is given back"
        ),
        pytest.param([(1, BrokerLink(False, quiet_ms=9_000)), (12, HEARD)], 12, 0, id="never more than was charged"),
        pytest.param([(600, BrokerLink(False, quiet_ms=500))], 700, 599.5, id="no flag falls in a silence"),
        pytest.param([(3, LOST), (4, HEARD), (6, LOST), (60, HEARD)], 61, 6, id="twice"),
        pytest.param([(5, OFF), (12, ON)], 12, 5, id="the board is lost for 7 s"),
        pytest.param([(9, BoardLink("silent", quiet_ms=4_000)), (12, ON)], 14, 7, id="the board falls silent"),
        pytest.param([(600, BoardLink("silent", quiet_ms=500))], 700, 599.5, id="nor while the board is silent"),
        pytest.param([(5, LOST), (6, OFF), (12, HEARD)], 20, 5, id="the board stays away longer"),
        pytest.param(
            [(5, LOST), (12, BrokerLink(True, awaited=(RED, BLUE))), (14, HERE)],
            20,
            11,
            id="the phone comes back after the broker",
        ),
        pytest.param(
            [(5, LOST), (12, BrokerLink(True, awaited=(RED, BLUE)))], 60, 18, id="5 s for the way back, then the grace"
        ),
        pytest.param([(5, GONE), (45, HERE)], 45, 15, id="40 s with a grace of 30 s"),
        pytest.param([(5, GONE)], 100, 70, id="it does not come back"),
        pytest.param(
            [(5, GONE), (15, HERE), (20, GONE), (30, HERE), (35, GONE), (60, HERE)], 60, 30, id="three share one grace"
        ),
        pytest.param([(5, GONE), (5.2, HERE), (6, GONE)], 50, 20.8, id="a second at least"),
        pytest.param([(5, Connection(BLUE, here=False))], 20, 20, id="the opponent's phone stops nobody's clock"),
        pytest.param([(5, GONE), (10, LOST), (30, HEARD)], 60, 10, id="no grace is used while the broker is away"),
    ],
)
def test_what_an_outage_costs_the_mover(events: Events, until_s: float, lost_s: float) -> None:
    """Nobody else's clock runs meanwhile, and the journal gives the same table back."""
    game = Timed()
    game.play(events, until_s)
    assert game.lost_s() == pytest.approx(lost_s)
    assert game.lost_s(BLUE) == 0
    facts = [fact for step in game.steps for fact in step.facts]
    again = rebuild(told_settings(facts, lambda _: game.rules), facts).table
    again.apply(Tick(), game.now_ms)
    assert again.view().clocks[RED].left_ms == pytest.approx(game.table.view().clocks[RED].left_ms, abs=1)


def test_the_journal_says_who_was_not_heard() -> None:
    """What stopped a clock, and what let it run on."""
    game = Timed()
    game.play([(5, LOST), (12, HEARD), (20, GONE), (25, HERE), (30, GONE)], 100)
    assert game.texts("broker.link") == ["lost", "back"]
    assert game.texts("phone.link") == ["lost", "back", "lost", "over"]
    events = [fact.event for step in game.steps for fact in step.facts if fact.event is not None]
    assert {event.seat for event in events if event.kind == "phone.link"} == {RED}


def test_a_phone_that_comes_and_goes_fills_no_journal() -> None:
    """Not more rows than seconds of grace, twice over; a phone that goes at the opponent's turn writes none."""
    game = Timed()
    game.play([(at / 10, each) for at in range(0, 4_000, 2) for each in (GONE, HERE)], 400)
    assert 2 <= len(game.texts("phone.link")) <= 62
    quiet = Timed()
    quiet.play([(at, Connection(BLUE, here=bool(at % 2))) for at in range(30)], 30)
    assert quiet.texts("phone.link") == []


def test_who_is_away_as_his_turn_comes_uses_his_grace_then() -> None:
    """Blue's phone goes while red thinks: blue's grace begins with red's move, and ends with blue's."""
    game = Timed()
    game.play([(1, Connection(BLUE, here=False))], 10)
    game.read("e4", "e5")
    assert dict(game.table.view().graces) == {BLUE: 30_000}
    game.now_ms += 20_000
    game.read("a7", "a6")
    assert (game.lost_s(), game.lost_s(BLUE)) == (10, 0)
    assert dict(game.table.view().graces) == {}
    game.now_ms += 1_000
    game.read("e5", "e6")
    game.now_ms += 15_000
    game.put(Tick())
    assert game.lost_s(BLUE) == 5
    facts = [fact for step in game.steps for fact in step.facts]
    assert rebuild(told_settings(facts, lambda _: game.rules), facts).table.view().clocks == game.table.view().clocks


@pytest.mark.parametrize(
    ("events", "lost_s"),
    [
        pytest.param([(5, LOST)], 5, id="while the broker is lost"),
        pytest.param([(5, OFF)], 5, id="while the board is"),
        pytest.param([(5, GONE)], 5, id="while the mover's phone is"),
    ],
)
def test_the_plug_is_pulled_in_an_outage(events: Events, lost_s: float) -> None:
    """Started again at another time of another clock: nothing more is lost, and the clock runs once the board agrees."""
    game = Timed()
    game.play(events, 20)
    facts = [fact for step in game.steps for fact in step.facts]
    table = rebuild(told_settings(facts, lambda _: game.rules), facts).table
    step = table.apply(Reopen(), 17)
    facts += step.facts
    facts += table.apply(Agreed(0), 1_000).facts
    assert table.view().clocks[RED].runs
    assert 600 - table.view().clocks[RED].left_ms / 1000 == lost_s
    table.apply(Tick(), 3_000)
    assert 600 - table.view().clocks[RED].left_ms / 1000 == lost_s + 2
    again = rebuild(told_settings(facts, lambda _: game.rules), facts).table
    assert again.view().phase is table.view().phase
