"""Who listens to everything tries to tell refusal from silence after a game, or an answer before its time (docs/reference/messages.md)."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from referee.journal.records.formats import read_record
from referee.rules import Rank, Seat
from referee.table import messages
from referee.table.views import Finale, Mode, Phase
from tests.security.finale_table import ANSWERS, BLUE, FINALE_MS, RED, SET_UPS, FinaleTable

MEMORY = Path("/dev/shm")  # where it is not there the disk does
ANSWERS_GIVEN = ("yes", "no", "none", "wrong")
"""A late yes is none until its time, and that a phone is offline is public anyway."""


@pytest.fixture
def tmp_path(tmp_path: Path) -> Iterator[Path]:
    """Yield a folder in memory: each game here waits for its disk a dozen times."""
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else tmp_path) as folder:
        yield Path(folder)


@contextmanager
def table(folder: Path, mode: Mode = Mode.ENROL, **more: Any) -> Iterator[FinaleTable]:
    """Yield a game that has just ended, and close it."""
    made = FinaleTable(folder, mode, **more)
    try:
        yield made
    finally:
        made.close()


def answer(at: FinaleTable, seat: Seat, how: str) -> None:
    """Send one answer before the time."""
    if how == "yes":
        assert b"accepted" in at.yes(seat)
    elif how == "wrong":
        swapped = dict.fromkeys(SET_UPS[seat], Rank.BOMB)
        assert b"rejected" in at.yes(seat, swapped)
    elif how == "no":
        at.no(seat)


def seen_by(at: FinaleTable, seat: Seat | None) -> tuple[object, ...]:
    """Return all that somebody can see who has this seat, or none, and the disk without the key."""
    heard = [] if seat is None else at.heard.letters[seat]
    rows = [row for row in at.rows() if row[0] != "connection"]
    return at.heard.public, heard, rows, at.files(), at.lines(), at.view()


@pytest.mark.parametrize("mode", Mode)
def test_before_the_time_nobody_can_tell_any_answer_from_any_other(tmp_path: Path, mode: Mode) -> None:
    """For each answer of blue's what red and the public see is the same, byte for byte, whatever red has answered; and the other way."""
    for number, (seat, other) in enumerate(((RED, BLUE), (BLUE, RED))):
        for own in ("yes", "none"):
            looks = []
            for theirs in ANSWERS_GIVEN:
                with table(tmp_path / f"{number}-{own}-{theirs}", mode) as at:
                    at.wait(1_000)
                    answer(at, seat, own)
                    at.wait(9_000)
                    answer(at, other, theirs)
                    at.wait(FINALE_MS - 10_001)
                    assert at.view().finale is Finale.ASKED
                    looks.append(seen_by(at, seat))
            assert all(look == looks[0] for look in looks)


def test_whose_phone_is_away_looks_like_any_phone_that_is_away(tmp_path: Path) -> None:
    """A phone that has answered and then goes cannot be told from one that never answered."""
    looks = []
    for how in ("yes", "no", "none", "wrong"):
        with table(tmp_path / how) as at:
            answer(at, BLUE, how)
            at.away(BLUE)
            at.wait(FINALE_MS - 1)
            looks.append(seen_by(at, RED))
    assert all(look == looks[0] for look in looks)


def test_the_outcome_is_shown_at_the_time_and_tells_no_refusal_from_silence(tmp_path: Path) -> None:
    """All combinations: turned over only where both said yes in time; of all others with the same yeses all look the same for ever."""
    looks: dict[tuple[bool, bool], list[tuple[object, ...]]] = {}
    for red, blue in itertools.product(ANSWERS_GIVEN, repeat=2):
        with table(tmp_path / f"{red}-{blue}") as at:
            answer(at, RED, red)
            answer(at, BLUE, blue)
            at.wait(FINALE_MS - 1)
            assert (at.view().finale, at.view().turned) == (Finale.ASKED, {})
            at.wait(1)
            both = red == blue == "yes"
            assert at.view().finale is (Finale.TURNED if both else Finale.COVERED)
            assert at.view().turned == ({**SET_UPS[RED], **SET_UPS[BLUE]} if both else {})
            at.wait(1_000_000)
            assert not (at.folder / ANSWERS).exists()
            looks.setdefault((red == "yes", blue == "yes"), []).append(seen_by(at, None))
    assert len(looks) == 4
    assert all(each == some[0] for some in looks.values() for each in some)


def test_an_offline_phone_that_agreed_counts_and_one_that_did_not_is_a_no(tmp_path: Path) -> None:
    """A yes stays one when its phone goes away."""
    for how, outcome in (("yes", Finale.TURNED), ("none", Finale.COVERED)):
        with table(tmp_path / how) as at:
            answer(at, RED, "yes")
            answer(at, BLUE, how)
            at.away(BLUE)
            at.wait(FINALE_MS)
            assert at.view().finale is outcome


def test_a_late_yes_is_for_the_record_alone(tmp_path: Path) -> None:
    """What was shown stays; the record has the consent."""
    with table(tmp_path) as at:
        answer(at, RED, "yes")
        assert not record(at)
        at.wait(FINALE_MS)
        assert record(at) == {RED}
        before = len(at.heard.public)
        answer(at, BLUE, "yes")
        at.wait(FINALE_MS)
        assert (at.view().finale, at.view().turned) == (Finale.COVERED, {})
        assert record(at) == {RED, BLUE}
        assert len(at.heard.public) == before


def test_a_yes_that_comes_again_after_the_outcome_is_the_same_yes(tmp_path: Path) -> None:
    """A phone that had not heard the answer says it again: it is accepted, and nothing is written twice."""
    with table(tmp_path) as at:
        said = messages.Consent(id="once", set_up=SET_UPS[RED])
        at.say(RED, said)
        at.wait(FINALE_MS)
        assert at.say(RED, said).facts == ()
        assert b"accepted" in at.heard.letters[RED][-1][2]


def record(at: FinaleTable) -> frozenset[Seat]:
    """Return who has consented, as the record on the disk tells."""
    return read_record((at.folder / "game.record").read_bytes()).consent


def test_an_end_that_is_undone_forgets_the_answers(tmp_path: Path) -> None:
    """Nothing of them is left, before or after the time; the next end asks anew."""
    for waits in (1_000, FINALE_MS):
        with table(tmp_path / str(waits)) as at:
            answer(at, RED, "yes")
            answer(at, BLUE, "yes")
            at.wait(waits)
            at.go_back()
            assert (at.view().finale, at.view().turned) == (None, {})
            assert set(at.files()) <= {"journal.key"}
            at.end()
            at.wait(FINALE_MS)
            assert at.view().finale is Finale.COVERED
            assert not record(at)


def test_a_game_that_begins_before_the_time_is_a_no_like_any_other(tmp_path: Path) -> None:
    """Also where both had agreed; who had agreed is in the record."""
    with table(tmp_path) as at:
        answer(at, RED, "yes")
        answer(at, BLUE, "yes")
        at.wait(5_000)
        at.leave()
        assert (at.view().finale, at.view().turned) == (Finale.COVERED, {})
        assert record(at) == {RED, BLUE}


@pytest.mark.parametrize("jump_ms", [0, 10_000_000])
@pytest.mark.parametrize("blue", ["yes", "no", "none"])
def test_a_power_cut_changes_no_outcome(tmp_path: Path, blue: str, jump_ms: int) -> None:
    """Wherever it comes: after the end, after each answer, at the time, after it; and nothing more can be seen by it."""
    outcome = Finale.TURNED if blue == "yes" else Finale.COVERED
    for cut in range(5):
        with table(tmp_path / str(cut)) as at:
            acts: tuple[Callable[[], None], ...] = (
                lambda: answer(at, RED, "yes"),
                lambda: answer(at, BLUE, blue),
                lambda: at.wait(FINALE_MS - 1),
            )
            for number, act in enumerate(acts):
                if cut == number:
                    at.cut(jump_ms)
                act()
            if cut == 3:
                at.cut(jump_ms)
                assert (at.view().finale, at.view().phase) == (Finale.ASKED, Phase.FINISHED)
                at.wait(FINALE_MS - 1)
                assert at.view().finale is Finale.ASKED
            at.wait(1_000)
            if cut == 4:
                at.cut(jump_ms)
            assert at.view().finale is outcome
            at.wait(FINALE_MS)
            assert at.view().finale is outcome
            assert record(at) == ({RED, BLUE} if blue == "yes" else {RED})


def test_the_computer_agrees_always(tmp_path: Path) -> None:
    """A person's yes is enough against it; without it the armies stay covered."""
    for how, outcome in (("yes", Finale.TURNED), ("none", Finale.COVERED)):
        with table(tmp_path / how, computers={BLUE: 3}) as at:
            answer(at, RED, how)
            at.wait(FINALE_MS)
            assert at.view().finale is outcome


def test_one_tap_is_enough_where_the_referee_knows_the_army(tmp_path: Path) -> None:
    """Enrolled: an empty set-up says yes. Declared: it is refused, to its own seat alone."""
    with table(tmp_path / "enrolled") as at:
        assert b"accepted" in at.yes(RED, {})
        assert b"accepted" in at.yes(BLUE, {})
        at.wait(FINALE_MS)
        assert at.view().turned == {**SET_UPS[RED], **SET_UPS[BLUE]}
    with table(tmp_path / "declared", Mode.DECLARE) as at:
        assert b"bad-set-up" in at.yes(RED, {})
        assert at.heard.letters[BLUE] == []


def test_the_sealed_file_has_one_length(tmp_path: Path) -> None:
    """Whoever agreed, and in either mode; none of it can be read in it."""
    sizes = set()
    for mode in Mode:
        with table(tmp_path / mode.value, mode) as at:
            for how in (None, RED, BLUE):
                if how is not None:
                    answer(at, how, "yes")
                content = (at.folder / ANSWERS).read_bytes()
                sizes.add(len(content))
                assert not any(word in content for word in (b"marshal", b"consent", b"bomb"))
    assert len(sizes) == 1
