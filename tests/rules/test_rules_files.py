"""Rule files: what is shipped, house rules of a user's, and every fault of a bad file at once."""

from __future__ import annotations

import random
import re
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import referee.rules
from referee.rules import CombatResult, Gait, load_rule_set, rule_set, rule_set_names
from referee.rules.board_file import board_from
from referee.rules.library import board_named
from referee.rules.outcomes import FileFault, RuleFileError
from referee.rules.rule_file import rule_set_from
from referee.rules.ruleset import Repetition, by_every_name
from referee.rules.values import Rank, Seat
from tests.rules.told_files import GOLDEN, NAMES, lines, spoilt

ARMIES = {
    "original": (40, "10x10", 3, "pursuit"),
    "duel": (10, "10x10", 3, "pursuit"),
    "barrage": (8, "10x10", 3, "pursuit"),
    "classic": (30, "10x8", 3, "pursuit"),
    "duel-compact": (10, "10x8", 3, "pursuit"),
    "infiltrator": (40, "10x10", 3, "pursuit"),
    "vintage": (40, "10x10", 5, "none"),
    "stratego4": (20, "castle-four", 5, "none"),
    "stratego4-three": (20, "castle-three", 5, "none"),
    "stratego4-teams": (20, "castle-four", 5, "none"),
}


@pytest.mark.parametrize("name", rule_set_names())
def test_armies_boards_and_limits(name: str) -> None:
    """The sums, boards and limits of the table in section 1."""
    rules = rule_set(name)
    assert (sum(rules.army.values()), rules.board.name, rules.two_square_limit, rules.repetition.value) == ARMIES[name]


def test_counts_of_each_army() -> None:
    """Flag, bombs and ten numbers of every rule set for two, as the table says."""
    order = ["flag", "bomb", "marshal", "general", "colonel", "major", "captain"]
    order += ["lieutenant", "sergeant", "miner", "scout", "spy"]
    rows = {
        "original": [1, 6, 1, 1, 2, 3, 4, 4, 4, 5, 8, 1],
        "vintage": [1, 6, 1, 1, 2, 3, 4, 4, 4, 5, 8, 1],
        "infiltrator": [1, 6, 1, 1, 2, 3, 4, 4, 4, 5, 7, 1],
        "classic": [1, 5, 1, 1, 2, 3, 3, 2, 2, 4, 5, 1],
        "duel": [1, 2, 1, 1, 0, 0, 0, 0, 0, 2, 2, 1],
        "duel-compact": [1, 2, 1, 1, 0, 0, 0, 0, 0, 2, 2, 1],
        "barrage": [1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 2, 1],
    }
    for name, row in rows.items():
        assert [rule_set(name).army.get(Rank(rank), 0) for rank in order] == row
    assert rule_set("infiltrator").army[Rank.INFILTRATOR] == 1
    castle = ["marshal", "general", "colonel", "major", "captain", "lieutenant", "sergeant", "scout", "spy", "cannon"]
    assert [rule_set("stratego4").army[Rank(rank)] for rank in castle] == [1, 1, 2, 2, 3, 3, 3, 3, 1, 1]


def test_numbers_on_the_pieces() -> None:
    """A miner is 3 and a scout 2 in Original; in Stratego 4 a scout is 3, a spy 2, a cannon 1; bombs have none."""
    original, castle = rule_set("original"), rule_set("stratego4")
    assert [original.number(rank) for rank in (Rank.MARSHAL, Rank.MINER, Rank.SCOUT, Rank.SPY)] == [10, 3, 2, 1]
    assert original.number(Rank.BOMB) is original.number(Rank.FLAG) is None
    assert rule_set("infiltrator").number(Rank.INFILTRATOR) is None
    assert [castle.number(rank) for rank in (Rank.MARSHAL, Rank.SCOUT, Rank.SPY, Rank.CANNON)] == [10, 3, 2, 1]


@pytest.mark.parametrize("name", rule_set_names())
def test_every_option_has_its_default_among_its_choices_and_a_reason(name: str) -> None:
    """Decisions stand in data with the reason beside them."""
    for option in rule_set(name).options.values():
        assert option.value in option.choices
        assert len(option.reason) > 20


def test_options_can_be_changed() -> None:
    """A changed rule set is another one; wrong names and values are all named."""
    original = rule_set("original")
    changed = original.with_options({"two_square_limit": 5, "repetition": "none"})
    assert (changed.two_square_limit, changed.repetition) == (5, Repetition.NONE)
    assert (original.two_square_limit, original.repetition) == (3, Repetition.PURSUIT)
    with pytest.raises(RuleFileError) as error:
        original.with_options({"two_square_limit": True, "repetition": True, "speed": 3})
    assert [fault.place for fault in error.value.faults] == [
        "options.two_square_limit",
        "options.repetition",
        "options.speed",
    ]


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """Return where a house rule file may lie."""
    return tmp_path / "house.toml"


def test_house_rules_change_what_they_name(house: Path) -> None:
    """A user's file begins from a rule set and changes army, options and verdicts."""
    house.write_text(
        """
        base = "barrage"
        name = "tiny"
        source = "our kitchen table"
        [army]
        marshal = 1
        spy = 2
        flag = 1
        [combat]
        exceptions = ["any flag flag-taken", "any bomb defender-wins", "spy marshal both-lost"]
        [options]
        two_square_limit = 2
        repetition = "none"
        """,
        encoding="utf-8",
    )
    rules = load_rule_set(house)
    assert rules.name == "tiny"
    assert dict(rules.army) == {Rank.MARSHAL: 1, Rank.SPY: 2, Rank.FLAG: 1}
    assert rules.combat(Rank.SPY, Rank.MARSHAL) is CombatResult.BOTH_LOST
    assert (rules.two_square_limit, rules.repetition) == (2, Repetition.NONE)
    assert rules.board is rule_set("barrage").board
    assert rule_set("barrage").combat(Rank.SPY, Rank.MARSHAL) is CombatResult.ATTACKER_WINS


@pytest.mark.parametrize(("said", "meant"), [("true", Repetition.PURSUIT), ("false", Repetition.NONE)])
def test_a_file_may_say_chase_rule_as_it_once_did(house: Path, said: str, meant: Repetition) -> None:
    """Files from before the rule had three values are read as they were meant, changing a set or with a reason of their own."""
    start = 'base = "vintage"\nname = "ours"\n'
    house.write_text(f"{start}options.chase_rule = {said}\n", encoding="utf-8")
    assert load_rule_set(house).repetition is meant
    own = f'value = {said}\nchoices = [false, true]\nformer = true\nreason = "as we do"\n'
    house.write_text(f"{start}[options.chase_rule]\n{own}", encoding="utf-8")
    option = load_rule_set(house).options["repetition"]
    assert (option.value, option.choices, option.former) == (meant.value, ("none", "pursuit"), "pursuit")


def test_faults_of_repetition_are_named_as_the_file_names_it(house: Path) -> None:
    """A value that it never had, both names at once, and a kind of repetition that nobody knows."""
    for text, wanted in {
        "options.chase_rule = 1": "options.chase_rule: 1 is none of 'pursuit', 'pursuit-exact', 'situation', 'none'",
        'options.chase_rule = true\noptions.repetition = "none"': "options.chase_rule: is the same as repetition",
        '[options.repetition]\nvalue = "ko"\nchoices = ["ko"]\nreason = "as in go"': "options.repetition: ko: known are none, pursuit,",
    }.items():
        house.write_text(f'base = "original"\nname = "ours"\n{text}\n', encoding="utf-8")
        with pytest.raises(RuleFileError, match=re.escape(wanted)):
            load_rule_set(house)


def test_house_rules_can_stand_alone(house: Path) -> None:
    """Without a base everything is said in the file."""
    house.write_text(
        """
        name = "bare"
        board = "10x8"
        seats = ["blue", "red"]
        filled = false
        army = { general = 2, flag = 1 }
        [ranks]
        general = { number = 9, gait = "run" }
        flag = { gait = "none" }
        [combat]
        order = ["general"]
        exceptions = ["any flag flag-taken"]
        """,
        encoding="utf-8",
    )
    rules = load_rule_set(house)
    assert rules.seats == (Seat.BLUE, Seat.RED)
    assert rules.gait(Rank.GENERAL) is Gait.RUN
    assert (rules.two_square_limit, rules.repetition) == (3, Repetition.NONE)


BAD = """
base = "original"
name = "bad"
colour = "mauve"
filled = "yes"
seats = ["red", "purple"]
[army]
marshal = 2
wizard = 1
miner = -1
[ranks]
scout = { gait = "fly", wings = 2 }
[combat]
exceptions = ["spy marshal", "any bomb explodes", "dragon any both-lost"]
[options]
two_square_limit = "many"
tempo = 3
[options.new]
value = 3
choices = [1, 2]
"""


def test_every_fault_of_a_file_is_named(house: Path) -> None:
    """Unknown keys, wrong types, unknown words: all at once, each with its place; nothing is loaded."""
    house.write_text(BAD, encoding="utf-8")
    with pytest.raises(RuleFileError) as error:
        load_rule_set(house)
    places = [fault.place for fault in error.value.faults]
    assert places == [
        "seats",
        "ranks.scout.gait",
        "ranks.scout.wings",
        "army.wizard",
        "army.miner",
        "combat.exceptions[0]",
        "combat.exceptions[1]",
        "combat.exceptions[2]",
        "filled",
        "options.two_square_limit",
        "options.tempo",
        "options.new.reason",
        "options.new.value",
        "colour",
    ]
    assert "bad: seats: 'purple' is none of blue, green, red, yellow" in str(error.value)


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("army = { marshal = 40, flag = 1 }", ["army: 41 pieces must fill the 40 squares of red", "army: 41 pieces"]),
        ("army = { marshal = 39, flag = 1 }", []),
        ("army = { marshal = 40 }", ["army.flag: must be 1, is 0"]),
        ("army = { bomb = 39, flag = 1 }", ["army: has no piece that can move"]),
        ("filled = false\narmy = { spy = 1, flag = 2 }", ["army.flag: must be 1, is 2"]),
        ('seats = ["red"]', ["seats: must be two different seats or more"]),
        ('seats = ["red", "red"]', ["seats: must be two different seats or more"]),
        ('seats = ["red", "green"]', ["seats: board 10x10 has no place for green"]),
        ('board = "9x9"', ["board: no board '9x9'"]),
        ('specials = ["infiltration"]', ["specials: infiltration needs an infiltrator in the army"]),
        ('specials = ["magic"]', ["specials: 'magic' is none of castle, infiltration"]),
        ('ranks = { captain = { gait = "gun" } }', ["ranks.captain.gait: gun needs the special rules of the castle"]),
        ('combat = { order = ["spy", "spy"] }', ["combat.order: names a rank twice", "combat: no verdict where"]),
        ("options = { two_square_limit = 1 }", ["options.two_square_limit: must be 2 or more"]),
        (
            '[options.first_seat]\nvalue = "green"\nchoices = ["green"]\nreason = "she asked first"',
            ["options.first_seat: 'green' does not play"],
        ),
        ("options = { no_progress_limit = -5 }", ["options.no_progress_limit: must be 0 (off) or more"]),
    ],
)
def test_impossible_rules_are_refused(house: Path, text: str, faults: list[str]) -> None:
    """Armies that fit no zone, seats without a place, fights without a verdict."""
    house.write_text(f'base = "original"\nname = "bad"\n{text}\n', encoding="utf-8")
    if not faults:
        assert load_rule_set(house).army == {Rank.MARSHAL: 39, Rank.FLAG: 1}
        return
    with pytest.raises(RuleFileError) as error:
        load_rule_set(house)
    said = [str(fault) for fault in error.value.faults]
    for wanted in faults:
        assert any(text.startswith(wanted) for text in said), said


def test_castle_rules_need_a_castle(house: Path) -> None:
    """A board without ring and turret, a flag as a piece, chase with four, teams that leave somebody out."""
    house.write_text(
        'base = "stratego4"\nname = "bad"\nteams = ["red blue", "green"]\n'
        '[ranks]\nflag = { gait = "none" }\n'
        "[army]\nmarshal = 19\nflag = 1\n"
        '[options.repetition]\nvalue = "pursuit"\nchoices = ["pursuit"]\n'
        'reason = "we want it"\n',
        encoding="utf-8",
    )
    with pytest.raises(RuleFileError) as error:
        load_rule_set(house)
    places = [fault.place for fault in error.value.faults]
    assert places[:2] == ["teams", "army.flag"]
    assert places[-1] == "options.repetition"
    assert set(places[2:-1]) == {"combat"}  # nobody has a verdict against a flag
    house.write_text('base = "original"\nname = "bad"\nspecials = ["castle"]\n', encoding="utf-8")
    with pytest.raises(RuleFileError, match="has no castle"):
        load_rule_set(house)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"name = ", "file: not TOML: "),
        (b"\xff\xfe", "file: not a text in UTF-8"),
        (b"", "name: is missing"),
    ],
)
def test_unreadable_files_are_one_clear_fault(house: Path, content: bytes, said: str) -> None:
    """No traceback of another library comes through."""
    house.write_bytes(content)
    with pytest.raises(RuleFileError, match=said):
        load_rule_set(house)


def test_a_house_rule_set_may_not_pass_for_a_shipped_one(house: Path) -> None:
    """Its name is the fault; a board without a name is spoken of as `?`."""
    house.write_text('base = "original"\nname = "duel"\n', encoding="utf-8")
    with pytest.raises(RuleFileError) as error:
        load_rule_set(house)
    assert error.value.faults == (FileFault("name", "'duel' is a shipped rule set"),)
    with pytest.raises(RuleFileError, match=r"\?.*name: is missing"):
        board_from({})


def test_rules_begin_from_none_but_a_shipped_rule_set(house: Path) -> None:
    """The fault stands at the word that names it, and what the file says itself is judged as well."""
    house.write_text('base = "chess"\nname = "ours"\nspecials = ["magic"]\n', encoding="utf-8")
    with pytest.raises(RuleFileError) as error:
        load_rule_set(house)
    places = [fault.place for fault in error.value.faults]
    assert places[0] == "base"
    assert "specials" in places


def test_house_rules_need_a_name_of_their_own(house: Path) -> None:
    """A record that says "original" must mean Original."""
    house.write_text('base = "original"\nname = "original"\n', encoding="utf-8")
    with pytest.raises(RuleFileError, match="'original' is a shipped rule set"):
        load_rule_set(house)


def test_a_missing_file_is_one_clear_fault(tmp_path: Path) -> None:
    """The file's name and why; a directory is no file either."""
    with pytest.raises(RuleFileError, match=r"gone\.toml: file: No such file"):
        load_rule_set(tmp_path / "gone.toml")
    with pytest.raises(RuleFileError, match="directory"):
        load_rule_set(tmp_path)


def test_bad_board_files_name_every_fault() -> None:
    """Letters that mean nothing, zones off the board, tracks through nowhere, geometry that hides that it is unverified."""
    with pytest.raises(RuleFileError) as error:
        board_from(
            {"name": "x", "map": "..?\n...", "homes": {"red": {"zone": "a1 z9", "door": 1}, "pink": {"zone": ""}}}
        )
    assert [fault.place for fault in error.value.faults] == [
        "source",
        "map",
        "homes.red.zone",
        "homes.red.door",
        "homes.pink",
    ]
    said = [str(fault) for fault in error.value.faults]
    assert said[1] == "map: '?' in row 2 means nothing"
    assert said[2] == "homes.red.zone: unknown square in 'z9'"
    with pytest.raises(RuleFileError) as error:
        board_from(
            {
                "name": "x",
                "verified": True,
                "columns": 2,
                "rows": 1,
                "squares": {"one": [0, 0], "two": [1]},
                "tracks": ["one", "one three", 7],
            }
        )
    assert [fault.place for fault in error.value.faults] == ["squares.two", "tracks[0]", "tracks[1]", "tracks[2]"]
    with pytest.raises(RuleFileError) as error:
        board_from({"name": "x", "verified": True, "map": "\n".join(["." * 16] * 16)})
    assert "squares: 256 are more than 255" in [str(fault) for fault in error.value.faults]


@pytest.mark.parametrize("name", ["original", "infiltrator", "stratego4", "stratego4-teams"])
def test_spoilt_rule_files_raise_only_what_is_documented(name: str) -> None:
    """Whatever a file holds, it loads or is refused as a whole with its faults; nothing else comes out."""
    data = Path(referee.rules.__file__).parent / "data"
    table = tomllib.loads((data / f"{name}.toml").read_text(encoding="utf-8"))
    rng = random.Random(name)
    refused = 0
    for _ in range(150):
        with suppress(RuleFileError):
            rule_set_from(spoilt(table, rng), board_named, rule_set)
            refused -= 1
        refused += 1
    assert refused > 100


@pytest.mark.parametrize("name", ["10x10", "castle-four", "castle-three"])
def test_spoilt_board_files_raise_only_what_is_documented(name: str) -> None:
    """The same for boards."""
    data = Path(referee.rules.__file__).parent / "data" / "boards"
    table = tomllib.loads((data / f"{name}.toml").read_text(encoding="utf-8"))
    rng = random.Random(name)
    for _ in range(60):
        with suppress(RuleFileError):
            board_from(spoilt(table, rng))


@pytest.mark.parametrize("name", NAMES)
def test_every_file_amounts_to_what_it_did(name: str) -> None:
    """What is read of it, and every word that is said against it when it is spoilt (`told_files`)."""
    golden = [line for line in GOLDEN.read_text(encoding="utf-8").splitlines() if line.startswith(f"{name} | ")]
    assert list(lines(name)) == golden
    assert golden


@pytest.mark.parametrize(
    ("today", "before"),
    [
        ({"repetition": "pursuit"}, {"chase_rule": True}),
        ({"repetition": "none"}, {"chase_rule": False}),
        ({"repetition": "situation"}, {"chase_rule": "situation"}),
        ({"enemy_ground": "lake-rows-too"}, {"include_lake_rows": True}),
        ({"two_square_limit": 3}, {}),
    ],
)
def test_options_are_told_by_their_former_names_too(today: dict[str, Any], before: dict[str, Any]) -> None:
    """The mark of a rule set covers both, so that journals of before are known again."""
    assert by_every_name(today) == today | before
