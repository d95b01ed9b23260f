"""Whole games through every real part: pty, Mosquitto, handset processes, referee, journal."""

from __future__ import annotations

import json
import re
import shlex
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.demo.running import ROOT, demo, hallmarshal, processes_of
from tests.records.recorded_games import lost_army
from tests.rules.house_examples import write_examples

pytestmark = pytest.mark.process

KEYS = {
    *("rules", "games", "plies", "attacks", "winner", "reason", "misread", "asked", "ghost", "lost"),
    *("latency_ms", "journal", "record", "seed"),
}


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> tuple[Mapping[str, Any], Path]:
    """Play one game of Original once for all tests of this file."""
    state = tmp_path_factory.mktemp("original")
    return demo("--seed", "7", state=state), state


def test_a_game_of_original_is_refereed_without_a_mistake(original: tuple[Mapping[str, Any], Path]) -> None:
    """The document is that of the design; nothing misread, nothing asked, nothing lost, a result, no process left."""
    told, state = original
    assert set(told) == KEYS
    assert (told["misread"], told["asked"], told["lost"], told["games"]) == (0, 0, 0, 1)
    assert told["plies"] > 50
    assert told["attacks"] > 10
    assert told["winner"] in ("red", "blue", "draw")
    assert told["reason"] in ("flag", "immobile", "both-immobile")
    assert 0 < told["latency_ms"]["p50"] <= told["latency_ms"]["p99"]
    assert processes_of(state) == []


def test_the_page_of_the_first_game_shows_this_game(original: tuple[Mapping[str, Any], Path]) -> None:
    """Whoever plays seed 7 again sees the figures of docs/start/first-game.md, times and names of folders aside."""
    told, _ = original
    page = (ROOT / "docs/start/first-game.md").read_text()
    shown = dict(re.findall(r"^    (\w[\w ]*?)  +(.*)$", page, re.MULTILINE))
    assert shown["Rules"] == told["rules"]
    assert shown["Result"] == f"{told['winner']} wins ({told['reason']})"
    assert shown["Moves"] == f"{told['plies']}, of them attacks {told['attacks']}"
    assert (shown["Misread"], shown["Needed help"], shown["Seed"]) == ("0", "0 times", "7")


def test_its_record_is_legal_to_the_last_ply(original: tuple[Mapping[str, Any], Path]) -> None:
    """`record check` judges what the demo wrote."""
    told, state = original
    checked = hallmarshal("record", "check", told["record"], "--json", state=state)
    verdict = json.loads(checked.stdout)
    assert (verdict["legal"], verdict["plies"], verdict["winner"]) == (True, told["plies"], told["winner"])


def test_its_record_is_complete_and_signed_by_all(original: tuple[Mapping[str, Any], Path]) -> None:
    """Both players computed the chain themselves and signed the end."""
    told, state = original
    chain = json.loads(hallmarshal("record", "audit", told["record"], "--json", state=state).stdout)["chain"]
    assert (chain["state"], set(chain["signed"]), chain["missing"]) == ("complete", {"red", "blue"}, [])


def test_nobody_else_on_the_machine_can_read_what_it_wrote(original: tuple[Mapping[str, Any], Path]) -> None:
    """Journal, key and record hold ranks, and the broker's files hold passwords: mode 0600."""
    told, _ = original
    files = [path for path in Path(told["record"]).parent.rglob("*") if path.is_file()]
    assert {"journal.sqlite", "journal.key", "game.record"} <= {path.name for path in files}
    assert {path.stat().st_mode & 0o777 for path in files} == {0o600}


def test_its_journal_is_a_whole_sqlite_file(original: tuple[Mapping[str, Any], Path]) -> None:
    """The journal survives the end of the processes that wrote it."""
    told, _ = original
    with sqlite3.connect(f"file:{told['journal']}?mode=ro", uri=True) as base:
        assert base.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        kinds = [kind for (kind,) in base.execute("SELECT type FROM rows ORDER BY seq")]
    assert kinds[0] == "opened"
    assert "end" in kinds
    assert kinds.count("verdict") == told["attacks"]


@pytest.mark.parametrize(
    "options",
    [
        ("--mode", "enrol", "--noise", "home"),
        ("--mode", "enrol", "--sensing", "occupancy", "--reveal", "result-only", "--players", "random"),
    ],
    ids=" ".join,
)
def test_duel_in_other_ways(options: tuple[str, ...], tmp_path: Path) -> None:
    """Enrolled ranks, sensors without colour, players who play at random: still no mistake."""
    told = demo("--rules", "duel", "--seed", "3", *options, state=tmp_path)
    assert (told["misread"], told["asked"], told["lost"]) == (0, 0, 0)
    assert told["winner"] is not None


@pytest.mark.parametrize(
    ("rules", "seed"),  # seeds of short games
    [
        *(("classic", 4), ("duel-compact", 4), ("infiltrator", 5), ("vintage", 1)),
        *(("stratego4", 4), ("stratego4-three", 1), ("stratego4-teams", 3)),
    ],
)
def test_every_rule_set_is_played_on_a_board_of_its_shape(rules: str, seed: int, tmp_path: Path) -> None:
    """A handset for every seat; what sensors cannot see is told there; the record is legal to the last decision."""
    told = demo("--rules", rules, "--seed", str(seed), state=tmp_path)
    assert (told["rules"], told["misread"], told["asked"], told["lost"]) == (rules, 0, 0, 0)
    assert told["winner"] is not None
    checked = hallmarshal("record", "check", told["record"], "--json", state=tmp_path)
    verdict = json.loads(checked.stdout)
    assert (verdict["legal"], verdict["plies"]) == (True, told["plies"]), verdict


def test_a_board_with_lakes_of_ones_own(tmp_path: Path) -> None:
    """House rules on a board file with lakes, as the documents show it, on the sensors of the shipped board."""
    write_examples(tmp_path)
    rules = str(tmp_path / "our-stratego4.toml")
    told = demo("--rules", rules, "--seed", "3", state=tmp_path)
    assert (told["misread"], told["asked"], told["lost"]) == (0, 0, 0)
    checked = hallmarshal("record", "check", told["record"], "--rules", rules, "--json", state=tmp_path)
    assert json.loads(checked.stdout)["plies"] == told["plies"]
    wide = hallmarshal("demo", "--rules", str(tmp_path / "wide-stratego4.toml"), state=tmp_path)
    assert (wide.returncode, wide.stderr.count("\n")) == (2, 1)
    assert "no board file that ships has the squares of wide-castle" in wide.stderr


@pytest.fixture(scope="module")
def barrage(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    """Play one short game, of a kind that every format can tell."""
    return demo("--rules", "barrage", "--seed", "5", state=tmp_path_factory.mktemp("barrage"))


def test_its_record_can_be_played_again_ply_by_ply(barrage: Mapping[str, Any], tmp_path: Path) -> None:
    """`--game` with the record: the accepted moves and the ending are the same."""
    again = demo("--game", barrage["record"], "--seed", "8", state=tmp_path)
    assert (again["misread"], again["asked"], again["lost"]) == (0, 0, 0)
    assert (again["plies"], again["winner"], again["reason"]) == tuple(
        barrage[key] for key in ("plies", "winner", "reason")
    )
    assert moves_of(again["record"]) == moves_of(barrage["record"])


@pytest.mark.parametrize("form", ["strados2", "gsn"])
def test_foreign_records_are_played_again(form: str, barrage: Mapping[str, Any], tmp_path: Path) -> None:
    """A game written as StraDoS2 XML or GSN is played by the simulated hands ply by ply."""
    exported = hallmarshal("record", "export", barrage["record"], "--to", form, "--view", "referee", state=tmp_path)
    assert exported.returncode == 0, exported.stderr
    (tmp_path / "foreign").write_text(exported.stdout)
    again = demo("--game", str(tmp_path / "foreign"), state=tmp_path)
    assert (again["misread"], again["asked"], again["lost"]) == (0, 0, 0)
    assert plies_of(again["record"]) == plies_of(barrage["record"])
    assert (again["plies"], again["winner"]) == (barrage["plies"], barrage["winner"])


@pytest.mark.parametrize("own_turn", [False, True])
def test_a_lost_army_ends_as_the_other_program_ended_it(own_turn: bool, tmp_path: Path) -> None:
    """At once after red's last attack, or when red is to move again: by the table's own rules, without anybody giving up."""
    game = lost_army(own_turn)
    (tmp_path / "foreign").write_bytes(game.xml())
    told = demo("--game", str(tmp_path / "foreign"), state=tmp_path)
    assert (told["misread"], told["asked"], told["lost"]) == (0, 0, 0)
    assert (told["plies"], told["winner"], told["reason"]) == (len(game.moves), "blue", "immobile")
    assert json.loads(hallmarshal("record", "check", told["record"], "--json", state=tmp_path).stdout)["legal"]


def test_a_seed_repeats_a_game_and_a_series_sums_up(barrage: Mapping[str, Any], tmp_path: Path) -> None:
    """Set-ups, moves, verdicts and ending, not times, salts or keys. `--games` lists each game and names no winner."""
    series = ("--rules", "barrage", "--games", "2", "--seed", "4")
    done = hallmarshal("demo", *series, "--speed", "max", "--json", state=tmp_path)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["games"], told["winner"], told["misread"]) == (2, None, 0)
    assert [game["seed"] for game in told["results"]] == [4, 5]
    assert told["plies"] == sum(game["plies"] for game in told["results"])
    other, again = (Path(told["record"]).parents[1] / f"game-{number}" / "game.record" for number in (1, 2))
    assert moves_of(str(again)) == moves_of(barrage["record"])
    assert moves_of(str(other)) != moves_of(barrage["record"])


def test_people_get_a_few_lines(tmp_path: Path) -> None:
    """Without a terminal and without --json: the closing lines, nothing else on stdout; the last is a command that shows the game."""
    done = hallmarshal("demo", "--rules", "duel", "--seed", "2", state=tmp_path)
    assert done.returncode == 0, done.stderr
    labels = [line.split("  ")[0] for line in done.stdout.splitlines() if line[:1].isalpha()]
    assert labels[:5] == ["Rules", "Result", "Moves", "Misread", "Needed help"]
    called, *again, pace = shlex.split(done.stdout.splitlines()[-1].removeprefix("See it again"))
    assert (called, pace) == ("hallmarshal", "2")
    shown = hallmarshal(*again, "1000", state=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert "wins" in shown.stdout


def moves_of(record: str) -> list[str]:
    """Return set-ups and plies of a record of ours: all lines except those with times, names and what depends on them."""
    dropped = ("date", "name", "hallmarshal", "game =", "chain =", "salt.", "seed.", "root.")
    text = Path(record).read_text().partition("[chain]")[0]  # whose leaves are salted
    return [line for line in text.splitlines() if not line.startswith(dropped)]


def plies_of(record: str) -> list[str]:
    """Return the plies of a record of ours, without the ranks beside them."""
    lines = Path(record).read_text().splitlines()
    return [line for line in lines[lines.index("[plies]") + 1 :] if line[:1].isdigit()]
