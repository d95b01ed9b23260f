"""`hallmarshal demo --board gpio`: a Raspberry Pi's own scanner, strict doubles of its parts, whole games from the set-ups to the flag."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from firmware_bridge.messages import AskHello, Frame, Hello, LogLevel, WireFault
from firmware_bridge.wire import Decoder, encode
from hardware import Sensing, load_board
from referee.demo.game_run import DemoOptions, board_for
from referee.rules import rule_set
from referee.runtime.errors import BadInputError
from simulator.board import SimBoard
from simulator.faults import Trouble
from simulator.firmware_backends import ChipError
from simulator.motions import Place
from simulator.simulated_pi import PiFirmware
from tests.demo.running import demo


@pytest.mark.process
@pytest.mark.parametrize("sensing", ["colour", "occupancy"])
def test_a_whole_game(sensing: str, tmp_path: Path) -> None:
    """Converters tell colours, a chain of registers presence; either way nothing is misread or asked about."""
    told = demo("--board", "gpio", "--rules", "duel-compact", "--seed", "2", "--sensing", sensing, state=tmp_path)
    assert (told["plies"], told["attacks"], told["winner"], told["reason"]) == (39, 7, "red", "flag")
    assert (told["misread"], told["asked"], told["lost"], told["ghost"]) == (0, 0, 0, 0)


def test_the_board_that_is_asked_for(tmp_path: Path) -> None:
    """A board of tiles is played on when it is named, and only then; one that is none, or has other squares, is said in one line."""
    options = DemoOptions(rule_set("duel"), "duel", tmp_path)
    assert board_for(options).id == "travel-10x10"
    assert board_for(replace(options, board="avr-sim", board_file="tile-10x10")).id == "tile-10x10"
    for name, said in (
        ("tile-10x9", "--board-file: .*no such board"),
        ("tile-10x8", "tile-10x8 lacks the squares of 10x10"),
    ):
        with pytest.raises(BadInputError, match=said):
            board_for(replace(options, board_file=name))
    castle = replace(options, rules=rule_set("stratego4"), board="gpio")
    with pytest.raises(BadInputError, match=r"--board gpio: no board .* of castle-four .*\(castle-pi-chain\)"):
        board_for(castle)


@pytest.mark.parametrize(
    ("name", "sensing"), [("travel-10x10", "colour"), ("travel-pi-chain", "colour"), ("travel-pi-mcp3008", "occupancy")]
)
def test_a_board_that_is_not_wired_for_it(name: str, sensing: str) -> None:
    """Refused before a pin is opened."""
    board = load_board(name).with_sensing(Sensing(sensing))
    with pytest.raises(ChipError, match=f"{name} is not wired to a Raspberry Pi for sensing {sensing}"):
        PiFirmware(SimBoard(board, 1))


@pytest.mark.parametrize("name", ["travel-pi-chain", "travel-pi-mcp3008"])
def test_it_speaks_answers_and_restarts(name: str) -> None:
    """HELLO first, one for each question and each start; board time begins anew with a restart, and the board is as it was."""
    board = SimBoard(load_board(name), 3)
    voice, decoder = PiFirmware(board), Decoder()
    try:
        heard = decoder.feed(b"".join(voice.start() + voice.advance(100)))
        assert isinstance(heard[0], Hello)
        assert heard[0].calibrated
        asked = decoder.feed(b"".join(voice.hear(b"\0" + encode(AskHello()))))
        assert [item for item in asked if isinstance(item, Hello)]
        until_ms = board.begin(Place("red", ("a1", "b2", "j4"))) + 500
        before = [item for item in decoder.feed(b"".join(voice.advance(until_ms))) if isinstance(item, Frame)][-1]
        board.trouble(Trouble("reboot", for_ms=400), board.now_ms + 100)
        found = decoder.feed(b"".join(voice.advance(board.now_ms + 1_500)))
    finally:
        voice.close()
    assert [item.kind.value for item in found if isinstance(item, WireFault)] == ["rebooted"]
    after = [item for item in found if isinstance(item, Frame)][-1]
    assert after.board_ms < before.board_ms
    assert after.squares == before.squares
    assert sum(map(bool, after.squares)) == 3
    assert not any(getattr(item, "level", None) is LogLevel.ERROR for item in found)
