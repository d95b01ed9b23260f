"""The table of states as a picture, for the documents."""

from __future__ import annotations

from referee.table.transitions import TRANSITIONS, Happening
from referee.table.views import Phase


def states_page() -> str:
    """Give docs/reference/states.md: the diagram and the table, both drawn from the literal in transitions.py."""
    return "\n".join(
        [
            "# The states of a table",
            "",
            "Made by `make docs` from the literal table in `referee/table/transitions.py`; do not edit by hand. A step that",
            "is not in the table raises `TransitionError` and changes nothing.",
            "",
            "```mermaid",
            "stateDiagram-v2",
            "    [*] --> lobby",
            *_edges(),
            "    finished --> [*]",
            "```",
            "",
            "| phase | " + " | ".join(happening.value for happening in Happening) + " |",
            "|---|" + "---|" * len(Happening),
            *(f"| {phase.value} | " + " | ".join(_cells(phase)) + " |" for phase in Phase),
            "",
        ]
    )


def _edges() -> list[str]:
    together: dict[tuple[Phase, Phase], list[str]] = {}
    for phase, row in TRANSITIONS.items():
        for happening, nexts in row.items():
            for following in nexts:
                together.setdefault((phase, following), []).append(happening.value)
    return [
        f"    {_name(phase)} --> {_name(following)}: {', '.join(happenings)}"
        for (phase, following), happenings in together.items()
    ]


def _name(phase: Phase) -> str:
    return phase.value.replace("-", "_")


def _cells(phase: Phase) -> list[str]:
    return [" or ".join(to.value for to in TRANSITIONS[phase].get(happening, ())) for happening in Happening]
