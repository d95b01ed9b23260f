"""A living kiosk in this process: a window, a link that comes back by itself, and an end. Imports Kivy only when it runs."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from kiosk_ui.ends import Ending, Ends
from kiosk_ui.environment import prepare_kivy
from kiosk_ui.heard import Heard
from referee.link.errors import BrokerRefusedError, BrokerUnreachableError
from referee.link.incoming import KioskIncoming, LinkDown
from referee.words import words

NOT_REACHABLE = 3
_AGAIN_S = 1.0


class Link(Protocol):
    """What a kiosk needs of its link."""

    def start(self) -> None:
        """Connect; raises a `BrokerError`."""

    def stop(self) -> None:
        """Disconnect."""


Connect = Callable[[Callable[[KioskIncoming], None]], Link]
"""Makes a link that hands what it hears to the callable, on a thread of its own."""


@dataclass(frozen=True, slots=True)
class KioskOptions:
    """How the kiosk appears: its language, and the size of its window; None is the whole screen."""

    language: str
    size: tuple[int, int] | None
    offscreen: bool = False


def run_kiosk(
    options: KioskOptions,
    connect: Connect,
    parent: int | None = None,
    on_shown: Callable[[Heard], None] = lambda heard: None,
) -> Ending:
    """Show a table until a signal, the window's closing, the end of the pipe `parent`, or a broker that refuses this kiosk.

    A broker that does not answer is waited for: the screen says so. `on_shown` is told what was drawn, frame by frame. Raises
    `NoDisplayError` before anything was started. To be called on the main thread, once in a process.
    """
    spoken = words(options.language)
    prepare_kivy(options.offscreen)
    from kiosk_ui.window import open_window

    window = open_window(options.size)
    from kiosk_ui.app import Door, KioskApp

    app = KioskApp(spoken)
    door = Door(app, on_shown)
    window.bind(on_flip=door.drawn)
    door.knock()
    ends = Ends(door.stop)
    ends.heed_signals()
    if parent is not None:
        ends.follow(parent)
    link = threading.Thread(target=_stay_linked, args=(connect, door.take, ends), name="kiosk-link")
    link.start()
    try:
        app.run()
    finally:
        ends.coming.set()
        link.join()
    return ends.ending


def _stay_linked(connect: Connect, take: Callable[[KioskIncoming], None], ends: Ends) -> None:
    """Keep one link until the end; it comes back by itself once it was up, so only its first start is tried again here."""

    def hear(value: KioskIncoming) -> None:
        if isinstance(value, LinkDown) and value.refused:
            ends.put(Ending(NOT_REACHABLE, f"the broker no longer lets this kiosk in ({value.reason})"))
        take(value)

    while not ends.coming.is_set():
        link = connect(hear)
        try:
            link.start()
        except BrokerUnreachableError:
            ends.coming.wait(_AGAIN_S)
        except BrokerRefusedError as error:
            ends.put(Ending(NOT_REACHABLE, str(error)))
            return
        else:
            ends.coming.wait()
            link.stop()
            return
