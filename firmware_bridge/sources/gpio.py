"""A board without a controller: a matrix, a chain or converters on the Pi's own pins, scanned by a thread of this process.

`GpioSource` keeps the pace, `PiBoard` scans at the times that it is told and returns the wire's own bytes. What linear sensors were
calibrated to lies in a file, written whole beside the old one before it takes its place.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
from collections import deque
from operator import itemgetter
from pathlib import Path

from firmware_bridge import messages as m
from firmware_bridge._wire_constants import ACTIVE_MS
from firmware_bridge.host_firmware import BoardCalibration, HostFirmware, LevelFirmware, LinearFirmware
from firmware_bridge.sources.pi_pins import OF_THIS_PI, Bell, Chain, Converters, HeaderNotFoundError, Matrix, PiParts
from firmware_bridge.talk import NumberedSource, Tap
from firmware_bridge.wire import BoardEncoder, Decoder, encode
from hardware import BoardFile, Sensing
from hardware.board_file import HIGHEST_COUNT, LEAST_GAIN

_RESTS_MS = ((5_000, 150), (ACTIVE_MS, 40))
"""For how long nothing has changed, and how far apart scans are then: a scan is a hundred calls and more.

While hands are at work 100 ms are too many, and the referee has to ask; after a long stillness they only let the first change be seen so
late, and what follows it is seen in time: verdicts come no later for it (docs/reference/board-files.md).
"""
_MOST_UNREAD = 256  # pieces: a reader that is 2.5 s behind at 100 Hz has stopped reading


class GpioSource(NumberedSource):
    """Scans at the board file's rate and says what a controller would say, through the same bytes.

    `parts` are for tests. With GPIOZERO_PIN_FACTORY=mock, which must be set by hand, the board says in
    its HELLO and in a LOG that it has no pins. `store` is the file that keeps the calibration of linear sensors; None: `calibration_path`.
    """

    def __init__(
        self, url: str, board: BoardFile, tap: Tap | None = None, parts: PiParts = OF_THIS_PI, store: Path | None = None
    ) -> None:
        self.url = url
        self._hz = board.scan.hz
        self._tap = tap
        self._clock = parts.clock
        self._pins = PiBoard(url, board, parts, store)
        self._decoder = Decoder()
        self._asked: deque[m.Command] = deque()
        self._said: deque[bytes] = deque()
        self._failed: str | None = None
        self._closed = False
        self._bell = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._wanted = Bell()  # a command waits, or the end
        self._thread = threading.Thread(target=self._run, name="gpio", daemon=True)
        self._thread.start()

    def fileno(self) -> int:
        """Return a descriptor that is readable when `read` has something to say."""
        return self._bell

    def read(self) -> list[m.News]:
        """Return what was scanned; raise BoardUnreachableError when the pins failed."""
        if self._closed:
            raise m.BoardUnreachableError(f"board {self.url}: it was closed")
        if self._failed is None:
            with contextlib.suppress(BlockingIOError):
                os.eventfd_read(self._bell)
        news: list[m.News] = []
        while self._said:
            data = self._said.popleft()
            if self._tap:
                self._tap(True, data)
            news += self._decoder.feed(data)
        if self._failed is not None and not news:
            raise m.BoardUnreachableError(f"board {self.url}: {self._failed}")
        return news

    def send(self, command: m.Command) -> m.Command:
        """Pass a command to the scanning thread, which scans at once and obeys. Returns the command as sent."""
        if self._closed or self._failed is not None:
            raise m.BoardUnreachableError(f"board {self.url}: {self._failed or 'it was closed'}")
        sent = self.numbered(command)
        if self._tap:
            self._tap(False, encode(sent))
        self._asked.append(sent)
        self._wanted.ring()
        return sent

    def close(self) -> None:
        """Stop scanning and let the pins go."""
        if self._closed:
            return
        self._closed = True
        self._wanted.ring()
        self._thread.join()
        self._pins.close()
        os.close(self._bell)

    def _run(self) -> None:
        try:
            self._scan_until_stopped()
        except Exception as error:  # whatever a pin library raises
            self._failed = f"the pins failed ({reason_of(error)})"
            os.eventfd_write(self._bell, 1)

    def _scan_until_stopped(self) -> None:
        clock, pins = self._clock, self._pins
        start_ns = clock.now_ns()
        pace = Pace(self._hz, start_ns)
        self._say(pins.start(0))
        while True:
            asked = clock.wait(self._wanted, pace.wait_s(clock.now_ns()))
            if self._closed:
                return
            now_ns = clock.now_ns()
            if asked:
                pace.hurry(now_ns)  # an answer tells what is so now, also at rest
            if pace.begin(now_ns):
                pins.firmware.report(m.FrameFlag.SCAN_LATE)
            now_ms = (now_ns - start_ns) // 1_000_000
            said = pins.scan(now_ms)
            while self._asked:
                said += pins.obey(self._asked.popleft(), now_ms)
            if said:
                self._say(said)
            pace.rest(_scans_at_once(pins.firmware.still_ms(now_ms), self._hz))

    def _say(self, data: bytes) -> None:
        if len(self._said) >= _MOST_UNREAD:
            self._pins.firmware.report(m.FrameFlag.QUEUE_FULL)
            return
        self._said.append(data)
        os.eventfd_write(self._bell, 1)


def _scans_at_once(still_ms: int, hz: int) -> int:
    """Return the scan divisor for a board that has been idle this long."""
    rest_ms = next((rest_ms for after_ms, rest_ms in _RESTS_MS if still_ms > after_ms), 0)
    return max(1, rest_ms * hz // 1000)


class Pace:
    """When scans are due: `hz` a second, from `start_ns` on. Scans that were missed are left out, never made up for."""

    def __init__(self, hz: int, start_ns: int) -> None:
        self._period_ns = 1_000_000_000 // hz
        self._due_ns = start_ns

    def wait_s(self, now_ns: int) -> float:
        """Return how long to wait for the next scan, in seconds; 0 if it is due."""
        return max(self._due_ns - now_ns, 0) / 1_000_000_000

    def rest(self, scans: int) -> None:
        """Let the next scans be left out, so that only the last of so many is made."""
        self._due_ns += (scans - 1) * self._period_ns

    def hurry(self, now_ns: int) -> None:
        """Let the next scan be due now, if it is not already."""
        self._due_ns = min(self._due_ns, now_ns)

    def begin(self, now_ns: int) -> bool:
        """Take the beginning of the scan that is due; return whether at least one was missed."""
        missed = max(now_ns - self._due_ns, 0) // self._period_ns
        self._due_ns += (missed + 1) * self._period_ns
        return missed > 0


class PiBoard:
    """The open pins and the firmware behind them. Whoever calls it keeps its pace; `now_ms` is time since the start and never falls.

    `store` is the file that keeps the calibration of linear sensors; None: `calibration_path`. Raises BoardUnreachableError,
    named by `url`, if the pins cannot be had; what a pin library raises later comes out as it is (`reason_of` says it in one line).
    """

    def __init__(self, url: str, board: BoardFile, parts: PiParts = OF_THIS_PI, store: Path | None = None) -> None:
        self._board = board
        _check_wiring(url, board)
        self._pins: Matrix | Chain | Converters
        try:
            if board.gpio is not None:
                self._pins = Matrix(board.gpio, parts)
            elif board.spi is not None:
                self._pins = Chain(board, parts)
            else:
                self._pins = Converters(board, parts)
        except Exception as error:  # each pin library raises classes of its own, and none is importable off a Pi
            raise m.BoardUnreachableError(f"board {url}: {reason_of(error)}") from error
        self._in_wire_order = itemgetter(*board.scan.channels)
        self._store = store or calibration_path(board)
        self._uncalibrated = ""
        name = f"hallmarshal-gpio {'mock' if self._pins.is_mock else 'pins'}"
        digital = board.mcp3008 is None
        self.firmware: HostFirmware = LevelFirmware(board, name, self._stuck) if digital else self._linear(name)
        self._encoder = BoardEncoder()

    def start(self, now_ms: int) -> bytes:
        """Return HELLO, and a LOG for what everybody should know at once: that no board is connected, or that it is not calibrated."""
        said: list[m.BoardMessage] = [self.firmware.hello(now_ms)]
        if self._pins.is_mock:
            said.append(self.firmware.log(m.LogLevel.WARNING, "mock pins: no board is connected", now_ms))
        if self._uncalibrated:
            said.append(self.firmware.log(m.LogLevel.WARNING, f"no calibration: {self._uncalibrated}", now_ms))
        return b"".join(map(self._encoder.encode, said))

    def scan(self, now_ms: int) -> bytes:
        """Scan all squares; return the KEYFRAME if one is due now, else nothing."""
        frame = self.firmware.scanned(self._in_wire_order(self._pins.scan()), now_ms)
        return self._encoder.encode(frame) if frame else b""

    def obey(self, command: m.Command, now_ms: int) -> bytes:
        """Carry out a command on what was scanned last; return its ACK and what it asked for."""
        return b"".join(map(self._encoder.encode, self.firmware.obey(command, now_ms)))

    def close(self) -> None:
        """Let the pins go. Closing twice is harmless."""
        self._pins.close()

    def _linear(self, name: str) -> LinearFirmware:
        found, self._uncalibrated = read_calibration(self._store, self._board)
        return LinearFirmware(self._board, name, found, lambda kept: write_calibration(self._store, self._board, kept))

    def _stuck(self) -> list[str]:
        assert not isinstance(self._pins, Converters)  # they are for linear sensors
        stuck = self._pins.stuck_channels()
        named = zip(self._board.squares, self._board.scan.channels, strict=True)
        return [f"{square} is stuck" for square, channel in named if channel in stuck]


def reason_of(error: Exception) -> str:
    """Return what a pin library raised in one line for a user."""
    if isinstance(error, HeaderNotFoundError):
        return str(error)
    if type(error).__name__ in ("BadPinFactory", "PinUnknownPi"):
        return "there are no GPIO pins (no Raspberry Pi, or its pin library is missing: apt install python3-lgpio)"
    if isinstance(error, ModuleNotFoundError) and error.name == "spidev":
        if os.environ.get("GPIOZERO_PIN_FACTORY") == "mock":
            return "mock pins have no SPI: without a Raspberry Pi try 'hallmarshal demo --board gpio' instead"
        return "spidev is missing (apt install python3-spidev, and an environment made with --system-site-packages)"
    return " ".join(f"{type(error).__name__}: {error}".split())


def _check_wiring(url: str, board: BoardFile) -> None:
    digital = board.gpio is not None or board.spi is not None
    if not (digital or board.mcp3008 is not None):
        raise m.BoardUrlError(f"board {url}: board file {board.id} has no [gpio], [spi] or [mcp3008] table")
    if (board.sensing is Sensing.OCCUPANCY) is not digital:
        raise m.BoardUrlError(f"board {url}: board file {board.id} is not wired for sensing {board.sensing.value}")


def calibration_path(board: BoardFile) -> Path:
    """Return the default path of a board's calibration: in the user's state directory, under the board's name."""
    base = Path(os.environ.get("XDG_STATE_HOME", ""))
    if not base.is_absolute():  # then it counts as not set
        base = Path("~/.local/state").expanduser()
    return base / "hallmarshal" / "calibration" / f"{board.id}.json"


def read_calibration(path: Path, board: BoardFile) -> tuple[BoardCalibration | None, str]:
    """Return the calibration that lies there; None, and why in a few words, if there is none that fits this board."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None, "there is none yet"
    except (OSError, ValueError):
        return None, "it cannot be read"
    settings = _settings_of(data, board)
    return settings, "" if settings else "it is damaged or another board's"


def write_calibration(path: Path, board: BoardFile, settings: BoardCalibration) -> bool:
    """Keep a calibration over a power cut; False, the old one being kept, if that cannot be done."""
    document = {
        "board": board.id,
        "fingerprint": board.fingerprint,
        "thresholds": [settings.on_permille, settings.off_permille],
        "zeros": settings.zeros,
        "gains": settings.gains,
    }
    beside = path.with_name(path.name + ".new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with beside.open("w", encoding="utf-8") as file:
            json.dump(document, file)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)
        return False
    return True


def _settings_of(data: object, board: BoardFile) -> BoardCalibration | None:
    match data:
        case {"fingerprint": board.fingerprint, "thresholds": [on, off], "zeros": [*zeros], "gains": [*gains]}:
            if any(type(number) is not int for number in (on, off, *zeros, *gains)):
                return None
            lengths_fit = len(zeros) == len(gains) == len(board.squares)
            fits = lengths_fit and 0 < off < on < 1000 and all(0 <= zero <= HIGHEST_COUNT for zero in zeros)
            if fits and all(LEAST_GAIN <= abs(gain) <= HIGHEST_COUNT for gain in gains):
                return BoardCalibration(on, off, tuple(zeros), tuple(gains))
    return None
