"""The table's side of its kiosk: the PIN's lock, what may be chosen when, and what a kiosk that comes late is told."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.net.topics.payloads import KioskNote, KioskWish
from referee.rules import rule_set
from referee.rules.ruleset import Repetition
from referee.rules.values import Seat
from referee.runtime.errors import BadInputError
from referee.runtime.kiosk_service import FIRST_WAIT_S, OPEN_S, KioskDesk, PinLock, PinState
from referee.runtime.state_file import KeptFile
from referee.runtime.table_config import TableConfig
from referee.runtime.table_plan import TablePlan
from referee.table.settings import ClockKind, TimeControl

R, B = Seat.RED, Seat.BLUE


@dataclass
class Beside:
    """A desk, with what it said and ordered."""

    pin: str | None = None
    playing: bool = True
    now_s: float = 0.0
    said: list[tuple[str, str, Seat | None]] = field(default_factory=list)
    orders: list[list[str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.desk = KioskDesk(
            (R, B),
            lambda note: self.said.append((note.kind, note.text, note.seat)),
            self.orders.append,
            playing=lambda: self.playing,
            pin=self.pin,
            clock=lambda: self.now_s,
        )
        self.desk.offer({"rules": "duel"}, {"rules": ("duel", "original")})
        self.said.clear()

    def touch(self, kind: str, value: str = "") -> None:
        """Take a wish."""
        self.desk.take(KioskWish(kind, value))


@given(st.lists(st.tuples(st.sampled_from(["1234", "0000", "", "12345", "é"]), st.floats(0, 100)), max_size=30))
def test_a_pin_opens_only_when_it_is_right_and_not_too_often_tried(tries: list[tuple[str, float]]) -> None:
    """However it is tried, a wrong PIN never opens, and within a wait not even the right one does."""
    lock, now_s, wrong, until_s = PinLock("1234"), 0.0, 0, -1.0
    for typed, later_s in tries:
        now_s += later_s
        state = lock.attempt(typed, now_s)
        if now_s < until_s:
            assert state is PinState.WAIT
        elif typed == "1234":
            assert state is PinState.OPEN
            assert lock.is_open(now_s)
            wrong = 0
        else:
            wrong += 1
            assert state in (PinState.WRONG, PinState.WAIT)
            if state is PinState.WAIT:
                assert wrong % 3 == 0
                until_s = now_s + FIRST_WAIT_S * min(30, 2 ** (wrong // 3 - 1))


def test_ten_thousand_pins_take_days() -> None:
    """Who tries as fast as he is let needs more than a day for four digits."""
    lock, now_s = PinLock("9999"), 0.0
    for number in range(300):
        while lock.attempt(f"{number:04}", now_s) is PinState.WAIT:
            now_s += 10.0
    assert now_s / 300 * 10_000 > 24 * 3600


def test_options_are_locked_by_a_pin() -> None:
    """Without a PIN everybody chooses; with one only while it is open, and it closes by itself."""
    free = Beside()
    free.touch("option", "rules=original")
    free.touch("option", "rules=chess")
    free.touch("option", "nonsense")
    assert free.orders == [["set", "rules", "original"]]
    locked = Beside(pin="1234")
    locked.touch("option", "rules=original")
    assert (locked.orders, locked.said) == ([], [("pin", "wanted", None)])
    locked.touch("pin", "1234")
    locked.touch("option", "rules=original")
    locked.now_s = OPEN_S + 1
    locked.touch("option", "rules=original")
    assert locked.orders == [["set", "rules", "original"]]
    assert [text for kind, text, _ in locked.said if kind == "pin"] == ["wanted", "open", "wanted"]


def test_another_handset_needs_the_pin() -> None:
    """It is told all that its seat knows: where there is a PIN no player gives the other's seat away, or takes it."""
    free, locked = Beside(), Beside(pin="1234")
    free.touch("pair", "blue")
    assert free.orders == [["pair", "blue"]]
    locked.touch("pair", "blue")
    assert (locked.orders, locked.said) == ([], [("pin", "wanted", None)])
    locked.touch("pin", "1234")
    locked.touch("pair", "blue")
    assert locked.orders == [["pair", "blue"]]


def test_breaking_off_takes_everybody() -> None:
    """One word is not enough, twice the same is not either; it can be taken back, and an arbiter needs his PIN."""

    async def story() -> None:
        beside = Beside(pin="1234")
        for value in ("red", "red", "green", "arbiter", ""):
            beside.touch("abort", value)
        assert beside.orders == []
        assert beside.said[-1] == ("abort", "", None)
        beside.touch("abort", "blue")
        assert beside.orders == []
        beside.touch("abort", "red")
        assert beside.orders == [["abort"]]
        alone = Beside(pin="1234")
        alone.touch("pin", "1234")
        alone.touch("abort", "arbiter")
        assert alone.orders == [["abort"]]
        over = Beside(playing=False)
        over.touch("abort", "red")
        over.touch("abort", "blue")
        over.touch("arbiter")
        assert (over.orders, over.said) == ([], [])
        nobody = Beside()
        nobody.touch("abort", "arbiter")
        assert nobody.orders == []

    asyncio.run(story())


def test_the_arbiter_is_called_and_waited_for() -> None:
    """Calling pauses and is told once; it ends when play goes on."""
    beside = Beside()
    beside.touch("arbiter")
    beside.touch("arbiter")
    beside.desk.arbiter(False)
    assert beside.orders == [["pause"], ["pause"]]
    assert beside.said == [("arbiter", "called", None), ("arbiter", "", None)]


def test_a_kiosk_that_comes_late_hears_everything() -> None:
    """The answer to hello tells what is worth something now, and old links and digits no more."""
    beside = Beside()
    for note in (KioskNote("join", "one", R), KioskNote("join", "two", B), KioskNote("code", "ABC 234", B)):
        beside.desk.tell(note)
    beside.desk.tell(KioskNote("paired", "123456", R))
    beside.said.clear()
    beside.touch("hello")
    assert beside.said == [
        ("seats", "red blue", None),
        ("pin", "none", None),
        ("sensors", "", None),
        ("choice", "rules=duel original", None),
        ("option", "rules=duel", None),
        ("paired", "123456", R),
        ("join", "two", B),
        ("code", "ABC 234", B),
    ]
    beside.desk.tell(KioskNote("paired", "654321", B))
    beside.desk.tell(KioskNote("rematch", "", R))
    beside.said.clear()
    beside.desk.forget_rematch()
    beside.desk.forget_rematch()
    assert beside.said == [("rematch", "", None)]
    beside.desk.tell(KioskNote("rematch", "", B))
    beside.desk.begun()
    beside.said.clear()
    beside.touch("hello")
    assert beside.said[5:] == [("paired", "", R), ("paired", "", B)]


def test_digits_are_confirmed_once_for_each_pairing() -> None:
    """The kiosk hears it once, also when it comes later; a new pairing of the seat is asked about again, a seat without digits never."""
    beside = Beside()
    beside.desk.confirm_digits(B)
    for again in ("paired", "paired-again"):
        beside.desk.tell(KioskNote(again, "123456", R))
        beside.desk.confirm_digits(R)
        beside.desk.confirm_digits(R)
    assert beside.said == [
        ("paired", "123456", R),
        ("compared", "", R),
        ("paired-again", "123456", R),
        ("compared", "", R),
    ]
    beside.said.clear()
    beside.touch("hello")
    assert beside.said[5:] == [("paired-again", "123456", R), ("compared", "", R)]
    beside.desk.begun()
    beside.said.clear()
    beside.desk.confirm_digits(R)  # as its phone says whenever it comes back
    assert beside.said == []


@pytest.mark.parametrize("wish", [("pair", "green"), ("rematch", ""), ("dance", "red"), ("quit", ""), ("set", "rules")])
def test_what_is_not_known_changes_nothing(wish: tuple[str, str]) -> None:
    """Seats that do not play here and wishes that do not exist become no order."""
    beside = Beside()
    beside.touch(*wish)
    assert (beside.orders, beside.said) == ([], [])


def test_only_what_fits_the_board_can_be_chosen(tmp_path: Path) -> None:
    """A rule set with other squares or seats is not offered; what is chosen goes into the next game's plan."""
    plan = TablePlan(TableConfig(), rule_set("duel"), tmp_path, "en", "sim:", KeptFile(tmp_path))
    assert plan.choices()["rules"][0] == "duel"
    assert {"original", "barrage"} <= set(plan.choices()["rules"])
    assert not {"classic", "stratego4"} & set(plan.choices()["rules"])
    chosen = plan.choosing("rules", "original").choosing("mode", "enrol").choosing("reveal", "result-only")
    told = {"rules": "original", "mode": "enrol", "reveal": "result-only", "clock": "none"}
    assert {name: chosen.options()[name] for name in told} == told
    with pytest.raises(BadInputError):
        plan.choosing("rules", "classic")
    with pytest.raises(BadInputError):
        plan.choosing("colour", "pink")


def test_what_a_rule_set_leaves_open_can_be_chosen(tmp_path: Path) -> None:
    """Only decisions with several choices are offered, each by a word; a rule set that is chosen anew has its own again."""
    plan = TablePlan(TableConfig(), rule_set("duel"), tmp_path, "en", "sim:", KeptFile(tmp_path))
    assert plan.choices()["repetition"] == ("pursuit", "pursuit-exact", "situation", "none")
    assert plan.choices()["no_progress_limit"] == ("0", "100", "200", "500")
    assert "turn_without_move" not in plan.choices()
    chosen = plan.choosing("repetition", "situation").choosing("two_square_limit", "5")
    assert (chosen.options()["repetition"], chosen.options()["two_square_limit"]) == ("situation", "5")
    assert (chosen.rules.repetition, chosen.rules.two_square_limit) == (Repetition.SITUATION, 5)
    assert chosen.rules.name == "duel"
    assert chosen.choosing("mode", "enrol").rules is chosen.rules
    assert chosen.choosing("rules", "barrage").options()["two_square_limit"] == "3"
    with pytest.raises(BadInputError):
        plan.choosing("two_square_limit", "4")


def test_another_rule_set_leaves_other_things_open() -> None:
    """What is open no longer is told as having no choices, and is not told to a kiosk that comes later."""
    beside = Beside()
    beside.desk.offer({"rules": "duel", "take_flag": "yes"}, {"rules": ("duel",), "take_flag": ("yes", "no")})
    beside.said.clear()
    beside.desk.offer({"rules": "duel"}, {"rules": ("duel",)})
    assert beside.said == [("choice", "take_flag=", None), ("option", "rules=duel", None)]
    beside.said.clear()
    beside.touch("hello")
    assert [said[1] for said in beside.said if said[0] in ("option", "choice")] == ["rules=duel", "rules=duel"]


def test_a_table_offers_the_usual_clocks_and_its_own(tmp_path: Path) -> None:
    """Its own stays among them after another was chosen; the time for the set-up goes with each; another clock is refused."""
    own = TimeControl(ClockKind.BRONSTEIN, 90_000, 2_500, set_up_ms=300_000)
    plan = TablePlan(
        TableConfig(clock=own), rule_set("duel"), tmp_path, "en", "sim:", KeptFile(tmp_path), own_clock=own
    )
    assert plan.options()["clock"] == "bronstein:1.5:2.5"
    assert plan.choices()["clock"][0] == "none"
    assert plan.choices()["clock"][-1] == "bronstein:1.5:2.5"
    chosen = plan.choosing("clock", "fischer:10:5")
    assert chosen.config.clock == TimeControl(ClockKind.FISCHER, 600_000, 5_000, set_up_ms=300_000)
    assert chosen.choosing("clock", "bronstein:1.5:2.5").config.clock == own
    with pytest.raises(BadInputError):
        plan.choosing("clock", "fischer:10:6")
