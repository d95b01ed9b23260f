"""A hostile handset at the product itself: it is thrown off, the table goes on, and the seat can be taken again."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from referee.handset.joining import join
from referee.net.sealing.sealing import SMALL_PAYLOAD
from referee.net.topics.topics import Topic, address
from referee.rules.values import Seat
from tests.demo.test_what_goes_wrong import wait_until
from tests.net.hall import Stranger
from tests.patience import PATIENCE_S
from tests.runtime.at_table import AtTable
from tests.security.report import hold

pytestmark = pytest.mark.process


def test_a_whole_table_outlives_a_hostile_handset(tmp_path: Path) -> None:
    """Blue takes its seat as it should, then floods; after it is thrown off the seat is paired anew and the game begins."""
    with AtTable(tmp_path) as table:
        red = table.join(Seat.RED, table.ready["join"]["red"])
        joined = join(table.ready["join"]["blue"])
        place = joined.credential
        hostile = Stranger(place)
        assert hostile.joined.wait(PATIENCE_S)
        out = address(Topic.SEAT_OUT, place.board, Seat.BLUE)
        while not hostile.lost.is_set():
            hostile._client.publish(out, b"x" * SMALL_PAYLOAD)
        hostile.stop()
        again = Stranger(place)
        assert again.settled.wait(PATIENCE_S)
        thrown_off = "thrown off, and refused from then on" if again.refused.is_set() else "LET IN AGAIN"
        again.stop()
        table.table.send("pair blue")
        links = tmp_path / "table" / "join.json"
        wait_until(lambda: "blue" in json.loads(links.read_text()))
        table.join(Seat.BLUE, json.loads(links.read_text())["blue"])
        table.play_on("move.read", game=1)
        assert red.process.poll() is None
        assert table.table.end(signal.SIGTERM) == 0
        said = [line for line in table.table.complaint if "thrown off; pair it again" in line]
    rows = [
        ("blue takes its seat at `hallmarshal table`, then pours out nonsense without end", thrown_off),
        ("what the table says of it", "one line, once" if len(said) == 1 else f"SAID {len(said)} TIMES"),
        ("the seat is paired anew", "the game goes on, from there to its moves"),
    ]
    hold("At a whole table", rows)
