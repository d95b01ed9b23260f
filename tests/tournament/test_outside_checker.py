"""A sample of the outsider's tournaments, and that his checker sees what it is there to see (`python -m tests.tournament.outsider`)."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.tournament import outside_rules as rules
from tests.tournament.outside_points import Scoring, faults_of_standings, faults_of_teams
from tests.tournament.outsider import Desk, Tally, play

HERE = Path(__file__).parent
Draft = dict[str, Any]


def test_a_sample_of_tournaments_holds_every_rule() -> None:
    """Ten small tournaments; the 2000 of the command are the real thing."""
    tally = Tally()
    for index in range(1, 11):
        play(7, index, tally, largest=9, stored=False)
    assert tally.faults == []
    assert tally.counts["proved by trying all"] > 5
    assert tally.counts["standings"] > 20


@pytest.mark.parametrize("name", ["outside_rules", "outside_points"])
def test_the_checker_imports_nothing_of_the_referee(name: str) -> None:
    """Else it would find right what the referee finds right."""
    tree = ast.parse((HERE / f"{name}.py").read_text())
    froms = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    allowed = {"__future__", "collections", "collections.abc", "dataclasses", "fractions", "itertools", "typing"}
    assert froms | names <= allowed | {"networkx", "tests.tournament.outside_points"}
    calls = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    assert not calls & {"__import__", "exec", "eval"}


def desk_of(count: int, **given: Any) -> Desk:
    """Return an event of so many players."""
    desk = Desk({"name": "Outside", "seed": 1, **given}, None)
    desk.act("enter-all", {"players": [{"name": f"Player {n}", "rating": 2000 - n} for n in range(count)]})
    return desk


def rounds_of(desk: Desk) -> list[Draft]:
    """Return all rounds with one more that was paired now."""
    desk.act("pair", {})
    rounds: list[Draft] = desk.act("publish", {})["rounds"]
    return rounds


def drop(draft: Draft) -> None:
    """Leave somebody out."""
    draft["byes"].pop()


def another_bye(draft: Draft) -> None:
    """Let the bye go to somebody with more points."""
    bye, table = draft["byes"][0], draft["tables"][1]
    bye["player"], table["blue"] = table["blue"], bye["player"]


def turned(draft: Draft) -> None:
    """Turn the tables' order round."""
    for table, number in zip(draft["tables"], range(len(draft["tables"]), 0, -1), strict=True):
        table["table"] = number


def asked(draft: Draft) -> None:
    """Note that the pairing bye was asked for."""
    draft["byes"][0]["kind"] = "half"


@pytest.mark.parametrize(
    ("change", "rule"), [(drop, "rule 1"), (asked, "rule 2"), (another_bye, "rule 6"), (turned, "rule 7")]
)
def test_a_round_that_was_spoilt_is_seen(change: Callable[[Draft], None], rule: str) -> None:
    """Each of these breaks one rule in a round that holds all."""
    desk = desk_of(7, rounds=5)
    for table in rounds_of(desk)[-1]["tables"]:
        desk.act("result", {"round": 1, "table": table["table"], "result": "red"})
    before = desk.told()
    draft = desk.act("pair", {})["draft"]
    assert rules.check_swiss(before, draft, Scoring()).faults == []
    spoilt = copy.deepcopy(draft)
    change(spoilt)
    assert any(fault.startswith(rule) for fault in rules.check_swiss(before, spoilt, Scoring()).faults)


def test_pairs_that_an_arbiter_set_and_rematches_are_seen() -> None:
    """A forced pair that is not there, a forbidden one that is, and a rematch for which there was no need."""
    desk = desk_of(4, rounds=3)
    tables = rounds_of(desk)[-1]["tables"]
    for table in tables:
        desk.act("result", {"round": 1, "table": table["table"], "result": "draw"})
    before = dict(desk.told())
    draft = desk.act("pair", {})["draft"]
    pair = [draft["tables"][0][seat]["number"] for seat in ("red", "blue")]
    other = [pair[0], draft["tables"][1]["red"]["number"]]
    for players, kind in ((other, "forced"), (pair, "forbidden")):
        told = {**before, "pair_rules": [{"players": players, "kind": kind, "round": 2}]}
        assert any(fault.startswith("rule 3") for fault in rules.check_swiss(told, draft, Scoring()).faults)
    again = {**draft, "tables": [{**table, "reasons": ["rematch-unavoidable"]} for table in tables], "byes": []}
    assert any(fault.startswith("rule 4") for fault in rules.check_swiss(before, again, Scoring()).faults)


def test_matching_and_trying_all_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is proved for large fields is proved the same way as for small ones, where both can be done."""
    tally = Tally()
    monkeypatch.setattr(rules, "ENUMERATED", 0)
    for index in (1, 2, 3):
        play(7, index, tally, largest=8, stored=False)
    assert tally.faults == []
    assert tally.counts["proved by a matching"] > 2


def free_round_cut() -> list[str]:
    """Three in a round robin: whoever was free has met two, and the lesser of them is to be cut."""
    desk = desk_of(3, system="round-robin")
    desk.act("settings", {"tie_breaks": ["buchholz-cut-1"]})
    for number in (1, 2, 3):
        for table in rounds_of(desk)[-1]["tables"]:
            desk.act("result", {"round": number, "table": table["table"], "result": "red"})
    return faults_of_standings(desk.told(), Scoring())


def corrected_board_bye() -> list[str]:
    """Two against one: the game is drawn, the other board's bye was corrected to a half one, which is worth points all the same."""
    desk = Desk({"name": "Outside", "rounds": 2, "team_boards": 2}, None)
    teams = ("One", "One", "Two")
    desk.act("enter-all", {"players": [{"name": f"Player {n}", "team": team} for n, team in enumerate(teams)]})
    last = rounds_of(desk)[-1]
    desk.act("result", {"round": 1, "table": 1, "result": "draw"})
    desk.act("correct-bye", {"round": 1, "number": last["byes"][0]["player"]["number"], "kind": "half"})
    return faults_of_teams(desk.told(), Scoring())


def torn() -> list[str]:
    """Two who have sat red, red, red, red, blue, blue and the other way round: in round 7 either seat is beyond a limit for both."""
    desk = desk_of(2, rounds=7)
    for number in range(1, 7):
        table = rounds_of(desk)[-1]["tables"][0]
        desk.act("result", {"round": number, "table": 1, "result": "draw"})
        if (table["red"]["number"] == 1) != (number < 5):
            desk.act("correct-seats", {"round": number, "table": 1})
    before = desk.told()
    return rules.check_swiss(before, desk.act("pair", {})["draft"], Scoring()).faults


def teams_without_a_game(results: Sequence[str]) -> Desk:
    """Return an event of two teams of two after a round with these results."""
    desk = Desk({"name": "Outside", "rounds": 3, "team_boards": 2}, None)
    desk.act("enter-all", {"players": [{"name": f"Player {n}", "team": f"Team {n // 2}"} for n in range(4)]})
    for table in rounds_of(desk)[-1]["tables"]:
        desk.act("result", {"round": 1, "table": table["table"], "result": results[int(table["table"]) - 1]})
    return desk


def one_left() -> list[str]:
    """Two of three have asked for a bye, then all: the round is there all the same."""
    desk = desk_of(3, rounds=2)
    faults = []
    for number in (1, 2, 3):
        desk.act("bye", {"number": number, "round": 1, "kind": "half"})
        before = desk.told()
        faults += rules.check_swiss(before, desk.act("pair", {})["draft"], Scoring()).faults
    return faults + rules.check_swiss(desk.act("publish", {}), desk.act("pair", {})["draft"], Scoring()).faults


def teams_again() -> list[str]:
    """Two teams who meet seven times: no seat limit holds for a team, and none is named."""
    desk = Desk({"name": "Outside", "rounds": 7, "team_boards": 2}, None)
    desk.act("enter-all", {"players": [{"name": f"Player {n}", "team": f"Team {n // 2}"} for n in range(4)]})
    faults = []
    for number in range(1, 8):
        before = desk.told()
        faults += rules.check_swiss(before, desk.act("pair", {})["draft"], Scoring()).faults
        for table in desk.act("publish", {})["rounds"][-1]["tables"]:
            desk.act("result", {"round": number, "table": table["table"], "result": "red"})
            if number < 5 and desk.told()["rounds"][-1]["matches"][0]["teams"][0] != 1:
                desk.act("correct-seats", {"round": number, "table": table["table"]})
    return faults


def match_without_game() -> list[str]:
    """Nobody played in the first match: one board was lost by absence, at the other both stayed away."""
    desk = teams_without_a_game(("red-absent", "both-absent"))
    before = desk.told()
    faults = rules.check_swiss(before, desk.act("pair", {})["draft"], Scoring()).faults
    return faults + faults_of_teams(desk.told(), Scoring())


def match_of_nobody() -> list[str]:
    """Both teams stayed away: neither has won or drawn anything."""
    return faults_of_teams(teams_without_a_game(("both-absent", "both-absent")).told(), Scoring())


def match_of_absences() -> list[str]:
    """At each board another team's player stayed away: as many board points, and no meeting."""
    desk = teams_without_a_game(("red-absent", "red-absent"))
    before, faults = desk.told(), faults_of_teams(desk.told(), Scoring())
    return faults + rules.check_swiss(before, desk.act("pair", {})["draft"], Scoring()).faults


@pytest.mark.parametrize(
    "faults",
    [
        free_round_cut,
        corrected_board_bye,
        match_without_game,
        match_of_nobody,
        match_of_absences,
        torn,
        one_left,
        teams_again,
    ],
)
def test_what_was_found_is_mended(faults: Callable[[], list[str]]) -> None:
    """The smallest case of each finding holds now."""
    assert faults() == []
