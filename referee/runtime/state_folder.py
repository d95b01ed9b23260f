"""Where programs keep what outlives them, unless they are told otherwise. A file of its own: commands import it for their help texts."""

from __future__ import annotations

import os
from pathlib import Path

SHOWN = "~/.local/state/hallmarshal"
"""How help texts name it."""


def state_folder(name: str) -> Path:
    """Return the folder `name` below the user's state directory (XDG Base Directory Specification: `XDG_STATE_HOME`, if it is absolute)."""
    base = Path(os.environ.get("XDG_STATE_HOME", ""))
    if not base.is_absolute():
        base = Path.home() / ".local" / "state"
    return base / "hallmarshal" / name
