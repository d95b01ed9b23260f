"""Audits: honest games hold, and every kind of forged record is named."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import permutations
from pathlib import Path

import pytest

from referee.journal.records.audit import Audit, audit
from referee.journal.records.chained import Finding
from referee.journal.records.check import completed
from referee.journal.records.formats import read_record, write_record
from referee.journal.records.model import Correction, CorrectionKind, Ply, Record, SetUp, View
from referee.journal.records.views import Follower, view_of
from referee.rules import CombatResult, EndReason, GameResult, Infiltrate, Move, rule_set
from referee.rules.values import BySeat, Rank, Seat, Square
from referee.table.commitments import leaf, root, seat_seed
from referee.table.views import Mode, Reveal
from tests.demo.running import hallmarshal
from tests.records.audited_games import facts, game, honest, journal, words
from tests.records.recorded_games import own_games, random_game, standing

RED, BLUE = Seat.RED, Seat.BLUE
DUEL = rule_set("duel")
BY_THE_RULES = {EndReason.FLAG, EndReason.IMMOBILE, EndReason.BOTH_IMMOBILE, EndReason.NO_PROGRESS}


# ---- commitments themselves


def test_numbers_to_check_another_program_by() -> None:
    """Golden: docs/reference/commitments.md has the same."""
    seed = seat_seed(bytes(range(32)), "0123456789abcdef", RED)
    assert seed == GOLDEN["seed"]
    set_up = {"a1": Rank.FLAG, "b1": Rank.BOMB, "c1": Rank.SPY}
    assert leaf(seed, "0123456789abcdef", RED, "a1", Rank.FLAG) == GOLDEN["leaf"]
    assert root(seed, "0123456789abcdef", RED, set_up) == GOLDEN["root"]
    page = (Path(__file__).resolve().parents[2] / "docs/reference/commitments.md").read_text()
    assert all(number in page for number in GOLDEN.values())


GOLDEN = {
    "seed": "003eee5e9b28336d4cbd05473495151183d5915394b974b32af8a0e4b23926f5",
    "leaf": "eb96bde9dd133e145309291acc85dde29a5d6ea851631916b7f23f31ddb1f5f6",
    "root": "80a39beeed1b5cf5daa7066d41b657bc36c901682b267b470aad0e002e5d372d",
}


def test_whatever_is_changed_changes_the_root() -> None:
    """Rank, square, seat, game, seed."""
    set_up = {"a1": Rank.FLAG, "b1": Rank.BOMB, "c1": Rank.SPY}
    seed = "ab" * 32
    roots = {
        root(seed, "g", RED, set_up),
        root(seed, "g", RED, {**set_up, "a1": Rank.BOMB, "b1": Rank.FLAG}),
        root(seed, "g", RED, {"a1": Rank.FLAG, "b1": Rank.BOMB, "d1": Rank.SPY}),
        root(seed, "g", BLUE, set_up),
        root(seed, "h", RED, set_up),
        root("ac" * 32, "g", RED, set_up),
    }
    assert len(roots) == 6
    assert root(seed, "g", RED, dict(reversed(set_up.items()))) == root(seed, "g", RED, set_up)


# ---- records


def test_an_honest_enrolled_game_is_proven_whole() -> None:
    """Both roots, every ply, every verdict, the ending; nothing stays open. It comes back from its text."""
    record = flag_game()
    found = audit(record)
    assert (found.wrong, found.open) == ((), ())
    assert len(found.proven) == 5
    assert audit(read_record(write_record(record, "own").encode())) == found
    assert audit(record, dict(record.roots)).holds


COMMITTED = "the set-up is the one that was committed to before the first move"


def test_the_words_of_an_audit() -> None:
    """What is proven, open and corrected, in its order: a bench and `--json` print it as it is."""
    record = flag_game()
    legal = f"all {len(record.plies)} plies are legal: who never moves never moved, who ran may run"
    fights = sum(ply.result is not None for ply in record.plies)
    verdicts = f"{fights} of {fights} verdicts follow from the ranks"
    flag = "the ending follows from the plies: flag"
    assert audit(record) == Audit((f"red: {COMMITTED}", f"blue: {COMMITTED}", legal, verdicts, flag))
    assert audit(replace(record, roots=BySeat({}), result=None)) == Audit(
        (legal, verdicts),
        (
            "red: nothing was committed to before the first move, so nothing proves that its set-up was enrolled",
            "blue: nothing was committed to before the first move, so nothing proves that its set-up was enrolled",
            "the record tells no ending: plies that came later are not missed",
        ),
    )
    seen = audit(view_of(record, View.PUBLIC))
    assert seen.open[:2] == tuple(
        f"{seat}: the record does not show the whole set-up and its seed, so its root cannot be computed"
        for seat in ("red", "blue")
    )
    unseen = [int(text.split()[0]) for text in seen.open if "are between pieces that this record does not show" in text]
    shown = [text for text in seen.proven if text.endswith(f" of {fights} verdicts follow from the ranks")]
    assert int(shown[0].split()[0]) + sum(unseen) == fights
    assert audit(Record("duel")) == Audit(open=("nothing was set up",))


def test_every_correction_has_its_sentence() -> None:
    """Who was concerned, after which ply, by whose word, and why."""
    kinds = CorrectionKind
    corrections = (
        Correction(kinds.TAKEN_BACK, 3, word="agreed"),
        Correction(kinds.TAKEN_BACK, 3, word="arbiter"),
        Correction(kinds.VOIDED, 4, RED, "agreed", "a wrong rank"),
        Correction(kinds.CLOCK, 5, BLUE, "60000"),
        Correction(kinds.PENALTY, 6, RED, reason="a phone rang"),
        Correction(kinds.RULING, 7),
        Correction(kinds.ENDED, 8, word="both-lose"),
    )
    assert audit(replace(standing("a1=flag a9=miner A10=flag J9=miner"), corrections=corrections)).corrected == (
        "the game went back to ply 3, as all players agreed",
        "the game went back to ply 3, by the arbiter's word",
        "the verdict of ply 4 was voided, as all players agreed: a wrong rank",
        "blue: a clock was set after ply 5",
        "red: a penalty after ply 6: a phone rang",
        "a ruling after ply 7",
        "the game was ended after ply 8 by the arbiter's word",
    )


def test_an_honest_declared_game_says_what_is_open() -> None:
    """Nothing was committed to before the first move; what was declared fits together."""
    found = audit(honest(Mode.DECLARE))
    assert found.holds
    assert [text for text in found.open if "nothing was committed" in text]


@pytest.mark.parametrize("view", [View.ARCHIVE, View.RED, View.PUBLIC])
def test_a_view_proves_what_it_shows(view: View) -> None:
    """A seat's own view proves its own root; nothing in another one can be mistaken for a proof, or a fault."""
    shown = view_of(replace(honest(), consent=frozenset()), view)
    found = audit(shown)
    assert found.holds
    whole = {RED} if view is View.RED else set()
    assert set(shown.seeds) == whole
    assert sum("committed to before" in text for text in found.proven) == len(whole)


@pytest.mark.parametrize("mode", Mode)
def test_a_record_that_claims_another_view_is_named(mode: Mode) -> None:
    """Whoever shows one view as another shows too much, or too little, wherever the two are not alike; set-ups tell it, seeds and plies."""
    game = replace(honest(mode), consent=frozenset({RED}))
    views = [View.REFEREE, View.RED, View.BLUE, View.PUBLIC, View.ARCHIVE]
    shown = {view: view_of(game, view) for view in views}
    assert all(audit(record).holds for record in shown.values())
    for one, other in permutations(views, 2):
        claimed = replace(shown[one], view=other)
        if mode is Mode.ENROL or one is View.REFEREE:
            assert words(audit(claimed)) & {"view", "rank"} or claimed == shown[other], (one, other)
        less = replace(shown[one], seeds=BySeat({}))
        assert (words(audit(less)) == {"view"}) is (mode is Mode.ENROL and bool(shown[one].seeds))


def test_a_record_that_tells_of_a_players_view_what_an_arbiter_wrote_is_named() -> None:
    """Only the referee's view holds his words."""
    ruled = replace(honest(), corrections=(Correction(CorrectionKind.RULING, 3, reason="touched is moved"),))
    assert audit(ruled).holds
    assert words(audit(replace(view_of(ruled, View.RED), corrections=ruled.corrections))) == {"view"}


def test_how_long_survivors_are_hidden_is_held_against_a_players_view() -> None:
    """What was told to a seat is what `reveal` says of it."""
    for view in (View.RED, View.BLUE):
        shown = view_of(honest(), view)
        assert words(audit(replace(shown, reveal=Reveal.RESULT_ONLY))) == {"view"}
        assert words(
            audit(replace(view_of(replace(honest(), reveal=Reveal.RESULT_ONLY), view), reveal=Reveal.BOOK))
        ) == {"rank"}


def test_a_game_of_a_table_was_not_played_with_any_army() -> None:
    """The word keeps a set-up from being checked."""
    assert words(audit(replace(honest(), any_army=True))) == {"record"}


def ranks_swapped(record: Record, one: Square, other: Square, seat: Seat = RED) -> Record:
    """Exchange two ranks of a set-up, wherever the record tells them."""
    old = record.set_ups[seat]
    new = SetUp({**old, one: old[other], other: old[one]})
    plies = tuple(replace(ply, attacker=None, defender=None) for ply in record.plies)
    return replace(record, set_ups=BySeat({**record.set_ups, seat: new}), plies=plies)


def still(record: Record, seat: Seat = RED) -> list[Square]:
    """Return the squares of pieces that were never moved or attacked."""
    named = {
        square
        for ply in record.plies
        if isinstance(ply.action, Move)
        for square in (ply.action.source, ply.action.target)
    }
    return [square for square in record.set_ups[seat] if square not in named]


def moved(record: Record, seat: Seat = RED) -> Square:
    """Return the square of a piece that moves without attacking; its rank stays as it is."""
    ply = next(ply for ply in record.plies if ply.seat is seat and ply.result is None)
    assert isinstance(ply.action, Move)
    return ply.action.source


def square_of(record: Record, *ranks: Rank, seat: Seat = RED) -> Square:
    """Return a square that one of these ranks was set up on."""
    return next(square for square, rank in record.set_ups[seat].items() if rank in ranks)


def two_still_ranks(record: Record) -> Record:
    """Two pieces that nobody ever touched change places: no ply shows it, only the root does."""
    for seat in (RED, BLUE):
        squares = still(record, seat)
        for one in squares:
            for other in squares:
                if record.set_ups[seat][one] is not record.set_ups[seat][other]:
                    return replace(ranks_swapped(record, one, other, seat), plies=record.plies)
    raise AssertionError("no two pieces stood still all the time: take another seed")


def one_rank_too_many(record: Record) -> Record:
    """The army has two marshals."""
    set_up = SetUp({**record.set_ups[RED], square_of(record, Rank.SCOUT): Rank.MARSHAL})
    return replace(record, set_ups=BySeat({**record.set_ups, RED: set_up}))


def a_bomb_walks(record: Record) -> Record:
    """What moved is said to have been a bomb."""
    return ranks_swapped(record, moved(record), square_of(record, Rank.BOMB))


def first_fight(record: Record) -> int:
    """Return the number of the first fight, from 0."""
    return next(at for at, ply in enumerate(record.plies) if ply.result is not None)


def with_ply(record: Record, at: int, *plies: Ply) -> Record:
    """Put other plies in the place of one."""
    return replace(record, plies=(*record.plies[:at], *plies, *record.plies[at + 1 :]))


def another_verdict(record: Record) -> Record:
    """A fight ends otherwise."""
    at = first_fight(record)
    result = record.plies[at].result
    other = CombatResult.DEFENDER_WINS if result is not CombatResult.DEFENDER_WINS else CombatResult.ATTACKER_WINS
    return with_ply(record, at, replace(record.plies[at], result=other))


def another_rank_told(record: Record) -> Record:
    """A fight tells another rank than was enrolled."""
    at = first_fight(record)
    ply = record.plies[at]
    return with_ply(record, at, replace(ply, attacker=Rank.MINER if ply.attacker is not Rank.MINER else Rank.SPY))


def a_ply_left_out(record: Record) -> Record:
    """The first ply is gone."""
    return with_ply(record, 0)


def a_ply_put_in(record: Record) -> Record:
    """The first ply stands there twice."""
    return with_ply(record, 0, record.plies[0], record.plies[0])


def another_result(record: Record) -> Record:
    """The winner is another one, by the rules."""
    return replace(record, result=GameResult(BLUE, EndReason.FLAG))


def another_seed(record: Record) -> Record:
    """The salts are made from something else."""
    return replace(record, seeds=BySeat({**record.seeds, RED: "00" * 32}))


def another_root(record: Record) -> Record:
    """The set-up and its root were changed together: only who noted the root when it was published can tell."""
    forged = two_still_ranks(record)
    assert forged.game is not None
    roots = {
        seat: root(forged.seeds[seat], forged.game, seat, {s.name: r for s, r in forged.set_ups[seat].known.items()})
        for seat in forged.seats
    }
    return replace(forged, roots=BySeat(roots))


FORGERIES: list[tuple[Callable[[Record], Record], set[str]]] = [
    (two_still_ranks, {"root"}),
    (one_rank_too_many, {"set-up"}),
    (a_bomb_walks, {"root", "immobile"}),
    (another_verdict, {"verdict"}),
    (another_rank_told, {"rank"}),
    (a_ply_left_out, {"not-your-piece"}),
    (a_ply_put_in, {"not-your-piece"}),
    (another_seed, {"root"}),
    (another_root, {"root"}),
]


@pytest.mark.parametrize(("forge", "found"), FORGERIES, ids=[row[0].__name__ for row in FORGERIES])
def test_a_forged_record_is_named(forge: Callable[[Record], Record], found: set[str]) -> None:
    """What is wrong, not merely that something is."""
    record = honest()
    wrong = audit(forge(record), dict(record.roots))
    assert found <= words(wrong)
    assert not wrong.holds
    assert audit(record, dict(record.roots)).holds
    assert len(wrong.proven) == (0 if "set-up" in found else 4 if found == {"root"} else 2) - ("root" in found)


@pytest.mark.parametrize(
    ("guess", "told", "wrong"),
    [
        (Rank.SPY, CombatResult.INFILTRATED, set()),
        (Rank.SPY, CombatResult.WRONG_GUESS, {"verdict"}),
        (Rank.MINER, CombatResult.WRONG_GUESS, set()),
        (Rank.MINER, CombatResult.INFILTRATED, {"verdict"}),
    ],
)
def test_a_guess_is_judged_by_the_rank_that_it_met(guess: Rank, told: CombatResult, wrong: set[str]) -> None:
    """As far as the record shows it."""
    blue: dict[Square, Rank | None] = {Square("a8"): Rank.SPY, Square("j10"): Rank.FLAG}
    red: dict[Square, Rank | None] = {Square("a7"): Rank.INFILTRATOR, Square("a1"): Rank.FLAG}
    ply = Ply(RED, Infiltrate(Square("a7"), Square("a8"), guess), told)
    record = Record("infiltrator", BySeat({RED: SetUp(red), BLUE: SetUp(blue)}), plies=(ply,), any_army=True)
    assert words(audit(record)) == wrong
    unseen = SetUp({**blue, Square("a8"): None})
    assert words(audit(replace(record, set_ups=BySeat({RED: SetUp(red), BLUE: unseen})))) == set()


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("view", [View.REFEREE, View.BLUE, View.PUBLIC])
def test_a_rank_that_is_left_out_of_a_fight_is_named(view: View, mode: Mode) -> None:
    """Whose knowledge the record holds was told it there; what was never told is not missed."""
    record = view_of(honest(mode), view)
    fights = [(at, side) for at, ply in enumerate(record.plies) if ply.result for side in ("attacker", "defender")]
    told = [(at, side) for at, side in fights if getattr(record.plies[at], side) is not None]
    assert told
    for at, side in told:
        ply = record.plies[at]
        less = replace(ply, attacker=None) if side == "attacker" else replace(ply, defender=None)
        found = audit(with_ply(record, at, less))
        assert [(one.what, one.ply) for one in found.wrong] == [("rank", at + 1)]


def test_what_is_wrong_has_its_place_and_its_sentence() -> None:
    """The word for programs, the ply, the seat, and a sentence that tells no rank."""
    record = honest()
    at = first_fight(record) + 1
    fight, verdict = record.plies[at - 1], another_verdict(record).plies[at - 1].result
    assert isinstance(fight.action, Move)
    assert fight.result is not None
    assert verdict is not None
    home = Follower(record.set_ups)
    for ply in record.plies[: at - 1]:
        home.play(ply)
    where = home.standing[fight.action.source][1].name
    not_it = "red: the set-up is not the one that was committed to"
    told = f"ply {at}: {verdict.value} does not follow from the ranks; {fight.result.value} does"
    assert audit(another_seed(record)).wrong == (Finding("root", not_it, seat=RED),)
    published = "the record's root is not the one that was published"
    assert audit(another_root(record), {RED: "ab"}).wrong == (Finding("root", f"red: {published}", seat=RED),)
    assert audit(another_verdict(record)).wrong == (Finding("verdict", told, at, fight.seat),)
    told = f"ply {at}: the piece set up on {where} was another rank before"
    assert audit(another_rank_told(record)).wrong == (Finding("rank", told, at, fight.seat),)
    assert audit(a_ply_put_in(record)).wrong == (Finding("not-your-piece", "ply 2: not-your-piece", 2),)
    assert [one.text.split()[:2] for one in audit(one_rank_too_many(record)).wrong] == [
        ["red:", "too-many"],
        ["red:", "too-few"],
    ]
    flag = flag_game()
    assert audit(another_result(replace(flag, plies=flag.plies[:-1]))).wrong == (
        Finding("result", "the plies do not lead to the end that the record tells: flag"),
    )
    nowhere = with_ply(record, 0, Ply(RED, Move(Square("e5"), Square("e6"))))
    assert audit(nowhere).wrong == (Finding("no-piece", "ply 1: no-piece", 1),)
    quiet = with_ply(record, 0, replace(record.plies[0], result=CombatResult.BOTH_LOST))
    assert audit(quiet).wrong == (Finding("record", "ply 1: this verdict does not belong to this action"),)


def flag_game() -> Record:
    """Return an enrolled game that ended with the flag; those of earlier seeds are long, and end otherwise."""
    games = (game(Mode.ENROL, seed)[1] for seed in range(51, 80))
    return next(record for record in games if record.result is not None and record.result.reason is EndReason.FLAG)


def test_a_forged_result_is_named() -> None:
    """In a game that ended by the rules."""
    record = flag_game()
    assert record.result is not None
    other = RED if record.result.winner is BLUE else BLUE
    assert words(audit(replace(record, result=GameResult(other, EndReason.FLAG)))) == {"result"}


@cache
def ended(name: str, reason: EndReason) -> Record:
    """Return a random game of a rule set that ended for this reason."""
    games = (random_game(rule_set(name), seed, 3000).record for seed in range(40))
    return next(record for record in games if record.result is not None and record.result.reason is reason)


ENDINGS = [("duel", EndReason.FLAG), ("duel", EndReason.IMMOBILE), ("stratego4-three", EndReason.IMMOBILE)]


@pytest.mark.parametrize(("name", "reason"), ENDINGS)
def test_an_ending_by_the_rules_is_proven_by_every_view(name: str, reason: EndReason) -> None:
    """It follows from what everybody saw."""
    record = ended(name, reason)
    for view in (View.REFEREE, View.ARCHIVE, View.PUBLIC, *(View(seat.value) for seat in record.seats)):
        found = audit(view_of(record, view))
        assert found.holds
        assert f"the ending follows from the plies: {reason.value}" in found.proven


@pytest.mark.parametrize(("name", "reason"), ENDINGS)
@pytest.mark.parametrize("left", [0.5, 0.9])
def test_a_game_that_was_cut_is_named(name: str, reason: EndReason, left: float) -> None:
    """Its last plies are gone, and another seat is said to have won: no view shows that the game ended there."""
    record = ended(name, reason)
    assert record.result is not None
    winner = next(seat for seat in record.seats if seat is not record.result.winner)
    plies = record.plies[: int(left * len(record.plies))]
    cut = replace(record, plies=plies, result=GameResult(winner, reason))
    assert words(audit(cut)) == {"result"}
    assert words(audit(view_of(cut, View.PUBLIC))) == {"result"} or left > 0.5


def turns(*moves: str) -> tuple[Ply, ...]:
    """Return the plies of moves like `a5-a6`, red's first; `a5xa6=defender-wins` is an attack."""
    plies = []
    for at, text in enumerate(moves):
        way, _, result = text.replace("x", "-").partition("=")
        source, target = map(Square, way.split("-"))
        plies.append(Ply((RED, BLUE)[at % 2], Move(source, target), CombatResult(result) if result else None))
    return tuple(plies)


def test_what_is_wrong_before_the_first_untrue_verdict_is_found_and_nothing_after_it() -> None:
    """Whatever follows an untrue verdict was played from another position, and so was the ending."""
    record = replace(
        standing("a1=flag a5=miner j4=scout A10=flag A6=scout J9=miner"), result=GameResult(RED, EndReason.FLAG)
    )
    untrue = "a5xa6=defender-wins"
    verdict = [("verdict", 1)]
    assert found(record, untrue) == found(record, untrue, "a10-a9") == verdict
    assert found(record, "a1-b1", "j9-j8", untrue) == [("immobile", 1), ("verdict", 3)]
    assert found(record, "j4-j5", "a10-a9", untrue) == [("immobile", 2), ("verdict", 3)]
    assert found(record, "j4-j5", "j9-j8", untrue) == [("verdict", 3)]
    assert found(record, "j4-j5", "j9-j8", "a5xa6=attacker-wins") == [("result", None)]
    (text,) = [one.text for one in audit(replace(record, plies=turns(untrue))).wrong]
    assert text == "ply 1: defender-wins does not follow from the ranks; attacker-wins does"


def found(record: Record, *moves: str) -> list[tuple[str, int | None]]:
    """Return the words and plies of what is wrong in a record with these plies."""
    return [(one.what, one.ply) for one in audit(replace(record, plies=turns(*moves))).wrong]


def test_another_rank_of_the_piece_that_was_attacked_is_named() -> None:
    """By the square that it was set up on."""
    record = standing("a1=flag a5=miner A10=flag A6=scout J9=miner")
    (fight,) = turns("a5xa6=attacker-wins")
    wrong = audit(replace(record, plies=(replace(fight, attacker=Rank.MINER, defender=Rank.SPY),))).wrong
    assert wrong == (Finding("rank", "ply 1: the piece set up on a6 was another rank before", 1, BLUE),)


def test_who_gave_up_before_the_first_ply_is_followed() -> None:
    """Its pieces are gone in all that is looked at."""
    record = random_game(rule_set("stratego4"), 3, 40).record
    assert record.before
    assert audit(record).holds


def test_house_rules_judge_what_they_allow_and_bring_the_set_up_check_back() -> None:
    """A longer limit makes a ply legal; an army of one's own choice is none of Original's."""
    record = read_record(own_games()[1].xml())
    assert words(audit(record)) == {"two-squares"}
    assert audit(record, rules=rule_set("barrage").with_options({"two_square_limit": 5})).holds
    free = standing("a1=flag a5=miner A10=flag A6=scout J9=miner")
    assert audit(free).holds
    assert {(one.what, one.ply) for one in audit(free, rules=rule_set("original")).wrong} == {("set-up", None)}


@pytest.mark.parametrize(("name", "to"), [("duel", "strados2"), ("barrage", "strados2"), ("barrage", "gsn")])
def test_a_format_that_tells_no_verdicts_is_audited(name: str, to: str) -> None:
    """They follow from the set-ups, so the game is proven as far as one of ours, and a cut one is named."""
    text = write_record(ended(name, EndReason.FLAG), to)
    record = read_record(text.encode())
    assert {ply.result for ply in record.plies} == {None}
    found = audit(record)
    assert found.holds
    fights = sum(ply.result is not None for ply in completed(record).plies)
    assert fights > 0
    assert {f"{fights} of {fights} verdicts follow from the ranks", "the ending follows from the plies: flag"} <= {
        *found.proven
    }
    assert words(audit(replace(record, plies=record.plies[:-1]))) == {"result"}


def test_a_limit_that_was_not_reached_is_named() -> None:
    """An end for want of progress follows from the plies alone."""
    cut = replace(honest(), result=GameResult(None, EndReason.NO_PROGRESS))
    assert words(audit(cut)) == {"result"}


@pytest.mark.parametrize("reason", [each for each in EndReason if each not in BY_THE_RULES])
def test_an_ending_that_no_ply_shows_is_open(reason: EndReason) -> None:
    """Nobody can say by the plies alone whether somebody resigned, agreed or ran out of time, nor whether plies are missing."""
    found = audit(replace(honest(), result=GameResult(BLUE, reason)))
    assert found.holds
    (text,) = [text for text in found.open if "ending does not follow" in text]
    assert f"({reason.value})" in text


def test_a_game_without_an_ending_says_so() -> None:
    """Plies that were cut off are not missed then."""
    found = audit(replace(honest(), result=None))
    assert found.holds
    assert [text for text in found.open if "no ending" in text]


def test_what_an_arbiter_ruled_after_the_end_is_no_forgery() -> None:
    """The result that counts is the arbiter's; without the order it is named."""
    record = flag_game()
    ruled = replace(record, result=GameResult(BLUE, EndReason.RULED))
    assert words(audit(ruled)) == {"result"}
    order = Correction(CorrectionKind.ENDED, len(record.plies), BLUE, "ruled", "the clock was not pressed")
    found = audit(replace(ruled, corrections=(order,)))
    assert found.holds
    assert [text for text in found.open if "(ruled)" in text]


def test_who_cannot_move_any_more_has_lost_at_once_or_at_his_turn() -> None:
    """Booklets say the one, federations the other: red's last piece falls by red's own attack, and blue can move."""
    record = standing("a1=flag a5=miner J10=flag A6=miner J6=scout")
    fight = Ply(RED, Move(Square("a5"), Square("a6")), CombatResult.BOTH_LOST, Rank.MINER, Rank.MINER)
    plies = (fight, Ply(BLUE, Move(Square("j6"), Square("j7"))))
    at_once = replace(record, plies=plies[:1], result=GameResult(BLUE, EndReason.IMMOBILE))
    assert audit(at_once).holds
    assert "the ending follows from the plies: immobile" in audit(at_once).proven
    assert words(audit(replace(at_once, result=GameResult(RED, EndReason.IMMOBILE)))) == {"result"}
    assert words(audit(replace(at_once, result=GameResult(None, EndReason.BOTH_IMMOBILE)))) == {"result"}
    assert words(audit(replace(at_once, plies=()))) == {"result"}
    assert audit(replace(at_once, plies=plies, options={"army_lost": "own-turn"})).holds


@pytest.mark.parametrize("result", [GameResult(BLUE, EndReason.IMMOBILE), GameResult(None, EndReason.BOTH_IMMOBILE)])
def test_a_claim_among_unknown_pieces_is_open(result: GameResult) -> None:
    """Whoever says that no piece can move, and is believed: the plies do not contradict it, and do not show it."""
    found = audit(replace(standing("a1= b1= A10= B10="), result=result))
    assert found.holds
    assert [text for text in found.open if "ending does not follow" in text]


def test_a_scout_that_was_none_is_named() -> None:
    """What ran is said to have been another piece."""
    for seed in range(1, 40):
        _, record = game(Mode.ENROL, seed)
        for ply in record.plies:
            if not isinstance(ply.action, Move) or _near(ply.action):
                continue
            start = ply.action.source
            if record.set_ups[ply.seat].get(start) is not Rank.SCOUT:
                continue
            forged = ranks_swapped(record, start, square_of(record, Rank.MARSHAL, seat=ply.seat), ply.seat)
            if "too-far" in words(audit(forged)):  # else a fight betrays it before it runs
                return
    raise AssertionError("no scout ran from its first square")


def _near(move: Move) -> bool:
    one, other = move.source.name, move.target.name
    return abs(ord(one[0]) - ord(other[0])) + abs(int(one[1:]) - int(other[1:])) == 1


# ---- the command


@pytest.mark.process
def test_the_command_says_it_with_its_exit_code(tmp_path: Path) -> None:
    """0 where nothing is wrong, 1 where something is, 2 for what cannot be read; journals by their key beside them, or without it."""
    record = honest()
    files = {"good": record, "bad": two_still_ranks(record)}
    for name, one in files.items():
        (tmp_path / name).write_text(write_record(one, "own"))
    good = hallmarshal("record", "audit", str(tmp_path / "good"), "--json", state=tmp_path)
    assert (good.returncode, json.loads(good.stdout)["holds"], good.stderr) == (0, True, "")
    bad = hallmarshal("record", "audit", str(tmp_path / "bad"), state=tmp_path)
    assert bad.returncode == 1
    assert (
        "wrong: red: the set-up is not the one" in bad.stdout or "wrong: blue: the set-up is not the one" in bad.stdout
    )
    path = journal(tmp_path, list(facts(Mode.ENROL)))
    whole = hallmarshal("record", "audit", str(path), "--root", f"red={record.roots[RED]}", "--json", state=tmp_path)
    assert (whole.returncode, json.loads(whole.stdout)["plies"]) == (0, len(record.plies))
    path.with_name("journal.key").unlink()
    lost = hallmarshal("record", "audit", str(path), "--json", state=tmp_path)  # as of a game whose key was destroyed
    assert (lost.returncode, len(lost.stderr.splitlines())) == (
        0,
        1,
    )  # which says that only what is public was looked at
    assert len(json.loads(lost.stdout)["open"]) > len(json.loads(whole.stdout)["open"])
