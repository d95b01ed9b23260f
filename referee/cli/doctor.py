"""`hallmarshal doctor`: looks at every square and at the link, and says what is wrong and what to do next.

It shows a live picture or one report in a terminal of 80 x 24. The picture first, from a checkup to lines without I/O: facts, every
square, findings.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from rich.console import Group
from rich.live import Live
from rich.text import Text

from firmware_bridge import advice
from firmware_bridge.advice import Defect, Finding
from firmware_bridge.checkup import Checkup, Diagnosis, Expected, SquareStats, diagnose
from firmware_bridge.examination import Examination
from firmware_bridge.messages import Reading
from hardware import BoardFile, Sensing
from referee.cli.calibrate import finding_document, grid_lines, grid_width, spots
from referee.cli.command import LazyParser, add_board_arguments, number_in
from referee.runtime.boards import BoardChoice, examined
from referee.runtime.errors import BadInputError, file_named
from referee.terminal import TerminalConsole, draw_svg

WIDTH, HEIGHT = 80, 24
_CELL = 3
_LEAST_BESIDE = 32  # columns that text beside the board needs to be readable

# what tells readings apart is the letter; the colours (Okabe and Ito's) only help those who see them
_SIGNS: Mapping[Reading, tuple[str, str]] = {
    Reading.EMPTY: ("\u00b7", "dim"),
    Reading.RED: ("R", "bold #d55e00"),
    Reading.BLUE: ("B", "bold #56b4e9"),
    Reading.UNSURE: ("?", "bold #f0e442"),
}
_MAGNET = ("M", "bold #d55e00")
_TRIED = ("\u2713", "dim")

MARKS: Mapping[Defect, tuple[str, str]] = {
    Defect.OUT_OF_RANGE: ("!", "end of range"),
    Defect.COLD_JOINT: ("c", "cold joint"),
    Defect.SHORTED: ("j", "joined"),
    Defect.TURNED: ("t", "turned"),
    Defect.REVERSED: ("r", "reversed"),
    Defect.STUCK: ("s", "stuck"),
    Defect.NOTHING_FELT: ("x", "dead or missing"),
    Defect.UNSTEADY: ("u", "unsteady"),
    Defect.WEAK: ("w", "weak"),
    Defect.UNSURE: ("?", "between"),
    Defect.DRIFTED: ("d", "drifted"),
}
"""The mark of each trouble of a square beside its letter, and its word in the legend."""
_TROUBLE_STYLE = "bold reverse"


def screen(checkup: Checkup, diagnosis: Diagnosis, url: str, *, height: int | None = HEIGHT) -> list[Text]:
    """Return the lines of the picture; with a `height` never more, at most 80 columns wide. None: as many as it takes."""
    board, findings, troubles = checkup.board, diagnosis.findings, diagnosis.troubles
    width = grid_width(board, _CELL)
    beside = WIDTH - width - 2
    lines = [*_facts(checkup, url), Text()]
    grid = _board(checkup, diagnosis)
    legend = _legend(board, troubles)
    if beside >= _LEAST_BESIDE and height is not None:
        above = [[*_wrapped(legend, beside, "dim"), Text()], _summary(checkup, diagnosis, beside)]
        right = _fitted(above, findings, beside, height - len(lines) - 1)
        return [*lines, *_side_by_side(grid, right, width)][:height]
    above = [_wrapped(legend, WIDTH, "dim"), _summary(checkup, diagnosis, WIDTH)]
    if height is None:
        return [*lines, *grid, *above[0], *above[1], *_told(findings, WIDTH)]
    below = _fitted(above, findings, WIDTH, height - len(lines) - len(grid) - 1)
    return [*lines, *grid, *below][:height]


def _facts(checkup: Checkup, url: str) -> Iterator[Text]:
    link, hello = checkup.link, checkup.hello
    yield Text(_cut(f"hallmarshal doctor   {url}"), "bold")
    if hello is None:
        yield Text(_cut(f"{checkup.board.id}, {checkup.board.sensing.value}; no HELLO heard yet"))
    else:
        calibrated = "calibrated" if hello.calibrated else "NOT CALIBRATED"
        start = f"start {hello.boot_count} ({hello.reset.name.lower().replace('_', '-')})"
        yield Text(_cut(f"{hello.board_id}, {hello.sensing.name.lower()}, {hello.firmware}, {start}, {calibrated}"))
    told = checkup.board.scan.hz
    rate = "at rest" if link.seen_hz is None else f"{link.seen_hz:.0f}/s of {told}"
    half, most = link.answer_ms(0.5), link.answer_ms(0.99)
    answers = "" if half is None or most is None else f"  answers {half:.1f} ms, slowest {most:.1f}"
    numbers = f"frames {link.frames}  scans {rate}  lost {link.lost_messages}  broken {link.broken}{answers}"
    yield Text(_cut(numbers)) if link.up else Text(_cut(advice.LINK_DOWN), _TROUBLE_STYLE)


def _board(checkup: Checkup, diagnosis: Diagnosis) -> list[Text]:
    """Return the board's lines, each square a letter and a mark: what is wrong with it, else its strength in tenths."""
    troubles, shares = diagnosis.troubles, diagnosis.strengths.shares
    signs = {square.name: _sign(checkup, square) for square in checkup.built}
    marks = {
        square.name: MARKS[troubles[square.name]][0] if square.name in troubles else _tenths(square, shares)
        for square in checkup.built
    }
    cells = dict.fromkeys(checkup.absent, "  ") | {name: signs[name][0] + marks[name] for name in signs}
    lines = [Text(line) for line in grid_lines(checkup.board, cells, _CELL)]
    for name, (line, column) in spots(checkup.board, _CELL).items():
        if name in checkup.absent:
            continue
        begin = column + 4
        style = _TROUBLE_STYLE if name in troubles else signs[name][1]
        lines[line].stylize(style, begin, begin + len(cells[name].rstrip()))
    return lines


def _sign(checkup: Checkup, square: SquareStats) -> tuple[str, str]:
    if checkup.board.sensing is Sensing.OCCUPANCY and square.reading is Reading.RED:
        return _MAGNET
    if square.reading is Reading.EMPTY and square.felt:
        return _TRIED
    return _SIGNS[square.reading]


def _tenths(square: SquareStats, shares: Mapping[str, float]) -> str:
    if square.reading is Reading.EMPTY or square.name not in shares:
        return " "
    return str(min(int(10 * shares[square.name]), 9))


def _legend(board: BoardFile, troubles: Mapping[str, Defect]) -> str:
    colour = board.sensing is Sensing.COLOUR
    words = ["R red", "B blue", "? between", "digit: strength in tenths"] if colour else ["M magnet"]
    words += ["\u00b7 empty", "\u2713 empty, has felt one"]
    words += [f"{MARKS[kind][0]} {MARKS[kind][1]}" for kind in MARKS if kind in troubles.values()]
    return ", ".join(words)


def _summary(checkup: Checkup, diagnosis: Diagnosis, width: int) -> list[Text]:
    """Return what can be said of the board as a whole."""
    position = checkup.position
    standing = [square for square in checkup.built if square.reading is not Reading.EMPTY]
    if position is Expected.START:
        felt, wanted, text = sum(s.name in checkup.start for s in standing), len(checkup.start), advice.START_SEEN
    elif position is Expected.EMPTY:
        felt = sum(_has_felt_one(square, diagnosis.troubles.get(square.name)) for square in checkup.built)
        wanted, text = len(checkup.built), advice.EMPTY_SEEN
    else:
        felt, wanted, text = len(standing), len(checkup.built), advice.GAME_SEEN
    said = [] if checkup.disagreements else _wrapped(text.format(felt=felt, wanted=wanted), width)
    return [*said, *(() if diagnosis.findings else _wrapped(advice.ALL_WELL, width, "bold"))]


def _has_felt_one(square: SquareStats, trouble: Defect | None) -> bool:
    """Return whether a square has felt a magnet: one that came, and nothing else is wrong than that it stands there now."""
    return square.arrivals > 0 if trouble in (Defect.STUCK, Defect.WEAK) else square.felt and trouble is None


def _told(findings: Sequence[Finding], width: int) -> list[Text]:
    lines = []
    for finding in findings:
        lines += [*_wrapped(finding.what, width, "bold"), *_wrapped(f"\u2192 {finding.next}", width)]
    return lines


def _fitted(above: Sequence[Sequence[Text]], findings: Sequence[Finding], width: int, room: int) -> list[Text]:
    """Return what stands above, then as many findings as there is room for, and how many are left out.

    Where not one finding finds room the parts above are left out, the first one first.
    """
    for parts in range(len(above) + 1):
        kept = [line for part in above[parts:] for line in part]
        for shown in range(len(findings), 0 if findings and parts < len(above) else -1, -1):
            left_out = len(findings) - shown
            more = _wrapped(advice.MORE_FINDINGS.format(count=left_out), width, "bold") if left_out else []
            lines = [*kept, *_told(findings[:shown], width), *more]
            if len(lines) <= room:
                return lines
    return []


def _wrapped(text: str, width: int, style: str = "") -> list[Text]:
    return [Text(line, style) for line in textwrap.wrap(text, width)]


def _side_by_side(left: Sequence[Text], right: Sequence[Text], width: int) -> list[Text]:
    lines = []
    for one, beside in itertools.zip_longest(left, right):
        line = one.copy() if one else Text()
        if beside is not None:
            line.pad_right(width + 2 - line.cell_len)
            line.append_text(beside)
        lines.append(line)
    return lines


def _cut(text: str) -> str:
    return text if len(text) <= WIDTH else text[: WIDTH - 1] + "\u2026"


# The command.


def add_arguments(parser: LazyParser) -> None:
    """Add what `doctor` takes."""
    add_board_arguments(parser)
    parser.add_argument(
        "--expect",
        choices=("start", "empty"),
        help="what stands on the board: the start position, or nothing (default: what it looks like)",
    )
    parser.add_argument(
        "--tiles",
        type=int,
        choices=(1, 2, 3),
        help="of a board of tiles only so many are there, the first: leave the others out",
    )
    parser.add_argument("--once", action="store_true", help="print one report instead of a live picture")
    parser.add_argument(
        "--seconds",
        type=number_in(0, 3600, "seconds"),
        default=3.0,
        metavar="N",
        help="how long to listen for a report (default: 3)",
    )
    parser.add_argument("--picture", type=Path, metavar="FILE", help="write the picture to FILE.svg, and end")


def run(args: argparse.Namespace) -> int:
    """Show the board until Ctrl-C, or report once; exit 0 whatever was found, 3 if the board does not answer."""
    if args.picture is not None and args.picture.suffix != ".svg":
        raise BadInputError(f"--picture: {args.picture}: the name must end in .svg")
    live = not (args.once or args.json or args.picture) and sys.stdout.isatty()
    wanted = Expected(args.expect) if args.expect else None
    board = BoardChoice(args.board, args.board_file, args.sensing, args.rules)
    with examined(board, wanted, live=live, tiles=args.tiles) as examination:
        if live:
            _show(examination)
        else:
            examination.listen(args.seconds)
            _report(args, examination)
    return 0


def _show(examination: Examination) -> None:
    """Show the live picture until Ctrl-C; raise BoardUnreachableError when the board is gone for good."""
    with Live(screen=True, auto_refresh=False) as picture:
        for _ in examination.watch():
            picture.update(Group(*_lines(examination, picture.console.height)), refresh=True)


def _lines(examination: Examination, height: int | None) -> list[Text]:
    """Return the picture as it is now."""
    diagnosis = diagnose(examination.checkup, examination.url)
    return screen(examination.checkup, diagnosis, examination.url, height=height)


def _report(args: argparse.Namespace, examination: Examination) -> None:
    if args.picture is not None:
        _draw(args.picture, examination)
    if args.json:
        print(json.dumps(_document(examination)))
    elif args.picture is None:
        paper = TerminalConsole()
        for line in _lines(examination, None):
            paper.print(line, soft_wrap=True)


def _draw(path: Path, examination: Examination) -> None:
    with file_named(f"--picture: {path}"):
        draw_svg(path, Group(*_lines(examination, HEIGHT)), "hallmarshal doctor")


def _document(examination: Examination) -> Mapping[str, object]:
    checkup = examination.checkup
    link, hello = checkup.link, checkup.hello
    diagnosis = diagnose(checkup, examination.url)
    shares = diagnosis.strengths.shares
    return {
        "board": examination.url,
        "file": checkup.board.id,
        "hello": None
        if hello is None
        else {
            "board_id": hello.board_id,
            "firmware": hello.firmware,
            "protocol": hello.protocol,
            "sensing": hello.sensing.name.lower(),
            "boot_count": hello.boot_count,
            "reset": hello.reset.name.lower(),
            "calibrated": hello.calibrated,
        },
        "disagreements": list(checkup.disagreements),
        "position": checkup.position.value,
        "link": {
            "frames": link.frames,
            "scan_hz": None if link.seen_hz is None else round(link.seen_hz, 1),
            "lost": link.lost_messages,
            "broken": link.broken,
            "reboots": link.reboots,
            "losses": link.losses,
        },
        "answers_ms": {"p50": _rounded(link.answer_ms(0.5)), "p99": _rounded(link.answer_ms(0.99))},
        "squares": {
            square.name: {
                "reading": square.reading.name.lower(),
                "strength": _rounded(shares.get(square.name)),
                "changes": square.changes,
                "trouble": kind.value if (kind := diagnosis.troubles.get(square.name)) else None,
            }
            for square in checkup.built
        },
        "findings": [finding_document(finding) for finding in diagnosis.findings],
        "well": not diagnosis.findings,
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)
