"""The lines of `[plies]` in our own text.

12 red d4-d5                                        a move; d4-d5-e5 where the path turns
13 blue e7xe4 scout ? defender-wins                 an attack: ranks as far as this view was told them, the verdict
14 red d7*d9=miner infiltrated                      an infiltration with its guess
15 blue d4!d7 cannon scout both-lost                a shot
16 red c3-c4 leaving red,blue                       the piece leaves these flags on its source
  red takes blue on c4                              what was decided after it: flags taken (`nothing` for none)
  blue recruits #7 on g2                            the captured piece that comes back (its number in the set-up)
  blue recruits nobody                              a chance that was declined
  blue slider up                                    the winner's slider: `up` or `stay`
17 blue pass
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from typing import TypeVar

from referee.journal.records.errors import RecordFormatError
from referee.journal.records.model import Choice, Decision, GiveUp, Ply, Turn, action_text
from referee.rules import CombatResult, EndReason, Fire, Infiltrate, Move, MoveSlider, Pass, Recruit, TakeFlags
from referee.rules.values import PieceId, Rank, Seat, Square

UNKNOWN = "?"
NOTHING = "nothing"
NOBODY = "nobody"

E = TypeVar("E", bound=Enum)

_SQUARE = r"[a-z][a-z0-9]*"
_MOVE = re.compile(rf"({_SQUARE}(?:-{_SQUARE})*)([-x])({_SQUARE})")
_INFILTRATION = re.compile(rf"({_SQUARE}(?:-{_SQUARE})*)\*({_SQUARE})=([a-z]+)")
_SHOT = re.compile(rf"({_SQUARE})!({_SQUARE})")
_RECRUIT = re.compile(r"#([0-9]{1,4})")
_PLACELESS: Mapping[str, Choice] = {
    "gives up": GiveUp(),
    f"recruits {NOBODY}": Recruit(None),
    "slider up": MoveSlider(True),
    "slider stay": MoveSlider(False),
}


# --- value -> text -------------------------------------------------------------------------------------------------------


def write_ply(number: int, ply: Ply) -> list[str]:
    """Give the lines of a ply and its decisions."""
    words = [str(number), ply.seat.value, action_text(ply.action, ply.result is not None)]
    if ply.result is not None:
        if not isinstance(ply.action, Infiltrate):
            words += [UNKNOWN if rank is None else rank.value for rank in (ply.attacker, ply.defender)]
        words.append(ply.result.value)
    if isinstance(ply.action, Move) and ply.action.leaving:
        words.append("leaving " + _seats(ply.action.leaving))
    return [" ".join(words), *(write_decision(decision) for decision in ply.decisions)]


def write_decision(decision: Decision) -> str:
    """Give the line of a decision; it is indented."""
    match decision.choice:
        case TakeFlags(flags=flags):
            what = f"takes {_seats(flags) or NOTHING}"
        case Recruit(piece=piece):
            what = f"recruits {NOBODY if piece is None else f'#{piece.number}'}"
        case MoveSlider(up=up):
            what = f"slider {'up' if up else 'stay'}"
        case GiveUp():
            what = "gives up"
    place = "" if decision.square is None else f" on {decision.square.name}"
    return f"  {decision.seat.value} {what}{place}"


def _seats(seats: tuple[Seat, ...]) -> str:
    return ",".join(seat.value for seat in seats)


# --- text -> value -------------------------------------------------------------------------------------------------------


def read_ply(wanted: int, line: int, text: str) -> Ply:
    """Read a ply that must have the number `wanted`; raises `RecordFormatError`."""
    words = text.split()
    if len(words) < 3:
        raise RecordFormatError("'number seat action' must stand here", line)
    if words[0] != str(wanted):
        raise RecordFormatError(f"ply {wanted} must stand here", line)
    seat = word_of(Seat, line, words[1])
    action, attack = _action(words[2], line)
    rest = words[3:]
    if "leaving" in rest:
        at = rest.index("leaving")
        action = _leaving(action, rest[at + 1 :], line)
        rest = rest[:at]
    if not attack:
        if rest:
            raise RecordFormatError("nothing may follow a move that is no attack", line)
        return Ply(seat, action)
    return _attack(seat, action, rest, line)


def read_decision(line: int, text: str) -> Decision:
    """Read a decision; raises `RecordFormatError`."""
    words = text.split()
    seat = word_of(Seat, line, words[0])
    if (choice := _PLACELESS.get(" ".join(words[1:]))) is not None:
        return Decision(seat, choice)
    if len(words) != 5 or words[3] != "on" or not re.fullmatch(_SQUARE, words[4]):
        raise RecordFormatError(
            "'takes FLAGS on SQUARE', 'recruits #NUMBER on SQUARE', 'recruits nobody', 'slider up', 'slider stay' or 'gives up' "
            "must follow the seat",
            line,
        )
    square = Square(words[4])
    if words[1] == "recruits" and (number := _RECRUIT.fullmatch(words[2])):
        return Decision(seat, Recruit(PieceId(seat, int(number[1]))), square)
    if words[1] == "takes":
        flags = () if words[2] == NOTHING else _read_seats(words[2], line)
        return Decision(seat, TakeFlags(square, flags), square)
    raise RecordFormatError("a decision is 'takes', 'recruits' or 'gives up'", line)


def _action(text: str, line: int) -> tuple[Turn, bool]:
    """Give the action, and whether a verdict has to follow."""
    if text == "pass":
        return Pass(), False
    if match := _MOVE.fullmatch(text):
        source, *via = (Square(name) for name in match[1].split("-"))
        return Move(source, Square(match[3]), tuple(via)), match[2] == "x"
    if match := _INFILTRATION.fullmatch(text):
        source, *via = (Square(name) for name in match[1].split("-"))
        return Infiltrate(source, Square(match[2]), word_of(Rank, line, match[3]), tuple(via)), True
    if match := _SHOT.fullmatch(text):
        return Fire(Square(match[1]), Square(match[2])), True
    raise RecordFormatError("the action is none of d4-d5, d4xd5, d7*d9=rank, d4!d7 and pass", line)


def _leaving(action: Turn, words: list[str], line: int) -> Turn:
    if not isinstance(action, Move) or len(words) != 1:
        raise RecordFormatError("'leaving' stands after a move and before the flags' seats", line)
    return Move(action.source, action.target, action.via, _read_seats(words[0], line))


def _attack(seat: Seat, action: Turn, words: list[str], line: int) -> Ply:
    attacker: Rank | None = None
    defender: Rank | None = None
    if not isinstance(action, Infiltrate):
        if len(words) != 3:
            raise RecordFormatError("both ranks (or ?) and the verdict must follow an attack", line)
        attacker, defender = (None if word == UNKNOWN else word_of(Rank, line, word) for word in words[:2])
        words = words[2:]
    if len(words) != 1:
        raise RecordFormatError("the verdict must follow", line)
    return Ply(seat, action, word_of(CombatResult, line, words[0]), attacker, defender)


def _read_seats(text: str, line: int) -> tuple[Seat, ...]:
    return tuple(word_of(Seat, line, name) for name in text.split(","))


def word_of(kind: type[E], line: int, text: str) -> E:
    """Give the member with this value. The text itself is not repeated in the error: it could be a rank."""
    for member in kind:
        if member.value == text:
            return member
    what = {CombatResult: "verdict", EndReason: "reason"}.get(kind, kind.__name__.lower())
    raise RecordFormatError(f"no {what} has this name", line)
