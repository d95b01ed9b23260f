"""Which firmware speaks for a simulated board: the emulation, or the real image in a simulated chip (or `simulator.simulated_pi`).

All return the bytes of the line. A `SimulatedChip` is `hardware/firmware/simavr/avr_board.c` as a child process, which reads its sensors'
values from a pipe, or for an RP2040 `hardware/firmware/rp2040js/pico_board.mjs`. It runs the image that ships, or one that is built where
the sources have changed since.
"""

from __future__ import annotations

import binascii
import fcntl
import os
import struct
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from firmware_bridge.messages import Command, Reading, ResetCause, WireFault
from firmware_bridge.sources.serial_port import end_child
from firmware_bridge.wire import CommandDecoder
from hardware import BoardFile
from hardware.board_file import HALF_SUPPLY
from hardware.images import FIRMWARE, shipped_image, stale_files
from hardware.scanners import Controller
from simulator.board import SimBoard

CYCLES_PER_MS = {"atmega328p": 16_000, "atmega2560": 16_000, "rp2040": 48_000}
CHIPS = tuple(CYCLES_PER_MS)
POWER_ON, EXTERNAL, BROWN_OUT, WATCHDOG = 1, 2, 4, 8
"""Reset flags of the chip (its MCUSR)."""

MOST_BEGUN = 50
"""So many runs may be under way at once: what they ask and answer has to find room in two pipes of 64 KiB."""

_COUNTERS = 12  # bytes at the beginning of the store, where starts are counted
_MARK = 0x4D48
_END_S = 5.0
_ANSWER_MS = 30  # board time that a chip gets to answer a command


class ChipError(Exception):
    """The firmware cannot be built or simulated; the text is one line for a user."""


class FirmwareBackend:
    """Speaks for a simulated board. Board time is that board's; every call returns what was sent, in order.

    This is the emulation (`simulator.firmware`): fast, and all that most tests need.
    """

    def __init__(self, board: SimBoard) -> None:
        self._board = board
        self._decoder = CommandDecoder()

    def start(self) -> list[bytes]:
        """Switch the power on; return what is said at once."""
        return self._board.start()

    def advance(self, until_ms: int) -> list[bytes]:
        """Let board time pass."""
        return self._board.advance(until_ms)

    def hear(self, data: bytes) -> list[bytes]:
        """Take bytes of the host's, and carry out commands."""
        return [frame for command in self._commands(data) for frame in self._board.obey(command)]

    @property
    def next_ms(self) -> int:
        """When something may be sent next, unless a hand or a command comes."""
        return self._board.next_ms

    def close(self) -> None:
        """End what it has started."""

    def _commands(self, data: bytes) -> list[Command]:
        """Return the commands in bytes of the host's. What is broken is ignored, as the firmware does."""
        return [command for command in self._decoder.feed(data) if not isinstance(command, WireFault)]


class ScannedFirmware(FirmwareBackend):
    """Scans the board's magnets itself; the simulated board's own messages are dropped."""

    def __init__(self, board: SimBoard) -> None:
        super().__init__(board)
        self._period_ms = 1000 // board.board.scan.hz
        self._booted_ms = 0

    def start(self) -> list[bytes]:
        """Switch the power on. It speaks when time passes."""
        super().start()
        return []

    @property
    def next_ms(self) -> int:
        """The next scan."""
        return self._board.now_ms + self._period_ms

    def _restarts(self, until_ms: int) -> bool:
        """Let magnets move until then; return whether the controller was to start again meanwhile."""
        self._board.advance(until_ms)
        before_ms, self._booted_ms = self._booted_ms, self._board.boot_ms
        return self._booted_ms != before_ms


class ChipFirmware(ScannedFirmware):
    """The real firmware's image. The board's magnets are felt by its pins at every scan, with the noise of the profile's sensors.

    The profile's glitches reach it on a digital board only: a converter's flicker is in the counts already. Messages that the profile's
    line loses or repeats are its own business, so they are not lost here; a cut line is.
    """

    def __init__(self, board: SimBoard, chip: str) -> None:
        super().__init__(board)
        calibration = board.calibration
        store = store_image(board.board, *calibration) if calibration else b""
        self.chip = SimulatedChip(board.board, chip, store)
        self._begun: list[bool] = []
        """Runs of the chip that were begun and not asked for: whether the line was cut then."""

    def start(self) -> list[bytes]:
        """Switch the power on; the chip speaks when time passes."""
        self.chip.start()
        return super().start()

    def advance(self, until_ms: int) -> list[bytes]:
        """Let board time pass, a scan at a time; the chip runs beside the magnets."""
        sent: list[bytes] = []
        while (now_ms := self._board.now_ms) < until_ms:
            self._begin(min(now_ms + self._period_ms, until_ms), b"")
            if len(self._begun) == MOST_BEGUN:
                sent += self._said()
        return sent + self._said()

    def hear(self, data: bytes) -> list[bytes]:
        """Pass bytes of the host to the chip, and run it for the time that an answer takes."""
        self._begin(self.next_ms, data)
        return self.advance(self._board.now_ms + _ANSWER_MS)

    def close(self) -> None:
        """End the chip."""
        self.chip.close()

    def _begin(self, until_ms: int, heard: bytes) -> None:
        board = self._board
        if self._restarts(until_ms):
            self.chip.start(BROWN_OUT if board.firmware.reset is ResetCause.BROWN_OUT else EXTERNAL)
        if until_ms <= board.boot_ms:
            return  # it is still being restarted
        self.chip.feel(felt(board), supply=board.supply)
        self.chip.begin(until_ms - board.boot_ms, b"" if board.is_cut else heard)
        self._begun.append(board.is_cut)

    def _said(self) -> list[bytes]:
        said = [(self.chip.said(), cut) for cut in self._begun]
        self._begun.clear()
        return [sent for sent, cut in said if sent and not cut]


def felt(board: SimBoard) -> list[int]:
    """Return what every square's sensor says: counts, or 1 for a magnet."""
    if board.colour:
        return list(board.amplitudes())
    return [int(reading is not Reading.EMPTY) for reading in board.firmware.readings]


# ---------------------------------------------------------------- the chip


def controller_of(board: BoardFile, chip: str) -> Controller:
    """Return the board's controller of that chip; raise ChipError if its file names none."""
    for controller in board.controllers:
        if controller.chip == chip and chip in CHIPS:
            return controller
    known = ", ".join(one.chip for one in board.controllers if one.chip in CHIPS) or "none"
    raise ChipError(f"board file {board.id} has no [controller.{chip}] that can be simulated (it has: {known})")


def image_of(board: BoardFile, chip: str) -> Path:
    """Return the image of a board's firmware: what ships, or what the sources make now; raise ChipError with the compiler's last line."""
    shipped = shipped_image(board.id, chip)
    if shipped and not stale_files():
        return shipped
    return _made("images", f"BOARD={board.id}", f"CHIP={chip}") / board.id / chip / f"firmware.{_KIND[chip]}"


_KIND = {"atmega328p": "hex", "atmega2560": "hex", "rp2040": "uf2"}


def _made(*arguments: str) -> Path:
    """Make what is missing or stale; return the folder it lies in."""
    build = Path(os.environ.get("HALLMARSHAL_FIRMWARE_BUILD", FIRMWARE / "build"))
    try:
        build.mkdir(parents=True, exist_ok=True)
        lock = (build / ".lock").open("w")
    except OSError as error:
        raise ChipError(
            f"the firmware cannot be built in {build}: {error.strerror} (HALLMARSHAL_FIRMWARE_BUILD names another folder)"
        ) from error
    command = ["make", "--silent", "-C", str(FIRMWARE), f"BUILD={build}", *arguments]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    with lock:  # two tables may start at once
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            done = subprocess.run(  # noqa: S603 # our own Makefile, a list, no shell
                command, capture_output=True, text=True, check=False, env=environment
            )
        except OSError as error:
            raise ChipError("the firmware cannot be built: there is no make") from error
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if "error" in line or "not found" in line] or ["?"]
        raise ChipError(f"the firmware cannot be built (make firmware installs what it takes): {lines[0]}")
    return build


def store_image(board: BoardFile, zeros: Sequence[int], gains: Sequence[int]) -> bytes:
    """Return the bytes of a store that holds this calibration, as the firmware's SAVE would leave them."""
    limits = (round(1000 * board.thresholds.on), round(1000 * board.thresholds.off))
    body = struct.pack("<HHHHHH", _MARK, board.fingerprint, 1, *limits, HALF_SUPPLY)
    body += b"".join(struct.pack("<Hh", zero, gain) for zero, gain in zip(zeros, gains, strict=True))
    return b"\xff" * _COUNTERS + body + binascii.crc_hqx(body, 0xFFFF).to_bytes(2, "big")


class SimulatedChip:
    """One simulated controller with its board's firmware. Times are its own, in milliseconds since its last start."""

    def __init__(self, board: BoardFile, chip: str, store: bytes = b"", image: Path | None = None) -> None:
        controller = controller_of(board, chip)
        image = image or image_of(board, chip)
        self._per_ms = CYCLES_PER_MS[chip]
        self._channels = board.scan.chips * board.scan.channels_per_chip
        self._of_square, self._supply = board.scan.channels, board.scan.supply
        with tempfile.NamedTemporaryFile() as file:
            file.write(store)
            file.flush()
            if chip == "rp2040":
                program = ["node", str(FIRMWARE / "rp2040js/pico_board.mjs"), str(image)]
            else:
                program = [str(_made("board-in-a-box") / "avr-board"), str(image), chip]
            try:
                self._child = subprocess.Popen(  # noqa: S603 # our own program, a list, no shell
                    [*program, file.name, *_wiring(controller, board)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    process_group=0,
                )
            except OSError as error:
                raise ChipError(f"the chip cannot be simulated: there is no {program[0]}") from error
            try:
                self.ask(b"S")  # it answers: the file was read
            except ChipError:
                self.close()
                raise

    def start(self, reset_flags: int = POWER_ON) -> None:
        """Switch the power on, or reset. What is in the store stays."""
        self._say(b"B" + bytes((reset_flags,)))

    def feel(self, values: Sequence[int], spare: int = 0, supply: int = HALF_SUPPLY) -> None:
        """Take what every square reads from now on, in wire order: counts, or 1 for a magnet; and what every spare input reads.

        Spare inputs of a digital board are tied high and read 0, unless the chain is cut.
        """
        channels = [spare] * self._channels
        if self._supply is not None:
            channels[self._supply] = supply
        for channel, value in zip(self._of_square, values, strict=True):
            channels[channel] = value
        self._say(b"V" + struct.pack(f"<{self._channels}H", *channels))

    def begin(self, until_ms: int, heard: bytes = b"") -> None:
        """Let time pass while the caller goes on; `said` waits for it. At most `MOST_BEGUN` may be begun: a pipe holds no more."""
        self._say(b"R" + struct.pack("<QH", until_ms * self._per_ms, len(heard)) + heard)

    def said(self) -> bytes:
        """Return what the chip sent in the earliest run that was begun and not asked for yet, or its answer to what was asked."""
        assert self._child.stdout is not None
        head = self._child.stdout.read(4)
        if len(head) < 4:
            raise ChipError("the simulated chip has ended")
        return self._child.stdout.read(struct.unpack("<I", head)[0])

    def ask(self, request: bytes) -> bytes:
        """Return the answer to a request of `avr_board.c`."""
        self._say(request)
        return self.said()

    def close(self) -> None:
        """End the simulation."""
        with self._child:  # closes its pipes
            end_child(self._child, _END_S)

    def _say(self, request: bytes) -> None:
        assert self._child.stdin is not None
        try:
            self._child.stdin.write(request)
            self._child.stdin.flush()
        except BrokenPipeError as error:
            raise ChipError("the simulated chip has ended") from error


def _wiring(controller: Controller, board: BoardFile) -> list[str]:
    chips, pico = str(board.scan.chips), controller.chip == "rp2040"
    if not controller.sense:
        return ["chain", *(str(pin.number if pico else pin) for pin in controller.chain), chips]
    first, sense = controller.select[0], controller.sense
    if not pico:
        return ["mux", first.port, str(first.number), str(sense[0]), chips]
    enables = ",".join(str(pin.number) for pin in controller.enable)
    return ["mux", str(first.number), str(sense[0]), str(len(sense)), enables, chips]
