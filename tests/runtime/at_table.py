"""A table as it is used: `hallmarshal table` on a simulated board's pty, `hallmarshal handset` a seat, simulated hands."""

from __future__ import annotations

import json
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

import msgspec

from referee.rules import rule_set
from referee.rules.values import Seat
from referee.runtime.set_ups import generate
from referee.simulated_players.player import Bot, BotAct, Do, Fault, Say, SimulatedPlayer, WaitingHands, bot_rng
from referee.table.messages import Accepted, Consent, ToHandset
from referee.table.views import PublicEvent, PublicInfo, PublicView
from tests.demo.running import ROOT, environment
from tests.patience import PATIENCE_S

Line = dict[str, Any]
Heard = tuple[str, Line | None]

THINK_MS = (1500, 2500)
"""Board time from a turn's beginning to the hand's, which costs no waiting here. Without it a hand that lifts a piece within a second of
the winner's exchange beside it (without colour the board agrees before it) looks as if it had drawn that piece over the border.
"""


class Program:
    """One of our programs; every line that it prints goes to a common queue under its name, None at its end."""

    def __init__(self, name: str, heard: queue.Queue[Heard], state: Path, *command: str, **more: str) -> None:
        """`more` goes into its environment."""
        self.name = name
        self.process = subprocess.Popen(
            [sys.executable, "-m", *command],
            cwd=ROOT,
            env=environment(state, PYTHONUNBUFFERED="1", **more),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._heard = heard
        self.complaint: list[str] = []
        self._complained = threading.Event()
        self._threads = [threading.Thread(target=run, daemon=True) for run in (self._listen, self._keep_complaint)]
        for thread in self._threads:
            thread.start()

    def send(self, line: Line | str) -> None:
        """Write a line to it."""
        assert self.process.stdin is not None
        self.process.stdin.write((line if isinstance(line, str) else json.dumps(line)) + "\n")
        self.process.stdin.flush()

    def complains(self) -> str:
        """Wait until the program has written to stderr. Returns its first line."""
        assert self._complained.wait(PATIENCE_S), f"{self.name} says nothing on stderr"
        return self.complaint[0]

    def end(self, how: signal.Signals | None = None) -> int:
        """End the program by a signal, or by the end of its input. Returns its exit code."""
        assert self.process.stdin is not None
        if how is None:
            self.process.stdin.close()
        else:
            self.process.send_signal(how)
        return self.wait()

    def wait(self) -> int:
        """Wait for the program's end. Returns its exit code."""
        code = self.process.wait(PATIENCE_S)
        for thread in self._threads:
            thread.join(PATIENCE_S)
            assert not thread.is_alive(), f"{self.name} has ended, and something that it started still holds its output"
        return code

    def close(self) -> None:
        """Leave nothing behind, whatever happened."""
        if self.process.poll() is None:
            self.process.kill()
        self.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None and not stream.closed:
                stream.close()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.endswith("\n"):  # else it was killed amid a line, which it has not said then
                self._heard.put((self.name, json.loads(line)))
        self._heard.put((self.name, None))

    def _keep_complaint(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.complaint.append(line.rstrip("\n"))
            self._complained.set()


class AtTable:
    """A board, a table and its handsets, as a context."""

    def __init__(self, state: Path, rules: str = "duel", *more: str, board: str = "travel-10x10") -> None:
        """`more` are further arguments of `hallmarshal table`."""
        self.state = state
        self._more, self._board = more, board
        self.rules = rule_set(rules)
        self.heard: queue.Queue[Heard] = queue.Queue()
        self.events: list[Line] = []
        self._awaited = 0  # events up to here were waited for
        self.ended: set[str] = set()
        self._programs: dict[str, Program] = {}
        self.handsets: dict[Seat, Program] = {}
        self.paired: dict[Seat, Line] = {}
        self.consented: set[Seat] = set()
        self._consents: dict[Seat, str] = {}
        self._players: dict[Seat, SimulatedPlayer] = {}
        self._games = 0
        self._rests = False
        self._waiting_hands = WaitingHands()
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as begun:
            begun.callback(self._stack.close)
            url = self.board_url()
            self.table = self.hallmarshal(
                "table",
                "table",
                *f"--board {url} --web 127.0.0.1:0 --json --rules {self.rules.name}".split(),
                *("--state", str(self.state / "table"), *self._more),
            )
            self.ready = self.next("table", lambda line: True)
            begun.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def board_url(self) -> str:
        """Start what the table needs for its board. Returns the URL under which it finds that."""
        self.board = self.board_program()
        return f"serial:{self.board_path}"

    def board_program(self) -> Program:
        """Start a board, which is empty; `board_path` is where its host finds it."""
        board = self.program("board", *f"simulator.process --board {self._board} --speed max --seed {3}".split())
        self.board_path = self.next("board", lambda line: "pty" in line)["pty"]
        return board

    def program(self, name: str, *command: str, **more: str) -> Program:
        """Start one of our modules; `more` goes into its environment."""
        self.ended.discard(name)
        program = self._programs[name] = Program(name, self.heard, self.state, *command, **more)
        self._stack.callback(program.close)
        return program

    def hallmarshal(self, name: str, *arguments: str) -> Program:
        """Start `hallmarshal`."""
        return self.program(name, "referee.cli.main", *arguments)

    def join(self, seat: Seat, url: str) -> Program:
        """Start a handset with a link; wait until it is paired."""
        name = f"{seat.value} {len(self.paired)}"
        handset = self.hallmarshal(name, "handset", "--json", "--join", url)
        self.paired[seat] = self.next(name, lambda line: "paired" in line)["paired"]
        self.handsets[seat] = handset
        return handset

    def take_seats(self) -> list[str]:
        """Let all players take their seats by their links; return the names of their handsets."""
        return [self.join(seat, self.ready["join"][seat.value]).name for seat in self.rules.seats]

    def next(self, name: str, wanted: Callable[[Line], bool]) -> Line:
        """Return the next line of a program that is wanted; everything before it is played on."""
        while True:
            who, line = self.take()
            if who == name and line is None:
                program = self._programs[name]
                raise AssertionError(f"{name} ended with exit code {program.wait()}: {program.complaint}")
            if who == name and line is not None and wanted(line):
                if line in self.events[-1:]:
                    self._awaited = len(self.events)
                return line

    def everybody(self, names: Iterable[str], wanted: Callable[[Line], bool]) -> dict[str, Line]:
        """Return the first wanted line of each of these programs, in whatever order they come; everything else is
        played on.
        """
        missing, found = set(names), dict[str, Line]()
        while missing:
            who, line = self.take()
            if who in missing and line is None:
                raise AssertionError(f"{who} ended")
            if who in missing and line is not None and wanted(line):
                missing.discard(who)
                found[who] = line
        return found

    def take(self) -> Heard:
        """Take whatever comes next from anybody; players react to what their handset says."""
        who, line = self.heard.get(timeout=PATIENCE_S)
        if line is None:
            self.ended.add(who)
            return who, line
        if who == "table" and "kind" in line:
            self.events.append(line)
            self._free_hands(line)
        assert "error" not in line, (who, line)
        for seat, handset in self.handsets.items():
            if handset.name == who:
                self._do(seat, handset, self._deeds(seat, line))
        return who, line

    def rest(self) -> None:
        """Let the players do nothing more of their own accord, whatever their handsets hear from now on."""
        self._rests = True

    def play_on(self, kind: str, game: int) -> Line:
        """Play until the table has printed an event of this kind in the game with this number, after the one last
        waited for. Returns that event.

        What came while somebody else's line was waited for counts: programs speak in any order.
        """
        while True:
            while self._awaited < len(self.events):
                event = self.events[self._awaited]
                self._awaited += 1
                if event["kind"] == kind and self._number(event["game"]) == game:
                    return event
            who, line = self.take()
            assert (who, line) != ("table", None), "table ended"

    def play_to_exit(self) -> int:
        """Play until the table ends of its own accord. Returns its exit code."""
        while "table" not in self.ended:
            self.take()
        return self.table.wait()

    def _free_hands(self, event: Line) -> None:
        """Let hands begin that waited for a piece which is not put down any more."""
        stays = event["result"] in ("attacker-wins", "flag-taken")
        if event["kind"] in ("begin", "ask", "end") or (event["kind"] == "verdict" and not stays):
            for motion in self._waiting_hands.lost():
                self.board.send(motion)

    def _number(self, game: str) -> int:
        return list(dict.fromkeys(event["game"] for event in self.events)).index(game) + 1

    def _deeds(self, seat: Seat, line: Line) -> Iterable[BotAct]:
        if self._rests:
            return ()
        if "info" in line:
            info = msgspec.convert(line["info"], type=PublicInfo)
            if seat not in self._players or self._players[seat].info.game != info.game:
                self._players[seat] = self._player(seat, info)
            return ()
        player = self._players.get(seat)
        if player is None:
            return ()
        if "state" in line:
            return player.view(msgspec.convert(line["state"], type=PublicView))
        if "event" in line:
            return player.event(msgspec.convert(line["event"], type=PublicEvent))
        if "letter" in line:
            message: ToHandset = msgspec.convert(line["letter"], type=ToHandset)
            if isinstance(message, Accepted) and message.re == self._consents.get(seat):
                self.consented.add(seat)
            return player.letter(message)
        return ()

    def _player(self, seat: Seat, info: PublicInfo) -> SimulatedPlayer:
        """Return the player of a seat in a game."""
        self._games += 1
        chance = bot_rng(self._games // 2, seat)
        return SimulatedPlayer(
            Bot(self.rules, seat, chance, generate(self.rules, seat, chance)), info, think_ms=THINK_MS
        )

    def _do(self, seat: Seat, handset: Program, deeds: Iterable[BotAct]) -> None:
        for deed in deeds:
            match deed:
                case Say(message=message):
                    if isinstance(message, Consent):
                        self._consents[seat] = message.id
                    handset.send(msgspec.to_builtins(message))
                case Do(motion=motion):
                    # who puts the board right waits for nobody
                    free = self._waiting_hands.lost() if motion["motion"] == "restore" else []
                    for each in (*free, *self._waiting_hands.wish(seat, motion)):
                        self.board.send(each)
                case Fault(text=text):
                    raise AssertionError(text)
                case _:
                    raise AssertionError(deed)
