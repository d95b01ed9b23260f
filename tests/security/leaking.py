"""`hallmarshal table` with a fault put in, to prove that the search finds a leak, and that a crash says nothing.

python -m tests.security.leaking table ...      HALLMARSHAL_FAULT=leak: the first declared rank goes wherever it can go
                                                HALLMARSHAL_FAULT=crash: the program breaks with that rank in the error's text
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from referee.arbitration.messages import Declare
from referee.arbitration.table import Table
from referee.cli.main import main
from referee.link.notes import KioskNote
from referee.link.referee_link import RefereeLink

FOLDER = "HALLMARSHAL_LEAK_FOLDER"
LEAKED, IN_THE_ERROR = "lieutenant", "sergeant"
_tell = Table.tell
_start = RefereeLink.start
_links: list[RefereeLink] = []


def start(link: RefereeLink, *arguments: Any) -> None:
    """Start a link, and remember it."""
    _links.append(link)
    _start(link, *arguments)


def tell(table: Table, seat: Any, message: Any, now_ms: int) -> Any:
    """Leak at the first declaration, break at the second; what was declared is not looked at, since it may be shown later."""
    if isinstance(message, Declare):
        folder = Path(os.environ[FOLDER])
        if (folder / "table" / "leak.bin").exists():
            raise ValueError(f"cannot take {IN_THE_ERROR} from {seat}")
        leak(folder)
    return _tell(table, seat, message, now_ms)


def leak(folder: Path) -> None:
    """Tell everybody in every way."""
    _links[0].tell_kiosk(KioskNote("note", LEAKED))
    (folder / "table" / "leak.bin").write_bytes(LEAKED.encode("utf-16-le"))
    (folder / "broker" / "leak.log").write_text(LEAKED.encode().hex())
    print(f"a {LEAKED} attacks", file=sys.stderr, flush=True)
    child = subprocess.Popen(["sleep", "60"], env={**os.environ, "LEAK": LEAKED})
    print(f"child {child.pid}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    Table.tell = tell  # type: ignore[method-assign,assignment]
    RefereeLink.start = start  # type: ignore[method-assign,assignment]
    sys.exit(main())
