"""Gives a seat to a handset: a credential with a new password, and six digits that both screens show. Pure but for chance.

Does not do: tokens and letters (`lobby`, `handshake`), pages, and telling the broker (`Broker.admit`) and the link
(`RefereeLink.pair`).
"""

from __future__ import annotations

from dataclasses import dataclass

from referee.link import dynsec
from referee.link.credential import Address, Credential, PublicKey
from referee.link.topics import Role
from referee.rules.values import Seat


@dataclass(frozen=True, slots=True)
class Grant:
    """A seat that was given away: the handset's credential (its own key pair is the handset's to add), its key, and the digits."""

    seat: Seat
    credential: Credential
    handset_key: PublicKey
    digits: str


@dataclass(frozen=True, slots=True)
class Pairing:
    """What a referee needs to give seats away: where its broker listens for handsets, its board, its key."""

    address: Address
    board: str
    referee_key: PublicKey

    def grant(self, seat: Seat, handset_key: PublicKey, digits: str = "") -> Grant:
        """Give a seat to the handset with this key, with a password that was never used before."""
        user = dynsec.user_name(self.board, Role.HANDSET, seat)
        credential = Credential(
            Role.HANDSET, user, dynsec.new_password(), self.address, self.board, seat=seat, peer=self.referee_key
        )
        return Grant(seat, credential, handset_key, digits)
