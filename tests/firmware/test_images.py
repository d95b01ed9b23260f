"""The images that ship, in simulated chips: what they say, keep and survive, what they cost, and whole games through them.

ATmegas are simavr's, whose serial timing is not the chip's, so bytes and readings are compared, never times. The RP2040 is rp2040js's, with
a host on its USB; `make test` brings it by npm, and where there is none its tests are skipped.
"""

from __future__ import annotations

import random
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from firmware_bridge.checkup import disagreements
from firmware_bridge.messages import (
    Ack,
    AckResult,
    AskHello,
    AskKeyframe,
    BoardMessage,
    FaultKind,
    Frame,
    FrameFlag,
    Hello,
    Log,
    Raw,
    Reading,
    ResetCause,
    Save,
    SelfTest,
    SetGain,
    SetZero,
    WireFault,
)
from firmware_bridge.wire import Decoder, encode, seal
from hardware import BoardFile, board_names, load_board
from hardware.board_file import HALF_SUPPLY
from hardware.generate import board_targets
from hardware.wiring import frame_ms, is_linear
from simulator.board import SimBoard
from simulator.faults import Trouble
from simulator.firmware import TRUE_GAIN, TRUE_ZERO
from simulator.firmware_backends import (
    BROWN_OUT,
    CHIPS,
    CYCLES_PER_MS,
    EXTERNAL,
    POWER_ON,
    WATCHDOG,
    ChipError,
    ChipFirmware,
    SimulatedChip,
    store_image,
)
from simulator.motions import Place
from tests.demo.running import demo
from tests.firmware.building import FIRMWARE
from tests.firmware.chips import BOTH, ON_A_PICO, RAM, STORE, powered
from tests.firmware.event_tables import NONSENSE
from tests.firmware.host_core import COUNT, DIGITAL, EMPTY_BOARD, LINEAR, HostCore, calibrated

IMAGES = [
    pytest.param(board, one.chip, id=f"{board.id}-{one.chip}", marks=ON_A_PICO if one.chip == "rp2040" else ())
    for board in map(load_board, board_names())
    for one in board.controllers
    if one.chip in CHIPS
]

ON_ATMEGAS = [image for image in IMAGES if image.values[1] != "rp2040"]


@pytest.mark.process
@pytest.mark.parametrize(("board", "chip"), IMAGES)
def test_every_board_on_every_chip(board: BoardFile, chip: str) -> None:
    """HELLO agrees with the board file, and each square's channel is the one that its name stands for."""
    linear = is_linear(board)
    none, magnet = (TRUE_ZERO, TRUE_ZERO + TRUE_GAIN) if linear else (0, 1)
    store = store_image(board, [TRUE_ZERO] * len(board.squares), [TRUE_GAIN] * len(board.squares)) if linear else b""
    with powered(board, chip, store) as one:
        one.chip.feel([none] * len(board.squares))
        hello = one.boot()[0]
        assert isinstance(hello, Hello)
        assert disagreements(hello, board) == ()
        assert (hello.calibrated, hello.boot_count, hello.reset) == (True, 1, ResetCause.POWER_ON)
        for squares in (range(0, len(board.squares), 7), [0], [len(board.squares) - 1]):
            values = [magnet if number in squares else none for number in range(len(board.squares))]
            seen = one.show(values)
            assert [number for number, reading in enumerate(seen) if reading is Reading.RED] == list(squares)
        assert one.chip.state().how == "running"


@pytest.mark.process
@BOTH
def test_the_longest_board_id(chip: str, tmp_path: Path) -> None:
    """A board file of one's own, with a name of 24 letters: HELLO comes whole, in more than one packet where the line has packets."""
    if chip == "rp2040" and not shutil.which("arm-none-eabi-gcc"):
        pytest.skip("no gcc-arm-none-eabi here (`make firmware` brings it): an image of one's own cannot be made")
    board = replace(LINEAR, id="a-board-of-my-own-making")
    shutil.copytree(
        FIRMWARE, tmp_path / "firmware", ignore=shutil.ignore_patterns("build", "images", "*-10x*", "castle-*")
    )
    for path, text in board_targets(board).items():
        if path.startswith("hardware/firmware/"):
            file = tmp_path / path.removeprefix("hardware/")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
    make = ["make", "--silent", "-C", str(tmp_path / "firmware"), f"BOARD={board.id}", f"CHIP={chip}"]
    subprocess.run(make, check=True, capture_output=True)
    (image,) = [*(tmp_path / "firmware/build").rglob("*.hex"), *(tmp_path / "firmware/build").rglob("*.uf2")]
    with powered(board, chip, b"", image) as one:
        one.chip.feel(EMPTY_BOARD)
        one.boot()
        hello = one.greeted()
        assert (hello.board_id, len(hello.board_id)) == (board.id, 24)
        assert disagreements(hello, board) == ()


@pytest.mark.process
@BOTH
def test_it_reads_what_the_core_reads(chip: str) -> None:
    """Random amplitudes about the thresholds: chip and core on this machine show the same squares, through the real converter."""
    chance = random.Random(4)
    with HostCore(LINEAR) as host, powered(LINEAR, chip) as one:
        calibrated(host)
        one.chip.feel(EMPTY_BOARD)
        one.boot()
        now_ms = 0
        for _ in range(12):
            values = [
                TRUE_ZERO + chance.choice((0, TRUE_GAIN, -TRUE_GAIN, chance.randint(-90, 90))) for _ in range(COUNT)
            ]
            seen = one.show(values)
            for _ in range(4):  # as many scans as the chip had, and more: corrections come to rest
                now_ms += 10
                host.scan(now_ms, values)
            frames = [message for message in host.obey(now_ms, AskKeyframe()) if isinstance(message, Frame)]
            assert seen == frames[0].squares
        (raws,) = [one.ask(AskKeyframe(with_raw=True), Raw, 120)]
        assert [value for raw in raws for value in raw.values] == [*values, *[HALF_SUPPLY] * 3]


@pytest.mark.process
@BOTH
def test_saving_restarting_and_losing_the_calibration(chip: str) -> None:
    """SAVE leaves the very bytes that the simulator writes; they outlive a reset; a spoilt store is confessed in every KEYFRAME."""
    with powered(LINEAR, chip, store=b"") as one:
        one.chip.feel(EMPTY_BOARD)
        hello = one.boot()[0]
        assert isinstance(hello, Hello)
        assert not hello.calibrated
        assert one.ask(AskKeyframe(), Frame)[0].flags & FrameFlag.UNCALIBRATED
        one.ask(SetZero(255, TRUE_ZERO), Ack)
        one.ask(SetGain(255, Reading.RED, TRUE_GAIN), Ack)
        (ack,) = one.ask(Save(), Ack, 3000)  # a byte of its EEPROM takes 3.4 ms
        assert ack.result is AckResult.DONE
        kept = one.chip.store()
        assert kept[12 : len(STORE)] == STORE[12:]
        for flags, cause, count in (
            (EXTERNAL, ResetCause.EXTERNAL, 2),
            (BROWN_OUT, ResetCause.POWER_ON if chip == "rp2040" else ResetCause.BROWN_OUT, 3),  # a Pico cannot tell
            (BROWN_OUT | POWER_ON, ResetCause.POWER_ON, 4),
            (WATCHDOG, ResetCause.WATCHDOG, 5),
        ):
            hello = one.boot(flags)[0]
            assert isinstance(hello, Hello)
            assert (hello.reset, hello.boot_count, hello.calibrated) == (cause, count, True)
    with powered(LINEAR, chip, store=STORE[:61] + b"\0" + STORE[62:]) as one:
        one.chip.feel(EMPTY_BOARD)
        hello = one.boot()[0]
        assert isinstance(hello, Hello)
        assert not hello.calibrated


@pytest.mark.process
@BOTH
def test_a_line_that_says_nonsense(chip: str) -> None:
    """Another version and whatever else no firmware may answer, then random bytes at the line's full rate: the next command is answered."""
    chance = random.Random(9)
    with powered(LINEAR, chip) as one:
        one.chip.feel(EMPTY_BOARD)
        one.boot()
        for name, body in NONSENSE:
            said = one.wait(20, b"\0" + seal(body))
            assert not [message for message in said if not isinstance(message, Frame)], name
        for _ in range(5):
            one.wait(200, chance.randbytes(1500))
        (hello,) = one.ask(AskHello(), Hello)
        assert disagreements(hello, LINEAR) == ()
        assert hello.boot_count == 1  # it was not restarted


@pytest.mark.process
@BOTH
@pytest.mark.parametrize(
    "flood", [encode(AskHello()), encode(SelfTest()), b"\1", b"\0"], ids=["hello", "self-test", "junk", "ends"]
)
def test_a_host_that_never_stops_asking(chip: str, flood: bytes) -> None:
    """At the line's full rate, while a hand is at work: every scan is made and none is late; the flood's end finds it running."""
    with powered(LINEAR, chip) as one:
        one.chip.feel(EMPTY_BOARD)
        one.boot()
        said: list[BoardMessage | WireFault] = []
        for square in range(10):
            one.chip.feel([TRUE_ZERO + TRUE_GAIN * (at == square) for at in range(COUNT)])
            said += one.hear(50, flood * (550 // len(flood)))  # some 11 bytes a millisecond
        frames = [item for item in said if isinstance(item, Frame)]
        assert len(frames) > 40
        assert not any(frame.flags & FrameFlag.SCAN_LATE for frame in frames)
        assert one.chip.state().frames >= one.now_ms // 10 - 1
        one.wait(100)
        (hello,) = one.ask(AskHello(), Hello)
        assert hello.boot_count == 1


@pytest.mark.process
def test_a_full_line() -> None:
    """Long answers while a hand is at work: scans' frames are dropped whole, `seq` shows it, the next that gets through confesses it."""
    board = load_board("castle-four")
    with powered(board, store=b"") as one:
        one.chip.feel([0] * len(board.squares))
        one.boot()
        said: list[BoardMessage | WireFault] = []
        for count in range(4):
            one.chip.feel([count % 2] * len(board.squares))
            said += one.hear(50, b"\0" + encode(AskKeyframe(with_raw=True)))
        said += one.hear(200)
        assert {item.kind for item in said if isinstance(item, WireFault)} == {FaultKind.GAP}
        assert FrameFlag.QUEUE_FULL in {item.flags for item in said if isinstance(item, Frame)}
        (hello,) = one.ask(AskHello(), Hello)
        assert hello.boot_count == 1  # it was not restarted
        assert one.ask(AskKeyframe(), Frame)[0].flags == FrameFlag(0)


@pytest.mark.process
@BOTH
def test_a_cut_chain(chip: str) -> None:
    """Digital sensors: the self-test names every spare input that is not high, and all is good once the chain is whole again."""
    with powered(DIGITAL, chip, store=b"") as one:
        one.chip.feel([1] * len(DIGITAL.squares), spare=1)
        one.boot()
        logs = one.ask(SelfTest(), Log)
        assert [log.text for log in logs] == [f"self-test: spare input {number} reads 1" for number in range(92, 96)]
        one.chip.feel([0] * len(DIGITAL.squares))
        one.wait(25)
        assert [log.text for log in one.ask(SelfTest(), Log)] == ["self-test: 92 squares good"]


@pytest.mark.process
@BOTH
def test_a_broken_wire(chip: str) -> None:
    """Linear sensors: the self-test names what reads an end of the range."""
    with powered(LINEAR, chip) as one:
        one.chip.feel([0, *EMPTY_BOARD[1:]])
        one.boot()
        (log,) = one.ask(SelfTest(), Log)
        assert log.text == "self-test: square 0 reads 0"


def budgets() -> dict[str, tuple[int, int, int]]:
    """Return the written budgets: chip -> bytes of RAM and of flash, cycles a frame."""
    lines = (FIRMWARE / "budgets.txt").read_text().splitlines()
    words = [line.split() for line in lines if not line.startswith("#")]
    return {chip: (int(ram), int(flash), int(cycles)) for chip, ram, flash, cycles in words}


@pytest.mark.process
@pytest.mark.parametrize(("board", "chip"), [*ON_ATMEGAS, pytest.param(LINEAR, "rp2040", marks=ON_A_PICO)])
def test_what_a_frame_and_the_stack_cost(board: BoardFile, chip: str) -> None:
    """At rest what its wiring page says of ATmegas, under the budget with hands at work and noise; commands leave RAM to spare."""
    _, _, cycles = budgets()[chip]
    chance = random.Random(2)
    linear, count = is_linear(board), len(board.squares)
    choices = (TRUE_ZERO, TRUE_ZERO + 60, TRUE_ZERO + TRUE_GAIN, TRUE_ZERO - TRUE_GAIN) if linear else (0, 1)
    noise = 2 if linear else 0
    store = store_image(board, [TRUE_ZERO] * count, [TRUE_GAIN] * count) if linear else b""
    with powered(board, chip, store) as one:
        one.chip.feel([choices[0]] * count)
        one.boot()
        at_rest = one.chip.state().longest_frame / CYCLES_PER_MS[chip]
        values = [choices[-2 if n < count * 2 // 5 else -1 if n >= count * 3 // 5 else 0] for n in range(count)]
        one.chip.feel(values)
        one.boot()  # a board is switched on with its pieces on it: that scan is made before the first frame
        for _ in range(100):
            for square in chance.sample(range(count), 4):  # four hands could not change more in a hundredth of a second
                values[square] = chance.choice(choices)
            one.chip.feel([value + chance.randint(-noise, noise) for value in values])
            one.wait(10)
        one.wait(600)  # at rest: an answer of 126 squares and their frames together are more than the line takes
        for command in (AskKeyframe(with_raw=True), SelfTest(), Save(), AskHello()):
            one.ask(command, Ack, 3000 if isinstance(command, Save) and linear else 200)
        state = one.chip.state()
    if chip != "rp2040":
        assert at_rest == pytest.approx(frame_ms(board), rel=0.06)
    assert state.frames > 100
    assert state.longest_frame < cycles
    assert state.free_ram > 0.3 * RAM[chip], "variables and the deepest stack together may take 70 %"


@pytest.mark.process
def test_a_restart_in_the_middle_of_a_game() -> None:
    """The board that the host sees: frames, then HELLO of the next start with its reason, then whole KEYFRAMEs of the same position."""
    board = SimBoard(LINEAR, 3)
    voice = ChipFirmware(board, "atmega328p")
    try:
        heard = Decoder().feed(b"".join(voice.start() + voice.advance(100)))
        decoder = Decoder()
        until_ms = board.begin(Place("red", ("a1", "b2", "j4"))) + 500
        sent = b"".join(voice.advance(until_ms))
        board.trouble(Trouble("reboot", for_ms=400), board.now_ms + 100)
        sent += b"".join(voice.advance(board.now_ms + 1200))
        found = decoder.feed(sent)
    finally:
        voice.close()
    assert isinstance(heard[0], Hello)
    assert heard[0].boot_count == 1
    (restart,) = [place for place, item in enumerate(found) if isinstance(item, Hello)]
    hello, fault = found[restart], found[restart - 1]
    assert isinstance(hello, Hello)
    assert (hello.boot_count, hello.reset, hello.calibrated) == (2, ResetCause.EXTERNAL, True)
    assert isinstance(fault, WireFault)
    assert fault.kind is FaultKind.REBOOTED
    before, after = (
        [item.squares for item in part if isinstance(item, Frame)] for part in (found[:restart], found[restart:])
    )
    assert before[-1] == after[0] == after[-1]
    assert [square for square, reading in zip(LINEAR.squares, after[0], strict=True) if reading] == ["a1", "b2", "j4"]


GAMES = {"colour": ("barrage", 10, 45, 4, "red"), "occupancy": ("duel-compact", 2, 39, 7, "red")}


@pytest.mark.process
@pytest.mark.parametrize("sensing", GAMES)
def test_a_whole_game_through_the_real_image(sensing: str, tmp_path: Path) -> None:
    """Magnets on a simulated chip's pins, its bytes on a pty, refereed from the set-ups to the flag. CI plays a Pico's game (`.ci/run`).

    Short rule sets, and seeds of games that are over soon: a ply takes the simulated chip a quarter of a second of processor time.
    """
    rules, seed, plies, attacks, winner = GAMES[sensing]
    told = demo("--board", "avr-sim", "--sensing", sensing, "--rules", rules, "--seed", str(seed), state=tmp_path)
    assert (told["plies"], told["attacks"], told["winner"], told["reason"]) == (plies, attacks, winner, "flag")
    assert (told["misread"], told["asked"], told["lost"], told["ghost"]) == (0, 0, 0, 0)


def test_a_firmware_that_cannot_be_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No such chip, and no place to build in: one line each, nothing started."""
    with pytest.raises(ChipError, match=r"castle-four has no \[controller\.rp2350\] that can be simulated"):
        SimulatedChip(load_board("castle-four"), "rp2350")
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("HALLMARSHAL_FIRMWARE_BUILD", str(tmp_path / "file/below"))
    with pytest.raises(ChipError, match=r"cannot be built in .*HALLMARSHAL_FIRMWARE_BUILD"):
        SimulatedChip(LINEAR, "atmega328p")
