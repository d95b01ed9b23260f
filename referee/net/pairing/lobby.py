"""Invitations to seats: secrets that work once and for two minutes, as a link or as a code to type. Pure but for chance.

    lobby = Lobby(seats)
    invitation = lobby.invite(Seat.RED, now_s)
    link = join_url("http://192.168.1.20:8080", invitation, keys.public)
    nonce = lobby.begin(token, commitment, now_s)      # the first letter of `handshake`; from now on it is that handset's
    taken = lobby.redeem(token, sealed, now_s)         # the third; raises JoinError after that

A link looks like `http://HOST:PORT/join#SECRET&FINGERPRINT`, with `&CERTIFICATE` (the SHA-256 of what the broker shows) where the
broker speaks TLS. What stands behind `#` is sent to nobody: the page or program that
opens the link reads it there. Who cannot scan types the code instead, six signs that cannot be mistaken for each other; a link with
the code alone, `http://HOST:PORT/join#CODE`, does for a terminal.
"""

from __future__ import annotations

import re
import secrets
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from referee.net.broker.access import Grant, SeatPairing
from referee.net.credential import KeyPair, PublicKey, write_base64
from referee.net.errors import JoinError
from referee.net.pairing import handshake
from referee.rules.values import Seat

TOKEN_LIFE_S = 120.0
CODE_SIGNS = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
"""Digits and capitals without 0 1 I L O: 31 to the 6th are 887 million codes."""
CODE_LENGTH = 6
WRONG_TRIES, WRONG_TRIES_IN_ALL = 60, 6000
WRONG_TRIES_S = 60.0
"""After so many unknown tokens of one address in this time codes are not taken from it until some time has passed, after so many in all
from nobody; links, which nobody can guess, are. Who tries keeps out himself alone; a hundred addresses guess a code with a chance of 1 in
70,000 while it is worth anything.
"""
_REMEMBERED = 64
_SECRET = re.compile(r"[A-Za-z0-9_-]{16,64}")
_CODE = re.compile(f"[{CODE_SIGNS}]{{{CODE_LENGTH}}}")
_FINGERPRINTS = re.compile(r"([0-9a-f]{32})(?:&([0-9a-f]{64}))?")


def new_secret() -> str:
    """Return the secret of a link: 128 bits."""
    return secrets.token_urlsafe(16)


def new_code() -> str:
    """Return a code to type: almost 30 bits, enough for two minutes of `WRONG_TRIES_IN_ALL`."""
    return "".join(secrets.choice(CODE_SIGNS) for _ in range(CODE_LENGTH))


@dataclass(frozen=True, slots=True)
class Invitation:
    """A seat that is offered, by a link's secret and by a code, until `ends_s` on the clock that was passed in."""

    seat: Seat
    secret: str = field(repr=False)
    code: str = field(repr=False)
    ends_s: float

    @property
    def spelt_code(self) -> str:
        """Return the code as it is shown: two groups of three."""
        return f"{self.code[:3]} {self.code[3:]}"


@dataclass(frozen=True, slots=True)
class Taken:
    """A seat that was redeemed: the handset's key, and both nonces for the digits."""

    seat: Seat
    handset_key: PublicKey
    referee_nonce: bytes
    handset_nonce: bytes


@dataclass(slots=True)
class _Offer:
    """An invitation with its two tokens, and the handset that has begun to take it."""

    invitation: Invitation
    link: handshake.SecretKeys
    code: handshake.SecretKeys
    begun: tuple[str, bytes] | None = None
    nonce: bytes = b""

    def key(self, token: str) -> bytes:
        return self.link.key if token == self.link.token else self.code.key


class Lobby:
    """Which seats are offered. At most one invitation a seat. Not safe for several threads at once."""

    def __init__(
        self,
        seats: Iterable[Seat],
        life_s: float = TOKEN_LIFE_S,
        make_secret: Callable[[], str] = new_secret,
        make_code: Callable[[], str] = new_code,
        random: Callable[[int], bytes] = secrets.token_bytes,
    ) -> None:
        self.seats = tuple(seats)
        self._life_s = life_s
        self._make_secret, self._make_code, self._random = make_secret, make_code, random
        self._open: dict[Seat, _Offer] = {}
        self._spent: deque[tuple[str, str]] = deque(maxlen=_REMEMBERED)
        self._wrong: deque[tuple[float, str]] = deque()
        """When unknown tokens came, and from which address."""
        self._wrong_of = Counter[str]()

    @property
    def invitations(self) -> tuple[Invitation, ...]:
        """Return the invitations that were not redeemed or withdrawn; some may have run out."""
        # a list in one step: seats are taken on other threads
        return tuple(offer.invitation for offer in list(self._open.values()))

    @property
    def spent(self) -> int:
        """Count the codes that were used up and are remembered."""
        return len(self._spent)

    def invite(self, seat: Seat, now_s: float) -> Invitation:
        """Offer a seat; an earlier invitation to it is worth nothing from now on."""
        assert seat in self.seats
        self.withdraw(seat)
        invitation = Invitation(seat, self._make_secret(), self._make_code(), now_s + self._life_s)
        self._open[seat] = _Offer(
            invitation, handshake.secret_keys(invitation.secret), handshake.secret_keys(invitation.code)
        )
        return invitation

    def withdraw(self, seat: Seat) -> None:
        """Offer a seat no more."""
        if seat in self._open:
            self._spend(self._open[seat], "token-expired")

    def begin(self, token: str, commitment: bytes, now_s: float, address: str = "") -> bytes:
        """Return the referee's nonce to the first handset that brings this token; the same handset may ask again.

        Raises `JoinError`: `token-unknown`, `token-used`, `token-expired` or `too-many-tries`.
        """
        offer = self._find(token, now_s, address)
        if offer.begun is None:
            offer.begun, offer.nonce = (token, commitment), self._random(handshake.NONCE_BYTES)
        elif offer.begun != (token, commitment):
            raise JoinError("token-used")  # another nonce for another commitment would be another try at the digits
        return offer.nonce

    def redeem(self, token: str, sealed: bytes, now_s: float, address: str = "") -> Taken:
        """Return the seat to the handset that began with this token, and spend it.

        Raises `JoinError`: as `begin`, or `proof-wrong`, which spends nothing.
        """
        offer = self._find(token, now_s, address)
        if offer.begun is None or offer.begun[0] != token:
            raise JoinError("proof-wrong")
        key, nonce = handshake.open_claim(sealed, offer.key(token))
        if handshake.commitment(key, nonce) != offer.begun[1]:
            raise JoinError("proof-wrong")
        self._spend(offer, "token-used")
        return Taken(offer.invitation.seat, key, offer.nonce, nonce)

    def _find(self, token: str, now_s: float, address: str) -> _Offer:
        while self._wrong and now_s - self._wrong[0][0] >= WRONG_TRIES_S:
            self._wrong_of[(gone := self._wrong.popleft()[1])] -= 1
            if not self._wrong_of[gone]:
                del self._wrong_of[gone]
        takes_codes = self._wrong_of[address] < WRONG_TRIES and len(self._wrong) < WRONG_TRIES_IN_ALL
        for offer in self._open.values():
            if token == offer.link.token or (token == offer.code.token and takes_codes):
                if now_s < offer.invitation.ends_s:
                    return offer
                self._spend(offer, "token-expired")
                break
        if reason := dict(self._spent).get(token):
            raise JoinError(reason)
        if not takes_codes:
            raise JoinError("too-many-tries")
        self._wrong.append((now_s, address))
        self._wrong_of[address] += 1
        raise JoinError("token-unknown")

    def _spend(self, offer: _Offer, reason: str) -> None:
        del self._open[offer.invitation.seat]
        self._spent.extend(((offer.link.token, reason), (offer.code.token, reason)))


@dataclass(frozen=True, slots=True)
class JoinLink:
    """What a join link says: where the referee is, the secret, and the fingerprint of the referee's key (None with a typed code).

    `certificate`: the fingerprint of the certificate that the broker has to show; None where it shows none, and with a typed code.
    """

    host: str
    port: int
    secret: str = field(repr=False)
    fingerprint: str | None
    certificate: str | None = None


def join_url(base: str, invitation: Invitation, referee_key: PublicKey, certificate: str | None = None) -> str:
    """Return the link of an invitation; `base` is where the referee serves, like `http://192.168.1.20:8080`.

    `certificate` is the fingerprint of the broker's certificate, if it shows one (`Address.certificate_fingerprint`).
    """
    marks = [invitation.secret, referee_key.fingerprint, *([certificate] if certificate else [])]
    return f"{base}/join#{'&'.join(marks)}"


def read_code(text: str) -> str | None:
    """Return a code as it was typed, in its one form; None when that cannot be one. Case, blanks and hyphens do not matter."""
    code = re.sub(r"[\s-]", "", text).upper()
    return code if _CODE.fullmatch(code) else None


def read_join_url(url: str) -> JoinLink:
    """Read a join link, or an address with a code behind `#`; raises `JoinError` (`link-unreadable`)."""
    try:
        parts = urlsplit(url.strip())
        host, port = parts.hostname, parts.port or 80
    except ValueError:
        raise JoinError("link-unreadable") from None
    if parts.scheme != "http" or not host or parts.path not in ("/join", "/", "") or parts.query:
        raise JoinError("link-unreadable")
    secret, _, marks = parts.fragment.partition("&")
    if _SECRET.fullmatch(secret) and (found := _FINGERPRINTS.fullmatch(marks)):
        return JoinLink(host, port, secret, found[1], found[2])
    code = read_code(parts.fragment.replace("%20", " "))
    if code is None:
        raise JoinError("link-unreadable")
    return JoinLink(host, port, code, None)


# Answers the two requests of a pairing: the referee's half of `handshake`, with the lobby that knows the tokens; and who has a seat now.
#
# Does not do: HTTP, the broker. `admit` is called when a seat was taken, and tells the broker and the link; when it raises,
# nothing is given. Safe for several threads at once: no lock is held while `admit` runs, which may wait for the broker.


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
        pairing: SeatPairing,
        keys: KeyPair,
        admit: Callable[[Grant], None],
        holders: Callable[[], Mapping[Seat, str]] = dict,
    ) -> None:
        """`holders` gives the public key of each seat's handset, as text."""
        self._lobby, self._pairing, self._keys, self._admit, self._holders = lobby, pairing, keys, admit, holders
        self._lock = threading.Lock()
        self._given: dict[Seat, _Given] = {}
        self._thrown_off: set[str] = set()

    def invite(self, seat: Seat, now_s: float) -> Invitation:
        """Offer a seat, as `Lobby.invite` does."""
        with self._lock:
            return self._lobby.invite(seat, now_s)

    def withdraw(self, seat: Seat) -> None:
        """Offer a seat no longer."""
        with self._lock:
            self._lobby.withdraw(seat)

    def throw_off(self, seat: Seat) -> None:
        """Remember that the handset of a seat is kept out because it cost too much; it is told so when it asks."""
        self._thrown_off |= {self._holders().get(seat, "")}

    def answer(self, sent: object, now_s: float, address: str = "") -> dict[str, Any]:
        """Return the answer to a request's JSON value, which came from an address. Raises `JoinError`, and whatever `admit` raises."""
        if isinstance(sent, dict) and sorted(sent) == ["key", "seat"]:
            return {"holder": self._holder(sent["seat"], sent["key"])}
        if not isinstance(sent, dict) or not isinstance(sent.get("token"), str):
            raise JoinError("request-unreadable")
        match sorted(sent):
            case ["commitment", "token"]:
                commitment = handshake.letter_bytes(sent, "commitment", handshake.COMMITMENT_BYTES)
                with self._lock:
                    nonce = self._lobby.begin(sent["token"], commitment, now_s, address)
                return {"peer": self._keys.public.text, "nonce": write_base64(nonce)}
            case ["sealed", "token"]:
                return self._give(sent["token"], handshake.letter_bytes(sent, "sealed"), now_s, address)
            case _:
                raise JoinError("request-unreadable")

    def _holder(self, seat: object, key: object) -> str:
        """Return who has the seat of a handset that the broker refuses: `you`, `another`, `nobody`; or `too-much`: it was thrown off."""
        found = next((text for each, text in self._holders().items() if each.value == seat), None)
        if found is None:
            return "nobody"
        if found == key:
            return "too-much" if found in self._thrown_off else "you"
        return "another"

    def _give(self, token: str, sealed: bytes, now_s: float, address: str) -> dict[str, Any]:
        with self._lock:
            for given in self._given.values():
                if (given.token, given.sealed) == (token, sealed) and now_s < given.ends_s:
                    taken = None
                    break
            else:
                taken = self._lobby.redeem(token, sealed, now_s, address)
                given = self._given[taken.seat] = _Given(token, sealed, now_s + TOKEN_LIFE_S)
        if taken is not None:
            try:
                given.letter.set_result(self._let_in(taken))
            except BaseException as error:
                given.letter.set_exception(error)
                raise
        return given.letter.result()  # nobody but that handset can open it

    def _let_in(self, taken: Taken) -> dict[str, Any]:
        digits = handshake.six_digits(self._keys.public, taken.handset_key, taken.referee_nonce, taken.handset_nonce)
        grant = self._pairing.grant(taken.seat, taken.handset_key, digits)
        answer = {"credential": grant.credential.to_json(), "ws": self._pairing.page_url}
        letter = handshake.seal_answer(answer, self._keys, taken.handset_key)
        self._admit(grant)
        return letter
