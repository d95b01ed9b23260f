"""Tables of other rules, modes and seats as they are used: enrolled, revealed to few, with guesses, with three players."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from referee.rules.values import Rank, Seat
from referee.table.commitments import root
from tests.demo.running import hallmarshal
from tests.runtime.at_table import AtTable, Line

pytestmark = pytest.mark.process


def join_all(at_table: AtTable) -> None:
    """Let every player take a seat."""
    for seat in at_table.rules.seats:
        at_table.join(seat, at_table.ready["join"][seat.value])


def kinds(at_table: AtTable) -> list[str]:
    """Return the kinds of all events so far."""
    return [event["kind"] for event in at_table.events]


def until_ply(at_table: AtTable, ply: int) -> None:
    """Play until so many plies are read, or the game is over."""
    while True:
        _, line = at_table.take()
        if (
            line is not None
            and line.get("kind") in ("move.read", "verdict", "end")
            and (line["kind"] == "end" or line["ply"] >= ply)
        ):
            return


def test_an_enrolled_game_is_committed_to_and_proven(tmp_path: Path) -> None:
    """Roots before the first move, on the topic and as events; each handset computes its own; journal and record are audited."""
    heard: list[Line] = []
    with AtTable(tmp_path, "duel", "--mode", "enrol", "--reveal", "result-only") as at_table:
        join_all(at_table)
        while kinds(at_table).count("countersigned") < 2 or at_table.consented != set(at_table.rules.seats):
            who, line = at_table.take()
            if who.startswith("red") and line is not None:
                heard.append(line)
        assert at_table.table.end(signal.SIGTERM) == 0
        said = kinds(at_table)
        assert "end" in said
        assert said.index("begin") > max(at for at, kind in enumerate(said) if kind == "committed")
        assert said.count("committed") == 2
    roots = {event["seat"]: event["text"] for event in at_table.events if event["kind"] == "committed"}
    (info,) = [line["info"] for line in heard if "info" in line and line["info"]["roots"]]
    assert info["roots"] == roots
    check_own_root(heard, info)
    check_nothing_of_survivors(heard)
    game = next((tmp_path / "table" / "games").iterdir())
    assert not (game / "journal.key").exists(), "the table has ended, and with it every way to take that result back"
    for file, seeds in ((game / "journal.sqlite", 0), (game / "game.record", 2)):
        noted = [word for seat, text in roots.items() for word in ("--root", f"{seat}={text}")]
        done = hallmarshal("record", "audit", str(file), *noted, "--json", state=tmp_path)
        found = json.loads(done.stdout)
        assert (done.returncode, found["wrong"]) == (0, [])
        assert sum("committed to before" in text for text in found["proven"]) == seeds
        assert (found["chain"]["state"], sorted(found["chain"]["signed"]), found["chain"]["missing"]) == (
            "complete",
            ["blue", "red"],
            [],
        )


def check_own_root(heard: list[Line], info: Line) -> None:
    """Red computes the published root from what it handed in and the seed that was sent to it alone."""
    states = [line["letter"] for line in heard if "letter" in line and line["letter"]["type"] == "state"]
    start = next(state for state in states if state["ply"] == 0 and state["own"])
    own = {square: Rank(rank) for square, rank in start["own"].items()}
    assert root(start["seed"], info["game"], Seat.RED, own) == info["roots"]["red"]


def check_nothing_of_survivors(heard: list[Line]) -> None:
    """With result-only a verdict tells the other rank only where its piece was captured."""
    verdicts = [line["letter"] for line in heard if "letter" in line and line["letter"]["type"] == "verdict"]
    assert verdicts
    for verdict in verdicts:
        captured = {
            e["ply"]: e["captured"]
            for e in (line["event"] for line in heard if "event" in line)
            if e["kind"] == "verdict"
        }
        assert (verdict["other"] is None) is ("blue" not in captured[verdict["ply"]])


def is_about_breaking_off(line: Line) -> bool:
    """Return whether a handset is asked to abandon the game."""
    return "letter" in line and line["letter"]["type"] == "question" and line["letter"]["kind"] == "abort"


@pytest.mark.parametrize(
    ("rules", "board", "mode"),
    [("infiltrator", "travel-10x10", "enrol"), ("stratego4-three", "castle-three", "declare")],
)
def test_other_rules_are_played_until_everybody_breaks_it_off(
    rules: str, board: str, mode: str, tmp_path: Path
) -> None:
    """A dozen plies by hands and handsets, a pause that all must end, then breaking off, which all must confirm."""
    with AtTable(tmp_path, rules, "--mode", mode, board=board) as at_table:
        join_all(at_table)
        until_ply(at_table, 12)
        at_table.rest()
        red = at_table.handsets[Seat.RED]
        red.send({"type": "pause", "id": "wish-1"})
        at_table.play_on("paused", game=1)
        for number, handset in enumerate(at_table.handsets.values()):
            handset.send({"type": "resume", "id": f"wish-r{number}"})
        at_table.play_on("resumed", game=1)
        red.send({"type": "offer-abort", "id": "wish-2"})
        others = {at_table.handsets[seat].name: at_table.handsets[seat] for seat in at_table.rules.seats[1:]}
        while others:
            who, line = at_table.take()
            if who in others and line is not None and is_about_breaking_off(line):
                number = line["letter"]["question"]
                others.pop(who).send({"type": "answer", "id": "wish-3", "question": number, "choice": "accept"})
        end = at_table.play_on("end", game=1)
        assert (end["seat"], end["text"]) == (None, "aborted")
        assert at_table.table.end(signal.SIGTERM) == 0
    said = kinds(at_table)
    assert said.index("abort.offered") < said.index("end")
