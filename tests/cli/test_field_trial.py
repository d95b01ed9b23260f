"""`hallmarshal field-trial`, on a board of its own hands and at a port: what it asks for, keeps, goes on with and refuses."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from referee.cli.main import main
from simulator.profiles import load_profile
from tests.cli.simulated_board import Board, Running

MOTIONS = 8


def run(
    capsys: pytest.CaptureFixture[str], folder: Path, *arguments: str, motions: int = MOTIONS
) -> tuple[int, str, str]:
    """Run the command in this process on a simulated board. Returns exit code, stdout and stderr."""
    url = "sim:?noise=home&seed=5"
    code = main(["field-trial", "--board", url, "--state", str(folder), "--motions", str(motions), *arguments])
    out, err = capsys.readouterr()
    return code, out, err


@pytest.mark.process
def test_a_simulated_board_from_its_own_hands(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Every motion counts and is read; what is kept is the result, and a profile that the simulated board takes by its file."""
    code, out, _ = run(capsys, tmp_path / "kept", "--json")
    told: dict[str, Any] = json.loads(out)
    assert (code, told["file"], told["motions"], told["counted"], told["left_out"]) == (
        0,
        "travel-10x10",
        MOTIONS,
        MOTIONS,
        [],
    )
    assert [told[name]["count"] for name in ("misread", "asked", "lost", "ghosts", "false_attacks")] == [0] * 5
    assert told["misread"]["upper_95"] == pytest.approx(0.312, rel=0.01)
    assert told["latency_ms"]["n"] == MOTIONS
    kept = {path.name for path in (tmp_path / "kept").iterdir()}
    assert kept == {"frames-1.log", "lock", "profile.toml", "result.json"}
    assert json.loads((tmp_path / "kept" / "result.json").read_text()) == {
        name: told[name] for name in told if name != "profile"
    }
    assert load_profile(told["profile"]).name == "fitted"
    assert (
        main(
            [
                "field-trial",
                "--board",
                f"sim:?noise={told['profile']}",
                "--state",
                str(tmp_path / "again"),
                "--motions",
                "2",
            ]
        )
        == 0
    )


@pytest.mark.process
def test_a_trial_that_was_cut_off_goes_on(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The power goes in the middle of a line: what was there counts, the rest is asked for; then nothing is asked for any more."""
    run(capsys, tmp_path)
    log = tmp_path / "frames-1.log"
    whole = log.read_bytes()
    log.write_bytes(whole[: len(whole) // 2])
    code, out, _ = run(capsys, tmp_path)
    assert code == 0
    assert " are there already." in out
    assert f"{MOTIONS} of {MOTIONS} motions count" in out
    assert (tmp_path / "frames-2.log").exists()
    first = json.loads((tmp_path / "result.json").read_text())
    code, out, _ = run(capsys, tmp_path)
    assert (code, "Red: " in out, "Blue: " in out) == (0, False, False)
    assert json.loads((tmp_path / "result.json").read_text()) == first
    code, out, _ = run(capsys, tmp_path, "--new", motions=2)
    assert (code, "2 of 2 motions count" in out) == (0, True)
    assert len(list(tmp_path.glob("before-*/frames-*.log"))) == 2


@pytest.mark.process
def test_a_person_at_a_port(tmp_path: Path) -> None:
    """The first motion is made, the second is something else and is asked for again; `q` ends it with the result of the one."""
    with Board("--seed", "3") as board:
        person = Running("field-trial", "--board", f"serial:{board.path}", "--state", str(tmp_path), "--json")
        person.says("Set the board as shown")
        board.wish(motion="place", seat="red", squares=["d4", "e4", "e3"])
        board.wish(motion="place", seat="blue", squares=["e8", "d7", "e7"])
        person.says("1  Red: lift d4 over to c4.")
        board.wish(motion="move", **{"from": "d4", "to": "c4"})
        board.wish(motion="wait", after_ms=2500)
        person.says("2  Blue: slide e8")
        board.wish(motion="move", **{"from": "e8", "to": "f8"})
        board.wish(motion="wait", after_ms=3000)
        person.says("Not counted: the board does not stand as it should.")
        assert person.child.stdin is not None
        person.child.stdin.write(b"q\n")
        code, out, _ = person.ends()
    told = json.loads(out)
    assert (code, told["counted"], told["repeated"], told["misread"]["count"]) == (0, 1, 1, 0)


@pytest.mark.process
def test_ctrl_c_and_a_board_that_is_gone(tmp_path: Path) -> None:
    """130, and the frames are kept; then a board that is not there is one line and 3."""
    with Board() as board:
        person = Running("field-trial", "--board", f"serial:{board.path}", "--state", str(tmp_path), "--json")
        person.says("Set the board as shown")
        os.kill(person.child.pid, signal.SIGINT)
        code, out, err = person.ends()
    assert (code, out) == (130, "")
    assert "Traceback" not in err
    assert (tmp_path / "frames-1.log").read_text().startswith("hallmarshal-stream 1 board=travel-10x10")


@pytest.mark.process
def test_folders_that_hold_something_else(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Another board's trial, or a log that is none: one line, exit 2, and nothing is written over."""
    for text, reason in (
        ("hallmarshal-stream 1 board=compact-10x8 sensing=colour\n", "recorded from board compact-10x8"),
        ("nonsense\n", "not a recorded stream"),
        ('hallmarshal-stream 1 board=travel-10x10 sensing=colour\n#! 0 {"rules": "duel"}\n', "rules of duel"),
        ("hallmarshal-stream 1 board=travel-10x10 sensing=colour\n#! 0 [\n", "holds no trial"),
    ):
        log = tmp_path / "frames-1.log"
        log.write_text(text)
        code, out, err = run(capsys, tmp_path)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert reason in err
        assert log.read_text() == text


BAD = [
    (["--board", "replay:stream.txt"], 2, "a recording cannot be tried"),
    (["--board", "serial:/dev/ttyNONE"], 3, "there is no such port"),
    (["--board", "usb:"], 2, "the name begins with one of"),
    pytest.param(["--board", "sim:?noise=none.toml"], 2, "No such file or directory", marks=pytest.mark.process),
    pytest.param(["--board", "sim:?noise=loud"], 2, "'loud' is none of clean, home", marks=pytest.mark.process),
    (["--board", "sim:", "--rules", "chess"], 2, "no rule set 'chess'"),
    pytest.param(["--board", "sim:", "--state", "/proc/nowhere"], 2, "/proc/nowhere", marks=pytest.mark.process),
]


@pytest.mark.parametrize(("arguments", "code", "reason"), BAD, ids=lambda value: str(value))
def test_what_cannot_be_tried(arguments: list[str], code: int, reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One clear line and the right exit code."""
    assert main(["field-trial", *arguments]) == code
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert reason in err


@pytest.mark.parametrize("motions", ["0", "-1", "x", "5001"])
def test_numbers_that_are_none(motions: str, capsys: pytest.CaptureFixture[str]) -> None:
    """They are refused before any board is opened."""
    with pytest.raises(SystemExit) as ended:
        main(["field-trial", "--board", "sim:", "--motions", motions])
    assert ended.value.code == 2
    assert "no number of motions" in capsys.readouterr().err
