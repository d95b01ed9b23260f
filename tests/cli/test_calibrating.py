"""A calibration step by step against a board that answers by a script: what is told in which order, and when nothing is saved."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from firmware_bridge.advice import Defect, Finding
from firmware_bridge.calibration import Calibration
from firmware_bridge.messages import (
    AckResult,
    AskKeyframe,
    Command,
    Frame,
    News,
    Raw,
    Reading,
    Save,
    SetGain,
    SetThresholds,
    SetZero,
)
from firmware_bridge.talk import Talk
from hardware import load_board
from referee.runtime.boards import OpenBoard, start_of
from referee.runtime.calibration_session import Calibrator, NotCalibratedError, Wish
from tests.bridge.scripted_source import ScriptedSource, done

BOARD = load_board("travel-10x10")
START = start_of(BOARD, None)


class ScriptedMaker:
    """Does at once what it is asked."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.army = False

    def say(self, text: str) -> None:
        """Keep it."""
        self.told.append(text)

    def empties(self) -> None:
        """Empty the board."""
        self.army = False

    def sets_up(self) -> None:
        """Set up both armies."""
        self.army = True

    def leaves(self, square: str) -> None:
        """Nobody tries squares of a breadboard here."""
        raise AssertionError(square)

    def puts(self, square: str, *, slide: bool) -> None:
        """Nobody asks for a single piece here."""
        raise AssertionError(square)

    def puts_right(self, findings: Sequence[Finding]) -> None:
        """Be asked for nothing."""
        raise AssertionError(findings)


def session(
    maker: ScriptedMaker, *, refused: type[Command] | None = None, misread: str | None = None
) -> tuple[Calibrator, ScriptedSource]:
    """Return a session at a board that feels the maker's pieces, and the board; it may refuse one command or misread
    one square.
    """
    assert START is not None
    readings = START.readings

    def answers(command: Command, count: int) -> list[News]:
        if isinstance(command, AskKeyframe):
            shown = [readings.get(square, Reading.EMPTY) if maker.army else Reading.EMPTY for square in BOARD.squares]
            counts = [{Reading.RED: 652, Reading.BLUE: 372}.get(reading, 512) for reading in shown]
            squares = tuple(
                Reading.UNSURE if name == misread else now for name, now in zip(BOARD.squares, shown, strict=True)
            )
            raws = [Raw(0, 0, first, tuple(counts[first : first + 32])) for first in (0, 32, 64)]
            return [done(command), Frame(0, 0, squares), *(raws if command.with_raw else [])]
        return [done(command, AckResult.BAD_ARGUMENT if refused and isinstance(command, refused) else AckResult.DONE)]

    source = ScriptedSource(answers)
    return Calibrator(OpenBoard(source, Talk(source), BOARD, None), START, Wish(), maker), source


def kinds(source: ScriptedSource) -> list[type[Command]]:
    """Return the kinds of commands that the board received, each once, in order, without questions."""
    return list(dict.fromkeys(type(command) for command in source.sent if not isinstance(command, AskKeyframe)))


def test_everything_is_told_before_anything_is_saved() -> None:
    """Sixteen measurements, thresholds, zeros and gains, a look at the board, and SAVE as the last word."""
    maker = ScriptedMaker()
    run, source = session(maker)
    with source:
        assert isinstance(run.run(), Calibration)
    assert kinds(source) == [SetThresholds, SetZero, SetGain, Save]
    assert sum(isinstance(command, AskKeyframe) and command.with_raw for command in source.sent) == 16
    assert source.sent[-2:] == [AskKeyframe(), Save()]
    assert [text[:2] for text in maker.told] == ["1.", "  ", "2.", "  "]


def test_a_board_that_reads_wrong_afterwards_is_not_saved() -> None:
    """Asked ten times, one square stays wrong: it is named, and SAVE is never sent."""
    run, source = session(ScriptedMaker(), misread="b2")
    with source, pytest.raises(NotCalibratedError, match="b2: reads wrong with the new calibration") as caught:
        run.run()
    assert [finding.kind for finding in caught.value.findings] == [Defect.NOT_AS_SET]
    assert Save not in kinds(source)


@pytest.mark.parametrize(("refused", "name"), [(SetThresholds, "THRESHOLDS"), (SetGain, "GAIN"), (Save, "SAVE")])
def test_a_board_that_refuses(refused: type[Command], name: str) -> None:
    """What it refused is told, and nothing is sent after it."""
    run, source = session(ScriptedMaker(), refused=refused)
    with source, pytest.raises(NotCalibratedError, match=rf"The board refused {name} \(BAD_ARGUMENT\)"):
        run.run()
    assert kinds(source)[-1] is refused
