"""A door on a thread instead of in a process: the same sockets, limits and library, for tests that start no process."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from dataclasses import replace

from referee.door.front_door import FrontDoor
from referee.door.messages import Response
from referee.door.server import Door
from referee.door.settings import DoorSettings


def body_of(answer: Response) -> bytes:
    """Return the body of an answer that comes in one piece."""
    assert isinstance(answer.body, bytes)
    return answer.body


class ThreadDoor(FrontDoor):
    """A front door whose process is a thread. It has descriptors of its own, as a process would."""

    def open_door(self, settings: DoorSettings) -> Callable[[], object]:
        """Open it; return what waits for its end."""
        own = replace(settings, listeners=tuple(map(os.dup, settings.listeners)), control=os.dup(settings.control))

        async def run() -> None:
            await Door(own).run()

        thread = threading.Thread(target=lambda: asyncio.run(run()), name="thread-door", daemon=True)
        thread.start()
        return thread.join
