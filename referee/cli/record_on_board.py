"""`hallmarshal record show --board`: a recorded game laid out and played again on a board; here what its terminal says."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from referee.cli.record_sheet import ply_text, print_pieces
from referee.cli.table_terminal import TerminalScreen
from referee.door.front_door import WebAddressError
from referee.journal.records.model import Record
from referee.journal.records.views import pieces_after
from referee.presentation.sentences import Contact, detail, headline
from referee.rules import RuleSet
from referee.runtime.boards import BoardChoice
from referee.runtime.errors import BadInputError, UnreachableError, told_as
from referee.runtime.record_on_board import LINES, RecordedGame, Replay
from referee.table.views import Fix, Phase, PublicEvent, PublicInfo, PublicView
from referee.words import words

_MOST_NAMED = 4
"""With more squares to put right than these only the board's picture says which."""


@told_as(UnreachableError, WebAddressError)
def play_on_board(record: Record, rules: RuleSet, args: argparse.Namespace) -> int:
    """Lead whoever is at the board through the game; return the exit code."""
    if args.shot is not None or args.speed is not None or (args.spoken and not args.kiosk):
        raise BadInputError("--board goes with neither --shot nor --speed, and with --spoken only on a --kiosk")
    begin = args.begin or 0
    if not 0 <= begin <= len(record.plies):
        raise BadInputError(f"--from: the game has {len(record.plies)} moves, so 0 to {len(record.plies)}, not {begin}")
    game = RecordedGame(record, rules, begin)
    screen = _Screen(record, rules, args.lang, begin)
    choice = BoardChoice(args.board, args.board_file, args.sensing)
    if args.kiosk:
        from referee.cli.kiosk import lead_on_kiosk

        code = lead_on_kiosk(game.info(), lambda show: Replay(game, rules, choice, screen, show, stays=True), args)
    else:
        code = Replay(game, rules, choice, screen).run()
    if game.phase is not Phase.FINISHED:
        screen.note(words(args.lang).say("record.from", option=f"--from {game.ply}"))
    return code


class _Screen(TerminalScreen):
    """Says which pieces to set up and what was played; in a terminal the board is drawn, elsewhere its sentences are lines."""

    def __init__(self, record: Record, rules: RuleSet, language: str, begin: int) -> None:
        super().__init__(language)
        self._record, self._rules, self._ply, self._said = record, rules, begin, ""

    def __enter__(self) -> _Screen:
        """Print what stands where at the beginning, and what can be typed."""
        self._print_pieces()
        self.note(LINES)
        return self

    def _print_pieces(self) -> None:
        print_pieces(pieces_after(self._record, self._ply), self._rules, self._words, self._console)

    def ready(self, document: Mapping[str, Any]) -> None:
        """Show the link of a board on a screen."""
        self._say("table.screen")
        self._show_link(document["screen"])

    def event(self, event: PublicEvent, read_ns: int | None = None) -> None:
        """Say nothing: there are none."""

    def view(self, info: PublicInfo, view: PublicView) -> None:
        """Say the ply that was made, and what is to be done now; after a jump where every piece stands."""
        before, self._ply = self._ply, view.ply
        if view.ply == before + 1 and view.phase is not Phase.RESTORING:
            ply = self._record.plies[before]
            self.note(f"{view.ply:>5}  {self._words.seat(ply.seat)}  {ply_text(ply, self._words)}")
        elif view.ply != before:
            self._print_pieces()
        if self._console.is_terminal:
            super().view(info, view)
            return
        text, _, _ = headline(info, view, self._words, Contact.LIVE)
        fixes = "; ".join(map(self._fix, view.fixes)) if len(view.fixes) <= _MOST_NAMED else ""
        said = "  ".join(part for part in (text, detail(info, view, self._words), fixes) if part)
        if said != self._said:
            self._said = said
            self.note(said)

    def _fix(self, fix: Fix) -> str:
        if fix.wanted is None:
            return self._words.say("fix.empty", square=fix.square)
        return self._words.say("fix.piece", square=fix.square, seat=self._words.seat(fix.wanted))
