"""Makes what a maker prints: `make print`. The carrier (whole, and a quarter for small printers), case and a piece's foot as STL, the paper
template as PDF, in `build/print`. Needs OpenSCAD and rsvg-convert. With `--pictures`, and a screen, a PNG of each part: the guide's
(`docs/pictures/build-quarter.png`, `build-case.png`) are made so. Stands alone because it is a command.
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

SOURCE = Path(__file__).with_name("board.scad")
PARTS = ("carrier", "quarter", "case", "foot")


def figures(board: BoardFile) -> Mapping[str, str]:
    """Return the board's figures in OpenSCAD's words."""
    places = ", ".join(f"[{x:g}, {y:g}]" for x, y in board.places)
    return {
        "pitch": f"{board.pitch_mm:g}",
        "columns": str(board.columns),
        "rows": str(board.rows),
        "places": f"[{places}]",
        "magnet_gap": f"{board.magnet.gap_mm:g}",
    }


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
    values = [f"-D{name}={value}" for name, value in figures(board).items()]
    picture = ("--imgsize=700,450", "--viewall", "--autocenter", "--render")
    for part in PARTS:
        for end, extra in (("stl", ()), ("png", picture))[: 1 + given.pictures]:
            target = into / f"{board.id}-{part}.{end}"
            command = ["openscad", "-q", *values, f'-Dpart="{part}"', *extra, "-o", target, SOURCE]
            subprocess.run(command, check=True)  # noqa: S603 # our own figures
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
