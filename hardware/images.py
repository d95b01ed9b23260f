"""The firmware's images that ship with the project, and whether they are what the sources beside them make."""

from __future__ import annotations

import hashlib
from pathlib import Path

FIRMWARE = Path(__file__).resolve().parent / "firmware"
SUMS = FIRMWARE / "images/SHA256SUMS"


def stale_files() -> list[str]:
    """Return the sources and images that are not those of SHA256SUMS: empty when the images are the sources' own."""
    listed = [line.split("  ", 1) for line in SUMS.read_text(encoding="utf-8").splitlines()]
    return [
        name
        for digest, name in listed
        if not (FIRMWARE / name).is_file() or hashlib.sha256((FIRMWARE / name).read_bytes()).hexdigest() != digest
    ]


def shipped_image(board: str, chip: str) -> Path | None:
    """Return the image of a board file and a chip; None if none ships, as for a board file of one's own."""
    image = SUMS.parent / f"{board}-{chip}.{'uf2' if chip.startswith('rp') else 'hex'}"
    return image if image.is_file() else None
