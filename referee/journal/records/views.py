"""What each view of a game may contain, derived in one place from the referee's.

Who knows a rank (design section 6): its owner always; everybody once the piece was captured, or infiltrated and so named
itself; the rival of an attack that the piece survived, as `reveal` says; the archive also with its owner's consent. A ply
shows what the view knew when it was over, so a view's plies never change as the game goes on; a set-up shows what the view
knows in the end.
"""

from __future__ import annotations

from dataclasses import replace

from referee.journal.records.errors import NotShownError
from referee.journal.records.follow import ATTACKER_GOES, DEFENDER_GOES, Follower, Pair, Start
from referee.journal.records.model import Ply, Record, SetUp, View
from referee.rules import Fire, Infiltrate
from referee.rules.values import BySeat, Rank, Seat
from referee.table.views import Reveal


def view_of(record: Record, view: View) -> Record:
    """Give the game as `view` may know it.

    The record must be the referee's view, or this very view already; else, and for a seat that does not play, this raises
    `NotShownError`. Raises `RecordError` where a ply's pieces cannot be followed (no piece there, an attack without verdict).
    """
    if record.view is view:
        return record
    if record.view is not View.REFEREE:
        raise NotShownError(f"this is the {record.view.value} view; it does not contain the {view.value} view")
    if view.seat is not None and view.seat not in record.set_ups:
        raise NotShownError(f"{view.value} does not play in this game")
    follower = Follower(record.set_ups)
    for decision in record.before:
        follower.decide(decision)
    known = _Known(record, view)
    plies = []
    for ply in record.plies:
        pair = follower.play(ply)
        known.hear(ply, pair)
        plies.append(known.ply(ply, pair, follower))
    set_ups = {seat: known.set_up(seat, set_up, follower) for seat, set_up in record.set_ups.items()}
    seeds = {seat: seed for seat, seed in record.seeds.items() if known.whole(seat)}
    told = without_reasons(record)
    return replace(told, view=view, plies=tuple(plies), set_ups=BySeat(set_ups), seeds=BySeat(seeds))


def without_reasons(record: Record) -> Record:
    """Give the record without the words of its arbiter, who may have written anything."""
    return replace(record, corrections=tuple(replace(each, reason=None) for each in record.corrections))


class _Known:
    """The pieces whose rank one view knows."""

    def __init__(self, record: Record, view: View) -> None:
        self._reveal = record.reveal
        self._seat = view.seat
        self._open = open_seats = (
            record.consent if view is View.ARCHIVE else frozenset(() if view.seat is None else (view.seat,))
        )
        self._pieces: set[Start] = {
            (seat, square) for seat in open_seats & set(record.set_ups) for square in record.set_ups[seat]
        }

    def whole(self, seat: Seat) -> bool:
        """Say whether this view may know all of a seat's set-up, and so the seed of its commitment."""
        return seat in self._open

    def hear(self, ply: Ply, pair: Pair) -> None:
        """Add what this view was told in a ply."""
        attacker, defender = pair
        if attacker is None or defender is None:
            return
        if isinstance(ply.action, Infiltrate | Fire):
            self._pieces.add(attacker)
        for piece, rival, goes in ((attacker, defender, ATTACKER_GOES), (defender, attacker, DEFENDER_GOES)):
            if ply.result in goes or self._is_told(piece is attacker, rival[0], ply):
                self._pieces.add(piece)

    def _is_told(self, attacked: bool, rival: Seat, ply: Ply) -> bool:
        """Say whether a survivor's rank reaches this view: only its rival in this attack is ever told."""
        if isinstance(ply.action, Infiltrate) or rival is not self._seat:
            return False  # a wrong guess tells nothing of its target, whatever `reveal` says (booklet 002)
        return self._reveal is Reveal.BOOK or (self._reveal is Reveal.ATTACKER_ONLY and attacked)

    def ply(self, ply: Ply, pair: Pair, follower: Follower) -> Ply:
        """Give the ply with the ranks that this view knows by now."""
        if ply.result is None or isinstance(ply.action, Infiltrate):
            return ply
        attacker, defender = (self._rank(piece, follower) for piece in pair)
        return replace(ply, attacker=attacker, defender=defender)

    def set_up(self, seat: Seat, set_up: SetUp, follower: Follower) -> SetUp:
        """Give the set-up with the ranks that this view knows by now."""
        return SetUp({square: self._rank((seat, square), follower) for square in set_up})

    def _rank(self, piece: Start | None, follower: Follower) -> Rank | None:
        return follower.rank_of.get(piece) if piece is not None and piece in self._pieces else None
