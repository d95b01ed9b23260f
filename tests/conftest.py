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
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, settings

pytest_plugins = ("tests.processes",)

# Tests start our programs some hundred times; each module is compiled once, also where the environment (as containers like to) says
# that nothing compiled is to be kept.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Nothing of a test's stays in the state directory of whoever runs it.
os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="hallmarshal-tests-")
atexit.register(shutil.rmtree, os.environ["XDG_STATE_HOME"], ignore_errors=True)

# A shell that starts us in the background lets us ignore Ctrl-C, `nohup` a closed terminal, and so would everything that we start: tests
# send both to programs.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

# A busy machine must fail no property: time says nothing about it (speed lives in benchmarks/).
# The same examples each time, so that a red run is red for everybody; `pytest --hypothesis-profile explore` looks at others.
_COMMON = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None)
settings.register_profile("explore", _COMMON)
settings.register_profile("hallmarshal", _COMMON, derandomize=True)
settings.register_profile("quick", _COMMON, derandomize=True, max_examples=20)  # see tests/amount.py
settings.load_profile("hallmarshal")

gc.disable()  # until the tests are collected: next to nothing of that is ever thrown away

_LONGEST = (
    "demo/test_whole_games.py",
    "waiting/test_no_mute_phone.py",
    "reliability/test_real_faults.py",
    "security/test_canaries.py",
    "web/test_phone_by_ear.py",
    "hall/test_hall_words.py",
    "bench/test_second_hands.py",
    "web/test_phone_screens.py",
    "hall/test_rounds_at_boards.py",
    "web/test_phone_seats.py",
    "hall/test_station_demo.py",
    "cli/test_pi_update.py",
    "web/test_board_on_a_screen.py",
    "hall/test_hall_pages.py",
    "security/test_reading_and_speaking.py",
    "web/test_phone_taps.py",
    "bench/test_accuracy_sample.py",
    "bench/test_siege_sample.py",
    "reliability/test_silent_control.py",
    "runtime/test_whole_table.py",
)


_LONG_S = 0.1
"""A fixture that takes longer is told of: `--durations` lists it."""


def pytest_configure(config: pytest.Config) -> None:
    """Spare a worker of pytest-xdist the dots that nobody sees."""
    if hasattr(config, "workerinput"):
        config.pluginmanager.unregister(name="terminalreporter")


def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Let a worker of pytest-xdist tell how a test ended, and of its fixtures only what failed, printed something or took long.

    The first process shows nothing else, and reading it was half of what it did.
    """
    if not hasattr(item.config, "workerinput"):
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed or report.sections or report.duration > _LONG_S:
            item.ihook.pytest_runtest_logreport(report=report)
    return True


def pytest_report_to_serializable(report: pytest.CollectReport | pytest.TestReport) -> dict[str, object] | None:
    """Return of a phase that passed and printed nothing what is counted and timed: three reports of each test go to the first process."""
    if type(report) is not pytest.TestReport or not report.passed or report.sections or hasattr(report, "wasxfail"):
        return None
    kept = ("nodeid", "location", "outcome", "longrepr", "when", "duration", "user_properties")
    return {"$report_type": "TestReport", "keywords": {}} | {name: getattr(report, name) for name in kept}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take longest, then with those that start processes: each is one worker's.

    So no worker is left alone with a long one, and what only computes fills up the end.
    """
    ranks = {Path(__file__).parent / name: at for at, name in enumerate(_LONGEST)}
    assert all(path.is_file() for path in ranks)
    waiting = {item.path for item in items if item.get_closest_marker("process")}
    items.sort(key=lambda item: ranks.get(item.path, len(ranks) + (item.path not in waiting)))


def pytest_collection_finish() -> None:
    """Spare the garbage collector what lives to the end, thousands of tests and all modules, and have it look less often."""
    gc.collect()
    gc.freeze()
    gc.enable()
    gc.set_threshold(200_000, 20, 20)
