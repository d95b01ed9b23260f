"""A store of events. SQLite in WAL with synchronous=FULL, so that what was saved survives a power cut; or PostgreSQL by URL.

Every event has a revision that each save raises by one: whoever saves says which one he loaded, and is refused when somebody
else was quicker. A save writes the rows that changed, in one transaction.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, Table, create_engine, delete, event, insert, inspect, select, text, update
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, IntegrityError, SQLAlchemyError

from referee.tournament.event.errors import EventError
from referee.tournament.event.event import Event, EventId
from referee.tournament.store.errors import (
    EventExistsError,
    StaleError,
    StoreFormatError,
    StoreUnreachableError,
    UnknownEventError,
)
from referee.tournament.store.tables import (
    CHILDREN,
    EVENTS,
    FORMAT,
    METADATA,
    STORE,
    Row,
    child_rows,
    event_from,
    event_row,
)

_SQLITE_WAIT_S = 5.0


@dataclass(frozen=True, slots=True)
class Kept:
    """An event as it is kept, and its revision, from 1."""

    event: Event
    revision: int


class Store:
    """An open store; for one thread at a time, beside other processes. Made by `open_store`."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()

    def ids(self) -> tuple[EventId, ...]:
        """Give the ids of all events, in order."""
        with self._transaction() as base:
            return tuple(EventId(name) for name in base.scalars(select(EVENTS.c.event).order_by(EVENTS.c.event)))

    def create(self, made: Event) -> Kept:
        """Keep a new event as revision 1. Raises `EventExistsError`."""
        try:
            with self._transaction() as base:
                base.execute(insert(EVENTS).values(**event_row(made), revision=1))
                for table, rows in child_rows(made).items():
                    if rows:
                        base.execute(insert(table), rows)
        except IntegrityError:
            raise EventExistsError(f"there is an event {made.id} already") from None
        return Kept(made, 1)

    def load(self, event_id: EventId, known: Kept | None = None) -> Kept:
        """Give an event; `known` itself where nobody has saved since. Raises `UnknownEventError`, or `StoreFormatError` when it is none."""
        with self._transaction() as base:
            row = base.execute(select(EVENTS).where(EVENTS.c.event == event_id.value)).mappings().one_or_none()
            if row is None:
                raise UnknownEventError(f"there is no event {event_id}")
            if known is not None and (known.event.id, known.revision) == (event_id, row["revision"]):
                return known
            children = {table: _rows(base, table, event_id) for table in CHILDREN}
        try:
            return Kept(event_from(dict(row), children), row["revision"])
        except (EventError, ValueError) as error:
            raise StoreFormatError(f"event {event_id} is damaged: {error}") from None

    def save(self, changed: Event, loaded: int) -> Kept:
        """Keep what became of the event that was loaded at that revision. Raises `StaleError` and writes nothing."""
        with self._transaction() as base:
            ours = (EVENTS.c.event == changed.id.value) & (EVENTS.c.revision == loaded)
            done = base.execute(update(EVENTS).where(ours).values(**event_row(changed), revision=loaded + 1))
            if done.rowcount != 1:
                raise StaleError(f"event {changed.id} was changed meanwhile: look again")
            for table, rows in child_rows(changed).items():
                _replace(base, table, _rows(base, table, changed.id), rows)
        return Kept(changed, loaded + 1)

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        try:
            with self._engine.begin() as base:
                yield base
        except IntegrityError:
            raise
        except SQLAlchemyError as error:
            raise StoreUnreachableError(_cause(error)) from None


def open_store(place: str | Path) -> Store:
    """Open a store, making its tables where there are none: a path is SQLite, `postgresql://...` is PostgreSQL.

    Raises `StoreUnreachableError` or `StoreFormatError`.
    """
    url = _url(place)
    try:
        engine = _engine(url)
        with engine.begin() as base:
            if base.dialect.name == "postgresql":
                base.execute(text("SELECT pg_advisory_xact_lock(1213022513)"))  # two stations may start at once
            _refuse_strangers(base)
            METADATA.create_all(base)
            formats = list(base.scalars(select(STORE.c.format)))
            if not formats:
                base.execute(insert(STORE).values(format=FORMAT))
    except SQLAlchemyError as error:
        raise StoreUnreachableError(f"{url.render_as_string()}: {_cause(error)}") from None
    if formats not in ([], [FORMAT]):
        engine.dispose()
        raise StoreFormatError(f"the store has format {formats[0]}, this version reads {FORMAT}")
    return Store(engine)


def _refuse_strangers(base: Connection) -> None:
    """Keep our tables out of a file that is something else, a table's journal for one; a PostgreSQL database may be shared."""
    tables = inspect(base).get_table_names()
    if base.dialect.name == "sqlite" and tables and STORE.name not in tables:
        raise StoreFormatError("that file is a database of something else, not a store of events")


def _url(place: str | Path) -> URL:
    text_form = str(place)
    if "://" not in text_form:
        return URL.create("sqlite", database=text_form)
    try:
        url = make_url(text_form)
    except ArgumentError:
        raise StoreFormatError("a store is a path or postgresql://USER@HOST/DATABASE") from None
    if url.drivername in ("postgresql", "postgres"):
        return url.set(drivername="postgresql+psycopg")
    raise StoreFormatError(f"a store is a path or postgresql://..., not {url.drivername}://...")


def _engine(url: URL) -> Engine:
    if url.drivername != "sqlite":
        return create_engine(url, pool_pre_ping=True)
    engine = create_engine(url, connect_args={"timeout": _SQLITE_WAIT_S})
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(base: Any, _record: object) -> None:
    """Let SQLAlchemy begin transactions, not the driver, and make every commit outlive a power cut."""
    base.isolation_level = None
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
        base.execute(f"PRAGMA {pragma}")


def _begin_sqlite(base: Connection) -> None:
    """Take the write lock at once: two who read and then write would both be refused otherwise."""
    base.exec_driver_sql("BEGIN IMMEDIATE")


def _rows(base: Connection, table: Table, event_id: EventId) -> list[Row]:
    query = select(table).where(table.c.event == event_id.value).order_by(*table.primary_key.columns)
    return [dict(row) for row in base.execute(query).mappings()]


def _replace(base: Connection, table: Table, before: Sequence[Row], after: Sequence[Row]) -> None:
    """Write the rows that differ."""
    key = [column.name for column in table.primary_key.columns]
    old = {tuple(row[name] for name in key): row for row in before}
    new = {tuple(row[name] for name in key): row for row in after}
    for gone in [values for values, row in old.items() if new.get(values) != row]:
        base.execute(delete(table).where(*(table.c[name] == value for name, value in zip(key, gone, strict=True))))
    fresh = [row for values, row in new.items() if old.get(values) != row]
    if fresh:
        base.execute(insert(table), fresh)


def _cause(error: SQLAlchemyError) -> str:
    """Give the driver's own words, without the statement and its values."""
    return str(getattr(error, "orig", None) or type(error).__name__).strip().splitlines()[0]
