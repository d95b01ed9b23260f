"""Every verdict of every rule set against tables that were typed from the booklets."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.rules import CombatResult, Gait, rule_set, rule_set_names
from referee.rules.values import Rank

GOLDEN = Path(__file__).parent / "golden"
TABLES = {
    "original": "attacks-original.txt",
    "classic": "attacks-original.txt",
    "vintage": "attacks-original.txt",
    "duel": "attacks-duel.txt",
    "duel-compact": "attacks-duel.txt",
    "barrage": "attacks-duel.txt",
    "infiltrator": "attacks-infiltrator.txt",
    "stratego4": "attacks-stratego4.txt",
    "stratego4-three": "attacks-stratego4.txt",
    "stratego4-teams": "attacks-stratego4.txt",
}
SPIES = dict.fromkeys(("original", "duel", "vintage"), CombatResult.ATTACKER_WINS)
"""Where a booklet says that any piece that attacks the spy wins (000, 003); the others know equal ranks only."""
VERDICTS = {
    "W": CombatResult.ATTACKER_WINS,
    "L": CombatResult.DEFENDER_WINS,
    "B": CombatResult.BOTH_LOST,
    "F": CombatResult.FLAG_TAKEN,
}


def read_table(name: str) -> dict[tuple[Rank, Rank], CombatResult]:
    """Return the verdicts of a golden file."""
    lines = [line.split() for line in (GOLDEN / name).read_text(encoding="ascii").splitlines() if line[:1] not in "#"]
    defenders = [Rank(word) for word in lines[0][1:]]
    return {
        (Rank(attacker), defender): VERDICTS[letter]
        for attacker, *letters in lines[1:]
        for defender, letter in zip(defenders, letters, strict=True)
    }


@pytest.mark.parametrize("name", rule_set_names())
def test_every_verdict_is_the_golden_one(name: str) -> None:
    """Each rank of the army that can move meets each rank of the army, and nothing else stands in the table."""
    rules = rule_set(name)
    table = read_table(TABLES[name])
    if Rank.SPY in rules.army:
        table[Rank.SPY, Rank.SPY] = SPIES.get(name, CombatResult.BOTH_LOST)
    movers = {rank for rank in rules.army if rules.gait(rank) is not Gait.NONE}
    assert set(table) == {(attacker, defender) for attacker in movers for defender in rules.army}
    assert {pair: rules.combat(*pair) for pair in table} == table


def test_there_are_ten_rule_sets() -> None:
    """The shipped rule sets, in the order in which they are listed."""
    assert rule_set_names() == (
        "original",
        "duel",
        "barrage",
        "classic",
        "duel-compact",
        "infiltrator",
        "vintage",
        "stratego4",
        "stratego4-three",
        "stratego4-teams",
    )


@pytest.mark.parametrize("name", rule_set_names())
def test_spy_against_spy_is_an_option_everywhere(name: str) -> None:
    """Both readings can be chosen, and change no other verdict; a stored game that names neither was played with both lost."""
    rules = rule_set(name)
    readings = {"attacker-wins": CombatResult.ATTACKER_WINS, "both-lost": CombatResult.BOTH_LOST}
    for word, verdict in readings.items():
        chosen = rules.with_options({"spy_against_spy": word})
        assert chosen.combat(Rank.SPY, Rank.SPY) is verdict
        changed = {pair for pair in rules.verdicts if chosen.combat(*pair) is not rules.combat(*pair)}
        assert changed <= {(Rank.SPY, Rank.SPY)}
    assert rules.with_options(rules.former_options).combat(Rank.SPY, Rank.SPY) is CombatResult.BOTH_LOST
