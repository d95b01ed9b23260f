"""`--log-level`: which lines come, what they look like, who inherits the level; and what no line holds."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator

import pytest

from referee import log_output
from referee.cli.main import main
from referee.net.errors import SealError
from referee.net.links.connection import FaultCounter
from referee.rules.values import Seat
from referee.terminal_text import visible_output

LOGGER = logging.getLogger("referee.net.links.connection")


@pytest.fixture(autouse=True)
def _as_before(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv(log_output.LEVEL_VARIABLE, log_output.DEFAULT)  # so that it is taken away again
    monkeypatch.delenv("JOURNAL_STREAM", raising=False)
    yield
    log_output.begin(log_output.DEFAULT)


@pytest.mark.parametrize(
    ("level", "said"),
    [("debug", "diwe"), ("info", "iwe"), ("warning", "we"), ("error", "e"), (None, "we")],
)
def test_what_is_logged_at_each_level(capsys: pytest.CaptureFixture[str], level: str | None, said: str) -> None:
    """One line a record, from the chosen level on."""
    log_output.begin(level)
    for name in "debug", "info", "warning", "error":
        getattr(LOGGER, name)(name[0])
    assert "".join(line[-1] for line in capsys.readouterr().err.splitlines()) == said


def test_a_record_is_one_line_with_time_level_and_place(capsys: pytest.CaptureFixture[str]) -> None:
    """Also where its text has several, and without the error that came with it."""
    log_output.begin()
    try:
        raise ValueError("the marshal stands on b4")
    except ValueError:
        LOGGER.exception("first\nsecond %d", 2)
    line = capsys.readouterr().err
    assert line.count("\n") == 1
    assert line.partition(",")[2][4:] == "ERROR referee.net.links.connection: first second 2\n"
    assert len(line.partition(",")[0]) == len("2026-11-23 18:26:20")


def test_the_journal_of_systemd_gets_the_priority_and_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where `JOURNAL_STREAM` names this very stream; not where a terminal has inherited it from its desktop."""
    read, write = os.pipe()
    with open(read) as out, open(write, "w") as stream:
        monkeypatch.setattr(sys, "stderr", stream)
        there = os.fstat(write)
        log_output.begin()
        for inode in there.st_ino, there.st_ino + 1:
            monkeypatch.setenv("JOURNAL_STREAM", f"{there.st_dev}:{inode}")
            LOGGER.warning("lost")
        assert out.readline() == "<4>referee.net.links.connection: lost\n"
        assert out.readline().endswith(" WARNING referee.net.links.connection: lost\n")


def test_libraries_log_nothing_at_debug(capsys: pytest.CaptureFixture[str]) -> None:
    """They would write what passes through them: SQLAlchemy the values of every statement."""
    log_output.begin("debug")
    for name in ("sqlalchemy.engine.Engine", "asyncio", "kivy", "paho.mqtt.client"):
        logging.getLogger(name).debug("SELECT 'marshal'")
        logging.getLogger(name).info("SELECT 'marshal'")
    assert capsys.readouterr().err == ""


def test_child_processes_have_the_level_of_their_parent(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the environment; and what a child has logged is logged once more, with its name."""
    assert main(["--log-level", "info", "rules", "list", "--json"]) == 0
    assert os.environ[log_output.LEVEL_VARIABLE] == "info"
    assert main(["rules", "list", "--json"]) == 0, "as a child is started"
    assert LOGGER.isEnabledFor(logging.INFO)
    assert log_output.pass_on("the kiosk", "2026-11-23 18:26:20,641 INFO referee.net.links.connection: table.kiosk: up")
    assert capsys.readouterr().err.endswith(" INFO referee.net.links.connection: the kiosk: table.kiosk: up\n")
    assert not log_output.pass_on("the kiosk", "hallmarshal: there is no screen to draw on")


@pytest.mark.parametrize("words", [["--log-level", "loud", "rules", "list"], ["rules", "list"]])
def test_a_level_that_is_none_is_one_line(
    words: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit 2, from the command line and from the environment."""
    monkeypatch.setenv(log_output.LEVEL_VARIABLE, "warning" if len(words) == 4 else "loud")
    with pytest.raises(SystemExit, match="2"):
        main(words)
    said = capsys.readouterr().err
    assert ("one of debug, info, warning, error, not 'loud'" in said, said.count("\n")) == (True, 1)


def test_of_what_cannot_be_used_only_its_kind_is_logged(capsys: pytest.CaptureFixture[str]) -> None:
    """The 1st, 2nd, 4th of a seat; the error's own text could quote what was sent."""
    log_output.begin()
    faults = FaultCounter()
    for _ in range(5):
        faults.note(Seat.BLUE, SealError("'marshal' is no valid value"))
    said = [line.partition("connection: ")[2] for line in capsys.readouterr().err.splitlines()]
    assert said == ["blue: SealError, number 1", "blue: SealError, number 2", "blue: SealError, number 4"]


def test_steering_characters_are_made_visible(capsys: pytest.CaptureFixture[str]) -> None:
    """What strangers wrote cannot steer the terminal of who reads the log."""
    log_output.begin()
    with visible_output():
        LOGGER.warning("\x1b[2Jgone")
    assert "\\u001b[2Jgone" in capsys.readouterr().err


def test_a_level_of_another_program_in_a_child_s_line_is_passed_on(capsys: pytest.CaptureFixture[str]) -> None:
    """A word for a level that Python does not know stops nobody from reading on."""
    log_output.begin("info")
    assert log_output.pass_on("kiosk", "2026-01-02 03:04:05,678 TRACE referee.x: hello")
    assert capsys.readouterr().err.endswith("INFO referee.x: kiosk: hello\n")


def test_an_empty_level_in_the_environment_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a unit's `Environment=` with nothing behind the name; and a child without a command line takes a wrong one for the default."""
    monkeypatch.setenv(log_output.LEVEL_VARIABLE, "")
    assert main(["rules", "list", "--json"]) == 0
    monkeypatch.setenv(log_output.LEVEL_VARIABLE, "bogus")
    log_output.begin()
    assert logging.getLogger("referee").level == logging.WARNING
