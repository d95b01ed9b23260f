"""`hallmarshal kiosk`: the screen that both players look at, as a process of its own; pictures of made-up tables; a record played again."""

from __future__ import annotations

import argparse
import itertools
import json
import logging
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from kiosk_ui.display import NoDisplayError
from kiosk_ui.received_state import ReceivedState
from kiosk_ui.run import KioskOptions, Leader, follow, replay, run_kiosk, said_aloud
from kiosk_ui.touch_state import ScreenSettings
from referee.cli.command import LazyParser
from referee.net.broker.dynsec import user_name
from referee.net.credential import Address, Credential
from referee.net.errors import CredentialError, TopicError
from referee.net.links.public_links import KioskLink
from referee.net.topics.topics import Role
from referee.runtime.child_processes import watchdog
from referee.runtime.errors import BadInputError, UnreachableError, file_named, told_as
from referee.runtime.table_config import read_broker_url
from referee.table.views import PublicInfo, PublicView
from referee.words import LANGUAGES, own_language

if TYPE_CHECKING:
    from kiosk_ui.fixtures import Sample

_log = logging.getLogger(__name__)

KIOSK_PASSWORD = "HALLMARSHAL_KIOSK_PASSWORD"  # noqa: S105 - the name of a variable, not a password
"""The environment variable that a kiosk without a credential reads its password from."""
_SIZE = re.compile(r"([1-9][0-9]{2,3})x([1-9][0-9]{2,3})")


def add_arguments(parser: LazyParser) -> None:
    """Add what `kiosk` takes."""
    parser.add_argument(
        "--broker", metavar="URL", help="where the table is: ws://HOST:PORT; or its broker: mqtt://HOST[:PORT]"
    )
    parser.add_argument("--board", metavar="ID", help="which board to show")
    parser.add_argument(
        "--credential",
        metavar="FILE|-",
        help="the kiosk's credential as JSON; with - it is the first line of stdin, whose end ends the kiosk "
        f"(without it the password is read from {KIOSK_PASSWORD})",
    )
    parser.add_argument("--shots", metavar="DIR", type=Path, help="write pictures of made-up tables into DIR, and end")
    parser.add_argument("--only", metavar="NAMES", help="with --shots: these tables only, with commas between")
    parser.add_argument(
        "--language", choices=(*LANGUAGES, "all"), default=own_language(), help="language (all: with --shots)"
    )
    parser.add_argument(
        "--size",
        metavar="WxH",
        help="a window of this size instead of the whole screen; with --shots several, with commas",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON line for each state that was drawn")
    parser.add_argument("--turned", action="store_true", help="turn one half round, for players who sit opposite")
    parser.add_argument("--still", action="store_true", help="let no picture move")
    parser.add_argument("--sound", action="store_true", help="play tones for what happens")
    parser.add_argument("--spoken", action="store_true", help="say moves aloud, by espeak-ng or hallmarshal-voice")
    parser.add_argument(
        "--wi-fi",
        type=Path,
        metavar="FILE",
        help="show the code of the access point that this file of NetworkManager opens",
    )
    parser.add_argument("--offscreen", action="store_true", help="draw where nobody sees it (for tests and figures)")


def run(args: argparse.Namespace) -> int:
    """Show the kiosk until it is ended, or write the pictures."""
    sizes = [window_size(text) for text in args.size.split(",")] if args.size else []
    if args.shots is not None:
        return _shots(args, sizes)
    if args.language == "all" or args.only is not None or len(sizes) > 1:
        raise BadInputError("--language all, --only and several sizes go with --shots")
    return _live(args, sizes[0] if sizes else None)


@told_as(UnreachableError, NoDisplayError)
def _live(args: argparse.Namespace, size: tuple[int, int] | None) -> int:
    credential = _credential(args)
    if args.offscreen and size is None:
        size = (800, 480)
    wifi = _wifi(args.wi_fi) if args.wi_fi is not None else None
    parent = sys.stdin.fileno() if args.credential == "-" else None
    ending = run_kiosk(
        KioskOptions(
            ScreenSettings(
                args.language,
                sound=args.sound,
                spoken=args.spoken,
                motion=not args.still,
                turned=args.turned,
                wifi=wifi,
            ),
            size,
            args.offscreen,
        ),
        lambda on_value: KioskLink(credential, on_value=on_value),
        parent,
        _print_shown if args.json else lambda received: None,
        watchdog(),
        _print_said if args.json else lambda text: None,
    )
    if ending.text:
        raise UnreachableError(ending.text)
    return ending.code


def _wifi(path: Path) -> tuple[str, str] | None:
    """Return name and password; a file that opens none, as where somebody has removed it, costs the code alone."""
    from referee.runtime.pi_setup import wifi_of

    with file_named(path):
        found = wifi_of(path.read_text(encoding="utf-8"))
    if found is None:
        _log.warning("the file of --wi-fi opens no access point, so no Wi-Fi is shown")
    return found


def _print_said(text: str) -> None:
    _print_line({"said": text})


def _print_shown(received: ReceivedState) -> None:
    view = received.view
    line = {
        "contact": received.contact.value,
        "game": view.game if view else None,
        "seq": view.seq if view else None,
        "phase": view.phase.value if view else None,
        "ply": view.ply if view else None,
    }
    _print_line(line)


def _print_line(line: Mapping[str, object]) -> None:
    """Write a line in one go: `print` writes its end apart, and the voice's thread might come between."""
    sys.stdout.write(f"{json.dumps(line)}\n")
    sys.stdout.flush()


@told_as(UnreachableError, NoDisplayError)
def _shots(args: argparse.Namespace, sizes: list[tuple[int, int]]) -> int:
    from kiosk_ui.screenshots import SIZES, make_shots

    if args.broker or args.board or args.credential:
        raise BadInputError("--shots shows made-up tables; leave --broker, --board and --credential out")
    chosen = _chosen(args.only)
    languages = LANGUAGES if args.language == "all" else (args.language,)
    written: list[str] = []
    shots = make_shots(args.shots, chosen, languages, sizes or SIZES, args.turned)
    with file_named(args.shots):
        for path in itertools.chain(shots, _svgs(args.shots, chosen, languages)):
            written.append(str(path))
            if not args.json:
                print(path)
    if args.json:
        print(json.dumps({"pictures": written}))
    return 0


def _svgs(folder: Path, chosen: Sequence[Sample], languages: Sequence[str]) -> Iterator[Path]:
    """Write the same tables as they look in a terminal."""
    from referee.presentation.text_board import terminal_board
    from referee.terminal import draw_svg

    for language in languages:
        for sample in chosen:
            if sample.info is not None and sample.view is not None and not sample.desk.chairs:
                path = folder / f"terminal-{sample.name}{f'-{language}' * (len(languages) > 1)}.svg"
                draw_svg(path, terminal_board(sample.info, sample.view, language), "hallmarshal demo")
                yield path


def _chosen(only: str | None) -> list[Sample]:
    from kiosk_ui.fixtures import samples, touch_samples

    known = {sample.name: sample for sample in (*samples(), *touch_samples())}
    names = list(known) if only is None else only.split(",")
    if unknown := [name for name in names if name not in known]:
        raise BadInputError(f"there is no made-up table {unknown[0]!r}; there are {', '.join(known)}")
    return [known[name] for name in names]


def window_size(text: str) -> tuple[int, int]:
    """Read `800x480`; raises `BadInputError`."""
    match = _SIZE.fullmatch(text)
    if match is None:
        raise BadInputError(f"--size: a width and a height in pixels like 800x480, not {text!r}")
    return int(match[1]), int(match[2])


@told_as(BadInputError, CredentialError, TopicError)
def _credential(args: argparse.Namespace) -> Credential:
    """Read the credential from file, stdin or environment, and hold it against what the arguments say."""
    where = None if args.broker is None else read_broker_url(args.broker, "--broker", ("mqtt", "mqtts", "ws"))
    tls = where is not None and where.scheme == "mqtts"
    address = None if where is None else Address(where.host, where.port)
    if where is not None and where.scheme == "ws":
        address = Address(where.host, 0, where.port)
    if args.credential is None:
        password = os.environ.get(KIOSK_PASSWORD)
        if address is None or args.board is None:
            raise BadInputError("the kiosk needs --broker and --board, or a --credential that says both")
        if tls:
            raise BadInputError("--broker: an mqtts:// broker needs a --credential, which holds its certificate")
        if not password:
            raise BadInputError(f"the kiosk's password is missing: set {KIOSK_PASSWORD} or give --credential")
        return Credential(Role.KIOSK, user_name(args.board, Role.KIOSK), password, address, args.board)
    credential = Credential.from_json(_document(args.credential))
    if credential.role is not Role.KIOSK:
        raise BadInputError(f"this is the credential of a {credential.role.value}, not of a kiosk")
    if args.board is not None and args.board != credential.board:
        raise BadInputError(f"this credential is for board {credential.board}, not for {args.board}")
    if address is None:
        return credential
    certificate = credential.address.certificate
    if tls and certificate is None:
        raise BadInputError("--broker: this credential has no certificate to hold an mqtts:// broker against")
    return replace(credential, address=replace(address, certificate=certificate if tls else None))


def _document(source: str) -> Mapping[str, object]:
    name = "stdin" if source == "-" else source
    try:
        with file_named(name):
            text = sys.stdin.buffer.readline() if source == "-" else Path(source).read_bytes()
        document = json.loads(text)
    except ValueError:  # its own text could hold a part of the password
        raise BadInputError(f"{name}: a credential is one JSON object") from None
    if not isinstance(document, dict):
        raise BadInputError(f"{name}: a credential is one JSON object")
    return document


def print_said_aloud(game: tuple[PublicInfo, Sequence[PublicView]], language: str) -> None:
    """Print what is said aloud while a record's game is played, each sentence after the number of its move."""
    for ply, text in said_aloud(*game, language):
        print(f"{ply:>4}  {text}")


def lead_on_kiosk(
    info: PublicInfo, lead: Callable[[Callable[[PublicView], None]], Leader], args: argparse.Namespace
) -> int:
    """Show in a window what a game at a board gives; return the exit code."""
    try:
        return follow(info, lead, KioskOptions(ScreenSettings(args.lang, spoken=args.spoken), window_size(args.size)))
    except NoDisplayError as error:
        raise UnreachableError(str(error)) from None


def replay_on_kiosk(game: tuple[PublicInfo, Sequence[PublicView]], args: argparse.Namespace) -> int:
    """Show a record's game in a window, or write its end as PNG into `--shot`; return the exit code."""
    try:
        code = replay(*game, args.speed or 1.0, args.lang, window_size(args.size), args.shot)
    except NoDisplayError as error:
        raise UnreachableError(str(error).replace("--offscreen", "--shot")) from None
    if args.shot is not None and not args.shot.exists():
        raise BadInputError(f"{args.shot}: cannot be written")
    return code
