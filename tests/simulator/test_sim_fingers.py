"""Magnets that are moved from outside, as positions in time: what the sensors see of it, and what no hand can do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from random import Random

import pytest

from firmware_bridge.messages import Reading
from firmware_bridge.sources import SimSource, open_source
from hardware import load_board
from simulator.board import SimBoard
from simulator.fingers import Fingers
from simulator.script import MotionError
from tests.amount import tries

BOARD = load_board("travel-10x10")
UP = 35


class Table:
    """A board with two pieces, and hands that a test moves."""

    def __init__(self) -> None:
        self.board = SimBoard(BOARD, seed=1)
        self.board.start()
        self.board.lay({"e4": "red", "e7": "blue"})
        self.board.advance(1000)
        self.fingers = Fingers(self.board)

    def move(self, *way: tuple[float, float, float, float], hand: int = 1, for_ms: int = 400, **more: object) -> None:
        """Let a hand do something, and time pass."""
        self.fingers.obey({"hand": hand, "way": [list(point) for point in way], **more})
        self.board.advance(self.board.now_ms + for_ms)

    @property
    def seen(self) -> Mapping[str, Reading]:
        """What the sensors read."""
        readings = zip(BOARD.squares, self.board.firmware.readings, strict=True)
        return {square: reading for square, reading in readings if reading is not Reading.EMPTY}


@pytest.fixture
def table() -> Table:
    """A table with two pieces."""
    return Table()


START = {"e4": Reading.RED, "e7": Reading.BLUE}


def test_lifted_carried_hovering_and_set_down(table: Table) -> None:
    """A piece in the hand is seen by nobody, wherever it hovers; it stands where it is set down."""
    table.move((100, 4, 3, UP), takes=[4.1, 2.9])
    assert table.seen == {"e7": Reading.BLUE}
    table.move((100, 4, 4, UP))
    assert table.seen == {"e7": Reading.BLUE}
    table.move(ends="down")
    assert table.seen == {"e5": Reading.RED, "e7": Reading.BLUE}
    assert table.board.occupied() == table.seen


def test_a_slide_is_seen_where_it_passes(table: Table) -> None:
    """Along the board every square that the piece is on reads it."""
    table.move((20, 4, 3, 0), takes=[4, 3])
    assert table.seen == START
    table.move((60, 5, 3, 0))
    assert table.seen == {"f4": Reading.RED, "e7": Reading.BLUE}
    table.move((60, 6, 3, 0), ends="down")
    assert table.seen == {"g4": Reading.RED, "e7": Reading.BLUE}


def test_put_back_where_it_was(table: Table) -> None:
    """Whatever way it went; two hands hold two pieces."""
    table.move((100, 4, 3, UP), (200, 7, 7, UP), takes=[4, 3])
    table.move((100, 4, 6, UP), hand=2, takes=[4, 6])
    assert table.seen == {}
    assert {place for place, _ in table.fingers.magnets()} == {-1_000_001, -1_000_002}
    table.move(ends="back")
    table.move(hand=2, ends="back")
    assert table.seen == START


def test_into_the_box_and_out_of_it(table: Table) -> None:
    """A piece that is set down beside the board is no longer there; one out of the box is there."""
    table.move((100, 12, 3, UP), takes=[4, 3], ends="down")
    assert [piece.seat for _, piece in table.board.magnets()] == ["blue"]
    table.move((50, 0, 0, UP), takes="red", ends="down")
    assert table.seen == {"a1": Reading.RED, "e7": Reading.BLUE}
    with pytest.raises(MotionError, match="the box is empty"):
        table.fingers.obey({"hand": 1, "takes": "red", "of": 1})
    table.move((50, 1, 0, UP), takes="red", of=2)
    table.move(ends="back")
    assert table.seen == {"a1": Reading.RED, "e7": Reading.BLUE}


def test_two_pieces_on_a_square_lie_there_both(table: Table) -> None:
    """And each can be taken again; so can one that lies between the squares."""
    table.move((100, 4, 6, UP), takes=[4, 3], ends="down")
    assert len(table.board.magnets()) == 2
    table.move((100, 3.5, 4.5, UP), takes=[4, 6], ends="down")
    table.move((100, 0, 0, UP), takes=[3.5, 4.5], ends="down")
    assert len(table.seen) == 2


def test_taken_again_before_it_stands(table: Table) -> None:
    """A piece that is set down and taken at once is in the second hand."""
    table.fingers.obey({"hand": 1, "takes": [4, 3], "way": [[100, 4, 4, UP]], "ends": "down"})
    table.fingers.obey({"hand": 2, "takes": [4, 4], "way": [[100, 4, 5, UP]], "ends": "down"})
    table.board.advance(2000)
    assert table.seen == {"e6": Reading.RED, "e7": Reading.BLUE}


def test_set_down_where_one_is_still_to_come(table: Table) -> None:
    """What was let go there first may be taken before it lands: it is in that hand, the other stands on the square."""
    table.fingers.obey({"hand": 1, "takes": [4, 3], "way": [[240, 4, 4, UP]], "ends": "down"})
    table.fingers.obey({"hand": 2, "takes": [4, 4], "way": [[10, 7, 7, UP]]})
    table.fingers.obey({"hand": 3, "takes": [4, 6], "way": [[10, 4, 4, UP]], "ends": "down"})
    table.board.advance(2000)
    table.move(hand=2, ends="down")
    assert table.seen == {"e5": Reading.BLUE, "h8": Reading.RED}
    assert table.board.occupied() == table.seen


def test_a_hand_takes_before_it_has_let_go(table: Table) -> None:
    """Of what is set down with a delay and what is taken meanwhile neither is lost, and neither leaves a field behind."""
    table.fingers.obey({"hand": 1, "takes": [4, 3], "way": [[240, 4, 4, 0]], "ends": "down"})
    table.fingers.obey({"hand": 1, "takes": [4, 6]})
    table.board.advance(2000)
    table.move((40, 7, 7, UP), ends="down")
    assert table.seen == {"e5": Reading.RED, "h8": Reading.BLUE}


def test_far_beside_the_board_a_piece_is_no_other_one(table: Table) -> None:
    """However far a hand carries what came out of the box, it is one piece."""
    table.move((50, 0, 0, UP), takes="red")
    table.move((50, -1000, 0, UP))
    table.move((50, 2, 0, UP), hand=2, takes="red", of=3, ends="down")
    table.move((50, 1, 0, UP), ends="down")
    assert table.seen == START | {"b1": Reading.RED, "c1": Reading.RED}
    assert len(table.board.magnets()) == 4


@pytest.mark.parametrize("seed", range(4))
def test_whatever_hands_do_no_magnet_is_lost(seed: int) -> None:
    """At rest there are as many as were taken out, and what each sensor feels is what those that lie there do to it."""
    random, board = Random(seed), SimBoard(BOARD, seed=1)
    board.start()
    fingers = Fingers(board)
    for _ in range(tries(60)):
        wish: dict[str, object] = {"hand": random.randint(1, 3)}
        places = [random.choice((-1000, random.uniform(-2, 11), random.randint(0, 3))) for _ in range(6)]
        if random.random() < 0.6:
            wish |= {"takes": random.choice(("red", "blue", places[:2])), "of": 4}
        wish["way"] = [[random.choice((1, 16, 300)), *places[at : at + 2], random.choice((0, 35))] for at in (2, 4)]
        if random.random() < 0.6:
            wish["ends"] = random.choice(("down", "back"))
        with suppress(MotionError):
            fingers.obey(wish)
        board.advance(board.now_ms + random.choice((0, 0, 1, 16, 200)))
    for hand in (1, 2, 3):
        fingers.obey({"hand": hand, "ends": "back"})
    planned = dict(board.table.resting)
    board.advance(board.now_ms + 1000)
    assert {place: magnet for place, magnet in board.magnets() if place is not None} == planned
    assert all(place > -1_000_000 for place in planned)
    assert all(sum(magnet.seat == seat for magnet in planned.values()) <= 4 for seat in ("red", "blue"))
    for at, magnet in enumerate(list(planned.values())):
        fingers.obey({"hand": 1, "takes": [magnet.x, magnet.y], "way": [[1, -5, 0, UP]], "ends": "down"})
        board.advance(board.now_ms + 500)
        assert len(board.magnets()) == len(planned) - at - 1
    assert set(board.firmware.readings) == {Reading.EMPTY}


def test_no_magnet_is_out_of_sight_on_its_way(table: Table) -> None:
    """Between two pieces of a way, and between the last of them and its rest, it is told where it is."""
    table.fingers.obey({"hand": 1, "takes": [4, 3], "way": [[23, 4, 3, UP], [17, 4, 4, UP]]})
    table.fingers.obey({"hand": 1, "way": [[13, 4, 4, UP]], "ends": "down"})
    for at_ms in range(1000, 1200):
        table.board.advance(at_ms)
        assert len(table.board.magnets()) == 2


def test_what_comes_faster_than_time_is_played_faster(table: Table) -> None:
    """Board time lags behind by a quarter of a second at most."""
    table.move((900, 9, 9, UP), (900, 4, 4, UP), takes=[4, 3], ends="down", for_ms=400)
    assert table.seen == {"e5": Reading.RED, "e7": Reading.BLUE}


@pytest.mark.parametrize(
    ("wish", "error"),
    [
        ({"hand": 0}, "hand: a number from 1 to 1000 is needed"),
        ({"hand": True}, "hand: a number from 1 to 1000 is needed"),
        ({"hand": 1}, "this hand is empty"),
        ({"hand": 1, "ends": "down"}, "this hand is empty"),
        ({"hand": 1, "takes": "pink"}, "seat 'pink' is none of red, blue, green, yellow"),
        ({"hand": 1, "takes": [0, 0]}, "no piece stands there"),
        ({"hand": 1, "takes": [0]}, "a list of 2 numbers is needed"),
        ({"hand": 1, "takes": [float("nan"), 3]}, "numbers of at most 1000 are needed"),
        ({"hand": 1, "takes": [4, 3], "way": [[1, 2, 3, -4]]}, "way: neither time nor height is below zero"),
        ({"hand": 1, "takes": [4, 3], "way": [[1, 2, 3, 4]] * 65}, "way: a list of at most 64 points is needed"),
        ({"hand": 1, "takes": [4, 3], "ends": ["down"]}, "a hand takes, goes a way, and ends down or back"),
        ({"hand": 1, "takes": [4, 3], "rank": "spy"}, "a hand takes, goes a way, and ends down or back"),
    ],
)
def test_what_no_hand_can_do(table: Table, wish: dict[str, object], error: str) -> None:
    """One clear error, and nothing has moved."""
    with pytest.raises(MotionError, match=error.replace("[", "\\[")):
        table.fingers.obey(wish)
    table.board.advance(2000)
    assert table.seen == START


def test_an_empty_hand_puts_nothing_back(table: Table) -> None:
    """Of a page that goes away every hand does: nobody hears of an error."""
    table.move(ends="back")
    assert table.seen == START


def test_a_full_hand_takes_nothing(table: Table) -> None:
    """It keeps what it has."""
    table.move((100, 4, 3, UP), takes=[4, 3])
    with pytest.raises(MotionError, match="this hand is full"):
        table.fingers.obey({"hand": 1, "takes": [4, 6]})
    table.move(ends="back")
    assert table.seen == START


@pytest.fixture
def source() -> Iterator[SimSource]:
    """A board whose magnets are moved from outside, as a process."""
    opened = open_source("screen:?seed=1", BOARD)
    assert isinstance(opened, SimSource)
    with closing(opened):
        yield opened


@pytest.mark.process
def test_as_a_process(source: SimSource) -> None:
    """Lines with a hand move magnets at once; where they are is told, and so is what cannot be done."""
    source.wish({"hand": 3, "takes": [0, 0]})
    source.wish({"hand": 7, "takes": "red", "way": [[20, 2, 1, 35]], "ends": "down"})
    told: list[dict[str, object]] = []
    while not any(said.get("magnets") == [[12, "red", 2.0, 1.0, 0]] for said in told):
        told += source.answers()
    assert {"error": "no piece stands there", "hand": 3} in told
