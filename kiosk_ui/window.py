"""The window and Kivy's loop, for the living kiosk and for pictures alike. Imported only after `prepare_kivy`."""
# mypy: disable-error-code="import-untyped,misc,no-any-unimported"
# Kivy ships no types.

from __future__ import annotations

import math
import os
import struct
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from kivy.config import Config

from kiosk_ui.display import OFFSCREEN, NoDisplayError
from referee.presentation import palette
from referee.presentation.shapes import Box

FRAMES_A_SECOND = 20
"""So often fingers are looked for; news and what moves wake the loop at once."""


def open_window(size: tuple[int, int] | None, frames_a_second: int = FRAMES_A_SECOND) -> Any:
    """Return the window, `size` pixels wide and high, or the whole screen without a size. Raises `NoDisplayError`.

    With 0 `frames_a_second` Kivy's loop never waits.
    """
    Config.set("graphics", "fullscreen", "auto" if size is None else "0")
    if size is not None:
        Config.set("graphics", "width", str(size[0]))
        Config.set("graphics", "height", str(size[1]))
    Config.set("graphics", "multisamples", "0")  # edges are soft without it (widgets.py), and a Pi's memory is small
    Config.set("graphics", "maxfps", str(frames_a_second))
    Config.set("kivy", "exit_on_escape", "0")
    Config.set("kivy", "kivy_clock", "interrupt")  # news wakes the loop; else it would wait for the next frame
    Config.set("input", "mouse", "mouse,disable_multitouch")
    Config.set("kivy", "log_level", "critical")
    # SDL makes a click of a finger: were /dev/input read besides, as Kivy does by default, a tap would be two. A window nobody sees
    # must not open the machine's touch screens at all.
    unwanted = set(Config.options("input")) - ({"mouse"} if os.environ.get("SDL_VIDEODRIVER") != OFFSCREEN else set())
    for provider in unwanted:
        Config.remove_option("input", provider)
    from kivy.core.window import Window  # importing it opens it

    if Window is None:
        raise NoDisplayError("no window could be opened on this screen; see --offscreen")
    Window.clearcolor = palette.NIGHT.rgba
    Window.show_cursor = size is not None
    if size is None:
        Window.bind(on_request_close=lambda *_arguments, **_keywords: True)  # nobody leaves a whole screen by a key
    if size is None and os.environ.get("SDL_VIDEODRIVER") == "x11":
        _fill_screen(Window)
    return Window


def draw_changes(window: Any, take_changes: Callable[[], Sequence[Box] | None]) -> None:
    """Let the window draw only what has changed, where it keeps the rest; `take_changes` returns the boxes, or None for
    everything.

    An offscreen window is a surface in memory which showing a frame leaves as it is (EGL 1.5, 3.10.1), and is drawn by the
    processor, pixel for pixel. What a screen's window still holds is not known: all of it is drawn, by the graphics chip.
    """
    from kivy.graphics import Callback, Canvas  # once the window is there
    from kivy.graphics.opengl import GL_COLOR_BUFFER_BIT, glClear, glClearColor
    from kivy.graphics.scissor_instructions import ScissorPop, ScissorPush

    keeps = os.environ.get("SDL_VIDEODRIVER") == OFFSCREEN

    def clear(*_: Any) -> None:
        glClearColor(*window.clearcolor)
        glClear(GL_COLOR_BUFFER_BIT)  # Kivy would clear buffers of depths and stencils too, which nothing here uses

    part, cut = Canvas(), ScissorPush(x=0, y=0, width=0, height=0)
    for instruction in (cut, Callback(clear), window.render_context, ScissorPop()):
        part.add(instruction)

    def draw(_window: Any) -> bool:
        boxes = take_changes()
        if boxes is None or not keeps:
            clear()
            window.render_context.draw()
            return True
        for box in boxes:
            cut.x, cut.y = math.floor(box.x), math.floor(box.y)
            cut.width, cut.height = math.ceil(box.width) + 1, math.ceil(box.height) + 1
            part.draw()
        return True

    window.bind(on_draw=draw)


def _fill_screen(window: Any) -> None:
    """Make the window as big as the screen by itself before it is made full-screen.

    Full-screen is the window manager's doing, and a kiosk's X server may run without one: the window would stay small while
    Kivy draws for the whole screen.
    """
    screen = tuple(window.size)
    window.fullscreen = False
    _settle()
    window.borderless = True
    window.size = screen
    window.left = window.top = 0
    _settle()
    window.fullscreen = "auto"
    _settle()


def _settle() -> None:
    from kivy.clock import Clock  # it reads the configuration when it is imported

    for _ in range(3):  # Kivy makes a new window in a later frame
        Clock.tick()


def save_picture(window: Any, path: Path) -> None:
    """Draw the window now and write what it shows as PNG."""
    from kivy.graphics.opengl import GL_RGB, GL_UNSIGNED_BYTE, glReadPixels  # once the window is there

    window.dispatch("on_draw")
    wide, high = window.size
    part = path.with_suffix(".part.png")
    part.write_bytes(_png(wide, high, bytes(glReadPixels(0, 0, wide, high, GL_RGB, GL_UNSIGNED_BYTE))))
    os.replace(part, path)


def _png(wide: int, high: int, pixels: bytes) -> bytes:
    """Return pixels of three bytes each, lowest row first, as PNG. Kivy's own way skews them where `wide` is no multiple of four."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    row = 3 * wide
    unfiltered = b"".join(b"\0" + pixels[at : at + row] for at in range((high - 1) * row, -1, -row))
    head = struct.pack(">IIBBBBB", wide, high, 8, 2, 0, 0, 0)  # eight bits a colour, three colours, nothing special
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(unfiltered, 9)) + chunk(b"IEND", b"")
    )


def save_open_window(path: Path) -> None:
    """Draw the one window of this process now and write what it shows as PNG."""
    from kivy.core.window import Window

    save_picture(Window, path)
