"""`hallmarshal handset`: a handset in the terminal, for people without a phone at hand, over ssh, and for scripts."""

from __future__ import annotations

import argparse
import functools
import sys
from pathlib import Path

from referee.cli.command import LazyParser
from referee.handset import joining, line_handset
from referee.net.credential import KeyPair
from referee.net.errors import CredentialError, JoinError, LinkError
from referee.net.links.handset_link import HandsetLink
from referee.runtime.errors import BadInputError, UnreachableError, told_as
from referee.words import LANGUAGES, own_language


def add_arguments(parser: LazyParser) -> None:
    """Add what `handset` takes."""
    parser.add_argument(
        "--join", required=True, metavar="URL", help="the link that the table shows; - reads it from stdin's first line"
    )
    parser.add_argument(
        "--keys", type=Path, metavar="FILE", help="keep its key there: it opens its finished games (record --handset)"
    )
    parser.add_argument("--language", choices=LANGUAGES, default=own_language(), help="default: yours, else en")
    parser.add_argument("--json", action="store_true", help="one line a message in and out, for scripts")


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

THROWN_OFF = (
    "the table does not know this handset: another one took its seat, or the table was started anew or lost its list"
)
WHY_THROWN_OFF = {
    "another": "the table does not know this handset any more: another one took its seat",
    "nobody": "the table does not know this handset any more: it was started anew, or lost its list",
    "too-much": "the table has thrown this handset off, which sent or asked for far too much; ask the table for a new link",
}
"""The same where the table says who has the seat now."""


@told_as(UnreachableError, LinkError)
def run(args: argparse.Namespace) -> int:
    """Be a handset until told to end; exit 0, 2 for a link that is worth nothing, 3 when the table is out of reach, 130 on Ctrl-C."""
    url = sys.stdin.readline() if args.join == "-" else args.join
    try:
        joined = joining.join(url, None if args.keys is None else KeyPair.load_or_create(args.keys))
    except CredentialError as error:
        raise BadInputError(str(error)) from None
    except JoinError as error:
        raise BadInputError(
            _WHY.get(error.reason, f"the table did not answer as a table does ({error.reason})")
        ) from None
    events = line_handset.Events()
    link = HandsetLink(joined.credential, on_value=events.put, signs=True)
    handset: line_handset.Serving
    if args.json:
        handset = line_handset.LineHandset(joined, link, functools.partial(print, flush=True))
    else:
        from referee.handset.terminal_handset import TerminalHandset

        handset = TerminalHandset(joined, link, args.language)
    refused = line_handset.serve(handset, link, events, sys.stdin)
    if refused:
        raise UnreachableError(WHY_THROWN_OFF.get(joining.holder(url, joined), THROWN_OFF))
    return 0
