"""What one observer could know of the hidden armies after every ply: the game is played again under nothing but what it was told.

Its `Game` narrows the ranks of each piece by the ways it went, by verdicts and by what was told (`referee.rules.knowledge`). The
observer's own set-up is not needed: what it shows of another piece is told with each fight.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from referee.analysis.counting import Assignments, Chance, Error, assignments
from referee.rules import Action, CombatResult, Decided, Game, Rank, RuleSet, Seat, Square


@dataclass(frozen=True, slots=True)
class ObservedPly:
    """One ply as an observer saw it: what was done, the verdict of an attack, and every rank in it that the observer knew when it was over.

    `told` names the pieces by where they stood before the ply. `decisions` were made after it; a seat among them gave up.
    """

    action: Action
    result: CombatResult | None = None
    told: Mapping[Square, Rank] = field(default_factory=dict)
    decisions: Sequence[Decided | Seat] = ()


@dataclass(frozen=True)
class HiddenArmy:
    """What is known of one army: an army's counts, and by the square that each piece was set up on the ranks that it could be."""

    counts: Mapping[Rank, int]
    could: Mapping[Square, frozenset[Rank]]

    @cached_property
    def _found(self) -> Assignments:
        return assignments(self.counts, list(self.could.values()))

    @property
    def ways(self) -> int | float:
        """How many consistent armies there are; 0 where not even sampling found one."""
        return self._found.ways

    @property
    def chances(self) -> Mapping[Square, Mapping[Rank, Chance]]:
        """By piece how likely it has each rank that it could be."""
        return dict(zip(self.could, self._found.chances, strict=bool(self.ways)))

    @property
    def error(self) -> Error | None:
        """None where ways and chances are exact."""
        return self._found.error


def knowledge(
    rules: RuleSet, occupants: Mapping[Square, Seat], plies: Iterable[ObservedPly], observer: Seat | None = None
) -> list[dict[Seat, HiddenArmy]]:
    """Return what an observer (None: who has no pieces) knew of each hidden army before the first ply and after each.

    Raises what `Game.play` raises.
    """
    return list(followed(rules, occupants, plies, observer))


def followed(
    rules: RuleSet,
    occupants: Mapping[Square, Seat],
    plies: Iterable[ObservedPly],
    observer: Seat | None = None,
    before: Sequence[Decided | Seat] = (),
) -> Iterator[dict[Seat, HiddenArmy]]:
    """Yield the same one by one; `before` was decided before the first ply. An army of which nothing changed is the same object."""
    game = Game(rules, occupants)
    starts = {
        seat: {square: game.piece_at(square) for square in rules.board.squares if occupants.get(square) is seat}
        for seat in rules.seats
        if seat is not observer
    }
    counts, known = dict(rules.army), dict[Seat, HiddenArmy]()

    def look() -> dict[Seat, HiddenArmy]:
        for seat, pieces in starts.items():
            could = {square: game.possible(piece) for square, piece in pieces.items() if piece is not None}
            if seat not in known or known[seat].could != could:
                known[seat] = HiddenArmy(counts, could)
        return dict(known)

    _decide(game, before)
    yield look()
    for seen in plies:
        shown = {piece: rank for square, rank in seen.told.items() if (piece := game.piece_at(square)) is not None}
        game.play(seen.action, seen.result, shown)
        _decide(game, seen.decisions)
        yield look()


def _decide(game: Game, decisions: Iterable[Decided | Seat]) -> None:
    for decision in decisions:
        if isinstance(decision, Seat):
            game.drop_out(decision)
        else:
            game.play(decision)
