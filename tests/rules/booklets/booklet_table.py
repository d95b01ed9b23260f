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

from collections import Counter

import pytest

from referee.rules import (
    Action,
    CombatResult,
    Fire,
    Game,
    IllegalActionError,
    Infiltrate,
    Move,
    MoveSlider,
    Pass,
    PieceId,
    Rank,
    Recruit,
    ResultNeededError,
    RuleSet,
    Seat,
    Square,
    TakeFlags,
)


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

    def act(self, words: list[str]) -> None:
        """Play an action, and check its verdict."""
        action, told = self.action(words), None
        if any(sign in words[0] for sign in "x*!"):
            told = CombatResult(words[-1])
        try:
            played = self.game.play(action)
        except ResultNeededError:
            played = self.game.play(action, told)
        assert played.result is told

    def look(self, words: list[str]) -> None:
        """Check what one line says of the game as it stands, or play it."""
        game, verb = self.game, words[0]
        if verb == "may":
            action = self.action(words[1:])
            assert game.refusals(action) == ()
            assert action in game.legal_actions()
        elif verb == "no":
            action = self.action(words[1:])
            assert [refusal.reason.value for refusal in game.refusals(action)] == words[-1].split(",")
            assert action not in game.legal_actions()
            with pytest.raises(IllegalActionError):
                game.play(action)
        elif verb == "needs":
            with pytest.raises(ResultNeededError):
                game.play(self.action(words[1:]))
        elif verb == "knows":
            piece = game.piece_at(Square(words[1]))
            assert piece is not None
            assert {rank.value for rank in game.possible(piece)} == set(words[2].split(","))
        elif verb == "lost":
            assert Counter(map(self.rank, game.captured(Seat(words[1])))) == Counter(
                word for word in words[2].split(",") if word != "nothing"
            )
        elif verb == "turn":
            assert game.turn is Seat(words[1])
        elif verb in {"won", "drawn"}:
            assert game.result is not None
            assert [game.result.winner, game.result.reason.value] == [
                Seat(words[1]) if verb == "won" else None,
                words[-1],
            ]
        elif verb == "flag":
            assert game.castle is not None
            flag = game.castle.flags[Seat(words[1])]
            where = game.square_of(flag.carrier) if flag.carrier else flag.square
            assert [where, "carried" if flag.carrier else "alone"] == [Square(words[2]), words[3]]
        elif verb == "slider" and len(words) == 3:
            assert game.castle is not None
            assert game.castle.sliders[Seat(words[1])] == int(words[2])
        elif len(words) > 1 and words[1] in {"empty", *(seat.value for seat in Seat)}:
            piece = game.piece_at(Square(verb))
            assert ([piece.seat.value, self.rank(piece)] if piece else ["empty"]) == words[1:]
        else:
            self.act(words)
