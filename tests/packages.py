"""What a wheel of this project holds, as `pyproject.toml` names it: a package that comes later is looked at by itself."""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_BUILD = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]
PACKAGES: tuple[str, ...] = tuple(_BUILD["targets"]["wheel"]["packages"])
