"""A computer opponent: what one seat may know goes in, a ply comes out, or that it resigns, or an answer (docs/why/computer.md).

Values in, values out. It is told its own ranks and what everybody at its seat would see, and no other rank can be told to it. The same
inputs and the same seed make the same choices on every machine: nothing inside looks at a clock, the budget is a number of positions,
and only what IEEE 754 rounds in one way is computed (no `sum` of floats, no powers: Python versions and C libraries differ in these).
"""

from referee.computer.chance import chance
from referee.computer.places import generate_set_up, standing_on
from referee.computer.player import LEVELS, Choice, Computer, Level, SeenPly

__all__ = ["LEVELS", "Choice", "Computer", "Level", "SeenPly", "chance", "generate_set_up", "standing_on"]
