"""Quoted fields: as Python's csv module reads them, and as a brute-force version marks them."""

from __future__ import annotations

import csv
import io
from typing import Any

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from forebear import FileError
from forebear.data.formats.field_reader import FieldFormat, FieldReader, typed_values
from forebear.data.formats.text_stream import TextStream
from forebear.data.formats.texttypes import TextRules, typed_column
from forebear.data.read_options import MISSING_TOKENS
from forebear.data.table_batches import no_limit

RULES = TextRules(MISSING_TOKENS)

PLAIN = ["x", "NA", "?", "1", "-2.5", "true", "", " ", " y ", "NaN"]
QUOTED = [f'"{text}"' for text in PLAIN] + [' "x"', ' "NA"', '"1,5"']
AWKWARD = ['"a""b"', '""""', '"two\nlines"', '"x,""y"', '5" wide', 'a"']
WRONG = ['"x" ', '""x', '"', '"NA"x']
MARK = "text: "


def read(content: str, separator: str, n_fields: int) -> list[pl.Series]:
    text = TextStream(io.BytesIO(content.encode()), "t.csv", None)
    reader = FieldReader(FieldFormat(separator, tokens=MISSING_TOKENS), [True] * n_fields, None)
    reader.read(text, no_limit)
    rows = reader.parts.columns()
    return [
        values.gather(codes)
        for values, codes in zip(typed_values(reader, RULES), rows, strict=True)
    ]


def tables(fields: list[str]) -> st.SearchStrategy[list[list[str]]]:
    return st.integers(2, 4).flatmap(
        lambda n: st.lists(
            st.lists(st.sampled_from(fields), min_size=n, max_size=n), min_size=1, max_size=6
        )
    )


def expected(table: list[list[str]], separator: str) -> list[pl.Series] | None:
    """Parse every field by itself; None if csv refuses one."""
    columns: list[pl.Series] = []
    all_quoted = all(
        field.lstrip(" ")[:1] in ("", '"') for row in table for field in row if field.strip()
    )
    for raw in zip(*table, strict=True):
        quoted = [field.lstrip(" ").startswith('"') for field in raw]
        settings: Any = {"delimiter": separator, "skipinitialspace": True, "strict": True}
        try:
            readers = [csv.reader(field.splitlines(keepends=True), **settings) for field in raw]
            texts = [next(reader, [""]) for reader in readers]
        except csv.Error:
            return None
        if any(len(text) != 1 for text in texts):
            return None
        plain = [text[0] for text in texts]
        if not all_quoted:
            plain = [
                MARK + text if own and text in MISSING_TOKENS else text
                for text, own in zip(plain, quoted, strict=True)
            ]
        column = typed_column(pl.Series("a", plain, dtype=pl.String), RULES)
        columns.append(column.str.strip_prefix(MARK) if column.dtype == pl.String else column)
    return columns


@given(tables([*PLAIN, *QUOTED, *AWKWARD]), st.sampled_from(",;"))
@example([['"NA"', '"two\nlines"']], ",")
def test_fields_are_those_of_the_csv_module(table: list[list[str]], separator: str) -> None:
    table = [['"x"'] * len(table[0]), *table]  # so that no line at the start is blank
    content = "\n".join(separator.join(row) for row in table)
    columns = expected(table, separator)
    if columns is None:
        return
    found = read(content, separator, len(table[0]))
    for one, other in zip(found, columns, strict=True):
        assert (one.dtype, one.to_list()) == (other.dtype, other.to_list())


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("row", ["{},x", "x,{}"])
def test_quotes_that_do_not_match(wrong: str, row: str) -> None:
    content = f'NA,"NA"\n"a\nb",y\n{row.format(wrong)}\nx,y'
    with pytest.raises(FileError, match=r"t.csv:4: the quotes do not match"):
        read(content, ",", 2)
