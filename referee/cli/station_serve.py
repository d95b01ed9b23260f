"""The verbs of `hallmarshal station` that run a hall: serve, account, tables; and what the demo shares with them."""

from __future__ import annotations

import argparse
import getpass
import json
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from referee.door.front_door import WebAddressError
from referee.net.broker.hall_broker import new_pass, tables_in
from referee.net.broker.mosquitto import Tls, own_certificate
from referee.net.credential import own_address
from referee.net.errors import CredentialError, LinkError, TopicError
from referee.net.pairing.lobby import new_code
from referee.net.sealing.signing import StationKey
from referee.runtime.errors import BadInputError, UnreachableError, told_as
from referee.runtime.state_folder import alone_in, private_folder, state_folder
from referee.runtime.table_config import check_certificate
from referee.tournament.event.event import EventError, EventId
from referee.tournament.hall.accounts import AccountError, Accounts, Role
from referee.tournament.hall.pages import RUNNING, RunningHall
from referee.tournament.hall.station import HallEvents
from referee.tournament.public.folder import PublicFiles, PublicFolderError, publishing, remember
from referee.tournament.store import StoreError, StoreUnreachableError, open_store


@told_as(UnreachableError, LinkError, WebAddressError)
@told_as(BadInputError, AccountError, EventError, StoreError, TopicError, CredentialError, PublicFolderError)
@told_as(UnreachableError, StoreUnreachableError)
def run(args: argparse.Namespace) -> int:
    """Do one of the verbs; exit 2 for bad input, 3 when something cannot be had."""
    return {"serve": _serve, "account": _account, "tables": _tables}[args.verb](args)


def _serve(args: argparse.Namespace) -> int:
    state = opened_state(args.state)
    accounts = Accounts(state / "accounts.json")
    code = "" if Role.CHIEF in accounts.names.values() else new_code()
    if code and not (args.https or args.certificate):
        raise BadInputError(
            "there is no chief arbiter yet: open the hall with --https, or hallmarshal station account NAME --role chief"
        )
    with ExitStack() as stack:
        stack.enter_context(alone_in(state, RUNNING))
        store = open_store(args.store or state / "events.db")
        stack.callback(store.close)
        played = HallEvents(store, EventId(args.event) if args.event else None, args.begin_games)
        if played.event is not None:
            store.load(played.event)
        hall = open_hall(args, state, stack, accounts, None, played, code)
        print_ready(args, {**hall.addresses, **({"first-chief": code} if code else {})})
        return wait(hall)


def open_hall(
    args: argparse.Namespace,
    state: Path,
    stack: ExitStack,
    accounts: Accounts,
    boards: tuple[str, ...] | None,
    played: HallEvents | None,
    first_code: str = "",
) -> RunningHall:
    """Open a hall as the options of serving have it; `first_code` makes its first chief.

    Raises `WebAddressError` for an address that cannot be had, `LinkError`.
    """
    tls, delay_s = _tls(args, state), 60 * args.delay
    public, how = PublicFiles(args.public), publishing(args)
    if args.public is not None:
        remember(state, args.public, how)
    return RunningHall(
        state,
        stack,
        accounts,
        web=args.web,
        tls=tls,
        port=args.port,
        delay_s=delay_s,
        boards=boards,
        played=played,
        public=public,
        how=how,
        first_code=first_code,
    )


def print_ready(args: argparse.Namespace, line: Mapping[str, object]) -> None:
    """Print where the hall is."""
    if args.json:
        print(json.dumps(line), flush=True)
    else:
        for name, value in line.items():
            print(f"{name}: {value}", flush=True)


def wait(hall: RunningHall) -> int:
    """Wait until the hall is told to end, and answer lines that are typed meanwhile; return the exit code. Raises `LinkError`."""

    def answer(line: str) -> None:
        """Answer a line on stderr: `status` is the only one that means something."""
        if line.strip() == "status":
            print(json.dumps({"status": hall.status()}), file=sys.stderr, flush=True)

    return hall.wait(answer)


def _account(args: argparse.Namespace) -> int:
    accounts = Accounts(opened_state(args.state) / "accounts.json")
    if args.remove:
        accounts.remove(args.name)
        return 0
    accounts.put(args.name, Role(args.role), _password(args.password_stdin))
    print(f"{args.name}: {args.role}")
    return 0


def _password(from_stdin: bool) -> str:
    """Read a password. Raises `BadInputError`."""
    try:
        if from_stdin:
            return sys.stdin.readline().rstrip("\n")
        password = getpass.getpass("password: ")
        if getpass.getpass("again: ") != password:
            raise BadInputError("the two passwords differ")
    except (EOFError, UnicodeDecodeError):
        raise BadInputError("no password can be read") from None
    return password


def _tables(args: argparse.Namespace) -> int:
    state = opened_state(args.state)
    with alone_in(state, RUNNING):
        key = StationKey.load_or_create(state / "station.key")
        for board in args.boards:
            path = state / f"{board}.pass"
            new_pass(state / "broker", board, key.public, args.host or own_address(), args.port).write(path)
            print(f"{board}: {path}")
    if not args.boards:
        print("\n".join(tables_in(state / "broker")))
    return 0


def _tls(args: argparse.Namespace, state: Path) -> Tls | None:
    """Return the files of the certificate that the hall shows. Raises `BadInputError` for some that cannot be used."""
    check_certificate(args.certificate, args.key, "--certificate and --key")
    if args.certificate is not None:
        return Tls(args.certificate.absolute(), args.key.absolute())
    return own_certificate(opened_state(state / "https"), "hallmarshal") if args.https else None


def opened_state(path: Path | None) -> Path:
    """Return a directory that is there and that nobody else may look into; raises `BadInputError`."""
    return private_folder(state_folder("station") if path is None else path.expanduser())
