"""Quoted fields: split at separators where that is possible, with the same result as parsing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebear.data.formats.delimited import _read_quoted, _split_quoted
from forebear.data.formats.lines import Lines
from forebear.data.formats.quoting import without_marks
from forebear.data.formats.texttypes import TextRules, typed_columns
from forebear.data.reading import MISSING_TOKENS

if TYPE_CHECKING:
    import polars as pl

RULES = TextRules(MISSING_TOKENS)

PLAIN = ["x", "NA", "?", "1", "-2.5", "1,5", "true", "", " ", " y ", "NaN"]
QUOTED = [f'"{text}"' for text in PLAIN] + [' "x"', ' "NA"']
AWKWARD = ['"a""b"', '""""', '"two\nlines"', '5" wide', '"x" ', '""x', 'a"', '"', '"NA"x']


def typed(columns: list[pl.Series]) -> list[pl.Series]:
    return [without_marks(column) for column in typed_columns(columns, RULES)]


def lines_of(table: list[list[str]], separator: str) -> Lines:
    text = "\n".join(separator.join(row) for row in table)
    return Lines.of(text.encode(), "t.csv")


def split_quoted(lines: Lines, separator: str, n_fields: int) -> list[pl.Series] | None:
    return _split_quoted(b"\n".join(lines.texts), lines, separator, n_fields, RULES)


def tables(fields: list[str]) -> st.SearchStrategy[list[list[str]]]:
    return st.integers(2, 4).flatmap(
        lambda n: st.lists(
            st.lists(st.sampled_from(fields), min_size=n, max_size=n), min_size=1, max_size=6
        )
    )


@given(tables([*PLAIN, *QUOTED, *AWKWARD]), st.sampled_from(",;"))
def test_split_fields_are_those_that_are_parsed(table: list[list[str]], separator: str) -> None:
    lines = lines_of(table, separator)
    split = split_quoted(lines, separator, len(table[0]))
    if split is None:
        return
    parsed = _read_quoted(lines, separator, len(table[0]), RULES)
    for one, other in zip(typed(split), typed(parsed), strict=True):
        assert (one.dtype, one.to_list()) == (other.dtype, other.to_list())


@given(tables([text for text in [*PLAIN, *QUOTED] if "," not in text and text.strip()]))
def test_plain_quotes_are_split(table: list[list[str]]) -> None:
    assert split_quoted(lines_of(table, ","), ",", len(table[0])) is not None


@pytest.mark.parametrize("field", [*AWKWARD, '"1,5"'])
def test_awkward_fields_are_left_to_the_parser(field: str) -> None:
    for row in ([field, "x"], ["x", field]):
        lines = lines_of([["NA", '"NA"'], row, ["x", "y"]], ",")
        assert split_quoted(lines, ",", 2) is None
