"""Pictures of made-up tables, drawn by the kiosk itself without a screen: for the documents, and to look at before a release.

Apart from the tables themselves (`fixtures`), which tests take without a window.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from kiosk_ui.fixtures import Sample

SIZES = ((800, 480),)


class Stage:
    """An offscreen window whose screen is given one state after another. There is one in a process.

    What it draws on keeps the size it was made with, so it is made as big as the biggest picture will be.
    """

    def __init__(self, *sizes: tuple[int, int]) -> None:
        from kiosk_ui.display import prepare_kivy

        prepare_kivy(offscreen=True)
        from kiosk_ui.window import draw_changes, open_window

        self._largest = (max(wide for wide, _ in sizes), max(high for _, high in sizes))
        self.window: Any = open_window(self._largest, frames_a_second=0)
        from kivy.base import EventLoop  # type: ignore[import-untyped]  # Kivy ships no types

        from kiosk_ui.table_screen import TableScreen

        self.screen: Any = TableScreen()
        self.window.add_widget(self.screen)
        draw_changes(self.window, self.screen.take_changes)
        EventLoop.ensure_window()
        EventLoop.start()
        self.resize(sizes[0])

    def resize(self, size: tuple[int, int]) -> None:
        """Return the window another size, none bigger than those it was made for."""
        assert size[0] <= self._largest[0], size
        assert size[1] <= self._largest[1], size
        if tuple(self.window.size) != size:
            self.window.size = size
        self.settle()

    def show(self, sample: Sample, language: str, turned: bool = False) -> None:
        """Show a made-up table, and let Kivy do all that it puts off to the next frame."""
        self.screen.state = sample.screen(language, turned)
        self.settle()

    def settle(self) -> None:
        """Let Kivy do what it puts off: a label lays out its text one frame after it was given it. Draws nothing yet."""
        from kivy.clock import Clock  # type: ignore[import-untyped]  # Kivy ships no types
        from kivy.lang import Builder  # type: ignore[import-untyped]  # as above

        for _ in range(2):
            Clock.tick()
            Builder.sync()
            Clock.tick_draw()
            Builder.sync()

    def save(self, path: Path) -> None:
        """Write what is shown as PNG."""
        from kiosk_ui.window import save_picture

        save_picture(self.window, path)


def make_shots(
    folder: Path,
    chosen: Sequence[Sample],
    languages: Sequence[str],
    sizes: Sequence[tuple[int, int]],
    turned: bool = False,
) -> Iterator[Path]:
    """Write a picture of each table in each language and size into `folder`, and yield each file as it is written.

    Its name says the table, whether one half is turned round, and language and size where there are several.
    """
    folder.mkdir(parents=True, exist_ok=True)
    stage = Stage(*sizes)
    for size in sizes:
        stage.resize(size)
        for language in languages:
            for sample in chosen:
                stage.show(sample, language, turned)
                named = [f"-{language}"] * (len(languages) > 1) + [f"-{size[0]}x{size[1]}"] * (len(sizes) > 1)
                path = folder / f"kiosk-{sample.name}{'-turned' * turned}{''.join(named)}.png"
                stage.save(path)
                yield path
