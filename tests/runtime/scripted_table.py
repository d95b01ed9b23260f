"""A table at which hands and handsets play what is written down, and the test itself says what a script cannot."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee.rules import Action, RuleSet, load_rule_set
from referee.rules.values import Rank, Seat
from referee.simulated_players.player import Bot, BotAct, SimulatedPlayer, bot_rng
from referee.table.views import PublicInfo
from tests.runtime.at_table import AtTable, Line

SetUps = Mapping[Seat, Mapping[str, Rank]]


@dataclass(slots=True)
class ScriptedBot(Bot):
    """Plays the action of the script at each ply, as the rules write it (`b4-b5`, `a7*a9=miner`, `re4!ga3`)."""

    script: tuple[str, ...] = ()

    def choose(self) -> Action | None:
        """Return the action that the script has for this ply."""
        assert self.game is not None
        word = self.script[self.game.ply]
        return next(action for action in self.game.legal_actions() if repr(action) == word)


class ScriptedPlayer(SimulatedPlayer):
    """Does nothing of its own accord when the script is over."""

    def _act(self, decided: Action | None = None) -> Iterator[BotAct]:
        assert isinstance(self.bot, ScriptedBot)
        assert self.bot.game is not None
        if self.bot.game.ply < len(self.bot.script):
            yield from super()._act(decided)


class ScriptedTable(AtTable):
    """House rules with a small army, set-ups and plies as written. `mine` are the letters that the test itself reacts to."""

    def __init__(
        self, folder: Path, rules: str, set_ups: SetUps, script: Iterable[str], *more: str, board: str
    ) -> None:
        """`rules` is the text of the house rules."""
        path = folder / "rules.toml"
        folder.mkdir(exist_ok=True)
        path.write_text(rules)
        super().__init__(folder, "duel", *more, "--rules", str(path), board=board)
        self.rules: RuleSet = load_rule_set(path)
        self._set_ups, self._script = set_ups, tuple(script)
        self.mine: Callable[[Line], bool] = lambda letter: False
        self.letters: list[tuple[Seat, Line]] = []
        self.state_now: Line = {}
        self._given: set[int] = set()

    def join_all(self) -> None:
        """Let every player take a seat."""
        for seat in self.rules.seats:
            self.join(seat, self.ready["join"][seat.value])

    def say(self, seat: Seat, kind: str, **fields: object) -> None:
        """Send a message from a seat's handset."""
        self.handsets[seat].send({"type": kind, **fields})

    def letter(self, seat: Seat, word: str, **fields: object) -> Line:
        """Return the oldest message of a type with these fields to a seat that was not returned before; waits for it."""
        wanted = {"type": word, **fields}
        while True:
            for number, (whose, letter) in enumerate(self.letters):
                if whose is seat and wanted.items() <= letter.items() and number not in self._given:
                    self._given.add(number)
                    return letter
            self.take()

    def event(self, kind: str, times: int = 1) -> Line:
        """Return the event of a kind that comes for the `times`-th time; waits for it."""
        while (found := [event for event in self.events if event["kind"] == kind])[times - 1 :] == []:
            assert self.take() != ("table", None), self.table.complaint
        return found[times - 1]

    def rest_at(self, ply: int) -> None:
        """Play until so many plies are over and the table waits for the next move."""
        while not (self.state_now.get("ply") == ply and self.state_now["phase"] == "waiting-for-move"):
            self.take()

    def verdict(self, seat: Seat, ply: int) -> tuple[str, str | None]:
        """Return the ranks in a seat's message about the verdict of a ply, own and opponent's (None if not told); waits
        for it.
        """
        letter = self.letter(seat, "verdict", ply=ply)
        return letter["own"], letter["other"]

    def kinds(self) -> list[str]:
        """Return the kinds of all events so far."""
        return [event["kind"] for event in self.events]

    def _player(self, seat: Seat, info: PublicInfo) -> SimulatedPlayer:
        square = self.rules.board.square
        set_up = {square(name): rank for name, rank in self._set_ups[seat].items()}
        bot = ScriptedBot(self.rules, seat, bot_rng(0, seat), set_up, script=self._script)
        return ScriptedPlayer(bot, info)

    def _deeds(self, seat: Seat, line: Line) -> Iterable[Any]:
        # some handsets hear later than others
        if "state" in line and line["state"]["seq"] >= self.state_now.get("seq", 0):
            self.state_now = line["state"]
        if "letter" in line:
            self.letters.append((seat, line["letter"]))
            if self.mine(line["letter"]):
                return ()
        return super()._deeds(seat, line)
