"""What the tests of the set-up entry share: games as the referee announces them, and the page's own functions called in the browser."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import msgspec
from playwright.sync_api import Page

from referee.rules import rule_set, rule_set_names
from referee.rules.values import Rank
from referee.table.settings import TableSettings
from referee.table.table import Table
from referee.table.views import Mode, PublicInfo

SITTINGS = [(name, seat) for name in rule_set_names() for seat in rule_set(name).seats]
"""Every rule set from every chair."""


@cache
def announced(rules: str) -> PublicInfo:
    """Return what the referee announces of an enrolled game."""
    return Table(TableSettings("kitchen", "g1", rule_set(rules), Mode.ENROL)).info()


def in_page(page: Page, modules: str, body: str, given: Any) -> Any:
    """Call a function of the page: its parameters are the modules named, then `given`.

    What goes in and out does so as one text: a driver takes a hundred times as long over values of its own.
    """
    names = modules.split()
    paths = [f"/set_up/{name}.js" for name in names]
    function = f"(({', '.join(names)}, given) => {{ {body} }})"
    modules_there = "await Promise.all(paths.map((path) => import(path)))"
    call = f"async ([paths, given]) => JSON.stringify(await {function}(...{modules_there}, JSON.parse(given)))"
    return json.loads(page.evaluate(call, [paths, json.dumps(given)]))


def plain(value: Any) -> Any:
    """Return a value as JSON has it."""
    return msgspec.json.decode(msgspec.json.encode(value))


def ranks(placed: dict[str, str]) -> dict[str, Rank]:
    """Return a set-up of the page's in the referee's types."""
    return {square: Rank(rank) for square, rank in placed.items()}
