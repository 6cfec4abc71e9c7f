"""Text for people: lists, counts, amounts of memory, shares and durations."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

from forebear._util.errors import ForebearError, Parameter

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_BINARY = {"ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}


def listing(items: Sequence[str], limit: int = 5) -> str:
    """Return the first few items, separated by commas, with dots for the rest."""
    return ", ".join([*items[:limit], *(["..."] if len(items) > limit else [])])


def counted(count: int, singular: str, plural: str | None = None) -> str:
    """Format a count with its noun: "1 row", "2 rows"."""
    return f"{count:,} {singular if count == 1 else plural or singular + 's'}"


def show_range(low: int, high: int) -> str:
    """Format a range of whole numbers: "2 to 4", or "3" if both ends are equal."""
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def printable(text: str) -> str:
    """Replace control characters, which XML and HTML do not allow even if escaped."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def show_facts(title: str, facts: Iterable[tuple[str, object]]) -> str:
    """Format a title and one fact per line, for the ``repr`` of large objects."""
    lines = [f"  {name}: {printable(str(value))}" for name, value in facts]
    return "\n".join([title, *lines])


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Format the rows of a table as lines, indented, with columns of equal width."""
    texts = [[printable(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    lines = (
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in texts
    )
    return [f"  {line}".rstrip() for line in lines]


def parse_bytes(text: str | float) -> int:
    """Parse an amount of memory: ``8GB``, ``500 MB``, ``2GiB``, or a number of bytes."""
    if isinstance(text, int | float):
        amount, unit = float(text), ""
    else:
        match = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]*)?)\s*([kmgt]?i?)b?\s*", text.lower())
        if match is None or match[2] == "i":
            raise ForebearError(f"{text!r} is not an amount of memory: write for example 8GB")
        amount, unit = float(match[1]), match[2]
    size = amount * (_BINARY.get(unit) or _UNITS[unit])
    if not 1 <= size < math.inf:
        raise ForebearError(f"an amount of memory must be positive, got {text!r}")
    return int(size)


def memory_limit(max_memory: float | str | None) -> int | None:
    """Parse the parameter ``max_memory``; None means that the user sets no limit."""
    if max_memory is None:
        return None
    if not isinstance(max_memory, int | float | str) or isinstance(max_memory, bool):
        raise ForebearError(
            Parameter("max_memory"), f' must be bytes or text such as "4GB", got {max_memory!r}'
        )
    try:
        return parse_bytes(max_memory)
    except ForebearError as error:
        raise ForebearError(Parameter("max_memory"), f": {error}") from None


def show_bytes(size: float) -> str:
    """Format an amount of memory with two or three digits and a unit."""
    units = ["bytes", "kB", "MB", "GB", "TB"]
    while size >= 999.5 and len(units) > 1:
        size /= 1000
        del units[0]
    if size == 1 and units[0] == "bytes":
        return "1 byte"
    return f"{size:.2g} {units[0]}" if 0 < size < 99.5 else f"{size:,.0f} {units[0]}"


def show_share(share: float) -> str:
    """Format a share in percent, with two digits if it is small."""
    percent = 100 * share
    if 0 < percent < 0.01:
        return "less than 0.01 %"
    return f"{percent:.0f} %" if percent >= 9.95 or percent == 0 else f"{percent:.2g} %"


def show_seconds(seconds: float) -> str:
    """Format a duration in a suitable unit."""
    if seconds < 0.01:
        return "less than 0.01 s"
    if seconds < 0.995:
        return f"{seconds:.2f} s"
    if seconds < 120:
        return f"{seconds:.0f} s" if seconds >= 9.95 else f"{seconds:.1f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    if seconds < 48 * 3600:
        return f"{seconds / 3600:.1f} h"
    return f"{seconds / 86400:,.0f} days"
