"""Real records for the forger: games that the table played, in every view. What forges and promises knows nothing of it."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from referee.journal.errors import NotShownError
from referee.journal.journal_to_record import record_as_agreed, record_of
from referee.journal.records.formats import read_record, write_record
from referee.journal.records.model import Record, View
from referee.journal.records.views import view_of
from referee.rules import rule_set
from referee.rules.hidden import Hidden
from referee.rules.values import Seat
from referee.table.settings import ClockKind, Occasion, TimeControl
from referee.table.views import Mode, Reveal
from tests.computer.at_table import AgainstTheComputer
from tests.forger.chained import chained
from tests.forger.record_text import Text, read
from tests.records.test_corrected_games import corrected, facts
from tests.table.random_play import SALTS
from tests.table.storm import Storm


def corrected_game() -> Record:
    """Return a game of a hall with names, day, clocks, and every correction that an arbiter has."""
    sitting = corrected(
        names={Seat.RED: "Anna", Seat.BLUE: "Bram"},
        salts=Hidden(SALTS),
        date="2026-11-26",
        occasion=Occasion("club night", 2, 7),
        clock=TimeControl(ClockKind.SUDDEN_DEATH, 600_000),
    )
    return record_as_agreed(tuple(facts(sitting)), sitting.rules)


def published(mode: Mode, plies: int) -> tuple[list[str], str]:
    """Return the links that everybody got with the events of a game, and the head in the table's state after so many plies."""
    storm = Storm(rule_set("duel"), mode, Reveal.BOOK, random.Random(5), junk=0.0, lies=False, proves=False)
    storm.play(plies)
    links = [link for step in storm.steps for fact in step.facts if fact.event for link in fact.event.links]
    return links, storm.table.view().chain or ""


def played(rules: str, mode: Mode, reveal: Reveal, seed: int, steps: int = 30) -> Record:
    """Return an honest game."""
    storm = Storm(rule_set(rules), mode, reveal, random.Random(seed), junk=0.0, lies=False, proves=False)
    storm.play(steps)
    return record_as_agreed([fact for step in storm.steps for fact in step.facts], rule_set(rules))


def with_chain(record: Record, **entries: str) -> Record:
    """Return a game of Duel with more in its `[game]`, ended by red, and its chain as the forger makes it."""
    options = " ".join(
        word for word in played("duel", Mode.ENROL, Reveal.BOOK, 5, 4).chain[0].split(" ") if word.startswith("option.")
    )
    text = shown(record, View.REFEREE)
    for key, value in entries.items():
        text = text.saying(key.replace("_", "."), value)
    return read_record(str(chained(text, options, ("blue", "resign"))).encode())


def against_the_computer(mode: Mode) -> Record:
    """Return a game in which the computer plays blue."""
    with TemporaryDirectory() as folder, AgainstTheComputer(Path(folder), mode=mode, level=2) as table:
        while table.table.view().ply < 14:
            table.play()
        return with_chain(record_of(table.facts, rule_set("duel")))


def shown(record: Record, view: View) -> Text:
    """Return a record as a view shows it."""
    return read(write_record(view_of(record, view), "own"))


def games() -> Iterator[tuple[str, Record]]:
    """Yield games of every kind of rule set, by name."""
    yield "corrected", corrected_game()
    names = {
        "player_red": "Anna",
        "player_blue": "Bram",
        "salt_red": "1" * 32,
        "salt_blue": "2" * 32,
        "date": "2026-11-26",
    }
    for mode in Mode:
        yield f"named {mode.value}", with_chain(played("duel", mode, Reveal.BOOK, 5, 30), **names)
        yield f"computer {mode.value}", against_the_computer(mode)
        for rules, reveal, seed, steps in (
            ("duel", Reveal.BOOK, 5, 30),
            ("duel", Reveal.RESULT_ONLY, 7, 60),
            ("barrage", Reveal.ATTACKER_ONLY, 3, 60),
            ("infiltrator", Reveal.BOOK, 5, 30),
            ("original", Reveal.BOOK, 2, 60),
            ("stratego4", Reveal.BOOK, 5, 30),
        ):
            yield f"{rules} {seed} {mode.value}", played(rules, mode, reveal, seed, steps)


def every_view(record: Record) -> Iterator[tuple[str, Text]]:
    """Yield a record in each view that there is of it."""
    for view in View:
        with contextlib.suppress(NotShownError):
            yield view.value, shown(record, view)
