"""Makes every file that repeats what `wire.toml` and the board schema say: `python -m hardware.generate`, with `--check` only compares.

Exit code 1 with `--check` if a copy is stale or missing. A new target (a C header) is one more line in `TARGETS`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from hardware.wire_file import Wire, load_wire
from hardware.writers.board_page import board_page
from hardware.writers.python_constants import python_constants
from hardware.writers.wire_page import wire_page

ROOT = Path(__file__).resolve().parent.parent

TARGETS: Mapping[str, Callable[[Wire], str]] = {
    "docs/reference/wire.md": wire_page,
    "docs/reference/board-files.md": board_page,
    "firmware_bridge/_wire_constants.py": python_constants,
}
"""Path from the project's root, and what writes the whole text of that file."""


def stale(root: Path, wire: Wire) -> dict[str, str]:
    """Give the targets under `root` that differ from what they should be: path -> the right text."""
    wanted = {path: write(wire) for path, write in TARGETS.items()}
    return {
        path: text
        for path, text in wanted.items()
        if not (root / path).is_file() or (root / path).read_text(encoding="utf-8") != text
    }


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    """Write, or with `--check` only name, what is stale; give the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m hardware.generate", description="Make the files that follow from wire.toml."
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
