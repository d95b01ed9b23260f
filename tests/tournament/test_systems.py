"""Groups, acceleration, knock-out and teams: what holds of every event, and small ones by hand."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from referee.tournament.event import acts
from referee.tournament.event.bracket import stages_of
from referee.tournament.event.event import ActError, ByeKind, Event, EventId, EventValueError, Result
from referee.tournament.event.pairing import virtual_points
from referee.tournament.event.reports import bracket_as_told, event_as_told, team_standings_as_told
from referee.tournament.event.standings import standings
from referee.tournament.event.teams import matches_of, team_event, team_of
from referee.tournament.store import open_store
from tests.tournament.playing import assert_everybody_once, meetings

ID = EventId("test")


def made(players: int, **given: Any) -> Event:
    """Return an event of players p1, p2 and so on, the first being the strongest."""
    entries = [{"name": f"p{number}", "rating": 3000 - number} for number in range(1, players + 1)]
    return do(acts.new_event(ID, {"rounds": 5, "seed": 3, **given}), "enter-all", players=entries)


def do(event: Event, word: str, **given: Any) -> Event:
    """Do an act by its word."""
    return acts.BY_NAME[word](event, given)


def played(event: Event, *results: Result, seed: int = 0) -> Event:
    """Pair, publish and play a round: these results from table 1 on, others by chance."""
    event = do(do(event, "pair"), "publish")
    chance = random.Random(seed + len(event.rounds))
    for at, table in enumerate(event.rounds[-1].open_tables):
        result = results[at] if at < len(results) else chance.choice([Result.RED_WINS, Result.BLUE_WINS, Result.DRAW])
        event = do(event, "result", round=len(event.rounds), table=table, result=result.value)
    return event


@pytest.mark.parametrize("system", ["swiss", "round-robin"])
def test_groups_meet_only_each_other(system: str, tmp_path: Path) -> None:
    """Each has its bye and its places; who is in none is in one more; the store keeps them."""
    event = made(14, system=system)
    for number in range(1, 15):
        if number != 3 and number % 3 < 2:
            event = do(event, "group", number=number, group="AB"[number % 3])
    pools = list(event.pools.values())
    assert [len(pool) for pool in pools] == [3, 5, 6]
    for _ in range(3):
        event = played(event)
        assert_everybody_once(event) if system == "round-robin" else None
        for pairing in event.rounds[-1].pairings:
            assert any(set(pairing.players) <= set(pool) for pool in pools)
    assert [line.place for line in standings(event) if line.place == 1].count(1) >= 3
    assert {line["group"] for line in event_as_told(event)["standings"]} == {"A", "B", ""}
    store = open_store(tmp_path / "events.db")
    store.create(event)
    assert store.load(ID).event == event
    store.close()
    if system == "swiss":
        assert do(event, "group", number=1, group="").pools[""] == (*(1, 2, 3, 5, 8, 11, 14),)
        return
    with pytest.raises(ActError, match="stay"):
        do(event, "group", number=1, group="")
    assert len(set(meetings(event))) == sum(1 for _ in meetings(event)) == 3 + 2 * 3 + 3 * 3


def test_acceleration_by_hand() -> None:
    """Baku for nine rounds and 161 players: five rounds accelerated, three of them by a win; the first 82 are in the upper half."""
    event = made(161, rounds=9, accelerated=True)
    upper = [virtual_points(event, event.pools[""], round_) for round_ in range(1, 7)]
    assert [sorted(points) == list(range(1, 83)) for points in upper] == [True] * 5 + [False]
    assert [points[event.players[0].number] for points in upper] == [5, 5, 5, 2, 2, 0]
    assert [points[event.players[82].number] for points in upper] == [0] * 6
    first = do(event, "pair").draft
    assert first is not None
    assert all(max(pairing.players) <= 82 or min(pairing.players) > 82 for pairing in first.pairings)
    assert [line.points for line in standings(event)] == [0] * 161


def test_a_bracket_by_hand() -> None:
    """Six of eight places: the first two seeds are free, then meet the winners; a draw is played again; the first two meet last."""
    event = played(made(6, system="knock-out"), Result.RED_WINS, Result.DRAW)
    assert {frozenset(pairing.players) for pairing in event.rounds[0].pairings} == {
        frozenset({4, 5}),
        frozenset({3, 6}),
    }
    assert [(bye.player, bye.kind) for bye in event.rounds[0].byes] == [(1, ByeKind.FULL), (2, ByeKind.FULL)]
    event = played(event, Result.BLUE_WINS)
    (again,), first = event.rounds[1].pairings, event.rounds[0].pairings[1]
    assert (again.players, event.rounds[1].byes) == ((first.blue, first.red), ())
    assert "replay" in map(str, again.reasons)
    semi = played(event, Result.RED_WINS, Result.RED_WINS)
    final = played(semi, Result.BLUE_WINS)
    assert [len(stage) for stage in stages_of(final)] == [4, 2, 1]
    winner = final.rounds[-1].pairings[0].blue
    lines = standings(final)
    assert [line.place for line in lines] == [1, 2, 3, 3, 5, 5]
    assert lines[0].player.number == winner == bracket_as_told(final)[-1][0]["winner"]
    with pytest.raises(ActError, match="decided"):
        do(final, "pair")
    other = do(semi, "correct", round=3, table=1, result="blue")
    assert {*stages_of(other)[-1][0].slots} == {semi.rounds[2].pairings[0].blue, semi.rounds[2].pairings[1].red}


def test_who_withdraws_from_a_bracket_loses_by_absence() -> None:
    """The other goes through; where both lose, whoever comes next does; or the event says that the higher seed does after a draw."""
    event = do(made(4, system="knock-out", draws="higher-seed"), "withdraw", number=4)
    event = do(do(event, "pair"), "publish")
    assert event.rounds[0].pairings[0].result in (Result.BLUE_ABSENT, Result.RED_ABSENT)
    event = do(event, "result", round=1, table=2, result="draw")
    assert stages_of(event)[-1][0].slots == (1, 2)
    event = do(event, "correct", round=1, table=2, result="both-lose")
    assert stages_of(event)[-1][0].winner == 1


@pytest.mark.parametrize("players", range(2, 20))
def test_every_bracket_holds(players: int) -> None:
    """One game less than players is decided, whoever has lost plays no more, and the first two are kept apart until the final."""
    event = made(players, system="knock-out", rounds=99)
    while not all(match.is_over for match in stages_of(event)[-1]):
        event = played(event, seed=players)
    games = [pairing for round_ in event.rounds for pairing in round_.pairings if pairing.result is not Result.DRAW]
    assert len(games) == players - 1
    losers = [pairing.blue if pairing.result is Result.RED_WINS else pairing.red for pairing in games]
    assert len(set(losers)) == players - 1
    strong = made(players, system="knock-out", rounds=99)
    while not all(match.is_over for match in stages_of(strong)[-1]):
        strong = do(do(strong, "pair"), "publish")
        for pairing in strong.rounds[-1].pairings:
            result = "red" if pairing.red < pairing.blue else "blue"
            strong = do(strong, "result", round=len(strong.rounds), table=pairing.table, result=result)
    assert {*strong.rounds[-1].pairings[-1].players} == {1, 2}


def teams(count: int, boards: int, reserves: int = 0, **given: Any) -> Event:
    """Return an event of teams; the members of a team are numbered through, the first at board 1."""
    size = boards + reserves
    event = made(count * size, team_boards=boards, **given)
    for team in range(count):
        event = do(event, "team", name=f"team {team + 1}", players=list(range(team * size + 1, team * size + size + 1)))
    return event


def test_a_match_by_hand() -> None:
    """Three boards, the first red for one team, the second for the other; 6-3-1 at the boards, 2-1-0 for the match."""
    event = do(do(teams(2, 3), "pair"), "publish")
    tables = event.rounds[0].pairings
    assert [{*pairing.players} for pairing in tables] == [{1, 4}, {2, 5}, {3, 6}]
    assert [pairing.red > 3 for pairing in tables] == [tables[0].red > 3, tables[0].red < 4, tables[0].red > 3]
    for table, winner in enumerate((1, None, 6), 1):
        one = tables[table - 1]
        result = "draw" if winner is None else "red" if one.red == winner else "blue"
        event = do(event, "result", round=1, table=table, result=result)
    assert [line["points"] for line in team_standings_as_told(event)] == ["1", "1"]
    assert [line["board-points"] for line in team_standings_as_told(event)] == ["10", "10"]
    event = do(event, "correct", round=1, table=2, result="red" if tables[1].red == 2 else "blue")
    assert [(line["name"], line["points"], line["board-points"]) for line in team_standings_as_told(event)] == [
        ("team 1", "2", "13"),
        ("team 2", "0", "8"),
    ]
    (match,) = event_as_told(event)["rounds"][0]["matches"]
    assert sorted(zip(match["teams"], match["points"], strict=True)) == [(1, "13"), (2, "8")]


@pytest.mark.parametrize("system", ["swiss", "round-robin", "knock-out"])
@pytest.mark.parametrize("count", [2, 5, 6])
def test_every_round_of_teams_holds(count: int, system: str, tmp_path: Path) -> None:
    """A team meets one team, nobody plays twice, boards are in order, teams do not meet again; free teams' members are free."""
    event = teams(count, 4, reserves=1, system=system, rounds=3)
    event = do(event, "withdraw", number=2)  # the reserve of team 1 plays
    if system != "round-robin":
        event = do(event, "withdraw", number=6)
    met = set()
    for _ in range(1 if count == 2 else 3):
        event = played(event)
        side = team_of(event)
        for match in matches_of(event, event.rounds[-1]):
            pair = frozenset((match.red, match.blue))
            assert pair not in met or system == "knock-out"
            met.add(pair)
            boards = [event.rounds[-1].pairings[table - 1] for table in match.tables]
            for one, two in combinations(boards, 2):
                for team in pair:
                    first, second = (next(p for p in board.players if side[p] == team) for board in (one, two))
                    assert first < second
            assert len(boards) == 4
        assert not any(2 in pairing.players for pairing in event.rounds[-1].pairings)
    ranked = team_event(event)
    assert len(ranked.players) == count
    store = open_store(tmp_path / "events.db")
    store.create(event)
    assert store.load(ID).event == event
    store.close()


def test_a_team_with_too_few_gives_the_board_away() -> None:
    """The other's player has a full bye, which counts in the match; a team that left altogether is not paired."""
    event = do(do(teams(3, 2), "withdraw", number=2), "pair-rule", players=[1, 2], kind="forced", round=1)
    event = do(do(event, "pair"), "publish")
    byes = {int(bye.player): (bye.kind, str(bye.reasons[0])) for bye in event.rounds[0].byes}
    assert byes == {
        4: (ByeKind.FULL, "no-opponent"),
        5: (ByeKind.PAIRING, "bye-lowest-points"),
        6: (ByeKind.PAIRING, "bye-lowest-points"),
    }
    event = do(event, "result", round=1, table=1, result="draw")
    assert [(line["number"], line["points"]) for line in team_standings_as_told(event)] == [
        (3, "2"),
        (2, "2"),
        (1, "0"),
    ]
    event = do(event, "withdraw", number=1)
    event = played(event)
    assert {*map(frozenset, (pairing.players for pairing in event.rounds[1].pairings))} == {
        frozenset({3, 5}),
        frozenset({4, 6}),
    }


def test_a_team_that_is_not_there_is_free() -> None:
    """With who is left of it, though none of them has been seen."""
    event = do(do(teams(3, 2), "check-in-open", round=1, present=[1, 3, 4, 5, 6]), "withdraw", number=1)
    event = do(do(event, "pair"), "publish")
    assert [(bye.player, bye.kind) for bye in event.rounds[0].byes] == [(2, ByeKind.ZERO)]
    assert {line["number"]: line["rounds"] for line in team_standings_as_told(event)}[1] == ["Z"]


def test_what_teams_cannot_be() -> None:
    """Members have one team, who has played stays, and no table sits between two matches."""
    event = teams(4, 2)
    with pytest.raises(EventValueError, match="one team"):
        do(event, "team", name="x", players=[1])
    with pytest.raises(ActError, match="no team 9"):
        do(event, "team", number=9, name="x", players=[])
    with pytest.raises(ActError, match="for himself"):
        do(made(2), "team", name="x", players=[1])
    with pytest.raises(EventValueError, match="two to six"):
        made(2, team_boards=7)
    event = do(do(event, "pair"), "publish")
    with pytest.raises(ActError, match="has played"):
        do(event, "team", number=1, name="x", players=[2])
    assert do(event, "team", number=1, name="x", players=[2, 1]).teams[0].name == "x"
    one, two, *rest = event.rounds[0].pairings
    crossed = (replace(one, blue=rest[0].blue), two, replace(rest[0], blue=one.blue), rest[1])
    with pytest.raises(EventValueError, match="do not meet"):
        replace(event, rounds=(replace(event.rounds[0], pairings=crossed),))
