"""A table on a real broker: honest red, the referee, and a hostile blue with a seat of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count

from referee.net.credential import Address, Credential
from referee.net.topics.payloads import FromSeat, PeerFault, ToSeat
from referee.net.topics.topics import Topic, address
from referee.rules.hidden import Hidden
from referee.rules.values import Rank, Seat
from referee.table.messages import Accepted, Declare, Enrol, Hello, Letter, Question, QuestionKind, SeatState, Verdict
from referee.table.views import PublicView
from tests.net.hall import BOARD, Hall, Stranger, info, view
from tests.patience import PATIENCE_S

RED_IN = address(Topic.SEAT_IN, BOARD, Seat.RED)
RED_OUT = address(Topic.SEAT_OUT, BOARD, Seat.RED)
RED_PRESENCE = address(Topic.PRESENCE, BOARD, Seat.RED)
BLUE_IN = address(Topic.SEAT_IN, BOARD, Seat.BLUE)
BLUE_OUT = address(Topic.SEAT_OUT, BOARD, Seat.BLUE)
BLUE_PRESENCE = address(Topic.PRESENCE, BOARD, Seat.BLUE)
STATE = address(Topic.STATE, BOARD)
STATUS = address(Topic.STATUS, BOARD)
PUBLIC = frozenset(address(topic, BOARD) for topic in (Topic.STATUS, Topic.INFO, Topic.STATE, Topic.EVENT))
CANARIES = (b"lieutenant", b"infiltrator")
"""Long words: short ones come up in ciphertext by chance."""

Tap = list[tuple[str, bytes]]


class Scene:
    """A hall where red plays honestly. `tap` has every payload that red or the referee was given, as it came from the broker."""

    def __init__(self, hall: Hall) -> None:
        self.hall = hall
        self.numbers = count(1000)
        self.tap: Tap = []
        self.way_in: Address | None = None
        """Where hostile clients come in, if not at the broker's own listener."""
        self._tapped(hall.referee)
        hall.referee.publish_info(info())
        hall.referee.publish_state(view(1))
        self.red, self.inbox = hall.handset(hall.pair(Seat.RED))
        self._tapped(self.red)
        hall.inbox.wait(FromSeat, lambda value: isinstance(value.message, Hello))
        self.pair_blue()

    def pair_blue(self) -> None:
        """Pair blue with a new credential; faults counted against the earlier one are forgotten."""
        self.blue = self.hall.pair(Seat.BLUE)

    def hostile(self, **options: object) -> Stranger:
        """Return a client with blue's credential that may do anything, once the broker has admitted or refused it."""
        client = self.hall.stranger(self.by_way(self.blue), **options)
        assert client.settled.wait(PATIENCE_S)
        return client

    def by_way(self, credential: Credential) -> Credential:
        """Return a credential that comes in where hostile clients do."""
        return credential if self.way_in is None else replace(credential, address=self.way_in)

    def settle_an_attack(self) -> str:
        """Let red be asked, answer, hand in a set-up and hear the verdict; says how that went."""
        number = next(self.numbers)
        send = self.hall.referee.send
        question = Question(
            id=f"r{number}",
            question=number,
            kind=QuestionKind.DECLARE,
            ply=9,
            source="a4",
            target="a5",
            square="a4",
            choices=("lieutenant", "infiltrator"),
        )
        send(Letter(Seat.RED, Hidden(question)), 9)
        self.inbox.wait(ToSeat, lambda value: value.message.id == f"r{number}")
        self.red.send(Declare(id=f"red-{number}", question=number, rank=Rank.LIEUTENANT))
        self.red.send(Enrol(id=f"set-{number}", set_up={f"{file}1": Rank.LIEUTENANT for file in "abcdefghij"}))
        self.hall.inbox.wait(FromSeat, lambda value: value.message.id == f"set-{number}")
        for said in (f"red-{number}", f"set-{number}"):
            send(Letter(Seat.RED, Hidden(Accepted(id=f"a-{said}", re=said))), 9)
        verdict = Verdict(
            id=f"v{number}", question=number, ply=9, result="attacker-wins", own=Rank.LIEUTENANT, other=None
        )
        send(Letter(Seat.RED, Hidden(verdict)), 9)
        own, seen = {"a5": Rank.LIEUTENANT}, {"b5": Rank.INFILTRATOR}
        state = SeatState(id=f"s{number}", seat=Seat.RED, ply=9, ready=True, own=own, seen=seen)
        send(Letter(Seat.RED, Hidden(state)), 9)
        self.inbox.wait(ToSeat, lambda value: value.message.id == f"s{number}")
        assert self.inbox.of(PeerFault) == []
        return "red's attack was settled" if self.red.figures().connection.connects == 1 else "RED WAS PUSHED OFF"

    def close_with_a_sentinel(self, *clients: Stranger) -> int:
        """Publish a last public state; whoever has it has got everything that was for him before it. Gives its number."""
        number = next(self.numbers)
        self.hall.referee.publish_state(view(number))
        for client in clients:
            client.wait_for(STATE, b'"seq":%d,' % number)
        self.inbox.wait(PublicView, lambda value: value.seq == number)
        return number

    def faults_of(self, act: Callable[[], object]) -> list[str]:
        """Return the classes of the faults that the referee reported of blue during an act."""
        mark = len(self.hall.inbox.values)
        act()
        values = self.hall.inbox.values[mark:]
        return sorted({value.what for value in values if isinstance(value, PeerFault) and value.seat is Seat.BLUE})

    def _tapped(self, link: object) -> None:
        connection = link._connection  # type: ignore[attr-defined]  # one of our links
        take = connection._on_message

        def tapped(text: str, payload: bytes) -> None:
            self.tap.append((text, payload))
            take(text, payload)

        connection._on_message = tapped
