"""Holds a reader of hands to the criterion: feeds it the frames of a trace as the board sends them, and judges what it says.

The reader is given from outside, and its observations are known by the names of their classes: `Read(prospect)` opens a ply, `Final`
closes the oldest open one, `Revised(prospect, plies=1)` puts this one in the place of the last open ones, `Unread(plies=1)` takes them
back, `AttackSeen` and `Puzzled` or `Disturbed` ask the players. `Read`, `Revised` and `Unread` are answered with `advance`. The names of
`IGNORED` say nothing about plies; any other name is refused, since a word that nobody judges might be the wrong one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from firmware_bridge.messages import Frame, Reading
from referee.rules import Game, Move, Prospect, RulesError, Situation
from referee.rules.values import Square
from tests.hands.explain import Explanation
from tests.hands.grammar import (
    ASK_AMID_HANDS_MS,
    ASK_MS,
    FINAL_MS,
    FLICKER_MS,
    HOLE_KNOWN_MS,
    NARROW,
    NOISE_MS,
    SCAN_MS,
    WIDE,
    Change,
    Flicker,
    Ply,
    Start,
    trace_text,
)

ACTIVE_MS, IDLE_MS = 400, 500
"""A board sends each scan for a while after a change, and then a frame now and then."""
BEFORE_MS = 2000
"""How long the board is seen at rest before the trace begins."""
AFTER_MS = 6500
"""How long it is watched after the last change: whatever has to be said is said by then."""
SLACK_MS = 600
"""How much later than the page says something may be said: the next frame of a board at rest."""
_START_MS = 60_000
NO_HOLE = range(0)

IN_NONE, NOT_EVERY, NEEDLESS = "wrong: in no script", "wrong: not in every script", "asked needlessly"
IN_A_HOLE, BY_NOBODY = "wrong: not what was played, with a hole", "wrong: nobody played it, and no script is left"
HIDDEN = "not asked about what came in a long hole"
NOT_ASKED, PUT_BACK, STAYS_READ = "not asked", "put back to another board", "stays read in no script"
IGNORED = frozenset({"Lifted", "Returned", "Agreed", "Seen", "Masked"})


class Reader(Protocol):
    """What reads the hands; `referee.sensing.Interpreter` is one."""

    def follow(self, situation: Situation) -> None:
        """Read from this position on."""

    def advance(self, situation: Situation) -> None:
        """Go on from the position after what was read, revised or taken back."""

    def feed(self, frame: Frame) -> Sequence[Any]:
        """Return the observations that a frame completes."""


MakeReader: TypeAlias = Callable[[Start], Reader]


@dataclass
class Verdict:
    """What a reader did with one trace. Times are those of the trace."""

    finals: list[Ply] = field(default_factory=list)
    wrong: str = ""
    """The final ply that is wrong; nothing after it is judged."""
    in_a_hole: bool = False
    """Whether it is wrong by what was played, some frames being lost."""
    by_nobody: bool = False
    """Whether it is wrong by what was played, no script being left."""
    hidden: str = ""
    """A final ply that came to stand while frames were known to be missing, and was not asked about."""
    possible: bool = False
    """Whether a wrong ply is right in some script: then it was said too early, or the players should have been asked."""
    late: list[str] = field(default_factory=list)
    asked: str = ""
    needless: bool = False
    """Whether it asked although a script explains what is seen, and the scripts agree or one can still go on."""
    not_asked: str = ""
    attack: str = ""
    false_attack: bool = False
    """Whether no script shows the attack, or may show it any moment."""
    while_open: bool = False
    """Whether a question about an attack went out while an earlier ply was open."""
    stays_read: str = ""
    """A ply that stays read though no script has it."""
    put_back: str = ""
    """What is wrong with the board to which the players are to go back."""
    reasons: dict[str, str] = field(default_factory=dict)
    """Of which sort a fault is, by its kind."""
    outside: bool = False
    """Whether no script explains the trace at its end, or where the judging stopped."""
    said: list[str] = field(default_factory=list)

    @property
    def kinds(self) -> tuple[str, ...]:
        """Return the names of all faults."""
        faults = {
            IN_A_HOLE: self.in_a_hole,
            BY_NOBODY: self.by_nobody,
            HIDDEN: bool(self.hidden),
            IN_NONE: bool(self.wrong) and not self.possible and not self.in_a_hole and not self.by_nobody,
            NOT_EVERY: bool(self.wrong) and self.possible,
            "late final": bool(self.late),
            NEEDLESS: self.needless,
            NOT_ASKED: bool(self.not_asked),
            "false attack": self.false_attack,
            "attack while open": self.while_open,
            PUT_BACK: bool(self.put_back),
            STAYS_READ: bool(self.stays_read),
        }
        return tuple(name for name, found in faults.items() if found)


def frames(
    start: Start, trace: Sequence[Change], flickers: Sequence[Flicker] = (), hole: range = NO_HOLE
) -> Iterator[tuple[int, tuple[Change, ...], Frame]]:
    """Return the frames of a board with their times in the trace, each with the changes that it is the first to show.

    While a flicker lasts its square reads what it says; it is in no trace. In a hole the frames are lost.
    """
    readings = dict.fromkeys(start.board.squares, Reading.EMPTY)
    readings |= {square: start.reading(seat) for square, seat in start.occupants.items()}
    stirs = sorted({change.ms for change in trace} | {ms for one in flickers for ms in (one.ms, one.until_ms)})
    if hole and any(change.ms in hole for change in trace):
        stirs = sorted({hole.stop, *stirs})
    last, now, seen, number = -BEFORE_MS - ACTIVE_MS, -BEFORE_MS, 0, 0
    end = max(trace[-1].ms if trace else 0, hole.stop if hole else 0) + AFTER_MS
    while now <= end:
        fresh = []
        while seen < len(trace) and trace[seen].ms <= now and now not in hole:
            fresh.append(trace[seen])
            readings[trace[seen].square] = trace[seen].reading
            seen += 1
        while stirs and stirs[0] <= now:
            last = stirs.pop(0)
        shown = readings | {one.square: one.reading for one in flickers if one.ms <= now < one.until_ms}
        if now not in hole:
            yield now, tuple(fresh), Frame(number % 256, _START_MS + now, tuple(shown.values()))
        number += 1
        following = now + (SCAN_MS if now - last < ACTIVE_MS else IDLE_MS)
        now = min(following, stirs[0]) if stirs else following


class _Judge:
    """One trace in the making."""

    def __init__(
        self, start: Start, reader: Reader, played: Sequence[Ply] | None, hidden: frozenset[Square] | None
    ) -> None:
        self.start = start
        self.played = played
        """What was played, if that is known: the measure where no script is left."""
        self.hidden = hidden
        """With a hole, of which too much can be thought: the squares to which pieces came in it, if it is a long one. What was played is
        the only other measure then."""
        self.reader = reader
        self.verdict = Verdict()
        self.narrow = Explanation(start, NARROW)
        self._wide = Explanation(start, WIDE)
        self._seen: list[Change] = []
        self._unseen: list[Change] = []
        """What `_wide` has not taken yet: few traces need it."""
        self.changed = -BEFORE_MS
        self.unexplained: int | None = None
        """Since when nothing of the page explains what was seen, if so: nothing that comes later does."""
        first = start.after(())
        assert first is not None
        self.games: list[Game] = [first.game]
        """The position after the final plies, and after each open one."""
        self.open: list[Ply] = []
        self.over = False

    def see(self, change: Change) -> None:
        """Take a change, after looking at what the reader owed before it."""
        if self.hidden is not None:
            return
        self.owed(change.ms - 1)
        self.changed = change.ms
        self.narrow.see(change)
        self._seen.append(change)
        self._unseen.append(change)

    def pass_time(self, ms: int) -> None:
        """Note whether something still explains what was seen."""
        if self.unexplained is None and self.hidden is None and not self.narrow.at(ms):
            self.unexplained = ms

    @property
    def wide(self) -> Explanation:
        """What the page makes of the trace so far where it leaves room."""
        for change in self._unseen:
            self._wide.see(change)
        self._unseen.clear()
        return self._wide

    def hear(self, observation: Any, ms: int) -> None:
        """Take an observation."""
        name, verdict = type(observation).__name__, self.verdict
        if name in ("Read", "Revised", "Unread"):
            if name != "Read":
                self._take_back(getattr(observation, "plies", 1))
            if name == "Unread":
                verdict.said.append(f"{ms}: Unread")
            elif self._open(observation.prospect):
                verdict.said.append(f"{ms}: {name} {self.open[-1]}")
            else:  # its player is told to take it back
                ply, number = (
                    Ply(observation.prospect.source, observation.prospect.target),
                    len(verdict.finals) + len(self.open),
                )
                verdict.said.append(f"{ms}: {name} {ply}, which the rules refuse")
                verdict.asked, self.over = f"{name} {ply} at {ms}", True
                verdict.needless = bool(self.narrow.at(ms)) and ply not in self.wide.standing(number, ms)
                verdict.reasons[NEEDLESS] = "a move that the rules refuse"
                return
            self.reader.advance(self.games[-1].situation())
        elif name == "Final":
            verdict.said.append(f"{ms}: Final {self.open[0] if self.open else 'nothing'}")
            self._final(ms)
        elif name == "AttackSeen":
            self._attack(Ply(observation.source, observation.target), ms)
        elif name in ("Puzzled", "Disturbed"):
            self.owed(ms - 1)
            verdict.said.append(f"{ms}: {name}")
            verdict.asked, verdict.needless, self.over = f"{name} at {ms}", self._needless(name, ms), True
            self._put_back({one.square for one in getattr(observation, "differences", ())}, ms)
        else:
            assert name in IGNORED, f"no observation that is known: {name}"

    def _open(self, prospect: Prospect) -> bool:
        """Play a ply that is read; return whether the rules allow it."""
        game = self.games[-1].copy()
        try:
            game.play(Move(prospect.source, prospect.target, prospect.path_told))
        except RulesError:
            return False
        self.games.append(game)
        self.open.append(Ply(prospect.source, prospect.target))
        return True

    def _take_back(self, plies: int) -> None:
        assert 0 < plies <= len(self.open), f"{plies} plies taken back, {len(self.open)} open"
        del self.open[-plies:], self.games[-plies:]

    def _final(self, ms: int) -> None:
        verdict, number = self.verdict, len(self.verdict.finals)
        assert self.open, "nothing is open"
        ply = self.open.pop(0)
        del self.games[0]
        verdict.finals.append(ply)
        allowed = frozenset() if self.hidden is not None else self.narrow.plies(number, ms)
        # where the page leaves room for a script, the ply is nobody's mistake
        explained = bool(allowed) or (self.hidden is None and self.wide.plies(number, ms) == {ply})
        if not explained and self.played is not None and tuple(self.played[number : number + 1]) != (ply,):
            verdict.wrong, self.over = f"ply {number + 1} {ply} at {ms}", True
            verdict.in_a_hole, verdict.by_nobody = self.hidden is not None, self.hidden is None
        elif self.hidden is not None and ply.target in self.hidden:
            verdict.hidden = verdict.hidden or f"ply {number + 1} {ply} at {ms}"
        elif allowed and allowed != {ply}:
            standing = self.narrow.standing(number, ms)
            verdict.possible, self.over = ply in standing, True
            others = ", ".join(sorted(str(one) for one in allowed | standing if one not in (ply, None)))
            undecided = "not over in some script; " if None in allowed else ""
            verdict.wrong = f"ply {number + 1} {ply} at {ms}; {undecided}others: {others or 'none'}"
            reason = self.narrow.doubt(number, ply, ms)
            verdict.reasons |= dict.fromkeys((NOT_EVERY, IN_NONE), reason)

    def _attack(self, attack: Ply, ms: int) -> None:
        self.owed(ms - 1)
        verdict = self.verdict
        verdict.said.append(f"{ms}: AttackSeen {attack}")
        verdict.attack, verdict.while_open, self.over = str(attack), bool(self.open), True
        if self.hidden is not None or not self.wide.at(ms):
            return
        # what is seen since so short a time may be a flicker
        settled = Explanation(self.start, WIDE, (change for change in self._seen if ms - change.ms > FLICKER_MS))
        shown = [one.attacks(ms, coming=True) for one in (self.wide, settled)]
        verdict.false_attack = not any(attack in attacks for attacks in shown)
        next_ply = [one.attacks(ms, coming=True, after=verdict.finals + self.open) for one in (self.wide, settled)]
        verdict.while_open |= not verdict.false_attack and not any(attack in attacks for attacks in next_ply)

    def _needless(self, name: str, ms: int) -> bool:
        """Return whether no reading of the page has scripts about which the players are to be asked now."""
        if self.hidden is not None or (name == "Disturbed" and not self.narrow.at(ms)):
            return False
        if self.unexplained is not None and ms - self.unexplained >= ASK_AMID_HANDS_MS - NOISE_MS:
            return False
        doubtful = [n for n in range(self.wide.length(ms)) if len(self.wide.over(n, ms)) > 1]
        if ms - self.changed < ASK_MS - NOISE_MS:
            reason = "too soon" if self.narrow.at(ms) else "too soon, though nothing explains what was seen"
        elif not self.narrow.at(ms) or not all(self.narrow.may_go_on(number, ms) for number in doubtful):
            return False
        elif self.narrow.shows_an_attack(ms):
            if len(self.wide.attacks(ms)) > 1:
                return False
            reason = "an attack is shown"
        else:
            reason = "no ply is disputed" if self.narrow.at_rest(ms) else "a piece is in the air, or may go on"
        self.verdict.reasons[NEEDLESS] = reason
        return True

    def _put_back(self, differ: set[Square], ms: int) -> None:
        """Note where the players are not asked to put the board back as it stood after the last ply on which all scripts agree.

        A ply that is open is taken back, with all after it, if one of its squares is among those that the question names.
        """
        if self.hidden is not None or not self.narrow.at(ms):
            return
        stays, number = self.open, 0
        for at, ply in enumerate(self.open):
            if differ & {*ply}:
                stays = self.open[:at]
                break
        stays = self.verdict.finals + stays
        while number < len(stays) and stays[number] in self.wide.over(number, ms):
            number += 1
        if number < len(stays):
            self.verdict.put_back = f"{stays[number]} stays, which is no ply in any script"
        elif self.narrow.at_rest(ms):
            if self.wide.agreed(number, ms) and self.narrow.agreed(number, ms):
                self.verdict.put_back = f"all agree on {self.wide.agreed(number, ms)}, which is taken back"
            doubtful = [n for n in range(len(stays)) if len(self.narrow.plies(n, ms)) > 1]
            if doubtful:
                self.verdict.put_back = f"{stays[doubtful[0]]} stays, which is disputed"

    def _disputed(self, explanation: Explanation, ms: int) -> str | None:
        """Return the first ply on which the scripts disagree though it is over in all of them."""
        number = 0
        while explanation.agreed(number, ms):
            number += 1
        found = explanation.plies(number, ms)
        if len(found) < 2 or None in found:
            return None
        return f"ply {number + 1}: " + " or ".join(sorted(map(str, found)))

    def owed(self, ms: int) -> None:
        """Note what the reader should have said by the end of a stillness."""
        due = ms - SLACK_MS
        if due <= self.changed or self.hidden is not None:
            return
        number = len(self.verdict.finals)
        while (ply := self.narrow.agreed(number, due)) and due >= self.narrow.ends(number, due) + FINAL_MS:
            if not self.wide.agreed(number, due):
                break
            replied = None not in self.wide.standing(number + 1, due)
            limit = self.wide.ends(number + 1 if replied else number, due) + FINAL_MS
            if not replied and self.wide.begun(number + 1, due):
                break
            note = f"ply {number + 1} {ply}, due at {limit}"
            if due >= limit and note not in self.verdict.late:
                self.verdict.late.append(note)
            number += 1
        if due - self.changed >= FINAL_MS and self.wide.at(due):
            for number, ply in enumerate(self.open, len(self.verdict.finals)):
                if ply not in self.wide.standing(number, due):
                    self.verdict.stays_read = self.verdict.stays_read or f"ply {number + 1} {ply} at {due}"
        if due - self.changed >= ASK_MS:
            self.verdict.not_asked = self.verdict.not_asked or self._unasked(due)
            self.verdict.reasons |= {NOT_ASKED: self.verdict.not_asked.split(":")[0]}

    def _unasked(self, due: int) -> str:
        """Return what the players should have been asked about after a long stillness, empty if nothing."""
        if not self.narrow.at(due):
            stands = (
                "but the board stands as it was read" if self._stands_as_read() else "and the board stands otherwise"
            )
            return "" if self.wide.at(due) else f"nothing explains what was seen, {stands}"
        if self.narrow.shows_an_attack(due):
            both_look = WIDE._replace(looks_anywhere=False)  # the page leaves looks out that look like an attack
            if Explanation(self.start, both_look, self._seen).shows_an_attack(due):
                return "an attack"
        disputed = self._disputed(self.narrow, due)
        return f"a dispute: {disputed}" if disputed and self._disputed(self.wide, due) else ""

    def _stands_as_read(self) -> bool:
        """Return whether the sensors show the position that follows from what the reader said."""
        shown = {square: self.start.reading(seat) for square, seat in self.start.occupants.items()}
        shown |= {change.square: change.reading for change in self._seen}
        wanted = {square: self.start.reading(seat) for square, seat in self.games[-1].occupants().items()}
        return wanted == {square: reading for square, reading in shown.items() if reading is not Reading.EMPTY}


def came_hidden(trace: Sequence[Change], hole: range) -> frozenset[Square]:
    """Return the squares to which pieces came in a hole and at no other time; none if nobody knows that frames are missing."""
    if len(hole) <= HOLE_KNOWN_MS:
        return frozenset()
    came = [change for change in trace if change.reading is not Reading.EMPTY]
    inside = {change.square for change in came if change.ms in hole}
    return frozenset(inside - {change.square for change in came if change.ms not in hole})


def judge(
    start: Start,
    trace: Sequence[Change],
    make: MakeReader,
    flickers: Sequence[Flicker] = (),
    hole: range = NO_HOLE,
    played: Sequence[Ply] | None = None,
) -> Verdict:
    """Return what a reader, made for this start, does with a trace. Raises `TooManyWorldsError` for one that cannot be judged.

    What was played is the measure of a final ply where no script is left, and with a hole the only one: nothing else is judged then.
    """
    reader = make(start)
    case = _Judge(start, reader, played, came_hidden(trace, hole) if hole else None)
    reader.follow(case.games[0].situation())
    now = 0
    for now, fresh, frame in frames(start, trace, flickers, hole):
        for change in fresh:
            case.see(change)
        case.pass_time(now)
        for observation in reader.feed(frame):
            case.hear(observation, now)
            if case.over:
                case.verdict.outside = not case.narrow.at(now)
                return case.verdict
    case.owed(now)
    case.verdict.outside = not case.narrow.at(now)
    return case.verdict


def table(start: Start, trace: Sequence[Change], verdict: Verdict) -> str:
    """Return a judged trace for people: the pieces, the trace, what the reader said and what is wrong with it."""
    pieces = " ".join(f"{square}{seat.value[0].upper()}" for square, seat in start.occupants.items())
    lines = [
        f"{'colour' if start.colour else 'occupancy'}, {start.turn.value} to move: {pieces}",
        f"  trace: {trace_text(trace)}",
        f"  said:  {'; '.join(verdict.said)}",
    ]
    notes = {"wrong": verdict.wrong, "late": ", ".join(verdict.late), "not asked": verdict.not_asked or verdict.hidden}
    notes |= {PUT_BACK: verdict.put_back, STAYS_READ: verdict.stays_read}
    lines += [f"  {name}: {text}" for name, text in notes.items() if text]
    return "\n".join(
        [
            *lines,
            *(
                f"  {kind}"
                for kind in verdict.kinds
                if not kind.startswith(("wrong", "late", "not", PUT_BACK, STAYS_READ))
            ),
        ]
    )
