"""Makes what a maker prints: `make print`. The carrier (whole, and a quarter for small printers; of a board of tiles the frame that each
tile is screwed to), case and a piece's foot as STL, the paper template as PDF, in `build/print`. Needs OpenSCAD and rsvg-convert. With
`--pictures`, and a screen, a PNG of each part: the guides' (`build-quarter.png`, `build-case.png`, `tile-frame.png`, `tile-case.png` in
`docs/pictures`) are made so. Stands alone because it is a command.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from hardware import BoardFile, load_board
from hardware.draw import ROOT
from hardware.wiring import template_name
from workshop.tile import holes, jack_at, nano_at, tile_of

SOURCE = Path(__file__).with_name("board.scad")
PARTS = ("carrier", "quarter", "case", "foot")
PARTS_OF_TILES = ("frame", "case", "foot")


def figures(board: BoardFile) -> Mapping[str, str]:
    """Return the board's figures in OpenSCAD's words."""
    places = ", ".join(f"[{x:g}, {y:g}]" for x, y in board.places)
    drawn = {
        "pitch": f"{board.pitch_mm:g}",
        "columns": str(board.columns),
        "rows": str(board.rows),
        "places": f"[{places}]",
        "magnet_gap": f"{board.magnet.gap_mm:g}",
    }
    if board.tiles:
        tile = tile_of(board)
        holes_at = ", ".join(f"[{x:g}, {y:g}]" for x, y in holes(tile))
        drawn |= {"tile": f"{tile.size[0]:g}", "tile_holes": f"[{holes_at}]", "rows": str(2 * tile.rows)}
        drawn |= {"tile_usb": f"{nano_at(tile):g}", "tile_jack": f"{jack_at(tile):g}"}
    return drawn


def solid(board: BoardFile, part: str, target: Path, *extra: str) -> None:
    """Make one part of a board, as what the target's name ends in."""
    values = [f"-D{name}={value}" for name, value in figures(board).items()]
    command: list[str | Path] = ["openscad", "-q", *values, f'-Dpart="{part}"', *extra, "-o", target, SOURCE]
    subprocess.run(command, check=True)  # noqa: S603 # our own figures


def main(arguments: list[str] | None = None) -> int:
    """Make every file; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m workshop.print", description="Make carrier, case and template.")
    parser.add_argument("board", help="name of the board, or its file")
    parser.add_argument("--into", type=Path, default=ROOT / "build/print", help="folder for what is made")
    parser.add_argument("--pictures", action="store_true", help="also a PNG of each part; needs a screen")
    given = parser.parse_args(arguments)
    board = load_board(given.board)
    into: Path = given.into
    into.mkdir(parents=True, exist_ok=True)
    picture = ("--imgsize=700,450", "--viewall", "--autocenter", "--render")
    for part in PARTS_OF_TILES if board.tiles else PARTS:
        for end, extra in (("stl", ()), ("png", picture))[: 1 + given.pictures]:
            target = into / f"{board.id}-{part}.{end}"
            solid(board, part, target, *extra)
            _say(target)
    paper = into / template_name(board).replace(".svg", ".pdf")
    source = ROOT / "docs/wiring" / template_name(board)
    subprocess.run(["rsvg-convert", "-f", "pdf", "-o", paper, source], check=True)  # noqa: S603, S607
    _say(paper)
    return 0


def _say(made: Path) -> None:
    print(made.relative_to(ROOT) if made.is_relative_to(ROOT) else made)


if __name__ == "__main__":
    sys.exit(main())
