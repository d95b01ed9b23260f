"""The table of states, as one literal: in which phase may what happen, and where does it lead.

Anything outside the table raises `TransitionError` and changes nothing. `docs/reference/states.md` is drawn from it.
"""

from __future__ import annotations

from enum import Enum

from referee.table.errors import TransitionError
from referee.table.views import Phase


class Happening(Enum):
    """What can move a table from one phase to another."""

    OPENED = "opened"
    SET_UP_COMPLETE = "set-up complete"
    LIFTED = "lifted"
    RETURNED = "returned"
    MOVE_READ = "move read"
    MOVE_REVISED = "move revised"
    MOVE_REFUSED = "move refused"
    ATTACKED = "attacked"
    SETTLED = "settled"
    WITHDRAWN = "withdrawn"
    BOARD_AGREES = "board agrees"
    NOT_UNDERSTOOD = "not understood"
    PAUSED = "paused"
    RESUMED = "resumed"
    DECISION_OWED = "decision owed"
    PASSED = "passed"
    DROPPED_OUT = "dropped out"
    ENDED = "ended"
    CORRECTED = "corrected"
    OVERRULED = "overruled"


_P, _H = Phase, Happening

TRANSITIONS: dict[Phase, dict[Happening, tuple[Phase, ...]]] = {
    _P.LOBBY: {_H.OPENED: (_P.SETTING_UP,), _H.ENDED: (_P.FINISHED,)},
    _P.SETTING_UP: {
        _H.SET_UP_COMPLETE: (_P.WAITING_FOR_MOVE,),
        _H.PAUSED: (_P.PAUSED,),
        _H.ENDED: (_P.FINISHED,),
    },
    _P.WAITING_FOR_MOVE: {
        _H.DECISION_OWED: (_P.WAITING_FOR_DECLARATIONS,),
        _H.DROPPED_OUT: (_P.WAITING_FOR_BOARD,),
        _H.PASSED: (_P.WAITING_FOR_MOVE,),
        _H.LIFTED: (_P.PIECE_IN_HAND,),
        _H.MOVE_READ: (_P.WAITING_FOR_MOVE,),
        _H.MOVE_REVISED: (_P.WAITING_FOR_MOVE,),
        _H.MOVE_REFUSED: (_P.RESTORING,),
        _H.ATTACKED: (_P.WAITING_FOR_DECLARATIONS,),
        _H.NOT_UNDERSTOOD: (_P.RESTORING,),
        _H.PAUSED: (_P.PAUSED,),
        _H.CORRECTED: (_P.RESTORING,),
        _H.ENDED: (_P.FINISHED,),
    },
    _P.PIECE_IN_HAND: {
        _H.PASSED: (_P.WAITING_FOR_MOVE,),
        _H.DECISION_OWED: (_P.WAITING_FOR_DECLARATIONS,),
        _H.DROPPED_OUT: (_P.WAITING_FOR_BOARD,),
        _H.LIFTED: (_P.PIECE_IN_HAND,),
        _H.RETURNED: (_P.PIECE_IN_HAND, _P.WAITING_FOR_MOVE),
        _H.MOVE_READ: (_P.WAITING_FOR_MOVE,),
        _H.MOVE_REVISED: (_P.WAITING_FOR_MOVE,),
        _H.MOVE_REFUSED: (_P.RESTORING,),
        _H.ATTACKED: (_P.WAITING_FOR_DECLARATIONS,),
        _H.NOT_UNDERSTOOD: (_P.RESTORING,),
        _H.PAUSED: (_P.PAUSED,),
        _H.CORRECTED: (_P.RESTORING,),
        _H.ENDED: (_P.FINISHED,),
    },
    _P.WAITING_FOR_DECLARATIONS: {
        _H.DROPPED_OUT: (_P.WAITING_FOR_BOARD, _P.WAITING_FOR_DECLARATIONS),
        _H.SETTLED: (_P.WAITING_FOR_BOARD,),
        _H.WITHDRAWN: (_P.RESTORING,),
        _H.PAUSED: (_P.PAUSED,),
        _H.CORRECTED: (_P.RESTORING,),
        _H.ENDED: (_P.FINISHED,),
    },
    _P.WAITING_FOR_BOARD: {
        _H.DROPPED_OUT: (_P.WAITING_FOR_BOARD,),
        _H.BOARD_AGREES: (_P.WAITING_FOR_MOVE,),
        _H.NOT_UNDERSTOOD: (_P.WAITING_FOR_BOARD,),
        _H.PAUSED: (_P.PAUSED,),
        _H.CORRECTED: (_P.RESTORING,),
        _H.ENDED: (_P.FINISHED,),
    },
    _P.RESTORING: {
        _H.PASSED: (_P.RESTORING,),
        _H.DROPPED_OUT: (_P.WAITING_FOR_BOARD,),
        _H.BOARD_AGREES: (_P.WAITING_FOR_MOVE,),
        _H.NOT_UNDERSTOOD: (_P.RESTORING,),
        _H.PAUSED: (_P.PAUSED,),
        _H.CORRECTED: (_P.RESTORING,),
        _H.ENDED: (_P.FINISHED,),
    },
    _P.PAUSED: {
        _H.RESUMED: (
            _P.SETTING_UP,
            _P.WAITING_FOR_DECLARATIONS,
            _P.WAITING_FOR_BOARD,
            _P.RESTORING,
        ),
        _H.DROPPED_OUT: (_P.PAUSED,),
        _H.CORRECTED: (_P.PAUSED,),
        _H.ENDED: (_P.FINISHED,),
    },
    _P.FINISHED: {_H.CORRECTED: (_P.RESTORING,), _H.OVERRULED: (_P.FINISHED,)},
}


def next_phase(phase: Phase, happening: Happening, wanted: Phase | None = None) -> Phase:
    """Give the phase that follows.

    Where the table names several, `wanted` chooses among them; elsewhere it may be left out. Raises `TransitionError` when
    the table has no such row, or `wanted` is not in it.
    """
    choices = TRANSITIONS[phase].get(happening, ())
    if wanted is None and len(choices) == 1:
        return choices[0]
    if wanted is not None and wanted in choices:
        return wanted
    raise TransitionError(phase, happening, wanted)


def may(phase: Phase, happening: Happening) -> bool:
    """Tell whether the table has a row for this happening in this phase."""
    return happening in TRANSITIONS[phase]
