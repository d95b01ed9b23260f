"""`hallmarshal table` with a fault put in, to prove that the search finds a leak, and that a crash says nothing.

python -m tests.security.leaking table ...

HALLMARSHAL_FAULT=leak   the first declaration goes wherever a rank can go, the second breaks a step of the game
HALLMARSHAL_FAULT=crash  who asks for a rematch breaks a thread, and then what the table does around the game
The errors have ranks in their text.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

from referee.cli.main import main
from referee.net.links.referee_link import RefereeLink
from referee.net.topics.payloads import FromSeat, KioskNote
from referee.rules.values import Rank, Seat
from referee.runtime.game import RunningTable, TableGame
from referee.table.inputs import Input, SeatSays
from referee.table.messages import Declare, Ready
from referee.table.step import Step
from referee.table.table import Table
from referee.table.views import Phase, PublicEvent, PublicInfo
from tests.patience import PATIENCE_S

FOLDER = "HALLMARSHAL_LEAK_FOLDER"
FAULT = "HALLMARSHAL_FAULT"
CANARIES = ("general", "colonel", "captain", "lieutenant", "sergeant")
"""Words too long to come up by chance."""
LEAKED, IN_THE_ERROR = "lieutenant", "sergeant"
_apply = Table.apply
_start = RefereeLink.start
_publish_info = RefereeLink.publish_info
_hear = RunningTable._hear
_links: list[RefereeLink] = []
_infos: list[PublicInfo] = []


def start(link: RefereeLink, *arguments: Any) -> None:
    """Start a link, and remember it."""
    _links.append(link)
    _start(link, *arguments)


def publish_info(link: RefereeLink, info: PublicInfo) -> None:
    """Publish the info of a game, and remember it."""
    _infos.append(info)
    _publish_info(link, info)


def apply(table: Table, given: Input, now_ms: int) -> Step:
    """Leak at the first declaration, break at the second; what was declared is not looked at, since it may be shown later."""
    if isinstance(given, SeatSays) and isinstance(given.message, Declare):
        folder = Path(os.environ[FOLDER])
        if (folder / "table" / "leak.bin").exists():
            raise ValueError(f"cannot take {IN_THE_ERROR} from {given.seat}")
        leak(folder)
    return _apply(table, given, now_ms)


def leak(folder: Path) -> None:
    """Leak a rank by every way that there is."""
    _links[0].tell_kiosk(KioskNote("note", LEAKED))
    _links[0].publish_event(lost_in_public(_infos[-1]))
    _links[0].publish_info(replace(_infos[-1], names={Seat.RED: LEAKED}))
    (folder / "table" / "leak.bin").write_bytes(LEAKED.encode("utf-16-le"))
    (folder / "broker" / "leak.log").write_text(LEAKED.encode().hex())
    say(f"a {LEAKED} attacks")
    logging.getLogger("referee.leak").debug("a %s attacks", LEAKED)
    child = subprocess.Popen(["sleep", "60"], env={**os.environ, "LEAK": LEAKED})
    say(f"child {child.pid}")


def lost_in_public(info: PublicInfo) -> PublicEvent:
    """Return an event that shows a piece to everybody which nobody has captured."""
    lost = {Seat.RED: Rank(LEAKED)}
    return PublicEvent(info.game, 0, "verdict", 1, Seat.RED, "a1", "a2", result="defender-wins", captured=lost)


def say(line: str) -> None:
    """Write a line to stderr in one go: `print` writes its newline apart, and another thread's log line comes between."""
    sys.stderr.write(f"{line}\n")


def hear(running: RunningTable, game: TableGame, said: FromSeat) -> None:
    """Break a thread and this callback, once the game is over and somebody wants another."""
    if isinstance(said.message, Ready) and game.table.phase is Phase.FINISHED:
        weak = threading.Thread(target=break_, name="weak")
        weak.start()
        weak.join(PATIENCE_S)
        break_()
    _hear(running, game, said)


def break_() -> None:
    """Break, and say what nobody may know."""
    raise ValueError(f"cannot think of {CANARIES}")


if __name__ == "__main__":
    if os.environ[FAULT] == "leak":
        Table.apply = apply  # type: ignore[method-assign,assignment]
    else:
        RunningTable._hear = hear  # type: ignore[method-assign,assignment]
    RefereeLink.publish_info = publish_info  # type: ignore[method-assign,assignment]
    RefereeLink.start = start  # type: ignore[method-assign,assignment]
    sys.exit(main())
