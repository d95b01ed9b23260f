"""The command `hallmarshal`: one module a subcommand, each with `register(subparsers)` and `run(args) -> int`."""
