"""`hallmarshal record show --board`: a recorded game laid out and played again on a board; here what its terminal says."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from firmware_bridge.sources import is_simulated
from referee.cli.record_sheet import ply_text, print_pieces
from referee.cli.table_terminal import TerminalScreen
from referee.door.front_door import WebAddressError
from referee.journal.records.check import judge
from referee.journal.records.model import Record
from referee.journal.records.views import pieces_after
from referee.presentation.sentences import Contact, detail, headline
from referee.rules import RuleSet
from referee.runtime.boards import BoardChoice, playable_board
from referee.runtime.errors import BadInputError, UnreachableError, told_as
from referee.runtime.record_on_board import LINES, BoardReplay, RecordPlayback
from referee.table.views import Fix, Phase, PublicEvent, PublicInfo, PublicView
from referee.words import words

_MOST_NAMED = 4
"""A line names so many of the squares to put right, and how many more there are; the board's picture marks all of them."""


@told_as(UnreachableError, WebAddressError)
def play_on_board(record: Record, rules: RuleSet, own_rules: RuleSet | None, args: argparse.Namespace) -> int:
    """Lead whoever is at the board through the game; return the exit code. `own_rules` judge it in place of the record's own."""
    if args.shot is not None or args.speed is not None or (args.spoken and not args.kiosk):
        raise BadInputError("--board goes with neither --shot nor --speed, and with --spoken only on a --kiosk")
    record, illegal = _legal_part(record, own_rules, args)
    begin, most = args.begin or 0, len(record.plies)
    if not 0 <= begin <= most:
        raise BadInputError(f"--from: after 0 to {most} moves of this game, not {begin}. {illegal}".strip(". "))
    game = RecordPlayback(record, rules, begin)
    screen = _Screen(record, rules, args.lang, begin, illegal)
    file = args.board_file or (playable_board(rules).id if is_simulated(args.board) else None)
    choice = BoardChoice(args.board, file, args.sensing)
    typed = args.file != "-"  # the end of that stdin was the record's
    if args.kiosk:
        from referee.cli.kiosk import lead_on_kiosk

        code = lead_on_kiosk(
            game.info(), lambda show: BoardReplay(game, rules, choice, screen, show, stays=True, typed=typed), args
        )
    else:
        code = BoardReplay(game, rules, choice, screen, typed=typed).run()
    if game.phase is not Phase.FINISHED:
        screen.note(words(args.lang).say("record.from", option=f"--from {game.ply}"))
    elif illegal:
        screen.note(illegal)
    return code


def _legal_part(record: Record, own_rules: RuleSet | None, args: argparse.Namespace) -> tuple[Record, str]:
    """Return the game up to its first illegal move, and what is said of that move; all of a legal game, and nothing.

    Raises `BadInputError` for a set-up that no game can begin from.
    """
    judgement, said = judge(record, own_rules), words(args.lang)
    if judgement.legal:
        return record, ""
    if judgement.ply is None or not record.plies:
        raise BadInputError(f"{args.file}: the set-up is against the rules ({'; '.join(judgement.details)})")
    ply = record.plies[judgement.ply - 1]
    move = f"{said.seat(ply.seat)} {ply_text(ply, said)}"
    why = said.get(f"refusal.{judgement.details[0]}", "")
    text = said.say("record.illegal", number=judgement.ply, move=move)
    return replace(record, plies=record.plies[: judgement.ply - 1], result=None), f"{text}  {why}".rstrip()


class _Screen(TerminalScreen):
    """Prints which pieces to set up and what was played; in a terminal the board is drawn, elsewhere its sentences are lines."""

    def __init__(self, record: Record, rules: RuleSet, language: str, begin: int, illegal: str) -> None:
        super().__init__(language)
        self._record, self._rules, self._ply, self._illegal = record, rules, begin, illegal
        self._said: tuple[str, ...] = ()

    def __enter__(self) -> _Screen:
        """Print what stands where at the beginning, and what can be typed."""
        self._print_pieces()
        if self._illegal:
            self.note(self._illegal)
        self.note(LINES)
        return self

    def _print_pieces(self) -> None:
        print_pieces(pieces_after(self._record, self._ply), self._rules, self._words, self._console)

    def ready(self, document: Mapping[str, Any]) -> None:
        """Show the link of a board on a screen."""
        self._say("table.screen")
        self._show_link(document["screen"])

    def event(self, event: PublicEvent, read_ns: int | None = None) -> None:
        """Print nothing: there are none."""

    def view(self, info: PublicInfo, view: PublicView) -> None:
        """Print the ply that was made, and what is to be done now; after a jump where every piece stands."""
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
        named = "; ".join(map(self._fix, view.fixes[:_MOST_NAMED]))
        said = (text, detail(info, view, self._words).replace("\n", " "), named)
        if said != self._said:  # how many more there are changes with each piece that is set down: not said each time
            self._said = said
            more = len(view.fixes) - _MOST_NAMED
            rest = f"; {self._words.say('saw.more', number=more)}" if more > 0 else ""
            self.note("  ".join(part for part in (text, said[1], named + rest) if part))

    def _fix(self, fix: Fix) -> str:
        if fix.wanted is None:
            return self._words.say("fix.empty", square=fix.square)
        return self._words.say("fix.piece", square=fix.square, seat=self._words.seat(fix.wanted))
