"""What a terminal shows: the consoles on which commands print, and the table's board, kept up to date or as one picture.

Apart from `terminal_text`, which every command imports before it knows whether it needs rich; what is drawn is `presentation.text_board`.
"""

from __future__ import annotations

import io
import re
import sys
import threading
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.live import Live
from rich.segment import Segment
from rich.text import Text

from referee.presentation.text_board import WIDTH, terminal_board
from referee.table.views import PublicInfo, PublicView
from referee.terminal_text import raw, visible

_SECOND_S = 1.0
_PAUSE_S = 0.1
"""The terminal is drawn at most ten times a second: a demo at full speed plays faster than anybody reads."""


class TerminalConsole(Console):
    """A console on stdout, or stderr, that takes text as it is; its only control sequences are rich's own."""

    def __init__(self, *, stderr: bool = False, **options: Any) -> None:
        super().__init__(
            file=raw(sys.stderr if stderr else sys.stdout), highlight=False, markup=False, emoji=False, **options
        )

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Return the segments; text passes `visible`."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(visible(segment.text), segment.style)

    def on_broken_pipe(self) -> None:
        """Leave a reader that went away to the root command; rich would end the process with exit code 1."""
        raise BrokenPipeError


def show_in_turn(info: PublicInfo, views: Sequence[PublicView], plies_a_second: float, language: str) -> None:
    """Show the board before the first ply and after each one; the last stays."""
    with LiveBoard(TerminalConsole(), language) as board:
        for number, view in enumerate(views):
            if number:
                time.sleep(1 / plies_a_second)
            board.show(info, view)


def svg_picture(drawn: RenderableType, title: str) -> str:
    """Return what is drawn as it looks in a terminal, as an SVG picture that fetches nothing from anywhere."""
    console = Console(width=WIDTH, file=io.StringIO(), record=True, force_terminal=True, color_system="truecolor")
    console.print(drawn)
    picture = console.export_svg(title=title)
    return re.sub(r"@font-face \{.*?\}\s*|<!--.*?-->\s*", "", picture, flags=re.DOTALL)


def draw_svg(path: Path, drawn: RenderableType, title: str) -> None:
    """Write such a picture. Raises `OSError`."""
    path.write_text(svg_picture(drawn, title), encoding="utf-8")


class LiveBoard:
    """Keeps the board in a terminal up to date, as a context manager; it draws on a thread of its own, and only what is new."""

    def __init__(self, console: Console, language: str) -> None:
        self._console = console
        self._language = language
        self._newest: tuple[PublicInfo, PublicView] | None = None
        self._shown_s = 0.0
        self._changed, self._ending = threading.Event(), threading.Event()
        self._live = Live(
            console=console, auto_refresh=False, get_renderable=self._renderable, vertical_overflow="crop"
        )
        self._thread = threading.Thread(target=self._keep_drawing, name="terminal-board", daemon=True)

    def show(self, info: PublicInfo, view: PublicView) -> None:
        """Show this table soon. Never waits; of several in a row only the last may be drawn."""
        self._newest, self._shown_s = (info, view), time.monotonic()
        self._changed.set()

    def __enter__(self) -> LiveBoard:
        self._live.start()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Draw the newest once more and leave it on the terminal."""
        self._ending.set()
        self._changed.set()
        self._thread.join()
        self._live.stop()  # draws once more

    def _renderable(self) -> RenderableType:
        if self._newest is None:
            return Text()
        return terminal_board(*self._newest, self._language, int((time.monotonic() - self._shown_s) * 1000))

    def _counts_down(self) -> bool:
        return self._newest is not None and any(face.runs for face in self._newest[1].clocks.values())

    def _keep_drawing(self) -> None:
        while not self._ending.is_set():
            self._changed.wait(_SECOND_S if self._counts_down() else None)
            self._changed.clear()
            self._live.refresh()
            self._ending.wait(_PAUSE_S)
