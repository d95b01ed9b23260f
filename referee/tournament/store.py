"""Where events are kept: SQLite, or PostgreSQL by URL, through SQLAlchemy. One transaction an act, refused when it is stale.

SQLite in WAL with synchronous=FULL, so that what was saved survives a power cut. Every event has a revision that each save raises
by one: whoever saves says which one he loaded, and is refused when somebody else was quicker. A save writes the rows that changed.

StoreError
├── StoreUnreachableError   no database there, or it does not answer
├── StoreFormatError        a database of another program or of a newer format; a place that is none
├── UnknownEventError       no event of this id
├── EventExistsError        an event of this id is there already
├── StillPlayingError       a player is to be forgotten whose game is not over; nothing was written
└── StaleError              somebody else changed the event since it was loaded; nothing was written
"""

from __future__ import annotations

import contextlib
import json
import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, get_type_hints

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, IntegrityError, SQLAlchemyError

from referee.tournament.event import acts
from referee.tournament.event import event as model


class StoreError(Exception):
    """The root of all errors of this room. Its text is one sentence, without passwords."""


class StoreUnreachableError(StoreError):
    """The database cannot be opened or does not answer."""


class StoreFormatError(StoreError):
    """The file or database is no store of ours, or one that this version cannot read; or there can be none in this
    place.
    """


class UnknownEventError(StoreError):
    """No event of this id is kept here."""


class EventExistsError(StoreError):
    """An event of this id is kept here already."""


class StaleError(StoreError):
    """The event was changed since it was loaded; nothing was written. `Store.log` says what was done meanwhile."""


class StillPlayingError(StoreError):
    """A player's game is on; nothing was written."""


# The tables of a store, and an event as their rows. Texts are the stable words; points are tenths.


FORMAT = 2
METADATA = sa.MetaData()


_SCORING = ("win", "draw", "loss", "bye", "absent")
_DETAILS = ("place", "federation", "starts", "ends", "arbiter")
_PLAYER = ("number", "name", "rating", "federation", "first_round", "last_round")
_MORE = ("pair_rules", "check_in", "tables", "accelerated", "draws", "groups", "team_boards", "teams", "public_names")
"""What of an event stands in its `settings`, as JSON: those that are not as in a new event."""
_MAY_BE_EMPTY = ("last_round", "result")


def _key(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer, primary_key=True, autoincrement=False)


def _table(name: str, keys: tuple[str, ...], /, **columns: type[sa.Integer | sa.String]) -> sa.Table:
    """Return the table of something in an event, which has these keys beside the event's."""
    event = sa.Column("event", sa.String, sa.ForeignKey("hm_events.event", ondelete="CASCADE"), primary_key=True)
    others = (sa.Column(column, kind, nullable=column in _MAY_BE_EMPTY) for column, kind in columns.items())
    return sa.Table(name, METADATA, event, *map(_key, keys), *others)


STORE = sa.Table("hm_store", METADATA, _key("format"))
EVENTS = sa.Table(
    "hm_events",
    METADATA,
    sa.Column("event", sa.String, primary_key=True),
    sa.Column("revision", sa.Integer, nullable=False),
    *(sa.Column(name, sa.Integer, nullable=False) for name in ("rounds_planned", *_SCORING)),
    *(sa.Column(name, sa.String, nullable=False) for name in ("seed", "name", "system", "tie_breaks", *_DETAILS)),
    sa.Column("settings", sa.String, nullable=False, server_default="{}"),  # since format 2
)
PLAYERS = _table(
    "hm_players",
    ("number",),
    name=sa.String,
    rating=sa.Integer,
    federation=sa.String,
    first_round=sa.Integer,
    last_round=sa.Integer,
)
REQUESTED = _table("hm_requested_byes", ("round", "player"), kind=sa.String)
ROUNDS = _table("hm_rounds", ("round",), published=sa.Integer)
ENDS = _table("hm_round_ends", ("round",), at_ms=sa.BigInteger, at_end=sa.String)
PAIRINGS = _table(
    "hm_pairings", ("round", "table_number"), red=sa.Integer, blue=sa.Integer, result=sa.String, reasons=sa.String
)
BYES = _table("hm_byes", ("round", "player"), kind=sa.String, reasons=sa.String)
LOG = _table(
    "hm_log",
    ("revision",),
    at_ms=sa.BigInteger,
    who=sa.String,
    why=sa.String,
    act=sa.String,
    given=sa.String,
    before=sa.String,
)
"""What made each revision, since format 2. `before` is what `_patched` needs to take it back."""
CHILDREN = (PLAYERS, REQUESTED, ROUNDS, ENDS, PAIRINGS, BYES)

Row = Mapping[str, Any]
Rows = dict[sa.Table, list[Row]]


def event_row(event: model.Event) -> Row:
    """Return the row of the event itself, without its revision."""
    scoring, details = event.scoring, event.details
    return {
        "event": event.id.value,
        "rounds_planned": event.rounds_planned,
        **{name: int(getattr(scoring, name) * 10) for name in _SCORING},
        "seed": str(event.seed),
        "name": event.name,
        "system": event.system.value,
        "tie_breaks": " ".join(tie_break.value for tie_break in event.tie_breaks),
        **{name: getattr(details, name) for name in _DETAILS},
        "settings": json.dumps(_settings(event)),
    }


def _settings(event: model.Event) -> dict[str, Any]:
    """Return what differs from a new event, as JSON values."""
    told = {field.name: (getattr(event, field.name), field.default) for field in fields(event) if field.name in _MORE}
    return {name: msgspec.to_builtins(value) for name, (value, default) in told.items() if value != default}


def child_rows(event: model.Event) -> Rows:
    """Return the rows of the event's players, byes, rounds, pairings and details, by table."""
    rows: Rows = {table: [] for table in CHILDREN}
    own = {"event": event.id.value}
    for player in event.players:
        rows[PLAYERS].append({**own, **{name: getattr(player, name) for name in _PLAYER}})
    for asked in event.requested:
        row = {"round": asked.round_number, "player": asked.player, "kind": asked.kind.value}
        rows[REQUESTED].append({**own, **row})
    drafts = () if event.draft is None else (event.draft,)
    for round_ in (*event.rounds, *drafts):
        rows[ROUNDS].append({**own, "round": round_.number, "published": int(round_.number <= len(event.rounds))})
        _add_round(rows, {**own, "round": round_.number}, round_)
    return rows


def _add_round(rows: Rows, own: Row, round_: model.Round) -> None:
    if round_.ends is not None:
        rows[ENDS].append({**own, "at_ms": round_.ends.at_ms, "at_end": round_.ends.at_end.value})
    for pairing in round_.pairings:
        result = None if pairing.result is None else pairing.result.value
        seats = {"table_number": pairing.table, "red": pairing.red, "blue": pairing.blue}
        rows[PAIRINGS].append({**own, **seats, "result": result, "reasons": _reasons_text(pairing.reasons)})
    for bye in round_.byes:
        row = {"player": bye.player, "kind": bye.kind.value, "reasons": _reasons_text(bye.reasons)}
        rows[BYES].append({**own, **row})


def event_from(row: Row, children: Mapping[sa.Table, Sequence[Row]]) -> model.Event:
    """Return the event of its rows, each table's in the order of its key. Raises `ValueError` or `EventError` for rows
    of no event.
    """
    rounds = [_round(entry["round"], children) for entry in children[ROUNDS]]
    published = [bool(entry["published"]) for entry in children[ROUNDS]]
    drafts = [round_ for round_, seen in zip(rounds, published, strict=True) if not seen]
    told, kinds = json.loads(row["settings"]), get_type_hints(model.Event)
    return model.Event(
        model.EventId(row["event"]),
        row["name"],
        row["rounds_planned"],
        model.System(row["system"]),
        model.Scoring(**{name: Fraction(row[name], 10) for name in _SCORING}),
        tuple(model.TieBreak(word) for word in row["tie_breaks"].split()),
        int(row["seed"]),
        model.Details(**{name: row[name] for name in _DETAILS}),
        tuple(model.Player(**{name: entry[name] for name in _PLAYER}) for entry in children[PLAYERS]),
        tuple(
            model.RequestedBye(entry["player"], entry["round"], model.ByeKind(entry["kind"]))
            for entry in children[REQUESTED]
        ),
        tuple(round_ for round_, seen in zip(rounds, published, strict=True) if seen),
        drafts[0] if drafts else None,
        **{name: msgspec.convert(told[name], kinds[name]) for name in _MORE if name in told},
    )


def _round(number: int, children: Mapping[sa.Table, Sequence[Row]]) -> model.Round:
    pairings = tuple(
        model.Pairing(
            row["table_number"],
            row["red"],
            row["blue"],
            None if row["result"] is None else model.Result(row["result"]),
            _reasons(row["reasons"]),
        )
        for row in children[PAIRINGS]
        if row["round"] == number
    )
    byes = tuple(
        model.Bye(row["player"], model.ByeKind(row["kind"]), _reasons(row["reasons"]))
        for row in children[BYES]
        if row["round"] == number
    )
    ends = [
        model.RoundEnd(row["at_ms"], model.AtEnd(row["at_end"])) for row in children[ENDS] if row["round"] == number
    ]
    return model.Round(number, pairings, byes, ends[0] if ends else None)


def _reasons_text(reasons: Sequence[model.Reason]) -> str:
    return " ".join(map(str, reasons))


def _reasons(text: str) -> tuple[model.Reason, ...]:
    return tuple(map(model.reason_from, text.split()))


# The store.


_SQLITE_WAIT_S = 5.0
_REASON_LENGTH, _WHO_LENGTH = 200, 80


@dataclass(frozen=True, slots=True)
class Note:
    """Who does an act, and why, for the log: each one line, or empty where nobody said. `act` is a word of `acts.BY_NAME`, or one for what
    was done otherwise; `given` is JSON; `at_ms` counts from 1970.
    """

    who: str = ""
    why: str = ""
    act: str = "changed"
    given: Mapping[str, Any] = field(default_factory=dict)
    at_ms: int = field(default_factory=lambda: time.time_ns() // 1_000_000)

    def __post_init__(self) -> None:
        for what, text, length in (("a reason", self.why, _REASON_LENGTH), ("who", self.who, _WHO_LENGTH)):
            if text:
                model.check_line(what, text, length)


@dataclass(frozen=True, slots=True)
class LogEntry:
    """An act of the log; `revision` is the one that it made, and names it. `undone`: another act took it back, and it is not in force.
    `undoable`: it can be taken back, since nothing that is in force has changed the same rows after it.
    `last`: nothing at all in force came after it.
    """

    revision: int
    note: Note
    undone: bool
    undoable: bool
    last: bool

    def as_told(self) -> dict[str, Any]:
        """Return the entry as JSON values."""
        return {
            "revision": self.revision,
            **msgspec.to_builtins(self.note),
            "undone": self.undone,
            "undoable": self.undoable,
        }


_UNDO, _FORGET, _CREATE = "undo", "forget", "create"
_OF_A_ROUND = {"pair": 1, "discard": 1, "publish": 1, "unpublish": 0}
"""Acts that are about a round without naming it, which the log does: how far it is behind the last published one."""


def _entries(rows: Sequence[Row]) -> tuple[LogEntry, ...]:
    """Return the entries of the log's rows, in order. An undo that was undone itself brings its entry back."""
    notes = {
        row["revision"]: Note(row["who"], row["why"], row["act"], json.loads(row["given"]), row["at_ms"])
        for row in rows
    }
    target = {revision: int(note.given["entry"]) for revision, note in notes.items() if note.act == _UNDO}
    undone: set[int] = set()
    for revision in target:
        undone.add(target[revision])
        undone.discard(target.get(target[revision], 0))
    touched = {row["revision"]: _touched(json.loads(row["before"])) for row in rows}
    found: list[LogEntry] = []
    changed: set[tuple[Any, ...]] = set()  # by acts in force that are no undo, from the newest on
    undos: list[int] = []  # those in force
    for number, note in reversed(notes.items()):
        # an undo of a later act is not looked at, since it has only put back what that changed
        later = [one for one in undos if target[one] <= number]
        is_free = changed.isdisjoint(touched[number])
        if number in target:
            is_free = is_free and not any(_with_rounds(touched[one]) & touched[number] for one in later)
        in_force = number not in undone
        undoable = in_force and is_free and note.act not in (_CREATE, _FORGET)
        found.append(LogEntry(number, note, not in_force, undoable, not changed and not later))
        if in_force and number in target:
            undos.append(number)
        elif in_force:
            changed |= _with_rounds(touched[number])
    return tuple(reversed(found))


def _touched(before: Mapping[str, Any]) -> set[tuple[Any, ...]]:
    """Return what an act changed: columns of the event, and rows by their table and key."""
    found: set[tuple[Any, ...]] = {(EVENTS.name, name) for name in before.get(EVENTS.name, ())}
    for table in CHILDREN:
        patch = before.get(table.name, {"gone": [], "fresh": []})
        found |= {(table.name, *key) for key in (*_keyed(table, patch["gone"]), *map(tuple, patch["fresh"]))}
    return found


def _with_rounds(touched: set[tuple[Any, ...]]) -> set[tuple[Any, ...]]:
    """Return what an act changed, and the rounds that this rests on."""
    parts = (PAIRINGS.name, BYES.name, ENDS.name)
    return touched | {(ROUNDS.name, *key[1:3]) for key in touched if key[0] in parts}


@dataclass(frozen=True, slots=True)
class Stored:
    """An event as the database holds it, and its revision, from 1."""

    event: model.Event
    revision: int


class Store:
    """An open store; for one thread at a time, beside other processes. Made by `open_store`."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()

    def ids(self) -> tuple[model.EventId, ...]:
        """Return the ids of all events, in order."""
        with self._transaction() as base:
            return tuple(
                model.EventId(name) for name in base.scalars(sa.select(EVENTS.c.event).order_by(EVENTS.c.event))
            )

    def create(self, made: model.Event, note: Note | None = None) -> Stored:
        """Save a new event as revision 1. Raises `EventExistsError`."""
        try:
            with self._transaction() as base:
                base.execute(sa.insert(EVENTS).values(**event_row(made), revision=1))
                for table, rows in child_rows(made).items():
                    if rows:
                        base.execute(sa.insert(table), rows)
                _write_log(base, made.id.value, 1, replace(note or Note(), act=_CREATE, given={}), {})
        except IntegrityError:
            raise EventExistsError(f"there is an event {made.id} already") from None
        return Stored(made, 1)

    def load(self, event_id: model.EventId, known: Stored | None = None) -> Stored:
        """Return an event; `known` itself where its revision is still the same. Raises `UnknownEventError`,
        `StoreFormatError` for rows of no event.
        """
        with self._transaction() as base:
            row = base.execute(sa.select(EVENTS).where(EVENTS.c.event == event_id.value)).mappings().one_or_none()
            if row is None:
                raise UnknownEventError(f"there is no event {event_id}")
            if known is not None and (known.event.id, known.revision) == (event_id, row["revision"]):
                return known
            children = {table: _rows(base, table, event_id) for table in CHILDREN}
        try:
            return Stored(event_from(dict(row), children), row["revision"])
        except (model.EventError, ValueError) as error:
            raise StoreFormatError(f"event {event_id} is damaged: {error}") from None

    def act(self, event_id: model.EventId, revision: int, word: str, given: Mapping[str, Any], note: Note) -> Stored:
        """Do an act of `acts.BY_NAME`, or `undo` with the `entry`, on the event as it was at that revision, and log it as `note` says. What
        changes nothing is neither saved nor logged.

        Raises `StaleError`, what `load` and the act raise, and `KeyError` for another word.
        """
        kept = self.load(event_id)
        if kept.revision != revision:
            raise StaleError(f"event {event_id} was changed meanwhile: look again")
        if word == _UNDO:
            entry = acts.whole(given, "entry")
            return self.save(self._without(kept, entry), revision, replace(note, act=word, given={"entry": entry}))
        changed = acts.BY_NAME[word](kept.event, given)
        if changed == kept.event:
            return kept
        told = {key: given[key] for key in acts.KEYS[word] if key in given}
        if word in _OF_A_ROUND:
            told = {"round": len(kept.event.rounds) + _OF_A_ROUND[word]}
        return self.save(changed, revision, replace(note, act=word, given=told))

    def save(self, changed: model.Event, loaded: int, note: Note | None = None) -> Stored:
        """Save a new state of the event that was loaded at that revision. Raises `StaleError` and writes nothing."""
        with self._transaction() as base:
            ours = (EVENTS.c.event == changed.id.value) & (EVENTS.c.revision == loaded)
            old = base.execute(sa.select(EVENTS).where(ours).with_for_update()).mappings().one_or_none()
            if old is None:
                raise StaleError(f"event {changed.id} was changed meanwhile: look again")
            new = event_row(changed)
            base.execute(sa.update(EVENTS).where(ours).values(**new, revision=loaded + 1))
            head = {name: old[name] for name, value in new.items() if old[name] != value}
            before: dict[str, Any] = {EVENTS.name: head} if head else {}
            for table, rows in child_rows(changed).items():
                gone, fresh = _replace(base, table, _rows(base, table, changed.id), rows)
                if gone or fresh:
                    before[table.name] = {"gone": gone, "fresh": fresh}
            _write_log(base, changed.id.value, loaded + 1, note or Note(), before)
        return Stored(changed, loaded + 1)

    def log(self, event_id: model.EventId, since: int = 0) -> tuple[LogEntry, ...]:
        """Return the acts that made the revisions after `since`, oldest first; acts of before format 2 are not known."""
        with self._transaction() as base:
            entries = _entries(_rows(base, LOG, event_id))
        return tuple(entry for entry in entries if entry.revision > since)

    def _without(self, kept: Stored, number: int) -> model.Event:
        """Return the event without an act of its log. Raises `ActError` where that is not to be had."""
        with self._transaction() as base:
            rows = _rows(base, LOG, kept.event.id)
        log = _entries(rows)
        newest = next((entry.revision for entry in reversed(log) if entry.undoable and entry.note.act != _UNDO), "")
        entry = next((entry for entry in log if entry.revision == number and entry.undoable), None)
        if entry is None:
            raise model.ActError(f"act {number} cannot be undone before what came after it", "not-last", newest)
        before = next(json.loads(row["before"]) for row in rows if row["revision"] == number)
        head = {**event_row(kept.event), **before.get(EVENTS.name, {})}
        try:
            found = event_from(
                head, {table: _patched(table, own, before) for table, own in child_rows(kept.event).items()}
            )
        except model.EventError:  # what came later rests on it: somebody has been paired who had not been entered
            raise model.ActError(
                f"act {number} cannot be undone before what came after it", "not-last", newest
            ) from None
        return found if entry.last else replace(found, draft=None)

    def forget(
        self, is_his: Callable[[str], bool], without: Callable[[str], str] = lambda text: text
    ) -> list[tuple[str, int]]:
        """Take a player's name out of every event, and return the events with his number, which stands for it from now on. Out of the log
        goes every name that he had, and whatever reason holds a word of it.

        `is_his` returns whether a name is the player's, `without` a text, as titles that an event had, without his name.

        Raises `StillPlayingError` while a game of his has no result. The file, or the table, is then written again without what was there.
        """
        with self._transaction() as base:
            names = _all_names(base, is_his)
            told = base.execute(sa.select(PLAYERS.c.event, PLAYERS.c.number, PLAYERS.c.name)).all()
            found = [(event, number) for event, number, name in told if name in names[event]]
            _forget_in_log(base, names, is_his, without)
            for event, number in found:
                self._refuse_playing(base, event, number)
                its = (PLAYERS.c.event == event) & (PLAYERS.c.number == number)
                base.execute(sa.update(PLAYERS).where(its).values(name=f"#{number}"))
                newer = {"revision": EVENTS.c.revision + 1}
                base.execute(sa.update(EVENTS).where(EVENTS.c.event == event).values(newer))
                revision = base.scalar(sa.select(EVENTS.c.revision).where(EVENTS.c.event == event))
                _write_log(base, event, int(revision or 0), Note(act=_FORGET, given={"number": number}), {})
        try:
            with self._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as base:
                if base.dialect.name == "postgresql":
                    base.exec_driver_sql(f"VACUUM (FULL) {PLAYERS.name}, {LOG.name}")
                else:  # the transaction is ours (`_begin_sqlite`), and nothing is packed within one
                    for statement in ("COMMIT", "VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"):
                        base.exec_driver_sql(statement)
        except SQLAlchemyError as error:
            raise StoreUnreachableError(
                f"{_cause(error)}: nobody is told the name, and the file may still hold it"
            ) from None
        return found

    def _refuse_playing(self, base: sa.Connection, event: str, number: int) -> None:
        open_one = (PAIRINGS.c.event == event) & PAIRINGS.c.result.is_(None)
        his = (PAIRINGS.c.red == number) | (PAIRINGS.c.blue == number)
        published = (ROUNDS.c.event == event) & (ROUNDS.c.round == PAIRINGS.c.round) & (ROUNDS.c.published == 1)
        on = base.scalar(sa.select(PAIRINGS.c.round).where(open_one & his & published).limit(1))
        if on is not None:
            raise StillPlayingError(f"{event}: this player's game of round {on} has no result yet")

    @contextmanager
    def _transaction(self) -> Iterator[sa.Connection]:
        try:
            with self._engine.begin() as base:
                yield base
        except IntegrityError:
            raise
        except SQLAlchemyError as error:
            raise StoreUnreachableError(_cause(error)) from None


def open_store(place: str | Path) -> Store:
    """Open a store, making its tables where there are none: a path (`~` is the home folder) is SQLite, `postgresql://...` is PostgreSQL.

    Raises `StoreUnreachableError` or `StoreFormatError`.
    """
    url = _url(place)
    try:
        engine = _engine(url)
        with engine.begin() as base:
            if base.dialect.name == "postgresql":
                base.execute(sa.text("SELECT pg_advisory_xact_lock(1213022513)"))  # two stations may start at once
            _refuse_strangers(base)
            METADATA.create_all(base)
            formats = list(base.scalars(sa.select(STORE.c.format)))
            if not formats:
                base.execute(sa.insert(STORE).values(format=FORMAT))
            elif formats == [1]:  # which had no log, and no settings beside its columns
                base.execute(sa.text("ALTER TABLE hm_events ADD COLUMN settings VARCHAR DEFAULT '{}' NOT NULL"))
                base.execute(sa.update(STORE).values(format=FORMAT))
                formats = [FORMAT]
    except SQLAlchemyError as error:
        raise StoreUnreachableError(f"{url.render_as_string()}: {_cause(error)}") from None
    if formats not in ([], [FORMAT]):
        engine.dispose()
        raise StoreFormatError(f"the store has format {formats[0]}, this version reads {FORMAT}")
    return Store(engine)


def _refuse_strangers(base: sa.Connection) -> None:
    """Keep our tables out of a file that is something else, a table's journal for one; a PostgreSQL database may be shared."""
    tables = sa.inspect(base).get_table_names()
    if base.dialect.name == "sqlite" and tables and STORE.name not in tables:
        raise StoreFormatError("that file is a database of something else, not a store of events")


def _url(place: str | Path) -> URL:
    text_form = str(place)
    if "://" not in text_form:
        return URL.create("sqlite", database=str(Path(place).expanduser()))
    try:
        url = make_url(text_form)
    except ArgumentError:
        raise StoreFormatError("a store is a path or postgresql://USER@HOST/DATABASE") from None
    if url.drivername in ("postgresql", "postgres"):
        return url.set(drivername="postgresql+psycopg")
    raise StoreFormatError(f"a store is a path or postgresql://..., not {url.drivername}://...")


def _engine(url: URL) -> sa.Engine:
    if url.drivername != "sqlite":
        return sa.create_engine(url, pool_pre_ping=True)
    if url.database and url.database != ":memory:":
        with contextlib.suppress(OSError):  # SQLite says why it cannot be opened
            Path(url.database).touch(mode=0o600)
    engine = sa.create_engine(url, connect_args={"timeout": _SQLITE_WAIT_S})
    sa.event.listen(engine, "connect", _prepare_sqlite)
    sa.event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(base: Any, _record: object) -> None:
    """Let SQLAlchemy begin transactions, not the driver, and make every commit outlive a power cut."""
    base.isolation_level = None
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
        base.execute(f"PRAGMA {pragma}")


def _begin_sqlite(base: sa.Connection) -> None:
    """Take the write lock at once: two who read and then write would both be refused otherwise."""
    base.exec_driver_sql("BEGIN IMMEDIATE")


def _rows(base: sa.Connection, table: sa.Table, event_id: model.EventId) -> list[Row]:
    query = sa.select(table).where(table.c.event == event_id.value).order_by(*table.primary_key.columns)
    return [dict(row) for row in base.execute(query).mappings()]


def _keyed(table: sa.Table, rows: Iterable[Row]) -> dict[tuple[Any, ...], Row]:
    key = [column.name for column in table.primary_key.columns]
    return {tuple(row[name] for name in key): row for row in rows}


def _replace(
    base: sa.Connection, table: sa.Table, before: Sequence[Row], after: Sequence[Row]
) -> tuple[list[Row], list[tuple[Any, ...]]]:
    """Write the rows that differ. Returns the rows that are gone, and the keys of those that are new."""
    old, new = _keyed(table, before), _keyed(table, after)
    gone = {values: row for values, row in old.items() if new.get(values) != row}
    for values in gone:
        base.execute(sa.delete(table).where(*(c == v for c, v in zip(table.primary_key.columns, values, strict=True))))
    fresh = {values: row for values, row in new.items() if old.get(values) != row}
    if fresh:
        base.execute(sa.insert(table), list(fresh.values()))
    return list(gone.values()), list(fresh)


def _patched(table: sa.Table, rows: Sequence[Row], before: Mapping[str, Any]) -> list[Row]:
    """Return the rows as they were before an act, in the order of their key."""
    patch = before.get(table.name, {"gone": [], "fresh": []})
    fresh = set(map(tuple, patch["fresh"]))
    kept = {values: row for values, row in _keyed(table, rows).items() if values not in fresh}
    return [row for _, row in sorted((kept | _keyed(table, patch["gone"])).items())]


def _write_log(base: sa.Connection, event: str, revision: int, note: Note, before: Mapping[str, Any]) -> None:
    told = {"at_ms": note.at_ms, "who": note.who, "why": note.why, "act": note.act}
    given = {"given": json.dumps(dict(note.given)), "before": json.dumps(before)}
    base.execute(sa.insert(LOG).values(event=event, revision=revision, **told, **given))


def _all_names(base: sa.Connection, is_his: Callable[[str], bool]) -> dict[str, set[str]]:
    """Return by event every name that a player has or had there: the one that is asked for, and those before and after it."""
    found: dict[str, set[str]] = defaultdict(set)
    for event, name in base.execute(sa.select(PLAYERS.c.event, PLAYERS.c.name)):
        if is_his(name):
            found[event].add(name)
    renamed = base.execute(sa.select(LOG.c.event, LOG.c.given, LOG.c.before).where(LOG.c.act == "edit")).all()
    pairs = [
        (event, {row["name"] for row in json.loads(before)[PLAYERS.name]["gone"]} | {json.loads(given).get("name", "")})
        for event, given, before in renamed
    ]
    for _ in pairs:  # a name leads to the next
        for event, names in pairs:
            if names & found[event] or any(map(is_his, names)):
                found[event] |= names - {""}
    return found


def _forget_in_log(
    base: sa.Connection, names: Mapping[str, set[str]], is_his: Callable[[str], bool], without: Callable[[str], str]
) -> None:
    """Write the log's rows without a player's names, and without reasons that hold a word of one."""
    for row in base.execute(sa.select(LOG)).mappings().all():
        his = names[row["event"]]
        words = {word for name in his for word in re.findall(r"\w{3,}", name.casefold())}
        new: dict[str, Any] = {
            name: json.dumps(
                _nameless(json.loads(row[name]), lambda name, his=his: name in his or is_his(name), without)  # type: ignore[misc]
            )
            for name in ("given", "before")
        }
        if row["who"] in his or is_his(row["who"]):
            new["who"] = "#"
        if words.intersection(re.findall(r"\w+", row["why"].casefold())):
            new["why"] = ""
        ours = (LOG.c.event == row["event"]) & (LOG.c.revision == row["revision"])
        base.execute(sa.update(LOG).where(ours).values(**new))


_FREE = ("name", "group", "place", "arbiter")
"""Keys of texts that people type, in what the log was given and in rows; any other text is a word of ours, as `red` is."""


def _nameless(value: Any, is_his: Callable[[str], bool], without: Callable[[str], str]) -> Any:
    """Return JSON values with a player's number, or `#` alone, in place of his name."""
    if isinstance(value, dict):
        mine = f"#{value.get('number', '')}"
        free = {key: each for key, each in value.items() if key in _FREE and isinstance(each, str)}
        told = {key: mine if is_his(each) else without(each) for key, each in free.items()}
        if isinstance(packed := value.get("settings"), str):
            told["settings"] = json.dumps(_nameless(json.loads(packed), is_his, without))
        return {key: told[key] if key in told else _nameless(each, is_his, without) for key, each in value.items()}
    return [_nameless(each, is_his, without) for each in value] if isinstance(value, list) else value


def _cause(error: SQLAlchemyError) -> str:
    """Return the driver's own message, without the statement and its values."""
    return str(getattr(error, "orig", None) or type(error).__name__).strip().splitlines()[0]
