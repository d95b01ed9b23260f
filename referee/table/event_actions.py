"""What public events tell, in the words of the rules: for whoever follows a game by its events alone."""

from __future__ import annotations

from referee.rules import Board
from referee.rules.actions import Decided, Fire, Infiltrate, Move, MoveSlider, Recruit, TakeFlags
from referee.rules.values import PieceId, Rank, Seat, Square
from referee.table.views import PublicEvent


def occupants_of(begin: PublicEvent) -> dict[Square, Seat]:
    """Return where pieces stood when the game began (`a1=red b1=red ...`)."""
    words = (word.partition("=") for word in (begin.text or "").split())
    return {Square(name): Seat(seat) for name, _, seat in words}


def ply_of(event: PublicEvent, board: Board) -> Move | Infiltrate | Fire:
    """Return the ply that an event tells of: one that was read, or an attack that is asked about."""
    assert event.source
    assert event.target
    source, target = board.square(event.source), board.square(event.target)
    if event.kind == "fire":
        return Fire(source, target)
    via = tuple(map(board.square, event.via))
    if event.kind == "infiltrate":
        return Infiltrate(source, target, Rank(event.text), via)
    return Move(source, target, via, tuple(map(Seat, (event.text or "").split())))


def as_settled(attack: Move | Infiltrate | Fire, verdict: PublicEvent, board: Board) -> Move | Infiltrate | Fire:
    """Return an attack with the way that its piece went, which the verdict tells."""
    if not isinstance(attack, Move):
        return attack
    return Move(attack.source, attack.target, tuple(map(board.square, verdict.via)), attack.leaving)


def decision_of(event: PublicEvent, board: Board) -> Decided:
    """Return what an event tells that a seat decided between two plies."""
    words = (event.text or "").replace(",", " ").split()
    match event.kind:
        case "flags.taken":
            assert event.target
            return TakeFlags(board.square(event.target), tuple(Seat(word) for word in words if word != "none"))
        case "slider.decided":
            return MoveSlider(words == ["up"])
        case "recruited":
            assert event.seat
            return Recruit(PieceId(event.seat, int(words[0])))
        case _:
            return Recruit(None)
