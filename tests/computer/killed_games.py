"""Whole games against the computer at a real table, whose parts are killed at random: `python -m tests.computer.killed_games`.

Table, computer and broker die by SIGKILL, each after a number of lines that the seed gives, whatever anybody is about to do then.
Red's person hears what every handset hears, asks for what it missed as every handset may, looks at what the table shows, and does that.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from referee.net.topics.payloads import HandsetIncoming, Status, ToSeat
from referee.rules.actions import Action, Move
from referee.rules.values import Seat
from referee.runtime.set_ups import generate
from referee.simulated_players.computer_seat import ComputerPlayer, ComputerSeat
from referee.simulated_players.player import Bot, BotAct, Do, Say, bot_rng
from referee.table import messages
from referee.table.messages import FromHandset, ToHandset
from referee.table.views import PublicEvent, PublicInfo, PublicView
from tests.demo.running import hallmarshal
from tests.reliability.test_killed_table import Interrupted
from tests.runtime.at_table import Line, Program
from tests.runtime.test_computer_at_the_table import computer_of
from tests.runtime.test_whole_table import kill_broker

_TYPES = {"status": Status, "info": PublicInfo, "state": PublicView, "event": PublicEvent}
_LONGEST = 400
"""After so many plies red resigns."""
_CALM = (20, 160)
"""So many lines, of the table's and of red's handset, from one kill to the next."""


class _Hands(ComputerPlayer):
    """Red: a bot chooses, hands move. What lies wrong is put right by whoever sees it, not by who remembers an attack."""

    def _answer(self, question: messages.Question) -> FromHandset:
        return super(ComputerPlayer, self)._answer(question)

    def _next_action(self) -> Action | None:
        return super(ComputerPlayer, self)._next_action()

    def _clear(self, *_: object) -> Iterator[BotAct]:
        return iter(())

    def _strike(self, move: Move) -> dict[str, Any]:
        return {"motion": "both", "from": move.source.name, "target": move.target.name}


class _Person(ComputerSeat):
    """Red's person: `hands` takes what hands do."""

    def __init__(self, table: KilledGame) -> None:
        super().__init__(Seat.RED, table.rules, table.faults.append)
        self._table = table

    def act_again(self) -> None:
        """Do anew what was planned: the board was put as it had been before."""
        if self._player is not None:
            self._player.act_again()

    def _player_of(self, info: PublicInfo, seed: str) -> ComputerPlayer:
        rules, chance = self._rules, bot_rng(self._table.seed, Seat.RED)
        return _Hands(Bot(rules, Seat.RED, chance, generate(rules, Seat.RED, chance)), info, think_ms=(1500, 2500))

    def _said(self, deeds: Iterable[BotAct]) -> Iterator[FromHandset]:
        for deed in deeds:
            match deed:
                case Say(message=message):
                    yield message
                case Do(motion=motion):
                    self._table.board.send(motion)
                case fault:
                    self._table.faults.append(str(fault))


class KilledGame(Interrupted):
    """One game, and what dies in it."""

    def __init__(self, state: Path, rules: str, level: int, seed: int) -> None:
        self.options = ("--mode", "enrol", "--blue", f"computer:{level}")
        super().__init__(state, rules, *self.options)
        self.seed = seed
        self.killed = Counter[str]()
        self.faults: list[str] = []
        self.shown: Line = {"phase": "lobby", "ply": 0}
        self._chance = random.Random(seed)
        self._person = _Person(self)
        self._lines = 0
        self._carried: Any = None
        self._waited: Any = None
        self._begun = False

    def take(self) -> tuple[str, Line | None]:
        """Take whatever comes next, and count it."""
        self._lines += 1
        return super().take()

    def _do(self, seat: Seat, handset: Program, deeds: Iterable[Any]) -> None:
        for message in deeds:
            handset.send(msgspec.to_builtins(message))

    def _deeds(self, seat: Seat, line: Line) -> Iterable[Any]:
        if (item := _value(line)) is not None:
            if isinstance(item, PublicView):
                self.shown = line["state"]
                self._put_right(item)
            yield from self._person.take(item)
            if isinstance(item, PublicView):
                self._carry_out(item)

    def _put_right(self, view: PublicView) -> None:
        """Let the board look as the table shows it, and let time pass where something is not final yet."""
        if view.fixes and view.phase.value != "setting-up":
            squares = {square: seat.value for square, seat in view.occupants.items()}
            self.board.send({"motion": "restore", "squares": squares, "after_ms": 500})
            self._carried = None
            self._person.act_again()
        elif not self._begun and (wanted := [fix.square for fix in view.fixes if fix.wanted is Seat.BLUE]):
            self._begun = True
            self.board.send({"motion": "place", "seat": "blue", "squares": wanted})
        now = (view.ply, self.table.process.pid)
        if view.last_move is not None and not view.last_move.final and self._waited != now:
            self._waited = now
            self.board.send({"motion": "wait", "after_ms": 4_000})

    def _carry_out(self, view: PublicView) -> None:
        decided, now = view.decided, (view.ply, view.decided)
        if decided is None or view.phase.value != "waiting-for-move" or self._carried == now:
            return
        self._carried = now
        if decided.target in view.occupants:
            motion: Line = {"motion": "both", "from": decided.source, "target": decided.target}
        else:
            motion = {"motion": "move", "from": decided.source, "to": decided.target, "style": "lift"}
        self.board.send({**motion, "after_ms": 2_000})

    def play(self, kills: int) -> None:
        """Play to the end, and kill something so many times."""
        self.join(Seat.RED, self.ready["join"]["red"])
        self.play_on("begin", game=1)
        order = list[str]()
        while self.shown["phase"] != "finished":
            until = self._lines + self._chance.randint(*_CALM)
            while self._lines < until and self.shown["phase"] != "finished":
                self.take()
            if self.shown["phase"] == "finished":
                return
            if self.killed.total() < kills:
                order = order or self._chance.sample(["table", "computer", "broker"], 3)
                self._kill(order.pop())
            elif self.shown["ply"] > _LONGEST:
                self.handsets[Seat.RED].send({"type": "resign"})

    def _kill(self, what: str) -> None:
        self.killed[what] += 1
        if what == "table":
            self.start_again(signal.SIGKILL, *self.options)
        elif what == "broker":
            kill_broker(str(self.state / "table" / "broker" / "mosquitto.conf"))
        else:
            try:
                os.kill(computer_of(self.table.process.pid), signal.SIGKILL)
            except (OSError, ValueError):
                self.killed[what] -= 1  # it is only just being started


def _value(line: Line) -> HandsetIncoming | None:
    for word, kind in _TYPES.items():
        if word in line:
            value: HandsetIncoming = msgspec.convert(line[word], type=kind)
            return value
    return ToSeat(msgspec.convert(line["letter"], type=ToHandset), 0) if "letter" in line else None


def main(arguments: list[str] | None = None) -> int:
    """Play games, one line each; return 1 where one stood still, was played on wrongly, or whose audit finds something."""
    parser = argparse.ArgumentParser(prog="python -m tests.computer.killed_games", description=__doc__)
    parser.add_argument("--games", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kills", type=int, default=9)
    parser.add_argument("--rules", default="duel")
    parser.add_argument("--level", type=int, default=1)
    args = parser.parse_args(arguments)
    wrong = 0
    for seed in range(args.seed, args.seed + args.games):
        with tempfile.TemporaryDirectory() as folder:
            wrong += not _played(Path(folder), args, seed)
    print(f"{args.games} games, {wrong} of them wrong", flush=True)
    return int(wrong > 0)


def _played(folder: Path, args: argparse.Namespace, seed: int) -> bool:
    with KilledGame(folder, args.rules, args.level, seed) as game:
        stood = ""
        try:
            game.play(args.kills)
        except Exception as error:  # whatever it is, the game is named and the next one is played
            stood = f" STOOD STILL ({error!r})"
            traceback.print_exc()
            print(msgspec.json.encode(game.shown).decode(), *game.table.complaint[-20:], sep="\n", file=sys.stderr)
        (journal,) = (folder / "table" / "games").glob("*/journal.sqlite")
        said = hallmarshal("record", "audit", str(journal), state=folder)
        kills = ", ".join(f"{what} {count}" for what, count in sorted(game.killed.items()))
        end = (game.shown.get("result") or {}).get("reason")
        print(
            f"seed {seed}: ply {game.shown['ply']}, {end}, killed: {kills}; audit {said.returncode}{stood}", flush=True
        )
        for fault in game.faults:
            print(f"  {fault}")
        if said.returncode:
            print(said.stdout)
    return not (stood or said.returncode or game.faults)


if __name__ == "__main__":
    sys.exit(main())
