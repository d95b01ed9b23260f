"""The process of a computer's seat without process and broker: a real table, its journal on disk, hands that do what is decided."""

from __future__ import annotations

import random
from collections import deque
from pathlib import Path
from typing import Self

from referee.journal.history import history
from referee.journal.journal import Journal
from referee.net.topics.payloads import HandsetIncoming, Status, ToSeat
from referee.rules.actions import Move
from referee.rules.values import Rank
from referee.sensing import Agreed, Seen
from referee.simulated_players.computer_seat import ComputerSeat
from referee.table.inputs import Input, Reopen
from referee.table.messages import Enrol, FromHandset, Hello, History, Missed, Ready
from referee.table.replay import rebuild, told_settings
from referee.table.step import Fact, Step
from referee.table.views import Mode, Phase, Reveal
from tests.table.sitting import BLUE, RED, Sitting

SECRET = bytes(range(32))


class AgainstTheComputer(Sitting):
    """Red's moves are drawn by lot; blue is the computer, which may be away and come back, and the table may be started again."""

    def __init__(
        self, folder: Path, rules: str = "duel", mode: Mode = Mode.ENROL, level: int = 1, reveal: Reveal = Reveal.BOOK
    ) -> None:
        self._journal = Journal.create(folder / "journal.sqlite", folder / "journal.key")
        self.facts: list[Fact] = []
        self._written = 0
        self.notes: list[str] = []
        self.missed = 0
        self.seat: ComputerSeat | None = None
        self._to_seat: deque[HandsetIncoming] = deque()
        self._starts = 0
        self._chance = random.Random(7)
        super().__init__(mode, reveal, False, rules, secret=SECRET, decided=(BLUE,), computers={BLUE: level})
        self.comes()
        self.begin()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.journal.close()

    @property
    def journal(self) -> Journal:
        """The journal, which is written where it is read: a transaction for each step would make a disk the measure of these tests."""
        self._journal.write(self.facts[self._written :])
        self._written = len(self.facts)
        return self._journal

    # ---- the computer

    def comes(self) -> None:
        """Start the computer's process: what is retained comes first, then the answer to its hello."""
        self.seat = ComputerSeat(BLUE, self.rules, self.notes.append)
        self._reach(Status(True, 1, f"{self._starts:016x}"), self.table.info(), self.table.view())
        self.say(BLUE, Hello(id=self.new_id()))

    def goes(self) -> None:
        """Kill the computer's process."""
        self.seat = None
        self._to_seat.clear()

    def starts_again(self) -> None:
        """Kill the table, and start another one from the journal; the computer that is there hears of it, hello and all."""
        settings = told_settings(self.facts, lambda _: self.rules)
        self.table = rebuild(settings, self.facts).table
        self._starts += 1
        if self.seat is not None:
            self._reach(Status(True, 1, f"{self._starts:016x}"), self.table.info())
        self.put(Reopen())
        if self.seat is not None:
            self.say(BLUE, Hello(id=self.new_id()))
        self.settle()

    def put(self, given: Input) -> Step:
        """Put something in."""
        return self.take(self.table.apply(given, self.now_ms))

    def take(self, step: Step) -> Step:
        """Keep a step, and tell of it as the runtime does: what is public, then the letters; then the computer's words count."""
        super().take(step)
        self.facts += step.facts
        if self.seat is not None:
            events = [fact.event for fact in step.facts if fact.event is not None]
            letters = [ToSeat(each.body.open_hidden(), 0) for each in step.letters if each.seat is BLUE]
            self._reach(*events, *letters, *([self.table.view()] if step.view_changed else []))
        return step

    def _reach(self, *items: HandsetIncoming) -> None:
        idle = not self._to_seat
        self._to_seat += items
        while idle and self._to_seat:
            item = self._to_seat[0]
            said = list(self.seat.take(item)) if self.seat is not None else []
            for message in said:
                self._hear(message)
            if self._to_seat:
                self._to_seat.popleft()

    def _hear(self, message: FromHandset) -> None:
        if isinstance(message, Missed):
            self.missed += 1
            told = history(self.journal, BLUE, message.heard, self.table.info().reveal)
            self._to_seat.append(ToSeat(History("h", message.id, told), 0))
        else:
            self.say(BLUE, message)

    # ---- the people

    def begin(self) -> None:
        """Let red say its set-up, and put pieces of both colours where they are asked for."""
        if self.table.info().mode is Mode.ENROL:
            self.say(RED, Enrol(id=self.new_id(), set_up=dict(self.ranks[RED])))
        self.say(RED, Ready(id=self.new_id()))
        blue = [fix.square for fix in self.table.view().fixes if fix.wanted is BLUE]
        placed = dict.fromkeys(self.ranks[RED], RED) | dict.fromkeys(blue or self.ranks[BLUE], BLUE)
        self.see(Seen({self.square(name): seat for name, seat in placed.items()}, self.now_ms))

    def play(self) -> bool:
        """Let the next ply be played, red's by lot; return False once the game is over or nobody can go on."""
        view = self.table.view()
        if view.phase is not Phase.WAITING_FOR_MOVE or view.result is not None:
            return False
        if view.turn is RED:
            self._red()
        elif view.decided is not None:
            self._carry_out(view.decided.source, view.decided.target)
        else:
            return False
        return True

    def _red(self) -> None:
        game = self.table._state.game.known
        moves = (one for one in game.legal_actions() if isinstance(one, Move))
        actions = sorted((one for one in moves if self._can(one)), key=repr)
        fights = [one for one in actions if game.piece_at(one.target) is not None]
        chosen = self._chance.choice(fights or actions)
        self._carry_out(chosen.source.name, chosen.target.name)

    def _can(self, move: Move) -> bool:
        """Return whether red's piece may go there, whose rank the referee may not know."""
        game = self.table._state.game.known
        piece = game.piece_at(move.source)
        return piece is not None and self._red_on(move.source.name) in game.possible_for(piece, move)

    def _carry_out(self, source: str, target: str) -> None:
        if target not in self.table.view().occupants:
            self.move(source, target)
            return
        self.attack(source, target)
        self.settle()

    def settle(self) -> None:
        """Put the board right, let red say its rank, and the board agree with the verdict."""
        if self.table.phase is Phase.RESTORING:
            self.see(Agreed(0))
        if self.table.phase is Phase.WAITING_FOR_DECLARATIONS and RED in self.table.view().waiting_for:
            self.declare(RED, self._red_on(self.question(RED).square or ""))
        if self.table.phase is Phase.WAITING_FOR_BOARD:
            self.see(Agreed(0))

    def _red_on(self, square: str) -> Rank:
        piece = self.table._state.game.known.piece_at(self.square(square))
        (origin,) = (begun for begun, one in self.table._state.origins.items() if one == piece)
        return self.ranks[RED][origin.name]
