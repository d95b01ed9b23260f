"""A simulated chip under power, asked for more than a simulated board needs; and which tests need rp2040js."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, TypeVar

import pytest

from firmware_bridge.messages import Ack, AskHello, AskKeyframe, BoardMessage, Command, Frame, Hello, Reading, WireFault
from firmware_bridge.wire import Decoder, encode
from hardware import BoardFile
from simulator.firmware import TRUE_GAIN
from simulator.firmware_backends import POWER_ON, SimulatedChip, store_image
from tests.firmware.building import ROOT
from tests.firmware.host_core import COUNT, EMPTY_BOARD, LINEAR

Kind = TypeVar("Kind", bound=BoardMessage)


class ChipState(NamedTuple):
    """What the simulation knows of the chip: frames scanned, cycles of the longest one, least free RAM in bytes, and how it stands."""

    frames: int
    longest_frame: int
    free_ram: int
    how: str
    """`running`, or for an RP2040 `boot-loader` or `off`; `stopped` for an ATmega that went astray."""


PICO_RUNS = shutil.which("node") and (ROOT / "node_modules/rp2040js").is_dir()
ON_A_PICO = pytest.mark.skipif(not PICO_RUNS, reason="no rp2040js here: `make test` brings it by npm")
BOTH = pytest.mark.parametrize("chip", ["atmega328p", pytest.param("rp2040", marks=ON_A_PICO)])


class AskedChip(SimulatedChip):
    """A chip that is asked for more than a simulated board needs."""

    def run(self, until_ms: int, heard: bytes = b"") -> bytes:
        """Let time pass; return what the chip sent. `heard` reaches it at the line's pace, from now on."""
        self.begin(until_ms, heard)
        return self.said()

    def store(self) -> bytes:
        """Return the bytes of the EEPROM."""
        return self.ask(b"E")

    def state(self) -> ChipState:
        """Return how the chip stands."""
        frames, longest, free, word = self.ask(b"S").decode().split()
        return ChipState(int(frames), int(longest), int(free), word)


RAM = {"atmega328p": 2048, "atmega2560": 8192, "rp2040": 256 * 1024}
STORE = store_image(LINEAR, EMPTY_BOARD, [TRUE_GAIN] * COUNT)


class Powered:
    """A chip under power, and how long."""

    def __init__(self, board: BoardFile, chip: str, store: bytes, image: Path | None = None) -> None:
        self.chip = AskedChip(board, chip, store, image)
        self._on_usb = chip == "rp2040"
        self._decoder = Decoder()
        self.now_ms = 0

    def greeted(self, ms: int = 60) -> Hello:
        """Return the HELLO that the chip answers with."""
        return self.ask(AskHello(), Hello, ms)[0]

    def boot(self, flags: int = POWER_ON) -> list[BoardMessage]:
        """Start; return what it says in the first 50 ms. On USB nobody listens that early: there HELLO is asked for."""
        self.chip.start(flags)
        self._decoder = Decoder()
        self.now_ms = 0
        said = self.wait(50)
        if self._on_usb:
            said = [message for message in self.wait(60, encode(AskHello())) if not isinstance(message, Ack)]
        return said

    def wait(self, ms: int, heard: bytes = b"") -> list[BoardMessage]:
        """Let time pass; return what was said, which must all be whole."""
        found = self.hear(ms, heard)
        assert not [item for item in found if isinstance(item, WireFault)]
        return [item for item in found if not isinstance(item, WireFault)]

    def hear(self, ms: int, heard: bytes = b"") -> list[BoardMessage | WireFault]:
        """Let time pass; return what was said, faults and all."""
        self.now_ms += ms
        return self._decoder.feed(self.chip.run(self.now_ms, heard))

    def show(self, values: Sequence[int]) -> tuple[Reading, ...]:
        """Let the sensors read this; return what the squares read four scans later, when corrections have come to rest."""
        self.chip.feel(values)
        self.wait(45)
        return self.ask(AskKeyframe(), Frame)[0].squares

    def ask(self, command: Command, kind: type[Kind], ms: int = 60) -> list[Kind]:
        """Send a command; return the messages of one kind that follow its ACK."""
        said = self.wait(ms, b"\0" + encode(command))
        after = next(
            i for i, message in enumerate(said) if isinstance(message, Ack) and message.command == command.TYPE
        )
        return [message for message in said[after:] if isinstance(message, kind)]


@contextmanager
def powered(
    board: BoardFile, chip: str = "atmega328p", store: bytes = STORE, image: Path | None = None
) -> Iterator[Powered]:
    """Yield a chip whose power is off."""
    one = Powered(board, chip, store, image)
    try:
        yield one
    finally:
        one.chip.close()
