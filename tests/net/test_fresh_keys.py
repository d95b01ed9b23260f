"""Keys that both ends draw for each game: who steals the long-lived ones later opens nothing, and nobody is talked out of them."""

from __future__ import annotations

import pytest
from nacl.exceptions import CryptoError
from nacl.public import Box

from referee.net.credential import KeyPair
from referee.net.errors import OtherSessionError, PayloadError, ReplayError, SealError
from referee.net.sealing.sealing import HandsetSeal, RefereeSeal
from referee.rules.values import Rank, Seat
from referee.table.messages import Accepted, Declare, Enrol, FromHandset, Hello, Verdict
from tests.net.sealed_ends import BOOT, GAME, RED, REFEREE, SET_UP, letter

DECLARE = Declare(id="d-1", question=1, rank=Rank.MINER)
VERDICT = Verdict("v-1", 1, 4, "attacker-wins", Rank.MINER, None)


class Drawn:
    """Both ends of red's letters, whose keys were drawn; all that went over the network."""

    def __init__(self) -> None:
        self.heard: list[bytes] = []
        self.referee = RefereeSeal(REFEREE, RED.public, Seat.RED, BOOT)
        self.handset = HandsetSeal(RED, REFEREE.public, Seat.RED, b"hand0001")
        self.handset.follow(BOOT)
        self.begin()

    def begin(self, game: str = GAME) -> None:
        """Begin a game: the referee draws and tells, the handset draws and says hello, and hears an answer."""
        keys = KeyPair.create()
        self.referee.draw(keys)
        assert self.referee.seal(letter(VERDICT), game, 0) is None, "nothing is said before the handset has drawn"
        self.handset.draw(keys.public.text)
        assert not self.handset.ready
        self.say(Hello(id="h"), game)
        self.hear(game)
        assert self.handset.ready

    def say(self, message: FromHandset, game: str = GAME) -> bytes:
        """Let the handset say something. Returns the payload."""
        payload = self.handset.seal(message, game, 1)
        assert payload is not None
        self.heard.append(payload)
        self.referee.open(payload, game)
        return payload

    def hear(self, game: str = GAME) -> bytes:
        """Let the handset hear a verdict. Returns the payload."""
        payload = self.referee.seal(letter(VERDICT), game, 1)
        assert payload is not None
        self.heard.append(payload)
        assert self.handset.open(payload, game).message == VERDICT
        return payload


def test_stolen_keys_open_only_hellos() -> None:
    """With both long-lived keys and all that was said of two games: no rank, no set-up, no verdict."""
    ends = Drawn()
    ends.say(Enrol(id="e-1", set_up=SET_UP))
    ends.say(DECLARE)
    ends.hear()
    ends.begin("game-2")
    ends.say(DECLARE, "game-2")
    opened = []
    for payload in ends.heard:
        for box in (Box(REFEREE.nacl(), RED.public.nacl()), Box(RED.nacl(), REFEREE.public.nacl())):
            try:
                opened.append(box.decrypt(payload))
            except CryptoError:
                continue
    assert len(opened) == 4
    assert all(b'["hello"' in plain for plain in opened)


def test_each_game_has_its_own() -> None:
    """What was said in the first is opened by neither end in the second, nor taken again."""
    ends = Drawn()
    said, heard = ends.say(DECLARE), ends.hear()
    ends.begin("game-2")
    with pytest.raises(SealError):
        ends.referee.open(said, GAME)
    with pytest.raises(SealError):
        ends.handset.open(heard, GAME)
    with pytest.raises(SealError, match="not made with this game's keys"):  # an old hello would bring the old keys back
        ends.referee.open(static(Hello(id="h-2")), "game-2")


def static(message: FromHandset, session: bytes = b"hand0001", game: str = "game-2") -> bytes:
    """Return what a handset of earlier days would say, or who has only the long-lived keys."""
    handset = HandsetSeal(RED, REFEREE.public, Seat.RED, session)
    handset.follow(BOOT)
    for _ in range(9):
        handset.seal(message, game, 1)
    payload = handset.seal(message, game, 1)
    assert payload is not None
    return payload


def test_nobody_is_talked_out_of_them() -> None:
    """Neither end takes a letter without them any more, also not of a session that begins anew."""
    ends = Drawn()
    for message in (DECLARE, Hello(id="h-3")):
        for session in (b"hand0001", b"hand0002"):
            with pytest.raises(SealError, match="not made with this game's keys"):
                ends.referee.open(static(message, session, GAME), GAME)
    earlier = RefereeSeal(REFEREE, RED.public, Seat.RED, BOOT)
    earlier.open(static(Hello(id="h-4"), game=GAME), GAME)
    payload = earlier.seal(letter(VERDICT), GAME, 1)
    assert payload is not None
    with pytest.raises(SealError, match="not made with this game's keys"):
        ends.handset.open(payload, GAME)
    ends.hear()
    ends.say(DECLARE)


def test_a_key_that_another_put_into_the_info() -> None:
    """Whoever runs the broker may name a key of his own: the handset says hello and nothing else, since no answer proves it."""
    ends = Drawn()
    ends.handset.draw(KeyPair.create().public.text)
    ends.say(Hello(id="h-5"))
    payload = ends.referee.seal(letter(VERDICT), GAME, 1)
    assert payload is not None
    with pytest.raises(SealError):
        ends.handset.open(payload, GAME)
    assert not ends.handset.ready
    for nothing in ("", "short", "A" * 43):  # the last is of low order: with it everybody would know what is shared
        with pytest.raises(PayloadError):
            ends.handset.draw(nothing)


def test_restarts_of_either_end_within_a_game() -> None:
    """Both draw anew and go on; nothing of before is taken, and nothing twice."""
    ends = Drawn()
    said = ends.say(DECLARE)
    with pytest.raises(ReplayError):
        ends.referee.open(said, GAME)
    ends.handset = HandsetSeal(RED, REFEREE.public, Seat.RED, b"hand0002")
    ends.handset.follow(BOOT)
    ends.begin()
    ends.say(DECLARE)
    ends.referee = RefereeSeal(REFEREE, RED.public, Seat.RED, b"boot0002")
    ends.handset.follow(b"boot0002")
    ends.begin()
    ends.say(DECLARE)
    ends.hear()
    with pytest.raises(SealError):
        ends.referee.open(said, GAME)


def test_a_handset_of_earlier_days_is_spoken_with_as_before() -> None:
    """It says hello without a key, and hears what it understands."""
    referee = RefereeSeal(REFEREE, RED.public, Seat.RED, BOOT)
    referee.draw(KeyPair.create())
    handset = HandsetSeal(RED, REFEREE.public, Seat.RED, b"hand0001")
    handset.follow(BOOT)
    for message in (Hello(id="h"), DECLARE):
        payload = handset.seal(message, GAME, 1)
        assert payload is not None
        assert referee.open(payload, GAME).message == message
    answer = referee.seal(letter(Accepted("a-1", "d-1")), GAME, 1)
    assert answer is not None
    assert handset.open(answer, GAME).message == Accepted("a-1", "d-1")
    stranger = HandsetSeal(RED, REFEREE.public, Seat.RED, b"hand0009")
    stranger.follow(BOOT)
    payload = stranger.seal(DECLARE, GAME, 1)
    assert payload is not None
    with pytest.raises(OtherSessionError):
        referee.open(payload, GAME)
