"""Detect the type of a column that was read as text: booleans, numbers, dates or text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import polars as pl

# How Polars, pandas and R write booleans.
BOOLEANS = ("false", "true", "False", "True", "FALSE", "TRUE")

# What str.strip() strips; Polars leaves some of it by default.
_BLANKS = "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)

# How numbers and dates start.
_MAY_BE_NUMBER = re.compile(r"[+-]?(\.?\d|inf|nan)", re.IGNORECASE)
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
    """How fields are interpreted: which are missing, and whether commas are decimal."""

    missing: Sequence[str]
    decimal_comma: bool | None = None


def typed_column(column: pl.Series, rules: TextRules) -> pl.Series:
    """Strip blanks from a column of text, and convert it if all of its fields allow it.

    A column of another type stays as it is. Text is converted to booleans, whole numbers, numbers,
    dates or times, the first that fits all fields.
    """
    if column.dtype != pl.String:
        return column
    plain = column.str.strip_chars(_BLANKS)
    plain = plain.set(plain.is_in(["", *rules.missing]).fill_null(False), None)
    first = next(iter(plain.drop_nulls().head(1)), None)
    if first is None:
        return plain.cast(pl.Int64)
    if first in BOOLEANS:
        return plain.str.to_lowercase() == "true" if plain.is_in(BOOLEANS).all() else plain
    if not _MAY_BE_NUMBER.match(first):  # neither a number nor a date
        return plain
    n_missing, candidates = plain.null_count(), _candidates(plain, rules)
    return next((values for values in candidates if values.null_count() == n_missing), plain)


def _candidates(text: pl.Series, rules: TextRules) -> Iterator[pl.Series]:
    """Yield the texts as numbers, dates and times; those that do not fit are null."""
    yield text.cast(pl.Int64, strict=False)
    # Whole numbers beyond 64 bits stay text: as floats, different ones could become equal.
    yield text.set(~text.str.contains(WHOLE), None)
    if rules.decimal_comma is not True:
        yield text.cast(pl.Float64, strict=False)
    # 1,234 alone may be either; one text with both marks decides.
    both = text.str.contains(r"\..*,|,.*\.").any()
    comma = text.str.contains(",", literal=True) & ~text.str.contains(_MAYBE_THOUSANDS)
    if rules.decimal_comma is not True and both:
        yield _numbers(text, _DOT_AND_COMMAS, ",", ".")
    if rules.decimal_comma is None and comma.any():
        yield _numbers(text, _COMMA, ".", ",")
    if rules.decimal_comma or (rules.decimal_comma is None and both):
        yield _numbers(text, _COMMA_AND_DOTS, ".", ",")
    times = _as_iso(text)
    yield times.set(~times.str.contains(_DAY), None).str.to_date("%Y-%m-%d", strict=False)
    moments = times.set(~times.str.contains(_MOMENT), None).str.replace("T", " ", literal=True)
    yield moments.str.replace(r"^(.{16})$", "$1:00").str.to_datetime(
        "%Y-%m-%d %H:%M:%S%.f", time_unit="us", strict=False
    )


def _numbers(text: pl.Series, pattern: str, group: str, point: str) -> pl.Series:
    """Read numbers of a pattern, with a mark between groups of digits and a decimal point."""
    plain = text.str.replace_all(group, "", literal=True).str.replace(point, ".", literal=True)
    return plain.set(~text.str.contains(pattern), None).cast(pl.Float64, strict=False)


def _as_iso(text: pl.Series) -> pl.Series:
    """Write 7.4.2024 as 2024-04-07."""
    day_first = text.str.contains(_DAY_FIRST)
    padded = text.str.replace(r"^(\d)\.", "0$1.").str.replace(r"^(\d\d)\.(\d)\.", "$1.0$2.")
    return padded.str.replace(_DAY_FIRST, "$3-$2-$1").zip_with(day_first, text)
