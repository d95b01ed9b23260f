"""What banner, trays, clocks, cards, pages and buttons look like: colours and small pictures for a state, as values.

Pure; the widgets only hold them up. The board, which is drawn in layers, is `board_picture`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from kiosk_ui.layout import BannerPlan, CardPlan, CellPlan, ClockPlan, ScenePlan, SheetPlan, StripPlan, TrayPlan
from kiosk_ui.screen import QUIET, Button, Card, Sheet, Strip
from referee.presentation import palette
from referee.presentation.emblems import emblem, glyph, phone, picture, piece, sign
from referee.presentation.palette import Colour
from referee.presentation.scenes import Scene
from referee.presentation.sentences import Contact, Tone
from referee.presentation.shapes import Block, Box, Disc, Drawing, Fill, Mark, Sprite, Text, place, rounded
from referee.presentation.state import ClockText, Count, KioskState, Tray, TrayHead
from referee.rules.values import Rank, Seat


def banner_picture(state: KioskState, plan: BannerPlan) -> Mapping[str, Drawing]:
    """Return the sign of the banner and the menu's button."""
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
    """Return the shape of the army the banner speaks of, so that the turn can be seen without colours; of a team each on its own."""
    if len(state.banner.seats) > 1:
        return tuple(_team_sign(state.banner.seats, box))
    if state.banner.seat is None:
        return _waiting_sign(state, box)
    return (Sprite(box.x, box.y, box.width, sign(state.banner.seat, state.banner.ink)),)


def tray_picture(tray: Tray, plan: TrayPlan, box: Box) -> Mapping[str, Drawing]:
    """Return panel, signs, tiles, pips and count plates of a tray, by what they belong to; its edge is `tray_edge`."""
    drawings: dict[str, Drawing] = {
        "panel": (Block(box.x, box.y, box.width, box.height, 8 * plan.unit, palette.PANEL),)
    }
    for head, head_plan in zip(tray.heads, plan.heads, strict=True):
        drawing = sign(head.seat, palette.ON_PANEL[head.seat])
        drawings[f"sign {head.seat.value}"] = tuple(
            Sprite(at.x, at.y, at.width, drawing) for at in (head_plan.sign, head_plan.beside) if at is not None
        )
        drawings[f"handset {head.seat.value}"] = tuple(_handset(head, head_plan.handset))
        drawings[f"progress {head.seat.value}"] = tuple(_progress(head, head_plan.bar))
    for row, cells in zip(tray.rows, plan.cells, strict=True):
        for count, cell in zip(row.counts, cells, strict=True):
            drawings[f"{row.rank.value} {count.seat.value}"] = tuple(_cell(row.rank, count, cell, plan.unit))
    return drawings


def tray_edge(tray: Tray, box: Box, unit: float) -> Drawing:
    """Return the edge around the tray of the army to move; empty around the others. Apart, since it changes with every turn."""
    moving = [head.seat for head in tray.heads if head.to_move]
    return (rounded(box, 8 * unit, 4 * unit, palette.ARMY[moving[0]]),) if moving else ()


def idle_picture(box: Box) -> Drawing:
    """Return the picture in the board's place while there is no board: two pieces in quiet colours."""
    size = min(box.width * 0.3, box.height * 0.3 if box.height > 0.6 * box.width else box.height * 0.8)
    x, y = box.centre
    pieces = ((Seat.RED, x - size * 1.1), (Seat.BLUE, x + size * 0.1))
    return tuple(
        Sprite(at, y - size / 2, size, piece(seat, palette.ARMY[seat].mixed(palette.NIGHT, 0.5))) for seat, at in pieces
    )


def clock_colours(clock: ClockText) -> tuple[Colour, Colour]:
    """Return the colours of a clock's plate and of its text."""
    if clock.low:
        return palette.GLOW, palette.INK
    if clock.runs and clock.seat is None:
        return palette.CALM, palette.CHALK
    if clock.runs and clock.seat is not None:
        return palette.ARMY[clock.seat], palette.ON_ARMY[clock.seat]
    return palette.SLOT, palette.MUTED


def clock_picture(clock: ClockText, plan: ClockPlan) -> Drawing:
    """Return a clock's plate, the sign of its army or the hall's, and a mark while it runs or a call while little is left."""
    ground, ink = clock_colours(clock)
    box, at = plan.plate, plan.sign
    marks: list[Mark] = [
        Block(box.x, box.y, box.width, box.height, box.height * 0.14, ground),
        Sprite(at.x, at.y, at.width, sign(clock.seat, ink) if clock.seat else glyph("clock", ink, ground)),
    ]
    at = plan.mark
    if clock.low:  # a call, so that it is seen without colours
        wide = at.width * 0.28
        marks.append(Block(at.centre[0] - wide / 2, at.y + at.height * 0.36, wide, at.height * 0.64, 0.0, ink))
        marks.append(Block(at.centre[0] - wide / 2, at.y, wide, at.height * 0.22, 0.0, ink))
    elif clock.runs and clock.seat is not None:
        x, y = at.x, at.y
        marks.append(Fill(((x, y), (x + at.width, y + at.height / 2), (x, y + at.height)), ink))
    return tuple(marks)


def veil(state: KioskState, boxes: Iterable[Box]) -> Drawing:
    """Return a veil over the table while the connection is lost and the board may have changed."""
    if state.contact is Contact.LIVE or state.board is None:
        return ()
    return tuple(Block(box.x, box.y, box.width, box.height, 0.0, palette.NIGHT.faded(0.55)) for box in boxes)


def count_ink(count: Count) -> Colour:
    """Return the colour of a rank's number on its tile: dim until a piece of it lies here."""
    return palette.ON_ARMY[count.seat] if count.out else palette.MUTED


def name_ink(head: TrayHead) -> Colour:
    """Return the colour of an army's name: dim once it plays no more."""
    return palette.MUTED if head.out else palette.CHALK


def head_ink(head: TrayHead) -> Colour:
    """Return the colour of the line under an army's name: a warning while its handset is away."""
    return palette.BAD if head.away else palette.CHALK


def _team_sign(seats: Sequence[Seat], box: Box) -> Iterator[Mark]:
    """Return a tile for each army of a team, falling from left to right so that none grows too small."""
    size = box.width / len(seats) ** 0.7
    step = (box.width - size) / (len(seats) - 1)
    for at, seat in enumerate(seats):
        x, y = box.x + at * step, box.y + box.height - size - at * step
        yield Block(x, y, size, size, size * 0.18, palette.ARMY[seat])
        yield Sprite(x + size * 0.1, y + size * 0.1, size * 0.8, sign(seat, palette.ON_ARMY[seat]))


def _waiting_sign(state: KioskState, box: Box) -> Drawing:
    """Return three dots while the table waits, an exclamation mark when something has to be done, and two bars for a draw."""
    if state.banner.tone is Tone.ASK and state.contact is Contact.LIVE:
        return (Sprite(box.x, box.y, box.width, picture("exclamation", ink=palette.CHALK)),)
    return (
        Sprite(
            box.x, box.y, box.width, picture("drawn" if state.banner.tone is Tone.END else "waiting", ink=palette.CHALK)
        ),
    )


def _cell(rank: Rank, count: Count, plan: CellPlan, unit: float) -> Iterator[Mark]:
    """Return a tile with the rank's picture, on a pile where several lie here, pips for all of the rank, and a ring around the newest."""
    army = palette.ARMY[count.seat]
    ground, ink = (army, palette.ON_ARMY[count.seat]) if count.out else (palette.SLOT, palette.MUTED)
    tile, lift = plan.tile, 2.5 * unit
    for below in range(min(count.out, _HIGHEST_PILE) - 1, 0, -1):
        yield _plate(tile, below * lift, unit, army.mixed(palette.INK if below % 2 else palette.CHALK, 0.35))
    yield _plate(tile, 0.0, unit, ground)
    emblem_at = plan.picture
    yield Sprite(emblem_at.x, emblem_at.y, emblem_at.width, tuple(place(emblem(rank, ink, ground), 0.06, 0.06, 0.88)))
    if plan.pips is not None:
        yield from _pips(count, plan.pips, unit)
    if count.newest:
        yield rounded(tile.inset(-2 * unit), 6 * unit, 3 * unit, palette.GLOW)


_HIGHEST_PILE = 3


def _plate(box: Box, lift: float, unit: float, colour: Colour) -> Block:
    return Block(box.x + lift, box.y + lift, box.width, box.height, 5 * unit, colour)


def _handset(head: TrayHead, box: Box) -> Iterator[Mark]:
    """Return a handset, struck out while it is not connected; nothing while that is not known, or while a note takes its place."""
    if head.away or head.handset:
        ink = palette.GOOD if head.handset else palette.BAD
        size = box.height
        yield Sprite(box.x + (box.width - size) / 2, box.y, size, phone(ink, palette.PANEL, head.handset))


def _progress(head: TrayHead, box: Box) -> Iterator[Mark]:
    if head.progress is not None:
        full = palette.GOOD if head.ready else palette.ON_PANEL[head.seat]
        yield Block(box.x, box.y, box.width, box.height, 0.0, palette.SLOT)
        if head.progress:
            yield Block(box.x, box.y, box.width * head.progress, box.height, 0.0, full)


def _pips(count: Count, box: Box, unit: float) -> Iterator[Mark]:
    """Return one pip for each piece of the rank, filled for those that lie here."""
    step = min(11 * unit, box.width / max(1, count.of))
    wide, high = step - min(2.5 * unit, step / 2), box.height * 0.8
    for n in range(count.of):
        yield Block(
            box.x + n * step, box.y, wide, high, 0.0, palette.ON_PANEL[count.seat] if n < count.out else palette.SLOT
        )


_NARROW = 140.0
"""A button less wide than this, in units, is laid out more closely."""


def button_colours(button: Button) -> tuple[Colour, Colour]:
    """Return the colour of a button, its army's, that of the main action, or a quiet one; and what can be read on it."""
    if not button.enabled:
        return palette.PANEL, palette.MUTED
    if button.seat is not None:
        return palette.ARMY[button.seat], palette.ON_ARMY[button.seat]
    return (palette.GOOD, palette.INK) if button.strong else (palette.SLOT, palette.CHALK)


def button_sign(button: Button, box: Box, unit: float) -> Box:
    """Return the box of a button's sign: on its left, or in its middle where it has no text."""
    narrow = box.width < _NARROW * unit
    size = min((20 if narrow else 26) * unit, box.height * 0.62)
    x = box.x + ((5 if narrow else 8) * unit if button.text else (box.width - size) / 2)
    return Box(x, box.y + (box.height - size) / 2, size, size)


def button_text(button: Button, box: Box, unit: float) -> Box:
    """Return the box of its text."""
    narrow = box.width < _NARROW * unit
    signed = button.glyph or button.on is not None or button.seat is not None
    left, right = ((28 if narrow else 40) if signed else 8) * unit, (3 if narrow else 6) * unit
    return Box(box.x + left, box.y, box.width - left - right, box.height)


def button_picture(button: Button, box: Box, unit: float) -> Drawing:
    """Return a button without its text: its ground, an edge where it is a choice that is made, and its sign."""
    ground, ink = button_colours(button)
    marks: list[Mark] = []
    if button.on:
        marks.append(Block(box.x, box.y, box.width, box.height, 9 * unit, palette.GLOW))
        box = box.inset(2.5 * unit)
    marks.append(Block(box.x, box.y, box.width, box.height, 8 * unit, ground))
    at = button_sign(button, box, unit)
    if button.glyph:
        marks.append(Sprite(at.x, at.y, at.width, glyph(button.glyph, ink, ground)))
    elif button.on is not None:
        marks.append(Sprite(at.x, at.y, at.width, _TICKED if button.on else _UNTICKED))
    elif button.seat is not None:
        marks.append(Sprite(at.x, at.y, at.width, sign(button.seat, ink)))
    return tuple(marks)


def buttons_pictures(buttons: Sequence[Button], boxes: Sequence[Box], unit: float) -> dict[str, Drawing]:
    """Return the pictures of several buttons by what they are for."""
    return {
        f"button {button.key}": button_picture(button, box, unit) for button, box in zip(buttons, boxes, strict=True)
    }


def sheet_picture(page: Sheet, plan: SheetPlan) -> Mapping[str, Drawing]:
    """Return the ground of a page, its buttons, its code, and a dot for each digit that was typed."""
    box = plan.box.inset(2 * plan.unit)
    drawings: dict[str, Drawing] = {
        "ground": (Block(box.x, box.y, box.width, box.height, 10 * plan.unit, palette.PANEL),)
    }
    if plan.typed is not None and page.typed is not None:
        drawings["typed"] = tuple(_dots(page.typed, plan.typed))
    if plan.code is not None:
        drawings["code"] = code_picture(page.code, plan.code)
    return drawings | buttons_pictures(page.buttons, plan.buttons, plan.unit)


def strip_picture(strip: Strip, plan: StripPlan) -> Mapping[str, Drawing]:
    """Return the strip's buttons, and its line with what lies behind, the turning points, and where the game is."""
    line, unit = plan.line, plan.unit

    def at(ply: int) -> float:
        return line.x + line.width * ply / max(1, strip.last)

    middle, high = line.y + line.height / 2, 4 * unit
    done = at(strip.at) - line.x
    marks: list[Mark] = [Block(line.x, middle - high / 2, line.width, high, high / 2, palette.SLOT)]
    if done:
        marks.append(Block(line.x, middle - high / 2, done, high, high / 2, palette.CHALK))
    marks += [Block(at(ply) - unit, line.y, 2 * unit, line.height, 0.0, palette.GLOW) for ply in strip.turns]
    marks.append(Disc(at(strip.at), middle, line.height / 2, line.height / 2, palette.CHALK))
    return {"line": tuple(marks)} | buttons_pictures(strip.buttons, plan.buttons, unit)


def scene_picture(scene: Scene, plan: ScenePlan) -> Drawing:
    """Return a scene's ground and its figures: a piece with its rank's picture and crossed where it was captured, else plain."""
    box, unit = plan.box, plan.unit
    marks: list[Mark] = [
        Block(box.x, box.y, box.width, box.height, 12 * unit, palette.CHALK),
        Block(
            box.x + 3 * unit, box.y + 3 * unit, box.width - 6 * unit, box.height - 6 * unit, 10 * unit, palette.PANEL
        ),
    ]
    for figure, at in zip(scene.figures, plan.figures, strict=True):
        if figure.rank is None:
            marks.append(Sprite(at.x, at.y, at.width, piece(figure.seat)))
            continue
        ground, ink = palette.ARMY[figure.seat], palette.ON_ARMY[figure.seat]
        marks.append(Block(at.x, at.y, at.width, at.height, at.width * 0.14, ground))
        drawing = tuple(place(emblem(figure.rank, ink, ground), 0.0, 0.0, 1.0))
        size = at.width * (0.62 if figure.number else 0.76)
        marks.append(Sprite(at.centre[0] - size / 2, at.y + at.height * 0.94 - size, size, drawing))
        if figure.number:
            marks.append(Text(at.centre[0], at.y + at.height * 0.18, figure.number, at.height * 0.3, ink, bold=True))
        cross = at.width * 0.42
        marks.append(Sprite(at.x + at.width - cross * 0.7, at.y + at.height - cross * 0.7, cross, _CROSS))
    if scene.duel:
        marks += _arrow(plan.figures[0], plan.figures[1])
    return tuple(marks)


def _arrow(source: Box, target: Box) -> Iterator[Mark]:
    """Return an arrow from the attacker to the piece that it attacked."""
    left, right, y = source.x + source.width, target.x, source.centre[1]
    size = min((right - left) * 0.5, source.height * 0.4)
    x = (left + right - size) / 2
    yield Fill(((x, y - size * 0.5), (x + size, y), (x, y + size * 0.5)), palette.GLOW)


def card_picture(card: Card, plan: CardPlan) -> Mapping[str, Drawing]:
    """Return a card's panel, its army's sign, and its code."""
    box, at = plan.box, plan.sign
    ground = (
        Block(box.x, box.y, box.width, box.height, 8 * plan.unit, palette.ON_PANEL[card.seat] if card.seat else palette.MUTED),
        Block(box.x + 2.5 * plan.unit, box.y + 2.5 * plan.unit, box.width - 5 * plan.unit, box.height - 5 * plan.unit,
              6 * plan.unit, palette.PANEL),
    )  # fmt: skip
    drawings: dict[str, Drawing] = {"ground": ground}
    if card.seat is not None:
        drawings["sign"] = (Sprite(at.x, at.y, at.width, sign(card.seat, palette.ON_PANEL[card.seat])),)
    if card.code:
        drawings["code"] = code_picture(card.code, plan.picture)
    elif not card.digits:
        drawings["state"] = tuple(_waiting(plan.digits))
    return drawings


def code_picture(rows: Sequence[str], box: Box) -> Drawing:
    """Return a QR code, black on white whatever the screen's colours are: cameras want it so."""
    modules = len(rows) + 2 * QUIET
    size = box.width / modules
    marks: list[Mark] = [Block(box.x, box.y, box.width, box.height, 0.0, _WHITE)]
    top = box.y + box.height - QUIET * size
    for n, row in enumerate(rows):
        for start, length in _runs(row):
            marks.append(Block(box.x + (QUIET + start) * size, top - (n + 1) * size, length * size, size, 0.0, _BLACK))
    return tuple(marks)


def _runs(row: str) -> Iterator[tuple[int, int]]:
    """Return start and length of each run of 1."""
    return ((run.start(), run.end() - run.start()) for run in re.finditer("1+", row))


def _dots(number: int, box: Box) -> Iterator[Mark]:
    x, y = box.centre
    step = box.height * 0.8
    for n in range(number):
        yield Disc(x + (n - (number - 1) / 2) * step, y, box.height * 0.24, box.height * 0.24, palette.CHALK)


def _waiting(box: Box) -> Iterator[Mark]:
    """Return the picture in place of code and digits: a connected handset."""
    size = min(box.width, box.height) * 0.5
    x, y = box.centre
    yield Sprite(x - size / 2, y - size / 2, size, glyph("pair", palette.GOOD, palette.PANEL))


_WHITE, _BLACK = Colour(255, 255, 255), Colour(0, 0, 0)


_CROSS = picture("cross", ink=palette.ALARM, ground=palette.CHALK)
_TICKED = picture("ticked", ink=palette.INK, ground=palette.GLOW)
_UNTICKED = picture("unticked", ink=palette.MUTED, ground=palette.SLOT)
