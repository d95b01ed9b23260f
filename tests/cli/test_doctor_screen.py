"""The doctor's picture fits a terminal of 80 x 24 whatever is found, on every board, and needs no colours to be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.cells import cell_len

from firmware_bridge.advice import Defect, Finding
from firmware_bridge.checkup import Checkup, Diagnosis, Expected, diagnose
from firmware_bridge.messages import Frame, LinkLost, Reading
from hardware import board_names, load_board
from referee.cli.calibrate import grid_lines, grid_width, is_grid, spots
from referee.cli.doctor import HEIGHT, MARKS, WIDTH, screen

DOCS = Path(__file__).resolve().parents[2] / "docs"
URL = "serial:/dev/serial/by-id/usb-Arduino_LLC_Arduino_Micro-if00"
VALUES = {"text": "board: the board says something long, the board file something else", "times": "twice"} | {
    "cause": "brown-out",
    "url": URL,
    "count": 123,
    "seen": 50,
    "told": 100,
    "ms": 16,
    "disc": "6 x 2 mm",
    "gap": 3.5,
    "least": 3.9,
    "said": 4.5,
    "felt": 3.8,
    "counts": 1023,
    "now": 1023,
    "used": 512,
    "channel": 92,
    "percent": 12,
    "way": "higher",
    "low": 417,
    "high": 1023,
}


def checkup_of(name: str, reading: Reading) -> Checkup:
    """Return a checkup of a board that reads the same on every square."""
    board = load_board(name)
    checkup = Checkup(board, {}, Expected.UNKNOWN)
    checkup.hear(Frame(0, 1000, (reading,) * len(board.squares)))
    return checkup


@pytest.mark.parametrize("findings", [0, 1, 3, len(Defect)])
@pytest.mark.parametrize("name", board_names())
def test_it_fits(name: str, findings: int) -> None:
    """Never wider, never higher; what found no room is counted, and a report of any height has all of it."""
    checkup = checkup_of(name, Reading.RED)
    squares = checkup.board.squares
    found = tuple(Finding(kind, squares, VALUES) for kind in list(Defect)[:findings])
    diagnosis = Diagnosis(found, dict(zip(squares, [*MARKS] * 20, strict=False)), checkup.strengths())
    lines = screen(checkup, diagnosis, URL)
    assert len(lines) <= HEIGHT
    assert max(cell_len(line.plain) for line in lines) <= WIDTH
    text = "".join(line.plain for line in lines)
    fits = "doctor --once" not in text.replace("  ", "")
    assert fits or findings > 0
    assert not (fits and findings == len(Defect))
    assert not found or found[0].what[:20] in text, "the worst is always told"
    whole = "".join(line.plain for line in screen(checkup, diagnosis, "sim:", height=None)).replace(" ", "")
    assert all(finding.next.replace(" ", "") in whole for finding in found)


@pytest.mark.parametrize("name", board_names())
def test_every_square_has_its_own_place(name: str) -> None:
    """No cell of a grid covers another, farther rows lie higher, and the width is what it says."""
    board = load_board(name)
    places = spots(board, 3)
    assert set(places) == set(board.squares)
    cells = [(line, column + offset) for line, column in places.values() for offset in (0, 1)]
    assert len(set(cells)) == len(cells)
    assert grid_width(board, 3) <= WIDTH
    lines = grid_lines(board, dict.fromkeys(board.squares, "##"), 3)
    assert sum(line.count("#") for line in lines) == 2 * len(board.squares)
    assert len(lines) == board.rows + is_grid(board)


def test_the_travel_board_as_text() -> None:
    """Golden: the picture of an empty board with one magnet, without any style."""
    board = load_board("travel-10x10")
    checkup = Checkup(board, {})
    readings = [Reading.EMPTY] * 92
    readings[board.index("e5")] = Reading.BLUE
    checkup.hear(Frame(0, 1000, tuple(readings)))
    lines = [line.plain.rstrip() for line in screen(checkup, diagnose(checkup, "sim:"), "sim:", height=None)]
    assert lines[4:15] == [
        " 10 \u00b7  \u00b7  \u00b7  \u00b7  \u00b7  \u00b7  \u00b7  \u00b7  \u00b7  \u00b7",
        "  9 \u00b7  \u00b7  \u00b7  \u00b7  \u00b7  \u00b7  \u00b7  \u00b7  \u00b7  \u00b7",
        "  8 \u00b7  \u00b7  \u00b7  \u00b7  \u00b7  \u00b7  \u00b7  \u00b7  \u00b7  \u00b7",
        "  7 \u00b7  \u00b7  \u00b7  \u00b7  \u00b7  \u00b7  \u00b7  \u00b7  \u00b7  \u00b7",
        "  6 \u00b7  \u00b7        \u00b7  \u00b7        \u00b7  \u00b7",
        "  5 \u00b7  \u00b7        Bs \u00b7        \u00b7  \u00b7",
        "  4 \u00b7  \u00b7  \u00b7  \u00b7  \u00b7  \u00b7  \u00b7  \u00b7  \u00b7  \u00b7",
        "  3 \u00b7  \u00b7  \u00b7  \u00b7  \u00b7  \u00b7  \u00b7  \u00b7  \u00b7  \u00b7",
        "  2 \u00b7  \u00b7  \u00b7  \u00b7  \u00b7  \u00b7  \u00b7  \u00b7  \u00b7  \u00b7",
        "  1 \u00b7  \u00b7  \u00b7  \u00b7  \u00b7  \u00b7  \u00b7  \u00b7  \u00b7  \u00b7",
        "    a  b  c  d  e  f  g  h  i  j",
    ]


def test_a_lost_link_is_said_above_the_board() -> None:
    """In the place of the numbers, which are old then."""
    checkup = checkup_of("compact-10x8", Reading.EMPTY)
    checkup.hear(LinkLost("pulled"))
    lines = [line.plain for line in screen(checkup, diagnose(checkup, "sim:"), "sim:")]
    assert lines[2] == "No connection: waiting for the board to come back."


def test_no_two_marks_are_alike_and_all_are_explained() -> None:
    """Every trouble of a square has a letter of its own, and the guide explains it."""
    signs = [sign for sign, _ in MARKS.values()]
    assert len(set(signs)) == len(signs)
    guide = (DOCS / "how-to" / "doctor.md").read_text(encoding="utf-8")
    for sign in signs:
        assert f"| `{sign}` |" in guide
