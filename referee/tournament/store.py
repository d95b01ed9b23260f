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

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, IntegrityError, SQLAlchemyError

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
    """The event was changed since it was loaded; nothing was written."""


class StillPlayingError(StoreError):
    """A player's game is on; nothing was written."""


# The tables of a store, and an event as their rows. Texts are the stable words; points are tenths.


FORMAT = 1
METADATA = sa.MetaData()


_SCORING = ("win", "draw", "loss", "bye", "absent")
_DETAILS = ("place", "federation", "starts", "ends", "arbiter")
_PLAYER = ("number", "name", "rating", "federation", "first_round", "last_round")
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
    }


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


@dataclass(frozen=True, slots=True)
class Kept:
    """An event as it is kept, and its revision, from 1."""

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

    def create(self, made: model.Event) -> Kept:
        """Save a new event as revision 1. Raises `EventExistsError`."""
        try:
            with self._transaction() as base:
                base.execute(sa.insert(EVENTS).values(**event_row(made), revision=1))
                for table, rows in child_rows(made).items():
                    if rows:
                        base.execute(sa.insert(table), rows)
        except IntegrityError:
            raise EventExistsError(f"there is an event {made.id} already") from None
        return Kept(made, 1)

    def load(self, event_id: model.EventId, known: Kept | None = None) -> Kept:
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
            return Kept(event_from(dict(row), children), row["revision"])
        except (model.EventError, ValueError) as error:
            raise StoreFormatError(f"event {event_id} is damaged: {error}") from None

    def save(self, changed: model.Event, loaded: int) -> Kept:
        """Save a new state of the event that was loaded at that revision. Raises `StaleError` and writes nothing."""
        with self._transaction() as base:
            ours = (EVENTS.c.event == changed.id.value) & (EVENTS.c.revision == loaded)
            done = base.execute(sa.update(EVENTS).where(ours).values(**event_row(changed), revision=loaded + 1))
            if done.rowcount != 1:
                raise StaleError(f"event {changed.id} was changed meanwhile: look again")
            for table, rows in child_rows(changed).items():
                _replace(base, table, _rows(base, table, changed.id), rows)
        return Kept(changed, loaded + 1)

    def forget(self, is_his: Callable[[str], bool]) -> list[tuple[str, int]]:
        """Take a player's name out of every event, and return the events with his number, which stands for it from now on.

        `is_his` returns whether a name is the player's.

        Raises `StillPlayingError` while a game of his has no result. The file, or the table, is then written anew without what was there.
        """
        with self._transaction() as base:
            told = base.execute(sa.select(PLAYERS.c.event, PLAYERS.c.number, PLAYERS.c.name)).all()
            found = [(event, number) for event, number, name in told if is_his(name)]
            for event, number in found:
                self._refuse_playing(base, event, number)
                its = (PLAYERS.c.event == event) & (PLAYERS.c.number == number)
                base.execute(sa.update(PLAYERS).where(its).values(name=f"#{number}"))
                newer = {"revision": EVENTS.c.revision + 1}
                base.execute(sa.update(EVENTS).where(EVENTS.c.event == event).values(newer))
        try:
            with self._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as base:
                if base.dialect.name == "postgresql":
                    base.exec_driver_sql(f"VACUUM (FULL) {PLAYERS.name}")
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


def _replace(base: sa.Connection, table: sa.Table, before: Sequence[Row], after: Sequence[Row]) -> None:
    """Write the rows that differ."""
    key = [column.name for column in table.primary_key.columns]
    old = {tuple(row[name] for name in key): row for row in before}
    new = {tuple(row[name] for name in key): row for row in after}
    for gone in [values for values, row in old.items() if new.get(values) != row]:
        base.execute(sa.delete(table).where(*(table.c[name] == value for name, value in zip(key, gone, strict=True))))
    fresh = [row for values, row in new.items() if old.get(values) != row]
    if fresh:
        base.execute(sa.insert(table), fresh)


def _cause(error: SQLAlchemyError) -> str:
    """Return the driver's own message, without the statement and its values."""
    return str(getattr(error, "orig", None) or type(error).__name__).strip().splitlines()[0]
