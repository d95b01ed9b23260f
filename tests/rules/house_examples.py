"""The files that docs/reference/house-rules.md shows."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "house-rules.md"


def write_examples(folder: Path) -> None:
    """Write every TOML example that begins with its file's name."""
    for name, text in re.findall(r"```toml\n# (\S+\.toml)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL):
        (folder / name).write_text(text, encoding="utf-8")
