"""Accidents and troubles of the board as event tables: what the squares show, and what comes right by itself."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from firmware_bridge.messages import (
    Ack,
    AckResult,
    Frame,
    Hello,
    Log,
    Reading,
    Save,
    SelfTest,
    SetGain,
    SetZero,
    WireFault,
)
from firmware_bridge.wire import Decoder
from hardware import Sensing
from simulator.board import SimBoard
from simulator.faults import Trouble
from simulator.firmware import SensorFault
from simulator.players import Hands
from simulator.script import MotionError
from tests.amount import tries
from tests.simulator.stage import BOARD, GAME, Stage, at, profile, words

SEEDS = range(tries(8))
EMPTY, RED, BLUE, UNSURE = Reading
ARMY = dict.fromkeys(("a4", "b4", "e4", "f4", "a3", "b3", "e3", "f3"), "red") | {"a7": "blue", "e7": "blue"}


@pytest.mark.parametrize("sensing", Sensing)
def test_a_bump_throws_at_least_four_pieces_off(sensing: Sensing) -> None:
    """Four to seven squares lose their pieces at once; players put all of them back, or wait to be asked, and then do."""
    healed = 0
    for seed in range(20):
        stage = Stage(seed, pieces=ARMY, sensing=sensing, bumped=1.0)
        ply = stage.hands.mishap("red")
        assert ply is not None
        assert (ply.motion, ply.accidents) == ("bumped", ("bumped",))
        shown = stage.until(ply.rest_ms + 30)
        gone = {word[1:] for _, word in shown if word[0] == "-"}
        assert 4 <= len(gone) <= 7
        assert gone == set(ply.squares)
        assert shown[-1][0] - shown[0][0] <= 300
        healed += ply.heals
        stage.until(ply.quiet_ms + 50)
        if not ply.heals:
            assert ply.quiet_ms == ply.rest_ms
            stage.until(stage.hands.restore(ARMY).quiet_ms + 50)
        assert set(stage.shows()) == set(ARMY)
    assert 4 <= healed <= 16


def test_too_few_pieces_to_knock_over() -> None:
    """With three pieces on the board nobody speaks of a bump."""
    stage = Stage(1, pieces={"a1": "red", "b1": "red", "a10": "blue"}, bumped=1.0)
    assert stage.hands.mishap("red") is None
    with pytest.raises(MotionError, match="fewer than four pieces"):
        stage.board.begin({"motion": "bump"})


@pytest.mark.parametrize("seed", SEEDS)
def test_a_piece_is_knocked_over_and_stood_up(seed: int) -> None:
    """A neighbour of the moving hand falls as the hand comes, is seen no more, and stands again some time after the move."""
    stage = Stage(seed, pieces=ARMY, knocked_over=1.0)
    ply = stage.hands.move("red", "e4", "e5")
    assert ply.accidents == ("knocked-over",)
    shown = stage.until(ply.quiet_ms + 50)
    fallen = {word[1:3] for _, word in shown} - {"e4", "e5"}
    assert len(fallen) == 1
    (square,) = fallen
    assert square in ("f4", "e3", "f3")
    assert at(shown, f"-{square}") <= ply.begin_ms + 500
    assert at(shown, f"+{square}r") >= at(shown, "+e5r") + 600
    assert stage.shows() == {s: o[0] for s, o in ARMY.items() if s != "e4"} | {"e5": "r"}


@pytest.mark.parametrize("seed", SEEDS)
def test_two_own_pieces_are_swapped(seed: int) -> None:
    """Two pieces go up and come down again: no sensor can tell what happened."""
    stage = Stage(seed, pieces={"d4": "red", "e4": "red", "d7": "blue"}, own_swapped=1.0)
    ply = stage.hands.mishap("red")
    assert ply is not None
    assert sorted(ply.squares) == ["d4", "e4"]
    shown = words(stage.until(ply.quiet_ms + 50))
    assert re.fullmatch(r"-(d4|e4) -(d4|e4) \+(?!\1)(d4|e4)r \+\1r", shown), shown
    assert stage.hands.mishap("blue") is None  # blue has only one


def fight(seed: int, sensing: Sensing = Sensing.COLOUR, **shares: Any) -> Stage:
    """Return a stage on which red's e6 has attacked blue's e7 and both are in hand."""
    stage = Stage(seed, pieces=ARMY | {"e6": "red", "f7": "blue", "f6": "red"}, sensing=sensing, **shares)
    stage.until(stage.hands.attack("red", "e6", "e7").quiet_ms + 500)
    return stage


@pytest.mark.parametrize("sensing", Sensing)
@pytest.mark.parametrize("verdict", ["attacker-wins", "defender-wins", "both-lost"])
def test_the_wrong_piece_is_taken(sensing: Sensing, verdict: str) -> None:
    """What stands there is not what the verdict says, in a way that these sensors show; healed or restored it is."""
    winner = {"attacker-wins": {"e7": "red"}, "defender-wins": {"e7": "blue"}, "both-lost": {}}[verdict]
    truth = {**ARMY, "f7": "blue", "f6": "red"} | winner
    if not winner:
        del truth["e7"]
    wanted = {s: "r" if sensing is Sensing.OCCUPANCY else seat[0] for s, seat in truth.items()}
    for seed in SEEDS:
        stage = fight(seed, sensing, wrong_removal=1.0)
        ply = stage.hands.resolve(verdict)
        assert ply.accidents == ("wrong-removal",)
        stage.until(ply.rest_ms + 50)
        assert stage.shows() != wanted
        stage.until(ply.quiet_ms + 50)
        if not ply.heals:
            assert stage.shows() != wanted
            stage.until(stage.hands.restore(truth).quiet_ms + 50)
        assert stage.shows() == wanted


def test_a_captured_piece_is_put_on_a_square() -> None:
    """It stands on a free square of the edge until somebody takes it away."""
    for seed in SEEDS:
        stage = fight(seed, parked_on_square=1.0)
        ply = stage.hands.resolve("attacker-wins")
        assert ply.accidents == ("parked-on-square",)
        shown = stage.until(ply.quiet_ms + 50)
        (come,) = [word for _, word in shown if word[0] == "+" and word[1:3] != "e7"]
        square = come[1:-1]
        assert square[0] in "aj" or square[1:] in ("1", "10")
        assert come[-1] == "b"
        assert (square in stage.shows()) != ply.heals
        if not ply.heals:
            stage.until(stage.hands.restore({**ARMY, "e7": "red", "f7": "blue", "f6": "red"}).quiet_ms + 50)
        assert square not in stage.shows()


# ------------------------------------------------------------------------------------------------- the board itself

D4 = BOARD.index("d4")
D5 = BOARD.index("e5")


def quiet(stage: Stage, for_ms: int) -> str:
    """Let time pass; return what was told, in words."""
    return words(stage.until(stage.board.now_ms + for_ms))


FAULTS: list[tuple[SensorFault, str, str, str]] = [
    # on an occupied square, on an empty one; when a piece comes to that
    (SensorFault.DEAD, "-d4", "", ""),
    (SensorFault.STUCK, "", "+e5r", ""),
    (SensorFault.OPEN, "-d4 +d4b", "+e5b", ""),
    (SensorFault.WEAK, "", "", "+e5b"),
]


@pytest.mark.parametrize(("fault", "occupied", "empty", "come"), FAULTS, ids=[row[0].value for row in FAULTS])
def test_sick_sensors(fault: SensorFault, occupied: str, empty: str, come: str) -> None:
    """What a sensor shows while it is sick, whatever is there; when its time is over it shows the truth again."""
    stage = Stage(1)
    now_ms = stage.board.now_ms
    stage.board.trouble(Trouble(fault.value, "d4", 5000), now_ms)
    stage.board.trouble(Trouble(fault.value, "e5", 5000), now_ms + 100)
    told = quiet(stage, 1000).split()
    assert [word for word in told if "d4" in word] in ([*occupied.split()], [occupied.split()[-1]] if occupied else [])
    assert [word for word in told if "e5" in word] == empty.split()
    stage.board.begin({"motion": "put", "seat": "blue", "square": "e5"})
    assert quiet(stage, 1000) == come
    quiet(stage, 5000)
    assert stage.shows() == {square: seat[0] for square, seat in GAME.items()} | {"e5": "b"}


def test_a_drifting_zero_ends_as_a_ghost() -> None:
    """A zero that runs away makes an empty square unsure, then occupied, and a piece of the other pole vanish; mended, all is well."""
    stage = Stage(1)
    for square in ("e5", "d7"):
        stage.board.trouble(Trouble("drifting", square), stage.board.now_ms)
    told = stage.until(stage.board.now_ms + 30_000)
    assert words(told) == "+e5r"
    assert 9_000 <= told[0][0] - 300 <= 12_000  # 0.2 of a magnet at 0.02 a second
    for square in ("e5", "d7"):
        stage.board.trouble(Trouble("mended", square), stage.board.now_ms)
    assert quiet(stage, 100) == "-e5"
    assert quiet(stage, 20_000) == ""


def test_zeros_that_wander_are_no_ghosts() -> None:
    """Zeros and noise of `home` alone never make a resting board read wrong: what is wrong are its flips and bursts."""
    board = SimBoard(BOARD, 2, profile="home")
    board.lay(dict.fromkeys(BOARD.squares[:40], "red"))
    truth = [RED] * 40 + [EMPTY] * 52
    wrong, scans, flips, bursts = 0, 60_000, 1e-4, 0.2 * 0.04
    for message in board.listen(10 * scans):
        if isinstance(message, Frame):
            wrong += sum(reading is not true for reading, true in zip(message.squares, truth, strict=True))
    assert wrong == pytest.approx(scans * (92 * flips + bursts), rel=0.15)  # flips and bursts, nothing else


def test_a_reboot_in_mid_move() -> None:
    """Silence, HELLO with one more boot, time from 0, and then the board as it stands by now."""
    stage = Stage(2)
    ply = stage.hands.move("red", "e4", "e5")
    stage.board.trouble(Trouble("reboot", for_ms=600), ply.begin_ms + 100)
    heard = stage.board.listen(ply.quiet_ms + 1500)
    (number, hello) = next((n, message) for n, message in enumerate(heard) if isinstance(message, Hello))
    assert (hello.boot_count, hello.board_ms, hello.seq) == (2, 0, 0)
    assert stage.board.boot_ms == pytest.approx(ply.begin_ms + 700, abs=20)
    assert max(message.board_ms for message in heard[:number]) <= ply.begin_ms + 100
    last = heard[-1]
    assert isinstance(last, Frame)
    assert last.board_ms + stage.board.boot_ms <= stage.board.now_ms
    standing = [BOARD.squares[n] for n, reading in enumerate(last.squares) if reading is not EMPTY]
    assert standing == ["d4", "f4", "e5", "d7", "f7"]


def test_a_reboot_is_told_by_the_decoder() -> None:
    """Over the wire it is one REBOOTED and no gap, and what was set but not saved is forgotten."""
    for command, kept in (((), False), ((Save(seq=2),), True)):
        board, decoder = SimBoard(BOARD, 1), Decoder()
        heard = decoder.feed(b"".join(board.start()))
        for order in (SetZero(3, 600, seq=1), *command):
            heard += decoder.feed(b"".join(board.obey(order)))
        assert board.firmware.reading(3) is BLUE
        board.trouble(Trouble("reboot"), 5000)
        heard += decoder.feed(b"".join(board.advance(8000)))
        assert [item.kind.value for item in heard if isinstance(item, WireFault)] == ["rebooted"]
        assert board.firmware.reading(3) is (BLUE if kept else EMPTY)


def test_a_board_that_is_down_is_silent() -> None:
    """No answer to a command, no frame; a motion goes on meanwhile."""
    stage = Stage(1)
    stage.board.trouble(Trouble("reboot", for_ms=3000), stage.board.now_ms)
    stage.board.begin({"motion": "lift", "square": "d4"})
    assert stage.board.listen(stage.board.now_ms + 2900) == []
    assert stage.board.obey(SelfTest()) == []
    assert "d4" not in stage.board.occupied()
    assert isinstance(stage.board.listen(stage.board.now_ms + 200)[0], Hello)


def test_a_cut_in_mid_move() -> None:
    """Frames are lost for its time and nothing else changes: their seq and time go on."""
    whole, cut = Stage(3), Stage(3)
    for stage in (whole, cut):
        ply = stage.hands.move("red", "e4", "e5")
    cut.board.trouble(Trouble("cut", for_ms=400), ply.begin_ms + 50)
    everything, heard = (stage.board.listen(ply.quiet_ms + 2000) for stage in (whole, cut))
    lost = [message for message in everything if message not in heard]
    assert heard == [message for message in everything if message not in lost]
    assert all(ply.begin_ms + 50 <= message.board_ms <= ply.begin_ms + 460 for message in lost)
    assert len(lost) > 20


def test_troubles_in_plies() -> None:
    """Drawn troubles strike between the beginning and the rest of their ply and are gone a while later."""
    cases: list[tuple[str, dict[str, Any]]] = [("rebooted", {"rebooted": 1.0}), ("dead-square", {"dead_square": 1.0})]
    for word, shares in cases:
        stage = Stage(4, **shares)
        for source, target in (("e4", "e5"), ("e5", "e6"), ("e6", "e5")):
            ply = stage.hands.move("red", source, target)
            assert ply.accidents == (word,)
            stage.until(stage.hands.next_ms)
        stage.until(stage.board.now_ms + 25_000)
        assert stage.shows() == {"d4": "r", "f4": "r", "e5": "r", "d7": "b", "f7": "b"}


def test_the_self_test_names_broken_channels() -> None:
    """A broken wire is found and named; what looks like an empty square is not."""
    board = SimBoard(BOARD, 1)
    board.start()
    board.trouble(Trouble("open", "d4"))
    board.trouble(Trouble("dead", "e4"))
    board.listen(50)
    ack, log = board.answer(SelfTest(seq=3))
    assert isinstance(ack, Ack)
    assert isinstance(log, Log)
    assert (ack.result, ack.detail) == (AckResult.FAILED, 1)
    assert log.text == f"self-test: square {D4} reads 0"


def test_a_board_that_nobody_calibrated() -> None:
    """It says so, and reads by the datasheet; after zero, gain and save it knows its sensors, also after a restart."""
    board = SimBoard(BOARD, 6, calibrated=False)
    hello = board.listen(0)[0]
    assert isinstance(hello, Hello)
    assert not hello.calibrated
    board.answer(SetZero(255, 65535))
    board.lay(dict.fromkeys(BOARD.squares[:40], "red") | dict.fromkeys(BOARD.squares[52:], "blue"))
    board.listen(100)
    for square in range(92):
        if not 40 <= square < 52:
            ack = board.answer(SetGain(square, RED if square < 40 else BLUE, 0))[0]
            assert isinstance(ack, Ack)
            assert ack.result is AckResult.DONE
    board.answer(Save())
    board.trouble(Trouble("reboot"), 200)
    heard = board.listen(3000)
    hello = next(message for message in heard if isinstance(message, Hello))
    assert hello.calibrated
    last = heard[-1]
    assert isinstance(last, Frame)
    assert list(last.squares) == [RED] * 40 + [EMPTY] * 12 + [BLUE] * 40


REFUSED: list[tuple[Callable[[SimBoard], object], str]] = [
    (lambda board: board.trouble(Trouble("dead", "z1")), "the board has no square 'z1'"),
    (lambda board: board.begin({"motion": "trouble", "kind": "fire"}), "kind: 'fire' is none of dead, stuck"),
    (lambda board: board.begin({"motion": "trouble", "kind": "dead"}), "dead needs a square"),
    (lambda board: board.begin({"motion": "trouble", "kind": "reboot", "square": "a1"}), "reboot has no square"),
    (lambda board: board.begin({"motion": "trouble", "kind": "cut", "for_ms": -1}), "for_ms: -1 is less than 0"),
    (lambda board: board.begin({"motion": "restore", "squares": ["a1"]}), "restore.squares: a table is needed"),
    (
        lambda board: board.begin({"motion": "move", "from": "a1", "to": "a2", "rests": {"a3": 1}}),
        "rests: squares with lists of squares",
    ),
    (lambda board: board.lay({"z1": "red"}), "the board has no square 'z1'"),
]


@pytest.mark.parametrize(("wish", "reason"), REFUSED, ids=[reason for _, reason in REFUSED])
def test_troubles_that_are_refused(wish: Callable[[SimBoard], object], reason: str) -> None:
    """One clear reason."""
    with pytest.raises(MotionError, match=reason):
        wish(SimBoard(BOARD, 1))


def test_hands_heal_as_often_as_they_are_told() -> None:
    """`healed` sets the share of accidents that players put right by themselves: behind a process all of them."""
    for healed in (0.0, 1.0):
        for seed in SEEDS:
            board = SimBoard(BOARD, seed, profile=profile(bumped=1.0))
            board.lay(ARMY)
            ply = Hands(board, seed, healed=healed).mishap("red")
            assert ply is not None
            assert ply.heals == bool(healed)
