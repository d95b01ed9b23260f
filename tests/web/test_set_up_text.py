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
from referee.rules.values import Rank, Seat
from referee.runtime.set_ups import generate
from referee.table.views import PublicInfo
from tests.web.gallery import gallery
from tests.web.set_up_sheets import SITTINGS, announced, in_page, plain

OWN = "DHKDJDIDHD/ELGICGDHJF/GFBEDIBEGD/FBMBEBFBEH"
FOUR_ROWS = """
 2  6  9  2  8  2  7  2  6  2
 3 10  5  7  1  5  2  6  8  4
 5  4  B  3  2  7  B  3  5  2
 4  B  F  B  3  B  4  B  3  6
"""


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
    """Give a whole set-up, or one from which some pieces are still missing."""
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


def test_a_text_fits_every_chair() -> None:
    """What red wrote is the same picture for blue, turned round."""
    info = announced("original")
    mine = read_set_up(info, Seat.RED, FOUR_ROWS)
    theirs = read_set_up(info, Seat.BLUE, write_set_up(info, Seat.RED, mine))
    assert mine["a4"] is theirs["j7"] is Rank.SCOUT
    assert mine["c1"] is theirs["h10"] is Rank.FLAG
    assert write_set_up(info, Seat.BLUE, theirs) == write_set_up(info, Seat.RED, mine)


GOOD = [
    (FOUR_ROWS, "c1"),
    (FOUR_ROWS.replace("10", "M").replace(" ", ""), "c1"),
    (FOUR_ROWS.replace("10", "X").replace(" ", "").strip().replace("\n", "/"), "c1"),
    ("[[" + "],[".join(", ".join(f"'{sign}'" for sign in row.split()) for row in FOUR_ROWS.strip().split("\n")) + "]]", "c1"),
    (FOUR_ROWS.lower().replace(" 1 ", " s ").replace("\n", "\r\n"), "c1"),
    (FOUR_ROWS.replace(" F ", " flag "), "c1"),
    ("# my best\n\nrules = original\n" + FOUR_ROWS, "c1"),
    ("rules = vintage\n" + FOUR_ROWS, "c1"),
    (OWN, "c1"),
    (OWN.replace("/", "").lower(), "c1"),
    ("A" * 99 + "M b", None),
    ("M" + "A" * 41 + "__AA__AAAA__AA__AA" + "A" * 40 + " r", "a1"),
    ("A" * 42 + "__AA__AAAA__AA__AA" + "A" * 39 + "Y", "a1"),
    ("a1 flag\nb1 10\n", "a1"),
    ('a1 = "flag"\nB1 = "bomb"', "a1"),
]  # fmt: skip


@pytest.mark.process
@pytest.mark.parametrize(("text", "flag"), GOOD, ids=range(len(GOOD)))
def test_what_players_paste_is_read(page: Page, text: str, flag: str | None) -> None:
    """Rows with and without blanks, lists of programmers, StraDoS letters, lines of a record; where the flag is then."""
    info = announced("original")
    found = read(info, Seat.RED, text)
    assert read_by_page(page, info, Seat.RED, [text]) == [found]
    if flag is None:
        assert "faults" in found  # red has no such piece, and blue's would stand outside the zone
    else:
        assert read_set_up(info, Seat.RED, text)[flag] is Rank.FLAG


BAD = [
    ("", ["nothing"]),
    ("hallmarshal set-up 2\n" + FOUR_ROWS, ["version"]),
    ("hallmarshal set-up 1\nrules = stratego4\n" + FOUR_ROWS.replace("F", "."), ["rules"]),
    ("1 2 3", ["rows"]),
    (FOUR_ROWS.replace("10", "11").replace("F", "Q"), ["sign", "sign"]),
    (FOUR_ROWS.replace("F", "10"), ["too-many"]),
    ("a1 flag\na1 bomb\nk9 spy\nb1 pawn\nb2", ["twice", "square", "sign", "sign"]),
    ("x" * 10_001, ["too-long"]),
]


@pytest.mark.process
@pytest.mark.parametrize(("text", "kinds"), BAD, ids=range(len(BAD)))
def test_every_fault_is_told_at_once(page: Page, text: str, kinds: list[str]) -> None:
    """Nothing is taken from a faulty text, and each fault has its kind, line and word."""
    info = announced("original")
    with pytest.raises(SetUpTextError) as caught:
        read_set_up(info, Seat.RED, text)
    assert [fault.kind.value for fault in caught.value.faults] == kinds
    assert read_by_page(page, info, Seat.RED, [text]) == [{"faults": plain(caught.value.faults)}]
    assert not any(rank.value in str(caught.value) for rank in Rank)


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
