"""Plays a record again, ply by ply, on the board in the terminal: what everybody at the table saw."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from referee.journal.records import Ply, Record, RecordError
from referee.journal.records.views import Follower, Start
from referee.rules import Fire, Infiltrate, Move, Recruit, RuleSet
from referee.rules.values import Rank, Seat
from referee.table.settings import TableSettings
from referee.table.table import Table
from referee.table.views import Attack, GameEnd, LastMove, Phase, PublicInfo, PublicView
from referee.terminal import LiveBoard, Paper


def replay(record: Record, rules: RuleSet, plies_a_second: float, language: str) -> None:
    """Show the board before the first ply and after each one; the last stays. Raises `RecordError` where a piece cannot be followed."""
    if not record.set_ups:
        raise RecordError("the record has no set-up to begin from")
    info, screens = info_of(record, rules), list(views(record, rules))  # all of them before the first is shown
    with LiveBoard(Paper(), language) as board:
        for number, view in enumerate(screens):
            if number:
                time.sleep(1 / plies_a_second)
            board.show(info, view)


def info_of(record: Record, rules: RuleSet) -> PublicInfo:
    """Give what stays the same for the game of a record."""
    settings = TableSettings("", record.game or "", rules, record.mode, record.reveal, record.names)
    return replace(Table(settings).info(), roots=dict(record.roots))


def views(record: Record, rules: RuleSet) -> Iterator[PublicView]:
    """Give the table before the first ply and after each; captured ranks as far as the record's view shows them.

    The flags and sliders of Stratego 4 are not shown. Raises `RecordError`.
    """
    follower = Follower(record.set_ups)
    gone: set[Start] = set()
    for decision in record.before:
        follower.decide(decision)
    last = _view(record, rules, follower, gone, 0)
    for number, ply in enumerate(record.plies, start=1):
        yield last
        before = set(follower.standing.values())
        follower.play(replace(ply, decisions=()))
        gone |= before - set(follower.standing.values())
        for decision in ply.decisions:
            follower.decide(decision)
            if isinstance(decision.choice, Recruit):
                gone -= set(follower.standing.values())
        last = _view(record, rules, follower, gone, number)
    if record.result is not None:
        end = GameEnd(record.result.winner, record.result.reason.value)
        last = replace(last, phase=Phase.FINISHED, turn=None, waiting_for=(), result=end)
    yield last


def _view(record: Record, rules: RuleSet, follower: Follower, gone: set[Start], number: int) -> PublicView:
    captured: dict[Seat, Counter[Rank]] = {seat: Counter() for seat in rules.seats}
    for start in gone:
        rank = follower.rank_of.get(start)
        if rank is not None:
            captured[start[0]][rank] += 1
    turn = record.plies[number].seat if number < len(record.plies) else None
    move, attack = _last(record.plies[number - 1]) if number else (None, None)
    return PublicView(
        board_id="",
        game=record.game or "",
        seq=number,
        phase=Phase.WAITING_FOR_MOVE,
        turn=turn,
        ply=number,
        occupants={square.name: start[0] for square, start in follower.standing.items()},
        captured={seat: dict(counts) for seat, counts in captured.items()},
        last_move=move,
        attack=attack,
        waiting_for=() if turn is None else (turn,),
    )


def _last(ply: Ply) -> tuple[LastMove | None, Attack | None]:
    action = ply.action
    if not isinstance(action, Move | Infiltrate | Fire):
        return None, None
    source, target = action.source.name, action.target.name
    if ply.result is None:
        return LastMove(ply.seat, source, target, True), None
    return None, Attack(ply.seat, source, target, ply.result.value)
