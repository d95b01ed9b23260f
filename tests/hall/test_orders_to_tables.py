"""Orders of arbiters to running tables, through pages' requests, the real broker and the real referee."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from referee.net.sealing.signing import StationKey
from referee.net.topics.payloads import ArbiterAck, ArbiterOrder
from referee.net.topics.topics import Role
from referee.rules.values import Seat
from referee.table.arbiter_commands import PauseGame
from referee.table.inputs import Pause
from referee.table.messages import Question
from referee.table.views import Phase, PublicInfo, PublicView
from referee.tournament.hall.station import StationLink
from tests.hall.open_hall import NEWS, Client, OpenHall, paused, until
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenHall]:
    """Yield a hall with two tables that play."""
    with OpenHall(tmp_path_factory.mktemp("hall")) as made:
        made.begin("t1", "t2")
        yield made


@pytest.fixture
def chief(hall: OpenHall) -> Client:
    """Return the chief arbiter's client."""
    return Client(hall).log_in("Chief")


def test_verbs_are_carried_out_and_acknowledged(hall: OpenHall, chief: Client) -> None:
    """Pause, clock, penalty, ruling, take back, go on: each is answered, and the table's own view says the same."""
    whole = paused(hall, chief, "t1")
    assert chief.order("t1", {"type": "set-clock", "seat": "red", "left_ms": 60_000})[1]["done"]
    hall.seen("t1", lambda now: now["view"]["clocks"]["red"]["left_ms"] == 60_000)
    assert chief.order("t1", {"type": "penalty", "seat": "blue"})[1]["done"]
    assert chief.order("t1", {"type": "ruling", "seat": None})[1]["done"]
    ply = whole["view"]["ply"]
    answer = chief.order("t1", {"type": "take-back", "ply": ply - 1})[1]
    assert answer["done"], answer
    hall.seen("t1", lambda now: now["view"]["ply"] == ply - 1)
    kinds = [event["kind"] for event in hall.seen("t1", lambda now: True)["events"]]
    assert {"paused", "clock.adjusted", "penalty", "ruling", "plies.taken-back"} <= set(kinds)
    chief.order("t1", {"type": "resume"})
    hall.seen("t1", lambda now: now["view"]["ply"] > ply)


def test_what_is_not_as_it_was_is_refused_and_changes_nothing(hall: OpenHall, chief: Client) -> None:
    """An older moment, another game, a table that is not there, an order without a reason or of no kind."""
    whole = paused(hall, chief, "t1")
    seq = whole["view"]["seq"]
    assert chief.order("t1", {"type": "penalty", "seat": "red", "seq": seq - 1})[1]["word"] == "stale"
    assert chief.order("t1", {"type": "penalty", "seat": "red", "seq": None})[1]["word"] == "stale"
    assert chief.order("t1", {"type": "penalty", "seat": "red"}, game="another")[1]["word"] == "other-game"
    assert chief.order("t1", {"type": "penalty", "seat": "red", "reason": " "})[1]["error"] == "no-reason"
    assert chief.order("t1", {"type": "penalty", "seat": "green"})[1]["word"] == "no-such-seat"
    assert chief.order("t1", {"type": "take-back", "ply": 9999})[1]["word"] == "no-such-ply"
    status, body = chief.order("t1", {"type": "dance"})
    assert (status, body["error"]) == (400, "not-understood")
    nowhere = {"board": "t9", "game": "", "act": {"type": "pause", "reason": "noise"}}
    assert chief.ask("POST", "/api/order", nowhere)[:2] == (
        404,
        {"error": "no-such-table", "text": "no-such-table", "about": ""},
    )
    assert hall.seen("t1", lambda now: True)["view"]["seq"] == seq
    chief.order("t1", {"type": "resume"})


def test_another_stations_orders_are_refused(hall: OpenHall) -> None:
    """Who has the station's password at the broker, and not its key, moves nothing."""
    status = hall.seen("t2", lambda whole: True)["status"]
    answers: list[Any] = []
    heard = threading.Event()

    def take(value: Any) -> None:
        found = getattr(value, "value", None)
        if type(found).__name__ == "ArbiterAck":
            answers.append(found)
            heard.set()

    hall.close_station()  # one user is one client: the thief takes the station's place
    thief = StationLink(hall.broker.client(Role.STATION), StationKey.create(), on_value=take)
    thief.start()
    try:
        game = hall.table("t2").shown
        assert game is not None
        act = PauseGame(id="forged-1", reason="mischief")
        thief.order(ArbiterOrder(board="t2", session=status["session"], game=game.game, act=act))
        assert heard.wait(PATIENCE_S)
        assert (answers[0].done, answers[0].word) == (False, "not-signed")
    finally:
        thief.stop()
        hall.open_station()


def test_two_arbiters_who_rule_at_once(hall: OpenHall, chief: Client) -> None:
    """Both saw the same moment; one is carried out, the other is told that the table has gone on."""
    whole = paused(hall, chief, "t2")
    act = {"type": "penalty", "seat": "red", "seq": whole["view"]["seq"]}
    arbiters = [Client(hall).log_in("Ann"), chief]
    words: list[str] = []
    threads = [
        threading.Thread(target=lambda who=who: words.append(who.order("t2", act)[1]["word"])) for who in arbiters
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert sorted(words) == ["done", "stale"]
    chief.order("t2", {"type": "resume"})


def test_facts_settle_a_dispute_and_show_no_rank(hall: OpenHall, chief: Client) -> None:
    """Where a piece came from, whether it ran, what hands did; what happened last with times. No rank's word is in it."""
    hall.seen("t1", lambda now: any(event["kind"] == "move.final" for event in now["events"]))
    whole = paused(hall, chief, "t1")
    last = next(one for one in reversed(whole["events"]) if one["kind"] == "move.final")
    answer = chief.order("t1", {"type": "facts", "square": last["target"]})[1]
    facts = answer["facts"]
    assert facts["square"] == last["target"]
    if facts["army"] is not None and facts["way"]:
        assert facts["way"][-1]["target"] == last["target"]
    history = chief.order("t1", {"type": "facts"})[1]["history"]
    assert history
    assert all(one["at_ms"] > 0 for one in history)
    text = str(answer) + str(history)
    assert not any(rank in text for rank in ("marshal", "general", "scout", "miner", "bomb", "spy"))
    lifted = chief.order("t1", {"type": "facts", "square": last["source"]})[1]["facts"]
    assert any(sign["what"] == "lifted" for sign in lifted["hands"])
    chief.order("t1", {"type": "resume"})


def test_hands_that_come_too_late_put_nothing_right(hall: OpenHall, chief: Client) -> None:
    """Once the board is as it should be, a piece that has moved since is not put back; its player would wait for ever."""
    paused(hall, chief, "t2")
    table = hall.table("t2")

    def late() -> bool:
        with mock.patch.object(table.board, "wish") as wish:
            table._move(table._players[Seat.RED], {"motion": "restore", "squares": {}})
        return wish.called

    assert hall.on is not None
    assert not hall.on.call(late)
    chief.order("t2", {"type": "resume"})


def test_what_is_the_chiefs_is_refused_to_others(hall: OpenHall) -> None:
    """An arbiter rules at tables; ending a game is the chief's. Nobody orders without an account."""
    ann = Client(hall).log_in("Ann")
    status, body = ann.order("t2", {"type": "end-game", "result": "red"})
    assert (status, body["error"]) == (403, "not-allowed")
    stranger = Client(hall)
    assert stranger.ask("POST", "/api/order", {"board": "t2", "game": "", "act": {"type": "pause"}})[0] == 401
    screen = Client(hall)
    assert screen.ask("POST", "/api/screen", {"key": "screen-key"})[0] == 200
    assert screen.ask("GET", "/api/tables/t2")[0] == 403
    assert screen.ask("POST", "/api/order", {"board": "t2", "game": "", "act": {"type": "pause"}})[0] == 403


def test_a_table_that_was_reset_takes_no_order_of_before(hall: OpenHall, chief: Client) -> None:
    """After a new start of the referee an order to the earlier one fits nobody; a new look, and it is taken."""
    before = hall.seen("t1", lambda whole: whole["up"])["status"]
    order = ArbiterOrder(
        board="t1", session="0" * 16, game=before["game"], act=PauseGame(id="of-before", reason="noise")
    )
    answer = hall.station.ordering._waiting["of-before"] = Future[ArbiterAck]()  # as if it had been sent then
    hall.station.link.order(order)
    ack = answer.result(PATIENCE_S)
    assert (ack.done, ack.word) == (False, "other-session")


def test_a_pause_between_a_question_and_its_answer(tmp_path: Path) -> None:
    """A simulated player whose answer was refused in the pause answers once the table goes on, as people do."""
    with OpenHall(tmp_path, ("t1",), rules="duel") as hall:
        table, chief = hall.table("t1"), Client(hall).log_in("Chief")
        see, pauses = table.view, ["one"]

        def seen(info: PublicInfo, view: PublicView) -> None:
            see(info, view)
            if view.phase is Phase.WAITING_FOR_DECLARATIONS and pauses:
                pauses.pop()
                assert table.table.game is not None
                asyncio.get_running_loop().call_soon(table.table.game.shell.put_in, Pause())

        class Refused(dict[Seat, Question]):
            def __setitem__(self, seat: Seat, question: Question) -> None:
                super().__setitem__(seat, question)
                NEWS.note()

        table.view, table._refused = seen, Refused()  # type: ignore[method-assign]
        assert hall.on is not None
        assert hall.on.call(table.table.begin) is None
        stands = hall.seen("t1", lambda now: now["phase"] == "paused")
        until(lambda: set(table._refused) == {Seat.RED, Seat.BLUE}, "both answers are refused")
        assert chief.order("t1", {"type": "resume"})[1]["done"]
        hall.seen("t1", lambda now: now["view"]["ply"] > stands["view"]["ply"])
