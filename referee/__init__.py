"""The referee: rules, sensing, the table, its journal, the network, the running application and its commands."""


def version() -> str:
    """Return the installed version; `unknown (not installed)` when the project runs from sources that are not
    installed.
    """
    from importlib import metadata  # slow, and few ask

    try:
        return metadata.version("hallmarshal")
    except metadata.PackageNotFoundError:
        return "unknown (not installed)"
