"""Who knew what: counts by hand, against trying everything, and from every view of a game."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import log2
from pathlib import Path

import pytest

from referee.analysis import Figures, ObservedPly, assignments, figures, knowledge
from referee.analysis.counting import _exact, _sampled, counted
from referee.analysis.figures import Bluff
from referee.cli.main import main
from referee.journal.records.check import completed
from referee.journal.records.formats import read_record, write_record
from referee.journal.records.model import Record, View, rules_of
from referee.journal.records.views import view_of
from referee.rules import CombatResult, Move, Rank, Seat, Square, rule_set
from referee.table.views import Reveal
from tests.amount import tries
from tests.records.recorded_games import Recorded, lost_army, own_field, own_games, random_game

GAMES = ("barrage", "duel", "infiltrator", "stratego4", "stratego4-three", "stratego4-teams")


def squares(text: str) -> list[Square]:
    """Return squares by their names."""
    return [Square(name) for name in text.split()]


def of(record: Record) -> Figures:
    """Return the figures of a legal record."""
    return figures(record, rules_of(record), len(record.plies))


@pytest.fixture(scope="module")
def lost() -> Record:
    """Red's pieces that move run into as many of Blue's, in Barrage."""
    return completed(read_record(lost_army(own_turn=False).xml()))


# ---- counting


def test_the_counts_of_the_page() -> None:
    """The examples of docs/reference/analysis.md, in Python."""
    scout, either = {Rank.SCOUT}, {Rank.SCOUT, Rank.BOMB}
    found = assignments({Rank.SCOUT: 2, Rank.BOMB: 1}, [scout, either, either])
    half = {Rank.SCOUT: Fraction(1, 2), Rank.BOMB: Fraction(1, 2)}
    assert (found.ways, list(found.chances), found.error) == (2, [{Rank.SCOUT: Fraction(1)}, half, half], None)
    none = assignments({Rank.SCOUT: 2, Rank.BOMB: 1}, [scout, scout, scout])
    assert (none.ways, none.chances) == (0, [])

    red, blue = squares("a1 b1 c1 d1 e1 f1 g1 h1 i1 b2"), squares("b7 e7 a10 b10 c10 d10 e10 f10 g10 h10")
    occupants = dict.fromkeys(red, Seat.RED) | dict.fromkeys(blue, Seat.BLUE)
    b3, b7 = squares("b3 b7")
    plies = [
        ObservedPly(Move(Square("b2"), b3)),
        ObservedPly(Move(Square("e7"), Square("e6"))),
        ObservedPly(Move(b3, b7), CombatResult.DEFENDER_WINS, {b3: Rank.SCOUT, b7: Rank.MINER}),
    ]
    start, _, moved, fought = (known[Seat.BLUE] for known in knowledge(rule_set("duel"), occupants, plies, Seat.RED))
    assert (start.ways, start.chances[b7][Rank.BOMB]) == (453_600, Fraction(1, 5))  # 10! / (2! 2! 2!)
    assert moved.ways == 317_520  # 7 of the 10 pieces move
    assert (
        fought.ways == 60_480
    )  # 6 of the other 9 do, and 8! is divided by 2! 2! for each but scouts, of which one is left
    assert fought.chances[Square("e7")][Rank.SCOUT] == Fraction(1, 3)


def by_trying(counts: Sequence[int], masks: Sequence[int]) -> tuple[int, list[dict[int, Fraction]]]:
    """Return ways and chances by trying every assignment."""
    found = [
        ranks
        for ranks in itertools.product(range(len(counts)), repeat=len(masks))
        if all(mask >> rank & 1 for mask, rank in zip(masks, ranks, strict=True))
        and all(ranks.count(rank) <= many for rank, many in enumerate(counts))
    ]
    columns = zip(*found, strict=True) if found else ()
    return len(found), [{rank: Fraction(column.count(rank), len(found)) for rank in set(column)} for column in columns]


def test_counts_are_those_of_trying_everything() -> None:
    """Small armies, also with ranks left over and with pieces that cannot be anything."""
    rng = random.Random(24)
    for _ in range(tries(400)):
        counts = tuple(rng.randint(0, 3) for _ in range(rng.randint(1, 4)))
        whole = 2 ** len(counts) - 1
        pieces = rng.randint(0, min(6, sum(counts)))
        masks = [rng.choice([rng.randrange(whole + 1), whole, whole & ~1]) for _ in range(pieces)]
        ways, chances = by_trying(counts, masks)
        found = counted(counts, masks)
        assert found.ways == ways
        assert not ways or [found.chances[mask] for mask in masks] == chances


def test_samples_are_near_what_is_counted() -> None:
    """Both ways of an army that can be counted differ by no more than a few of the stated errors."""
    counts, full = (1, 1, 2, 3, 4, 4, 4, 5, 7, 1, 1, 6, 1), 2**13 - 1
    sizes = {full: 34, full & ~3: 2, full & ~0b11000: 2, full & ~0b1000000: 1, 0b11: 1}
    exact, sampled = _exact(counts, sizes), _sampled(counts, sizes)
    assert exact is not None
    assert sampled.error is not None
    assert abs(log2(exact.ways) - log2(sampled.ways)) < 4 * sampled.error.bits < 0.2
    off = [
        abs(float(chance - sampled.chances[mask][rank]))
        for mask in sizes
        for rank, chance in exact.chances[mask].items()
    ]
    assert max(off) < 5 * sampled.error.chance < 0.2


# ---- a game by hand


def bits(found: Figures, observer: str, army: Seat) -> list[tuple[int, float | None]]:
    """Return after which plies an observer's bits of an army changed, and to what."""
    return [(known.ply, known.bits) for known in found.observers[observer].knows if known.army is army]


def test_a_scout_that_runs_into_a_bomb(lost: Record) -> None:
    """8! / 2! armies at first; then each side knows one piece, and the public that e7 is one of four ranks."""
    found = of(lost)
    assert bits(found, "red", Seat.BLUE)[:2] == [(0, round(log2(20_160), 4)), (1, round(log2(2_520), 4))]
    assert bits(found, "blue", Seat.RED)[:2] == [(0, round(log2(20_160), 4)), (1, round(log2(5_040), 4))]
    after = next(known for known in found.observers["public"].knows if known.ply == 1 and known.army is Seat.BLUE)
    assert after.bits == round(log2(4 * 2_520), 4)
    survivor = dict.fromkeys((Rank.BOMB, Rank.MINER, Rank.GENERAL, Rank.MARSHAL), 0.25)
    (group,) = (group for group in after.groups if group.pieces == ["e7"])
    assert group.chances == survivor
    (rest,) = (group for group in after.groups if "f10" in group.pieces)
    assert rest.chances is not None
    assert (rest.chances[Rank.FLAG], rest.chances[Rank.BOMB]) == (round(1 / 7, 6), round(3 / 28, 6))
    assert found.took_most is not None
    assert (found.took_most.piece, found.took_most.rank, found.took_most.took) == ("e7", Rank.BOMB, 2)


def test_each_reveal_tells_what_it_tells(lost: Record) -> None:
    """With `book` Red knows the bomb; with the others the defender that won is one of four ranks, as everybody knows."""
    for reveal, ways in {Reveal.BOOK: 2_520, Reveal.ATTACKER_ONLY: 10_080, Reveal.RESULT_ONLY: 10_080}.items():
        found = of(replace(lost, reveal=reveal))
        assert bits(found, "red", Seat.BLUE)[1] == (1, round(log2(ways), 4))


def test_a_bluff_and_whether_it_is_called() -> None:
    """A scout finds the marshal on e7; then the miner steps beside him, who for all he knows could be the spy."""
    red = {"a1": "M", "b1": "B", "c1": "C", "a2": "D", "b2": "K", "c2": "L", "e4": "D", "f4": "E"}
    blue = {"a10": "Y", "b10": "N", "c10": "O", "d10": "P", "e10": "P", "f10": "Q", "e7": "X", "j7": "W"}
    moves = "E4-E7 K7-K6 F4-F5 K6-K7 F5-F6 K7-K6 F6-F7 E7-F7"
    pairs = tuple((move[:2], move[3:]) for move in moves.split())
    game = completed(read_record(Recorded("a bluff", "barrage", own_field(red | blue), pairs).xml()))
    assert of(game).bluffs == [Bluff(7, Seat.RED, "f4", "e7", called=True)]
    assert of(replace(game, reveal=Reveal.RESULT_ONLY)).bluffs == []  # Red does not know that it is the marshal
    assert of(replace(game, plies=game.plies[:7])).bluffs == [Bluff(7, Seat.RED, "f4", "e7", called=False)]


# ---- views


def test_a_view_without_what_was_told_says_so(lost: Record) -> None:
    """The public view lacks the bomb that Red was told of; what Blue was told is all public."""
    found = of(view_of(lost, View.PUBLIC))
    red = found.observers["red"]
    assert (red.unknown_from, red.why, [known.ply for known in red.knows]) == (1, "not-in-this-view", [0])
    assert found.observers["blue"].why is None
    assert found.unmoved_scouts == {Seat.RED: None, Seat.BLUE: None}


@pytest.mark.parametrize("rules", GAMES)
@pytest.mark.parametrize("reveal", list(Reveal))
def test_every_view_says_the_same_of_its_observer(rules: str, reveal: Reveal) -> None:
    """What a seat could know follows from its own view of the game, and the truth is always among it; secrets only shrink."""
    record = replace(random_game(rule_set(rules), 5, 40).record, reveal=reveal)
    whole = of(record)
    for seat in record.seats:
        seen = of(view_of(record, View(seat.value))).observers
        assert [seen[name] for name in (seat.value, "public")] == [
            whole.observers[name] for name in (seat.value, "public")
        ]
    for observer in whole.observers.values():
        assert observer.why is None
        last: dict[Seat, float] = {}
        for known in observer.knows:
            assert known.bits is not None
            assert known.bits <= last.get(known.army, 1000.0)
            last[known.army] = known.bits
            for group in known.groups:
                assert group.chances is not None
                assert {whole.armies[known.army][piece] for piece in group.pieces} <= group.chances.keys()


def test_games_without_figures() -> None:
    """No set-up, or an army of which nobody knows the counts."""
    assert of(Record("duel")).observers == {}
    found = of(completed(read_record(own_games()[2].xml(kind="classicfree"))))
    assert {(one.unknown_from, one.why, len(one.knows)) for one in found.observers.values()} == {(0, "any-army", 0)}


# ---- the command


def test_the_command_prints_the_page_s_keys(lost: Record, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One object with the keys of docs/reference/analysis.md; an illegal ply ends the figures."""
    path = tmp_path / "game.txt"
    path.write_text(write_record(lost, "own"), encoding="utf-8")
    found = analyse(path, capsys)
    assert list(found) == [
        *("file", "rules", "view", "reveal", "plies", "analysed", "armies", "observers"),
        *("turning_points", "bluffs", "took_most", "unmoved_scouts"),
    ]
    assert found["unmoved_scouts"] == {"red": {"piece": "e3", "plies": 2}, "blue": {"piece": "i7", "plies": 27}}
    game = own_games()[2]
    path.write_bytes(game.xml())
    found = analyse(path, capsys)
    assert (found["plies"], found["analysed"]) == (3, 2)
    path.write_bytes(game.xml(kind="classicfree"))
    assert main(["record", "analyse", str(path)]) == 0
    assert "red: unknown from ply 0: any-army" in capsys.readouterr().out
    assert main(["record", "analyse", str(path), "--rules", "barrage"]) == 0
    assert (
        "blue on red: 13.8842 bits left after ply 1" in capsys.readouterr().out
    )  # 6/8 of 20,160: the piece that moved


def analyse(path: Path, capsys: pytest.CaptureFixture[str]) -> Mapping[str, object]:
    """Run `record analyse --json`; return its one object."""
    assert main(["record", "analyse", str(path), "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    document = json.loads(out)
    assert isinstance(document, dict)
    return document
