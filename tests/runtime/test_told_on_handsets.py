"""What only a handset can tell, at whole tables: who the attacker is, whom he names, shots, flags, recruits, claims, second thoughts.

Three short games that are written down ply by ply; hands and handsets carry them out at `hallmarshal table`, and the board agrees.
"""

from __future__ import annotations

import json
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from referee.rules.values import Rank, Seat
from tests.demo.running import hallmarshal
from tests.runtime.at_table import Line
from tests.runtime.forging import prove_forgeries_named
from tests.runtime.scripted_table import ScriptedTable

pytestmark = pytest.mark.process

RED, BLUE, GREEN = Seat.RED, Seat.BLUE, Seat.GREEN
R = Rank


def test_what_only_a_handset_can_tell(tmp_path: Path) -> None:
    """The three games at once: one of them waits ten seconds for an answer that does not come. Then forgers try one's record."""
    with ThreadPoolExecutor(3) as pool:
        games = [
            pool.submit(play, tmp_path / play.__name__) for play in (second_thoughts, infiltrations, shots_and_flags)
        ]
        for each in games:
            each.result()
    (roots,) = [each.result() for each in games if each.result()]
    prove_forgeries_named(tmp_path / infiltrations.__name__, roots)


def is_question(letter: Line) -> bool:
    """Return whether a message is a question."""
    return bool(letter["type"] == "question")


def says_what_it_kept(table: ScriptedTable, ending: str, winner: str | None) -> None:
    """The record of a game that is over is legal and ends as it was said; the table leaves in order."""
    end = table.event("end")
    assert (end["text"], end["seat"]) == (ending, winner)
    while table.consented != set(table.rules.seats):
        table.take()
    assert table.table.end(signal.SIGTERM) == 0
    (record,) = (table.state / "table").glob("games/*/game.record")
    rules = ("--rules", str(table.state / "rules.toml"))
    done = hallmarshal("record", "check", str(record), *rules, "--json", state=table.state)
    told = json.loads(done.stdout)
    assert (told["legal"], told["ending"], told["winner"]) == (True, ending, winner or "draw")


# ---- declare, result-only: silence, second thoughts, "I can’t move"

_CAPTAINS = """\
base = "duel"
name = "captains"
source = "the tests"
army = { captain = 1, miner = 1, bomb = 1, flag = 1 }
"""
_CAPTAINS_PLACED = {
    RED: {"b4": R.CAPTAIN, "j4": R.MINER, "e2": R.BOMB, "e1": R.FLAG},
    BLUE: {"b7": R.MINER, "a10": R.CAPTAIN, "a9": R.FLAG, "b10": R.BOMB},
}


def second_thoughts(folder: Path) -> dict[str, str]:
    """Nobody answers: a pause that offers the arbiter. Red answers twice, the second counts. Blue cannot move, which only he knows."""
    folder.mkdir()
    (folder / "table.toml").write_text("answer-limit-s = 10\n")
    more = ("--reveal", "result-only", "--config", str(folder / "table.toml"))
    script = ("b4-b5", "b7-b6", "b5-b6")
    with ScriptedTable(folder, _CAPTAINS, _CAPTAINS_PLACED, script, *more, board="travel-10x10") as table:
        table.mine = is_question
        table.join_all()
        red, blue = (table.letter(seat, "question", kind="declare") for seat in (RED, BLUE))
        assert table.event("paused")["text"] == "no-answer"
        table.say(BLUE, "call-arbiter")
        assert table.event("arbiter.called")["seat"] == "blue"
        for name, rank in (("first", "miner"), ("again", "captain")):
            table.say(RED, "declare", id=name, question=red["question"], rank=rank)
            table.letter(RED, "accepted", re=name)
        table.event("resumed")
        table.say(BLUE, "declare", question=blue["question"], rank="miner")
        verdict = table.event("verdict")
        assert (verdict["result"], verdict["captured"]) == ("attacker-wins", {"blue": "miner"})
        table.rest_at(3)
        assert table.verdict(RED, 3) == ("captain", "miner")
        assert table.verdict(BLUE, 3) == ("miner", None)
        claims(table)
        says_what_it_kept(table, "immobile", "red")
    return {}


def claims(table: ScriptedTable) -> None:
    """Blue claims, red does not believe it; blue claims again, and red does."""
    for number, choice in enumerate(("refuse", "accept"), 1):
        table.say(BLUE, "claim-immobile")
        question = table.letter(RED, "question", kind="claim")
        assert set(question["choices"]) == {"accept", "accept-both", "refuse"}
        table.say(RED, "answer", question=question["question"], choice=choice)
        assert table.event("claim.offered", number)["seat"] == "blue"
        if choice == "refuse":
            assert table.event("claim.refused")["seat"] == "red"
            assert "end" not in table.kinds()


# ---- enrol, attacker-only: infiltrations

_SPIES = """\
base = "infiltrator"
name = "spies"
source = "the tests"
filled = false
army = { marshal = 1, captain = 1, miner = 1, scout = 1, infiltrator = 1, bomb = 1, flag = 1 }
"""
_SPIES_PLACED = {
    RED: {
        "a4": R.INFILTRATOR,
        "b4": R.MARSHAL,
        "i4": R.SCOUT,
        "j4": R.CAPTAIN,
        "e1": R.FLAG,
        "e2": R.BOMB,
        "f1": R.MINER,
    },
    BLUE: {
        "b7": R.MINER,
        "a9": R.CAPTAIN,
        "c9": R.FLAG,
        "i7": R.SCOUT,
        "j7": R.MARSHAL,
        "j10": R.INFILTRATOR,
        "f10": R.BOMB,
    },
}
_SPIES_SCRIPT = """
    b4-b5 i7-i5  b5-b6 b7-b6  a4-a5 i5-i4  a5-a6 j7-j6  a6-a7 j6-j5
    a7*a9=miner j5-j4  a7*a9=captain j4-j5  a7-a8 j5-j6  a8-a9 j6-j5  a9*c9=flag
"""


def infiltrations(folder: Path) -> dict[str, str]:
    """A wrong name, a right one, and the flag by its name. A survivor's rank is told only if it attacked, a guess to everybody.

    Gives the roots that were published.
    """
    more = ("--mode", "enrol", "--reveal", "attacker-only")
    with ScriptedTable(folder, _SPIES, _SPIES_PLACED, _SPIES_SCRIPT.split(), *more, board="travel-10x10") as table:
        table.join_all()
        table.event("end")
        guesses = [(event["target"], event["text"]) for event in table.events if event["kind"] == "infiltrate"]
        assert guesses == [("a9", "miner"), ("a9", "captain"), ("c9", "flag")]
        results = {
            event["ply"]: (event["result"], event["captured"]) for event in table.events if event["kind"] == "verdict"
        }
        assert results == {
            4: ("defender-wins", {"blue": "miner"}),
            6: ("both-lost", {"red": "scout", "blue": "scout"}),
            11: ("wrong-guess", {}),
            12: ("attacker-wins", {"red": "captain"}),
            13: ("infiltrated", {"blue": "captain"}),
            19: ("infiltrated", {"blue": "flag"}),
        }
        told = {(seat, ply): table.verdict(seat, ply) for seat in (RED, BLUE) for ply in (4, 11, 12, 13)}
        assert told == {
            (RED, 4): ("marshal", "miner"),
            (BLUE, 4): ("miner", None),
            (RED, 11): ("infiltrator", None),
            (BLUE, 11): ("captain", "infiltrator"),
            (RED, 12): ("captain", "marshal"),
            (BLUE, 12): ("marshal", "captain"),
            (RED, 13): ("infiltrator", "captain"),
            (BLUE, 13): ("captain", "infiltrator"),
        }
        says_what_it_kept(table, "flag", "red")
        return {event["seat"]: event["text"] for event in table.events if event["kind"] == "committed"}


# ---- three players, declare, book: a shot, a flag, a recruit, a draw

_CANNONS = """\
base = "stratego4-three"
name = "cannons"
source = "the tests"
filled = false
army = { captain = 1, sergeant = 1, scout = 2, spy = 1, cannon = 1 }
"""
_CANNONS_PLACED = {
    RED: {"re3": R.CANNON, "rc3": R.SCOUT, "rg1": R.SCOUT, "ra1": R.CAPTAIN, "rd1": R.SERGEANT, "rb1": R.SPY},
    BLUE: {"ba1": R.CANNON, "bg3": R.SCOUT, "ba3": R.SCOUT, "bc2": R.CAPTAIN, "bd1": R.SPY, "bb1": R.SERGEANT},
    GREEN: {"ga3": R.SERGEANT, "gg3": R.SCOUT, "gb1": R.SCOUT, "gg1": R.CAPTAIN, "gd1": R.SPY, "ge1": R.CANNON},
}
_CANNONS_SCRIPT = """
    re3-re4 bg3-bg4 gg3-gg4  re4!ga3 bg4-bg5 gg4-gg5  rc3-rc5 ba1-ba2 gg1-gg2
    rc5-bf1 ba2-ba1 gg2-gg1  bf1-bd1
"""


def shots_and_flags(folder: Path) -> dict[str, str]:
    """Red fires, then takes blue's flag from its carrier, which brings the cannon back. A draw is refused once, then agreed by all."""
    with ScriptedTable(folder, _CANNONS, _CANNONS_PLACED, _CANNONS_SCRIPT.split(), board="castle-three") as table:
        table.join_all()
        shot = table.event("fire")
        assert (shot["source"], shot["target"], shot["seat"]) == ("re4", "ga3", "red")
        assert table.event("verdict")["captured"] == {"red": "cannon", "green": "sergeant"}
        assert table.event("verdict", 2)["captured"] == {"blue": "spy"}
        assert table.letter(RED, "question", kind="take-flag")["choices"] == ["none", "blue"]
        assert (table.event("flags.taken")["target"], table.event("flags.taken")["text"]) == ("bd1", "blue")
        assert table.letter(RED, "question", kind="recruit")["choices"] == ["cannon", "none"]
        back = table.event("recruited")
        assert (back["seat"], back["target"]) == ("red", "rd2")
        while table.state_now.get("turn") != "blue" or table.state_now["phase"] != "waiting-for-move":
            table.take()
        assert table.state_now["occupants"]["rd2"] == "red"
        table.mine = is_question
        for number, words in enumerate((("accept", "refuse"), ("accept", "accept")), 1):
            table.say(BLUE, "offer-draw")
            for seat, word in zip((RED, GREEN), words, strict=True):
                question = table.letter(seat, "question", kind="draw")
                table.say(seat, "answer", id=f"draw-{number}", question=question["question"], choice=word)
                table.letter(seat, "accepted", re=f"draw-{number}")
            table.event("draw.offered", number)
        assert table.event("draw.refused")["seat"] == "green"
        says_what_it_kept(table, "agreed", None)
    return {}
