"""TableSummary: the content of every column of a table, missing values, and suspicious columns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from forebear._util.errors import Message
from forebear._util.html import html_figure, html_table
from forebear._util.text import counted, listing, printable
from forebear.data.column_facts import ColumnFacts
from forebear.data.suspicions import (
    Suspect,
    Suspicion,
    find_counts,
    find_duplicates,
    suspicions_of,
    warning_about,
)

MOST_LISTED = 100
"""States with counts in JSON, and patterns of missing values: the most frequent ones."""


@dataclass(frozen=True)
class ColumnSummary:
    """The content of one column.

    Attributes
    ----------
    name
        The name of the column.
    kind
        "categorical", "ordered" or "continuous".
    values
        The type of its values: "text", "boolean", "whole numbers", "numbers",
        "dates", "states" (declared), "intervals" or "nothing".
    states
        Its states in order. For a continuous column, the smallest and the
        largest value.
    counts
        The number of rows with each state. Empty for a continuous column.
    n_distinct
        The number of distinct values.
    n_missing
        The number of rows without a value.
    suspicions
        The suspicions about the column.
    """

    name: str
    kind: str
    values: str
    states: tuple[str, ...]
    counts: tuple[int, ...]
    n_distinct: int
    n_missing: int
    suspicions: tuple[Suspicion, ...]

    @property
    def content(self) -> str:
        """The states with their counts, or the range of the values."""
        if not self.states:
            return "no values"
        if not self.counts:
            low, high = self.states
            return f"{low} to {high}, {counted(self.n_distinct, 'value')}"
        if len(self.states) <= 6:
            pairs = zip(self.states, self.counts, strict=True)
            return ", ".join(f"{state} {count:,}" for state, count in pairs)
        common = sorted(range(len(self.states)), key=lambda i: -self.counts[i])[:3]
        shown = [f"{self.states[i]} {self.counts[i]:,}" for i in common]
        return f"{counted(len(self.states), 'state')}: {', '.join(shown)}, ..."

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON.

        Returns
        -------
        dict
            The fields. ``states`` maps the most frequent states, at most 100,
            to their counts.
        """
        pairs = sorted(zip(self.counts, self.states, strict=False), key=lambda p: -p[0])
        return {
            "name": self.name,
            "kind": self.kind,
            "values": self.values,
            "distinct": self.n_distinct,
            "states": {state: count for count, state in pairs[:MOST_LISTED]},
            "range": list(self.states) if not self.counts else None,
            "missing": self.n_missing,
            "suspicions": {s.suspect.value: s.words for s in self.suspicions},
        }


class Pattern(NamedTuple):
    """A set of columns, and the number of rows in which exactly these columns are missing."""

    columns: tuple[str, ...]
    rows: int


@dataclass(frozen=True, repr=False)
class TableSummary:
    """The content of a table, column by column. ``print`` it, or display it in a notebook.

    Attributes
    ----------
    n_rows
        The number of rows.
    columns
        A ``ColumnSummary`` per column.
    n_complete
        The number of rows without any missing value.
    patterns
        The sets of columns that are missing together, the most frequent first.
    """

    n_rows: int
    columns: tuple[ColumnSummary, ...]
    n_complete: int
    patterns: tuple[Pattern, ...]

    @classmethod
    def of(cls, columns: Sequence[ColumnFacts]) -> TableSummary:
        """Summarize columns."""
        n_rows = columns[0].n_rows
        twins, counts = find_duplicates(columns), find_counts(columns)
        summaries = []
        for facts in columns:
            found = suspicions_of(facts)
            if facts.name in twins:
                found.append(Suspicion(Suspect.DUPLICATE, f"the same as {twins[facts.name]}"))
            if facts.name in counts:
                words = "no combination of the other columns occurs twice"
                found.append(Suspicion(Suspect.COUNTS, words))
            summaries.append(
                ColumnSummary(
                    name=facts.name,
                    kind=facts.kind,
                    values=facts.values,
                    states=tuple(facts.states),
                    counts=() if facts.continuous else tuple(facts.counts.tolist()),
                    n_distinct=facts.n_seen,
                    n_missing=n_rows - facts.n_present,
                    suspicions=tuple(found),
                )
            )
        n_complete, patterns = _patterns(columns, n_rows)
        return cls(n_rows, tuple(summaries), n_complete, patterns)

    def warnings(self) -> list[Message]:
        """Return one sentence per kind of suspicion, for all columns together.

        Returns
        -------
        list
            Messages, one per warning. Constant columns are left out because reading warns about
            them.
        """
        suspected: dict[Suspect, list[str]] = defaultdict(list)
        for column in self.columns:
            for suspicion in column.suspicions:
                suspected[suspicion.suspect].append(f"{column.name}: {suspicion.words}")
        return [
            warning_about(suspect, listing(suspected[suspect], 3), len(suspected[suspect]))
            for suspect in Suspect
            if suspect in suspected and suspect is not Suspect.CONSTANT
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON.

        Returns
        -------
        dict
            Rows, columns and patterns.
        """
        return {
            "rows": self.n_rows,
            "complete_rows": self.n_complete,
            "columns": [column.to_dict() for column in self.columns],
            "missing_together": [
                {"columns": list(pattern.columns), "rows": pattern.rows}
                for pattern in self.patterns[:MOST_LISTED]
            ],
        }

    def rows(self) -> list[tuple[str, str, str, str, str]]:
        """Return one line per column: name, kind, content, missing, suspicions.

        Returns
        -------
        list
            Five texts per column.
        """
        return [
            (
                _short(column.name),
                column.kind if column.values == "text" else f"{column.kind}, {column.values}",
                printable(column.content),
                f"{column.n_missing / self.n_rows:.1%} missing" if column.n_missing else "",
                "; ".join(f"{s.suspect.value} ({s.words})" for s in column.suspicions),
            )
            for column in self.columns
        ]

    def missing_lines(self, most: int = 5) -> list[str]:
        """Return a short description of the missing values.

        Parameters
        ----------
        most
            Number of patterns to list.

        Returns
        -------
        list
            The lines; empty if no value is missing.
        """
        if self.n_complete == self.n_rows:
            return []
        share = self.n_complete / self.n_rows
        lines = [f"{self.n_complete:,} of {self.n_rows:,} rows ({share:.1%}) are complete"]
        lines += [
            f"{pattern.rows:,} {'row lacks' if pattern.rows == 1 else 'rows lack'} "
            f"{listing(pattern.columns)}"
            for pattern in self.patterns[:most]
        ]
        if (more := len(self.patterns) - most) > 0:
            lines.append(f"and {counted(more, 'other pattern')}")
        return lines

    def __str__(self) -> str:
        """Show one line per column, and what is missing."""
        rows = self.rows()
        widths = [max(len(row[i]) for row in rows) for i in range(4)]
        lines = [f"{counted(self.n_rows, 'row')}, {counted(len(rows), 'column')}"]
        for row in rows:
            cells = [f"{cell:<{width}}" for cell, width in zip(row, widths, strict=False) if width]
            lines.append("  ".join([*cells, row[4]]).rstrip())
        return "\n".join([*lines, *self.missing_lines()])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Show one row per column in notebooks."""
        head = ["column", "kind", "states", "missing", "suspicions"]
        caption = "; ".join(
            [f"<strong>{counted(self.n_rows, 'row')}</strong>", *self.missing_lines()[:1]]
        )
        return html_figure(caption, html_table(head, [list(row) for row in self.rows()]))


def _patterns(columns: Sequence[ColumnFacts], n_rows: int) -> tuple[int, tuple[Pattern, ...]]:
    """Find which columns are missing together, and count the rows of every such set."""
    incomplete = [column for column in columns if column.n_present < n_rows]
    if not incomplete:
        return n_rows, ()
    names, missing = [c.name for c in incomplete], np.stack([c.missing for c in incomplete])
    packed = np.packbits(missing, axis=0).T
    rows = np.ascontiguousarray(packed).view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, first, which = np.unique(rows, return_index=True, return_inverse=True)
    counts = np.bincount(which, columns[0].weights).astype(np.int64)
    found = [
        Pattern(tuple(names[i] for i in np.flatnonzero(missing[:, first[at]])), int(counts[at]))
        for at in np.lexsort((first, -counts))
    ]
    complete = sum(pattern.rows for pattern in found if not pattern.columns)
    return complete, tuple(pattern for pattern in found if pattern.columns)


def _short(name: str, width: int = 32) -> str:
    name = printable(name)
    return name if len(name) <= width else f"{name[: width - 1]}…"
