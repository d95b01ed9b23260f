"""The Swiss: what must hold of every round, and rounds worked out by hand."""

from __future__ import annotations

import random
from itertools import combinations

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.rules.values import Seat
from referee.tournament.event.acts import (
    Entry,
    clear_result,
    enter,
    enter_all,
    propose,
    publish,
    record,
    request_bye,
    withdraw,
)
from referee.tournament.event.event import ActError, ByeKind, Event, EventId, PlayerNumber, Reason, ReasonWord, Result
from referee.tournament.event.pairing import ABSOLUTE, sitter
from referee.tournament.event.standings import CellKind, cells_of, total
from tests.amount import tries
from tests.tournament.playing import assert_everybody_once, meetings, new_event, play_round

R, B = Seat.RED, Seat.BLUE


def n(value: int) -> PlayerNumber:
    """Return a player's number."""
    return PlayerNumber(value)


def tables(event: Event) -> list[set[int]]:
    """Return the two players of each table in the draft."""
    assert event.draft is not None
    return [set[int](pairing.players) for pairing in event.draft.pairings]


@settings(max_examples=tries(60))
@given(players=st.integers(2, 18), rounds=st.integers(1, 8), seed=st.integers(0, 2**32))
def test_every_round_holds(players: int, rounds: int, seed: int) -> None:
    """Everybody is there once; nobody meets twice, or has a second bye, while it can be avoided, and the reasons admit it."""
    chance = random.Random(seed)
    event = new_event(players, rounds, seed=seed)
    for _ in range(rounds):
        before = event
        event = play_round(event, chance)
        assert_everybody_once(event)
        met, last = set(meetings(before)), event.rounds[-1]
        again = [pairing for pairing in last.pairings if frozenset(pairing.players) in met]
        told = [pairing for pairing in last.pairings if Reason(ReasonWord.REMATCH) in pairing.reasons]
        assert again == told
        if again:
            assert not can_all_be_paired(before, met)


def can_all_be_paired(event: Event, met: set[frozenset[PlayerNumber]]) -> bool:
    """Ask another question of another kind: is there any round at all without a game that was played?"""
    graph: networkx.Graph[int] = networkx.Graph()
    numbers = [player.number for player in event.playing_in(event.next_round)]
    graph.add_nodes_from(number for number in numbers)
    graph.add_edges_from((a, b) for a, b in combinations(numbers, 2) if {a, b} not in met)
    return len(networkx.max_weight_matching(graph, maxcardinality=True)) == len(numbers) // 2


@settings(max_examples=tries(15))
@given(players=st.integers(5, 15).map(lambda half: 2 * half + 1), seed=st.integers(0, 2**32))
def test_nobody_has_two_byes_in_an_ordinary_event(players: int, seed: int) -> None:
    """With more than twice as many players as rounds, byes go to as many players as there are rounds."""
    chance = random.Random(seed)
    event = new_event(players, 5, seed=seed)
    for _ in range(5):
        event = play_round(event, chance, (Result.RED_WINS, Result.BLUE_WINS, Result.DRAW))
    byes = [bye.player for round_ in event.rounds for bye in round_.byes]
    assert len(set(byes)) == 5
    assert len(set(meetings(event))) == 5 * (players // 2)


@settings(max_examples=tries(20))
@given(players=st.integers(10, 30), seed=st.integers(0, 2**32))
def test_seats_stay_in_balance(players: int, seed: int) -> None:
    """Three times running, or three more at one seat, only where a reason says that it could not be helped."""
    chance = random.Random(seed)
    event = new_event(players, 5, seed=seed)
    excused: set[PlayerNumber] = set()
    for _ in range(5):
        event = play_round(event, chance, (Result.RED_WINS, Result.BLUE_WINS, Result.DRAW))
        for pairing in event.rounds[-1].pairings:
            excused |= {why.player for why in pairing.reasons if why.word is ReasonWord.SEAT_LIMIT and why.player}
    for number, row in cells_of(event).items():
        seats = [cell.seat for cell in row if cell.seat is not None]
        if number not in excused:
            assert abs(seats.count(R) - seats.count(B)) <= 2
            assert not any(seats[at] is seats[at + 1] is seats[at + 2] for at in range(len(seats) - 2))


@given(seed=st.integers(0, 2**32))
@settings(max_examples=tries(10))
def test_a_seed_repeats_the_event(seed: int) -> None:
    """The same seed and results give the same event, reasons included."""

    def play() -> Event:
        chance = random.Random(seed)
        event = new_event(11, 4, seed=seed)
        for _ in range(4):
            event = play_round(event, chance)
        return event

    assert play() == play()


@settings(max_examples=tries(30))
@given(players=st.integers(2, 20), seed=st.integers(0, 2**32))
def test_points_add_up(players: int, seed: int) -> None:
    """What the players have is what the tables and byes gave."""
    chance = random.Random(seed)
    event = new_event(players, 3, seed=seed)
    for _ in range(3):
        event = play_round(event, chance, (Result.RED_WINS, Result.BLUE_WINS, Result.DRAW))
    drawn = sum(pairing.result is Result.DRAW for round_ in event.rounds for pairing in round_.pairings)
    games = sum(len(round_.pairings) for round_ in event.rounds)
    byes = sum(len(round_.byes) for round_ in event.rounds)
    assert sum(map(total, cells_of(event).values())) == 7 * games - drawn + 6 * byes


def test_a_hall_of_two_hundred() -> None:
    """Three rounds of a full hall: no meeting twice, and nearly everybody meets equal points."""
    chance = random.Random(7)
    players = tries(200)
    event = new_event(players, 3, seed=7)
    for _ in range(3):
        event = play_round(event, chance, (Result.RED_WINS, Result.BLUE_WINS, Result.DRAW))
        words = [why.word for pairing in event.rounds[-1].pairings for why in pairing.reasons]
        assert words.count(ReasonWord.FLOATS_DOWN) <= 8
        assert ReasonWord.SEAT_LIMIT not in words
    assert len(set(meetings(event))) == 3 * players // 2


def test_the_first_round_is_upper_half_against_lower_half() -> None:
    """Golden: 1-5, 2-6, 3-7, 4-8 by the textbook, seats alternating from the lot."""
    event = propose(new_event(8, 3))
    assert tables(event) == [{1, 5}, {2, 6}, {3, 7}, {4, 8}]
    assert event.draft is not None
    first = [
        Seat.RED if n(number) == pairing.red else Seat.BLUE for number, pairing in enumerate(event.draft.pairings, 1)
    ]
    assert first in ([R, B, R, B], [B, R, B, R])
    assert event.draft.pairings[0].reasons == tuple(
        map(Reason, (ReasonWord.SAME_POINTS, ReasonWord.HALVES, ReasonWord.SEAT_LOT))
    )


def test_a_seed_draws_the_first_seat() -> None:
    """Both seats come up."""
    drafts = [propose(new_event(2, 1, seed=seed)).draft for seed in range(20)]
    assert {draft.pairings[0].red for draft in drafts if draft is not None} == {1, 2}


def test_the_second_round_pairs_equal_points() -> None:
    """Golden: 1 to 4 won. 1-3 and 2-4 sat at the same seats, so the lower halves are turned about: 1-4, 2-3, 5-8, 6-7."""
    event = publish(propose(new_event(8, 3)))
    for pairing in event.rounds[0].pairings:
        won = Result.RED_WINS if pairing.red < pairing.blue else Result.BLUE_WINS
        event = record(event, 1, pairing.table, won)
    event = propose(event)
    assert tables(event) == [{1, 4}, {2, 3}, {5, 8}, {6, 7}]
    assert event.draft is not None
    assert all(Reason(ReasonWord.SEAT_BOTH) in pairing.reasons for pairing in event.draft.pairings)


def test_the_lowest_has_the_bye_and_then_another() -> None:
    """Golden: of five, 5 is free first, and worth a win; then the lowest points among the others."""
    event = publish(propose(new_event(5, 3)))
    assert [(bye.player, bye.kind) for bye in event.rounds[0].byes] == [(5, ByeKind.PAIRING)]
    for pairing in event.rounds[0].pairings:
        event = record(event, 1, pairing.table, Result.RED_WINS if pairing.red < pairing.blue else Result.BLUE_WINS)
    event = propose(event)
    assert event.draft is not None
    assert [(bye.player, bye.reasons) for bye in event.draft.byes] == [(4, (Reason(ReasonWord.BYE_LOWEST),))]
    assert total(cells_of(event)[n(5)]) == 6


def test_a_win_by_absence_is_no_meeting_and_bars_the_bye() -> None:
    """C.04.1, articles 2 and 4: the two may meet again, and points without playing take the place of a bye."""
    event = publish(propose(new_event(3, 3)))
    (pairing,) = event.rounds[0].pairings
    assert [bye.player for bye in event.rounds[0].byes] == [n(3)]
    absent, there = sorted(pairing.players)
    event = record(event, 1, 1, Result.RED_ABSENT if pairing.red == absent else Result.BLUE_ABSENT)
    event = propose(event)
    assert event.draft is not None
    assert [bye.player for bye in event.draft.byes] == [absent]
    assert cells_of(event)[there][0].kind is CellKind.WON_BY_ABSENCE


def test_late_entries_withdrawals_and_requested_byes() -> None:
    """Who comes late plays from the next round, who goes is paired no more, who asks for a bye has it."""
    event = play_round(new_event(6, 4), random.Random(1))
    event = enter(event, Entry("late"))
    event = withdraw(event, n(2))
    event = request_bye(request_bye(event, n(4), 2, ByeKind.HALF), n(4), 2, None)  # plays after all
    event = request_bye(event, n(3), 2, ByeKind.HALF)
    event = play_round(event, random.Random(2))
    assert_everybody_once(event)
    cells = cells_of(event)
    assert (cells[n(7)][0].bye, cells[n(2)][1].bye, cells[n(3)][1].bye) == (ByeKind.ZERO, ByeKind.ZERO, ByeKind.HALF)
    assert cells[n(3)][1].points == 3
    assert len(event.rounds[1].pairings) == 2
    with pytest.raises(ActError, match="round 1 has no result yet at table 1"):
        propose(clear_result(event, 1, 1))
    with pytest.raises(ActError, match="no table 3"):
        clear_result(event, 2, 3)
    assert clear_result(event, 2, 1).rounds[1].open_tables == (1,)


def test_acts_refuse_what_is_too_early_or_too_late() -> None:
    """A round waits for the results of the one before; a published round keeps its byes; the last round is the last."""
    event = publish(propose(new_event(4, 2)))
    with pytest.raises(ActError, match="no result yet at table 1, 2"):
        propose(event)
    with pytest.raises(ActError, match="round 1 is published"):
        request_bye(event, n(1), 1, ByeKind.ZERO)
    with pytest.raises(ActError, match="begun"):
        enter_all(event, [Entry("x")])
    with pytest.raises(ActError, match="already"):
        enter(event, Entry("P1"))
    event = play_round(record(record(event, 1, 1, Result.DRAW), 1, 2, Result.DRAW), random.Random(1))
    with pytest.raises(ActError, match="all 2 rounds"):
        propose(event)
    with pytest.raises(ActError, match="no draft"):
        publish(event)
    with pytest.raises(ActError, match="fewer than two"):
        propose(Event(EventId("x"), "X", 3))


@pytest.mark.parametrize(
    ("seats", "wish"),
    [
        ([], (None, 0)),
        ([R, B], (R, 1)),
        ([R, B, R], (B, 2)),
        ([R, R], (B, ABSOLUTE)),
        ([R, R, B, B], (R, ABSOLUTE)),
        ([R, R, B, R, R], (B, ABSOLUTE)),
        ([B, B, R, B], (R, ABSOLUTE)),
    ],
)
def test_what_seats_make_a_player_wish(seats: list[Seat], wish: tuple[Seat | None, int]) -> None:
    """C.04.3, article 1.7, case by case."""
    found = sitter(n(1), tuple(seats)).wish
    assert (found.seat, found.strength) == wish
