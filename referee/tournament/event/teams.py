"""Teams: an event of teams is paired and ranked as an event whose players are the teams; each of its pairings becomes a match of boards.

A team's number is its place in `Event.teams`, from 1. Its matches are read from the tables of its members, so that a correction at a
board corrects the match.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import zip_longest

from referee.tournament.event import event as model
from referee.tournament.event.pairing import pair_knock_out, pair_round_robin, pair_swiss
from referee.tournament.event.standings import Standing, cells_of, pairing_cells, standings

MATCH = model.Scoring(Fraction(2), Fraction(1), Fraction(0), Fraction(2))
"""Match points. A team's bye is worth a win, as a player's is."""


@dataclass(slots=True)
class TeamMatch:
    """Two teams in a round; `red` sits red on board 1. `points` are those of the boards, `results` as seen from there."""

    red: model.PlayerNumber
    blue: model.PlayerNumber
    points: dict[model.PlayerNumber, Fraction]
    results: list[model.Result | None] = field(default_factory=list)
    tables: list[int] = field(default_factory=list)

    @property
    def result(self) -> model.Result | None:
        """The match's: None while a board is open; by absence where no board was played."""
        if None in self.results:
            return None
        if {*self.results} == {model.Result.BOTH_ABSENT}:
            return model.Result.BOTH_ABSENT
        red, blue = self.points[self.red], self.points[self.blue]
        if red == blue:
            return model.Result.DRAW
        if self.is_unplayed:
            return model.Result.BLUE_ABSENT if red > blue else model.Result.RED_ABSENT
        return model.Result.RED_WINS if red > blue else model.Result.BLUE_WINS

    @property
    def is_unplayed(self) -> bool:
        """Return whether every board has a result and none was played: then the two have not met."""
        return {*self.results} <= model.ABSENCES


def team_of(event: model.Event) -> dict[model.PlayerNumber, model.PlayerNumber]:
    """Return the team's number of each player who has one."""
    return {player: model.PlayerNumber(n) for n, team in enumerate(event.teams, 1) for player in team.players}


def matches_of(event: model.Event, round_: model.Round) -> list[TeamMatch]:
    """Return the matches of a round, in the order of their first tables."""
    teams, found = team_of(event), dict[frozenset[model.PlayerNumber], TeamMatch]()
    for pairing in round_.pairings:
        red, blue = teams[pairing.red], teams[pairing.blue]
        match = found.setdefault(frozenset((red, blue)), TeamMatch(red, blue, {red: Fraction(0), blue: Fraction(0)}))
        for team, cell in zip((red, blue), pairing_cells(event.scoring, pairing), strict=True):
            match.points[team] += cell.points
        match.tables.append(pairing.table)
        match.results.append(pairing.result if red == match.red else _turned(pairing.result))
    by_team = {team: match for match in found.values() for team in (match.red, match.blue)}
    for bye in round_.byes:  # a board for which the other team had nobody, or somebody who came later
        side = teams.get(bye.player)
        if side is not None and side in by_team:
            match = by_team[side]
            match.points[side] += event.scoring.of_bye(bye.kind)
            absent = model.Result.BLUE_ABSENT if side == match.red else model.Result.RED_ABSENT
            match.results.append(model.Result.BOTH_ABSENT if bye.kind is model.ByeKind.ZERO else absent)
    return list(found.values())


def team_event(event: model.Event) -> model.Event:
    """Return the event whose players are the teams and whose results are the matches'."""
    players = tuple(
        model.Player(model.PlayerNumber(number), team.name, last_round=_last_round(event, team))
        for number, team in enumerate(event.teams, 1)
    )
    return replace(
        event,
        players=players,
        scoring=MATCH,
        rounds=tuple(_team_round(event, round_) for round_ in event.rounds),
        draft=None,
        check_in=None if event.check_in is None else _present(event, event.check_in),
        team_boards=0,
        teams=(),
    )


def _last_round(event: model.Event, team: model.Group) -> int | None:
    """Return None, or the last round where nobody of the team is left."""
    left = any(event.player(number).last_round is None for number in team.players)
    return None if left else len(event.rounds)


def _present(event: model.Event, seen: model.CheckIn) -> model.CheckIn:
    teams = team_of(event)
    there = [number for number in seen.present if event.player(number).plays_in(seen.round_number)]
    return replace(seen, present=tuple(sorted({teams[number] for number in there if number in teams})))


def _team_round(event: model.Event, round_: model.Round) -> model.Round:
    teams = team_of(event)
    pairings = [
        model.Pairing(table, match.red, match.blue, match.result, is_unplayed=match.is_unplayed)
        for table, match in enumerate(matches_of(event, round_), 1)
    ]
    playing = {team for pairing in pairings for team in pairing.players}
    byes = sorted(round_.byes, key=lambda bye: MATCH.of_bye(bye.kind))  # a team has the best of its players' byes
    kinds = {teams[bye.player]: bye.kind for bye in byes if bye.player in teams}
    free = [model.PlayerNumber(n) for n in range(1, len(event.teams) + 1) if n not in playing]
    outside = model.ByeKind.ZERO
    resting = tuple(
        model.Bye(team, kinds.get(team, outside))
        for team in free
        if team in kinds or event.system is not model.System.KNOCK_OUT
    )
    return model.Round(round_.number, tuple(pairings), resting)


def pair(event: model.Event) -> model.Round:
    """Return the next round by the event's system. Raises `ActError`."""
    teams = event.team_boards > 0
    how: dict[model.System, Callable[[model.Event], model.Round]] = {
        model.System.SWISS: partial(pair_swiss, of_teams=teams),
        model.System.ROUND_ROBIN: pair_round_robin,
        model.System.KNOCK_OUT: pair_knock_out,
    }
    paired = how[event.system](team_event(event) if teams else event)
    return _boards(event, paired) if teams else paired


def _boards(event: model.Event, paired: model.Round) -> model.Round:
    """Return the round with a table for each board of each match: by board order, red and blue in turn."""
    pairings: list[model.Pairing] = []
    byes: list[model.Bye] = []
    for match in paired.pairings:
        why = tuple(reason for reason in match.reasons if reason.word is not model.ReasonWord.SEAT_LIMIT)
        for board, (one, two) in enumerate(zip_longest(*(_lineup(event, team) for team in match.players))):
            if one is None or two is None:
                alone = (model.Reason(model.ReasonWord.NO_OPPONENT),)
                byes.append(model.Bye(one or two, model.ByeKind.FULL, alone))
                continue
            red, blue, result = (one, two, match.result) if board % 2 == 0 else (two, one, _turned(match.result))
            pairings.append(model.Pairing(len(pairings) + 1, red, blue, result, why))
    for bye in paired.byes:
        byes.extend(model.Bye(number, bye.kind, bye.reasons) for number in _lineup(event, bye.player))
    return model.Round(paired.number, tuple(pairings), tuple(sorted(byes, key=lambda bye: bye.player)))


def _turned(result: model.Result | None) -> model.Result | None:
    return None if result is None else model.MIRRORED.get(result, result)


def _lineup(event: model.Event, team: model.PlayerNumber) -> list[model.PlayerNumber]:
    """Return who plays for a team in the next round: the first in its order who are there, as many as there are boards. Of a team
    that has withdrawn those who were last there.
    """
    members = event.teams[team - 1].players
    entered = [number for number in members if event.player(number).plays_in(event.next_round)]
    seen = event.check_in
    there = [number for number in entered if seen is None or number in seen.present]
    return (there or entered or list(members))[: event.team_boards]


def board_points(event: model.Event) -> dict[model.PlayerNumber, Fraction]:
    """Return what the boards of each team have brought in its matches and byes."""
    teams, found = team_of(event), {model.PlayerNumber(n): Fraction(0) for n in range(1, len(event.teams) + 1)}
    for number, row in cells_of(event).items():
        if number in teams:
            found[teams[number]] += sum((cell.points for cell in row), Fraction(0))
    return found


def team_standings(event: model.Event) -> tuple[Standing, ...]:
    """Return the standings of the teams; `player` is the team."""
    return standings(team_event(event), board_points(event))
