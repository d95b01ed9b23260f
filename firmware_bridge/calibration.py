"""Zero, gain and pole of every square from two measurements: the empty board, and the filled start position. Pure.

A gain is what a centred magnet adds to a square's zero. Pieces in a full army weaken each other by up to a tenth, which is taken out
by the field of a dipole. A piece off its centre always gives less than it could, so that half of what a square lacks is put down to that:
a gain too small would let neighbours pass for pieces.

Thresholds follow from the disc and its gap: what most pieces give tells the gap, unless the maker has said it.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from firmware_bridge.advice import Defect, Finding, in_order
from firmware_bridge.checkup import WEAK, at_an_end, unsteady_supply
from firmware_bridge.messages import Command, Reading, SetGain, SetThresholds, SetZero
from hardware import BoardFile
from hardware.board_file import Magnet, Thresholds, default_gain, dipole
from hardware.field import LEAST_QUARTER, disc_share, gap_of, least_gap, quarter, thresholds_for

LEAST_TYPICAL = 0.04  # of the zero: with a smaller typical gain the thresholds would lie in the converter's noise
FELT = 0.25  # of the typical gain: less may be the neighbours'
LOWEST_SHARE, HIGHEST_SHARE = 0.7, 1.5  # of the typical gain: what a square is given at least and at most
OFF_CENTRE = 0.5  # of what a square lacks is put down to a piece that stands off centre, the rest to its sensor
_STRAY = 0.125
"""Of the typical zero. An SS49E's may be 10 % off by its datasheet, and the typical one is not quite half the supply; of 64 in one batch
the worst was 6.1 % off. The weakest disc that ships adds 19 %; what a zero of the other sign hides of it, the start position shows."""
_RESTLESS = 0.04
_BREAKS_OFF = (
    0.75  # of the typical zero: so far falls a converter whose input comes and goes; no magnet moves it that far
)
_CENTRED = (
    0.9  # of all pieces give less: off their middle they give less, so that the gap is told by those that stand best
)
_GAP_OFF = 0.3  # of what a disc should give at the gap that was said: an SS49E may give a quarter more or less than its data sheet's middle
_NEAR_PITCHES = 2.9


@dataclass(frozen=True, slots=True)
class Measured:
    """Several readings of the converter at rest: mean and range of each square, in counts, in wire order; `supply`: all of the divider."""

    means: tuple[float, ...]
    ranges: tuple[int, ...]
    supply: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class SquareCalibration:
    """What a square's firmware is told. `gain`: counts that red's magnet adds. `share` of the typical gain, None if nothing stood there."""

    square: str
    zero: int
    gain: int
    share: float | None


@dataclass(frozen=True, slots=True)
class Calibration:
    """A whole board's. `typical` is the gain of most squares in counts; `remarks` do not forbid it.

    `quarter` is what a piece a quarter of the pitch off gives, as a fraction of what it gives in the middle, with `magnet` at its gap.
    """

    squares: tuple[SquareCalibration, ...]
    typical: float
    magnet: Magnet
    quarter: float
    thresholds: Thresholds
    remarks: tuple[Finding, ...]

    def commands(self, board: BoardFile) -> list[Command]:
        """Return what the board has to be told, thresholds included. SAVE is not among it."""
        told: list[Command] = [SetThresholds(round(1000 * self.thresholds.on), round(1000 * self.thresholds.off))]
        for one in self.squares:
            number = board.index(one.square)
            told += [SetZero(number, one.zero), SetGain(number, Reading.RED, one.gain)]
        return told


def measured(samples: Sequence[Sequence[int]], supply: Sequence[int] = ()) -> Measured:
    """Return mean and range of each square over samples of the whole board, and what the supply's divider read meanwhile."""
    columns = list(zip(*samples, strict=True))
    return Measured(
        tuple(statistics.fmean(column) for column in columns),
        tuple(max(column) - min(column) for column in columns),
        tuple(supply),
    )


def judge_empty(board: BoardFile, empty: Measured, without: Collection[str] = ()) -> tuple[Finding, ...]:
    """Return what forbids that these are the zeros of an empty board; squares in `without` are left out."""
    if unsteady := unsteady_supply(board, empty.supply):
        return unsteady  # every reading was set right for a supply that nobody measured
    numbers = [number for number, square in enumerate(board.squares) if square not in without]
    middle = statistics.median(empty.means[number] for number in numbers)
    ends, cold, stray, restless = [], [], [], []
    for number in numbers:
        mean = empty.means[number]
        if at_an_end(mean, middle):
            ends.append(number)
        elif empty.ranges[number] > _BREAKS_OFF * middle:
            cold.append(number)
        elif abs(mean - middle) > _STRAY * middle:
            stray.append(number)
        elif empty.ranges[number] > _RESTLESS * middle:
            restless.append(number)
    groups = (
        (Defect.OUT_OF_RANGE, ends),
        (Defect.COLD_JOINT, cold),
        (Defect.LEFT_OVER, stray),
        (Defect.MOVING, restless),
    )
    return _findings(board, groups)


SENSORS: Mapping[str, tuple[float, int]] = {"SS49E": (14, 5000), "DRV5055A3": (25, 5000), "DRV5055A3-3V3": (15, 3300)}
"""Sensors that a maker may solder in another's place, by their data sheets: millivolts a millitesla, and the supply that gives so many."""


def with_sensor(board: BoardFile, name: str | None) -> BoardFile:
    """Return the board with another of SENSORS under its squares, None for its own."""
    if name is None:
        return board
    mv_per_mt, supply_mv = SENSORS[name]
    return replace(board, sensor=replace(board.sensor, part=name, mv_per_mt=mv_per_mt, supply_mv=supply_mv))


def with_magnet(
    board: BoardFile, disc: tuple[float, float] | None, gap_mm: float | None, pitch_mm: float | None
) -> BoardFile:
    """Return the board with another disc (diameter and thickness), gap and pitch, as far as they are said, and the field of that disc."""
    before = board.magnet
    diameter_mm, thickness_mm = disc or (before.diameter_mm, before.thickness_mm)
    after = replace(before, diameter_mm=diameter_mm, thickness_mm=thickness_mm, gap_mm=gap_mm or before.gap_mm)
    after = replace(after, centred_mt=before.centred_mt * _centred(after) / _centred(before))
    return replace(board, magnet=after, pitch_mm=pitch_mm or board.pitch_mm)


def _centred(magnet: Magnet) -> float:
    return disc_share(magnet.diameter_mm, magnet.thickness_mm, magnet.gap_mm, 0.0)


def judge_start(
    board: BoardFile,
    empty: Measured,
    start: Measured,
    wanted: Mapping[str, Reading],
    without: Collection[str] = (),
    *,
    gap_said: bool = False,
) -> Calibration | tuple[Finding, ...]:
    """Return the calibration, or what forbids it.

    `wanted` is what each square of the start position reads; all others are empty. Squares in `without` get no calibration. With `gap_said`
    the board's gap was measured by its maker, else what pieces give tells it.
    """
    if unsteady := unsteady_supply(board, (*empty.supply, *start.supply)):
        return unsteady
    added = {
        square: after - before
        for square, before, after in zip(board.squares, empty.means, start.means, strict=True)
        if square not in without
    }
    army = {square: reading for square, reading in wanted.items() if square in added}
    typical = _typical([abs(added[square]) for square in army])
    middle = statistics.median(empty.means)
    if typical < LEAST_TYPICAL * middle:
        return (Finding(Defect.NO_MAGNETS),)
    red, blue = (
        _pole([added[square] for square, its in army.items() if its is reading], FELT * typical)
        for reading in (Reading.RED, Reading.BLUE)
    )
    if red == blue:
        return (Finding(Defect.SAME_POLE),)
    red = red or -blue
    if faults := _misfits(board, start, added, army, (typical, red, middle)):
        return faults
    expected = _expected(board, army)
    gains = {square: abs(added[square]) / expected[square] for square in army}
    times = sorted(gains.values())[math.ceil(_CENTRED * len(gains)) - 1] / default_gain(board)
    magnet = board.magnet if gap_said else replace(board.magnet, gap_mm=gap_of(board.magnet, times))
    share = quarter(magnet, board.pitch_mm)
    if share < LEAST_QUARTER:
        least_mm = least_gap(magnet, board.pitch_mm)
        values = {"gap": magnet.gap_mm, "percent": round(100 * share), "disc": disc_name(magnet), "least": least_mm}
        return (Finding(Defect.TOO_NEAR, values=values),)
    found = _calibration(board, empty, added, gains, red, magnet)
    if gap_said and abs(math.log(times)) > math.log(1.0 + _GAP_OFF):
        values = {"said": magnet.gap_mm, "felt": gap_of(magnet, times)}
        found = replace(found, remarks=(*found.remarks, Finding(Defect.OTHER_GAP, values=values)))
    return found


def _misfits(
    board: BoardFile,
    start: Measured,
    added: Mapping[str, float],
    army: Mapping[str, Reading],
    usual: tuple[float, int, float],
) -> tuple[Finding, ...]:
    """Return the squares that are not as the start position wants them; `usual` are typical gain, sign of red's pole, and typical zero."""
    typical, red, middle = usual
    kinds = (Defect.REVERSED, Defect.STUCK, Defect.NOTHING_FELT, Defect.MOVING, Defect.COLD_JOINT)
    faults: dict[Defect, list[str]] = {kind: [] for kind in kinds}
    for square, value in added.items():
        reading = army.get(square)
        moved = start.ranges[board.index(square)]
        if moved > _BREAKS_OFF * middle:
            faults[Defect.COLD_JOINT].append(square)
        elif moved > _RESTLESS * middle:
            faults[Defect.MOVING].append(square)
        elif (abs(value) >= FELT * typical) != (reading is not None):
            faults[Defect.STUCK if reading is None else Defect.NOTHING_FELT].append(square)
        elif reading is not None and (value > 0) != (red == (1 if reading is Reading.RED else -1)):
            faults[Defect.REVERSED].append(square)
    return in_order([Finding(kind, tuple(squares)) for kind, squares in faults.items() if squares])


def disc_name(magnet: Magnet) -> str:
    """Return a disc as people call it: `6 x 2 mm`."""
    return f"{magnet.diameter_mm:g} x {magnet.thickness_mm:g} mm"


def _calibration(
    board: BoardFile,
    empty: Measured,
    added: Mapping[str, float],
    gains: Mapping[str, float],
    red: int,
    magnet: Magnet,
) -> Calibration:
    typical = statistics.median(gains.values())
    squares = []
    for square in added:
        share = gains[square] / typical if square in gains else None
        zero = empty.means[board.index(square)]
        squares.append(SquareCalibration(square, round(zero), red * round(typical * _used(share)), share))
    weak = tuple(one.square for one in squares if one.share is not None and one.share < WEAK)
    remarks = (Finding(Defect.WEAK, weak),) if weak else ()
    pitch_mm = board.pitch_mm
    return Calibration(
        tuple(squares), typical, magnet, quarter(magnet, pitch_mm), thresholds_for(magnet, pitch_mm), remarks
    )


def _used(share: float | None) -> float:
    if share is None:
        return 1.0
    return min(max(share + OFF_CENTRE * max(1.0 - share, 0.0), LOWEST_SHARE), HIGHEST_SHARE)


def _expected(board: BoardFile, army: Mapping[str, Reading]) -> dict[str, float]:
    """Return what a centred piece adds on each square of a full army, as a fraction of what it adds alone."""
    places = dict(zip(board.squares, board.places, strict=True))
    depth_mm = board.magnet.gap_mm + board.magnet.thickness_mm  # a dipole there gives the computed figures of discs
    found = {}
    for square, reading in army.items():
        share = 1.0
        for other, its in army.items():
            distance = math.dist(places[square], places[other])
            if 0 < distance <= _NEAR_PITCHES:
                share += dipole(distance * board.pitch_mm, depth_mm) * (1 if its is reading else -1)
        found[square] = share
    return found


def _typical(sizes: Collection[float]) -> float:
    """Return the median of what magnets are felt, squares without one left out."""
    largest = sorted(sizes)[int(0.9 * len(sizes))]
    return statistics.median(size for size in sizes if size >= FELT * largest)


def _pole(added: Iterable[float], least: float) -> int:
    """Return the sign that most magnets of an army have; 0 if none is felt."""
    felt = [math.copysign(1.0, value) for value in added if abs(value) >= least]
    return round(math.copysign(1.0, sum(felt))) if felt else 0


def _findings(board: BoardFile, groups: Sequence[tuple[Defect, Sequence[int]]]) -> tuple[Finding, ...]:
    found = [Finding(kind, tuple(board.squares[number] for number in numbers)) for kind, numbers in groups if numbers]
    return in_order(found)
