"""Wires that are learnt from one piece: every regular order by few squares, any order at all, and what is noticed on the way."""

from __future__ import annotations

import tomllib
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.learning import Learner, learnt_file, orders
from hardware import load_board
from hardware.board_file import BOARDS_FOLDER, parse_board
from tests.amount import tries

BOARD = load_board("travel-10x10")
COUNT = len(BOARD.squares)
EMPTY = [512] * COUNT


def carried(wires: tuple[int, ...], *, turned: int | None = None) -> tuple[Learner, int]:
    """Return what was learnt of such wires by a piece that is put where it is wanted, and how often it had to be put down."""
    learner, put = Learner(BOARD, EMPTY), 0
    while learner.wanted is not None:
        square = learner.wanted
        put += not learner.follows
        counts = list(EMPTY)
        counts[wires[square]] += -130 if square == turned else 130
        looks = 0
        while not learner.feel(counts):
            looks += 1
            assert looks < 60, "it waits for ever"
        learner.feel(EMPTY)
    return learner, put


@pytest.mark.parametrize("wires", orders(BOARD))
def test_few_squares_tell_an_order(wires: tuple[int, ...]) -> None:
    """Five squares at most are asked for; over all others the piece is slid, and each is felt where it should be."""
    learner, put = carried(wires)
    assert tuple(learner.inputs[square] for square in range(COUNT)) == wires
    assert put <= 5
    assert not learner.unlike


@settings(max_examples=tries(40))
@given(st.randoms(use_true_random=False), st.integers(0, 3))
def test_any_wires_are_learnt(random: Random, swaps: int) -> None:
    """An order with some wires exchanged, or none at all: what is learnt is what is wired."""
    wires = list(random.choice(orders(BOARD)))
    for _ in range(swaps):
        a, b = random.sample(range(COUNT), 2)
        wires[a], wires[b] = wires[b], wires[a]
    if random.random() < 0.2:
        random.shuffle(wires)
    learner, _ = carried(tuple(wires))
    assert [learner.inputs[square] for square in range(COUNT)] == wires
    assert not learner.unlike


def test_a_turned_sensor_is_noticed() -> None:
    """The same piece shows the other pole there."""
    learner, _ = carried(orders(BOARD)[3], turned=17)
    assert learner.turned() == (BOARD.squares[17],)


def test_a_piece_between_two_squares_is_no_answer() -> None:
    """Nor is one in the air, nor one that has not moved on yet."""
    learner = Learner(BOARD, EMPTY)
    between = [512 + (60 if number < 2 else 0) for number in range(COUNT)]
    high = [512 + (20 if number == 0 else 0) for number in range(COUNT)]
    assert not any(learner.feel(counts) for counts in (between, high) * 8)
    first = [512 + (130 if number == 0 else 0) for number in range(COUNT)]
    assert sum(learner.feel(first) for _ in range(20)) == 1


def test_the_file_that_is_written() -> None:
    """The board's own, with another id and other channels."""
    text = (BOARDS_FOLDER / "travel-10x10.toml").read_text(encoding="utf-8")
    channels = tuple(reversed(range(COUNT)))
    board = parse_board(tomllib.loads(learnt_file(text, "mine", channels)))
    assert (board.id, board.scan.channels, board.squares) == ("mine", channels, BOARD.squares)
