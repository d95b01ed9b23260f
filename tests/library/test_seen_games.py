"""What a hall's spectators have seen of a game becomes a record of it: the public view, and nothing of a game that was not seen whole."""

from __future__ import annotations

import shutil
from collections import deque
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace

import pytest

from referee.journal.hand_times import TIMES, times_in
from referee.journal.records.audit import audit
from referee.journal.records.formats import read_record
from referee.journal.records.model import Record, View
from referee.journal.records.views import Follower, view_of
from referee.library import seen_games
from referee.library.games import GameRow, entries
from referee.library.seen_games import SeenGames
from referee.library.shelf import Shelf
from referee.library.worker import work
from referee.rules import BySeat, Rank, Seat
from referee.rules.hidden import Hidden
from referee.runtime.forgetting import forget
from referee.table.settings import Occasion
from referee.table.views import PublicEvent, PublicInfo
from tests.records.test_corrected_games import corrected, facts, record
from tests.table.random_play import SALTS


def heard() -> tuple[PublicInfo, list[PublicEvent], Record]:
    """Return what a board tells of a corrected game, and the record that its table has of it."""
    sitting = corrected(
        names={Seat.RED: "Anna", Seat.BLUE: "Bram"},
        salts=Hidden(SALTS),
        occasion=Occasion("cup", 2, 7),
        date="2026-11-26",
        game="ab" * 8,
    )
    told = facts(sitting)
    return sitting.table.info(), [fact.event for fact in told if fact.event is not None], record(sitting)


def take(seen: SeenGames, info: PublicInfo, events: list[PublicEvent]) -> None:
    """Pass it all of one board's messages."""
    for value in (info, *events):
        seen.take("t1", value)


def kept(state: Path) -> list[Record]:
    """Return the records that are kept."""
    return [read_record(path.read_bytes()) for path in state.glob("games/*/game.record")]


def test_a_game_that_was_seen_whole_is_kept_as_everybody_saw_it(tmp_path: Path) -> None:
    """Its plies, verdicts and captured ranks are those of the table's public view; each event may come twice."""
    info, events, whole = heard()
    seen = SeenGames(tmp_path)
    take(seen, info, [event for event in events for _ in range(2)])
    (found,) = kept(tmp_path)
    public = view_of(whole, View.PUBLIC)
    assert (found.view, dict(found.names)) == (View.PUBLIC, {Seat.RED: "Anna", Seat.BLUE: "Bram"})
    assert (found.set_ups, found.plies, found.result) == (public.set_ups, public.plies, public.result)
    (entry,) = entries(tmp_path)
    assert isinstance(entry, GameRow)
    assert (entry.game, entry.shown) == (info.game, ())
    assert [text for text in audit(found).open if "salt" in text or "event" in text] == [
        "red: the record has no salt, so nothing proves that this is who played",
        "blue: the record has no salt, so nothing proves that this is who played",
        "the record does not say for which event the game counts, as its chain does",
    ]
    assert audit(found).holds
    forged = replace(found, names=BySeat({Seat.RED: "Anna"}), event="cup")
    assert [fault.text[-8:] for fault in audit(forged).wrong] == ["occasion"]


def test_a_game_calls_its_players_as_the_hall_does(tmp_path: Path) -> None:
    """By what they are called when it ends."""
    info, events, _ = heard()
    take(SeenGames(tmp_path, called=lambda names: dict.fromkeys(names, "#7")), info, events)
    (record,) = kept(tmp_path)
    assert set(record.names.values()) == {"#7"}


def test_a_replay_in_a_hall_goes_as_the_hands_did(tmp_path: Path) -> None:
    """Seconds from ply to ply as they were heard of; no number can be made of a file that was cut."""
    info, events, _ = heard()
    now = iter(range(0, 10**15, 1_500_000_000))
    take(SeenGames(tmp_path, clock=lambda: next(now)), info, events)
    (folder,) = tmp_path.glob("games/*")
    times = times_in(folder)
    assert len(times) >= 2
    assert set(times) <= {None, *range(1, 60)}
    assert times[0] in {1, 2}
    (folder / TIMES).write_text('{"a')
    assert times_in(folder) == ()


def test_the_oldest_go_where_there_are_too_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With their replays; a folder that holds something else besides stays."""
    monkeypatch.setattr(seen_games, "MOST_GAMES", 2)
    for name in ("2026-01-01-000000-aaaaaa", "2026-01-02-000000-bbbbbb", "2026-01-03-000000-cccccc"):
        (tmp_path / "games" / name).mkdir(parents=True)
        (tmp_path / "games" / name / "replay.html").write_text("old")
    (tmp_path / "games" / "2026-01-02-000000-bbbbbb" / "notes.txt").write_text("ours")
    info, events, _ = heard()
    take(SeenGames(tmp_path), info, events)
    left = sorted(path.name[:10] for path in (tmp_path / "games").iterdir())
    assert (left[:2], len(left)) == (["2026-01-02", "2026-01-03"], 3)
    assert not (tmp_path / "games" / "2026-01-02-000000-bbbbbb" / "replay.html").exists()


@pytest.mark.parametrize("missing", [0, 5])
def test_a_game_with_a_gap_is_not_kept(missing: int, tmp_path: Path) -> None:
    """Whether its beginning is missing or something later."""
    info, events, _ = heard()
    take(SeenGames(tmp_path), info, events[:missing] + events[missing + 1 :])
    assert kept(tmp_path) == []


def test_a_game_that_was_turned_over_is_kept_at_once_with_both_armies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without that it waits for the spectators; what they see later of it takes nothing away, and a forged id makes no folder.

    Also where they heard of it before it was turned over: the game is there once. Another one whose id begins alike is another one.
    """
    info, events, whole = heard()
    at_once, delayed = SeenGames(tmp_path, turned_over=True), SeenGames(tmp_path)
    end = next(at for at, event in enumerate(events) if event.kind == "end")
    days = iter(range(1, 9))  # another day, another name
    now = SimpleNamespace(now=lambda: datetime(2026, 1, next(days)))
    monkeypatch.setattr(seen_games, "datetime", SimpleNamespace(datetime=now))
    take(delayed, info, events[:end])
    take(at_once, info, events)
    assert kept(tmp_path) == []
    after = Follower(whole.set_ups)
    deque(after.follow(whole), maxlen=0)
    turned = {square.name: Rank.SCOUT for square in after.standing}
    at_once.take("t1", replace(corrected().table.view(), game=info.game, turned=turned))
    (found,) = kept(tmp_path)
    assert (found.view, found.consent) == (View.ARCHIVE, frozenset(Seat) & set(found.seats))
    assert all(None not in set_up.values() for set_up in found.set_ups.values())
    take(delayed, info, events[end:])
    assert kept(tmp_path) == [found]
    alike = info.game[:6] + "0" * 10
    take(SeenGames(tmp_path), replace(info, game=alike), [replace(event, game=alike, links=()) for event in events])
    assert {record.game for record in kept(tmp_path)} == {info.game, alike}
    shutil.rmtree(next(path.parent for path in tmp_path.glob("games/*/game.record") if alike in path.read_text()))
    forged = "../../ab" * 2
    take(delayed, replace(info, game=forged), [replace(event, game=forged) for event in events])
    assert len([*tmp_path.rglob("*")]) == 4


def test_where_the_end_is_taken_back_the_record_goes(tmp_path: Path) -> None:
    """It comes with the next end."""
    info, events, _ = heard()
    seen = SeenGames(tmp_path)
    take(seen, info, events)
    last = events[-1]
    back = replace(last, seq=last.seq + 1, kind="plies.taken-back", ply=1, seat=None, text="arbiter", links=())
    seen.take("t1", back)
    assert kept(tmp_path) == []
    seen.take("t1", replace(last, seq=last.seq + 2, ply=1))
    assert len(kept(tmp_path)[0].plies) == 1


def test_a_forgotten_player_is_gone_from_the_hall_s_games(tmp_path: Path) -> None:
    """From their records, and from the index, which is made again."""
    info, events, _ = heard()
    take(SeenGames(tmp_path), info, events)
    assert [entry.name for entry in Shelf(tmp_path, work=work).listed()]
    assert b"Anna" in (tmp_path / "library.jsonl").read_bytes()
    forget(tmp_path, "anna")
    assert [dict(found.names) for found in kept(tmp_path)] == [{Seat.BLUE: "Bram"}]
    assert not (tmp_path / "library.jsonl").exists()
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and b"Anna" in path.read_bytes()]
