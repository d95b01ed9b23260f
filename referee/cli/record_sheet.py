"""A record on paper: players, set-up, plies and result, in a language of the player's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from referee.cli.rules import board_picture, seat_signs
from referee.journal.records.model import Correction, CorrectionKind, Decision, GiveUp, Ply, Record
from referee.rules import Infiltrate, MoveSlider, Pass, Recruit, RuleSet, TakeFlags
from referee.rules.ruleset import name_now
from referee.rules.values import Rank, Seat, Square
from referee.table.event_actions import action_text
from referee.terminal import TerminalConsole
from referee.words import Words, words


def print_record(record: Record, rules: RuleSet, language: str) -> None:
    """Print a record with all that its view holds."""
    said, out = words(language), TerminalConsole()
    for label, text in _header(record, said):
        out.print(said.labelled(label, text))
    if record.set_ups:
        out.print()
        out.print(said["record.set-up"], style="bold")
        print_pieces(record.set_ups, rules, said, out)
    out.print()
    out.print(said.labelled(said["record.plies"], len(record.plies)), style="bold")
    for decision in record.before:
        out.print(f"       {_decision(decision, said)}")
    width = max((len(said.seat(seat)) for seat in record.seats), default=0)
    for number, ply in enumerate(record.plies, start=1):
        out.print(f"{number:>5}  {said.seat(ply.seat):<{width}}  {ply_text(ply, said)}")
    if record.corrections:
        out.print()
        out.print(f"{said['record.corrections']}:", style="bold")
        for correction in record.corrections:
            out.print(f"{correction.ply:>5}  {correction_text(correction, said)}")
    out.print()
    out.print(said.labelled(said["record.result"], _result(record, rules, said)), style="bold")


def ply_text(ply: Ply, said: Words) -> str:
    """Return a ply as what was done, as a score sheet says it."""
    words_of_ply = [_action(ply, said)]
    if ply.result is not None:
        verdict = said[f"verdict.{ply.result.value}"]
        ranks = f"{said.rank(ply.attacker)} / {said.rank(ply.defender)}"
        words_of_ply.append(verdict if isinstance(ply.action, Infiltrate) else said.labelled(ranks, verdict))
    words_of_ply += [_decision(decision, said) for decision in ply.decisions]
    return "  ".join(words_of_ply)


def correction_text(correction: Correction, said: Words) -> str:
    """Return what was corrected, by whom, and why if this view may know."""
    seat = said.seat(correction.seat) if correction.seat is not None else ""
    text = {
        CorrectionKind.TAKEN_BACK: said.say("record.back", number=correction.ply),
        CorrectionKind.VOIDED: said.say("record.voided", number=correction.ply),
        CorrectionKind.CLOCK: said.say("record.clock-set", seat=seat),
        CorrectionKind.PENALTY: said.say("record.penalty", seat=seat),
        CorrectionKind.RULING: said["record.ruling"] + (f" ({seat})" if seat else ""),
        CorrectionKind.ENDED: said["record.ended"],
    }[correction.kind]
    by = said["record.by-all" if correction.word == "agreed" else "record.by-arbiter"]
    why = f": {correction.reason}" if correction.reason else ""
    return f"{text}, {by}{why}"


def _action(ply: Ply, said: Words) -> str:
    if isinstance(ply.action, Pass):
        return said["record.pass"]
    if isinstance(ply.action, Infiltrate):
        text = action_text(ply.action, True).partition("=")[0]
        return f"{text} ({said.rank(ply.action.guess)})"
    return action_text(ply.action, ply.result is not None)


def _decision(decision: Decision, said: Words) -> str:
    seat = said.seat(decision.seat)
    match decision.choice:
        case MoveSlider(up=up):
            return f"+ {said.say('record.slider-up' if up else 'record.slider-stays', seat=seat)}"
        case Recruit(piece=None):
            return f"+ {said.say('record.recruits-nobody', seat=seat)}"
        case Recruit():
            return f"+ {said.say('record.recruits', seat=seat, square=decision.square or '')}"
        case TakeFlags(flags=flags):
            taken = ", ".join(said.seat(flag) for flag in flags) or said["record.no-flag"]
            return f"+ {said.say('record.takes-flags', seat=seat, flags=taken)}"
        case GiveUp():
            return f"+ {said.say('record.gives-up', seat=seat)}"


def _header(record: Record, said: Words) -> Iterator[tuple[str, str]]:
    view = (
        said.say("view.seat", seat=said.seat(record.view.seat))
        if record.view.seat
        else said[f"view.{record.view.value}"]
    )
    yield said["record.view"], view
    yield said["record.rules"], said.get(f"rule-set.{record.rules}", record.rules)
    for name, value in record.options.items():
        yield said.get(f"option.{name_now(name)}", name), value
    yield said["record.mode"], said[f"mode.{record.mode.value}"] + "; " + said[f"reveal.{record.reveal.value}"]
    for key in ("date", "event", "round", "table"):
        if (text := getattr(record, key)) is not None:
            yield said[f"record.{key}"], text
    for seat, name in record.names.items():
        yield said.seat(seat), name


def print_pieces(
    armies: Mapping[Seat, Mapping[Square, Rank | None]], rules: RuleSet, said: Words, out: TerminalConsole
) -> None:
    """Print where pieces stand, as far as it is known which."""
    marks: dict[Square, str] = {}
    signs = seat_signs(rules, said)
    for seat, pieces in armies.items():
        marks |= {square: signs[seat].lower() + _sign(rules, rank, said) for square, rank in pieces.items()}
    for line in board_picture(rules, marks, max(map(len, marks.values()), default=1)):
        out.print("  " + line, soft_wrap=True)


def _sign(rules: RuleSet, rank: Rank | None, said: Words) -> str:
    """Return the rank's number, or its capital letter where it has none."""
    if rank is None:
        return "?"
    number = rules.number(rank)
    return said.rank(rank)[0] if number is None else str(number)


def _result(record: Record, rules: RuleSet, said: Words) -> str:
    if record.result is None:
        return said["result.none"]
    winner = record.result.winner_word
    if winner is None:
        who = said["result.none"]
    elif winner == "draw":
        who = said["result.draw"]
    else:
        who = said.wins(rules.partners(Seat(winner)))
    return f"{who} ({said[f'end.{record.result.reason.value}']})"
