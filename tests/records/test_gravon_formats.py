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
    GravonPosition,
    index_of,
    read_field,
    read_position,
    square_at,
    write_field,
    write_gsn,
    write_strados2,
)
from referee.journal.records.model import Decision, GiveUp, Ply, Record, SetUp, View
from referee.rules import CombatResult, EndReason, GameResult, Infiltrate, Move, Pass
from referee.rules.values import BySeat, Rank, Seat, Square
from tests.amount import tries
from tests.records.recorded_games import BLUE, RED, Recorded, corpus, own_field, own_games

CHASE = own_games()[0]


def test_both_formats_say_the_same_of_every_recorded_game() -> None:
    """XML and GSN of one game read as the same record (in `make quick` every fourth); every fifth is also written and read again."""
    for number, game in enumerate(corpus()[:: 100 // tries(100)]):
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
    ("<game", "<gaem", "line 15: no XML: mismatched tag"),
    ("<stratego>", "<!DOCTYPE x [<!ENTITY a 'b'>]><stratego>", "line 1: a document type is not allowed"),
    ("stratego>", "strategy>", "line 1: the outermost element must be <stratego>"),
    ('source="E4"', 'source="E11"', "'E11' is no square (A1 to K10)"),
    ('source="E4"', 'source="L4"', "'L4' is no square (A1 to K10)"),
    ('source="E4"', 'soruce="E4"', "line 2: source is missing"),
    ('target="E5"', 'traget="E5"', "line 2: target is missing"),
    ('field content="', 'field letters="', "line 1: content is missing"),
    ('field content="', 'feild content="', "there are moves but no field"),
    ('id="2" source', 'id="1" source', "line 3: move 1 comes after move 1"),
    ('id="2" source', 'id="two" source', "line 3: id must be a number"),
    ('id="2" source', 'id="²" source', "line 3: id must be a number"),
    ('id="2" source', 'id="123456789" source', "line 3: id must be a number"),
    ('player id="1"', "player", "line 15: id is missing"),
    ('type="3" winner="2"', 'type="7" winner="2"', "line 15: 7 is no type of result"),
    ('type="3" winner="2"', 'type="3" winner="9"', "line 15: 9 is no winner"),
    ('type="3" winner="2"', 'winner="2"', "line 15: type is missing"),
    ('type="3" winner="2"', 'type="3"', "line 15: winner is missing"),
    ('<player id="1">', '<field content=""/><player id="1">', "line 15: a second <field>"),
    ("</game>", "</game><game/>", "line 15: a second <game>; one file holds one"),
    ("</stratego>", "", "line 15: no XML: no element found"),
    ("<stratego>", '<?xml version="1.0" encoding="nonsense"?><stratego>', "the XML's encoding is not known"),
    ("our chase", "a<b/>" * 1_300_000, "line 15: a player's name is longer than 1,000 characters"),
    ("our chase", "a" * 1_001, "line 15: a player's name is longer than 1,000 characters"),
    ("</game>", "<x>" * 19 + "</x>" * 19 + "</game>", "line 15: the elements are nested too deeply"),
]


@pytest.mark.parametrize(("old", "new", "fault"), BAD_XML)
def test_bad_xml_is_refused(old: str, new: str, fault: str) -> None:
    """What is no such file, or is dangerous, is refused with a place."""
    xml = CHASE.xml().decode()
    assert old in xml
    with pytest.raises(RecordFormatError) as caught:
        read_record(xml.replace(old, new, 1 + (old == "stratego>")).encode())
    assert str(caught.value) == fault


@pytest.mark.parametrize("xml", ["<stratego/>", "<stratego><x><game/></x></stratego>"])
def test_xml_without_a_game_is_refused(xml: str) -> None:
    """Nothing in it, or a game elsewhere."""
    with pytest.raises(RecordFormatError) as caught:
        read_record(xml.encode())
    assert str(caught.value) == "there is no <game> in <stratego>"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('type="barrage"', 'type=" Barrage "'),
        ('content="', 'content=" '),
        ('source="E4" target="E5"', 'source=" E4" target="E5 "'),
        ('id="1" source', "source"),
        ('id="2" source', 'id="2 " source'),
        ("<game", "<move/><x>our chase<player/></x><game"),
        ("</game>", '<x><move/></x><player id="3">Eve</player>x</game>'),
        ("our chase", "<b>Eve</b>our <x>Eve</x><text>cha</text><text>se</text>"),
        ("</player>", "</player>Eve"),
        ("</game>", "<x>" * 18 + "</x>" * 18 + "</game>"),
        ("our chase", "our chase" + " " * 991),
    ],
)
def test_other_elements_and_white_space_are_passed_over(old: str, new: str) -> None:
    """What the format does not have changes nothing, nor how an element is written."""
    xml = CHASE.xml().decode()
    assert old in xml
    assert read_record(xml.replace(old, new, 1).encode()) == read_record(CHASE.xml())


BAD_GSN = [
    ("v1", "v3", "line 1: '#X38FA11 Stratego-Notation v1' or '...2' must stand here"),
    ("\ntype1", "#", "line 1: '#X38FA11 Stratego-Notation v1' or '...2' must stand here"),
    ("type1", "type4", "line 2: 'type0' to 'type3' must stand here"),
    ("type1", "1", "line 2: 'type0' to 'type3' must stand here"),
    ("E4-E5", "E4 E5", "line 4: 'A4-A5' or END must stand here"),
    ("E4-E5", "E4:E5", "line 4: a rescue, which belongs to another game than ours"),
    ("E4-E5", "E4-E11", "line 4: 'A4-A5' or END must stand here"),
    ("END\nEND\n", "", "line 17: 'A4-A5' or END must stand here"),
    ("END\nEND\nour chase vs the other result 3 winner 1\n", "", "END is missing"),
    (own_games()[0].field + "\n", "", "there are moves but no field"),
    ("winner 1", "winner 7", "line 19: 8 is no winner"),
    ("result 3", "result 5", "line 19: 5 is no type of result"),
    (" vs ", " and ", "line 19: 'red vs blue result N winner M' must stand here"),
    ("winner 1", "winner 1.", "line 19: 'red vs blue result N winner M' must stand here"),
    ("our chase", "a" * 2_970, "line 19: longer than 3,000 characters"),
    (" vs ", " vs " * 1_300_000, "line 19: longer than 3,000 characters"),
    ("winner 1\n", "winner 1\nmore\n", "line 20: nothing may follow the line of the result, 19"),
    ("E4-E5\n", "E4-E5\n" * 19_989, "more than 20,000 moves"),
]


@pytest.mark.parametrize(("old", "new", "fault"), BAD_GSN)
def test_bad_gsn_is_refused(old: str, new: str, fault: str) -> None:
    """What is no such file, or belongs to another game, is refused with its line."""
    gsn = CHASE.gsn().decode()
    assert old in gsn
    with pytest.raises(RecordFormatError) as caught:
        read_record(gsn.replace(old, new, 1).encode())
    assert str(caught.value) == fault


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("v1", "v2"),
        ("\n", "\r\n"),
        ("E4-E5\n", "\n e4-e5 \n\n"),
        ("END\nEND\n", "END\n\n"),
        ("our chase", "our chase" + " " * 2_960),
    ],
)
def test_gsn_is_read_tolerantly(old: str, new: str) -> None:
    """Version 2, line ends of another system, blank lines, small letters, `END` once."""
    gsn = CHASE.gsn().decode()
    assert old in gsn
    assert read_record(gsn.replace(old, new).encode()) == read_record(CHASE.gsn())


def test_the_most_moves_are_read() -> None:
    """20,000, and not one more, in either format."""
    moves = (("E4", "E5"),) * 20_000
    assert len(read_record(CHASE.xml(moves)).plies) == len(read_record(CHASE.gsn(moves)).plies) == 20_000
    with pytest.raises(RecordFormatError, match="line 20002: more than 20,000 moves"):
        read_record(CHASE.xml((*moves, ("E4", "E5"))))


def test_the_shortest_gsn_is_an_error_at_its_place() -> None:
    """One line, two lines: what is missing."""
    for text, fault in (("", "line 2: 'type0' to 'type3' must stand here"), ("\ntype0", "END is missing")):
        with pytest.raises(RecordFormatError) as caught:
            read_record(b"#X38FA11 Stratego-Notation v1" + text.encode())
        assert str(caught.value) == fault
    assert read_record(b"#X38FA11 Stratego-Notation v1\ntype0\nEND").names == {}


def test_a_game_without_a_type_is_classic() -> None:
    """As StraDoS2 has it."""
    assert read_record(b"<stratego><game/></stratego>") == read_record(b'<stratego><game type="classic"/></stratego>')
    assert not read_record(b"<stratego><game/></stratego>").any_army


XML = f"""<?xml version="1.0" encoding="UTF-8"?>
<stratego>
  <game type="barrage">
    <field content="{CHASE.field}"/>
    <move id="1" source="E4" target="E5"/>
    <move id="2" source="I7" target="I6"/>
    <player id="1">our &amp; chase</player>
    <player id="2"></player>
    <result type="3" winner="2"/>
  </game>
</stratego>
"""
GSN = f"""#X38FA11 Stratego-Notation v1
type1
{CHASE.field}
E4-E5
I7-I6
END
our & chase vs blue result 3 winner 1
"""


def test_the_text_of_a_game_in_either_format() -> None:
    """Golden: other programs read it. Without a result neither has that line; without set-ups there is no field."""
    names = BySeat({Seat.RED: "our & chase"})
    record = replace(read_record(CHASE.xml(CHASE.moves[:2])), names=names)
    assert write_strados2(record) == XML
    assert write_gsn(record) == GSN
    for result in (None, GameResult(None, EndReason.UNFINISHED)):
        open_one = replace(record, result=result)
        assert write_strados2(open_one) == XML.replace('    <result type="3" winner="2"/>\n', "")
        assert write_gsn(open_one) == GSN.rpartition("our")[0]
    never = Record("original", result=GameResult(None, EndReason.ABORTED))
    assert write_gsn(never) == "#X38FA11 Stratego-Notation v1\ntype0\nEND\nred vs blue result 10 winner 2\n"
    free = replace(never, any_army=True, result=None)
    assert write_gsn(free).splitlines()[1] == "type2"
    assert read_record(write_gsn(free).replace("type2", "type3").encode()).any_army


NUMBERS = {
    "immobile": (0, 0),
    "flag": (1, 1),
    "both-immobile": (2, 2),
    "forfeit": (3, 3),
    "resign": (3, 3),
    "ruled": (4, 3),
    "agreed": (4, 4),
    "no-progress": (4, 4),
    "aborted": (10, 10),
    "both-lose": (10, 10),
    "clock": (11, 11),
    "hall-clock": (12, 12),
}
"""The number of each reason in docs/reference/record-format.md: where nobody won, and where red did."""


def test_the_numbers_of_results() -> None:
    """Typed in: by whom it was won, and why; the arbiter's word is a draw or a win."""
    record = read_record(CHASE.xml(()))
    for reason, (drawn, won) in NUMBERS.items():
        for seat, number, winner in ((None, drawn, 3), (Seat.RED, won, 1), (Seat.BLUE, won, 2)):
            ended = replace(record, result=GameResult(seat, EndReason(reason)))
            assert f'<result type="{number}" winner="{winner}"/>' in write_strados2(ended)
            assert f" result {number} winner {winner - 1}\n" in write_gsn(ended)
    assert {*NUMBERS, "unfinished"} == {reason.value for reason in EndReason}


def test_every_square_has_its_name() -> None:
    """A1 to K10 on a piece's way, lakes only where they are read."""
    for index in range(100):
        name = f"{'ABCDEFGHIK'[index % 10]}{index // 10 + 1}"
        record = read_record(CHASE.xml((("A1", name),)))
        assert record.plies[0].action == Move(Square("a1"), square_at(index))
        assert index_of(square_at(index)) == index
        if index not in LAKES:
            assert f'source="A1" target="{name}"' in write_strados2(record)
        else:
            with pytest.raises(RecordError) as caught:
                write_strados2(record)
            assert str(caught.value) == f"{square_at(index).name} is no square of the 10 x 10 board"


def move(*names: str, seat: Seat = Seat.RED, leaving: tuple[Seat, ...] = ()) -> Ply:
    """Return a move over these squares."""
    source, *via, target = map(Square, names)
    return Ply(seat, Move(source, target, tuple(via), leaving))


CANNOT = [
    move("a1", "b1", "b2"),
    move("a1", "a2", leaving=(Seat.RED,)),
    move("a1", "a2", seat=Seat.BLUE),
    Ply(Seat.RED, Pass()),
    Ply(Seat.RED, Infiltrate(Square("a1"), Square("a2"), Rank.SPY), CombatResult.WRONG_GUESS),
    replace(move("a1", "a2"), decisions=(Decision(Seat.RED, GiveUp()),)),
    replace(move("a1", "a2"), result=CombatResult.ATTACKER_WINS, attacker=Rank.SPY, defender=Rank.SPY),
]


@pytest.mark.parametrize("ply", CANNOT)
def test_what_these_formats_cannot_say_is_named(ply: Ply) -> None:
    """Turning ways, flags, decisions, other actions, a spy that beat a spy, a turn that is another seat's: the ply is named."""
    record = read_record(CHASE.xml(CHASE.moves[:2]))
    with pytest.raises(RecordError) as caught:
        write_strados2(replace(record, plies=(*record.plies, ply)))
    assert str(caught.value) == "these formats cannot say ply 3"
    attack = replace(move("a1", "a2"), result=CombatResult.BOTH_LOST, attacker=Rank.SPY, defender=Rank.SPY)
    won = replace(move("a1", "a2"), result=CombatResult.ATTACKER_WINS, attacker=Rank.SPY, defender=Rank.MARSHAL)
    for good in (attack, won):
        assert write_strados2(replace(record, plies=(good,)))


NO_FORMAT = "neither a record of ours nor StraDoS2 XML nor GSN"


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"", NO_FORMAT),
        (b"hello", NO_FORMAT),
        (b"\x00\x01", NO_FORMAT),
        (b"\xff\xfe\xff", "line 1: no XML: unclosed token"),
        ("é".encode("latin-1"), "the text is not UTF-8"),
        (b"SQLite format 3\0", "a journal is read from its file, not from here"),
        (b" " * 8_000_001, "more than 8,000,000 bytes"),
        (b" " * 8_000_000, NO_FORMAT),
    ],
)
def test_neither_format_is_an_error(data: bytes, fault: str) -> None:
    """Text of no known format, or in no known encoding, is refused; so is too much of it."""
    with pytest.raises(RecordFormatError) as caught:
        read_record(data)
    assert str(caught.value) == fault


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_xml_comes_in_other_encodings(encoding: str) -> None:
    """As the bytes at its beginning say."""
    assert read_record(CHASE.xml().decode().encode(encoding)) == read_record(CHASE.xml())


def test_only_whole_games_of_this_board_are_written() -> None:
    """A record with unknown ranks, another board or other ranks cannot be written in these formats."""
    record = read_record(CHASE.xml())
    partly = BySeat({**record.set_ups, Seat.BLUE: SetUp({**record.set_ups[Seat.BLUE], Square("a10"): None})})
    strange = BySeat({Seat.RED: SetUp({Square("a1"): Rank.INFILTRATOR}), Seat.BLUE: SetUp({Square("a10"): Rank.FLAG})})
    on_a_lake = BySeat({Seat.RED: SetUp({Square("c5"): Rank.SPY}), Seat.BLUE: SetUp({Square("a10"): Rank.FLAG})})
    for write, written, fault in (
        (write_strados2, replace(record, view=View.RED, set_ups=partly), SHOWN),
        *((write_gsn, replace(record, rules=rules), TYPELESS + rules) for rules in ("classic", "infiltrator", "house")),
        (write_strados2, replace(record, set_ups=strange), "these formats have no letter for red's piece on a1"),
        (write_strados2, replace(record, set_ups=on_a_lake), "c5 is no square of the 10 x 10 board"),
        (
            write_strados2,
            replace(record, before=(Decision(Seat.RED, GiveUp()),)),
            "these formats cannot say what was decided before the first ply",
        ),
        (write_gsn, replace(record, rules="duel"), "GSN has no game type for the rule set duel"),
        (write_gsn, replace(record, names=BySeat({Seat.RED: "a vs b"})), f"{NAME} red, {ITS_WORD}"),
        (write_gsn, replace(record, names=BySeat({Seat.BLUE: "my result"})), f"{NAME} blue, {ITS_WORD}"),
    ):
        with pytest.raises(NotShownError if fault is SHOWN else RecordError) as caught:
            write(written)
        assert str(caught.value) == fault
    assert " red vs Anna " in write_gsn(replace(record, names=BySeat({Seat.BLUE: "Anna"}))).replace("\n", " ")


SHOWN = "these formats show every rank, and the red view does not have all of blue's"
TYPELESS = "Gravon's formats have no game type for the rule set "
NAME, ITS_WORD = "GSN cannot hold the name of", "which has one of its own words in it"


def _places() -> st.SearchStrategy[dict[Square, tuple[Seat, Rank]]]:
    squares = st.sampled_from([square_at(index) for index in range(100) if index not in LAKES])
    return st.dictionaries(squares, st.sampled_from(list(LETTERS)))


@given(_places(), st.sampled_from([Seat.RED, Seat.BLUE]))
def test_every_position_survives_its_text(pieces: dict[Square, tuple[Seat, Rank]], turn: Seat) -> None:
    """Value -> text -> value for every position, in either case of letters."""
    position = GravonPosition(pieces, turn)
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


SIDE = "a space and r or b must follow the letters"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", f"0 letters where 100 belong; {SIDE}"),
        (own_field({}) + " x", SIDE),
        (own_field({}) + "r", f"101 letters where 100 belong; {SIDE}"),
        (own_field({}) + "  r", SIDE),
        (own_field({}) + " r ", SIDE),
        (own_field({})[:-1] + " r", "99 letters where 100 belong"),
        (own_field({})[:-1] + "Z r", "letter 100 (j10) is none of A to Y or _"),
        (own_field({})[:-1] + "ß r", "letter 100 (j10) is none of A to Y or _"),
        (own_field({})[:-1] + "\u0131 r", "letter 100 (j10) is none of A to Y or _"),
        (own_field({})[:-1] + "_ r", "letter 100 (j10) is no lake"),
        (own_field({"a1": "_"}) + " r", "letter 1 (a1) is no lake"),
        (own_field({"c5": "L"}) + " b", "letter 43 (c5) is a lake and needs _"),
    ],
)
def test_bad_positions_are_refused(text: str, fault: str) -> None:
    """Each fault of a position is refused, and named with its letter; of the letters alone likewise."""
    with pytest.raises(RecordFormatError) as caught:
        read_position(text)
    assert str(caught.value) == fault
    if SIDE not in fault:
        with pytest.raises(RecordFormatError) as caught:
            read_field(text.split(" ")[0])
        assert str(caught.value) == fault


def test_a_position_shows_no_rank() -> None:
    """Its repr says how many pieces stand there and who is to move."""
    assert repr(read_position(own_field(RED) + " b")) == "GravonPosition(8 pieces, blue to move)"


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
