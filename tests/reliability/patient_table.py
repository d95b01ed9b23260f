"""`hallmarshal table` that waits for its broker without end when it changes users: what stands still then would stand still for ever."""

from __future__ import annotations

import sys

from referee.cli.main import main
from referee.net.broker import dynsec

dynsec.command.__defaults__ = (1e6,)

if __name__ == "__main__":
    sys.exit(main())
