"""Points, tie-breaks and places, worked out by hand."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from referee.tournament.event.acts import propose, publish, record, withdraw
from referee.tournament.event.event import (
    ActError,
    ByeKind,
    DoubleResultError,
    Event,
    EventId,
    EventValueError,
    PlayerNumber,
    Result,
    Scoring,
    System,
    points_from,
    points_text,
)
from referee.tournament.event.pairing import berger, rounds_of
from referee.tournament.event.reports import csv_of, event_from_trf, read_trf
from referee.tournament.event.standings import standings
from tests.tournament.playing import meetings, new_event, play_round


def trf_player(number: int, name: str, cells: str) -> str:
    """Return a line 001 without anything that we compute ourselves."""
    return f"001 {number:>4}      {name:<33}" + " " * 44 + cells


def event_of(*lines: str, head: str = "XXS W=6 D=3 WL=1 BL=1 PAB=6") -> Event:
    """Return the event of some lines of a TRF."""
    return event_from_trf(read_trf("\n".join((head, *lines))), EventId("golden"))


def table(event: Event) -> list[tuple[int, str, str, str, str]]:
    """Return place, name, points, Buchholz and Sonneborn-Berger of each player."""
    return [
        (line.place, line.player.name, points_text(line.points), *map(points_text, line.tie_breaks))  # type: ignore[misc]
        for line in standings(event)
    ]


def test_four_players_by_hand() -> None:
    """Golden. Ann beats Cor and Bea, draws with Dan: 15. Bea beats Dan, draws with Cor, loses to Ann: 10. Cor draws with Bea,
    beats Dan, loses to Ann: 10. Dan draws with Ann: 5. Ann: Buchholz 10+5+10 = 25, Sonneborn-Berger 10+10+5/2 = 22.5.
    Bea: 10+15+5 = 30, and 5 + 10/2 = 10. Cor: the same. Dan: 10+10+15 = 35, and 15/2 = 7.5.
    """
    event = event_of(
        trf_player(1, "Ann", "   3 w 1     4 b =     2 w 1"),
        trf_player(2, "Bea", "   4 w 1     3 b =     1 b 0"),
        trf_player(3, "Cor", "   1 b 0     2 w =     4 w 1"),
        trf_player(4, "Dan", "   2 b 0     1 w =     3 b 0"),
    )
    assert table(event) == [
        (1, "Ann", "15", "25", "22.5"),
        (2, "Bea", "10", "30", "10"),
        (2, "Cor", "10", "30", "10"),
        (4, "Dan", "5", "35", "7.5"),
    ]


def test_unplayed_rounds_in_chess_scoring() -> None:
    """Golden, FIDE C.07 article 16, 1-½-0, three players. Xia: beats Yan, draws with Zoe, zero bye: 1.5. Yan: loses, half bye,
    beats Zoe: 1.5. Zoe: pairing bye, draws, loses: 1.5. Xia's bye is the last round, so as an opponent she has 2. Buchholz:
    Xia 1.5 + 1.5 + herself 1.5; Yan 2 + himself 1.5 + 1.5; Zoe herself 1.5 + 2 + 1.5. Sonneborn-Berger: 1.5 + 0.75 + 0;
    0 + 0.75 + 1.5; 1.5 + 1 + 0.
    """
    event = event_of(
        trf_player(1, "Xia", "   2 w 1     3 b =  0000 - Z"),
        trf_player(2, "Yan", "   1 b 0  0000 - H     3 w 1"),
        trf_player(3, "Zoe", "0000 - U     1 w =     2 b 0"),
        head="XXR 3",
    )
    assert table(event) == [
        (1, "Zoe", "1.5", "5", "2.5"),
        (2, "Yan", "1.5", "5", "2.25"),
        (3, "Xia", "1.5", "4.5", "2.25"),
    ]


def test_the_dummy_is_capped() -> None:
    """Golden, article 16.4. Ann wins three times by a bye and absences: 18, but her dummies count at most three draws, 9, and
    in an absence no more than the one who stayed away: Bea's 6 + two last rounds as draws would be requested byes; hers are
    losses by absence, which count as they are.
    """
    event = event_of(
        trf_player(1, "Ann", "0000 - U     2 w +     3 w +"),
        trf_player(2, "Bea", "   3 w 1     1 b -  0000 - Z"),
        trf_player(3, "Cor", "   2 b 0  0000 - U     1 b -"),
    )
    ann, cor, bea = standings(event)
    assert [line.player.name for line in (ann, cor, bea)] == ["Ann", "Cor", "Bea"]
    assert [line.points for line in (ann, cor, bea)] == list(map(Fraction, (18, 7, 6)))
    # Bea's last round is a bye she asked for: as an opponent she has 6 + 0 + 3.
    assert ann.tie_breaks[0] == 9 + 9 + 7
    # Cor: Bea 9, her own bye 7 (under the cap of 9), the absence 7 (under Ann's 18).
    assert cor.tie_breaks[0] == 9 + 7 + 7
    # Bea: Cor 7, the absence 6 (under Ann's 18), the bye 6.
    assert [*bea.tie_breaks] == [Fraction(7 + 6 + 6), Fraction(7)]


def test_both_lose_gives_each_a_loss() -> None:
    """The ISF's rules, 4.3: both lose, one point each; who stays away has nothing."""
    event = publish(propose(new_event(4, 1)))
    event = record(record(event, 1, 1, Result.BOTH_LOSE), 1, 2, Result.BOTH_ABSENT)
    assert sorted(line.points for line in standings(event)) == [0, 0, 1, 1]


def test_a_second_result_is_refused_unless_it_corrects() -> None:
    """The same one again is nothing; another one needs to be called a correction."""
    event = publish(propose(new_event(4, 2)))
    once = record(event, 1, 1, Result.RED_WINS)
    assert record(once, 1, 1, Result.RED_WINS) == once
    with pytest.raises(DoubleResultError, match="has the result red already"):
        record(once, 1, 1, Result.DRAW)
    assert record(once, 1, 1, Result.DRAW, correction=True).rounds[0].pairings[0].result is Result.DRAW
    with pytest.raises(ActError, match="no table 3"):
        record(event, 1, 3, Result.DRAW)
    with pytest.raises(ActError, match="round 2 is not published"):
        record(event, 2, 1, Result.DRAW)


# The tables as printed in FIDE Handbook C.05, annex 1, for 6 and 8 players.
BERGER = {
    6: ["1-6 2-5 3-4", "6-4 5-3 1-2", "2-6 3-1 4-5", "6-5 1-4 2-3", "3-6 4-2 5-1"],
    8: [
        *("1-8 2-7 3-6 4-5", "8-5 6-4 7-3 1-2", "2-8 3-1 4-7 5-6", "8-6 7-5 1-4 2-3"),
        *("3-8 4-2 5-1 6-7", "8-7 1-6 2-5 3-4", "4-8 5-3 6-2 7-1"),
    ],
}


@pytest.mark.parametrize("players", BERGER)
def test_the_berger_tables(players: int) -> None:
    """Golden: as printed."""
    for number, line in enumerate(BERGER[players], 1):
        assert " ".join(f"{red}-{blue}" for red, blue in berger(players, number)) == line


@pytest.mark.parametrize("players", [2, 3, 4, 7, 10])
def test_a_round_robin(players: int) -> None:
    """Everybody meets everybody once."""
    event = new_event(players, 99, system=System.ROUND_ROBIN)
    for _ in range(rounds_of(players)):
        event = play_round(event, random.Random(3), (Result.RED_WINS, Result.DRAW))
    assert len(set(meetings(event))) == sum(1 for _ in meetings(event)) == players * (players - 1) // 2
    with pytest.raises(ActError):
        propose(event)


def test_who_withdraws_from_a_round_robin_loses_by_absence() -> None:
    """The tables stay as they are; the opponents win without playing."""
    event = withdraw(play_round(new_event(4, 3, system=System.ROUND_ROBIN), random.Random(1)), PlayerNumber(4))
    event = propose(event)
    assert event.draft is not None
    assert [pairing.result for pairing in event.draft.pairings] == [Result.RED_ABSENT, None]


def test_values_refuse_what_cannot_be() -> None:
    """Scorings, ids and points that make no sense."""
    for bad in ({"win": Fraction(3)}, {"loss": Fraction(4)}, {"bye": Fraction(7)}, {"draw": Fraction(1, 3) + 2}):
        with pytest.raises(EventValueError):
            Scoring(**bad)
    for name in ("", "Open", "a b", "-a", "x" * 41):
        with pytest.raises(EventValueError):
            EventId(name)
    for text in ("", "1/0", "x", "nan"):
        with pytest.raises(EventValueError):
            points_from(text)
    assert Scoring().of_bye(ByeKind.HALF) == 3


def test_the_csv() -> None:
    """Golden: standings and cross table; a name is no formula."""
    event = event_of(
        trf_player(1, "=Ann", "   2 w 1  0000 - U"),
        trf_player(2, "Bea, B.", "   1 b 0     3 w +"),
        trf_player(3, "Cor", "0000 - H     2 b -"),
    )
    assert csv_of(event).splitlines() == [
        "place,number,name,rating,federation,points,buchholz,sonneborn-berger,round 1,round 2",
        "1,1,'=Ann,,,12,13,13,2r1,U",
        '2,2,"Bea, B.",,,7,15,3,1b0,3r+',
        "3,3,Cor,,,3,6,1.5,H,2b-",
    ]
