"""Draws what only a maker's eyes need: the harness of each board (WireViz) and the field plot (matplotlib). `make drawings` runs it.

The drawings are kept beside what they are made from. Each begins with a sum of its source, so that a test can tell a stale one without
drawing it again: other versions of the tools draw other bytes.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WIRING = ROOT / "docs/wiring"


def source_sum(source: Path) -> str:
    """Give the line that a drawing of this source begins with."""
    return f"<!-- drawn from {source.name} {hashlib.sha256(source.read_bytes()).hexdigest()[:16]} -->\n"


def smaller(svg: str) -> str:
    """Give an SVG without comments, titles, XML head and needless digits."""
    svg = re.sub(r"<\?xml.*?\?>|<!DOCTYPE.*?>|<!--.*?-->|<title>.*?</title>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"(\d+\.\d\d)\d+", r"\1", svg)
    return re.sub(r"\n\s*", "\n", svg).strip() + "\n"


def main() -> int:
    """Draw every harness; give the exit code."""
    wireviz = Path(sys.executable).with_name("wireviz")
    with tempfile.TemporaryDirectory() as folder:
        for source in sorted(WIRING.glob("harness-*.yml")):
            subprocess.run([wireviz, "-f", "s", "-o", folder, source], check=True, stdout=subprocess.DEVNULL)  # noqa: S603 # our own files
            drawn = (Path(folder) / source.with_suffix(".svg").name).read_text(encoding="utf-8")
            target = source.with_suffix(".svg")
            target.write_text(source_sum(source) + smaller(drawn), encoding="utf-8")
            print(f"drawn: {target.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
