"""Both armies turned over, attacked from outside: written from docs/reference/messages.md alone.

Twins play the same game by a told clock; all that differs is what one of them answers. Until the time everything that anybody but
the speaker can see is the same byte by byte, and so it stays for ever where the outcome is the same.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

import pytest

from referee.rules.values import Rank, Seat
from referee.sensing import Agreed, Lifted
from referee.table.arbiter_commands import EndGame, Rule, SetHallClock, TakeBack, VoidVerdict
from referee.table.inputs import Abort, BoardLink, BrokerLink, Input, Leave, Tick
from referee.table.messages import (
    Accepted,
    Consent,
    Rejected,
    Resign,
)
from referee.table.settings import ClockKind, TimeControl
from referee.table.views import Finale, Mode
from tests.security.watched_finale import (
    FEW,
    FINALE_MS,
    TRUE,
    TURNED,
    WAYS,
    Watched,
    agreed,
    consent,
    cut,
    difference,
    last,
    looped,
    other_first,
    outcome,
    played,
    same_for_ever,
    same_until_the_time,
)
from tests.table.sitting import BLUE, DUEL_BLUE, DUEL_RED, RED

# ---- answers, twin by twin


@pytest.fixture(scope="module", params=list(Mode))
def twins(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Watched]:
    """Return the same game with each pair of answers, by what red and blue said."""
    folder = tmp_path_factory.mktemp("twins")
    pairs = [
        *((red, blue) for red in TRUE for blue in ("none", "yes")),
        *(("none", blue) for blue in TRUE[2:]),
        ("wrong", "wrong"),
    ]
    return {
        pair: played(folder / str(at), request.param, dict(zip((RED, BLUE), pair, strict=True)))
        for at, pair in enumerate(pairs)
    }


def test_no_answer_shows_before_the_time(twins: dict[tuple[str, str], Watched]) -> None:
    """Events, states, infos, orders, letters to the other, what an arbiter is told, log, disk, record, and when the table is woken."""
    same_until_the_time(twins)


def test_afterwards_the_outcome_shows_and_in_the_record_who_agreed(twins: dict[tuple[str, str], Watched]) -> None:
    """A refused set-up, several, silence: nobody can ever tell who did not agree from who was refused or said nothing."""
    same_for_ever(twins)


def test_the_record_tells_who_agreed_and_no_other_view_anything(twins: dict[tuple[str, str], Watched]) -> None:
    """One row for each who agreed, in the order of the seats, right before the outcome; the set-up is in the archive's view alone."""
    silent = last(twins["none", "none"], "views")
    for (red, blue), table in twins.items():
        owners = [seat for seat, way in ((RED, red), (BLUE, blue)) if agreed(way)]
        assert table.since == [*(("consent", seat.value) for seat in owners), ("finale", None)]
        views = last(table, "views")
        said = f"consent = {', '.join(seat.value for seat in owners)}\n"
        assert (said in views["archive"]) is bool(owners)
        for seat in (RED, BLUE):
            assert (f"{'a1' if seat is RED else 'j10'} flag" in views["archive"]) is (seat in owners)
        for view in {"red", "blue", "public"} - {seat.value for seat in owners}:  # what an owner says of his own is his
            assert _without_consents(views[view]) == _without_consents(silent[view])


def _without_consents(record: str) -> str:
    return re.sub(r"^consent = .*\n", "", record, flags=re.MULTILINE)


def test_the_answers_lie_sealed_in_a_file_of_one_length(twins: dict[tuple[str, str], Watched]) -> None:
    """From the end on, whatever was said, for nobody else on the machine; and gone with the outcome."""
    sizes = set()
    for table in twins.values():
        for at, what, files in table.kept:
            if what == "files":
                kept = cast(dict[str, object], files)
                assert ("journal.answers" in kept) is (at < table.ended_ms + FINALE_MS)
                sizes |= {kept["journal.answers"]} if "journal.answers" in kept else set()
    ((size, mode),) = cast(set[tuple[int, int]], sizes)
    assert size > 0
    assert mode & 0o077 == 0


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("away", [RED, BLUE])
def test_whose_phone_is_away_is_as_whoever_is_silent(mode: Mode, away: Seat, tmp_path: Path) -> None:
    """It answered before it went, was refused, or said nothing; the other answers, or does not."""
    here = BLUE if away is RED else RED
    tables = {}
    for at, (gone, there) in enumerate([(one, other) for one in FEW for other in ("none", "yes")]):
        ways = {away: gone, here: there}
        table = played(tmp_path / str(at), mode, ways, at_s={away: 2, here: 20}, away=away)
        tables[ways[RED], ways[BLUE]] = table
    same_until_the_time(tables)
    same_for_ever(tables)


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("ways", [("none", "none"), ("none", "yes"), ("yes", "yes")])
def test_what_comes_after_the_time_is_for_the_record_alone(mode: Mode, ways: tuple[str, str], tmp_path: Path) -> None:
    """Red's yes, or a refused one: outcome and state stay, blue and everybody else are told nothing."""
    tables = {
        way: played(tmp_path / way, mode, dict(zip((RED, BLUE), ways, strict=True)), late={RED: way}) for way in FEW
    }
    silent = tables["none"]
    for table in tables.values():
        assert not difference(table.all, silent.all)
        assert not difference(table.to[BLUE], silent.to[BLUE])
    assert not difference(tables["wrong"].kept, silent.kept)
    said = "consent = red" + (", blue" if ways[1] == "yes" else "")
    assert said in last(tables["yes"], "views")["archive"]
    if ways[0] == "none":
        assert tables["yes"].since == [*tables["none"].since, ("consent", "red")]


@pytest.mark.parametrize("mode", list(Mode))
def test_who_answered_first_is_not_told(mode: Mode, tmp_path: Path) -> None:
    """The other way round, early, and in the last moment: the same disk, the same words to everybody."""
    times: Sequence[Mapping[Seat, int]] = ({RED: 10, BLUE: 20}, {RED: 20, BLUE: 10}, {RED: 59, BLUE: 1})
    one, *more = (played(tmp_path / str(at), mode, {RED: "yes", BLUE: "yes"}, at_s=times[at]) for at in range(3))
    for table in more:
        assert not difference(table.all, one.all)
        assert not difference(table.before_the_time(table.kept), one.before_the_time(one.kept))
        assert not difference(table.kept, one.kept)


def test_with_clocks_it_is_the_same(tmp_path: Path) -> None:
    """No clock runs on, and none tells when somebody spoke."""
    clock = TimeControl(ClockKind.SUDDEN_DEATH, 600_000)
    pairs = (("none", "none"), ("yes", "none"), ("wrong", "none"), ("none", "yes"))
    tables = {
        pair: played(tmp_path / str(at), Mode.DECLARE, {RED: pair[0], BLUE: pair[1]}, clock=clock)
        for at, pair in enumerate(pairs)
    }
    same_until_the_time(tables)
    same_for_ever(tables)


def test_a_refusal_is_as_long_as_a_yes(tmp_path: Path) -> None:
    """Who listens to the wire sees that a seat has spoken, and never that its set-up was refused."""
    with Watched(tmp_path, Mode.DECLARE) as table:
        table.play()
        table.end()
        said = {table.to[RED][-1][1] for word in ("lie", "yes", "more", "lie") if table.consents(RED, word)}
        assert len(said) == 1


def test_part_of_a_set_up_is_no_consent_in_declare_mode(tmp_path: Path) -> None:
    """Nothing, one piece, all but one: the referee does not know the rest. Refused, and as if it had not been said."""
    with Watched(tmp_path, Mode.DECLARE) as table:
        table.play()
        table.end()
        table.all_say(BLUE, "yes")
        for at, pieces in enumerate(({}, {"a1": Rank.FLAG}, dict(list(DUEL_RED.items())[:-1]))):
            table.say(RED, Consent(id=f"part-{at}", set_up=pieces))
            assert isinstance(table.answers[-1], Rejected), pieces
        table.after(FINALE_MS)
        assert table.shown() == (Finale.COVERED, {})


# ---- the time itself


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("seat", [RED, BLUE])
@pytest.mark.parametrize("way", FEW)
def test_a_yes_in_the_last_millisecond_counts(mode: Mode, seat: Seat, way: str, tmp_path: Path) -> None:
    """And nothing comes of it before the time."""
    with Watched(tmp_path, mode) as table:
        table.play()
        table.end()
        table.all_say(BLUE if seat is RED else RED, "yes")
        table.after(FINALE_MS - 1)
        table.all_say(seat, way)
        assert table.outcomes() == []
        table.after(FINALE_MS)
        assert table.outcomes() == [(FINALE_MS, outcome(way)[0].value)]
        assert table.shown() == outcome(way)


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("seat", [RED, BLUE])
def test_a_yes_in_the_instant_of_the_outcome_counts_whole_or_not_at_all(mode: Mode, seat: Seat, tmp_path: Path) -> None:
    """It is heard before the table was woken for the outcome: one outcome, at the time, and a record that has who agreed."""
    with Watched(tmp_path, mode) as table:
        table.play()
        table.end()
        table.all_say(BLUE if seat is RED else RED, "yes")
        table.after(FINALE_MS - 1)
        table.now_ms += 1
        table.say(seat, consent(table, seat, "yes"))
        table.after(FINALE_MS + 5_000)
        ((at, text),) = table.outcomes()
        assert (at, table.shown()) == (FINALE_MS, (Finale(text), TURNED if text == "turned" else {}))
        assert "consent = red, blue" in table.views()["archive"]
        assert sorted(table.kinds_since_the_end()) == [("consent", "blue"), ("consent", "red"), ("finale", None)]
        assert any(isinstance(body, Accepted) and body.re == f"yes-{seat.value}" for body in table.answers)


@pytest.mark.parametrize("mode", list(Mode))
def test_where_nobody_is_asked_a_consent_counts_for_the_record_at_once(mode: Mode, tmp_path: Path) -> None:
    """With a time of 0: no question, no outcome, nothing to be woken for; everybody else hears nothing of it, then and later."""
    tables = {}
    for red in FEW:
        with Watched(tmp_path / red, mode, finale_ms=0) as table:
            table.play()
            table.end()
            assert (table.shown(), table.table.info().finale_s) == ((None, {}), 0)
            table.all_say(RED, red, late=True)
            assert ("consent = red" in table.views()["archive"]) is agreed(red)
            table.look("then")
            for seat in (RED, BLUE):
                table.all_say(seat, "yes", late=True)
            table.after(2 * FINALE_MS)
            table.put(Leave())
            table.look("later")
            assert (table.shown(), table.outcomes(), table.wakes) == ((None, {}), [], [])
            assert "consent = red, blue" in table.views()["archive"]
        tables[red] = table
    for table in tables.values():
        assert not difference(table.all, tables["none"].all)
        assert not difference(table.to[BLUE], tables["none"].to[BLUE])


# ---- what voids it


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("voided", ["arbiter"])
@pytest.mark.parametrize("restarted", [False, True])
def test_an_end_that_is_taken_back_forgets_who_agreed(mode: Mode, voided: str, restarted: bool, tmp_path: Path) -> None:
    """For ever, and what he said his pieces are: he plays on as if he had said nothing, also one that he had called a bomb."""
    said: dict[str, tuple[str, ...]] = {"none": (), "yes": ("yes",), "wrong": ("lie",), "both": ("lie", "yes", "more")}
    if mode is Mode.DECLARE:
        said["other"] = ("other",)
    tables = {name: other_first(tmp_path / name, mode, words, voided, restarted) for name, words in said.items()}
    silent = tables["none"]
    for name, table in tables.items():
        assert not difference(table.all, silent.all), name
        assert not difference(table.kept, silent.kept), name
        for seat in (RED, BLUE):
            assert not difference(table.to[seat], silent.to[seat]), name
    assert [kind for kind, *_ in silent.since] == ["consent", "finale"]


@pytest.mark.parametrize("mode", list(Mode))
def test_a_yes_to_an_end_that_was_taken_back_is_none_to_the_next(mode: Mode, tmp_path: Path) -> None:
    """A handset that missed its `accepted` says it again under the same id: it is accepted, and counts for nothing."""
    with Watched(tmp_path, mode) as table:
        table.play()
        table.end()
        table.all_say(RED, "yes")
        table.go_back(TakeBack(id="v", reason="a slip", ply=3))
        table.move("e8", "e7")
        table.end()
        table.say(RED, consent(table, RED, "yes"))
        table.all_say(BLUE, "yes")
        table.after(FINALE_MS)
        assert table.shown()[0] is Finale.COVERED


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize(
    "verb", [TakeBack(id="v", reason="a slip", ply=2), VoidVerdict(id="v", reason="a slip", ply=3)]
)
def test_what_was_turned_over_is_covered_again(mode: Mode, verb: TakeBack | VoidVerdict, tmp_path: Path) -> None:
    """After the time: nothing is shown any more, the record shows no consent, and the next end asks anew, in full."""
    with Watched(tmp_path, mode) as table:
        table.play()
        table.end()
        for seat in (RED, BLUE):
            table.all_say(seat, "yes")
        table.after(FINALE_MS + 1_000)
        assert table.shown() == outcome("yes", "yes")
        table.go_back(verb)
        assert (table.shown(), table.due if table.view.attack is None else None) == ((None, {}), None)
        assert not (table.folder / "game.record").exists()
        assert table.consents(RED, "other") is Rejected, "nobody is asked while it is played"
        assert "consent" not in table.views()["archive"]
        if table.view.attack is not None:
            table.declare(RED, Rank.MARSHAL)
            table.declare(BLUE, Rank.SPY)
            table.see(Agreed(0))
        table.end()
        assert (table.shown(), table.due) == ((Finale.ASKED, {}), table.ended_ms + FINALE_MS)
        assert table.consents(RED, "more") is Accepted
        table.after(FINALE_MS)
        assert table.shown() == (Finale.COVERED, {})
        archive = table.views()["archive"]
        assert "consent = red\n" in archive
        assert "j10 flag" not in archive


@pytest.mark.parametrize("mode", list(Mode))
def test_a_result_that_an_arbiter_overrules_changes_nothing_of_it(mode: Mode, tmp_path: Path) -> None:
    """Neither what was said before nor what is said after, nor the time."""
    tables = {}
    for red, blue in [(one, other) for one in FEW for other in ("none", "yes")]:
        with Watched(tmp_path / f"{red}-{blue}", mode) as table:
            table.play()
            table.end()
            table.all_say(RED, red)
            table.after(15_000)
            first = table.ended_ms
            table.put(EndGame(id="o1", reason="ruled", result="draw"))
            table.put(Rule(id="o2", reason="so it is"))
            table.look("ruled")
            assert (table.shown(), table.due) == ((Finale.ASKED, {}), first + FINALE_MS)
            table.after(20_000)
            table.all_say(BLUE, blue)
            table.after(FINALE_MS - 1)
            table.look("last")
            table.after(FINALE_MS + 5_000)
            table.put(EndGame(id="o3", reason="ruled again", result="blue"))
            table.look("later")
            assert (table.outcomes(), table.shown()) == ([(FINALE_MS, outcome(red, blue)[0].value)], outcome(red, blue))
        tables[red, blue] = table
    same_until_the_time(tables)
    same_for_ever(tables)


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("at_ms", [0, 30_000, FINALE_MS - 1])
def test_where_the_next_game_begins_early_it_counts_as_no(mode: Mode, at_ms: int, tmp_path: Path) -> None:
    """Covered at once, whoever has agreed; the record alone tells who. Nothing more comes of it, at the time or when somebody speaks."""
    tables = {}
    for red, blue in (
        ("none", "none"),
        ("yes", "none"),
        ("none", "yes"),
        ("yes", "yes"),
        ("wrong", "none"),
        ("several", "yes"),
    ):
        with Watched(tmp_path / f"{red}-{blue}", mode) as table:
            table.play()
            table.end()
            table.all_say(RED, red)
            table.all_say(BLUE, blue)
            table.after(at_ms)
            table.put(Leave())
            assert (table.shown(), table.outcomes()) == ((Finale.COVERED, {}), [(at_ms, "covered")])
            table.look("left")
            owners = [seat.value for seat, way in ((RED, red), (BLUE, blue)) if agreed(way)]
            assert table.kinds_since_the_end() == [*(("consent", seat) for seat in owners), ("finale", None)]
            assert (f"consent = {', '.join(owners)}\n" in table.views()["archive"]) is bool(owners)
            assert "journal.answers" not in table.files()
            table.after(FINALE_MS)
            table.put(Tick())
            table.say(RED, consent(table, RED, "yes"))
            table.put(Leave())
            assert (table.shown(), table.outcomes()) == ((Finale.COVERED, {}), [(at_ms, "covered")])
        tables[red, blue] = table
    for table in tables.values():
        assert not difference(table.all, tables["none", "none"].all)
    assert not difference(tables["wrong", "none"].kept, tables["none", "none"].kept)
    assert not difference(tables["several", "yes"].kept, tables["yes", "yes"].kept)


def test_which_pieces_somebody_says_he_had_does_not_show(tmp_path: Path) -> None:
    """Another set-up that fits as well: the same to everybody else, and where both agree it is what is turned over."""
    pairs = (("none", "none"), ("yes", "none"), ("another", "none"), ("none", "another"), ("none", "yes"))
    tables = {
        pair: played(tmp_path / str(at), Mode.DECLARE, {RED: pair[0], BLUE: pair[1]}) for at, pair in enumerate(pairs)
    }
    same_until_the_time(tables)
    for table in tables.values():
        assert not difference(table.all, tables["none", "none"].all)
    assert not difference(tables["yes", "none"].to[BLUE], tables["another", "none"].to[BLUE])
    assert not difference(tables["none", "yes"].to[RED], tables["none", "another"].to[RED])
    with Watched(tmp_path / "both", Mode.DECLARE) as table:
        table.play()
        table.end()
        table.all_say(RED, "another")
        table.all_say(BLUE, "yes")
        table.after(FINALE_MS)
        assert table.shown() == (Finale.TURNED, {**TURNED, "f4": Rank.BOMB, "b1": Rank.MINER})


@pytest.mark.parametrize("mode", list(Mode))
def test_a_yes_from_before_the_end_is_refused_and_counts_for_nothing(mode: Mode, tmp_path: Path) -> None:
    """Nobody has been asked yet."""
    with Watched(tmp_path, mode) as table:
        table.play()
        table.say(RED, consent(table, RED, "more"))
        assert isinstance(table.answers[-1], Rejected)
        table.end()
        table.all_say(BLUE, "yes")
        table.after(FINALE_MS)
        assert (table.shown(), table.outcomes()) == ((Finale.COVERED, {}), [(FINALE_MS, "covered")])


# ---- ends of every kind


HOMES: Mapping[str, Rank] = {
    square: rank for square, rank in {**DUEL_RED, **DUEL_BLUE}.items() if square not in ("e4", "e7")
}
MOMENTS: Mapping[str, Mapping[str, Rank]] = {
    "at rest": {"e5": Rank.MARSHAL, "e6": Rank.SPY},
    "in hand": {"e5": Rank.MARSHAL, "e6": Rank.SPY},
    "attack": {"e5": Rank.MARSHAL, "e6": Rank.SPY},
    "declared": {"e5": Rank.MARSHAL, "e6": Rank.SPY},
    "verdict": {"e6": Rank.MARSHAL},
}
"""When a game may end, and what then stands where it has been played."""


def come_to(table: Watched, moment: str) -> None:
    """Play two plies, and then up to this moment."""
    table.move("e4", "e5")
    table.move("e7", "e6")
    if moment == "in hand":
        table.see(Lifted(table.square("f4"), 0))
    if moment in ("attack", "declared", "verdict"):
        table.attack("e5", "e6")
    if moment in ("declared", "verdict"):
        table.declare(RED, Rank.MARSHAL)
    if moment == "verdict":
        table.declare(BLUE, Rank.SPY)


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize(
    "how",
    [Abort(), EndGame(id="o", reason="so", result="both-lose"), BLUE],
    ids=["broken off", "both lose", "given up"],
)
def test_however_a_game_ends_all_that_stands_is_turned_over(
    mode: Mode, moment: str, how: Input | Seat, tmp_path: Path
) -> None:
    """Amid a ply, an attack, a verdict that nobody has cleared: each piece on the board by its rank, and no other."""
    with Watched(tmp_path, mode) as table:
        come_to(table, moment)
        table.end(how)
        assert (table.shown(), table.due) == ((Finale.ASKED, {}), table.ended_ms + FINALE_MS)
        for seat in (RED, BLUE):
            assert table.consents(seat, "more") is Accepted
        table.after(FINALE_MS)
        assert (table.shown(), table.outcomes()) == (
            (Finale.TURNED, {**HOMES, **MOMENTS[moment]}),
            [(FINALE_MS, "turned")],
        )
        assert set(table.view.turned) == set(table.view.occupants)


@pytest.mark.parametrize("mode", list(Mode))
def test_of_a_game_that_never_began_nobody_is_asked(mode: Mode, tmp_path: Path) -> None:
    """Nothing comes of it, and there is nothing to wait for."""
    with Watched(tmp_path, mode, begin=False) as table:
        table.end(Abort())
        assert (table.shown(), table.due) == ((None, {}), None)
        table.say(RED, consent(table, RED, "more"))
        table.after(2 * FINALE_MS)
        table.put(Tick())
        table.put(Leave())
        assert (table.shown(), table.outcomes()) == ((None, {}), [])


BEFALLS: Mapping[str, tuple[tuple[Input, ...], tuple[Input, ...]]] = {
    "the board is lost": ((), (BoardLink("lost"),)),
    "the broker is lost": ((), (BrokerLink(heard=False),)),
    "the round is over": ((SetHallClock(id="h", reason="cup", left_ms=30_000, at_end="arbiter"),), ()),
    "the round is over, drawn": ((SetHallClock(id="h", reason="cup", left_ms=30_000, at_end="draw"),), ()),
}
"""What is put in before the end, and 20 s after it."""


@pytest.mark.parametrize("befalls", BEFALLS)
def test_nothing_that_befalls_the_table_moves_the_time(befalls: str, tmp_path: Path) -> None:
    """Nor does it make an answer show."""
    tables = []
    before, after = BEFALLS[befalls]
    for red in ("none", "yes"):
        with Watched(tmp_path / red, Mode.DECLARE) as table:
            table.play()
            for given in before:
                table.put(given)
            table.end()
            table.all_say(RED, red)
            table.after(20_000)
            for given in after:
                table.put(given)
            table.put(Tick())
            table.all_say(BLUE, "yes")
            table.look("then")
            table.after(FINALE_MS - 1)
            table.look("last")
            assert (table.shown(), table.outcomes()) == ((Finale.ASKED, {}), [])
            table.after(FINALE_MS)
            assert (table.shown(), table.outcomes()) == (outcome(red), [(FINALE_MS, outcome(red)[0].value)])
        tables.append(table)
    silent, spoken = tables
    assert not difference(spoken.before_the_time(spoken.all), silent.before_the_time(silent.all))
    assert not difference(spoken.kept, silent.kept)
    assert not difference(spoken.before_the_time(spoken.to[BLUE]), silent.before_the_time(silent.to[BLUE]))


# ---- a power cut


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("twice", [False, True])
def test_a_power_cut_tells_nothing_and_loses_nothing(mode: Mode, twice: bool, tmp_path: Path) -> None:
    """Who had agreed has agreed; nobody sees after the start which answers there were, in a row, a word or a letter."""
    tables = {}
    for at, (red, blue) in enumerate([(one, other) for one in FEW for other in ("none", "yes")]):
        tables[red, blue] = cut(tmp_path / str(at), mode, red, blue, twice=twice)
    same_until_the_time(tables)
    same_for_ever(tables)


@pytest.mark.parametrize("mode", list(Mode))
def test_a_yes_is_said_again_after_a_power_cut_and_counts_once(mode: Mode, tmp_path: Path) -> None:
    """Under its old id, as a handset does that has no answer: accepted; there is one row of it."""
    with Watched(tmp_path / "a", mode) as table:
        table.play()
        table.end()
        table.all_say(RED, "yes")
        table.crash(tmp_path / "b")
        table.ended_ms = table.now_ms
        table.all_say(RED, "yes")
        table.all_say(BLUE, "yes")
        table.after(FINALE_MS)
        assert table.shown() == outcome("yes", "yes")
        assert table.kinds_since_the_end()[:3] == [("consent", "red"), ("consent", "blue"), ("finale", None)]


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("ways", [("yes", "none"), ("yes", "yes")])
def test_a_plug_that_is_pulled_right_after_the_outcome_was_written(
    mode: Mode, ways: tuple[str, str], tmp_path: Path
) -> None:
    """Before the record was written anew and the answers were destroyed: the next start does both, and nothing counts twice."""
    with Watched(tmp_path / "a", mode) as table:
        table.play()
        table.end()
        for seat, way in zip((RED, BLUE), ways, strict=True):
            table.all_say(seat, way)
        stale = {
            name: (table.folder / name).read_bytes() for name in ("journal.answers", "game.record", "journal.owners")
        }
        table.after(FINALE_MS)
        whole = (table.files(), table.rows(), table.shown())
        for name, content in stale.items():
            (table.folder / name).write_bytes(content)
        table.crash(tmp_path / "b")
        assert (table.files(), table.shown()) == (whole[0], whole[2])
        assert table.rows()[: len(whole[1])] == whole[1]
        assert {row[1] for row in table.rows()[len(whole[1]) :]} <= {"reopened"}


# ---- more seats, and the computer's


def gave_up(folder: Path, mode: Mode, green: str, others: str) -> Watched:
    """Play a game of three that green leaves at once, and blue after it; all are asked."""
    with Watched(folder, mode, "stratego4-three") as table:
        table.say(Seat.GREEN, Resign(id="gone"))
        table.see(Agreed(0))
        table.end(BLUE)
        table.look("end")
        for seat, way in ((Seat.GREEN, green), (RED, others), (BLUE, others)):
            for word in WAYS[way]:
                assert table.consents(seat, word) is Accepted
        table.look("said")
        table.after(FINALE_MS)
        table.look("outcome")
    return table


@pytest.mark.parametrize("mode", list(Mode))
def test_a_seat_that_gave_up_has_to_agree_too(mode: Mode, tmp_path: Path) -> None:
    """Its army was on the board at the beginning; what is shown are the pieces that are left there."""
    tables = {
        (green, others): gave_up(tmp_path / f"{green}-{others}", mode, green, others)
        for green in ("none", "yes")
        for others in ("none", "yes")
    }
    for (green, others), table in tables.items():
        (told,) = table.outcomes()
        if (green, others) == ("yes", "yes"):
            standing = {square: table.ranks[seat][square] for square, seat in table.view.occupants.items()}
            assert (table.shown(), told) == ((Finale.TURNED, standing), (FINALE_MS, "turned"))
            assert Seat.GREEN not in table.view.occupants.values()
        else:
            assert (table.shown(), told) == ((Finale.COVERED, {}), (FINALE_MS, "covered"))
        silent = tables["none", "none"]
        assert not difference(table.before_the_time(table.all), silent.before_the_time(silent.all))
        assert not difference(table.before_the_time(table.kept), silent.before_the_time(silent.kept))
        for seat in (RED, BLUE):
            twin = tables["none", others]
            assert not difference(table.before_the_time(table.to[seat]), twin.before_the_time(twin.to[seat]))


def against_the_computer(folder: Path, mode: Mode, red: str, computer: str) -> Watched:
    """Play a game whose blue is the computer, which agrees by itself, in declare mode once it has said so."""
    with Watched(folder, mode, computers={BLUE: 1}) as table:
        table.play()
        table.end()
        table.look("end")
        table.all_say(RED, red)
        table.look("red")
        table.all_say(BLUE, computer)
        table.after(FINALE_MS - 1)
        table.look("last")
        assert (table.shown(), table.outcomes()) == ((Finale.ASKED, {}), [])
        table.after(FINALE_MS)
        table.look("outcome")
    return table


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("computer", ["none", "yes"])
def test_the_computer_agrees_by_itself_where_its_ranks_are_known(mode: Mode, computer: str, tmp_path: Path) -> None:
    """Its opponent alone decides then; until the time nobody sees whether he has."""
    tables = {red: against_the_computer(tmp_path / red, mode, red, computer) for red in FEW}
    for red, table in tables.items():
        both = agreed(red) and (mode is Mode.ENROL or agreed(computer))
        expected = (Finale.TURNED, TURNED) if both else (Finale.COVERED, {})
        assert (table.shown(), table.outcomes()) == (expected, [(FINALE_MS, expected[0].value)])
        silent = tables["none"]
        assert not difference(table.before_the_time(table.all), silent.before_the_time(silent.all))
        assert not difference(table.before_the_time(table.kept), silent.before_the_time(silent.kept))
        assert not difference(table.before_the_time(table.to[BLUE]), silent.before_the_time(silent.to[BLUE]))
    assert not difference(tables["wrong"].all, tables["none"].all)
    assert not difference(tables["wrong"].kept, tables["none"].kept)
    assert not difference(tables["wrong"].to[BLUE], tables["none"].to[BLUE])


# ---- the event loop


def test_the_event_loop_says_nothing_more_and_nothing_earlier() -> None:
    """A yes, several, a refused set-up: no event, no state, no letter to the other, and the outcome when it would have come anyway."""
    silent = looped((), ())
    for red in (("yes",), ("lie",), ("yes", "more", "yes")):
        room = looped(red, ())
        assert room.public == silent.public
        assert room.told(BLUE) == silent.told(BLUE)
    both = looped(("yes",), ("yes",))
    assert any(b'"finale":"turned"' in payload for _, payload in both.public)
    assert any(b'"finale":"covered"' in payload for _, payload in silent.public)
    outcomes = [[at for at, payload in room.public if b'"kind":"finale"' in payload] for room in (both, silent)]
    assert outcomes[0] == outcomes[1]
    assert len(outcomes[0]) == 1
    assert [at for at, _ in both.public] == [at for at, _ in silent.public]


def test_a_yes_after_the_time_is_late_however_late_the_loop_is() -> None:
    """It comes before the loop was woken for the outcome: the armies stay covered."""
    late = looped(("yes",), (), late=True)
    assert any(b'"finale":"covered"' in payload for _, payload in late.public)
    assert not any(b'"finale":"turned"' in payload for _, payload in late.public)
