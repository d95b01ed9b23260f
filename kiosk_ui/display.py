"""The screen of this machine: whether there is one, what Kivy must find in the environment before it is imported, and the light behind it.

Kivy reads its settings at import: it would parse our arguments, write logs and a configuration into the home folder and open
a window. `prepare_kivy` is called first by everything in this package that imports it.
"""

from __future__ import annotations

import contextlib
import ctypes
import logging
import os
import tempfile
from collections.abc import Mapping, MutableMapping
from pathlib import Path

from kiosk_ui.touch_state import BRIGHTEST, BRIGHTNESS_STEP, DIMMEST

OFFSCREEN = "offscreen"
"""SDL's driver that draws without a screen, through EGL and Mesa."""
_WITHOUT_PICTURES = ("dummy", "mock")  # Kivy ends the process under these
_M_MMAP_THRESHOLD, _M_ARENA_MAX = -3, -8
"""Numbers from glibc's malloc.h."""
_BIG_BYTES = 65_536
_CONNECTORS = Path("/sys/class/drm")
_SETTINGS: Mapping[str, str] = {
    "KIVY_NO_ARGS": "1",
    "KIVY_NO_CONFIG": "1",
    "KIVY_NO_ENV_CONFIG": "1",
    "KIVY_NO_FILELOG": "1",
    "KIVY_NO_CONSOLELOG": "1",
    "KIVY_LOG_MODE": "PYTHON",
    # Kivy's own X11 window ends the process when there is no X server.
    "KIVY_WINDOW": "sdl2",
    # Nothing is read from picture files; another provider would load Pillow for them, 3 MB.
    "KIVY_IMAGE": "sdl2",
    "KIVY_METRICS_DENSITY": "1",
    # Nothing is written there while KIVY_NO_CONFIG is set; named all the same, so that it can never be the home folder.
    "KIVY_HOME": str(Path(tempfile.gettempdir()) / "hallmarshal-kivy"),
    "SDL_NO_SIGNAL_HANDLERS": "1",
}


class NoDisplayError(Exception):
    """There is no screen to draw on; its text is one line for the user."""


def display_found(environ: Mapping[str, str] = os.environ, connectors: Path = _CONNECTORS) -> bool:
    """Return whether a window can be expected to open here: a desktop, a driver that was named, or a connected screen."""
    driver = environ.get("SDL_VIDEODRIVER", "")
    if driver:
        return driver not in (OFFSCREEN, *_WITHOUT_PICTURES)
    return bool(environ.get("DISPLAY")) or _screen_connected(connectors)


def prepare_kivy(offscreen: bool, environ: MutableMapping[str, str] = os.environ) -> None:
    """Set what Kivy reads at its first import. Raises `NoDisplayError` without a screen, unless `offscreen`."""
    environ["SDL_VIDEODRIVER"] = OFFSCREEN if offscreen else _driver(environ)
    environ.update(_SETTINGS)
    _give_memory_back()
    quiet = logging.getLogger("kivy")
    quiet.addHandler(logging.NullHandler())
    quiet.propagate = bool(environ.get("HALLMARSHAL_TRACEBACK"))


def _give_memory_back() -> None:
    """Make the C library, where it is GNU's, return big blocks to the system as soon as they are free.

    Left to itself it keeps ever bigger ones, and a heap for each thread: some 10 MB more than pictures and compiled shaders need.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, _BIG_BYTES)
        mallopt(_M_ARENA_MAX, 1)


def _driver(environ: Mapping[str, str]) -> str:
    """Return SDL's driver by its name: without a name SDL would fall back to drawing offscreen."""
    if not display_found(environ):
        raise NoDisplayError(
            "there is no screen to draw on (DISPLAY is not set, no screen is connected); see --offscreen"
        )
    return environ.get("SDL_VIDEODRIVER") or ("x11" if environ.get("DISPLAY") else "kmsdrm")


def _screen_connected(connectors: Path) -> bool:
    for status in connectors.glob("card*-*/status"):
        with contextlib.suppress(OSError):
            if status.read_text(encoding="ascii").strip() == "connected":
                return True
    return False


LIGHTS = Path("/sys/class/backlight")
"""One folder for each light (Linux, Documentation/ABI/stable/sysfs-class-backlight)."""


class Backlight:
    """The first light whose brightness this process may write; without one a veil over the picture makes it darker."""

    def __init__(self, lights: Path = LIGHTS) -> None:
        """Look for one below `lights`; none is no error."""
        self._folder = next((folder for folder in sorted(lights.glob("*")) if _most(folder)), None)

    def percent(self) -> int | None:
        """Return how bright it is, as one of the steps that can be touched; None without a light."""
        if self._folder is None:
            return None
        try:
            share = int((self._folder / "brightness").read_text(encoding="ascii")) / _most(self._folder)
        except (OSError, ValueError, ZeroDivisionError):
            return None
        return max(DIMMEST, min(BRIGHTEST, round(share * 100 / BRIGHTNESS_STEP) * BRIGHTNESS_STEP))

    def shine(self, percent: int) -> bool:
        """Set the brightness. Returns whether that was possible."""
        if self._folder is None:
            return False
        try:
            most = _most(self._folder)
            (self._folder / "brightness").write_text(str(max(1, round(most * percent / 100))), encoding="ascii")
        except OSError:
            return False
        return most > 0


def _most(folder: Path) -> int:
    """Return the light's greatest value; 0 where it cannot be set by us."""
    try:
        with (folder / "brightness").open("r+b"):
            return max(0, int((folder / "max_brightness").read_text(encoding="ascii")))
    except (OSError, ValueError):
        return 0
