"""Answers the two requests of a pairing: the referee's half of `handshake`, with the lobby that knows the tokens; and who has a seat now.

Does not do: HTTP, the broker. `admit` is called when a seat was taken, and tells the broker and the link; when it raises,
nothing is given. Safe for several threads at once: no lock is held while `admit` runs, which may wait for the broker.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from referee.net.broker.access import Grant, Pairing
from referee.net.credential import KeyPair, write_base64
from referee.net.errors import JoinError
from referee.net.pairing.handshake import COMMITMENT_BYTES, letter_bytes, seal_answer, six_digits
from referee.net.pairing.lobby import TOKEN_LIFE_S, Invitation, Lobby, Taken
from referee.rules.values import Seat


@dataclass(frozen=True, slots=True)
class _Given:
    """A seat's last letter once there is one, for the handset that says its own again because the answer was lost on the way."""

    token: str
    sealed: bytes
    ends_s: float
    letter: Future[dict[str, Any]] = field(default_factory=Future)


class Reception:
    """Offers seats and gives them away."""

    def __init__(
        self,
        lobby: Lobby,
        pairing: Pairing,
        keys: KeyPair,
        admit: Callable[[Grant], None],
        holders: Callable[[], Mapping[Seat, str]] = dict,
    ) -> None:
        """`holders` gives the public key of each seat's handset, as text."""
        self._lobby, self._pairing, self._keys, self._admit, self._holders = lobby, pairing, keys, admit, holders
        self._lock = threading.Lock()
        self._given: dict[Seat, _Given] = {}

    def invite(self, seat: Seat, now_s: float) -> Invitation:
        """Offer a seat, as `Lobby.invite` does."""
        with self._lock:
            return self._lobby.invite(seat, now_s)

    def withdraw(self, seat: Seat) -> None:
        """Offer a seat no longer."""
        with self._lock:
            self._lobby.withdraw(seat)

    def answer(self, sent: object, now_s: float) -> dict[str, Any]:
        """Give the answer to a request's JSON value. Raises `JoinError`, and whatever `admit` raises."""
        if isinstance(sent, dict) and sorted(sent) == ["key", "seat"]:
            return {"holder": self._holder(sent["seat"], sent["key"])}
        if not isinstance(sent, dict) or not isinstance(sent.get("token"), str):
            raise JoinError("request-unreadable")
        match sorted(sent):
            case ["commitment", "token"]:
                commitment = letter_bytes(sent, "commitment", COMMITMENT_BYTES)
                with self._lock:
                    nonce = self._lobby.begin(sent["token"], commitment, now_s)
                return {"peer": self._keys.public.text, "nonce": write_base64(nonce)}
            case ["sealed", "token"]:
                return self._give(sent["token"], letter_bytes(sent, "sealed"), now_s)
            case _:
                raise JoinError("request-unreadable")

    def _holder(self, seat: object, key: object) -> str:
        """Tell a handset that the broker refuses who has its seat now: `you`, `another` or `nobody`."""
        found = next((text for each, text in self._holders().items() if each.value == seat), None)
        if found is None:
            return "nobody"
        return "you" if found == key else "another"

    def _give(self, token: str, sealed: bytes, now_s: float) -> dict[str, Any]:
        with self._lock:
            for given in self._given.values():
                if (given.token, given.sealed) == (token, sealed) and now_s < given.ends_s:
                    taken = None
                    break
            else:
                taken = self._lobby.redeem(token, sealed, now_s)
                given = self._given[taken.seat] = _Given(token, sealed, now_s + TOKEN_LIFE_S)
        if taken is not None:
            try:
                given.letter.set_result(self._let_in(taken))
            except BaseException as error:
                given.letter.set_exception(error)
                raise
        return given.letter.result()  # nobody but that handset can open it

    def _let_in(self, taken: Taken) -> dict[str, Any]:
        digits = six_digits(self._keys.public, taken.handset_key, taken.referee_nonce, taken.handset_nonce)
        grant = self._pairing.grant(taken.seat, taken.handset_key, digits)
        address = grant.credential.address
        answer = {"credential": grant.credential.to_json(), "ws": f"ws://{address.host}:{address.ws_port}/mqtt"}
        letter = seal_answer(answer, self._keys, taken.handset_key)
        self._admit(grant)
        return letter
