"""Before Kivy: what it finds in the environment, whether there is a screen, and that nothing imports it too early."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from kiosk_ui.display import NoDisplayError, display_found, prepare_kivy
from tests.patience import PATIENCE_S

NO_CONNECTORS = Path("/nonexistent")


@pytest.mark.parametrize(
    ("environ", "found"),
    [
        ({}, False),
        ({"DISPLAY": ":0"}, True),
        ({"DISPLAY": ""}, False),
        ({"SDL_VIDEODRIVER": "kmsdrm"}, True),
        ({"SDL_VIDEODRIVER": "offscreen"}, False),
        ({"SDL_VIDEODRIVER": "dummy", "DISPLAY": ":0"}, False),
    ],
)
def test_a_screen_is_found_by_its_signs(environ: dict[str, str], found: bool) -> None:
    """A desktop or a driver that was named counts; a driver without pictures does not."""
    assert display_found(environ, NO_CONNECTORS) is found


@pytest.mark.parametrize(("status", "found"), [("connected\n", True), ("disconnected\n", False), ("unknown\n", False)])
def test_a_connected_screen_counts_without_a_desktop(tmp_path: Path, status: str, found: bool) -> None:
    """On a Pi without a desktop the kernel tells whether a screen is plugged in."""
    (tmp_path / "card1-HDMI-A-1").mkdir()
    (tmp_path / "card1-HDMI-A-1" / "status").write_text(status, encoding="ascii")
    assert display_found({}, tmp_path) is found


def test_kivy_is_told_everything_it_reads_at_import() -> None:
    """Kivy parses no arguments, writes no log or configuration, prints nothing, and opens the window that was meant."""
    environ: dict[str, str] = {"DISPLAY": ":0"}
    prepare_kivy(offscreen=True, environ=environ)
    assert environ["SDL_VIDEODRIVER"] == "offscreen"
    for name in ("KIVY_NO_ARGS", "KIVY_NO_CONFIG", "KIVY_NO_FILELOG", "KIVY_NO_CONSOLELOG", "SDL_NO_SIGNAL_HANDLERS"):
        assert environ[name] == "1"
    assert environ["KIVY_LOG_MODE"] == "PYTHON"
    prepare_kivy(offscreen=False, environ=(desktop := {"DISPLAY": ":0"}))
    assert desktop["SDL_VIDEODRIVER"] == "x11"


def test_without_a_screen_nothing_is_set() -> None:
    """No screen is an error before anything was changed, unless the offscreen driver is asked for by name."""
    environ = {"SDL_VIDEODRIVER": "offscreen"}
    with pytest.raises(NoDisplayError, match="see --offscreen"):
        prepare_kivy(offscreen=False, environ=environ)
    assert environ == {"SDL_VIDEODRIVER": "offscreen"}


@pytest.mark.process
def test_the_state_and_its_pictures_need_no_kivy() -> None:
    """The pure half, the command and the terminal board are imported without Kivy: no window opens by accident."""
    pure = (
        "display",
        "received_state",
        "touch_state",
        "screen",
        "layout",
        "styles",
        "board_picture",
        "sounds",
        "spoken",
        "fixtures",
    )
    modules = (
        *(f"kiosk_ui.{name}" for name in (*pure, "run", "screenshots")),
        "referee.cli.kiosk",
        "referee.terminal",
    )
    code = f"import sys, {', '.join(modules)}; sys.exit('kivy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=PATIENCE_S, check=False).returncode == 0
