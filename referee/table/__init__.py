"""The table itself: states, attacks, declarations, views. Values and times in, values out; no socket, no file, no clock."""
