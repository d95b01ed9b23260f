"""How long the hands took for each ply, by a journal's open columns."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.journal import hand_times as asked
from referee.journal.events import JournalRow
from referee.journal.hand_times import hand_times


def rows(*said: tuple[str, int, int]) -> list[JournalRow]:
    """Return rows of these kinds and plies, written at these milliseconds."""
    return [JournalRow(seq, kind, 1, 0, ms, {"ply": ply}) for seq, (kind, ply, ms) in enumerate(said, 1)]


def test_each_ply_counts_from_the_one_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """As it was played last where it was taken back; nobody can say how long a restart took."""
    told = rows(
        ("opened", 0, 0), ("begin", 0, 1_000), ("move.read", 1, 4_000), ("move.final", 1, 9_000), ("attack", 2, 9_600),
        ("takeback", 0, 20_000), ("move.read", 1, 31_000), ("move.revised", 1, 32_400), ("attack", 2, 40_000),
        ("verdict", 2, 41_000), ("move.read", 3, 500), ("move.read", 4, 3_500),
    )  # fmt: skip
    monkeypatch.setattr(asked, "public_rows", lambda path: told)
    assert hand_times(Path("journal.sqlite")) == (31, 8, None, 3)


def test_what_is_no_journal_tells_no_time(tmp_path: Path) -> None:
    """A missing one, and a file that is something else."""
    assert hand_times(tmp_path / "none") == ()
    (tmp_path / "junk").write_bytes(b"junk" * 300)
    assert hand_times(tmp_path / "junk") == ()
