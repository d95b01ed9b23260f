"""Version 2026 of the report file: its records column by column, and events out and in again."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from referee.tournament.event import acts
from referee.tournament.event.event import Event, EventId, System, TieBreak, TrfError
from referee.tournament.event.reports import entries_from_csv, event_from_trf, exported, read_trf
from referee.tournament.event.standings import standings
from referee.tournament.event.teams import team_standings
from tests.amount import tries
from tests.tournament.test_systems import do, made, played, teams

ID = EventId("test")


def records(event: Event, code: str) -> list[str]:
    """Return the lines of this code in an event's file."""
    return [line for line in exported(event, "trf26").split("\r\n") if line.startswith(code)]


def back(text: str) -> Event:
    """Return the event of a file."""
    return event_from_trf(read_trf(text), ID)


def test_the_records_column_by_column() -> None:
    """Golden: where the handbook's tables and examples have them. 161 players and 9 rounds make the upper half 82."""
    event = made(161, rounds=9, accelerated=True, tie_breaks=["buchholz-cut-1", "direct-encounter", "sonneborn-berger"])
    event = do(event, "bye", number=26, round=3, kind="half")
    event = do(event, "bye", number=47, round=3, kind="half")
    event = do(event, "pair-rule", players=[125, 180 - 30], kind="forbidden", round=1)
    event = do(event, "pair-rule", players=[8, 2], kind="forbidden", round=None)
    assert records(event, "142") == ["142 9"]
    (scores,) = records(event, "162")
    assert [(scores[at], scores[at + 1 : at + 5]) for at in range(5, len(scores), 9)] == [
        *(("W", " 6.0"), ("D", " 3.0"), ("L", " 1.0"), ("A", " 0.0"), ("P", " 6.0"))
    ]
    assert records(event, "192") == ["192 CUSTOM_SWISS"]
    assert records(event, "202") == ["202 BH/C1,DE,SB"]
    assert records(event, "240") == ["240 H 003   26   47"]
    assert records(event, "250") == [
        "250       5.0 001 003 0001 0082",
        "250       2.0 004 005 0001 0082",
    ]
    assert records(event, "260") == ["260 001 001  125  150", "260 001 009    2    8"]
    assert back(exported(event, "trf26")) == replace(event, id=ID, seed=0)


def test_a_team_column_by_column() -> None:
    """Golden: number 5-7, name 9-40, match points 55-60, points of the boards 62-67, rank 69-71, players from 74 on, five columns each."""
    event = played(teams(3, 2, reserves=1))
    (first, *_others) = records(event, "310")
    assert (first[4:7], first[8:40].rstrip(), len(first[8:40])) == ("  1", "team 1", 32)
    assert [first[at : at + 4] for at in range(73, len(first), 5)] == ["   1", "   2", "   3"]
    points = [float(line[54:60]) for line in records(event, "310")]
    assert sorted(points)[-1] == 2
    assert records(event, "352") == ["352 WB"]
    assert records(event, "320") == ["320  2.0 12.0 003"]
    assert records(event, "192") == ["192 CUSTOM_TEAM_SWISS_MP"]
    assert records(event, "300") == []
    event = played(do(event, "withdraw", number=1), seed=1)
    (line,) = records(event, "300")  # the reserve plays
    assert (line[4:7], line[8:11], line[16:20], line[21:25]) == ("  2", "  1", "   2", "   3")


@pytest.mark.parametrize("system", list(System))
@pytest.mark.parametrize("size", [0, 2])
def test_out_and_in_again(system: System, size: int) -> None:
    """Players, teams, rounds and standings come back, and the file of what came back is the same file."""
    event = teams(5, 2, reserves=1, system=system.value) if size else made(9, system=system.value)
    for seed in range(3):
        event = played(event, seed=seed)
    text = exported(event, "trf26")
    found = back(text)
    assert exported(found, "trf26") == text
    assert [(line.place, line.player.name, line.points) for line in standings(found)] == [
        (line.place, line.player.name, line.points) for line in standings(event)
    ]
    if size:
        assert found.teams == event.teams
        assert [(line.place, line.points) for line in team_standings(found)] == [
            (line.place, line.points) for line in team_standings(event)
        ]


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("142 many", "'many' is not a number of rounds"),
        ("162  W six", ""),
        ("162  W 1.2.3", "'1.2.3' are no points"),
        ("240 Q 001    1", "cannot be read as a record 240"),
        ("240 H 005   77", "cannot be read as a record 240"),
        ("260 001 009    1    x", "cannot be read as a record 260"),
        ("250      01.0 001 002 0001 0003", "not those of the Baku acceleration"),
        ("310   2 Two", "it is not team 1"),
        ("### 142 nothing", ""),
    ],
)
def test_records_with_faults(line: str, fault: str) -> None:
    """The line is named; what is no record of ours is passed over."""
    text = exported(played(made(4)), "trf") + line + "\r\n"
    if not fault:
        assert len(back(text).players) == 4
        return
    with pytest.raises(TrfError, match=fault) as caught:
        back(text)
    assert caught.value.faults[0].line == len(text.splitlines())


def test_any_text_with_records_is_a_file_or_a_fault() -> None:
    """Nothing else comes out, whatever goes in."""
    chance = random.Random(4)
    whole = exported(played(teams(4, 2)), "trf26") + "240 H 003    1\r\n260 001 002    1    2\r\n"
    for _ in range(tries(60)):
        at = chance.randrange(len(whole))
        text = whole[:at] + chance.choice("019 WXZ-\r\n") + whole[at + chance.randrange(3) :]
        try:
            exported(back(text), "trf26")
        except TrfError:
            continue


def test_a_list_of_players_with_groups_or_teams() -> None:
    """Numbers go by rating, groups by name, teams and boards as the list has them."""
    listed = "name,rating,team,group\nAn,10,Reds,A\nBo,30,Blues,B\nCé,20,Reds,\nDa,40,Blues,A\n"
    event = acts.enter_all(acts.new_event(ID, {"rounds": 3, "team_boards": 2}), no_groups(listed))
    assert [(team.name, team.players) for team in event.teams] == [("Reds", (4, 3)), ("Blues", (2, 1))]
    assert event.tie_breaks[0] is TieBreak.BOARD_POINTS
    event = acts.enter_all(
        acts.new_event(ID, {"rounds": 3}), [replace(entry, team="") for entry in entries_from_csv(listed)]
    )
    assert [(group.name, group.players) for group in event.groups] == [("A", (1, 4)), ("B", (2,))]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Name,Rating,club\n'T Hart,1500,X\n", ["'T Hart 1500"]),
        ('name,rating\n"A;B",1500\n', ["A;B 1500"]),
        ("Akker, Bo;1500\nCy\n", ["Akker, Bo 1500", "Cy 0"]),
        ("\ufeffAn\n  \nBo\t1500\n", ["An 0", "Bo 1500"]),
    ],
)
def test_a_list_is_read_however_it_was_written(text: str, names: list[str]) -> None:
    """The sign between the columns is that of the first line that has one."""
    assert [f"{entry.name} {entry.rating}" for entry in entries_from_csv(text)] == names


def no_groups(listed: str) -> list[acts.Entry]:
    """Return the entries of a list without their groups."""
    return [replace(entry, group="") for entry in entries_from_csv(listed)]
