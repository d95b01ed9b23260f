"""The kiosk's application under fingers, in a process of its own: prints one JSON object of what came of them. Not a test itself."""

from __future__ import annotations

import json
from typing import Any

from kiosk_ui.environment import prepare_kivy
from kiosk_ui.hand import Settings
from kiosk_ui.samples_touch import touch_samples
from referee.link.notes import KioskWish

_PATIENCE = 1_000_000


def main() -> None:
    """Touch the menu, pause, the language and the menu again, and wait for it to close by itself."""
    prepare_kivy(offscreen=True)
    from kiosk_ui.window import open_window

    window = open_window((800, 480), frames_a_second=0)
    from kivy.base import EventLoop  # type: ignore[import-untyped]  # Kivy ships no types
    from kivy.tests.common import UnitTestTouch  # type: ignore[import-untyped]  # as above

    from kiosk_ui import app as application

    application.LEFT_OPEN_S = 3600.0  # however slow this machine is, no page closes between two fingers
    wishes: list[KioskWish] = []
    app = application.KioskApp(Settings("en"), wishes.append)
    window.add_widget(app.screen)
    EventLoop.ensure_window()
    EventLoop.start()
    sample = next(sample for sample in touch_samples() if sample.name == "captured")
    app.show(sample.heard)

    def settle() -> None:
        EventLoop.idle()
        EventLoop.idle()

    def finger(key: str) -> None:
        settle()
        box: Any = next(
            panel.seen_at(box) for panel in app.screen.panels for button, box in panel.buttons if button.key == key
        )
        touch = UnitTestTouch(*box.centre)
        touch.touch_down()
        touch.touch_up()

    said = [app.screen.state.table.banner.text]
    for key in ("page=menu", "pause", "page=menu", "page=language", "language=da"):
        finger(key)
    said.append(app.screen.state.table.banner.text)
    application.LEFT_OPEN_S = 0.01
    finger("page=menu")
    opened = app.screen.state.sheet is not None
    for _ in range(_PATIENCE):
        if app.screen.state.sheet is None:
            break
        settle()
    answer = {
        "wishes": [[wish.kind, wish.value] for wish in wishes],
        "said": said,
        "opened": opened,
        "closed": app.screen.state.sheet is None,
        "settings": app.open_settings(),
    }
    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
