"""The table of states, as one literal: in which phase may what happen, and where does it lead.

Anything outside the table raises `TransitionError` and changes nothing. `docs/reference/states.md` is drawn from it.
"""

from __future__ import annotations

from enum import Enum

from referee.table.views import Phase


class TransitionError(Exception):
    """A step outside the table of states; nothing was changed."""

    def __init__(self, phase: Enum, trigger: Enum, wanted: Enum | None) -> None:
        to = f" to {wanted.value}" if wanted else ""
        super().__init__(f"in phase {phase.value} the table of states has no {trigger.value}{to}")


class Trigger(Enum):
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


_P, _T = Phase, Trigger

TRANSITIONS: dict[Phase, dict[Trigger, tuple[Phase, ...]]] = {
    _P.LOBBY: {_T.OPENED: (_P.SETTING_UP,), _T.ENDED: (_P.FINISHED,)},
    _P.SETTING_UP: {
        _T.SET_UP_COMPLETE: (_P.WAITING_FOR_MOVE,),
        _T.PAUSED: (_P.PAUSED,),
        _T.ENDED: (_P.FINISHED,),
    },
    _P.WAITING_FOR_MOVE: {
        _T.DECISION_OWED: (_P.WAITING_FOR_DECLARATIONS,),
        _T.DROPPED_OUT: (_P.WAITING_FOR_BOARD,),
        _T.PASSED: (_P.WAITING_FOR_MOVE,),
        _T.LIFTED: (_P.PIECE_IN_HAND,),
        _T.MOVE_READ: (_P.WAITING_FOR_MOVE,),
        _T.MOVE_REVISED: (_P.WAITING_FOR_MOVE,),
        _T.MOVE_REFUSED: (_P.RESTORING,),
        _T.ATTACKED: (_P.WAITING_FOR_DECLARATIONS,),
        _T.NOT_UNDERSTOOD: (_P.RESTORING,),
        _T.PAUSED: (_P.PAUSED,),
        _T.CORRECTED: (_P.RESTORING,),
        _T.ENDED: (_P.FINISHED,),
    },
    _P.PIECE_IN_HAND: {
        _T.PASSED: (_P.WAITING_FOR_MOVE,),
        _T.DECISION_OWED: (_P.WAITING_FOR_DECLARATIONS,),
        _T.DROPPED_OUT: (_P.WAITING_FOR_BOARD,),
        _T.LIFTED: (_P.PIECE_IN_HAND,),
        _T.RETURNED: (_P.PIECE_IN_HAND, _P.WAITING_FOR_MOVE),
        _T.MOVE_READ: (_P.WAITING_FOR_MOVE,),
        _T.MOVE_REVISED: (_P.WAITING_FOR_MOVE,),
        _T.MOVE_REFUSED: (_P.RESTORING,),
        _T.ATTACKED: (_P.WAITING_FOR_DECLARATIONS,),
        _T.NOT_UNDERSTOOD: (_P.RESTORING,),
        _T.PAUSED: (_P.PAUSED,),
        _T.CORRECTED: (_P.RESTORING,),
        _T.ENDED: (_P.FINISHED,),
    },
    _P.WAITING_FOR_DECLARATIONS: {
        _T.DROPPED_OUT: (_P.WAITING_FOR_BOARD, _P.WAITING_FOR_DECLARATIONS),
        _T.SETTLED: (_P.WAITING_FOR_BOARD,),
        _T.WITHDRAWN: (_P.RESTORING,),
        _T.PAUSED: (_P.PAUSED,),
        _T.CORRECTED: (_P.RESTORING,),
        _T.ENDED: (_P.FINISHED,),
    },
    _P.WAITING_FOR_BOARD: {
        _T.DROPPED_OUT: (_P.WAITING_FOR_BOARD,),
        _T.BOARD_AGREES: (_P.WAITING_FOR_MOVE,),
        _T.NOT_UNDERSTOOD: (_P.WAITING_FOR_BOARD,),
        _T.PAUSED: (_P.PAUSED,),
        _T.CORRECTED: (_P.RESTORING,),
        _T.ENDED: (_P.FINISHED,),
    },
    _P.RESTORING: {
        _T.PASSED: (_P.RESTORING,),
        _T.DROPPED_OUT: (_P.WAITING_FOR_BOARD,),
        _T.BOARD_AGREES: (_P.WAITING_FOR_MOVE,),
        _T.NOT_UNDERSTOOD: (_P.RESTORING,),
        _T.PAUSED: (_P.PAUSED,),
        _T.CORRECTED: (_P.RESTORING,),
        _T.ENDED: (_P.FINISHED,),
    },
    _P.PAUSED: {
        _T.RESUMED: (
            _P.SETTING_UP,
            _P.WAITING_FOR_DECLARATIONS,
            _P.WAITING_FOR_BOARD,
            _P.RESTORING,
        ),
        _T.DROPPED_OUT: (_P.PAUSED,),
        _T.CORRECTED: (_P.PAUSED,),
        _T.ENDED: (_P.FINISHED,),
    },
    _P.FINISHED: {_T.CORRECTED: (_P.RESTORING,), _T.OVERRULED: (_P.FINISHED,)},
}


def next_phase(phase: Phase, trigger: Trigger, wanted: Phase | None = None) -> Phase:
    """Give the phase that follows.

    Where the table names several, `wanted` chooses among them; elsewhere it may be left out. Raises `TransitionError` when
    the table has no such row, or `wanted` is not in it.
    """
    choices = TRANSITIONS[phase].get(trigger, ())
    if wanted is None and len(choices) == 1:
        return choices[0]
    if wanted is not None and wanted in choices:
        return wanted
    raise TransitionError(phase, trigger, wanted)


def is_allowed(phase: Phase, trigger: Trigger) -> bool:
    """Tell whether the table has a row for this trigger in this phase."""
    return trigger in TRANSITIONS[phase]
