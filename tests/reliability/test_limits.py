"""Nothing grows without a limit: the page of reliability says what the code does, and what no other test tries is tried here."""

from __future__ import annotations

import asyncio
import importlib
import os
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from firmware_bridge.messages import Frame, Reading
from referee.net.handset import MOST_UNANSWERED, Handset
from referee.net.pairing.lobby import Lobby
from referee.net.topics.payloads import ArbiterAck, PairAgain
from referee.rules import rule_set
from referee.rules.values import Rank, Seat
from referee.runtime import orders
from referee.runtime.typed_lines import Orders
from referee.sensing import Interpreter, Puzzled
from referee.sensing.expecting import Expecting
from referee.table.inputs import Resume
from referee.table.messages import AskPause, AskResume, Declare, Resign
from referee.table.state import ANSWERS_KEPT
from referee.words import placeholders, words
from tests.net.test_orders import Desk, ruling
from tests.table.sitting import RED, Sitting

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/reference/reliability.md").read_text()
ROWS = PAGE.partition("## What can grow\n")[2].partition("\n## ")[0].partition("|---|")[2].splitlines()[1:]
FIELD = re.compile(r"`([a-z_.]+)`")
LIMIT = re.compile(r"(\d+) \(`([a-z_.]+):([A-Za-z_.]+)`\)")


@pytest.mark.parametrize("row", [row for row in ROWS if row.startswith("|")])
def test_the_page_gives_the_limits_of_the_code(row: str) -> None:
    """Each number is the constant that it names, and each test that it names is there."""
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert len(cells) == 5
    for found in LIMIT.finditer(cells[1]):
        value: object = importlib.import_module(found[2])
        for name in found[3].split("."):
            value = getattr(value, name)
        assert value == int(found[1])
    for name in cells[4].split(", "):
        path = name if "/" in name else f"tests/reliability/{name}.py"
        assert (ROOT / path).is_file(), path


def fields(whose: str = "") -> list[str]:
    """Return every field of a status that the page names: of the table's, or of `station`'s or `handset`'s."""
    named = [cells[3].strip() for row in ROWS if len(cells := row.strip("|").split("|")) == 5]
    mine = [
        cell.removeprefix(f"{whose}: ") for cell in named if (cell.partition(": ")[0] if ": `" in cell else "") == whose
    ]
    assert all(FIELD.search(cell) for cell in named), "each row names a field"
    return [field for cell in mine for field in FIELD.findall(cell)]


def missing(status: Mapping[str, object], whose: str = "") -> list[str]:
    """Return the fields that the page names and a status does not have."""

    def there(name: str) -> bool:
        value: object = status
        for part in name.split("."):
            if not isinstance(value, Mapping) or part not in value:
                return False
            value = value[part]
        return True

    return [name for name in fields(whose) if not there(name)]


def test_each_row_names_a_field_of_a_status() -> None:
    """The table's and the station's are compared with real ones where they are run; a handset's is a sentence."""
    assert len(fields()) > 20
    assert set(fields("station")) == {"delay.waiting", "delay.dropped", "web.connections"}
    assert set(fields("handset")) <= placeholders(words("en")["handset.figures"])
    assert missing({"game": {"votes": 1}}) == [name for name in fields() if name != "game.votes"]


def test_a_table_remembers_the_last_messages() -> None:
    """As many as a repeat may come late; an older one is nothing that counts twice."""
    sitting = Sitting()
    for number in range(ANSWERS_KEPT):
        sitting.say(RED, AskPause(id=f"p{number}")) if number % 2 == 0 else sitting.say(RED, AskResume(id=f"r{number}"))
        if number % 2:
            sitting.take(sitting.table.apply(Resume(), sitting.now_ms))
    assert all(len(taken) <= ANSWERS_KEPT for taken in sitting.table._state.taken.values())


def test_a_table_takes_so_many_orders_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """None that names no moment may be forgotten; so further ones are refused, and answers are kept for the last."""
    monkeypatch.setattr(orders, "MOST_ORDERS", 3)
    monkeypatch.setattr(orders, "ANSWERS_KEPT", 2)
    desk = Desk()

    def pair(name: str) -> ArbiterAck:
        return desk.take(PairAgain(id=name, reason="flat battery", seat=Seat.RED))

    for number in range(3):
        assert pair(f"o{number}").done
    refused = pair("late")
    assert (refused.done, refused.word) == (False, "too-many")
    assert pair("o2").done  # a repeat
    assert pair("o0").word == "replayed"
    assert desk.done.count(Seat.RED) == 3
    assert desk.take(ruling("new", desk.seq)).done, "those that name a moment may be forgotten: they are stale"


def test_a_handset_waits_for_so_many_answers() -> None:
    """The oldest are no longer waited on."""
    handset = Handset(Seat.RED, "red-x")
    for _ in range(MOST_UNANSWERED + 10):
        handset.say(Resign)
    assert len(handset._waiting) == MOST_UNANSWERED


def test_what_was_told_of_a_board_is_forgotten_at_last(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hands that put the board wrong in ever new ways are told of each, and nothing grows."""
    monkeypatch.setattr("referee.sensing.expecting.MOST_TOLD", 4)
    rules = rule_set("duel")
    squares = list(rules.board.squares)
    poles = {Seat.RED: Reading.RED, Seat.BLUE: Reading.BLUE}
    interpreter = Interpreter(squares, True, poles, board=rules.board)
    interpreter.expect({})
    told: list[Puzzled] = []
    frames = 0
    for wrong in range(12):
        readings = tuple(Reading.RED if at == wrong else Reading.EMPTY for at in range(len(squares)))
        for _ in range(60):
            frames += 1
            news = interpreter.feed(Frame(frames % 256, frames * 100, readings))
            told += [each for each in news if isinstance(each, Puzzled)]
    assert {each.differences[0].square for each in told} >= set(squares[1:12])
    assert isinstance(interpreter._mode, Expecting)
    assert len(interpreter._mode._told) <= 4


def test_a_lobby_remembers_the_last_codes_that_were_used_up() -> None:
    """Each new invitation uses up the one before."""
    lobby = Lobby((Seat.RED, Seat.BLUE))
    for number in range(200):
        lobby.invite(Seat.RED, float(number))
    assert len(lobby._spent) <= 64
    assert len(lobby._open) == 1


def test_a_line_without_an_end_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is typed without a line's end does not pile up."""
    reader, writer = os.pipe()
    os.write(writer, b"x" * 20_000 + b"\nstatus\n" + b"y" * 3000)
    os.close(writer)
    taken: list[list[str]] = []

    async def typed() -> int:
        with os.fdopen(reader) as stdin:
            monkeypatch.setattr("sys.stdin", stdin)
            orders = Orders(taken.append)
            while orders.listening:
                await asyncio.sleep(0)
            assert orders.typed.cut > 0
            return orders.typed.kept

    assert asyncio.run(typed()) == 1000
    assert taken[1:] == [["status"]]
    assert len(taken[0][0]) < 1000 + 4096


def test_answers_for_repeats_are_limited() -> None:
    """A declaration that is changed again and again leaves the last ones known."""
    sitting = Sitting()
    sitting.move("e4", "e5")
    sitting.move("e7", "e6")
    sitting.attack("e5", "e6")
    question = sitting.question(RED).question
    for number in range(ANSWERS_KEPT * 2):
        rank = Rank.MARSHAL if number % 2 else Rank.GENERAL
        sitting.say(RED, Declare(id=f"d{number}", question=question, rank=rank))
    assert len(sitting.table._state.taken[RED]) == ANSWERS_KEPT
