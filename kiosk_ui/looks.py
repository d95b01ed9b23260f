"""What banner and trays look like: colours and small pictures for a state, as values. Pure; the widgets only hold them up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from kiosk_ui.panel_plans import BannerPlan, RowPlan, TrayPlan
from referee.presentation import palette
from referee.presentation.emblems import emblem, glyph, phone, piece, sign
from referee.presentation.palette import Colour
from referee.presentation.sentences import Contact, Tone
from referee.presentation.shapes import Block, Box, Drawing, Mark, Sprite, place, rounded
from referee.presentation.state import Count, KioskState, Tray, TrayHead, TrayRow
from referee.rules.values import Seat


def banner_picture(state: KioskState, plan: BannerPlan) -> Mapping[str, Drawing]:
    """Give the sign of the banner and the menu's button."""
    at = plan.menu
    ground = state.banner.ground.mixed(palette.INK, 0.25)
    return {
        "sign": banner_sign(state, plan.sign),
        "menu": (
            Block(at.x, at.y, at.width, at.height, at.width * 0.18, ground),
            Sprite(at.x + at.width * 0.2, at.y + at.height * 0.2, at.width * 0.6, glyph("menu", palette.CHALK, ground)),
        ),
    }


def banner_sign(state: KioskState, box: Box) -> Drawing:
    """Give the army's shape for the banner, so that the turn can be seen without colours; of a team that won, each one's on its colour."""
    if len(state.banner.seats) > 1:
        return tuple(_team_sign(state.banner.seats, box))
    if state.banner.seat is None:
        return _waiting_sign(state, box)
    return (Sprite(box.x, box.y, box.width, sign(state.banner.seat, state.banner.ink)),)


def tray_picture(tray: Tray, plan: TrayPlan, box: Box) -> Mapping[str, Drawing]:
    """Give panel, signs, tiles, pips and count plates of a tray, by what they belong to; its edge is `tray_edge`."""
    drawings: dict[str, Drawing] = {
        "panel": (Block(box.x, box.y, box.width, box.height, 8 * plan.unit, palette.PANEL),)
    }
    for head, head_plan in zip(tray.heads, plan.heads, strict=True):
        drawing = sign(head.seat, palette.ARMY[head.seat])
        drawings[f"sign {head.seat.value}"] = tuple(
            Sprite(at.x, at.y, at.width, drawing) for at in (head_plan.sign, head_plan.over_counts) if at is not None
        )
        drawings[f"handset {head.seat.value}"] = tuple(_handset(head, head_plan.handset))
        drawings[f"progress {head.seat.value}"] = tuple(_progress(head, head_plan.bar))
    for row, row_plan in zip(tray.rows, plan.rows, strict=True):
        drawings[row.rank.value] = _row(row, row_plan, plan.unit)
    return drawings


def tray_edge(tray: Tray, box: Box, unit: float) -> Drawing:
    """Give the edge around the tray of the army to move; empty around the others. Apart, since it changes with every turn."""
    moving = [head.seat for head in tray.heads if head.to_move]
    return (rounded(box, 8 * unit, 4 * unit, palette.ARMY[moving[0]]),) if moving else ()


def idle_picture(box: Box) -> Drawing:
    """Give what stands where the board will be while there is none: two pieces, quietly."""
    size = min(box.width, box.height) * 0.3
    x, y = box.centre
    pieces = ((Seat.RED, x - size * 1.1), (Seat.BLUE, x + size * 0.1))
    return tuple(
        Sprite(at, y - size / 2, size, piece(seat, palette.ARMY[seat].mixed(palette.NIGHT, 0.5))) for seat, at in pieces
    )


def veil(state: KioskState, boxes: Iterable[Box]) -> Drawing:
    """Give what lies over the table while nobody can say whether it is still so."""
    if state.contact is Contact.LIVE or state.board is None:
        return ()
    return tuple(Block(box.x, box.y, box.width, box.height, 0.0, palette.NIGHT.faded(0.55)) for box in boxes)


def row_ink(row: TrayRow) -> Colour:
    """Give the colour of a rank's name: bright once a piece of it lies here."""
    return palette.CHALK if any(count.out for count in row.counts) else palette.MUTED


def count_ink(count: Count) -> Colour:
    """Give the colour of a count on its plate."""
    return palette.ON_ARMY[count.seat] if count.out else palette.MUTED


def name_ink(head: TrayHead) -> Colour:
    """Give the colour of an army's name: dim once it plays no more."""
    return palette.MUTED if head.out else palette.CHALK


def head_ink(head: TrayHead) -> Colour:
    """Give the colour of the small line under an army's name: a warning while its handset is away."""
    return palette.BAD if head.away else palette.MUTED


def _team_sign(seats: Sequence[Seat], box: Box) -> Iterator[Mark]:
    """Give a tile for each army of a team, falling from left to right so that none grows too small."""
    size = box.width / len(seats) ** 0.7
    step = (box.width - size) / (len(seats) - 1)
    for at, seat in enumerate(seats):
        x, y = box.x + at * step, box.y + box.height - size - at * step
        yield Block(x, y, size, size, size * 0.18, palette.ARMY[seat])
        yield Sprite(x + size * 0.1, y + size * 0.1, size * 0.8, sign(seat, palette.ON_ARMY[seat]))


def _waiting_sign(state: KioskState, box: Box) -> Drawing:
    """Give three dots while somebody is waited for, a call when something has to be done, and two bars for a draw."""
    if state.banner.tone is Tone.ASK and state.contact is Contact.LIVE:
        return (Sprite(box.x, box.y, box.width, _EXCLAMATION),)
    return (Sprite(box.x, box.y, box.width, _BARS if state.banner.tone is Tone.END else _DOTS),)


_DOTS: Drawing = tuple(Block(0.1 + 0.3 * n, 0.4, 0.2, 0.2, 0.1, palette.CHALK) for n in range(3))
_BARS: Drawing = tuple(Block(0.15, y, 0.7, 0.16, 0.08, palette.CHALK) for y in (0.56, 0.28))
_EXCLAMATION: Drawing = (
    Block(0.41, 0.36, 0.18, 0.54, 0.09, palette.CHALK),
    Block(0.41, 0.1, 0.18, 0.18, 0.09, palette.CHALK),
)


def _row(row: TrayRow, plan: RowPlan, unit: float) -> Drawing:
    out = any(count.out for count in row.counts)
    one = row.counts[0].seat if len(row.counts) == 1 else None
    ground = palette.SLOT if not out else palette.CALM if one is None else palette.ARMY[one]
    ink = palette.MUTED if not out else palette.CHALK if one is None else palette.ON_ARMY[one]
    tile = (Block(0.0, 0.0, 1.0, 1.0, 0.16, ground), *place(emblem(row.rank, ink, ground), 0.1, 0.1, 0.8))
    marks: list[Mark] = []
    if any(count.newest for count in row.counts):
        at = plan.box.inset(1.0 * unit)
        marks.append(rounded(at, 6 * unit, 2.5 * unit, palette.GLOW))
    marks.append(Sprite(plan.tile.x, plan.tile.y, plan.tile.width, tile))
    for count, box in zip(row.counts, plan.counts, strict=True):
        plate = palette.ARMY[count.seat] if count.out else palette.SLOT
        marks.append(Block(box.x, box.y, box.width, box.height, 5 * unit, plate))
    if plan.pips is not None and one is not None:
        marks += _pips(row.counts[0], one, plan.pips, unit)
    return tuple(marks)


def _handset(head: TrayHead, box: Box) -> Iterator[Mark]:
    """Give a handset, struck out while it is not connected; nothing before anybody knows, or while a note stands in its place."""
    if head.away or (head.handset and head.alone):
        ink = palette.GOOD if head.handset else palette.BAD
        size = box.height
        yield Sprite(box.x + (box.width - size) / 2, box.y, size, phone(ink, palette.PANEL, head.handset))


def _progress(head: TrayHead, box: Box) -> Iterator[Mark]:
    if head.progress is not None:
        full = palette.GOOD if head.ready else palette.ARMY[head.seat].mixed(palette.CHALK, 0.25)
        yield Block(box.x, box.y, box.width, box.height, 0.0, palette.SLOT)
        if head.progress:
            yield Block(box.x, box.y, box.width * head.progress, box.height, 0.0, full)


def _pips(count: Count, seat: Seat, box: Box, unit: float) -> list[Mark]:
    """Give one pip for each piece of the rank, filled for those that lie here."""
    step = min(10 * unit, box.width / max(1, count.of))
    wide, high = step - 2.5 * unit, box.height * 0.8
    lost = palette.ARMY[seat].mixed(palette.CHALK, 0.25)
    return [
        Block(box.x + n * step, box.y, wide, high, 0.0, lost if n < count.out else palette.SLOT)
        for n in range(count.of)
    ]
