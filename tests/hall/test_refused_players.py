"""A simulated player of a hall whose message was refused, or whose move undone, acts again, also where it hears nothing more of it."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from referee.net.credential import Address, Credential, KeyPair
from referee.net.sealing.signing import StationKey
from referee.net.topics.payloads import ToSeat
from referee.net.topics.topics import Role
from referee.rules import rule_set
from referee.rules.values import Seat
from referee.runtime.game import RunningTable
from referee.sensing import Agreed, Final
from referee.simulated_players.hall_table import BotTable, Pace
from referee.simulated_players.player import Motion
from referee.table.messages import Rejected
from tests.table.sitting import RED, Sitting, pause, resume

PACE = Pace((0.0, 0.0), 2.0)
"""It moves without thinking, and acts again two seconds after a refusal."""


class LeapingLoop(asyncio.SelectorEventLoop):
    """An event loop whose time leaps to what is due next instead of passing."""

    def __init__(self) -> None:
        self._now_s = 0.0
        chosen = selectors.DefaultSelector()
        super().__init__(chosen)
        select = chosen.select

        def leap(timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
            ready = select(0)
            if not ready and timeout:
                self._now_s += timeout
            return ready

        chosen.select = leap  # type: ignore[method-assign]

    def time(self) -> float:
        """Return the time that has been leapt so far."""
        return self._now_s

    def until(self, seconds: float) -> None:
        """Let so many seconds pass."""
        done = self.create_future()
        self.call_later(seconds, done.set_result, None)
        self.run_until_complete(done)


def nowhere(role: Role, seat: Seat | None, keys: KeyPair) -> Credential:
    """Return a place at a broker that nobody connects to."""
    return Credential(role, "t1", "", Address("127.0.0.1", 1), "t1", seat).with_keys(keys)


class RefusedPlayer:
    """Red of a hall's table that is on no broker: what it hears is put in, what its hands wish is kept."""

    def __init__(self, loop: LeapingLoop, folder: Path) -> None:
        self.loop, self.wishes = loop, list[Motion]()
        key, rules = StationKey.create().public, rule_set("duel")
        self.hall: BotTable = self.on_loop(lambda: BotTable("t1", nowhere, key, rules, folder, seed=1, pace=PACE))
        info = Sitting(begin=False).table.info()
        for seat in rules.seats:
            self.on_loop(partial(self.hall._hear, seat, info))
        players = self.hall._players
        sets = {seat: {square.name: rank for square, rank in players[seat].bot.set_up.items()} for seat in players}
        self.sitting = Sitting(ranks=sets)
        self.running = self.hall.table
        self.hall.table = cast(
            RunningTable, SimpleNamespace(game=SimpleNamespace(table=self.sitting.table, info=lambda: info))
        )
        self.hall.board.wish = lambda motion, refused=None: self.wishes.append(motion)

    def on_loop(self, act: Callable[[], Any]) -> Any:
        """Do something on the loop; return what came of it."""

        async def there() -> Any:
            return act()

        return self.loop.run_until_complete(there())

    def hears_the_view(self) -> None:
        """Let red hear how the table stands."""
        self.on_loop(lambda: self.hall._hear(RED, self.sitting.table.view()))

    def is_read(self, source: str, target: str, *, heard: bool = True) -> None:
        """Let a move be read and final, and red hear of it unless its handset is gone."""
        for step in (self.sitting.read(source, target), self.sitting.see(Final(0))):
            for fact in step.facts:
                if fact.event is not None:
                    self.on_loop(partial(self.hall.event, fact.event, None))
                    if heard:
                        self.on_loop(partial(self.hall._hear, RED, fact.event))

    def is_refused(self) -> None:
        """Let red hear that what it said was refused."""
        letter = ToSeat(Rejected(id="r", re="m", reason="not-now"), self.sitting.table.view().ply)
        self.on_loop(lambda: self.hall._hear(RED, letter))

    def close(self) -> None:
        """Leave the table."""
        self.hall.table = self.running
        self.on_loop(self.hall.stop)


@pytest.fixture
def player(tmp_path: Path) -> Iterator[RefusedPlayer]:
    """Yield a player who is to move and has asked for a motion."""
    loop = LeapingLoop()
    asyncio.set_event_loop(loop)
    made = RefusedPlayer(loop, tmp_path)
    made.hears_the_view()
    loop.until(PACE.clear_s)
    assert len(made.wishes) == 1
    yield made
    made.close()
    loop.close()


def test_a_handset_that_was_gone_has_missed_nothing(player: RefusedPlayer) -> None:
    """The view that comes when it is back finds its player at the ply that the table has, whatever was played meanwhile."""
    for _ in range(2):
        public = player.sitting.table.public_game
        assert public is not None
        move = next(one for one in public.situation().prospects if len(one.path) == 1)
        player.is_read(move.source.name, move.target.name, heard=False)
    player.hears_the_view()
    game = player.hall._players[RED].bot.game
    assert game is not None
    assert game.ply == player.sitting.table.view().ply == 2


def test_it_acts_again_though_it_hears_nothing_more(player: RefusedPlayer) -> None:
    """The last view came while it still took its turn for done; a table at which nobody moves sends no other."""
    player.is_refused()
    player.loop.until(PACE.clear_s / 2)
    player.hears_the_view()
    player.loop.until(PACE.clear_s / 4)
    assert len(player.wishes) == 1
    player.loop.until(PACE.clear_s / 2)
    assert len(player.wishes) == 2
    player.loop.until(10 * PACE.clear_s)
    assert len(player.wishes) == 2


def test_it_makes_no_motion_twice_where_the_table_has_gone_on(player: RefusedPlayer) -> None:
    """Its move was read meanwhile and answered, and it has wished its next one."""
    player.is_refused()
    wish = player.wishes[0]
    player.is_read(wish["from"], wish["to"])
    game = player.sitting.table.public_game
    assert game is not None
    answer = next(way for way in game.situation().prospects if not way.attack)
    player.is_read(answer.source.name, answer.target.name)
    player.hears_the_view()
    player.loop.until(PACE.clear_s / 2)
    assert len(player.wishes) == 2
    player.loop.until(10 * PACE.clear_s)
    assert len(player.wishes) == 2


def test_a_move_made_in_a_pause_is_made_again(player: RefusedPlayer) -> None:
    """Its hand was quicker than the pause: then the board is put back as it stood, and nothing says whose move that undid."""
    pause(player.sitting)
    player.hears_the_view()
    resume(player.sitting)
    player.hears_the_view()
    view = player.sitting.table.view()
    player.on_loop(lambda: player.hall.view(player.sitting.table.info(), view))
    player.loop.until(PACE.clear_s + 0.1)
    assert [wish["motion"] for wish in player.wishes] == ["move", "restore"]
    player.sitting.see(Agreed(0))
    player.hears_the_view()
    player.loop.until(1.0)
    assert [wish["motion"] for wish in player.wishes] == ["move", "restore", "move"]
