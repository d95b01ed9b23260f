"""A conversation with one board: what is asked, what is asked again, and when it is given up."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from firmware_bridge.messages import (
    Ack,
    AckResult,
    AskHello,
    AskKeyframe,
    BoardUnreachableError,
    Command,
    FaultKind,
    Frame,
    Hello,
    LinkLost,
    News,
    Raw,
    Reading,
    Save,
    WireFault,
)
from firmware_bridge.sources import SimSource
from firmware_bridge.talk import Talk, WaitEnd
from hardware import load_board
from tests.bridge.scripted_source import ScriptedSource, done

BOARD = load_board("travel-10x10")


FRAME = Frame(1, 10, (Reading.RED,))


def test_a_command_is_sent_again_until_it_is_answered() -> None:
    """A lost ACK and a busy board cost another try each; another command's ACK is no answer."""
    script: list[Callable[[Command], list[News]]] = [
        lambda command: [Ack(0, 0, AskHello.TYPE, command.seq, AckResult.DONE, 0)],
        lambda command: [done(command, AckResult.BUSY)],
        lambda command: [FRAME, done(command)],
    ]
    heard: list[News] = []
    with ScriptedSource(lambda command, count: script[count](command)) as source:
        assert Talk(source, heard.append, answer_s=0.01).do(Save()) == done(Save())
        assert source.sent == [Save()] * 3
    assert len(heard) == 4, "everything is heard, whatever was waited for"


def test_a_board_of_another_version_of_the_wire() -> None:
    """It is not silent, so that is not what is said: the line names both versions, and what to do."""
    fault = WireFault(FaultKind.OTHER_VERSION, "version 2, this side speaks 1")
    with (
        ScriptedSource(lambda command, count: [fault]) as source,
        pytest.raises(
            BoardUnreachableError, match=r"another version of the wire \(version 2, this side speaks 1\): flash"
        ),
    ):
        Talk(source, answer_s=0.01).hello()


def test_a_board_that_answers_nothing() -> None:
    """Three tries, then one clear line, for each kind of question."""
    questions: list[tuple[Callable[[Talk], object], str, type[Command]]] = [
        (lambda talk: talk.do(Save()), "does not answer SAVE", Save),
        (lambda talk: talk.hello(), "nobody answers", AskHello),
        (lambda talk: talk.amplitudes(92), "does not tell its amplitudes", AskKeyframe),
        (lambda talk: talk.readings(), "does not tell its readings", AskKeyframe),
    ]
    for ask, reason, kind in questions:
        with ScriptedSource(lambda command, count: []) as source:
            with pytest.raises(BoardUnreachableError, match=f"board scripted:: .*{reason}"):
                ask(Talk(source, answer_s=0.001))
            assert [type(command) for command in source.sent] == [kind] * 3


def test_a_cable_that_comes_out_while_something_is_asked() -> None:
    """Nobody waits for an answer that cannot come."""
    with (
        ScriptedSource(lambda command, count: [LinkLost("the connection is lost (pulled)")]) as source,
        pytest.raises(BoardUnreachableError, match=r"board scripted:: the connection is lost \(pulled\)"),
    ):
        Talk(source).do(Save())


def test_amplitudes_of_several_messages_are_put_together() -> None:
    """In any order, and only when all squares are there."""
    with ScriptedSource(
        lambda command, count: [done(command), FRAME, Raw(0, 0, 2, (7,)), Raw(0, 0, 0, (5, 6))]
    ) as source:
        assert Talk(source).amplitudes(3) == (5, 6, 7)
    with ScriptedSource(lambda command, count: [Raw(0, 0, 0, (5, 6))]) as source, pytest.raises(BoardUnreachableError):
        Talk(source, answer_s=0.001).amplitudes(3)


def test_readings_are_those_after_the_question() -> None:
    """A frame that was on its way before the ACK is not the answer."""
    later = Frame(2, 20, (Reading.BLUE,))
    with ScriptedSource(lambda command, count: [FRAME, done(command), later, FRAME]) as source:
        assert Talk(source).readings() == later


def test_a_wait_says_why_it_ended() -> None:
    """What was wanted, something else to do, or nothing."""
    reading, writing = os.pipe()
    with ScriptedSource(lambda command, count: []) as source:
        talk = Talk(source)
        assert talk.wait(0) is WaitEnd.NOTHING
        source.say(FRAME)
        assert talk.wait(20, lambda news: news is FRAME) is WaitEnd.WANTED
        os.write(writing, b"x")
        assert talk.wait(20, other=reading) is WaitEnd.OTHER
        source.say(FRAME)
        assert talk.wait(20, lambda news: news is FRAME, other=reading) is WaitEnd.WANTED
    os.close(reading)
    os.close(writing)


@pytest.mark.process
def test_a_talk_with_a_simulated_board() -> None:
    """Every question at a real pty."""
    heard: list[News] = []
    with SimSource("sim:", BOARD, {"speed": "max"}) as source:
        talk = Talk(source, heard.append)
        assert talk.hello().board_id == BOARD.id
        assert talk.do(Save()).result is AckResult.DONE
        assert talk.amplitudes(92) == (512,) * 92
        assert talk.readings().squares == (Reading.EMPTY,) * 92
    assert sum(isinstance(news, Hello) for news in heard) >= 1
