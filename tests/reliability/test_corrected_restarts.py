"""Games that were corrected, and whose referee is killed: wherever the journal ends, the table is the one that it was."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from referee.rules import rule_set
from referee.sensing import Agreed
from referee.table.inputs import Reopen
from referee.table.replay import rebuild, steps_of, told_settings
from referee.table.table import Table
from referee.table.views import Phase
from tests.demo.running import hallmarshal
from tests.records.test_corrected_games import corrected, facts
from tests.reliability.test_killed_table import Interrupted, consistent
from tests.runtime.at_table import Line


def seen(table: Table) -> tuple[object, ...]:
    """Return the part of a table's public view that counts."""
    view = table.view()
    return view.ply, view.seq, view.turn, view.occupants, view.captured, view.result


def test_a_journal_that_ends_anywhere_gives_the_corrected_game_back() -> None:
    """At every row, also amid a step: the missing rows follow, and the game goes on where it stood."""
    rows = facts(corrected())
    settings = told_settings(rows, rule_set)
    table = Table(settings)
    ends, at = {0: seen(table)}, 0
    for _, step in steps_of(rows):
        at += len(step)
        ends[at] = seen(rebuild(settings, rows[:at]).table)
    for cut in range(1, len(rows) + 1):
        again = rebuild(settings, rows[:cut])
        whole = min(end for end in ends if end >= cut)
        assert len(again.owed) == whole - cut
        assert seen(again.table) == ends[whole]
        if again.table.result is None and again.table.public_game is not None:
            again.table.apply(Reopen(), 0)
            assert seen(again.table)[2:] == ends[whole][2:]
            again.table.apply(Agreed(0), 0)
            assert again.table.phase in (Phase.WAITING_FOR_MOVE, Phase.WAITING_FOR_DECLARATIONS)


def after_a_kill(table: Interrupted, names: list[str], seq: int, *, stands: bool = False) -> Line:
    """Kill the table, start it again, and let hands restore the board. Returns what handsets saw after the start.

    That the board is asked for stays so until hands have done it; where it `stands` as it must already, handsets see no more of that than
    they happen to.
    """
    table.start_again(signal.SIGKILL, "--keep-keys")

    def comes(line: Line) -> bool:
        state = line.get("state", {})
        return state.get("seq", 0) > seq and (stands or (state["phase"], state["ask"]) == ("restoring", "corrected"))

    view: Line = table.everybody(names, comes)[names[0]]["state"]
    table.board.send({"motion": "restore", "squares": view["occupants"], "after_ms": 500})
    return view


def asked_in(line: Line) -> Line | None:
    """Return the question that a letter holds; who is back only after it was asked finds it in the state of the seat."""
    letter: Line = line.get("letter", {})
    question = letter if letter.get("type") == "question" else letter.get("question")
    return question if isinstance(question, dict) else None


@pytest.mark.process
def test_a_table_killed_amid_corrections_goes_on(tmp_path: Path) -> None:
    """Killed after a voided verdict, and after a take-back: the board is put right, the attack asked about anew, the game ends."""
    with Interrupted(tmp_path) as table:
        table.take_seats()
        verdict = table.play_on("verdict", game=1)
        ply = verdict["ply"]
        players, table.handsets = table.handsets, {}  # from here on hands and answers are ours
        names = [player.name for player in players.values()]
        table.table.send(f"void {ply} the wrong rank was tapped")
        told = table.play_on("verdict.voided", game=1)
        (folder,) = (tmp_path / "table").glob("games/*")
        stale = folder / "game.record"
        stale.write_text("what was opened at an end that is taken back, by a table killed before it could remove this")
        view = after_a_kill(table, names, told["seq"])
        assert not stale.exists()
        assert (view["ply"], view["captured"]) == (ply - 1, {"red": {}, "blue": {}})
        asked = table.everybody(names, lambda line: asked_in(line) is not None)
        for player in players.values():
            question = asked_in(asked[player.name])
            assert question is not None
            player.send({"type": "declare", "question": question["question"], "rank": question["choices"][0]})
        again = table.play_on("verdict", game=1)
        assert (again["ply"], again["source"], again["target"]) == (ply, verdict["source"], verdict["target"])
        table.table.send(f"takeback {ply - 1} all agreed at the board")
        told = table.play_on("plies.taken-back", game=1)
        assert after_a_kill(table, names, told["seq"], stands=True)["ply"] == ply - 1  # nobody has cleared the attack
        table.play_on("restored", game=1)
        table.table.send("end draw it is late")
        end = table.play_on("end", game=1)
        assert (end["seat"], end["text"]) == (None, "ruled")
        assert table.table.end(signal.SIGTERM) == 0
        consistent(table.events)
    (record,) = (tmp_path / "table").glob("games/*/game.record")
    judged = json.loads(hallmarshal("record", "check", str(record), "--json", state=tmp_path).stdout)
    assert judged["legal"] is True
    (journal,) = (tmp_path / "table").glob("games/*/journal.sqlite")
    audit = json.loads(hallmarshal("record", "audit", str(journal), "--json", state=tmp_path).stdout)
    assert audit["wrong"] == []
    assert [text.partition(",")[0] for text in audit["corrected"]] == [
        f"the verdict of ply {ply} was voided",
        f"the game went back to ply {ply - 1}",
        f"the game was ended after ply {end['ply']} by the arbiter's word: it is late",
    ]
    assert "all agreed at the board" in hallmarshal("record", "show", str(journal), state=tmp_path).stdout
    assert "all agreed" not in record.read_text()
