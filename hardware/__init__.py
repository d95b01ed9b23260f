"""The board as data: `wire.toml` (what goes over the cable), `boards/*.toml` (squares, channels, thresholds), and what is made from them.

Knows nothing of the game. Verbs: `load_board`, `load_wire`, `python -m hardware.generate`.
"""

from hardware.board_file import BoardFile, BoardFileError, Sensing, board_names, load_board
from hardware.wire_file import WireFileError, load_wire

__all__ = ["BoardFile", "BoardFileError", "Sensing", "WireFileError", "board_names", "load_board", "load_wire"]
