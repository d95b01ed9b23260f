"""A value that must not be seen: it has no text form, cannot be pickled or compared, and is opened by name only.

A test walks the sources and lists who calls `open_hidden`: arbitration, and the two sealing modules that turn it into
ciphertext (`referee/net/sealing/sealing.py`, `referee/journal/sealing.py`).
"""

from __future__ import annotations

from typing import Generic, Never, TypeVar

T = TypeVar("T")


class Hidden(Generic[T]):
    """Holds a secret. `repr` is `?`; hashing, comparing, copying through pickle and iterating are refused."""

    __slots__ = ("__value",)

    def __init__(self, value: T) -> None:
        self.__value = value

    def open_hidden(self) -> T:
        """Return the secret itself. Only the rooms named above may call this."""
        return self.__value

    def __repr__(self) -> str:
        return "?"

    def __eq__(self, other: object) -> bool:
        raise TypeError("a hidden value cannot be compared")

    def __hash__(self) -> int:
        raise TypeError("a hidden value cannot be hashed")

    def __reduce__(self) -> Never:
        raise TypeError("a hidden value cannot be pickled")
