"""What holds for every test."""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ("tests.processes",)

# Tests start our programs some hundred times; each module is compiled once, also where the environment (as containers like to) says
# that nothing compiled is to be kept.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Nothing of a test's stays in the state directory of whoever runs it.
os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="hallmarshal-tests-")
atexit.register(shutil.rmtree, os.environ["XDG_STATE_HOME"], ignore_errors=True)

# A shell that starts us in the background lets us ignore Ctrl-C, and so would everything that we start: tests send it to programs.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A busy machine must fail no property: time says nothing about it (speed lives in benchmarks/).
# The same examples each time, so that a red run is red for everybody; `pytest --hypothesis-profile explore` looks at others.
_COMMON = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None)
settings.register_profile("explore", _COMMON)
settings.register_profile("hallmarshal", _COMMON, derandomize=True)
settings.register_profile("quick", _COMMON, derandomize=True, max_examples=25)  # see tests/amount.py
settings.load_profile("hallmarshal")

_LONGEST = (
    "demo/test_whole_games.py",
    "hall/test_station_demo.py",
    "web/test_phone_screens.py",
    "runtime/test_whole_table.py",
    "web/test_phone_seats.py",
    "reliability/test_real_faults.py",
    "reliability/test_killed_table.py",
    "security/test_canaries.py",
    "kiosk/test_kiosk_pixels.py",
    "runtime/test_frame_log.py",
    "security/test_floods.py",
    "demo/test_what_goes_wrong.py",
    "hall/test_rounds_at_boards.py",
    "runtime/test_handset_in_a_terminal.py",
    "web/test_phone_taps.py",
    "web/test_phone_game.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take longest: each is one worker's, and none may be left alone with one of them at the end."""
    ranks = {Path(__file__).parent / name: at for at, name in enumerate(_LONGEST)}
    assert all(path.is_file() for path in ranks)
    items.sort(key=lambda item: ranks.get(item.path, len(ranks)))


def pytest_collection_finish() -> None:
    """Spare the garbage collector what lives to the end, thousands of tests and all modules, and have it look less often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(200_000, 20, 20)
