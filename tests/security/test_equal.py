"""The same game with other ranks, on the wire: what a real broker hands to every role has the same bytes, sizes and counts."""

from __future__ import annotations

import itertools
import re
import threading
from collections import Counter
from dataclasses import dataclass, field

import pytest

from referee.net.broker.access import SeatPairing
from referee.net.broker.broker import Broker
from referee.net.credential import KeyPair
from referee.net.links.handset_link import HandsetLink
from referee.net.links.referee_link import RefereeLink
from referee.net.sealing.sealing import LARGE_PAYLOAD, SMALL_PAYLOAD
from referee.net.topics.payloads import FromSeat
from referee.net.topics.topics import Role, Topic, address
from referee.rules import rule_set
from referee.rules.hidden import Hidden
from referee.rules.values import Rank, Seat
from referee.table.inputs import SeatSays
from referee.table.messages import FromHandset, Ready
from referee.table.settings import TableSettings
from referee.table.step import Step
from referee.table.table import Table
from referee.table.views import Mode, Reveal
from tests.net.hall import BOARD, Inbox, info, view
from tests.patience import PATIENCE_S
from tests.security.report import Row, hold
from tests.table.inputs import Said, put_in
from tests.table.random_play import SECRET
from tests.table.storm import Storm
from tests.table.test_privacy import Ranks, _translated, masked, played, ranks_of, shown_in_public, swapped

pytestmark = pytest.mark.process

GAMES = (
    ("duel", 60, Mode.DECLARE, Reveal.BOOK),
    ("duel", 60, Mode.ENROL, Reveal.RESULT_ONLY),
    ("barrage", 60, Mode.ENROL, Reveal.ATTACKER_ONLY),
    ("infiltrator", 40, Mode.DECLARE, Reveal.BOOK),
    ("stratego4", 24, Mode.DECLARE, Reveal.RESULT_ONLY),
)


_MARK = '"seq":99'
_MARKS = itertools.count(990_000)


@dataclass
class Wire:
    """What an outsider can measure at the broker."""

    public: list[tuple[str, str]] = field(default_factory=list)
    """Every public payload in order, commitments masked."""
    sealed: Counter[tuple[str, int]] = field(default_factory=Counter)
    """How many payloads of which size, by topic."""
    deadlines: list[int | None] = field(default_factory=list)


class Lines:
    """A referee and a handset a seat on a real broker; everything that the broker hands out is noted as it arrives."""

    def __init__(self, broker: Broker, seats: tuple[Seat, ...]) -> None:
        self._news = threading.Condition()
        self._mark, self._marked = b"none", 0
        self.wire = Wire()
        self.inbox = Inbox()
        self.handsets: dict[Seat, HandsetLink] = {}
        keys, ticks = KeyPair.create(), itertools.count()
        who = broker.credential(Role.REFEREE, keys)
        self.referee = RefereeLink(who, on_value=self.inbox, clock=lambda: float(next(ticks)))  # nobody is in a hurry
        self._listen(self.referee, public=False)
        self.referee.start()
        self.referee.publish_info(info("g1"))
        pairing = SeatPairing(broker.address, BOARD, keys.public)
        for seat in seats:
            own = KeyPair.create()
            grant = pairing.grant(seat, own.public)
            broker.admit(grant)
            self.referee.pair(seat, own.public)
            link = HandsetLink(grant.credential.with_keys(own), on_value=lambda value: None, patience_s=600)
            self._listen(link, public=seat is seats[0])
            self.handsets[seat] = link
            link.start()
        for seat in seats:
            self.inbox.wait(FromSeat, lambda value, seat=seat: value.seat is seat)  # type: ignore[misc]  # its hello
        self.everybody_hears()
        self.wire = Wire()

    def play(self, table: Storm, ranks: Ranks) -> Wire:
        """Play the same inputs with these ranks. Returns what was heard."""
        told = table.table.info()
        fresh = Table(TableSettings("t1", "g1", table.rules, told.mode, told.reveal, secret=Hidden(SECRET)))
        origin = {square.name: piece for square, piece in table.table._state.origins.items()}
        for said in table.inputs:
            what = _translated(table, said, ranks, origin)
            if isinstance(what, SeatSays) and what.seat in self.handsets:  # others cannot speak on the wire
                self.say(what.seat, what.message)
            self.carry_out(put_in(fresh, Said(what, said.now_ms)), fresh)
        for seat, link in self.handsets.items():
            link.send(Ready(id=f"the-end-of-{seat.value}"))
            self.inbox.wait(FromSeat, lambda value, seat=seat: value.message.id == f"the-end-of-{seat.value}")  # type: ignore[misc]
        wire = self.wire
        self.everybody_hears()
        return Wire([line for line in wire.public if _MARK not in line[1]], wire.sealed, wire.deadlines)

    def everybody_hears(self) -> None:
        """Publish a state of its own, and wait until every handset has taken it, and so everything before it."""
        self._mark = f'"seq":{next(_MARKS)},'.encode()
        self._marked = 0
        self.referee.publish_state(view(int(self._mark[6:-1])))
        with self._news:
            assert self._news.wait_for(lambda: self._marked == len(self.handsets), PATIENCE_S)

    def say(self, seat: Seat, message: FromHandset) -> None:
        """Let a seat say something, and wait until the broker has handed it on."""
        topic = address(Topic.SEAT_OUT, BOARD, seat)
        number = self.count(topic) + 1
        self.handsets[seat].send(message)
        self.settle(topic, number)

    def carry_out(self, step: Step, table: Table) -> None:
        """Let the referee say what a step says, in the order of its shell, and wait until the letters have been handed on."""
        letters = [letter for letter in step.letters if letter.seat in self.handsets]
        wanted = Counter(address(Topic.SEAT_IN, BOARD, letter.seat) for letter in letters)
        numbers = {topic: self.count(topic) + number for topic, number in wanted.items()}
        if step.info_changed:  # every handset says hello anew, and what it has no answer to
            outs = {
                address(Topic.SEAT_OUT, BOARD, seat): 1 + len(link._unanswered) for seat, link in self.handsets.items()
            }
            numbers_out = {topic: self.count(topic) + number for topic, number in outs.items()}
            self.referee.publish_info(table.info())
            for topic, number in numbers_out.items():
                self.settle(topic, number)
        for fact in step.facts:
            if fact.event is not None:
                self.referee.publish_event(fact.event)
        for letter in letters:
            self.referee.send(letter, table.view().ply)
        if step.view_changed:
            self.referee.publish_state(table.view())
        for topic, number in numbers.items():
            self.settle(topic, number)
        self.wire.deadlines.append(step.deadline_ms)

    def count(self, topic: str) -> int:
        """Count what was handed out on a sealed topic."""
        with self._news:
            return sum(number for (where, _), number in self.wire.sealed.items() if where == topic)

    def settle(self, topic: str, number: int) -> None:
        """Wait until so many payloads have been handed out on a topic."""
        with self._news:
            assert self._news.wait_for(lambda: self.count(topic) >= number, PATIENCE_S), topic

    def stop(self) -> None:
        """Send everybody home."""
        for link in self.handsets.values():
            link.stop()
        self.referee.stop()

    def _listen(self, link: HandsetLink | RefereeLink, public: bool) -> None:
        connection = link._connection
        take = connection._on_message

        def tapped(text: str, payload: bytes) -> None:
            take(text, payload)  # what is counted has been dealt with
            with self._news:
                if text.endswith(("/in", "/out")):
                    self.wire.sealed[text, len(payload)] += 1
                elif public and not text.endswith("/status"):  # it holds the number of the start, which is drawn anew
                    drawn = re.sub('"fresh":"[^"]*"', '"fresh":""', payload.decode())  # for each game anew
                    self.wire.public.append((text, masked(drawn)))
                self._marked += self._mark in payload
                self._news.notify_all()

        connection._on_message = tapped


def heard(broker: Broker, table: Storm, ranks: Ranks) -> Wire:
    """Play a recorded game on the wire, with these ranks."""
    lines = Lines(broker, tuple(table.rules.seats))
    try:
        return lines.play(table, ranks)
    finally:
        lines.stop()


def test_other_ranks_sound_the_same(broker: Broker) -> None:
    """Whole games at a real broker, with the ranks of pieces changed that were never shown in public: nobody outside can tell."""
    rows: list[Row] = []
    for number, (name, plies, mode, reveal) in enumerate(GAMES):
        table, ranks = a_game_with_a_swap(name, plies, mode, reveal, 7 * number + 1)
        first, other = heard(broker, table, ranks_of(table)), heard(broker, table, ranks)
        assert len(first.public) > 20
        alike = {
            "public bytes": first.public == other.public,
            "sizes and counts of letters": first.sealed == other.sealed,
            "deadlines": first.deadlines == other.deadlines,
        }
        sizes = {size for _, size in first.sealed}
        different = [what for what, same in alike.items() if not same]
        assert sizes == {SMALL_PAYLOAD, LARGE_PAYLOAD}
        said = (
            f"DIFFERENT: {', '.join(different)}"
            if different
            else "every public byte, letter size, count and deadline is the same"
        )
        rows.append((f"{name}, `{mode.value}`, `{reveal.value}`: ranks changed that nobody was shown", said))
    rows.append(("a rank changed that a verdict did show", noticed(broker)))
    hold("Equal by construction", rows)


def a_game_with_a_swap(name: str, plies: int, mode: Mode, reveal: Reveal, seed: int) -> tuple[Storm, Ranks]:
    """Return a game, and other ranks for its pieces, of which at least two differ."""
    for attempt in itertools.count(seed):
        table = played(rule_set(name), attempt, plies, mode, reveal)
        ranks = swapped(table, shown_in_public(table))
        if sum(ranks[piece] is not rank for piece, rank in ranks_of(table).items()) >= 2 and table.fights:
            return table, ranks
    raise AssertionError("counting has no end")


def noticed(broker: Broker) -> str:
    """Change the rank of a piece that was captured: the comparison has to see it."""
    for seed in itertools.count(1):
        table = played(rule_set("duel"), seed, 60, Mode.ENROL, Reveal.BOOK)
        ranks = ranks_of(table)
        captured = [piece for piece in table.captured_once if ranks[piece] is not Rank.MARSHAL]
        strong = [
            piece for piece in ranks if ranks[piece] is Rank.MARSHAL and captured and piece.seat is captured[0].seat
        ]
        if captured and strong:
            break
    changed = {**ranks, captured[0]: Rank.MARSHAL, strong[0]: ranks[captured[0]]}
    same = heard(broker, table, ranks).public == heard(broker, table, changed).public
    return "NOT NOTICED" if same else "noticed, so the comparison can tell"
