"""A board without a board: magnets on squares (`SimBoard`), hands that move them (`Hands`), and the firmware's own bytes or messages.

Everything runs in board time that is passed in; `simulator.process` puts it behind a real pty. Knows no rule and no rank: a piece is
a magnet with a pole.
"""

from simulator.board import SimBoard
from simulator.motions import parse_motion
from simulator.players import Hands
from simulator.plies import Ply
from simulator.profiles import Profile, ProfileError, load_profile, profile_names
from simulator.script import MotionError

__all__ = [
    "Hands",
    "MotionError",
    "Ply",
    "Profile",
    "ProfileError",
    "SimBoard",
    "load_profile",
    "parse_motion",
    "profile_names",
]
