"""A calibration at the board: what the maker is asked, what is measured, and what the board is told.

Nothing is told to the board before both measurements are good, and nothing is saved before it reads right with the new values.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from firmware_bridge import disagreements
from firmware_bridge.advice import Finding, Kind
from firmware_bridge.calibration import Calibration, Measured, judge_empty, judge_start, measured
from firmware_bridge.messages import AckResult, Command, Reading, Save
from firmware_bridge.sources import SimSource
from firmware_bridge.talk import WaitEnd
from hardware import BoardFile, Sensing
from referee.runtime.boards import OpenBoard, SimulatedHands, Start, opened, start_of
from referee.runtime.errors import BadInputError, CommandError

_LABEL = 4  # columns for the number of a row


def is_grid(board: BoardFile) -> bool:
    """Tell whether squares lie in whole columns and rows, so that letters and numbers can name them."""
    return all(float(x).is_integer() and float(y).is_integer() for x, y in board.places)


def spots(board: BoardFile, width: int) -> dict[str, tuple[int, int]]:
    """Give where in a terminal each square's cell of that width begins, as (line, column); line 0 is the top, labels left out.

    Squares that lie between lines or columns go to the nearest, farther to the right if another cell is there.
    """
    step = width if is_grid(board) else width + 1
    taken: dict[int, list[int]] = {}
    found = {}
    for square, (x, y) in sorted(zip(board.squares, board.places, strict=True), key=lambda item: item[1]):
        line, column = board.rows - 1 - round(y), round(x * step)
        while any(abs(column - other) < width - 1 for other in taken.get(line, ())):
            column += 1
        taken.setdefault(line, []).append(column)
        found[square] = (line, column)
    return found


def grid_width(board: BoardFile, width: int) -> int:
    """Give how many columns of a terminal the grid needs, labels included."""
    return _LABEL + max(column for _, column in spots(board, width).values()) + width


def grid_lines(board: BoardFile, cells: Mapping[str, str], width: int) -> list[str]:
    """Give the board as text, the farthest row first; squares that `cells` does not name stay blank."""
    lines = [[" "] * grid_width(board, width) for _ in range(board.rows)]
    for square, (line, column) in spots(board, width).items():
        text = cells.get(square, "")
        lines[line][_LABEL + column : _LABEL + column + len(text)] = text
    texts = ["".join(line).rstrip() for line in lines]
    if not is_grid(board):
        return texts
    numbered = [f"{board.rows - number:>3}{text[3:]}" for number, text in enumerate(texts)]
    return [*numbered, letters(board, width)]


def letters(board: BoardFile, width: int) -> str:
    """Give the line below a grid: the letter of each column."""
    return " " * _LABEL + "".join(f"{chr(ord('a') + column):<{width}}" for column in range(board.columns)).rstrip()


# The calibration.


SAMPLES = 8
_SETTLING_TRIES = 10  # neighbours are corrected for scan by scan
_PATIENCE_S = 3600.0
_STDIN = 0

SENTENCES: Mapping[str, str] = {
    "empty": "1. Take every piece off the board{without}. Press Enter when it is empty and no hand is near.",
    "start": "2. Set up both armies as for {rules}: {armies}, every piece in the middle of its square. Press Enter.",
    "army": "{seat} on {first} to {last}",
    "without": " (left out: {squares})",
    "hands": "   (simulated hands do it)",
    "again": "Put that right and press Enter to measure again (Ctrl-C ends, nothing is changed).",
    "measuring": "   Measuring; keep away from the board.",
    "saved": "Saved in the board: {squares} squares, {measured} with a magnet; gain {low} to {high} counts.",
    "shares": "What each piece gave, in hundredths of the typical {typical} counts:",
    "refused": "not calibrated, nothing was saved: {what}",
    "ended": "not calibrated, nothing was saved: the input ended before the board was ready",
    "digital": "board {url} has digital sensors: there is nothing to calibrate (hallmarshal doctor checks them)",
    "no-set-up": "no rule set is known that fills both set-ups on board {board}: name one with --rules",
    "recording": "a recording cannot be calibrated",
    "no-square": "--without: board {board} has no square {square!r}",
}
"""Everything that this command says of itself; what it says of squares stands in `firmware_bridge.advice`."""


class NotCalibratedError(CommandError):
    """The board was refused, or the input ended; `findings` say why."""

    def __init__(self, text: str, findings: Sequence[Finding] = ()) -> None:
        super().__init__(text)
        self.findings = tuple(findings)


def calibrate(args: argparse.Namespace) -> int:
    """Calibrate the board that the arguments name, and print what came of it."""
    if args.board.startswith("replay:"):
        raise BadInputError(SENTENCES["recording"])
    with opened(args, lambda news: None, full_speed=True) as board:
        session = _session(args, board)
        try:
            calibration = session.run()
        except NotCalibratedError as error:
            if args.json:
                print(json.dumps(_document(args, session, None, error.findings)))
            raise
        if args.json:
            print(json.dumps(_document(args, session, calibration, calibration.remarks)))
        else:
            _print_result(board, calibration)
    return 0


def _session(args: argparse.Namespace, board: OpenBoard) -> Session:
    if board.file.sensing is not Sensing.COLOUR:
        raise BadInputError(SENTENCES["digital"].format(url=args.board))
    start = start_of(board.file, args.rules)
    if start is None:
        raise BadInputError(SENTENCES["no-set-up"].format(board=board.file.id))
    without = [square.strip() for square in args.without.split(",") if square.strip()]
    for square in without:
        if square not in board.file.squares:
            raise BadInputError(SENTENCES["no-square"].format(board=board.file.id, square=square))
    say = functools.partial(print, flush=True)  # at once, also for a program that reads along
    maker: Maker
    if isinstance(board.source, SimSource):
        hands = SimulatedHands(board.source, board.talk)
        maker = SimulatedMaker(hands, start, (lambda text: None) if args.json else say)
    else:
        maker = MakerAtTheBoard(board, _say_on_stderr if args.json else say)
    return Session(board, start, frozenset(without), maker)


class Maker(Protocol):
    """Whoever has the board in front of them."""

    @property
    def say(self) -> Callable[[str], object]:
        """What shows the maker a line."""

    def empties(self) -> None:
        """Return when the board is empty."""

    def sets_up(self) -> None:
        """Return when both armies stand."""

    def puts_right(self, findings: Sequence[Finding]) -> None:
        """Return when what was found is put right; raise NotCalibratedError if that will not be."""


class MakerAtTheBoard:
    """Somebody who reads and presses Enter. While he is awaited the board is listened to, so that its frames do not pile up."""

    def __init__(self, board: OpenBoard, say: Callable[[str], object]) -> None:
        self._talk = board.talk
        self.say = say
        self._typed = b""

    def empties(self) -> None:
        """Wait for Enter: the board is empty, or both armies stand."""
        self._wait_for_enter(())

    sets_up = empties

    def puts_right(self, findings: Sequence[Finding]) -> None:
        """Wait until what was found is put right; raise NotCalibratedError if nobody is there to do it."""
        self.say(SENTENCES["again"])
        self._wait_for_enter(findings)

    def _wait_for_enter(self, findings: Sequence[Finding]) -> None:
        while b"\n" not in self._typed:
            if self._talk.wait(_PATIENCE_S, other=_STDIN) is WaitEnd.OTHER:
                data = os.read(_STDIN, 4096)
                if not data:
                    raise _refusal(findings) if findings else NotCalibratedError(SENTENCES["ended"])
                self._typed += data
        # a script's lines count one by one; a person who pressed Enter twice meant it once
        self._typed = b"" if os.isatty(_STDIN) else self._typed.partition(b"\n")[2]


class SimulatedMaker:
    """Hands of a simulated board. What they do wrong they cannot put right."""

    def __init__(self, hands: SimulatedHands, start: Start, say: Callable[[str], object]) -> None:
        self._hands = hands
        self._start = start
        self.say = say

    def empties(self) -> None:
        """Clear the board."""
        self.say(SENTENCES["hands"])
        self._hands.clear()

    def sets_up(self) -> None:
        """Set up both armies."""
        self.say(SENTENCES["hands"])
        self._hands.set_up(self._start)

    def puts_right(self, findings: Sequence[Finding]) -> None:
        """Raise NotCalibratedError."""
        raise _refusal(findings)


class Session:
    """One calibration, from the first question to SAVE."""

    def __init__(self, board: OpenBoard, start: Start, without: frozenset[str], maker: Maker) -> None:
        self.board = board
        self.start = start
        self.without = without
        self._maker = maker

    def run(self) -> Calibration:
        """Give the calibration that the board keeps now; raise NotCalibratedError."""
        board, maker = self.board, self._maker
        differing = disagreements(board.hello, board.file) if board.hello else ()
        if differing:
            raise _refusal([Finding(Kind.DISAGREES, values={"text": text}) for text in differing])
        without = SENTENCES["without"].format(squares=", ".join(sorted(self.without))) if self.without else ""
        maker.say(SENTENCES["empty"].format(without=without))
        maker.empties()
        empty = self._measured()
        while faults := judge_empty(board.file, empty, self.without):
            self._tell(faults)
            maker.puts_right(faults)
            empty = self._measured()
        maker.say(SENTENCES["start"].format(rules=self.start.rules.name, armies=_armies(self.start)))
        maker.sets_up()
        while not isinstance(judged := self._judged(empty), Calibration):
            self._tell(judged)
            maker.puts_right(judged)
        self._keep(judged)
        return judged

    def _judged(self, empty: Measured) -> Calibration | tuple[Finding, ...]:
        return judge_start(self.board.file, empty, self._measured(), self.start.readings, self.without)

    def _tell(self, findings: Sequence[Finding]) -> None:
        for finding in findings:
            self._maker.say(f"   {finding.what}")
            self._maker.say(f"   -> {finding.next}")

    def _measured(self) -> Measured:
        self._maker.say(SENTENCES["measuring"])
        return measured([self.board.talk.amplitudes(len(self.board.file.squares)) for _ in range(SAMPLES)])

    def _keep(self, calibration: Calibration) -> None:
        for command in calibration.commands(self.board.file):
            self._tell_board(command)
        wrong = self._misread()
        if wrong:
            raise _refusal([Finding(Kind.NOT_AS_SET, wrong)])
        self._tell_board(Save())

    def _tell_board(self, command: Command) -> None:
        ack = self.board.talk.do(command)
        if ack.result is not AckResult.DONE:
            text = f"{command.TYPE.name} ({ack.result.name})"
            raise _refusal([Finding(Kind.REFUSED, values={"text": text})])

    def _misread(self) -> tuple[str, ...]:
        """Give the squares that do not read what stands on them, once the board had some scans to settle."""
        wrong: tuple[str, ...] = ()
        for _ in range(_SETTLING_TRIES):
            frame = self.board.talk.readings()
            wrong = tuple(
                square
                for square, reading in zip(self.board.file.squares, frame.squares, strict=True)
                if square not in self.without and reading is not self.start.readings.get(square, Reading.EMPTY)
            )
            if not wrong:
                break
        return wrong


def _refusal(findings: Sequence[Finding]) -> NotCalibratedError:
    what = " ".join(finding.what for finding in findings)
    return NotCalibratedError(SENTENCES["refused"].format(what=what), findings)


def _armies(start: Start) -> str:
    return ", ".join(
        SENTENCES["army"].format(seat=seat.value, first=squares[0], last=squares[-1])
        for seat, squares in start.armies.items()
    )


def _say_on_stderr(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _print_result(board: OpenBoard, calibration: Calibration) -> None:
    gains = sorted(abs(one.gain) for one in calibration.squares)
    with_magnet = sum(one.share is not None for one in calibration.squares)
    print(SENTENCES["saved"].format(squares=len(gains), measured=with_magnet, low=gains[0], high=gains[-1]))
    print(SENTENCES["shares"].format(typical=round(calibration.typical)))
    cells = {one.square: " .." if one.share is None else f"{round(100 * one.share):>3}" for one in calibration.squares}
    for line in grid_lines(board.file, cells, 4):
        print(line)
    for finding in calibration.remarks:
        print(finding.what)
        print(f"-> {finding.next}")


def _document(
    args: argparse.Namespace, session: Session, calibration: Calibration | None, findings: Sequence[Finding]
) -> Mapping[str, object]:
    thresholds = session.board.file.thresholds
    return {
        "board": args.board,
        "file": session.board.file.id,
        "rules": session.start.rules.name,
        "saved": calibration is not None,
        "left_out": sorted(session.without),
        "thresholds": {"on": thresholds.on, "off": thresholds.off},
        "typical_gain": round(calibration.typical, 1) if calibration else None,
        "squares": {
            one.square: {
                "zero": one.zero,
                "gain": one.gain,
                "share": None if one.share is None else round(one.share, 3),
            }
            for one in (calibration.squares if calibration else ())
        },
        "findings": [finding_document(finding) for finding in findings],
    }


def finding_document(finding: Finding) -> Mapping[str, object]:
    """Give a finding as JSON has it."""
    return {"kind": finding.kind.value, "squares": list(finding.squares), "what": finding.what, "next": finding.next}
