"""Zero, gain and pole from two measurements: what comes out, and what is refused with which squares."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.advice import Defect, Finding
from firmware_bridge.calibration import (
    SENSORS,
    Calibration,
    Measured,
    judge_empty,
    judge_start,
    measured,
    with_magnet,
    with_sensor,
)
from firmware_bridge.messages import EVERY_SQUARE, AskKeyframe, Raw, Reading, SetGain, SetThresholds, SetZero
from firmware_bridge.wire import Decoder
from hardware import BoardFile, Sensing, board_names, load_board
from hardware.board_file import counts_of
from simulator.board import SimBoard
from simulator.magnets import POLARISATION_T, field_mt
from tests.amount import tries

BOARD = load_board("travel-10x10")
R, B = Reading.RED, Reading.BLUE
START = {square: R if int(square[1:]) <= 4 else B for square in BOARD.squares if int(square[1:]) not in (5, 6)}
GAIN = 140.0
GUIDES = Path(__file__).parents[2] / "docs" / "how-to"
PLACES = dict(zip(BOARD.squares, BOARD.places, strict=True))


def still(values: Mapping[str, float], base: float = 512.0) -> Measured:
    """Return a quiet measurement: `base`, but where `values` says otherwise."""
    return Measured(tuple(values.get(square, base) for square in BOARD.squares), (2,) * len(BOARD.squares))


def far_field(pitches: float) -> float:
    """Return what a magnet does to a sensor so many squares away, as a fraction of its own: a dipole 6.5 mm above, 19 mm a pitch."""
    z, x = 6.5, 19.0 * pitches
    return float((3 * z * z / (x * x + z * z) - 1) / (x * x + z * z) ** 1.5 / (2 / z**3))


def neighbours_share(square: str, army: Mapping[str, Reading]) -> float:
    """Return what centred neighbours do to a square, as a fraction of its own piece's field; red positive."""
    share = 0.0
    for other, reading in army.items():
        distance = math.dist(PLACES[square], PLACES[other])
        if 0 < distance < 3:
            share += far_field(distance) * (1 if reading is R else -1)
    return share


def army_on(zeros: Measured, army: Mapping[str, Reading], gains: Mapping[str, float]) -> Measured:
    """Return what is measured with these pieces on the board, neighbours included; `gains` are counts that red's magnet adds."""
    means = []
    for square, zero in zip(BOARD.squares, zeros.means, strict=True):
        pole = {R: 1, B: -1}.get(army.get(square, Reading.EMPTY), 0)
        means.append(zero + gains.get(square, GAIN) * (pole + neighbours_share(square, army)))
    return Measured(tuple(means), zeros.ranges)


def test_samples_are_averaged() -> None:
    """Mean and range of every square."""
    assert measured([(510, 5), (514, 5), (512, 8)]) == Measured((512.0, 6.0), (4, 3))


def test_the_golden_square() -> None:
    """A perfect board gives its own zero and gain: neighbours are taken out to one part in two hundred."""
    empty = still({"a1": 500.0})
    judged = judge_start(BOARD, empty, army_on(empty, START, {}), START)
    assert isinstance(judged, Calibration)
    assert judged.remarks == ()
    assert judged.typical == pytest.approx(GAIN, rel=0.005)
    assert len(judged.squares) == 92
    first = judged.squares[0]
    assert (first.square, first.zero) == ("a1", 500)
    assert first.gain == pytest.approx(GAIN, abs=2)
    assert (far_field(1), far_field(math.sqrt(2))) == pytest.approx((-0.0116, -0.0054), abs=1e-4)
    assert first.share == pytest.approx(1.0, abs=0.01)
    assert {one.square for one in judged.squares if one.share is None} == set(BOARD.squares) - set(START)


def test_what_the_board_is_told() -> None:
    """Thresholds of the board file, then zero and gain of every square by its number; RED's gain, also where blue stood."""
    empty = still({})
    judged = judge_start(BOARD, empty, army_on(empty, START, {}), START, without=["b1"])
    assert isinstance(judged, Calibration)
    told = judged.commands(BOARD)
    assert told[0] == SetThresholds(200, 135)
    assert told[1] == SetZero(0, 512)
    assert isinstance(told[2], SetGain)
    assert (told[2].square, told[2].pole) == (0, R)
    assert told[3] == SetZero(2, 512), "b1 was left out"
    assert len(told) == 1 + 2 * 91
    assert {command.pole for command in told if isinstance(command, SetGain)} == {R}


def test_sensors_that_look_the_other_way() -> None:
    """If red takes away and blue adds on the whole board, the gains are negative: nobody has to turn a magnet."""
    empty = still({})
    judged = judge_start(BOARD, empty, army_on(empty, START, dict.fromkeys(BOARD.squares, -GAIN)), START)
    assert isinstance(judged, Calibration)
    assert {one.gain < 0 for one in judged.squares} == {True}


def test_a_piece_off_its_centre_costs_half() -> None:
    """Half of what a square lacks is put down to the piece; below 45 % it is remarked, and no gain falls under 70 %."""
    empty = still({})
    gains = {"a1": 0.8 * GAIN, "b1": 0.5 * GAIN, "c1": 0.4 * GAIN, "d1": 1.2 * GAIN, "e1": 2.0 * GAIN}
    judged = judge_start(BOARD, empty, army_on(empty, START, gains), START)
    assert isinstance(judged, Calibration)
    told = {one.square: one.gain / judged.typical for one in judged.squares}
    wanted = {"a1": 0.9, "b1": 0.75, "c1": 0.7, "d1": 1.2, "e1": 1.5, "e5": 1.0}
    assert {square: told[square] for square in wanted} == pytest.approx(wanted, abs=0.02)
    assert judged.remarks == (Finding(Defect.WEAK, ("c1",)),)


EMPTY_BOARDS: dict[str, tuple[Measured, dict[Defect, tuple[str, ...]]]] = {
    "empty": (still({"a1": 480.0, "b1": 540.0}), {}),
    "a piece": (still({"e5": 800.0}), {Defect.LEFT_OVER: ("e5",)}),
    "a piece half beside its square": (still({"e5": 440.0}), {Defect.LEFT_OVER: ("e5",)}),
    "a broken wire, a short": (still({"a1": 0.0, "j10": 1023.0}), {Defect.OUT_OF_RANGE: ("a1", "j10")}),
    "a cold joint": (
        Measured((512.0, 320.0, *(512.0,) * 90), (3, 515, *(3,) * 90)),
        {Defect.COLD_JOINT: ("b1",)},
    ),
    "nothing is connected": (still({}, base=0.0), {Defect.OUT_OF_RANGE: BOARD.squares}),
    "both armies still stand": (army_on(still({}), START, {}), {Defect.LEFT_OVER: tuple(START)}),
    "a hand over it": (
        Measured((512.0,) * 92, tuple(60 if square == "c3" else 3 for square in BOARD.squares)),
        {Defect.MOVING: ("c3",)},
    ),
}


@pytest.mark.parametrize("name", EMPTY_BOARDS)
def test_boards_that_are_not_empty(name: str) -> None:
    """What forbids a zero, with its squares; twelve bits instead of ten change nothing."""
    empty, wanted = EMPTY_BOARDS[name]
    assert {finding.kind: finding.squares for finding in judge_empty(BOARD, empty)} == wanted
    finer = Measured(tuple(4 * mean for mean in empty.means), tuple(4 * spread for spread in empty.ranges))
    assert {finding.kind: finding.squares for finding in judge_empty(BOARD, finer)} == wanted


def test_squares_that_are_left_out() -> None:
    """A bad sensor that the maker knows of forbids nothing."""
    assert judge_empty(BOARD, still({"a1": 0.0, "e5": 800.0}), {"a1", "e5"}) == ()


def spoiled(**changes: Reading | None) -> dict[str, Reading]:
    """Return the start position with other pieces, or none, on some squares."""
    army: dict[str, Reading | None] = {**START, **changes}
    return {square: reading for square, reading in army.items() if reading is not None}


START_BOARDS: dict[str, tuple[Mapping[str, Reading], dict[Defect, tuple[str, ...]]]] = {
    "one missing": (spoiled(b2=None), {Defect.NOTHING_FELT: ("b2",)}),
    "one reversed in each army": (spoiled(c3=B, d8=R), {Defect.REVERSED: ("c3", "d8")}),
    "one too many": (spoiled(e6=R), {Defect.STUCK: ("e6",)}),
    "everything at once": (
        spoiled(b2=None, j10=None, c3=B, e6=R),
        {Defect.REVERSED: ("c3",), Defect.STUCK: ("e6",), Defect.NOTHING_FELT: ("b2", "j10")},
    ),
    "no blue army": (
        {square: reading for square, reading in START.items() if reading is R},
        {Defect.NOTHING_FELT: tuple(square for square in START if START[square] is B)},
    ),
    "no red army": (
        {square: reading for square, reading in START.items() if reading is B},
        {Defect.NOTHING_FELT: tuple(square for square in START if START[square] is R)},
    ),
    "two red armies": (dict.fromkeys(START, R), {Defect.SAME_POLE: ()}),
    "nothing at all": ({}, {Defect.NO_MAGNETS: ()}),
}


@pytest.mark.parametrize("name", START_BOARDS)
def test_start_positions_that_are_none(name: str) -> None:
    """What forbids a gain, with its squares, worst first, and nothing else."""
    army, wanted = START_BOARDS[name]
    empty = still({})
    judged = judge_start(BOARD, empty, army_on(empty, army, {}), START)
    assert not isinstance(judged, Calibration)
    assert {finding.kind: finding.squares for finding in judged} == wanted
    assert [finding.kind for finding in judged] == list(wanted)


def test_one_army_before_sensors_that_look_the_other_way() -> None:
    """The army that stands there is not taken for reversed because the other one is missing."""
    empty = still({})
    blue = {square: reading for square, reading in START.items() if reading is B}
    judged = judge_start(BOARD, empty, army_on(empty, blue, dict.fromkeys(BOARD.squares, -GAIN)), START)
    assert not isinstance(judged, Calibration)
    assert [finding.kind for finding in judged] == [Defect.NOTHING_FELT]


def test_steel_between_pieces_and_sensors() -> None:
    """A field of six per cent is told as one finding, not as eighty missing pieces."""
    empty = still({})
    judged = judge_start(BOARD, empty, army_on(empty, START, dict.fromkeys(BOARD.squares, 0.06 * GAIN)), START)
    assert judged == (Finding(Defect.NO_MAGNETS),)


def test_a_hand_during_the_second_measurement() -> None:
    """A square that changed while it was measured is told as that and as nothing else."""
    empty = still({})
    start = army_on(empty, START, {})
    restless = Measured(start.means, tuple(80 if square == "d4" else 2 for square in BOARD.squares))
    assert judge_start(BOARD, empty, restless, START) == (Finding(Defect.MOVING, ("d4",)),)
    cold = Measured(start.means, tuple(650 if square == "d4" else 2 for square in BOARD.squares))
    assert judge_start(BOARD, empty, cold, START) == (Finding(Defect.COLD_JOINT, ("d4",)),)


@settings(max_examples=tries(25))
@given(st.integers(min_value=0, max_value=2**32), st.booleans())
def test_any_board_within_its_spread_is_calibrated(seed: int, flipped: bool) -> None:
    """Zeros within a fifth of a volt, gains within a tenth, centred pieces: every gain comes out within eight per cent."""
    random = Random(seed)
    empty = still({square: random.uniform(490.0, 534.0) for square in BOARD.squares})
    sign = -1 if flipped else 1
    gains = {square: sign * random.uniform(0.9, 1.1) * GAIN for square in BOARD.squares}
    assert judge_empty(BOARD, empty) == ()
    judged = judge_start(BOARD, empty, army_on(empty, START, gains), START)
    assert isinstance(judged, Calibration)
    for one in judged.squares:
        if one.square in START:
            assert one.gain == pytest.approx(gains[one.square], rel=0.08), one.square


@given(st.integers(min_value=0, max_value=2**32), st.sets(st.sampled_from(sorted(START)), min_size=1, max_size=20))
def test_no_missing_or_reversed_piece_is_overlooked(seed: int, wrong: set[str]) -> None:
    """Whichever squares of a spread board are wrong, exactly these are named."""
    random = Random(seed)
    empty = still({square: random.uniform(490.0, 534.0) for square in BOARD.squares})
    gains = {square: random.uniform(0.9, 1.1) * GAIN for square in BOARD.squares}
    army, missing, reversed_ = dict(START), set(), set()
    for square in sorted(wrong):
        if random.random() < 0.5:
            del army[square]
            missing.add(square)
        else:
            army[square] = B if army[square] is R else R
            reversed_.add(square)
    judged = judge_start(BOARD, empty, army_on(empty, army, gains), START)
    assert not isinstance(judged, Calibration)
    told = {finding.kind: set(finding.squares) for finding in judged}
    assert told == {
        kind: squares for kind, squares in ((Defect.NOTHING_FELT, missing), (Defect.REVERSED, reversed_)) if squares
    }


def amplitudes(sim: SimBoard) -> list[int]:
    """Ask a simulated board for its raw counts, through the codec."""
    found: dict[int, int] = {}
    for message in Decoder().feed(b"".join(sim.obey(AskKeyframe(with_raw=True)))):
        if isinstance(message, Raw):
            found.update(enumerate(message.values, message.first))
    return [found[number] for number in range(92)]


def right_squares(sim: SimBoard, random: Random) -> int:
    """Let sixty pieces of both armies stand anywhere, off their middles as hands put them; count the squares that read what is there."""
    occupants = {square: random.choice(["red", "blue"]) for square in random.sample(BOARD.squares, 60)}
    sim.lay(occupants)
    sim.advance(sim.now_ms + 1000)
    wanted = [{"red": R, "blue": B}.get(occupants.get(square, ""), Reading.EMPTY) for square in BOARD.squares]
    return sum(now is want for now, want in zip(sim.firmware.readings, wanted, strict=True))


def test_a_divider_that_follows_the_squares() -> None:
    """An input in the air is steady while nothing moves, and another one when the armies stand."""
    empty = replace(still({}), supply=(512,) * 8)
    start = army_on(empty, START, {})
    assert judge_empty(BOARD, empty) == ()
    assert isinstance(judge_start(BOARD, empty, replace(start, supply=(515,) * 8), START), Calibration)
    judged = judge_start(BOARD, empty, replace(start, supply=(440,) * 8), START)
    assert isinstance(judged, tuple)
    assert [finding.kind for finding in judged] == [Defect.SUPPLY_UNSTEADY]


@pytest.mark.parametrize("seed", range(3))
def test_a_board_that_lost_its_calibration(seed: int) -> None:
    """Real fields, spread sensors, hands that are not exact: every empty square reads wrong before, and none of any kind after."""
    sim, random = SimBoard(BOARD, seed, calibrated=False), Random(seed)
    sim.start()
    sim.advance(1000)
    sim.obey(SetZero(EVERY_SQUARE, 580))
    assert right_squares(sim, random) <= 60
    sim.lay({})
    sim.advance(sim.now_ms + 1000)
    empty = measured([amplitudes(sim) for _ in range(8)])
    assert judge_empty(BOARD, empty) == ()
    sim.lay({square: "red" if reading is R else "blue" for square, reading in START.items()})
    sim.advance(sim.now_ms + 1000)
    judged = judge_start(BOARD, empty, measured([amplitudes(sim) for _ in range(8)]), START)
    assert isinstance(judged, Calibration)
    for command in judged.commands(BOARD):
        sim.obey(command)
    assert [right_squares(sim, random) for _ in range(5)] == [92] * 5


NULLS_V = {"SS49E": (2.25, 2.75), "DRV5055A3": (1.59, 1.71)}
"""Least and greatest output without a field, by the datasheets, on 5 V and on 3.3 V."""
LEAST_MV_PER_MT = {"SS49E": 10.0, "DRV5055A3": 14.3}
"""SS49E 1.0 to 1.75 mV/G on 5 V, DRV5055A3 14.3 to 15.8 mV/mT on 3.3 V."""
LEAST_N42_T = 1.28
"""Remanence 1.28 to 1.32 T in most makers' tables; some promise 1.29 or 1.30 at least."""
COLOUR_BOARDS = [board for board in map(load_board, board_names()) if board.sensing is Sensing.COLOUR]


def counts(board: BoardFile, volt: float) -> float:
    """Return what the converter makes of a sensor's output."""
    return 1023 * 1000 * volt / board.sensor.supply_mv


def least_magnet(board: BoardFile) -> float:
    """Return the counts of the weakest disc of its grade, centred, at the least sensitive sensor of its type."""
    least_mt = field_mt(board.magnet, 0.0) * LEAST_N42_T / POLARISATION_T[board.magnet.grade]
    return counts(board, LEAST_MV_PER_MT[board.sensor.part] * least_mt / 1000)


@pytest.mark.parametrize("board", COLOUR_BOARDS, ids=lambda board: board.id)
def test_every_sensor_within_its_datasheet_is_taken(board: BoardFile) -> None:
    """Zeros anywhere between the limits, also one at each limit in a batch whose middle is 2 % off."""
    least, most = (counts(board, volt) for volt in NULLS_V[board.sensor.part])
    for seed in range(100):
        random = Random(seed)
        batch = tuple(random.uniform(least, most) for _ in board.squares)
        assert judge_empty(board, Measured(batch, (2,) * len(batch))) == ()
    for middle in (0.98, 1.02):
        zeros = [min(max(middle * (least + most) / 2, least), most)] * len(board.squares)
        zeros[0], zeros[1] = least, most
        assert judge_empty(board, Measured(tuple(zeros), (2,) * len(zeros))) == ()


@pytest.mark.parametrize("pole", [1, -1])
@pytest.mark.parametrize("board", COLOUR_BOARDS, ids=lambda board: board.id)
def test_the_weakest_magnet_is_felt(board: BoardFile, pole: int) -> None:
    """A forgotten piece is named on the empty board; where a zero at its limit hides it, in the start position."""
    start = {
        square: R if y < 4 else B
        for square, (_, y) in zip(board.squares, board.places, strict=True)
        if abs(y - 4.5) > 1
    }
    least, most = (counts(board, volt) for volt in NULLS_V[board.sensor.part])
    middle, magnet = (least + most) / 2, pole * least_magnet(board)
    quiet = (2,) * len(board.squares)
    gain = counts(board, board.sensor.mv_per_mt * board.magnet.centred_mt / 1000)
    for number, square in enumerate(board.squares):
        forgotten = [middle] * len(quiet)
        forgotten[number] += magnet
        assert judge_empty(board, Measured(tuple(forgotten), quiet)) == (Finding(Defect.LEFT_OVER, (square,)),)
        if square not in start:
            continue
        hidden = [middle] * len(quiet)
        hidden[number] = (least if pole > 0 else most) + magnet
        set_up = [
            zero + gain * {R: 1, B: -1}.get(start.get(at, Reading.EMPTY), 0)
            for at, zero in zip(board.squares, hidden, strict=True)
        ]
        set_up[number] = hidden[number]  # it stands there in both
        judged = judge_start(board, Measured(tuple(hidden), quiet), Measured(tuple(set_up), quiet), start)
        assert judged == (Finding(Defect.NOTHING_FELT, (square,)),)
        weak = list(set_up)
        weak[number] = hidden[number] + least_magnet(board) * (1 if start[square] is R else -1)
        assert isinstance(
            judge_start(board, Measured(tuple(hidden), quiet), Measured(tuple(weak), quiet), start), Calibration
        )


@pytest.mark.parametrize("sensor", SENSORS)
def test_another_sensor_has_to_be_said(sensor: str) -> None:
    """A good field, felt by the sensor that is soldered: taken for what it is if it is said, refused as too near if it gives more."""
    mv_per_mt, supply_mv = SENSORS[sensor]
    gain = counts_of(BOARD.magnet.centred_mt, mv_per_mt, supply_mv)
    start = army_on(still({}), START, dict.fromkeys(START, gain))
    said = judge_start(with_sensor(BOARD, sensor), still({}), start, START)
    assert isinstance(said, Calibration)
    assert said.magnet.gap_mm == pytest.approx(BOARD.magnet.gap_mm, abs=0.1)
    silent = judge_start(BOARD, still({}), start, START)
    assert isinstance(silent, Calibration) is (sensor == BOARD.sensor.part)


@pytest.mark.parametrize(
    ("disc", "gap_mm", "good"), [((6, 2), 4.5, True), ((6, 2), 3.5, False), ((5, 2), 4.5, True), ((5, 2), 4.0, False)]
)
def test_thresholds_follow_the_field_that_is_felt(disc: tuple[float, float], gap_mm: float, good: bool) -> None:
    """Four squares on a breadboard: the gap follows from what the pieces give; what would be missed a quarter off is refused."""
    magnet = replace(BOARD.magnet, diameter_mm=disc[0], thickness_mm=disc[1], gap_mm=gap_mm)
    gain = GAIN * field_mt(magnet, 0.0) / BOARD.magnet.centred_mt
    four = dict.fromkeys(("a1", "b1", "a2", "b2"), R)
    others = set(BOARD.squares) - set(four)
    board = with_magnet(BOARD, disc, None, None)
    judged = judge_start(board, still({}), army_on(still({}), four, dict.fromkeys(four, gain)), four, others)
    if not good:
        assert isinstance(judged, tuple)
        assert [finding.kind for finding in judged] == [Defect.TOO_NEAR]
        return
    assert isinstance(judged, Calibration)
    assert judged.magnet.gap_mm == pytest.approx(gap_mm, abs=0.11)
    share = field_mt(magnet, 19.0 / 4) / field_mt(magnet, 0.0)
    assert judged.thresholds.on == pytest.approx(0.766 * share, abs=0.01)


def test_a_gap_that_was_said_counts() -> None:
    """What the maker measured is believed; that pieces give something else is a remark."""
    empty = still({})
    start = army_on(empty, START, dict.fromkeys(BOARD.squares, 2 * GAIN))
    judged = judge_start(with_magnet(BOARD, None, 4.2, None), empty, start, START, gap_said=True)
    assert isinstance(judged, Calibration)
    assert judged.magnet.gap_mm == 4.2
    assert [finding.kind for finding in judged.remarks] == [Defect.OTHER_GAP]


@pytest.mark.parametrize("board", COLOUR_BOARDS, ids=lambda board: board.id)
def test_a_piece_a_quarter_off_is_read(board: BoardFile) -> None:
    """What it keeps of its own centred field lies above `on`, with the disc and gap of the board file."""
    centred = field_mt(board.magnet, 0.0)
    assert centred == pytest.approx(board.magnet.centred_mt, rel=0.01)
    assert field_mt(board.magnet, board.pitch_mm / 4) / centred > 1.25 * board.thresholds.on


def test_the_guides_tell_what_is_computed() -> None:
    """The table of discs, what lifting does, and what the empty board may differ by, as the two pages for makers say."""
    guide, page = ((GUIDES / name).read_text(encoding="utf-8") for name in ("build-the-board.md", "calibrate.md"))
    disc, on, off = "", BOARD.thresholds.on, BOARD.thresholds.off
    rows = re.findall(
        r"^\| (?:(\d) x (\d) mm)? *\| (\d\.\d) mm \| (\d+) mT \| (0\.\d+)(: unsure)? \|$", guide, re.MULTILINE
    )
    assert len(rows) == 5
    for diameter, _, gap, middle, share, unsure in rows:
        disc = diameter or disc
        magnet = replace(BOARD.magnet, diameter_mm=float(disc), gap_mm=float(gap))
        kept = field_mt(magnet, BOARD.pitch_mm / 4) / field_mt(magnet, 0.0)
        assert (f"{field_mt(magnet, 0.0):.0f}", f"{kept:.2f}", kept < on) == (middle, share, bool(unsure))
    lifted = [field_mt(BOARD.magnet, 0.0, height) / field_mt(BOARD.magnet, 0.0) for height in (4.5, 5.0, 6.0, 6.3)]
    assert "lifted by 5 mm it is below *on*, by 6.3 mm below *off*" in guide
    assert lifted[0] > on > lifted[1]
    assert lifted[2] > off > lifted[3]
    ss49e = next(board for board in COLOUR_BOARDS if board.sensor.part == "SS49E")
    middle_counts = counts(ss49e, sum(NULLS_V["SS49E"]) / 2)
    assert f"{100 * least_magnet(ss49e) / middle_counts:.0f} % at least" in " ".join(page.split())
    for share, found in ((0.124, ()), (0.126, (Finding(Defect.LEFT_OVER, ("a1",)),))):
        zeros = (middle_counts * (1 + share), *[middle_counts] * (len(ss49e.squares) - 1))
        assert judge_empty(ss49e, Measured(zeros, (2,) * len(zeros))) == found
    assert "by 12.5 % of the middle" in page
