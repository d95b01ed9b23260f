"""One plain value with all that a screen shows, computed from what is public. The kiosk and the terminal board both draw it.

No rules: what may be played, and what an attack means, was decided by the referee long before.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import lru_cache

from referee.presentation import palette
from referee.presentation.palette import Colour
from referee.presentation.sentences import Contact, Tone, detail, headline
from referee.rules.values import Rank, Seat
from referee.table.views import BoardShape, ClockFace, Fix, FlagPlace, Phase, PublicInfo, PublicView, SquareShape
from referee.words import Words

RANKS_DOWN = tuple(reversed(Rank))
"""From the marshal down to bomb and flag: the order of the booklets' sorting trays."""
_SLIDER = ("", "I", "II", "III", "IV", "V", "VI")
"""The slider of Stratego 4 counts in these (booklet 004)."""
_NONE: Mapping[Seat, Rank] = {}
_AT_REST = (Phase.WAITING_FOR_MOVE, Phase.PIECE_IN_HAND)
SQUARE_NAME = re.compile(r"([a-z]+)([0-9]+)")
"""Column and row of a square that lies on lines; a castle's spaces have other names."""
LOW_MS = 30_000
"""Under this a clock warns."""


@dataclass(frozen=True, slots=True)
class Banner:
    """The sentence that is read from two metres away, the armies that it is about, and its tone."""

    text: str
    seats: tuple[Seat, ...]
    """Several only where a team won."""
    tone: Tone

    @property
    def seat(self) -> Seat | None:
        """The army whose colour it wears, where it is about one."""
        return self.seats[0] if len(self.seats) == 1 else None

    @property
    def ground(self) -> Colour:
        """The banner's colour: that of the army it speaks of, else that of its tone."""
        if self.seat is not None:
            return palette.ARMY[self.seat]
        return palette.ALARM if self.tone is Tone.ASK else palette.CALM

    @property
    def ink(self) -> Colour:
        """What can be read on it."""
        return palette.ON_ARMY[self.seat] if self.seat is not None else palette.CHALK


@dataclass(frozen=True, slots=True)
class Count:
    """How many pieces of one rank an army has lost, and how many it began with."""

    seat: Seat
    out: int
    of: int
    newest: bool = False
    """Whether the newest captured piece is one of these."""

    @property
    def text(self) -> str:
        """Return it as a tray shows it: `2/8`."""
        return f"{self.out}/{self.of}"


@dataclass(frozen=True, slots=True)
class TrayRow:
    """One rank in a sorting tray: its number (empty for one without), its name, and a count for each army of the tray."""

    rank: Rank
    number: str
    name: str
    counts: tuple[Count, ...]


@dataclass(frozen=True, slots=True)
class TrayHead:
    """One army at the head of a tray.

    `to_move` while it is its turn, `away` while its handset is not connected, `out` once it plays no more; `progress` from 0 to 1
    while setting up, and `ready` once its player has said so.
    """

    seat: Seat
    name: str
    note: str
    to_move: bool
    away: bool
    out: bool = False
    alone: bool = True
    """Whether it has the tray to itself."""
    handset: bool = False
    """Whether its handset is connected; neither this nor `away` before anybody knows."""
    progress: float | None = None
    ready: bool = False


@dataclass(frozen=True, slots=True)
class Tray:
    """The sorting tray of one army, or of two where four play."""

    heads: tuple[TrayHead, ...]
    rows: tuple[TrayRow, ...]


class PieceState(Enum):
    """Whether a piece is on its square, in the air, or has to be put back."""

    STANDING = "standing"
    IN_HAND = "in-hand"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class BoardPiece:
    """A piece as the board shows it: its square, its army, and whether it is there, in the air, or has to be put back."""

    square: str
    seat: Seat
    stand: PieceState
    rank: Rank | None = None
    """Only once both armies are turned over."""
    number: str = ""


@dataclass(frozen=True, slots=True)
class Trail:
    """Where the last move or the attack went from and to, or where hands shall carry one; `sure` once it can no longer be revised."""

    source: str
    target: str
    sure: bool


@dataclass(frozen=True, slots=True)
class BoardState:
    """The board from above: its shape and all that is drawn on it."""

    shape: BoardShape
    pieces: tuple[BoardPiece, ...]
    trail: Trail | None
    fighting: bool
    """Whether the trail is an attack that is being settled."""
    fixes: tuple[Fix, ...]
    flags: tuple[FlagPlace, ...] = ()
    """Stratego 4 only, where everybody sees the flags."""
    barred: tuple[str, ...] = ()
    """Where a repetition rule lets the mover not go now."""
    blind: tuple[str, ...] = ()
    """Squares whose sensor is not believed."""
    zones: Mapping[str, Seat] = field(default_factory=dict)
    """The squares of all set-up zones, and whose they are, while setting up; empty at any other time."""


@dataclass(frozen=True, slots=True)
class KioskState:
    """All that a screen shows. Two equal states look the same: nothing has to be drawn again."""

    contact: Contact
    banner: Banner
    detail: str = ""
    ply: str = ""
    rule_set: str = ""
    caution: str = ""
    """`unverified` where board or army were not checked against a real box; else empty."""
    trays: tuple[Tray, ...] = ()
    board: BoardState | None = None
    clocks: tuple[tuple[ClockText, ...], ...] = ()
    """Those at each of the two trays; empty where there are none."""


def kiosk_state(
    info: PublicInfo | None,
    view: PublicView | None,
    words: Words,
    contact: Contact,
    newest: Mapping[Seat, Rank] = _NONE,
    passed_ms: int = 0,
) -> KioskState:
    """Return what a screen shows now. Without a table to show it is only the sentence that says what is waited for.

    `info` and `view` are the newest that were received, also while the connection is lost: the board stays on the screen.
    `newest` are the pieces that the last attack took. Clocks that run are shown as they are `passed_ms` after the view was received.
    """
    text, seats, tone = headline(info, view, words, contact)
    state = KioskState(contact, Banner(text, seats, tone), detail(info, view, words, contact).replace("\n", " "))
    if info is None or view is None:
        return state
    timed = bool(view.clocks) or view.hall_clock is not None
    return replace(
        state,
        ply=words.say("turn.ply", number=view.ply) if view.ply else "",
        rule_set=words.get(f"rule-set.{info.rule_set}", info.rule_set),
        caution="" if info.army_verified and info.board.verified else words["rules.unverified"],
        trays=trays(info, view, words, newest),
        board=board_state(info, view),
        clocks=tuple(clock_texts(view, info.seats[side::2], passed_ms) for side in (0, 1)) if timed else (),
    )


def board_state(info: PublicInfo, view: PublicView) -> BoardState:
    """Return the board from above; pieces in the order of the board's squares, so that equal boards are equal values."""
    return BoardState(
        shape=info.board,
        pieces=tuple(_standings(info, view)),
        trail=_trail(view),
        fighting=view.attack is not None and view.attack.result is None,
        fixes=_faults(view),
        flags=view.flags,
        barred=tuple(dict.fromkeys(square for targets in view.bars.values() for square in targets)),
        blind=view.blind,
        zones=_zones(info) if view.phase is Phase.SETTING_UP else {},
    )


def _zones(info: PublicInfo) -> dict[str, Seat]:
    return {square: seat for seat, rows in info.zones.items() for row in rows for square in row if square}


def _standings(info: PublicInfo, view: PublicView) -> Iterator[BoardPiece]:
    wanted = {fix.square: fix.wanted for fix in view.fixes}
    awaited = wanted if view.phase is Phase.SETTING_UP else {}
    for square in info.board.squares:
        name = square.name
        seat = view.occupants.get(name) or awaited.get(name)
        if seat is None:
            continue
        stand = PieceState.IN_HAND if name in view.in_hand else PieceState.STANDING
        rank = view.turned.get(name)
        number = str(info.numbers.get(rank, "")) if rank is not None else ""
        yield BoardPiece(name, seat, PieceState.MISSING if name in wanted else stand, rank, number)


def _faults(view: PublicView) -> tuple[Fix, ...]:
    """Return the squares to mark. A set-up that is still growing is no fault: what is awaited there is shown as a faint piece."""
    if view.phase is not Phase.SETTING_UP:
        return view.fixes
    return tuple(fix for fix in view.fixes if fix.wanted is None or fix.square in view.occupants)


def _trail(view: PublicView) -> Trail | None:
    if view.turned:  # an arrow would lie over ranks
        return None
    if view.decided is not None and view.phase in _AT_REST:
        return Trail(view.decided.source, view.decided.target, sure=True)
    if view.attack is not None:
        return Trail(view.attack.source, view.attack.target, view.attack.result is not None)
    if view.last_move is not None:
        return Trail(view.last_move.source, view.last_move.target, view.last_move.final)
    return None


def trays(info: PublicInfo, view: PublicView, words: Words, newest: Mapping[Seat, Rank] = _NONE) -> tuple[Tray, ...]:
    """Return the two sorting trays: one army each, or two each where more than two play (the first and third on the left)."""
    return tuple(_tray(info, view, words, info.seats[side::2], newest) for side in (0, 1))


def _tray(
    info: PublicInfo, view: PublicView, words: Words, seats: tuple[Seat, ...], newest: Mapping[Seat, Rank]
) -> Tray:
    rows = tuple(
        TrayRow(
            rank=rank,
            number=str(info.numbers.get(rank, "")),
            name=words.rank(rank),
            counts=tuple(
                Count(seat, view.captured.get(seat, {}).get(rank, 0), info.army[rank], newest.get(seat) is rank)
                for seat in seats
            ),
        )
        for rank in RANKS_DOWN
        if info.army.get(rank, 0)
    )
    return Tray(tuple(_head(info, view, words, seat, alone=len(seats) == 1) for seat in seats), rows)


def _head(info: PublicInfo, view: PublicView, words: Words, seat: Seat, alone: bool) -> TrayHead:
    connected = view.connected.get(seat)
    setting_up = view.phase is Phase.SETTING_UP
    of = sum(info.army.values())
    placed = info.placed(seat, view) if setting_up else 0
    ready = setting_up and seat not in view.waiting_for
    if connected is False:
        note = words["kiosk.handset-lost"] if alone else ""
    elif setting_up:
        note = words["kiosk.placed"] if alone else ""
        note = words["kiosk.ready"] if ready else f"{note} {placed}/{of}".strip()
    else:
        note = _captured(view, words, seat, of, alone)
    return TrayHead(
        seat=seat,
        name=player_name(info, seat, words),
        note=note,
        to_move=view.turn is seat and view.phase is not Phase.FINISHED,
        away=connected is False,
        out=seat in view.out,
        alone=alone,
        handset=connected is True,
        progress=min(1.0, placed / of) if setting_up else None,
        ready=ready,
    )


def player_name(info: PublicInfo, seat: Seat, words: Words) -> str:
    """Return who plays an army: the computer with its level, the name that was told, else the army's."""
    if seat in info.computers:
        return words.say("player.computer", level=info.computers[seat])
    return info.names.get(seat) or words.seat(seat)


def _captured(view: PublicView, words: Words, seat: Seat, of: int, alone: bool) -> str:
    lost = sum(view.captured.get(seat, {}).values())
    if alone:
        return words.say("kiosk.lost", number=lost)
    return f"{Count(seat, lost, of).text} {_SLIDER[view.sliders.get(seat, 0)]}".strip()


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a piece stands on its square: its middle in squares from red's left corner, and how big it may be, in squares."""

    x: float
    y: float
    size: float


@lru_cache(maxsize=8)
def spots_of(shape: BoardShape) -> Mapping[str, Spot]:
    """Return where a piece stands on each square, by its name; remembered, since a board is drawn again with every move."""
    return {square.name: _spot(square, shape) for square in shape.squares}


def _spot(square: SquareShape, shape: BoardShape) -> Spot:
    """Return the place of a piece: in the middle, or in the upper left part of a space that has another one inside it."""
    inside = [
        other
        for other in shape.squares
        if other.width < square.width
        and abs(other.x - square.x) < square.width / 2
        and abs(other.y - square.y) < square.height / 2
    ]
    if inside:
        return Spot(square.x - square.width / 3, square.y + square.height / 3, min(1.0, square.width / 3))
    return Spot(square.x, square.y, min(square.width, square.height, 1.0))


def names_of_lines(shape: BoardShape) -> tuple[Mapping[int, str], Mapping[int, str]]:
    """Return the names of columns and of rows by their number, wherever the squares' names agree on one.

    A board whose arms lie askew has no lines to name.
    """
    columns: dict[int, set[str]] = {}
    rows: dict[int, set[str]] = {}
    for square in shape.squares:
        if (match := SQUARE_NAME.fullmatch(square.name)) is not None:
            if not (_in_the_middle(square.x) and _in_the_middle(square.y)):
                return {}, {}
            columns.setdefault(math.floor(square.x), set()).add(match[1])
            rows.setdefault(math.floor(square.y), set()).add(match[2])
    return _agreed(columns), _agreed(rows)


def _in_the_middle(at: float) -> bool:
    return abs(at % 1.0 - 0.5) < 0.01


def _agreed(lines: Mapping[int, set[str]]) -> Mapping[int, str]:
    return {line: next(iter(names)) for line, names in lines.items() if len(names) == 1}


@dataclass(frozen=True, slots=True)
class ClockText:
    """One seat's clock as it is read now, or the hall's."""

    seat: Seat | None
    """None for what is left of the round."""
    text: str
    runs: bool
    low: bool
    next_ms: int
    """So long until the text changes, 0 where it does not."""


def clock_texts(view: PublicView, seats: Iterable[Seat], passed_ms: int) -> tuple[ClockText, ...]:
    """Return the clocks of these seats, then the hall's, so long after the view was received. Empty where there is none."""
    own = tuple(_text(view.clocks[seat], seat, passed_ms) for seat in seats if seat in view.clocks)
    return own if view.hall_clock is None else (*own, _text(view.hall_clock, None, passed_ms))


def _text(face: ClockFace, seat: Seat | None, passed_ms: int) -> ClockText:
    left_ms = max(0, face.left_ms - passed_ms) if face.runs else face.left_ms
    next_ms = (left_ms - 1) % 1000 + 1 if face.runs and left_ms else 0
    return ClockText(seat, time_text(left_ms), face.runs, left_ms < LOW_MS, next_ms)


def time_text(left_ms: int) -> str:
    """Return a time as `1:02:03` or `2:03`, rounded up: it is `0:00` only when nothing is left."""
    minutes, seconds = divmod(-(-left_ms // 1000), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
