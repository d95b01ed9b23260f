"""Orders of an arbiter: signed by the station, carried out once, refused when anything is not as it was when they were given."""

from __future__ import annotations

import pytest

from referee.net.errors import SignatureError
from referee.net.sealing.signing import OrderKey, StationKey
from referee.net.topics.payloads import Act, ArbiterAck, ArbiterOrder, AskFacts, PairAgain, SignedOrder
from referee.rules.values import Seat
from referee.runtime.order_book import OrderBook, Outcome, Standing
from referee.table.arbiter_commands import EndGame, PauseGame, SetClock, SetHallClock, TakeBack

KEY = StationKey(bytes(32))
SESSION = "0123456789abcdef"


class Desk:
    """A table's order book, and what it carried out."""

    def __init__(self, key: OrderKey | None = KEY.public) -> None:
        self.done: list[Act] = []
        self.standing = Standing("game-1", 7)
        self.book = OrderBook(key, "t1", SESSION, lambda: self.standing, self._carry_out)

    def _carry_out(self, act: Act) -> Outcome:
        self.done.append(act)
        self.standing = Standing(self.standing.game, self.standing.seq + 1)
        return Outcome()

    def take(self, act: Act, *, board: str = "t1", session: str = SESSION, game: str = "game-1") -> ArbiterAck:
        return self.book.take(KEY.sign(ArbiterOrder(board=board, session=session, game=game, act=act)))


def take_back(name: str = "order-1", seq: int | None = 7) -> TakeBack:
    """Give an order that depends on the moment."""
    return TakeBack(id=name, reason="wrong square", seq=seq, by="Ann", ply=3)


def test_an_order_of_the_station_is_carried_out_and_acknowledged() -> None:
    """The answer names the order and the event that came of it."""
    desk = Desk()
    assert desk.take(take_back()) == ArbiterAck("order-1", True, "done", "game-1", 8)
    assert desk.done == [take_back()]


@pytest.mark.parametrize(
    ("word", "act", "where"),
    [
        ("stale", take_back(seq=6), {}),
        ("stale", take_back(seq=8), {}),
        ("stale", take_back(seq=None), {}),
        ("other-game", take_back(), {"game": "game-0"}),
        ("other-game", PauseGame(id="order-1", reason="noise"), {"game": "game-0"}),
        ("other-board", take_back(), {"board": "t2"}),
        ("other-session", take_back(), {"session": "f" * 16}),
    ],
)
def test_what_is_not_as_the_arbiter_saw_it_is_refused(word: str, act: Act, where: dict[str, str]) -> None:
    """Every mismatch has its word, and nothing is carried out."""
    desk = Desk()
    ack = desk.take(act, **where)
    assert (ack.re, ack.done, ack.word) == ("order-1", False, word)
    assert desk.done == []


@pytest.mark.parametrize(
    "act",
    [
        PauseGame(id="order-1", reason="noise"),
        PairAgain(id="order-1", reason="flat battery", seat=Seat.RED),
        AskFacts(id="order-1", reason="dispute", square="a4"),
    ],
)
def test_standing_still_and_what_is_beside_the_game_need_no_moment(act: Act) -> None:
    """A table that goes on while an arbiter reaches for *Pause* is paused all the same."""
    assert Desk().take(act).done


def test_a_repeat_gets_the_same_answer_and_is_carried_out_once() -> None:
    """MQTT may deliver twice, and so may somebody who listens; also when the table has gone on since."""
    desk = Desk()
    first = desk.take(take_back())
    desk.standing = Standing("game-1", 30)
    assert desk.take(take_back()) == first
    assert len(desk.done) == 1


def test_an_order_whose_answer_is_forgotten_is_still_no_new_order() -> None:
    """However long ago it was, within a start of the referee an id works once."""
    desk = Desk()
    desk.take(PauseGame(id="first", reason="noise"))
    for number in range(300):
        desk.take(PauseGame(id=f"later-{number}", reason="noise"))
    assert desk.take(PauseGame(id="first", reason="noise")).word == "replayed"
    assert len(desk.done) == 301


def forged(order: str, signature: str) -> SignedOrder:
    """Give what somebody else puts together."""
    return SignedOrder(order, signature)


def test_what_the_station_did_not_sign_is_refused() -> None:
    """Another key, a changed word, a changed signature, a signature over something else, nothing at all."""
    good = KEY.sign(ArbiterOrder(board="t1", session=SESSION, game="game-1", act=take_back()))
    other = StationKey(bytes(range(32)))
    by_other = other.sign(ArbiterOrder(board="t1", session=SESSION, game="game-1", act=take_back()))
    for signed in (
        by_other,
        forged(good.order.replace('"ply":3', '"ply":4'), good.signature),
        forged(good.order, good.signature[::-1]),
        forged(good.order, by_other.signature),
        forged(good.order, ""),
        forged(good.order, "é"),
        forged("", good.signature),
    ):
        desk = Desk()
        assert desk.book.take(signed).word == "not-signed"
        assert desk.done == []
        with pytest.raises(SignatureError):
            KEY.public.open(signed)


def test_a_table_of_no_hall_takes_no_orders() -> None:
    """Without a station's key nothing can be signed well enough."""
    desk = Desk(None)
    assert desk.take(take_back()).word == "not-signed"
    assert desk.done == []


def test_signed_nonsense_is_refused_by_its_own_word() -> None:
    """A station of another version may say what this table does not know."""
    import nacl.signing

    from referee.net.credential import write_base64

    raw = '{"board":"t1","session":"x","game":"g","act":{"type":"dance","id":"1","reason":"r"}}'
    signature = nacl.signing.SigningKey(bytes(32)).sign(b"hallmarshal order 1\0" + raw.encode()).signature
    assert Desk().book.take(SignedOrder(raw, write_base64(signature))).word == "not-understood"


@pytest.mark.parametrize(
    "act",
    [
        SetClock(id="1", reason="r", seq=1, seat=Seat.BLUE, left_ms=5),
        SetHallClock(id="1", reason="r", left_ms=3_000_000, at_end="draw"),
        EndGame(id="1", reason="r", seq=1, result="both-lose"),
    ],
)
def test_orders_travel_unchanged(act: Act) -> None:
    """What was signed is what is opened."""
    order = ArbiterOrder(board="t1", session=SESSION, game="g", act=act)
    assert KEY.public.open(KEY.sign(order)) == order
