"""Records of games: our own text, StraDoS2 XML, GSN and StraDoS3 positions in and out, five views, and their judging.

Four verbs: `formats.read_record` and `write_record`, `views.view_of`, `check.judge`. Values in, values out: no files, no
screens, and nothing of a running game; the journal builds a `Record` from its events.
"""
