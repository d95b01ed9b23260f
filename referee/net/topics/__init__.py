"""The topics as a table, the values that go over them, and their bytes."""
