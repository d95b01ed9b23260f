"""Pictures as values: emblems, colours, layers of the board."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations

import pytest

from kiosk_ui.board_picture import (
    ground_layer,
    ground_of,
    notice_layer,
    piece_layer,
    trail_layer,
)
from kiosk_ui.fixtures import samples
from kiosk_ui.layout import tray_plan
from kiosk_ui.styles import tray_edge, tray_picture, veil
from referee.presentation import palette
from referee.presentation.emblems import emblem, piece, sign
from referee.presentation.palette import ARMY, CHALK, ON_ARMY, SLOT, Colour
from referee.presentation.sentences import Tone
from referee.presentation.shapes import Block, Box, Disc, Drawing, Fill, Sprite, Stroke, place
from referee.presentation.state import Banner, BoardState, PieceState, names_of_lines
from referee.rules.values import Rank, Seat
from tests.kiosk.boxes import holds

SAMPLES = {sample.name: sample for sample in samples()}

# Machado, Oliveira, Fernandes (2009), severity 1.0: what is left of linear red, green and blue.
DEFICIENCIES = {
    "none": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152, 1.053, -0.205), (0.115, 0.786, 0.099), (-0.004, -0.048, 1.052)),
    "deuteranopia": ((0.367, 0.861, -0.228), (0.280, 0.673, 0.047), (-0.012, 0.043, 0.969)),
    "tritanopia": ((1.256, -0.077, -0.179), (-0.078, 0.931, 0.148), (0.005, 0.691, 0.304)),
}


def linear(colour: Colour) -> tuple[float, ...]:
    """Return linear red, green and blue (IEC 61966-2-1)."""
    parts = (colour.red / 255, colour.green / 255, colour.blue / 255)
    return tuple(c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)


def lab(rgb: Iterable[float]) -> tuple[float, float, float]:
    """Return CIE L*a*b* for D65."""
    r, g, b = (min(1.0, max(0.0, c)) for c in rgb)
    x, y = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505, 0.2126 * r + 0.7152 * g + 0.0722 * b
    z = (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089
    fx, fy, fz = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def seen_distance(one: Colour, other: Colour, deficiency: str) -> float:
    """Return how far apart two colours look (CIE76; above about 10 nobody takes one for the other)."""
    matrix = DEFICIENCIES[deficiency]
    seen = [
        lab(sum(a * c for a, c in zip(row, linear(colour), strict=True)) for row in matrix) for colour in (one, other)
    ]
    return math.dist(*seen)


def contrast(one: Colour, other: Colour) -> float:
    """Return the contrast of WCAG 2, from 1 to 21."""
    light = sorted(0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05 for r, g, b in (linear(one), linear(other)))
    return light[1] / light[0]


@pytest.mark.parametrize("deficiency", DEFICIENCIES)
def test_armies_differ_with_every_kind_of_colour_blindness(deficiency: str) -> None:
    """Any two armies, and every army and sand, look different to everybody; red and blue very much so."""
    for one, other in combinations(ARMY.values(), 2):
        assert seen_distance(one, other, deficiency) > 15
    for colour in (*ARMY.values(), palette.ALARM, palette.LAKE):
        assert seen_distance(colour, palette.SAND, deficiency) > 15
    assert seen_distance(ARMY[Seat.RED], ARMY[Seat.BLUE], deficiency) > 60
    assert seen_distance(palette.GLOW, palette.SAND, deficiency) > 15


def test_what_is_written_can_be_read() -> None:
    """All text has the contrast of small text to what is behind it (WCAG 2.1, 1.4.3 AA: 4.5), big text as well."""
    pairs = [*((ARMY[seat], ON_ARMY[seat]) for seat in Seat), (palette.GOOD, palette.INK), (palette.GLOW, palette.INK)]
    pairs += [(ground, CHALK) for ground in (palette.NIGHT, palette.PANEL, palette.SLOT, palette.CALM, palette.ALARM)]
    pairs += [(ground, palette.MUTED) for ground in (palette.NIGHT, palette.PANEL, palette.SLOT)]
    pairs += [(palette.PANEL, ink) for ink in (palette.GOOD, palette.BAD)]
    assert {pair: contrast(*pair) for pair in pairs if contrast(*pair) < 4.5} == {}
    assert all(contrast(ARMY[seat], palette.SAND) >= 3 for seat in Seat if seat is not Seat.YELLOW)
    assert all(contrast(palette.ON_PANEL[seat], palette.PANEL) >= 3 for seat in Seat)


def points_of(drawing: Drawing) -> list[tuple[float, float]]:
    """Return the outermost points of all marks."""
    found: list[tuple[float, float]] = []
    for mark in drawing:
        match mark:
            case Disc():
                found += [
                    (mark.x - mark.radius_x, mark.y - mark.radius_y),
                    (mark.x + mark.radius_x, mark.y + mark.radius_y),
                ]
            case Block():
                found += [(mark.x, mark.y), (mark.x + mark.width, mark.y + mark.height)]
            case Fill() | Stroke():
                found += mark.points
            case Sprite():
                found += [(mark.x, mark.y), (mark.x + mark.size, mark.y + mark.size)]
    return found


def test_every_rank_has_a_picture_of_its_own() -> None:
    """No two ranks look the same, and each picture stays in its space."""
    pictures = {rank: emblem(rank, CHALK, SLOT) for rank in Rank}
    assert len(set(pictures.values())) == len(Rank)
    for rank, picture in pictures.items():
        assert all(-0.02 <= x <= 1.02 and -0.02 <= y <= 1.02 for x, y in points_of(picture)), rank


def test_every_army_has_a_shape_of_its_own() -> None:
    """Pieces and signs differ in shape, not only in colour."""
    same = {seat: piece(seat, CHALK) for seat in Seat}
    assert len(set(same.values())) == len(Seat)
    assert len({sign(seat, CHALK) for seat in Seat}) == len(Seat)
    for drawing in same.values():
        assert all(0.0 <= x <= 1.0 and 0.0 <= y <= 1.0 for x, y in points_of(drawing))


def board_of(name: str) -> BoardState:
    """Return the board of a made-up table."""
    board = SAMPLES[name].state("en").board
    assert board is not None
    return board


def test_layers_change_only_where_the_board_did() -> None:
    """A lifted blue piece leaves the ground and red's drawing as they are, so that they are not drawn again."""
    before, after = board_of("middle"), board_of("in-hand")
    ground = ground_of(before.shape, Box(0, 0, 400, 400))
    assert ground_layer(ground) == ground_layer(ground_of(after.shape, Box(0, 0, 400, 400)))
    old, new = piece_layer(ground, before), piece_layer(ground, after)
    assert {key for key in old.keys() | new.keys() if old.get(key) != new.get(key)} == {"blue", "f7"}
    assert "in hand f7" in trail_layer(ground, after)


@pytest.mark.parametrize("name", [name for name, sample in SAMPLES.items() if sample.view])
def test_pieces_stay_on_the_board(name: str) -> None:
    """Each piece is drawn on its own square; what must be put right is marked on its square."""
    board = board_of(name)
    box = Box(20, 30, 40 * board.shape.columns, 40 * board.shape.rows)
    ground = ground_of(board.shape, box)
    for layer in (piece_layer(ground, board), trail_layer(ground, board), notice_layer(ground, board)):
        for drawing in layer.values():
            around = box.inset(-14)
            assert all(holds(around, Box(x, y, 0, 0)) for x, y in points_of(drawing))
    assert [key for key in notice_layer(ground, board) if key.startswith("fix")] == [
        f"fix {f.square}" for f in board.fixes
    ]
    keys = {s.value for s in Seat} | {
        piece.square for piece in board.pieces if piece.stand is PieceState.STANDING and piece.rank is not None
    }
    count = sum(len(drawing) for key, drawing in piece_layer(ground, board).items() if key in keys)
    marks = (
        1 + (piece.rank is not None) + (piece.number != "")
        for piece in board.pieces
        if piece.stand is PieceState.STANDING
    )
    assert count == sum(marks)


def test_a_move_that_can_still_be_revised_glows_less() -> None:
    """What may yet change is fainter than what is final."""
    sure = board_of("middle")
    assert sure.trail is not None
    open_ = replace(sure, trail=replace(sure.trail, sure=False))
    ground = ground_of(sure.shape, Box(0, 0, 400, 400))
    assert trail_layer(ground, sure)["trail"][0].colour.alpha > trail_layer(ground, open_)["trail"][0].colour.alpha


def test_names_of_rows_and_columns_come_from_the_squares() -> None:
    """Columns are letters, rows are numbers, on every board; a castle's spaces add no name of their own."""
    columns, rows = names_of_lines(board_of("classic").shape)
    assert "".join(columns[n] for n in range(10)) == "abcdefghij"
    assert [rows[n] for n in range(8)] == ["1", "2", "3", "4", "5", "6", "7", "8"]
    columns, rows = names_of_lines(board_of("four-armies").shape)
    assert len(columns) == len(rows) == 13
    assert names_of_lines(board_of("three-armies").shape) == ({}, {})  # its arms lie askew


def test_a_banner_wears_the_army_it_speaks_of() -> None:
    """The colour of the banner is the army's; without an army it tells asking from waiting."""
    assert Banner("", (Seat.BLUE,), Tone.TURN).ground == ARMY[Seat.BLUE]
    assert Banner("", (), Tone.ASK).ground != Banner("", (), Tone.CALM).ground


def test_the_tray_of_the_army_to_move_has_an_edge() -> None:
    """Whose turn it is shows beside the board too."""
    red, blue = SAMPLES["middle"].state("en").trays
    box = Box(0, 0, 200, 370)
    assert not tray_edge(red, box, 1.0)
    (edge,) = tray_edge(blue, box, 1.0)
    assert edge.colour == ARMY[Seat.BLUE]
    assert all(holds(box, Box(x, y, 0, 0)) for x, y in points_of((edge,)))


def test_only_what_is_old_is_veiled() -> None:
    """A veil lies over the table while the referee is away, and never otherwise."""
    assert veil(SAMPLES["no-referee"].state("en"), [Box(0, 0, 800, 480)])
    assert not veil(SAMPLES["middle"].state("en"), [Box(0, 0, 800, 480)])
    assert not veil(SAMPLES["no-broker"].state("en"), [Box(0, 0, 800, 480)])


def test_drawings_are_placed_as_a_whole() -> None:
    """Placing a drawing scales and moves every mark in it."""
    marks = place(
        (Disc(0.5, 0.5, 0.5, 0.25, CHALK), Block(0, 0, 1, 1, 0.1, CHALK), Stroke(((0, 0), (1, 1)), 0.1, CHALK)),
        10,
        20,
        4,
    )
    assert marks == (
        Disc(12, 22, 2, 1, CHALK),
        Block(10, 20, 4, 4, 0.4, CHALK),
        Stroke(((10, 20), (14, 24)), 0.4, CHALK),
    )


@pytest.mark.parametrize("unit", [0.6, 1.0, 2.4])
@pytest.mark.parametrize("of", [1, 8, 39, 80])
def test_every_mark_of_a_tray_can_be_drawn(of: int, unit: float) -> None:
    """House rules may give an army 39 scouts: the pips get narrower, and none has less than no width, which no graphics card draws."""
    sample = SAMPLES["middle"]
    assert sample.info is not None
    tray = replace(sample, info=replace(sample.info, army={Rank.SCOUT: of, Rank.FLAG: 1})).screen("en").table.trays[0]
    box = Box(0.0, 0.0, 170.0 * unit, 400.0 * unit)
    drawings = tray_picture(tray, tray_plan(box, unit, 1, len(tray.rows)), box)
    blocks = [mark for drawing in drawings.values() for mark in drawing if isinstance(mark, Block)]
    assert len(blocks) > of
    assert all(block.width > 0 and block.height > 0 for block in blocks)
