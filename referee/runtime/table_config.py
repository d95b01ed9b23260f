"""What a table is asked to be: the TOML file of `hallmarshal table --config`, and the command line, which wins over it.

docs/reference/table-config.md describes every key. An unknown key is an error, and so is a value of the wrong kind: nothing is started.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from referee.net.errors import TopicError
from referee.net.topics.topics import checked_name
from referee.rules.values import Seat
from referee.runtime.broker_url import BrokerUrl, read_broker_url
from referee.runtime.errors import BadInputError
from referee.table.clocks import MOST_MS, ClockKind, TimeControl
from referee.table.views import Mode, Reveal
from referee.words.languages import LANGUAGES

MOST_PORT = 65535


@dataclass(frozen=True, slots=True)
class TableConfig:
    """Everything that can be set, with its default; None means: choose when the table starts."""

    name: str = "table"
    rules: str = "original"
    mode: Mode = Mode.DECLARE
    reveal: Reveal = Reveal.BOOK
    language: str | None = None
    web: tuple[str, int] = ("0.0.0.0", 8080)  # noqa: S104 # handsets come over the local network
    address: str | None = None
    kiosk: bool = False
    kiosk_turned: bool = False
    kiosk_still: bool = False
    kiosk_sound: bool = False
    pin: str | None = field(default=None, repr=False)
    """The arbiter's, for the kiosk's settings; stands in the table's file only."""
    state: Path | None = None
    answer_limit_s: int = 180
    names: Mapping[Seat, str] = field(default_factory=dict)
    clock: TimeControl = field(default_factory=TimeControl)
    frame_log: bool = False
    frame_log_mb: int = 64
    """The most that one game's frame log may take."""
    keep_games: int | None = None
    """How many games stay on the disk, the one that is on among them; None: all."""
    broker_url: BrokerUrl | None = None
    broker_port: int = 0
    websocket_port: int = 0
    tls: bool = False
    certificate: Path | None = None
    hall: Path | None = None


def read_config(path: Path | None, said: Mapping[str, object]) -> TableConfig:
    """Give the configuration of a file with what was `said` on the command line in its place; raises `BadInputError`."""
    given = _document(path) if path is not None else {}
    values = _read(given, str(path), _KEYS)
    values |= {key: value for key, value in said.items() if value is not None}
    config = TableConfig(**values)
    if config.broker_url is not None and (config.broker_port or config.tls):
        raise BadInputError(
            "broker.port and tls are for the table's own broker; with a broker's address leave them out"
        )
    if config.hall is not None and config.broker_url is not None:
        raise BadInputError("hall is for a table with a broker of its own; leave the broker's address out")
    return config


def host_and_port(text: str, where: str) -> tuple[str, int]:
    """Read `HOST:PORT`; raises `BadInputError`."""
    host, colon, port = text.rpartition(":")
    if not (colon and host and ":" not in host and port.isascii() and port.isdigit() and int(port) <= MOST_PORT):
        raise BadInputError(f"{where}: an address like 0.0.0.0:8080, not {text!r}")
    return host, int(port)


def _document(path: Path) -> Mapping[str, object]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadInputError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise BadInputError(f"{path}: not a text in UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise BadInputError(f"{path}: {error}") from None


def _read(given: Mapping[str, object], where: str, keys: Mapping[str, tuple[str, Any]]) -> dict[str, Any]:
    unknown = sorted(set(given) - set(keys))
    if unknown:
        raise BadInputError(f"{where}: unknown key {unknown[0]!r} (known: {', '.join(sorted(keys))})")
    values: dict[str, Any] = {}
    for key, value in given.items():
        name, reader = keys[key]
        try:
            found = reader(value, f"{where}: {key}")
        except (TypeError, ValueError, TopicError) as error:
            raise BadInputError(f"{where}: {key}: {error}") from None
        values |= found if name == "" else {name: found}
    return values


def _text(value: object, where: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise TypeError("a text is wanted")
    return value


def _flag(value: object, where: str) -> bool:
    if not isinstance(value, bool):
        raise TypeError("true or false is wanted")
    return value


def _number(value: object, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise TypeError(f"a whole number from {least} to {most} is wanted")
    return value


def _pin(value: object, where: str) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"[0-9]{4,12}", value):
        raise ValueError("4 to 12 digits in quotes are wanted")
    return value


def _one_of(value: object, choices: tuple[str, ...]) -> str:
    if value not in choices:
        raise ValueError(f"one of {', '.join(choices)} is wanted")
    return str(value)


def _names(value: object, where: str) -> dict[Seat, str]:
    if not isinstance(value, dict):
        raise TypeError("a table of seat = name is wanted")
    return {Seat(_one_of(seat, tuple(each.value for each in Seat))): _text(name, where) for seat, name in value.items()}


def _broker(value: object, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError("a table of its keys is wanted")
    return _read(value, where, _BROKER_KEYS)


def _clock(value: object, where: str) -> TimeControl:
    if not isinstance(value, dict):
        raise TypeError("a table of its keys is wanted")
    given = _read(value, where, _CLOCK_KEYS)
    kind = given.pop("kind", ClockKind.NONE)
    names = {name: key for key, (name, _) in _CLOCK_KEYS.items()}
    wanted = _CLOCK_WANTS[kind]
    for name in sorted(wanted - given.keys()):
        raise ValueError(f"a {kind.value} clock needs {names[name]}")
    for name in sorted(given.keys() - wanted - {"set_up_ms"}):
        raise ValueError(f"a clock of kind {kind.value} does not go with {names[name]}")
    ply_ms = given.get("increment_ms", 0) + given.get("move_ms", 0)
    return TimeControl(kind, given.get("game_ms", 0), ply_ms, given.get("set_up_ms", 0))


def _time(value: object, unit_ms: int) -> int:
    """Read a number of minutes or seconds, which may have a fraction; give milliseconds."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= MOST_MS / unit_ms:
        raise TypeError(f"a number above 0 and up to {MOST_MS // unit_ms} is wanted")
    return max(1, round(value * unit_ms))


def _port(value: object, where: str) -> int:
    return _number(value, 0, MOST_PORT)


_BROKER_KEYS: Mapping[str, tuple[str, Any]] = {
    "url": ("broker_url", lambda value, where: read_broker_url(_text(value, where), where)),
    "port": ("broker_port", _port),
    "websocket-port": ("websocket_port", _port),
    "tls": ("tls", _flag),
    "certificate": ("certificate", lambda value, where: Path(_text(value, where)).expanduser()),
}
_KINDS = tuple(kind.value for kind in ClockKind)
_CLOCK_KEYS: Mapping[str, tuple[str, Any]] = {
    "kind": ("kind", lambda value, where: ClockKind(_one_of(value, _KINDS))),
    "minutes": ("game_ms", lambda value, where: _time(value, 60_000)),
    "increment-s": ("increment_ms", lambda value, where: _time(value, 1_000)),
    "move-s": ("move_ms", lambda value, where: _time(value, 1_000)),
    "set-up-minutes": ("set_up_ms", lambda value, where: _time(value, 60_000)),
}
_CLOCK_WANTS: Mapping[ClockKind, frozenset[str]] = {
    ClockKind.NONE: frozenset(),
    ClockKind.SUDDEN_DEATH: frozenset({"game_ms"}),
    ClockKind.FISCHER: frozenset({"game_ms", "increment_ms"}),
    ClockKind.BRONSTEIN: frozenset({"game_ms", "increment_ms"}),
    ClockKind.PER_MOVE: frozenset({"move_ms"}),
}
_MODES = tuple(mode.value for mode in Mode)
_REVEALS = tuple(reveal.value for reveal in Reveal)
_KEYS: Mapping[str, tuple[str, Any]] = {
    "name": ("name", lambda value, where: checked_name(_text(value, where))),
    "rules": ("rules", _text),
    "mode": ("mode", lambda value, where: Mode(_one_of(value, _MODES))),
    "reveal": ("reveal", lambda value, where: Reveal(_one_of(value, _REVEALS))),
    "language": ("language", lambda value, where: _one_of(value, LANGUAGES)),
    "web": ("web", lambda value, where: host_and_port(_text(value, where), where)),
    "address": ("address", _text),
    "kiosk": ("kiosk", _flag),
    "kiosk-turned": ("kiosk_turned", _flag),
    "kiosk-still": ("kiosk_still", _flag),
    "kiosk-sound": ("kiosk_sound", _flag),
    "pin": ("pin", _pin),
    "state": ("state", lambda value, where: Path(_text(value, where)).expanduser()),
    "answer-limit-s": ("answer_limit_s", lambda value, where: _number(value, 10, 86_400)),
    "names": ("names", _names),
    "clock": ("clock", _clock),
    "hall": ("hall", lambda value, where: Path(_text(value, where)).expanduser()),
    "frame-log": ("frame_log", _flag),
    "frame-log-mb": ("frame_log_mb", lambda value, where: _number(value, 1, 4_096)),
    "keep-games": ("keep_games", lambda value, where: _number(value, 1, 1_000_000)),
    "broker": ("", _broker),
}
