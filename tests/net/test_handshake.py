"""The four letters of a pairing: golden bytes for the page, and what somebody in between cannot do."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from referee.net.broker.access import Grant, SeatPairing
from referee.net.credential import Address, KeyPair, PublicKey, read_base64, write_base64
from referee.net.errors import JoinError
from referee.net.pairing.handshake import Joined, Joining, commitment, seal_answer, secret_keys, six_digits
from referee.net.pairing.lobby import Lobby, Reception
from referee.rules.values import Seat

REFEREE, OTHER = KeyPair(bytes([7]) * 32), KeyPair(bytes([9]) * 32)
SECRET, CODE = "AAECAwQFBgcICQoLDA0ODw", "K7QM3X"
MESSAGES = Path(__file__).resolve().parents[2] / "docs" / "reference" / "messages.md"


def counting() -> Callable[[int], bytes]:
    """Return a repeatable source of bytes: 01 01 ..., then 02 02 ..., and so on."""
    numbers = itertools.count(1)
    return lambda length: bytes([next(numbers)]) * length


class Table:
    """A referee that offers red, with chance that can be repeated."""

    def __init__(self, keys: KeyPair = REFEREE) -> None:
        self.keys = keys
        self.lobby = Lobby(
            (Seat.RED,), make_secret=lambda: SECRET, make_code=lambda: CODE, random=lambda n: b"\xee" * n
        )
        self.lobby.invite(Seat.RED, 0)
        self.given: list[Grant] = []
        pairing = SeatPairing(Address("192.168.1.20", 41883, 49001), "kitchen", keys.public)
        self.reception = Reception(self.lobby, pairing, keys, self.given.append, self.holders)

    def holders(self) -> dict[Seat, str]:
        """Return the key of each seat's holder."""
        return {grant.seat: grant.handset_key.text for grant in self.given}

    def answer(self, letter: Any, now_s: float = 1.0) -> dict[str, Any]:
        """Answer a letter as it comes over the network."""
        return dict(json.loads(json.dumps(self.reception.answer(json.loads(json.dumps(letter)), now_s))))


def pair(table: Table, joining: Joining) -> Joined:
    """Let a handset take the seat, with nobody in between."""
    return joining.last(table.answer(joining.second(table.answer(joining.first()))))


def reason(act: Callable[[], object]) -> str:
    """Return the word of a refusal."""
    with pytest.raises(JoinError) as caught:
        act()
    return caught.value.reason


def vector() -> dict[str, str]:
    """Return every value that a page has to compute, from fixed random numbers."""
    table, joining = Table(), Joining(SECRET, REFEREE.public.fingerprint, counting())
    first = joining.first()
    shown = table.answer(first)
    second = joining.second(shown)
    joined = joining.last(table.answer(second))
    assert joined.credential.own is not None
    own = joined.credential.own
    return {
        "secret": SECRET,
        "token": first["token"],
        "key": write_base64(secret_keys(SECRET).key),
        "fingerprint": REFEREE.public.fingerprint,
        "handset's private key": own.private_text(),
        "handset's key": own.public.text,
        "handset's nonce": write_base64(b"\x02" * 16),
        "commitment": first["commitment"],
        "peer": shown["peer"],
        "nonce": shown["nonce"],
        "sealed (third letter)": second["sealed"],
        'sealed (last letter, of `{"a": 1}`)': seal_answer({"a": 1}, REFEREE, own.public, lambda n: b"\x04" * n)[
            "sealed"
        ],
        "digits": joined.digits,
    }


def test_the_vector_in_the_reference() -> None:
    """Page and referee come to the same bytes apart: docs/reference/messages.md lists them, this computes them."""
    listed = dict(re.findall(r"^\| vector: (.*?) \| `(.*)` \|$", MESSAGES.read_text(), re.MULTILINE))
    assert listed == vector()


def test_a_seat_is_taken() -> None:
    """Link or code: the same digits on both sides, the right keys, and a password that never crossed in the clear."""
    for secret, fingerprint in ((SECRET, REFEREE.public.fingerprint), (CODE, None)):
        table = Table()
        joining = Joining(secret, fingerprint)
        shown = table.answer(joining.first())
        last = table.answer(joining.second(shown))
        joined = joining.last(last)
        (grant,) = table.given
        assert (joined.digits, joined.credential.password) == (grant.digits, grant.credential.password)
        assert joined.credential.own is not None
        assert (joined.credential.own.public, joined.credential.peer) == (grant.handset_key, REFEREE.public)
        crossed = json.dumps([shown, last])
        assert list(last) == ["sealed"]
        assert grant.credential.password not in crossed
        assert "kitchen.red" not in crossed


def test_who_is_kept_out_may_ask_who_has_the_seat() -> None:
    """Nobody yet, itself, or another one; of a seat that nobody plays, and of nonsense, nobody; or that it was thrown off itself."""
    table = Table()

    def holder(key: object, seat: object = "red") -> object:
        return table.answer({"key": key, "seat": seat})["holder"]

    assert holder("x") == "nobody"
    joined = pair(table, Joining(SECRET, REFEREE.public.fingerprint))
    assert joined.credential.own is not None
    assert holder(joined.credential.own.public.text) == "you"
    nonsense: tuple[object, ...] = ("", None, 7, [], {})
    assert [holder(key) for key in nonsense] == ["another"] * 5
    assert [holder("x", seat) for seat in ("blue", *nonsense)] == ["nobody"] * 6
    table.reception.throw_off(Seat.RED)
    assert holder(joined.credential.own.public.text) == "too-much"
    assert holder("x") == "another"
    table.given.clear()
    assert holder(joined.credential.own.public.text) == "nobody"


def test_what_is_sent_does_not_tell_the_secret() -> None:
    """Neither secret, key nor handset's key stands in what crosses; the token of link and code differ."""
    table, joining = Table(), Joining(SECRET, REFEREE.public.fingerprint)
    sent = json.dumps([first := joining.first(), joining.second(table.answer(first))])
    keys = secret_keys(SECRET)
    assert SECRET not in sent
    assert write_base64(keys.key) not in sent
    assert secret_keys(CODE).token != keys.token
    assert repr(keys) == "SecretKeys(?)"


def test_a_key_that_was_swapped_on_the_way_is_refused() -> None:
    """Who knows the token, and not the secret, cannot put in a key of his own; the seat stays to be had."""
    table, honest = Table(), Joining(SECRET, REFEREE.public.fingerprint)
    shown = table.answer(honest.first())
    thief = Joining("another secret 12345", None)
    third = {**honest.second(shown), "sealed": thief.second(shown)["sealed"]}
    assert reason(lambda: table.answer(third)) == "proof-wrong"
    assert table.given == []
    honest.last(table.answer(honest.second(shown)))


def test_a_handset_that_begins_with_one_key_cannot_end_with_another() -> None:
    """Not even who knows the secret (a code can be searched) may choose his key after he has seen the referee's nonce."""
    table, first, second = Table(), Joining(CODE, None), Joining(CODE, None)
    shown = table.answer(first.first())
    assert reason(lambda: table.answer(second.second(shown))) == "proof-wrong"
    assert reason(lambda: table.answer(second.first())) == "token-used"
    assert table.answer(first.first()) == shown  # the same question gets the same answer: it may have been lost
    assert pair_on(table, first, shown).digits == table.given[0].digits


def pair_on(table: Table, joining: Joining, shown: dict[str, Any]) -> Joined:
    """Let a handset that has begun end."""
    return joining.last(table.answer(joining.second(shown)))


def test_another_referee_is_found_out() -> None:
    """By the fingerprint at once; by the digits with a typed code; and its last letter does not open."""
    assert reason(lambda: pair(Table(OTHER), Joining(SECRET, REFEREE.public.fingerprint))) == "wrong-referee"
    honest, middle = Joining(CODE, None), Joining(CODE, None)
    table = Table()
    deceived = pair(Table(OTHER), honest)
    pair(table, middle)
    assert deceived.digits != table.given[0].digits
    table, honest = Table(), Joining(SECRET, REFEREE.public.fingerprint)
    third = honest.second(table.answer(honest.first()))
    forged = seal_answer({"credential": {}}, OTHER, PublicKey(read_base64(OTHER.public.text)))
    assert reason(lambda: honest.last(forged)) == "wrong-referee"
    assert honest.last(table.answer(third)).digits == table.given[0].digits


def test_digits_follow_from_both_keys_and_both_nonces() -> None:
    """Golden digits; any other key or nonce gives others; and what binds the handset covers both of its parts."""
    keys = (REFEREE.public, OTHER.public)
    nonces = (b"a" * 16, b"b" * 16)
    digits = {
        six_digits(*keys, *nonces),
        six_digits(*keys[::-1], *nonces),
        six_digits(*keys, *nonces[::-1]),
        six_digits(keys[0], keys[0], *nonces),
    }
    assert len(digits) == 4
    assert all(re.fullmatch(r"\d{6}", each) for each in digits)
    assert len({commitment(key, nonce) for key in keys for nonce in nonces}) == 4


BROKEN: list[Any] = [
    None,
    [],
    {},
    {"token": 7, "commitment": "AAAA"},
    {"token": "x"},
    {"token": "x", "commitment": "AAAA"},
    {"token": "x", "commitment": 7},
    {"token": "x", "sealed": "é"},
    {"token": "x", "sealed": "AAAA", "commitment": "A" * 43},
    {"token": "x", "public_key": "A" * 43},
]


@pytest.mark.parametrize("sent", BROKEN, ids=str)
def test_letters_that_make_no_sense(sent: Any) -> None:
    """One word, and nothing is begun."""
    table = Table()
    assert reason(lambda: table.reception.answer(sent, 1.0)) == "request-unreadable"
    pair(table, Joining(SECRET, REFEREE.public.fingerprint))


@pytest.mark.parametrize("sealed", [b"", b"x" * 24, b"x" * 88, b"x" * 500])
def test_third_letters_that_do_not_open(sealed: bytes) -> None:
    """Whatever stands in them, and also before anybody began: refused, and nothing is spent."""
    table, honest = Table(), Joining(SECRET, REFEREE.public.fingerprint)
    bad = {"token": secret_keys(SECRET).token, "sealed": write_base64(sealed)}
    assert reason(lambda: table.answer(bad)) == "proof-wrong"
    shown = table.answer(honest.first())
    assert reason(lambda: table.answer(bad)) == "proof-wrong"
    pair_on(table, honest, shown)


@pytest.mark.parametrize("answer", [{}, {"peer": "x", "nonce": "AAAA"}, {"peer": "A" * 43}, {"sealed": "AAAA"}])
def test_answers_that_make_no_sense(answer: dict[str, Any]) -> None:
    """The handset says so, in either step."""
    honest = Joining(SECRET, REFEREE.public.fingerprint)
    assert reason(lambda: honest.second(answer)) == "answer-unreadable"
    honest.second(Table().answer(honest.first()))
    assert reason(lambda: honest.last(answer)) in ("answer-unreadable", "wrong-referee")
