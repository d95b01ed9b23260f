"""`hallmarshal setup-pi`: makes a Raspberry Pi start its table and kiosk by itself, or undoes that; a dry run prints all of it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from referee.cli.command import LazyParser
from referee.presentation.sentences import wifi_text
from referee.runtime import pi_setup
from referee.runtime.backup import back_up
from referee.runtime.errors import BadInputError
from referee.runtime.pi_update import PiReleases


def add_arguments(parser: LazyParser) -> None:
    """Add what `setup-pi` takes."""
    parser.add_argument("--user", default="hallmarshal", metavar="NAME", help="who runs both; made if there is none")
    parser.add_argument(
        "--board",
        default=f"serial:/dev/{pi_setup.BOARD_LINK}",
        metavar="URL",
        help="serial:PATH, or gpio:FILE for sensors on the Pi's own pins (default: %(default)s, whatever port it is at)",
    )
    parser.add_argument(
        "--serial", default="", metavar="NUMBER", help="the board's USB serial number, if there are several"
    )
    parser.add_argument("--https", action="store_true", help="make an authority of its own and a certificate for https")
    parser.add_argument(
        "--hotspot", nargs="?", const="Hallmarshal", default="", metavar="NAME", help="make this Pi an access point"
    )
    parser.add_argument("--no-kiosk", dest="kiosk", action="store_false", help="no screen at this Pi")
    parser.add_argument(
        "--cage",
        action="store_const",
        const=Path("/usr/bin/cage"),
        help="show the kiosk through cage and Xwayland, where SDL cannot draw on the screen by itself",
    )
    parser.add_argument("--uninstall", action="store_true", help="undo it; games and configuration stay")
    parser.add_argument(
        "--backup",
        type=Path,
        metavar="FILE",
        help="copy the games and keys into a new .tar.gz, also while a game is on",
    )
    parser.add_argument(
        "--state", type=Path, default=Path(pi_setup.STATE), metavar="DIR", help="what is copied (default: %(default)s)"
    )
    parser.add_argument(
        "--update",
        type=Path,
        metavar="SOURCE",
        help="bring the release in a folder or a wheel, and go back if it does not start",
    )
    parser.add_argument("--back", action="store_true", help="go back to the release before the last --update")
    parser.add_argument("--dry-run", action="store_true", help="print every file and command, and do nothing")
    parser.add_argument("--root", type=Path, metavar="DIR", help="write into a system image mounted there; run nothing")


def run(args: argparse.Namespace) -> int:
    """Set up, undo, copy, or print; exit 2 without the rights for it, 3 if a command of the system fails."""
    if args.backup is not None:
        print(f"{back_up(args.state, args.backup)} files are in {args.backup}, keys among them: keep it private.")
        return 0
    if args.update is not None or args.back:
        return _change_release(args)
    command = pi_setup.own_command(args.root)
    psk = pi_setup.password(args.root) if args.hotspot else ""
    wifi = {"hotspot": args.hotspot, "psk": psk}
    settings = pi_setup.PiSettings(
        command, args.user, args.serial, args.kiosk, args.cage, board=args.board, https=args.https, **wifi
    )
    steps = pi_setup.steps_of(settings, args.root, undo=args.uninstall)
    config, https = pi_setup.CONFIG, pi_setup.HTTPS
    if args.dry_run:
        print("".join(step.shown for step in steps), end="")
        return 0
    pi_setup.take(steps, args.root)
    if args.uninstall:
        print(f"Removed. Games stay in {pi_setup.STATE}, the configuration in {config}, user {args.user} stays too.")
        return 0
    print(f"Done. Rules, names and PIN stand in {config}; restart to see it all start by itself.")
    if args.hotspot:
        print(
            f"Links name the access point where {config} has this line above [broker]: {pi_setup.HOTSPOT_KEY}", end=""
        )
        print(f"Wi-Fi {args.hotspot}, password {psk}; as a QR code: {wifi_text(args.hotspot, psk)}")
    if args.https:
        print(f"https: {config} needs these lines above [broker]; devices need {https}/authority.pem.")
        print(pi_setup.HTTPS_KEYS)
    return 0


def _change_release(args: argparse.Namespace) -> int:
    """Update or go back, saying each step, since the longest takes minutes."""
    if args.root is not None:
        raise BadInputError("setup-pi: a release is changed on the machine itself, without --root")
    releases = PiReleases()
    steps = releases.going_back() if args.back else releases.updating(args.update)
    if args.dry_run:
        print("".join(step.shown for step in steps), end="")
        return 0

    def said() -> Iterator[pi_setup.InstallStep]:
        for step in steps:
            print(step.shown, end="", flush=True)
            yield step

    pi_setup.take(said(), None)
    print(f"Done: {releases.in_use()} runs. Back: setup-pi --back. Games as they were before: {releases.copy()}")
    return 0
