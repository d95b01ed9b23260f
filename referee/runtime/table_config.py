"""What a table is asked to be: the TOML file of `hallmarshal table --config`, and the command line, which wins over it.

docs/reference/table-config.md describes every key. An unknown key is an error, and so is a value of the wrong kind: all are told, and
nothing is started.
"""

from __future__ import annotations

import re
import ssl
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from referee.net.errors import TopicError
from referee.net.topics.topics import checked_name
from referee.rules.values import Seat
from referee.runtime.errors import BadInputError
from referee.table.settings import COMPUTER_LEVELS, MOST_MS, ClockKind, Limits, TimeControl
from referee.table.views import Mode, Reveal
from referee.words import LANGUAGES
from toml_tables import ABSENT, Key, check_table, keys_of, read_toml

MOST_PORT = 65535


def check_certificate(certificate: Path | None, key: Path | None, names: str) -> None:
    """Raise `BadInputError` for the files of a certificate and its key that cannot be used; neither is none at all."""
    if certificate is None and key is None:
        return
    if certificate is None or key is None:
        raise BadInputError(f"{names} go together")
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key)
    except (OSError, ssl.SSLError) as error:
        raise BadInputError(f"the certificate cannot be used: {error}") from None


def host_and_port(text: str, where: str) -> tuple[str, int]:
    """Read `HOST:PORT`; raises `BadInputError`."""
    host, colon, port = text.rpartition(":")
    if not (colon and host and ":" not in host and port.isascii() and port.isdigit() and int(port) <= MOST_PORT):
        raise BadInputError(f"{where}: an address like 0.0.0.0:8080, not {text!r}")
    return host, int(port)


def _names(value: Mapping[str, object]) -> dict[Seat, str]:
    seats = [seat.value for seat in Seat]
    for seat, name in value.items():
        if seat not in seats:
            raise ValueError(f"{seat!r} is none of {', '.join(seats)}")
        if not isinstance(name, str) or not name.strip():
            raise ValueError(f"{seat}: a text is needed, not {name!r}")
    return {Seat(seat): str(name) for seat, name in value.items()}


_PIN_NEEDED = "4 to 12 digits in quotes are needed"


def _pin(value: str) -> str:
    if not re.fullmatch(r"[0-9]{4,12}", value):
        raise ValueError(_PIN_NEEDED)
    return value


def _text(value: str) -> str:
    if not value.strip():
        raise ValueError("a text is needed, not blanks")
    return value


def _time(unit_ms: int) -> Callable[[float], int]:
    """Return what reads a number of minutes or seconds, which may have a fraction, as milliseconds."""

    def read(value: float) -> int:
        if not 0 < value <= MOST_MS / unit_ms:
            raise ValueError(f"a number above 0 and up to {MOST_MS // unit_ms} is needed")
        return max(1, round(value * unit_ms))

    return read


_CLOCK_KEYS = (
    Key("kind", "text", "", ABSENT, choices=tuple(kind.value for kind in ClockKind), read=ClockKind),
    Key("minutes", "number", "", ABSENT, read=_time(60_000)),
    Key("increment-s", "number", "", ABSENT, read=_time(1_000)),
    Key("move-s", "number", "", ABSENT, read=_time(1_000)),
    Key("set-up-minutes", "number", "", ABSENT, read=_time(60_000)),
)
_CLOCK_WANTS: Mapping[ClockKind, frozenset[str]] = {
    ClockKind.NONE: frozenset(),
    ClockKind.SUDDEN_DEATH: frozenset({"minutes"}),
    ClockKind.FISCHER: frozenset({"minutes", "increment-s"}),
    ClockKind.BRONSTEIN: frozenset({"minutes", "increment-s"}),
    ClockKind.PER_MOVE: frozenset({"move-s"}),
}


def _clock(value: object) -> TimeControl:
    faults: list[str] = []
    given = check_table(value, _CLOCK_KEYS, "", faults)
    kind = given.get("kind", ClockKind.NONE)
    times = {name: given[name] for name in ("minutes", "increment-s", "move-s") if name in given}
    wanted = _CLOCK_WANTS[kind]
    if not faults:
        faults += [f"a {kind.value} clock needs {name}" for name in sorted(wanted - times.keys())]
        faults += [f"a clock of kind {kind.value} does not go with {name}" for name in sorted(times.keys() - wanted)]
    if faults:
        raise ValueError("; ".join(faults))
    ply_ms = times.get("increment-s", 0) + times.get("move-s", 0)
    return TimeControl(kind, times.get("minutes", 0), ply_ms, given.get("set-up-minutes", 0))


def _moves(value: object) -> tuple[Seat, ...]:
    faults: list[str] = []
    given = check_table(
        value, (Key("decided", "list of text", "", ABSENT, read=lambda words: tuple(map(Seat, words))),), "", faults
    )
    if faults:
        raise ValueError("; ".join(faults))
    return tuple(dict.fromkeys(given.get("decided", ())))


def _computers(value: Mapping[str, object]) -> dict[Seat, int]:
    seats, found = [seat.value for seat in Seat], dict[Seat, int]()
    for seat, level in value.items():
        if seat not in seats:
            raise ValueError(f"{seat!r} is none of {', '.join(seats)}")
        if type(level) is not int or level not in COMPUTER_LEVELS:
            raise ValueError(f"{seat}: a level from 1 to 5 is needed, not {level!r}")
        found[Seat(seat)] = level
    return found


def _path(value: str) -> Path:
    return Path(_text(value)).expanduser()


def _key(
    kind: str, default: object, read: Callable[[Any], object] | None = None, *, shown: bool = True, **limits: Any
) -> Any:
    """Return a field of `TableConfig` that is a key of the file as well; `limits` are fields of `Key`."""

    def read_or_refuse(value: object) -> object:
        try:
            return value if read is None else read(value)
        except (BadInputError, TopicError) as error:
            raise ValueError(str(error).removeprefix(": ")) from None

    told = {"kind": kind, "about": "", "read": read_or_refuse, **limits}
    if isinstance(default, dict):
        return field(default_factory=dict, metadata={"key": {"default": ABSENT, **told}})
    return field(default=default, repr=shown, metadata={"key": told})


@dataclass(frozen=True, slots=True)
class TableConfig:
    """Everything that can be set, with its default; None means: choose when the table starts.

    In the file a key is named after its field, with hyphens, or as `name` says; `broker.` are those of the table `[broker]`.
    """

    name: str = _key("text", "table", lambda value: checked_name(_text(value)))
    rules: str = _key("text", "original", _text)
    mode: Mode = _key("text", Mode.DECLARE, Mode, choices=tuple(mode.value for mode in Mode))
    reveal: Reveal = _key("text", Reveal.BOOK, Reveal, choices=tuple(reveal.value for reveal in Reveal))
    language: str | None = _key("text", None, choices=LANGUAGES)
    web: tuple[str, int] = _key("text", ("0.0.0.0", 8080), lambda value: host_and_port(value, ""))  # noqa: S104 # handsets come over the local network
    address: str | None = _key("text", None, _text)
    https_certificate: Path | None = _key("text", None, _path)
    https_key: Path | None = _key("text", None, _path)
    kiosk: bool = _key("true or false", False)
    browser: bool = _key("true or false", False)
    """Show the page of a board on a screen in a browser of this machine, with phones beside it."""
    kiosk_turned: bool = _key("true or false", False)
    kiosk_still: bool = _key("true or false", False)
    kiosk_sound: bool = _key("true or false", False)
    kiosk_spoken: bool = _key("true or false", False)
    pin: str | None = _key("text", None, _pin, shown=False, needed=_PIN_NEEDED)
    """The arbiter's, for the kiosk's settings; stands in the table's file only."""
    state: Path | None = _key("text", None, _path)
    answer_limit_s: int = _key("whole number", 180, low=10, high=86_400)
    names: Mapping[Seat, str] = _key("table", {}, _names)
    clock: TimeControl = _key("table", TimeControl(), _clock)
    decided: tuple[Seat, ...] = _key("table", (), _moves, name="moves")
    """Seats whose moves are decided elsewhere and carried out at the board."""
    computers: Mapping[Seat, int] = _key("table", {}, _computers, name="computer")
    """The seats that the computer plays, each with its level from 1 to 5."""
    phone_grace_s: int = _key("whole number", 30, low=0, high=3_600)
    pauses: int | None = _key("whole number", 2, low=0, high=100)
    """None, of a recorded game of earlier days: as many as one likes."""
    pause_ms: int = _key("number", 300_000, _time(60_000), name="pause-minutes")
    confirm_ms: int = _key("number", 900_000, _time(60_000), name="confirm-minutes")
    """So long after its end the result of a game may be taken back, unless the next one begins before."""
    finale_s: int = _key("whole number", 60, low=0, high=600)
    """So long after the end it is shown whether both armies are turned over; 0: nobody is asked."""
    keys: Path | None = _key("text", None, _path)
    """The folder of the table's keys on another disk than its state; None: beside what they open."""
    keep_keys: bool = _key("true or false", False)
    """Keep the keys of games that are over: who has the disk reads all of them."""
    frame_log: bool = _key("true or false", False)
    frame_log_mb: int = _key("whole number", 64, low=1, high=4_096)
    """The most that one game's frame log may take."""
    keep_games: int | None = _key("whole number", None, low=1, high=1_000_000)
    """How many games stay on the disk, the one that is on among them; None: all."""
    broker_url: BrokerUrl | None = _key("text", None, lambda value: read_broker_url(value, ""), name="broker.url")
    broker_port: int = _key("whole number", 0, low=0, high=MOST_PORT, name="broker.port")
    websocket_port: int = _key("whole number", 0, low=0, high=MOST_PORT, name="broker.websocket-port")
    """Of earlier versions, and without effect: phones' MQTT comes by the pages' port."""
    tls: bool = _key("true or false", False, name="broker.tls")
    certificate: Path | None = _key("text", None, _path, name="broker.certificate")
    hall: Path | None = _key("text", None, _path)
    library: str = _key("text", "players", choices=("off", "players", "open"))
    """Who may see the games that the table keeps."""

    @property
    def https(self) -> tuple[str, str]:
        """Return the file of the certificate that the front door shows, and that of its key; empty without one."""
        return str(self.https_certificate or ""), str(self.https_key or "")

    @property
    def elsewhere(self) -> tuple[Seat, ...]:
        """Return the seats whose moves are decided elsewhere: by who was named, or by the computer."""
        return (*self.decided, *(seat for seat in self.computers if seat not in self.decided))

    @property
    def limits(self) -> Limits:
        """Return how long a player may keep a game with clocks waiting."""
        return Limits(self.phone_grace_s * 1000, self.pauses, self.pause_ms)


def config_keys(table: str) -> dict[str, Key]:
    """Return the keys of the file, or of its `table`, by the field of `TableConfig` that each sets."""
    found = {}
    for key, each in zip(keys_of(TableConfig), fields(TableConfig), strict=True):
        place, _, name = key.name.rpartition(".")
        if place == table:
            found[each.name] = replace(key, name=name.replace("_", "-"))
    return found


def read_option(name: str, value: object, option: str) -> object:
    """Return what a field of `TableConfig` becomes by an option's value, which is read as in the file. Raises `BadInputError`."""
    key = (config_keys("") | config_keys("broker"))[name]
    assert key.read is not None
    try:
        return key.read(value)
    except ValueError as error:
        raise BadInputError(f"{option}: {error}") from None


def read_config(path: Path | None, said: Mapping[str, object]) -> TableConfig:
    """Return the configuration of a file with what was `said` on the command line in its place; raises `BadInputError`."""
    faults: list[str] = []
    values: dict[str, Any] = {}
    try:
        given: Any = read_toml(path) if path is not None else {}
    except ValueError as error:
        raise BadInputError(f"{path}: {error}") from None
    for table in ("", "broker"):
        keys = config_keys(table)
        rest = () if table else (Key("broker", "table", "", {}),)
        found = check_table(given, (*keys.values(), *rest), table, faults)
        values |= {field: found[key.name] for field, key in keys.items() if key.name in found}
        given = found.get("broker", {})
    if faults:
        raise BadInputError(f"{path}: " + "; ".join(faults))
    config = TableConfig(**values | {key: value for key, value in said.items() if value is not None})
    if config.broker_url is not None and (config.broker_port or config.tls):
        raise BadInputError(
            "broker.port and tls are for the table's own broker; with a broker's address leave them out"
        )
    check_certificate(config.https_certificate, config.https_key, "https-certificate and https-key")
    if config.hall is not None and config.broker_url is not None:
        raise BadInputError("hall is for a table with a broker of its own; leave the broker's address out")
    return config


# ---- where a broker is, on the command line and in the file: mqtt://HOST[:PORT], mqtts://HOST[:PORT], or ws://HOST[:PORT]/mqtt


_PORTS = {"mqtt": 1883, "mqtts": 8883, "ws": 80}
_WS_PATH = "/mqtt"


@dataclass(frozen=True, slots=True)
class BrokerUrl:
    """A broker's host and port; `mqtts`: it shows a certificate; `ws`: it is behind a front door, by WebSocket."""

    scheme: str
    host: str
    port: int

    @property
    def text(self) -> str:
        """Return the address as it is written."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}{_WS_PATH if self.scheme == 'ws' else ''}"


def read_broker_url(url: str, where: str, schemes: Sequence[str] = ("mqtt", "mqtts")) -> BrokerUrl:
    """Read an address; raises `BadInputError`. A password in it is refused: arguments can be read by everybody."""
    parts = urlsplit(url)
    try:
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    paths = ("", "/", _WS_PATH) if parts.scheme == "ws" else ("", "/")
    if parts.scheme not in schemes or not host or parts.path not in paths or parts.query or parts.fragment:
        others = " or ".join(f"{scheme}://..." for scheme in schemes[1:])
        raise BadInputError(f"{where}: an address like mqtt://192.168.1.20:1883 or {others}, not {url!r}")
    if parts.username is not None or parts.password is not None:
        raise BadInputError(f"{where}: leave the password out of the address; arguments can be read by everybody")
    return BrokerUrl(parts.scheme, host, port or _PORTS[parts.scheme])


# ---- clocks that can be chosen, each by a word that a kiosk can spell out: `fischer:20:10` is its kind, minutes, seconds


_MINUTE_MS, _SECOND_MS = 60_000, 1_000
_USUAL = (
    TimeControl(),
    TimeControl(ClockKind.SUDDEN_DEATH, 20 * _MINUTE_MS),
    TimeControl(ClockKind.SUDDEN_DEATH, 30 * _MINUTE_MS),
    TimeControl(ClockKind.FISCHER, 10 * _MINUTE_MS, 5 * _SECOND_MS),
    TimeControl(ClockKind.FISCHER, 20 * _MINUTE_MS, 10 * _SECOND_MS),
    TimeControl(ClockKind.PER_MOVE, ply_ms=30 * _SECOND_MS),
)
"""For a short game and a long one; every other clock stands in a table's file."""


def clock_choices(own: TimeControl) -> Mapping[str, TimeControl]:
    """Return the clocks by their words: none, the usual ones, and last the table's own where it is another.

    The time for the set-up goes with all of them.
    """
    given = [replace(control, set_up_ms=own.set_up_ms) for control in _USUAL]
    return {clock_word(control): control for control in (*given, own)}


def clock_word(control: TimeControl) -> str:
    """Return the word: the kind, then the minutes for the game and the seconds for a ply as far as it has them."""
    times = [(control.game_ms, _MINUTE_MS), (control.ply_ms, _SECOND_MS)]
    return ":".join((control.kind.value, *(f"{time_ms / unit_ms:g}" for time_ms, unit_ms in times if time_ms)))
