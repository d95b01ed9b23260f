"""What `doctor` and `calibrate` ask for: which board, and what is known of it. Imports nothing heavy."""

from __future__ import annotations

from referee.cli.command import Parser


def add_board_arguments(parser: Parser) -> None:
    """Add the options that both commands have."""
    parser.add_argument(
        "--board", required=True, metavar="URL", help="serial:PATH, gpio:FILE, replay:FILE or sim:[?OPTIONS]"
    )
    parser.add_argument(
        "--board-file", metavar="NAME", help="a board file, or its name (default: the one that the board names)"
    )
    parser.add_argument("--sensing", choices=("colour", "occupancy"), help="sensors of a simulated board")
    parser.add_argument("--rules", metavar="NAME", help="rule set whose set-up to expect (default: one for this board)")
    parser.add_argument("--json", action="store_true", help="print one JSON document and nothing else")
