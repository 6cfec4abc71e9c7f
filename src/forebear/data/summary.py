"""TableSummary: what every column of a table holds, what is missing, and what is suspicious."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from forebear._util.html import html_figure, html_table
from forebear._util.text import counted, listing, printable
from forebear.data.suspicions import (
    Facts,
    Suspect,
    Suspicion,
    find_duplicates,
    find_numberings,
    suspicions_of,
    warning_about,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from forebear._util.errors import Message

_STATES_SHOWN = 6
_PATTERNS_SHOWN = 5
_NAME_WIDTH = 32
_DIGITS = 20
MOST_STATES = 100
"""States with counts in JSON; a column with more names only its most frequent ones."""


class Look(NamedTuple):
    """A column as the coding sees it: codes of the rows that have a value, states, gaps."""

    name: str
    kind: str
    values: str
    states: Sequence[str]
    codes: NDArray[Any]
    present: NDArray[np.bool_] | None
    """Which rows have a value; None if all have."""


@dataclass(frozen=True)
class ColumnSummary:
    """What one column holds.

    Attributes
    ----------
    name
        The name of the column.
    kind
        "categorical", "ordered" or "continuous".
    values
        What its values are: "text", "boolean", "whole numbers", "numbers",
        "dates", "states" (declared), "intervals" or "nothing".
    states
        Its states in order; of a continuous column the smallest and the largest
        value.
    counts
        The number of rows of every state; nothing for a continuous column.
    n_distinct
        The number of distinct values.
    n_missing
        The number of rows without a value.
    suspicions
        What is suspicious about it.
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
        if len(self.states) <= _STATES_SHOWN:
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
            The fields; ``states`` maps at most 100 states to their counts, the
            most frequent ones.
        """
        pairs = sorted(zip(self.counts, self.states, strict=False), key=lambda p: -p[0])
        return {
            "name": self.name,
            "kind": self.kind,
            "values": self.values,
            "distinct": self.n_distinct,
            "states": {state: count for count, state in pairs[:MOST_STATES]},
            "range": list(self.states) if not self.counts else None,
            "missing": self.n_missing,
            "suspicions": {s.suspect.value: s.words for s in self.suspicions},
        }


class Pattern(NamedTuple):
    """Columns that are missing together, and in how many rows exactly these are."""

    columns: tuple[str, ...]
    rows: int


@dataclass(frozen=True, repr=False)
class TableSummary:
    """What a table holds, column by column. ``print`` it, or see it in a notebook.

    Attributes
    ----------
    n_rows
        The number of rows.
    columns
        A ``ColumnSummary`` per column.
    n_complete
        The number of rows without any missing value.
    patterns
        Which columns are missing together, the most frequent first.
    """

    n_rows: int
    columns: tuple[ColumnSummary, ...]
    n_complete: int
    patterns: tuple[Pattern, ...]

    @classmethod
    def of(
        cls,
        looks: Sequence[Look],
        n_rows: int,
        numberings: Mapping[str, Suspicion] = MappingProxyType({}),
    ) -> TableSummary:
        """Summarise columns; of some it may be known already what their numbers look like."""
        facts = [facts_of(look) for look in looks]
        numberings = {**find_numberings(facts), **numberings}
        twins = find_duplicates(facts)
        columns = []
        for look, own in zip(looks, facts, strict=True):
            found = suspicions_of(own, numberings.get(look.name))
            if look.name in twins:
                found.append(Suspicion(Suspect.DUPLICATE, f"the same as {twins[look.name]}"))
            columns.append(_column(look, own, n_rows, tuple(found)))
        n_complete, patterns = _patterns(looks, n_rows)
        return cls(n_rows, tuple(columns), n_complete, patterns)

    def warnings(self, but: Suspect | None = None) -> list[Message]:
        """Return one sentence per kind of suspicion, however many columns there are.

        Parameters
        ----------
        but
            A kind of suspicion to leave out. Default: none.

        Returns
        -------
        list
            Messages, for a warning each.
        """
        suspected: dict[Suspect, list[str]] = defaultdict(list)
        for column in self.columns:
            for suspicion in column.suspicions:
                suspected[suspicion.suspect].append(f"{column.name}: {suspicion.words}")
        return [
            warning_about(suspect, listing(suspected[suspect], 3), len(suspected[suspect]))
            for suspect in Suspect
            if suspect in suspected and suspect is not but
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
                for pattern in self.patterns[:MOST_STATES]
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

    def missing_lines(self) -> list[str]:
        """Return what is missing in a few lines.

        Returns
        -------
        list
            Nothing if no value is missing.
        """
        if self.n_complete == self.n_rows:
            return []
        share = self.n_complete / self.n_rows
        lines = [f"{self.n_complete:,} of {self.n_rows:,} rows ({share:.1%}) are complete"]
        lines += [
            f"{pattern.rows:,} {'row lacks' if pattern.rows == 1 else 'rows lack'} "
            f"{listing(pattern.columns)}"
            for pattern in self.patterns[:_PATTERNS_SHOWN]
        ]
        if (more := len(self.patterns) - _PATTERNS_SHOWN) > 0:
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


def facts_of(look: Look) -> Facts:
    """Return what a suspicion is based on."""
    counts = np.bincount(look.codes, minlength=len(look.states)).astype(np.int64)
    continuous = look.kind == "continuous"
    # Names of states may have thousands of digits, which Python does not read as a number.
    whole = look.values == "whole numbers" and max(map(len, look.states), default=0) <= _DIGITS
    return Facts(look.name, continuous, look.states, counts, look.codes, look.present, whole)


def _column(
    look: Look, facts: Facts, n_rows: int, suspicions: tuple[Suspicion, ...]
) -> ColumnSummary:
    n_missing = 0 if look.present is None else n_rows - len(look.codes)
    states: Sequence[str] = look.states
    counts: Sequence[int] = facts.counts.tolist()
    if look.kind == "continuous":
        counts = ()
        states = (states[0], states[-1]) if len(states) else ()
    return ColumnSummary(
        look.name,
        look.kind,
        look.values,
        tuple(states),
        tuple(counts),
        int((facts.counts > 0).sum()),
        n_missing,
        suspicions,
    )


def _patterns(looks: Sequence[Look], n_rows: int) -> tuple[int, tuple[Pattern, ...]]:
    """Find which columns are missing together, and count the rows of every such set."""
    gaps = [look for look in looks if look.present is not None and not look.present.all()]
    if not gaps:
        return n_rows, ()
    missing = ~np.stack([look.present for look in gaps if look.present is not None])
    packed = np.packbits(missing, axis=0).T
    rows = np.ascontiguousarray(packed).view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, first, counts = np.unique(rows, return_index=True, return_counts=True)
    order = np.lexsort((first, -counts))
    found = [
        Pattern(tuple(gaps[i].name for i in np.flatnonzero(missing[:, first[at]])), int(counts[at]))
        for at in order
    ]
    complete = sum(pattern.rows for pattern in found if not pattern.columns)
    return complete, tuple(pattern for pattern in found if pattern.columns)


def _short(name: str) -> str:
    name = printable(name)
    return name if len(name) <= _NAME_WIDTH else f"{name[: _NAME_WIDTH - 1]}…"
