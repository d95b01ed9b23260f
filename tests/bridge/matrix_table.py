"""The board file of the matrix on a Pi's pins, to be changed by a test."""

from __future__ import annotations

import tomllib
from typing import Any

from hardware import BoardFile
from hardware.board_file import WITHDRAWN, parse_board

MATRIX = WITHDRAWN / "travel-pi-matrix.toml"


def matrix_table() -> dict[str, Any]:
    """Return the board file of the matrix on a Pi's pins, parsed."""
    return tomllib.loads(MATRIX.read_text(encoding="utf-8"))


def matrix_board(**gpio: Any) -> BoardFile:
    """Return that board, with other values in its [gpio] table."""
    table = matrix_table()
    return parse_board({**table, "gpio": {**table["gpio"], **gpio}})
