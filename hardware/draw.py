"""Draws what only a maker's eyes need: the harness of each board (WireViz) and the field plot (matplotlib). `make drawings` runs it.

The drawings are kept beside what they are made from. Other versions of the tools draw other bytes, so a stale drawing is not told by
drawing it again: each begins with a sum of its source, and a test looks whether all parts, pins and wires of the source are in it. A
fresh one is left alone, so that other tools change no file without a reason; `--all` draws it all the same. Stands alone because it is a
command.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WIRING = ROOT / "docs/wiring"


def source_sum(source: Path) -> str:
    """Return the line that a drawing of this source begins with."""
    return f"<!-- drawn from {source.name} {hashlib.sha256(source.read_bytes()).hexdigest()[:16]} -->\n"


def smaller(svg: str) -> str:
    """Return an SVG without comments, titles, XML head and needless digits."""
    svg = re.sub(r"<\?xml.*?\?>|<!DOCTYPE.*?>|<!--.*?-->|<title>.*?</title>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"(\d+\.\d\d)\d+", r"\1", svg)
    return re.sub(r"\n\s*", "\n", svg).strip() + "\n"


def is_fresh(source: Path) -> bool:
    """Return whether the drawing beside this source was made from it as it is now."""
    drawing = source.with_suffix(".svg")
    return drawing.is_file() and drawing.read_text(encoding="utf-8").startswith(source_sum(source))


def main(arguments: list[str] | None = None) -> int:
    """Draw every harness whose drawing is stale; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m hardware.draw", description="Draw the harness of each board.")
    parser.add_argument("--all", action="store_true", help="also those that are fresh")
    everything: bool = parser.parse_args(arguments).all
    wireviz = Path(sys.executable).with_name("wireviz")
    with tempfile.TemporaryDirectory() as folder:
        for source in sorted(WIRING.glob("harness-*.yml")):
            if is_fresh(source) and not everything:
                continue
            subprocess.run([wireviz, "-f", "s", "-o", folder, source], check=True, stdout=subprocess.DEVNULL)  # noqa: S603 # our own files
            drawn = (Path(folder) / source.with_suffix(".svg").name).read_text(encoding="utf-8")
            target = source.with_suffix(".svg")
            target.write_text(source_sum(source) + smaller(drawn), encoding="utf-8")
            print(f"drawn: {target.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
