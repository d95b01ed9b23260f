"""An examination of a board: listens, asks, and shows a live picture or one report."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from firmware_bridge import BoardUnreachableError
from firmware_bridge.advice import Kind
from firmware_bridge.checkup import BoardState, Checkup, diagnose
from firmware_bridge.messages import AskHello, AskKeyframe, Command, News, SelfTest
from firmware_bridge.sources import ReplaySource, SimSource
from hardware import Sensing
from referee.cli.calibrating import finding_document
from referee.cli.doctor_screen import WIDTH, screen
from referee.runtime.boards import OpenBoard, SimulatedHands, opened, start_of
from referee.runtime.errors import BadInputError
from referee.terminal import Paper

SAMPLES = 8  # of every amplitude, for a report
QUESTIONS = 20  # whose answers are timed, for a report
_SHOW_S = 0.2
_ASK_S = 1.0

# rich's own template loads a web font; a picture in our documents loads nothing
_SVG = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{
font-family: "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: {char_height}px; line-height: {line_height}px; }}
.{unique_id}-title {{ font-family: sans-serif; font-size: 18px; font-weight: bold; }}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" /></clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def examine(args: argparse.Namespace) -> int:
    """Examine the board that the arguments name, live or once."""
    if args.picture is not None and args.picture.suffix != ".svg":
        raise BadInputError(f"--picture: {args.picture}: the name must end in .svg")
    live = not (args.once or args.json or args.picture) and sys.stdout.isatty()
    early: list[News] = []
    hearers = [early.append]
    with opened(args, lambda news: hearers[-1](news), full_speed=not live) as board:
        start = start_of(board.file, args.rules)
        wanted = BoardState(args.expect) if args.expect else None
        checkup = Checkup(board.file, start.readings if start else {}, wanted)
        for news in early:
            checkup.hear(news)
        hearers.append(checkup.hear)
        examination = Examination(args, board, checkup)
        if isinstance(board.source, SimSource) and start is not None and wanted is not BoardState.EMPTY:
            hands = SimulatedHands(board.source, board.talk)
            if not live:
                hands.set_up(start)
            else:
                hands.begin_set_up(start)
        if live:
            examination.show()
        else:
            examination.listen(args.seconds)
            _report(args, examination)
    return 0


class Examination:
    """One board under examination. A recording is only listened to; a board that is there is asked as well."""

    def __init__(self, args: argparse.Namespace, board: OpenBoard, checkup: Checkup) -> None:
        self.url: str = args.board
        self.checkup = checkup
        self._talk = board.talk
        self._recorded = isinstance(board.source, ReplaySource)
        self._amplitudes = board.file.sensing is Sensing.COLOUR and not checkup.disagreements

    def listen(self, seconds: float) -> None:
        """Hear the board for so long, its self-test, amplitudes and answers included; the end of a recording ends it."""
        end_s = time.monotonic() + seconds
        if self._recorded:
            with contextlib.suppress(BoardUnreachableError):
                self._talk.wait(seconds)
            return
        self._talk.do(SelfTest())
        for _ in range(SAMPLES if self._amplitudes else 0):
            self._talk.amplitudes(len(self.checkup.board.squares))
        for _ in range(QUESTIONS):
            self._ask(AskHello())
        self._talk.wait(max(end_s - time.monotonic(), 0.0))

    def show(self) -> None:
        """Show the live picture until Ctrl-C; raise BoardUnreachableError when the board is gone for good."""
        asked_s = 0.0
        question: Command = AskKeyframe(with_raw=self._amplitudes)
        if not self._recorded:
            self._talk.do(SelfTest())
        with Live(screen=True, auto_refresh=False) as picture:
            while True:
                picture.update(Group(*self.lines(picture.console.height)), refresh=True)
                try:
                    if time.monotonic() - asked_s >= _ASK_S and not self._recorded and self.checkup.link.up:
                        asked_s = time.monotonic()
                        self._ask(question)
                    self._talk.wait(_SHOW_S)
                except BoardUnreachableError:
                    self._talk.wait(0)  # a cable that is out is told now; a board that is gone for good raises again
                    self.checkup.unanswered += self.checkup.link.up

    def lines(self, height: int | None) -> list[Text]:
        """Give the picture as it is now."""
        return screen(self.checkup, diagnose(self.checkup, self.url), self.url, height=height)

    def _ask(self, command: Command) -> None:
        asked_s = time.monotonic()
        self._talk.do(command)
        self.checkup.answered(1000 * (time.monotonic() - asked_s))


def _report(args: argparse.Namespace, examination: Examination) -> None:
    if args.picture is not None:
        _draw(args.picture, examination)
    if args.json:
        print(json.dumps(_document(examination)))
    elif args.picture is None:
        paper = Paper()
        for line in examination.lines(None):
            paper.print(line, soft_wrap=True)


def _draw(path: Path, examination: Examination) -> None:
    with open("/dev/null", "w", encoding="utf-8") as nowhere:
        console = Console(record=True, width=WIDTH, file=nowhere, force_terminal=True, color_system="truecolor")
        console.print(Group(*examination.lines(24)))
        try:
            console.save_svg(str(path), title="hallmarshal doctor", code_format=_SVG, unique_id="doctor")
        except OSError as error:
            raise BadInputError(f"--picture: {path}: {error.strerror}") from None


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
                "trouble": _word(diagnosis.troubles.get(square.name)),
            }
            for square in checkup.squares
        },
        "findings": [finding_document(finding) for finding in diagnosis.findings],
        "well": not diagnosis.findings,
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)


def _word(kind: Kind | None) -> str | None:
    return kind.value if kind else None
