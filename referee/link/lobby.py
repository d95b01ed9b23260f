"""Invitations to seats: tokens that work once and for two minutes, and the links that carry them. Pure but for chance.

    lobby = Lobby(seats)
    link = join_url("http://192.168.1.20:8080", lobby.invite(Seat.RED, now_s), keys.public)
    seat = lobby.redeem(token, now_s)          # once; raises JoinError after that

A link looks like `http://HOST:PORT/join#TOKEN&FINGERPRINT`. What stands behind `#` is sent to nobody: the page or program that
opens the link reads it there, posts the token, and holds the key that it gets against the fingerprint.
"""

from __future__ import annotations

import re
import secrets
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from referee.link.credential import PublicKey
from referee.link.errors import JoinError
from referee.rules.values import Seat

TOKEN_LIFE_S = 120.0
_REMEMBERED = 64
_TOKEN = re.compile(r"[A-Za-z0-9_-]{16,64}")
_FINGERPRINT = re.compile(r"[0-9a-f]{32}")


def new_token() -> str:
    """Give a token nobody can guess (128 bits)."""
    return secrets.token_urlsafe(16)


@dataclass(frozen=True, slots=True)
class Invitation:
    """A seat that is offered, until `ends_s` on the clock that was passed in."""

    seat: Seat
    token: str
    ends_s: float


class Lobby:
    """Which seats are offered, under which token. At most one invitation a seat. Not safe for several threads at once."""

    def __init__(
        self, seats: Iterable[Seat], life_s: float = TOKEN_LIFE_S, make_token: Callable[[], str] = new_token
    ) -> None:
        self.seats = tuple(seats)
        self._life_s = life_s
        self._make_token = make_token
        self._open: dict[str, Invitation] = {}
        self._spent: deque[tuple[str, str]] = deque(maxlen=_REMEMBERED)

    @property
    def invitations(self) -> tuple[Invitation, ...]:
        """Give the invitations that were not redeemed or withdrawn; some may have run out."""
        return tuple(self._open.values())

    def invite(self, seat: Seat, now_s: float) -> Invitation:
        """Offer a seat; an earlier invitation to it is worth nothing from now on."""
        assert seat in self.seats
        self.withdraw(seat)
        invitation = Invitation(seat, self._make_token(), now_s + self._life_s)
        self._open[invitation.token] = invitation
        return invitation

    def withdraw(self, seat: Seat) -> None:
        """Offer a seat no more."""
        for token in [token for token, invitation in self._open.items() if invitation.seat is seat]:
            del self._open[token]
            self._spent.append((token, "token-expired"))

    def redeem(self, token: str, now_s: float) -> Seat:
        """Give the seat that a token is for, and spend it. Raises `JoinError`: `token-unknown`, `token-used` or `token-expired`."""
        invitation = self._open.pop(token, None)
        if invitation is None:
            raise JoinError(dict(self._spent).get(token, "token-unknown"))
        late = now_s >= invitation.ends_s
        self._spent.append((token, "token-expired" if late else "token-used"))
        if late:
            raise JoinError("token-expired")
        return invitation.seat


@dataclass(frozen=True, slots=True)
class JoinLink:
    """What a join link says: where the referee is, the token, and the fingerprint of the referee's key."""

    host: str
    port: int
    token: str
    fingerprint: str


def join_url(base: str, invitation: Invitation, referee_key: PublicKey) -> str:
    """Give the link of an invitation; `base` is where the referee serves, like `http://192.168.1.20:8080`."""
    return f"{base}/join#{invitation.token}&{referee_key.fingerprint}"


def read_join_url(url: str) -> JoinLink:
    """Read a join link; raises `JoinError` (`link-unreadable`)."""
    try:
        parts = urlsplit(url.strip())
        host, port = parts.hostname, parts.port or 80
    except ValueError:
        raise JoinError("link-unreadable") from None
    token, _, fingerprint = parts.fragment.partition("&")
    fits = _TOKEN.fullmatch(token) and _FINGERPRINT.fullmatch(fingerprint)
    if parts.scheme != "http" or not host or parts.path != "/join" or parts.query or not fits:
        raise JoinError("link-unreadable")
    return JoinLink(host, port, token, fingerprint)
