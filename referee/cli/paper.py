"""The consoles on which commands print tables, boards and styled lines."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from referee.cli.terminal_text import raw, visible


class TerminalConsole(Console):
    """A console on stdout, or stderr, whose only control sequences are rich's own."""

    def __init__(self, *, stderr: bool = False, **options: Any) -> None:
        super().__init__(file=raw(sys.stderr if stderr else sys.stdout), highlight=False, **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Return the segments; text passes `visible`."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(visible(segment.text), segment.style)

    def on_broken_pipe(self) -> None:
        """Leave a reader that went away to the root command; rich would end the process with exit code 1."""
        raise BrokenPipeError


class Paper(TerminalConsole):
    """A console that takes text as it is."""

    def __init__(self) -> None:
        super().__init__(markup=False, emoji=False)
