"""A game told in lines, as the rows of the booklets have it in `play`. A line is one of:

e4-e5, e4-f4-f5       a legal move without an attack; a path that turns names the corner
e4-e5 leaving red     a move that leaves these flags behind
e4xe5 VERDICT         a legal attack with its verdict, which is told to the game only if a rank is unknown
e7*e8=miner VERDICT   an infiltration;  e4!e7 VERDICT  a shot of the cannon;  pass
takes red e5, takes nothing e5, slider up, slider stay, recruits spy, recruits nobody
                      answers to what is owed, which must be legal
may ACTION            the action is legal, and is not played; of an attack no verdict is said
no ACTION REASON      the action is refused for this reason and no other
needs ACTION          the attack is legal and cannot be judged before both ranks are told
e5 red scout          what is known to stand there, `?` for an unknown piece;  e5 empty
knows e5 scout,spy    the ranks that this piece may have by all that was seen
lost red spy,scout    the pieces of red that have left the board, each of known rank;  lost red nothing
turn red, won red flag, drawn both-immobile
flag red e5 carried, flag red e5 alone, slider red 3
"""

from collections.abc import Iterable

import pytest

from referee.rules import (
    Action,
    CombatResult,
    EndReason,
    Fire,
    Game,
    GameResult,
    Infiltrate,
    Move,
    MoveSlider,
    Pass,
    Recruit,
    RuleSet,
    TakeFlags,
)
from referee.rules.outcomes import IllegalActionError, ResultNeededError
from referee.rules.values import PieceId, Rank, Seat, Square


def _placed(*texts: str) -> tuple[dict[Square, Seat], dict[Square, Rank]]:
    """Return who stands where, and the ranks that are known, of lines like `red: e4 scout, f4 ?`."""
    occupants, ranks = {}, {}
    for line in "\n".join(texts).split("\n"):
        seat, _, pieces = line.partition(":")
        for piece in filter(None, map(str.strip, pieces.split(","))):
            square, rank = piece.split()
            occupants[Square(square)] = Seat(seat.strip())
            if rank != "?":
                ranks[Square(square)] = Rank(rank)
    return occupants, ranks


def _sorted(words: Iterable[str]) -> str:
    return ",".join(sorted(words))


def _flags(words: str) -> tuple[Seat, ...]:
    return () if words == "nothing" else tuple(Seat(word) for word in words.split(","))


class BookletTable:
    """A game in which the lines of one row are played or looked at, in their order."""

    def __init__(self, rules: RuleSet, *pieces: str, turn: str | None = None) -> None:
        self.game = Game(rules, *_placed(*pieces), Seat(turn) if turn else None)

    def action(self, words: list[str]) -> Action:
        """Return the action that the first words of a line name."""
        game, how, rest = self.game, words[0], words[1:]
        if how == "pass":
            return Pass()
        if how == "slider":
            return MoveSlider(up={"up": True, "stay": False}[rest[0]])
        if how == "takes":
            return TakeFlags(Square(rest[1]), _flags(rest[0]))
        if how == "recruits":
            gone = [piece for seat in Seat if seat in game.rule_set.seats for piece in game.captured(seat)]
            mine = [
                piece
                for piece in gone
                if piece.seat is game.turn and rest[0] != "nobody" and self.rank(piece) == rest[0]
            ]
            assert mine or rest[0] == "nobody"
            return Recruit(mine[0] if mine else None)
        if "*" in how:
            way, _, guess = how.partition("=")
            *via, target = map(Square, way.replace("-", "*").split("*"))
            return Infiltrate(via[0], target, Rank(guess), tuple(via[1:]))
        if "!" in how:
            source, target = map(Square, how.split("!"))
            return Fire(source, target)
        source, *corner, target = map(Square, how.replace("x", "-").split("-"))
        return Move(source, target, tuple(corner), _flags(rest[1]) if rest[:1] == ["leaving"] else ())

    def rank(self, piece: PieceId | None) -> str:
        known = self.game.possible(piece) if piece else frozenset[Rank]()
        return next(iter(known)).value if len(known) == 1 else "?"

    def act(self, words: list[str]) -> tuple[str, str]:
        """Play an action; return its verdict and the one that the line says, `none` for an action without an attack."""
        action = self.action(words)
        said = words[-1] if any(sign in words[0] for sign in "x*!") else "none"
        try:
            played = self.game.play(action)
        except IllegalActionError as refused:
            return _sorted(refusal.reason.value for refusal in refused.refusals), said
        except ResultNeededError:
            played = self.game.play(action, CombatResult(said))
        return played.result.value if played.result else "none", said

    def _refused(self, action: Action) -> str:
        """Return the reasons against an action, `legal` for none; every way of asking must agree."""
        reasons = _sorted(refusal.reason.value for refusal in self.game.refusals(action))
        assert (action in self.game.legal_actions()) is (not reasons)
        if reasons:
            with pytest.raises(IllegalActionError):
                self.game.play(action)
        return reasons or "legal"

    def line(self, words: list[str]) -> tuple[str, str]:
        """Play or look at one line; return what is so and what the line says, equal where the statement holds."""
        game, verb, said = self.game, words[0], _sorted(words[-1].split(","))
        if verb == "may":
            return self._refused(self.action(words[1:])), "legal"
        if verb == "no":
            return self._refused(self.action(words[1:])), said
        if verb == "needs":
            with pytest.raises(ResultNeededError):
                game.play(self.action(words[1:]))
            return "", ""
        if verb == "ways":
            moves = [action for action in game.legal_actions() if isinstance(action, Move)]
            return _sorted({move.target.name for move in moves if move.source.name == words[1]}), said
        if verb == "knows":
            piece = game.piece_at(Square(words[1]))
            return _sorted(rank.value for rank in game.possible(piece)) if piece else "empty", said
        if verb == "lost":
            return _sorted(map(self.rank, game.captured(Seat(words[1])))) or "nothing", said
        if verb in {"won", "drawn"}:
            end = game.result or GameResult(None, EndReason.UNFINISHED)
            return " ".join(["won", end.winner.value] if end.winner else ["drawn"]) + f" {end.reason.value}", " ".join(
                words
            )
        return self._thing(words)

    def _thing(self, words: list[str]) -> tuple[str, str]:
        """Look at whose turn it is, a flag, a slider or a square; or else play the line."""
        game, verb, said = self.game, words[0], " ".join(words[1:])
        if verb == "turn":
            return game.turn.value, said
        if game.castle and verb == "flag":
            flag = game.castle.flags[Seat(words[1])]
            where = game.square_of(flag.carrier) if flag.carrier else flag.square
            return f"{words[1]} {where.name if where else ''} {'carried' if flag.carrier else 'alone'}", said
        if game.castle and verb == "slider" and len(words) == 3:
            return f"{words[1]} {game.castle.sliders[Seat(words[1])]}", said
        if verb != "takes" and said.split(" ")[0] in {"empty", *(seat.value for seat in Seat)}:
            piece = game.piece_at(Square(verb))
            return f"{piece.seat.value} {self.rank(piece)}" if piece else "empty", said
        return self.act(words)
