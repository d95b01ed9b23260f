"""Where a board that the host scans keeps its calibration: a file, written whole beside the old one before it takes its place."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path

from firmware_bridge.host_sensors import Settings
from hardware import BoardFile
from hardware.linear import HIGHEST_COUNT, LEAST_GAIN


def default_path(board: BoardFile) -> Path:
    """Give where a board's calibration lies if nobody says otherwise: in the user's state directory, under the board's name."""
    base = Path(os.environ.get("XDG_STATE_HOME", ""))
    if not base.is_absolute():  # then it counts as not set
        base = Path("~/.local/state").expanduser()
    return base / "hallmarshal" / "calibration" / f"{board.id}.json"


def read_calibration(path: Path, board: BoardFile) -> tuple[Settings | None, str]:
    """Give the calibration that lies there; None, and why in a few words, if there is none that fits this board."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None, "there is none yet"
    except (OSError, ValueError):
        return None, "it cannot be read"
    settings = _settings_of(data, board)
    return settings, "" if settings else "it is damaged or another board's"


def write_calibration(path: Path, board: BoardFile, settings: Settings) -> bool:
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


def _settings_of(data: object, board: BoardFile) -> Settings | None:
    if not isinstance(data, dict) or data.get("fingerprint") != board.fingerprint:
        return None
    count = len(board.squares)
    lists = [data.get(name) for name in ("thresholds", "zeros", "gains")]
    for numbers, length in zip(lists, (2, count, count), strict=True):
        if not isinstance(numbers, list) or len(numbers) != length or any(type(n) is not int for n in numbers):
            return None
    (on, off), zeros, gains = (tuple(numbers) for numbers in lists if numbers is not None)
    if not 0 < off < on < 1000 or not all(0 <= zero <= HIGHEST_COUNT for zero in zeros):
        return None
    if not all(LEAST_GAIN <= abs(gain) <= HIGHEST_COUNT for gain in gains):
        return None
    return Settings(on, off, zeros, gains)
