"""HTML for notebooks: captions, tables, probabilities and escaped text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import NamedTuple

from forebear._util.text import printable


def escaped(text: object) -> str:
    """Escape text for HTML, and replace control characters, which HTML does not allow."""
    return escape(printable(str(text)))


class Cell(NamedTuple):
    """A table cell with a style in CSS."""

    text: str
    style: str


def html_table(header: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    """Return a table of values, which are escaped."""
    head = "".join(f"<th>{escaped(cell)}</th>" for cell in header)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(cell: object) -> str:
    if isinstance(cell, Cell):
        return f'<td style="{cell.style}">{escaped(cell.text)}</td>'
    return f"<td>{escaped(cell)}</td>"


def html_facts(facts: Iterable[tuple[str, object]]) -> str:
    """Return a table with one fact per row: its name and its value, both escaped."""
    rows = "".join(
        f'<tr><th scope="row">{escaped(name)}</th><td>{escaped(value)}</td></tr>'
        for name, value in facts
    )
    return f"<table><tbody>{rows}</tbody></table>"


def html_figure(caption: str, content: str) -> str:
    """Return content with a caption above it; both are HTML already."""
    return (
        '<figure style="margin:0;max-width:100%">'
        f'<figcaption style="margin-bottom:.6em">{caption}</figcaption>{content}</figure>'
    )
