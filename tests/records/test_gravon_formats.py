"""StraDoS2 XML, GSN and StraDoS3 positions: read tolerantly where rules say so, strictly elsewhere, written plainly."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.journal.errors import NotShownError, RecordError, RecordFormatError
from referee.journal.records.formats import read_record
from referee.journal.records.gravon import (
    LAKES,
    LETTERS,
    Position,
    index_of,
    read_field,
    read_position,
    square_at,
    write_field,
    write_gsn,
    write_strados2,
)
from referee.journal.records.model import Record, SetUp
from referee.rules import EndReason, GameResult, Move
from referee.rules.values import BySeat, Rank, Seat, Square
from tests.records.recorded_games import BLUE, RED, Recorded, corpus, own_field, own_games

CHASE = own_games()[0]


def test_both_formats_say_the_same_of_every_recorded_game() -> None:
    """XML and GSN of one game read as the same record; every fifth is also written and read again."""
    for number, game in enumerate(corpus()):
        record = read_record(game.xml())
        assert read_record(game.gsn()) == record
        assert len(record.plies) == len(game.moves)
        if number % 5 == 0:
            assert read_record(write_strados2(record).encode()) == record
            assert read_record(write_gsn(record).encode()) == record


def test_a_game_is_read_as_it_is_written() -> None:
    """Pieces, moves, names and result arrive; a published game is the referee's view, with consent."""
    record = read_record(CHASE.xml())
    assert record.rules == "barrage"
    assert not record.any_army
    assert record.set_ups[Seat.RED][Square("e4")] is Rank.MARSHAL
    assert record.set_ups[Seat.BLUE][Square("a10")] is Rank.FLAG
    assert record.plies[0].seat is Seat.RED
    assert record.plies[1].action == Move(Square("i7"), Square("i6"))
    assert record.names == {Seat.RED: "our chase", Seat.BLUE: "the other"}
    assert record.consent == {Seat.RED, Seat.BLUE}
    assert record.result == GameResult(Seat.BLUE, EndReason.FORFEIT)


@pytest.mark.parametrize("column", ["J", "K", "j", "k"])
def test_the_last_column_is_j_or_k(column: str) -> None:
    """Both letters of the tenth column are read, in either case; K is written."""
    moves = ((f"{column}4", f"{column}5"),)
    record = read_record(CHASE.xml(moves))
    assert record.plies[0].action == Move(Square("j4"), Square("j5"))
    assert 'source="K4" target="K5"' in write_strados2(record)


@pytest.mark.parametrize(
    ("kind", "rules", "any_army"),
    [
        ("classic", "original", False),
        ("duell", "duel", False),
        ("classicfree", "original", True),
        ("ultimate lightning", "original", True),
    ],
)
def test_game_types_name_rule_sets(kind: str, rules: str, any_army: bool) -> None:
    """Gravon's game types are rule sets of ours; every other is Original with any army."""
    field = own_field(RED | BLUE | {"c1": "E"})
    record = read_record(replace(CHASE, field=field).xml(kind=kind))
    assert (record.rules, record.any_army) == (rules, any_army)
    assert f'type="{"classicfree" if any_army else kind}"' in write_strados2(record)


def test_another_known_army_goes_before_the_label() -> None:
    """Eight against eight in a game that is labelled `classic` is Barrage."""
    assert read_record(CHASE.xml(kind="classic")).rules == "barrage"


def test_a_game_may_end_before_the_field_is_there() -> None:
    """No field: no set-ups, no plies, and the result stands."""
    xml = b'<stratego><game type="classic"><player id="1"/><player id="2">b</player><result type="10" winner="3"/></game></stratego>'
    gsn = b"#X38FA11 Stratego-Notation v2\ntype0\nEND\n vs b result 10 winner 2\n"
    record = read_record(xml)
    names, result = BySeat({Seat.BLUE: "b"}), GameResult(None, EndReason.ABORTED)
    assert record == Record("original", names=names, result=result, options=record.options)
    assert read_record(gsn.replace(b"\n vs", b"\na vs")).result == record.result
    assert read_record(write_strados2(record).encode()) == record


def test_names_are_escaped_and_kept() -> None:
    """A name may hold what XML needs for itself, and letters of any script."""
    record = replace(read_record(CHASE.xml()), names=BySeat({Seat.RED: '<Ø> & "x"', Seat.BLUE: "ü&amp;"}))
    assert read_record(write_strados2(record).encode()).names == record.names
    assert read_record(CHASE.gsn().replace(b"the other", b"J\xfcrgen")).names[Seat.BLUE] == "Jürgen"
    in_pieces = CHASE.xml().replace(b"our chase", b"a<b/>" * 1_000)
    assert read_record(in_pieces).names[Seat.RED] == "a" * 200


@pytest.mark.parametrize(
    ("number", "winner", "result"),
    [
        (0, 1, GameResult(Seat.RED, EndReason.IMMOBILE)),
        (1, 2, GameResult(Seat.BLUE, EndReason.FLAG)),
        (2, 3, GameResult(None, EndReason.BOTH_IMMOBILE)),
        (3, 1, GameResult(Seat.RED, EndReason.FORFEIT)),
        (4, 3, GameResult(None, EndReason.AGREED)),
        (10, 3, GameResult(None, EndReason.ABORTED)),
        (11, 1, GameResult(Seat.RED, EndReason.CLOCK)),
        (12, 3, GameResult(None, EndReason.CLOCK)),
        (13, 2, GameResult(Seat.BLUE, EndReason.CLOCK)),
        (14, 2, GameResult(Seat.BLUE, EndReason.FORFEIT)),
    ],
)
def test_results(number: int, winner: int, result: GameResult) -> None:
    """Every number of a result has its reason; GSN's winner is one less."""
    xml = CHASE.xml().replace(b'<result type="3" winner="2"/>', f'<result type="{number}" winner="{winner}"/>'.encode())
    gsn = CHASE.gsn().replace(b"result 3 winner 1", f"result {number} winner {winner - 1}".encode())
    assert read_record(xml).result == read_record(gsn).result == result


def test_every_reason_can_be_written() -> None:
    """Each end of a game becomes a number that reads as the same winner; an unfinished game has none."""
    record = read_record(CHASE.xml())
    for reason in EndReason:
        for winner in (None, Seat.RED, Seat.BLUE):
            again = read_record(write_strados2(replace(record, result=GameResult(winner, reason))).encode()).result
            assert (again is None) == (reason is EndReason.UNFINISHED)
            assert again is None or again.winner is winner


BAD_XML = [
    ("<game", "<gaem", "no <game>|no XML"),
    ("<stratego>", "<!DOCTYPE x [<!ENTITY a 'b'>]><stratego>", "a document type is not allowed"),
    ('source="E4"', 'source="E11"', "'E11' is no square"),
    ('source="E4"', 'source="L4"', "'L4' is no square"),
    ('source="E4"', 'soruce="E4"', "line 2: source is missing"),
    ('id="2" source', 'id="1" source', "line 3: move 1 comes after move 1"),
    ('id="2" source', 'id="two" source', "line 3: id must be a number"),
    ('type="3" winner="2"', 'type="7" winner="2"', "7 is no type of result"),
    ('type="3" winner="2"', 'type="3" winner="9"', "9 is no winner"),
    ('<player id="1">', '<field content=""/><player id="1">', "a second <field>"),
    ("</game>", "</game><game/>", "a second <game>"),
    ("</stratego>", "", "no XML"),
    ("<stratego>", '<?xml version="1.0" encoding="nonsense"?><stratego>', "the XML's encoding is not known|no XML"),
    ("our chase", "a<b/>" * 1_300_000, "line [0-9]+: a player's name is longer than 1,000 characters"),
    ("our chase", "a" * 1_001, "line [0-9]+: a player's name is longer than 1,000 characters"),
    ("</game>", "<x>" * 30 + "</x>" * 30 + "</game>", "nested too deeply"),
]


@pytest.mark.parametrize(("old", "new", "fault"), BAD_XML)
def test_bad_xml_is_refused(old: str, new: str, fault: str) -> None:
    """What is no such file, or is dangerous, is refused with a place."""
    xml = CHASE.xml().decode()
    assert old in xml
    with pytest.raises(RecordFormatError, match=fault):
        read_record(xml.replace(old, new, 1).encode())


BAD_GSN = [
    ("v1", "v3", "line 1: '#X38FA11 Stratego-Notation v1' or"),
    ("type1", "type9", "line 2: 'type0' to 'type3'"),
    ("E4-E5", "E4 E5", "line 4: 'A4-A5' or END"),
    ("E4-E5", "E4:E5", "line 4: a rescue"),
    ("END\nEND\n", "", "line 17: 'A4-A5' or END|END is missing"),
    ("winner 1", "winner 7", "line 19: 8 is no winner"),
    (" vs ", " and ", "line 19: 'red vs blue result N winner M'"),
    (" vs ", " vs " * 1_300_000, "line 19: longer than 3,000 characters"),
    ("winner 1\n", "winner 1\nmore\n", "line 20: nothing may follow"),
]


@pytest.mark.parametrize(("old", "new", "fault"), BAD_GSN)
def test_bad_gsn_is_refused(old: str, new: str, fault: str) -> None:
    """What is no such file, or belongs to another game, is refused with its line."""
    gsn = CHASE.gsn().decode()
    assert old in gsn
    with pytest.raises(RecordFormatError, match=fault):
        read_record(gsn.replace(old, new, 1).encode())


def test_neither_format_is_an_error() -> None:
    """Text of no known format, or in no known encoding, is refused."""
    for data in (b"", b"hello", b"\x00\x01", b"\xff\xfe\xff", "é".encode("latin-1")):
        with pytest.raises(RecordFormatError):
            read_record(data)


def test_only_whole_games_of_this_board_are_written() -> None:
    """A record with unknown ranks, another board or other ranks cannot be written in these formats."""
    record = read_record(CHASE.xml())
    partly = BySeat({seat: SetUp({**set_up, next(iter(set_up)): None}) for seat, set_up in record.set_ups.items()})
    with pytest.raises(NotShownError, match="show every rank"):
        write_strados2(replace(record, set_ups=partly))
    for rules in ("classic", "infiltrator", "my-house"):
        with pytest.raises(RecordError, match="no game type"):
            write_strados2(replace(record, rules=rules))
    strange = BySeat({Seat.RED: SetUp({Square("a1"): Rank.INFILTRATOR}), Seat.BLUE: SetUp({Square("a10"): Rank.FLAG})})
    with pytest.raises(RecordError, match="no letter for red's piece on a1"):
        write_strados2(replace(record, set_ups=strange, plies=()))
    with pytest.raises(RecordError, match="cannot hold the name of red"):
        write_gsn(replace(record, names=BySeat({Seat.RED: "a vs b"})))
    assert " red vs Anna " in write_gsn(replace(record, names=BySeat({Seat.BLUE: "Anna"}))).replace("\n", " ")


def _places() -> st.SearchStrategy[dict[Square, tuple[Seat, Rank]]]:
    squares = st.sampled_from([square_at(index) for index in range(100) if index not in LAKES])
    return st.dictionaries(squares, st.sampled_from(list(LETTERS)))


@given(_places(), st.sampled_from([Seat.RED, Seat.BLUE]))
def test_every_position_survives_its_text(pieces: dict[Square, tuple[Seat, Rank]], turn: Seat) -> None:
    """Value -> text -> value for every position, in either case of letters."""
    position = Position(pieces, turn)
    text = f"{write_field(pieces)} {turn.value[0]}"
    assert read_position(text) == position
    assert read_field(text[:100].lower()) == pieces


def test_letters_are_those_of_the_rules() -> None:
    """The letters, typed in: red from B to M, blue from N to Y."""
    field = write_field({square_at(index): piece for index, piece in enumerate(LETTERS)})
    assert field.startswith("BCDEFGHIJKLMNOPQRSTUVWXYA")
    assert field[40:60] == "AA__AA__AA" * 2
    assert LETTERS[Seat.BLUE, Rank.SPY] == "O"
    assert index_of(Square("j10")) == 99


@pytest.mark.parametrize(
    "text",
    [
        "",
        "A" * 100 + " r",
        own_field({}) + " x",
        own_field({}) + "r",
        own_field({}) + "  r",
        own_field({}) + " r ",
        own_field({})[:-1] + " r",
        own_field({})[:-1] + "Z r",
        own_field({})[:-1] + "ß r",
        own_field({})[:-1] + "\u0131 r",
        own_field({})[:-1] + "_ r",
        own_field({"a1": "_"}) + " r",
        own_field({"c5": "L"}) + " r",
    ],
)
def test_bad_positions_are_refused(text: str) -> None:
    """Each fault of a position is refused, and named with its letter."""
    with pytest.raises(RecordFormatError):
        read_position(text)


def test_all_faults_of_a_position_are_named_at_once() -> None:
    """Every fault has its place; no rank is repeated."""
    with pytest.raises(RecordFormatError) as caught:
        read_position("Z" + own_field({"c5": "L"})[1:] + " q")
    assert str(caught.value) == (
        "letter 1 (a1) is none of A to Y or _; letter 43 (c5) is a lake and needs _; a space and r or b must follow the letters"
    )


def test_recorded_games_are_typed_right() -> None:
    """The games of this folder: eight pieces a side, one illegal last move each."""
    assert all(isinstance(game, Recorded) and len(read_field(game.field)) == 16 for game in own_games())
