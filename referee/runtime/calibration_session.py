"""A calibration at the board: what the maker is asked, what is measured, and what the board is told.

Nothing is told to the board before both measurements are good, and nothing is saved before it reads right with the new values.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from firmware_bridge.advice import Defect, Finding, names
from firmware_bridge.calibration import (
    FELT,
    Calibration,
    Measured,
    disc_name,
    judge_empty,
    judge_start,
    measured,
    with_magnet,
    with_sensor,
)
from firmware_bridge.checkup import disagreements
from firmware_bridge.learning import Learner, learnt_file
from firmware_bridge.messages import AckResult, Command, Reading, Save
from firmware_bridge.sources import SimSource
from firmware_bridge.talk import WaitEnd
from hardware import BoardFileError, Sensing
from hardware.board_file import default_gain, parse_board
from hardware.field import gap_of
from referee.rules import Seat
from referee.runtime.boards import BoardChoice, OpenBoard, SimulatedHands, Start, start_of
from referee.runtime.errors import BadInputError, CommandError
from toml_tables import parse_toml

SAMPLES = 8
_SETTLING_TRIES = 10  # neighbours are corrected for scan by scan
_UNFELT = 500  # measurements until a square that feels nothing is named: some ten seconds
_PATIENCE_S = 3600.0
_STDIN = 0

SENTENCES: Mapping[str, str] = {
    "empty": "1. Take every piece off the board{without}. Press Enter when it is empty and no hand is near.",
    "start": "2. Set up both armies as for {rules}: {armies}, every piece in the middle of its square. Press Enter.",
    "army": "{seat} on {first} to {last}",
    "without": " (left out: {squares})",
    "hands": "   (simulated hands do it)",
    "try": "2. Put a red piece in the middle of each of {squares}. Press Enter.",
    "field": "Discs of {disc}, {gap} mm from the sensor; a quarter of a square off they give {percent} %; on {on}, off {off}.",
    "tried": "These squares are well, and so is the field. Nothing was saved.",
    "alone": "3. Leave one red piece in the middle of {square}, and nothing on the others. Press Enter.",
    "tried-odd": "The field is well; what is named below is not yet. Nothing was saved.",
    "put": "   Put the red piece in the middle of {square}.",
    "slide": "   Slide it along the board, square by square: {square} and on, a row to and the next one fro.",
    "learn": "2. One red piece tells which input is which square. Leave it where it is asked for until the next square is named.",
    "unfelt": "   Nothing new is felt; waiting for {square}. Is the red piece in its middle? Else its sensor is dead or open, or touches "
    "another: Ctrl-C ends, nothing is written; doctor names such squares.",
    "learnt": "{squares} squares known by {asked} questions; wires follow {order}; the disc is {gap} mm from the sensors. Written: {path}",
    "in-order": "one order",
    "no-order": "no order",
    "unlike": "{squares}: felt by another input than before: nothing was written, begin again",
    "grid": "only boards with a controller and linear sensors are learnt",
    "again": "Put that right and press Enter to measure again (Ctrl-C ends, nothing is changed).",
    "measuring": "   Measuring; keep away from the board.",
    "saved": "Saved in the board: {squares} squares, {measured} with a magnet; gain {low} to {high} counts.",
    "shares": "What each piece gave, in hundredths of the typical {typical} counts:",
    "refused": "not calibrated, nothing was saved: {what}",
    "ended": "not calibrated, nothing was saved: the input ended before the board was ready",
    "digital": "board {url} has digital sensors: there is nothing to calibrate (hallmarshal doctor checks them)",
    "no-set-up": "no rule set is known that fills both set-ups on board {board}: name one with --rules",
    "recording": "a recording cannot be calibrated",
    "no-square": "{option}: board {board} has no square {square!r}",
}
"""Everything that a calibration says of itself; what it says of squares stands in `firmware_bridge.advice`."""


class NotCalibratedError(CommandError):
    """The board was refused, or the input ended; `findings` say why."""

    def __init__(self, text: str, findings: Sequence[Finding] = ()) -> None:
        super().__init__(text)
        self.findings = tuple(findings)


class Maker(Protocol):
    """Whoever has the board in front of them."""

    @property
    def say(self) -> Callable[[str], object]:
        """What shows the maker a line."""

    def empties(self) -> None:
        """Return when the board is empty."""

    def sets_up(self) -> None:
        """Return when both armies stand."""

    def leaves(self, square: str) -> None:
        """Return when one red piece stands on a square, and nothing else anywhere."""

    def puts(self, square: str, *, slide: bool) -> None:
        """Ask for one red piece on a square, slid there along the board or not; return at once, or when it stands there."""

    def puts_right(self, findings: Sequence[Finding]) -> None:
        """Return when what was found is put right; raise NotCalibratedError if that will not be."""


class MakerAtTheBoard:
    """Somebody who reads and presses Enter. While he is awaited the board is listened to, so that its frames do not pile up."""

    def __init__(self, board: OpenBoard, say: Callable[[str], object]) -> None:
        self._talk = board.talk
        self.say = say
        self._typed = b""
        self._slides = False

    def puts(self, square: str, *, slide: bool) -> None:
        """Name the square; of those that a piece is slid over only the first."""
        if not (slide and self._slides):
            self.say(SENTENCES["slide" if slide else "put"].format(square=square))
        self._slides = slide

    def empties(self) -> None:
        """Wait for Enter: the board is empty, or both armies stand."""
        self._wait_for_enter(())

    sets_up = empties

    def leaves(self, square: str) -> None:
        """Wait for Enter: one piece is left."""
        self._wait_for_enter(())

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

    def leaves(self, square: str) -> None:
        """Put a red piece there, and nowhere else."""
        self.puts(square, slide=False)

    def puts(self, square: str, *, slide: bool) -> None:
        """Put a red piece there, and nowhere else."""
        self._hands.clear()
        self._hands.put("red", square)

    def puts_right(self, findings: Sequence[Finding]) -> None:
        """Raise NotCalibratedError."""
        raise _refusal(findings)


@dataclass(frozen=True, slots=True)
class Wish:
    """What a maker says of a calibration; None for what was not said.

    `without` are squares to leave out; `trying` the only ones there are, on a breadboard: nothing is saved then. `disc` is diameter and
    thickness, all in mm. `sensor` is one of SENSORS.
    """

    without: Sequence[str] = ()
    trying: Sequence[str] = ()
    disc: tuple[float, float] | None = None
    gap_mm: float | None = None
    pitch_mm: float | None = None
    sensor: str | None = None


class Calibrator:
    """One calibration, from the first question to SAVE."""

    def __init__(self, board: OpenBoard, start: Start, wish: Wish, maker: Maker) -> None:
        self.board = board
        self.file = with_magnet(with_sensor(board.file, wish.sensor), wish.disc, wish.gap_mm, wish.pitch_mm)
        self.start = start
        self.trying = tuple(wish.trying)
        self.without = frozenset(wish.without) | (set(board.file.squares) - set(wish.trying) if wish.trying else set())
        self._gap_said = wish.gap_mm is not None
        self._maker = maker

    def run(self) -> Calibration:
        """Return the calibration that the board keeps now; raise NotCalibratedError."""
        board, maker = self.board, self._maker
        differing = disagreements(board.hello, board.file) if board.hello else ()
        if differing:
            raise _refusal([Finding(Defect.DISAGREES, values={"text": text}) for text in differing])
        left_out = "" if self.trying else ", ".join(sorted(self.without))
        without = SENTENCES["without"].format(squares=left_out) if left_out else ""
        maker.say(SENTENCES["empty"].format(without=without))
        maker.empties()
        empty = self._measured()
        while faults := judge_empty(board.file, empty, self.without):
            self._tell(faults)
            maker.puts_right(faults)
            empty = self._measured()
        asked = "try" if self.trying else "start"
        squares = ", ".join(self.trying)
        maker.say(SENTENCES[asked].format(rules=self.start.rules.name, armies=_armies(self.start), squares=squares))
        maker.sets_up()
        while not isinstance(judged := self._judged(empty), Calibration):
            self._tell(judged)
            maker.puts_right(judged)
        for square in self.trying:
            self._alone(square, empty, judged)
        if not self.trying:
            self._keep(judged)
        return judged

    def _alone(self, square: str, empty: Measured, judged: Calibration) -> None:
        """Return once one piece is felt on its own square only: wires that touch are not seen while a piece stands on each."""
        self._maker.say(SENTENCES["alone"].format(square=square))
        self._maker.leaves(square)
        while True:
            felt = zip(self.board.file.squares, empty.means, self._measured().means, strict=True)
            added = {name: abs(after - before) for name, before, after in felt if name in self.trying}
            joined = tuple(name for name in self.trying if name == square or added[name] >= FELT * judged.typical)
            findings = [Finding(Defect.SHORTED, joined)] if len(joined) > 1 else []
            if not findings:
                return
            self._tell(findings)
            self._maker.puts_right(findings)

    def learn(self, path: Path) -> tuple[str, tuple[Finding, ...]]:
        """Write a board file with the inputs as they are wired; return what was learnt, and what is wrong with sensors.

        Raises NotCalibratedError where squares that are asked for again are felt by other inputs than before.
        """
        file, maker = self.file, self._maker
        if not file.controllers or file.path is None:
            raise BadInputError(SENTENCES["grid"])
        text = file.path.read_text(encoding="utf-8")
        try:
            parse_board(parse_toml(learnt_file(text, path.stem, file.scan.channels)), path.name)
        except BoardFileError as error:  # before anybody carries a piece about
            raise BadInputError(f"--learn: {error}") from error
        maker.say(SENTENCES["empty"].format(without=""))
        maker.empties()
        learner = Learner(file, self._measured().means)
        maker.say(SENTENCES["learn"])
        asked = 0
        while (wanted := learner.wanted) is not None:
            asked += not learner.follows
            maker.puts(file.squares[wanted], slide=learner.follows)
            waited = 0
            while not learner.feel(self.board.talk.amplitudes(len(file.squares))):
                waited += 1
                if waited == _UNFELT:
                    maker.say(SENTENCES["unfelt"].format(square=file.squares[wanted]))
        if learner.unlike:
            squares = names([file.squares[number] for number in learner.unlike])
            raise NotCalibratedError(SENTENCES["unlike"].format(squares=squares))
        added = sorted(map(abs, learner.added.values()))
        gap_mm = gap_of(file.magnet, added[9 * len(added) // 10] / default_gain(file))
        path.write_text(learnt_file(text, path.stem, learner.channels()), encoding="utf-8")
        order = SENTENCES["in-order" if learner.follows else "no-order"]
        turned = learner.turned()
        told = SENTENCES["learnt"].format(squares=len(added), asked=asked, order=order, gap=gap_mm, path=path)
        return told, (Finding(Defect.TURNED, turned),) if turned else ()

    def _judged(self, empty: Measured) -> Calibration | tuple[Finding, ...]:
        start, without = self.start.readings, self.without
        return judge_start(self.file, empty, self._measured(), start, without, gap_said=self._gap_said)

    def _tell(self, findings: Sequence[Finding]) -> None:
        for finding in findings:
            self._maker.say(f"   {finding.what}")
            self._maker.say(f"   -> {finding.next}")

    def _measured(self) -> Measured:
        self._maker.say(SENTENCES["measuring"])
        squares = len(self.board.file.squares)
        raws = [self.board.talk.raws(squares) for _ in range(SAMPLES)]
        return measured([one[:squares] for one in raws], [one[squares] for one in raws if len(one) > squares])

    def _keep(self, calibration: Calibration) -> None:
        for command in calibration.commands(self.board.file):
            self._tell_board(command)
        wrong = self._misread()
        if wrong:
            raise _refusal([Finding(Defect.NOT_AS_SET, wrong)])
        self._tell_board(Save())

    def _tell_board(self, command: Command) -> None:
        ack = self.board.talk.do(command)
        if ack.result is not AckResult.DONE:
            text = f"{command.TYPE.name} ({ack.result.name})"
            raise _refusal([Finding(Defect.REFUSED, values={"text": text})])

    def _misread(self) -> tuple[str, ...]:
        """Return the squares that do not read what stands on them, once the board had some scans to settle."""
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


def new_session(
    board: OpenBoard, choice: BoardChoice, wish: Wish, say: Callable[[str], object], *, of_hands: bool
) -> Calibrator:
    """Return a calibration of a board as it is wished; `say` shows its maker a line, of simulated hands only if it is `of_hands`.

    Raises `BadInputError` for a board that cannot be calibrated.
    """
    if board.file.sensing is not Sensing.COLOUR:
        raise BadInputError(SENTENCES["digital"].format(url=choice.url))
    start = start_of(board.file, choice.rules)
    if start is None:
        raise BadInputError(SENTENCES["no-set-up"].format(board=board.file.id))
    for option, squares in (("--without", wish.without), ("--try", wish.trying)):
        for square in squares:
            if square not in board.file.squares:
                raise BadInputError(SENTENCES["no-square"].format(option=option, board=board.file.id, square=square))
    if wish.trying:
        readings = dict.fromkeys(wish.trying, Reading.RED)
        start = Start(start.rules, {Seat.RED: tuple(wish.trying)}, readings)
    maker: Maker = MakerAtTheBoard(board, say)
    if isinstance(board.source, SimSource):
        hands = SimulatedHands(board.source, board.talk)
        maker = SimulatedMaker(hands, start, say if of_hands else lambda text: None)
    return Calibrator(board, start, wish, maker)


def field_line(calibration: Calibration) -> str:
    """Return a line on the field that was measured."""
    magnet, limits = calibration.magnet, calibration.thresholds
    words = {"disc": disc_name(magnet), "gap": magnet.gap_mm, "percent": round(100 * calibration.quarter)}
    return SENTENCES["field"].format(**words, on=limits.on, off=limits.off)


def _refusal(findings: Sequence[Finding]) -> NotCalibratedError:
    what = " ".join(finding.what for finding in findings)
    return NotCalibratedError(SENTENCES["refused"].format(what=what), findings)


def _armies(start: Start) -> str:
    return ", ".join(
        SENTENCES["army"].format(seat=seat.value, first=squares[0], last=squares[-1])
        for seat, squares in start.armies.items()
    )
