"""A seat that the computer plays: a handset process with a credential of its own, which hears what its seat hears and nothing else.

It decides moves (docs/reference/messages.md, "Moves that are decided elsewhere"); people carry them out at the board.
"""

from __future__ import annotations

import json
import queue
import secrets
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from referee import log_output
from referee.computer import LEVELS, Choice, Computer, Seen, generate_set_up
from referee.handset import joining
from referee.net.errors import LinkError
from referee.net.links.handset_link import HandsetLink
from referee.net.topics.payloads import HandsetIncoming, LinkDown, PeerFault, ToSeat
from referee.rules import rule_set
from referee.rules.actions import Action
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

    def view(self, view: PublicView) -> Iterator[Deed]:
        """Take the public view as it is now; a set-up that was refused, since pieces stood wrong, is said again."""
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
    """Plays a seat of one table, game after game; `say` is told what the table's people may want to know, which is never a rank."""

    def __init__(self, seat: Seat, wish: Mapping[str, object], say: Callable[[str], None]) -> None:
        self._seat, self._level, self._say = seat, int(str(wish["level"])), say
        self._rules, self._seed = rule_set_named(str(wish["rules"])), str(wish.get("seed") or secrets.token_hex(16))
        self._player: ComputerPlayer | None = None

    def take(self, item: HandsetIncoming) -> Iterator[FromHandset]:
        """Take what came to the seat; yield what it says to that."""
        if isinstance(item, PublicInfo) and (self._player is None or item.game != self._player.info.game):
            self._player = self._player_of(item)
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

    def _player_of(self, info: PublicInfo) -> ComputerPlayer:
        rules = self._rules if info.rule_set == self._rules.name else rule_set(info.rule_set)
        seed = f"{self._seed}/{info.game}"
        set_up = generate_set_up(rules, self._seat, seed)
        bot = ComputerBot(rules, self._seat, bot_rng(0, self._seat), set_up, seed=seed, level=self._level)
        return ComputerPlayer(bot, info)


def main() -> int:
    """Take the seat of `{"join": link, "level": 1 to 5, "rules": name or file}`, the first line of standard input; play until its end.

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
