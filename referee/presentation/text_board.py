"""The board in a terminal: the same state that the kiosk draws, as coloured text that fits 80 x 24. Colour is never needed to read it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from referee.presentation import palette, state
from referee.presentation.palette import Colour
from referee.presentation.sentences import Contact
from referee.rules.values import Seat
from referee.table.views import BoardShape, PublicInfo, PublicView
from referee.words import words

WIDTH = 80
_WIDE, _NARROW, _MOST_WIDE_COLUMNS = 3, 2, 10

_HALL = "◷"
_PIECE: Mapping[Seat, str] = {Seat.RED: "●", Seat.BLUE: "■", Seat.GREEN: "▲", Seat.YELLOW: "◆"}
_HOLLOW: Mapping[Seat, str] = {Seat.RED: "○", Seat.BLUE: "□", Seat.GREEN: "△", Seat.YELLOW: "◇"}
"""A piece in the air, or one that has to be put back."""
_LAKE, _NOTHING_HERE, _BURST, _WAITING = "≈", "x", "<{}>", "…"


def terminal_board(
    info: PublicInfo, view: PublicView, language: str, passed_ms: int = 0, contact: Contact = Contact.LIVE
) -> RenderableType:
    """Return the table as everybody may see it so long after the view came: banner with clocks, board, captured pieces."""
    return drawn(state.kiosk_state(info, view, words(language), contact, passed_ms=passed_ms))


def drawn(shown: state.KioskState) -> RenderableType:
    """Return a screen's state as text."""
    if shown.board is None:
        return _banner(shown)
    body = Table.grid(padding=(0, 4, 0, 0))
    body.add_row(_board(shown.board), _trays(shown.trays))
    return Group(_banner(shown), Text(), body)


def _banner(shown: state.KioskState) -> RenderableType:
    sign = "".join(_PIECE[seat] for seat in shown.banner.seats) or _WAITING
    notes = "  ".join(note for note in (shown.rule_set, shown.caution, shown.ply) if note)
    clocks = "   ".join(dict.fromkeys(_clock(clock) for side in shown.clocks for clock in side))
    return Group(
        _bar(shown.banner, f"{sign:>2}", Text(shown.banner.text, style="bold"), notes),
        _bar(shown.banner, "  ", Text(shown.detail), clocks, folds=True),
    )


def _clock(clock: state.ClockText) -> str:
    """Return a clock as `▶● 9:58`: the sign of its army, or of the hall, whether it runs, and a call where little is left."""
    sign = _PIECE[clock.seat] if clock.seat is not None else _HALL
    return f"{'▶' if clock.runs else ' '}{sign} {clock.text}{'!' if clock.low else ''}"


def _bar(banner: state.Banner, sign: str, text: Text, notes: str, folds: bool = False) -> RenderableType:
    bar = Table.grid(expand=True, padding=(0, 1))
    bar.width = WIDTH
    bar.row_styles = [f"{banner.ink.hex} on {banner.ground.hex}"]
    bar.add_column(width=2)
    bar.add_column(ratio=1, no_wrap=not folds, overflow="ellipsis")
    bar.add_column(no_wrap=True)
    bar.add_row(sign, text, notes)
    return bar


def _board(board: state.BoardState) -> Text:
    shape = board.shape
    wide = _WIDE if shape.columns <= _MOST_WIDE_COLUMNS else _NARROW
    columns, rows = state.names_of_lines(shape)
    cells = _ground(shape)
    cells.update(_marked(board, cells))
    text = Text()
    for row in reversed(range(shape.rows)):
        text.append(f"{rows.get(row, ''):>2} ", style=palette.MUTED.hex)
        for column in range(shape.columns):
            sign, ink, ground = cells.get((column, row), (" ", None, None))
            text.append(_in_cell(sign, wide), style=_style(ink, ground))
        text.append("\n")
    text.append(
        "   " + "".join(_in_cell(columns.get(column, " "), wide) for column in range(shape.columns)), palette.MUTED.hex
    )
    return text


Cell = tuple[str, Colour | None, Colour | None]
"""A sign, its colour, and the colour behind it."""


def _ground(shape: BoardShape) -> dict[tuple[int, int], Cell]:
    cells: dict[tuple[int, int], Cell] = {}
    for square in sorted(shape.squares, key=lambda s: -s.width * s.height):
        left, low = square.x - square.width / 2, square.y - square.height / 2
        for column in range(math.floor(left), math.ceil(left + square.width)):
            for row in range(math.floor(low), math.ceil(low + square.height)):
                big = square.width > 1 or square.height > 1
                plain = palette.SAND if (column + row) % 2 else palette.SAND_DARK
                cells[column, row] = (" ", None, palette.CASTLE if big else plain)
    for column, row in shape.lakes:
        cells[column, row] = (_LAKE, palette.LAKE_DARK, palette.LAKE)
    return cells


def _marked(board: state.BoardState, cells: Mapping[tuple[int, int], Cell]) -> Iterator[tuple[tuple[int, int], Cell]]:
    """Return the cells that hold more than ground: pieces, the last move, squares to put right."""
    at = {name: (math.floor(spot.x), math.floor(spot.y)) for name, spot in state.spots_of(board.shape).items()}
    pieces = {standing.square: standing for standing in board.pieces}
    fixes = {fix.square: fix for fix in board.fixes}
    trail = {board.trail.source, board.trail.target} if board.trail else set()
    flags = {flag.square: flag.seat.value[0] for flag in board.flags}
    for name, place in at.items():
        behind = palette.GLOW if name in trail else cells[place][2]
        standing, fix = pieces.get(name), fixes.get(name)
        if board.zones and name not in board.zones and behind is not None:
            behind = behind.mixed(palette.INK, 0.45)
        if fix is not None:
            seat = fix.wanted
            yield place, (_HOLLOW[seat] if seat else _NOTHING_HERE, palette.CHALK, palette.ALARM)
        elif standing is not None:
            sign = (_PIECE if standing.stand is state.PieceState.STANDING else _HOLLOW)[standing.seat]
            if board.fighting and board.trail and name == board.trail.target:
                sign = _BURST.format(sign)
            if standing.rank is not None:
                sign += standing.number or standing.rank.value[0].upper()
            sign += flags.get(name, "")
            yield place, (sign, _on_sand(standing.seat), behind)
        elif behind is not cells[place][2] or name in flags:
            yield place, (flags.get(name, " "), palette.INK, behind)


def _on_sand(seat: Seat) -> Colour:
    """Return an army's colour dark enough for a small sign on sand."""
    return palette.ARMY[seat].mixed(palette.INK, 0.65 if seat is Seat.YELLOW else 0.15)


def _in_cell(sign: str, wide: int) -> str:
    return sign * wide if sign == _LAKE else sign[:wide].center(wide) if wide == _WIDE else sign[:wide].ljust(wide)


def _style(ink: Colour | None, ground: Colour | None) -> str:
    return " ".join(part for part in (f"bold {ink.hex}" if ink else "", f"on {ground.hex}" if ground else "") if part)


def _trays(trays: tuple[state.Tray, ...]) -> RenderableType:
    """Return one table for all armies: a line for each of them, then a line for each rank with a count for each army."""
    heads = [head for tray in trays for head in tray.heads]
    names = Table.grid(padding=(0, 1))
    for head in heads:
        sign = Text(_PIECE[head.seat], style=f"bold {palette.ARMY[head.seat].hex}")
        names.add_row(
            sign, Text(head.name, style="bold" if head.to_move else ""), Text(head.note, style=palette.MUTED.hex)
        )
    ranks = Table.grid(padding=(0, 1))
    ranks.add_column(justify="right", width=2)
    ranks.add_column(min_width=13)
    ranks.add_row("", "", *(Text(_PIECE[head.seat].center(5), palette.ARMY[head.seat].hex) for head in heads))
    for rows in zip(*(tray.rows for tray in trays), strict=True):
        counts = [count for row in rows for count in row.counts]
        dim = "" if any(count.out for count in counts) else palette.MUTED.hex
        ranks.add_row(Text(rows[0].number, dim), Text(rows[0].name, dim), *(_count(count) for count in counts))
    return Group(names, ranks)


def _count(count: state.Count) -> Text:
    if not count.out:
        return Text(f" {count.text} ", style=palette.MUTED.hex)
    return Text(f" {count.text} ", style=f"bold {palette.ON_ARMY[count.seat].hex} on {palette.ARMY[count.seat].hex}")
