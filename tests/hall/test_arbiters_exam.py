"""What an arbiter has to decide, at the pages of a real station and at tables that play: each case of docs/how-to/arbiter-cases.md."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from referee.rules.values import Rank, Seat
from referee.simulated_players.hall_table import BotTable, Pace
from referee.table.messages import Answer, ClaimImmobile, FromHandset, Ready
from referee.table.views import PublicEvent
from tests.hall import arbiter_cases
from tests.hall.open_hall import CLOCK, QUICK, Client, OpenHall, paused, until
from tests.hall.test_rounds_at_boards import act, event, results

BOARDS = ("t1", "t2", "t3", "t4", "t5", "t6")
LONG = Pace((3.0, 3.0), 0.3, at_once=True)
"""A game of this takes a quarter of an hour, however busy the machine is that tests the tables before it."""


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenHall]:
    """Yield a hall in its first round: five tables play, two players are free since they are late."""
    with OpenHall(tmp_path_factory.mktemp("hall"), BOARDS, players=12, starts_games=True, pace=LONG) as made:
        chief = Client(made).log_in("Chief")
        for number in (11, 12):
            assert act(chief, "bye", number=number, round=1, kind="zero")[0] == 200
        assert act(chief, "pair")[0] == 200
        assert act(chief, "publish")[0] == 200
        for board in BOARDS[:5]:
            made.seen(board, lambda now: now["ply"] > 0)
        yield made


@pytest.fixture
def chief(hall: OpenHall) -> Client:
    """Return the chief's browser."""
    return Client(hall).log_in("Chief")


def noted(chief: Client, table: int, result: str) -> None:
    """Wait until a table has this result in the event."""
    until(lambda: results(chief)[table - 1] == result, f"table {table}: {result}")


def order(hall: OpenHall, chief: Client, board: str, kind: str, **fields: Any) -> None:
    """Order something of a table as it is, however often it goes on meanwhile."""
    until(lambda: chief.order(board, {"type": kind, **fields})[1].get("done"), f"{kind} at {board}")
    del hall


@pytest.mark.process
def test_late_players_play_after_all(hall: OpenHall, chief: Client) -> None:
    """Two who are free since they came late are paired at one table more, whose board begins; the log says why."""
    status, told = act(chief, "pair-free", round=1, red=11, blue=12, why="the train")
    assert status == 200, told
    assert told["rounds"][0]["tables"][5]["reasons"] == ["paired-late"]
    whole = hall.seen("t6", lambda now: now["ply"] > 0)
    assert whole["occasion"] == {"event": "cup", "round": 1, "table": 6}


@pytest.mark.process
def test_who_does_not_come_loses_by_absence(hall: OpenHall, chief: Client) -> None:
    """His game is left without a result at the board, and counts as lost by absence in the event."""
    assert act(chief, "result", round=1, table=1, result="blue-absent", why="nobody came")[0] == 200
    ended = hall.seen("t1", lambda now: now["result"] is not None)
    assert ended["result"]["winner"] is None
    noted(chief, 1, "blue-absent")


@pytest.mark.process
def test_a_flag_that_fell_by_mistake(hall: OpenHall, chief: Client) -> None:
    """The table itself ends a game on time. The chief goes back before it, gives time, and clears the result; the game goes on."""
    seat = paused(hall, chief, "t2")["turn"]
    order(hall, chief, "t2", "set-clock", seat=seat, left_ms=1)
    order(hall, chief, "t2", "resume")
    ended = hall.seen("t2", lambda now: now["result"] is not None)
    assert ended["result"]["winner"] not in (seat, None)
    noted(chief, 2, ended["result"]["winner"])
    assert act(chief, "correct", round=1, table=2, result=None, why="clock set wrongly")[1]["error"] == "board-ended"
    order(hall, chief, "t2", "take-back", ply=ended["ply"])
    order(hall, chief, "t2", "set-clock", seat=seat, left_ms=600_000)
    hall.seen("t2", lambda now: now["result"] is None)
    until(lambda: event(chief)["stuck"], "the result is noted, and the game goes on")
    assert act(chief, "correct", round=1, table=2, result=None, why="clock set wrongly")[0] == 200
    assert results(chief)[1] is None


@pytest.mark.process
def test_a_lost_phone_gets_its_seat_again(hall: OpenHall, chief: Client) -> None:
    """The page shows that it is gone; an arbiter offers the seat anew; when it comes back by itself all is well too."""
    assert hall.on is not None
    phone = hall.table("t3")._handsets[Seat.RED]
    hall.on.call(phone.stop)
    hall.seen("t3", lambda now: any(one["kind"] == "link-lost" and one["seat"] == "red" for one in now["alerts"]))
    order(hall, chief, "t3", "pair", seat="blue", reason="the phone fell")
    hall.on.call(phone.start)
    hall.seen(
        "t3", lambda now: now["here"].get("red") is True and not any(a["kind"] == "link-lost" for a in now["alerts"])
    )


@pytest.mark.process
def test_a_board_that_breaks_is_adjourned_and_then_ruled(hall: OpenHall, chief: Client) -> None:
    """It stands still, also over an attack; goes back to before it, or gets a result, which becomes the event's."""
    whole = paused(hall, chief, "t4")
    order(hall, chief, "t4", "adjourn", reason="a row of sensors is dead")
    assert hall.seen("t4", lambda now: now["phase"] == "paused")["result"] is None
    order(hall, chief, "t4", "take-back", ply=max(0, whole["ply"] - 1))
    order(hall, chief, "t4", "end-game", result="draw", reason="cannot be played on; both agree")
    noted(chief, 4, "draw")


@pytest.mark.process
def test_talk_and_notes_are_a_penalty_that_costs_time(hall: OpenHall, chief: Client) -> None:
    """Paused, noted, the clock set, and on it goes; what is noted is no rank and no reason for the room."""
    paused(hall, chief, "t5")
    order(hall, chief, "t5", "penalty", seat="red", reason="kept notes: canary")
    order(hall, chief, "t5", "set-clock", seat="red", left_ms=900_000)
    told = hall.seen("t5", lambda now: now["clocks"]["red"]["left_ms"] == 900_000)
    assert ("penalty", "red") in {(one["kind"], one["seat"]) for one in told["events"]}
    assert "canary" not in str(told)
    order(hall, chief, "t5", "resume")


@pytest.mark.process
def test_a_wrong_slip_of_an_earlier_day(hall: OpenHall, chief: Client) -> None:
    """A result is corrected with its reason, and taken back by the log; the board's own game stays as it ended."""
    assert act(chief, "result", round=1, table=5, result="red")[0] == 200
    hall.seen("t5", lambda now: now["result"] is not None)
    assert act(chief, "correct", round=1, table=5, result="both-lose", why="they had agreed on it")[0] == 200
    log = chief.ask("GET", "/api/event.log")[1]["log"]
    assert (log[-1]["act"], log[-1]["why"], log[-1]["who"]) == ("correct", "they had agreed on it", "Chief")
    assert results(chief)[4] == "both-lose"
    assert hall.seen("t5", lambda now: True)["result"]["winner"] == "red"


STILL = Pace((3600.0, 3600.0), 0.3, at_once=True)
"""Who plays at this makes no move while a test makes them; answers come, and the board is put right."""


class Phones:
    """Keeps back what phones of a table would say: all `Ready` of blue, all answers to a claim."""

    def __init__(self, hall: OpenHall, board: str) -> None:
        self.table, self.kept = hall.table(board), list[Answer]()
        self._hall, self._say = hall, self.table._say
        self.table._say = self._said  # type: ignore[method-assign]

    def _said(self, seat: Seat, message: FromHandset) -> None:
        if isinstance(message, Answer):
            self.kept.append(message)
        elif not (isinstance(message, Ready) and seat is Seat.BLUE):
            self._say(seat, message)

    def say(self, seat: Seat, message: FromHandset) -> None:
        """Let a phone say this after all."""
        assert self._hall.on is not None
        self._hall.on.call(partial(self._say, seat, message))


def play_to_an_attack(table: BotTable) -> None:
    """Let a table play quickly, until a move has followed an attack; then nobody moves, however long it is until somebody looks."""
    tell, told = table.event, list[str]()
    table._pace = QUICK

    def event(event: PublicEvent, read_ns: int | None) -> None:
        tell(event, read_ns)
        told.append(event.kind)
        if event.kind == "move.read" and "verdict" in told:
            for player in table._players.values():
                player.think_ms = (3_600_000, 3_600_000)

    table.event = event  # type: ignore[method-assign]


@pytest.fixture(scope="module")
def four(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenHall]:
    """Yield a hall in its first round, with minutes for the set-up: blue is not ready at u1, u2 plays, u3 and u4 wait for hands."""
    boards = ("u1", "u2", "u3", "u4")
    clock = replace(CLOCK, set_up_ms=20 * 60_000)
    folder = tmp_path_factory.mktemp("four")
    with OpenHall(folder, boards, players=8, starts_games=True, rules="duel", pace=STILL, clock=clock) as made:
        Phones(made, "u1")
        play_to_an_attack(made.table("u2"))
        chief = Client(made).log_in("Chief")
        assert act(chief, "pair")[0] == 200
        assert act(chief, "publish")[0] == 200
        yield made


def shown(chief: Client, board: str) -> dict[str, Any]:
    """Return what the arbiter's page shows of a table now."""
    status, body, _ = chief.ask("GET", f"/api/tables/{board}")
    assert status == 200
    return body


def alerts(whole: dict[str, Any]) -> set[tuple[str, str | None, str]]:
    """Return the signs of a table: what each is about, whose it is, what it says more."""
    return {(one["kind"], one["seat"], one["text"]) for one in whole["alerts"]}


def after(whole: dict[str, Any], kind: str) -> list[str]:
    """Return the kinds of all events after the first of a kind, none where there is none yet."""
    kinds = [one["kind"] for one in whole["events"]]
    return kinds[kinds.index(kind) + 1 :] if kind in kinds else []


def has_come_to(ply: int, whole: dict[str, Any]) -> bool:
    """Return whether a table's game is at this ply."""
    return bool(whole["view"]["ply"] == ply)


@pytest.mark.process
def test_the_time_for_the_set_up_is_over(four: OpenHall) -> None:
    """The clock of who is not ready runs on the page; it stands in a pause, gets minutes, and at its end the other has won."""
    chief = Client(four).log_in("Chief")
    whole = four.seen(
        "u1", lambda now: now["phase"] == "setting-up" and "red" in now["clocks"] and not now["clocks"]["red"]["runs"]
    )
    assert whole["clocks"]["blue"]["runs"]
    order(four, chief, "u1", "pause")
    order(four, chief, "u1", "set-clock", seat="blue", left_ms=300_000)
    stood = four.seen("u1", lambda now: now["phase"] == "paused" and now["clocks"]["blue"]["left_ms"] == 300_000)
    assert not stood["clocks"]["blue"]["runs"]
    order(four, chief, "u1", "resume")
    four.seen("u1", lambda now: now["phase"] == "setting-up" and now["clocks"]["blue"]["runs"])
    order(four, chief, "u1", "set-clock", seat="blue", left_ms=1)
    ended = four.seen("u1", lambda now: now["result"] is not None)
    assert ended["result"] == {"winner": "red", "reason": "clock"}
    noted(chief, 1, "red")
    log = chief.ask("GET", "/api/event.log")[1]["log"]
    assert ("board-results", "station") in {(one["act"], one["who"]) for one in log}


@pytest.mark.process
def test_a_wrong_rank_that_was_said_is_asked_anew(four: OpenHall) -> None:
    """Redo an attack: its move and later ones are undone, nothing of it is told, both are asked again, and it is settled anew."""
    chief = Client(four).log_in("Chief")
    four.seen("u2", lambda now: "move.final" in after(now, "verdict"))
    whole = paused(four, chief, "u2")
    last = [one for one in shown(chief, "u2")["events"] if one["kind"] == "verdict"][-1]
    assert whole["view"]["ply"] > last["ply"]
    assert chief.order("u2", {"type": "void-verdict", "ply": 0})[1]["word"] == "no-such-verdict"
    order(four, chief, "u2", "void-verdict", ply=last["ply"])
    undone = four.seen("u2", lambda now: now["view"]["ply"] == last["ply"] - 1)
    assert undone["events"][-1]["kind"] == "verdict.voided"
    assert not any(undone["events"][-1].get(key) for key in ("captured", "result"))
    order(four, chief, "u2", "penalty", seat="red", reason="the second wrong rank")
    order(four, chief, "u2", "resume")
    kinds = after(four.seen("u2", lambda now: "verdict" in after(now, "verdict.voided")), "verdict.voided")
    assert kinds.index("restored") < kinds.index("attack") < kinds.index("verdict")


@pytest.mark.process
def test_a_repetition_is_claimed_and_needs_no_ruling(four: OpenHall) -> None:
    """The page and the phones are warned of the fourth crossing; a hand that makes it is refused; a ruling writes it down."""
    chief = Client(four).log_in("Chief")
    table = four.table("u3")
    four.seen("u3", lambda now: now["phase"] == "waiting-for-move")
    until(lambda: all(player.bot.game for player in table._players.values()) and table._players, "both have begun")

    def hand(source: str, target: str) -> None:
        assert four.on is not None
        four.on.call(partial(table.board.wish, {"motion": "move", "from": source, "to": target, "style": "lift"}))

    def way(seat: Seat) -> tuple[str, str]:  # by its set-up: its own game may not have heard yet that it is to move
        bot, taken = table._players[seat].bot, shown(chief, "u3")["view"]["occupants"]
        free = {square.name for square in bot.rules.board.squares} - taken.keys()
        ahead = 1 if seat is Seat.RED else -1
        movable = [square.name for square, rank in bot.set_up.items() if rank not in (Rank.BOMB, Rank.FLAG)]
        steps = ((name, f"{name[0]}{int(name[1:]) + ahead}") for name in movable)
        return next(step for step in steps if step[1] in free)

    ways: dict[str, tuple[str, str]] = {}
    for ply in range(6):
        seat = shown(chief, "u3")["view"]["turn"]
        if seat not in ways:
            ways[seat] = way(Seat(seat))
        hand(*(ways[seat] if ply // 2 % 2 == 0 else reversed(ways[seat])))
        four.seen("u3", partial(has_come_to, ply + 1))
    warned = four.seen("u3", lambda now: ("repetition", now["view"]["turn"], "warning") in alerts(now))
    seat = warned["view"]["turn"]
    source, target = ways[seat]
    assert {at: list(barred) for at, barred in warned["view"]["bars"].items()} == {target: [source]}
    assert table.shown is not None
    assert dict(table.shown.bars) == {target: (source,)}
    hand(target, source)
    four.seen("u3", lambda now: ("repetition", seat, "two-squares") in alerts(now))
    again = four.seen("u3", lambda now: now["phase"] == "waiting-for-move")
    assert (again["view"]["ply"], again["view"]["turn"]) == (6, seat)
    assert any(one["kind"] == "move.refused" and one["text"] == "two-squares" for one in again["events"])
    order(four, chief, "u3", "ruling", seat=seat, reason="claimed by the other: canary")
    told = four.seen("u3", lambda now: any(one["kind"] == "ruling" and one["seat"] == seat for one in now["events"]))
    assert "canary" not in str(told)
    assert results(chief)[2] is None


@pytest.mark.process
def test_who_cannot_move_is_disputed_and_the_chief_rules(four: OpenHall) -> None:
    """The page shows that it is claimed, clocks stand; the opponent says no, play goes on, and only the chief gives the result."""
    chief, ann = Client(four).log_in("Chief"), Client(four).log_in("Ann")
    phones = Phones(four, "u4")
    mover = four.seen("u4", lambda now: now["phase"] == "waiting-for-move")["view"]["turn"]
    other = next(seat for seat in ("red", "blue") if seat != mover)
    phones.say(Seat(mover), ClaimImmobile(id="stuck"))
    claimed = four.seen("u4", lambda now: any(kind == "claim" for kind, *_ in alerts(now)))
    assert ("claim", mover, "") in alerts(claimed)
    assert not any(clock["runs"] for clock in claimed["clocks"].values())
    until(lambda: phones.kept, "the opponent is asked")
    phones.say(Seat(other), Answer(id="no", question=phones.kept[0].question, choice="refuse"))
    denied = four.seen("u4", lambda now: any(one["kind"] == "claim.refused" for one in now["events"]))
    assert denied["result"] is None
    four.seen("u4", lambda now: now["clocks"][mover]["runs"] and not alerts(now))
    assert ann.order("u4", {"type": "end-game", "result": other})[0] == 403
    order(four, chief, "u4", "end-game", result=other, reason="he cannot move")
    ended = four.seen("u4", lambda now: now["result"] is not None)
    assert ended["result"] == {"winner": other, "reason": "ruled"}
    noted(chief, 4, other)


def test_the_documents_say_what_is_done_and_which_test_shows_it() -> None:
    """The table in the documents is the one of `arbiter_cases`, and each of its tests is there."""
    assert arbiter_cases.missing() == []
    assert arbiter_cases.PAGE.read_text(encoding="utf-8") == arbiter_cases.page()
