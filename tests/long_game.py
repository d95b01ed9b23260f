"""A long game of two, and one of four armies, at a real `Table`: what kiosk and phones had received at the moments worth a picture.

The players are the demo's; what hands, board and network do besides is written here. The same each time.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from kiosk_ui.received_state import ReceivedState
from kiosk_ui.spoken import spoken_between
from kiosk_ui.touch_state import Showing
from referee.net.topics.payloads import KioskIncoming
from referee.rules import Game, Move, rule_set
from referee.rules.values import Seat
from referee.runtime.set_ups import generate
from referee.sensing import Agreed, Difference, Lifted, Puzzled, Reading, Returned, Seen
from referee.simulated_players.player import Bot
from referee.table.inputs import BoardLink, Connection, Named, Resume
from referee.table.messages import AskPause, CallArbiter, Declare, Hello, OfferDraw, OfferTakeBack, Ready
from referee.table.settings import ClockKind, TimeControl
from referee.table.step import Step
from referee.table.views import Phase
from referee.words import words
from tests.table.sitting import Sitting

Happening = dict[str, Any]
RED, BLUE = Seat.RED, Seat.BLUE
_CLOCK = TimeControl(ClockKind.FISCHER, game_ms=45 * 60_000, ply_ms=5_000)
_PLY_MS = 9_000
_PLAIN = re.compile(r"\w+, \w+ to \w+\.")


@dataclass(frozen=True, slots=True)
class Moment:
    """What the kiosk has received and shows large, and what has happened on one seat's phone."""

    name: str
    kiosk: ReceivedState
    showing: Showing | None
    heard: tuple[KioskIncoming, ...]
    """What made the kiosk's state, one after the other."""
    seat: Seat
    phone: tuple[Happening, ...]
    rules: str


class LongGame(Sitting):
    """A game between two bots or four, which keeps what every screen hears."""

    def __init__(self, rules: str, seed: int, clock: TimeControl | None = None) -> None:
        """Set up; nobody is ready yet, and no piece stands on the board."""
        rng, named = random.Random(seed), rule_set(rules)
        self.set_ups = {seat: generate(named, seat, rng) for seat in named.seats}
        self.bots = {seat: Bot(named, seat, rng, self.set_ups[seat]) for seat in named.seats}
        here = {"up": True, "boot": 1, "session": "0" * 16}
        self.phones: dict[Seat, list[Happening]] = {
            seat: [{"type": "up"}, {"type": "status", "value": here}] for seat in named.seats
        }
        self.heard: list[KioskIncoming] = []
        self.kiosk = ReceivedState(broker=True, referee=True)
        self.said: list[tuple[int, str]] = []
        ranks = {seat: {square.name: rank for square, rank in placed.items()} for seat, placed in self.set_ups.items()}
        super().__init__(begin=False, rules=rules, ranks=ranks, clock=clock)
        self.pieces = {square: seat for seat, placed in self.set_ups.items() for square in placed}
        self.truth = Game(
            named, self.pieces, {s: rank for placed in self.set_ups.values() for s, rank in placed.items()}
        )
        for seat in named.seats:
            self.take(self.table.apply(Connection(seat, True), self.now_ms))
            self.say(seat, Hello(id=self.new_id()))

    def take(self, step: Step) -> Step:
        """Keep a step, and let every screen hear of it: events, letters, then what the table looks like."""
        if step.info_changed or not self.heard:
            self._publish(self.table.info(), "info")
        for fact in step.facts:
            if fact.event is not None:
                self._publish(fact.event)
        for letter in step.letters:
            self.phones[letter.seat].append({"type": "letter", "value": _plain(letter.body.open_hidden())})
        if step.view_changed:
            self._publish(self.table.view(), "view")
        return super().take(step)

    def _publish(self, value: Any, kind: str = "") -> None:
        self.heard.append(value)
        before, self.kiosk = self.kiosk, self.kiosk.after(value)
        if text := spoken_between(before, self.kiosk, words("en")):
            self.said.append((self.table.view().ply, text))
        for heard in self.phones.values() if kind else ():
            heard.append({"type": kind, "value": _plain(value)})

    def shown(self, name: str, seat: Seat, showing: Showing | None = None, away: str = "") -> Moment:
        """Return this moment, with one seat's phone; `away`: what has been lost, `broker` or `referee`."""
        kiosk, phone = self.kiosk, list(self.phones[seat])
        if away:
            kiosk = replace(kiosk, broker=away != "broker", referee=False)
            down = {"type": "status", "value": {"up": False, "boot": 1, "session": "0" * 16}}
            phone.append({"type": "down"} if away == "broker" else down)
        return Moment(name, kiosk, showing, tuple(self.heard), seat, tuple(phone), self.rules.name)

    def start(self) -> None:
        """Place all pieces and send `ready` for everybody."""
        self.see(Seen(self.pieces, self.now_ms))
        for seat in self.table.view().waiting_for:
            self.say(seat, Ready(id=self.new_id()))
        for bot in self.bots.values():
            bot.begin(self.pieces)

    def until(self, ply: int, seat: Seat, fights: bool = False) -> Move:
        """Play to a ply and on, until this seat is to move, and attacks if `fights`; return what it then does."""
        while True:
            turn = self.table.view().turn
            assert turn is not None, "the game is over"
            action = self.bots[turn].choose()
            assert isinstance(action, Move)
            if self.table.view().ply >= ply and turn is seat and self.truth.is_attack(action) is fights:
                return action
            self.plays(action)

    def plays(self, action: Move) -> None:
        """Make a ply from the hand that lifts to the board that agrees; the last one ends the game."""
        self.now_ms += _PLY_MS
        if not self.truth.is_attack(action):
            self.move(action.source.name, action.target.name)
            self.played(action)
            return
        self.attack(action.source.name, action.target.name)
        for seat in self.table.view().waiting_for:
            self.tells(seat, action)
        self.played(action)
        self.agrees()

    def tells(self, seat: Seat, action: Move) -> None:
        """Answer with the truth, on the phone."""
        mine = action.source if self.truth.occupants()[action.source] is seat else action.target
        piece = self.truth.piece_at(mine)
        assert piece is not None
        (rank,) = self.truth.possible(piece)
        said = Declare(id=self.new_id(), question=self.question(seat).question, rank=rank)
        self.phones[seat].append({"type": "sent", "message": _plain(said)})
        self.say(seat, said)

    def played(self, action: Move) -> None:
        """Play an action in the true game and for both bots."""
        met = {
            piece: self.truth.possible(piece)
            for at in (action.source, action.target)
            if (piece := self.truth.piece_at(at))
        }
        ranks = {piece: rank for piece, (rank,) in met.items()}
        result = self.rules.combat(*ranks.values()) if len(ranks) == 2 else None
        self.truth.play(action, result, ranks if result else {})
        for bot in self.bots.values():
            if result is None:
                bot.decided(action)
            else:
                bot.settled(action, result, ranks)

    def agrees(self) -> None:
        """Let the hands be done with what the board lacks."""
        if self.table.phase in (Phase.WAITING_FOR_BOARD, Phase.RESTORING):
            self.see(Agreed(self.now_ms))

    def link(self, fault: str | None) -> None:
        """Lose the board, or find it again."""
        self.take(self.table.apply(BoardLink(fault), self.now_ms))


def long_games() -> tuple[list[Moment], list[tuple[int, str]]]:
    """Return the moments of both games in their order, and what a kiosk says aloud of the first but for plain moves, each with its move."""
    two, four = LongGame("original", 7, _CLOCK), LongGame("stratego4", 2)
    made = [*_of_two(two), *_of_four(four)]
    return made, [(ply, text) for ply, text in two.said if not _PLAIN.fullmatch(text)]


def _of_two(game: LongGame) -> Iterator[Moment]:
    for seat, name in ((RED, "Friederike"), (BLUE, "Maximilian")):
        game.take(game.table.apply(Named(seat, name), game.now_ms))
    lacking = [square for square, seat in game.pieces.items() if seat is BLUE][:3]
    game.see(Seen({square: seat for square, seat in game.pieces.items() if square not in lacking}, game.now_ms))
    game.say(RED, Ready(id=game.new_id()))
    yield game.shown("set-up", BLUE)
    game.start()
    yield from _play(game)
    yield from _words(game)
    yield from _losses(game)
    try:
        game.until(10_000, RED)
    except AssertionError:
        yield game.shown("end", game.table.result.winner or RED, Showing.END)  # type: ignore[union-attr]  # it is over


def _play(game: LongGame) -> Iterator[Moment]:
    """Yield a turn, a piece in the hand, and a fight from its question to the board after it."""
    move = game.until(40, RED)
    yield game.shown("turn", RED)
    game.see(Lifted(move.source, game.now_ms))
    yield game.shown("in-hand", RED)
    game.see(Returned(move.source, game.now_ms))
    fight = game.until(60, RED, fights=True)
    game.attack(fight.source.name, fight.target.name)
    yield game.shown("attack", BLUE)
    game.tells(RED, fight)
    yield game.shown("answered", RED)
    game.tells(BLUE, fight)
    game.played(fight)
    yield game.shown("verdict", RED, Showing.DUEL)
    yield game.shown("captured", BLUE)
    game.agrees()


def _words(game: LongGame) -> Iterator[Moment]:
    """Yield offers and pauses."""
    game.until(90, BLUE)
    game.say(BLUE, OfferDraw(id=game.new_id()))
    yield game.shown("offer", RED)
    game.answer(RED, "refuse")
    yield game.shown("declined", BLUE)
    game.until(100, RED)
    game.say(BLUE, OfferTakeBack(id=game.new_id(), ply=game.table.view().ply - 1))
    yield game.shown("take-back", RED)
    game.answer(RED, "refuse")
    game.say(BLUE, AskPause(id=game.new_id()))
    yield game.shown("pause", RED)
    game.say(RED, CallArbiter(id=game.new_id()))
    yield game.shown("arbiter", RED)


def _losses(game: LongGame) -> Iterator[Moment]:
    """Yield hands that were not understood, and what is not connected, one after the other."""
    game.take(game.table.apply(Resume(), game.now_ms))
    game.agrees()
    move = game.until(120, BLUE)
    there = next(square for square, seat in game.truth.occupants().items() if seat is RED)
    game.see(
        Puzzled((Difference(move.source, BLUE, Reading.EMPTY), Difference(there, RED, Reading.EMPTY)), game.now_ms)
    )
    yield game.shown("wrong", BLUE)
    game.agrees()
    game.until(130, BLUE)
    game.take(game.table.apply(Connection(BLUE, False), game.now_ms))
    yield game.shown("phone-away", RED)
    game.take(game.table.apply(Connection(BLUE, True), game.now_ms))
    game.link("lost")
    yield game.shown("board-lost", RED)
    game.link(None)
    yield game.shown("no-broker", RED, away="broker")
    yield game.shown("no-referee", BLUE, away="referee")


def _of_four(game: LongGame) -> Iterator[Moment]:
    """Yield an attack of one of four armies."""
    game.start()
    fight = game.until(30, RED, fights=True)
    game.attack(fight.source.name, fight.target.name)
    yield game.shown("four", game.truth.occupants()[fight.target])


def _plain(value: object) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value))
