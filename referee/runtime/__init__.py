"""The running application: one table from its start to its end, its game, board, archive and orders."""
