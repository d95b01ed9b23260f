"""Cases that an arbiter decides: what the page offers, what the rules say, what is done, and the tests that show it.

python -m tests.hall.arbiter_cases      writes docs/how-to/arbiter-cases.md anew; a test fails when it is stale, or names no test
"""

from __future__ import annotations

from dataclasses import dataclass

from tests.hall.hall_faults import ROOT, missing_of, shown_by, with_table

PAGE = ROOT / "docs" / "how-to" / "arbiter-cases.md"


@dataclass(frozen=True, slots=True)
class Case:
    """One row. `rule` begins with its source: B a booklet, I the federation's rules, D ours where both are silent."""

    what: str
    offers: str
    rule: str
    done: str
    tests: tuple[str, ...]


_EXAM = "hall/test_arbiters_exam.py::"
CASES = (
    Case(
        "a player is late, his round is published",
        "*Came late*: two who are free play at one table more",
        "D: no text says how long one waits; the chief says so before the event",
        "they are paired, their board begins, the log says why",
        (f"{_EXAM}test_late_players_play_after_all",),
    ),
    Case(
        "a player does not come",
        "the result *Blue absent*, or *Both absent*; *Withdraw* for the rounds to come; *Check-in* before a round",
        "D: lost by absence is 0 points, a loss at the board 1; it is no meeting, so the two may still meet",
        "the board's game ends without a result, the event has the absence",
        (
            f"{_EXAM}test_who_does_not_come_loses_by_absence",
            "tournament/test_acts.py::test_who_is_not_checked_in_is_free",
        ),
    ),
    Case(
        "the set-up's time is over",
        "the table ends it by itself where `clock.set-up-minutes` is set; *Set a clock* before that",
        "D: no booklet has a time; the setting is off unless the table's file names it",
        "who is not ready has lost against the one who is; else the arbiter pauses, gives minutes, or rules",
        (
            f"{_EXAM}test_the_time_for_the_set_up_is_over",
            "table/test_clocks.py::test_all_time_is_accounted_for",
            "table/test_pausing.py::test_a_pause_while_setting_up_looks_at_the_board_anew",
        ),
    ),
    Case(
        "*he touched that piece*",
        "touch the square: was it lifted and put back, when, did its piece ever run",
        "I: tapping an enemy or releasing on another square is a move; B: released is final, lifting alone is none",
        "no order is needed where it was only lifted; *Penalty* where it was done to disturb",
        ("hall/test_orders_to_tables.py::test_facts_settle_a_dispute_and_show_no_rank",),
    ),
    Case(
        "a wrong rank was said",
        "*Redo an attack* for that move: both are asked again, later moves are undone",
        "B: both ranks are announced; D: an error in it is no offence the first time, *Penalty* the second",
        "the table asks anew and the hands put the board back; nobody hears what was said before",
        (
            f"{_EXAM}test_a_wrong_rank_that_was_said_is_asked_anew",
            "table/test_orders.py::test_a_voided_verdict_is_asked_about_anew",
            "table/test_orders.py::test_what_was_declared_for_a_voided_verdict_reaches_nobody",
        ),
    ),
    Case(
        "an illegal move, perhaps after the flag fell",
        "0:00 on the page; the table refuses the move and says which squares to put right",
        "D: an illegal move is undone (option `immobile_moved` for bombs and flag); the flag that fell first decides",
        "the table ends the game on time by itself; where its clock was wrong *Undo moves*, *Set a clock*, and the result is cleared",
        (f"{_EXAM}test_a_flag_that_fell_by_mistake",),
    ),
    Case(
        "a repetition is claimed",
        "∞ on the page, and on the phones which squares are barred; the table itself refuses what is too much",
        "B: not more than three times between two squares; I: the chase rule, by positions of tracked pieces",
        "nothing: neither rule needs a claim; *Ruling* where players want it written down",
        (
            f"{_EXAM}test_a_repetition_is_claimed_and_needs_no_ruling",
            "table/test_play.py::test_the_two_squares_rule_bars_the_fourth_crossing_and_says_so",
            "table/test_wishes.py::test_the_mover_is_warned_of_what_the_repetition_rules_bar",
        ),
    ),
    Case(
        "*I can’t move*",
        "? on the page; the opponent is asked, and may say no",
        "B: who cannot move has lost; I: neither side can, a draw",
        "agreed: the table ends the game; disputed: *Result*, the chief's",
        (
            f"{_EXAM}test_who_cannot_move_is_disputed_and_the_chief_rules",
            "table/test_play.py::test_a_claim_is_the_movers_and_the_opponent_answers",
        ),
    ),
    Case(
        "a phone is lost, broken or empty",
        "¬ on the page, with the seat; *Reconnect a phone* shows a new code at the table, the old phone is disconnected",
        "D: the mover's own clock runs on after a short grace",
        "paired anew, or it comes back by itself",
        (f"{_EXAM}test_a_lost_phone_gets_its_seat_again", "table/test_outages.py::test_what_an_outage_costs_the_mover"),
    ),
    Case(
        "the board breaks, perhaps in mid-attack",
        "○ or ~ on the page with what to do; *Pause*, *Adjourn*, *Undo moves*, *Result*",
        "D: played on from the last position that the board knew; a result only if both agree or the chief rules",
        "it stands still and goes on after a restart where it was, or gets a result that becomes the event's",
        (
            f"{_EXAM}test_a_board_that_breaks_is_adjourned_and_then_ruled",
            "table/test_corrections.py::test_an_open_attack_goes_with_its_ply",
        ),
    ),
    Case(
        "talk, notes, a hand over the board",
        "*Pause*, *Penalty* with its reason, *Set a clock*, *Resume*",
        "B: notes are forbidden; D: what it costs is the arbiter's: time, then the game",
        "noted in the table's journal, where the room does not read it",
        (f"{_EXAM}test_talk_and_notes_are_a_penalty_that_costs_time",),
    ),
    Case(
        "they sat the wrong way round",
        "*Change, seats* as long as there is no result; *they sat the other way round* afterwards, in any round",
        "D: who sat red began; a game that is played counts, and the next seats are chosen by where they really sat",
        "the game begins anew, or the event alone is corrected",
        (
            "tournament/test_acts.py::test_all_rounds_can_be_corrected",
            "hall/test_hall_clock.py::test_a_table_that_has_more_time_keeps_it_and_a_later_game_is_told_what_is_left",
        ),
    ),
    Case(
        "the result was a wrong slip, or agreed beforehand",
        "the result's list in any round, with a reason; *Undo* in the log; *both lose*",
        "I: both may be given the loss (game rules, 4.3)",
        "standings follow, the pairings of rounds that were published stay, phones and record keep how the game ended",
        (
            f"{_EXAM}test_a_wrong_slip_of_an_earlier_day",
            "hall/test_event_together.py::test_the_log_names_who_and_undo_brings_back",
        ),
    ),
    Case(
        "the round's time is over",
        "0:00 and *The round ends at* on the page; a table may have minutes of its own",
        "D: what is on then is the arbiter's, or a draw, as the chief says with the time",
        "an attack is settled first; then *Result*, *Resume* with minutes, or a draw by itself",
        ("hall/test_hall_clock.py::test_the_round_ends_at_all_tables_as_the_chief_said",),
    ),
    Case(
        "two arbiters rule at once",
        "the slower one reads what the other did",
        "D: the first that the station has counts",
        "one is carried out, the other changes nothing",
        (
            "hall/test_orders_to_tables.py::test_two_arbiters_who_rule_at_once",
            "hall/test_event_together.py::test_the_slower_of_two_is_told_what_the_other_did",
        ),
    ),
)


def page() -> str:
    """Return the whole page with today's table."""
    rows = ((case.what, case.offers, case.rule, case.done, shown_by(case.tests)) for case in CASES)
    heads = ("case", "the page offers", "the rules say", "what is done", "shown by")
    return with_table(PAGE, "cases", heads, rows)


def missing() -> list[str]:
    """Return the tests that are named but do not exist."""
    return missing_of(test for case in CASES for test in case.tests)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
