"""Who has a place at the door: how many in all, how many of one address, and who makes room when all are taken. Pure.

Whoever has not yet said what he wants *waits*. When no place is left, it is never a newcomer who is turned away while somebody waits: the
one that has waited longest goes. An honest browser says what it wants within milliseconds, so it is never the one.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field

MOST = 512
"""Connections at once."""
MOST_STRANGERS = 384
"""Of these, for addresses from which nobody has logged in or taken a seat; the others are kept free for who has."""
MOST_OF_STRANGER = 64
"""Of one such address: ten browsers with their usual six connections."""
MOST_OF_KNOWN = 192
MOST_WATCHING = 128
"""Streams that anybody may have without a name: the other connections are not theirs."""
MOST_KNOWN = 1024
"""So many known addresses are remembered; the one that has come least recently is forgotten."""


class Place:
    """One connection's place."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.is_taken = False


@dataclass(slots=True)
class _Address:
    waiting: OrderedDict[Place, None] = field(default_factory=OrderedDict)
    count: int = 0


class Places:
    """All places."""

    def __init__(self) -> None:
        self._addresses: dict[str, _Address] = {}
        self._known: OrderedDict[str, None] = OrderedDict()
        self.taken = self.refused = 0
        """How many are taken; how many were refused or had to make room."""

    def knows(self, address: str) -> bool:
        """Return whether somebody at this address has logged in or taken a seat."""
        return address in self._known

    def remember(self, address: str) -> None:
        """Somebody at this address has logged in or taken a seat."""
        self._known[address] = None
        self._known.move_to_end(address)
        if len(self._known) > MOST_KNOWN:
            self._known.popitem(last=False)

    def count(self, address: str) -> int:
        """Count the places of an address."""
        found = self._addresses.get(address)
        return 0 if found is None else found.count

    def come(self, place: Place) -> tuple[bool, Place | None]:
        """Take a place. Return whether there is one, and who has to go for it."""
        address, known = place.address, self.knows(place.address)
        goes = None
        if self.count(address) >= (MOST_OF_KNOWN if known else MOST_OF_STRANGER):
            goes = self._longest_waiting([address])
        elif self.taken >= MOST or (not known and self._strangers() >= MOST_STRANGERS):
            goes = self._longest_waiting([each for each in self._addresses if not self.knows(each)])
        else:
            self._take(place)
            return True, None
        self.refused += 1
        if goes is None:
            return False, None
        self.leave(goes)
        self._take(place)
        return True, goes

    def settle(self, place: Place) -> None:
        """It has said what it wants, and waits no longer."""
        if place.is_taken:
            self._addresses[place.address].waiting.pop(place, None)

    def wait(self, place: Place) -> None:
        """It has still to say what it wants, as a WebSocket that has opened."""
        if place.is_taken:
            self._addresses[place.address].waiting[place] = None

    def leave(self, place: Place) -> None:
        """It has gone; one that had to make room has left before."""
        if not place.is_taken:
            return
        place.is_taken = False
        found = self._addresses[place.address]
        found.waiting.pop(place, None)
        found.count -= 1
        self.taken -= 1
        if found.count == 0:
            del self._addresses[place.address]

    def _take(self, place: Place) -> None:
        found = self._addresses.setdefault(place.address, _Address())
        found.waiting[place] = None
        found.count += 1
        place.is_taken = True
        self.taken += 1

    def _strangers(self) -> int:
        return sum(each.count for name, each in self._addresses.items() if not self.knows(name))

    def _longest_waiting(self, addresses: list[str]) -> Place | None:
        """Return who has waited longest at that of the addresses where most wait."""
        most = max((self._addresses[name].waiting for name in addresses), key=len, default=None)
        return next(iter(most)) if most else None


class Watching:
    """Who has a stream that needs no name. Once all are taken, an address that has fewer is given one of the address that has most."""

    def __init__(self) -> None:
        self._of: dict[str, OrderedDict[Place, None]] = {}

    def come(self, place: Place) -> tuple[bool, Place | None]:
        """Take a stream. Return whether there is one, and whose oldest has to end for it."""
        own = len(self._of[place.address]) if place.address in self._of else 0
        goes = None
        if sum(map(len, self._of.values())) >= MOST_WATCHING:
            most = max(self._of.values(), key=len)
            if len(most) <= own + 1:  # both would only change places, and come back for it again and again
                return False, None
            goes = next(iter(most))
            self.leave(goes)
        self._of.setdefault(place.address, OrderedDict())[place] = None
        return True, goes

    def leave(self, place: Place) -> None:
        """It watches no longer; one that had to end has left before."""
        found = self._of.get(place.address, OrderedDict())
        found.pop(place, None)
        if not found:
            self._of.pop(place.address, None)
