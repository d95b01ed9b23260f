"""A board on a screen over restarts of its table."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.security.board_page import ScreenTable

pytestmark = pytest.mark.process


def test_magnets_stand_where_they_stood(tmp_path: Path) -> None:
    """What lay on the board lies there after a restart, between the squares too; the same link opens it."""
    with ScreenTable(tmp_path) as table:
        secret = table.ready["screen"].partition("#")[2]
        with table.open(secret) as page:
            for number, (seat, x, y) in enumerate((("red", 0, 3), ("blue", 4.1, 6), ("red", 2.5, 4.5))):
                page.say({"hand": number, "takes": seat, "way": [[50, x, y, 35]], "ends": "down"})
            stood = sorted(magnet[1:] for magnet in page.stand(3))
        assert table.table.end(signal.SIGTERM) == 0
    with ScreenTable(tmp_path) as table, table.open(secret) as page:
        assert sorted(magnet[1:] for magnet in page.stand(3)) == stood


def test_the_plug_is_pulled_while_a_piece_is_in_a_hand(tmp_path: Path) -> None:
    """Then it stands where it was taken, and so does what was set down before."""
    with ScreenTable(tmp_path) as table:
        secret = table.ready["screen"].partition("#")[2]
        with table.open(secret) as page:
            for seat, x in (("red", 0), ("blue", 4)):
                page.say({"hand": 0, "takes": seat, "way": [[50, x, 3, 35]], "ends": "down"})
            stood = sorted(magnet[1:] for magnet in page.stand(2))
            page.say({"hand": 0, "takes": [0, 3], "way": [[50, 0, 5, 35]]})
            while [0, 5, 35] not in [magnet[2:] for magnet in page.hear("magnets")]:
                pass
            table.table.end(signal.SIGKILL)
    with ScreenTable(tmp_path) as table, table.open(secret) as page:
        assert sorted(magnet[1:] for magnet in page.stand(2)) == stood
