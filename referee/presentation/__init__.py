"""What is shown of a table, as values: sentences, clocks, trays, the board, colours and shapes. Kiosk, terminal and phone draw it."""
