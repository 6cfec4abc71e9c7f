"""Texts of many columns at once: a call of Polars per column would cost more than its work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

# Cells that are handled at once. The arrays of a block then take some tens of megabytes.
_CELLS = 1 << 21


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
    texts = joined.drop_nulls().unique()
    codes: Any = joined.cast(pl.Enum(texts)).to_physical().cast(pl.Int64)
    if joined.null_count():
        codes = codes.fill_null(len(texts))
    return texts, codes.to_numpy().reshape(len(columns), -1)


def everywhere(holds: NDArray[np.bool_], codes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell of each column whether something holds of all its texts; nulls do not count."""
    return np.asarray(np.append(holds, True)[codes].all(axis=1))


def anywhere(holds: NDArray[np.bool_], codes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell of each column whether something holds of any of its texts; nulls do not count."""
    return np.asarray(np.append(holds, False)[codes].any(axis=1))
