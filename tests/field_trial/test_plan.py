"""The plan of a field trial: every motion legal, balanced over the ways, spread over the board, and the same each time."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from hardware import BoardFile, Sensing, load_board
from referee.field_trial.plan import ATTACKS, PIECES, TURN, Motion, MotionKind
from referee.rules import Game, Move
from referee.rules.values import Square
from referee.runtime.boards import Start, start_of
from referee.runtime.field_trial_session import new_trial

BOARDS = ["travel-10x10", "compact-10x8", "castle-four", "castle-three"]


def board_of(name: str, sensing: str = "colour") -> tuple[BoardFile, Start]:
    """Return a board that ships, and where its armies start."""
    board = load_board(name).with_sensing(Sensing(sensing))
    start = start_of(board, None)
    assert start is not None
    return board, start


@cache
def plan_of(name: str, motions: int) -> tuple[Motion, ...]:
    """Return the plan for a board that ships."""
    board, start = board_of(name)
    return tuple(new_trial(board, start, motions).plan)


@pytest.mark.parametrize("name", BOARDS)
def test_every_motion_can_be_made(name: str) -> None:
    """From where the last one left the pieces; the rules allow it to a piece of which nobody knows anything."""
    _, start = board_of(name)
    standing = None
    for motion in plan_of(name, 200):
        before = motion.before.occupants
        assert standing is None or before == standing
        assert Counter(Counter(before.values()).values()) == {PIECES: 2}
        game = Game(start.rules, before, turn=motion.seat)
        for ply in motion.plies:
            move = Move(ply.source, ply.target)
            assert not game.refusals(move)
            assert game.is_attack(move) is (motion.kind in ATTACKS)
            if motion.kind not in ATTACKS:
                game.play(move)
        assert motion.after == (before if motion.kind in ATTACKS else game.occupants())
        standing = motion.after


@pytest.mark.parametrize("name", BOARDS)
def test_all_ways_come_as_often_as_the_page_says(name: str) -> None:
    """Ten turns of twenty; on the castle one or two that fit nowhere at the end are lifts instead. Nearly all squares are used."""
    plan = plan_of(name, 200)
    wanted = {kind: 10 * TURN.count(kind) for kind in MotionKind}
    found = Counter(motion.kind for motion in plan)
    assert sum(abs(found[kind] - wanted[kind]) for kind in MotionKind) <= (4 if "castle" in name else 0)
    touched: set[Square] = set().union(*(motion.touched for motion in plan))
    assert len(touched) >= 0.95 * len(load_board(name).squares)


def test_a_shorter_trial_is_the_beginning_of_a_longer_one() -> None:
    """So a trial can be gone on with for longer than it was begun for."""
    shorter, longer = ([motion.touched for motion in plan_of("travel-10x10", count)] for count in (30, 60))
    assert shorter == longer[:30]


def test_an_answer_touches_nothing_beside_the_move() -> None:
    """Two hands at neighbouring squares look like an attack."""
    _, start = board_of("travel-10x10")
    for motion in plan_of("travel-10x10", 200):
        if motion.kind is MotionKind.REPLY:
            first, second = motion.plies
            near = {*start.rules.board.neighbours(first.source), *start.rules.board.neighbours(first.target)}
            assert not near & {second.source, second.target}
