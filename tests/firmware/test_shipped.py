"""The images that ship are what the sources beside them make: by their hashes, and where the same compilers are at hand byte by byte."""

from __future__ import annotations

import subprocess

import pytest

from hardware import board_names, load_board
from hardware.images import FIRMWARE, SUMS, shipped_image, stale_files
from tests.firmware.building import made

CHIPS = [(board, one.chip) for board in board_names() for one in load_board(board).controllers]
PAIRS = [*CHIPS, *((board, "rp2350") for board, chip in CHIPS if chip == "rp2040")]
"""A Pico 2 is wired like a Pico."""
KINDS = {"avr": ("atmega328p", "atmega2560"), "arm": ("rp2040", "rp2350")}


def test_an_image_for_every_board_and_controller() -> None:
    """None is missing, none is left over, and all are made of these sources; if not, `make firmware` makes them anew."""
    images = {shipped_image(board, chip) for board, chip in PAIRS}
    assert images == {path for path in SUMS.parent.iterdir() if path.suffix in (".hex", ".uf2")}
    assert stale_files() == []


def test_every_source_has_its_hash() -> None:
    """No file that the images are made of is left out of SHA256SUMS."""
    listed = {line.split("  ")[1] for line in SUMS.read_text().splitlines()}
    folders = (FIRMWARE / part for part in ("core", "avr", "rp2040", "generated"))
    sources = {str(path.relative_to(FIRMWARE)) for folder in folders for path in folder.rglob("*") if path.is_file()}
    assert sources <= listed


@pytest.mark.process
@pytest.mark.parametrize("kind", KINDS)
def test_made_again_they_are_the_same(kind: str) -> None:
    """The compilers named beside the images make the same bytes of the same sources."""
    here = subprocess.run([FIRMWARE / "compilers", kind], capture_output=True, text=True, check=False).stdout
    if not here or here not in (SUMS.parent / "compilers.txt").read_text():
        pytest.skip(f"the images were not made by these compilers: {here.strip() or 'none'}")
    for board, chip in PAIRS:
        if chip in KINDS[kind]:
            shipped = shipped_image(board, chip)
            assert shipped is not None
            again = made("images", f"BOARD={board}", f"CHIP={chip}") / board / chip / f"firmware{shipped.suffix}"
            assert again.read_bytes() == shipped.read_bytes(), shipped.name
