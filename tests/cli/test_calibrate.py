"""`hallmarshal calibrate`, on a board of its own hands and on a pty like any other port: what it keeps, what it refuses."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gpiozero  # type: ignore[import-untyped] # it ships no types
import pytest

from firmware_bridge.advice import Finding
from firmware_bridge.learning import orders
from firmware_bridge.messages import Reading
from firmware_bridge.sources import SerialSource, open_source
from firmware_bridge.talk import Talk
from hardware import load_board
from referee.cli.main import main
from referee.runtime import calibration_session
from referee.runtime.boards import BoardChoice, opened
from referee.runtime.calibration_session import MakerAtTheBoard, Wish, new_session
from simulator.simulated_pi import StrictConverters
from tests.cli.simulated_board import BLUE, RED, Board, Running

PINS = load_board("travel-pi-mcp3008")


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Run the command in this process. Returns exit code, stdout and stderr."""
    code = main(["calibrate", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def is_calibrated(board: Board) -> bool:
    """Ask the board itself."""
    with SerialSource("serial:", board.path) as source:
        return Talk(source).hello().calibrated


@pytest.mark.process
def test_a_simulated_board_from_its_own_hands(capsys: pytest.CaptureFixture[str]) -> None:
    """Spread sensors and noise: eighty squares measured, the rest given the typical gain, everything saved."""
    code, out, err = run(capsys, "--board", "sim:?noise=home&calibrated=no&seed=5", "--json")
    assert (code, err) == (0, "")
    told: dict[str, Any] = json.loads(out)
    assert (told["file"], told["rules"], told["saved"]) == ("travel-10x10", "original", True)
    assert told["thresholds"] == pytest.approx({"on": 0.2, "off": 0.135}, abs=0.01)
    assert told["field"]["gap_mm"] == pytest.approx(4.5, abs=0.15)
    assert len(told["squares"]) == 92
    assert sum(one["share"] is not None for one in told["squares"].values()) == 80
    assert all(470 < one["zero"] < 554 for one in told["squares"].values())
    assert all(77 < one["gain"] < 190 for one in told["squares"].values())
    assert {finding["kind"] for finding in told["findings"]} <= {"weak"}


@pytest.mark.process
def test_the_report_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    """What the maker is asked, and every square's share of the typical gain."""
    code, out, err = run(capsys, "--board", "sim:", "--board-file", "compact-10x8")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("1. Take every piece off the board.")
    assert "2. Set up both armies as for classic: red on a1 to j3, blue on a6 to j8" in out
    assert "Saved in the board: 72 squares, 60 with a magnet" in out
    assert sum(line.count(" ..") for line in lines) == 12
    assert all(len(line) <= 80 for line in lines[8:18])


FAULTY: dict[str, tuple[str, str]] = {
    "sim:?faults=c3=stuck": ("c3", "a magnet is felt on the empty board"),
    "sim:?faults=c3=open": ("c3", "the sensor is at the end of its range"),
    "sim:?faults=c3=dead": ("c3", "nothing is felt where a piece should stand"),
    "sim:?divider=hanging": ("The divider of the sensors' supply", "its input hangs in the air"),
    "sim:?poles=red=red,blue=red": ("Both armies", "show the same pole"),
}


@pytest.mark.process
@pytest.mark.parametrize("url", FAULTY)
def test_boards_that_are_refused(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One line with the square, exit 2, and in JSON the finding with what to do next."""
    subject, what = FAULTY[url]
    code, out, err = run(capsys, "--board", url, "--json")
    assert code == 2
    assert err.startswith(f"hallmarshal: not calibrated, nothing was saved: {subject}")
    assert what in err
    assert err.count("\n") == 1
    told = json.loads(out)
    assert (told["saved"], told["squares"], len(told["findings"])) == (False, {}, 1)
    assert told["findings"][0]["next"].endswith(".")


TRIED: dict[str, tuple[int, str]] = {
    "": (0, "These squares are well"),
    "?faults=b1=weak": (0, "what is named below is not yet"),
    "?faults=a1=shorted": (2, "a1, b1: both show what stands on either"),
}


@pytest.mark.process
@pytest.mark.parametrize("fault", TRIED)
def test_squares_on_a_breadboard(fault: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Only without any finding they are called well; wires that touch show when one piece stands alone."""
    code, wanted = TRIED[fault]
    got, out, err = run(capsys, "--board", f"sim:{fault}", "--try", "a1,b1,a2,b2")
    assert (got, wanted in out + err, "are well" in out) == (code, True, not fault)


@pytest.mark.process
def test_a_broken_square_can_be_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    """With the square named the rest of the board is calibrated."""
    code, out, _ = run(capsys, "--board", "sim:?faults=c3=dead,e6=stuck", "--without", "c3, e6", "--json")
    told = json.loads(out)
    assert (code, told["saved"], told["left_out"], len(told["squares"])) == (0, True, ["c3", "e6"], 90)


@pytest.mark.process
def test_a_maker_at_a_port() -> None:
    """Enter when empty: a magnet is found, taken away, Enter; set up wrongly: named; put right, Enter; then the board knows itself."""
    with Board("--calibrated", "no", "--noise", "home", "--seed", "3") as board:
        assert not is_calibrated(board)
        maker = Running("calibrate", "--board", f"serial:{board.path}", "--json")
        maker.says("1. Take every piece off")
        board.wish(motion="put", seat="red", square="e5")
        maker.enter()
        maker.says("Put that right and press Enter")
        assert "e5: a magnet is felt on the empty board." in maker.told
        board.wish(motion="remove", square="e5")
        maker.enter()
        maker.says("2. Set up both armies as for original: red on a1 to j4, blue on a7 to j10")
        board.set_up(without=("b2", "c3"))
        board.wish(motion="put", seat="blue", square="c3")
        board.wish(motion="put", seat="red", square="e6")
        maker.enter()
        maker.says("Put that right and press Enter")
        assert "b2: nothing is felt where a piece should stand." in maker.told
        assert "c3: the magnet has the other army's pole." in maker.told
        assert "e6: shows a magnet where none should be." in maker.told
        for square in ("c3", "e6"):
            board.wish(motion="remove", square=square)
        board.wish(motion="place", seat="red", squares=["b2", "c3"])
        maker.enter()
        code, out, err = maker.ends()
        assert (code, err.splitlines()[1:]) == (0, [])
        assert json.loads(out)["saved"] is True
        assert is_calibrated(board)


@pytest.mark.process
def test_wires_are_learnt(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Sensors on the inputs by another order, one of them turned: a board file that says so, and the square by its real name."""
    code, out, err = run(capsys, "--board", "sim:?wires=5&faults=c3=turned", "--learn", str(tmp_path / "mine.toml"))
    assert (code, err) == (0, "")
    board, learnt = load_board("travel-10x10"), load_board(tmp_path / "mine.toml")
    wires = orders(board)[5]
    assert (learnt.id, learnt.scan.channels) == ("mine", wires)
    assert f"{board.squares[wires.index(board.index('c3'))]}: the sensor is turned" in out
    assert "92 squares known by 2 questions; wires follow one order; the disc is 4." in out
    code, out, err = run(capsys, "--board", "sim:", "--learn", str(tmp_path / "My Board.toml"))
    assert (code, out) == (2, "")
    assert "top.id" in err, "a file's name is its board's id, and that is said before anybody carries a piece about"


@pytest.mark.process
def test_learning_names_the_square_that_feels_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A dead sensor: the square under which it lies is said, and Ctrl-C then leaves no file."""
    monkeypatch.setattr(calibration_session, "_UNFELT", 30)
    board = load_board("travel-10x10")
    choice = BoardChoice(
        f"sim:?wires=5&faults={board.squares[orders(board)[5][0]]}=dead"
    )  # the input that lies under a1
    heard: list[str] = []

    def hear(text: str) -> None:
        heard.append(text)
        if "Nothing new is felt" in text:
            raise KeyboardInterrupt

    with opened(choice, lambda news: None, full_speed=True) as ready:
        session = new_session(ready, choice, Wish(), hear, of_hands=True)
        with pytest.raises(KeyboardInterrupt):
            session.learn(tmp_path / "mine.toml")
    assert "waiting for a1." in heard[-1]
    assert not (tmp_path / "mine.toml").exists()


class HandsAtConverters(MakerAtTheBoard):
    """A maker whose board are converters: what they read changes as he is asked."""

    double: StrictConverters

    def empties(self) -> None:
        """Nothing stands anywhere; every zero is a little different."""
        for place, channel in enumerate(PINS.scan.channels):
            self.double.counts[channel] = 505 + place % 15

    def sets_up(self) -> None:
        """Both armies stand, as strong as hands put them."""
        for place, channel in enumerate(PINS.scan.channels):
            square, strength = PINS.squares[place], 210 + place % 20
            self.double.counts[channel] += strength if square in RED else -strength if square in BLUE else 0

    def puts_right(self, findings: Sequence[Finding]) -> None:
        """Nothing is wrong here."""
        raise AssertionError(findings)


def test_converters_on_the_pins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same command on a Pi's own converters: measured, kept in the file, and the next opening reads the board right."""
    double = StrictConverters(PINS)
    monkeypatch.setitem(sys.modules, "spidev", SimpleNamespace(SpiDev=double.open))
    monkeypatch.setattr(gpiozero.Device, "pin_factory", double)
    HandsAtConverters.double = double
    monkeypatch.setattr("referee.runtime.calibration_session.MakerAtTheBoard", HandsAtConverters)
    store = tmp_path / "kept.json"
    url = f"gpio:{PINS.id}?store={store}"
    code, out, err = run(capsys, "--board", url, "--json")
    told = json.loads(out)
    assert (code, told["saved"], told["file"]) == (0, True, PINS.id), err
    assert sum(one["share"] is not None for one in told["squares"].values()) == 80
    assert json.loads(store.read_text())["zeros"][:15] == [505 + place for place in range(15)]
    with open_source(url, PINS) as source:
        frame = Talk(source).readings()
    wanted = {**dict.fromkeys(RED, Reading.RED), **dict.fromkeys(BLUE, Reading.BLUE)}
    assert frame.squares == tuple(wanted.get(square, Reading.EMPTY) for square in PINS.squares)


@pytest.mark.process
def test_a_maker_who_gives_up() -> None:
    """The input ends before the board is right: exit 2 naming the square, nothing told to the board, no process left."""
    with Board("--calibrated", "no") as board:
        maker = Running("calibrate", "--board", f"serial:{board.path}", "--json")
        maker.says("1. Take every piece off")
        maker.enter()
        maker.says("2. Set up both armies")
        board.set_up(without=("j10",))
        maker.enter()
        maker.says("Put that right and press Enter")
        code, out, err = maker.ends()
        assert code == 2
        assert (
            err == "hallmarshal: not calibrated, nothing was saved: j10: nothing is felt where a piece should stand.\n"
        )
        assert json.loads(out)["saved"] is False
        assert not is_calibrated(board)


@pytest.mark.process
def test_input_that_ends_at_once() -> None:
    """Nobody there: exit 2, one line."""
    with Board() as board:
        maker = Running("calibrate", "--board", f"serial:{board.path}")
        code, out, err = maker.ends()
    assert (code, out.count("\n")) == (2, 1)
    assert err == "hallmarshal: not calibrated, nothing was saved: the input ended before the board was ready\n"


@pytest.mark.process
def test_a_board_that_goes_away_in_the_middle() -> None:
    """Exit 3 and one line."""
    board = Board()
    maker = Running("calibrate", "--board", f"serial:{board.path}", "--json")
    maker.says("1. Take every piece off")
    with board:
        pass
    maker.enter()
    code, out, err = maker.ends()
    assert (code, out) == (3, "")
    assert err.splitlines()[-1].startswith(f"hallmarshal: board serial:{board.path}: the connection is lost")


BAD = [
    pytest.param(
        ["--board", "sim:", "--sensing", "occupancy"],
        2,
        "has digital sensors: there is nothing to calibrate",
        marks=pytest.mark.process,
    ),
    pytest.param(
        ["--board", "sim:", "--without", "k1"],
        2,
        "--without: board travel-10x10 has no square 'k1'",
        marks=pytest.mark.process,
    ),
    pytest.param(
        ["--board", "sim:", "--rules", "barrage"], 2, "leaves squares of its set-up free", marks=pytest.mark.process
    ),
    pytest.param(
        ["--board", "sim:", "--board-file", "travel-10x10", "--rules", "classic"],
        2,
        "is not played on board travel-10x10",
        marks=pytest.mark.process,
    ),
    (["--board", "sim:", "--rules", "chess"], 2, "no rule set 'chess'"),
    (["--board", "sim:", "--board-file", "nowhere"], 2, "there is no such board"),
    pytest.param(["--board", "sim:?speed=21"], 2, "invalid choice: '21'", marks=pytest.mark.process),
    (["--board", "replay:stream.txt"], 2, "a recording cannot be calibrated"),
    (["--board", "usb:"], 2, "the name begins with one of serial:, gpio:, replay:, sim:"),
    (["--board", "gpio:travel-10x10"], 2, "has no [gpio], [spi] or [mcp3008] table"),
    (["--board", "serial:/dev/ttyNONE"], 3, "there is no such port"),
    (["--board", "serial:/dev/ttyNONE", "--sensing", "colour"], 2, "--sensing is for simulated boards"),
]


@pytest.mark.parametrize(("arguments", "code", "reason"), BAD, ids=lambda value: str(value))
def test_what_cannot_be_calibrated(
    arguments: list[str], code: int, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """One clear line and the right exit code."""
    assert main(["calibrate", *arguments]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert reason in err
    assert err.startswith("hallmarshal: ")
    assert err.count("\n") == 1
