"""The table of fields against figures computed with magpylib, and what they mean for whole boards."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from firmware_bridge.messages import Reading
from hardware import BoardFile, Sensing, load_board
from hardware.board_file import FULL_FIELD, Magnet, board_names
from simulator import make_field_table
from simulator.firmware import Firmware, neighbours_of
from simulator.magnets import TABLE_PATH, Magnets, Resting, dipole_field, field_mt, field_of

BOARD = load_board("travel-10x10")
EMPTY, RED, BLUE, UNSURE = Reading

SMALL = Magnet("N42", 5, 2, 4.0, 49)
SMALL_STRONG = Magnet("N45", 5, 2, 4.0, 51)
LARGE = Magnet("N42", 6, 2, 4.5, 49)
LARGE_STRONG = Magnet("N45", 6, 2, 5.0, 42)
WIDE = Magnet("N42", 8, 2, 5.0, 57)
THICK = Magnet("N42", 6, 3, 5.0, 51)

# computed once with magpylib 6.1.0, Cylinder, in mT: distance from the axis, height above its resting place
GOLDEN = [
    (SMALL, [(0, 0, 48.8011), (2.3, 0, 32.5954), (4.75, 0, 8.566), (9.5, 0, -1.0442), (19, 0, -0.4347), (0, 10, 2.3299)]),
    (SMALL_STRONG, [(0, 0, 50.6781), (0, 3.3, 13.2681), (26.87, 0, -0.1869), (12.6, 14.2, 0.3831)]),
    (LARGE, [(0, 0, 49.3409), (2.3, 0, 36.4321), (4.75, 0, 12.889), (9.5, 0, -0.8292), (19, 0, -0.5855), (0, 10, 2.9962)]),
    (LARGE, [(26.87, 0, -0.2513), (0, 3.3, 14.8553), (6.1, 7.7, 2.7465), (12.6, 14.2, 0.518), (38, 0, -0.0975)]),
    (LARGE_STRONG, [(0, 0, 41.6152), (4.75, 0, 12.6623), (9.5, 0, -0.3412), (0, 10, 2.8369), (38, 0, -0.0994)]),
    (WIDE, [(0, 0, 56.7933), (4.75, 0, 22.62), (9.5, 0, -0.0985), (6.1, 7.7, 4.4542), (38, 0, -0.1709)]),
    (THICK, [(0, 0, 51.2436), (2.3, 0, 39.5563), (4.75, 0, 16.9956), (19, 0, -0.7445), (12.6, 14.2, 0.7337)]),
]  # fmt: skip


@pytest.mark.parametrize(("magnet", "figures"), GOLDEN)
def test_the_table_gives_magpylibs_figures(magnet: Magnet, figures: list[tuple[float, float, float]]) -> None:
    """Between its points and beyond its ends the table is right within 0.1 mT; the fraction that boards use is the same figure."""
    field = field_of(magnet)
    for distance_mm, height_mm, wanted_mt in figures:
        assert field_mt(magnet, distance_mm, height_mm) == pytest.approx(wanted_mt, abs=0.1)
        assert field(distance_mm, height_mm) * figures[0][2] == pytest.approx(wanted_mt, abs=0.15) or figures[0][0] > 0


@pytest.mark.parametrize(
    ("magnet", "pitch_mm"), [(SMALL, 18), (LARGE, 19), (LARGE, 20), (LARGE_STRONG, 19), (LARGE_STRONG, 20)]
)
def test_what_the_hardware_is_designed_for(magnet: Magnet, pitch_mm: float) -> None:
    """Discs of 5 or 6 x 2 mm, N42 or N45, 4 to 5 mm away: 40 to 50 mT centred, and what is left of it elsewhere."""
    assert 40 <= field_mt(magnet, 0) <= 50
    assert 10 <= field_mt(magnet, pitch_mm / 4) <= 14
    assert abs(field_mt(magnet, pitch_mm / 2)) <= 1.1
    assert 2 <= field_mt(magnet, 0, 10) <= 3
    on_all_sides = [(x, y) for x in range(-4, 5) for y in range(-4, 5) if (x, y) != (0, 0)]
    assert -5.4 <= sum(field_mt(magnet, pitch_mm * math.hypot(x, y)) for x, y in on_all_sides) <= -4.0


def test_the_boards_that_ship_say_what_their_magnets_give() -> None:
    """`centred_mt` of each board file is the table's figure."""
    for name in board_names():
        magnet = load_board(name).magnet
        assert field_mt(magnet, 0) == pytest.approx(magnet.centred_mt, rel=0.01)


def test_other_discs_are_dipoles() -> None:
    """A disc that is not in the table has a dipole's field, which for those in the table is off by a few percent of the centred one."""
    odd = Magnet("N42", 7, 2.5, 4.5, 60)
    assert field_of(odd)(6.0, 2.0) == dipole_field(odd)(6.0, 2.0)
    field, dipole = field_of(LARGE), dipole_field(LARGE)
    assert all(abs(field(r / 2, h) - dipole(r / 2, h)) < 0.05 for r in range(60) for h in range(15))


def test_the_table_is_what_magpylib_gives() -> None:
    """The generator, run now, gives the file that ships."""
    assert make_field_table.main(["--check"]) == 0


def test_a_stale_table_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A table with other figures fails the check, and writing it anew mends that."""
    path = tmp_path / "field.csv"
    path.write_text(TABLE_PATH.read_text().replace("3", "4", 1))
    monkeypatch.setattr(make_field_table, "TABLE_PATH", path)
    monkeypatch.setattr(make_field_table, "make", TABLE_PATH.read_text)
    assert make_field_table.main(["--check"]) == 1
    assert "field.csv is not what magpylib gives" in capsys.readouterr().err
    assert make_field_table.main([]) == 0
    assert make_field_table.main(["--check"]) == 0


def start_position(board: BoardFile, random: Random, off: float) -> dict[int, Resting]:
    """Return both armies on their squares, six pieces missing, every piece off the middle by the same share of the pitch."""
    rows = [(n, y) for n, (_, y) in enumerate(board.places) if y < 4 or y > 5]
    random.shuffle(rows)
    pieces = {}
    for n, row in rows[6:]:
        x, y = board.places[n]
        angle = random.uniform(0, math.tau)
        pieces[n] = Resting(1 if row < 4 else -1, x + off * math.cos(angle), y + off * math.sin(angle))
    return pieces


def readings(board: BoardFile, pieces: dict[int, Resting], *, corrected: bool) -> list[Reading]:
    """Return what each square reads, three scans after all pieces came to rest."""
    field = field_of(board.magnet)
    magnets = Magnets(board, field)
    for square, piece in pieces.items():
        magnets.rest(square, piece)
    firmware = Firmware(board, neighbours=neighbours_of(board, field) if corrected else ())
    for _ in range(3):
        for square, value in enumerate(magnets.fields):
            firmware.sense(square, value)
    return [firmware.reading(square) for square in range(len(board.squares))]


def count_misses(
    off: float, *, corrected: bool, sensing: Sensing = Sensing.COLOUR
) -> tuple[Counter[Reading], int, int]:
    """Return what pieces read that do not read as what they are, how many empty squares read anything, and the number of pieces."""
    board, random = BOARD.with_sensing(sensing), Random(7)
    misses: Counter[Reading] = Counter()
    ghosts = pieces_in_all = 0
    for _ in range(25):
        pieces = start_position(board, random, off)
        pieces_in_all += len(pieces)
        for square, reading in enumerate(readings(board, pieces, corrected=corrected)):
            piece = pieces.get(square)
            if piece is None:
                ghosts += reading is not EMPTY
            elif reading is not (RED if piece.pole > 0 or sensing is Sensing.OCCUPANCY else BLUE):
                misses[reading] += 1
    return misses, ghosts, pieces_in_all


@pytest.mark.parametrize("off", [0.0, 0.1, 0.2])
@pytest.mark.parametrize("sensing", Sensing)
def test_no_misses_where_hands_put_pieces(off: float, sensing: Sensing) -> None:
    """Up to a fifth of the pitch off the middle, every piece of a start position reads as what it is, and nothing else reads anything."""
    assert count_misses(off, corrected=True, sensing=sensing)[:2] == (Counter(), 0)


def test_neighbours_are_corrected_for() -> None:
    """A quarter of the pitch off, in a whole army: next to no piece is unsure with the firmware's correction, most are without it."""
    misses, ghosts, pieces = count_misses(0.25, corrected=True)
    assert set(misses) <= {UNSURE}
    assert misses[UNSURE] <= 0.005 * pieces
    assert ghosts == 0
    misses, ghosts, _ = count_misses(0.25, corrected=False)
    assert misses[UNSURE] + misses[EMPTY] > 0.4 * pieces
    assert ghosts == 0


def test_a_whole_army_weakens_a_square_by_a_tenth() -> None:
    """An empty square amid one colour feels about -10 % of a magnet, towards the other colour; corrected it is nearly nothing."""
    magnets = Magnets(BOARD, field_of(BOARD.magnet))
    hole = BOARD.index("e3")
    for square, (x, y) in enumerate(BOARD.places):
        if y < 4 and square != hole:
            magnets.rest(square, Resting(1, x, y))
    assert magnets.fields[hole] == pytest.approx(-0.088, abs=0.005)
    neighbours = neighbours_of(BOARD, field_of(BOARD.magnet))
    shares = [share for square in magnets.resting for n, share in neighbours[square] if n == hole]
    assert magnets.fields[hole] - sum(shares) / FULL_FIELD == pytest.approx(0.0, abs=0.02)


def test_taking_a_magnet_leaves_nothing_behind() -> None:
    """After thousands of pieces came and went, an empty board feels nothing."""
    magnets, random = Magnets(BOARD, field_of(BOARD.magnet)), Random(1)
    for _ in range(3000):
        square = random.randrange(92)
        if magnets.take(square) is None:
            x, y = BOARD.places[square]
            magnets.rest(square, Resting(random.choice((1, -1)), x + random.uniform(-0.2, 0.2), y))
    for square in list(magnets.resting):
        magnets.take(square)
    assert max(map(abs, magnets.fields)) < 1e-12
