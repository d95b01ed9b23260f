"""What nobody was shown changes nothing that anybody else can see: whole random games, played again with other ranks.

The same hands, the same words, but some pieces of one army have changed ranks: pieces that were never shown, such that each goes as
it went and every verdict stays. Then every public byte is the same, every deadline, order and count; and with pieces that were told
to nobody every letter to the others too.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import replace

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.net.topics.codec import encode_body, encode_public
from referee.rules import CombatResult, RuleSet, rule_set
from referee.rules.hidden import Hidden
from referee.rules.values import PieceId, Rank, Seat
from referee.table.inputs import SeatSays
from referee.table.messages import Consent, Declare, Enrol, ToHandset, message_kind
from referee.table.settings import TableSettings, TimeControl
from referee.table.step import Step
from referee.table.table import Table
from referee.table.views import Mode, Reveal
from tests.amount import tries
from tests.table.inputs import CLOCKS, Jump, Said, What, put_in
from tests.table.random_play import SECRET, Fight
from tests.table.storm import Storm

NO_CLOCK = CLOCKS[0]
SETS = {"original": 40, "duel": 60, "barrage": 60, "classic": 40, "infiltrator": 50, "stratego4-three": 20}
Ranks = dict[PieceId, Rank]


def played(rules: RuleSet, seed: int, plies: int, mode: Mode, reveal: Reveal, clock: TimeControl = NO_CLOCK) -> Storm:
    """Play a game in which nobody lies: what a lie gets for an answer depends on the truth.

    Every third begins sparse; in every other one the last seat's moves are decided elsewhere.
    """
    decided = rules.seats[-1:] if seed % 2 else ()
    table = Storm(
        rules, mode, reveal, random.Random(seed), junk=0.25, lies=False, clock=clock, decided=decided, proves=False
    )
    table.play(plies, sparse=seed % 3 == 0)
    return table


def ranks_of(table: Storm) -> Ranks:
    """Return the true rank of every piece."""
    placed = {square: rank for set_up in table.set_ups.values() for square, rank in set_up.items()}
    return {piece: placed[square] for square, piece in table.table._state.origins.items()}


def swapped(table: Storm, told: frozenset[PieceId]) -> Ranks:
    """Return other ranks for pieces that were not told, under which each move and each verdict stays the same."""
    rules, rng, ranks = table.rules, table.rng, ranks_of(table)
    free = [piece for piece in ranks if piece not in told and ranks[piece] is not Rank.INFILTRATOR]
    for _ in range(60 if free else 0):
        one = rng.choice(free)
        other = rng.choice([piece for piece in free if piece.seat is one.seat])
        if rules.gait(ranks[one]) is not rules.gait(ranks[other]):
            continue
        tried = {**ranks, one: ranks[other], other: ranks[one]}
        if all(_verdict(rules, fight, tried) is fight.result for fight in table.fights):
            ranks = tried
    return ranks


def _verdict(rules: RuleSet, fight: Fight, ranks: Ranks) -> CombatResult:
    if fight.fired:
        return CombatResult.BOTH_LOST
    if fight.guess is not None:
        return CombatResult.INFILTRATED if ranks[fight.other] is fight.guess else CombatResult.WRONG_GUESS
    return rules.combat(ranks[fight.piece], ranks[fight.other])


def again(table: Storm, ranks: Ranks) -> tuple[Table, list[Step], list[str]]:
    """Play the same inputs with other ranks. Returns the table, its steps and the public view after each."""
    info = table.table.info()
    secret: Hidden[bytes] = Hidden(SECRET)
    settings_ = TableSettings("t1", "g1", table.rules, info.mode, info.reveal, secret=secret, clock=table.clock)
    fresh = Table(replace(settings_, decided=table.decided, salts=None if table.salts is None else Hidden(table.salts)))
    origin = {square.name: piece for square, piece in table.table._state.origins.items()}
    steps, views = [], []
    for said in table.inputs:
        steps.append(put_in(fresh, Said(_translated(table, said, ranks, origin), said.now_ms)))
        views.append(masked(encode_public(fresh.view()).decode()))
    return fresh, steps, views


def _translated(table: Storm, said: Said, ranks: Ranks, origin: Mapping[str, PieceId]) -> What:
    if isinstance(said.what, Jump):
        pieces = {seat: {s: ranks[origin[s.name]] for s in placed} for seat, placed in said.what.pieces.items()}
        return Jump(pieces, said.what.turn)
    if not isinstance(said.what, SeatSays):
        return said.what
    message = said.what.message
    if isinstance(message, Declare) and message.id in table.about:
        message = msgspec.structs.replace(message, rank=ranks[table.about[message.id]])
    elif isinstance(message, Enrol | Consent) and message.id in table.honest and set(message.set_up) <= set(origin):
        message = msgspec.structs.replace(message, set_up={name: ranks[origin[name]] for name in message.set_up})
    return SeatSays(said.what.seat, message)


def public_face(steps: list[Step]) -> list[object]:
    """Return all that an outsider could measure: bytes of events, whether a view was sent, deadlines, orders, messages
    by seat and size.
    """
    return [
        (
            [masked(encode_public(fact.event).decode()) for fact in step.facts if fact.event is not None],
            [(fact.kind, fact.ply, fact.seat, fact.hidden is not None) for fact in step.facts],
            (step.view_changed, step.info_changed, step.deadline_ms, masked(repr(step))),
            [(letter.seat, message_kind(letter.body.open_hidden())) for letter in step.letters],
        )
        for step in steps
    ]


def masked(text: str) -> str:
    """Return a text with every commitment made the same: commitments have to differ where ranks do."""
    return re.sub(r"\b[0-9a-f]{64}\b", "0" * 64, text)


def letters(steps: list[Step], seat: Seat) -> list[bytes]:
    """Return every message to a seat in the clear."""
    bodies: list[Hidden[ToHandset]] = [letter.body for step in steps for letter in step.letters if letter.seat is seat]
    return [encode_body(body.open_hidden()) for body in bodies]


def prove_alike(table: Storm, ranks: Ranks, views: list[str]) -> list[Step]:
    """Prove that the public face of the game is the same with these ranks. Returns the steps."""
    other, steps, shown = again(table, ranks)
    assert public_face(steps) == public_face(table.steps)
    assert shown == views
    assert other.phase is table.table.phase
    return steps


def shown_in_public(table: Storm) -> frozenset[PieceId]:
    """Return the pieces whose rank everybody came to know."""
    return frozenset(table.captured_once)


def told_to_somebody(table: Storm) -> frozenset[PieceId]:
    """Return the pieces whose rank anybody besides the owner came to know."""
    return shown_in_public(table) | {piece for seen in table.table._state.seen.values() for piece in seen}


@pytest.mark.parametrize("name", SETS)
@settings(max_examples=tries(2), deadline=None)
@given(
    seed=st.integers(0, 2**32),
    mode=st.sampled_from(Mode),
    reveal=st.sampled_from(Reveal),
    clock=st.sampled_from(CLOCKS),
)
def test_ranks_that_were_not_shown_change_no_public_byte(
    name: str, seed: int, mode: Mode, reveal: Reveal, clock: TimeControl
) -> None:
    """The same with pieces that the opponent alone was told of, and then with pieces that nobody was told of: his letters too.

    With clocks of any kind: what each seat has left, whose clock runs and when its flag would fall is public as well.
    """
    table = played(rule_set(name), seed, SETS[name], mode, reveal, clock)
    _, _, views = again(table, ranks_of(table))
    prove_alike(table, swapped(table, shown_in_public(table)), views)
    for seat in table.rules.seats:
        mine = frozenset(piece for piece in ranks_of(table) if piece.seat is seat)
        steps = prove_alike(table, swapped(table, told_to_somebody(table) | mine), views)
        assert letters(steps, seat) == letters(table.steps, seat)


def test_the_comparison_would_notice() -> None:
    """Swapping two pieces whose verdicts differ shows at once, so the property is not empty; and swaps do happen."""
    tables = [played(rule_set("duel"), seed, 60, Mode.ENROL, Reveal.BOOK) for seed in (1, 2, 4, 10)]
    pairs = [(ranks_of(table), swapped(table, shown_in_public(table))) for table in tables]
    assert sum(other[piece] is not ranks[piece] for ranks, other in pairs for piece in ranks) >= 4
    table, ranks, piece = next(
        (table, ranks, piece)
        for table, (ranks, _) in zip(tables, pairs, strict=True)
        for piece in table.captured_once
        if ranks[piece] is not Rank.MARSHAL
    )
    strong = next(other for other in ranks if other.seat is piece.seat and ranks[other] is Rank.MARSHAL)
    _, steps, _ = again(table, {**ranks, piece: ranks[strong], strong: ranks[piece]})
    assert public_face(steps) != public_face(table.steps)


@pytest.mark.parametrize("mode", Mode)
def test_both_seats_of_an_attack_get_equal_letters(mode: Mode) -> None:
    """The same number, kind and size, in the same order, whatever the ranks and however many are possible."""
    for seed in range(tries(3)):
        table = played(rule_set("barrage"), seed, 100, mode, Reveal.BOOK)
        for step in table.steps:
            kinds: dict[Seat, list[str]] = {}
            for letter in step.letters:
                message = letter.body.open_hidden()
                if type(message).__name__ in ("Question", "Verdict"):
                    kinds.setdefault(letter.seat, []).append(type(message).__name__)
            if any(fact.kind in ("attack", "verdict") for fact in step.facts):
                assert len(kinds) == 2
                assert len({tuple(found) for found in kinds.values()}) == 1


def test_a_changed_answer_is_not_heard_outside() -> None:
    """The table says publicly who has answered, once; not that somebody thought again."""
    for seed in range(9, 20):
        table = played(rule_set("duel"), seed, 100, Mode.DECLARE, Reveal.BOOK)
        for said, step in zip(table.inputs, table.steps, strict=True):
            message = said.what.message if isinstance(said.what, SeatSays) else None
            again_said = isinstance(message, Declare) and len(step.facts) == 1 and not step.view_changed
            if again_said and step.facts[0].kind == "declared" and step.facts[0].event is None:
                return
    raise AssertionError("nobody changed an answer")
