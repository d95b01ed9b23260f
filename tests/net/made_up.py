"""Messages of every kind with made-up content, for properties."""

from __future__ import annotations

from typing import Any, get_args

import msgspec
from hypothesis import strategies as st

from referee.table.messages import FromHandset, Heard, History, Question, SeatState, ToHandset
from referee.table.views import PublicEvent

IDS = st.from_regex(r"[A-Za-z0-9_-]{1,48}", fullmatch=True)
NUMBERS = st.integers(0, 2**31 - 1)


def built(kind: type[msgspec.Struct], **more: st.SearchStrategy[object]) -> st.SearchStrategy[Any]:
    """Return a strategy for messages of a kind, with allowed ids and numbers."""
    numbers = {name: NUMBERS for name in ("question", "ply", "heard") if kind.__annotations__.get(name) == "int"}
    return st.builds(kind, id=IDS, **{**numbers, **more})


MESSAGES = st.one_of([built(kind) for kind in get_args(FromHandset)])
QUESTIONS = built(Question)
STATES = built(SeatState, question=st.none() | QUESTIONS)
HEARD = st.builds(
    Heard,
    st.builds(PublicEvent, game=IDS, seq=NUMBERS, kind=IDS, ply=NUMBERS, captured=st.just({}), leaves=st.just({})),
)
HISTORIES = built(History, re=IDS, events=st.lists(HEARD, max_size=3).map(tuple))
_PLAIN = [built(kind) for kind in get_args(ToHandset) if kind not in (SeatState, History)]
LETTERS = STATES | HISTORIES | st.one_of(_PLAIN)
