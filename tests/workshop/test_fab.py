"""The board that is packed for a house, held against KiCad's rules once more; and the router. Skipped without the tools of `make fab`."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import warnings
import zipfile
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from hardware.draw import ROOT
from workshop.fab import ZIPS, tiles

pytest.importorskip("skimage", reason="make fab brings it")
from scipy.ndimage import label

from workshop.tile_router import CLEARANCE, Net, NoWayError, Router, Shape

KICAD = "/usr/bin/python3"
needs_kicad = pytest.mark.skipif(
    not any(Path("/usr/lib/python3/dist-packages").glob("pcbnew.py")), reason="make fab brings KiCad"
)


def found(board: Path) -> list[str]:
    """Return how many violations, open connections and faults of footprints KiCad finds in a board's file."""
    subprocess.run([KICAD, ROOT / "workshop/tile_board.py", "rules", board], check=True, capture_output=True)
    return re.findall(r"Found (\d+)", board.with_suffix(".rules.txt").read_text(encoding="utf-8"))


@needs_kicad
@pytest.mark.process
@pytest.mark.parametrize("name", tiles())
def test_the_rules_find_nothing_and_would(name: str, tmp_path: Path) -> None:
    """No violation, nothing open; a track that is taken out, and one that is too near, are found."""
    with zipfile.ZipFile(ZIPS / f"{name}.zip") as packed:
        text = packed.read(f"{name}.kicad_pcb").decode()
    board = tmp_path / "tile.kicad_pcb"
    board.write_text(text, encoding="utf-8")
    assert found(board) == ["0", "0", "0"]
    tracks = re.findall(r"^  \(segment .*\)$", text, re.MULTILINE)
    board.write_text(text.replace(tracks[len(tracks) // 2], ""), encoding="utf-8")
    assert int(found(board)[1]) == 1
    thin = next(track for track in tracks if "(width 0.2)" in track)
    board.write_text(text.replace(thin, thin.replace("(width 0.2)", "(width 1.5)")), encoding="utf-8")
    assert int(found(board)[0]) > 0


_PIXELS = 20  # a millimetre: a gap of 0.2 mm is four wide
_SHEET_MM, _TILE_MM = 50, 95  # where the tile begins on KiCad's sheet, and its size


def copper(folder: Path, file: str) -> NDArray[np.bool_]:
    """Return where a Gerber has copper, or ink."""
    gerbonara = pytest.importorskip("gerbonara", reason="make fab brings it")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        drawn = gerbonara.GerberFile.open(folder / file)
    low, high = _SHEET_MM, _SHEET_MM + _TILE_MM
    svg = drawn.to_svg(force_bounds=((low, -high), (high, -low)), fg="black", bg="white", svg_unit=gerbonara.utils.MM)
    (folder / "copper.svg").write_text(str(svg), encoding="utf-8")
    size = str(_TILE_MM * _PIXELS)
    command: list[str | Path] = ["rsvg-convert", "-w", size, "-h", size, "-b", "white", folder / "copper.svg"]
    done = subprocess.run(command, check=True, capture_output=True)
    return np.asarray(Image.open(io.BytesIO(done.stdout)).convert("L")) < 128


def pixel(x: float, y: float) -> tuple[int, int]:
    """Return row and column of a place of a Gerber, in its millimetres."""
    return int((-_SHEET_MM - y) * _PIXELS), int((x - _SHEET_MM) * _PIXELS)


@pytest.mark.process
@pytest.mark.skipif(not shutil.which("rsvg-convert"), reason="make fab brings it")
@pytest.mark.parametrize("name", tiles())
def test_the_gerbers_join_what_the_netlist_says_and_nothing_else(name: str, tmp_path: Path) -> None:
    """Without KiCad, from the zip alone: copper that touches, and plated holes, make of all pads the nets of the list; no ink in a hole."""
    with zipfile.ZipFile(ZIPS / f"{name}.zip") as packed:
        packed.extractall(tmp_path)
    sides = [copper(tmp_path, f"{name}-{side}_Cu.gbr") for side in "FB"]
    joined = np.stack([sides[0], np.zeros_like(sides[0]), sides[1]])
    drill = (tmp_path / f"{name}-PTH.drl").read_text(encoding="utf-8")
    for x, y in re.findall(r"^X([-\d.]+)Y([-\d.]+)$", drill, re.MULTILINE):
        joined[:, *pixel(float(x), float(y))] = True
    parts, _ = label(joined)
    legs: dict[str, int] = {}
    for layer, side in ((0, "F"), (2, "B")):
        leg = ""
        for line in (tmp_path / f"{name}-{side}_Cu.gbr").read_text(encoding="utf-8").splitlines():
            if line.startswith(("%TO.P,", "%TD")):
                leg = ".".join(line.rstrip("*%").split(",")[1:3]) if line.startswith("%TO.P,") else ""
            elif leg and (at := re.fullmatch(r"X(-?\d+)Y(-?\d+)D03\*", line)):
                legs[leg] = int(parts[layer, *pixel(int(at[1]) / 1e6, int(at[2]) / 1e6)])
    nets = dict(line.split(": ") for line in (tmp_path / f"{name}-netlist.txt").read_text().splitlines()[1:])
    found = {net: {legs[leg] for leg in of.split()} for net, of in nets.items()}
    assert {net for net, of in found.items() if len(of) != 1 or 0 in of} == set(), "open"
    assert len(set.union(*found.values())) == len(nets), "two nets touch"
    for side in "FB":
        ink, reach = copper(tmp_path, f"{name}-{side}_Silkscreen.gbr"), round(0.15 * _PIXELS)
        holes = [pixel(float(x), float(y)) for x, y in re.findall(r"^X([-\d.]+)Y([-\d.]+)$", drill, re.MULTILINE)]
        windows = [ink[row - reach : row + reach + 1, column - reach : column + reach + 1] for row, column in holes]
        assert [hole for hole, window in zip(holes, windows, strict=True) if window.any()] == [], "ink in a hole"


def pad(net: str, x: float, y: float) -> Shape:
    """Return a pad of 1 x 1 mm on the front."""
    return Shape(net, ("front",), (x, y), (x, y), size=(1.0, 1.0), solder=True)


def test_two_nets_that_cross() -> None:
    """Each comes whole from pad to pad; on one side they keep their distance, so one goes below."""
    pads = [pad("a", 1, 5), pad("a", 9, 5), pad("b", 5, 1), pad("b", 5, 9)]
    nets = [Net("a", 0.2, pads[:2]), Net("b", 0.2, pads[2:])]
    Router((10, 10), 0.5, pads).lay(nets)
    for net in nets:
        assert all(a.end == b.start and set(a.sides) & set(b.sides) for a, b in pairwise(net.laid))
        for (x, y), one in zip((net.laid[0].start, net.laid[-1].end), net.pads, strict=True):
            assert max(abs(x - one.start[0]), abs(y - one.start[1])) <= 0.5
    assert any(shape.hole for net in nets for shape in net.laid)


def test_a_wall_has_no_way() -> None:
    """Copper from edge to edge on both sides is named as what it is: no way for that net."""
    wall = Shape("w", ("front", "back"), (5, 0), (5, 10), 0.5)
    pads = [pad("a", 2, 5), pad("a", 8, 5)]
    with pytest.raises(NoWayError, match="a at"):
        Router((10, 10), 0.5, [*pads, wall]).lay([Net("a", 0.2, pads)])
    assert CLEARANCE >= 0.15  # what houses make without asking
