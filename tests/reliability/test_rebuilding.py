"""A table that is rebuilt from the rows of its journal is the table that wrote them, at every row."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.journal.events import JournalRow, event_of, fact_of
from referee.rules import Option, rule_set
from referee.rules.hidden import Hidden
from referee.rules.values import Rank, Seat
from referee.sensing import Agreed
from referee.table.inputs import Pause, Reopen, SeatSays
from referee.table.messages import Accepted, Declare, Hello, Question, QuestionKind, SeatState
from referee.table.replay import ResumeError, rebuild, repeat, steps_of, told_settings
from referee.table.settings import SettingsError, TableSettings, rules_mark, settings_as_told, settings_from
from referee.table.step import Expect, Fact, Step
from referee.table.table import Table
from referee.table.views import Mode, Phase, Reveal
from tests.amount import tries
from tests.reliability.memory import memory, plain
from tests.table.inputs import CLOCKS, Jump, jump, put_in
from tests.table.sitting import Sitting
from tests.table.storm import Storm

_LOOKS = 7
"""Every so many rows two tables' memories are compared: a number that falls on all kinds of rows."""
SETS = ("original", "duel", "barrage", "classic", "infiltrator", "stratego4", "stratego4-three", "stratego4-teams")


def from_rows(facts: Sequence[Fact]) -> list[Fact]:
    """Return facts as they come back from a journal: through JSON, ranks as words."""
    found = []
    for seq, fact in enumerate(facts, 1):
        event = event_of(fact)
        public = msgspec.json.decode(msgspec.json.encode(event.public))
        told = event.hidden.open_hidden() if event.hidden is not None else None
        words = {key: word.value if isinstance(word, Rank) else word for key, word in told.items()} if told else None
        hidden: Hidden[Mapping[str, str]] | None = Hidden(words) if words is not None else None
        found.append(fact_of(JournalRow(seq, event.type, 2, 0, 0, public, hidden)))
    return found


def played(name: str, seed: int, sparse: bool) -> Storm:
    """Play a game under fire that a seed decides."""
    rng = random.Random(seed)
    mode, reveal = rng.choice(list(Mode)), rng.choice(list(Reveal))
    table = Storm(
        rule_set(name), mode, reveal, rng, rng.choice([0.0, 0.2, 0.4]), clock=rng.choice(CLOCKS), proves=False
    )
    table.play(10 if name.startswith("stratego4") else 25, sparse)
    return table


def follow(storm: Storm) -> None:
    """Put every input into one table and every row that came of it into another: the same facts of each row, the same memory every few.

    What a table remembers wrongly it goes on remembering, and to walk through all of it costs more than to play.
    """
    living, rebuilt = Table(storm.table._state.settings), Table(storm.table._state.settings)
    number = 0
    for said in storm.inputs:
        if isinstance(said.what, Jump):
            jump(living, said.what)
            jump(rebuilt, said.what)
            continue
        step = put_in(living, said)
        assert not step.facts or step.facts[0].cause is not None, said
        for _, facts in steps_of(from_rows(step.facts)):
            number += 1
            assert repeat(rebuilt, facts, number) == ()
            if number % _LOOKS == 0:
                assert memory(rebuilt) == memory(living), (number, said)
    assert rebuilt.result == living.result


@pytest.mark.parametrize("name", SETS)
@settings(max_examples=tries(2), deadline=None)
@given(seed=st.integers(0, 2**32), sparse=st.booleans())
def test_a_rebuilt_table_remembers_the_same(name: str, seed: int, sparse: bool) -> None:
    """In every rule set and mode, under junk, pauses, resignations and cut cables."""
    follow(played(name, seed, sparse))


@pytest.mark.parametrize("name", SETS)
@settings(max_examples=1, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_a_rebuilt_table_goes_on_to_the_same_end(name: str, seed: int) -> None:
    """Cut where nothing is in the air; then the same hands and words come to the same rows and the same letters, bar their ids."""
    storm = played(name, seed, sparse=False)
    at = random.Random(seed).choice(_cuts(storm))
    facts = [fact for step in storm.steps[:at] for fact in step.facts]
    table = rebuild(told_settings(facts, rule_set), from_rows(facts)).table
    for said, was in zip(storm.inputs[at:], storm.steps[at:], strict=True):
        step = put_in(table, said)
        assert (plain(step.facts), step.orders) == (plain(was.facts), was.orders)
        assert kinds(step) == kinds(was)
    assert table.result == storm.table.result


def test_an_open_question_about_the_slider_is_asked_again() -> None:
    """By the same number, with the same answers, of the same seat and of no other, after every row that a table may end with."""
    asked = set()
    for seed in range(4):
        rules = rule_set("stratego4-three").with_options({"slider": "ask-always"})
        storm = Storm(rules, Mode.DECLARE, Reveal.BOOK, random.Random(seed), 0.0, proves=False)
        storm.play(14, sparse=True)
        living, rebuilt = Table(storm.table._state.settings), Table(storm.table._state.settings)
        number = 0
        for said in storm.inputs:
            if isinstance(said.what, Jump):
                jump(living, said.what)
                jump(rebuilt, said.what)
                continue
            for _, facts in steps_of(from_rows(put_in(living, said).facts)):
                number += 1
                repeat(rebuilt, facts, number)
            if living.phase is Phase.WAITING_FOR_DECLARATIONS:
                open_now = [questions(table, said.now_ms) for table in (living, rebuilt)]
                assert open_now[0] == open_now[1]
                asked |= {question.kind for question in open_now[0].values() if question is not None}
    assert {QuestionKind.SLIDER, QuestionKind.DECLARE} <= asked


def questions(table: Table, now_ms: int) -> dict[Seat, Question | None]:
    """Return what each seat is asked now, as a handset hears it that comes back."""
    found: dict[Seat, Question | None] = {}
    for seat in table._state.settings.rule_set.seats:
        for letter in table.apply(SeatSays(seat, Hello(id="back")), now_ms).letters:
            body = letter.body.open_hidden()
            if isinstance(body, SeatState):
                found[letter.seat] = body.question and msgspec.structs.replace(body.question, id="")
    return found


def kinds(step: Step) -> list[type]:
    """Return the types of the messages that a step sends."""
    return [type(letter.body.open_hidden()) for letter in step.letters]


def _cuts(storm: Storm) -> list[int]:
    table, found = Table(storm.table._state.settings), []
    for at, said in enumerate(storm.inputs):
        if (
            not table._state.held
            and table.phase not in (Phase.LOBBY, Phase.SETTING_UP, Phase.PIECE_IN_HAND)
            and not table._state.in_hand
        ):
            paused = table._state.pause
            if paused is None or paused.phase is not Phase.SETTING_UP:
                found.append(at)
        put_in(table, said)
    return found


def test_a_step_that_was_cut_in_its_middle_is_completed() -> None:
    """Only a salvaged journal can end there. What is missing follows, and is owed to the journal."""
    game = Sitting()
    game.move("e4", "e5")
    game.read("e7", "e6")
    game.attack("e5", "e6")
    game.declare(Seat.RED, Rank.MARSHAL)
    game.declare(Seat.BLUE, Rank.SPY)
    facts = [fact for step in game.steps for fact in step.facts]
    assert [fact.kind for fact in facts[-2:]] == ["declared", "verdict"]
    rebuilt = rebuild(game.table._state.settings, from_rows(facts[:-1]))
    assert [fact.kind for fact in rebuilt.owed] == ["verdict"]
    assert memory(rebuilt.table) == memory(game.table)


def test_a_repeat_after_a_restart_is_accepted_again_and_counts_once() -> None:
    """The id of every accepted message is in the journal; one that came to nothing has a row of its own."""
    game = Sitting()
    game.move("e4", "e5")
    game.read("e7", "e6")
    game.attack("e5", "e6")
    question = game.question(Seat.RED)
    game.say(Seat.RED, Declare(id="red-7", question=question.question, rank=Rank.MARSHAL))
    facts = from_rows([fact for step in game.steps for fact in step.facts])
    table = rebuild(told_settings(facts, rule_set), facts).table
    again = table.apply(SeatSays(Seat.RED, Declare(id="red-7", question=question.question, rank=Rank.MARSHAL)), 0)
    assert again.facts == ()
    (letter,) = again.letters
    answer = letter.body.open_hidden()
    assert isinstance(answer, Accepted)
    assert answer.re == "red-7"
    assert memory(table) == memory(game.table)


def test_rows_that_do_not_follow_are_an_error() -> None:
    """A row that is missing, changed or of an earlier version gives one clear error and no table."""
    game = Sitting()
    game.move("e4", "e5")
    game.move("e7", "e6")
    facts = from_rows([fact for step in game.steps for fact in step.facts])
    settings_ = told_settings(facts, rule_set)
    with pytest.raises(ResumeError, match="row 5"):
        rebuild(settings_, facts[:4] + facts[6:])
    with pytest.raises(ResumeError, match="earlier version"):
        rebuild(settings_, [replace(fact, cause=None) for fact in facts])
    with pytest.raises(ResumeError, match="earlier version"):
        told_settings([], rule_set)


@pytest.mark.parametrize("rules", ["duel", "barrage"])
def test_the_rules_must_be_those_of_the_game(rules: str) -> None:
    """A rule set of that name with other rules is refused; what players had chosen of it stays as they had it."""
    game = Sitting(rules=rules, begin=False)
    facts = from_rows([fact for step in game.steps for fact in step.facts])
    other = replace(rule_set(rules), filled=not rule_set(rules).filled)
    with pytest.raises(ResumeError, match=rules):
        told_settings(facts, lambda name: other)
    assert told_settings(facts, rule_set) == game.table._state.settings
    changed = rule_set(rules).with_options({"two_square_limit": 5})
    assert told_settings(facts, lambda name: changed).rule_set.two_square_limit == 3


def test_a_reopened_table_goes_on_where_it_was() -> None:
    """In play the board is compared first; an open question stays one, with all of its time; a pause stays a pause."""
    game = Sitting()
    game.move("e4", "e5")
    game.read("e7", "e6")
    facts = from_rows([fact for step in game.steps for fact in step.facts])
    table = rebuild(game.table._state.settings, facts).table
    step = table.apply(Reopen(), 5_000)
    assert [fact.kind for fact in step.facts] == ["reopened", "paused", "resumed"]
    assert [fact.event.text for fact in step.facts if fact.event] == ["interrupted", None]
    assert table.phase is Phase.RESTORING
    assert step.orders == (Expect(game.table.public_game.occupants()),)  # type: ignore[union-attr]  # it has begun
    assert memory(rebuild(game.table._state.settings, from_rows([*facts, *step.facts])).table) == memory(table)
    table.apply(Agreed(0, 0, None), 5_100)
    assert (table.phase, table.view().last_move.final) == (Phase.WAITING_FOR_MOVE, True)  # type: ignore[union-attr]

    game.attack("e5", "e6")
    facts = from_rows([fact for step in game.steps for fact in step.facts])
    table = rebuild(game.table._state.settings, facts).table
    step = table.apply(Reopen(), 7_000)
    assert (table.phase, step.deadline_ms) == (Phase.WAITING_FOR_DECLARATIONS, 187_000)
    (letter,) = table.apply(SeatSays(Seat.RED, Hello(id="h1")), 7_000).letters
    state = letter.body.open_hidden()
    assert isinstance(state, SeatState)
    assert state.id.startswith("r1-")
    assert state.question is not None

    game.take(game.table.apply(Pause(), 7_000))
    table = rebuild(game.table._state.settings, [fact for step in game.steps for fact in step.facts]).table
    assert [fact.kind for fact in table.apply(Reopen(), 9_000).facts] == ["reopened"]
    assert table.phase is Phase.PAUSED


FIRST_MARKS = {
    "original": "be47aa1d225cbd88",
    "duel": "60a50656e831bda0",
    "barrage": "db88dfd17ad0b7ec",
    "classic": "315ba6f20f11fb1f",
    "duel-compact": "126b213f95ed77f0",
    "infiltrator": "1fbc88b636d00a72",
    "vintage": "e31dd4928aaaa6a2",
    "stratego4": "422997acaae1de5f",
    "stratego4-three": "98b8ed84334d0020",
    "stratego4-teams": "600c370385a261b4",
}
"""The marks that the first journals have; never to be adopted from what a program says today."""


@pytest.mark.parametrize(("said", "meant"), [(True, "pursuit"), (False, "none")])
def test_journals_that_say_chase_rule_are_played_as_they_were(said: bool, meant: str) -> None:
    """The option has another name and a third value since; a rule set that knows neither of its first two is another one."""
    rules = rule_set("vintage")
    told = settings_as_told(TableSettings("test", "game", rules.with_options({"repetition": meant})))
    options = {name: value for name, value in told["options"].items() if name != "repetition"} | {"chase_rule": said}
    told = {**told, "options": options, "rules_mark": rules_mark(rules, options)}
    assert settings_from(told, rules).rule_set.option("repetition", "") == meant
    only = Option("situation", ("situation",), "our own")
    with pytest.raises(SettingsError):
        settings_from(told, replace(rules, options={**rules.options, "repetition": only}))


@pytest.mark.parametrize(("said", "meant"), [(True, "lake-rows-too"), (False, "set-up-rows")])
def test_journals_that_say_include_lake_rows_are_played_as_they_were(said: bool, meant: str) -> None:
    """Enemy ground has another name and a third value since."""
    rules = rule_set("infiltrator")
    told = settings_as_told(TableSettings("test", "game", rules.with_options({"enemy_ground": meant})))
    options = {name: value for name, value in told["options"].items() if name != "enemy_ground"}
    told = {**told, "options": options | {"include_lake_rows": said}}
    told["rules_mark"] = rules_mark(rules, told["options"])
    assert settings_from(told, rules).rule_set.option("enemy_ground", "") == meant


@pytest.mark.parametrize("name", FIRST_MARKS)
def test_the_first_journals_are_played_by_the_rules_of_their_day(name: str) -> None:
    """Their mark covers options that were none then or had another default; the settings come back with those."""
    told = {**settings_as_told(TableSettings("test", "game", rule_set(name))), "rules_mark": FIRST_MARKS[name]}
    del told["options"]
    rules = settings_from(told, rule_set(name)).rule_set
    assert rules.former_options.items() <= {name: option.value for name, option in rules.options.items()}.items()
    with pytest.raises(SettingsError):
        settings_from({**told, "rules_mark": FIRST_MARKS["vintage" if name != "vintage" else "duel"]}, rule_set(name))
