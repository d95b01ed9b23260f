"""Messages that only their reader can open, and orders that only the station can have signed."""
