"""Several arbiters and several events: who was quicker, what the other is told, the log, what is taken back, whose tables are whose."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from referee.net.topics.payloads import Act, ArbiterAck, FromBoard, Occasion, Status
from referee.rules.values import Seat
from referee.table.arbiter_commands import STALE
from referee.table.views import GameEnd, Phase, PublicView
from referee.tournament.event.acts import Entry, enter_all
from referee.tournament.event.event import Event, EventId
from referee.tournament.event.reports import trf_of
from referee.tournament.hall.accounts import RefusedError, Role, Session
from referee.tournament.hall.rounds import Rounds
from referee.tournament.hall.tables import HallTables
from referee.tournament.store import Store, open_store
from tests.hall.shown_hall import VIEWS, info

ADA, ANN = Session("Ada", Role.CHIEF, 1e9), Session("Ann", Role.ARBITER, 1e9)
CANARY = "canary: his wife is ill"
CUP = EventId("cup")
Json = dict[str, Any]


@dataclass
class Hall:
    """A hall of four tables whose boards are silent, with a store."""

    store: Store
    tables: HallTables = field(default_factory=lambda: HallTables([f"t{number}" for number in range(1, 5)]))
    told: list[object] = field(default_factory=list)
    sent: list[tuple[str, Act]] = field(default_factory=list)

    def send(self, board: str, game: str, act: Act) -> ArbiterAck:
        """Note an order, which nobody answers."""
        self.sent.append((board, act))
        raise RefusedError("no-answer")

    def play(self, name: str, players: int, claimed: set[int] | None = None) -> Rounds:
        """Make an event, and play it."""
        event = Event(EventId(name), name.title(), 5, seed=3)
        entries = [Entry(f"{name.title()} {number}", 1000 + number) for number in range(players)]
        self.store.create(enter_all(event, entries))
        tell = lambda word, what: self.told.append(what)  # noqa: E731
        return Rounds(self.store, EventId(name), self.tables, self.send, tell, claimed=lambda own: claimed or ())


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    """Yield a hall."""
    store = open_store(tmp_path / "events.db")
    yield Hall(store)
    store.close()


def do(rounds: Rounds, name: str, who: Session = ADA, revision: int | None = None, **given: Any) -> Json:
    """Do an act on the event as it is now, or as it was at a revision; return the event."""
    return rounds.act(who, name, rounds.event()["revision"] if revision is None else revision, given)


def refused(rounds: Rounds, name: str, who: Session = ADA, revision: int | None = None, **given: Any) -> RefusedError:
    """Return why an act is refused."""
    with pytest.raises(RefusedError) as found:
        do(rounds, name, who, revision, **given)
    return found.value


def published(hall: Hall, players: int = 4) -> Rounds:
    """Return an event in its first round."""
    cup = hall.play("cup", players)
    do(cup, "pair", ANN)
    do(cup, "publish")
    return cup


def test_the_slower_of_two_is_told_what_the_other_did(hall: Hall) -> None:
    """Both change the same result: one wins, and the other's refusal says who, what and why."""
    cup = published(hall)
    seen = do(cup, "result", ANN, round=1, table=1, result="red")["revision"]
    do(cup, "correct", round=1, table=1, result="draw", why=" wrong \n slip ")
    slower = refused(cup, "correct", revision=seen, round=1, table=1, result="blue", why="I think so")
    assert slower.word == STALE
    (change,) = slower.changes
    said = {key: change[key] for key in ("who", "why", "act", "given")}
    assert said == {
        "who": "Ada",
        "why": "wrong slip",
        "act": "correct",
        "given": {"round": 1, "table": 1, "result": "draw"},
    }
    assert cup.event()["rounds"][0]["tables"][0]["result"] == "draw"


def test_results_of_other_tables_disturb_nobody(hall: Hall) -> None:
    """In a large hall a result comes every minute: who corrects another table has not looked in vain; who pairs has."""
    cup = published(hall)
    seen = do(cup, "result", ANN, round=1, table=1, result="red")["revision"]
    do(cup, "result", ANN, round=1, table=2, result="blue")
    do(cup, "correct", revision=seen, round=1, table=1, result="draw", why="slip")
    assert refused(cup, "pair", revision=seen).word == STALE
    assert refused(cup, "swap-boards", revision=seen, round=1, table=1, other=2).word == STALE
    assert [table["result"] for table in cup.event()["rounds"][0]["tables"]] == ["draw", "blue"]


def test_results_disturb_nobody_who_is_busy_with_players(hall: Hall) -> None:
    """Who lets late players play, or one go, gives a bye, sets the clock or takes an act back is not late because a game has ended."""
    cup = hall.play("cup", 6)
    for number in (5, 6):
        do(cup, "bye", number=number, round=1, kind="zero")
    do(cup, "pair", ANN)
    seen = do(cup, "publish")["revision"]
    do(cup, "result", ANN, round=1, table=1, result="red")
    do(cup, "pair-free", revision=seen, round=1, red=5, blue=6, why="train")
    assert refused(cup, "withdraw", revision=seen, number=1).word == STALE  # who plays in the round has changed
    seen = cup.event()["revision"]
    do(cup, "result", ANN, round=1, table=2, result="red")
    withdrawn = do(cup, "withdraw", revision=seen, number=1)["revision"]
    do(cup, "result", ANN, round=1, table=3, result="red")
    do(cup, "undo", revision=withdrawn, entry=withdrawn)
    assert not any(player["gone"] for player in cup.event()["players"])


def test_two_arbiters_tick_who_is_here(hall: Hall) -> None:
    """Both at once, from the same page as it was: nobody's tick is lost; who is not here is free in that round."""
    cup = hall.play("cup", 4)
    seen = do(cup, "check-in-open", round=1, present=[])["revision"]
    for number, who in ((1, ADA), (2, ANN), (3, ANN)):
        do(cup, "check-in", who, seen, round=1, number=number, present=True)
    assert cup.event()["check_in"]["present"] == [1, 2, 3]
    draft = do(cup, "pair")["draft"]
    assert {bye["player"]["number"]: bye["reasons"] for bye in draft["byes"]}[4] == ["not-present"]


def test_the_log_names_who_and_undo_brings_back(hall: Hall) -> None:
    """Each act with its reason; a result is taken back, and that again; only the chief may."""
    cup = published(hall)
    do(cup, "result", ANN, round=1, table=1, result="red", why="both said so")
    entry = cup.log()[-1]
    assert (entry["who"], entry["why"], entry["act"]) == ("Ann", "both said so", "result")
    assert refused(cup, "undo", ANN, entry=entry["revision"]).word == "not-allowed"
    event = do(cup, "undo", entry=entry["revision"], why="they had not finished")
    assert event["rounds"][0]["tables"][0]["result"] is None
    event = do(cup, "undo", entry=event["revision"])
    assert event["rounds"][0]["tables"][0]["result"] == "red"
    assert [one["act"] for one in cup.log()] == ["create", "pair", "publish", "result", "undo", "undo"]
    assert [one["undone"] for one in cup.log()][3:] == [False, True, False]
    assert refused(cup, "undo", entry=1).word == "not-last"


def board_says(hall: Hall, cup: Rounds, table: int, winner: Seat | None, reason: str = "flag") -> None:
    """Let the board of a table end its game."""
    pairing = cup.event()["rounds"][-1]["tables"][table - 1]
    names = {Seat.RED: pairing["red"]["name"], Seat.BLUE: pairing["blue"]["name"]}
    board, view = f"t{table}", VIEWS["finished"]
    occasion = Occasion("cup", len(cup.event()["rounds"]), table)
    hall.tables.take(FromBoard(board, Status(True, 1, "0" * 16, occasion, view.game)))
    told = info(board)
    hall.tables.take(FromBoard(board, type(told)(**{**_fields(told), "names": names})))
    ended = {**_fields(view), "board_id": board, "phase": Phase.FINISHED, "result": GameEnd(winner, reason)}
    hall.tables.take(FromBoard(board, PublicView(**ended)))
    cup.look()


def _fields(value: Any) -> Json:
    return {name: getattr(value, name) for name in value.__slots__}


def test_what_the_board_itself_says_is_taken_back_there(hall: Hall) -> None:
    """Its result would come again at once: neither the dash nor undo removes it. The log says that it was the board's."""
    cup = published(hall)
    board_says(hall, cup, 1, Seat.BLUE)
    entry = cup.log()[-1]
    assert (entry["who"], entry["given"]) == ("station", {"round": 1, "tables": {"1": "blue"}})
    assert not entry["undoable"]
    assert refused(cup, "undo", entry=entry["revision"]).word == "board-ended"
    assert refused(cup, "correct", round=1, table=1, result=None).word == "board-ended"
    do(cup, "correct", round=1, table=1, result="draw", why="ruled")
    board_says(hall, cup, 2, None, "ruled")
    assert cup.log()[-1]["given"] == {"round": 1, "tables": {"2": "draw"}, "ruled": [2]}


def test_reasons_and_names_stay_among_arbiters(hall: Hall) -> None:
    """What is told to everybody has neither reasons nor who did it."""
    cup = published(hall)
    do(cup, "result", ANN, round=1, table=1, result="red")
    do(cup, "correct", round=1, table=1, result="draw", why=CANARY)
    do(cup, "withdraw", number=4, why=CANARY)
    assert len(hall.told) > 4
    assert not any(word in str(hall.told) for word in (CANARY, "Ada", "Ann"))


@pytest.mark.parametrize("why", ["x" * 201, "\x00"])
def test_a_reason_that_no_log_can_have(hall: Hall, why: str) -> None:
    """One line of 200 signs; nothing is changed."""
    cup = published(hall)
    before = cup.event()
    assert refused(cup, "result", round=1, table=1, result="red", why=why).word == "bad-value"
    assert cup.event() == before


def test_lists_are_taken_in_before_and_after_the_beginning(hall: Hall) -> None:
    """Before it everybody is numbered by rating, after it each new one is the last; a TRF of the event brings pairings."""
    cup = hall.play("cup", 2)
    told = do(cup, "import", text="Strong,2000\nWeak")
    assert [player["name"] for player in told["players"]] == ["Strong", "Cup 1", "Cup 0", "Weak"]
    do(cup, "pair")
    do(cup, "publish")
    assert do(cup, "import", text="Late,2500\nLater,1")["players"][-2]["name"] == "Late"
    assert refused(cup, "import", text="Good\nLate").about == "Late"
    assert cup.event()["players"][-1]["name"] == "Later"
    assert refused(cup, "import", text="name,rating\nA,b").word == "bad-file"
    assert refused(cup, "import", ANN, text="A").word == "not-allowed"
    for table in (1, 2):
        do(cup, "result", round=1, table=table, result="red")
    other = hall.store.load(CUP).event
    assert refused(cup, "import", text=trf_of(other)).word == "bad-file"  # no pairings of round 2 are in it
    assert [one["act"] for one in cup.log() if one["given"].get("players")] == ["enter-all", "enter-all"]


def test_an_event_plays_at_its_own_tables(hall: Hall) -> None:
    """Its table 1 at the first that it names; what another event has is not touched, and beyond its own there is no board."""
    for board in hall.tables.boards.values():
        hall.tables.take(FromBoard(board, Status(True, 1, "0" * 16)))
    juniors = hall.play("juniors", 6)
    do(juniors, "settings", tables=[3, 4])
    do(juniors, "pair")
    do(juniors, "publish")
    for wait in hall.sent:
        assert wait[0] in ("t3", "t4")
    assert juniors.listed == (3, 4)
    event = hall.store.load(EventId("juniors")).event
    assert [juniors._board(event, table) for table in (1, 2, 3)] == ["t3", "t4", ""]
    cup = hall.play("open", 8, claimed={3, 4})
    event = hall.store.load(EventId("open")).event
    assert [cup._board(event, table) for table in (1, 2, 3, 4)] == ["t1", "t2", "", ""]
