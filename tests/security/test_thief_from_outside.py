"""A thief with a copy of the table's files, by the page of keys alone: before the result is confirmed, and after it."""

from __future__ import annotations

import base64
import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.security.outside_programs import SET_UPS, OutsideTable, called, holders, raw_spellings, told_ranks

pytestmark = pytest.mark.process


@dataclass
class _Stolen:
    """Both copies of one game's table, `late` after `quit`, and the folder with the handsets' keys."""

    early: Path
    late: Path
    keys: Path
    game: str


@pytest.fixture(scope="module")
def stolen(tmp_path_factory: pytest.TempPathFactory) -> _Stolen:
    """Return what a thief has."""
    folder = tmp_path_factory.mktemp("table")
    table = OutsideTable(folder, {"red": "Anna", "blue": "Bram"})
    game = table.play()
    early = Path(shutil.copytree(table.state, folder / "early"))
    assert table.quit() == 0
    return _Stolen(early, table.state, folder, game.name)


def test_before_it_is_confirmed_the_card_tells_everything(stolen: _Stolen) -> None:
    """The page says so; what is searched for in the other tests is there to be found."""
    code, said = called("record", "export", stolen.early / "games" / stolen.game, "--view", "referee")
    assert code == 0
    army = {square: rank for set_up in SET_UPS.values() for square, rank in set_up.items()}
    assert all(f"{square} {rank}" in said.splitlines() for square, rank in army.items())


def test_no_key_seed_or_rank_is_left(stolen: _Stolen) -> None:
    """Of key and seeds nothing stands anywhere, in no spelling; and nowhere a square beside its rank."""
    _, said = called("record", "export", stolen.early / "games" / stolen.game, "--view", "referee")
    seeds = [line.split(" = ")[1] for line in said.splitlines() if line.startswith("seed.")]
    assert len(seeds) >= 2
    key = (stolen.early / "games" / stolen.game / "journal.key").read_text().strip()
    secrets = [base64.urlsafe_b64decode(key + "=" * (-len(key) % 4)), *map(bytes.fromhex, seeds)]
    needles = [needle for secret in secrets for needle in raw_spellings(secret)]
    assert holders(stolen.early, needles)
    assert not holders(stolen.late, needles)
    assert not told_ranks(stolen.late)
    assert not list(stolen.late.rglob("journal.key"))


@pytest.mark.parametrize("verb", ["show", "export"])
def test_no_command_tells_a_rank_to_who_has_the_card(stolen: _Stolen, verb: str) -> None:
    """Folder, journal and record, with every file of the state folder for a key: none tells a rank."""
    game = stolen.late / "games" / stolen.game
    for what in (game, game / "journal.sqlite", game / "game.record"):
        _, said = called("record", verb, what, *(("--view", "referee") if verb == "export" else ()))
        _nothing(said)
    _, said = called("record", verb, game, "--handset", stolen.late / "referee.key")
    _nothing(said)


def test_a_handsets_key_tells_its_own_seat(stolen: _Stolen) -> None:
    """The card and red's key tell red's set-up, and no rank of blue's."""
    code, said = called(
        "record", "export", stolen.late / "games" / stolen.game, "--handset", stolen.keys / "red.keys", "--view", "red"
    )
    assert code == 0
    assert all(f"{square} {rank}" in said.splitlines() for square, rank in SET_UPS["red"].items())
    assert all(f"{square} ?" in said.splitlines() for square in SET_UPS["blue"])
    code, said = called(
        "record", "audit", stolen.late / "games" / stolen.game, "--handset", stolen.keys / "red.keys", "--json"
    )
    assert code == 0
    assert json.loads(said)["holds"]


def _nothing(said: str) -> None:
    lines = said.splitlines()
    assert not [1 for set_up in SET_UPS.values() for square, rank in set_up.items() if f"{square} {rank}" in lines]
