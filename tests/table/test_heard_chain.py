"""The chain that a handset computes by itself, by the table of values to which the phone's JavaScript is held as well."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from referee.rules import rule_set
from referee.table.heard_chain import HeardChain, Proof
from referee.table.settings import TableSettings
from referee.table.table import Table
from referee.table.views import PublicEvent

TOLD = json.loads((Path(__file__).parents[1] / "web" / "heard_chains.json").read_text(encoding="utf-8"))
_VIEW = Table(TableSettings("kitchen", TOLD["game"], rule_set("duel"))).view()


@pytest.mark.parametrize("case", TOLD["cases"])
def test_a_chain_that_is_heard(case: str) -> None:
    """After each step the table's head is judged as the table of values says."""
    heard = HeardChain(TOLD["game"])
    for step in TOLD["cases"][case]:
        if "view" in step:
            assert heard.judge(replace(_VIEW, **step["view"])) is Proof(step["proof"]), step
        else:
            heard.take(_event(**one) for one in step["events"])


def _event(links: list[str], **told: Any) -> PublicEvent:
    return PublicEvent(kind="noted", ply=0, links=tuple(links), **told)
