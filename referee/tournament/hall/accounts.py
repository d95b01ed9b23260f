"""Arbiters: their names, roles and passwords, in a file; who is logged in; how often one may try.

Passwords are kept as scrypt hashes (RFC 7914, N = 16384, r = 8, p = 1, a salt of 16 bytes each). A session is 32 random bytes in
a cookie; the station remembers its hash alone, and forgets all of them when it ends.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import os
import secrets
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any

from referee.net.credential import read_base64, write_base64
from referee.private_file import write_private


class AccountError(Exception):
    """An account cannot be made, or is not there. Its text is one sentence, without passwords; `word` is stable, for the pages."""

    def __init__(self, text: str, word: str = "refused") -> None:
        super().__init__(text)
        self.word = word


class RefusedError(Exception):
    """It could not be done, and nothing was changed.

    `word` is stable, for the page; `about` is the number or name that its sentence is about; the text is English and says more.
    `changes` is what others did meanwhile, as the event's log has it.
    """

    def __init__(self, word: str, text: str = "", about: str = "", changes: Sequence[Mapping[str, Any]] = ()) -> None:
        super().__init__(text or word)
        self.word, self.about, self.changes = word, about, changes


SESSION_S = 12 * 3600.0
SHORTEST, LONGEST = 8, 200
TRIES, FIRST_WAIT_S, LONGEST_WAIT_S = 5, 15.0, 900.0
"""So many wrong passwords in a row for one name, or from one address, then none is looked at for a while, doubled each time."""
HASHES_AT_ONCE, HASH_PATIENCE_S = 2, 5.0
"""So many passwords are hashed at once, 16 MiB each; others wait so long for their turn."""
_COST, _BLOCK, _LANES, _MEMORY = 2**14, 8, 1, 64 * 1024 * 1024
LEAST_NICE = 10


def _yield() -> None:
    """Lower this thread's priority: hundreds of password attempts must not slow the hall's games (Linux has priorities
    per thread).
    """
    thread = threading.get_native_id()
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, thread, max(LEAST_NICE, os.getpriority(os.PRIO_PROCESS, thread)))


_hashers = ThreadPoolExecutor(HASHES_AT_ONCE, "hash", _yield)
"""The same few threads: the C library keeps the 16 MiB of a hash for the thread that had them, and answers come from many."""
_SALT_BYTES = 16
_MOST_REMEMBERED = 4096


class Role(Enum):
    """What an account may do: a chief everything, an arbiter rule at tables, a screen look from afar."""

    CHIEF = "chief"
    ARBITER = "arbiter"
    SCREEN = "screen"


@dataclass(frozen=True, slots=True)
class Session:
    """Somebody who is logged in."""

    name: str
    role: Role
    ends_s: float
    mark: str = ""
    """The account's (`Accounts.mark`) when it began."""

    @property
    def may_rule(self) -> bool:
        """Return whether it is an arbiter's; a screen's may only look."""
        return self.role is not Role.SCREEN


class Accounts:
    """The file of accounts (0600). Safe to use from any thread."""

    def __init__(self, path: Path) -> None:
        """Read the file; without one there are no accounts yet. Raises `AccountError`."""
        self._path = path
        self._lock = threading.Lock()
        self._kept = _load(path)
        self._read_at = _changed(path)

    @property
    def names(self) -> dict[str, Role]:
        """Return the accounts' names with their roles."""
        with self._lock:
            self._read_again()
            return {name: Role(kept["role"]) for name, kept in self._kept.items()}

    def put(self, name: str, role: Role, password: str) -> None:
        """Make an account, or give it another role and password. Raises `AccountError`."""
        if not name.isprintable() or not name.strip() or name != name.strip() or len(name) > 40:
            raise AccountError("a name is one line of 1 to 40 characters", "account-name")
        if not SHORTEST <= len(password) <= LONGEST:
            raise AccountError(f"a password has {SHORTEST} to {LONGEST} characters", "account-password")
        salt = secrets.token_bytes(_SALT_BYTES)
        try:
            hashed = _hash(password, salt)
        except UnicodeEncodeError:
            raise AccountError("a password is text in UTF-8", "account-password") from None
        with self._lock:
            self._read_again()
            self._kept[name] = {"role": role.value, "salt": write_base64(salt), "hash": write_base64(hashed)}
            self._write()

    def set_role(self, name: str, role: Role) -> None:
        """Change the role of an account; its password stays. Raises `AccountError`."""
        with self._lock:
            self._kept[name] = {**self._known(name), "role": role.value}
            self._write()

    def remove(self, name: str) -> None:
        """Take an account away. Raises `AccountError`."""
        with self._lock:
            self._known(name)
            del self._kept[name]
            self._write()

    def check(self, name: str, password: str) -> Role | None:
        """Return the role if the password is right, else None; an unknown name takes as long as a wrong password."""
        kept = self._look(name)
        salt = read_base64(kept["salt"]) if kept else bytes(_SALT_BYTES)
        hashed = _hash(password[: LONGEST + 1], salt)
        if kept is None or not hmac.compare_digest(hashed, read_base64(kept["hash"])):
            return None
        return Role(kept["role"])

    def mark(self, name: str) -> str:
        """Return a text that changes with the account's role or password; empty for an unknown account."""
        kept = self._look(name)
        return "" if kept is None else f"{kept['role']} {kept['salt']} {kept['hash']}"

    def _look(self, name: str) -> dict[str, str] | None:
        with self._lock:
            self._read_again()
            return self._kept.get(name)

    def _known(self, name: str) -> dict[str, str]:
        self._read_again()
        if name not in self._kept:
            raise AccountError(f"there is no account {name!r}", "no-such-account")
        return self._kept[name]

    def _read_again(self) -> None:
        if (changed := _changed(self._path)) != self._read_at:  # `hallmarshal station account` was used meanwhile
            self._read_at = changed
            with contextlib.suppress(AccountError):  # a file that is damaged changes nobody's account
                self._kept = _load(self._path)

    def _write(self) -> None:
        try:
            write_private(self._path, json.dumps(self._kept, indent=1) + "\n")
        except OSError as error:
            raise AccountError(f"{self._path}: {error.strerror}") from None
        self._read_at = _changed(self._path)


class Tries:
    """Counts failed attempts in a row per key and refuses further ones for a while. Safe from any thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._wrong: dict[str, tuple[int, float]] = {}
        self._lock = threading.Lock()

    def take(self, *keys: str) -> bool:
        """Count an attempt for each of these keys before it is looked at. Returns whether it is allowed; else nothing
        is counted.
        """
        with self._lock:
            now_s = self._clock()
            if any(self._wrong.get(key, (0, 0.0))[1] > now_s for key in keys):
                return False
            for key in keys:
                count, until_s = self._wrong.pop(key, (0, 0.0))
                count += 1
                if count % TRIES == 0:
                    until_s = now_s + min(LONGEST_WAIT_S, FIRST_WAIT_S * 2 ** (count // TRIES - 1))
                self._wrong[key] = (count, until_s)
            while len(self._wrong) > _MOST_REMEMBERED:
                self._wrong.pop(next(iter(self._wrong)))
            return True

    def forget(self, *keys: str) -> None:
        """Clear the count of these keys, after a right attempt."""
        with self._lock:
            for key in keys:
                self._wrong.pop(key, None)


class FirstChief:
    """Makes the first chief of a hall that has none, for whoever has the code that was printed where the hall was opened. Safe from any
    thread.

    Guesses count for the one who makes them and for all together: 31 to the 6th codes last, at five guesses in `LONGEST_WAIT_S`.
    """

    def __init__(self, accounts: Accounts, code: str = "", tries: Tries | None = None) -> None:
        """Without a code there is no such way."""
        self._accounts, self._code, self._tries = accounts, code, tries or Tries()
        self._lock = threading.Lock()

    @property
    def is_awaited(self) -> bool:
        """Return whether the code would make a chief: it was not used, and nobody has become one otherwise."""
        return self._code != "" and Role.CHIEF not in self._accounts.names.values()

    def make(self, wanted: Mapping[str, Any], address: str) -> str:
        """Make the account (`code`, `name`, `password`) and return its name; from then on the code is worth nothing.

        Raises `RefusedError`: `wrong-code`, `wait`, and what an account cannot be made of.
        """
        name, password, keys = wanted.get("name"), wanted.get("password"), ("first chief", f"first chief {address}")
        if not isinstance(name, str) or not isinstance(password, str):
            raise RefusedError("not-understood")
        with self._lock:
            if not self._tries.take(*keys):
                raise RefusedError("wait")
            code = str(wanted.get("code", "")).strip().upper()
            if not self.is_awaited or not hmac.compare_digest(code.encode(errors="replace"), self._code.encode()):
                raise RefusedError("wrong-code")
            self._tries.forget(*keys)
            if name in self._accounts.names:  # an arbiter's stays his
                raise RefusedError("account-name")
            try:
                self._accounts.put(name, Role.CHIEF, password)
            except AccountError as error:
                raise RefusedError(error.word, str(error)) from None
            self._code = ""
        return name


class Sessions:
    """Open sessions. Safe to use from any thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._open: dict[bytes, Session] = {}

    def begin(self, name: str, role: Role, mark: str = "") -> str:
        """Begin a session of `SESSION_S` seconds. Returns its secret; the oldest session goes when there are too many."""
        secret = secrets.token_urlsafe(32)
        now_s = self._clock()
        with self._lock:
            self._open = {key: kept for key, kept in self._open.items() if kept.ends_s > now_s}
            if len(self._open) >= _MOST_REMEMBERED:
                self._open.pop(next(iter(self._open)))
            self._open[_mark(secret)] = Session(name, role, now_s + SESSION_S, mark)
        return secret

    def find(self, secret: str) -> Session | None:
        """Return the session of a secret, None for an unknown or expired one."""
        with self._lock:
            found = self._open.get(_mark(secret))
        return found if found is not None and found.ends_s > self._clock() else None

    def end(self, secret: str) -> None:
        """Forget a session."""
        with self._lock:
            self._open.pop(_mark(secret), None)


def _changed(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def _mark(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()


def _hash(password: str, salt: bytes) -> bytes:
    hashing = partial(hashlib.scrypt, salt=salt, n=_COST, r=_BLOCK, p=_LANES, maxmem=_MEMORY, dklen=32)
    return _hashers.submit(hashing, password.encode()).result()


def _load(path: Path) -> dict[str, dict[str, str]]:
    try:
        found: Any = json.loads(path.read_text())
        kept = {
            str(name): {"role": Role(one["role"]).value, "salt": str(one["salt"]), "hash": str(one["hash"])}
            for name, one in found.items()
        }
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise AccountError(f"{path}: the accounts cannot be read") from None
    return kept
