"""Makes every file that repeats what `wire.toml` and the board files say: `python -m hardware.generate`, with `--check` only compares.

Exit code 1 with `--check` if a copy is stale or missing. A new target is one more line in `TARGETS` or `board_targets`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from hardware.board_file import BoardFile, board_names, load_board
from hardware.wire_file import Wire, load_wire
from hardware.writers.board_page import board_page
from hardware.writers.c_header import board_header, board_tables, pins_header, wire_header
from hardware.writers.harness import harness
from hardware.writers.python_constants import python_constants
from hardware.writers.wire_page import wire_page
from hardware.writers.wiring_page import wiring_page

ROOT = Path(__file__).resolve().parent.parent

TARGETS: Mapping[str, Callable[[Wire], str]] = {
    "docs/reference/wire.md": wire_page,
    "docs/reference/board-files.md": board_page,
    "firmware_bridge/_wire_constants.py": python_constants,
    "hardware/firmware/generated/hm_wire.h": wire_header,
}
"""Path from the project's root, and what writes the whole text of that file from the wire."""


def board_targets(board: BoardFile) -> dict[str, str]:
    """Return what follows from one board file: path -> text."""
    folder = f"hardware/firmware/generated/{board.id}"
    found: dict[str, str] = {}
    if board.controllers:
        found |= {f"{folder}/hm_board.h": board_header(board), f"{folder}/hm_board.c": board_tables(board)}
    if board.controllers or board.gpio or board.spi or board.mcp3008:
        found |= {
            f"docs/wiring/{board.id}.md": wiring_page(board),
            f"docs/wiring/harness-{board.id}.yml": harness(board),
        }
    return found | {f"{folder}/{one.chip}/hm_pins.h": pins_header(one) for one in board.controllers}


def wanted(wire: Wire) -> dict[str, str]:
    """Return every generated file: path -> text."""
    found = {path: write(wire) for path, write in TARGETS.items()}
    for name in board_names():
        found |= board_targets(load_board(name))
    return found


def stale(root: Path, wire: Wire) -> dict[str, str]:
    """Return the targets under `root` that differ from what they should be: path -> the right text."""
    return {
        path: text
        for path, text in wanted(wire).items()
        if not (root / path).is_file() or (root / path).read_text(encoding="utf-8") != text
    }


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    """Write, or with `--check` only name, what is stale; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m hardware.generate", description="Make the files that follow from wire.toml and the board files."
    )
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a file is stale")
    check: bool = parser.parse_args(arguments).check
    found = stale(root, load_wire())
    for path, text in found.items():
        if check:
            print(f"stale: {path} (run: python -m hardware.generate)", file=sys.stderr)
        else:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
            print(f"written: {path}")
    return 1 if check and found else 0


if __name__ == "__main__":
    sys.exit(main())
