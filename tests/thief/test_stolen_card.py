"""A card is stolen after a game between two terminals whose result was confirmed by ending the table."""

from __future__ import annotations

import json
import shutil
import signal
import stat
from pathlib import Path

import pytest

from tests.thief.card import boxes, found, key_of, opened, set_up
from tests.thief.games import WithKeys, record

pytestmark = pytest.mark.process


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_a_stolen_card_tells_nothing_of_a_confirmed_game(tmp_path: Path, how: signal.Signals) -> None:
    """Everything is played through, then each key that is left is tried on each file that is left."""
    with WithKeys(tmp_path, "duel", "--mode", "enrol") as table:
        seeds, key, game = table.to_its_end()
        while_on = tmp_path / "while-on"
        shutil.copytree(game, while_on)
        assert (game / "journal.key").exists()
        assert (game / "journal.owners").exists()
        table.table.end(how)
    card = tmp_path / "table"
    own = {seat: key_of((tmp_path / f"{seat}.key").read_text("ascii")) for seat in seeds}
    sealed = boxes(game / "journal.owners")
    assert len(sealed) == 2
    assert len({len(box) for box in sealed}) == 1
    for seat, other in (("red", "blue"), ("blue", "red")):
        (view,) = opened(sealed, own[seat])
        assert f"view = {seat}" in view
        assert "?" not in set_up(view, seat).values()
        assert "?" in set_up(view, other).values()
        assert seeds[other].hex() not in view
        assert stat.S_IMODE((tmp_path / f"{seat}.key").stat().st_mode) == 0o600
    assert opened(sealed, key) == opened(sealed, key_of((card / "referee.key").read_text("ascii"))) == []
    assert found(while_on, {"key": key}) == ["key in journal.key"]
    if how is signal.SIGKILL:
        return
    secrets = {"the game's key": key} | {f"{seat}'s seed": seed for seat, seed in seeds.items()}
    secrets |= {f"{seat}'s handset": secret for seat, secret in own.items()}
    assert found(card, secrets) == []
    assert not list(card.rglob("journal.key")), "its key is left"
    journal = game / "journal.sqlite"
    public = record("export", journal, "--to", "own")
    assert public.returncode == 0, public.stderr
    for seat in ("red", "blue"):
        assert "?" in set_up(public.stdout, seat).values()
        again = record("export", journal, "--view", "public", "--handset", tmp_path / f"{seat}.key")
        assert again.stdout == public.stdout, again.stderr
        shown = record("show", journal, "--handset", tmp_path / f"{seat}.key")
        assert shown.returncode == 0, shown.stderr
        audit = record("audit", journal, "--handset", tmp_path / f"{seat}.key", "--json")
        assert audit.returncode == 0, audit.stdout + audit.stderr
        assert json.loads(audit.stdout)["holds"]
    assert record("audit", journal).returncode == 0
    for wrong in (tmp_path, card / "referee.key", journal, tmp_path / "none"):
        refused = record("show", journal, "--handset", wrong)
        assert refused.returncode == 2, (wrong, refused)
        assert len(refused.stderr.splitlines()) == 1, (wrong, refused)
