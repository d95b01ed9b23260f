"""A seat that the computer plays: a handset process with a credential of its own, which hears what its seat hears and nothing else.

It decides moves (docs/reference/messages.md, "Moves that are decided elsewhere"); people carry them out at the board.
"""

from __future__ import annotations

import json
import os
import queue
import secrets
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from referee import log_output
from referee.computer import LEVELS, Choice, Computer, Seen, generate_set_up
from referee.handset import joining
from referee.net.errors import LinkError
from referee.net.links.handset_link import HandsetLink
from referee.net.topics.payloads import HandsetIncoming, LinkDown, PeerFault, ToSeat
from referee.rules import rule_set
from referee.rules.actions import Action, Move
from referee.rules.values import Seat
from referee.runtime.table_plan import rule_set_named
from referee.simulated_players.player import Bot, Deed, Fault, Player, Say, bot_rng
from referee.table import messages
from referee.table.messages import FromHandset, QuestionKind, ToHandset
from referee.table.views import Phase, PublicEvent, PublicInfo, PublicView


@dataclass(slots=True)
class ComputerBot(Bot):
    """A bot that thinks as `referee.computer` does."""

    seed: str = ""
    level: int = 5

    def consider(self) -> Choice:
        """Return what it does in its turn."""
        return self._computer().choose()

    def answers_draw(self) -> bool:
        """Return whether it agrees to a draw."""
        return self._computer().answers_draw()

    def _computer(self) -> Computer:
        first = Computer(self.rules, self.seat, self.set_up, self._occupants, self.seed, LEVELS[self.level])
        for played in self._played:
            first.see(Seen(*played))
        return first


@dataclass(slots=True)
class ComputerPlayer(Player):
    """Decides moves, answers what is asked, resigns and offers a draw where it should, and wants another game after the end."""

    _choice: tuple[int, Choice] | None = None
    _ready: bool = True
    _start: str = ""

    def go_on(self) -> None:
        """Take nothing that was said before for heard: the process was started again."""
        self.act_again()
        self._decided, self._ready, self._start = None, False, secrets.token_hex(4)

    def lags_behind(self, view: PublicView) -> bool:
        """Return whether plies were played that it has not heard of, other than a move that the view tells. It takes that move."""
        game, last = self.bot.game, view.last_move
        if game is not None and self._verdict is None and view.ply == game.ply + 1 and last is not None:
            move = Move(self._square(last.source), self._square(last.target))
            if last.seat is game.turn and move in game.legal_actions() and not game.is_attack(move):
                self.bot.moved(move)
        return game is not None and self._verdict is None and view.ply > game.ply

    def view(self, view: PublicView) -> Iterator[Deed]:
        """Take the public view as it is now; a set-up that was refused, since pieces stood wrong, is said again."""
        if view.decided is not None and view.decided.seat is self.seat and self._decided is None:
            self._decided = (view.ply, Move(self._square(view.decided.source), self._square(view.decided.target)))
        if view.phase is Phase.SETTING_UP and not self._ready:
            self._ready = True
            yield Say(messages.Ready(id=self._id()))
        yield from super(ComputerPlayer, self).view(view)

    def event(self, event: PublicEvent) -> Iterator[Deed]:
        """Take a public event."""
        yield from super(ComputerPlayer, self).event(event)
        if event.kind == "end":
            yield Say(messages.Ready(id=self._id()))

    def letter(self, message: ToHandset) -> Iterator[Deed]:
        """Take a letter that came for this seat."""
        if isinstance(message, messages.Rejected) and self.bot.game is None:
            self._ready = False
        else:
            yield from super(ComputerPlayer, self).letter(message)

    def _decide(self, view: PublicView) -> Iterator[Deed]:
        if (self._decided and self._decided[0] == view.ply) or (view.last_move and not view.last_move.final):
            return
        bot, game = self.bot, self.bot.game
        assert isinstance(bot, ComputerBot)
        assert game is not None
        self._choice = (view.ply, bot.consider())
        if self._choice[1].action is None and game.legal_actions():
            self._acted = view.ply
            yield Say(messages.Resign(id=self._id()))
            return
        if self._choice[1].offers_draw:
            yield Say(messages.OfferDraw(id=self._id()))
        yield from super(ComputerPlayer, self)._decide(view)

    def _id(self) -> str:
        return f"{super(ComputerPlayer, self)._id()}{self._start}"

    def _next_action(self) -> Action | None:
        assert self._choice is not None
        return self._choice[1].action

    def _answer(self, question: messages.Question) -> messages.FromHandset:
        bot = self.bot
        assert isinstance(bot, ComputerBot)
        if question.kind is QuestionKind.DRAW and bot.game is not None and not bot.answers_draw():
            return messages.Answer(id=self._id(), question=question.question, choice="refuse")
        return super(ComputerPlayer, self)._answer(question)


class ComputerSeat:
    """Plays a seat of one table, game after game; `say` is told what the table's people may want to know, never a rank.

    What it hears is kept in `memory`, a file a game, with the seed that its choices follow from: it goes on from there after a restart.
    """

    def __init__(self, seat: Seat, wish: Mapping[str, object], say: Callable[[str], None]) -> None:
        self._seat, self._level, self._say = seat, int(str(wish["level"])), say
        self._rules, self._memory = rule_set_named(str(wish["rules"])), Path(str(wish["memory"]))
        self._player: ComputerPlayer | None = None
        self._kept: BinaryIO | None = None
        self._last: object = None
        self._lost = False

    def take(self, item: HandsetIncoming) -> Iterator[FromHandset]:
        """Take what came to the seat; yield what it says to that. Raises `OSError`, `ValueError` for a memory that cannot be used."""
        if isinstance(item, PublicInfo) and (self._player is None or item.game != self._player.info.game):
            self._begin(item)
        self._keep(item)
        if isinstance(item, PublicView) and self._player is not None and self._player.lags_behind(item):
            if not self._lost:
                self._say(
                    f"it has not heard all of this game and plays on no more: pair {self._seat.value} for somebody else"
                )
            self._lost = True
            return
        for deed in self._deeds(item):
            if isinstance(deed, Say):
                yield deed.message
            elif isinstance(deed, Fault):
                self._say(deed.text)

    def _deeds(self, item: HandsetIncoming) -> Iterable[Deed]:
        if isinstance(item, PeerFault):
            return (Fault(item.text),)
        if self._player is None:
            return ()
        match item:
            case PublicView():
                return self._player.view(item)
            case PublicEvent():
                return self._player.event(item)
            case ToSeat():
                return self._player.letter(item.message)
        return ()

    def _begin(self, info: PublicInfo) -> None:
        """Begin a game, or go on with one that this seat has heard before."""
        if self._kept is not None:
            self._kept.close()
        self._memory.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self._memory / f"{self._seat.value}-{info.game}.jsonl"
        lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
        heard = [json.loads(line) for line in lines if line.endswith(b"\n")]
        first: dict[str, Any] = heard[0] if heard else {"seed": secrets.token_hex(16), "level": self._level}
        self._player = self._player_of(info, str(first["seed"]), int(first["level"]))
        for line in heard[1:]:
            for _ in self._deeds(_heard(line)):
                pass  # it was said then
        if heard:
            self._player.go_on()
        self._kept = os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb")
        self._write(first)
        for line in heard[1:]:
            self._write(line)

    def _keep(self, item: HandsetIncoming) -> None:
        """Keep what was heard before anything is said to it; of the views those alone in which something is to be done."""
        match item:
            case PublicView():
                now = (item.phase, item.ply, item.decided, item.occupants if item.phase is Phase.SETTING_UP else None)
                if now != self._last:
                    self._last = now
                    self._write({"view": item})
            case PublicEvent():
                self._write({"event": item})
            case ToSeat():
                self._write({"letter": item.message})

    def _write(self, line: Mapping[str, object]) -> None:
        if self._kept is not None:
            self._kept.write(msgspec.json.encode(line) + b"\n")
            self._kept.flush()
            os.fsync(self._kept.fileno())

    def _player_of(self, info: PublicInfo, seed: str, level: int) -> ComputerPlayer:
        rules = self._rules if info.rule_set == self._rules.name else rule_set(info.rule_set)
        set_up = generate_set_up(rules, self._seat, seed)
        bot = ComputerBot(rules, self._seat, bot_rng(0, self._seat), set_up, seed=seed, level=level)
        return ComputerPlayer(bot, info)


def _heard(line: Mapping[str, object]) -> HandsetIncoming:
    """Return what a line of the memory keeps. Raises `ValueError`."""
    if "view" in line:
        return msgspec.convert(line["view"], type=PublicView)
    if "event" in line:
        return msgspec.convert(line["event"], type=PublicEvent)
    message: ToHandset = msgspec.convert(line["letter"], type=ToHandset)
    return ToSeat(message, 0)


def main() -> int:
    """Take the seat of the first line of standard input, and play until its end.

    That is `{"join": link, "level": 1 to 5, "rules": name or file, "memory": folder}`.

    Prints `{"note": text}`. Returns 3 where the table cannot be reached or does not know this handset any more.
    """
    log_output.begin()
    if not (first := sys.stdin.readline()):
        return 0
    wish = json.loads(first)
    values: queue.SimpleQueue[HandsetIncoming | None] = queue.SimpleQueue()

    def wait_for_the_end() -> None:
        sys.stdin.read()
        values.put(None)

    try:
        joined = joining.join(wish["join"])
        link = HandsetLink(joined.credential, on_value=values.put)
        threading.Thread(target=wait_for_the_end, daemon=True).start()
        link.start()
    except LinkError as error:
        print(error, file=sys.stderr)
        return 3
    link.confirm_digits()
    assert joined.credential.seat is not None
    seat = ComputerSeat(joined.credential.seat, wish, lambda text: print(json.dumps({"note": text}), flush=True))
    while (item := values.get()) is not None:
        if isinstance(item, LinkDown) and item.refused:
            print(item.reason, file=sys.stderr)
            return 3
        for message in seat.take(item):
            link.send(message)
    link.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
