"""The colours of every picture; they can be distinguished with any kind of colour blindness (tests/kiosk/test_kiosk_pictures.py)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from referee.rules.values import Seat


@dataclass(frozen=True, slots=True)
class Colour:
    """A colour in sRGB, 0 to 255 each, and how much it covers, 0 to 1."""

    red: int
    green: int
    blue: int
    alpha: float = 1.0

    @property
    def hex(self) -> str:
        """Return it as `#rrggbb`, without its alpha."""
        return f"#{self.red:02x}{self.green:02x}{self.blue:02x}"

    @property
    def rgba(self) -> tuple[float, float, float, float]:
        """Return it as four numbers from 0 to 1, as graphics libraries want it."""
        return (self.red / 255, self.green / 255, self.blue / 255, self.alpha)

    def faded(self, alpha: float) -> Colour:
        """Return the same colour, covering less."""
        return replace(self, alpha=alpha)

    def mixed(self, other: Colour, share: float) -> Colour:
        """Return this colour with a share (0 to 1) of another in it."""
        return Colour(
            round(self.red + (other.red - self.red) * share),
            round(self.green + (other.green - self.green) * share),
            round(self.blue + (other.blue - self.blue) * share),
            self.alpha,
        )


NIGHT = Colour(0x14, 0x1A, 0x21)
"""Behind everything."""
PANEL = Colour(0x1E, 0x26, 0x30)
SLOT = Colour(0x2A, 0x34, 0x40)
"""A place for a captured piece that is still empty."""
CHALK = Colour(0xF2, 0xF4, 0xF1)
MUTED = Colour(0x9F, 0xAC, 0xB8)
INK = Colour(0x17, 0x1B, 0x20)
CALM = Colour(0x34, 0x41, 0x50)
"""The banner while no army is to move."""
SAND = Colour(0xDD, 0xCF, 0xAC)
SAND_DARK = Colour(0xD3, 0xC3, 0x9C)
FRAME = Colour(0x8A, 0x76, 0x55)
LAKE = Colour(0x7F, 0xA6, 0xAC)
LAKE_DARK = Colour(0x5C, 0x86, 0x8E)
CASTLE = Colour(0xB9, 0xA8, 0x86)
TURRET = Colour(0xCD, 0xBE, 0x9C)
GLOW = Colour(0xFF, 0xB6, 0x27)
"""The last move."""
ALARM = Colour(0x86, 0x2A, 0x6C)
"""A square to put right. Neither of the armies' colours, and dark enough for sand."""
GOOD = Colour(0x8F, 0xD0, 0xB2)
"""Something is in order, and the main button; its text is dark."""
BAD = Colour(0xFF, 0xB4, 0x54)

ARMY: Mapping[Seat, Colour] = {
    Seat.RED: Colour(0xC6, 0x40, 0x24),
    Seat.BLUE: Colour(0x24, 0x58, 0xA8),
    Seat.GREEN: Colour(0x0C, 0x7E, 0x54),
    Seat.YELLOW: Colour(0xF5, 0xC8, 0x3C),
}
"""Small letters can be read on each: `ON_ARMY`, a contrast of 4.5 at least."""

ON_ARMY: Mapping[Seat, Colour] = dict.fromkeys(Seat, CHALK) | {Seat.YELLOW: INK}
"""What can be read on the colour of an army."""

ON_PANEL: Mapping[Seat, Colour] = {seat: colour.mixed(CHALK, 0.25) for seat, colour in ARMY.items()}
"""The colour of an army's sign on a panel: lighter, so that it stands out by 3."""
