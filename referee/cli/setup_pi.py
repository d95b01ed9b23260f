"""`hallmarshal setup-pi`: makes a Raspberry Pi start its table and kiosk by itself, or undoes that; a dry run prints all of it."""

from __future__ import annotations

import argparse
import grp
import os
import pwd
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hardware import BoardFileError, load_board
from hardware.pins import SPI_PINS
from referee.cli.command import Subparsers
from referee.cli.errors import BadInputError, UnreachableError
from referee.cli.setup_pi_files import BOARD_LINK, CONFIG, KIOSK_UNIT, MARK, RULES, STATE, TABLE_UNIT, PiSettings, files

GROUPS = ("dialout", "gpio", "spi", "video", "render", "input", "audio")
"""Who may use serial ports, pins, SPI, screen, and loudspeaker. Those that a system does not have are left out."""


_FORMS = {
    "user": r"[a-z_][a-z0-9_-]{0,30}",
    "serial": r"[A-Za-z0-9._:-]{0,64}",
    # what systemd would read as something else (%, $, blanks, quotes) is no part of it
    "board": r"(serial|gpio):[A-Za-z0-9._:/@+-]{1,200}(\?store=[A-Za-z0-9._/+-]{1,200})?",
}
_SCREEN_PACKAGES = ("cage", "xwayland")  # the SDL in Kivy's wheels speaks X11, not Wayland
_PIN_PACKAGES = ("python3-lgpio", "python3-spidev")  # of which there are no wheels


@dataclass(frozen=True, slots=True)
class Write:
    """Write a file; with `keep` only where there is none."""

    path: str
    text: str
    keep: bool = False


@dataclass(frozen=True, slots=True)
class Remove:
    """Remove a file that carries our mark."""

    path: str


@dataclass(frozen=True, slots=True)
class Run:
    """Run a command; with `may_fail` it is no matter if it cannot."""

    words: tuple[str, ...]
    may_fail: bool = False


Step = Write | Remove | Run


def register(subparsers: Subparsers) -> None:
    """Add `setup-pi`."""
    parser = subparsers.add_parser("setup-pi", help="let a Raspberry Pi start table and kiosk by itself")
    parser.add_argument("--user", default="hallmarshal", metavar="NAME", help="who runs both; made if there is none")
    parser.add_argument(
        "--board",
        default=f"serial:/dev/{BOARD_LINK}",
        metavar="URL",
        help="serial:PATH, or gpio:FILE for sensors on the Pi's own pins (default: %(default)s, whatever port it is at)",
    )
    parser.add_argument(
        "--serial", default="", metavar="NUMBER", help="the board's USB serial number, if there are several"
    )
    parser.add_argument("--no-kiosk", dest="kiosk", action="store_false", help="no screen at this Pi")
    parser.add_argument("--uninstall", action="store_true", help="undo it; games and configuration stay")
    parser.add_argument("--dry-run", action="store_true", help="print every file and command, and do nothing")
    parser.add_argument("--root", type=Path, metavar="DIR", help="write into a system image mounted there; run nothing")


def run(args: argparse.Namespace) -> int:
    """Set up, undo, or print; exit 2 without the rights for it, 3 if a command of the system fails."""
    for name, form in _FORMS.items():
        if not re.fullmatch(form, getattr(args, name)):
            raise BadInputError(f"--{name}: {getattr(args, name)!r} is no name that can be used")
    settings = PiSettings(_command(), args.user, args.serial, args.kiosk, board=args.board)
    steps = list(_undoing(settings) if args.uninstall else _doing(settings))
    if args.dry_run:
        print("".join(map(_shown, steps)), end="")
        return 0
    if args.root is None and os.geteuid() != 0:
        raise BadInputError("setup-pi changes the system: run it with sudo, or look first with --dry-run")
    for step in steps:
        _take(step, args.root)
    if args.uninstall:
        print(f"Removed. Games stay in {STATE}, the configuration in {CONFIG}, user {settings.user} stays too.")
    else:
        print(f"Done. Rules, names and PIN stand in {CONFIG}; restart to see it all start by itself.")
    return 0


def _command() -> Path:
    beside = Path(sys.executable).with_name("hallmarshal")
    return beside if beside.exists() else Path(sys.argv[0]).resolve()


def _units(settings: PiSettings) -> tuple[str, ...]:
    paths = (TABLE_UNIT, KIOSK_UNIT) if settings.kiosk else (TABLE_UNIT,)
    return tuple(Path(path).name for path in paths)


def _doing(settings: PiSettings) -> Iterator[Step]:
    if not _exists(pwd.getpwnam, settings.user):
        yield Run(("useradd", "--system", "--home-dir", STATE, "--shell", "/usr/sbin/nologin", settings.user))
    groups = [group for group in GROUPS if _exists(grp.getgrnam, group)]
    if groups:
        yield Run(("usermod", "--append", "--groups", ",".join(groups), settings.user))
    packages = (
        *(_SCREEN_PACKAGES if settings.kiosk else ()),
        *(_PIN_PACKAGES if settings.board.startswith("gpio:") else ()),
    )
    if packages:
        yield Run(("apt-get", "install", "--yes", "--no-install-recommends", *packages))
    if (spi := _spi_wanted(settings.board)) is not None:
        # 0 is yes; other systems have their own way
        yield Run(("raspi-config", "nonint", "do_spi", "0" if spi else "1"), may_fail=True)
    for path, text in files(settings).items():
        yield Write(path, text, keep=path == CONFIG)
    yield Run(("udevadm", "control", "--reload"))
    yield Run(("udevadm", "trigger", "--subsystem-match=tty", "--subsystem-match=usb-serial"))
    yield Run(("systemctl", "daemon-reload"))
    yield Run(("systemctl", "enable", *_units(settings)))


def _spi_wanted(url: str) -> bool | None:
    """Tell whether a board on the pins needs the SPI, or needs its pins for something else; None where it does not matter."""
    scheme, _, rest = url.partition(":")
    if scheme != "gpio":
        return None
    try:
        board = load_board(rest.partition("?")[0])
    except BoardFileError as error:
        raise BadInputError(f"--board: {error}") from error
    if board.gpio is None:
        return True
    return False if {*board.gpio.rows, *board.gpio.columns} & {*SPI_PINS[0]} else None


def _undoing(settings: PiSettings) -> Iterator[Step]:
    del settings
    for path in (KIOSK_UNIT, TABLE_UNIT):
        yield Run(("systemctl", "disable", "--now", Path(path).name), may_fail=True)
        yield Remove(path)
    yield Remove(RULES)
    yield Run(("systemctl", "daemon-reload"))
    yield Run(("udevadm", "control", "--reload"))


def _exists(look_up: object, name: str) -> bool:
    assert callable(look_up)
    try:
        look_up(name)
    except KeyError:
        return False
    return True


def _shown(step: Step) -> str:
    match step:
        case Write(path, text, keep):
            only = " (only if there is none)" if keep else ""
            return f"write {path}{only}\n" + "".join(f"    {line}\n".rstrip() + "\n" for line in text.splitlines())
        case Remove(path):
            return f"remove {path}\n"
        case Run(words):
            return f"run {' '.join(words)}\n"


def _take(step: Step, root: Path | None) -> None:
    match step:
        case Write(path, text, keep):
            target = _under(root, path)
            if keep and target.exists():
                return
            if target.exists() and not _is_ours(target):
                raise BadInputError(f"{target} is not ours (it lacks our first line): move it away first")
            try:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(text, encoding="utf-8")
            except OSError as error:
                raise BadInputError(f"{target}: {error.strerror}") from error
        case Remove(path):
            target = _under(root, path)
            if target.exists() and _is_ours(target):
                target.unlink()
        case Run(words, may_fail):
            if root is None:
                _run(words, may_fail=may_fail)


def _under(root: Path | None, path: str) -> Path:
    return Path(path) if root is None else root / path.lstrip("/")


def _is_ours(path: Path) -> bool:
    return path.read_text(encoding="utf-8", errors="replace").startswith(MARK)


def _run(words: tuple[str, ...], *, may_fail: bool) -> None:
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603 # a list of ours, no shell
    except OSError as error:
        raise UnreachableError(f"{words[0]}: {error.strerror}") from error
    if done.returncode and not may_fail:
        last = (done.stderr.strip() or done.stdout.strip() or "no reason given").splitlines()[-1]
        raise UnreachableError(f"{' '.join(words)}: {last}")
