"""What games leave on the disk: the log is emptied at the end, and the oldest folders go where `keep-games` says so."""

from __future__ import annotations

import shutil
import signal
from pathlib import Path

import pytest

from referee.rules.values import Seat
from referee.runtime.game_archive import remove_oldest
from tests.demo.test_what_goes_wrong import wait_until
from tests.journal.test_log_damage import A_DUEL
from tests.reliability.test_real_faults import log_of
from tests.runtime.at_table import AtTable

NAMES = (
    "2026-01-02-030405-abcdef",
    "2026-01-02-030405-abcdef-saved1",
    "2026-02-02-000000-000000",
    "2026-03-01-000000-ffffff",
)


@pytest.mark.parametrize(("most", "left"), [(1, NAMES[2:3]), (2, NAMES[2:]), (3, NAMES[1:]), (4, NAMES), (9, NAMES)])
def test_the_oldest_go_and_never_the_one_that_is_on(most: int, left: tuple[str, ...], tmp_path: Path) -> None:
    """Whole folders, by the dates in their names; what is no game's folder stays."""
    others = ("2026-01-01", "notes", "2026-01-01-000000-abcdef.zip")
    for name in (*NAMES, *others):
        shutil.copytree(A_DUEL, tmp_path / name)
    (tmp_path / "2025-01-01-000000-abcdef").symlink_to(tmp_path / "notes")
    assert remove_oldest(tmp_path, most, tmp_path / NAMES[2]) == len(NAMES) - len(left)
    found = {path.name for path in tmp_path.iterdir()}
    assert found >= {*others, "2025-01-01-000000-abcdef"}
    assert found & set(NAMES) == set(left)
    assert {path.name for path in (tmp_path / "notes").iterdir()} == {path.name for path in A_DUEL.iterdir()}


def test_a_key_that_is_still_there_is_destroyed_before_its_folder_goes(tmp_path: Path) -> None:
    """In place, also where it lies on another disk, and a frame log too: a second name of each file shows what lies there then."""
    games, keys = tmp_path / "games", tmp_path / "keys"
    keys.mkdir()
    old, on = games / NAMES[0], games / NAMES[2]
    for folder in (old, on):
        shutil.copytree(A_DUEL, folder)
        for path in (folder / "journal.key", folder / "frames-1.log", keys / f"{folder.name}.key"):
            path.write_bytes(b"secret" * 7)
            (tmp_path / f"{folder.name}-{path.parent.name}-{path.name}").hardlink_to(path)
    assert remove_oldest(games, 1, on, keys) == 1
    assert not old.exists()
    kept = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    assert len(kept) == 6
    assert {name for name, held in kept.items() if b"secret" in held} == {name for name in kept if on.name in name}
    assert [path.name for path in keys.iterdir()] == [f"{on.name}.key"]


@pytest.mark.process
def test_a_game_that_is_over_takes_little(tmp_path: Path) -> None:
    """Its log is empty while the table goes on, also of what was agreed upon later, and its folder is gone once another one has begun."""
    (tmp_path / "table.toml").write_text("keep-games = 1\n")
    with AtTable(tmp_path, "duel", "--config", str(tmp_path / "table.toml")) as table:
        table.take_seats()
        table.play_on("move.read", game=1)
        (journal,) = (tmp_path / "table").glob("games/*/journal.sqlite")
        assert journal.stat().st_size == 4096 < log_of(journal).stat().st_size
        table.table.send("abort")
        table.play_on("end", game=1)
        while table.consented != {Seat.RED, Seat.BLUE}:  # which the journal holds, too
            table.take()
        wait_until(lambda: log_of(journal).stat().st_size == 0)
        assert journal.stat().st_size > 10_000
        for seat in ("red", "blue"):
            table.table.send(f"rematch {seat}")
        table.play_on("opened", game=2)
        (folder,) = (tmp_path / "table" / "games").iterdir()
        assert folder != journal.parent
        assert table.table.end(signal.SIGTERM) == 0
        assert [
            line for line in table.table.complaint if line.endswith("1 of the oldest games removed (keep-games is 1)")
        ]
