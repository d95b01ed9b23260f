"""A broker that carries letters but answers no change of its users: the table plays on, and no seat is half given."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from referee.rules.values import Seat
from tests.demo.test_what_goes_wrong import wait_until
from tests.net.test_existing_broker import set_up
from tests.reliability.mqtt_proxy import MqttProxy
from tests.reliability.test_real_faults import Late
from tests.runtime.at_table import Program

pytestmark = pytest.mark.process


class Patient(Late):
    """A table that waits for its broker without end when it changes users."""

    def hallmarshal(self, name: str, *arguments: str) -> Program:
        """Start `hallmarshal`, a table as is said above."""
        if name == "table":
            return self.program(name, "tests.reliability.patient_table", *arguments)
        return super().hallmarshal(name, *arguments)


@contextmanager
def behind_a_proxy(kind: type[Late], state: Path) -> Iterator[tuple[Late, MqttProxy]]:
    """Begin a game at a table whose broker is behind a proxy."""
    with (
        set_up(state / "broker", state / "table" / "broker", "table") as address,
        MqttProxy(address.port) as proxy,
        kind(state, "duel", "--broker", f"mqtt://127.0.0.1:{proxy.port}") as table,
    ):
        table.take_seats()
        table.play_on("move.read", game=1)
        yield table, proxy


def links(table: Late) -> dict[str, str]:
    """Return the join links that are valid now."""
    found: dict[str, str] = json.loads((table.state / "table" / "join.json").read_text())
    return found


def offered(table: Late, seat: Seat) -> str:
    """Have a seat offered again. Returns its link."""
    before = links(table).get(seat.value)
    table.table.send(f"pair {seat.value}")
    wait_until(lambda: links(table).get(seat.value) not in (None, before))
    return links(table)[seat.value]


def test_the_table_waits_for_no_change_of_users(tmp_path: Path) -> None:
    """While a pairing waits for the broker, orders are obeyed, both handsets play on, and another seat's link is begun with."""
    with behind_a_proxy(Patient, tmp_path) as (table, proxy):
        proxy.swallows_control = True
        link = offered(table, Seat.RED)
        new = table.hallmarshal("new", "handset", "--json", "--join", link)
        proxy.swallowed.acquire()
        assert offered(table, Seat.RED) != link
        offered(table, Seat.BLUE)
        for _ in range(4):
            table.play_on("move.read", game=1)
        table.table.send("abort")
        assert table.play_on("end", game=1)["text"] == "aborted"
        new.end(signal.SIGKILL)
        assert table.table.end(signal.SIGKILL) == -9


def test_a_change_of_users_is_given_up(tmp_path: Path) -> None:
    """The table says so in one line and offers the seat again; who had it plays on; the next one takes it once the broker answers."""
    with behind_a_proxy(Late, tmp_path) as (table, proxy):
        proxy.swallows_control = True
        link = offered(table, Seat.RED)
        late = table.hallmarshal("late", "handset", "--json", "--join", link)
        while "late" not in table.ended:
            table.take()
        assert late.wait() == 2
        assert late.complaint == ["hallmarshal: the table cannot give the seat just now; ask it for a new link"]
        wait_until(lambda: links(table).get("red") not in (None, link))
        table.play_on("move.read", game=1)
        table.play_on("move.read", game=1)
        proxy.swallows_control = False
        table.rest()  # what is said while red changes hands is said to no player, who could not go on from it
        old = table.handsets.pop(Seat.RED)
        new = table.join(Seat.RED, links(table)["red"])
        table.next(new.name, lambda line: line.get("letter", {}).get("type") == "state")
        assert old.wait() == 3
        assert table.table.end(signal.SIGTERM) == 0
    given_up = [line for line in table.table.complaint if "offered again" in line]
    assert given_up == ["red: the broker did not change its users within 3 s; the seat is offered again"]
