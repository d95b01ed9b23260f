"""What public events tell, in the words of the rules: for whoever follows a game by its events alone."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from typing import Final

from referee.rules import Board
from referee.rules.actions import Decided, Fire, Infiltrate, Move, MoveSlider, Pass, Recruit, TakeFlags
from referee.rules.values import PieceId, Rank, Seat, Square
from referee.table.views import PublicEvent

Turn = Move | Infiltrate | Fire | Pass
"""What fills a turn."""


def occupants_of(begin: PublicEvent) -> dict[Square, Seat]:
    """Return where pieces stood when the game began (`a1=red b1=red ...`)."""
    words = (word.partition("=") for word in (begin.text or "").split())
    return {Square(name): Seat(seat) for name, _, seat in words}


def ply_of(event: PublicEvent, board: Board) -> Move | Infiltrate | Fire:
    """Return the ply that an event holds: a move that was read, or an attack that is asked about."""
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
    """Return the decision between two plies that an event holds."""
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


@dataclass(slots=True)
class PliesTold:
    """Which plies a game's events contain, and when each becomes final."""

    board: Board
    _open: list[tuple[int, Seat, Turn]] = field(default_factory=list)
    """Moves that were read and can still be revised, with their numbers and seats."""
    _attack: Move | Infiltrate | Fire | None = None
    """The attack that is asked about."""

    def take(self, event: PublicEvent) -> tuple[Seat, Turn] | None:
        """Return the ply that this event makes final, and whose it is; None for one that makes none."""
        match event.kind:
            case "move.read" | "move.revised":
                assert event.seat
                self.forget(event.ply)
                self._open.append((event.ply, event.seat, ply_of(event, self.board)))
            case "move.taken-back" | "move.unread" | "move.refused":
                self.forget(event.ply)
            case "attack" | "infiltrate" | "fire":
                self._attack = ply_of(event, self.board)
            case "attack.withdrawn":
                self._attack = None
            case "move.final":
                return self._open.pop(0)[1:] if self._open else None
            case "verdict":
                assert self._attack is not None
                assert event.seat
                done, self._attack = as_settled(self._attack, event, self.board), None
                return event.seat, done
            case "pass":
                assert event.seat
                return event.seat, Pass()
        return None

    def forget(self, ply: int) -> None:
        """Forget the open plies from this number on: they never were, or were other ones."""
        self._open = [each for each in self._open if each[0] < ply]


# --- as records and chains write it -----------------------------------------------------------------------------------


LONGEST_TEXT: Final = 200


def plain(text: str) -> str:
    """Return a text on one line: runs of white space become one space, control characters are removed."""
    if not text.isprintable():  # as most are; what is, has no control character
        text = "".join(" " if _is_control(letter) else letter for letter in text)
    return " ".join(text.split())[:LONGEST_TEXT].strip()


def _is_control(letter: str) -> bool:
    return unicodedata.category(letter) in ("Cc", "Cs")


def action_text(action: Turn, attack: bool) -> str:
    """Return `d4-d5`, `d4-d5-e5`, `d4xd5`, `d7*d9=miner` (infiltrate, the guess is public), `d4!d7` (fire) or `pass`."""
    match action:
        case Move():
            return f"{_way(action.source, action.via)}{'x' if attack else '-'}{action.target.name}"
        case Infiltrate():
            return f"{_way(action.source, action.via)}*{action.target.name}={action.guess.value}"
        case Fire():
            return f"{action.source.name}!{action.target.name}"
        case Pass():
            return "pass"


def _way(source: Square, via: tuple[Square, ...]) -> str:
    return "-".join(square.name for square in (source, *via))


def leaving_words(action: Turn) -> tuple[str, ...]:
    """Return what says which flags a move leaves on its square; nothing where it leaves none."""
    return ("leaving", seats_text(action.leaving)) if isinstance(action, Move) and action.leaving else ()


def seats_text(seats: tuple[Seat, ...]) -> str:
    """Return seats with commas between."""
    return ",".join(seat.value for seat in seats)


def decision_text(seat: Seat, choice: Decided | None, square: Square | None) -> str:
    """Return what a seat decided between two plies, None: to give up."""
    match choice:
        case TakeFlags(flags=flags):
            what = f"takes {seats_text(flags) or NOTHING}"
        case Recruit(piece=piece):
            what = f"recruits {NOBODY if piece is None else f'#{piece.number}'}"
        case MoveSlider(up=up):
            what = f"slider {'up' if up else 'stay'}"
        case None:
            what = "gives up"
    return f"{seat.value} {what}{'' if square is None else f' on {square.name}'}"


NOTHING: Final = "nothing"
NOBODY: Final = "nobody"


def correction_text(kind: str, ply: int, seat: Seat | None, word: str | None) -> str:
    """Return a correction without its reason."""
    return " ".join(each for each in (str(ply), kind, seat and seat.value, word) if each)
