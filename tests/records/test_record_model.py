"""Records as values: their own shape, their reprs, and which rules and options they name."""

from __future__ import annotations

import pytest

from referee.journal.errors import RecordError, listed
from referee.journal.records.model import (
    Correction,
    CorrectionKind,
    Decision,
    GiveUp,
    Ply,
    Record,
    SetUp,
    View,
    former_options,
    options_of,
    rules_of,
    squares_of,
)
from referee.rules import CombatResult, EndReason, Fire, GameResult, Infiltrate, Move, Pass, rule_set, rule_set_names
from referee.rules.values import BySeat, Rank, Seat, Square
from referee.table.chain import option_text
from referee.table.event_actions import action_text, plain

RED, BLUE = Seat.RED, Seat.BLUE
A4, A5, B5 = (Square(name) for name in ("a4", "a5", "b5"))
SET_UPS = BySeat({RED: SetUp({A4: Rank.SPY}), BLUE: SetUp({A5: None})})


@pytest.mark.parametrize(
    ("text", "one_line"),
    [
        ("  a \t b\n\nc ", "a b c"),
        ("a\x00b\x7fc\ud800d\u2028e", "a b c d e"),
        ("é\u200d!", "é\u200d!"),
        ("a" * 201, "a" * 200),
        ("a" * 199 + " b", "a" * 199),
    ],
)
def test_a_text_in_one_line(text: str, one_line: str) -> None:
    """White space and control characters become one space; 200 characters stay, without white space at the end."""
    assert plain(text) == one_line


def test_only_a_seats_view_has_a_seat() -> None:
    """The others are of nobody who plays."""
    assert {view.value: view.seat for view in View} == {
        "referee": None,
        **{seat.value: seat for seat in Seat},
        "public": None,
        "archive": None,
    }


def test_a_set_up_is_a_value_in_the_boards_order() -> None:
    """By row, then column, the castle's squares last; equal ones have one hash, others another."""
    names = ["a1", "c1", "b2", "a10", "ring", "turret"]
    set_up = SetUp({Square(name): Rank.SPY for name in reversed(names)})
    assert [square.name for square in set_up] == names
    assert hash(set_up) == hash(SetUp(dict(set_up)))
    assert len({hash(one) for one in (set_up, SetUp(), SetUp({A4: None}), SetUp({A4: Rank.SPY}))}) == 4
    assert SetUp({A4: Rank.SPY, A5: None}).known == {A4: Rank.SPY}
    assert (len(set_up), len(SetUp())) == (6, 0)


ACTIONS = [
    (Move(A4, A5), "a4-a5", "a4xa5", {A4, A5}),
    (Move(A4, B5, (A5,)), "a4-a5-b5", "a4-a5xb5", {A4, A5, B5}),
    (Infiltrate(A4, A5, Rank.MINER), "a4*a5=miner", "a4*a5=miner", {A4, A5}),
    (Infiltrate(A4, B5, Rank.MINER, (A5,)), "a4-a5*b5=miner", "a4-a5*b5=miner", {A4, A5, B5}),
    (Fire(A4, B5), "a4!b5", "a4!b5", {A4, B5}),
    (Pass(), "pass", "pass", set()),
]


@pytest.mark.parametrize(("action", "quiet", "attack", "squares"), ACTIONS)
def test_actions_as_text(
    action: Move | Infiltrate | Fire | Pass, quiet: str, attack: str, squares: set[Square]
) -> None:
    """As in docs/reference/record-format.md; every square that is named counts."""
    assert (action_text(action, attack=False), action_text(action, attack=True)) == (quiet, attack)
    assert squares_of(action) == squares


def test_reprs_say_what_a_record_is() -> None:
    """Rules, view, how long, how it ended; of a ply who did what. No rank that was not spoken aloud."""
    attack = Ply(RED, Move(A4, A5), CombatResult.DEFENDER_WINS, Rank.SPY, Rank.MINER)
    record = Record("duel", SET_UPS, (attack,), view=View.PUBLIC)
    assert repr(record) == "Record(duel, public view, 1 plies, unfinished)"
    assert repr(Record("duel", result=GameResult(RED, EndReason.FLAG))) == "Record(duel, referee view, 0 plies, flag)"
    assert repr(attack) == "Ply(red a4xa5)"
    assert repr(Ply(BLUE, Move(A4, A5))) == "Ply(blue a4-a5)"
    assert repr(record.set_ups[RED]) == "SetUp(1 pieces)"


ONE_LINE = " must be one line of at most 200 characters, without white space around it"
MISSHAPED = [
    (Record, {"rules": ""}, f"rules{ONE_LINE}"),
    (Record, {"date": " today"}, f"date{ONE_LINE}"),
    (Record, {"event": "a\nb"}, f"event{ONE_LINE}"),
    (Record, {"round": "1 "}, f"round{ONE_LINE}"),
    (Record, {"table": "x" * 201}, f"table{ONE_LINE}"),
    (Record, {"game": ""}, f"game{ONE_LINE}"),
    (Record, {"roots": BySeat({RED: " "})}, f"the root of red{ONE_LINE}"),
    (Record, {"seeds": BySeat({RED: " "})}, f"the seed of red{ONE_LINE}"),
    (Record, {"names": BySeat({BLUE: "a\nb"})}, f"the name of blue{ONE_LINE}"),
    (Record, {"options": {"mood": ""}}, f"option mood{ONE_LINE}"),
    (Record, {"options": {"a\nb": "c"}}, f"the name of option 'a\\nb'{ONE_LINE}"),
    (
        Record,
        {
            "corrections": (
                Correction(CorrectionKind.RULING, 1),
                Correction(CorrectionKind.RULING, 1, reason="a  b"),
            )
        },
        f"reason 2 of the corrections{ONE_LINE}",
    ),
    (Record, {"plies": (Ply(RED, Pass()),)}, "there are plies but no set-up"),
    (Record, {"before": (Decision(RED, GiveUp()),)}, "there are plies but no set-up"),
    (Record, {"set_ups": SET_UPS, "plies": (Ply(RED, Pass()),) * 20_001}, "20001 plies are more than 20,000"),
    (Record, {"set_ups": SET_UPS, "consent": frozenset({Seat.GREEN})}, "a seat consents that did not set up"),
    (Record, {"event": "", "date": ""}, f"date{ONE_LINE}; event{ONE_LINE}"),
]


@pytest.mark.parametrize(("kind", "said", "fault"), MISSHAPED)
def test_what_cannot_be_written_is_no_record(kind: type[Record], said: dict[str, object], fault: str) -> None:
    """Text that breaks its line, plies from nowhere, too much of them: each fault names what it is about."""
    with pytest.raises(RecordError) as caught:
        kind(**{"rules": "duel", **said})  # type: ignore[arg-type]  # one field of any kind
    assert str(caught.value) == fault


def test_the_largest_record_is_one() -> None:
    """20,000 plies, 200 characters; who consents before anybody set up is nobody's fault."""
    longest = Record("x" * 200, SET_UPS, (Ply(RED, Pass()),) * 20_000, consent=frozenset({RED, BLUE}))
    assert longest.seats == (RED, BLUE)
    assert Record("duel", consent=frozenset({RED})).seats == ()


def test_many_faults_are_cut() -> None:
    """Ten are told, and how many more there are."""
    assert listed([str(number) for number in range(10)]) == "0; 1; 2; 3; 4; 5; 6; 7; 8; 9"
    assert listed([str(number) for number in range(12)]) == "0; 1; 2; 3; 4; 5; 6; 7; 8; 9; and 2 more"


@pytest.mark.parametrize("reason", EndReason)
def test_the_word_of_a_winner(reason: EndReason) -> None:
    """A seat's, `draw`, or none where the game was broken off, goes on, or both lose."""
    assert GameResult(RED, reason).winner_word == "red"
    nobody = reason.value in ("aborted", "unfinished", "both-lose")
    assert GameResult(None, reason).winner_word == (None if nobody else "draw")


# ---- rules and options


@pytest.mark.parametrize("name", rule_set_names())
def test_a_record_names_the_options_that_it_was_played_by(name: str) -> None:
    """Every choice of every option comes back from its text; the default is not named."""
    rules = rule_set(name)
    for option, each in rules.options.items():
        for choice in each.choices:
            chosen = rules.with_options({option: choice})
            options = options_of(chosen)
            assert options == ({} if choice == each.value else {option: option_text(choice)})
            assert rules_of(Record(name, options=options)).options[option].value == choice
            assert rules_of(Record(name, options=options), rules).options[option].value == choice
    assert rules_of(Record(name)).options == rules.options


def test_options_as_text() -> None:
    """As a record writes them; of another day the former ones, of house rules none."""
    assert [option_text(value) for value in (True, False, 3, "forfeit")] == ["true", "false", "3", "forfeit"]
    assert former_options("duel")["spy_against_spy"] == "both-lost"
    assert former_options("our-house") == {}


def test_what_rules_a_record_is_judged_by() -> None:
    """House rules as they are; the named ones instead of the record's, with those of its options that they have."""
    duel, original = rule_set("duel"), rule_set("original")
    house = duel.with_options({"two_square_limit": 5})
    assert rules_of(Record("original"), house) is house
    record = Record("duel", options={"two_square_limit": "5", "colour": "red"})
    assert rules_of(record, original).name == "original"
    assert rules_of(record, original).options["two_square_limit"].value == 5
    for options in ({"colour": "red"}, {"two_square_limit": "4"}, {"chase_rule": "maybe"}):
        with pytest.raises(RecordError):
            rules_of(Record("duel", options=options))
    assert rules_of(Record("duel", options={"chase_rule": "false"})).options["repetition"].value == "none"
    with pytest.raises(RecordError, match="no rule set 'chess'"):
        rules_of(Record("chess"))
