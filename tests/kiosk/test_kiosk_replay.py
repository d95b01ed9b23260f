"""A record played again on the kiosk: its last picture pixel by pixel, and what it tells on the way."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from PIL import Image

from kiosk_ui.board_picture import ground_of
from kiosk_ui.layout import window_plan
from kiosk_ui.run import newly_captured
from referee.cli.main import main
from referee.journal.records.formats import write_record
from referee.journal.records.model import rules_of
from referee.journal.records.views import info_of, views
from referee.presentation import palette
from referee.table.views import Mode
from tests.patience import PATIENCE_S
from tests.records.audited_games import game


@pytest.mark.process
def test_show_on_the_kiosk_ends_with_the_last_board(tmp_path: Path) -> None:
    """The picture has each army's colour where its pieces stand at the end of the game, and sand where nobody does."""
    record = game(Mode.ENROL, 0)[1]
    path, shot = tmp_path / "game.record", tmp_path / "end.png"
    path.write_text(write_record(record, "own"))
    arguments = [
        "record",
        "show",
        str(path),
        "--kiosk",
        "--size",
        "800x480",
        "--speed",
        "1000",
        "--shot",
        str(shot),
        "--lang",
        "en",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "referee.cli.main", *arguments],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    rules = rules_of(record)
    shape, last = info_of(record, rules).board, list(views(record, rules))[-1]
    ground = ground_of(shape, window_plan(800, 480, shape.columns, shape.rows).board)
    picture = Image.open(shot).convert("RGB")
    for square in shape.squares:
        x, y = ground.middle(square.name)
        seen, owner = picture.getpixel((round(x), 480 - round(y))), last.occupants.get(square.name)
        assert isinstance(seen, tuple)
        colours = (
            [palette.ARMY[owner], palette.INK]
            if owner
            else [palette.SAND, palette.SAND_DARK, palette.GLOW, palette.INK]
        )
        gaps = [sum(abs(a - b) for a, b in zip(seen, (c.red, c.green, c.blue), strict=True)) for c in colours]
        assert min(gaps) < 60, f"{square.name}: {seen}, {owner}"


def test_a_replay_tells_what_was_captured_last() -> None:
    """Whoever follows a replay from picture to picture counts the pieces that the last one has."""
    record = game(Mode.ENROL, 0)[1]
    screens = list(views(record, rules_of(record)))
    told = [(seat, rank) for pair in pairwise(screens) for seat, rank in newly_captured(*pair).items()]
    last = [
        (seat, rank)
        for seat, lost in screens[-1].captured.items()
        for rank, number in lost.items()
        for _ in range(number)
    ]
    assert Counter(told) == Counter(last)
    assert told


def test_a_picture_needs_the_kiosk(tmp_path: Path) -> None:
    """`--shot` without `--kiosk`, and a window that is none, are refused in one line."""
    path = tmp_path / "game.record"
    path.write_text(write_record(game(Mode.ENROL, 0)[1], "own"))
    assert main(["record", "show", str(path), "--shot", str(tmp_path / "end.png")]) == 2
    assert main(["record", "show", str(path), "--kiosk", "--size", "big", "--shot", str(tmp_path / "end.png")]) == 2
