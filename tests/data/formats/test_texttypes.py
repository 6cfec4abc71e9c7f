"""Types of text columns: decimal commas, dates, and a brute-force twin for all of them."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import raw_frame

from forebear import Dataset, summarize_table
from forebear.data.formats.table import read_table
from forebear.data.formats.texttypes import BOOLEANS, TextRules, typed_column
from forebear.data.read_options import MISSING_TOKENS, ReadOptions
from forebear.data.suspicions import Suspect


def file(folder: Path, content: str) -> Path:
    path = folder / "a.csv"
    path.write_text(content)
    return path


CONTENT = "a;b\n1,5;x\n2;y\n-3,25;x\n"


@pytest.mark.parametrize(
    ("content", "decimal_comma", "values"),
    [
        (CONTENT, None, [1.5, 2.0, -3.25]),
        (CONTENT, False, ["1,5", "2", "-3,25"]),
        ("a;b\n1,500;x\n2,750;y\n", None, ["1,500", "2,750"]),  # may be thousands
        ("a;b\n1.234,5;1\n12;2\n", True, [1234.5, 12.0]),
        ('a,b\n"1,5",x\n"2,5",y\n', None, [1.5, 2.5]),
        ("1,5;7\n2,5;8\n1,5;7\n", None, [1.5, 2.5, 1.5]),  # without a header
    ],
)
def test_decimal_commas(tmp_path: Path, content: str, decimal_comma: Any, values: Any) -> None:
    frame = raw_frame(read_table(file(tmp_path, content), ReadOptions(decimal_comma=decimal_comma)))
    assert frame.to_series(0).to_list() == values


@pytest.mark.parametrize(
    ("fields", "numbers"),
    [
        (["1.109,39", "950,00", "12.000"], [1109.39, 950.0, 12000.0]),
        (["1.234.567,5", "-1.000,0", "7"], [1234567.5, -1000.0, 7.0]),
        (["1,109.39", "950.00", "12,000"], [1109.39, 950.0, 12000.0]),
        (["1.109", "2.5", "3"], [1.109, 2.5, 3.0]),  # as always
        (["1.109", "2,5", "3"], None),  # a thousand and more, or an error
        (["1.109,39", "2.5", "3"], None),
        (["1.1093,9", "2", "3"], None),
        (["0.109,39", "1,5", "2"], None),
        (["1.109.394", "2.000.000", "3.000.000"], None),
    ],
)
def test_points_of_thousands(fields: list[str], numbers: list[float] | None) -> None:
    found = typed_column(pl.Series("a", fields), TextRules(MISSING_TOKENS))
    assert found.to_list() == (fields if numbers is None else numbers)


class TestDates:
    def test_are_dates_as_in_parquet(self, tmp_path: Path) -> None:
        path = file(
            tmp_path, "day,at,x\n2024-01-01,2024-01-01 10:30,a\n2024-03-01,2024-01-02 11:00:05,b\n"
        )
        frame = raw_frame(read_table(path))
        assert frame.dtypes[:2] == [pl.Date, pl.Datetime("us")]
        assert frame["at"][0] == datetime.datetime(2024, 1, 1, 10, 30)
        frame.write_parquet(tmp_path / "a.parquet")
        read: Any = {"discretize": "uniform", "bins": 2}
        text, binary = Dataset.read(path, **read), Dataset.read(tmp_path / "a.parquet", **read)
        assert text.fingerprint == binary.fingerprint

    def test_days_with_dots_are_dates(self, tmp_path: Path) -> None:
        path = file(tmp_path, "day;at\n07.04.2024;7.4.2024 09:30\n31.12.2023;31.12.2023 10:00\n")
        frame = raw_frame(read_table(path))
        assert frame["day"].to_list() == [datetime.date(2024, 4, 7), datetime.date(2023, 12, 31)]
        assert frame["at"][0] == datetime.datetime(2024, 4, 7, 9, 30)

    @pytest.mark.parametrize(
        "days", [["04/07/2024", "31/12/2023"], ["07.04.24", "31.12.23"], ["1.4.2024", "12/31/2023"]]
    )
    def test_days_that_may_be_months_are_text_and_suspected(
        self, tmp_path: Path, days: list[str]
    ) -> None:
        path = file(tmp_path, "day,x\n" + "".join(f"{day},{i}\n" for i, day in enumerate(days)))
        assert raw_frame(read_table(path))["day"].to_list() == days
        suspicions = summarize_table(path).columns[0].suspicions
        assert [suspicion.suspect for suspicion in suspicions] == [Suspect.DATE]


WORDS = ["", " ", "NA", "?", "1", " 2", "-3", "0.5", "1e3", "1,5", "1,234", "0,5", "x", "x "]
TIMES = ["2024-01-01", "2024-02-30", "2024-01-01 10:00"]
FIELDS = st.sampled_from([*WORDS, *TIMES, "true", "False", "inf", "12345678901234567890"])


def typed_alone(column: pl.Series, rules: TextRules) -> pl.Series:
    """One column, as plainly as possible: the brute-force twin."""
    texts = [None if t is None else t.strip() for t in column.to_list()]
    texts = [None if t in ("", *rules.missing) else t for t in texts]
    present = [t for t in texts if t is not None]

    def made(values: Any, dtype: Any) -> pl.Series:
        known = dict(zip(present, values, strict=True))
        return pl.Series(column.name, [None if t is None else known[t] for t in texts], dtype=dtype)

    if not present:
        return pl.Series(column.name, texts, dtype=pl.Int64)
    if all(t in BOOLEANS for t in present):
        return made([t.lower() == "true" for t in present], pl.Boolean)
    for dtype in (pl.Int64, pl.Float64):
        numbers = pl.Series(present).cast(dtype, strict=False)
        if not numbers.null_count():
            return made(numbers.to_list(), dtype)
        if all(t.lstrip("+-").isdigit() for t in present):  # beyond 64 bits
            return pl.Series(column.name, texts, dtype=pl.String)
    commas = [t.count(",") == 1 and t.replace(",", "").lstrip("-").isdigit() for t in present]
    whole = [t.lstrip("-").isdigit() or t == "1e3" for t in present]
    telling = [c and t != "1,234" for c, t in zip(commas, present, strict=True)]
    if all(c or w for c, w in zip(commas, whole, strict=True)) and any(telling):
        return made([float(t.replace(",", ".")) for t in present], pl.Float64)
    times: Any = [(10, datetime.date, pl.Date()), (16, datetime.datetime, pl.Datetime("us"))]
    for length, kind, dtype in times:
        try:
            if {len(t) for t in present} == {length}:
                return made([kind.fromisoformat(t) for t in present], dtype)
        except ValueError:
            pass
    return pl.Series(column.name, texts, dtype=pl.String)


@given(st.lists(st.one_of(FIELDS, st.none()), min_size=1, max_size=6))
def test_types_are_those_of_plain_python(fields: list[str | None]) -> None:
    rules = TextRules(MISSING_TOKENS)
    column = pl.Series("c", fields, dtype=pl.String)
    found, expected = typed_column(column, rules), typed_alone(column, rules)
    assert found.dtype == expected.dtype, fields
    assert found.to_list() == expected.to_list()
