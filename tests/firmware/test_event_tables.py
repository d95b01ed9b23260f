"""The event tables on every firmware: the C core built for both kinds of sensors, and every wiring that a Raspberry Pi can scan itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from random import Random
from typing import Protocol

import pytest

from firmware_bridge.checkup import disagreements
from firmware_bridge.host_firmware import SupplyWatch, at_supply
from firmware_bridge.messages import (
    Ack,
    AckResult,
    AskKeyframe,
    Command,
    Frame,
    FrameFlag,
    Hello,
    Raw,
    Reading,
    ResetCause,
    Save,
    SetGain,
    SetZero,
)
from firmware_bridge.wire import encode, seal
from hardware import BoardFile, load_board
from hardware.board_file import FULL_FIELD, HALF_SUPPLY, SUPPLY_RANGE
from hardware.wiring import is_linear
from simulator.firmware import TRUE_GAIN, TRUE_ZERO, neighbours_of
from simulator.magnets import field_of
from tests.bridge.matrix_table import MATRIX
from tests.firmware.event_tables import FIELDS, FULL_START, HOLE, NONSENSE, Moot, commands, keyframe_times
from tests.firmware.host_core import DIGITAL, LINEAR, SETTINGS, HostCore, messages
from tests.firmware.pi_core import PinCore
from tests.hardware.wire_vectors import vectors_of

BOARDS = [
    LINEAR,
    DIGITAL,
    *(load_board(f"{size}-pi-{wiring}") for size in ("travel", "compact") for wiring in ("chain", "mcp3008")),
    load_board(MATRIX),
]


class Core(Protocol):
    """A firmware that a test runs: scans and commands in, bytes out."""

    board: BoardFile

    def erase(self) -> None:
        """Forget the calibration."""

    def boot(self) -> bytes:
        """Switch the power on."""

    def scan(self, now_ms: int, values: Sequence[int]) -> bytes:
        """Scan squares that read this, in wire order: counts, or 1 for a magnet."""

    def hear(self, now_ms: int, data: bytes) -> bytes:
        """Hear bytes of the host's."""

    def close(self) -> None:
        """End it."""


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(board, id=board.id, marks=[pytest.mark.process] if board.controllers else []) for board in BOARDS
    ],
)
def core(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Core]:
    """Return a firmware of each board: in C where the board has a controller, the Pi's own where it has none."""
    board: BoardFile = request.param
    one: Core = HostCore(board) if board.controllers else PinCore(board, tmp_path_factory.mktemp("kept"))
    yield one
    one.close()


def felt(core: Core, **fields: float) -> list[int]:
    """Return what an otherwise empty board reads with these fields on some squares. A digital sensor sees a magnet or none."""
    linear = is_linear(core.board)
    values = [TRUE_ZERO if linear else 0] * len(core.board.squares)
    for square, field in fields.items():
        values[core.board.index(square)] = round(TRUE_ZERO + TRUE_GAIN * field) if linear else int(field != 0)
    return values


def obey(core: Core, now_ms: int, command: Command) -> Ack:
    """Send a command; return the ACK, which comes first."""
    ack = messages(core.hear(now_ms, encode(command)))[0]
    assert isinstance(ack, Ack)
    return ack


def ready(core: Core) -> Core:
    """Return a firmware just started that knows its sensors; digital ones have nothing to be told."""
    core.erase()
    core.boot()
    if is_linear(core.board):
        for command in SETTINGS:
            assert obey(core, 0, command).result is AckResult.DONE
    core.scan(0, felt(core))
    core.boot()
    return core


def shown(sent: bytes) -> Frame:
    """Return the one KEYFRAME of some bytes."""
    (frame,) = messages(sent)
    assert isinstance(frame, Frame)
    return frame


def test_hello(core: Core) -> None:
    """It says what its board file says. A Pi counts no starts: a program that begins is the first start, by power."""
    hello = messages(ready(core).boot())[0]
    assert isinstance(hello, Hello)
    assert disagreements(hello, core.board) == ()
    assert (hello.calibrated, hello.reset, hello.scan_hz) == (True, ResetCause.POWER_ON, core.board.scan.hz)
    assert hello.boot_count == (1 if isinstance(core, PinCore) else hello.boot_count)


def test_two_thresholds_and_the_pole(core: Core) -> None:
    """Off, on, unsure between them, and the sign tells the army; with digital sensors a magnet or none."""
    for field, linear, digital in FIELDS:
        wanted = linear if is_linear(core.board) else digital
        if isinstance(wanted, Moot):
            continue
        frame = shown(ready(core).scan(0, felt(core, e5=field)))
        assert frame.squares[core.board.index("e5")] is wanted, field
        assert sum(reading is not Reading.EMPTY for reading in frame.squares) == (wanted is not Reading.EMPTY)


def test_a_neighbours_magnet_is_taken_out(core: Core) -> None:
    """A hole in a red army feels a tenth of blue; without correction a weak red piece there would not be seen."""
    hole, board = core.board.index("e3"), core.board
    for field, linear, digital in HOLE:
        wanted = linear if is_linear(board) else digital
        if isinstance(wanted, Moot):
            continue
        ready(core)
        army = [number for number in range(len(board.squares)) if number != hole]
        round_it = neighbours_of(board, field_of(board.magnet))
        beside = sum(added for number in army for other, added in round_it[number] if other == hole) / FULL_FIELD
        values = [TRUE_ZERO + TRUE_GAIN] * len(board.squares)
        values[hole] = round(TRUE_ZERO + TRUE_GAIN * (field + beside))
        core.scan(0, values)
        assert shown(core.scan(10, values)).squares[hole] is wanted, field
        assert field + beside < board.thresholds.on


def test_the_start_position_to_the_byte(core: Core) -> None:
    """The filled start position with seq 255 at its time: the very bytes of wire.toml, on a board of its size."""
    name, moot = FULL_START
    (vector,) = (vector for vector in vectors_of() if vector.name == name)
    assert vector.board_ms is not None
    ready(core)
    count = len(core.board.squares)
    army = [1 if square < 40 else -1 if square >= count - 40 else 0 for square in range(count)]
    linear = is_linear(core.board)
    values = [TRUE_ZERO + TRUE_GAIN * field if linear else abs(field) for field in army]
    while shown(sent := core.scan(vector.board_ms - 1, values)).seq != 254:
        assert sent
    sent = core.scan(vector.board_ms, values)
    if linear and count == len(LINEAR.squares):
        assert sent == vector.frame
    else:
        assert moot.why
        assert [reading is not Reading.EMPTY for reading in shown(sent).squares] == [field != 0 for field in army]


def test_when_it_speaks(core: Core) -> None:
    """After the first scan, at every scan for 400 ms after a change, then each 500 ms, at the board's own rate and at others."""
    for step_ms in (5, 10, 20) if isinstance(core, HostCore) else (1000 // core.board.scan.hz,):
        ready(core)
        times, values = [], felt(core)
        for now_ms in range(0, 2201, step_ms):
            values = felt(core, d3=1.0) if now_ms == 740 else values
            times += [now_ms for message in messages(core.scan(now_ms, values)) if isinstance(message, Frame)]
        assert times == keyframe_times(step_ms)


def test_board_time_wraps(core: Core) -> None:
    """From 2^32 - 1 ms to 0 the frames go on, and a board at rest does not wake."""
    ready(core)
    start, empty = 2**32 - 1010, felt(core)
    sent = [(ms, core.scan(ms, empty)) for ms in range(start, start + 2020, 20)]
    spoken = [(ms, shown(data).board_ms) for ms, data in sent if data]
    assert [ms for ms, _ in spoken] == [start, start + 500, start + 1000, start + 1500, start + 2000]
    assert [board_ms for _, board_ms in spoken] == [ms % 2**32 for ms, _ in spoken]


def test_what_becomes_of_commands(core: Core) -> None:
    """Each command's outcome on a board with one magnet; a refused one changes no reading."""
    values = felt(core, e1=1.0)
    for command, linear, digital in commands(len(core.board.squares)):
        ready(core)
        before = shown(core.scan(0, values))
        ack = obey(core, 3, command)
        assert (ack.result, ack.detail) == (linear if is_linear(core.board) else digital), command
        assert ack.command == command.TYPE
        after = shown(core.scan(10, values))
        assert ack.result not in (AckResult.BAD_ARGUMENT, AckResult.UNKNOWN_COMMAND) or after.squares == before.squares


def test_every_vector_of_the_host_is_answered(core: Core) -> None:
    """Each command of wire.toml is acknowledged with its own seq: done, or by digital sensors not known."""
    known = {type(command): digital for command, _, digital in commands(len(core.board.squares))}
    ready(core)
    core.scan(0, felt(core))
    for vector in vectors_of():
        if vector.board_ms is not None:
            continue
        ack = messages(core.hear(5, vector.frame))[0]
        assert isinstance(ack, Ack)
        (kind,) = (kind for kind in known if ack.command == kind.TYPE)
        assert ack.command_seq == vector.seq, vector.name
        assert ack.result is (AckResult.DONE if is_linear(core.board) else known[kind][0]), vector.name


def test_raw_is_what_the_pins_read(core: Core) -> None:
    """Counts of the converter, then the supply's; or levels: 1 where a magnet is felt."""
    values = felt(ready(core), a1=1.0, j4=-1.0)
    core.scan(0, values)
    core.hear(1, encode(Save()))  # which keeps the supply of the last scan
    raws = [item for item in messages(core.hear(5, encode(AskKeyframe(with_raw=True)))) if isinstance(item, Raw)]
    supply = [] if core.board.scan.supply is None else [HALF_SUPPLY] * 3
    assert [value for raw in raws for value in raw.values] == [*values, *supply]
    assert [raw.first for raw in raws] == list(range(0, len(values), 32))


def told(core: Core) -> list[int]:
    """Return what RAWs tell: the squares, then the supply now, saved, and as it counts."""
    raws = [item for item in messages(core.hear(5, encode(AskKeyframe(with_raw=True)))) if isinstance(item, Raw)]
    return [value for raw in raws for value in raw.values]


def test_a_supply_that_cannot_be_scales_nothing(core: Core) -> None:
    """A divider at ground, at the supply, or beyond a fifth off: counts stay what the converter reads; within it they are set right."""
    if not isinstance(core, HostCore) or core.board.scan.supply is None:
        return
    values = felt(ready(core), a1=0.5, j4=-0.5)
    for supply in (0, SUPPLY_RANGE[0] - 1, SUPPLY_RANGE[-1] + 1, 1023, SUPPLY_RANGE[0]):
        core.scan(0, values, supply)
        core.boot()  # which scans
        *squares, now, _, _ = told(core)
        assert now == supply, "doctor names it by this"
        assert (squares == values) is (supply not in SUPPLY_RANGE), supply


def test_a_divider_in_the_air_scales_nothing(core: Core) -> None:
    """It jumps about, or to where it stays, and no square goes along: the last supply that was one holds."""
    if not isinstance(core, HostCore) or core.board.scan.supply is None:
        return
    values, random = felt(ready(core), a1=0.5, j4=-0.5), Random(1)
    right = [at_supply(value, SupplyWatch(530).ratio) for value in values]
    in_the_air: tuple[Callable[[], int], ...] = (partial(random.randint, 412, 612), lambda: 575, lambda: 0)
    for floating in in_the_air:
        core.scan(0, values, 530)
        core.boot()
        for ms in range(0, 6000, 10):
            core.scan(ms, values, floating() if ms > 500 else 530)
            off = max(abs(now - value) for now, value in zip(told(core), right, strict=False))
            assert off <= (0 if ms > 700 else 8), "one reading by chance near the last"


def test_a_supply_that_jumps_with_its_squares_counts_one_scan_later(core: Core) -> None:
    """Another supply, or another load on the controller's: all squares move with the divider, and are set right for it."""
    if not isinstance(core, HostCore) or core.board.scan.supply is None:
        return
    values = felt(ready(core), a1=0.5, j4=-0.5)
    for ms, percent in enumerate((92, 108, 97, 100)):
        moved = [round(value * percent / 100) for value in values]
        for later in (0, 10):
            core.scan(20 * ms + later, moved, round(HALF_SUPPLY * percent / 100))
        assert all(abs(now - value) <= 1 for now, value in zip(told(core), values, strict=False)), percent


def test_a_supply_that_jumps_within_a_scan(core: Core) -> None:
    """The divider is read first: squares that have moved before it was read again are no proof against it, whichever scan it is."""
    if not isinstance(core, HostCore) or core.board.scan.supply is None:
        return
    values = felt(ready(core), a1=0.5, j4=-0.5)
    moved = [round(value * 0.95) for value in values]
    for calm in range(18):
        core.scan(0, values)
        core.boot()
        for ms in range(calm):
            core.scan(10 * ms, values)
        core.scan(10 * calm, [*values[:5], *moved[5:]])
        for ms in (10, 20):
            core.scan(10 * calm + ms, moved, round(HALF_SUPPLY * 0.95))
        assert all(abs(now - value) <= 1 for now, value in zip(told(core), values, strict=False)), calm


def test_a_supply_that_nobody_measured_is_not_kept(core: Core) -> None:
    """SAVE while the divider reads nothing, as at a start before the sensors' supply is on: what was saved stays, over many starts."""
    if not isinstance(core, HostCore) or core.board.scan.supply is None:
        return
    values = felt(ready(core))
    core.scan(0, values, 530)
    core.boot()
    for supply in (530, 0, 0):
        core.scan(10, values, supply)
        assert obey(core, 10, Save()).result is AckResult.DONE
        core.boot()
        assert told(core)[-3:] == [supply, 530, 530]


@pytest.mark.parametrize("seed", range(3))
def test_the_supply_in_c_and_in_python(core: Core, seed: int) -> None:
    """Supplies that creep, jump alone, jump with the squares, fail and come back: both firmwares set counts right for the same."""
    if not isinstance(core, HostCore) or core.board.scan.supply is None:
        return
    values, random, watch, supply = felt(ready(core), a1=0.5, j4=-0.5), Random(seed), SupplyWatch(), HALF_SUPPLY
    watch.read(lambda: HALF_SUPPLY)
    watch.judge(sum(value // 2 for value in values))
    for ms in range(0, 6000, 10):
        kind = random.random()
        if kind < 0.05:
            supply, share = random.randint(380, 640), random.choice((0.0, 0.4, 0.6, 1.0, 1.6))
            values = [round(value * (1 + share * (supply / HALF_SUPPLY - 1))) for value in felt(core)]
        elif kind < 0.3:
            supply += random.randint(-2, 2)
        core.scan(ms, values, supply)
        watch.read(partial(int, supply))
        *squares, now, _, used = told(core)
        assert (squares, now, used) == ([at_supply(value, watch.ratio) for value in values], watch.supply, watch.used)
        watch.judge(sum(value // 2 for value in values))


def test_what_makes_no_sense_is_dropped_whole(core: Core) -> None:
    """No answer, and the next command is heard."""
    ready(core)
    for name, body in NONSENSE:
        assert core.hear(0, seal(body)) == b"", name
    spoilt = bytearray(encode(AskKeyframe()))
    spoilt[2] ^= 4
    assert core.hear(0, bytes(spoilt)) == b""
    assert core.hear(0, b"\1" * 300 + b"\0") == b""  # longer than any frame
    assert obey(core, 0, AskKeyframe()).result is AckResult.DONE


def test_a_calibration_is_kept_and_its_loss_is_confessed(core: Core) -> None:
    """Saved it outlives a restart; erased, HELLO and every KEYFRAME say so. Digital sensors keep nothing and lose nothing."""
    ready(core)
    if not is_linear(core.board):
        core.erase()
        hello = messages(core.boot())[0]
        assert isinstance(hello, Hello)
        assert hello.calibrated
        assert shown(core.scan(0, felt(core))).flags == FrameFlag(0)
        return
    for command in (SetZero(255, 400), SetGain(0, Reading.BLUE, 300), Save(), SetZero(255, 300)):
        assert obey(core, 0, command).result is AckResult.DONE
    values = [700, *[400] * (len(core.board.squares) - 1)]
    core.boot()
    frame = shown(core.scan(0, values))
    assert (frame.flags, frame.squares[0], set(frame.squares[1:])) == (FrameFlag(0), Reading.BLUE, {Reading.EMPTY})
    core.erase()
    hello = messages(core.boot())[0]
    assert isinstance(hello, Hello)
    assert not hello.calibrated
    assert [shown(core.scan(ms, felt(core))).flags for ms in (0, 500)] == [FrameFlag.UNCALIBRATED] * 2
