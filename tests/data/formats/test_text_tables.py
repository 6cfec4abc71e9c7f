"""Text as people have it: encodings, decimal commas, dates, comments, numbers as names, quotes."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebear import Dataset, FileError, ForebearWarning, summarize_table
from forebear.cli import main
from forebear.data.formats.table import read_table
from forebear.data.formats.texttypes import BOOLEANS, TextRules, typed_columns
from forebear.data.reading import MISSING_TOKENS, ReadOptions
from forebear.data.suspicions import Suspect
from forebear.data.writing import write_table

if TYPE_CHECKING:
    from pathlib import Path


def file(folder: Path, content: str | bytes, name: str = "a.csv") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


class TestEncodings:
    def test_others_are_read_when_named(self, tmp_path: Path) -> None:
        path = file(tmp_path, "stadt,größe\nKöln,1\nBonn,2\n".encode("cp1252"))
        with pytest.raises(FileError, match=r'a.csv:1: .*not UTF-8: pass encoding="cp1252"'):
            Dataset.read(path)
        table = Dataset.read(path, encoding="cp1252")
        assert (table.names, table.states[0]) == (("stadt", "größe"), ("Bonn", "Köln"))
        with pytest.raises(FileError, match=r"a.csv:1: the text is not ascii: change encoding"):
            Dataset.read(path, encoding="ascii")

    @pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-8-sig"])
    def test_marks_tell(self, tmp_path: Path, encoding: str) -> None:
        path = file(tmp_path, "a,b\nx,y\nz,y\n".encode(encoding))
        with pytest.warns(ForebearWarning, match="only one state"):
            assert Dataset.read(path).names == ("a", "b")

    def test_the_command_line_says_how(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = file(tmp_path, "a,b\nx,1\n\xe9,2\n".encode("latin-1"))
        assert main(["info", str(path)]) == 2
        assert "pass --encoding cp1252 if it comes from" in capsys.readouterr().err
        assert main(["info", str(path), "--encoding", "latin-1"]) == 0


class TestDecimalCommas:
    CONTENT = "a;b\n1,5;x\n2;y\n-3,25;x\n"

    def test_are_numbers(self, tmp_path: Path) -> None:
        frame = read_table(file(tmp_path, self.CONTENT))
        assert frame["a"].to_list() == [1.5, 2.0, -3.25]
        table = Dataset.read(file(tmp_path, self.CONTENT), discretize="quantile", bins=2)
        assert table.arities.tolist() == [2, 2]

    def test_thousands_are_not_guessed(self, tmp_path: Path) -> None:
        path = file(tmp_path, "a;b\n1,500;x\n2,750;y\n")
        assert read_table(path)["a"].to_list() == ["1,500", "2,750"]
        sure = read_table(path, ReadOptions(decimal_comma=True))
        assert sure["a"].to_list() == [1.5, 2.75]

    def test_said_or_denied(self, tmp_path: Path) -> None:
        denied = read_table(file(tmp_path, self.CONTENT), ReadOptions(decimal_comma=False))
        assert denied["a"].to_list() == ["1,5", "2", "-3,25"]
        path = file(tmp_path, "a;b\n1.234,5;1\n12;2\n")
        assert read_table(path, ReadOptions(decimal_comma=True))["a"].to_list() == [1234.5, 12.0]

    @pytest.mark.parametrize(
        ("fields", "numbers"),
        [
            (["1.109,39", "950,00", "12.000"], [1109.39, 950.0, 12000.0]),
            (["1.234.567,5", "-1.000,0", "7"], [1234567.5, -1000.0, 7.0]),
            (["1,109.39", "950.00", "12,000"], [1109.39, 950.0, 12000.0]),
            (["1.109", "2.5", "3"], [1.109, 2.5, 3.0]),  # as always
        ],
    )
    def test_points_of_thousands(
        self, tmp_path: Path, fields: list[str], numbers: list[float]
    ) -> None:
        text = "\n".join(f"{field};{name}" for field, name in zip(fields, "xyz", strict=True))
        assert read_table(file(tmp_path, f"a;b\n{text}\n"))["a"].to_list() == numbers

    @pytest.mark.parametrize(
        "fields",
        [
            ["1.109", "2,5", "3"],  # a thousand and more, or an error
            ["1.109,39", "2.5", "3"],
            ["1.109,39", "1,109.39", "3"],
            ["1.1093,9", "2", "3"],
            ["0.109,39", "1,5", "2"],
            ["1.109.394", "2.000.000", "3.000.000"],
        ],
    )
    def test_what_is_not_consistent_stays_text(self, tmp_path: Path, fields: list[str]) -> None:
        text = "\n".join(f"{field};{name}" for field, name in zip(fields, "xyz", strict=True))
        assert read_table(file(tmp_path, f"a;b\n{text}\n"))["a"].to_list() == fields

    def test_quoted_in_a_table_with_commas(self, tmp_path: Path) -> None:
        frame = read_table(file(tmp_path, 'a,b\n"1,5",x\n"2,5",y\n'))
        assert frame["a"].to_list() == [1.5, 2.5]

    def test_first_row_without_a_header(self, tmp_path: Path) -> None:
        frame = read_table(file(tmp_path, "1,5;7\n2,5;8\n1,5;7\n"))
        assert frame["0"].to_list() == [1.5, 2.5, 1.5]


class TestDates:
    def test_are_dates_as_in_parquet(self, tmp_path: Path) -> None:
        path = file(
            tmp_path, "day,at,x\n2024-01-01,2024-01-01 10:30,a\n2024-03-01,2024-01-02 11:00:05,b\n"
        )
        frame = read_table(path)
        assert frame.dtypes[:2] == [pl.Date, pl.Datetime("us")]
        assert frame["at"][0] == datetime.datetime(2024, 1, 1, 10, 30)
        frame.write_parquet(tmp_path / "a.parquet")
        read: Any = {"discretize": "uniform", "bins": 2}
        text, binary = Dataset.read(path, **read), Dataset.read(tmp_path / "a.parquet", **read)
        assert text.fingerprint == binary.fingerprint
        for name in ("a.csv", "a.parquet"):
            with pytest.raises(ValueError, match=r"2 of 3 columns look continuous \(day, at\)"):
                Dataset.read(tmp_path / name)

    def test_days_with_dots_are_dates(self, tmp_path: Path) -> None:
        path = file(tmp_path, "day;at\n07.04.2024;7.4.2024 09:30\n31.12.2023;31.12.2023 10:00\n")
        frame = read_table(path)
        assert frame["day"].to_list() == [datetime.date(2024, 4, 7), datetime.date(2023, 12, 31)]
        assert frame["at"][0] == datetime.datetime(2024, 4, 7, 9, 30)
        with pytest.raises(ValueError, match=r"2 of 2 columns look continuous \(day, at\)"):
            Dataset.read(path)

    @pytest.mark.parametrize(
        "days", [["04/07/2024", "31/12/2023"], ["07.04.24", "31.12.23"], ["1.4.2024", "12/31/2023"]]
    )
    def test_days_that_may_be_months_are_text_and_suspected(
        self, tmp_path: Path, days: list[str]
    ) -> None:
        path = file(tmp_path, "day,x\n" + "".join(f"{day},{i}\n" for i, day in enumerate(days)))
        assert read_table(path)["day"].to_list() == days
        suspicions = summarize_table(path).columns[0].suspicions
        assert [suspicion.suspect for suspicion in suspicions] == [Suspect.DATE]

    def test_other_words_are_text(self, tmp_path: Path) -> None:
        dotted = read_table(file(tmp_path, "day,x\n32.01.2024,a\n01.01.2024,b\n"))
        assert dotted["day"].to_list() == ["32.01.2024", "01.01.2024"]
        frame = read_table(file(tmp_path, "day,x\n2024-13-01,a\n2024-01-01,b\n"))
        assert frame["day"].to_list() == ["2024-13-01", "2024-01-01"]


class TestComments:
    def test_before_the_header(self, tmp_path: Path) -> None:
        frame = read_table(file(tmp_path, "# made by hand\n#\na,b\n1,2\n3,4\n"))
        assert frame.columns == ["a", "b"]

    def test_a_header_may_start_with_the_mark(self, tmp_path: Path) -> None:
        assert read_table(file(tmp_path, "# note\n#a,b\n1,2\n3,4\n")).columns == ["#a", "b"]

    def test_elsewhere_a_sentence_says_how(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = file(tmp_path, "a,b\n1,2\n# later\n3,4\n")
        with pytest.raises(FileError, match=r'expected 2 fields, got 1: pass comment="#" to leave'):
            Dataset.read(path)
        assert main(["info", str(path)]) == 2
        assert "pass --comment '#' to leave out such lines" in capsys.readouterr().err
        assert main(["info", str(path), "--comment", "#", "--json"]) == 0
        with pytest.raises(FileError, match="every line starts with 'a', so nothing is left"):
            Dataset.read(file(tmp_path, "a\na\n"), comment="a")


class TestHeadersOfNumbers:
    def test_years(self, tmp_path: Path) -> None:
        path = file(tmp_path, "2020,2021,2022\n1,0,1\n0,1,0\n")
        assert Dataset.read(path).names == ("2020", "2021", "2022")
        every_other = file(tmp_path, "2020,2022,2024\n1,0,1\n0,1,0\n")
        assert Dataset.read(every_other).names == ("2020", "2022", "2024")

    def test_numbers_that_occur_are_data(self, tmp_path: Path) -> None:
        path = file(tmp_path, "2,3,4\n2,3,4\n1,0,0\n")
        assert Dataset.read(path).n_rows == 3

    def test_doubts_are_said(self, tmp_path: Path) -> None:
        rows = "".join(f"{i % 3},{i % 2}\n" for i in range(12))
        path = file(tmp_path, "1007,1053\n" + rows)
        with pytest.warns(ForebearWarning, match=r"the first line \(1007, 1053\) is taken as data"):
            assert Dataset.read(path).n_rows == 13
        assert Dataset.read(path, header=True).names == ("1007", "1053")
        assert Dataset.read(file(tmp_path, "1,1\n" + rows)).n_rows == 13


class TestQuotes:
    def test_a_state_called_na_survives(self, tmp_path: Path) -> None:
        codes = np.array([[0, 1, 2, 0], [0, 1, 1, 1]])
        table = Dataset(codes, ("a", "NA"), (("NA", "x", "?"), ("no", "yes")))
        write_table(table, tmp_path / "a.csv")
        assert (tmp_path / "a.csv").read_text().splitlines()[1] == '"NA",no'
        again = Dataset.read(tmp_path / "a.csv")
        assert again.names == ("a", "NA")
        assert sorted(again.states[0]) == ["?", "NA", "x"]

    def test_where_everything_is_quoted_they_say_nothing(self, tmp_path: Path) -> None:
        path = file(tmp_path, '"a","b"\n"NA","1"\n"x","2"\n"y","1"\n')
        assert Dataset.read(path, missing="state").states[0] == ("x", "y", "missing")

    def test_missing_and_text_side_by_side(self, tmp_path: Path) -> None:
        # As R writes them.
        path = file(tmp_path, '"a","b"\n"NA",1\nNA,2\n"x",1\n')
        assert Dataset.read(path, missing="state").states[0] == ("NA", "x", "missing")

    def test_simulated_tables_are_read_back(self, tmp_path: Path) -> None:
        network = tmp_path / "n.bif"
        network.write_text(
            "network n {\n}\nvariable a {\n type discrete [ 2 ] { NA, F };\n}\n"
            "variable b {\n type discrete [ 2 ] { x, y };\n}\n"
            "probability ( a ) {\n table 0.5, 0.5;\n}\n"
            "probability ( b | a ) {\n (NA) 0.1, 0.9;\n (F) 0.9, 0.1;\n}\n"
        )
        data = tmp_path / "d.csv"
        assert (
            main(["simulate", "--from", str(network), "--rows", "50", "-o", str(data), "-q"]) == 0
        )
        assert main(["score", str(data), "-o", str(tmp_path / "d.cps"), "-q"]) == 0
        assert Dataset.read(data).states == (("F", "NA"), ("x", "y"))


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


@given(
    st.integers(1, 6).flatmap(
        lambda n: st.lists(
            st.lists(st.one_of(FIELDS, st.none()), min_size=n, max_size=n), min_size=1, max_size=6
        )
    )
)
def test_a_block_of_columns_gets_the_types_of_single_columns(table: list[list[str | None]]) -> None:
    rules = TextRules(MISSING_TOKENS)
    columns = [pl.Series(f"c{i}", own, dtype=pl.String) for i, own in enumerate(table)]
    for found, column in zip(typed_columns(columns, rules), columns, strict=True):
        expected = typed_alone(column, rules)
        assert found.dtype == expected.dtype, column.to_list()
        assert found.to_list() == expected.to_list()
