"""The same game kept twice, as everybody knows it and as the referee knows it, and the way back to an earlier ply.

    dual.play(action, result, ranks)
    earlier = dual.back_to(12)         # as it stood after ply 12; what was declared later is forgotten

The way back is kept for `MOST_BACK` entries, so a game that never ends does not grow.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from referee.rules import Action, CombatResult, Fire, Game, GameResult, Infiltrate, Move, Recruit
from referee.rules.hidden import Hidden
from referee.rules.outcomes import ActionResult
from referee.rules.values import PieceId, Rank, Seat

MOST_BACK = 1024
"""So many turns and decisions can be taken back; earlier ones stay."""


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One change of the game: a turn, a decision after it, or a seat that left."""

    ply: int
    """Plies played with it."""
    seat: Seat
    action: Action | None
    """None: the seat left."""
    result: CombatResult | None = None
    ranks: Hidden[Mapping[PieceId, Rank]] | None = None

    @property
    def fight(self) -> Move | Infiltrate | Fire | None:
        """Return the attack that this verdict settled, None where it is no verdict."""
        return self.action if self.ranks is not None and isinstance(self.action, Move | Infiltrate | Fire) else None


@dataclass(frozen=True, slots=True)
class _Start:
    public: Game
    known: Game
    captured: Mapping[PieceId, Rank]


@dataclass(slots=True)
class DualGame:
    """`public` knows what everybody knows, `known` what the referee was told besides."""

    public: Game
    known: Game
    ends_by_public: bool
    """Whether only public knowledge may end the game (declare mode): an end that follows from declared ranks would tell them."""
    captured: dict[PieceId, Rank] = field(default_factory=dict)
    """Pieces that were lost in attacks and did not come back; their ranks are public."""
    history: list[HistoryEntry] = field(default_factory=list)
    """What was done since `_start`, at most `MOST_BACK`."""
    _start: _Start | None = None

    def __post_init__(self) -> None:
        if self._start is None:
            self._start = _Start(self.public.copy(), self.known.copy(), dict(self.captured))

    def copy(self) -> DualGame:
        """Return an independent pair."""
        games = (self.public.copy(), self.known.copy())
        return DualGame(*games, self.ends_by_public, dict(self.captured), list(self.history), self._start)

    @property
    def result(self) -> GameResult | None:
        """Return how the game ended by the rules, None while it is in progress."""
        return self.public.result if self.ends_by_public else self.known.result

    @property
    def first_ply(self) -> int:
        """Return the earliest ply that `back_to` reaches."""
        assert self._start is not None
        return self._start.public.ply

    def play(
        self, action: Action, result: CombatResult | None = None, ranks: Mapping[PieceId, Rank] | None = None
    ) -> ActionResult:
        """Play the same in both; of the `ranks` that met, which the referee learns, the public learns those of captured pieces."""
        over = self.known.result
        for piece, rank in (ranks or {}).items():
            self.known.learn(piece, frozenset({rank}))  # each was possible, and no army's ranks narrow another's
        self.known.result = over  # the last piece that might have moved was told to be none: its attack comes first
        played = self.known.play(action, result, ranks)
        shown = {piece: ranks[piece] for piece in played.captured} if ranks is not None else None
        self.public.play(action, result, shown)
        self._go_on_together()
        self.captured |= shown or {}
        if isinstance(action, Recruit) and action.piece is not None:
            self.captured.pop(action.piece, None)
        hidden = Hidden[Mapping[PieceId, Rank]](dict(ranks)) if ranks is not None else None
        self._note(HistoryEntry(self.public.ply, played.seat, action, result, hidden))
        return played

    def drop_out(self, seat: Seat) -> None:
        """Take a seat out of both."""
        self.public.drop_out(seat)
        self.known.drop_out(seat)
        self._go_on_together()
        self._note(HistoryEntry(self.public.ply, seat, None))

    def last_plies(self) -> dict[Seat, int]:
        """Return the last ply of each seat, of those that `back_to` can still undo."""
        return {
            entry.seat: entry.ply for entry in self.history if entry.action is not None and entry.ply > self.first_ply
        }

    def back_to(self, ply: int) -> DualGame:
        """Return the game as it stood after a ply, with what was decided or left before the next one; `first_ply` or later."""
        dual = self._begun()
        for entry in self.history:
            if entry.ply > ply:
                break
            dual._repeat(entry)
        return dual

    def _begun(self) -> DualGame:
        start = self._start
        assert start is not None
        return DualGame(start.public.copy(), start.known.copy(), self.ends_by_public, dict(start.captured))

    def _repeat(self, entry: HistoryEntry) -> None:
        if entry.action is None:
            self.drop_out(entry.seat)
        else:
            self.play(entry.action, entry.result, None if entry.ranks is None else entry.ranks.open_hidden())

    def _note(self, entry: HistoryEntry) -> None:
        self.history.append(entry)
        if len(self.history) > MOST_BACK:
            begun = self._begun()
            begun._repeat(self.history.pop(0))
            self._start = _Start(begun.public, begun.known, begun.captured)

    def _go_on_together(self) -> None:
        if self.ends_by_public and self.public.result is None:
            self.known.result = None  # the referee alone sees an end: it judges on as if it did not
