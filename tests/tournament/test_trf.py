"""TRF16: out and in again, pairings of another program, and files with faults."""

from __future__ import annotations

import contextlib
import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.tournament.event.acts import (
    Entry,
    adopt,
    enter,
    enter_all,
    propose,
    publish,
    record,
    request_bye,
    withdraw,
)
from referee.tournament.event.event import (
    ActError,
    ByeKind,
    Details,
    Event,
    EventId,
    PlayerNumber,
    Reason,
    ReasonWord,
    Result,
    TrfError,
)
from referee.tournament.event.reports import event_from_trf, pairings_from_trf, read_trf, trf_of
from referee.tournament.event.standings import standings
from tests.amount import tries
from tests.tournament.playing import new_event, play_round

GOLDEN = (
    "012 Open of Ghent\r\n022 Gent\r\n032 BEL\r\n042 2026/11/21\r\n062 3\r\n072 2\r\n092 Individual: Swiss-System\r\nXXR 5\r\n"
    "XXS W=6 D=3 WL=1 BL=1 PAB=6 FL=0 ZPB=0\r\n"
    "001    1      Janssens, An                      2010 BEL                         6.0    2     2 w 1\r\n"
    "001    2      Møller, Bo                        1990 DEN                         1.0    3     1 b 0\r\n"
    "001    3      Dubois, Cé                                                         6.0    1  0000 - U\r\n"
)
"""Counted out by hand in columns: number 5-8, name 15-47, rating 49-52, federation 54-56, points 81-84, rank 86-89, rounds
from 92. Cé is first: her dummy counts three points, a draw; An's opponent has one.
"""


def ghent() -> Event:
    """Return an event of three with one round played."""
    details = Details("Gent", "BEL", "2026-11-21")
    event = Event(EventId("ghent"), "Open of Ghent", 5, details=details)
    event = enter_all(
        event, [Entry("Dubois, Cé"), Entry("Janssens, An", 2010, "BEL"), Entry("Møller, Bo", 1990, "DEN")]
    )
    event = publish(propose(event))
    red = event.rounds[0].pairings[0].red
    return record(event, 1, 1, Result.RED_WINS if red == 1 else Result.BLUE_WINS)


def golden(event: Event) -> str:
    """Return the golden file with the seats that the lot drew."""
    one_is_red = event.rounds[0].pairings[0].red == 1
    return GOLDEN if one_is_red else GOLDEN.replace("2 w 1", "2 b 1").replace("1 b 0", "1 w 0")


def test_the_file_column_by_column() -> None:
    """Golden."""
    text = trf_of(ghent())
    assert text == golden(ghent())
    line = text.splitlines()[-3]
    assert (line[4:8], line[14:26], line[48:52], line[53:56]) == ("   1", "Janssens, An", "2010", "BEL")
    assert (line[80:84], line[85:89], line[91:95], line[98]) == (" 6.0", "   2", "   2", "1")


@settings(max_examples=tries(40))
@given(players=st.integers(2, 14), rounds=st.integers(1, 5), seed=st.integers(0, 2**32))
def test_out_and_in_again(players: int, rounds: int, seed: int) -> None:
    """Players, games, seats, results, byes and standings come back; reasons, tables and the seed are not in a TRF."""
    chance = random.Random(seed)
    event = new_event(players, rounds, seed=seed)
    for number in range(rounds):
        event = play_round(event, chance)
        if number == 0 and rounds > 1:
            event = request_bye(enter(event, Entry("late")), PlayerNumber(1), 2, ByeKind.HALF)
            event = withdraw(event, PlayerNumber(2)) if players > 4 else event
    back = event_from_trf(read_trf(trf_of(event)), event.id)
    assert [cells(line) for line in standings(back)] == [cells(line) for line in standings(event)]
    assert trf_of(back) == trf_of(event)


def cells(line: object) -> object:
    """Return a standing without what only the event knows of its player."""
    return replace(line, player=getattr(line, "player").name)  # type: ignore[type-var]  # noqa: B009


def test_another_program_pairs_the_next_round() -> None:
    """Our file goes out, comes back with a round more, and becomes the draft."""
    event = play_round(new_event(4, 3), random.Random(1))
    theirs = "\r\n".join(
        line + {1: "     2 b  ", 2: "     1 w  ", 3: "     4 w  ", 4: "     3 b  "}[int(line[4:8])]
        if line[:3] == "001"
        else line
        for line in trf_of(event).splitlines()
    )
    event = adopt(event, pairings_from_trf(event, read_trf(theirs)))
    assert event.draft is not None
    assert [(pairing.red, pairing.blue) for pairing in event.draft.pairings] == [(2, 1), (3, 4)]
    assert event.draft.pairings[0].reasons == (Reason(ReasonWord.IMPORTED),)
    assert publish(event).rounds[1].open_tables == (1, 2)


def test_pairings_of_another_event_are_refused() -> None:
    """Other names, other games, no new round."""
    event = play_round(new_event(4, 3), random.Random(1))
    text = trf_of(event)
    with pytest.raises(TrfError, match="no pairings of round 2"):
        pairings_from_trf(event, read_trf(text))
    with pytest.raises(TrfError, match="player 3 is 'px' there, 'p3' here"):
        pairings_from_trf(event, read_trf(text.replace("p3", "px")))
    other = play_round(new_event(6, 3), random.Random(1))
    with pytest.raises(TrfError, match="6 players, the event 4"):
        pairings_from_trf(event, read_trf(trf_of(other)))
    with pytest.raises(ActError, match="no result yet"):
        adopt(publish(propose(event)), event.rounds[0])


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (("0000 - U", "0000 - Q"), "line 12: round 1 is '0000 - Q'"),
        (("001    2", "001    1"), "line 11: player 1 stands there twice"),
        (("001    3", "001    4"), "line 12: starting ranks have a gap before 4"),
        (("1990", "19x0"), "line 11: '19x0' is not a rating"),
        (("0000 - U", "   1 w 1"), "player 3 has the opponent 1, who has another"),
        (("1 b 0", "1 b 1"), "results that do not fit together"),
        (("1 b 0", "1 w 0"), "not white and black"),
        (("0000 - U", "   9 w 1"), "no possible opponent in 9"),
        (("XXR 5", "XXR many"), "line 8: 'many' is not a number of rounds"),
        (("W=6", "W=six"), "line 9: 'six' are no points"),
        (("W=6", "W=2"), "a win is worth more than a draw"),
    ],
)
def test_files_with_faults(change: tuple[str, str], fault: str) -> None:
    """One clear sentence with the line."""
    text = GOLDEN.replace(*change)
    assert text != GOLDEN
    with pytest.raises(TrfError) as caught:
        event_from_trf(read_trf(text), EventId("x"))
    assert fault in str(caught.value)


@given(text=st.text(alphabet="01 234wb-=+XRS\r\n.ab", max_size=300))
def test_any_text_is_a_file_or_a_fault(text: str) -> None:
    """Nothing else comes out, whatever goes in."""
    with contextlib.suppress(TrfError):
        event = event_from_trf(read_trf(text), EventId("x"))
        assert event_from_trf(read_trf(trf_of(event)), EventId("x")).players == event.players


def test_every_fault_of_the_lines_is_named() -> None:
    """Two at once."""
    with pytest.raises(TrfError) as caught:
        read_trf(GOLDEN.replace("1990", "19x0").replace("XXR 5", "XXR many"))
    assert [fault.line for fault in caught.value.faults] == [8, 11]
