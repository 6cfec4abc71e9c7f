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
# A day with dots is written first, unlike one with slashes.
_DAY_FIRST = r"^(\d{1,2})\.(\d{1,2})\.(\d{4})"
_COMMA = r"^[+-]?\d+(,\d+)?([eE][+-]?\d+)?$"
_COMMA_AND_DOTS = r"^[+-]?(\d+|[1-9]\d{0,2}(\.\d{3})+)(,\d+)?([eE][+-]?\d+)?$"
_DOT_AND_COMMAS = r"^[+-]?(\d+|[1-9]\d{0,2}(,\d{3})+)(\.\d+)?([eE][+-]?\d+)?$"
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
    comma, both = text.str.contains(",", literal=True), text.str.contains(r"\..*,|,.*\.")

    def numbers(
        pattern: str, group: str, point: str, telling: pl.Series
    ) -> tuple[pl.Series, NDArray[np.bool_]]:
        """Read numbers of a pattern in the columns in which some text tells that it is theirs."""
        read = text.str.contains(pattern).fill_null(False)
        plain = text.str.replace_all(group, "", literal=True).str.replace(point, ".", literal=True)
        values, fits = fitting(plain.set(~read, None).cast(pl.Float64, strict=False))
        return values, fits & cells.any(telling.fill_null(False).to_numpy())

    if rules.decimal_comma is not True:
        yield fitting(text.cast(pl.Float64, strict=False))
        # 1,234 alone may be either; one text with both marks tells which is which.
        yield numbers(_DOT_AND_COMMAS, ",", ".", both)
    if rules.decimal_comma is True:
        yield numbers(_COMMA_AND_DOTS, ".", ",", text.is_not_null())
    elif rules.decimal_comma is None:
        yield numbers(_COMMA, ".", ",", comma & ~text.str.contains(_MAYBE_THOUSANDS))
        yield numbers(_COMMA_AND_DOTS, ".", ",", both)
    times = _as_iso(text)
    yield fitting(_times(times, _DAY, pl.Date()))
    yield fitting(_times(times, _MOMENT, pl.Datetime("us")))


def _as_iso(text: pl.Series) -> pl.Series:
    """Write 7.4.2024 as 2024-04-07."""
    day_first = text.str.contains(_DAY_FIRST).fill_null(False)
    if not day_first.any():
        return text
    padded = text.str.replace(r"^(\d)\.", "0$1.").str.replace(r"^(\d\d)\.(\d)\.", "$1.0$2.")
    return padded.str.replace(_DAY_FIRST, "$3-$2-$1").zip_with(day_first, text)


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
