"""A hostile handset at the product itself: it is thrown off, the table goes on, and the seat can be taken again."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from referee.handset.joining import holder, join
from referee.net.sealing.sealing import SMALL_PAYLOAD, HandsetSeal
from referee.net.topics.topics import Topic, address
from referee.rules.values import Seat
from referee.table.messages import Hello
from tests.demo.test_what_goes_wrong import wait_until
from tests.net.hall import Stranger
from tests.patience import PATIENCE_S
from tests.runtime.at_table import AtTable
from tests.security.report import hold

pytestmark = pytest.mark.process


def said_hello_too_often(table: AtTable, url: str) -> str:
    """Take blue's seat, and say hello without confirming a letter until thrown off. Returns in words what it is told,
    and what the table says.
    """
    joined = join(url)
    place = joined.credential
    assert place.own is not None
    assert place.peer is not None
    client = Stranger(place)
    inbox, out = (address(topic, place.board, Seat.BLUE) for topic in (Topic.SEAT_IN, Topic.SEAT_OUT))
    status, info = (address(topic, place.board) for topic in (Topic.STATUS, Topic.INFO))
    client.subscribe(inbox, status, info)
    client.wait_for(info, b'"game"')
    heard = {topic: json.loads(payload) for topic, payload in client.got if topic in (status, info)}
    seal = HandsetSeal(place.own, place.peer, Seat.BLUE, b"tooeager")
    seal.follow(bytes.fromhex(heard[status]["session"]))
    for number in range(180):  # fewer than cost the seat by their number
        payload = seal.seal(Hello(id="h"), heard[info]["game"], 0)
        assert payload is not None
        got = len([topic for topic, _ in client.got if topic == inbox])
        client._client.publish(out, payload, 0)
        if number < 16:  # each is answered by one letter more than the one before it
            wait_until(lambda got=got: len([topic for topic, _ in client.got if topic == inbox]) > got)
    assert client.lost.wait(PATIENCE_S)
    client.stop()
    wait_until(lambda: len(complaints(table)) == 2)
    return f"thrown off, and told `{holder(url, joined)}`"


def complaints(table: AtTable) -> list[str]:
    """Return what the table has logged of handsets that were too much for it."""
    return [line for line in table.table.complaint if "thrown off; pair it again" in line]


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
        told = holder(table.ready["join"]["blue"], joined)
        table.table.send("pair blue")
        links = tmp_path / "table" / "join.json"
        wait_until(lambda: "blue" in json.loads(links.read_text()))
        table.join(Seat.BLUE, json.loads(links.read_text())["blue"])
        table.play_on("move.read", game=1)
        assert red.process.poll() is None
        said = complaints(table)
        table.table.send("pair blue")
        wait_until(lambda: "blue" in json.loads(links.read_text()))
        says = said_hello_too_often(table, json.loads(links.read_text())["blue"])
        assert table.table.end(signal.SIGTERM) == 0
    rows = [
        ("blue takes its seat at `hallmarshal table`, then pours out nonsense without end", thrown_off),
        ("its phone asks who has the seat now", f"`{told}`"),
        ("what the table says of it", "one line, once" if len(said) == 1 else f"SAID {len(said)} TIMES"),
        ("the seat is paired anew", "the game goes on, from there to its moves"),
        ("blue's phone says hello all the time, and never that it got a letter", says),
    ]
    hold("At a whole table", rows)
