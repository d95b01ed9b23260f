"""`hallmarshal calibrate`: measures zero, gain and pole of every square and keeps them in the board.

Here are the board as a grid of text, and what came of a calibration; it is `referee.runtime.calibration_session` that calibrates.
"""

from __future__ import annotations

import argparse
import functools
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from firmware_bridge.advice import Finding
from firmware_bridge.calibration import SENSORS, Calibration
from hardware import BoardFile
from referee.cli.command import LazyParser, add_board_arguments, number_in
from referee.runtime.boards import BoardChoice, opened
from referee.runtime.calibration_session import SENTENCES, Calibrator, NotCalibratedError, Wish, field_line, new_session
from referee.runtime.errors import BadInputError, file_named

_LABEL = 4  # columns for the number of a row


def is_grid(board: BoardFile) -> bool:
    """Return whether squares lie in whole columns and rows, so that letters and numbers can name them."""
    return all(float(x).is_integer() and float(y).is_integer() for x, y in board.places)


def spots(board: BoardFile, width: int) -> dict[str, tuple[int, int]]:
    """Return where in a terminal each square's cell of that width begins, as (line, column); line 0 is the top, labels left out.

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
    """Return how many columns of a terminal the grid needs, labels included."""
    return _LABEL + max(column for _, column in spots(board, width).values()) + width


def grid_lines(board: BoardFile, cells: Mapping[str, str], width: int) -> list[str]:
    """Return the board as text, the farthest row first; squares that `cells` does not name stay blank."""
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
    """Return the line below a grid: the letter of each column."""
    return " " * _LABEL + "".join(f"{chr(ord('a') + column):<{width}}" for column in range(board.columns)).rstrip()


# The calibration.


def add_arguments(parser: LazyParser) -> None:
    """Add what `calibrate` takes."""
    add_board_arguments(parser)
    parser.add_argument("--without", metavar="SQUARES", default="", help="leave broken squares out, e.g. a4,b7")
    parser.add_argument(
        "--try", metavar="SQUARES", default="", help="only these are built, e.g. a1,b1,a2,b2; save nothing"
    )
    parser.add_argument(
        "--learn", type=Path, metavar="FILE", help="learn which input is which square; write a board file, save nothing"
    )
    parser.add_argument(
        "--disc", type=_disc, metavar="DxT", help="disc under a piece: diameter x thickness in mm, e.g. 6x2"
    )
    parser.add_argument(
        "--gap", type=number_in(1, 20), metavar="MM", help="from the disc to the sensor; not said: by what pieces give"
    )
    parser.add_argument(
        "--sensor", choices=SENSORS, help="soldered in place of the board file's; with a Pico DRV5055A3-3V3"
    )
    parser.add_argument("--pitch", type=number_in(8, 100), metavar="MM", help="from one square's middle to the next")


def run(args: argparse.Namespace) -> int:
    """Calibrate the board; exit 2 naming the squares if something stands wrongly, 3 if the board does not answer."""
    if args.board.startswith("replay:"):
        raise BadInputError(SENTENCES["recording"])
    # at once, also for a program that reads along
    say = _say_on_stderr if args.json else functools.partial(print, flush=True)
    without, trying = (
        [one.strip() for one in text.split(",") if one.strip()] for text in (args.without, vars(args)["try"])
    )
    wish = Wish(without, trying, args.disc, args.gap, args.pitch, args.sensor)
    choice = BoardChoice(args.board, args.board_file, args.sensing, args.rules)
    with opened(choice, lambda news: None, full_speed=True) as board:
        session = new_session(board, choice, wish, say, of_hands=not args.json)
        if args.learn is not None:
            return _learn(session, args.learn, say)
        try:
            calibration = session.run()
        except NotCalibratedError as error:
            if args.json:
                print(json.dumps(_document(args, session, None, error.findings)))
            raise
        if args.json:
            print(json.dumps(_document(args, session, calibration, calibration.remarks)))
        else:
            _print_result(session, calibration)
    return 0


def _learn(session: Calibrator, path: Path, say: Callable[[str], object]) -> int:
    with file_named(f"--learn: {path}"):
        told, findings = session.learn(path)
    say(told)
    for finding in findings:
        say(f"{finding.what}\n-> {finding.next}")
    return 0


def _disc(text: str) -> tuple[float, float]:
    match text.split("x"):
        case [diameter, thickness]:
            return number_in(1, 20)(diameter), number_in(0.5, 20)(thickness)
    raise argparse.ArgumentTypeError(f"{text!r} is no disc such as 6x2")


def _say_on_stderr(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _print_result(session: Calibrator, calibration: Calibration) -> None:
    gains = sorted(abs(one.gain) for one in calibration.squares)
    with_magnet = sum(one.share is not None for one in calibration.squares)
    tried = "tried-odd" if calibration.remarks else "tried"
    told = SENTENCES[tried if session.trying else "saved"]
    print(told.format(squares=len(gains), measured=with_magnet, low=gains[0], high=gains[-1]))
    print(field_line(calibration))
    print(SENTENCES["shares"].format(typical=round(calibration.typical)))
    cells = {one.square: " .." if one.share is None else f"{round(100 * one.share):>3}" for one in calibration.squares}
    for line in grid_lines(session.file, cells, 4):
        print(line)
    for finding in calibration.remarks:
        print(finding.what)
        print(f"-> {finding.next}")


def _document(
    args: argparse.Namespace, session: Calibrator, calibration: Calibration | None, findings: Sequence[Finding]
) -> Mapping[str, object]:
    thresholds = calibration.thresholds if calibration else session.file.thresholds
    return {
        "board": args.board,
        "file": session.board.file.id,
        "rules": session.start.rules.name,
        "saved": calibration is not None and not session.trying,
        "left_out": sorted(session.without),
        "thresholds": {"on": thresholds.on, "off": thresholds.off},
        "field": {
            "disc_mm": [calibration.magnet.diameter_mm, calibration.magnet.thickness_mm],
            "gap_mm": calibration.magnet.gap_mm,
            "pitch_mm": session.file.pitch_mm,
            "quarter": round(calibration.quarter, 3),
        }
        if calibration
        else None,
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
    """Return a finding as JSON has it."""
    return {"kind": finding.kind.value, "squares": list(finding.squares), "what": finding.what, "next": finding.next}
