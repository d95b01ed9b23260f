"""`hallmarshal handset`: a handset in the terminal, for people without a phone at hand, over ssh, and for scripts."""

from __future__ import annotations

import argparse
import queue
import signal
import sys
import threading
from typing import TYPE_CHECKING

from referee.cli.command import Subparsers
from referee.runtime.errors import BadInputError, UnreachableError
from referee.words import LANGUAGES, own_language

if TYPE_CHECKING:
    from referee.cli.handset_terminal import Events, LineHandset, TerminalHandset
    from referee.net.links.handset_link import HandsetLink
    from referee.net.pairing.handshake import Joined

_WHY = {
    "token-unknown": "this link belongs to no table here; ask the table for a new one",
    "token-used": "this link was used already; ask the table for a new one",
    "token-expired": "this link is too old; ask the table for a new one",
    "link-unreadable": "a join link looks like http://HOST:PORT/join#SECRET&FINGERPRINT or http://HOST:PORT/join#CODE "
    "(in a shell put it between quotes)",
    "wrong-referee": "another referee answers there than the one that made this link; ask the table for a new one",
    "wrong-certificate": "the table's broker shows another certificate than this link tells of; ask the table for a new one",
    "proof-wrong": "the table did not take the seat's proof; ask the table for a new link",
    "too-many-tries": "too many wrong codes came to the table; use its link, or wait a minute",
    "not-now": "the table cannot give the seat just now; ask it for a new link",
}


def register(subparsers: Subparsers) -> None:
    """Add `handset`."""
    parser = subparsers.add_parser("handset", help="a handset in the terminal", description=__doc__.splitlines()[0])
    parser.add_argument(
        "--join", required=True, metavar="URL", help="the link that the table shows; - reads it from stdin's first line"
    )
    parser.add_argument("--language", choices=LANGUAGES, default=own_language(), help="default: yours, else en")
    parser.add_argument("--json", action="store_true", help="one line a message in and out, for scripts")


def run(args: argparse.Namespace) -> int:
    """Be a handset until told to end; exit 0, 2 for a link that is worth nothing, 3 when the table is out of reach, 130 on Ctrl-C."""
    from referee.net.errors import LinkError
    from referee.net.links.handset_link import HandsetLink

    url = sys.stdin.readline() if args.join == "-" else args.join
    joined = _joined(url)
    events: Events = queue.SimpleQueue()
    link = HandsetLink(joined.credential, on_value=events.put)
    signal.signal(signal.SIGTERM, lambda *_: events.put(None))
    handset = _handset(joined, link, None if args.json else args.language)
    try:
        with handset:
            threading.Thread(target=_listen, args=(events,), daemon=True).start()
            link.start()
            try:
                refused = handset.serve(events)
            finally:
                link.stop()
    except LinkError as error:
        raise UnreachableError(str(error)) from error
    if refused is not None:
        from referee.cli.handset_terminal import WHY_THROWN_OFF, holder

        raise UnreachableError(WHY_THROWN_OFF.get(holder(url, joined), refused))
    return 0


def _handset(joined: Joined, link: HandsetLink, language: str | None) -> LineHandset | TerminalHandset:
    """Give one for people who read this language, or one for scripts, which needs no more than is imported then."""
    if language is None:
        from referee.cli.handset_terminal import LineHandset

        return LineHandset(joined, link)
    from referee.cli.handset_terminal import TerminalHandset

    return TerminalHandset(joined, link, language)


def _joined(url: str) -> Joined:
    from referee.cli.handset_terminal import join
    from referee.net.errors import BrokerUnreachableError, JoinError

    try:
        return join(url)
    except JoinError as error:
        raise BadInputError(
            _WHY.get(error.reason, f"the table did not answer as a table does ({error.reason})")
        ) from None
    except BrokerUnreachableError as error:
        raise UnreachableError(str(error)) from None


def _listen(events: Events) -> None:
    for line in sys.stdin:
        events.put(line)
    events.put(None)
