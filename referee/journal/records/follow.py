"""Follows the pieces of a record through its plies, by the square each was set up on; without rules, by verdicts alone.

Serves what needs to know which piece a ply moved and what was known of it: the views, and the judging of partly known games.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from referee.journal.records.errors import RecordError
from referee.journal.records.model import Decision, GiveUp, Ply, SetUp
from referee.rules import CombatResult, Fire, Infiltrate, Move, Recruit
from referee.rules.values import Rank, Seat, Square

Start: TypeAlias = tuple[Seat, Square]
"""A piece, named by its seat and the square on which it was set up."""

Pair: TypeAlias = tuple[Start | None, Start | None]
"""The piece that acted and the one that it met, None where there is none."""

ATTACKER_GOES = frozenset({CombatResult.DEFENDER_WINS, CombatResult.BOTH_LOST})
DEFENDER_GOES = frozenset(
    {CombatResult.ATTACKER_WINS, CombatResult.BOTH_LOST, CombatResult.FLAG_TAKEN, CombatResult.INFILTRATED}
)


class Follower:
    """The pieces of one game and where they stand. `rank_of` is what the record says of them so far."""

    def __init__(self, set_ups: Mapping[Seat, SetUp]) -> None:
        self._numbered = {seat: [(seat, square) for square in set_up] for seat, set_up in set_ups.items()}
        self.standing: dict[Square, Start] = {}
        self.rank_of: dict[Start, Rank] = {}
        self._number = 0
        for seat, set_up in set_ups.items():
            for square, rank in set_up.items():
                if square in self.standing:
                    raise RecordError(f"{square.name} is set up twice")
                self.standing[square] = (seat, square)
                if rank is not None:
                    self.rank_of[seat, square] = rank

    def play(self, ply: Ply) -> Pair:
        """Carry out a ply; give who met whom. Raises `RecordError` that names the ply."""
        self._number += 1
        pair = self._act(ply)
        for start, rank in _told(ply, pair):
            if start is not None and self.rank_of.setdefault(start, rank) is not rank:
                raise self._fault(f"the piece set up on {start[1].name} has two ranks")
        for decision in ply.decisions:
            self.decide(decision)
        return pair

    def _act(self, ply: Ply) -> Pair:
        action = ply.action
        if not isinstance(action, Move | Infiltrate | Fire):
            return None, None
        mover = self._piece(action.source)
        if mover[0] is not ply.seat:
            raise self._fault(f"the piece on {action.source.name} is not {ply.seat.value}'s")
        met = self.standing.get(action.target)
        if (met is None) != (ply.result is None):
            raise self._fault("an attack and its verdict must come together")
        if ply.result in ATTACKER_GOES or isinstance(action, Fire):
            del self.standing[action.source]
        if ply.result in DEFENDER_GOES:
            del self.standing[action.target]
        end = (
            action.target
            if isinstance(action, Move)
            else action.via[-1]
            if isinstance(action, Infiltrate) and action.via
            else None
        )
        if end is not None and end not in self.standing and action.source in self.standing:
            self.standing[end] = self.standing.pop(action.source)
        return mover, met

    def decide(self, decision: Decision) -> None:
        """Carry out a decision. Raises `RecordError`."""
        if isinstance(decision.choice, GiveUp):
            self.standing = {square: start for square, start in self.standing.items() if start[0] is not decision.seat}
        elif isinstance(decision.choice, Recruit) and decision.choice.piece is not None:
            self._recruit(decision, decision.choice.piece.number)

    def _recruit(self, decision: Decision, number: int) -> None:
        numbered = self._numbered.get(decision.seat, [])
        if number >= len(numbered) or decision.square is None or decision.square in self.standing:
            raise self._fault(f"{decision.seat.value} has no such piece to recruit, or no room for it")
        if numbered[number] in self.standing.values():
            raise self._fault(f"the piece that {decision.seat.value} recruits stands on the board")
        self.standing[decision.square] = numbered[number]

    def _piece(self, square: Square) -> Start:
        if square not in self.standing:
            raise self._fault(f"no piece stands on {square.name}")
        return self.standing[square]

    def _fault(self, message: str) -> RecordError:
        return RecordError(f"ply {self._number}: {message}")


def _told(ply: Ply, pair: Pair) -> Iterator[tuple[Start | None, Rank]]:
    """Give the ranks that a ply tells."""
    attacker, defender = pair
    if isinstance(ply.action, Infiltrate):
        yield attacker, Rank.INFILTRATOR
        if ply.result is CombatResult.INFILTRATED:
            yield defender, ply.action.guess
    if ply.attacker is not None:
        yield attacker, ply.attacker
    if ply.defender is not None:
        yield defender, ply.defender
