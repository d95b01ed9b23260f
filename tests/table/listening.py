"""What anybody could follow from the public events alone, and a mirror of what sensing was told to watch: both checked at each step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from referee.rules import Situation
from referee.rules.values import Rank, Seat, Square
from referee.sensing import AttackSeen, Disturbed, Final, Observation, Read, Revised, Unread
from referee.table.step import Advance, Collect, Expect, Follow, SensingOrder, Step
from referee.table.views import Phase, PublicEvent, PublicView


@dataclass(slots=True)
class _Open:
    """A ply that was read, and what stood before it."""

    event: PublicEvent
    occupants: dict[str, Seat]
    last: PublicEvent | None
    final: bool


@dataclass(slots=True)
class Listener:
    """The game as its public events tell it; `agrees` proves that the view says the same."""

    seq: int = 0
    ply: int = 0
    begun: bool = False
    occupants: dict[str, Seat] = field(default_factory=dict)
    captured: Counter[tuple[Seat, Rank]] = field(default_factory=Counter)
    spoken: set[str] = field(default_factory=set)
    """Words of ranks that were said in public."""
    last: PublicEvent | None = None
    """The move that was read last and stands; None where that was no move."""
    final: bool = True
    _open: list[_Open] = field(default_factory=list)
    """What was read and is not final, oldest first."""
    _pending: PublicEvent | None = None
    _ended: PublicEvent | None = None

    def hear(self, event: PublicEvent) -> None:
        """Take the next event; there is no gap, and nothing after the end."""
        assert event.seq == self.seq + 1
        assert self._ended is None or event.kind == "board.link"
        self.seq = event.seq
        self.spoken |= {rank.value for rank in event.captured.values()}
        match event.kind:
            case "begin":
                self._begin(event)
            case "move.read" | "move.revised":
                self._read(event)
            case "move.taken-back" | "move.unread":
                self._take_back(event)
            case "move.final":
                self._finalise(event)
            case "move.refused":
                self._refuse(event)
            case "attack" | "infiltrate" | "fire":
                self._attack(event)
            case "attack.withdrawn":
                assert self._pending is not None
                self._pending = None
            case "verdict":
                self._settle(event)
            case "recruited":
                self._recruit(event)
            case "resigned":
                self.occupants = {name: seat for name, seat in self.occupants.items() if seat is not event.seat}
            case "pass":
                assert not self._open
                self.ply += 1
            case "end":
                assert not self._open, "the last move was never final"
                self._ended = event

    def _begin(self, event: PublicEvent) -> None:
        words = (word.split("=") for word in (event.text or "").split())
        self.occupants = {name: Seat(seat) for name, seat in words}
        self.begun = True

    def _read(self, event: PublicEvent) -> None:
        assert event.source
        assert event.target
        if event.kind == "move.revised":
            assert event.ply == self.ply
            self._unsay()
        assert event.ply == self.ply + 1
        self._open.append(_Open(event, dict(self.occupants), self.last, self.final))
        assert event.target not in self.occupants
        self.occupants[event.target] = self.occupants.pop(event.source)
        self.ply, self.last, self.final = event.ply, event, False

    def _finalise(self, event: PublicEvent) -> None:
        read = self._open.pop(0).event
        assert (event.ply, event.seat, event.source, event.target) == (read.ply, read.seat, read.source, read.target)
        if self._open:
            self._open[0].final = True
        else:
            self.final = True

    def _take_back(self, event: PublicEvent) -> None:
        read = self._unsay()
        assert (event.ply, event.seat, event.source, event.target) == (read.ply, read.seat, read.source, read.target)

    def _unsay(self) -> PublicEvent:
        assert self._open, "a final move was unsaid"
        unsaid = self._open.pop()
        self.occupants, self.last, self.final = unsaid.occupants, unsaid.last, unsaid.final
        self.ply -= 1
        return unsaid.event

    def _refuse(self, event: PublicEvent) -> None:
        if event.ply == self.ply:  # the revision of a ply that was read: it never was
            self._unsay()
        assert event.ply == self.ply + 1

    def _attack(self, event: PublicEvent) -> None:
        assert not self._open, "an attack over a move that is not final"
        assert event.ply == self.ply + 1
        self._pending = event
        if event.kind == "infiltrate":
            assert event.text
            self.spoken.add(event.text)

    def _settle(self, event: PublicEvent) -> None:
        told = self._pending
        assert told is not None
        assert told.source
        assert told.target
        assert event.ply == self.ply + 1
        self.ply += 1
        assert (event.seat, event.source, event.target) == (told.seat, told.source, told.target)
        both = {self.occupants[told.source]: told.source, self.occupants[told.target]: told.target}
        for seat, rank in event.captured.items():
            self.captured[seat, rank] += 1
            del self.occupants[both[seat]]
        if told.kind == "attack" and told.source in self.occupants and told.target not in self.occupants:
            self.occupants[told.target] = self.occupants.pop(told.source)
        if told.kind == "infiltrate" and told.via:  # he stays where he stepped to
            self.occupants[told.via[-1]] = self.occupants.pop(told.source)
        self._pending, self.last = None, None

    def _recruit(self, event: PublicEvent) -> None:
        assert event.seat
        assert event.target
        rank = Rank((event.text or "").split()[1])
        self.captured[event.seat, rank] -= 1
        assert event.target not in self.occupants
        self.occupants[event.target] = event.seat

    def agrees(self, view: PublicView) -> None:
        """Prove that a view says what the events have said."""
        assert view.seq == self.seq
        if not self.begun:
            return
        assert dict(view.occupants) == self.occupants
        assert view.ply == self.ply
        told = {(seat, rank): count for seat, ranks in view.captured.items() for rank, count in ranks.items()}
        assert told == {key: count for key, count in self.captured.items() if count}
        if self.last is not None:
            assert view.last_move is not None
            shown = (view.last_move.seat, view.last_move.source, view.last_move.target, view.last_move.final)
            assert shown == (self.last.seat, self.last.source, self.last.target, self.final)
        assert (view.phase is Phase.FINISHED) == (self._ended is not None) == (view.result is not None)
        if self._ended is not None and view.result is not None:
            assert (view.result.winner, view.result.reason) == (self._ended.seat, self._ended.text)
            assert (view.turn, view.ask, view.fixes, view.waiting_for, view.in_hand) == (None, None, (), (), ())


@dataclass(slots=True)
class Watch:
    """What sensing was told last. It is silent after it has said what the game must answer, until it gets its next order."""

    order: SensingOrder | None = None
    silent: bool = False
    open_plies: int = 0
    _after: int = 0
    """How many plies are open once what was said last is answered by `Advance`."""

    def said(self, observation: Observation) -> None:
        """Note what sensing says; after some words it is silent."""
        match observation:
            case Read():
                self._after = self.open_plies + 1
            case Revised(plies=plies):
                self._after = self.open_plies - plies + 1
            case Unread(plies=plies):
                self._after = self.open_plies - plies
            case Final():
                self.open_plies -= 1
        if isinstance(observation, Read | Revised | Unread | AttackSeen | Disturbed):
            self.silent = True

    def obey(self, step: Step) -> None:
        """Take the orders of a step."""
        for order in step.orders:
            self.open_plies = self._after if isinstance(order, Advance) else 0
            self.order, self.silent = order, False

    @property
    def situation(self) -> Situation | None:
        """Return the situation that sensing follows, None when it reads no moves."""
        return self.order.situation if isinstance(self.order, Follow | Advance) and not self.silent else None

    @property
    def expects(self) -> Mapping[Square, Seat] | None:
        """Return what the board must become, None when nothing is expected."""
        return self.order.occupants if isinstance(self.order, Expect) else None

    @property
    def collects(self) -> bool:
        """Return whether sensing reports what stands on the board."""
        return isinstance(self.order, Collect)
