"""Writes every drawing of this folder that is stale: `python -m workshop.draw`, with `--check` only compares. `make docs` runs it.

Stands alone because it is a command.
"""

from __future__ import annotations

import argparse
import sys

from hardware import board_names, load_board
from hardware.draw import ROOT
from hardware.wiring import template_name
from workshop.fab import is_fresh, page, tiles
from workshop.pinouts import pinouts
from workshop.schematics import schematics
from workshop.steps import steps
from workshop.template import template
from workshop.tile import tile_of


def wanted() -> dict[str, str]:
    """Return every drawing: path from the project's root -> SVG."""
    found = {"docs/wiring/pinouts.svg": pinouts()} | {f"docs/pictures/{name}": text for name, text in steps().items()}
    for board in map(load_board, board_names()):
        found |= {f"docs/wiring/{name}": text for name, text in schematics(board).items()}
        found[f"docs/wiring/{template_name(board)}"] = template(board)
    for name in tiles():
        found[f"docs/fab/{name}.md"] = page(tile_of(load_board(name)), name)
    return found


def main(arguments: list[str] | None = None) -> int:
    """Write, or with `--check` only name, what is stale; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m workshop.draw", description="Draw schematics, pinouts, templates.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a drawing is stale")
    check: bool = parser.parse_args(arguments).check
    stale = sum(not is_fresh(name) for name in tiles()) if check else 0
    if stale:
        print("stale: docs/fab (run: make fab)", file=sys.stderr)
    for name, text in wanted().items():
        target = ROOT / name
        if target.is_file() and target.read_text(encoding="utf-8") == text:
            continue
        stale += 1
        if check:
            print(f"stale: {name} (run: python -m workshop.draw)", file=sys.stderr)
        else:
            target.write_text(text, encoding="utf-8")
            print(f"drawn: {name}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
