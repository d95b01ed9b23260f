"""`hallmarshal rules`: sheets in six languages, and the moves of positions against golden lines."""

from __future__ import annotations

import io
import json

import pytest

from referee.cli.main import main
from referee.cli.rules import board_picture, print_moves, zone_marks
from referee.rules import rule_set, rule_set_names
from referee.runtime.errors import BadInputError
from referee.words import words
from tests.amount import languages

# Red: scout a4, marshal b4, miner e1, spy h4, flag j1. Blue: bomb a7, miner b5, marshal h5, bomb e2, flag j10.
POSITION = (
    "AAAAEAAAAMAAAANAAAAAAAAAAAAAAADLAAAAACAAAQ__AA_XAA".replace("_X", "__")
    + "AA__AA__AA"
    + "NAAAAAAXAA"
    + "AAAAAAAAAA"
    + "AAAAAAAAAA"
    + "AAAAAAAAAY"
)
"""The lake keeps h5 free of pieces: blue's marshal stands on h7."""


def answer(line: str) -> dict[str, object]:
    """Return the command's answer to one position."""
    out = io.StringIO()
    print_moves(line + "\n", out)
    found = json.loads(out.getvalue())
    assert isinstance(found, dict)
    return found


def test_moves_of_a_position() -> None:
    """Golden: every legal move, sorted, each with its result; the scout runs, attacks at the end, and stops at pieces."""
    assert answer(f"{POSITION} r") == {
        "pos": f"{POSITION} r",
        "moves": [
            [4, 3, "move"],
            [4, 5, "move"],
            [4, 14, "win"],
            [30, 0, "move"],
            [30, 10, "move"],
            [30, 20, "move"],
            [30, 40, "move"],
            [30, 50, "move"],
            [30, 60, "lose"],
            [31, 21, "move"],
            [31, 32, "move"],
            [31, 41, "win"],
            [37, 27, "move"],
            [37, 36, "move"],
            [37, 38, "move"],
        ],
    }


def test_moves_of_the_other_side() -> None:
    """Blue's moves from the same position; the miner that attacks a marshal loses."""
    moves = answer(f"{POSITION} b")["moves"]
    assert moves == [
        [41, 31, "lose"],
        [41, 40, "move"],
        [41, 51, "move"],
        [67, 66, "move"],
        [67, 68, "move"],
        [67, 77, "move"],
    ]


def test_flag_tie_and_case() -> None:
    """A taken flag and a tie are said; lower case is read, and `pos` is what was given."""
    rows = ["MAAAAAAAAA", "AAAAAAAAAA", "AAAAAAAAAA", "AAAAAAAAAA", "DP__AA__AA", "AA__AA__AA", "AAAAAAAAAA"]
    position = "".join([*rows, "AAAAAAAAAA", "AAAAAAAAAA", "YAAAAAAAAA"]).lower()
    found = answer(f"{position} r")
    assert found["pos"] == f"{position} r"
    assert found["moves"] == [
        [40, 10, "move"],
        [40, 20, "move"],
        [40, 30, "move"],
        [40, 41, "tie"],
        [40, 50, "move"],
        [40, 60, "move"],
        [40, 70, "move"],
        [40, 80, "move"],
        [40, 90, "flag"],
    ]


def test_a_bad_line_prints_nothing_at_all() -> None:
    """All lines are read before anything is printed; the number of the first bad one is said."""
    out = io.StringIO()
    with pytest.raises(BadInputError, match=r"^line 3: 99 letters"):
        print_moves(f"{POSITION} r\n{POSITION} b\n{POSITION[1:]} r\n{POSITION} r\n", out)
    with pytest.raises(BadInputError, match=r"^line 2: "):
        print_moves(f"{POSITION} r\n\n{POSITION} r\n", out)
    assert out.getvalue() == ""


def test_no_position_and_other_line_ends() -> None:
    """No input gives no output; a carriage return is no part of a position."""
    out = io.StringIO()
    print_moves("", out)
    assert out.getvalue() == ""
    assert answer(f"{POSITION} r\r") == answer(f"{POSITION} r")


@pytest.mark.parametrize(("number", "name"), list(enumerate(rule_set_names())))
def test_a_sheet_of_every_rule_set_in_every_language(
    number: int, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Board, army, limits and options are there, in the language that was asked for; what nobody verified says so."""
    for language in languages(number):
        assert main(["rules", "show", name, "--lang", language]) == 0
        text, said, rules = capsys.readouterr().out, words(language), rule_set(name)
        for rank in rules.army:
            assert said.rank(rank) in text
        limit = said.say("rules.two-square-limit", number=rules.two_square_limit)
        assert " ".join(limit.split()) in " ".join(text.split())
        assert " ".join(said[f"rules.repetition-{rules.repetition.value}"].split()) in " ".join(text.split())
        assert (said["rules.unverified"] in text) == (not rules.verified)
        for option in rules.options:
            assert f"option.{option}" in said, option
            assert f"option-reason.{option}" in said, option


def test_the_board_of_original(capsys: pytest.CaptureFixture[str]) -> None:
    """The picture, typed in."""
    assert main(["rules", "show", "original", "--lang", "en"]) == 0
    text = capsys.readouterr().out
    assert (
        "   7  B B B B B B B B B B\n   6  . . ~ ~ . . ~ ~ . .\n   5  . . ~ ~ . . ~ ~ . .\n   4  R R R R R R R R R R\n"
    ) in text


@pytest.mark.parametrize("name", rule_set_names())
def test_every_square_of_a_zone_is_in_the_picture(name: str) -> None:
    """No square hides another, on whatever board."""
    rules = rule_set(name)
    marks = zone_marks(rules, {seat: "RBGY"[number] for number, seat in enumerate(rules.seats)})
    picture = "".join(line for line in board_picture(rules, marks) if not line.strip().startswith("a b"))
    for number, seat in enumerate(rules.seats):
        assert picture.count("RBGY"[number]) == len(rules.zone(seat))
    assert picture.count("~") == len(rules.board.lakes)


def test_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    """Every rule set is listed; as JSON it is one document."""
    assert main(["rules", "list", "--lang", "nl"]) == 0
    text = capsys.readouterr().out
    assert all(name in text for name in rule_set_names())
    assert main(["rules", "list", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [entry["name"] for entry in document] == list(rule_set_names())
    assert document[0]["army"]["scout"] == {"count": 8, "number": 2}


def test_a_sheet_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    """The sheet's figures as one document."""
    assert main(["rules", "show", "vintage", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["two_square_limit"], document["repetition"]) == (5, "none")
    assert (document["board"]["columns"], len(document["board"]["squares"])) == (10, 92)
    assert document["options"]["two_square_limit"]["value"] == 5


@pytest.mark.parametrize("name", ["chess", "missing.toml", "/"])
def test_unknown_rule_sets_are_exit_2(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """No such rule set or file: one line on stderr, nothing on stdout."""
    assert main(["rules", "show", name]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("hallmarshal: ")
    assert err.count("\n") == 1
