"""The C core against both Python firmwares, byte by byte, whatever comes; and against commands that make no sense."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firmware_bridge.checkup import disagreements
from firmware_bridge.messages import (
    AskHello,
    AskKeyframe,
    Command,
    Hello,
    Reading,
    Save,
    SelfTest,
    SetGain,
    SetThresholds,
    SetZero,
)
from firmware_bridge.wire import encode
from hardware import load_board
from hardware.board_file import share
from simulator.firmware import TRUE_GAIN, TRUE_ZERO, neighbours_of
from simulator.magnets import field_of
from tests.firmware.host_core import COUNT, EMPTY_BOARD, LINEAR, HostCore, PiCore, PythonCore, calibrated, messages


@st.composite
def commands(draw: st.DrawFn) -> Command:
    """Draw any command, sensible or not."""
    seq, square = draw(st.integers(0, 255)), draw(st.sampled_from([0, 7, 45, 91, 92, 254, 255]))
    asking: list[Command] = [
        AskHello(seq=seq),
        AskKeyframe(False, seq=seq),
        AskKeyframe(True, seq=seq),
        Save(seq=seq),
        SelfTest(seq=seq),
    ]
    kinds: list[st.SearchStrategy[Command]] = [
        st.sampled_from(asking),
        st.builds(SetThresholds, st.integers(0, 1001), st.integers(0, 1001), seq=st.just(seq)),
        st.builds(SetZero, st.just(square), st.one_of(st.integers(0, 1100), st.just(65535)), seq=st.just(seq)),
        st.builds(
            SetGain,
            st.just(square),
            st.sampled_from(Reading),
            st.one_of(st.integers(-400, 400), st.sampled_from([0, 1023, -1023, 1024, -32768, 32767])),
            seq=st.just(seq),
        ),
    ]
    return draw(st.one_of(kinds))


COUNTS = st.one_of(
    st.sampled_from([0, 1, 1023, TRUE_ZERO, TRUE_ZERO + TRUE_GAIN, TRUE_ZERO - TRUE_GAIN]),
    st.integers(TRUE_ZERO - 90, TRUE_ZERO + 90),  # about the thresholds
    st.integers(0, 1023),
)
STEPS = st.lists(
    st.one_of(
        st.dictionaries(st.integers(0, COUNT - 1), COUNTS, max_size=60),
        commands(),
        st.binary(max_size=120),
    ),
    min_size=1,
    max_size=25,
)


@pytest.mark.process
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STEPS, st.integers(1, 120))
def test_the_same_bytes_as_the_python_firmwares(
    shared: HostCore, steps: list[dict[int, int] | Command | bytes], step_ms: int
) -> None:
    """Any amplitudes, commands and junk: what the C core sends is what the simulator's and the Pi's own firmware send, byte by byte."""
    core, twins = calibrated(shared), (PythonCore(LINEAR, 2), PiCore(LINEAR))
    values, now_ms = list(EMPTY_BOARD), 0
    for twin in twins:
        twin.boot()
    for step in steps:
        now_ms += step_ms
        match step:
            case bytes():
                said = without_name(core.hear(now_ms, step))
                assert [without_name(twin.hear(now_ms, step)) for twin in twins] == [said] * 2
            case dict():
                for square, value in step.items():
                    values[square] = value
                sent = core.scan(now_ms, values)
                assert [twin.scan(now_ms, values) for twin in twins] == [sent] * 2
            case command:
                data = b"\0" + encode(command)
                said = without_name(core.hear(now_ms, data))
                assert [without_name(twin.hear(now_ms, data)) for twin in twins] == [said] * 2


def without_name(data: bytes) -> list[object]:
    """Return messages; of HELLO all but the firmware's name and the count of starts, which differ by right."""
    return [
        dataclasses.replace(message, firmware="", boot_count=0) if isinstance(message, Hello) else message
        for message in messages(data)
    ]


@pytest.mark.process
def test_fuzzed_commands_break_nothing(shared: HostCore) -> None:
    """Thirty thousand random and mutated frames between scans, under the sanitizers; many are real commands and are answered."""
    core = calibrated(shared)
    assert int(core.line("fuzz 20240229 30000")) > 40_000
    (hello,) = messages(core.boot())
    assert isinstance(hello, Hello)
    assert disagreements(hello, LINEAR) == ()


def test_the_share_of_neighbours_is_the_simulators() -> None:
    """The board file's fractions are those of the field table, to the last whole number of the firmware."""
    for name in ("travel-10x10", "compact-10x8"):
        board = load_board(name)
        for square, shares in enumerate(neighbours_of(board, field_of(board.magnet))):
            x, y = board.places[square]
            for other, added in shares:
                across, down = abs(board.places[other][0] - x), abs(board.places[other][1] - y)
                assert added == share(board, round(across), round(down))
