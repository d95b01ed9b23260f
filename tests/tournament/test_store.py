"""The store's contract, the same on SQLite and on PostgreSQL."""

from __future__ import annotations

import contextlib
import random
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from referee.tournament.event.acts import Entry, enter, propose, publish, record, request_bye, set_end, withdraw
from referee.tournament.event.event import (
    AtEnd,
    ByeKind,
    Details,
    Event,
    EventId,
    PlayerNumber,
    Result,
    RoundEnd,
    Scoring,
)
from referee.tournament.store import (
    EventExistsError,
    Note,
    StaleError,
    StillPlayingError,
    Store,
    StoreFormatError,
    StoreUnreachableError,
    UnknownEventError,
    open_store,
)
from tests.tournament.playing import new_event, play_round


def full_event() -> Event:
    """Return an event with something in every table and a draft."""
    event = new_event(7, 5, seed=2**70)
    event = replace(
        event,
        name="Größe ☃",
        scoring=Scoring(Fraction(1), Fraction(1, 2), Fraction(0), Fraction(1, 2)),
        details=Details("Ærø", "DEN", "2026-11-21", "2026-11-22", "A. Arbiter"),
    )
    event = set_end(play_round(event, random.Random(1)), RoundEnd(1_795_000_000_000, AtEnd.DRAW))
    event = request_bye(
        withdraw(enter(event, Entry("late", 7, "NED")), PlayerNumber(2)), PlayerNumber(3), 2, ByeKind.HALF
    )
    return propose(event)


def test_what_is_kept_comes_back(store: Store, place: str) -> None:
    """Whole, also through another connection; the event's own checks run again on the way in."""
    event = full_event()
    assert store.create(event).revision == 1
    assert store.load(event.id).event == event
    again = open_store(place)
    assert again.load(event.id).event == event
    again.close()


def test_every_act_can_be_saved(store: Store) -> None:
    """Each save is the next revision, and nothing of the one before stays behind."""
    event = new_event(6, 3)
    kept = store.create(event)
    chance = random.Random(5)
    for _ in range(3):
        for act in (propose, publish):
            kept = store.save(act(kept.event), kept.revision)
            assert store.load(event.id) == kept
        for table in kept.event.rounds[-1].open_tables:
            kept = store.save(
                record(kept.event, len(kept.event.rounds), table, chance.choice(list(Result))), kept.revision
            )
            assert store.load(event.id) == kept
    assert kept.revision == 1 + 3 * (2 + 3)


def test_a_store_of_before_rounds_had_ends_is_read(tmp_path: Path) -> None:
    """Its tables lack the one for them; it is made, and the rounds there have none."""
    place = tmp_path / "events.db"
    first = open_store(place)
    kept = first.create(replace(full_event(), draft=None))
    first.close()
    with contextlib.closing(sqlite3.connect(place)) as base:
        base.execute("DROP TABLE hm_round_ends")
    again = open_store(place)
    assert again.load(kept.event.id).event == set_end(kept.event, None)
    again.close()


def test_a_store_of_format_1_is_brought_up(place: str) -> None:
    """Its event is what it was, its log begins with the next act, and whoever opens it again finds it done."""
    for statement in (Path(__file__).parent / "store-format-1.sql").read_text().split(";\n"):
        if statement.strip():
            execute(place, statement)
    for _ in range(2):
        opened = open_store(place)
        kept = opened.load(EventId("test"))
        opened.close()
    assert (kept.revision, kept.event) == (2, publish(full_event()))
    opened = open_store(place)
    opened.act(kept.event.id, 2, "withdraw", {"number": 1}, Note("Ada"))
    assert [entry.revision for entry in opened.log(kept.event.id)] == [3]
    opened.close()


def test_nobody_else_on_the_machine_reads_a_store(tmp_path: Path) -> None:
    """Whatever its directory lets others see."""
    place = tmp_path / "events.db"
    store = open_store(place)
    assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o600}
    store.close()


def test_what_is_known_is_not_read_again(store: Store) -> None:
    """Until somebody, perhaps through another connection, has saved."""
    kept = store.create(full_event())
    assert store.load(kept.event.id, kept) is kept
    saved = store.save(replace(kept.event, draft=None), kept.revision)
    assert store.load(kept.event.id, kept) == saved


def test_a_draft_can_be_thrown_away(store: Store) -> None:
    """Its rows go with it."""
    kept = store.create(full_event())
    kept = store.save(replace(kept.event, draft=None), kept.revision)
    assert store.load(kept.event.id) == kept


def test_who_comes_second_is_refused(store: Store) -> None:
    """Two results from two arbiters who saw the same: the second one writes nothing."""
    event = publish(propose(new_event(4, 2)))
    loaded = store.create(event)
    first = store.save(record(event, 1, 1, Result.RED_WINS), loaded.revision)
    with pytest.raises(StaleError):
        store.save(record(event, 1, 1, Result.BLUE_WINS), loaded.revision)
    assert store.load(event.id) == first


def test_many_at_once_lose_nothing(place: str) -> None:
    """Eight arbiters note eight tables at the same time, each trying again when refused."""
    event = publish(propose(new_event(16, 2)))
    first = open_store(place)
    first.create(event)

    def note(table: int) -> None:
        mine = open_store(place)
        try:
            while True:
                kept = mine.load(event.id)
                try:
                    mine.save(record(kept.event, 1, table, Result.DRAW), kept.revision)
                except StaleError:
                    continue
                return
        finally:
            mine.close()

    with ThreadPoolExecutor(8) as arbiters:
        list(arbiters.map(note, range(1, 9)))
    kept = first.load(event.id)
    first.close()
    assert (kept.revision, kept.event.rounds[0].open_tables) == (9, ())


def test_ids(store: Store) -> None:
    """Events are told apart; a second one of an id, or one that is not there, is refused."""
    event = new_event(4, 2)
    store.create(event)
    store.create(replace(event, id=EventId("another")))
    assert store.ids() == (EventId("another"), EventId("test"))
    with pytest.raises(EventExistsError):
        store.create(event)
    with pytest.raises(UnknownEventError):
        store.load(EventId("none"))


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE hm_players SET number = 9 WHERE number = 2", "damaged: players are numbered"),
        ("UPDATE hm_events SET system = 'lottery'", "damaged: 'lottery'"),
        ("DELETE FROM hm_byes", "damaged: round 1: neither paired nor free"),
    ],
)
def test_damage_is_said(store: Store, place: str, statement: str, said: str) -> None:
    """Rows that make no event are never taken for one."""
    event = publish(propose(new_event(5, 2)))
    store.create(event)
    execute(place, statement)
    with pytest.raises(StoreFormatError, match=said):
        store.load(event.id)


def test_a_newer_format_is_refused(store: Store, place: str) -> None:
    """Before anything is read or written."""
    execute(place, "UPDATE hm_store SET format = 3")
    with pytest.raises(StoreFormatError, match="format 3"):
        open_store(place)


def test_a_database_of_something_else_stays_as_it_is(tmp_path: Path) -> None:
    """A journal that was named by mistake gets no tables of ours."""
    place = str(tmp_path / "journal.db")
    execute(place, "CREATE TABLE rows (seq INTEGER)")
    with pytest.raises(StoreFormatError, match="something else"):
        open_store(place)
    with contextlib.closing(sqlite3.connect(place)) as base:
        assert base.execute("SELECT name FROM sqlite_master").fetchall() == [("rows",)]


def execute(place: str, statement: str) -> None:
    """Do something to a store that it did not do itself."""
    engine = create_engine(
        place.replace("postgresql:", "postgresql+psycopg:") if ":" in place else f"sqlite:///{place}"
    )
    with engine.begin() as base:
        base.execute(text(statement))
    engine.dispose()


def test_places_that_are_no_store(tmp_path: Path) -> None:
    """One sentence, and no password in it."""
    (tmp_path / "text").write_text("This is a letter, not a database. " * 100)
    for place, said, kind in (
        (str(tmp_path / "none" / "events.db"), "unable to open", StoreUnreachableError),
        (str(tmp_path / "text"), "not a database", StoreUnreachableError),
        ("mysql://root:secret@localhost/x", "not mysql", StoreFormatError),
        (f"postgresql://hall:secret@/x?host={tmp_path}", "connection", StoreUnreachableError),
    ):
        with pytest.raises(kind, match=said) as caught:
            open_store(place)
        assert "secret" not in str(caught.value)


def test_a_player_is_forgotten_once_his_games_are_over(store: Store, place: str) -> None:
    """The number stands for the name in every event, the rest stays, and whoever has loaded it is refused; no file holds the name."""
    event = full_event()
    player = event.players[0]
    event = replace(event, players=(replace(player, name="Änne Zwölf"), *event.players[1:]))
    (first, *others), last = event.rounds[-1].pairings, event.rounds[-1]
    assert player.number in (first.red, first.blue)
    playing = replace(last, pairings=(replace(first, result=None), *others))
    kept = store.create(replace(event, rounds=(*event.rounds[:-1], playing)))
    with pytest.raises(StillPlayingError):
        store.forget("Änne Zwölf".__eq__)
    assert store.load(event.id) == kept
    kept = store.save(event, kept.revision)
    assert store.forget("Änne Zwölf".__eq__) == [(event.id.value, player.number)]
    found = store.load(event.id)
    assert found.event == replace(kept.event, players=(replace(player, name=f"#{player.number}"), *event.players[1:]))
    with pytest.raises(StaleError):
        store.save(kept.event, kept.revision)
    assert store.forget("Änne Zwölf".__eq__) == []
    if "://" not in place:
        assert not [each for each in Path(place).parent.iterdir() if "Änne".encode() in each.read_bytes()]
