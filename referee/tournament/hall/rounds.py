"""An event at the boards: its tables are told who plays, and what comes of their games becomes results. Safe for any thread.

The station remembers nothing of this: which pairing a board plays stands in its `pub/status`, results stand in the store. So a station
that was killed, or a table that was reset, is set right by looking again.

Apart from the station, which has it only where an event is played; both in one file would be too long to read.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from referee.net.topics.payloads import Act, ArbiterAck, Assign, BeginGame, Occasion, Played
from referee.rules.outcomes import EndReason
from referee.rules.values import Seat
from referee.table.arbiter_commands import STALE, EndGame, SetHallClock
from referee.table.views import GameEnd, Phase
from referee.tournament.event import acts
from referee.tournament.event import event as model
from referee.tournament.event.reports import (
    entries_from_csv,
    event_as_told,
    exported,
    pairings_from_trf,
    read_trf,
    round_as_told,
    standings_as_told,
)
from referee.tournament.hall.accounts import RefusedError, Role, Session
from referee.tournament.hall.lists import bad_file, is_trf, text_of
from referee.tournament.hall.tables import HallTable, HallTables, Json
from referee.tournament.store import LogEntry, Note, StaleError, Store, Stored

_log = logging.getLogger(__name__)

AGAIN_S = 5.0
"""A board that was told who plays and does not say so is told again after this."""
CHIEFS_ONLY = frozenset(acts.BY_NAME) - {"pair", "result", "check-in"} | {"clock", "import", "undo"}
_ENDS = {
    model.Result.RED_WINS: "red",
    model.Result.BLUE_WINS: "blue",
    model.Result.DRAW: "draw",
    model.Result.BOTH_LOSE: "both-lose",
}  # how a board is told; who stayed away has no game that could end so, it is broken off
_DRAWN = ("agreed", "both-immobile", "no-progress", "hall-clock", "ruled")
_TRIES = 8

Send = Callable[[str, str, Act], ArbiterAck]
"""Sends an order to a board about a game and waits for its answer; raises `RefusedError`."""


class Rounds:
    """One event of a store, and the hall that plays it."""

    def __init__(
        self,
        store: Store,
        event_id: model.EventId,
        tables: HallTables,
        send: Send,
        tell: Callable[[str, Json], None] = lambda name, what: None,
        clock: Callable[[], float] = time.monotonic,
        starts_games: bool = False,
        claimed: Callable[[Collection[int]], Collection[int]] = lambda own: (),
        shared: Callable[[Collection[int]], bool] = lambda own: False,
    ) -> None:
        """`tell` publishes what everybody may know; with `starts_games` boards begin as soon as they are told who plays.

        `claimed` returns the hall's tables at which other events play, of one that has these as its own; `shared` returns
        whether one that names these would play at another one's.
        """
        self._store, self._event_id = store, event_id
        self._tables, self._send_order, self._tell, self._clock = tables, send, tell, clock
        self._starts_games, self._claimed, self._shared = starts_games, claimed, shared
        self._lock = threading.RLock()
        self._known: Stored | None = None
        self._round_clock = RoundClock(send, clock)
        self._told: dict[str, tuple[Occasion, float]] = {}
        self._doubles: dict[tuple[int, int], model.Result] = {}
        """(round, table) -> what the board says, where the store has another result."""
        self._stuck: dict[str, str] = {}
        """Board -> why it does not play what the round wants of it: `result-noted` (its game goes on although), `other-game`."""

    @property
    def name(self) -> str:
        """Return the event's name as on papers."""
        return self._load().event.name

    @property
    def listed(self) -> tuple[int, ...]:
        """Return the hall's tables that the event names as its own; none where its table 1 is the hall's."""
        return self._load().event.tables

    def _board(self, event: model.Event, table: int) -> str:
        """Return the board at which a table of the event plays; empty where the hall has none for it."""
        own = event.tables
        number = table if not own else own[table - 1] if table <= len(own) else 0
        return "" if number in self._claimed(own) else self._tables.boards.get(number, "")

    # ---- what pages show

    def kept(self) -> Stored:
        """Return the event as it is in the store now."""
        return self._load()

    def event(self) -> Json:
        """Return the event as an arbiter's page shows it."""
        kept = self._load()
        event = kept.event
        return {
            **event_as_told(event),
            "revision": kept.revision,
            "tie_break_words": [tie_break.value for tie_break in model.TieBreak],
            "doubles": [
                {"round": round_, "table": table, "says": result.value}
                for (round_, table), result in sorted(self._doubles.items())
            ],
            "playing": self._playing(event),
            "stuck": [
                {"table": table, "why": self._stuck[board]}
                for pairing in (event.rounds[-1].pairings if event.rounds else ())
                for table, board in ((pairing.table, self._board(event, pairing.table)),)
                if board in self._stuck
            ],
        }

    def log(self, since: int = 0) -> list[Json]:
        """Return who did what and why, oldest first, after a revision."""
        event, log = self._load().event, self._store.log(self._event_id, since)
        return [entry.as_told() | ({} if self._may_be_undone(event, entry) else {"undoable": False}) for entry in log]

    def close(self) -> None:
        """Forget its tables: the event is played here no longer."""
        with self._lock:
            self._tables.tell_stuck({}, self._stuck)
            self._stuck = {}

    def exported(self, form: str) -> str:
        """Return the event's text as `trf` or `csv`."""
        return exported(self._load().event, form)

    # ---- what arbiters do

    def act(self, who: Session, name: str, revision: int, given: Mapping[str, Any]) -> Json:
        """Do one act on the event as it was at `revision`. Raises `RefusedError` (`not-allowed`, `stale`, `refused`, ...)."""
        if not who.may_rule or (who.role is not Role.CHIEF and name in CHIEFS_ONLY):
            raise RefusedError("not-allowed", "only the chief arbiter may do that")
        if name not in CHIEFS_ONLY | acts.BY_NAME.keys():
            raise RefusedError("not-understood")
        with self._lock:
            kept = self._load()
            if revision > kept.revision or (
                revision < kept.revision and not _commutes(name, given, self._store.log(self._event_id, revision))
            ):
                raise RefusedError(STALE, changes=self.log(revision))
            try:
                changed = self._done(kept, name, given, Note(who.name, " ".join(str(given.get("why", "")).split())))
            except StaleError:
                raise RefusedError(STALE, changes=self.log(kept.revision)) from None
            except model.TrfError as error:
                raise bad_file(error) from None
            except model.ActError as error:
                if (name, error.word) == ("pair", "no-round"):
                    raise RefusedError("only-forbidden", str(error)) from None
                raise RefusedError(error.word, str(error), error.about) from None
            except model.EventError as error:
                raise RefusedError("bad-value", str(error)) from None
            except (KeyError, TypeError, ValueError, OverflowError):
                raise RefusedError("not-understood") from None
            if changed.revision != kept.revision:
                what = {key: given[key] for key in ("round", "table", "result") if key in given}
                _log.info("%s by %s: revision %d, %s", name, who.name, changed.revision, what)
            if name == "correct":
                self._doubles.pop((acts.whole(given, "round"), acts.whole(given, "table")), None)
            for table in (acts.whole(given, key) for key in _MOVED.get(name, ())):
                self._seat_anew(changed.event, table)
            if name in ("result", "correct") and who.role is Role.CHIEF:
                self._end_game(changed.event, acts.whole(given, "round"), acts.whole(given, "table"), who.name)
        self.publish()
        self.look()
        return self.event()

    def _done(self, kept: Stored, name: str, given: Mapping[str, Any], note: Note) -> Stored:
        """Do one act and keep it; return what is kept then."""
        if name == "undo":
            number = acts.whole(given, "entry")
            for entry in self._store.log(self._event_id, number - 1)[:1]:
                self._refuse_undo(kept.event, entry.note)
        elif given.get("result", "") is None:
            self._refuse_if_over(kept.event, acts.whole(given, "round"), acts.whole(given, "table"))
        elif name == "settings" and self._moves(kept.event, given):
            raise RefusedError("still-playing", "its tables stay while it is played at them")
        elif (
            name == "settings"
            and (own := tuple(given.get("tables", kept.event.tables))) != kept.event.tables
            and self._shared(own)
        ):
            raise RefusedError("same-tables", "two events would play at the same tables")
        if name not in _OWN:
            return self._store.act(self._event_id, kept.revision, name, given, note)
        changed, told = _OWN[name](kept.event, given)
        return self._store.save(changed, kept.revision, replace(note, **told))

    def _moves(self, event: model.Event, given: Mapping[str, Any]) -> bool:
        """Return whether games that are on would lose their tables."""
        return tuple(given.get("tables", event.tables)) != event.tables and bool(self._playing(event))

    def _refuse_undo(self, event: model.Event, note: Note) -> None:
        """Raise `RefusedError` where a result would go that the board itself would say again at once."""
        if note.act in _RESULTS:
            for round_number, table in _results_in(note):
                self._refuse_if_over(event, round_number, table)

    def _may_be_undone(self, event: model.Event, entry: LogEntry) -> bool:
        """Return whether an entry would not be said again at once by a board if it were taken back."""
        try:
            self._refuse_undo(event, entry.note)
        except RefusedError:
            return False
        return True

    def publish(self) -> None:
        """Publish the last round and the standings to everybody."""
        event = self._load().event
        if event.rounds:
            self._tell("round", round_as_told(event, event.rounds[-1], reasons=False))
        self._tell("standings", {"event": event.id.value, "standings": standings_as_told(event)})

    # ---- what boards say

    def look(self) -> None:
        """Note finished games, and assign players to boards that do not have them yet. Never raises for what a board
        does.
        """
        with self._lock:
            event = self._load().event
            if not event.rounds:
                return
            number = len(event.rounds)
            over: dict[int, GameEnd] = {}
            stuck: dict[str, str] = {}
            for pairing in event.rounds[-1].pairings:
                table = self._tables.look(self._board(event, pairing.table))
                if table is None or not table.up:
                    continue
                occasion = Occasion(event.id.value, number, pairing.table)
                players, played = _players(table), _played(table)
                if not _is_at(table, occasion):
                    if pairing.result is None and not self._assign(event, table, occasion):
                        stuck[table.board] = "other-game"
                elif played is not None and played.names == _names(event, occasion):
                    over[pairing.table] = played.end  # they play on for themselves
                elif players is None and played is None:
                    # one that has a game has begun: a station that comes back hears only by and by who plays it
                    if pairing.result is None and table.status is not None and not table.status.game:
                        self._begin_late(table, occasion)
                elif players != _names(event, occasion):  # they changed places while it could not be told
                    if pairing.result is None and not self._was_told(table, occasion):
                        self._seat_anew(event, pairing.table)
                elif (end := _end_of(table)) is not None:
                    over[pairing.table] = end
                else:
                    self._round_clock.look(table, event.rounds[-1].ends, _reason(occasion))
                    if pairing.result is not None and _is_on(table) and not self._was_told(table, occasion):
                        stuck[table.board] = "result-noted"
            changed = bool(over) and self._note_results(number, over)
            if stuck != self._stuck:
                self._tables.tell_stuck(stuck, {*stuck, *self._stuck})
                self._stuck, changed = stuck, True
        if changed:
            self.publish()

    def _note_results(self, number: int, over: Mapping[int, GameEnd]) -> bool:
        """Note the results of all finished games of a round in one act. Returns whether there is anything new to show."""
        for _ in range(_TRIES):
            kept, doubles = self._load(), dict(self._doubles)
            event = kept.event
            for place, end in over.items():
                result, known = result_of(end), event.rounds[number - 1].pairings[place - 1].result
                doubles.pop((number, place), None)
                if result is not None and known is None:
                    event = acts.record(event, number, place, result)
                elif result is not None and known is not result:
                    doubles[number, place] = result
            try:
                if event is not kept.event:
                    said = {str(place): result.value for place, end in over.items() if (result := result_of(end))}
                    new = {table: said[table] for table in said if not _noted(kept.event, number, int(table))}
                    given: Json = {"round": number, "tables": new}
                    if ruled := [int(table) for table in new if over[int(table)].reason == EndReason.RULED.value]:
                        given["ruled"] = ruled  # the board says it because an arbiter did
                    self._store.save(event, kept.revision, Note("station", "", "board-results", given))
                    _log.info("round %d: results of tables %s", number, new)
            except StaleError:
                continue  # somebody was quicker: look at what is there now
            changed = event is not kept.event or doubles != self._doubles
            self._doubles = doubles
            return changed
        return False

    def _seat_anew(self, event: model.Event, number: int) -> None:
        """Abort the game of a table whose players have changed, and assign the new ones."""
        table = self._tables.look(self._board(event, number))
        if table is None or not table.up:
            return  # it is told once it is there
        occasion = Occasion(event.id.value, len(event.rounds), number)
        self._tell_board(occasion, self._begin_anew, table, _names(event, occasion), occasion)

    def _begin_anew(self, table: HallTable, names: dict[Seat, str], occasion: Occasion) -> None:
        if self._knows(table, names, occasion) or not self._break_off(
            table, "abort", "players change places", "station"
        ):
            return
        if not self._knows(table, names, occasion):
            self._send(table, names, occasion)

    @staticmethod
    def _knows(table: HallTable, names: dict[Seat, str], occasion: Occasion) -> bool:
        """Return whether a table has begun the game that it was assigned."""
        return _is_at(table, occasion) and _players(table) == names

    def _end_game(self, event: model.Event, round_number: int, number: int, by: str) -> None:
        """End a table's unfinished game of the last round with the result noted for it."""
        result = event.rounds[round_number - 1].pairings[number - 1].result
        if result is not None and round_number == len(event.rounds) and number in self._playing(event):
            table = self._tables.look(self._board(event, number))
            assert table is not None
            occasion, how = Occasion(event.id.value, round_number, number), _ENDS.get(result, "abort")
            self._tell_board(occasion, self._break_off, table, how, f"result noted: {result.value}", by)

    def _break_off(self, table: HallTable, result: str, reason: str, by: str) -> bool:
        """End whatever game a table plays now. Returns whether it plays none any more."""
        game = table.view.game if table.view is not None else ""
        for _ in range(_TRIES):
            view = table.view
            if view is None or not _is_on(table):
                return True
            if view.game != game:
                return False  # another one has begun meanwhile: it is looked at again
            act = EndGame(id=secrets.token_hex(12), reason=reason, by=by, seq=view.seq, result=result)
            try:
                if self._send_order(table.board, view.game, act).done:
                    return self._tables.await_end(table.board, view.game, AGAIN_S)
            except RefusedError:
                return False  # no answer: it is looked at again
        return False

    def _playing(self, event: model.Event) -> list[int]:
        """Return the tables whose game of the last round is in progress."""
        found = []
        for pairing in event.rounds[-1].pairings if event.rounds else ():
            occasion = Occasion(event.id.value, len(event.rounds), pairing.table)
            table = self._tables.look(self._board(event, pairing.table))
            if table is not None and self._knows(table, _names(event, occasion), occasion) and _is_on(table):
                found.append(pairing.table)
        return found

    def _refuse_if_over(self, event: model.Event, round_number: int, number: int) -> None:
        """Raise `RefusedError` where the result to be removed is the board's own: it would be noted again at once."""
        if round_number != len(event.rounds):
            return
        occasion = Occasion(event.id.value, round_number, number)
        table = self._tables.look(self._board(event, number))
        if table is None or not _is_at(table, occasion):
            return
        played = _played(table)
        end = played.end if played is not None else _end_of(table)
        if end is not None and result_of(end) is not None:
            raise RefusedError("board-ended")

    def _assign(self, event: model.Event, table: HallTable, occasion: Occasion) -> bool:
        """Assign its players to a board. Returns False where the board plays a game outside the event.

        A game of an earlier round has its result, or this round would not be published: it is broken off.
        """
        assert table.status is not None
        before = table.status.occasion
        old = before is not None and table.status.played is None and before.event == occasion.event
        if _is_on(table) and not old:
            return False
        if not self._was_told(table, occasion):
            self._tell_board(occasion, self._begin_anew, table, _names(event, occasion), occasion)
        return True

    def _begin_late(self, table: HallTable, occasion: Occasion) -> None:
        """Order a board that has its players to begin its game: it was not ready, or the order or its answer was lost.

        Only this order is repeated. Assigning the players again would take a game that has just begun out of the event.
        """
        if self._starts_games and not _is_on(table) and not self._was_told(table, occasion):
            self._tell_board(occasion, self._begin, table, occasion)

    def _tell_board(self, occasion: Occasion, tell: Callable[..., object], table: HallTable, *what: object) -> None:
        """Start a thread that sends a board orders and waits for its answers."""
        self._told[table.board] = (occasion, self._clock())
        threading.Thread(target=tell, args=(table, *what), daemon=True).start()

    def _was_told(self, table: HallTable, occasion: Occasion) -> bool:
        """Return whether a board was sent this within the last `AGAIN_S` seconds, and so may still be doing it."""
        told, told_s = self._told.get(table.board, (None, 0.0))
        return told == occasion and self._clock() - told_s < AGAIN_S

    def _send(self, table: HallTable, names: dict[Seat, str], occasion: Occasion) -> None:
        """Send a board its players, and the order to begin where `starts_games` says so."""
        new = Assign(id=secrets.token_hex(12), reason=_reason(occasion), by="station", names=names, occasion=occasion)
        try:
            done = self._send_order(table.board, "", new).done
        except RefusedError:
            return  # no answer: it is looked at again
        if done and self._starts_games:
            self._begin(table, occasion)

    def _begin(self, table: HallTable, occasion: Occasion) -> None:
        """Order a board to begin the game whose players it knows."""
        try:
            for _ in range(_TRIES):  # players may still consent to what the archive keeps of the game before
                game, seq = (table.view.game, table.view.seq) if table.view is not None else ("", 0)
                begin = BeginGame(id=secrets.token_hex(12), reason=_reason(occasion), by="station", seq=seq)
                if self._send_order(table.board, game, begin).word != STALE:
                    return
        except RefusedError:
            pass  # no answer: it is looked at again

    def _load(self) -> Stored:
        with self._lock:
            self._known = self._store.load(self._event_id, self._known)
            return self._known


def result_of(end: GameEnd) -> model.Result | None:
    """Return the result of a game's end; None where an arbiter has to decide (broken off, unfinished)."""
    if end.winner is not None:  # an event has two players a table; another seat's win is none of theirs
        return {Seat.RED: model.Result.RED_WINS, Seat.BLUE: model.Result.BLUE_WINS}.get(end.winner)
    if end.reason == "both-lose":
        return model.Result.BOTH_LOSE
    return model.Result.DRAW if end.reason in _DRAWN else None


def _names(event: model.Event, occasion: Occasion) -> dict[Seat, str]:
    pairing = event.rounds[-1].pairings[occasion.table - 1]
    return {Seat.RED: event.player(pairing.red).name, Seat.BLUE: event.player(pairing.blue).name}


def _reason(occasion: Occasion) -> str:
    return f"{occasion.event}, round {occasion.round}, table {occasion.table}"


def _end_of(table: HallTable) -> GameEnd | None:
    """Return the end of the game that a table's status is about, None while it is played."""
    view, status = table.view, table.status
    return view.result if view is not None and status is not None and view.game == status.game else None


def _players(table: HallTable) -> Mapping[Seat, str] | None:
    """Return the players of the game that a table's status is about, None before it has begun."""
    info, status = table.info, table.status
    return info.names if info is not None and status is not None and info.game == status.game else None


def _played(table: HallTable) -> Played | None:
    """Return the finished game that a table's status reports, None where there is none."""
    return table.status.played if table.status is not None else None


def _is_on(table: HallTable) -> bool:
    """Return whether a table has a game in progress, from the set-up to before its end."""
    return table.view is not None and table.view.phase not in (Phase.LOBBY, Phase.FINISHED)


def _is_at(table: HallTable, occasion: Occasion) -> bool:
    return table.status is not None and table.status.occasion == occasion


def _commutes(name: str, given: Mapping[str, Any], log: Sequence[LogEntry]) -> bool:
    """Return whether an act means the same after all that was done meanwhile: who is here, and results of other tables.

    In a hall of many tables a result comes every minute; whoever corrects another one, or lets a player go, has not looked in vain.
    """
    if name in _WHATEVER_THE_RESULTS:
        return all(entry.note.act in ("check-in", *_RESULTS) for entry in log)
    if name not in ("result", "correct", "correct-seats", "swap-seats", "swap-boards"):
        return False
    mine = {(given.get("round"), given.get(key)) for key in ("table", "other")}
    return all(entry.note.act in ("check-in", *_RESULTS) and not mine & _results_in(entry.note) for entry in log)


def _results_in(note: Note) -> set[tuple[int, int]]:
    """Return of which tables, each with its round, an act has noted results."""
    round_number = note.given.get("round", 0)
    return {(round_number, int(table)) for table in note.given.get("tables", [note.given.get("table", 0)])}


_RESULTS = ("result", "correct", "board-results")
_WHATEVER_THE_RESULTS = frozenset(
    {"check-in", "enter", "edit", "withdraw", "reinstate", "bye", "correct-bye", "pair-free", "pair-rule"}
    | {"group", "team", "settings", "clock", "undo"}
)
"""Acts that name all they are about, and no result."""


def _noted(event: model.Event, round_number: int, table: int) -> bool:
    return event.rounds[round_number - 1].pairings[table - 1].result is not None


Own = tuple[model.Event, dict[str, Any]]
"""What an act of this room makes of an event, and what the log says of it."""


def _end(event: model.Event, given: Mapping[str, Any]) -> Own:
    """Set when the last round ends: in so many minutes from now, or not at all."""
    minutes, at_end = given["minutes"], model.AtEnd(given.get("at_end", model.AtEnd.ARBITER.value))
    changed = acts.set_end(event, None if minutes is None else ends_in(float(minutes), at_end, wall_ms()))
    return changed, {"act": "clock", "given": {"minutes": minutes, "at_end": at_end.value}}


def _import(event: model.Event, given: Mapping[str, Any]) -> Own:
    """Enter the players of a list, or take the next round's pairings from a TRF of this event."""
    text = text_of(given)
    if is_trf(text) and event.players:
        return acts.adopt(event, pairings_from_trf(event, read_trf(text))), {"act": "adopt", "given": {}}
    entries = entries_from_csv(text)
    told = {"act": "enter-all", "given": {"players": [{"name": entry.name} for entry in entries]}}
    if not event.rounds and not event.requested:
        return acts.enter_all(event, entries), told
    for entry in entries:
        event = acts.enter(event, entry)
    return event, told


_OWN: Mapping[str, Callable[[model.Event, Mapping[str, Any]], Own]] = {"clock": _end, "import": _import}
_MOVED: Mapping[str, tuple[str, ...]] = {"swap-seats": ("table",), "swap-boards": ("table", "other")}
"""Which tables have other players after an act."""


# The hall clock at the boards: each game of a round is told once how long the round goes on, and measures that itself.
#
# A table that has a hall clock already is left alone until the round's end is set anew: an arbiter may have given it some minutes more,
# and its own journal keeps its clock over a restart and while the link is cut.


MOST_MS = 24 * 3_600_000
"""More no table takes."""
CLOCK_AGAIN_S = 5.0
"""A table that did not answer is told again after this."""


def wall_ms() -> int:
    """Return the station's wall-clock time, in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def ends_in(minutes: float, at_end: model.AtEnd, now_ms: int) -> model.RoundEnd:
    """Return the end of a round in so many minutes, 0 to a day. Raises `ValueError`."""
    if not 0 <= minutes <= MOST_MS / 60_000:
        raise ValueError("a round goes on for 0 minutes to a day")
    return model.RoundEnd(now_ms + round(minutes * 60_000), at_end)


@dataclass(frozen=True, slots=True)
class _Told:
    game: str
    ends: model.RoundEnd | None
    done: bool
    tried_s: float


class RoundClock:
    """Sends what is left of a round to tables. `look` is called under one lock."""

    def __init__(
        self,
        send: Send,
        clock: Callable[[], float] = time.monotonic,
        now_ms: Callable[[], int] = wall_ms,
    ) -> None:
        self._send_order, self._clock, self._now_ms = send, clock, now_ms
        self._told: dict[str, _Told] = {}

    def look(self, table: HallTable, ends: model.RoundEnd | None, reason: str) -> None:
        """Send a table the end of the round if its game does not have it yet."""
        view, status = table.view, table.status
        if view is None or status is None or view.game != status.game or view.phase in (Phase.LOBBY, Phase.FINISHED):
            return
        told = self._told.get(table.board)
        if told is None or told.game != view.game:
            knows = view.hall_clock is not None or ends is None
            told = _Told(view.game, ends if knows else None, knows, 0.0)
        if told.done and told.ends == ends:
            self._told[table.board] = told
        elif told.ends != ends or self._clock() - told.tried_s >= CLOCK_AGAIN_S:
            self._told[table.board] = told = _Told(view.game, ends, False, self._clock())
            threading.Thread(target=self._send, args=(table.board, told, reason), daemon=True).start()

    def _send(self, board: str, told: _Told, reason: str) -> None:
        ends = told.ends
        left_ms = None if ends is None else min(MOST_MS, max(0, ends.at_ms - self._now_ms()))
        at_end = model.AtEnd.ARBITER if ends is None else ends.at_end
        act = SetHallClock(id=secrets.token_hex(12), reason=reason, by="station", left_ms=left_ms, at_end=at_end.value)
        try:
            done = self._send_order(board, told.game, act).done
        except RefusedError:
            return  # no answer: it is told again
        if done and self._told.get(board) is told:
            self._told[board] = _Told(told.game, ends, True, told.tried_s)
