"""Where a board's bytes come from, by an explicit name: `serial:PATH`, `gpio:FILE`, `replay:FILE`, `sim:`, `screen:`. Nothing is tried in
another's place.
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qsl

from firmware_bridge.messages import BoardUrlError
from firmware_bridge.recording import ReplaySource, recorded_board, recorded_lines
from firmware_bridge.sources.serial_port import SerialSource, SimSource
from firmware_bridge.talk import BoardSource, Tap
from hardware import BoardFile, BoardFileError, load_board

__all__ = ["BoardSource", "ReplaySource", "SerialSource", "SimSource", "board_in", "is_simulated", "open_source"]

_SCHEMES = "serial:, gpio:, replay:, sim:, screen:"


def open_source(url: str, board: BoardFile, tap: Tap | None = None) -> BoardSource:
    """Open the board that `url` names and ask it for HELLO and a KEYFRAME; raise BoardUnreachableError with one line for a user.

    serial:PATH                      a serial port, or a pty; it is opened again when its cable was out
    gpio:[FILE][?store=FILE]         sensors on the Pi's own pins, wired as FILE's [gpio], [spi] or [mcp3008] table says (default:
                                     `board`'s); `store` keeps the calibration of linear ones
    replay:FILE[?speed=max]          a recorded stream, at its own pace or as fast as it is read
    sim:[?speed=max&seed=7&...]      a simulated board of its own; every option of `python -m simulator.process` but board, sensing, fingers
    screen:[?seed=7&...]             the same at wall speed, its magnets moved by `simulator.fingers`, as a table's page does

    `tap` is told of all bytes that cross the line (a replay has no line and tells nothing).
    That it is the right board is not checked here: compare its HELLO with the board file by `disagreements`.
    """
    scheme, colon, rest = url.partition(":")
    if scheme == "serial" and colon:
        if not rest:
            raise BoardUrlError(f"board {url!r}: the path of a port is missing, e.g. serial:/dev/ttyACM0")
        return SerialSource(url, rest, tap)
    if scheme == "gpio" and colon:
        path, options = _options(url, rest, {"store"})
        try:
            wired = load_board(path) if path else board
        except BoardFileError as error:
            raise BoardUrlError(f"board {url!r}: {error}") from error
        if wired.fingerprint != board.fingerprint:
            raise BoardUrlError(f"board {url!r}: its file describes {wired.id}, not {board.id}")
        from firmware_bridge.sources.gpio import GpioSource  # gpiozero takes its time, and who has no pins needs none

        return GpioSource(url, wired, tap, store=Path(options["store"]) if options.get("store") else None)
    if scheme == "replay" and colon:
        path, options = _options(url, rest, {"speed"})
        speed = options.get("speed", "1")
        if speed not in ("1", "max"):
            raise BoardUrlError(f"board {url!r}: speed is 1 or max")
        return ReplaySource(url, path, board, full_speed=speed == "max")
    if is_simulated(url):
        known = {
            "seed",
            "poles",
            "quiet-ms",
            "noise",
            "calibrated",
            "faults",
            "controller",
            "supply",
            "warmer",
            "divider",
            "wires",
        }
        path, options = _options(url, rest, known | ({"speed"} if scheme == "sim" else set()))
        if path:
            raise BoardUrlError(f"board {url!r}: nothing but ?options may follow {scheme}:")
        return SimSource(url, board, options, tap, fingers=scheme == "screen")
    raise BoardUrlError(f"board {url!r}: the name begins with one of {_SCHEMES}")


def is_simulated(url: str) -> bool:
    """Return whether a URL names a simulated board, whoever moves its magnets."""
    return url.startswith(("sim:", "screen:"))


def board_in(url: str) -> BoardFile | None:
    """Return the board that the URL itself tells of: `gpio:FILE` names its file, a recording begins with its board. None for others.

    Raises BoardFileError if that file is no board file, BoardUrlError if the recording cannot be read.
    """
    scheme, _, rest = url.partition(":")
    path = rest.partition("?")[0]
    if scheme == "gpio" and path:
        return load_board(path)
    if scheme == "replay":
        with recorded_lines(url, path) as lines:
            return recorded_board(next(iter(lines), ""), path)
    return None


def _options(url: str, rest: str, known: set[str]) -> tuple[str, dict[str, str]]:
    path, mark, query = rest.partition("?")
    try:
        options = dict(parse_qsl(query, keep_blank_values=True, strict_parsing=True)) if mark else {}
    except ValueError:
        raise BoardUrlError(f"board {url!r}: options look like ?name=value&name=value") from None
    for name in options:
        if name not in known:
            raise BoardUrlError(f"board {url!r}: unknown option {name!r} (known: {', '.join(sorted(known))})")
    return path, options
