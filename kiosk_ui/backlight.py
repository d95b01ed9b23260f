"""The light behind the screen, where the system lets it be set; elsewhere a veil over the picture makes it darker."""

from __future__ import annotations

from pathlib import Path

from kiosk_ui.hand import BRIGHTEST, BRIGHTNESS_STEP, DIMMEST

LIGHTS = Path("/sys/class/backlight")
"""One folder for each light (Linux, Documentation/ABI/stable/sysfs-class-backlight)."""


class Backlight:
    """The first light whose brightness this process may write."""

    def __init__(self, lights: Path = LIGHTS) -> None:
        """Look for one below `lights`; none is no error."""
        self._folder = next((folder for folder in sorted(lights.glob("*")) if _most(folder)), None)

    def percent(self) -> int | None:
        """Give how bright it is, as one of the steps that can be touched; None without a light."""
        if self._folder is None:
            return None
        try:
            share = int((self._folder / "brightness").read_text(encoding="ascii")) / _most(self._folder)
        except (OSError, ValueError, ZeroDivisionError):
            return None
        return max(DIMMEST, min(BRIGHTEST, round(share * 100 / BRIGHTNESS_STEP) * BRIGHTNESS_STEP))

    def shine(self, percent: int) -> bool:
        """Make it so bright; tell whether it could be done."""
        if self._folder is None:
            return False
        try:
            most = _most(self._folder)
            (self._folder / "brightness").write_text(str(max(1, round(most * percent / 100))), encoding="ascii")
        except OSError:
            return False
        return most > 0


def _most(folder: Path) -> int:
    """Give the light's greatest value; 0 where it cannot be set by us."""
    try:
        with (folder / "brightness").open("r+b"):
            return max(0, int((folder / "max_brightness").read_text(encoding="ascii")))
    except (OSError, ValueError):
        return 0
