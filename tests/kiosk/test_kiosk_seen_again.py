"""A game that is seen again on the kiosk: it shows what the record's screens showed, and through each pair of eyes what they knew."""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import replace

import pytest

from kiosk_ui.fixtures import touch_samples
from kiosk_ui.received_state import Desk, Library, ReceivedState
from kiosk_ui.screen import screen_state, sheet
from kiosk_ui.seen_again import OPEN, PUBLIC, GameReplay, read_replay, replay_state, spoken_ply
from kiosk_ui.touch_state import Page, ScreenSettings, TouchState, Watch, touch
from referee.analysis import figures
from referee.journal.records.model import Record, View, rules_of
from referee.journal.records.views import screens_of, view_of
from referee.library.report import figures_of, kiosk_replay
from referee.net.topics.payloads import KioskNote, LinkUp, Status
from referee.presentation.sentences import Contact
from referee.presentation.state import kiosk_state
from referee.rules import Seat
from referee.table.views import Phase
from referee.words import words
from tests.library.kept import game_of

EN = words("en")
SAMPLES = {sample.name: sample for sample in touch_samples()}
WATCHED = TouchState(ScreenSettings("en"), Page.REPLAY, watch=Watch())


def seen_again(record: Record) -> GameReplay:
    """Return a record as the kiosk gets it."""
    return read_replay(kiosk_replay(record, rules_of(record), figures_of(record)), "http://table/games/one")


@pytest.fixture(scope="module")
def whole() -> Record:
    """Return a game with all of its ranks."""
    return game_of(7)


def test_it_shows_what_the_table_showed(whole: Record) -> None:
    """After each ply pieces, trays and the last move are those of the record's screens, and each army's own eyes see all of it."""
    info, views = screens_of(whole, rules_of(whole))
    replay = seen_again(whole)
    assert replay.last == len(whole.plies)
    for at in range(replay.last + 1):
        shown = replay_state(replay, at, OPEN, EN)
        told = kiosk_state(info, views[at], EN, Contact.LIVE)
        assert shown.board is not None
        assert told.board is not None
        assert {piece.square: piece.seat for piece in shown.board.pieces} == views[at].occupants
        assert all(piece.rank is not None for piece in shown.board.pieces)
        assert [tray.rows for tray in shown.trays] == [tray.rows for tray in told.trays]
        if at:
            action = whole.plies[at - 1].action
            assert shown.board.trail is not None
            assert (shown.board.trail.source, shown.board.trail.target) == (action.source.name, action.target.name)  # type: ignore[union-attr]


@pytest.mark.parametrize("view", [View.PUBLIC, View.ARCHIVE])
def test_eyes_see_what_they_knew_and_no_more(whole: Record, view: View) -> None:
    """A rank is shown where it was certain for these eyes, by the figures of the same view; a seat sees its own where the view has it."""
    record = view_of(replace(whole, consent=frozenset({Seat.RED})), view)
    found, replay = figures(record, rules_of(record), len(record.plies)), seen_again(record)
    for eyes in (PUBLIC, "red", "blue"):
        observer = found.observers[eyes]
        until = len(record.plies) + 1 if observer.unknown_from is None else observer.unknown_from
        for at in range(until):
            board = replay_state(replay, at, eyes, EN).board
            assert board is not None
            certain = 0
            for army in record.set_ups:
                last = [one for one in observer.knows if one.army is army and one.ply <= at]
                groups = last[-1].groups if last else []
                certain += sum(len(group.pieces) for group in groups if group.chances and len(group.chances) == 1)
            shown = sum(piece.rank is not None for piece in board.pieces if piece.seat.value != eyes)
            captured = sum(piece < 0 for piece in _gone(replay, at, eyes))
            assert shown == certain - captured, (eyes, at)
            own = [piece for piece in board.pieces if piece.seat.value == eyes]
            assert all(
                (piece.rank is not None) == (view is View.ARCHIVE and eyes == "red") or piece.rank for piece in own
            )


def _gone(replay: GameReplay, at: int, eyes: str) -> list[int]:
    """Return by piece of the armies that these eyes do not own where it is, -1 off the board."""
    places = [first for *_, first in replay.game.pieces]
    for ply in replay.game.plies[:at]:
        for piece, square in ply[6]:
            places[piece] = square
    seats = replay.game.seats
    return [at for (seat, *_), at in zip(replay.game.pieces, places, strict=True) if seats[seat].value != eyes]


def test_buttons_and_keys_step_and_jump(whole: Record) -> None:
    """On, back, to attacks and turning points, by itself to the end; nothing leaves the game's first and last ply."""
    replay = seen_again(whole)
    desk = Desk(library=Library(replay=replay))
    state = WATCHED

    def after(key: str) -> int:
        nonlocal state
        state, wishes = touch(state, desk, key)
        assert wishes == ()
        assert state.watch is not None
        return state.watch.at

    assert [after(key) for key in ("watch=back", "watch=on", "watch=on", "watch=back")] == [0, 1, 2, 1]
    attacks, turns = replay.attacks(), replay.turning_points()
    assert after("watch=to-0") == 0
    assert [after("watch=on-attack") for _ in attacks] == list(attacks)
    assert after("watch=on-attack") == attacks[-1]
    assert [after("watch=back-turn") for _ in turns if state.watch and turns[0] < state.watch.at]
    assert after("watch=to-99999") == replay.last
    assert after("watch=play") == 0  # from the beginning, where it stands at the end
    assert [after("watch=next") for _ in range(replay.last + 1)][-2:] == [replay.last, replay.last]
    assert state.watch is not None
    assert not state.watch.playing
    seen = []
    for _ in replay.eyes:
        after("watch=eyes")
        seen.append(state.watch.eyes)
    assert seen == [PUBLIC, "red", "blue", OPEN]
    assert after("watch=no such way") == replay.last


def test_the_hands_time_is_shown_and_played(whole: Record) -> None:
    """Where a journal told it: beside the move, and as the pace of what plays by itself, within bounds."""
    told = kiosk_replay(whole, rules_of(whole), figures_of(whole), [75, None, 0, 9])
    replay = read_replay(told)
    texts = [replay_state(replay, at, OPEN, EN).banner.text for at in range(4)]
    assert [text.partition("(")[2] for text in texts] == ["", "1:15)", "", "0:00)"]
    assert [replay.wait_s(at) for at in range(5)] == [5.0, 0.9, 0.45, 5.0, 0.9]


def test_what_is_said_aloud_tells_no_hidden_rank(whole: Record) -> None:
    """Who went where; of an attack the verdict and what was lost, and never the rank of a piece that stays."""
    replay = seen_again(whole)
    fight = replay.attacks()[0]
    text = spoken_ply(replay, fight, EN)
    ply = whole.plies[fight - 1]
    assert ply.attacker is not None
    assert ply.defender is not None
    lost = {"attacker-wins": [ply.defender], "defender-wins": [ply.attacker]}.get(str(ply.result and ply.result.value))
    named = [rank for rank in (ply.attacker, ply.defender) if EN.rank(rank) in text]
    assert named == (lost or [ply.attacker, ply.defender])
    assert all(spoken_ply(replay, at, EN) for at in range(replay.last + 1))


def test_a_replay_comes_in_parts_and_a_damaged_one_says_so(whole: Record) -> None:
    """The last part, an empty one, completes it; what cannot be read is a refusal, and nothing that was seen before is lost."""
    packed = base64.b64encode(zlib.compress(kiosk_replay(whole, rules_of(whole), figures_of(whole)))).decode()
    desk = Desk()
    for text in (packed[:1000], packed[1000:], ""):
        if desk.library is None:
            desk = desk.after(KioskNote("replay", "http://table/games/one"))
        desk = desk.after(KioskNote("replay-part", text))
    assert desk.library is not None
    assert desk.library.replay is not None
    assert (desk.library.replay.last, desk.library.answers) == (len(whole.plies), 1)
    for wrong in ("!", packed[:-40], base64.b64encode(zlib.compress(b"{}")).decode()):
        told = desk
        for note in (KioskNote("replay", ""), KioskNote("replay-part", wrong), KioskNote("replay-part", "")):
            told = told.after(note)
        assert told.library is not None
        assert (told.library.fault, told.library.replay) == ("unreadable", desk.library.replay)
    assert desk.after(KioskNote("games", "[")).library != desk.library


def test_games_are_looked_for_by_touch() -> None:
    """A field's value narrows the list, older ones follow the last game of the list, and touching a game asks for it."""
    desk = SAMPLES["games"].desk
    state, wishes = touch(TouchState(ScreenSettings("en")), desk, "games=")
    assert (state.page, [json.loads(wish.value) for wish in wishes]) == (Page.GAMES, [{}])
    state, _ = touch(state, desk, "find=player")
    state, wishes = touch(state, desk, "found=Anna")
    assert json.loads(wishes[0].value) == {"player": "Anna"}
    state, wishes = touch(state, desk, "more=on")
    assert json.loads(wishes[0].value) == {"player": "Anna", "before": "2026-11-17-201500-a1b2c3"}
    state, wishes = touch(state, desk, "more=back")
    assert json.loads(wishes[0].value) == {"player": "Anna"}
    state, _ = touch(state, desk, "find=player")
    state, wishes = touch(state, desk, "found=")
    assert json.loads(wishes[0].value) == {}
    state, wishes = touch(state, desk, "replay=2026-11-20-201500-a1b2c3")
    assert [(wish.kind, wish.value) for wish in wishes] == [("replay", "2026-11-20-201500-a1b2c3")]
    waiting = sheet(state, desk, None, EN)
    assert waiting is not None
    assert waiting.lines == (EN["kiosk.wait"],)


def test_the_game_that_was_asked_for_last_begins_anew() -> None:
    """Although the one before it came first, and had been stepped through meanwhile."""
    desk = SAMPLES["seen-again"].desk
    assert desk.library is not None
    asked = replace(WATCHED, page=Page.REPLAY, watch=None, answers=desk.library.answers - 1)
    first = asked.settled(desk)
    assert first.watch == Watch()
    stepped = replace(first, watch=Watch(3))
    assert stepped.settled(desk).watch == Watch(3)
    assert (
        stepped.settled(replace(desk, library=replace(desk.library, answers=desk.library.answers + 1))).watch == Watch()
    )


def test_a_game_that_begins_ends_what_is_seen_again() -> None:
    """And nothing of the library is offered, or taken, where the table keeps it from everybody."""
    sample = SAMPLES["seen-again"]
    assert screen_state(sample.received, replace(WATCHED, watch=Watch(3))).strip is not None
    assert WATCHED.settled(sample.desk, playing=True).page is None
    assert WATCHED.settled(replace(sample.desk, library=None)).watch is None
    shut = replace(sample.desk, library=None)
    for key in ("games=", "replay=x", "watch=on", "find=player"):
        assert touch(TouchState(ScreenSettings("en")), shut, key) == (TouchState(ScreenSettings("en")), ())
    over = ReceivedState().after(LinkUp()).after(Status(True, 1, "0" * 16))
    assert sample.view is not None
    assert sample.view.phase is Phase.FINISHED
    assert screen_state(replace(over, desk=shut), WATCHED).strip is None
