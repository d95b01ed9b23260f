"""Our own text: text -> value -> text for everything a record can hold, and one clear fault with its line for all else."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.journal.errors import RecordError, RecordFormatError
from referee.journal.records.formats import read_record
from referee.journal.records.model import Correction, CorrectionKind, Decision, GiveUp, Ply, Record, SetUp, View
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
from referee.table.event_actions import plain
from referee.table.views import Mode, Reveal
from tests.amount import tries

GAME = """hallmarshal record 3

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
corrections = st.builds(
    Correction,
    st.sampled_from(CorrectionKind),
    st.integers(0, 999_999),
    st.none() | seats,
    st.none() | st.sampled_from(("arbiter", "agreed", "60000", "both-lose")),
    st.none() | lines,
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
    corrections=st.lists(corrections, max_size=2).map(tuple),
    game=st.none() | lines,
    roots=st.dictionaries(seats, lines).map(BySeat),
    seeds=st.dictionaries(seats, lines).map(BySeat),
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
    text = GAME.replace("[plies]", "# what was played\n\n[plies] ").replace("\n", "\r\n")
    assert read_record(b"\xef\xbb\xbf" + text.encode()) == read_own(GAME)


A_DECISION = (
    ": 'takes FLAGS on SQUARE', 'recruits #NUMBER on SQUARE', 'recruits nobody', 'slider up', 'slider stay' or 'gives up' "
    "must follow the seat"
)
FAULTS = [
    ("record 3", "record 4", "line 1: version 4 is newer than 3, the newest known here"),
    ("record 3", "record " + "9" * 5_000, "line 1: 'hallmarshal record 3' must stand here"),
    ("record 3", "record 000000003", "line 1: 'hallmarshal record 3' must stand here"),
    ("record 3", "record \uff13", "line 1: 'hallmarshal record 3' must stand here"),
    ("record 3", "record 0", "line 1: there is no version 0"),
    ("record 3", "record", "line 1: 'hallmarshal record 3' must stand here"),
    ("hallmarshal", "Hallmarshal", "line 1: 'hallmarshal record 3' must stand here"),
    ("hallmarshal record 3", "hallmarshal record 3\nstray", "line 2: a [section] must stand before this"),
    ("[game]", "# [game]", "line 4: a [section] must stand before this"),
    ("[game]\n", "[set-up green]\n", "[game] is missing"),
    ("[result]", "[verdict]", "line 42: [verdict] is no section of a record"),
    ("[result]", "[game]", "line 42: [game] stands here a second time"),
    ("[set-up red]", "[set-up purple]", "line 16: [set-up purple] is no section of a record"),
    ("\n[plies]", "", "line 25: 'square rank' must stand here"),
    ("view = referee", "view = everybody", "line 4: no view has this name"),
    ("mode = enrol", "mood = enrol", "line 7: 'mood' is no key of [game]"),
    ("mode = enrol", "mode = whisper", "line 7: no mode has this name"),
    ("mode = enrol", "mode = enrol\nmode = enrol", "line 8: 'mode' stands here a second time"),
    ("mode = enrol", "mode", "line 7: 'key = value' must stand here"),
    ("mode = enrol", "mode =", "line 7: 'key = value' must stand here"),
    ("mode = enrol", "= enrol", "line 7: 'key = value' must stand here"),
    ("mode = enrol", "army = some", "line 7: army can only be 'any'"),
    ("reveal = attacker-only", "reveal = never", "line 8: no reveal has this name"),
    ("rules = infiltrator\n", "", "'rules' is missing in [game]"),
    ("player.red", "player.purple", "line 12: no seat has this name"),
    ("player.red", "root.purple", "line 12: no seat has this name"),
    ("player.red", "seed.purple", "line 12: no seat has this name"),
    ("consent = red", "consent = red, purple", "line 14: no seat has this name"),
    ("consent = red", "consent = green", "line 3: a seat consents that did not set up"),
    (
        "event = A",
        "event = " + "A" * 200,
        "line 3: event must be one line of at most 200 characters, without white space around it",
    ),
    ("a1 flag", "a1 king", "line 17: no rank has this name"),
    ("a1 flag", "a1 flag red", "line 17: 'square rank' must stand here"),
    ("b1 ?", "a1 ?", "line 18: a1 stands here a second time"),
    ("2 blue d7xd5", "3 blue d7xd5", "line 27: ply 2 must stand here"),
    ("1 red d4-d5", "1 purple d4-d5", "line 26: no seat has this name"),
    ("1 red d4-d5", "1 red D4-D5", "line 26: the action is none of d4-d5, d4xd5, d7*d9=rank, d4!d7 and pass"),
    ("1 red d4-d5", "1 red d4-d5 scout", "line 26: nothing may follow a move that is no attack"),
    ("1 red d4-d5", "1 red", "line 26: 'number seat action' must stand here"),
    (
        "1 red d4-d5",
        "  red waves",
        "line 26" + A_DECISION,
    ),
    ("1 red d4-d5", "  purple gives up", "line 26: no seat has this name"),
    (
        "scout infiltrator attacker-wins",
        "scout attacker-wins",
        "line 27: both ranks (or ?) and the verdict must follow an attack",
    ),
    ("scout infiltrator attacker-wins", "scout king attacker-wins", "line 27: no rank has this name"),
    ("scout infiltrator attacker-wins", "king scout attacker-wins", "line 27: no rank has this name"),
    ("attacker-wins", "glory", "line 27: no verdict has this name"),
    ("=miner wrong-guess", "=king wrong-guess", "line 29: no rank has this name"),
    ("wrong-guess", "", "line 29: the verdict must follow"),
    ("leaving red,blue", "leaving", "line 32: 'leaving' stands after a move and before the flags' seats"),
    ("leaving red,blue", "leaving red blue", "line 32: 'leaving' stands after a move and before the flags' seats"),
    ("leaving red,blue", "leaving red,purple", "line 32: no seat has this name"),
    ("6 blue pass", "6 blue pass leaving red", "line 31: 'leaving' stands after a move and before the flags' seats"),
    ("takes blue on c3", "takes purple on c3", "line 33: no seat has this name"),
    (
        "takes nothing on c3",
        "takes nothing",
        "line 34" + A_DECISION,
    ),
    (
        "takes nothing on c3",
        "takes nothing at c3",
        "line 34" + A_DECISION,
    ),
    (
        "takes nothing on c3",
        "takes nothing on 3c",
        "line 34" + A_DECISION,
    ),
    ("recruits #1", "recruits miner", "line 37: a decision is 'takes', 'recruits' or 'gives up'"),
    ("recruits #1", "recruits #12345", "line 37: a decision is 'takes', 'recruits' or 'gives up'"),
    ("recruits #1 on", "misses #1 on", "line 37: a decision is 'takes', 'recruits' or 'gives up'"),
    (
        "[result]",
        "[corrections]\n12 penalty red a b\n[result]",
        "line 43: after ply, word and seat only one more word can stand here",
    ),
    (
        "[result]",
        "[corrections]\n12 penalty =\n[result]",
        "line 43: after ply, word and seat only one more word can stand here",
    ),
    (
        "[result]",
        "[corrections]\n1234567 penalty\n[result]",
        "line 43: after ply, word and seat only one more word can stand here",
    ),
    ("[result]", "[corrections]\n12\n[result]", "line 43: 'ply word' must stand here, as in '12 taken-back agreed'"),
    (
        "[result]",
        "[corrections]\n12 party\n[result]",
        "line 43: 'ply word' must stand here, as in '12 taken-back agreed'",
    ),
    (
        "[result]",
        "[corrections]\n\uff11 penalty\n[result]",
        "line 43: 'ply word' must stand here, as in '12 taken-back agreed'",
    ),
    (
        "[result]",
        "[corrections]\nx penalty\n[result]",
        "line 43: 'ply word' must stand here, as in '12 taken-back agreed'",
    ),
    ("winner = blue", "winner = none", "line 43: winner none does not go with the reason resign"),
    ("winner = blue\n", "", "line 42: winner none does not go with the reason resign"),
    ("winner = blue", "winner = purple", "line 43: no seat has this name"),
    ("winner = blue", "looser = red", "line 43: 'looser' is no key of [result]"),
    ("reason = resign", "reason = tired", "line 44: no reason has this name"),
    ("[plies]\n", "[plies]\n" + "  red gives up\n" * 101, "line 126: more than 100 decisions in a row"),
]


@pytest.mark.parametrize(("old", "new", "fault"), FAULTS)
def test_faults_are_named_with_their_line(old: str, new: str, fault: str) -> None:
    """Anything that the format does not have is an error that names its line."""
    assert old in GAME
    with pytest.raises(RecordFormatError) as caught:
        read_own(GAME.replace(old, new, 1))
    assert str(caught.value) == fault


def test_the_most_decisions_in_a_row_are_read() -> None:
    """A hundred between two plies, and again after the next one."""
    many = "  red gives up\n" * 100
    record = read_own(GAME.replace("[plies]\n", "[plies]\n" + many).replace("6 blue pass\n", "6 blue pass\n" + many))
    assert (len(record.before), len(record.plies[5].decisions)) == (100, 100)


def test_what_a_text_leaves_out_has_its_default() -> None:
    """The referee's view, ranks declared, survivors shown by the book, and nothing else."""
    record = read_own("hallmarshal record  2 \r\n[game]\r\nrules = duel\r\n[plies]\n")
    assert record == Record("duel")
    assert (record.view, record.mode, record.reveal) == (View.REFEREE, Mode.DECLARE, Reveal.BOOK)
    assert (
        write_own(record)
        == "hallmarshal record 3\n\n[game]\nview = referee\nrules = duel\nmode = declare\nreveal = book\n\n[plies]\n"
    )
    ended = read_own("hallmarshal record 3\n[game]\nrules = duel\narmy = any\n[plies]\n[result]\n")
    assert (ended.result, ended.any_army) == (GameResult(None, EndReason.UNFINISHED), True)


CORRECTED = """
[corrections]
12 taken-back agreed
13 voided red arbiter = the wrong rank was tapped
13 clock blue 300000 = the board was disturbed
14 penalty red = a phone rang
14 ruling = touched is moved = moved
999999 ended both-lose
"""


def test_corrections_are_read_and_written_back() -> None:
    """The lines of docs/reference/record-format.md and their values."""
    text = GAME.replace("\n[result]", CORRECTED + "\n[result]")
    kinds = CorrectionKind
    record = read_own(text)
    assert record.corrections == (
        Correction(kinds.TAKEN_BACK, 12, word="agreed"),
        Correction(kinds.VOIDED, 13, Seat.RED, "arbiter", "the wrong rank was tapped"),
        Correction(kinds.CLOCK, 13, Seat.BLUE, "300000", "the board was disturbed"),
        Correction(kinds.PENALTY, 14, Seat.RED, reason="a phone rang"),
        Correction(kinds.RULING, 14, reason="touched is moved = moved"),
        Correction(kinds.ENDED, 999_999, word="both-lose"),
    )
    assert write_own(record) == text


def test_the_first_version_is_read_with_the_options_of_its_day() -> None:
    """What version 1 took for granted is named now, unless its text names it; house rules have nothing of that."""
    first = GAME.replace("record 3", "record 1").replace(
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
