"""The Pico's own `main.c` on this machine, its SDK doubled: what it keeps outlives a power cut at any moment of the writing."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from firmware_bridge.wire import MAX_PACKED
from tests.firmware.building import FIRMWARE

pytestmark = pytest.mark.process

HEADERS = (
    *("hardware/flash.h", "hardware/structs/vreg_and_chip_reset.h", "hardware/sync.h", "hardware/watchdog.h"),
    *("pico/stdlib.h", "tusb.h"),
)
FLAGS = (
    *("-std=c99", "-Wall", "-Wextra", "-Werror", "-Wconversion", "-Wshadow", "-D_POSIX_C_SOURCE=200809L", "-g", "-O1"),
    *("-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
)
SECTOR = 4096
LONGEST_FRAME = MAX_PACKED + 1
"""Body, two bytes of CRC, one of COBS, and the end byte."""


@pytest.fixture(scope="module")
def pico(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the program."""
    folder = tmp_path_factory.mktemp("pico")
    for name in HEADERS:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text('#include "pico_double.h"\n')
    here = Path(__file__).parent
    includes = [folder, here, *(FIRMWARE / part for part in ("rp2040", "core", "core/linear", "generated"))]
    includes.append(FIRMWARE / "generated/travel-10x10")
    words = [
        "cc",
        *FLAGS,
        *(f"-I{path}" for path in includes),
        "-o",
        str(folder / "program"),
        str(here / "pico_store.c"),
    ]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "program"


def starts(pico: Path, *lines: str) -> list[str]:
    """Let the board be started once for each line; return what each start found, and what it said beside."""
    said = subprocess.run(
        [pico], input="".join(f"{line}\n" for line in lines), capture_output=True, text=True, check=True
    )
    return said.stdout.splitlines()


def test_what_was_kept_is_found(pico: Path) -> None:
    """An erased store is 255 everywhere; each start finds what the one before it kept, in whichever sector."""
    assert starts(pico, *(f"keep {n}" for n in range(6))) == ["whole 255", *(f"whole {n}" for n in range(5))]


@pytest.mark.parametrize("written", [-1, 0, 1, 255, 256, 2000, SECTOR - 9, SECTOR - 8, SECTOR - 5, SECTOR - 4])
def test_power_that_fails_while_it_writes(pico: Path, written: int) -> None:
    """What was kept before is there, whole; the next writing goes well."""
    found = starts(pico, "keep 1", "keep 2", f"cut {written} 3", "keep 4", "keep 5")
    assert found == ["whole 255", "whole 1", "whole 2", "whole 2", "whole 4"]


@pytest.mark.parametrize("fifo", [1, 63, 64, 256])
@pytest.mark.parametrize("reads", [1, 64])
def test_the_longest_message_passes_any_fifo(pico: Path, fifo: int, reads: int) -> None:
    """Whole and in order, and nobody waited meanwhile; in no more parts than it takes: each costs a Pico 30 us, and so its next scan."""
    sent = LONGEST_FRAME * 96  # a self-test that finds every square bad answers with so many
    (_, said) = starts(pico, f"send {fifo} {reads} {LONGEST_FRAME} 96")
    told, parts = said.rsplit(", ", 1)
    assert told == f"taken 96 passed {sent} whole in 0 ms, keyframe taken"
    assert int(parts.removesuffix(" parts")) <= sent // min(fifo, reads) + 3  # the queue's end, and both ends of all


def test_a_host_that_does_not_read_stops_nothing(pico: Path) -> None:
    """What finds no room is left out whole; a KEYFRAME, which would be old when it came, long before an answer is."""
    (_, said) = starts(pico, f"send 64 0 {LONGEST_FRAME} 200")
    taken = (8192 + 64) // LONGEST_FRAME
    assert (
        said == f"taken {taken} passed 64 torn in 0 ms, keyframe dropped, 1 parts"
    )  # the rest waits for whoever reads again
