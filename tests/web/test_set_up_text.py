"""The text of a set-up: two readers, the page's and the terminal's, that agree on every text, good or bad."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from playwright.sync_api import Browser, Page

from referee.journal.records.set_up_text import SetUpByName, SetUpTextError, read_set_up, write_set_up
from referee.rules import rule_set
from referee.rules.values import Seat
from referee.runtime.set_ups import generate
from referee.table.views import PublicInfo
from tests.records.set_up_texts import BAD, FOUR_ROWS, GOOD
from tests.web.gallery import gallery
from tests.web.set_up_sheets import SITTINGS, announced, in_page, plain


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    """A page of the browser with the entry's modules within reach."""
    with gallery(browser) as opened:
        yield opened


def read(info: PublicInfo, seat: Seat, text: str) -> dict[str, object]:
    """Read here, in the form that the page gives."""
    try:
        return {"placed": plain(read_set_up(info, seat, text))}
    except SetUpTextError as error:
        return {"faults": plain(error.faults)}


def read_by_page(page: Page, info: PublicInfo, seat: Seat, texts: list[str]) -> list[dict[str, object]]:
    """Read several texts in the browser."""
    body = """
        const one = sheet.sheetOf(given.info, given.seat);
        return given.texts.map((each) => {
            const { placed, faults } = text.read(one, each);
            return placed ? { placed: Object.fromEntries(placed) } : { faults };
        });
    """
    found: list[dict[str, object]] = in_page(
        page, "sheet text", body, {"info": plain(info), "seat": seat.value, "texts": texts}
    )
    return found


def made_up(rules: str, seat: Seat, chance: random.Random) -> SetUpByName:
    """Return a whole set-up, or one that still lacks some pieces."""
    whole = {square.name: rank for square, rank in generate(rule_set(rules), seat, chance).items()}
    keep = chance.choice([1.0, 1.0, chance.random()])
    return {square: rank for square, rank in whole.items() if chance.random() <= keep}


@pytest.mark.process
def test_every_set_up_comes_back_from_its_text(page: Page) -> None:
    """Any rule set, any chair, whole or not: both write the same text, and both read from it what was written."""
    chance = random.Random(5)
    body = """
        return given.map(({ info, seat, placed }) => {
            const one = sheet.sheetOf(info, seat);
            const written = text.write(one, new Map(Object.entries(placed)));
            return { written, read: Object.fromEntries(text.read(one, written).placed ?? []) };
        });
    """
    cases = [(announced(rules), seat, made_up(rules, seat, chance)) for rules, seat in SITTINGS for _ in range(3)]
    sent = [{"info": plain(info), "seat": seat.value, "placed": plain(placed)} for info, seat, placed in cases]
    for (info, seat, placed), found in zip(cases, in_page(page, "sheet text", body, sent), strict=True):
        written = write_set_up(info, seat, placed)
        assert found == {"written": written, "read": plain(placed)}
        assert read_set_up(info, seat, written) == placed


@pytest.mark.process
def test_what_players_paste_is_read_by_the_page_as_well(page: Page) -> None:
    """Rows with and without blanks, lists of programmers, StraDoS letters, lines of a record."""
    found = read_by_page(page, announced("original"), Seat.RED, [text for text, _ in GOOD])
    assert found == [{"placed": plain(placed)} for _, placed in GOOD]


@pytest.mark.process
def test_every_fault_is_told_at_once_by_the_page_as_well(page: Page) -> None:
    """Nothing is taken from a faulty text, and each fault has its kind, line and word."""
    found = read_by_page(page, announced("original"), Seat.RED, [text for text, _ in BAD])
    assert found == [{"faults": plain(faults)} for _, faults in BAD]


SIGNS = st.sampled_from(
    [*"123456789BFSICM.-_x0/#,\n\n ", "10", "11", "flag", "a1", "b2 ", "rules = duel\n", "é", "\u00a0"]
)


@pytest.mark.process
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    sitting=st.sampled_from(SITTINGS),
    texts=st.lists(
        st.one_of(
            st.lists(SIGNS, max_size=60).map("".join),
            st.lists(st.sampled_from("ABCDLMNXY_"), min_size=20, max_size=41).map("".join),
            st.integers(0, 2**32).map(str),
            st.tuples(st.integers(0, 400), SIGNS).map(lambda pair: FOUR_ROWS[: pair[0]] + pair[1] + FOUR_ROWS[pair[0] :]),
        ),
        min_size=1,
        max_size=6,
    ),
)  # fmt: skip
def test_both_readers_agree_on_any_text(page: Page, sitting: tuple[str, Seat], texts: list[str]) -> None:
    """The same pieces or the same faults, whatever was typed."""
    info, seat = announced(sitting[0]), sitting[1]
    assert read_by_page(page, info, seat, texts) == [read(info, seat, text) for text in texts]
