"""Judging: the corpus to the ply, and every reason that a record can be illegal for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from referee.journal.errors import RecordError
from referee.journal.records.check import completed, judge
from referee.journal.records.formats import read_record, write_record
from referee.journal.records.model import Correction, CorrectionKind, Decision, GiveUp, Ply, Record, SetUp, View
from referee.journal.records.views import view_of
from referee.rules import CombatResult, EndReason, GameResult, Move, TakeFlags, rule_set, rule_set_names
from referee.rules.values import BySeat, Rank, Seat, Square
from tests.amount import tries
from tests.records.recorded_games import (
    BLUE,
    RED,
    Recorded,
    corpus,
    lost_army,
    own_field,
    own_games,
    random_game,
    standing,
)

CHASE, TWO_SQUARES, DIAGONAL = own_games()


def test_the_last_ply_of_every_recorded_game_is_the_first_illegal_one() -> None:
    """The last ply is refused for its reason, so every one before it is legal; some also without it. `make quick` takes every fourth."""
    for number, game in enumerate(corpus()[:: 100 // tries(100)]):
        whole = judge(read_record(game.xml()))
        assert (whole.legal, whole.ply, whole.reason) == (False, len(game.moves), game.reason), game.name
        if number % 5 == 0:
            cut = judge(read_record(game.gsn(game.moves[:-1])))
            assert (cut.legal, cut.ply, cut.reason) == (True, None, None), game.name


@pytest.mark.parametrize("game", [CHASE, TWO_SQUARES, DIAGONAL], ids=lambda game: str(game.name))
def test_our_own_games(game: Recorded) -> None:
    """The same for our own, so that it is checked where no corpus lies."""
    judgement = judge(read_record(game.xml()))
    assert (judgement.ply, judgement.reason) == (len(game.moves), game.reason)
    assert judge(read_record(game.xml(game.moves[:-1]))).legal


@pytest.mark.parametrize("game", [CHASE, TWO_SQUARES], ids=lambda game: str(game.name))
@pytest.mark.parametrize("view", [View.RED, View.BLUE, View.PUBLIC])
def test_repetition_is_judged_without_ranks(game: Recorded, view: View) -> None:
    """The two repetition rules need no rank: a view that knows next to nothing gives the same verdict."""
    record = replace(read_record(game.xml()), consent=frozenset())
    judgement = judge(view_of(record, view))
    assert (judgement.ply, judgement.reason) == (len(game.moves), game.reason)


@pytest.mark.parametrize(
    ("pieces", "legal"),
    [
        (RED | BLUE, True),
        (RED | BLUE | {"c1": "D"}, False),
        ({**RED, "b1": "D"} | BLUE, False),
        (RED | BLUE | {"e5": "D"}, False),
        ({square: letter for square, letter in (RED | BLUE).items() if square != "b1"}, False),
    ],
)
def test_set_ups_are_checked(pieces: dict[str, str], legal: bool) -> None:
    """One piece too many, too few, of the wrong rank or outside the zone: no ply is named then."""
    judgement = judge(read_record(replace(CHASE, field=own_field(pieces)).xml(())))
    assert judgement.legal == legal
    assert (judgement.ply, judgement.reason) == (None, None if legal else "bad-setup")


def test_any_army_is_judged_as_original_unless_a_rule_set_is_named() -> None:
    """Gravon's other games are judged without the set-up check; naming a rule set brings it back."""
    field = own_field(RED | BLUE | {"e5": "D", "c1": "L"})
    record = read_record(replace(CHASE, field=field).xml(CHASE.moves[1:2], kind="classicfree"))
    assert judge(record).reason == "not-a-move"  # blue's piece, but red is to move
    assert judge(replace(record, plies=())).legal
    assert judge(replace(record, plies=()), rule_set("original")).reason == "bad-setup"


def test_every_kind_of_no_move_is_not_a_move() -> None:
    """No piece, the other's piece, too far, onto an own piece, a lake, off the board, the bomb: none of them is a move."""
    for move in ("C4-C5", "E8-E7", "J4-J6", "B1-A1", "J4-E4", "E4-F5", "B1-B2", "H1-H5"):
        source, target = move.split("-")
        judgement = judge(read_record(CHASE.xml(((source, target),))))
        assert (judgement.ply, judgement.reason) == (1, "not-a-move"), move


def test_a_move_after_the_end_is_not_a_move() -> None:
    """Once the flag is taken nothing more is legal, and the result is what the plies led to."""
    pieces = {"a1": "M", "b1": "D", "h4": "D", "j4": "L", "a10": "N", "b10": "Y", "j10": "X", "h10": "P"}
    moves = (("B1", "B10"), ("K10", "K9"))
    record = read_record(replace(CHASE, field=own_field(pieces)).xml(moves, kind="classicfree"))
    assert judge(record).ply == 2
    ended = judge(replace(record, plies=record.plies[:1]))
    assert ended.legal
    assert ended.result == GameResult(Seat.RED, EndReason.FLAG)
    assert ended.notes  # the file says that red forfeited


@pytest.mark.parametrize("name", rule_set_names())
def test_random_games_are_legal_in_every_view(name: str) -> None:
    """What the engine played is judged legal, by every view and as far as that knows."""
    game = random_game(rule_set(name), seed=5, plies=120).record
    assert judge(game).legal
    for view in (View.PUBLIC, View.ARCHIVE, *(View(seat.value) for seat in game.seats)):
        judgement = judge(view_of(game, view))
        assert judgement.legal, view
        assert judgement.result == game.result


def test_a_rank_told_later_counts_from_the_start() -> None:
    """A piece that ran and is later shown as a marshal: the run is the illegal ply, though nobody knew it then."""
    unknown = {seat: dict.fromkeys(set_up) for seat, set_up in read_record(CHASE.xml()).set_ups.items()}
    set_ups = BySeat({seat: SetUp(squares) for seat, squares in unknown.items()})
    run = Ply(Seat.RED, Move(Square("e4"), Square("e7")))
    attack = Ply(Seat.BLUE, Move(Square("e8"), Square("e7")), CombatResult.ATTACKER_WINS, None, Rank.MINER)
    record = Record("barrage", set_ups, (run, attack), view=View.PUBLIC)
    assert judge(record).ply == 1
    assert judge(replace(record, plies=(run,))).legal
    assert judge(replace(record, plies=(run, replace(attack, defender=Rank.SCOUT)))).legal


def test_what_cannot_be_judged_is_an_error() -> None:
    """A missing verdict between unknown pieces, two ranks of one piece, a verdict that the ranks forbid, no such rules."""
    record = read_record(CHASE.xml())
    move = Ply(Seat.RED, Move(Square("e4"), Square("e5")))
    with pytest.raises(RecordError, match=r"no rule set 'chess'"):
        judge(replace(record, rules="chess"))
    with pytest.raises(RecordError, match="no such option"):
        judge(replace(record, options={"colour": "red"}))
    hidden = BySeat({seat: SetUp(dict.fromkeys(set_up)) for seat, set_up in record.set_ups.items()})
    meet = [("e4", "e5"), ("e8", "e7"), ("e5", "e6"), ("e7", "e6")]
    plies = tuple(Ply((Seat.RED, Seat.BLUE)[n % 2], Move(Square(a), Square(b))) for n, (a, b) in enumerate(meet))
    with pytest.raises(RecordError, match="ply 4: an attack"):
        judge(replace(record, set_ups=hidden, plies=plies))
    wrong = replace(plies[3], result=CombatResult.DEFENDER_WINS)
    with pytest.raises(RecordError, match="ply 4: what is told here contradicts"):
        judge(replace(record, plies=(*plies[:3], wrong)))
    two = replace(plies[3], result=CombatResult.BOTH_LOST, attacker=Rank.SPY, defender=Rank.MINER)
    partly = BySeat({**hidden, Seat.BLUE: SetUp({**hidden[Seat.BLUE], Square("e8"): Rank.MARSHAL})})
    with pytest.raises(RecordError, match="ply 4: the piece set up on e8 has two ranks"):
        judge(replace(record, set_ups=partly, plies=(*plies[:3], two)))
    with pytest.raises(RecordError, match="this verdict does not belong to this action"):
        judge(replace(record, plies=(replace(move, result=CombatResult.BOTH_LOST),)))


def test_decisions_are_judged_too() -> None:
    """Stratego 4: a flag that nobody offered, a decision that is missing, a seat that gives up twice."""
    played = random_game(rule_set("stratego4"), seed=3, plies=250).record
    at = next(n for n, ply in enumerate(played.plies) if ply.decisions)
    flag = Decision(played.plies[0].seat, TakeFlags(Square("g1"), (Seat.RED,)), Square("g1"))
    offered = replace(played, plies=(replace(played.plies[0], decisions=(flag,)), *played.plies[1:]))
    assert (judge(offered).ply, judge(offered).reason) == (1, "not-a-move")
    forgotten = replace(played.plies[at], decisions=())
    left_out = replace(played, plies=(*played.plies[:at], forgotten, *played.plies[at + 1 :]))
    assert judge(left_out).ply == at + 2
    twice = (Decision(Seat.GREEN, GiveUp()),) * 2
    assert judge(replace(played, before=twice)).reason == "not-a-move"
    assert judge(played).legal


def test_completing_fills_in_verdicts_ranks_and_result() -> None:
    """A read game knows no verdicts; completed it does, and completing changes nothing more."""
    for game in own_games():
        record = read_record(game.xml(game.moves[:-1]))
        assert completed(record) == record
    played = random_game(rule_set("barrage"), seed=11, plies=200).record
    bare = replace(played, result=None, plies=tuple(Ply(ply.seat, ply.action) for ply in played.plies))
    assert completed(bare) == played
    assert completed(played) == played
    assert any(ply.result for ply in played.plies)


def test_a_game_that_was_never_set_up_is_legal() -> None:
    """No field, no plies, nothing wrong."""
    judgement = judge(Record("original", result=GameResult(None, EndReason.ABORTED)))
    assert judgement.legal
    assert judgement.result == GameResult(None, EndReason.ABORTED)


def test_options_change_the_judgement() -> None:
    """A record carries its options: with a limit of five the fourth crossing is legal."""
    record = read_record(TWO_SQUARES.xml())
    assert judge(replace(record, options={"two_square_limit": "5"})).legal
    assert judge(replace(record, options={"chase_rule": "false"})).ply == 7
    chase = read_record(CHASE.xml())
    for options, found in {
        ("repetition", "pursuit"): (13, "chase"),
        ("chase_rule", "true"): (13, "chase"),
        ("chase_rule", "false"): (None, None),
        ("repetition", "none"): (None, None),
    }.items():
        judgement = judge(replace(chase, options=dict([options])))
        assert (judgement.ply, judgement.reason) == found
    literal = judge(replace(chase, options={"repetition": "situation"}))
    assert (literal.ply, literal.reason) == (12, "situation")
    with pytest.raises(RecordError, match="'maybe' is none of"):
        judge(replace(chase, options={"chase_rule": "maybe"}))


SPIES = {
    "a1": "M",
    "b1": "B",
    "g1": "E",
    "h1": "E",
    "i1": "D",
    "e4": "C",
    "a10": "Y",
    "b10": "N",
    "e5": "O",
    "h10": "P",
}
"""Red's spy stands before blue's."""


def test_other_programs_take_both_spies() -> None:
    """StraDoS2 and GSN name no options: they are played as the federations play, also where one of our rule sets is named."""
    game = replace(CHASE, field=own_field(SPIES))
    moves = (("E4", "E5"), ("H10", "H9"))
    for record in (read_record(game.xml(moves)), read_record(game.gsn(moves))):
        record = replace(record, any_army=True)
        assert completed(record).plies[0].result is CombatResult.BOTH_LOST
        assert (
            completed(replace(record, rules="original"), rule_set("original")).plies[0].result is CombatResult.BOTH_LOST
        )
        house = rule_set("original").with_options({"spy_against_spy": "attacker-wins"})
        assert completed(record, house).plies[0].result is CombatResult.ATTACKER_WINS
        with pytest.raises(RecordError, match="cannot say ply 1"):
            write_record(completed(record, house), "strados2")


@pytest.mark.parametrize("own_turn", [False, True])
def test_other_programs_may_end_a_lost_army_at_once_or_at_its_turn(own_turn: bool) -> None:
    """Red has only a bomb and the flag left and blue is to move: both endings are legal. Ours says at once where nothing is named."""
    game = lost_army(own_turn)
    for record in (read_record(game.xml()), read_record(game.gsn())):
        for rules in (None, rule_set("barrage")):
            judged = judge(record, rules)
            assert (judged.legal, judged.result, judged.notes) == (True, record.result, ())
            assert judged.result == GameResult(Seat.BLUE, EndReason.IMMOBILE)
        ours = judge(replace(record, options={"army_lost": "at-once"}))
        assert (ours.legal, ours.ply) == (not own_turn, 28 if own_turn else None)


def quiet(seat: Seat, *squares: str) -> Ply:
    """Return a move over these squares."""
    source, *via, target = map(Square, squares)
    return Ply(seat, Move(source, target, tuple(via)))


SEATS = (Seat.RED, Seat.BLUE)


def in_turn(moves: str) -> tuple[Ply, ...]:
    """Return the plies of moves like `a4-a5 j9-j8`, red's first."""
    return tuple(quiet(SEATS[at % 2], *text.split("-")) for at, text in enumerate(moves.split()))


def test_every_fault_of_a_set_up_is_named_without_a_rank() -> None:
    """Seats that do not play or are missing, squares that are none; of partly known ones what can be seen."""
    record = read_record(CHASE.xml(()))
    red, blue = record.set_ups[Seat.RED], record.set_ups[Seat.BLUE]
    unknown = dict.fromkeys(red)
    two_marshals = {**unknown, Square("a1"): Rank.MARSHAL, Square("b1"): Rank.MARSHAL}
    one_more, one_less = {**unknown, Square("c1"): None}, dict(list(unknown.items())[1:])
    for set_up, faults in (
        ({**unknown, Square("e5"): None}, ["red: outside-zone e5", "red: 9 pieces where 8 belong"]),
        (one_more, ["red: 9 pieces where 8 belong"]),
        (one_less, ["red: 7 pieces where 8 belong"]),
        (two_marshals, ["red: more pieces of one rank than the army has"]),
        ({**red, Square("z9"): Rank.SPY}, ["red: z9 is no square", "red: too-many k1 z9", "red: outside-zone z9"]),
    ):
        found = judge(replace(record, set_ups=BySeat({Seat.RED: SetUp(set_up), Seat.BLUE: blue})))
        assert (found.legal, found.reason, found.result) == (False, "bad-setup", record.result)
        if Square("z9") not in set_up:
            assert list(found.details) == faults
        else:
            assert found.details[0] == faults[0]
    strange_one = replace(record, set_ups=BySeat({Seat.GREEN: red}), consent=frozenset())
    assert judge(strange_one).details == ("green does not play", "red has set nothing up", "blue has set nothing up")
    two_flags = SetUp({**red, Square("c1"): Rank.FLAG})
    free = replace(record, any_army=True, set_ups=BySeat({Seat.RED: two_flags, Seat.BLUE: blue}))
    assert judge(free).legal
    assert completed(replace(free, any_army=False)) == replace(free, any_army=False)
    assert completed(strange_one) == strange_one


def test_an_ending_that_does_not_follow_is_noted() -> None:
    """Another one than the plies lead to, or one that they do not lead to yet."""
    record = standing("a1=flag a9=miner A10=flag J9=miner")
    taken = replace(quiet(Seat.RED, "a9", "a10"), result=CombatResult.FLAG_TAKEN)
    red, blue = (GameResult(seat, EndReason.FLAG) for seat in SEATS)
    won = replace(record, plies=(taken,))
    assert (judge(replace(won, result=red)).follows, judge(replace(won, result=red)).notes) == (True, ())
    other = judge(replace(won, result=blue))
    assert (other.follows, other.result) == (False, red)
    assert other.notes == ("the plies lead to another result than the record says",)
    early = judge(replace(record, result=blue))
    assert (early.follows, early.result) == (False, blue)
    assert early.notes == ("the plies do not lead to the end that the record tells: flag",)
    open_one = judge(won)
    assert (open_one.follows, open_one.result, open_one.notes) == (None, red, ())
    assert completed(won).result == red


def test_an_arbiters_result_overrules_only_where_it_was_ordered_so() -> None:
    """Seat, reason and ply are those of the order."""
    record = replace(standing("a1=flag a9=miner A10=flag J9=miner"), result=GameResult(Seat.BLUE, EndReason.FLAG))
    order = Correction(CorrectionKind.ENDED, 0, Seat.BLUE, "flag")
    assert judge(replace(record, corrections=(order,))).follows is None
    for other in (
        replace(order, ply=1),
        replace(order, seat=Seat.RED),
        replace(order, word="ruled"),
        replace(order, kind=CorrectionKind.RULING),
    ):
        assert judge(replace(record, corrections=(other,))).follows is False
        assert judge(replace(record, corrections=(other, order))).follows is None


def test_a_bar_makes_a_claim_open() -> None:
    """Red's only piece may not go back, which alone might end the game: nothing contradicts that red could not move."""
    record = standing("a1=flag a4=miner A10=flag J9=miner")
    moves = "a4-a5 j9-j8 a5-a4 j8-j7 a4-a5 j7-j8"
    claims = [replace(record, result=GameResult(seat, EndReason.IMMOBILE)) for seat in SEATS]
    red_wins, blue_wins = (
        [judge(replace(claim, plies=in_turn(moves)[:at])).follows for at in range(1, 7)] for claim in claims
    )
    assert red_wins == [False] * 6
    assert blue_wins == [False] * 5 + [None]


DE = {"immobile_moved": "forfeit"}


def test_a_bomb_that_moved_while_nobody_knew_it_forfeits_at_the_end() -> None:
    """DE: set-ups that are told after the game show it. It is the ending that the record tells, or the ply is illegal."""
    record = replace(standing("a1=flag b4=bomb c1=bomb j4=scout A10=flag A9=miner"), options=DE)
    lost = GameResult(Seat.BLUE, EndReason.FORFEIT)
    bomb = replace(record, plies=in_turn("b4-b5 a9-a8"), result=lost)
    found = judge(bomb)
    assert (found.legal, found.follows, found.result, found.notes) == (True, True, lost, ())
    assert judge(replace(bomb, plies=bomb.plies[:1])).follows
    for other in (
        replace(bomb, options={}),
        replace(bomb, result=GameResult(Seat.RED, EndReason.FORFEIT)),
        replace(bomb, result=GameResult(Seat.BLUE, EndReason.RESIGN)),
    ):
        assert (judge(other).ply, judge(other).details) == (1, ("immobile",))
    walked = judge(replace(record, plies=in_turn("j4-j5 a9-a8"), result=lost))
    assert (walked.legal, walked.follows) == (True, None)
