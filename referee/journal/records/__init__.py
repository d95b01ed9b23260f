"""Records of games: our own text, StraDoS2 XML, GSN and StraDoS3 positions in and out, five views, and their judging.

Four verbs: `read_record` and `write_record` (formats), `view_of` (views), `judge` (check). Values in, values out: no files, no
screens, and nothing of a running game; the journal builds a `Record` from its events.
"""

from referee.journal.errors import NotShownError, RecordError, RecordFormatError
from referee.journal.records.audit import Audit, Finding, audit
from referee.journal.records.check import Judgement, completed, judge, set_up_faults
from referee.journal.records.formats import MOST_BYTES, WRITERS, read_record, write_record
from referee.journal.records.model import (
    Correction,
    CorrectionKind,
    Decision,
    GiveUp,
    Ply,
    Record,
    SetUp,
    View,
    action_text,
    option_text,
    plain,
    rules_of,
    winner_word,
)
from referee.journal.records.views import view_of

__all__ = [
    "MOST_BYTES",
    "WRITERS",
    "Audit",
    "Correction",
    "CorrectionKind",
    "Decision",
    "Finding",
    "GiveUp",
    "Judgement",
    "NotShownError",
    "Ply",
    "Record",
    "RecordError",
    "RecordFormatError",
    "SetUp",
    "View",
    "action_text",
    "audit",
    "completed",
    "judge",
    "option_text",
    "plain",
    "read_record",
    "rules_of",
    "set_up_faults",
    "view_of",
    "winner_word",
    "write_record",
]
