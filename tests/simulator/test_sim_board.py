"""Whole motions in board time: what a hand does is what the frames show."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.messages import AskKeyframe, Frame, Reading, SetThresholds
from firmware_bridge.wire import Decoder
from hardware import Sensing, load_board
from simulator.board import SimBoard
from simulator.motions import Lift, Move, Place, Wait, parse_motion
from simulator.script import MotionError
from tests.amount import tries

BOARD = load_board("travel-10x10")
EMPTY, RED, BLUE, UNSURE = Reading


def frames(sent: list[bytes]) -> list[Frame]:
    """Decode frames; nothing else may be among them."""
    found = Decoder().feed(b"".join(sent))
    only = [item for item in found if isinstance(item, Frame)]
    assert only == found
    return only


def story(sent: list[bytes], board: SimBoard, *, unsure: bool = False) -> list[str]:
    """Return the changes from frame to frame as words like `+d4r` (red came), `-d4`, and `?d4` (unsure, left out unless asked for)."""
    told: list[str] = []
    before: dict[int, Reading] = {}
    for frame in frames(sent):
        now = {n: reading for n, reading in enumerate(frame.squares) if reading is not UNSURE or unsure}
        for number, reading in now.items():
            old = before.get(number, reading)
            if reading is not old:
                word = {EMPTY: "-", UNSURE: "?"}.get(reading, "+")
                told.append(word + board.board.squares[number] + {RED: "r", BLUE: "b"}.get(reading, ""))
        before |= now
    return told


def filled(sensing: Sensing = Sensing.COLOUR, seed: int = 5) -> SimBoard:
    """Return a board with red on d4 and e4 and blue on d7."""
    board = SimBoard(BOARD.with_sensing(sensing), seed)
    board.start()
    board.play(Place("red", ("d4", "e4")))
    board.play(Place("blue", ("d7",)))
    return board


STORIES: list[tuple[dict[str, Any], list[str], list[str]]] = [
    ({"motion": "lift", "square": "d4"}, ["-d4"], ["-d4"]),
    ({"motion": "remove", "square": "d7"}, ["-d7"], ["-d7"]),
    ({"motion": "put", "seat": "blue", "square": "a1"}, ["+a1b"], ["+a1r"]),
    ({"motion": "place", "seat": "red", "squares": ["a1", "b1"]}, ["+a1r", "+b1r"], ["+a1r", "+b1r"]),
    ({"motion": "move", "from": "e4", "to": "e5"}, ["-e4", "+e5r"], ["-e4", "+e5r"]),
    ({"motion": "move", "from": "e4", "to": "e5", "style": "slide"}, ["-e4", "+e5r"], ["-e4", "+e5r"]),
    (
        {"motion": "move", "from": "e4", "to": "e7", "style": "slide", "via": ["e5", "e6"]},
        ["-e4", "+e5r", "-e5", "+e6r", "-e6", "+e7r"],
        ["-e4", "+e5r", "-e5", "+e6r", "-e6", "+e7r"],
    ),
    ({"motion": "both", "from": "d4", "target": "d7"}, ["-d4", "-d7"], ["-d4", "-d7"]),
    ({"motion": "clear"}, ["-d4", "-e4", "-d7"], ["-d4", "-e4", "-d7"]),
    ({"motion": "wait", "after_ms": 900}, [], []),
]


@pytest.mark.parametrize(("motion", "colour", "occupancy"), STORIES, ids=lambda item: str(item)[:40])
@pytest.mark.parametrize("seed", range(tries(4)))
def test_motions(motion: dict[str, Any], colour: list[str], occupancy: list[str], seed: int) -> None:
    """Each motion shows its squares in its order and nothing else, on both kinds of board, whatever the hand's times."""
    for sensing, wanted in ((Sensing.COLOUR, colour), (Sensing.OCCUPANCY, occupancy)):
        board = filled(sensing, seed)
        told = story([*board.obey(AskKeyframe())[1:], *board.play(motion)], board)
        assert told == wanted


def test_a_lift_passes_through_unsure() -> None:
    """On some lift the scan falls between the thresholds: unsure comes between occupied and empty."""
    seen = set()
    for seed in range(10):
        board = filled(seed=seed)
        told = story([*board.obey(AskKeyframe())[1:], *board.play(Lift("d4"))], board, unsure=True)
        assert told in (["-d4"], ["?d4", "-d4"])
        seen.add(len(told))
    assert seen == {1, 2}


def test_the_same_seed_gives_the_same_bytes() -> None:
    """Bytes follow from board, seed and motions alone."""
    runs = [[filled(seed=seed).play(Move("e4", "e5")) for _ in range(2)] for seed in (1, 2)]
    assert runs[0][0] == runs[0][1]
    assert runs[0][0] != runs[1][0]


def test_slicing_time_changes_nothing() -> None:
    """Advancing in many steps sends what one step sends."""
    whole, sliced = filled(), filled()
    end = whole.begin(Move("e4", "e5"), 1234)
    assert sliced.begin(Move("e4", "e5"), 1234) == end
    steps = [sliced.advance(ms) for ms in [*range(sliced.now_ms, end + 3000, 7), end + 3000]]
    assert whole.advance(end + 3000) == [frame for step in steps for frame in step]


def test_frames_come_at_scan_times_and_after_a_motion_stop() -> None:
    """Every frame of a motion lies on the 10 ms grid, each scan of the 400 ms after the last change has one, then none till 500 more."""
    board = filled()
    times = [frame.board_ms for frame in frames(board.play(Move("e4", "e5")))]
    assert all(ms % 10 == 0 for ms in times)
    assert times[-41:] == list(range(times[-1] - 400, times[-1] + 1, 10))
    later = [frame.board_ms for frame in frames(board.advance(board.now_ms + 1000))]
    assert later[0] == times[-1] + 500


def test_standing_still_and_going_on() -> None:
    """A heartbeat of half a second sends exactly one keyframe each time."""
    board = filled()
    board.advance(board.now_ms + 777)
    for _ in range(5):
        assert len(frames(board.advance(board.now_ms + 500))) == 1


def test_a_command_wakes_the_board() -> None:
    """New thresholds show at the next scan, although no scan would have been due for long."""
    board = filled()
    board.advance(board.now_ms + 2003)
    board.obey(SetThresholds(990, 980))
    first = frames(board.advance(board.now_ms + 20))[0]
    assert first.board_ms == (board.now_ms - 20) // 10 * 10 + 10
    assert UNSURE in first.squares or EMPTY in first.squares


REFUSED: list[tuple[object, str]] = [
    ({"motion": "lift", "square": "a1"}, "no piece stands on a1"),
    ({"motion": "lift", "square": "c5"}, "the board has no square 'c5'"),
    ({"motion": "move", "from": "d4", "to": "e4"}, "a piece stands on e4 already"),
    ({"motion": "move", "from": "d4", "to": "f4", "via": ["e4"], "style": "slide"}, "a piece stands on e4 already"),
    ({"motion": "move", "from": "d4"}, "move: key 'to' is missing"),
    ({"motion": "move", "from": "d4", "to": "d3", "style": "throw"}, "move.style: 'throw' is none of lift, slide"),
    ({"motion": "move", "from": "d4", "to": 7}, "move.to: a text is needed, not 7"),
    ({"motion": "place", "seat": "red", "squares": "a1"}, "place.squares: a list of text is needed"),
    ({"motion": "place", "seat": "red", "squares": ["a1", "a1"]}, "place: a square stands twice"),
    ({"motion": "place", "seat": "mauve", "squares": ["a1"]}, "seat 'mauve' is none of red, blue, green, yellow"),
    ({"motion": "both", "from": "d4", "target": "d4"}, "d4 cannot attack itself"),
    ({"motion": "lift", "square": "d4", "speed": 3}, "lift: unknown key 'speed'"),
    ({"motion": "lift", "square": "d4", "after_ms": -1}, "lift.after_ms: -1 is less than 0"),
    (
        {"motion": "juggle"},
        "motion 'juggle' is none of place, move, lift, put, remove, both, clear, restore, bump, trouble, wait",
    ),
    ({}, "motion None is none of"),
    (["lift"], "a motion is a JSON object"),
]


@pytest.mark.parametrize(("wish", "reason"), REFUSED)
def test_motions_that_no_hand_can_make(wish: object, reason: str) -> None:
    """One clear reason, and nothing has moved."""
    board = filled()
    truth = board.occupied()
    with pytest.raises(MotionError, match="^" + reason.replace("(", r"\(")):
        board.begin(*parse_motion(wish))
    assert board.occupied() == truth
    assert story(board.advance(board.now_ms + 3000), board) == []


def test_one_motion_at_a_time() -> None:
    """A second hand has to wait."""
    board = filled()
    board.begin(Lift("d4"))
    with pytest.raises(MotionError, match="has not ended"):
        board.begin(Lift("e4"))


@settings(max_examples=tries(25), deadline=None)
@given(seed=st.integers(0, 2**32), data=st.data())
def test_after_any_play_the_last_frame_is_the_truth(seed: int, data: st.DataObject) -> None:
    """Random motions of every kind, on both kinds of board: at rest the frame shows where the magnets are."""
    colour = data.draw(st.booleans())
    board = SimBoard(BOARD if colour else BOARD.with_sensing(Sensing.OCCUPANCY), seed)
    shown = frames(board.start()[1:])
    squares = st.sampled_from([*BOARD.squares[:8], *BOARD.squares[-3:]])
    for _ in range(data.draw(st.integers(1, 10))):
        kind = data.draw(st.sampled_from(["put", "lift", "move", "both"]))
        wish: dict[str, str] = {"motion": kind}
        if kind in ("put", "lift"):
            wish["square"] = data.draw(squares)
        if kind == "put":
            wish["seat"] = data.draw(st.sampled_from(["red", "blue"]))
        if kind in ("move", "both"):
            wish |= {"from": data.draw(squares), ("to" if kind == "move" else "target"): data.draw(squares)}
        try:
            shown += frames(board.play(wish))
        except MotionError:
            continue
    truth = board.occupied()
    for name, reading in zip(BOARD.squares, shown[-1].squares, strict=True):
        wanted = truth.get(name, EMPTY)
        assert reading is (wanted if colour or wanted is EMPTY else RED)


def test_four_seats_share_two_poles() -> None:
    """Poles are data; on an occupancy board every magnet is just there."""
    board = SimBoard(load_board("castle-four"), 1, {"red": "red", "blue": "blue", "green": "red", "yellow": "blue"})
    board.start()
    for seat, square in (("red", "g1"), ("blue", "a7"), ("green", "turret"), ("yellow", "ring")):
        board.play(parse_motion({"motion": "put", "seat": seat, "square": square})[0])
    assert board.occupied() == {"g1": RED, "a7": BLUE, "turret": RED, "ring": BLUE}
    last = frames(board.obey(AskKeyframe())[1:])[0]
    assert {name for name, reading in zip(board.board.squares, last.squares, strict=True) if reading is RED} == set(
        board.occupied()
    )


def test_waiting_is_a_motion_too() -> None:
    """`wait` lets board time pass: the quiet time and what was asked for."""
    board = filled()
    before = board.now_ms
    board.play(Wait(), after_ms=300, quiet_ms=200)
    assert board.now_ms == before + 500


def test_another_field_takes_the_dipoles_place() -> None:
    """A field that nobody feels leaves every square empty."""
    board = SimBoard(BOARD, 1, field=lambda distance_mm, height_mm: 0.0)
    board.start()
    assert story(board.play(Place("red", ("a1",))), board) == []
