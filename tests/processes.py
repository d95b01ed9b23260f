"""Which tests start a process: they are marked, and `make quick` leaves them out.

A test belongs to `make quick` unless it, or its module, has the mark `process`. No list is kept: the interpreter's own functions that
start one note what is started while a test and its fixtures run. (An audit hook sees the same, and each `id()` besides: two seconds of
`make quick`.) A test without the mark fails where it starts a process; a test with the mark that never needed one fails at its end, so
that it comes back to `make quick`.
"""

from __future__ import annotations

import _posixsubprocess
import os
import subprocess
from collections.abc import Callable, Generator
from typing import Any, ClassVar

import pytest

_STARTS = ("fork", "forkpty", "posix_spawn", "posix_spawnp", "execv", "execve", "system")
"""Of the module `os`; the others of their kind call these."""
_PID = os.getpid()  # what a started process starts in turn is not looked at: a fork carries the notes along


class _Running:
    """What runs in this process; pytest-xdist's workers are processes of their own."""

    item: pytest.Item | None = None
    started = False
    """Whether `item` has started a process."""
    passed = False
    over = False
    """Whether it is being torn down: the fixtures of a module or session end behind whichever test comes last."""
    fixtures: ClassVar[set[str]] = set()
    """Fixtures that started a process, by name: what they start may serve many tests."""


def note(what: str) -> None:
    """Take note that `what` is started, or that a test needs it and one before it started it.

    Fails the test without the mark `process`: at once, and with what is no `Exception`, so that the code under test cannot swallow it.
    """
    if _Running.item is None or os.getpid() != _PID:
        return
    _Running.started = True
    if _Running.item.get_closest_marker("process") is None and not _Running.over:
        pytest.fail(f"a test without the mark `process` starts one: {what}")


def _told(name: str, really: Callable[..., Any]) -> Callable[..., Any]:
    """Return `really` behind a note."""

    def start(*arguments: Any, **named: Any) -> Any:
        note(" ".join(str(part) for part in (name, *arguments[:2])))
        return really(*arguments, **named)

    return start


for _name in _STARTS:
    setattr(os, _name, _told(_name, getattr(os, _name)))
# what `subprocess` and what `multiprocessing` calls
subprocess._fork_exec = _posixsubprocess.fork_exec = _told("fork_exec", _posixsubprocess.fork_exec)  # type: ignore[attr-defined]


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[object]) -> Generator[None, object, object]:
    """Remember fixtures that start a process."""
    before, _Running.started = _Running.started, False
    try:
        return (yield)
    finally:
        if _Running.started:
            _Running.fixtures.add(fixturedef.argname)
        _Running.started |= before


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Note which test the processes started from here on belong to."""
    _Running.item, _Running.started, _Running.passed, _Running.over = item, False, False, False
    try:
        return (yield)
    finally:
        _Running.item = None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, None, None]:
    """Remember that the test passed: one that failed or was skipped may not have come to its process."""
    yield
    _Running.passed = True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, None, None]:
    """Fail a test with a mark that it does not need, and one that swallowed what `note` said."""
    swallowed, _Running.over = _Running.passed and _Running.started, True
    yield
    if swallowed and item.get_closest_marker("process") is None:
        pytest.fail("a test without the mark `process` started one", pytrace=False)
    needed = _Running.started or not _Running.fixtures.isdisjoint(getattr(item, "fixturenames", ()))
    if _Running.passed and not needed and item.get_closest_marker("process") is not None:
        pytest.fail("marked `process`, but starts none: without the mark it is in `make quick`", pytrace=False)
