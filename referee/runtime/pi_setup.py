"""Setting up a Raspberry Pi so that it starts its table and kiosk by itself, and undoing that, step by step.

What is written lies in `pi_setup_files`: systemd units, udev rules, a configuration to begin with.
"""

from __future__ import annotations

import contextlib
import grp
import os
import pwd
import re
import secrets
import subprocess
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from hardware import BoardFileError, load_board
from hardware.scanners import SPI_PINS
from referee.private_file import write_private
from referee.runtime.errors import BadInputError, UnreachableError, file_named

MARK = "# written by `hallmarshal setup-pi`; `hallmarshal setup-pi --uninstall` removes it"
TABLE_UNIT = "/etc/systemd/system/hallmarshal-table.service"
KIOSK_UNIT = "/etc/systemd/system/hallmarshal-kiosk.service"
RULES = "/etc/udev/rules.d/70-hallmarshal.rules"
HOTSPOT = "/etc/NetworkManager/system-connections/hallmarshal.nmconnection"
_CAPTIVE = "/etc/systemd/system/hallmarshal-captive.socket"
_HOTSPOT_FILES = (
    HOTSPOT,
    "/etc/NetworkManager/dnsmasq-shared.d/hallmarshal.conf",
    _CAPTIVE,
    "/etc/systemd/system/hallmarshal-captive.service",
)
_ADDRESS = "10.42.0.1"
HOTSPOT_KEY = f'address = "{_ADDRESS}"\n'
_READABLE = "abcdefghjkmnpqrstuvwxyz23456789"
_PSK_LENGTH = 12
CONFIG = "/etc/hallmarshal/table.toml"
HTTPS = "/etc/hallmarshal/https"
STATE = "/var/lib/hallmarshal"
RELEASES = "/opt/hallmarshal-releases"
"""What `--update` brings: a folder for each release, and the link `current` to the one that the units start."""
BOARD_LINK = "hallmarshal-board"
HTTPS_KEYS = f'https-certificate = "{HTTPS}/certificate.pem"\nhttps-key = "{HTTPS}/key.pem"\n'
_HTTPS_DAYS = ("7300", "800")
"""How long the authority and its certificate hold; phones take none for longer than 825 days."""

INTERFACES = "/etc/hallmarshal/interfaces"
"""What was switched, and how it was before: `NAME 0` for on, `NAME 1` for off, as raspi-config has them."""

GROUPS = ("dialout", "gpio", "spi", "video", "render", "input", "audio")
"""Who may use serial ports, pins, SPI, screen, and loudspeaker. Those that a system does not have are left out."""

_FORMS = {
    "user": r"[a-z_][a-z0-9_-]{0,30}",
    "hotspot": r"[A-Za-z0-9 ._-]{0,32}",
    "serial": r"[A-Za-z0-9._:-]{0,64}",
    # what systemd would read as something else (%, $, blanks, quotes) is no part of it
    "board": r"(serial|gpio):[A-Za-z0-9._:/@+-]{1,200}(\?store=[A-Za-z0-9._/+-]{1,200})?",
}
_TABLE_PACKAGES = ("bubblewrap",)  # what keeps the computer's process from the table's files
_CAGE_PACKAGES = ("cage", "xwayland")  # the SDL in Kivy's wheels speaks KMSDRM and X11, not Wayland
_PIN_PACKAGES = ("python3-lgpio", "python3-spidev")  # of which there are no wheels
_PINS: Mapping[str, Collection[int]] = {
    "spi": SPI_PINS[0],
    "i2c": (2, 3),
    "onewire": (4,),
    "serial_hw": (14, 15),
    "serial_cons": (14, 15),
}
"""The pins of each interface of the Pi, by raspi-config's name for it."""
_MODES = 0o7777


@dataclass(frozen=True, slots=True)
class PiSettings:
    """What the files depend on. `command` is the installed `hallmarshal`; `serial` is the board's USB serial number, or empty."""

    command: Path
    user: str = "hallmarshal"
    serial: str = ""
    kiosk: bool = True
    cage: Path | None = None
    """What shows the kiosk, through Xwayland; None: SDL draws on the screen by itself (KMSDRM)."""
    board: str = f"serial:/dev/{BOARD_LINK}"
    https: bool = False
    hotspot: str = ""
    """The name of the Wi-Fi that this Pi opens; empty for none."""
    psk: str = field(default="", repr=False)
    """Its password."""


def files(settings: PiSettings) -> Mapping[str, str]:
    """Return every file: absolute path -> text. The configuration is only written where there is none.

    A file lies under its own name in `pi_setup_files`, with `@word@` for what is not the same everywhere.
    """
    values = {
        **{name: str(getattr(settings, name)) for name in ("command", "user", "board", "psk")},
        "screen": f"{settings.cage} -- " if settings.cage else "",
        "ssid": settings.hotspot,
        "address": _ADDRESS,
        "mark": MARK,
        "config": CONFIG,
        "state": STATE,
        "link": BOARD_LINK,
        "hardened": _template("hardened").rstrip(),
        "wifi": f"LoadCredential=wi-fi:{HOTSPOT}\nSetCredential=wi-fi:none\n" if settings.hotspot else "",
        "wifi_code": " --wi-fi %d/wi-fi" if settings.hotspot else "",
        "https": (HTTPS_KEYS if settings.https else "") + (HOTSPOT_KEY if settings.hotspot else ""),
        "serial": f', ATTRS{{serial}}=="{settings.serial}"' if settings.serial else "",
    }
    paths = (TABLE_UNIT, RULES, CONFIG, *((KIOSK_UNIT,) if settings.kiosk else ()))
    paths += _HOTSPOT_FILES if settings.hotspot else ()
    return {path: re.sub(r"@(\w+)@", lambda found: values[found[1]], _template(Path(path).name)) for path in paths}


def _template(name: str) -> str:
    return (Path(__file__).with_name("pi_setup_files") / name).read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class InstallStep:
    """Something to do: what a dry run says of it, and what does it. Below a root, if there is one, only files are written and removed.

    What does it raises `CommandError`.
    """

    shown: str
    take: Callable[[Path | None], object]


def password(root: Path | None) -> str:
    """Return the password of the Wi-Fi that was set up already, or a new one."""
    with contextlib.suppress(OSError):
        if found := wifi_of(under(root, HOTSPOT).read_text(encoding="utf-8")):
            return found[1]
    return "".join(secrets.choice(_READABLE) for _ in range(_PSK_LENGTH))


def wifi_of(connection: str) -> tuple[str, str] | None:
    """Return name and password of the access point that a file of NetworkManager describes, None where it is none."""
    name, psk = (re.search(rf"^{key}=(.+)$", connection, re.MULTILINE) for key in ("ssid", "psk"))
    return (name[1], psk[1]) if name and psk else None


def _write(path: str, text: str, *, keep: bool) -> InstallStep:
    """Write a file; with `keep` only where there is none. What holds a password is readable by root alone."""

    def take(root: Path | None) -> None:
        target = under(root, path)
        if keep and target.exists():
            return
        if target.exists() and not _is_ours(target):
            raise BadInputError(f"{target} is not ours (it lacks our first line): move it away first")
        with file_named(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            write_private(target, text)  # whole or not at all: a unit that is cut off starts nothing
            if path != HOTSPOT:
                target.chmod(0o644)

    only = " (only if there is none)" if keep else ""
    lines = (f"    {line}\n".rstrip() + "\n" for line in text.splitlines())
    return InstallStep("".join((f"write {path}{only}\n", *lines)), take)


def _remove(path: str) -> InstallStep:
    """Remove a file that carries our mark."""

    def take(root: Path | None) -> None:
        target = under(root, path)
        if target.exists() and _is_ours(target):
            target.unlink()

    return InstallStep(f"remove {path}\n", take)


def _call(*words: str, may_fail: bool = False) -> InstallStep:
    """Run a command; with `may_fail` it is no matter if it cannot."""
    return InstallStep(
        f"run {' '.join(words)}\n", lambda root: run_command(*words, may_fail=may_fail) if root is None else None
    )


def switching(name: str, on: bool) -> InstallStep:
    """Switch an interface of the Pi, and keep how it was for `--uninstall`."""
    words = ("raspi-config", "nonint", f"do_{name}", "0" if on else "1")  # 0 is on
    return InstallStep(f"run {' '.join(words)}\n", lambda root: _switch(name, words) if root is None else None)


def steps_of(settings: PiSettings, root: Path | None, *, undo: bool) -> list[InstallStep]:
    """Return what sets this Pi up, or the system image mounted at `root`; with `undo` what undoes it.

    Raises `BadInputError` for settings that cannot be used, and for a system on which the units could not run.
    """
    for name, form in _FORMS.items():
        if not re.fullmatch(form, getattr(settings, name)):
            raise BadInputError(f"--{name}: {getattr(settings, name)!r} is no name that can be used")
    if settings.https and root is not None:
        raise BadInputError("--https makes keys that belong to one machine: run it there, without --root")
    if undo:
        return list(_undoing(root))
    if root is None:
        _check_system(settings)
    return list(_doing(settings))


def take(steps: Iterable[InstallStep], root: Path | None) -> None:
    """Take these steps; raise `CommandError` where one cannot be taken."""
    if root is None and os.geteuid() != 0:
        raise BadInputError("setup-pi changes the system: run it with sudo, or look first with --dry-run")
    for step in steps:
        step.take(root)


def own_command(root: Path | None = None) -> Path:
    """Return the installed `hallmarshal` that runs now, by the link of its release if it has come by an update."""
    link = under(root, RELEASES) / "current"
    if link.resolve() == Path(sys.prefix).resolve():
        return link / "bin" / "hallmarshal"
    beside = Path(sys.executable).with_name("hallmarshal")
    return beside if beside.exists() else Path(sys.argv[0]).resolve()


def _programs(settings: PiSettings) -> list[Path]:
    """Return what the units need to read: the command, the interpreter behind it, and the code, wherever that is installed."""
    return [settings.command, Path(sys.executable).resolve(), Path(__file__).resolve()]


def _check_system(settings: PiSettings) -> None:
    """Raise `BadInputError` for a system on which the units could not run."""
    if sys.maxsize < 2**32:
        raise BadInputError("setup-pi: this is a 32 bit system, for which there are no wheels: install the 64 bit one")
    folder = next(filter(None, (_closed_folder(program, settings.user) for program in _programs(settings))), None)
    if folder is not None:
        raise BadInputError(
            f"setup-pi: {folder} is closed to user {settings.user} (mode {folder.stat().st_mode & _MODES:04o}): "
            "put the project into /opt/hallmarshal, run make install-table there, and then its own setup-pi"
        )


def _closed_folder(program: Path, user: str) -> Path | None:
    """Return the outermost folder above a program that keeps this user out, None if there is none."""
    uid, groups = -1, list[int]()
    if _exists(pwd.getpwnam, user):
        account = pwd.getpwnam(user)
        uid, groups = account.pw_uid, os.getgrouplist(user, account.pw_gid)
    for folder in reversed(program.parents):
        about = folder.stat()
        bit = 0o100 if about.st_uid == uid else 0o010 if about.st_gid in groups else 0o001
        if uid != 0 and not about.st_mode & bit:
            return folder
    return None


def _units(settings: PiSettings) -> tuple[str, ...]:
    paths = (TABLE_UNIT, *((KIOSK_UNIT,) if settings.kiosk else ()), *((_CAPTIVE,) if settings.hotspot else ()))
    return tuple(Path(path).name for path in paths)


def _doing(settings: PiSettings) -> Iterator[InstallStep]:
    if not _exists(pwd.getpwnam, settings.user):
        yield _call("useradd", "--system", "--home-dir", STATE, "--shell", "/usr/sbin/nologin", settings.user)
    groups = [group for group in GROUPS if _exists(grp.getgrnam, group)]
    if groups:
        yield _call("usermod", "--append", "--groups", ",".join(groups), settings.user)
    packages = (
        *_TABLE_PACKAGES,
        *(_CAGE_PACKAGES if settings.kiosk and settings.cage else ()),
        *(_PIN_PACKAGES if settings.board.startswith("gpio:") else ()),
    )
    yield _call("apt-get", "install", "--yes", "--no-install-recommends", *packages)
    for name, on in interfaces(settings.board).items():
        yield switching(name, on)
    for path, text in files(settings).items():
        yield _write(path, text, keep=path == CONFIG)
    if settings.https:
        yield from certifying(settings.user, HTTPS, os.uname().nodename.partition(".")[0])
    yield _call("udevadm", "control", "--reload")
    yield _call("udevadm", "trigger", "--subsystem-match=tty", "--subsystem-match=usb-serial")
    yield _call("systemctl", "daemon-reload")
    yield _call("systemctl", "enable", *_units(settings))


def certifying(user: str, folder: str, name: str) -> Iterator[InstallStep]:
    """Return what makes an authority, if there is none, and a certificate that it signs, for a machine's name and its `.local`.

    The authority can sign for these names alone, so that a device that trusts it risks no other site.
    """
    make = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    authority, key = f"{folder}/authority.pem", f"{folder}/authority.key"
    yield _call("mkdir", "-p", folder)
    if not Path(authority).exists():
        only = f"nameConstraints=critical,permitted;DNS:{name},permitted;DNS:{name}.local"
        about = (
            "-days",
            _HTTPS_DAYS[0],
            "-subj",
            f"/CN=Hallmarshal {name}",
            "-addext",
            "keyUsage=critical,keyCertSign",
        )
        yield _call(*make, *about, "-addext", only, "-keyout", key, "-out", authority)
    names = f"subjectAltName=DNS:{name},DNS:{name}.local"
    about = ("-days", _HTTPS_DAYS[1], "-subj", f"/CN={name}", "-addext", "basicConstraints=critical,CA:FALSE")
    signed = ("-CA", authority, "-CAkey", key, *about, "-addext", names, "-addext", "extendedKeyUsage=serverAuth")
    yield _call(*make, *signed, "-keyout", f"{folder}/key.pem", "-out", f"{folder}/certificate.pem")
    yield _call("chown", user, f"{folder}/key.pem")


def interfaces(url: str) -> Mapping[str, bool]:
    """Return which interfaces of the Pi a board on its pins needs on, or off because it uses their pins for something else."""
    scheme, _, rest = url.partition(":")
    if scheme != "gpio":
        return {}
    try:
        board = load_board(rest.partition("?")[0])
    except BoardFileError as error:
        raise BadInputError(f"--board: {error}") from error
    used = {
        *((*board.gpio.rows, *board.gpio.columns) if board.gpio else ()),
        *((board.spi.latch,) if board.spi else ()),
        *(board.mcp3008.address if board.mcp3008 else ()),
    }
    off = {name: False for name, pins in _PINS.items() if not used.isdisjoint(pins)}
    return off if board.gpio else {**off, "spi": True}


def _undoing(root: Path | None) -> Iterator[InstallStep]:
    for path in (KIOSK_UNIT, TABLE_UNIT, _CAPTIVE):
        yield _call("systemctl", "disable", "--now", Path(path).name, may_fail=True)
        yield _remove(path)
    for path in (RULES, *(path for path in _HOTSPOT_FILES if path != _CAPTIVE)):
        yield _remove(path)
    yield from putting_back(root)
    yield _call("systemctl", "daemon-reload")
    yield _call("udevadm", "control", "--reload")


def putting_back(root: Path | None) -> Iterator[InstallStep]:
    """Return what makes the interfaces of the Pi as they were before `switching` changed them, the last change first."""
    path = under(root, INTERFACES)
    if path.exists():
        for name, before in reversed(re.findall(r"^(\w+) ([01])$", path.read_text(encoding="utf-8"), re.MULTILINE)):
            yield _call("raspi-config", "nonint", f"do_{name}", before, may_fail=True)
        yield _remove(INTERFACES)


def _exists(look_up: Callable[[str], object], name: str) -> bool:
    try:
        look_up(name)
    except KeyError:
        return False
    return True


def _switch(name: str, words: tuple[str, ...]) -> None:
    question = ("raspi-config", "nonint", f"get_{name}")
    try:
        asked = subprocess.run(question, capture_output=True, text=True, check=False)  # noqa: S603 # a list of ours, no shell
    except OSError:
        return  # other systems have their own way
    before = asked.stdout.strip()
    if before == words[-1]:
        return
    if before:
        kept = Path(INTERFACES)
        kept.parent.mkdir(parents=True, exist_ok=True)
        with kept.open("a", encoding="utf-8") as file:
            file.write(f"{name} {before}\n" if file.tell() else f"{MARK}\n{name} {before}\n")
    run_command(*words, may_fail=True)


def under(root: Path | None, path: str) -> Path:
    """Return where a file of the system is whose root is mounted at `root`."""
    return Path(path) if root is None else root / path.lstrip("/")


def _is_ours(path: Path) -> bool:
    return path.read_text(encoding="utf-8", errors="replace").startswith(MARK)


def run_command(*words: str, may_fail: bool = False) -> str:
    """Return what a command of the system prints; raises `UnreachableError` with its last line. What it makes can be read by everybody."""
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False, umask=0o022)  # noqa: S603 # a list of ours, no shell
    except OSError as error:
        raise UnreachableError(f"{words[0]}: {error.strerror}") from error
    if done.returncode and not may_fail:
        last = (done.stderr.strip() or done.stdout.strip() or "no reason given").splitlines()[-1]
        raise UnreachableError(f"{' '.join(words)}: {last}")
    return done.stdout
