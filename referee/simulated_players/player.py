"""A player at the table, in two halves without input or output: a bot that chooses, and the seat's brain, handset and hands in one.

The bot knows its own ranks and what its handset and the public view told it, and nothing else. It is simple but sensible: it attacks what
it probably beats, keeps away from what beats it, walks towards the enemy, and grows bolder the longer nothing happens, so that games end.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from referee.rules import CombatResult, EndReason, Game, RuleSet
from referee.rules.actions import Action, Fire, Infiltrate, Move, Pass
from referee.rules.outcomes import Mobility
from referee.rules.values import PieceId, Rank, Seat, Square
from referee.runtime.set_ups import TASTE
from referee.table import messages
from referee.table.event_actions import as_settled, decision_of, ply_of
from referee.table.views import Mode, Phase, PublicEvent, PublicInfo, PublicView

_WORTH = {rank: worth for rank, (worth, _) in TASTE.items()}
_BOLD_AFTER_PLIES = 300
_IMPATIENT_AFTER_PLIES = 40
"""Plies without an attack after which a player risks a scout's worth more, and again after as many."""


@dataclass(slots=True)
class Bot:
    """One seat's player. `style` is `sensible`, or `random` for one that plays any legal action."""

    rules: RuleSet
    seat: Seat
    rng: random.Random
    set_up: Mapping[Square, Rank]
    style: str = "sensible"
    game: Game | None = None
    _before: list[Game] = field(default_factory=list)
    """The games before each move that was read and is not final, oldest first."""
    _last_attack: int = 0
    _occupants: Mapping[Square, Seat] = field(default_factory=dict)
    _played: list[tuple[Action, CombatResult | None, Mapping[PieceId, Rank]]] = field(default_factory=list)
    """Everything that was played, so that an earlier ply can be gone back to."""

    @property
    def _now(self) -> Game:
        """Return the game that was begun."""
        assert self.game is not None
        return self.game

    def begin(self, occupants: Mapping[Square, Seat]) -> None:
        """Start a game from what stands on the board."""
        self.game = Game(self.rules, occupants, dict(self.set_up))
        self._before = []
        self._occupants, self._played = dict(occupants), []

    def moved(self, action: Action) -> None:
        """Take a move that was read."""
        self._before.append(self._now.copy())
        self.decided(action)

    def revised(self, action: Action) -> None:
        """Take the better reading of the move that was read last."""
        self.taken_back()
        self.moved(action)

    def taken_back(self) -> None:
        """Take the news that the last reading was retracted."""
        self.game = self._before.pop()
        self._played.pop()

    def stands(self) -> None:
        """Take the news that the oldest move not yet final is final."""
        self._before.pop(0)

    def back_to(self, ply: int) -> None:
        """Take the news that the game is back at its state after a ply; games of two armies only."""
        played = self._played
        self.begin(self._occupants)
        for action, result, shown in played:
            if self._now.ply >= ply:
                break
            self._play(action, result, shown)
        self._last_attack = min(self._last_attack, ply)

    def settled(self, action: Action, result: CombatResult, shown: Mapping[PieceId, Rank]) -> None:
        """Take a verdict and the ranks this seat heard with it."""
        self._play(action, result, shown)
        self._last_attack = self._now.ply

    def decided(self, action: Action) -> None:
        """Take a decision between two turns, or a pass."""
        self._play(action, None, {})

    def _play(self, action: Action, result: CombatResult | None, shown: Mapping[PieceId, Rank]) -> None:
        self._now.play(action, result, shown)
        self._played.append((action, result, shown))

    def gave_up(self, seat: Seat) -> None:
        """Take the news that a seat has left the game."""
        self._now.drop_out(seat)

    def recruit(self, choices: Iterable[str]) -> str:
        """Choose whom to bring back: the one worth most."""
        return max((word for word in choices if word != "none"), key=lambda word: _WORTH[Rank(word)])

    def slider(self) -> str:
        """Return `up`, or `stay` where the chance to recruit would be lost at VI: the recruitment space is occupied."""
        space = self.rules.board.homes[self.seat].recruitment
        return "up" if space is None or self._now.piece_at(space) is None else "stay"

    def choose(self) -> Action | None:
        """Return the next action, None when there is none."""
        actions = [one for one in self._now.legal_actions() if not (isinstance(one, Infiltrate) and one.via)]
        if not actions:
            return None
        if self.style == "random":
            return self.rng.choice(actions)
        return max(actions, key=lambda action: self._value(action) + self.rng.random() * 0.9)

    def declare(self, square: Square, choices: Iterable[str]) -> Rank:
        """Return the own rank on a square; it has to be one of the choices."""
        piece = self._now.piece_at(square)
        assert piece is not None
        (rank,) = self._now.possible(piece)
        assert rank.value in set(choices)
        return rank

    def _value(self, action: Action) -> float:
        if isinstance(action, Infiltrate):
            return self._guess_value(action)
        if isinstance(action, Fire):
            return self._shot_value(action)
        if not isinstance(action, Move) or action.leaving:
            return -10.0
        mine = self._now.piece_at(action.source)
        assert mine is not None
        (rank,) = self._now.possible(mine)
        victim = self._now.piece_at(action.target)
        if victim is not None:
            return self._attack_value(rank, victim)
        return self._walk_value(action, rank)

    def _attack_value(self, rank: Rank, victim: PieceId) -> float:
        possible = self._now.possible(victim)
        bold = min(2.0, self._now.ply / _BOLD_AFTER_PLIES)
        bold += (self._now.ply - self._last_attack) // _IMPATIENT_AFTER_PLIES
        total = weight = 0.0
        for other in possible:
            count = self.rules.army.get(other, 1)
            total += count * self._exchange(rank, other)
            weight += count
        expected = total / weight
        certain = 1.0 if len(possible) == 1 else 0.0
        return expected + bold + (2.0 * certain if expected > 0 else -4.0 * certain)

    def _guess_value(self, action: Infiltrate) -> float:
        """Return the value of an infiltration: a right guess wins the piece, a wrong one only reveals the infiltrator."""
        victim = self._now.piece_at(action.target)
        assert victim is not None
        possible = self._now.possible(victim)
        if action.guess not in possible:
            return -10.0
        chance = self.rules.army[action.guess] / sum(self.rules.army[rank] for rank in possible)
        return chance * min(_WORTH[action.guess], 30.0) - (1.0 - chance)

    def _shot_value(self, action: Fire) -> float:
        victim = self._now.piece_at(action.target)
        assert victim is not None
        possible = self._now.possible(victim)
        return sum(_WORTH[rank] for rank in possible) / len(possible) - _WORTH[Rank.CANNON]

    def _exchange(self, rank: Rank, other: Rank) -> float:
        result = self.rules.combat(rank, other)
        if result is CombatResult.FLAG_TAKEN:
            return 30.0
        if result is CombatResult.ATTACKER_WINS:
            return _WORTH[other]
        if result is CombatResult.BOTH_LOST:
            return (_WORTH[other] - _WORTH[rank]) * 0.5
        return -_WORTH[rank]

    def _walk_value(self, move: Move, rank: Rank) -> float:
        value = 0.25 * (self._distance(move.source) - self._distance(move.target)) + self._homeward(move)
        for neighbour in self.rules.board.neighbours(move.target):
            piece = self._now.piece_at(neighbour)
            if piece is None or piece.seat is self.seat:
                continue
            possible = self._now.possible(piece)
            if len(possible) == 1:
                (other,) = possible
                if self.rules.combat(other, rank) is CombatResult.ATTACKER_WINS and self._now.moved(piece):
                    value -= min(3.0, _WORTH[rank] * 0.3)
                elif self._exchange(rank, other) > 0:
                    value += 0.6
            elif _WORTH[rank] < 5:
                value += 0.3
        return value

    def _homeward(self, move: Move) -> float:
        """Return the value of a move for a carrier of the own flag: higher the nearer it comes to the turret (Stratego
        4); 0 for others.
        """
        castle, turret = self._now.castle, self.rules.board.turret
        if castle is None or turret is None or castle.flags[self.seat].square != move.source:
            return 0.0
        if move.target == turret:
            return 100.0
        there = self.rules.board.place(turret)
        before, after = (
            sum(abs(a - b) for a, b in zip(self.rules.board.place(s), there, strict=True))
            for s in (move.source, move.target)
        )
        return 0.8 * (before - after)

    def _distance(self, square: Square) -> float:
        """Return the steps to the nearest opposing piece, by columns and rows; 0 without one."""
        column, row = self.rules.board.place(square)
        rivals = [self.rules.board.place(s) for s, seat in self._now.occupants().items() if seat is not self.seat]
        return min((abs(c - column) + abs(r - row) for c, r in rivals), default=0.0)


# A player: what reaches the seat goes in, deeds come out.
#
# It tells the handset an ordinary move only where its moves are decided elsewhere: hands make it on the board, and the referee has to see
# it. Below: whose hand comes first.


_MOST_ASKED = 200
"""So often may the referee ask in one game before this player gives up on it."""

_DECISIONS = (messages.QuestionKind.TAKE_FLAG, messages.QuestionKind.SLIDER, messages.QuestionKind.RECRUIT)

Motion = dict[str, Any]
"""One motion of the hands in the simulator's words (docs/reference/simulator.md)."""


@dataclass(frozen=True, slots=True)
class Say:
    """The player has the handset send something; `intent` is the ply that this makes, where no hand makes it."""

    message: messages.FromHandset
    intent: tuple[int, str, str] | None = None


@dataclass(frozen=True, slots=True)
class Do:
    """The player's hands make a motion; `intent` is the ply it completes, for the count of misread ones."""

    motion: Motion
    intent: tuple[int, str, str] | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """The table sent something after which this player cannot continue."""

    text: str


@dataclass(frozen=True, slots=True)
class Stopped:
    """The recorded game stops here without a result."""


BotAct = Say | Do | Fault | Stopped


@dataclass(frozen=True, slots=True)
class GameScript:
    """A recorded game to be played again: its turns, what is answered between them, and how it ends after the last one."""

    turns: tuple[tuple[str, str, str], ...]
    """Source, target, and what it is: `move`, `fire`, `pass`, or the rank that an infiltrator guesses."""
    answers: Mapping[Seat, tuple[str, ...]]
    """Of each seat what it decides about flags, sliders and recruits, in the order in which it is asked."""
    reason: str | None = None
    winner: Seat | None = None


@dataclass(slots=True)
class SimulatedPlayer:
    """One seat of the demo."""

    bot: Bot
    info: PublicInfo
    script: GameScript | None = None
    think_ms: tuple[int, int] = (0, 0)
    """For how long it thinks before a move, at least and at most."""
    _acted: int = -1
    _decided: tuple[int, Move] | None = None
    """What it has said that it plays, and after which ply, where its moves are decided elsewhere."""
    _attack: tuple[Square, Square, str] | None = None
    """The own attack under way and how the hands make it: `told`, `both`, or `none` where the handset alone tells it."""
    _open: Move | Infiltrate | Fire | None = None
    _restore: bool = False
    _asked: int = 0
    _told: bool = False
    _told_by: str = ""
    """The message that told an attack last."""
    _verdict: PublicEvent | None = None
    _heard: dict[int, messages.Verdict] = field(default_factory=dict)
    _ids: int = 0
    _decided_before: dict[int, int] = field(default_factory=dict)
    """Of each decision that was asked for its number among this seat's."""
    _placed: bool = False
    _over: bool = False

    @property
    def seat(self) -> Seat:
        """Return the seat that this player sits on."""
        return self.bot.seat

    def act_again(self) -> None:
        """Plan the next action again: the planned one was not carried out."""
        self._acted, self._attack, self._told = -1, None, False

    def view(self, view: PublicView) -> Iterator[BotAct]:
        """Take the public view as it is now."""
        if view.phase is Phase.SETTING_UP and not self._placed:
            self._placed = True
            yield from self._set_up()
        if view.phase not in (Phase.LOBBY, Phase.SETTING_UP) and self.bot.game is None:
            self._begin(view.occupants)
        if view.phase is Phase.PAUSED:
            self.act_again()  # a pause takes back what was not yet final, and nobody asks for the board then
        game = self.bot.game
        if game is None or view.ply != game.ply or self._verdict is not None:
            return
        if self._restore and view.phase in (Phase.RESTORING, Phase.WAITING_FOR_BOARD):
            self._restore = False
            yield from self._put_right(view)
            return
        if game.result is not None and game.result.reason is EndReason.FLAG:
            return  # the last move ended it; the referee says so once it is final
        if game.castle is not None and game.castle.owed:
            return  # the last move came to a flag; its player is asked once it is final
        mine = view.turn is self.seat
        if mine and view.phase is Phase.PIECE_IN_HAND and self._attack and not self._told:
            source, target, style = self._attack
            if style == "told" and source.name in view.in_hand:
                self._told, self._told_by = True, self._id()
                yield Say(messages.TellAttack(id=self._told_by, source=source.name, target=target.name))
        if view.phase is Phase.WAITING_FOR_MOVE and view.ply != self._acted:
            if self.script is not None and view.ply >= len(self.script.turns):
                yield from self._end_as_recorded(view)
            elif mine and self.seat in self.info.decided and view.decided is None:
                yield from self._decide(view)
            elif mine:
                self._acted = view.ply
                yield from self._act(self._decided[1] if view.decided and self._decided else None)

    def _begin(self, occupants: Mapping[str, Seat]) -> None:
        squares = {square.name: square for square in self.bot.rules.board.squares}
        self.bot.begin({squares[name]: seat for name, seat in occupants.items()})

    def event(self, event: PublicEvent) -> Iterator[BotAct]:
        """Take a public event."""
        match event.kind:
            case "begin" if self.bot.game is None:
                self._begin(
                    {name: Seat(seat) for name, seat in (each.split("=") for each in (event.text or "").split())}
                )
            case "move.read":
                self.bot.moved(ply_of(event, self.bot.rules.board))
            case "move.revised":
                self.bot.revised(ply_of(event, self.bot.rules.board))
            case "move.taken-back" | "move.unread":
                self.bot.taken_back()  # the hands have made it: it is read after all, or they are asked to restore the board
            case "move.final":
                self.bot.stands()
            case "plies.taken-back":
                self._go_back(event.ply)
            case "verdict.voided":
                self._go_back(event.ply - 1)
            case "attack" | "infiltrate" | "fire":
                self._open = ply_of(event, self.bot.rules.board)
            case "verdict":
                self._verdict = event
                yield from self._take_verdict()
            case "resigned":
                assert event.seat is not None
                self.bot.gave_up(event.seat)
            case "pass":
                self.bot.decided(Pass())
            case "flags.taken" | "slider.decided" | "recruit.declined" | "recruited":
                self.bot.decided(decision_of(event, self.bot.rules.board))
                if event.kind == "recruited" and event.seat is self.seat:
                    yield Do({"motion": "put", "seat": self.seat.value, "square": event.target})
            case "ask" | "move.refused":
                self._asked += 1
                self._restore = True
                if self._asked > _MOST_ASKED:
                    yield Fault(f"the referee asks again and again: {event.kind} {event.text or ''}".rstrip())
            case "end":
                self._over = True
                set_up = {square.name: rank for square, rank in self.bot.set_up.items()}
                yield Say(messages.Consent(id=self._id(), set_up=set_up))

    def _go_back(self, ply: int) -> None:
        """Go on from an earlier ply, once the board has been put as it was."""
        self.bot.back_to(ply)
        self.act_again()
        self._decided = None
        self._open = self._verdict = None
        self._heard.clear()
        self._restore, self._over = True, False

    def _put_right(self, view: PublicView) -> Iterator[BotAct]:
        """Restore the board when the referee asks; one pair of hands does it, and then the mover moves again."""
        self.act_again()
        doer = view.turn or self.bot.rules.seats[0]
        if doer is self.seat:
            squares = {square: seat.value for square, seat in view.occupants.items()}
            yield Do({"motion": "restore", "squares": squares, "after_ms": 500})

    def letter(self, message: messages.ToHandset) -> Iterator[BotAct]:
        """Take a private message for this seat."""
        if isinstance(message, messages.Question):
            yield Say(self._answer(message))
        elif isinstance(message, messages.Verdict):
            self._heard[message.ply] = message
            yield from self._take_verdict()
        elif isinstance(message, messages.Rejected) and not self._over:
            yield from self._refused(message)

    def _refused(self, message: messages.Rejected) -> Iterator[BotAct]:
        """Repeat a told attack at the next chance where the plies before it have just become doubtful; all else is a fault."""
        if message.re == self._told_by and message.reason in ("not-your-turn", "not-now"):
            self._told = False
        else:
            yield Fault(f"{self.seat.value}'s handset was refused: {message.reason} {' '.join(message.detail)}")

    def _set_up(self) -> Iterator[BotAct]:
        if self.info.mode is Mode.ENROL:
            yield Say(
                messages.Enrol(id=self._id(), set_up={square.name: rank for square, rank in self.bot.set_up.items()})
            )
        yield Say(messages.Ready(id=self._id()))
        squares = [square.name for square in self.bot.rules.board.squares if square in self.bot.set_up]
        yield Do({"motion": "place", "seat": self.seat.value, "squares": squares})

    def _decide(self, view: PublicView) -> Iterator[BotAct]:
        """Announce the next move once the move before it is final; its hands make it when everybody is shown it."""
        if (self._decided and self._decided[0] == view.ply) or (view.last_move and not view.last_move.final):
            return
        action = self._next_action()
        if isinstance(action, Move):
            self._decided = (view.ply, action)
            squares = {"source": action.source.name, "target": action.target.name}
            yield Say(messages.Decide(id=self._id(), ply=view.ply + 1, **squares))
        else:
            self._acted = view.ply
            yield from self._act(action)

    def _act(self, decided: Action | None = None) -> Iterator[BotAct]:
        action = decided or self._next_action()
        if action is None or isinstance(action, Pass):
            yield Say(messages.ClaimImmobile(id=self._id()))
            return
        game = self.bot.game
        assert game is not None
        assert isinstance(action, Move | Infiltrate | Fire)
        intent = (game.ply + 1, action.source.name, action.target.name)
        if isinstance(action, Move):
            after_ms = self.bot.rng.randint(*self.think_ms)
            motion = self._walk(action) if game.piece_at(action.target) is None else self._strike(action)
            yield Do({**motion, "after_ms": after_ms}, intent)
            return
        self._attack, self._told = (action.source, action.target, "none"), True
        squares = {"source": action.source.name, "target": action.target.name}
        if isinstance(action, Infiltrate):
            yield Say(messages.TellInfiltrate(id=self._id(), guess=action.guess, **squares), intent)
        else:
            yield Say(messages.TellFire(id=self._id(), **squares), intent)

    def _walk(self, move: Move) -> Motion:
        style = "slide" if self.bot.rng.random() < 0.3 else "lift"
        if self.bot.rules.board.ring in (move.source, *self.bot.rules.board.path(move)):
            style = "lift"  # nobody slides through the tower in the ring's middle
        motion: Motion = {"motion": "move", "from": move.source.name, "to": move.target.name, "style": style}
        if style == "slide":
            motion["via"] = [square.name for square in self.bot.rules.board.path(move)[:-1]]
        return motion

    def _strike(self, move: Move) -> Motion:
        style = "both" if self.bot.rng.random() < 0.5 else "told"
        self._attack, self._told = (move.source, move.target, style), False
        if style == "both":
            return {"motion": "both", "from": move.source.name, "target": move.target.name}
        return {"motion": "lift", "square": move.source.name}

    def _next_action(self) -> Action | None:
        game = self.bot.game
        assert game is not None
        if self.script is None:
            return self.bot.choose()
        source, target, what = self.script.turns[game.ply]
        if what == "pass":
            return Pass()
        squares = self._square(source), self._square(target)
        if what == "move":
            return Move(*squares)
        return Fire(*squares) if what == "fire" else Infiltrate(*squares, Rank(what))

    def _end_as_recorded(self, view: PublicView) -> Iterator[BotAct]:
        """Bring about the recorded ending. What no hand can bring about (a clock, a forfeit) is played as resigning."""
        assert self.script is not None
        self._acted = view.ply
        mine = view.turn is self.seat
        match self.script.reason:
            case "immobile" | "both-immobile" if view.turn is not self.script.winner:
                if mine:
                    yield Say(messages.ClaimImmobile(id=self._id()))
            case "agreed":
                if mine:
                    yield Say(messages.OfferDraw(id=self._id()))
            case _ if self.script.winner is None:
                yield Stopped()
            case _ if self.script.winner is not self.seat:
                yield Say(messages.Resign(id=self._id()))

    def _answer(self, question: messages.Question) -> messages.FromHandset:
        if question.kind is messages.QuestionKind.DECLARE:
            assert question.square is not None
            rank = self.bot.declare(self._square(question.square), question.choices)
            return messages.Declare(id=self._id(), question=question.question, rank=rank)
        choice = "accept"
        if self.script is not None and question.kind in _DECISIONS:
            # the same one is asked again where its answer may be lost
            number = self._decided_before.setdefault(question.question, len(self._decided_before))
            choice = self.script.answers[self.seat][number]
        elif question.kind is messages.QuestionKind.CLAIM and self.bot.game is not None:
            also = self.bot.game.mobile(self.seat) is Mobility.NO
            choice = "accept-both" if also else "accept"
        elif question.kind is messages.QuestionKind.RECRUIT:
            choice = self.bot.recruit(question.choices)
        elif question.kind is messages.QuestionKind.SLIDER:
            choice = self.bot.slider()
        elif question.kind is messages.QuestionKind.TAKE_FLAG:
            choice = max(question.choices, key=lambda word: 0 if word == "none" else 1 + word.count(","))
        return messages.Answer(id=self._id(), question=question.question, choice=choice)

    def _take_verdict(self) -> Iterator[BotAct]:
        """Go on once the public verdict and, if it is about an own piece, this seat's letter are here, in whichever order."""
        event, game, attack = self._verdict, self.bot.game, self._open
        if event is None or game is None or attack is None:
            return
        action = as_settled(attack, event, self.bot.rules.board)
        pieces = {square: game.piece_at(square) for square in (action.source, action.target)}
        mine = any(piece is not None and piece.seat is self.seat for piece in pieces.values())
        if mine and event.ply not in self._heard:
            return
        shown: dict[PieceId, Rank] = {}
        letter = self._heard.pop(event.ply, None)
        for piece in pieces.values():
            assert piece is not None
            rank = event.captured.get(piece.seat)
            if rank is None and letter is not None:
                rank = letter.own if piece.seat is self.seat else letter.other
            if rank is not None:
                shown[piece] = rank
        self._verdict = self._open = None
        defender = pieces[action.target]
        assert defender is not None
        assert event.result
        result = CombatResult(event.result)
        self.bot.settled(action, result, shown)
        if event.seat is self.seat and self._attack is not None:
            style, self._attack = self._attack[2], None
            yield from self._clear(action, defender.seat, result, style)

    def _clear(
        self, action: Move | Infiltrate | Fire, defender: Seat, result: CombatResult, style: str
    ) -> Iterator[BotAct]:
        """Make the board agree with a verdict: the attacker's hands do it."""
        target = action.target.name
        if style == "none":
            gone = {CombatResult.INFILTRATED: (target,), CombatResult.BOTH_LOST: (action.source.name, target)}
            for square in gone.get(result, ()):
                yield Do({"motion": "remove", "square": square})
            return
        attacker_stays = result in (CombatResult.ATTACKER_WINS, CombatResult.FLAG_TAKEN)
        if style == "told" and (attacker_stays or result is CombatResult.BOTH_LOST):
            yield Do({"motion": "remove", "square": target})
        if attacker_stays:
            yield Do({"motion": "put", "seat": self.seat.value, "square": target})
        elif result is CombatResult.DEFENDER_WINS and style == "both":
            yield Do({"motion": "put", "seat": defender.value, "square": target})

    def _square(self, name: str) -> Square:
        return self.bot.rules.board.square(name)

    def _id(self) -> str:
        self._ids += 1
        return f"{self.seat.value}-{self._ids}"


def bot_rng(seed: int, seat: Seat) -> random.Random:
    """Return the random numbers of one seat in one game."""
    return random.Random(f"{seed}/{seat.value}")


# ---- whose turn it is to reach for the board: a hand with a lifted piece first puts that down


class WaitingHands:
    """Orders the motions of several players.

    Sensors that tell no army apart agree with a won attack before the two pieces have been exchanged. The next player, who hears that, must
    not take the piece that the winner's hand is about to take off.
    """

    def __init__(self) -> None:
        self._up: Seat | None = None
        """Whose hand has lifted a piece to tell an attack with it."""
        self._waiting: list[tuple[Seat, Motion]] = []

    def wish(self, seat: Seat, motion: Motion) -> list[Motion]:
        """Take a player's motion. Returns the motions to make now, in this order."""
        if self._up not in (None, seat):
            self._waiting.append((seat, motion))
            return []
        if motion["motion"] == "lift":
            self._up = seat
        elif motion["motion"] in ("put", "restore"):
            self._up = None
        return [motion, *self._those_free()]

    def lost(self) -> list[Motion]:
        """Note that nothing will be set down any more: the lifted piece is lost, or all hands restore the board.
        Returns the motions to begin now.
        """
        self._up = None
        return self._those_free()

    def _those_free(self) -> list[Motion]:
        if not self._waiting or self._up not in (None, self._waiting[0][0]):
            return []
        return self.wish(*self._waiting.pop(0))
