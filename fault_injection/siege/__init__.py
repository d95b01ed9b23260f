"""What leans on a table or a hall from outside, and a phone to sit there with; written from docs/reference/messages.md alone."""
