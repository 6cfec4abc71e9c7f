"""Types of columns that were read as text: booleans, numbers, dates, or text after all."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from forebear.data.blocks import Cells, blocks_of, code_texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

# How Polars, pandas and R write booleans.
BOOLEANS = ("false", "true", "False", "True", "FALSE", "TRUE")

_DAY = r"^\d{4}-\d{2}-\d{2}$"
_MOMENT = r"^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(:\d{2}(\.\d+)?)?$"
WHOLE = r"^[+-]?\d+$"
_COMMA = r"^[+-]?\d+(,\d+)?([eE][+-]?\d+)?$"
_COMMA_AND_DOTS = r"^[+-]?(\d+|\d{1,3}(\.\d{3})+)(,\d+)?([eE][+-]?\d+)?$"
# 1,234 may be a thousand and more; 0,234 cannot.
_MAYBE_THOUSANDS = r"^[+-]?[1-9]\d{0,2},\d{3}$"


class TextRules(NamedTuple):
    """How fields are understood: which are missing, and whether commas are decimal."""

    missing: Sequence[str]
    decimal_comma: bool | None = None


def typed_columns(columns: Sequence[pl.Series], rules: TextRules) -> list[pl.Series]:
    """Strip blanks from columns of text, and convert those whose fields all allow it.

    Columns of other types stay as they are. A column is converted to booleans,
    whole numbers, numbers, dates or times, the first that fits all of its fields.
    """
    texts = [column for column in columns if column.dtype == pl.String]
    typed: Iterator[pl.Series] = (
        column for block in blocks_of(texts) for column in _typed_block(block, rules)
    )
    return [next(typed) if column.dtype == pl.String else column for column in columns]


def _typed_block(columns: Sequence[pl.Series], rules: TextRules) -> Iterator[pl.Series]:
    raw, codes = code_texts(columns)
    text = raw.str.strip_chars()
    missing = text.is_in(["", *rules.missing])
    present = text.set(missing, None)
    gaps = missing.to_numpy()
    cells = Cells.of(codes, len(raw))
    empty = cells.all(gaps)
    changed = cells.any((text != raw).to_numpy() | gaps)
    chosen: list[pl.Series | None] = [None] * len(columns)
    for values, fits in _candidates(present, gaps, cells, rules):
        for at in np.flatnonzero(fits & ~empty).tolist():
            chosen[at] = values if chosen[at] is None else chosen[at]
    nothing: pl.Series = pl.Series([None] * (len(raw) + 1), dtype=pl.Int64)
    stripped = _with_null(present)
    for i, column in enumerate(columns):
        made = nothing if empty[i] else chosen[i]
        if made is None and not changed[i]:
            yield column
        else:
            yield (stripped if made is None else made).gather(codes[i]).alias(column.name)


def _candidates(
    text: pl.Series, gaps: NDArray[np.bool_], cells: Cells, rules: TextRules
) -> Iterator[tuple[pl.Series, NDArray[np.bool_]]]:
    """Yield the texts as values of every type, and which columns they fit."""

    def fitting(values: pl.Series) -> tuple[pl.Series, NDArray[np.bool_]]:
        return _with_null(values), cells.all(values.is_not_null().to_numpy() | gaps)

    yield fitting((text.str.to_lowercase() == "true").set(~text.is_in(BOOLEANS), None))
    yield fitting(text.cast(pl.Int64, strict=False))
    # Whole numbers beyond 64 bits stay text: as floats, different ones could become equal.
    yield fitting(text.set(~text.str.contains(WHOLE).fill_null(False), None))
    if rules.decimal_comma is not True:
        yield fitting(text.cast(pl.Float64, strict=False))
    if rules.decimal_comma is not False:
        yield _with_commas(text, gaps, cells, sure=rules.decimal_comma is True)
    yield fitting(_times(text, _DAY, pl.Date()))
    yield fitting(_times(text, _MOMENT, pl.Datetime("us")))


def _with_commas(
    text: pl.Series, gaps: NDArray[np.bool_], cells: Cells, *, sure: bool
) -> tuple[pl.Series, NDArray[np.bool_]]:
    """Read numbers such as 1,5. If nobody said so, 1,234 alone is not enough to tell."""
    numbers = text.str.contains(_COMMA_AND_DOTS if sure else _COMMA).fill_null(False)
    plain = text.str.replace_all(".", "", literal=True).str.replace(",", ".", literal=True)
    fits = cells.all(numbers.to_numpy() | gaps)
    if not sure:
        telling = text.str.contains(",", literal=True) & ~text.str.contains(_MAYBE_THOUSANDS)
        fits &= cells.any(telling.fill_null(False).to_numpy())
    values = plain.set(~numbers, None).cast(pl.Float64, strict=False)
    return _with_null(values), fits


def _times(text: pl.Series, pattern: str, dtype: pl.DataType) -> pl.Series:
    """Read dates and times as ISO 8601 writes them."""
    fits = text.str.contains(pattern).fill_null(False)
    if not fits.any():
        return pl.Series([None] * len(text), dtype=dtype)
    spelled = text.set(~fits, None)
    if dtype == pl.Date:
        return spelled.str.to_date("%Y-%m-%d", strict=False)
    spelled = spelled.str.replace("T", " ", literal=True).str.replace(r"^(.{16})$", "$1:00")
    return spelled.str.to_datetime("%Y-%m-%d %H:%M:%S%.f", time_unit="us", strict=False)


def _with_null(values: pl.Series) -> pl.Series:
    """Add a null, which the code of a missing value points at."""
    return pl.concat([values, pl.Series(values.name, [None], dtype=values.dtype)])
