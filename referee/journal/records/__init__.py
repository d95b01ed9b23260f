"""Records of games: our own text, StraDoS2 XML, GSN and StraDoS3 positions in and out, five views, and their judging.

Four verbs: `read_record` and `write_record` (formats), `view_of` (views), `judge` (check). Values in, values out: no files, no
screens, and nothing of a running game; the journal builds a `Record` from its events.
"""

from referee.journal.records.check import completed, judge
from referee.journal.records.formats import read_record, write_record
from referee.journal.records.model import Decision, Ply, Record, SetUp, View
from referee.journal.records.views import view_of

__all__ = ["Decision", "Ply", "Record", "SetUp", "View", "completed", "judge", "read_record", "view_of", "write_record"]
