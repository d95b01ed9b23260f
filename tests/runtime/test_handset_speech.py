"""What is typed at a terminal handset becomes the message that was meant, in every language."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from referee.handset.speech import (
    ACTS,
    EDITS,
    WISHES,
    NotUnderstoodError,
    Speech,
    army_text,
    choice_text,
    refusal_texts,
)
from referee.net.handset import Handset
from referee.net.topics.payloads import ToSeat
from referee.rules import check_set_up, rule_set
from referee.rules.values import Rank, Seat, Square
from referee.table.messages import Question, QuestionKind, Ready, Rejected
from referee.table.settings import TableSettings
from referee.table.table import Table
from referee.table.views import Fix, Phase
from referee.words import LANGUAGES, words


def handset(question: Question | None = None, rules: str = "duel") -> Handset:
    """Return red's handset in a game, with a question if one is given."""
    made = Handset(Seat.RED, "h")
    made.take(Table(TableSettings("kitchen", "g1", rule_set(rules))).info())
    if question is not None:
        made.take(ToSeat(question, 4))
    return made


def asked(kind: QuestionKind, *choices: str) -> Question:
    """Return a question."""
    return Question(
        id="r1", question=7, kind=kind, ply=4, source="d4", target="d5", square="d5", choices=tuple(choices)
    )


def said(line: str, question: Question | None = None, language: str = "en") -> dict[str, object]:
    """Return the message of a line, without its id."""
    message = Speech(handset(question), language).understand(line)
    fields = msgspec.json.decode(msgspec.json.encode(message))
    assert fields.pop("id") == "h-1"
    assert isinstance(fields, dict)
    return fields


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("ready", {"type": "ready"}),
        ("attack", {"type": "attack", "source": None, "target": None}),
        ("attack d5", {"type": "attack", "source": None, "target": "d5"}),
        ("ATTACK d4 d5", {"type": "attack", "source": "d4", "target": "d5"}),
        ("infiltrate d4 d7 field marshal", {"type": "infiltrate", "source": "d4", "target": "d7", "guess": "marshal"}),
        ("fire d4 d6", {"type": "fire", "source": "d4", "target": "d6"}),
        ("leave d4 red blue", {"type": "leave", "square": "d4", "flags": ["red", "blue"]}),
        ("leave d4", {"type": "leave", "square": "d4", "flags": []}),
        ("draw", {"type": "offer-draw"}),
        ("claim", {"type": "claim-immobile"}),
        ("resign", {"type": "resign"}),
    ],
)
def test_words_act(line: str, message: dict[str, object]) -> None:
    """Each word with what follows it."""
    assert said(line) == message


def test_a_seat_that_decides_elsewhere_says_its_next_move() -> None:
    """The ply that it is about follows from the view; before there is one nothing is sent."""
    made = handset()
    with pytest.raises(NotUnderstoodError):
        Speech(made, "en").understand("decide d4 d5")
    made.take(Table(TableSettings("kitchen", "g1", rule_set("duel"))).view())
    message = Speech(made, "nl").understand("beslis d4 d5")
    assert msgspec.to_builtins(message) == {"type": "decide", "id": "h-1", "ply": 1, "source": "d4", "target": "d5"}


def test_numbers_choose() -> None:
    """A number is the choice in its place; a rank is declared, anything else answered."""
    question = asked(QuestionKind.DECLARE, "miner", "scout")
    assert said("2", question) == {"type": "declare", "question": 7, "rank": "scout"}
    question = asked(QuestionKind.DRAW, "accept", "refuse")
    assert said(" 1\n", question) == {"type": "answer", "question": 7, "choice": "accept"}


@pytest.mark.parametrize(
    "line",
    [
        "1",
        "0",
        "attack a b c",
        "infiltrate d4 d5 pawn",
        "fire d4",
        "decide d4",
        "leave d4 purple",
        "hello",
        "consent",
        "²",
    ],
)
def test_what_is_not_understood_is_said(line: str) -> None:
    """Nothing is sent."""
    with pytest.raises(NotUnderstoodError):
        Speech(handset(), "en").understand(line)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_its_words(language: str) -> None:
    """Every act, wish and edit is one word, different from all others; English always works."""
    mine, english = words(language), words("en")
    known = (*ACTS, *WISHES, *EDITS)
    names = [mine[f"handset.word-{act}"] for act in known]
    assert len(set(names)) == len(names)
    assert all(len(name.split()) == 1 and name == name.casefold() for name in names)
    clash = {mine[f"handset.word-{act}"]: act for act in known}
    for act in known:
        assert clash.get(english[f"handset.word-{act}"], act) == act
    for act in ("ready", "draw", "resign"):
        assert said(mine[f"handset.word-{act}"], language=language) == said(act, language=language)


def test_set_ups(tmp_path: Path) -> None:
    """From a file, or made up; the same is consented to afterwards."""
    path = tmp_path / "mine.toml"
    path.write_text('a1 = "flag"\nb1 = "bomb"\n')
    speech = Speech(handset(), "en")
    enrolled = msgspec.to_builtins(speech.understand(f"enrol {path}"))
    assert enrolled["set_up"] == {"a1": "flag", "b1": "bomb"}
    assert msgspec.to_builtins(speech.understand("consent"))["set_up"] == enrolled["set_up"]
    assert speech.handed_in == {"a1": Rank.FLAG, "b1": Rank.BOMB}
    made_up = msgspec.to_builtins(Speech(handset(), "en").understand("enrol random"))
    assert len(made_up["set_up"]) == 10
    path.write_text('a1 = "queen"\n')
    for source, complaint in ((path, "Line 1: “queen” isn’t a piece of this game"), (tmp_path / "nowhere", "nowhere")):
        with pytest.raises(NotUnderstoodError, match=complaint):
            speech.understand(f"enrol {source}")


def test_a_set_up_is_made_at_the_terminal(tmp_path: Path) -> None:
    """Placed, swapped, mirrored, cleared, taken back, written and read again; nothing of it is said before `enrol`."""
    speech = Speech(handset(), "en")
    path = tmp_path / "mine.txt"
    for line, shown in (
        ("place flag e1", "a1   .  .  .  .  F  .  .  .  .  .  j1"),
        ("place 3 a1 b1", "a1   3  3  .  .  F  .  .  .  .  .  j1"),
        ("place Field Marshal A1", "a1  10  3  .  .  F  .  .  .  .  .  j1"),
        ("swap a1 c1", "a1   .  3 10  .  F  .  .  .  .  .  j1"),
        ("mirror", "a1   .  .  .  .  .  F  . 10  3  .  j1"),
        (f"save {path}", "a1   .  .  .  .  .  F  . 10  3  .  j1"),
        ("clear f1", "a1   .  .  .  .  .  .  . 10  3  .  j1"),
        ("clear", "a1   .  .  .  .  .  .  .  .  .  .  j1"),
        ("undo", "a1   .  .  .  .  .  .  . 10  3  .  j1"),
        (f"load {path}", "a1   .  .  .  .  .  F  . 10  3  .  j1"),
        ("text " + "........../" * 3 + "F.........", "a1   F  .  .  .  .  .  .  .  .  .  j1"),
        ("show", "9 still to place"),
    ):
        assert speech.understand(line) == "show"
        assert shown in speech.draft.picture
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.read_text().startswith("hallmarshal set-up 1\nrules = duel\n")
    assert speech.understand("text") == "text"
    assert msgspec.to_builtins(speech.understand("enrol"))["set_up"] == {"a1": "flag"}


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("place miner a1 b1 c1", "Miner: 1 too many"),
        ("place sergeant a1", "Sergeant: 1 too many"),
        ("place flag a9", "Outside your zone: a9"),
        ("swap a1 e5", "Outside your zone: e5"),
        ("clear q1", "Outside your zone: q1"),
        ("text 1 2 3", "This needs 4 rows of 10 squares; there are 3 characters."),
        ("load /nowhere/at/all", "Not understood: /nowhere/at/all"),
        ("save /nowhere/at/all", "Not understood: /nowhere/at/all"),
        ("place", "Not understood: place"),
        ("place queen a1", "Not understood: place queen a1"),
        ("swap a1", "Not understood: swap a1"),
        ("mirror a1", "Not understood: mirror a1"),
    ],
)
def test_what_cannot_be_done_with_a_set_up_is_said(line: str, complaint: str) -> None:
    """In the player's words, and the set-up stays as it is."""
    speech = Speech(handset(), "en")
    speech.understand("place flag a1")
    with pytest.raises(NotUnderstoodError) as caught:
        speech.understand(line)
    assert str(caught.value) == complaint
    assert speech.draft.placed == {"a1": Rank.FLAG}


def test_a_refused_set_up_is_told_in_words() -> None:
    """Every fault that the rules can find, in every language, without a stable word left over."""
    rules = rule_set("original")
    placed = {Square("a1"): Rank.FLAG, Square("b1"): Rank.FLAG, Square("e5"): Rank.CANNON}
    faults = tuple(fault.text for fault in check_set_up(rules, Seat.RED, placed))
    rejected = Rejected(id="r", re="h-1", reason="bad-set-up", detail=faults)
    assert refusal_texts(words("en"), rejected)[:3] == [
        "Outside your zone: e5",
        f"Empty: {' '.join(square.name for square in rules.zone(Seat.RED)[2:])}",
        "Flag: 1 too many (a1 b1)",
    ]
    for language in LANGUAGES:
        told = refusal_texts(words(language), rejected)
        assert len(told) == len(rejected.detail)
        assert not any("{" in text or "too-" in text for text in told)
    for reason in ("bad-set-up", "contradicts-the-game"):
        rejected = Rejected(id="r", re="h-1", reason=reason, detail=("a1", "e1"))
        assert refusal_texts(words("en"), rejected) == ["The game didn’t start like this: a1 e1"]
    assert refusal_texts(words("en"), Rejected(id="r", re="h-1", reason="not-now")) == ["Not accepted (not-now)"]


def test_nothing_is_said_before_a_game() -> None:
    """Wishes are heard, messages are not made."""
    speech = Speech(Handset(Seat.RED, "h"), "en")
    assert speech.understand("quit") == "quit"
    with pytest.raises(NotUnderstoodError):
        speech.understand("ready")


def test_ready_waits_for_the_pieces() -> None:
    """While pieces are missing `ready` is refused in one sentence that counts them; where squares are known, two may be unseen."""
    made = handset()
    speech = Speech(made, "en")
    view = replace(Table(TableSettings("kitchen", "g1", rule_set("duel"))).view(), phase=Phase.SETTING_UP)
    for there, fixes, taken in (
        (0, (), False),
        (9, (), False),
        (8, ("a1",), True),
        (7, ("a1",), False),
        (10, (), True),
    ):
        squares = [f"{column}1" for column in "abcdefghij"][:there]
        wanted = tuple(Fix(square, Seat.RED) for square in fixes)
        made.take(replace(view, occupants=dict.fromkeys(squares, Seat.RED), fixes=wanted))
        if taken:
            assert isinstance(speech.understand("ready"), Ready)
        else:
            with pytest.raises(NotUnderstoodError, match=f"{there} of 10 pieces placed"):
                speech.understand("ready")


def test_choices_are_readable() -> None:
    """Ranks, answers, flags."""
    mine = words("en")
    texts = [choice_text(mine, choice) for choice in ("marshal", "refuse", "none", "stay", "red,blue")]
    assert texts == ["Field Marshal", "Decline", "None", "Leave it", "Red, Blue"]
    assert army_text(mine, {"a1": Rank.BOMB, "b1": Rank.SPY}) == "a1 Bomb, b1 Spy"
