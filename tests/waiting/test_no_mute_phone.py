"""No phone waits in silence, and docs/reference/states.md says what each screen says."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from benchmarks.handset import chromium
from referee.words import LANGUAGES
from tests.table.states_document import PATH
from tests.waiting import document
from tests.waiting.cases import Case, phone_cases
from tests.waiting.criterion import mute, told
from tests.waiting.surfaces import give_phone, phone_texts
from tests.web.gallery import gallery

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    """A page that shows what it is told to."""
    with chromium() as browser, gallery(browser) as open_page:
        yield open_page


def silent(page: Page, cases: list[Case], language: str) -> dict[str, list[str]]:
    """Return the states in which a phone leaves out what somebody has to do, with what that is."""
    give_phone(page, [shown for shown, _ in cases])
    texts = phone_texts(page, language)
    return told(((shown, owed, text) for (shown, owed), text in zip(cases, texts, strict=True)), language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_phone_waits_in_silence(language: str, page: Page) -> None:
    """As every seat sees it: one situation of each name in each language; all there are, each in one."""
    mine = list(phone_cases(True))[LANGUAGES.index(language) :: len(LANGUAGES)]
    named = {(shown.name, shown.seat) for shown, _ in mine}
    rest = [case for case in phone_cases(False) if (case[0].name, case[0].seat) not in named]
    assert silent(page, mine + rest, language) == {}


def test_a_mute_phone_is_noticed(page: Page) -> None:
    """Where the small sentence is taken away, and the button with it, the states that need them are found."""
    cases = list(phone_cases(False))
    give_phone(page, [shown for shown, _ in cases])
    headlines = zip(cases, phone_texts(page, "en", ".headline h1"), strict=True)
    found = {shown.name for (shown, owed), text in headlines if mute(owed, text, "en", shown.seat)}
    assert {"paused, held", "no-referee", "waiting-for-declarations, declare, 1 asked"} <= found
    assert not {"waiting-for-move", "no-broker"} & found


def test_the_list_in_the_documents_is_what_the_screens_say(page: Page) -> None:
    """`make docs` writes it."""
    assert (
        PATH.read_text(encoding="utf-8").partition(f"{document.HEADING}\n")[2] == document.text(page).partition("\n")[2]
    )
