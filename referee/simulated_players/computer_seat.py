"""A seat that the computer plays: a handset process with a credential of its own, which hears what its seat hears and nothing else.

It decides moves (docs/reference/messages.md, "Moves that are decided elsewhere"); people carry them out at the board. It keeps nothing:
whatever it has not heard, the table tells it again, and its choices follow from that and from the seed of its seat.
"""

from __future__ import annotations

import json
import os
import queue
import secrets
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from referee import log_output
from referee.computer import LEVELS, Choice, Computer, SeenPly, generate_set_up, standing_on
from referee.handset import joining
from referee.net.errors import LinkError
from referee.net.links.handset_link import HandsetLink
from referee.net.topics.payloads import HandsetIncoming, LinkDown, PeerFault, Status, ToSeat
from referee.rules import RuleSet, rule_set
from referee.rules.actions import Action, Move
from referee.rules.values import Seat
from referee.runtime.errors import CommandError, crash_in_private, our_fault
from referee.runtime.table_plan import rule_set_named
from referee.simulated_players.player import Bot, BotAct, Fault, Say, SimulatedPlayer, bot_rng
from referee.table import messages
from referee.table.event_actions import occupants_of
from referee.table.messages import FromHandset, Heard, QuestionKind, ToHandset
from referee.table.views import Phase, PublicEvent, PublicInfo, PublicView

_BEHIND = 10
"""By so much it comes after the referee where there is one processor for both."""
_OVERTAKEN = frozenset({"decided", "not-final", "not-now", "not-your-turn", "no-such-question", "stale"})
"""Why a message is rejected that had its place when it was written: the table stood still meanwhile, or it had been said before."""


@dataclass(slots=True)
class ComputerBot(Bot):
    """A bot that thinks as `referee.computer` does."""

    seed: str = ""
    level: int = 5

    def consider(self) -> Choice:
        """Return what it does in its turn."""
        return self._computer().choose()

    def answers_draw(self) -> bool:
        """Return whether it agrees to a draw; a move that is not final is no part of a game that ends by that."""
        return self._computer(len(self._before)).answers_draw()

    def _computer(self, less: int = 0) -> Computer:
        """Return the computer as it has seen the game, the last `less` plies left out."""
        first = Computer(self.rules, self.seat, self.set_up, self._occupants, self.seed, LEVELS[self.level])
        return first.after([SeenPly(*played) for played in self._played[: len(self._played) - less]])


@dataclass(slots=True)
class ComputerPlayer(SimulatedPlayer):
    """Decides moves, answers what is asked, resigns and offers a draw where it should, and wants another game after the end."""

    _choice: tuple[int, Choice] | None = None
    _ready: bool = True
    _start: str = field(default_factory=lambda: secrets.token_hex(4))
    """What tells its ids from those of an earlier start."""

    @property
    def heard_verdict(self) -> int | None:
        """Return the number of a verdict of which its own letter has not come; None where there is none."""
        return None if self._verdict is None else self._verdict.seq

    def view(self, view: PublicView) -> Iterator[BotAct]:
        """Take the public view as it is now; a set-up that was refused, since pieces stood wrong, is said again."""
        if view.decided is not None and view.decided.seat is self.seat and self._decided is None:
            self._decided = (view.ply, Move(self._square(view.decided.source), self._square(view.decided.target)))
        if view.phase is Phase.SETTING_UP and not self._ready:
            self._ready = True
            yield Say(messages.Ready(id=self._id()))
        last = view.waiting_for == (self.seat,)
        # its word alone would end a pause with a limit, which is the other's
        unlimited = view.pause is not None and view.pause.left_ms is None
        if view.phase is Phase.PAUSED and (last or (unlimited and self.seat in view.waiting_for)):
            yield Say(messages.AskResume(id=self._id()))
        yield from super(ComputerPlayer, self).view(view)

    def event(self, event: PublicEvent) -> Iterator[BotAct]:
        """Take a public event."""
        if event.kind == "begin":
            stands = occupants_of(event)
            mine = {square for square, seat in stands.items() if seat is self.seat}
            self.bot.set_up = standing_on(self.bot.set_up, mine, self.bot.rules)
            self.bot.begin(stands)
        self._asked = 0  # it gives up on nobody: it is for people to end such a game
        yield from super(ComputerPlayer, self).event(event)
        if event.kind == "end":
            yield Say(messages.Ready(id=self._id()))

    def answer(self, question: messages.Question) -> FromHandset:
        """Return the answer to a question, once all that came before it was heard."""
        return self._answer(question)

    def rejected(self, message: messages.Rejected) -> Iterator[BotAct]:
        """Do what was rejected again when the table says next how it stands."""
        if self.bot.game is None:
            self._ready = False
            return
        self.act_again()
        self._decided = None
        if message.reason not in _OVERTAKEN and not self._over:
            yield Fault(f"the table takes a word of it for wrong: {message.reason} {' '.join(message.detail)}".rstrip())

    def _decide(self, view: PublicView) -> Iterator[BotAct]:
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

    Events are taken in the order of their numbers, each once; where one is missing, after a restart of the table or of this process
    all of them, they are asked for before anything is done.
    """

    def __init__(self, seat: Seat, rules: RuleSet, say: Callable[[str], None]) -> None:
        self._seat, self._rules, self._say = seat, rules, say
        self._session = ""
        self._info: PublicInfo | None = None
        self._view: PublicView | None = None
        self._forget()

    def _forget(self) -> None:
        self._player: ComputerPlayer | None = None
        self._taken = False
        """Whether what is to be done at the last view was done."""
        self._heard = 0
        """The number of the last event that was taken."""
        self._asked: str | None = None
        """The id of the wish to hear what was missed that is not answered yet."""
        self._questions: dict[int, messages.Question] = {}
        """What it is asked and has not answered."""
        self._answers: dict[str, messages.Question] = {}
        """What it was asked, by the ids of its answers."""

    def take(self, item: HandsetIncoming) -> Iterator[FromHandset]:
        """Take what came to the seat; yield what it says to that."""
        match item:
            case Status(session=session) if session != self._session:
                self._session = session
                self._forget()  # a table that was started again may know less of the game than was heard
            case PublicInfo():
                if self._info is None or item.game != self._info.game:
                    self._forget()
                self._info = item
            case PublicView():
                self._view, self._taken = item, False
            case PublicEvent():
                yield from self._hear(Heard(item))
            case ToSeat(message=message):
                yield from self._letter(message)
            case PeerFault(text=text):
                self._say(text)
        yield from self._go_on()

    def _letter(self, message: ToHandset) -> Iterator[FromHandset]:
        player = self._player
        match message:
            case messages.SeatState(question=question, seed=seed):
                if player is None and self._info is not None:
                    self._player = self._player_of(self._info, seed)
                if question is not None and question.question not in [one.question for one in self._answers.values()]:
                    self._ask(question)
            case messages.Question():
                self._ask(message)
            case messages.Closed(question=number):
                self._questions.pop(number, None)
                self._answers = {key: one for key, one in self._answers.items() if one.question != number}
            case messages.History(re=re, events=events) if player is not None and re == self._asked:
                before = (self._heard, player.heard_verdict)
                for heard in events:
                    yield from self._hear(heard)
                # nothing new: it is asked for again at the next view. Unless all has come by itself meanwhile: then that is acted upon
                nothing_new = (self._heard, player.heard_verdict) == before
                self._asked, self._taken = None, nothing_new and self._is_behind(player)
            case messages.Rejected(re=re) if re in self._answers:
                self._questions[self._answers[re].question] = self._answers.pop(re)
            case messages.Rejected() if player is not None:
                yield from self._said(player.rejected(message))
            case messages.Verdict() if player is not None:
                yield from self._said(player.letter(message))

    def _ask(self, question: messages.Question) -> None:
        self._questions[question.question] = question
        self._taken = False

    def _hear(self, heard: Heard) -> Iterator[FromHandset]:
        """Take an event in its turn, and what the own letter said with it, also of a verdict that was heard without."""
        event, player = heard.event, self._player
        if player is None or event.seq > self._heard + 1:
            return
        if heard.own is not None and (event.seq > self._heard or event.seq == player.heard_verdict):
            assert event.result is not None
            said = messages.Verdict("heard", 0, event.ply, event.result, heard.own, heard.other)
            yield from self._said(player.letter(said))
        if event.seq > self._heard:
            self._heard = event.seq
            yield from self._said(player.event(event))

    def _go_on(self) -> Iterator[FromHandset]:
        """Ask for what was missed, or do what is to be done now that everything was heard."""
        player, view = self._player, self._view
        if player is None or view is None or view.game != player.info.game:
            return
        if self._taken or self._asked is not None or view.seq < self._heard:
            return
        if self._is_behind(player):
            verdict = player.heard_verdict
            self._asked = f"missed-{secrets.token_hex(8)}"
            yield messages.Missed(self._asked, self._heard if verdict is None else verdict - 1)
            return
        self._taken = True
        questions, self._questions = self._questions, {}
        for question in questions.values():
            answer = player.answer(question)
            self._answers[answer.id] = question
            yield answer
        yield from self._said(player.view(view))

    def _is_behind(self, player: ComputerPlayer) -> bool:
        """Return whether something was said that the seat has not heard."""
        return player.heard_verdict is not None or (self._view is not None and self._view.seq > self._heard)

    def _said(self, deeds: Iterable[BotAct]) -> Iterator[FromHandset]:
        for deed in deeds:
            if isinstance(deed, Say):
                yield deed.message
            elif isinstance(deed, Fault):
                self._say(deed.text)

    def _player_of(self, info: PublicInfo, seed: str) -> ComputerPlayer:
        named = self._rules if info.rule_set == self._rules.name else rule_set(info.rule_set)
        rules, seat = named.with_options(info.options), self._seat
        set_up, level = generate_set_up(rules, seat, seed), info.computers.get(seat, 1)
        return ComputerPlayer(ComputerBot(rules, seat, bot_rng(0, seat), set_up, seed=seed, level=level), info)


def main() -> int:
    """Take the seat of the first line of standard input, and play until its end.

    That is `{"join": link, "rules": name or file}`.

    Prints `{"note": text}`. Returns 3 where the table cannot be reached or does not know this handset any more, 2 for rules that it cannot
    read, 1 for a fault of its own; what it was is one line on standard error, without what it knows.
    """
    log_output.begin()
    crash_in_private(_complain)
    try:
        return _play()
    except (CommandError, LinkError) as error:
        _complain(str(error))
        return error.exit_code if isinstance(error, CommandError) else 3
    except Exception as error:
        _complain(our_fault(error).partition(" (")[0])
        return 1


def _complain(text: str) -> None:
    print(" ".join(text.split()), file=sys.stderr, flush=True)


def _play() -> int:
    os.nice(_BEHIND)
    if not (first := sys.stdin.readline()):
        return 0
    wish = json.loads(first)
    rules = rule_set_named(wish["rules"])
    values: queue.SimpleQueue[HandsetIncoming | None] = queue.SimpleQueue()

    def wait_for_the_end() -> None:
        sys.stdin.read()
        values.put(None)

    joined = joining.join(wish["join"])
    link = HandsetLink(joined.credential, on_value=values.put, signs=True)
    threading.Thread(target=wait_for_the_end, daemon=True).start()
    link.start()
    link.confirm_digits()
    assert joined.credential.seat is not None
    seat = ComputerSeat(joined.credential.seat, rules, lambda text: print(json.dumps({"note": text}), flush=True))
    while (item := values.get()) is not None:
        if isinstance(item, LinkDown) and item.refused:
            _complain(item.reason)
            return 3
        for message in seat.take(item):
            link.send(message)
    link.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
