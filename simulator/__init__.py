"""A board without a board: magnets on squares (`board.SimBoard`), hands that move them (`players.Hands`), the firmware's own messages.

Everything runs in board time that is passed in; `simulator.process` puts it behind a real pty. Knows no rule and no rank: a piece is
a magnet with a pole.
"""
