"""`hallmarshal station --demo`: a simulated event in a simulated hall, through the real broker, referee, journals, store and pages.

A file of its own: the one command that may import `referee.simulated_players`.
"""

from __future__ import annotations

import argparse
from functools import partial

from referee.cli.station_serve import open_hall, print_ready, wait
from referee.door.front_door import WebAddressError
from referee.net.errors import LinkError
from referee.runtime.errors import BadInputError, UnreachableError, told_as
from referee.simulated_players import hall_event
from referee.tournament.public.folder import PublicFolderError

MOST_TABLES = 60


@told_as(UnreachableError, LinkError, WebAddressError)
@told_as(BadInputError, PublicFolderError)
def run_demo(args: argparse.Namespace) -> int:
    """Play the event until it is over or told to end; exit 3 when something cannot be had."""
    if not 1 <= args.tables <= MOST_TABLES or not 1 <= args.rounds <= 20:
        raise BadInputError(f"a demo has 1 to {MOST_TABLES} tables and 1 to 20 rounds")
    human = args.speed == "1"
    wanted = hall_event.Wanted(args.state, args.tables, args.rounds, args.seed, human)
    return hall_event.run(wanted, partial(open_hall, args), partial(print_ready, args), wait)
