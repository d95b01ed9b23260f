"""Who knew what in a game: what each seat could know of every hidden piece after every ply, how likely each rank was, and where the
game turned. docs/reference/analysis.md defines all of it.

Values in, values out. `counting` knows sets of ranks alone, `knowledge` follows a game as one observer saw it, `figures` reads a record.
"""

from referee.analysis.counting import Assignments, assignments
from referee.analysis.figures import Figures, figures, worth
from referee.analysis.knowledge import HiddenArmy, ObservedPly, followed, knowledge

__all__ = [
    "Assignments",
    "Figures",
    "HiddenArmy",
    "ObservedPly",
    "assignments",
    "figures",
    "followed",
    "knowledge",
    "worth",
]
