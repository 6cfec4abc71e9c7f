"""Texts of many columns at once: a call of Polars per column would cost more than its work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

# Cells that are handled at once. The arrays of a block then take some tens of megabytes.
_CELLS = 1 << 21

# Rows that are looked at first for the texts of a column.
_FIRST = 1000


def blocks_of(columns: Sequence[pl.Series]) -> Iterator[Sequence[pl.Series]]:
    """Yield the columns in blocks of a limited number of cells, at least one column each."""
    at_once = max(1, _CELLS // max(1, len(columns[0]))) if columns else 1
    for start in range(0, len(columns), at_once):
        yield columns[start : start + at_once]


def code_texts(columns: Sequence[pl.Series]) -> tuple[pl.Series, NDArray[np.int64]]:
    """Return the distinct texts of a block of columns, and which one each cell has.

    The codes have a row per column; nulls have the number of texts as their code.
    """
    joined = pl.concat([column.alias("") for column in columns])
    # The first rows have most of the texts, and finding texts takes longer than recognizing them.
    texts = pl.concat([column.head(_FIRST).alias("") for column in columns]).drop_nulls().unique()
    codes: Any = _code(joined, texts)
    if codes.null_count() > joined.null_count():
        later = (codes.is_null() & joined.is_not_null()).arg_true()
        others = joined.gather(later)
        more = others.unique()
        codes = codes.scatter(later, _code(others, more) + len(texts))
        texts = pl.concat([texts, more])
    if joined.null_count():
        codes = codes.fill_null(len(texts))
    return texts, codes.to_numpy().reshape(len(columns), -1)


def _code(cells: pl.Series, texts: pl.Series) -> pl.Series:
    """Return the places of the cells among the texts; null for others."""
    return cells.cast(pl.Enum(texts), strict=False).to_physical().cast(pl.Int64)


class Cells(NamedTuple):
    """Which columns have which texts: pairs of a column and a code, together all that occur."""

    n_columns: int
    columns: NDArray[np.int64]
    codes: NDArray[np.int64]

    @classmethod
    def of(cls, codes: NDArray[np.int64], n_texts: int) -> Cells:
        """Find the pairs, each once where texts are few; nulls do not count."""
        n_columns, width = len(codes), n_texts + 1
        places = (codes + width * np.arange(n_columns)[:, None]).ravel()
        if n_columns * width <= codes.size:
            places = np.flatnonzero(np.bincount(places, minlength=n_columns * width))
        columns, own = np.divmod(places, width)
        present = own < n_texts
        return cls(n_columns, columns[present], own[present])

    def all(self, holds: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Tell of each column whether something holds of all its texts."""
        return ~self.any(~holds)

    def any(self, holds: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Tell of each column whether something holds of any of its texts."""
        found = np.zeros(self.n_columns, dtype=bool)
        found[self.columns[holds[self.codes]]] = True
        return found
