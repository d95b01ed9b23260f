"""Our own text: text -> value -> text for everything a record can hold, and one clear fault with its line for all else."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.journal.errors import RecordError, RecordFormatError
from referee.journal.records.formats import read_record
from referee.journal.records.model import Decision, GiveUp, Ply, Record, SetUp, View, plain
from referee.journal.records.own_text import read_own, write_own
from referee.rules import (
    CombatResult,
    EndReason,
    Fire,
    GameResult,
    Infiltrate,
    Move,
    MoveSlider,
    Pass,
    Recruit,
    TakeFlags,
)
from referee.rules.values import BySeat, PieceId, Rank, Seat, Square
from referee.table.views import Mode, Reveal
from tests.amount import tries

GAME = """hallmarshal record 2

[game]
view = referee
rules = infiltrator
option.line_must_be_clear = true
mode = enrol
reveal = attacker-only
date = 2025-11-21
event = A hall, somewhere
round = 3
player.red = Zoë O'Neill = "Z"
player.blue = Бран
consent = red

[set-up red]
a1 flag
b1 ?
d4 infiltrator

[set-up blue]
d7 scout
j10 flag

[plies]
1 red d4-d5
2 blue d7xd5 scout infiltrator attacker-wins
3 red b1-b2-c2
4 blue d5*b1=miner wrong-guess
5 red a1!d1 cannon ? both-lost
6 blue pass
7 red c2-c3 leaving red,blue
  red takes blue on c3
  red takes nothing on c3
  blue slider up
  blue slider stay
  blue recruits #1 on g12
  blue recruits nobody
  red gives up
8 blue d5-d4xc4 ? spy defender-wins

[result]
winner = blue
reason = resign
"""

squares = st.sampled_from(
    [Square(f"{column}{row}") for column in "abcm" for row in (1, 2, 13)] + [Square("ring"), Square("turret")]
)
seats = st.sampled_from(Seat)
ranks = st.none() | st.sampled_from(Rank)
lines = st.text(max_size=40).map(plain).filter(bool)
flags = st.lists(seats, max_size=3).map(tuple)
vias = st.lists(squares, max_size=2).map(tuple)
moves = st.builds(Move, squares, squares, vias, flags)
decisions = st.builds(
    lambda seat, square, taken, number: Decision(
        seat, TakeFlags(square, taken) if number is None else Recruit(PieceId(seat, number)), square
    ),
    seats,
    squares,
    flags,
    st.none() | st.integers(0, 39),
) | st.builds(Decision, seats, st.sampled_from((GiveUp(), Recruit(None), MoveSlider(True), MoveSlider(False))))
decided = st.lists(decisions, max_size=2).map(tuple)
plies = (
    st.builds(Ply, seats, moves | st.just(Pass()), decisions=decided)
    | st.builds(
        Ply,
        seats,
        moves | st.builds(Fire, squares, squares),
        st.sampled_from(CombatResult),
        ranks,
        ranks,
        decided,
    )
    | st.builds(
        Ply,
        seats,
        st.builds(Infiltrate, squares, squares, st.sampled_from(Rank), vias),
        st.sampled_from(CombatResult),
        decisions=decided,
    )
)
set_ups = st.dictionaries(squares, ranks, max_size=6).map(SetUp)
records = st.builds(
    Record,
    rules=lines,
    set_ups=st.dictionaries(seats, set_ups, min_size=4, max_size=4).map(BySeat),
    before=decided,
    plies=st.lists(plies, max_size=6).map(tuple),
    result=st.none() | st.builds(GameResult, st.none() | seats, st.sampled_from(EndReason)),
    view=st.sampled_from(View),
    mode=st.sampled_from(Mode),
    reveal=st.sampled_from(Reveal),
    names=st.dictionaries(seats, lines).map(BySeat),
    consent=st.frozensets(seats),
    date=st.none() | lines,
    event=st.none() | lines,
    round=st.none() | lines,
    table=st.none() | lines,
    options=st.dictionaries(st.from_regex(r"[a-z_]{1,9}", fullmatch=True), lines, max_size=2),
    any_army=st.booleans(),
)


def test_the_example_reads_and_writes_back() -> None:
    """The example text comes back letter by letter, and its values are what it says."""
    record = read_own(GAME)
    assert write_own(record) == GAME
    assert record.names[Seat.BLUE] == "Бран"
    assert record.options == {"line_must_be_clear": "true"}
    assert record.set_ups[Seat.RED][Square("b1")] is None
    assert record.plies[2].action == Move(Square("b1"), Square("c2"), (Square("b2"),))
    assert record.plies[3].action == Infiltrate(Square("d5"), Square("b1"), Rank.MINER)
    said = [(decision.choice, decision.square) for decision in record.plies[6].decisions[2:6]]
    back = (Recruit(PieceId(Seat.BLUE, 1)), Square("g12"))
    assert said == [(MoveSlider(True), None), (MoveSlider(False), None), back, (Recruit(None), None)]
    assert record.result == GameResult(Seat.BLUE, EndReason.RESIGN)


@settings(max_examples=tries(100), deadline=None)
@given(records)
def test_every_record_survives_the_text(record: Record) -> None:
    """Value -> text -> value for anything a record can hold, and the text is stable."""
    text = write_own(record)
    assert read_record(text.encode()) == record
    assert write_own(read_own(text)) == text


def test_windows_line_ends_comments_and_blank_lines_are_read() -> None:
    """Line ends of another system, comments and blank lines change nothing."""
    text = GAME.replace("[plies]", "# what was played\n\n[plies]").replace("\n", "\r\n")
    assert read_record(b"\xef\xbb\xbf" + text.encode()) == read_own(GAME)


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("record 2", "record 3", "line 1: version 3 is newer than 2"),
        ("record 2", "record " + "9" * 5_000, "line 1: 'hallmarshal record 2' must stand here"),
        ("[plies]\n", "[plies]\n" + "  red gives up\n" * 500_000, "line 126: more than 100 decisions in a row"),
        ("record 2", "record 0", "line 1: there is no version 0"),
        ("record 2", "record", "line 1: 'hallmarshal record 2' must stand here"),
        ("[result]", "[verdict]", r"line 42: \[verdict\] is no section of a record"),
        ("[result]", "[game]", r"line 42: \[game\] stands here a second time"),
        ("\n[plies]", "", "line 25: 'square rank' must stand here"),
        ("mode = enrol", "mood = enrol", "line 7: 'mood' is no key of"),
        ("mode = enrol", "mode = whisper", "line 7: no mode has this name"),
        ("mode = enrol", "mode = enrol\nmode = enrol", "line 8: 'mode' stands here a second time"),
        ("mode = enrol", "mode", "line 7: 'key = value' must stand here"),
        ("rules = infiltrator\n", "", "'rules' is missing"),
        ("a1 flag", "a1 king", "line 17: no rank has this name"),
        ("b1 ?", "a1 ?", "line 18: a1 stands here a second time"),
        ("2 blue d7xd5", "3 blue d7xd5", "line 27: ply 2 must stand here"),
        ("1 red d4-d5", "1 purple d4-d5", "line 26: no seat has this name"),
        ("1 red d4-d5", "1 red D4-D5", "line 26: the action is none of"),
        ("1 red d4-d5", "1 red d4-d5 scout", "line 26: nothing may follow a move"),
        ("1 red d4-d5", "1 red", "line 26: 'number seat action' must stand here"),
        ("1 red d4-d5", "  red waves", "line 26: 'takes FLAGS on SQUARE'"),
        ("scout infiltrator attacker-wins", "scout attacker-wins", "line 27: both ranks"),
        ("attacker-wins", "glory", "line 27: no verdict has this name"),
        ("wrong-guess", "", "line 29: the verdict must follow"),
        ("leaving red,blue", "leaving", "line 32: 'leaving' stands after"),
        ("takes nothing on c3", "takes nothing", "line 34: 'takes FLAGS on SQUARE'"),
        ("recruits #1", "recruits miner", "line 37: a decision is"),
        ("winner = blue", "winner = none", "line 43: winner none does not go with the reason resign"),
        ("reason = resign", "reason = tired", "line 44: no reason has this name"),
        ("consent = red", "consent = green", "line 3: a seat consents that did not set up"),
        ("hallmarshal record 2", "hallmarshal record 2\nstray", "line 2: a .section. must stand before this"),
    ],
)
def test_faults_are_named_with_their_line(old: str, new: str, fault: str) -> None:
    """Anything that the format does not have is an error that names its line."""
    assert old in GAME
    with pytest.raises(RecordFormatError, match=fault):
        read_own(GAME.replace(old, new, 1))


def test_the_first_version_is_read_with_the_options_of_its_day() -> None:
    """What version 1 took for granted is named now, unless its text names it; house rules have nothing of that."""
    first = GAME.replace("record 2", "record 1").replace(
        "rules = infiltrator\noption.line_must_be_clear = true", "rules = duel"
    )
    assert read_own(first).options["spy_against_spy"] == "both-lost"
    named = first.replace("rules = duel", "rules = duel\noption.spy_against_spy = attacker-wins")
    assert read_own(named).options["spy_against_spy"] == "attacker-wins"
    assert read_own(write_own(read_own(first))) == read_own(first)
    assert read_own(first.replace("= duel", "= our-duel")).options == {}
    assert read_own(first.replace("record 1", "record 2")).options == {}


def test_a_fault_repeats_no_rank() -> None:
    """A fault names a place, never the text there: it could be a rank."""
    for old, new in (("a1 flag", "a1 marshall"), ("scout infiltrator", "scout marshall")):
        with pytest.raises(RecordFormatError) as caught:
            read_own(GAME.replace(old, new))
        assert "marshal" not in str(caught.value)


def test_no_repr_shows_a_rank() -> None:
    """Neither a record nor its parts show a rank in their repr."""
    record = read_own(GAME.replace("*b1=miner", "*b1=flag"))
    shown = repr(record) + repr(record.set_ups) + repr(record.plies[1]) + repr(replace(record.plies[4]))
    for rank in set(Rank) - {Rank.INFILTRATOR}:  # which is the name of this rule set
        assert rank.value not in shown


def test_records_refuse_text_that_breaks_the_lines() -> None:
    """A name with a line break, or plies without a set-up, make no record."""
    with pytest.raises(RecordError, match="the name of red"):
        Record("original", names=BySeat({Seat.RED: "a\nb"}))
    with pytest.raises(RecordError, match="plies but no set-up"):
        Record("original", plies=(Ply(Seat.RED, Pass()),))
    assert plain("  a\tb\x00\u2028c  ") == "a b c"
