"""The writers of generated files: each a function from the wire to a whole text."""
