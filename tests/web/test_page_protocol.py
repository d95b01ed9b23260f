"""The page's own sealing, pairing and messages, held against the referee's in a real browser: byte for byte the same."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from referee.net.credential import Address, Credential, KeyPair, read_base64
from referee.net.pairing.handshake import Joining, seal_answer, six_digits
from referee.net.sealing.sealing import HandsetSeal, RefereeSeal
from referee.net.sealing.signing import countersigned
from referee.net.topics.codec import FROM_HANDSET, TO_HANDSET, encode_public
from referee.net.topics.topics import Role
from referee.rules import rule_set
from referee.rules.hidden import Hidden
from referee.rules.values import Rank, Seat
from referee.table.chain import signed_end
from referee.table.commitments import root, seat_seed
from referee.table.messages import (
    Accepted,
    Declare,
    Enrol,
    FromHandset,
    Hello,
    Letter,
    Question,
    QuestionKind,
    SeatState,
    Verdict,
)
from referee.table.settings import TableSettings
from referee.table.table import Table
from referee.table.views import GameEnd
from tests.web.gallery import gallery

pytestmark = pytest.mark.process

REFEREE, HANDSET = KeyPair(bytes(range(32))), KeyPair(bytes(range(1, 33)))
REFEREE_SESSION, HANDSET_SESSION = b"referee!", b"handset!"
GAME = "0123456789abcdef"


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    """A page that has the modules and does nothing by itself."""
    with gallery(browser) as open_page:
        yield open_page


def counting(count: int) -> bytes:
    """Chance that is none, alike on both sides."""
    return bytes(range(count))


def b64(raw: bytes) -> str:
    """Write bytes as the page does."""
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


_SEAL = """
async ({ own, peer, messages, incoming }) => {
    const { HandsetSeal } = await import("/sealing.js");
    const { base64, unbase64, utf8 } = await import("/bytes.js");
    const chance = (count) => Uint8Array.from({ length: count }, (_, at) => at);
    const seal = new HandsetSeal({ own, peer, seat: "red" }, utf8("handset!"), chance);
    seal.follow(utf8("referee!"));
    const opened = incoming.map((text) => {
        try { return seal.open(unbase64(text), "0123456789abcdef"); } catch (error) { return error.reason; }
    });
    return { opened, sealed: messages.map((message) => base64(seal.seal(message, "0123456789abcdef", 7))) };
}
"""


def in_the_page(page: Page, messages: list[Any], incoming: list[bytes]) -> Any:
    """Open what came and seal what is said, in the browser."""
    keys = {"own": HANDSET.private_text(), "peer": REFEREE.public.text}
    return page.evaluate(_SEAL, {**keys, "messages": messages, "incoming": [b64(each) for each in incoming]})


def test_letters_are_sealed_as_the_referee_does(page: Page) -> None:
    """With the same keys, sessions and chance the page's letters are those of the Python handset, to the byte."""
    python = HandsetSeal(HANDSET, REFEREE.public, Seat.RED, HANDSET_SESSION, counting)
    python.follow(REFEREE_SESSION)
    said: list[FromHandset] = [
        Declare(id="x-1", question=12, rank=Rank.MINER),
        Enrol(id="x-2", set_up={"a1": Rank.FLAG, "b2": Rank.BOMB}),
    ]
    plain: list[Any] = [
        {"type": "declare", "id": "x-1", "question": 12, "rank": "miner"},
        {"type": "enrol", "id": "x-2", "set_up": {"a1": "flag", "b2": "bomb"}},
    ]
    wanted = [python.seal(message, GAME, 7) for message in said]
    sealed = in_the_page(page, plain, [])["sealed"]
    assert [len(each or b"") for each in wanted] == [296, 4136]
    assert sealed == [b64(each or b"") for each in wanted]


def test_the_referees_letters_are_opened_once(page: Page) -> None:
    """Every kind is understood; a repeat, another seat's, another game's, a changed one and one of our own are not taken."""
    hello = HandsetSeal(HANDSET, REFEREE.public, Seat.RED, HANDSET_SESSION)
    hello.follow(REFEREE_SESSION)

    def referee(seat: Seat = Seat.RED) -> RefereeSeal:
        seal = RefereeSeal(REFEREE, HANDSET.public, seat, REFEREE_SESSION)
        own = HandsetSeal(HANDSET, REFEREE.public, seat, HANDSET_SESSION)
        own.follow(REFEREE_SESSION)
        greeting = own.seal(Hello(id="h-1"), GAME, 0)
        assert greeting is not None
        seal.open(greeting, GAME)
        return seal

    question = Question("q", 3, QuestionKind.DECLARE, 8, "d4", "d5", "d4", ("miner", "scout"))
    state = SeatState("s", Seat.RED, 7, True, {"d4": Rank.MINER}, {}, question)
    verdict = Verdict("v", 3, 8, "attacker-wins", Rank.MINER, None)
    seal = referee()
    letters = [
        seal.seal(Letter(Seat.RED, Hidden(each)), GAME, 7) or b"" for each in (state, verdict, Accepted("a", "x-1"))
    ]
    alien = referee(Seat.BLUE).seal(Letter(Seat.RED, Hidden(verdict)), GAME, 7) or b""
    spoilt = letters[1][:-1] + bytes([letters[1][-1] ^ 1])
    own = hello.seal(Hello(id="h-2"), GAME, 0) or b""
    opened = in_the_page(page, [], [*letters, letters[1], alien, spoilt, own, b"short"])["opened"]
    assert opened[0]["own"] == {"d4": "miner"}
    assert opened[0]["question"]["choices"] == ["miner", "scout"]
    assert (opened[1]["result"], opened[1]["other"], opened[2]["re"]) == ("attacker-wins", None, "x-1")
    assert opened[3:] == ["replay", "other-seat", "key", "other-seat", "size"]


_DRAWN = """
async ({ own, peer, drawn }) => {
    const { HandsetSeal } = await import("/sealing.js");
    const { base64, unbase64, utf8 } = await import("/bytes.js");
    const seal = (globalThis.drawnSeal = new HandsetSeal({ own, peer, seat: "red" }, utf8("handset!")));
    seal.follow(utf8("referee!"));
    seal.draw(drawn);
    globalThis.opens = (text) => {
        try { return seal.open(unbase64(text), "0123456789abcdef").type; } catch (error) { return error.reason; }
    };
    globalThis.says = (message) => base64(seal.seal(message, "0123456789abcdef", 7));
    return globalThis.says({ type: "hello", id: "h-1", heard: 0, fresh: "" });
}
"""


def test_the_page_draws_keys_for_a_game(page: Page) -> None:
    """Both ends come to the same key; in it the page says more than hello only once a letter has come, and it takes none without."""
    seal, drawn = RefereeSeal(REFEREE, HANDSET.public, Seat.RED, REFEREE_SESSION), KeyPair.create()
    seal.draw(drawn)
    keys = {"own": HANDSET.private_text(), "peer": REFEREE.public.text, "drawn": drawn.public.text}
    hello = seal.open(read_base64(page.evaluate(_DRAWN, keys)), GAME)
    assert hello.drew
    accepted = Letter(Seat.RED, Hidden(Accepted("a", "h-1")))
    without = RefereeSeal(REFEREE, HANDSET.public, Seat.RED, REFEREE_SESSION)
    own = HandsetSeal(HANDSET, REFEREE.public, Seat.RED, HANDSET_SESSION)
    own.follow(REFEREE_SESSION)
    without.open(own.seal(Hello(id="h-1"), GAME, 0) or b"", GAME)
    assert page.evaluate("text => opens(text)", b64(without.seal(accepted, GAME, 7) or b"")) == "key"
    assert page.evaluate("() => drawnSeal.ready") is False
    assert page.evaluate("text => opens(text)", b64(seal.seal(accepted, GAME, 7) or b"")) == "accepted"
    assert page.evaluate("() => drawnSeal.ready") is True
    said = page.evaluate('() => says({ type: "declare", id: "x-1", question: 12, rank: "miner" })')
    assert seal.open(read_base64(said), GAME).message == Declare(id="x-1", question=12, rank=Rank.MINER)


def test_the_page_knows_every_message(page: Page) -> None:
    """Type words and their fields, in order, are those of the referee's messages."""
    tables = page.evaluate('async () => (await import("/messages.js")).TABLES')
    for name, kinds in (("FROM_HANDSET", FROM_HANDSET), ("TO_HANDSET", TO_HANDSET)):
        wanted = {word: [field for field in kind.__struct_fields__ if field != "id"] for word, kind in kinds.items()}
        assert tables[name] == wanted


_HEARD = """
async ({ own, peer, told }) => {
    const { Link } = await import("/link.js");
    const said = [];
    const link = new Link({ own, peer, seat: "red", board: "t1" }, () => {});
    link.post = (message) => said.push(message.heard);
    link.up = true;
    for (const [name, value] of told) {
        if (name === "lost") {
            link.close();
            link.up = true;
        } else link.hear(name, value);
    }
    link.hello();
    return said.at(-1);
}
"""
OLD, NEW = "11" * 8, "22" * 8


def status(session: str, up: bool = True) -> tuple[str, dict[str, object]]:
    """What a referee says of itself."""
    return "status", {"session": session, "up": up}


def of_game(name: str, seq: int = 0) -> tuple[str, dict[str, object]]:
    """What is public of the game."""
    return name, {"game": GAME, "seq": seq, "ply": 0}


@pytest.mark.parametrize(
    ("told", "heard"),
    [
        ([of_game("state", 7)], 0),
        ([of_game("state", 7), of_game("state", 6), status(NEW)], 7),
        ([of_game("state", 7), status(OLD, up=False), of_game("state", 9), status(NEW)], 7),
        ([of_game("state", 7), status(NEW), of_game("state", 9)], 7),
        ([of_game("state", 7), ("lost", {}), of_game("state", 9), status(NEW)], 7),
        ([of_game("state", 7), ("lost", {}), status(OLD), of_game("state", 9), status(NEW)], 9),
        ([of_game("state", 7), status(NEW), of_game("state", 4), status("33" * 8)], 4),
        ([of_game("state", 7), status(NEW), ("info", {"game": "fedcba9876543210"})], 0),
    ],
)
def test_a_hello_says_what_was_heard_before_the_referee_was_started_again(
    told: list[Any], heard: int, page: Page
) -> None:
    """The last event of an earlier start, as far as it is certain of which start it was."""
    keys = {"own": HANDSET.private_text(), "peer": REFEREE.public.text}
    assert page.evaluate(_HEARD, {**keys, "told": [of_game("info"), status(OLD), *told]}) == heard


_JOIN = """
async ({ secret, fingerprint, shown, sealed, chance }) => {
    const { Joining } = await import("/join.js");
    const { unbase64 } = await import("/bytes.js");
    const parts = chance.map(unbase64);
    try {
        const joining = new Joining(secret, fingerprint, () => parts.shift());
        const first = joining.first();
        const second = joining.second(shown);
        return { first, second, place: joining.last(sealed) };
    } catch (error) {
        return error.reason;
    }
}
"""


def test_pairing_is_the_referees(page: Page) -> None:
    """Both requests are those of the Python handset with the same chance; the answer gives the seat and the same six digits."""
    chance = [bytes([n]) * count for n, count in ((1, 32), (2, 16), (3, 24))]
    parts = iter(chance)
    python = Joining("a-secret-of-a-link-22", REFEREE.public.fingerprint, lambda count: next(parts))
    shown = {"peer": REFEREE.public.text, "nonce": b64(b"n" * 16)}
    address = Address("127.0.0.1", 1883, 9001)
    place = Credential(Role.HANDSET, "kitchen.red", "pass", address, "kitchen", seat=Seat.RED, peer=REFEREE.public)
    handset = KeyPair(chance[0])
    answer = {"credential": place.to_json(), "ws": "ws://127.0.0.1:9001/mqtt"}
    sealed = seal_answer(answer, REFEREE, handset.public)
    told = {
        "secret": "a-secret-of-a-link-22",
        "shown": shown,
        "sealed": sealed,
        "chance": [b64(each) for each in chance],
    }
    joined = page.evaluate(_JOIN, {**told, "fingerprint": REFEREE.public.fingerprint})
    assert joined["first"] == python.first()
    assert joined["second"] == python.second(shown)
    assert joined["place"]["digits"] == six_digits(REFEREE.public, handset.public, b"n" * 16, chance[1])
    assert joined["place"]["digits"] == python.last(sealed).digits
    assert (joined["place"]["user"], joined["place"]["seat"]) == ("kitchen.red", "red")
    assert page.evaluate(_JOIN, {**told, "fingerprint": HANDSET.public.fingerprint}) == "wrong-referee"
    stranger = {**told, "fingerprint": None, "sealed": seal_answer(answer, HANDSET, handset.public)}
    assert page.evaluate(_JOIN, stranger) == "wrong-referee"


def test_the_page_signs_the_end_as_other_handsets_do(page: Page) -> None:
    """Every kind of end that a winner has or has not; nothing before it, without a chain, or twice."""
    place = {"seat": "red", "own": b64(counting(32))}
    view = replace(Table(TableSettings("kitchen", "0123456789abcdef", rule_set("duel"))).view(), chain="3:" + "9b" * 32)
    ends = [GameEnd(Seat.BLUE, "resign"), GameEnd(None, "agreed"), GameEnd(None, "aborted"), GameEnd(None, "both-lose")]
    sign = "async (all) => { const { countersignature: one } = await import('/commitments.js'); return all.map((each) => one(...each)); }"
    views = [replace(view, result=end) for end in ends]
    nothing = [view, replace(views[0], chain=""), replace(views[0], signed=("red",))]
    told = [[json.loads(encode_public(each)), place] for each in (*views, *nothing)]
    made = page.evaluate(sign, told)
    wanted = [countersigned(counting(32), signed_end(each, "red") or b"") for each in views]
    assert [(one["key"], one["signature"]) for one in made[: len(ends)]] == wanted
    assert made[len(ends) :] == [None] * len(nothing)


def test_the_page_computes_the_chain_as_other_handsets_do(page: Page) -> None:
    """The table of values to which the Python handset is held (tests/table/test_heard_chain.py)."""
    told = json.loads(Path(__file__).with_name("heard_chains.json").read_text(encoding="utf-8"))
    judge = """async ({ game, steps }) => {
        const { HeardChain } = await import("/heard_chain.js");
        const heard = new HeardChain(game);
        return steps.flatMap(({ events, view }) => (view ? [heard.judge(view)] : heard.take(events) ?? []));
    }"""
    for case, steps in told["cases"].items():
        found = page.evaluate(judge, {"game": told["game"], "steps": steps})
        assert found == [step["proof"] for step in steps if "view" in step], case


def test_the_page_computes_its_own_root(page: Page) -> None:
    """The numbers of docs/reference/commitments.md, and any set-up's root as the referee makes it."""
    compute = "async (all) => (await import('/commitments.js')).rootOf(...all)"
    for squares in (["a1", "b1", "c1"], ["a1"], [f"{column}{row}" for row in (1, 2, 10) for column in "abcdefg"]):
        set_up = dict(zip(squares, [Rank.FLAG, Rank.BOMB, Rank.SPY, *[Rank.SCOUT] * 40], strict=False))
        seed = seat_seed(bytes(range(32)), GAME, Seat.RED)
        plain = {square: rank.value for square, rank in set_up.items()}
        assert page.evaluate(compute, [seed, GAME, "red", plain]) == root(seed, GAME, Seat.RED, set_up)


@pytest.mark.parametrize(
    ("typed", "secret"),
    [
        ("abc 234", "ABC234"),
        ("ABC-234", "ABC234"),
        ("http://192.168.1.20:8080/join#a-secret-of-a-link&" + "0" * 32, "a-secret-of-a-link"),
        ("abc 23", None),
        ("abc 2340", None),
        ("ABO 234", None),
        ("", None),
        ("%%%", None),
    ],
)
def test_codes_as_they_are_typed(typed: str, secret: str | None, page: Page) -> None:
    """Blanks, hyphens and case do not matter; a whole link may be pasted; anything else is none."""
    read = page.evaluate('async (typed) => (await import("/join.js")).readTyped(typed)', typed)
    assert (read and read["secret"]) == secret
