"""What each view of a game may contain, derived in one place from the referee's.

Who knows a rank (design section 6): its owner always; everybody once the piece was captured, or infiltrated and so named
itself; the rival of an attack that the piece survived, as `reveal` says; the archive also with its owner's consent. A ply
shows what the view knew when it was over, so a view's plies never change as the game goes on; a set-up shows what the view
knows in the end.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from referee.journal.errors import NotShownError, RecordError
from referee.journal.records.model import Decision, GiveUp, Ply, Record, SetUp, View
from referee.rules import BySeat, CombatResult, Fire, Infiltrate, Move, Rank, Recruit, RuleSet, Seat, Square
from referee.table.settings import TableSettings
from referee.table.table import Table
from referee.table.views import Attack, GameEnd, LastMove, Phase, PublicInfo, PublicView, Reveal


def view_of(record: Record, view: View) -> Record:
    """Return the record with only the ranks that `view` may know.

    The record must be the referee's view, or this very view already, and for what everybody knows any; else, and for a seat that
    does not play, this raises `NotShownError`. Raises `RecordError` where a ply's pieces cannot be followed (no piece there, an
    attack without verdict).
    """
    if record.view is view:
        return record
    if record.view is not View.REFEREE and view is not View.PUBLIC:
        raise NotShownError(f"this is the {record.view.value} view; it does not contain the {view.value} view")
    if view.seat is not None and view.seat not in record.set_ups:
        raise NotShownError(f"{view.value} does not play in this game")
    follower = Follower(record.set_ups)
    known = _Known(record, view)
    plies = []
    for ply, pair in follower.follow(record):
        known.hear(ply, pair)
        plies.append(known.ply(ply, pair, follower))
    set_ups = {seat: known.set_up(seat, set_up, follower) for seat, set_up in record.set_ups.items()}
    seeds = {seat: seed for seat, seed in record.seeds.items() if known.whole(seat)}
    told = without_reasons(record)
    return replace(told, view=view, plies=tuple(plies), set_ups=BySeat(set_ups), seeds=BySeat(seeds))


def without_reasons(record: Record) -> Record:
    """Return the record without the arbiter's reasons: free text, which could name a rank."""
    corrections = tuple(replace(each, reason=None) for each in record.corrections)
    return replace(record, corrections=corrections, reason_seed=None)


def shown_otherwise(record: Record, judged: Record) -> Iterator[tuple[str, int | None, str]]:
    """Yield where a record shows more than its view may know, or less than it knows: the kind, the ply, a sentence.

    `judged` has every verdict.
    """
    follower, known, whole_game = Follower(record.set_ups), _Known(record, record.view), record.view is View.REFEREE
    more = f"is shown, which the {record.view.value} view may not know"
    for number, (ply, (full, pair)) in enumerate(zip(record.plies, follower.follow(judged), strict=True), start=1):
        known.hear(full, pair)
        fight = ply.result is not None and not isinstance(ply.action, Infiltrate)
        for piece, rank in zip(pair, (ply.attacker, ply.defender), strict=True):
            may_know = piece is not None and known.knows(piece)
            if rank is None and fight and may_know and not (whole_game and piece not in follower.rank_of):
                yield "rank", number, f"ply {number}: a rank that this view was told is left out"
            if rank is not None and not may_know:
                yield "view", number, f"ply {number}: a rank {more}"
    for seat, set_up in record.set_ups.items():
        may, whole = known.set_up(seat, set_up, follower), known.whole(seat) and seat in record.roots
        if not set_up.known.items() <= may.known.items():
            yield "view", None, f"{seat.value}: a rank of the set-up {more}"
        elif len(set_up.known) < (len(set_up) if whole else 0 if whole_game and not record.chain else len(may.known)):
            yield "view", None, f"{seat.value}: ranks of the set-up that this view knows are left out"
        if seat in record.seeds and not known.whole(seat):
            yield "view", None, f"{seat.value}: a seed {more}"
        if seat not in record.seeds and not record.is_seen and (whole or (known.whole(seat) and record.chain)):
            yield "view", None, f"{seat.value}: the seed of the set-up is left out"
    if not whole_game and (record.reason_seed or any(each.reason is not None for each in record.corrections)):
        yield "view", None, f"a reason {more}"


def plies_as_told(record: Record, view: View) -> Iterator[tuple[Ply, bool]]:
    """Yield each ply with the ranks that `view` (a seat or the public) was told by its end, and whether the record has
    all of them.

    Whatever view the record is; its own pieces that survive teach a seat nothing, so they may be missing. Raises as `view_of` does.
    """
    follower, known = Follower(record.set_ups), _Known(record, view)
    for ply, pair in follower.follow(record):
        known.hear(ply, pair)
        lost = (ply.result in ATTACKER_GOES, ply.result in DEFENDER_GOES)
        told = known.ply(ply, pair, follower)
        missing = [
            rank is None and piece is not None and known.knows(piece) and (goes or piece[0] is not view.seat)
            for piece, rank, goes in zip(pair, (told.attacker, told.defender), lost, strict=True)
        ]
        yield told, ply.result is None or isinstance(ply.action, Infiltrate) or not any(missing)


class _Known:
    """The pieces whose rank one view knows."""

    def __init__(self, record: Record, view: View) -> None:
        self._reveal = record.reveal
        self._seat = view.seat
        self._open = open_seats = (
            frozenset(record.set_ups)
            if view is View.REFEREE
            else record.consent
            if view is View.ARCHIVE
            else frozenset(() if view.seat is None else (view.seat,))
        )
        self._pieces: set[Start] = {
            (seat, square) for seat in open_seats & set(record.set_ups) for square in record.set_ups[seat]
        }

    def knows(self, piece: Start) -> bool:
        """Return whether this view knows what a piece is."""
        return piece in self._pieces

    def whole(self, seat: Seat) -> bool:
        """Return whether this view may know a seat's whole set-up, and with it the seed of its commitment."""
        return seat in self._open

    def hear(self, ply: Ply, pair: Pair) -> None:
        """Add the ranks that this view was told in a ply."""
        attacker, defender = pair
        if attacker is None or defender is None:
            return
        if isinstance(ply.action, Infiltrate | Fire):
            self._pieces.add(attacker)
        for piece, rival, goes in ((attacker, defender, ATTACKER_GOES), (defender, attacker, DEFENDER_GOES)):
            if ply.result in goes or self._is_told(piece is attacker, rival[0], ply):
                self._pieces.add(piece)

    def _is_told(self, attacked: bool, rival: Seat, ply: Ply) -> bool:
        """Return whether this view learns a survivor's rank: only the rival in this attack ever does."""
        if isinstance(ply.action, Infiltrate) or rival is not self._seat:
            return False  # a wrong guess tells nothing of its target, whatever `reveal` says (booklet 002)
        return self._reveal is Reveal.BOOK or (self._reveal is Reveal.ATTACKER_ONLY and attacked)

    def ply(self, ply: Ply, pair: Pair, follower: Follower) -> Ply:
        """Return the ply with the ranks that this view knew when it was over."""
        if ply.result is None or isinstance(ply.action, Infiltrate):
            return ply
        attacker, defender = (self._rank(piece, follower) for piece in pair)
        return replace(ply, attacker=attacker, defender=defender)

    def set_up(self, seat: Seat, set_up: SetUp, follower: Follower) -> SetUp:
        """Return the set-up with the ranks that this view knows in the end."""
        return SetUp({square: self._rank((seat, square), follower) for square in set_up})

    def _rank(self, piece: Start | None, follower: Follower) -> Rank | None:
        return follower.rank_of.get(piece) if piece is not None and self.knows(piece) else None


# Follows the pieces of a record through its plies, by the square each was set up on; without rules, by verdicts alone.
#
# Serves what needs to know which piece a ply moved and what was known of it: the views, and the judging of partly known games.


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

    def follow(self, record: Record) -> Iterator[tuple[Ply, Pair]]:
        """Carry out all decisions and plies. Yields each ply, once it is carried out, with the two pieces that met.
        Raises `RecordError`.
        """
        for decision in record.before:
            self.decide(decision)
        for ply in record.plies:
            yield ply, self.play(ply)

    def play(self, ply: Ply) -> Pair:
        """Carry out a ply. Returns the two pieces that met. Raises `RecordError` that names the ply."""
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
        ends = (
            (action.target,) if isinstance(action, Move) else action.via[-1:] if isinstance(action, Infiltrate) else ()
        )
        for end in ends:
            if end not in self.standing and action.source in self.standing:
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
    """Yield the ranks that a ply shows, each with its piece's first square."""
    attacker, defender = pair
    if isinstance(ply.action, Infiltrate):
        yield attacker, Rank.INFILTRATOR
        if ply.result is CombatResult.INFILTRATED:
            yield defender, ply.action.guess
    if ply.attacker is not None:
        yield attacker, ply.attacker
    if ply.defender is not None:
        yield defender, ply.defender


# ---- a game as everybody at the table saw it


def screens_of(record: Record, rules: RuleSet) -> tuple[PublicInfo, Sequence[PublicView]]:
    """Return `info_of` and the list of `views`, all computed before the first is shown. Raises `RecordError` where a
    piece cannot be followed.
    """
    if not record.set_ups:
        raise RecordError("the record has no set-up to begin from")
    return info_of(record, rules), list(views(record, rules))


def pieces_after(record: Record, plies: int) -> dict[Seat, dict[Square, Rank | None]]:
    """Return where each army's pieces stand after so many plies, with the ranks that the record tells. Raises `RecordError`."""
    follower = Follower(record.set_ups)
    deque(follower.follow(replace(record, plies=record.plies[:plies])), maxlen=0)
    armies: dict[Seat, dict[Square, Rank | None]] = {seat: {} for seat in record.set_ups}
    for square, start in follower.standing.items():
        armies[start[0]][square] = follower.rank_of.get(start)
    return armies


def info_of(record: Record, rules: RuleSet) -> PublicInfo:
    """Return the part of the screens that is the same for the whole game of a record."""
    settings = TableSettings("", record.game or "", rules, record.mode, record.reveal, record.names)
    return replace(Table(settings).info(), roots=dict(record.roots))


def views(record: Record, rules: RuleSet) -> Iterator[PublicView]:
    """Yield the table's public view before the first ply and after each, with captured ranks as far as the record's
    view has them.

    The flags and sliders of Stratego 4 are not shown. Raises `RecordError`.
    """
    follower = Follower(record.set_ups)
    gone: set[Start] = set()
    for decision in record.before:
        follower.decide(decision)
    last = _view(record, rules, follower, gone, 0)
    for number, ply in enumerate(record.plies, start=1):
        yield last
        before = set(follower.standing.values())
        follower.play(replace(ply, decisions=()))
        gone |= before - set(follower.standing.values())
        for decision in ply.decisions:
            follower.decide(decision)
            if isinstance(decision.choice, Recruit):
                gone -= set(follower.standing.values())
        last = _view(record, rules, follower, gone, number)
    if record.result is not None:
        end = GameEnd(record.result.winner, record.result.reason.value)
        last = replace(last, phase=Phase.FINISHED, turn=None, waiting_for=(), result=end)
    yield last


def _view(record: Record, rules: RuleSet, follower: Follower, gone: set[Start], number: int) -> PublicView:
    captured: dict[Seat, Counter[Rank]] = {seat: Counter() for seat in rules.seats}
    for start in gone:
        rank = follower.rank_of.get(start)
        if rank is not None:
            captured[start[0]][rank] += 1
    turn = record.plies[number].seat if number < len(record.plies) else None
    move, attack = _last(record.plies[number - 1]) if number else (None, None)
    return PublicView(
        board_id="",
        game=record.game or "",
        seq=number,
        phase=Phase.WAITING_FOR_MOVE,
        turn=turn,
        ply=number,
        occupants={square.name: start[0] for square, start in follower.standing.items()},
        captured={seat: dict(counts) for seat, counts in captured.items()},
        last_move=move,
        attack=attack,
        waiting_for=() if turn is None else (turn,),
    )


def _last(ply: Ply) -> tuple[LastMove | None, Attack | None]:
    action = ply.action
    if not isinstance(action, Move | Infiltrate | Fire):
        return None, None
    source, target = action.source.name, action.target.name
    if ply.result is None:
        return LastMove(ply.seat, source, target, True), None
    return None, Attack(ply.seat, source, target, ply.result.value)
