"""A board without a board: magnets on squares, hands that move them, and the firmware's own bytes (`SimBoard`).

Everything runs in board time that is passed in; `simulator.process` puts it behind a real pty. Knows no rule and no rank: a piece is
a magnet with a pole.
"""

from simulator.board import SimBoard
from simulator.errors import MotionError
from simulator.motions import parse_motion

__all__ = ["MotionError", "SimBoard", "parse_motion"]
