"""`hallmarshal record`: the judgement as JSON and as words, sheets, exports, and what goes wrong."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from referee.cli.main import main
from referee.journal.records.check import completed
from referee.journal.records.formats import read_record, write_record
from referee.journal.records.model import Record, View
from referee.journal.records.views import view_of
from referee.rules.values import Seat
from tests.records.recorded_games import Recorded, own_games

CHASE, TWO_SQUARES, DIAGONAL = own_games()


@pytest.fixture
def chase_file(tmp_path: Path) -> Path:
    """Our chase as a file."""
    path = tmp_path / "chase.xml"
    path.write_bytes(CHASE.xml())
    return path


def check(path: Path, capsys: pytest.CaptureFixture[str], *more: str) -> dict[str, object]:
    """Run `record check --json`. Returns its one document."""
    assert main(["record", "check", str(path), "--json", *more]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    document = json.loads(out)
    assert isinstance(document, dict)
    return document


@pytest.mark.parametrize("game", own_games(), ids=lambda game: str(game.reason))
def test_check_names_the_first_illegal_ply(game: Recorded, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The document of design section 10, for XML and GSN and our own text alike."""
    for form in ("xml", "gsn", "own"):
        data = game.gsn() if form == "gsn" else game.xml()
        if form == "own":
            data = write_record(read_record(data), "own").encode()
        path = tmp_path / f"game.{form}"
        path.write_bytes(data)
        assert check(path, capsys) == {
            "file": str(path),
            "plies": len(game.moves),
            "legal": False,
            "ply": len(game.moves),
            "reason": game.reason,
            "winner": "blue",
            "ending": "forfeit",
        }


def test_check_of_a_legal_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Legal: no ply, no reason; without a result no winner and no ending."""
    path = tmp_path / "game.gsn"
    path.write_bytes(CHASE.gsn(CHASE.moves[:-1]).partition(b"our chase")[0])
    document = check(path, capsys)
    assert document["legal"] is True
    assert [document[key] for key in ("ply", "reason", "winner", "ending")] == [None] * 4


def test_check_by_another_rule_set(chase_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A rule set that is named decides, set-up included."""
    assert check(chase_file, capsys, "--rules", "original")["reason"] == "bad-setup"
    assert check(chase_file, capsys, "--rules", "barrage")["reason"] == "chase"


def test_check_in_words(chase_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without --json the same in words."""
    assert main(["record", "check", str(chase_file)]) == 0
    assert "ply 13 is illegal: chase" in capsys.readouterr().out
    assert main(["record", "check", str(chase_file), "--rules", "duel"]) == 0
    assert "bad-setup" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "neither a record of ours"),
        (b"<stratego/>", "no <game>"),
        (CHASE.xml().replace(b"E4", b"E44", 1), "'E44' is no square"),
        (b"hallmarshal record 1\n[game]\nrules = chess\n[set-up red]\na1 flag\n[plies]\n", "no rule set 'chess'"),
    ],
)
def test_what_cannot_be_judged_is_exit_2(
    data: bytes, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line on stderr, nothing on stdout, exit 2."""
    path = tmp_path / "bad"
    path.write_bytes(data)
    assert main(["record", "check", str(path), "--json"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"hallmarshal: {path}: ")
    assert message in err
    assert err.count("\n") == 1


def test_files_that_cannot_be_read_are_exit_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A missing file, a folder, an unknown rule set: one line each."""
    for arguments in (["check", str(tmp_path / "no")], ["show", str(tmp_path)], ["export", "no", "--to", "gsn"]):
        assert main(["record", *arguments]) == 2
    assert capsys.readouterr().err.count("\n") == 3


def test_show_prints_a_game(chase_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Players, set-up, plies and result, in a language; a view hides what it must."""
    assert main(["record", "show", str(chase_file), "--lang", "nl"]) == 0
    text = capsys.readouterr().out
    assert "Rood: our chase" in text
    assert "  10   bV  bB   .   .   .   .  b1  b3  b2  b2\n" in text
    assert "    1  Rood   e4-e5\n" in text
    assert "Uitslag: Blauw wint (Reglementair verloren)" in text
    assert main(["record", "show", str(chase_file), "--lang", "en", "--view", "red"]) == 0
    text = capsys.readouterr().out
    assert "View: What Red knows" in text
    assert "  10   b?  b?   .   .   .   .  b?  b?  b?  b?\n" in text
    assert "   1   rF  rB   .   .   .   .  r1  r3  r2  r2\n" in text


def test_export_round_trips(chase_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """XML to ours to GSN to XML: the same game, and a published one stays whole."""
    first = completed(read_record(chase_file.read_bytes()))
    path = chase_file
    for number, form in enumerate(("own", "gsn", "strados2")):
        assert main(["record", "export", str(path), "--to", form]) == 0
        path = tmp_path / f"export{number}"
        path.write_text(capsys.readouterr().out, encoding="utf-8")
    again = completed(read_record(path.read_bytes()))
    assert again == first


def test_export_keeps_what_owners_did_not_open(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By default only what the owners consented to is written; the other formats, which hide nothing, are refused then."""
    record = read_record(CHASE.xml())
    secret = Record(record.rules, record.set_ups, record.plies)
    path = tmp_path / "game.txt"
    path.write_text(write_record(secret, "own"), encoding="utf-8")
    assert main(["record", "export", str(path)]) == 0
    shown = read_record(capsys.readouterr().out.encode())
    assert shown == view_of(completed(secret), View.ARCHIVE)
    assert not any(shown.set_ups[seat].known for seat in (Seat.RED, Seat.BLUE))
    assert main(["record", "export", str(path), "--to", "strados2"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "show every rank" in err
    assert main(["record", "export", str(path), "--to", "strados2", "--view", "referee"]) == 0
    assert read_record(capsys.readouterr().out.encode()).set_ups == record.set_ups


def test_house_rules_can_be_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A record of a house rule set is judged, shown and written by the file that is named."""
    house = tmp_path / "house.toml"
    house.write_text('base = "barrage"\nname = "house"\n[options]\nchase_rule = false\n', encoding="utf-8")
    path = tmp_path / "game.txt"
    path.write_text(write_record(replace(read_record(CHASE.xml()), rules="house"), "own"), encoding="utf-8")
    assert main(["record", "check", str(path)]) == 2
    assert "no rule set 'house'" in capsys.readouterr().err
    assert check(path, capsys, "--rules", str(house))["legal"] is True
    for verb in ("show", "export"):
        assert main(["record", verb, str(path), "--rules", str(house)]) == 0
        assert "house" in capsys.readouterr().out
