"""The accuracy bench in small: 300 plies a world, nothing misread, nothing lost; and the arithmetic of its figures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from benchmarks import accuracy
from benchmarks.accuracy import Kept, measure, the_board
from benchmarks.accuracy_tally import VERDICTS, Tally, lines
from benchmarks.game_sources import MovesError, random_games, recorded_games
from benchmarks.hand_match import HandMatch, Meant, TimedEvent, WrongRead
from benchmarks.hands import first_hands, rank_at
from benchmarks.measuring import put_line
from benchmarks.second_hands import second_hands
from referee.field_trial.result import percentiles
from referee.journal.records.gravon import PIECES, RANKS
from referee.rules import Move, rule_set
from referee.rules.values import Rank, Seat, Square
from referee.runtime.errors import BadInputError
from referee.table.views import PublicEvent
from simulator.profiles import load_profile
from tests.amount import tries

WHOLE = 300
PLIES = WHOLE if tries(WHOLE) == WHOLE else 60
SLICED = tries(200)
"""Plies of a run that is left off and goes on, in games of a quarter of them."""
MOST_ASKED = {"clean": 1, "home": 8, "rough": 40}
"""In 300 plies, accidents included: far above the rates, so that only a regression fails here and not a seed."""
MOST_GHOSTS = {"clean": 0, "home": 4, "rough": 6}
"""The same for wrong reads after a short rest or none."""
ENOUGH = tries(10)
"""Fewer verdicts of a class than this say nothing about its percentiles; and about the 99th only the whole sample says something."""

WAITS_MS = {"attack, both lifted": 2_100, "attack, colour change": 2_100}
"""Above their targets, which the page marks as missed: no attack is asked about while the move before it is open (`rest_ms`)."""


@pytest.mark.parametrize("sensing", ["colour", "occupancy"])
@pytest.mark.parametrize("profile", ["clean", "home", "rough"])
def test_sample(profile: str, sensing: str) -> None:
    """No wrong final ply, none lost, few prompts, verdicts in time."""
    tally = Tally()
    measure(tally, profile=profile, sensing=sensing, plies=PLIES, seed=3)
    assert (tally.misread, tally.lost) == (0, 0), tally.faults
    assert tally.plies >= PLIES
    assert tally.asked <= MOST_ASKED[profile]
    timed: set[str] = set()
    assert tally.ghost <= MOST_GHOSTS[profile]
    assert tally.false_attacks <= 1
    for name, (median_ms, most_ms) in VERDICTS.items():
        if len(values := tally.latencies[name]) >= ENOUGH:
            found = percentiles(values)
            assert found["p50"] <= median_ms, (name, found)
            assert found["p99"] <= WAITS_MS.get(name, most_ms) or PLIES < WHOLE, (name, found)
            timed.add(name)
    assert {"lift", "slide", "attack, both lifted", "board agrees"} <= timed


@pytest.mark.parametrize("sensing", ["colour", "occupancy"])
def test_second_hands(sensing: str) -> None:
    """The second generator's hands play against the whole of sensing and table too, and every ply is accounted for."""
    tally = Tally()
    measure(tally, profile="home", sensing=sensing, plies=PLIES // 4, seed=3, maker=second_hands())
    assert tally.plies >= PLIES // 4
    assert not tally.rejected
    assert tally.misread <= 1, tally.faults
    assert {"lift", "slide", "attack, both lifted", "board agrees"} <= set(tally.latencies)


def test_the_same_seed_gives_the_same_figures() -> None:
    """Everything is drawn from the seed."""
    first, second = Tally(), Tally()
    for tally in (first, second):
        measure(tally, profile="home", sensing="colour", plies=tries(80), seed=5)
    assert first.figures() == second.figures()


class ShortMatch(HandMatch):
    """A game that is left after some plies, so that a small run has several."""

    def play(self, most_plies: int, told: Callable[[], None]) -> None:
        """Play on to `most_plies` of the run, but not for long."""
        super().play(min(most_plies, self.tally.plies + SLICED // 4), told)


def test_a_run_in_slices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is left off after a game goes on with the next one, from a file that belongs to the same arguments alone."""
    monkeypatch.setattr(accuracy, "HandMatch", ShortMatch)
    arguments: dict[str, object] = {"seed": 5}
    whole, kept, path = Tally(), Kept(tmp_path / "counts.json", arguments), tmp_path / "counts.json"
    measure(whole, profile="gaps", sensing="colour", plies=SLICED, seed=5, maker=second_hands(0.1))
    games = 0
    while kept.tally.plies < SLICED:
        games = measure(
            kept.tally,
            profile="gaps",
            sensing="colour",
            plies=SLICED,
            seed=5,
            maker=second_hands(0.1),
            first_game=kept.games,
            ended=lambda games: False,
        )
        kept.save(games, 1.5, at_once=True)
        kept = Kept(path, arguments)
        assert (kept.games, kept.cpu_s) == (games, 1.5)
    assert games > 2
    assert kept.tally.figures() == whole.figures()
    with pytest.raises(BadInputError, match="other arguments"):
        Kept(path, {"seed": 6})
    path.write_text('{"arguments": {"seed": 5}, "games": 1, "cpu_s": 1, "tally": {"plies": 1}}')
    with pytest.raises(BadInputError, match="no counts of this bench"):
        Kept(path, arguments)


def test_set_ups_of_people(tmp_path: Path) -> None:
    """Each line is an army as its player sees it, front row first; what is none is one clear line."""
    path = tmp_path / "set-ups.txt"
    path.write_text("DDDDDDDDEEEEEFFFFGGGGHHHHIIIJJKLCBBBBBBM\n")
    game = next(random_games(rule_set("original"), 1, path)).start
    shown = {name: rank_at(game, game.rule_set.board.square(name)) for name in ("a4", "j1", "i1", "j7", "a10", "b10")}
    assert shown == {
        "a4": Rank.SCOUT,
        "j1": Rank.FLAG,
        "i1": Rank.BOMB,
        "j7": Rank.SCOUT,
        "a10": Rank.FLAG,
        "b10": Rank.BOMB,
    }
    for wrong in ("", "DDD", 40 * "D"):
        path.write_text(wrong)
        with pytest.raises(MovesError, match="not every line is a set-up"):
            next(random_games(rule_set("original"), 1, path))


def test_readings_that_are_taken_back_together() -> None:
    """Right ones count as unsaid without need, unless a wrong one below them was the reason; plies may be open in any number."""
    rules = rule_set("original")
    match = HandMatch(
        next(random_games(rules, 1)), the_board("colour", None), load_profile("clean"), "1", Tally(), first_hands
    )
    squares = [("a4", "a5"), ("b7", "b6"), ("e4", "e5")]
    still = replace(match.hands.restore(match.truth), rest_ms=0)
    for ply, (source, target) in enumerate(squares, 1):
        move = Move(rules.board.square(source), rules.board.square(target))
        match._meant[ply] = Meant(move, attack=False, ply=still, far=False)

    def take(*events: tuple[str, int, str, str]) -> int:
        heard = [
            TimedEvent(10, PublicEvent("bench", 1, kind, ply, source=source, target=target))
            for kind, ply, source, target in events
        ]
        match._take(heard)
        return match.tally.unsaid

    read = [("move.read", ply, *squares[ply - 1]) for ply in (1, 2, 3)]
    unread = [("move.unread", ply, *squares[ply - 1]) for ply in (3, 2, 1)]
    assert take(*read) == 0
    assert take(unread[0]) == 1
    assert take(read[2], *unread) == 4
    wrong = ("move.read", 1, "a4", "a6")
    assert take(wrong, *read[1:]) == 4
    assert take(*unread[:2], ("move.revised", 1, "a4", "a5")) == 4
    assert match.tally.corrected == 1
    assert take(*read[1:], *unread[:2], ("move.revised", 1, "a4", "a6")) == 7
    revised = match.tally.revised
    match._meant[4] = Meant(
        Move(rules.board.square("a4"), rules.board.square("a5")),
        attack=False,
        ply=replace(still, rest_ms=10_000),
        far=False,
    )
    assert take(("move.read", 4, "a4", "a5"), ("move.unread", 4, "a4", "a5")) == 7, (
        "an attempt that was taken back, and is made again"
    )
    assert match.tally.revised == revised + 1


def test_recorded_games(tmp_path: Path) -> None:
    """Two whole armies and two moves in the corpus's numbers; the second is blue's, seen from its own side."""
    red, blue = "MBBBBBBCDDDDDDDDEEEEEFFFFGGGGHHHHIIIJJKL", "YNNNNNNOPPPPPPPPQQQQQRRRRSSSSTTTTUUUVVWX"
    (tmp_path / "original-1.txt").write_text(f"{red}AA__AA__AAAA__AA__AA{blue[::-1]}\n330\n330\n")
    (game,) = islice(recorded_games(rule_set("original"), tmp_path), 1)
    truth = game.start.copy()
    played = []
    while (move := game.choose(truth)) is not None:
        played.append(repr(move))
        truth.play(move)
    assert played == ["a4-a5", "j7-j6"]


def test_no_recorded_games(tmp_path: Path) -> None:
    """An empty folder and a broken file are one clear line."""
    with pytest.raises(MovesError, match="no recorded game"):
        next(recorded_games(rule_set("original"), tmp_path))
    (tmp_path / "original-2.txt").write_text("nonsense\nx\n")
    with pytest.raises(MovesError, match="not a recorded game"):
        next(recorded_games(rule_set("original"), tmp_path))


def test_page_shows_what_is_missed(tmp_path: Path) -> None:
    """A figure above its limit is bold, one within it is not; a second run with the same arguments takes the place of the first."""
    tally = Tally(
        plies=1000, asked=9, asked_needless=9, misread=1, ghost=2, revised=7, short_pauses=3, corrected=9, unsaid=1
    )
    tally.final_after_reply += [0, 0, 2_000]
    tally.latencies["lift"] += [80, 80, 500]
    run = {"profile": "home", "sensing": "colour", "moves": "recorded", "seed": 1, "accidents_factor": 2.0, "hz": 50}
    run |= {"hands": "second", "overlap": 0.1, "set_ups": "random"}
    page = tmp_path / "page.md"
    page.write_text("".join(f"<!-- {name} -->\n<!-- /{name} -->\n" for name in ("counts", "verdicts", "hands")))
    for block, begin, rest in [*lines({**run, **Tally().figures()}), *lines({**run, **tally.figures()})]:
        put_line(page, block, begin, rest)
    text = page.read_text()
    assert "| **1 (0.473 %)** |" in text
    assert "| **0.90 % (0.2 %)** |" in text
    assert "| 0 (0.000 %) | 1 (0.10 %) | 0 / 2000 |" in text
    tally.final_after_reply_seen += [0, 0, 900]
    (_, _, counts), *_ = lines({**run, "profile": "gaps", **tally.figures()})
    assert counts.endswith("| 0 / 2000 (900) |")
    assert "| **80 / 500 / 500** |" in text
    assert "| **2 (0.20 %)** | 5 (0.50 %) |" in text
    assert text.count("second hands, home, colour, recorded games, 2 times the accidents, overlap 0.1, 50 Hz") == 3


@pytest.mark.parametrize(
    ("left_ms", "paused_ms", "counts"),
    [(1249, 200, (1, 0, 0)), (1250, 200, (0, 1, 1)), (1340, 250, (0, 1, 0)), (None, 0, (0, 1, 1))],
)
def test_a_rest_is_timed_as_verdicts_are(left_ms: int | None, paused_ms: int, counts: tuple[int, int, int]) -> None:
    """From the magnet's coming into sight to its going; the first time that it leaves counts."""
    changes = iter([1000, left_ms or 1000, 9000])
    wrong = WrongRead(PublicEvent("game", 1, "move.read", 1, source="a4", target="a5"), 1000)
    wrong.watch(lambda square: next(changes))
    wrong.watch(lambda square: next(changes))
    if left_ms is not None:
        wrong.watch(lambda square: next(changes))
    tally = Tally()
    assert tally.count_wrong(wrong.stood_ms, paused_ms) is bool(counts[0])
    assert (tally.ghost, tally.revised, tally.short_pauses) == counts


NUMBERED = ("scout", "miner", "sergeant", "lieutenant", "captain", "major", "colonel", "general", "marshal")
CORPUS = ("flag", "spy", *NUMBERED, "bomb")
"""Ranks in the order of `CORPUS_LETTERS`: the flag first. Gravon's own order begins with the bomb and ends with the flag."""
CORPUS_LETTERS = {Seat.RED: "MCDEFGHIJKLB", Seat.BLUE: "YOPQRSTUVWXN"}


def test_the_letters_of_the_corpus(tmp_path: Path) -> None:
    """Each letter is its rank and its army's, written out here: the two orders of ranks are not the same, their letters agree."""
    field = list("MBBBBBBCDDDDDDDDEEEEEFFFFGGGGHHHHIIIJJKLAA__AA__AAAA__AA__AAXWVVUUUTTTTSSSSRRRRQQQQQPPPPPPPPONNNNNNY")
    (tmp_path / "original-1.txt").write_text("".join(field) + "\n")
    (game,) = islice(recorded_games(rule_set("original"), tmp_path), 1)
    meant = {
        letter: (seat, Rank(rank))
        for seat, letters in CORPUS_LETTERS.items()
        for letter, rank in zip(letters, CORPUS, strict=True)
    }
    found: dict[Square, tuple[Seat, Rank]] = {}
    for square, seat in game.start.occupants().items():
        piece = game.start.piece_at(square)
        assert piece is not None
        (rank,) = game.start.possible(piece)
        found[square] = seat, rank
    assert found == {
        Square(f"{'abcdefghij'[index % 10]}{index // 10 + 1}"): meant[letter]
        for index, letter in enumerate(field)
        if letter in meant
    }
    assert set(found.values()) == set(meant.values()), "every letter stands on the board"
    assert meant == PIECES
    assert [rank.value for rank in RANKS] == ["bomb", *CORPUS[1:-1], "flag"]
