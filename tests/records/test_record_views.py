"""Views: each holds what its reader may know, and not one rank more. Checked against the engine's own facts and by canaries."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from referee.journal.errors import NotShownError, RecordError
from referee.journal.records.check import judge
from referee.journal.records.formats import read_record, write_record
from referee.journal.records.model import Correction, CorrectionKind, Decision, GiveUp, Ply, Record, SetUp, View
from referee.journal.records.views import Follower, view_of
from referee.rules import CombatResult, Fire, Infiltrate, Move, Pass, Recruit, RuleSet, rule_set, rule_set_names
from referee.rules.values import BySeat, PieceId, Rank, Seat, Square
from referee.table.views import Reveal
from tests.records.recorded_games import Facts, PlayedGame, random_game

A4, A5, A7, A6, B4 = (Square(name) for name in ("a4", "a5", "a7", "a6", "b4"))


def may_know(facts: Facts, record: Record, view: View, upto: int) -> set[PieceId]:
    """Return the pieces whose rank a view may know after `upto` plies: design section 6, written a second time."""
    known: set[PieceId] = set()
    for piece in facts.start:
        if piece.seat is view.seat or (view is View.ARCHIVE and piece.seat in record.consent):
            known.add(piece)
    for number, attacker, defender, captured, kind in facts.attacks:
        if number > upto:
            break
        known |= set(captured)
        if kind != "attack":
            known.add(attacker)  # only an infiltrator infiltrates, only a cannon fires
            continue
        for survivor, rival in ((attacker, defender), (defender, attacker)):
            if survivor in captured or rival.seat is not view.seat:
                continue
            if record.reveal is Reveal.BOOK or (record.reveal is Reveal.ATTACKER_ONLY and survivor is attacker):
                known.add(survivor)
    return known


def all_views(record: Record) -> tuple[View, ...]:
    """Return every view except the referee's."""
    return (View.PUBLIC, View.ARCHIVE, *(View(seat.value) for seat in record.seats))


def variants(game: PlayedGame) -> Iterator[Record]:
    """Yield the game under each way of revealing, with and without consent."""
    for reveal in Reveal:
        for consent in (frozenset(), frozenset({Seat.RED}), frozenset(game.record.seats)):
            yield replace(game.record, reveal=reveal, consent=consent)


def with_canaries(game: PlayedGame, record: Record, secret: set[PieceId]) -> Record:
    """Return the record with every secret piece's rank replaced by another one, in the set-ups and wherever it was
    told.
    """
    changed = {(piece.seat, game.facts.start[piece]) for piece in secret}

    def other(rank: Rank | None) -> Rank | None:
        return None if rank is None else Rank.SPY if rank is Rank.MARSHAL else Rank.MARSHAL

    set_ups = BySeat(
        {
            seat: SetUp({square: other(rank) if (seat, square) in changed else rank for square, rank in set_up.items()})
            for seat, set_up in record.set_ups.items()
        }
    )
    follower = Follower(BySeat({seat: SetUp(dict.fromkeys(set_up)) for seat, set_up in record.set_ups.items()}))
    for decision in record.before:
        follower.decide(decision)
    plies = []
    for ply in record.plies:
        attacker, defender = follower.play(replace(ply, attacker=None, defender=None))
        one = other(ply.attacker) if attacker in changed else ply.attacker
        two = other(ply.defender) if defender in changed else ply.defender
        plies.append(replace(ply, attacker=one, defender=two))
    return replace(record, set_ups=set_ups, plies=tuple(plies))


@pytest.fixture(scope="module", params=rule_set_names())
def played(request: pytest.FixtureRequest) -> PlayedGame:
    """A random game of every rule set."""
    return random_game(rule_set(request.param), seed=3, plies=90)


def test_a_view_holds_exactly_what_it_may(played: PlayedGame) -> None:
    """Set-ups show the ranks that may be known in the end, neither fewer nor more."""
    for record in variants(played):
        for view in all_views(record):
            seen = view_of(record, view)
            shown = {(seat, square) for seat, set_up in seen.set_ups.items() for square in set_up.known}
            known = may_know(played.facts, record, view, len(record.plies))
            assert shown == {(piece.seat, played.facts.start[piece]) for piece in known}


def test_a_ply_shows_what_was_known_by_then(played: PlayedGame) -> None:
    """Ranks in an attack are those that the view may know after that ply, and true."""
    for record in variants(played):
        for view in all_views(record):
            plies = view_of(record, view).plies
            for number, attacker, defender, _, kind in played.facts.attacks:
                known = may_know(played.facts, record, view, number)
                ply, whole = plies[number - 1], record.plies[number - 1]
                if kind != "infiltrate":
                    assert ply.attacker == (whole.attacker if attacker in known else None)
                    assert ply.defender == (whole.defender if defender in known else None)


def test_no_secret_rank_changes_a_letter(played: PlayedGame) -> None:
    """Canaries: with every secret rank replaced by another, the text of the view stays the same letter by letter."""
    for record in variants(played):
        for view in all_views(record):
            secret = set(played.facts.start) - may_know(played.facts, record, view, len(record.plies))
            canary = with_canaries(played, record, secret)
            assert canary != record or not secret
            text = write_record(view_of(record, view), "own")
            assert text == write_record(view_of(canary, view), "own")


def test_every_view_survives_its_text(played: PlayedGame) -> None:
    """Text -> value -> text for each view of each rule set."""
    record = replace(played.record, consent=frozenset({Seat.RED}))
    for view in (View.REFEREE, *all_views(record)):
        seen = view_of(record, view)
        text = write_record(seen, "own")
        assert read_record(text.encode()) == seen
        assert write_record(read_record(text.encode()), "own") == text


def test_plies_of_a_view_never_change(played: PlayedGame) -> None:
    """A view of the first half has the same plies as the first half of the view."""
    half = len(played.record.plies) // 2
    for view in all_views(played.record):
        before = view_of(replace(played.record, plies=played.record.plies[:half]), view)
        assert before.plies == view_of(played.record, view).plies[:half]


def test_views_of_views(played: PlayedGame) -> None:
    """A view gives itself, and what everybody knows, but nothing else; a seat that does not play has none."""
    public = view_of(played.record, View.PUBLIC)
    assert view_of(public, View.PUBLIC) is public
    for view in all_views(played.record):
        assert view_of(view_of(played.record, view), View.PUBLIC) == public
    with pytest.raises(NotShownError, match="this is the public view"):
        view_of(public, View.RED)
    if Seat.GREEN not in played.record.seats:
        with pytest.raises(NotShownError, match="green does not play"):
            view_of(played.record, View.GREEN)


def test_the_archive_with_everybodys_consent_is_whole(played: PlayedGame) -> None:
    """Consent of all owners opens the whole game; without any, archive and public are the same but for their name."""
    whole = view_of(replace(played.record, consent=frozenset(played.record.seats)), View.ARCHIVE)
    assert whole.set_ups == played.record.set_ups
    assert whole.plies == played.record.plies
    assert judge(whole).legal
    closed = view_of(played.record, View.ARCHIVE)
    assert replace(closed, view=View.PUBLIC) == view_of(played.record, View.PUBLIC)


def small(result: CombatResult, reveal: Reveal) -> Record:
    """Red's colonel attacks blue's general, with the verdict given: who hears what?"""
    set_ups = BySeat({Seat.RED: SetUp({A4: Rank.COLONEL, B4: Rank.FLAG}), Seat.BLUE: SetUp({A5: Rank.GENERAL})})
    attack = Ply(Seat.RED, Move(A4, A5), result, Rank.COLONEL, Rank.GENERAL)
    return Record("original", set_ups, (attack,), reveal=reveal)


@pytest.mark.parametrize(
    ("result", "reveal", "red", "blue", "public"),
    [
        ("attacker-wins", "book", "colonel general", "colonel general", "? general"),
        ("attacker-wins", "attacker-only", "colonel general", "colonel general", "? general"),
        ("attacker-wins", "result-only", "colonel general", "? general", "? general"),
        ("defender-wins", "book", "colonel general", "colonel general", "colonel ?"),
        ("defender-wins", "attacker-only", "colonel ?", "colonel general", "colonel ?"),
        ("defender-wins", "result-only", "colonel ?", "colonel general", "colonel ?"),
        ("both-lost", "result-only", "colonel general", "colonel general", "colonel general"),
        ("flag-taken", "result-only", "colonel general", "? general", "? general"),
    ],
)
def test_who_hears_a_survivor(result: str, reveal: str, red: str, blue: str, public: str) -> None:
    """The table of design section 6, typed in."""
    record = small(CombatResult(result), Reveal(reveal))
    for view, expected in ((View.RED, red), (View.BLUE, blue), (View.PUBLIC, public), (View.ARCHIVE, public)):
        assert f"1 red a4xa5 {expected} {result}\n" in write_record(view_of(record, view), "own")


@pytest.mark.parametrize("reveal", Reveal)
def test_an_infiltration_names_its_doer_and_the_guess_only(reveal: Reveal) -> None:
    """A wrong guess tells everybody who infiltrated and what was guessed, and nobody what the target is."""
    set_ups = BySeat({Seat.RED: SetUp({A7: Rank.INFILTRATOR}), Seat.BLUE: SetUp({A6: Rank.BOMB, B4: Rank.SPY})})
    wrong = Ply(Seat.RED, Infiltrate(A7, A6, Rank.MINER), CombatResult.WRONG_GUESS)
    right = Ply(Seat.RED, Infiltrate(A7, A6, Rank.BOMB), CombatResult.INFILTRATED)
    record = Record("infiltrator", set_ups, (wrong,), reveal=reveal)
    for view in (View.RED, View.PUBLIC, View.ARCHIVE):
        seen = view_of(record, view)
        assert seen.set_ups == {Seat.RED: SetUp({A7: Rank.INFILTRATOR}), Seat.BLUE: SetUp({A6: None, B4: None})}
        assert seen.plies == (wrong,)
        found = view_of(replace(record, plies=(wrong, right)), view)
        assert found.set_ups[Seat.BLUE] == SetUp({A6: Rank.BOMB, B4: None})


def test_declared_ranks_reach_the_set_up() -> None:
    """In declare mode the referee's set-up may be unknown; what was declared and captured stands in the public view."""
    record = small(CombatResult.BOTH_LOST, Reveal.BOOK)
    unknown = BySeat({seat: SetUp(dict.fromkeys(set_up)) for seat, set_up in record.set_ups.items()})
    public = view_of(replace(record, set_ups=unknown), View.PUBLIC)
    assert public.set_ups == {Seat.RED: SetUp({A4: Rank.COLONEL, B4: None}), Seat.BLUE: SetUp({A5: Rank.GENERAL})}


def test_piece_numbers_are_the_boards(played: PlayedGame) -> None:
    """A set-up lists its squares in the board's order, so that piece numbers mean the same in records and rules."""
    rules: RuleSet = rule_set(played.record.rules)
    for set_up in played.record.set_ups.values():
        assert list(set_up) == [square for square in rules.board.squares if square in set_up]


BOTH_LOST = CombatResult.BOTH_LOST
UNTRUE = [
    ((Ply(Seat.RED, Move(A7, A6)),), "ply 1: no piece stands on a7"),
    ((Ply(Seat.BLUE, Move(A4, A6)),), "ply 1: the piece on a4 is not blue's"),
    ((Ply(Seat.RED, Move(A4, A5)),), "ply 1: an attack and its verdict must come together"),
    ((Ply(Seat.RED, Move(A4, A6), BOTH_LOST),), "ply 1: an attack and its verdict must come together"),
    (
        (Ply(Seat.RED, Move(B4, A6)), Ply(Seat.BLUE, Move(A5, A4), BOTH_LOST, Rank.SPY)),
        "ply 2: the piece set up on a5 has two ranks",
    ),
    (
        (Ply(Seat.RED, Infiltrate(A4, A5, Rank.SPY), CombatResult.WRONG_GUESS),),
        "ply 1: the piece set up on a4 has two ranks",
    ),
    *(
        ((Ply(Seat.RED, Move(A4, A6), decisions=(Decision(Seat.RED, Recruit(PieceId(seat, number)), square),)),), fault)
        for seat, number, square, fault in (
            (Seat.RED, 2, A7, "ply 1: red has no such piece to recruit, or no room for it"),
            (Seat.RED, 0, None, "ply 1: red has no such piece to recruit, or no room for it"),
            (Seat.RED, 0, A5, "ply 1: red has no such piece to recruit, or no room for it"),
            (Seat.RED, 1, A7, "ply 1: the piece that red recruits stands on the board"),
        )
    ),
]


@pytest.mark.parametrize(("plies", "fault"), UNTRUE)
def test_pieces_that_cannot_be_followed_are_an_error(plies: tuple[Ply, ...], fault: str) -> None:
    """No piece there, another's, a verdict without an attack, two ranks of one piece, a recruit that never fell: the ply is named."""
    with pytest.raises(RecordError) as caught:
        view_of(replace(small(BOTH_LOST, Reveal.BOOK), plies=plies), View.PUBLIC)
    assert str(caught.value) == fault


def test_two_pieces_on_one_square_are_no_set_up() -> None:
    """Of two seats: the square is named."""
    twice = BySeat({Seat.RED: SetUp({A4: None}), Seat.BLUE: SetUp({A4: None})})
    with pytest.raises(RecordError) as caught:
        Follower(twice)
    assert str(caught.value) == "a4 is set up twice"


MOVED = [
    (Move(A4, A6), None, {A6: A4, B4: B4, A5: A5}),
    (Move(A4, A5), CombatResult.ATTACKER_WINS, {A5: A4, B4: B4}),
    (Move(A4, A5), CombatResult.FLAG_TAKEN, {A5: A4, B4: B4}),
    (Move(A4, A5), CombatResult.DEFENDER_WINS, {A5: A5, B4: B4}),
    (Move(A4, A5), BOTH_LOST, {B4: B4}),
    (Infiltrate(A4, A5, Rank.SPY), CombatResult.INFILTRATED, {A4: A4, B4: B4}),
    (Infiltrate(A4, A5, Rank.SPY), CombatResult.WRONG_GUESS, {A4: A4, B4: B4, A5: A5}),
    (Infiltrate(A4, A5, Rank.SPY, (A6, A7)), CombatResult.WRONG_GUESS, {A7: A4, B4: B4, A5: A5}),
    (Fire(A4, A5), BOTH_LOST, {B4: B4}),
    (Pass(), None, {A4: A4, B4: B4, A5: A5}),
]


@pytest.mark.parametrize(("action", "result", "standing"), MOVED)
def test_pieces_are_followed_by_verdicts_alone(
    action: Move | Infiltrate | Fire | Pass, result: CombatResult | None, standing: dict[Square, Square]
) -> None:
    """Who stands where after each kind of action; an infiltrator goes to the last square of its way."""
    follower = Follower({Seat.RED: SetUp({A4: None, B4: None}), Seat.BLUE: SetUp({A5: None})})
    assert follower.play(Ply(Seat.RED, action, result))[1] == (None if result is None else (Seat.BLUE, A5))
    assert {square: start[1] for square, start in follower.standing.items()} == standing


def test_who_gives_up_goes_and_a_recruit_comes_back() -> None:
    """All pieces of the one; the other by its number in the set-up, where it was decided."""
    follower = Follower({Seat.RED: SetUp({A4: None, B4: None}), Seat.BLUE: SetUp({A5: None})})
    follower.play(Ply(Seat.RED, Move(A4, A5), BOTH_LOST))
    follower.decide(Decision(Seat.BLUE, GiveUp()))
    follower.decide(Decision(Seat.RED, Recruit(None)))
    assert follower.standing == {B4: (Seat.RED, B4)}
    follower.decide(Decision(Seat.RED, Recruit(PieceId(Seat.RED, 0)), A6))
    assert follower.standing == {B4: (Seat.RED, B4), A6: (Seat.RED, A4)}
    follower.decide(Decision(Seat.RED, GiveUp()))
    assert follower.standing == {}


def test_a_cannon_names_itself() -> None:
    """Who fires is known to everybody, as is what it hit."""
    set_ups = BySeat({Seat.RED: SetUp({A4: Rank.CANNON}), Seat.BLUE: SetUp({A6: Rank.SPY, A7: Rank.SPY})})
    shot = Ply(Seat.RED, Fire(A4, A6), BOTH_LOST, Rank.CANNON, Rank.SPY)
    seen = view_of(Record("stratego4", set_ups, (shot,), reveal=Reveal.RESULT_ONLY), View.PUBLIC)
    assert seen.plies == (shot,)
    assert seen.set_ups == {Seat.RED: SetUp({A4: Rank.CANNON}), Seat.BLUE: SetUp({A6: Rank.SPY, A7: None})}


def test_a_seed_is_shown_with_its_whole_set_up_only() -> None:
    """Whoever sees all of a seat's pieces may compute its root; reasons are the referee's alone."""
    order = Correction(CorrectionKind.RULING, 1, reason="a phone rang")
    record = replace(
        small(BOTH_LOST, Reveal.BOOK),
        seeds=BySeat({Seat.RED: "aa", Seat.BLUE: "bb"}),
        consent=frozenset({Seat.RED}),
        corrections=(order,),
    )
    shown = {view: view_of(record, view) for view in (View.RED, View.BLUE, View.ARCHIVE, View.PUBLIC)}
    assert {view: "".join(seen.seeds.values()) for view, seen in shown.items()} == dict(
        zip(shown, ("aa", "bb", "aa", ""), strict=True)
    )
    assert {seen.corrections for seen in shown.values()} == {(replace(order, reason=None),)}
    for view, seen in shown.items():
        assert seen.view is view
        with pytest.raises(NotShownError) as caught:
            view_of(seen, View.REFEREE)
        assert str(caught.value) == f"this is the {view.value} view; it does not contain the referee view"
    with pytest.raises(NotShownError) as caught:
        view_of(record, View.GREEN)
    assert str(caught.value) == "green does not play in this game"
