"""The table itself: states, attacks, declarations, views. Values and times in, values out; no socket, no file, no clock.

A table is a state machine whose inputs are logged (event sourcing): `Table.apply(input, now_ms)` returns one `Step`, which holds all
that follows from the input, and the step's facts are on disk before anybody hears of it. The same facts put in again give the same
table (`replay`), after a restart or in an audit. The game is kept twice (`dual_game`): as everybody knows it, and as the referee does;
whatever goes to a screen is a projection of one of the two (`projections`). `table` says how phases, inputs and steps go together, and
what holds at any time.
"""
