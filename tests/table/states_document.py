"""docs/reference/states.md, drawn from the literal table of states: `python -m tests.table.states_document` (`make docs`) writes it."""

from __future__ import annotations

from pathlib import Path

from referee.table.state import TRANSITIONS, Trigger
from referee.table.views import Phase

PATH = Path(__file__).resolve().parents[2] / "docs/reference/states.md"


def text() -> str:
    """Return the document's text: the diagram and the table."""
    return "\n".join(
        [
            "# The states of a table",
            "",
            "Made by `make docs` from the literal table in `referee/table/state.py`; do not edit by hand. A step that",
            "is not in the table raises `TransitionError` and changes nothing.",
            "",
            "```mermaid",
            "stateDiagram-v2",
            "    [*] --> lobby",
            *_edges(),
            "    finished --> [*]",
            "```",
            "",
            "| phase | " + " | ".join(trigger.value for trigger in Trigger) + " |",
            "|---|" + "---|" * len(Trigger),
            *(f"| {phase.value} | " + " | ".join(_cells(phase)) + " |" for phase in Phase),
            "",
        ]
    )


def _edges() -> list[str]:
    together: dict[tuple[Phase, Phase], list[str]] = {}
    for phase, row in TRANSITIONS.items():
        for trigger, nexts in row.items():
            for following in nexts:
                together.setdefault((phase, following), []).append(trigger.value)
    return [
        f"    {_name(phase)} --> {_name(following)}: {', '.join(triggers)}"
        for (phase, following), triggers in together.items()
    ]


def _name(phase: Phase) -> str:
    return phase.value.replace("-", "_")


def _cells(phase: Phase) -> list[str]:
    return [" or ".join(to.value for to in TRANSITIONS[phase].get(trigger, ())) for trigger in Trigger]


def upper_half() -> str:
    """Return what stands on the page above the list that `tests.waiting.document` makes."""
    return PATH.read_text().partition("\n## ")[0]


if __name__ == "__main__":
    PATH.write_text(text() + PATH.read_text().removeprefix(upper_half()))
