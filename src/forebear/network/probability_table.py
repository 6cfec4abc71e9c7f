"""ProbabilityTable: the distributions of one variable, one per state of some others."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from forebear._util.checks import check_choice
from forebear._util.errors import ForebearError
from forebear._util.html import escaped, html_figure, html_table
from forebear._util.text import aligned, counted, listing, printable
from forebear.data.frames import enum_series
from forebear.network.distribution import (
    Distribution,
    Key,
    as_key,
    shaded,
    show_probability,
    state_index,
)

if TYPE_CHECKING:
    import polars as pl

ROWS_SHOWN, STATES_SHOWN = 20, 12
"""Rows and columns that ``repr`` and notebooks show; ``to_text`` and ``to_frame`` have all."""


@dataclass(frozen=True, eq=False, repr=False)
class ProbabilityTable(Mapping[Key, Distribution]):
    """The distributions of one variable, one per combination of the states of some others.

    It is a mapping from the states of the others, its ``parents``, to distributions. With one
    parent the key is a state; with several, or none, it is a tuple of states.

    Attributes
    ----------
    variable
        The name of the variable.
    states
        Its states: the columns.
    parents
        The names of the variables that are conditioned on: the index.
    parent_states
        The states of every parent.
    probabilities
        An array with one axis per parent and the states of the variable along the last axis.

    Examples
    --------
    >>> from forebear import read_fitted
    >>> table = read_fitted("example:orchard.bif").cpt("hail")
    >>> table
    P(hail | summer)
      summer  no      yes
      cool    0.9700  0.0300
      warm    0.9000  0.1000
      hot     0.7000  0.3000
    >>> table["hot"]["yes"]
    0.3
    """

    variable: str
    states: tuple[str, ...]
    parents: tuple[str, ...]
    parent_states: tuple[tuple[str, ...], ...]
    probabilities: NDArray[np.float64]

    def __getitem__(self, key: Key) -> Distribution:
        """Return the distribution for a state of the parent, or for one state per parent."""
        given = as_key(key)
        if len(given) != len(self.parents):
            parents = f" ({listing(self.parents)})" if self.parents else ""
            raise ForebearError(
                f"the table of {self.variable} has {counted(len(self.parents), 'parent')}"
                f"{parents}: give one state per parent, got {counted(len(given), 'state')}"
            )
        pairs = list(zip(self.parents, self.parent_states, given, strict=True))
        codes = [state_index(*one) for one in pairs]
        named = {p: own[code] for (p, own, _), code in zip(pairs, codes, strict=True)}
        return self._distribution(self.probabilities[tuple(codes)], named)

    def _distribution(self, row: NDArray[np.float64], given: dict[str, str]) -> Distribution:
        return Distribution((self.variable,), (self.states,), row, given)

    def __iter__(self) -> Iterator[Key]:
        """Iterate over the states of the parents; those of the last vary fastest."""
        if len(self.parents) == 1:
            return iter(self.parent_states[0])
        return itertools.product(*self.parent_states)

    def __len__(self) -> int:
        """Return the number of rows."""
        return self.probabilities.size // len(self.states)

    @property
    def title(self) -> str:
        """The formula of the table, such as P(wet | rain)."""
        return f"P({self.variable}{f' | {listing(self.parents)}' if self.parents else ''})"

    def to_frame(self, library: Literal["polars", "pandas"] = "polars") -> pl.DataFrame | Any:
        """Return a data frame with one row per combination of the states of the parents.

        Parameters
        ----------
        library
            "polars": the parents are the first columns. "pandas": they are the index. Default
            "polars".

        Returns
        -------
        polars.DataFrame or pandas.DataFrame
            One column per state of the variable. A state that is also the name of a parent gets
            an underscore as a column of a Polars frame.
        """
        check_choice(("polars", "pandas"), library=library)
        rows = self.probabilities.reshape(-1, len(self.states))
        if library == "pandas":
            return self._pandas_frame(rows)
        import polars as pl

        cells = np.indices(self.probabilities.shape[:-1]).reshape(len(self.parents), len(self))
        index = zip(self.parents, cells, self.parent_states, strict=True)
        columns = [enum_series(*column) for column in index]
        taken = {*self.parents}
        for state, values in zip(self.states, rows.T, strict=True):
            name = state
            while name in taken:
                name += "_"
            taken.add(name)
            columns.append(pl.Series(name, values))
        return pl.DataFrame(columns)

    def _pandas_frame(self, rows: NDArray[np.float64]) -> Any:
        import pandas as pd

        index = None
        if len(self.parents) == 1:
            index = pd.Index(self.parent_states[0], name=self.parents[0])
        elif self.parents:
            index = pd.MultiIndex.from_product(self.parent_states, names=self.parents)
        return pd.DataFrame(rows, index, pd.Index(self.states, name=self.variable))

    def to_text(self) -> str:
        """Return the title and all rows as text."""
        return self._text(len(self), len(self.states))

    def _cells(
        self, most: int, columns: int, show: Callable[[float], object]
    ) -> tuple[list[str], list[list[object]]]:
        """Return the header and the first rows, with dots for the states that are left out."""
        flat = self.probabilities.reshape(-1, len(self.states))[:most, :columns].tolist()
        dots = ["..."] if columns < len(self.states) else []
        pairs = zip(itertools.product(*self.parent_states), flat, strict=False)
        rows = [[*given, *map(show, row), *dots] for given, row in pairs]
        return [*self.parents, *self.states[:columns], *dots], rows

    def _text(self, most: int, columns: int) -> str:
        header, rows = self._cells(most, columns, show_probability)
        lines = aligned([header, *(list(map(str, row)) for row in rows)])
        more = [f"  ... and {len(self) - most:,} more"] if len(self) > most else []
        remarks = [f"  {line}" for line in self._remarks()]
        return "\n".join([printable(self.title), *lines, *more, *remarks])

    def _remarks(self) -> list[str]:
        """Return lines to show below the table."""
        return []

    def __repr__(self) -> str:
        """Show the first rows."""
        return self._text(ROWS_SHOWN, STATES_SHOWN)

    def _repr_html_(self) -> str:
        """Show the first rows as a heat map in notebooks."""
        header, rows = self._cells(ROWS_SHOWN, STATES_SHOWN, shaded)
        if len(self) > ROWS_SHOWN:
            rows.append(["..."] * len(header))
        table = html_table(header, rows)
        remarks = "".join(f"<div>{escaped(line)}</div>" for line in self._remarks())
        return html_figure(f"<strong>{escaped(self.title)}</strong>", table + remarks)
