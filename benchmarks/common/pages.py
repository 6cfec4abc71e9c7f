"""Pages that quote recorded runs: tables are copied into them, figures are looked up.

A page has a run between two comments, which ``fill`` replaces:

    <!-- run: exact -->
    <!-- end of run -->

A paragraph or a table quotes a page of ``results/`` if it names it, or if the paragraph before the
table does. Each of its figures must be in a record of that page, perhaps with more digits.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from common.records import Record

_RUN = re.compile(r"(<!-- run: ([\w-]+) -->\n).*?(<!-- end of run -->)", re.DOTALL)
_NAMED = re.compile(r"(?:results/|`)([\w-]+)\.md")
_NOT_QUOTED = re.compile(r"```.*?```|<!--.*?-->", re.DOTALL)
_NOT_FIGURES = re.compile(r"`[^`]*`|\]\([^)]*\)|\b\w*[A-Za-z_]\w*\d\w*|\b[\d.]+-[A-Za-z]\w*")
_FIGURE = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?![\w]|\.\d)")


def fill(text: str, records: Mapping[str, Record]) -> str:
    """Replace every run of a page by its record; one that was not recorded stays as it is."""

    def insert(match: re.Match[str]) -> str:
        record = records.get(match[2])
        if record is None:
            return match[0]
        return f"{match[1]}\n{record.caption}\n\n{_as_markdown(record.printed)}\n\n{match[3]}"

    return _RUN.sub(insert, text)


def _as_markdown(printed: str) -> str:
    """Return the tables that a run printed or, if there are none, all of it as a block of code."""
    blocks = re.split(r"\n\s*\n|\n(?=\|)(?<!\|\n)", printed.strip())
    tables = [block for block in blocks if block.startswith("|")]
    return "\n\n".join(tables) if tables else f"```text\n{printed.strip()}\n```"


def unsupported(text: str, pages: Mapping[str, Sequence[Record]]) -> Iterator[tuple[str, str]]:
    """Find the figures of a page that quotes runs which no record has; yield them with the page."""
    before: list[str] = []
    for block in re.split(r"\n\s*\n", _NOT_QUOTED.sub("", text)):
        named = [name for name in _NAMED.findall(block) if name in pages]
        if block.startswith("|"):
            named = named or before
        before = named
        if named:
            known = [x for name in named for record in pages[name] for x in _recorded(record)]
            quoted = _FIGURE.findall(_NOT_FIGURES.sub(" ", block))
            yield from ((figure, named[0]) for figure in quoted if not _is_known(figure, known))


def _recorded(record: Record) -> list[float]:
    return [_number(figure) for figure in _FIGURE.findall(record.caption + "\n" + record.printed)]


def _is_known(figure: str, known: Sequence[float]) -> bool:
    digits = len(figure.partition(".")[2])
    return any(abs(round(x, digits) - _number(figure)) < 1e-9 for x in known)


def _number(figure: str) -> float:
    return float(figure.replace(",", ""))


def pages_of(root: Path) -> list[Path]:
    """List the pages of users: the README and the docs."""
    return [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
