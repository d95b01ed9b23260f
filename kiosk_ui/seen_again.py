"""A kept game as a screen shows it again: after any ply, through anybody's eyes. Pure.

What it is told is what the page of the game is told (`referee.library.report`), so neither shows more than the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec

from referee.presentation.sentences import Contact, Tone
from referee.presentation.state import Banner, KioskState, Trail, kiosk_state, time_text
from referee.rules.values import Rank, Seat
from referee.table.views import GameEnd, Phase, PublicInfo, PublicView
from referee.words import Words

OPEN, PUBLIC = "open", "public"
"""Eyes that see all that the record holds, and those of everybody; others are a seat's word."""

STEP_S, LONGEST_STEP_S = 0.9, 5.0
"""Between two plies where the hands' time is not known; the hands' time at most."""


class _Knows(msgspec.Struct):
    """What one observer knows, as `referee.library.report` packs it."""

    until: int | None
    rows: list[list[int]]
    changes: list[tuple[int, int, float | None, list[int], list[int]]]


class _ReplayData(msgspec.Struct):
    """Squares, ranks, seats and pieces are numbers, -1 is none."""

    squares: list[tuple[str, float, float]]
    ranks: list[tuple[Rank, int | None, int, int]]
    seats: list[Seat]
    ending: tuple[str, str | None]
    pieces: list[tuple[int, int, int, int]]
    plies: list[tuple[int, str, str | None, int, int, int, list[tuple[int, int]]]]
    knows: dict[str, _Knows]
    turns: list[tuple[int, int, str, float]]
    times: list[int | None] = []  # msgspec copies it


class _ReplayFile(msgspec.Struct):
    info: PublicInfo
    game: _ReplayData


@dataclass(frozen=True, slots=True, eq=False)
class GameReplay:
    """A game to be seen again. `link` is where a phone sees it, empty where that is not known."""

    info: PublicInfo
    game: _ReplayData
    link: str = ""

    @property
    def last(self) -> int:
        """Return how many plies it has."""
        return len(self.game.plies)

    @property
    def eyes(self) -> tuple[str, ...]:
        """Return whose eyes there are, in the order in which they are offered."""
        return (OPEN, PUBLIC, *(seat.value for seat in self.game.seats))

    def attacks(self) -> tuple[int, ...]:
        """Return the plies that were attacks."""
        return tuple(number for number, ply in enumerate(self.game.plies, start=1) if ply[2] is not None)

    def turning_points(self) -> tuple[int, ...]:
        """Return the plies where most was lost."""
        return tuple(sorted({ply for ply, *_ in self.game.turns}))

    def seconds(self, ply: int) -> int | None:
        """Return how long the hands took for a ply; None where that is not known, and before the first."""
        return self.game.times[ply - 1] if 0 < ply <= len(self.game.times) else None

    def wait_s(self, ply: int) -> float:
        """Return after how many seconds the next ply follows where the game plays by itself: as the hands did, within bounds."""
        taken = self.seconds(ply + 1)
        return STEP_S if taken is None else max(STEP_S / 2, min(LONGEST_STEP_S, float(taken)))


def read_replay(told: bytes, link: str = "") -> GameReplay:
    """Return the game that the library's worker has packed. Raises `msgspec.MsgspecError`."""
    made = msgspec.json.decode(told, type=_ReplayFile)
    return GameReplay(made.info, made.game, link)


def replay_state(replay: GameReplay, at: int, eyes: str, words: Words) -> KioskState:
    """Return the table after so many plies, its pieces turned over as far as these eyes know them."""
    game, info = replay.game, replay.info
    places, known = _places(game, at), _known(game, eyes, at)
    ranks = [_seen(game, piece, eyes, known) for piece in range(len(game.pieces))]
    names = [square[0] for square in game.squares]
    captured: dict[Seat, dict[Rank, int]] = {seat: {} for seat in game.seats}
    for (seat, _, rank, _), square in zip(game.pieces, places, strict=True):
        if square < 0 <= rank:
            lost = captured[game.seats[seat]]
            lost[game.ranks[rank][0]] = lost.get(game.ranks[rank][0], 0) + 1
    standing = [(names[square], piece) for piece, square in enumerate(places) if square >= 0]
    over = at == replay.last
    winner, reason = game.ending
    view = PublicView(
        info.board_id,
        info.game,
        seq=at,
        phase=Phase.FINISHED if over else Phase.WAITING_FOR_MOVE,
        turn=None,
        ply=at,
        occupants={square: game.seats[game.pieces[piece][0]] for square, piece in standing},
        captured=captured,
        result=GameEnd(next((seat for seat in game.seats if seat.value == winner), None), reason or "")
        if over
        else None,
        turned={square: game.ranks[ranks[piece]][0] for square, piece in standing if ranks[piece] >= 0},
    )
    state = kiosk_state(info, view, words, Contact.LIVE)
    mover = (game.seats[game.plies[at - 1][0]],) if at else ()
    board = state.board and replace(state.board, trail=_trail(game, at, places, names))
    who, what = _sentence(replay, at, ranks, words)
    ended = state.banner.text if over else ""
    said = ". ".join(text for text in (what, ended) if text)
    return replace(state, banner=Banner(who, mover, Tone.TURN), detail=said, board=board)


def _sentence(replay: GameReplay, at: int, ranks: Sequence[int], words: Words) -> tuple[str, str]:
    """Return which move was the last, and what was played; `ranks` are those of the pieces as far as somebody knows them."""
    game = replay.game
    told = words.say("turn.ply", number=at)
    if at == 0:
        return told, ""
    seat, text, result, attacker, defender, guess, _ = game.plies[at - 1]
    who = f"{told}, {words.seat(game.seats[seat])}"
    if (taken := replay.seconds(at)) is not None:
        who += f" ({time_text(taken * 1000)})"
    if result is not None:
        met = guess if guess >= 0 else ranks[defender]
        text += f" ({_rank_name(game, ranks[attacker], words)} \u2013 {_rank_name(game, met, words)}). {words[f'verdict.{result}']}"
    return who, text


def spoken_ply(replay: GameReplay, at: int, words: Words) -> str:
    """Return what is said aloud of a ply: what everybody saw of it. Empty before the first."""
    if at == 0:
        return words.say("turn.ply", number=0)
    game = replay.game
    seat, _, result, attacker, defender, _, _ = game.plies[at - 1]
    ends = _ends(game, at, _places(game, at))
    said = [words.say("turn.ply", number=at)]
    if ends is not None:
        source, target = (game.squares[square][0] for square in ends)
        name = words.seat(game.seats[seat])
        attacked = {"seat": name, "square": target}
        moved = {"seat": name, "source": source, "target": target}
        said.append(words.say("spoken.move", **moved) if result is None else words.say("spoken.attack", **attacked))
    if result is not None:
        said.append(words[f"verdict.{result}"])
        places = _places(game, at)
        for piece in (attacker, defender):
            owner, _, rank, _ = game.pieces[piece]
            if places[piece] < 0 <= rank:
                lost = words.rank(game.ranks[rank][0])
                said.append(words.say("verdict.loses", seat=words.seat(game.seats[owner]), rank=lost))
    return " ".join(f"{each}." for each in said)


def _rank_name(game: _ReplayData, rank: int, words: Words) -> str:
    return words["rank.unknown"] if rank < 0 else words.rank(game.ranks[rank][0])


def _places(game: _ReplayData, at: int) -> list[int]:
    """Return by piece its square after so many plies, -1 off the board."""
    places = [first for *_, first in game.pieces]
    for ply in game.plies[:at]:
        for piece, square in ply[6]:
            places[piece] = square
    return places


def _known(game: _ReplayData, eyes: str, at: int) -> list[Sequence[int]]:
    """Return by piece the ranks it could be with their chances, as eyes know them; where nobody can say that, what everybody knew."""
    for observer in (eyes, PUBLIC):
        found = game.knows.get(observer)
        if found is not None and (found.until is None or at < found.until):
            return list(_rows(found, len(game.pieces), at))
    return [()] * len(game.pieces)


def _rows(knows: _Knows, pieces: int, at: int) -> Iterator[Sequence[int]]:
    group_of: dict[int, int] = {}
    row_of: dict[int, int] = {}
    for ply, _, _, moved, changed in knows.changes:
        if ply > at:
            break
        group_of.update(zip(moved[::2], moved[1::2], strict=True))
        row_of.update(zip(changed[::2], changed[1::2], strict=True))
    for piece in range(pieces):
        row = row_of.get(group_of.get(piece, -1))
        yield () if row is None else knows.rows[row]


def _seen(game: _ReplayData, piece: int, eyes: str, known: Sequence[Sequence[int]]) -> int:
    """Return the rank of a piece for these eyes, -1 where they do not know it."""
    seat, _, rank, _ = game.pieces[piece]
    if eyes in (OPEN, game.seats[seat].value):
        return rank
    return known[piece][0] if len(known[piece]) == 2 else -1


def _ends(game: _ReplayData, at: int, places: Sequence[int]) -> tuple[int, int] | None:
    """Return the squares between which the last ply went; None where no piece acted, or it began off the board."""
    _, _, _, attacker, defender, _, _ = game.plies[at - 1]
    if attacker < 0:
        return None
    before = _places(game, at - 1)
    source, target = before[attacker], places[attacker] if defender < 0 else before[defender]
    return None if min(source, target) < 0 else (source, target)


def _trail(game: _ReplayData, at: int, places: Sequence[int], names: Sequence[str]) -> Trail | None:
    ends = _ends(game, at, places) if at else None
    return None if ends is None else Trail(names[ends[0]], names[ends[1]], sure=True)


def eyes_text(eyes: str, words: Words) -> str:
    """Return the words for whose eyes look."""
    named: Mapping[str, str] = {OPEN: "report.open", PUBLIC: "report.everybody"}
    return words[named[eyes]] if eyes in named else words.seat(Seat(eyes))
