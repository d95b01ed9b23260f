"""Everything that happened at a table, in order, on disk before anybody hears of it.

    journal = Journal.create(path, key_path)       # or .open(...), which verifies every row
    journal.write(step.facts)                      # one transaction; on disk when it returns
    for row in journal.rows(): ...                 # verified again while reading

Records, which are written from a journal and read from other programs, live in `referee.journal.records`.
Does not do: play a game again (arbitration does, from the rows), screens, sockets. Ranks are sealed with a key in another file.
"""
