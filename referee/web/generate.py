"""Writes the page's pictures that are made from the code: `python -m referee.web.generate [--check]` (`make docs`)."""

from __future__ import annotations

import sys
from pathlib import Path

from referee.presentation.emblems import emblems_module

ROOT = Path(__file__).resolve().parents[2]


def pages() -> dict[Path, str]:
    """Return every generated page by its path."""
    return {
        ROOT / "referee/web/page/emblems.js": emblems_module(),
    }


def main() -> int:
    """Write the pages; with `--check` only say which are out of date, with exit code 1 if any is."""
    check = sys.argv[1:] == ["--check"]
    stale = [path for path, text in pages().items() if not path.exists() or path.read_text() != text]
    for path in stale:
        if check:
            print(f"{path.relative_to(ROOT)} is out of date: make docs", file=sys.stderr)
        else:
            path.write_text(pages()[path])
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
