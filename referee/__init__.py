"""The referee: rules, sensing, the table, its journal, the network, the running application and its commands."""


def version() -> str:
    """Give the installed version; `unknown` when the project runs from its sources without being installed."""
    from importlib import metadata  # slow, and few ask

    try:
        return metadata.version("hallmarshal")
    except metadata.PackageNotFoundError:
        return "unknown (not installed)"
