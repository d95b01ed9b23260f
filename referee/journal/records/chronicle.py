"""From what a journal holds to a record: the facts of one game in order become its set-ups, plies and result.

Pure. Ranks come in the clear, as the journal unseals them for the referee, and go into a record of the referee's view.
"""

from __future__ import annotations

from collections.abc import Mapping

from referee.arbitration.views import Mode, PublicEvent, Reveal
from referee.journal.records.model import Ply, Record, SetUp, View
from referee.rules import CombatResult, EndReason, GameResult, Move, RuleSet
from referee.rules.values import BySeat, Rank, Seat, Square


class Chronicle:
    """Takes the facts of one game one by one; `record` gives what they amount to so far."""

    def __init__(self, rules: RuleSet, mode: Mode, reveal: Reveal, names: Mapping[Seat, str], date: str | None) -> None:
        self._rules = rules
        self._mode, self._reveal, self._names, self._date = mode, reveal, names, date
        self._set_ups: dict[Seat, dict[Square, Rank | None]] = {}
        self._enrolled: dict[Seat, Mapping[str, Rank]] = {}
        self._origin: dict[Square, tuple[Seat, Square]] = {}
        self._declared: dict[Seat, Rank] = {}
        self._pending: Move | None = None
        self._pending_seat: Seat | None = None
        self._plies: list[Ply] = []
        self._consent: set[Seat] = set()
        self._result: GameResult | None = None

    def take(self, kind: str, seat: Seat | None, event: PublicEvent | None, ranks: Mapping[str, Rank] | None) -> None:
        """Take one fact: its type word, whose it is, what everybody heard, and what only the journal keeps."""
        match kind:
            case "enrolled":
                assert seat
                self._enrolled[seat] = ranks or {}
            case "begin":
                assert event
                self._begin(event.text or "")
            case "move.read" | "move.revised":
                assert event
                self._pending, self._pending_seat = self._move(event), event.seat
            case "move.final":
                self._finish_move()
            case "declared":
                assert seat
                assert ranks
                (self._declared[seat],) = ranks.values()
            case "verdict":
                assert event
                self._settle(event)
            case "consent":
                assert seat
                self._take_consent(seat, ranks or {})
            case "end":
                assert event
                self._result = GameResult(event.seat, EndReason(event.text))

    def record(self) -> Record:
        """Give the record in the referee's view; ranks that nobody told are unknown in it."""
        return Record(
            rules=self._rules.name,
            set_ups=BySeat({seat: SetUp(ranks) for seat, ranks in self._set_ups.items()}),
            plies=tuple(self._plies),
            result=self._result,
            view=View.REFEREE,
            mode=self._mode,
            reveal=self._reveal,
            names=BySeat(dict(self._names)),
            consent=frozenset(self._consent),
            date=self._date,
        )

    def _begin(self, text: str) -> None:
        """Read `a1=red b1=red ...`, the occupants that the game began with."""
        for word in text.split():
            name, _, army = word.partition("=")
            square, seat = self._square(name), Seat(army)
            self._set_ups.setdefault(seat, {})[square] = self._enrolled.get(seat, {}).get(name)
            self._origin[square] = (seat, square)

    def _finish_move(self) -> None:
        if self._pending is None or self._pending_seat is None:
            return
        self._plies.append(Ply(self._pending_seat, self._pending))
        self._origin[self._pending.target] = self._origin.pop(self._pending.source)
        self._pending = None

    def _settle(self, event: PublicEvent) -> None:
        move = self._move(event)
        assert event.seat
        assert event.result
        result = CombatResult(event.result)
        home, away = self._origin[move.source], self._origin[move.target]
        mine, theirs = self._declared.get(home[0]), self._declared.get(away[0])
        self._learn(home, mine)
        self._learn(away, theirs)
        self._plies.append(Ply(event.seat, move, result, mine, theirs))
        self._declared.clear()
        del self._origin[move.source]
        if result in (CombatResult.ATTACKER_WINS, CombatResult.FLAG_TAKEN):
            self._origin[move.target] = home
        elif result is CombatResult.BOTH_LOST:
            del self._origin[move.target]

    def _take_consent(self, seat: Seat, ranks: Mapping[str, Rank]) -> None:
        self._consent.add(seat)
        for name, rank in ranks.items():
            self._learn((seat, self._square(name)), rank)

    def _learn(self, origin: tuple[Seat, Square], rank: Rank | None) -> None:
        if rank is not None:
            self._set_ups[origin[0]][origin[1]] = rank

    def _move(self, event: PublicEvent) -> Move:
        assert event.source
        assert event.target
        return Move(self._square(event.source), self._square(event.target), tuple(map(self._square, event.via)))

    def _square(self, name: str) -> Square:
        return self._rules.board.square(name)
