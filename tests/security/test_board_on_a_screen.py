"""Who may move the magnets of a board on a screen, what its pages hear, and what becomes of a piece in a hand that is gone."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from referee.door.messages import MOST_MESSAGE
from referee.handset.joining import join
from referee.net.credential import Credential
from referee.rules.values import Rank, Seat
from referee.runtime.screen_board import MOST_PAGES
from tests.demo.test_what_goes_wrong import wait_until
from tests.net.hall import Stranger
from tests.patience import PATIENCE_S
from tests.security.board_page import ScreenTable
from tests.security.report import Row, hold

pytestmark = pytest.mark.process

HOST = {"Host": "board.example.org"}
ORIGIN = {"Origin": "http://example.org"}


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ScreenTable]:
    """A table at which ranks are entered before the game."""
    with ScreenTable(tmp_path_factory.mktemp("screen"), "duel", "--mode", "enrol") as running:
        yield running


@pytest.fixture(scope="module")
def secret(table: ScreenTable) -> str:
    """What opens the board."""
    return str(table.ready["screen"].partition("#")[2])


def answer(table: ScreenTable, first: object) -> str:
    """Return what is answered to a page's first message."""
    with table.open() as page:
        page.say(first)
        said = page.hear("error")
        return "connection closed" if said is None else f"`{said}`"


def door_of(table: ScreenTable) -> int:
    """Return the process id of the table's front door."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (entry / "cmdline").exists():
            command = (entry / "cmdline").read_bytes()
            parent = (entry / "stat").read_text().rpartition(")")[2].split()[1]
            if b"referee.door" in command and parent == str(table.table.process.pid):
                return int(entry.name)
    raise AssertionError("no door")


def broker_with(phone: Credential, secret: str) -> str:
    """Return what a broker says to the board's secret as the password of a phone, whose name is rightly known."""
    client = Stranger(replace(phone, password=secret))
    assert client.settled.wait(PATIENCE_S)
    client.stop()
    return "refused" if client.refused.is_set() else "LET IN"


def strangers(table: ScreenTable, secret: str, phone: Credential) -> list[Row]:
    """Try to come in without the board's link."""
    token = table.ready["join"]["red"].partition("#")[2].partition("&")[0]
    tried: list[tuple[str, object]] = [
        ("opens the channel and moves a piece at once", {"hand": 0, "takes": "red"}),
        ("says a secret that it has guessed", {"secret": "x" * 32, "language": "en"}),
        ("says no secret", {"secret": "", "language": "en"}),
        ("says blue's password", {"secret": phone.password, "language": "en"}),
        ("says what is in red's link", {"secret": token, "language": "en"}),
        ("says the right secret and more", {"secret": secret, "language": "en", "seat": "red"}),
        ("says nonsense", "]["),
        ("says bytes", b"\xff\xfe"),
        ("says 8 KiB", "x" * MOST_MESSAGE),
    ]
    rows = [(f"somebody {what}", answer(table, first)) for what, first in tried]
    for what, headers in (("by a name that is not this machine's", HOST), ("from another site's page", ORIGIN)):
        with table.open(**headers) as page:
            rows.append((f"somebody opens it {what}", f"refused: {page.status}"))
    return rows


def bad_words(table: ScreenTable, secret: str) -> list[Row]:
    """Send over the board's link what no page sends, and return rows of what came of it; a piece that stands stays
    where it is.
    """
    says: list[tuple[str, object]] = [
        ("no JSON", "]["),
        ("brackets two thousand deep", "[" * 2000),
        ("a hand of another page", {"hand": 10, "ends": "back"}),
        ("a field that nobody knows", {"hand": 0, "takes": [0, 0], "rank": "spy"}),
        ("a place that is no number", '{"hand": 0, "takes": [NaN, 0]}'),
        ("a piece of a seat that nobody has", {"hand": 0, "takes": "pink"}),
        ("65 points", {"hand": 0, "takes": [0, 0], "way": [[1, 2, 3, 4]] * 65}),
        ("a piece where none is", {"hand": 0, "takes": [5, 5]}),
        ("a hand that holds nothing goes on", {"hand": 0, "way": [[1, 2, 3, 4]]}),
    ]
    rows = []
    with table.open(secret) as page:
        page.say({"hand": 0, "takes": "red", "way": [[50, 0, 0, 35]], "ends": "down"})
        before = page.stand(1)
        for what, said in says:
            page.say(said)
            rows.append((f"with the board's link: {what}", f"`{page.hear('error')}`"))
        for depth in range(940, 1000):  # one of them can be read, and then not be passed on
            page.say(f'{{"hand": 0, "way": {"[" * depth}{"]" * depth}}}')
            assert page.hear("error")
        page.say({"hand": 0, "takes": [0, 0], "way": [[50, 0, 0, 35]], "ends": "back"})
        assert page.stand(1) == before
        page.say({"hand": 0, "takes": [0, 0], "way": [[50, 11, 0, 35]], "ends": "down"})
        page.stand(0)
        page.say("x" * (MOST_MESSAGE + 1))
        rows.append(
            ("with the board's link: a message of 8,193 bytes", "LET IN" if page.hear("error") else "connection closed")
        )
    return rows


def too_many(table: ScreenTable, secret: str) -> list[Row]:
    """Take more than there is."""
    pages = [table.open(secret) for _ in range(MOST_PAGES)]
    for page in pages:
        page.hear("hands")
    rows = [("with the board's link: a page more than sixteen", answer(table, {"secret": secret, "language": "en"}))]
    page = pages[0]
    for number in range(11):
        page.say({"hand": 0, "takes": "red", "way": [[50, number, 0, 35]], "ends": "down"})
        if number < 10:
            page.stand(number + 1)
    rows.append(("with the board's link: more pieces than the army has", f"`{page.hear('error')}`"))
    for each in pages:
        each.close()
    return rows


def a_door_that_is_killed(table: ScreenTable, secret: str) -> list[Row]:
    """Kill the door while a piece is in a hand."""
    with table.open(secret) as page, table.open(secret) as other:
        page.hear("hands")
        before = sorted(magnet[1:4] for magnet in other.hear("magnets"))
        _, x, y = before[0]
        page.say({"hand": 0, "takes": [x, y], "way": [[50, x, y, 35], [50, x + 3, y, 35]]})
        while all(place > -1_000_000 for place, *_ in other.hear("magnets")):
            pass
        os.kill(door_of(table), signal.SIGKILL)
        while page.hear("magnets") is not None:
            pass
    with table.open(secret) as again:
        while (magnets := again.hear("magnets")) and any(place < -1_000_000 for place, *_ in magnets):
            pass
        after = sorted(magnet[1:4] for magnet in magnets)
    came = "every magnet is where it was, that piece where it was taken" if after == before else f"{before} {after}"
    return [("the front door is killed while a piece is in a hand", came)]


def a_game(table: ScreenTable, secret: str) -> list[Row]:
    """Begin a game whose ranks the table knows, and search what pages were told."""
    with table.open(secret) as page, table.open(secret) as clearing:
        for _, _, x, y, _ in clearing.hear("magnets") or []:
            clearing.say({"hand": 0, "takes": [x, y], "way": [[50, 12, 0, 35]], "ends": "down"})
        table.play_by(page)
        table.table.send("pair blue")
        links = table.state / "table" / "join.json"
        wait_until(lambda: "blue" in json.loads(links.read_text()))
        for seat, link in json.loads(links.read_text()).items():
            table.join(Seat(seat), link)
        table.play_on("begin", game=1)
        while not any(
            (said.get("says", {}).get("view") or {}).get("phase") == "waiting-for-move" for said in page.heard
        ):
            page.hear("says")
        heard = repr(page.heard)
    found = sorted(rank.value for rank in Rank if rank.value in heard)
    return [("a page, of a game whose ranks are entered, up to its beginning", f"{found}" if found else "no rank")]


def test_a_board_on_a_screen(table: ScreenTable, secret: str) -> None:
    """One table, one attack after the other."""
    phone = join(table.ready["join"]["blue"]).credential
    rows = [
        *strangers(table, secret, phone),
        ("somebody with the board's link comes to the broker as blue's phone", broker_with(phone, secret)),
        *bad_words(table, secret),
        *too_many(table, secret),
        *a_door_that_is_killed(table, secret),
    ]
    hold("A board on a screen", [*rows, *a_game(table, secret)])
