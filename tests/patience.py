"""How long tests wait for what another program, thread, browser or broker has to say. It costs nothing where that comes, so it is long."""

from __future__ import annotations

from typing import Final

PATIENCE_S: Final = 150.0
"""A machine that is slow and has other things to do must fail no test; what never comes fails it all the same."""
PATIENCE_MS: Final = PATIENCE_S * 1000
"""The same for a browser."""
