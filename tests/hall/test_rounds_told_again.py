"""What a board is told of a round, and told again, as event tables: orders that are lost, answers that are lost, a board not ready."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from referee.net.topics.payloads import Act, ArbiterAck, Assign, BeginGame, FromBoard, Occasion, Status
from referee.rules.values import Seat
from referee.table.views import GameEnd, Phase
from referee.tournament.event.acts import Entry, enter_all, propose, publish, record
from referee.tournament.event.event import Event, EventId, Result
from referee.tournament.hall import rounds as rounds_module
from referee.tournament.hall.accounts import RefusedError
from referee.tournament.hall.rounds import AGAIN_S, Rounds
from referee.tournament.hall.tables import HallTables
from referee.tournament.store import open_store
from tests.hall.shown_hall import VIEWS, info

CUP = EventId("cup")


class AtOnce:
    """A thread that has ended when `start` returns."""

    def __init__(self, target: Callable[..., object], args: tuple[object, ...], daemon: bool) -> None:
        self._target, self._args = target, args

    def start(self) -> None:
        """Run it here."""
        self._target(*self._args)


@dataclass
class Board:
    """The only board of a hall, and what becomes of its station's orders."""

    hall: HallTables
    fates: list[str]
    """Of the next orders: `lost`, `unheard` (done, but its answer is lost) or `not-now`; all after these are done."""
    heard: list[str] = field(default_factory=list)
    """The orders since somebody looked, lost ones too."""
    occasion: Occasion | None = None
    names: dict[Seat, str] = field(default_factory=dict)

    def send(self, board: str, game: str, act: Act) -> ArbiterAck:
        """Do an order, if it comes through."""
        self.heard.append({Assign: "assign", BeginGame: "begin"}[type(act)])
        fate = self.fates.pop(0) if self.fates else "done"
        if fate == "lost":
            raise RefusedError("no-answer")
        if fate == "not-now":
            return ArbiterAck(act.id, False, fate, "", 0)
        if isinstance(act, Assign):
            self.names, self.occasion = dict(act.names), act.occasion
            self._say("")
        else:
            self.begin()
        if fate == "unheard":
            raise RefusedError("no-answer")
        return ArbiterAck(act.id, True, "done", "", 0)

    def up(self) -> None:
        """Be there, and know nothing of an event."""
        self._say("")

    def show(self, game: str, phase: Phase, end: GameEnd | None = None) -> None:
        """Show a game's view, as it comes before the status that says which game counts."""
        view = replace(VIEWS["time"], board_id="t1", game=game, phase=phase, result=end)
        self.hall.take(FromBoard("t1", view))

    def begin(self) -> None:
        """Begin the game that players were assigned for."""
        self._say("g2")
        self.hall.take(FromBoard("t1", replace(info("t1"), game="g2", names=dict(self.names))))
        self.show("g2", Phase.SETTING_UP)

    def begun_before(self, occasion: Occasion) -> None:
        """Report a game that has begun for this, before anything else is heard of it."""
        self.occasion = occasion
        self._say("g2")

    def _say(self, game: str) -> None:
        self.hall.take(FromBoard("t1", Status(True, 1, "0" * 16, self.occasion, game)))


def two_players() -> Event:
    """Return an event whose first round is one game."""
    event = Event(CUP, "Cup", 1)
    return publish(propose(enter_all(event, [Entry("Ada", 1500), Entry("Bo", 1400)])))


LATER = ("later", ())
"""The time after which a board is told again passes, and nothing is told."""
ROWS: dict[str, tuple[bool, list[str], list[tuple[str, tuple[str, ...]]]]] = {
    # whether boards begin by themselves; the orders' fates; what happens, and what is told then
    "all is heard": (True, [], [("look", ("assign", "begin")), ("look", ()), LATER]),
    "the assignment is lost": (
        True,
        ["lost"],
        [("look", ("assign",)), ("look", ()), ("later", ("assign", "begin")), LATER],
    ),
    "that it was assigned is not heard": (
        True,
        ["unheard"],
        [("look", ("assign",)), ("look", ()), ("later", ("begin",)), LATER],
    ),
    "the order to begin is lost twice": (
        True,
        ["done", "lost", "lost"],
        [
            ("look", ("assign", "begin")),
            ("look", ()),
            ("later", ("begin",)),
            ("look", ()),
            ("later", ("begin",)),
            LATER,
        ],
    ),
    "that it has begun is not heard": (True, ["done", "unheard"], [("look", ("assign", "begin")), LATER]),
    "handsets are missing at first": (
        True,
        ["done", "not-now"],
        [("look", ("assign", "begin")), ("look", ()), ("later", ("begin",)), LATER],
    ),
    "its view comes before its status": (True, ["done", "lost"], [("look", ("assign", "begin")), ("view", ()), LATER]),
    "the game before is over": (
        True,
        ["done", "lost"],
        [("over", ("assign", "begin")), ("look", ()), ("later", ("begin",)), LATER],
    ),
    "a result is noted first": (True, ["done", "lost"], [("look", ("assign", "begin")), ("noted", ()), LATER]),
    "a station that comes back hears of its game by and by": (True, [], [("status", ()), LATER, ("ended", ()), LATER]),
    "players begin by themselves": (False, [], [("look", ("assign",)), LATER, ("begins", ()), LATER]),
}


@pytest.mark.parametrize(("starts_games", "fates", "rows"), ROWS.values(), ids=ROWS)
def test_what_a_board_is_told_again(
    starts_games: bool,
    fates: list[str],
    rows: list[tuple[str, tuple[str, ...]]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Until its game has begun or has a result, each order that is missing is told again, no more often than `AGAIN_S`."""
    monkeypatch.setattr(rounds_module, "threading", SimpleNamespace(Thread=AtOnce, RLock=threading.RLock))
    now_s = [100.0]
    hall = HallTables(["t1"])
    board = Board(hall, list(fates))
    store = open_store(tmp_path / "events.db")
    store.create(two_players())
    rounds = Rounds(store, CUP, hall, board.send, clock=lambda: now_s[0], starts_games=starts_games)
    board.up()
    for what, told in rows:
        match what:
            case "later":
                now_s[0] += AGAIN_S
            case "view":
                board.show("g2", Phase.SETTING_UP)
            case "over":
                board.show("g1", Phase.FINISHED, GameEnd(None, "agreed"))
            case "begins":
                board.begin()
            case "status":
                board.begun_before(Occasion("cup", 1, 1))
            case "ended":
                board.show("g2", Phase.FINISHED, GameEnd(Seat.RED, "resigned"))
            case "noted":
                kept = store.load(CUP)
                store.save(record(kept.event, 1, 1, Result.DRAW), kept.revision)
        board.heard.clear()
        rounds.look()
        assert tuple(board.heard) == told, what
    store.close()
