"""Sensing: frames of a board in, observations out: settled squares, pieces in hands, moves, attacks, and when to ask.

    interpreter = Interpreter(squares, colour, poles, board=rule_set.board)
    interpreter.follow(game.situation())
    for observation in interpreter.feed(frame): ...      # answer Read with advance(situation after the move)

Pure: time comes with the frames. Does not do: rules (it picks among the prospects it is given), ranks, clocks, I/O, calibration.
"""

from firmware_bridge.messages import Reading
from referee.sensing.interpreter import Interpreter
from referee.sensing.observations import (
    Agreed,
    AttackSeen,
    BoardMismatchError,
    Difference,
    Disturbed,
    Final,
    Lifted,
    Masked,
    Observation,
    Puzzled,
    Read,
    Returned,
    Revised,
    Seen,
    SensingError,
    TimingError,
    Unread,
)
from referee.sensing.timing import Timing

__all__ = [
    "Agreed",
    "AttackSeen",
    "BoardMismatchError",
    "Difference",
    "Disturbed",
    "Final",
    "Interpreter",
    "Lifted",
    "Masked",
    "Observation",
    "Puzzled",
    "Read",
    "Reading",
    "Returned",
    "Revised",
    "Seen",
    "SensingError",
    "Timing",
    "TimingError",
    "Unread",
]
