"""Types of the benchmarks' arguments, for argparse."""

from __future__ import annotations

import argparse
import re


def above_zero(text: str) -> int:
    """Give a count of at least one. Raises `argparse.ArgumentTypeError`."""
    number = int(text)
    if number <= 0:
        raise argparse.ArgumentTypeError("must be above zero")
    return number


def factor(text: str) -> float:
    """Give a number from 0 to 1,000. Raises `argparse.ArgumentTypeError`."""
    number = float(text)
    if not 0 <= number <= 1000:  # NaN is not either
        raise argparse.ArgumentTypeError("must be a number from 0 to 1000")
    return number


def window_sizes(text: str) -> tuple[str, ...]:
    """Give the sizes between the commas, each like `800x480`. Raises `argparse.ArgumentTypeError`."""
    sizes = tuple(text.split(","))
    for size in sizes:
        if not re.fullmatch(r"[1-9]\d{0,4}x[1-9]\d{0,4}", size):
            raise argparse.ArgumentTypeError(f"widths and heights in pixels like 800x480,1024x600, not {size!r}")
    return sizes
