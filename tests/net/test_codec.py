"""Values to bytes and back: nothing lost, nothing unknown taken, one error without a value in it."""

from __future__ import annotations

import contextlib
import json
import types
import typing
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from referee.net.errors import MessageTooLongError, PayloadError
from referee.net.topics import codec
from referee.net.topics.codec import FROM_HANDSET, TO_HANDSET, decode_body, decode_public, encode_body, encode_public
from referee.net.topics.payloads import KioskNote, KioskWish, Presence, Status
from referee.net.topics.topics import Topic
from referee.rules.values import Rank, Seat
from referee.table.messages import FromHandset, Question, QuestionKind, SeatState, ToHandset, message_kind
from referee.table.views import (
    Ask,
    Attack,
    Fix,
    Found,
    GameEnd,
    Health,
    LastMove,
    Phase,
    PublicEvent,
    PublicInfo,
    PublicView,
    Sighting,
)
from tests.net.hall import event, info, view
from tests.net.made_up import LETTERS, MESSAGES

WORDS = st.text(st.characters(codec="utf-8"), max_size=20)
PUBLIC = [
    Status(True, 3, "0123456789abcdef"),
    info(),
    view(7),
    event(8),
    Presence(True),
    KioskNote("join", "x", Seat.RED),
]


@given(message=MESSAGES)
def test_what_a_handset_says_comes_back_equal(message: FromHandset) -> None:
    """Any message of a handset survives the way."""
    assert decode_body(encode_body(message), FROM_HANDSET) == message


@given(message=LETTERS)
def test_what_the_referee_writes_comes_back_equal(message: ToHandset) -> None:
    """Any letter survives the way, a seat state with an open question included."""
    assert decode_body(encode_body(message), TO_HANDSET) == message


@pytest.mark.parametrize("value", [*PUBLIC, KioskWish("language", "nl")], ids=lambda value: type(value).__name__)
def test_public_values_come_back_equal(value: codec.PublicValue) -> None:
    """Every public value survives the way."""
    (topic,) = [topic for topic, kind in codec.PUBLIC.items() if isinstance(value, kind)]
    assert decode_public(topic, encode_public(value)) == value


EVENTS = st.builds(
    PublicEvent,
    game=WORDS,
    seq=st.integers(0, 2**53),
    kind=WORDS,
    ply=st.integers(0, 10_000),
    seat=st.none() | st.sampled_from(Seat),
    source=st.none() | WORDS,
    via=st.lists(WORDS, max_size=3).map(tuple),
    captured=st.dictionaries(st.sampled_from(Seat), st.sampled_from(Rank), max_size=2),
    text=st.none() | WORDS,
)
VIEWS = st.builds(
    PublicView,
    board_id=WORDS,
    game=WORDS,
    seq=st.integers(0, 2**53),
    phase=st.sampled_from(Phase),
    turn=st.none() | st.sampled_from(Seat),
    ply=st.integers(0, 10_000),
    occupants=st.dictionaries(WORDS, st.sampled_from(Seat), max_size=4),
    captured=st.dictionaries(
        st.sampled_from(Seat), st.dictionaries(st.sampled_from(Rank), st.integers(0, 8), max_size=3), max_size=4
    ),
    in_hand=st.lists(WORDS, max_size=2).map(tuple),
    last_move=st.none() | st.builds(LastMove, st.sampled_from(Seat), WORDS, WORDS, st.booleans()),
    attack=st.none()
    | st.builds(
        Attack, st.sampled_from(Seat), WORDS, WORDS, st.none() | WORDS, guess=st.none() | st.sampled_from(Rank)
    ),
    ask=st.none() | st.sampled_from(Ask),
    fixes=st.lists(st.builds(Fix, WORDS, st.none() | st.sampled_from(Seat)), max_size=3).map(tuple),
    saw=st.lists(st.builds(Sighting, WORDS, st.sampled_from(Found), st.none() | st.sampled_from(Seat)), max_size=3).map(
        tuple
    ),
    waiting_for=st.lists(st.sampled_from(Seat), max_size=2).map(tuple),
    connected=st.dictionaries(st.sampled_from(Seat), st.booleans(), max_size=4),
    health=st.lists(st.sampled_from(Health), max_size=3).map(tuple),
    result=st.none() | st.builds(GameEnd, st.none() | st.sampled_from(Seat), WORDS),
)


@given(one=EVENTS, whole=VIEWS)
def test_any_event_and_view_comes_back_equal(one: PublicEvent, whole: PublicView) -> None:
    """Events and views with any fields survive the way."""
    assert decode_public(Topic.EVENT, encode_public(one)) == one
    assert decode_public(Topic.STATE, encode_public(whole)) == whole


def test_the_text_forms_are_those_of_the_documents() -> None:
    """Golden bytes: pages and other programs rely on them."""
    question = Question(
        id="r9",
        question=4,
        kind=QuestionKind.DECLARE,
        ply=31,
        source="d4",
        target="d5",
        square="d5",
        choices=("bomb", "miner"),
    )
    assert encode_body(question) == b'["question","r9",4,"declare",31,"d4","d5","d5",["bomb","miner"]]'
    state = SeatState(id="r1", seat=Seat.RED, ply=0, ready=False, own={"a1": Rank.SPY}, seen={}, question=question)
    assert json.loads(encode_body(state))[:6] == ["state", "r1", "red", 0, False, {"a1": "spy"}]
    assert json.loads(encode_body(state))[7][0] == "question"
    assert encode_public(Presence(False)) == b'{"here":false,"compared":false,"name":"","against":0}'
    status = b'{"up":true,"boot":2,"session":"0000000000000000","occasion":null,"game":"","played":null,"free":null,'
    status += b'"again":[],"locked":false}'
    assert encode_public(Status(True, 2, "00" * 8)) == status


BAD_BODIES = [
    b"",
    b"\xff\xfe",
    b"null",
    b"{}",
    b"[]",
    b"[7]",
    b'["declare"]',
    b'["declare","r1",1]',
    b'["declare","r1",1,"spy","more"]',
    b'["declare","r1",1,"emperor"]',
    b'["declare","r1","1","spy"]',
    b'["declare","r1",true,"spy"]',
    b'["declare",null,1,"spy"]',
    b'["declare","",1,"spy"]',
    b'["declare","a b",1,"spy"]',
    b'["resign","' + b"x" * 49 + b'"]',
    b'["resign","x\\n"]',
    b'["verdict","r1",1,1,"x","spy",null]',
    b'["enrol","r1",{"a1":"emperor"}]',
    b'["enrol","r1",["a1","spy"]]',
    b'["no-such-thing","r1"]',
    b'["hello","r1"] ["hello","r1"]',
    b"[" * 5000,
]


@pytest.mark.parametrize("body", BAD_BODIES)
def test_a_bad_body_is_one_error_without_its_values(body: bytes) -> None:
    """Whatever a handset seals: one clear line, and nothing of what stood there."""
    with pytest.raises(PayloadError) as caught:
        decode_body(body, FROM_HANDSET)
    assert "\n" not in str(caught.value)
    assert "spy" not in str(caught.value)
    assert "emperor" not in str(caught.value)


def test_a_letter_of_the_other_direction_is_not_taken() -> None:
    """A handset cannot send what only the referee writes, nor the other way round."""
    with pytest.raises(PayloadError):
        decode_body(b'["accepted","r1","x"]', FROM_HANDSET)
    with pytest.raises(PayloadError):
        decode_body(b'["hello","r1"]', TO_HANDSET)
    with pytest.raises(PayloadError):
        decode_body(b'["state","r1","red",0,false,{},{},["told","r2",1,"chase",[]]]', TO_HANDSET)


BAD_PUBLIC = [
    (Topic.STATUS, b""),
    (Topic.STATUS, b"[]"),
    (Topic.STATUS, b'{"up":true,"boot":1}'),
    (Topic.STATUS, b'{"up":1,"boot":1,"session":"0000000000000000"}'),
    (Topic.STATUS, b'{"up":true,"boot":1,"session":"xyz"}'),
    (Topic.STATUS, b'{"up":true,"boot":1,"session":"0000000000000000","more":1}'),
    (Topic.PRESENCE, b'{"here":true} '.ljust(Topic.PRESENCE.most_bytes + 1)),
    (Topic.PRESENCE, b"\xff"),
    (Topic.KIOSK_OUT, b'{"kind":"start","value":{"a":1}}'),
    (Topic.EVENT, b'{"game":"g","seq":1,"kind":"x","ply":1,"captured":{"red":"emperor"}}'),
    (Topic.EVENT, b'{"game":"g","seq":1,"kind":"x","ply":1,"rank":"spy"}'),
]


@pytest.mark.parametrize(("topic", "payload"), BAD_PUBLIC)
def test_a_bad_public_payload_is_one_error(topic: Topic, payload: bytes) -> None:
    """Wrong types, missing and unknown fields, too many bytes: one clear line that names the topic, and no value."""
    with pytest.raises(PayloadError) as caught:
        decode_public(topic, payload)
    assert str(caught.value).startswith(topic.value.rsplit("/", 1)[-1] + ": ")
    assert "emperor" not in str(caught.value)
    assert "spy" not in str(caught.value)


def test_unknown_fields_deep_inside_are_found() -> None:
    """A field that we do not know is refused also in a nested value and in a list."""
    sent = json.loads(encode_public(view(1)))
    sent["result"] = {"winner": "red", "reason": "flag", "rank": "spy"}
    with pytest.raises(PayloadError, match="unknown field"):
        decode_public(Topic.STATE, json.dumps(sent).encode())
    sent["result"] = None
    sent["fixes"] = [{"square": "a1", "wanted": None, "why": "x"}]
    with pytest.raises(PayloadError, match="unknown field"):
        decode_public(Topic.STATE, json.dumps(sent).encode())


@given(payload=st.binary(max_size=300))
def test_random_bytes_only_ever_give_the_one_error(payload: bytes) -> None:
    """No bytes make the codec raise anything else."""
    for topic in codec.PUBLIC:
        with contextlib.suppress(PayloadError):
            decode_public(topic, payload)


@given(
    sent=st.recursive(
        st.none() | st.booleans() | st.integers() | WORDS, lambda inner: st.lists(inner) | st.dictionaries(WORDS, inner)
    )
)
@example(0)
@example(1)
def test_any_json_only_ever_gives_the_one_error(sent: Any) -> None:
    """No JSON makes the codec raise anything else; a bridge's state alone is told by a number."""
    payload = json.dumps(sent).encode()
    for topic in codec.PUBLIC:
        if topic is Topic.BRIDGE and payload in (b"0", b"1"):
            continue
        with pytest.raises(PayloadError):
            decode_public(topic, payload)
    with pytest.raises(PayloadError):
        decode_body(payload, FROM_HANDSET)


def test_a_value_that_is_too_long_for_its_topic_is_not_sent() -> None:
    """Our own limit holds for us as well."""
    with pytest.raises(MessageTooLongError):
        encode_public(KioskNote("prompt", "x" * 10_000))


def test_inner_messages_are_known_to_the_codec() -> None:
    """A message field that holds a message is listed in the codec, or its array form would be wrong."""
    found = {}
    for kind in (*get_args(FromHandset), *get_args(ToHandset)):
        for name, hint in typing.get_type_hints(kind).items():
            options = get_args(hint) if isinstance(hint, types.UnionType) or get_args(hint) else (hint,)
            structs = [option for option in options if isinstance(option, type) and issubclass(option, msgspec.Struct)]
            inner = [each for each in structs if each.__struct_config__.tag is not None]
            if inner:
                found[kind, name] = inner[0]
    assert found == codec._INNER


def test_no_public_type_has_a_place_for_a_hidden_rank() -> None:
    """Every field of a public type that can hold a rank is one that the design calls public: captured, turned over by all, the army."""
    places = set()
    for kind in (PublicInfo, PublicView, PublicEvent, KioskNote, KioskWish, Status, Presence):
        for name, hint in typing.get_type_hints(kind).items():
            if "Rank" in str(hint):
                places.add((kind.__name__, name))
    rule_sheet = {("PublicInfo", "army"), ("PublicInfo", "numbers"), ("PublicInfo", "immobile")}
    assert places == rule_sheet | {("PublicView", "captured"), ("PublicView", "turned"), ("PublicEvent", "captured")}


def test_every_message_has_a_size() -> None:
    """Set-ups and the seat's state are large, all else is small."""
    large = {name for name, kind in {**FROM_HANDSET, **TO_HANDSET}.items() if name in ("state", "enrol", "consent")}
    assert large == {"state", "enrol", "consent"}
    assert message_kind(SeatState(id="", seat=Seat.RED, ply=0, ready=True, own={}, seen={})).value == 4096
