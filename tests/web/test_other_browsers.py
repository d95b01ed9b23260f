"""The whole game that Chromium plays, in WebKit (an iPhone's engine) and in Firefox; `make browsers` brings both."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import ExitStack, closing
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.web.driven_phone import DrivenPhone, Firefox, WebKit
from tests.web.phones import PhoneTable
from tests.web.whole_game import Wires, play

pytestmark = [
    pytest.mark.process,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # both clients warn of what they do themselves
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


def _missing(*programs: str, client: str) -> bool:
    return find_spec(client) is None or not all(map(shutil.which, programs))


@pytest.mark.parametrize(
    "browser",
    [
        pytest.param(
            WebKit,
            marks=pytest.mark.skipif(
                _missing("WebKitWebDriver", "Xvfb", client="selenium"),
                reason="no WebKit here; `make browsers` brings it",
            ),
        ),
        pytest.param(
            Firefox,
            marks=pytest.mark.skipif(
                _missing("firefox-esr", client="marionette_driver"), reason="no Firefox here; `make browsers` brings it"
            ),
        ),
    ],
)
def test_a_whole_game(browser: Callable[[Path], WebKit | Firefox], wires: Wires, tmp_path: Path) -> None:
    """From two links to the second game, a page loaded anew and a line cut on the way; no console says an error."""
    with ExitStack() as stack:
        table = stack.enter_context(PhoneTable(tmp_path))
        red, blue = (
            stack.enter_context(closing(DrivenPhone(browser, tmp_path / f"{seat}.log"))) for seat in ("red", "blue")
        )
        blue.speak(table.ready["join"]["blue"].split("#")[0], "Deutsch")
        play(table, red, blue, wires)
        assert red.faults() == []
        assert blue.faults() == []
