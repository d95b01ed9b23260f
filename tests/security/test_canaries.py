"""Ranks that nobody was shown are searched for everywhere, over whole games in every mode; and the search can find."""

from __future__ import annotations

import base64
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from referee.net.topics.topics import Topic, address
from referee.rules.values import Seat
from tests.net.asyncapi_checks import undescribed
from tests.security import leaking
from tests.security.canary_table import CanaryTable
from tests.security.leaking import CANARIES
from tests.security.logged import drawn_words, said_in
from tests.security.report import Row, hold
from tests.security.searching import found, never_shown, traces

COLOUR, OCCUPANCY = "travel-10x10", "travel-10x10-digital"
GAMES = (
    ("declare", "book", COLOUR, "duel", 400),
    ("enrol", "attacker-only", OCCUPANCY, "duel", 400),
    ("enrol", "result-only", "castle-four", "stratego4", 48),
)
"""Every mode, every `reveal`, both kinds of sensors, two players and four; and the ply from which they give up one by one."""
NAMES = {COLOUR: "colour", OCCUPANCY: "occupancy", "castle-four": "four players"}


def test_the_search_finds_what_it_looks_for() -> None:
    """A word as it is, in capitals, in hex, in wide letters, and in base64 at any place; and nothing where nothing is."""
    word = "lieutenant"
    for hidden in (
        word.encode(),
        word.upper().encode(),
        word.encode().hex().encode(),
        word.encode("utf-16-le"),
        *(base64.b64encode(b"x" * offset + word.encode() + b"yz") for offset in range(7)),
    ):
        assert found({"here": b"\x00\x01" + hidden + b"\xff"}, [word]) == [("here", word)], hidden
    assert found({"here": os.urandom(1_000_000)}, CANARIES) == []
    assert all(len(trace) >= 7 for canary in CANARIES for trace in traces(canary))


def test_what_looks_drawn_is_found_in_a_log() -> None:
    """Keys and passwords as ours are drawn, of every form; and none of what a log is full of."""
    for drawn in ("0f9bd9dc26f9b4ba", "q3T-w0vUj_8Kd1xZ", "k7Jq0V9m2xQ1cR5tY8uB3nD6fG4hS0pLaWzXeC1vN2M="):
        assert list(drawn_words(f"x: {drawn} is the password")), drawn
    usual = "2026-11-23 18:26:20,641 INFO referee.net.broker.mosquitto: demo.control: 229 bytes go by $CONTROL/dynamic-security/v1/response"
    assert list(drawn_words(usual)) == []
    assert said_in([usual], ["mosquitto"], ()) != "nothing"


@pytest.mark.process
def test_whole_games(tmp_path: Path) -> None:
    """In every mode: nothing in any topic, file, output or process; what the other seat is told is what `reveal` allows."""
    with ThreadPoolExecutor(2) as pool:
        leak = pool.submit(leaking_table, tmp_path / "leak")
        games = [
            pool.submit(game, tmp_path / f"game-{number}", number == 0, *kind) for number, kind in enumerate(GAMES)
        ]
        rows = [row for each in games for row in each.result()]
        hold("Whole games, searched for canaries", [*rows, *leak.result()])


def game(folder: Path, kiosk: bool, mode: str, reveal: str, board: str, base: str, plies: int) -> list[Row]:
    """Play a whole game. Returns what was found in every kind of place."""
    decided = (
        "blue" if reveal == "attacker-only" else ""
    )  # in one of them a seat says its moves, and hands carry them out
    with CanaryTable(folder, "--mode", mode, "--reveal", reveal, board=board, base=base, decided=decided) as table:
        if kiosk:
            table.show_kiosk()
        table.play(plies)
        code = until_its_end(table)
        for program in table.handsets.values():
            program.end()
        for program in table.kiosks:
            program.end(signal.SIGTERM)
        table.board.end()
    heard = [(topic, payload) for topic, payload in table.auditor.got if payload]
    described = {undescribed("table", topic, payload) for topic, payload in heard} - {None}
    assert described == set(), "docs/asyncapi.yaml does not say what was heard"
    assert any(event["kind"] == "move.decided" for event in table.events) is bool(decided)
    words = never_shown(CANARIES, table.payloads())
    assert words, "every piece was captured"
    name = f"`{mode}`, `{reveal}`, {NAMES[board]}"
    rows = [(f"{name}: {kind}", said(places, words)) for kind, places in table.places().items()]
    return [
        *rows,
        (f"{name}: the table crashes, errors full of ranks (exit code {code})", crash(table, words, 2)),
        (f"{name}: what a handset is told of the other's survivors", told(table, reveal)),
        (f"{name}: the whole log of every program, at `--log-level debug`", logged(table)),
    ]


def said(places: dict[str, bytes], words: list[str]) -> str:
    """Return in words what was found; there has to be something to search."""
    assert any(places.values())
    hits = found(places, words)
    return f"FOUND: {hits}" if hits else "no rank that was not shown"


def logged(table: CanaryTable) -> str:
    """Return in words what the logs give away of ranks, shown or not, links, passwords, PINs, cookies and keys."""
    logs = table.logs()
    assert all(any(" DEBUG " in line for line in lines) for lines in logs.values()), {
        name: lines[-3:] for name, lines in logs.items()
    }
    games = {event["game"] for event in table.events}
    hits = said_in([line for lines in logs.values() for line in lines], table.secrets(), games)
    return "no rank, link, password, PIN, cookie or key" if hits == "nothing" else hits


def told(table: CanaryTable, reveal: str) -> str:
    """Return in words which survivors' ranks the verdicts told the other seat, compared with what `reveal` says."""
    verdicts = [(seat, letter) for seat, letter in table.letters if letter["type"] == "verdict"]
    survived = [(seat, letter) for seat, letter in verdicts if not lost(table, seat, letter)]
    assert survived
    heard = [letter["other"] is not None for _, letter in survived]
    attacked = [attacker(table, letter) != seat.value for seat, letter in survived]
    wanted = {"book": [True] * len(heard), "attacker-only": attacked, "result-only": [False] * len(heard)}
    said = {"book": "every rank", "attacker-only": "the rank of those that attacked", "result-only": "nothing"}
    return said[reveal] if heard == wanted[reveal] else f"SOMETHING ELSE: {heard}, not {wanted[reveal]}"


def attacker(table: CanaryTable, letter: dict[str, Any]) -> str:
    """Return the attacking seat of a verdict's attack."""
    event = next(each for each in table.events if each["kind"] == "verdict" and each["ply"] == letter["ply"])
    return str(event["seat"])


def lost(table: CanaryTable, seat: Seat, letter: dict[str, Any]) -> bool:
    """Return whether the opponent's piece in a verdict was captured, which makes its rank public; the last one of a
    game aside.
    """
    if letter["result"] in ("both-lost", "flag-taken"):
        return True
    return bool(letter["result"] == "attacker-wins") is (attacker(table, letter) == seat.value)


def leaking_table(folder: Path) -> list[Row]:
    """Let the referee leak on purpose, and then break: the search finds the leak everywhere, the crash's report has nothing."""
    with CanaryTable(folder, board=COLOUR, fault="leak") as table:
        table.show_kiosk()
        table.take_seats()
        while not any(line.startswith("child ") for line in table.table.complaint):
            table.take()
        child = next(int(line.split()[1]) for line in table.table.complaint if line.startswith("child "))
        table.look_at_processes()
        os.kill(child, signal.SIGKILL)
        code = until_its_end(table)
        leaked = leaking.LEAKED.encode()
        table.auditor.wait_for(address(Topic.INFO, "table"), leaked)
        while leaked not in table.drawn:  # the kiosk draws when it comes to it
            table.take()
        while leaked.capitalize() not in table.spoken():  # and its voice speaks when it is started
            table.wait_for_its_voice()
        places = {**table.places(), "what the programs log": {"log": "\n".join(table.logs()["table"]).encode()}}
    missed = [kind for kind, each in places.items() if not found(each, [leaking.LEAKED])]
    return [
        (
            f"a referee that leaks on purpose, in all {len(places)} kinds of places",
            f"MISSED: {missed}" if missed else "found in all of them",
        ),
        (
            f"a crash in a step of the game, its error full of ranks (exit code {code})",
            crash(table, [leaking.IN_THE_ERROR], 1),
        ),
    ]


def until_its_end(table: CanaryTable) -> int:
    """Play on until the table has ended. Returns its exit code."""
    return table.play_to_exit()


def crash(table: CanaryTable, words: list[str], times: int) -> str:
    """Return in words what a table reported of its crashes."""
    reports = [line for line in table.table.complaint if "a fault of the program: ValueError in " in line]
    assert len(reports) == times, table.table.complaint
    hits = found({"reports": "\n".join(table.table.complaint).encode()}, words)
    return f"FOUND: {hits}" if hits else "class and place of each error; the ranks are nowhere"
