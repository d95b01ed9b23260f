"""What goes wrong in a hall, what becomes of it, and the tests that show it: the table in docs/how-to/tournament-hall.md.

python -m tests.hall.hall_faults      writes it anew; a test fails when it is stale, or names a test that is not there
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "how-to" / "tournament-hall.md"


@dataclass(frozen=True, slots=True)
class HallFault:
    """One row; `tests` are `path below tests::function`."""

    what: str
    outcome: str
    tests: tuple[str, ...]


_REAL = "hall/test_real_table_in_a_hall.py::test_every_order_at_a_real_table_and_both_sides_killed"
FAULTS = (
    HallFault(
        "the station is killed in a round",
        "tables play on; started again it learns all from their retained messages: players, clocks, what calls the arbiter; results"
        " are in the store, and games that ended meanwhile become results",
        (_REAL, "hall/test_rounds_at_boards.py::test_a_round_is_told_played_and_counted_though_the_station_was_killed"),
    ),
    HallFault(
        "players begin another game for themselves while the station is away",
        "what came of the game that counted stays in the table's `pub/status` until somebody is assigned anew: the station notes it"
        " once it is back, and nobody plays it again",
        (
            _REAL,
            "hall/test_rounds_at_boards.py::test_a_game_that_counted_and_was_followed_by_another_while_the_station_was_away",
        ),
    ),
    HallFault(
        "the station is killed before an order was answered",
        "the order was carried out once or never; given again about the same moment it is refused as `stale` if it was",
        (_REAL,),
    ),
    HallFault(
        "the hall's broker is gone for minutes",
        "tables play on at their own brokers; the page says that it may be out of date, and nothing is ordered meanwhile, so that no"
        " order comes late; everybody comes back by himself (tests: a moment; by hand five real minutes, `HALL_GAP_S=300`)",
        (
            "hall/test_rounds_at_boards.py::test_the_broker_is_killed_and_everybody_comes_back",
            "net/test_bridge.py::test_the_hall_s_broker_may_go_and_come",
        ),
    ),
    HallFault(
        "the wire to a table is cut",
        "≠ on the page; the table plays on, is ordered nothing, and tells all that happened once it is back",
        (_REAL, "net/test_bridge.py::test_nothing_is_lost_while_the_bridge_is_cut"),
    ),
    HallFault(
        "a table is reset",
        "its game goes on where it was; orders of before fit nobody (`other-session`), or are answered if they were carried out; it knows"
        " its players from its own file, and is told again if it does not",
        (
            _REAL,
            "hall/test_orders_to_tables.py::test_a_table_that_was_reset_takes_no_order_of_before",
            "net/test_orders.py::test_an_order_that_comes_again_after_a_power_cut_is_answered_and_not_carried_out_again",
        ),
    ),
    HallFault(
        "two arbiters rule at once",
        "one order is carried out, the other refused as `stale`; the same for two acts on the event",
        (
            "hall/test_orders_to_tables.py::test_two_arbiters_who_rule_at_once",
            "hall/test_rounds_at_boards.py::test_two_arbiters_who_change_the_event_at_once",
        ),
    ),
    HallFault(
        "a double result",
        "the first stands; another one is refused, or shown as a contradiction where the board says it, until the chief corrects it",
        ("hall/test_rounds_at_boards.py::test_a_double_result_is_shown_and_the_chief_decides",),
    ),
    HallFault(
        "an order is forged, changed, repeated or late",
        "refused, and nothing is changed; a repeat gets the first answer",
        (
            "hall/test_orders_to_tables.py::test_another_stations_orders_are_refused",
            "hall/test_orders_to_tables.py::test_what_is_not_as_it_was_is_refused_and_changes_nothing",
            "net/test_orders.py::test_a_repeat_is_answered_as_before_and_is_carried_out_once",
        ),
    ),
)


def page() -> str:
    """Return the whole page with today's table."""
    rows = ((fault.what, fault.outcome, shown_by(fault.tests)) for fault in FAULTS)
    return with_table(PAGE, "faults", ("what", "what becomes of it", "shown by"), rows)


def missing() -> list[str]:
    """Return the tests that are named but do not exist."""
    return missing_of(test for fault in FAULTS for test in fault.tests)


def shown_by(tests: Iterable[str]) -> str:
    """Return tests as a cell of a table."""
    return "; ".join(f"`{test.partition('::')[2]}` in tests/{test.partition('::')[0]}" for test in tests)


def with_table(page: Path, mark: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a page with this table between its marks."""
    start, end = f"<!-- {mark} -->\n", f"<!-- /{mark} -->\n"
    before, _, rest = page.read_text(encoding="utf-8").partition(start)
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|", *(f"| {' | '.join(row)} |" for row in rows)]
    return before + start + "".join(f"{line}\n" for line in lines) + end + rest.partition(end)[2]


def missing_of(tests: Iterable[str]) -> list[str]:
    """Return those tests that do not exist."""
    return [test for test in tests if test.partition("::")[2] not in functions_in(test.partition("::")[0])]


def functions_in(path: str) -> set[str]:
    """Return the names of the functions of a file of tests."""
    tree = ast.parse((ROOT / "tests" / path).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
