"""The hall while it is open: every table as it is known now, arbiters with their accounts, orders on their way, rounds on the boards."""
