"""The second half of docs/reference/states.md: of each waiting state who must do what, and what each screen says.

`python -m tests.waiting.document` (`make docs`) writes it, from the real screens; the tests compare.
"""

from __future__ import annotations

from collections.abc import Iterator

from playwright.sync_api import Page

from benchmarks.handset import chromium
from tests.table.states_document import PATH
from tests.waiting.cases import Case, kiosk_cases, phone_cases, seat_cases
from tests.waiting.criterion import Who
from tests.waiting.surfaces import Shown, give_phone, kiosk_text, phone_texts, terminal_text
from tests.web.gallery import gallery

HEADING = "## Who must do what"
_HEAD = f"""{HEADING}

No screen waits in silence: in every state it says who must do what, or that nobody can do anything, until when and why. The
states below are those that real tables come to in the tests (`tests/waiting`: scripted games and random ones under fire), the
board in trouble, each connection away, and what comes before a game. States that differ only in squares, ranks or numbers are
one. What a screen has to say is worked out from the state alone (`tests/waiting/criterion.py`), then looked for on the kiosk,
on each seat's phone and terminal, in six languages. Whoever has something to do reads that; the others read whom they wait for.
A move needs no phone, so a phone that is away is named only where its player owes an answer. This half is made by `make docs`
too, from the screens themselves.

| state | who: what | kiosk, and the two upper lines of a terminal | phone | terminal, below the board |
|---|---|---|---|---|
"""


_NO_SENTENCES = (">", "1 ", "attack ", "decide ", "ready ", "show ", "Your set-up is sealed")
"""What a terminal shows besides: its prompt, the choices, the words that can be typed, and a commitment."""


def text(page: Page) -> str:
    """Return the whole half; `page` is an open gallery."""
    kiosk = {case[0].name: case for case in kiosk_cases(False)}
    seats = {case[0].name: case for case in sorted(seat_cases(False), key=_acts)}
    phones = {case[0].name: case for case in sorted(phone_cases(False), key=_acts)}
    give_phone(page, [shown for shown, _ in phones.values()])
    read = dict(zip(phones, phone_texts(page, "en", ".headline, .middle, .notice, .plain .lead"), strict=True))
    return _HEAD + "".join(
        _line(name, kiosk.get(name), read.get(name, ""), phones.get(name), seats.get(name)) for name in kiosk | phones
    )


def _acts(case: Case) -> bool:
    """Return whether this screen's own seat has to act; sorted by it, the last of a name is one that has, where there is one."""
    shown, owed = case
    return any(not isinstance(duty.who, Who) and shown.seat in duty.who for duty in owed)


def _line(name: str, kiosk: Case | None, read: str, phone: Case | None, seat: Case | None) -> str:
    shown = "" if kiosk is None else kiosk_text(kiosk[0], "en")
    if kiosk is not None and kiosk[0].view is not None:
        shown = "\n".join(shown.splitlines()[:2])
    known = kiosk or phone
    assert known is not None
    owed = "\n".join(duty.text for duty in known[1]) or "nobody: it is over"
    cells = (name, owed, shown, read, "" if seat is None else "\n".join(_below(seat[0])))
    lines = ("<br>".join(" ".join(line.split()) for line in cell.splitlines() if line.strip()) for cell in cells)
    return f"| {' | '.join(cell.replace('|', '/') for cell in lines)} |\n"


def _below(shown: Shown) -> Iterator[str]:
    """Return the lines of a terminal between the seat's name and the words that can be typed, without the choices."""
    lines = [line.strip() for line in terminal_text(shown, "en").splitlines()]
    start = next(at for at, line in enumerate(lines) if line.startswith("You play"))
    yield from (line for line in lines[start + 1 :] if line and not line.startswith(_NO_SENTENCES))


def main() -> None:
    """Write it behind the first half."""
    first = PATH.read_text(encoding="utf-8").partition(HEADING)[0]
    with chromium() as browser, gallery(browser) as page:
        PATH.write_text(f"{first.rstrip()}\n\n{text(page)}", encoding="utf-8")


if __name__ == "__main__":
    main()
