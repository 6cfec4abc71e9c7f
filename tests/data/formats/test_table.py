"""Tables in files: every format there and back, and one clear sentence for every bad file."""

from __future__ import annotations

import gzip
import io
import re
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import SHARED

from forebear._util.errors import DataError, FileError, ForebearError, ForebearWarning
from forebear.data.dataset import Dataset, as_dataset
from forebear.data.formats.table import EXTENSIONS, WRITTEN
from forebear.data.writing import write_table

if TYPE_CHECKING:
    from pathlib import Path

SAMPLES = sorted(SHARED.glob("**/*.data"))

ASIA = Dataset(
    np.array([[0, 1, 1, 0], [2, 0, 1, 0], [1, 1, 0, 0]]),
    ("visit", "smoke", "tub"),
    (("no", "yes"), ("1", "2", "10"), ("false", "true")),
)
BINARY = Dataset(np.array([[0, 1, 1], [1, 1, 1]]), ("0", "1"), (("0", "1"), ("0", "1")))


def error(match: str) -> Any:
    return pytest.raises(FileError, match=re.escape(match))


def file(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


class TestText:
    def test_csv(self, tmp_path: Path) -> None:
        dataset = Dataset.read(file(tmp_path, "a.csv", "a,b,c\n1,x,true\n2,y,true\n10,x,true\n"))
        assert dataset.names == ("a", "b", "c")
        assert dataset.states == (("1", "2", "10"), ("x", "y"), ("false", "true"))
        assert dataset.codes.tolist() == [[0, 1, 2], [0, 1, 0], [1, 1, 1]]

    @pytest.mark.parametrize(
        ("name", "content"),
        [
            ("bom.csv", b"\xef\xbb\xbfa,b\n1,x\n2,y\n"),
            ("crlf.csv", "a,b\r\n1,x\r\n2,y\r\n"),
            ("mac.csv", "a,b\r1,x\r2,y"),
            ("quotes.csv", '"a","b"\n"1","x"\n"2","y"\n'),
            ("blanks.csv", "a, b\n1, x\n2 , y\n"),
            ("blank-lines.csv", "\na,b\n\n1,x\n  \n2,y\n\n\n"),
            ("blanks.txt", "\n\t\na b\n\t \n1 x\n2 y\n \t\n"),
            ("semicolons.csv", "a;b\n1;x\n2;y\n"),
            ("tabs.csv", "a\tb\n1\tx\n2\ty\n"),
            ("bars.csv", "a|b\n1|x\n2|y\n"),
            ("blanks-and-quotes.csv", 'a, "b"\n1, "x"\n2, y\n'),
            ("tabs.tsv", "a\tb\n1\tx\n2\ty\n"),
            ("spaces.txt", "a b\n 1   x\n2\ty \n"),
            ("quoted.txt", '"a" "b"\n1   "x"\n2 "y"\n'),
            ("UPPER.CSV", "a,b\n1,x\n2,y\n"),
            ("two.dots.csv.gz", gzip.compress(b"a,b\n1,x\n2,y\n", mtime=0)),
            ("gobnilp.dat", "# a comment\na b\n2 2\n#another\n1 x\n2 y\n"),
            ("blip.dat", "a,b\n2,2\n1,x\n2,y\n"),
        ],
    )
    def test_same_table_in_many_forms(self, tmp_path: Path, name: str, content: Any) -> None:
        expected = Dataset.from_frame(pl.DataFrame({"a": [1, 2], "b": ["x", "y"]}))
        assert Dataset.read(file(tmp_path, name, content)).fingerprint == expected.fingerprint

    def test_quoted_fields_hold_anything(self, tmp_path: Path) -> None:
        content = 'a,b\n"x, y",1\n"say ""hi""",2\n"two\nlines",1\n'
        dataset = Dataset.read(file(tmp_path, "a.csv", content))
        assert dataset.states[0] == ('say "hi"', "two\nlines", "x, y")
        dataset = Dataset.read(file(tmp_path, "b.csv", 'a,b\n5" pipe,1\n6" pipe,"2"\n'))
        assert dataset.states == (('5" pipe', '6" pipe'), ("1", "2"))
        dataset = Dataset.read(file(tmp_path, "a.txt", 'a b\n"x y" 1\nz 2\n'))
        assert dataset.states[0] == ("x y", "z")

    def test_one_column(self, tmp_path: Path) -> None:
        path = file(tmp_path, "a.csv", "a\n1\n\n2\n\n")
        with pytest.raises(DataError, match=re.escape("1 of 1 column has missing values (a: 1)")):
            Dataset.read(path, missing="error")
        assert Dataset.read(path, missing="state").codes.tolist() == [[0, 2, 1]]

    def test_marks_of_missing_values(self, tmp_path: Path) -> None:
        marks = ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "?", "*", '""']
        rows = [f"{mark},{i % 2}" for i, mark in enumerate(marks)]
        path = file(tmp_path, "a.csv", "\n".join(["a,b", *rows, "1,0", "2,1", "None,0"]))
        dataset = Dataset.read(path, missing="state")
        assert dataset.states == (("1", "2", "None", "missing"), ("0", "1"))
        assert dataset.codes[0].tolist() == [3] * len(marks) + [0, 1, 2]

    def test_missing_values_at_the_end(self, tmp_path: Path) -> None:
        dataset = Dataset.read(file(tmp_path, "a.tsv", "a\tb\nx\t1\n\t\nx\t\n"), missing="state")
        assert dataset.codes.tolist() == [[0, 1, 0], [0, 1, 1]]

    def test_a_wrong_first_guess_of_types(self, tmp_path: Path) -> None:
        rows = [f"{i % 3},true,{i % 2}, 1" for i in range(5000)]
        content = "\n".join(["a,b,c,d", *rows, "x,maybe,1.0,2"])
        dataset = Dataset.read(file(tmp_path, "a.csv", content))
        assert dataset.states == (("0", "1", "2", "x"), ("maybe", "true"), ("0", "1"), ("1", "2"))

    def test_booleans_of_every_spelling(self, tmp_path: Path) -> None:
        rows = ["true,True,TRUE", " false,False ,FALSE"]
        dataset = Dataset.read(file(tmp_path, "a.csv", "\n".join(["a,b,c", *rows, *rows])))
        assert dataset.states == (("false", "true"),) * 3
        assert dataset.codes.tolist() == [[1, 0, 1, 0]] * 3

    def test_names_that_are_left_blank(self, tmp_path: Path) -> None:
        dataset = Dataset.read(file(tmp_path, "a.csv", '"",b,\nx,1,0\ny,2,1\n'))
        assert dataset.names == ("column_1", "b", "column_3")

    def test_standard_input(self, monkeypatch: pytest.MonkeyPatch) -> None:
        text = io.TextIOWrapper(io.BytesIO(b"a,b\n1,x\n2,y\n"))
        monkeypatch.setattr(sys, "stdin", text)
        assert as_dataset("-").names == ("a", "b")
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a,b\n1\n")))
        with error("standard input:2: expected 2 fields, got 1"):
            as_dataset("-")

    def test_options_reach_the_columns(self, tmp_path: Path) -> None:
        path = file(tmp_path, "a.csv", "a,b\n0.5,x\n1.5,NA\n2.5,y\n3.5,y\n")
        with pytest.warns(ForebearWarning, match=r"left out 1 of 4 rows \(25.0%\)"):
            dataset = as_dataset(
                str(path), missing="drop", discretize="quantile", bins=3, states={"b": ["y", "x"]}
            )
        assert dataset.arities.tolist() == [3, 2]


class TestHeader:
    @pytest.mark.parametrize(
        ("content", "names"),
        [
            ("a,b\n1,2\n2,1\n", ("a", "b")),
            ("a,2\n1,2\n2,1\n", ("a", "2")),
            ("yes,no\nno,no\nmaybe,yes\n", ("yes", "no")),
            ("0,1,2\n1,0,1\n0,1,0\n", ("0", "1", "2")),
            ("1,2\n1,0\n0,1\n", ("1", "2")),
        ],
    )
    def test_found(self, tmp_path: Path, content: str, names: tuple[str, ...]) -> None:
        dataset = Dataset.read(file(tmp_path, "a.csv", content))
        assert (dataset.names, dataset.n_rows) == (names, 2)

    @pytest.mark.parametrize(
        "content",
        [
            "0,1\n1,0\n0,1\n",
            "3,1\n1,0\n0,1\n",
            "0,1\n0,x\ny,1\n",
            "no,yes\nno,yes\nyes,no\n",
            "1,yes\n0,no\n1,yes\n",
            "NA,1\n0,0\n1,1\n",
            "true,1\nfalse,0\ntrue,1\n",
            "FALSE,1\nTRUE,0\nTRUE,1\n",
            "NA,NA\nx,0\ny,1\n",
            "1.0,1\n1,0\n0,1\n",
            "1,x\n2,1\n1,x\n",
            "1,1\n2,1\n1,x\n",
        ],
    )
    def test_not_there(self, tmp_path: Path, content: str) -> None:
        path = file(tmp_path, "a.csv", content)
        dataset = Dataset.read(path, missing="state")
        assert (dataset.names, dataset.n_rows) == (("0", "1"), 3)
        forced = Dataset.read(path, missing="state", header=False)
        assert forced.fingerprint == dataset.fingerprint

    def test_first_row_may_widen_a_type(self, tmp_path: Path) -> None:
        path = file(tmp_path, "a.csv", "0.5,1\n1,0\n0,1\n")
        dataset = Dataset.read(path, discretize="uniform", bins=2)
        assert dataset.states == (("up_to_0.5", "above_0.5"), ("0", "1"))

    def test_forced(self, tmp_path: Path) -> None:
        path = file(tmp_path, "a.csv", "0,1\n1,0\n0,1\n")
        assert Dataset.read(path, header=True).n_rows == 2
        path = file(tmp_path, "b.csv", "a,b\nx,y\n")
        assert Dataset.read(path, header=False).states == (("a", "x"), ("b", "y"))


class TestBadFiles:
    @pytest.mark.parametrize(
        ("name", "content", "message"),
        [
            ("a.csv", "a,b,c\n1,2,3\n1,2\n", "a.csv:3: expected 3 fields, got 2"),
            ("a.csv", "a,b\n\n1,2\n1,2,3\n", "a.csv:4: expected 2 fields, got 3"),
            ("a.csv", 'a,b\n"x",2\n"x\ny",2,3\n', "a.csv:4: expected 2 fields, got 3"),
            ("a.csv", "a\n1\n1,2\n", "a.csv:3: expected 1 field, got 2"),
            ("a.txt", "a b\n1 2\n1\n", "a.txt:3: expected 2 fields, got 1"),
            ("a.csv", 'a,b\n1,2\n1,"2\n', "a.csv:3: the quotes do not match"),
            ("a.txt", 'a b\n\n1 "2\n', "a.txt:3: the quotes do not match"),
            ("a.csv", "", "a.csv: the file is empty"),
            ("a.csv", " \n\n", "a.csv: the file is empty"),
            ("a.txt", "\t\n", "a.txt: the file is empty"),
            ("a.dat", "", "a.dat: the file is empty"),
            ("a.parquet", b"", "a.parquet: the file is empty"),
            ("a.csv", "a,b\n", "the only line is the header, so there are no rows"),
            (
                "a.csv",
                "a,b,a\n1,2,3\n",
                "a.csv:1: several columns have the same name (a): rename them",
            ),
            ("a.csv", b"a,b\n1,x\n2,\xe9\n", "a.csv:3: the text is not UTF-8"),
            ("a.csv.gz", "a,b\n1,2\n", "a.csv.gz: the gzip data is damaged or incomplete"),
            (
                "a.csv.gz",
                gzip.compress(b"a,b\n1,2\n", mtime=0)[:-6],
                "the gzip data is damaged or incomplete",
            ),
            ("a.parquet", "a,b\n1,2\n", "a.parquet: this file cannot be read as Parquet"),
            ("a.arrow", "a,b\n1,2\n", "a.arrow: this file cannot be read as Arrow"),
            ("a.feather", b"ARROW1 and so on", "this file cannot be read as Arrow"),
            ("a.xls", "a,b\n1,2\n", "such spreadsheets are neither read nor written: use .xlsx"),
            ("a", "a,b\n1,2\n", "the extension of a table must be one of .csv, .tsv"),
            ("a.gz", "a,b\n1,2\n", "each also with .gz after it"),
            ("a.data", "0,1\n0,2\n", "a.data:2: a .data file has only 0 and 1"),
            ("a.data", "0,1\n0,10\n", "a.data:2: a .data file has only 0 and 1"),
            ("a.data", "01\n01\n", "a.data:1: a .data file has only 0 and 1"),
            ("a.data", "0 1\n0 1\n", "a.data:1: a .data file has only 0 and 1"),
            ("a.data", "0,1\n0\n", "a.data:2: expected 2 fields, got 1"),
            (
                "a.dat",
                "a b\n2 2\n",
                "a .dat file has a line of names, a line with the numbers of states",
            ),
            ("a.dat", "a b\n2\n0 0\n", "a.dat:2: expected 2 fields, got 1"),
            (
                "a.dat",
                "a b\n2 x\n0 0\n",
                "a.dat:2: expected the numbers of states of the columns, got 'x'",
            ),
            (
                "a.dat",
                "a b\n2 0\n0 0\n",
                "a.dat:2: expected the numbers of states of the columns, got '0'",
            ),
            (
                "a.dat",
                "a a\n2 2\n0 0\n",
                "a.dat:1: several columns have the same name (a): rename them",
            ),
            ("a.dat", "#\na b\n2 2\n0 0\n0\n", "a.dat:5: expected 2 fields, got 1"),
            (
                "a.dat",
                "a b\n2 2\n0 0\n#\n1 7\n0 9\n",
                "a.dat:6: column 'b' has one value more, '9': only 2 states are declared",
            ),
        ],
    )
    def test_content(self, tmp_path: Path, name: str, content: Any, message: str) -> None:
        with error(message) as caught:
            Dataset.read(file(tmp_path, name, content))
        assert "\n" not in str(caught.value)

    def test_paths(self, tmp_path: Path) -> None:
        for address in ("https://a.org/t.csv", "ftp://a.org/table"):
            with error(f"{address}: forebear does not download files: save it, and pass its path"):
                Dataset.read(address)
        with error("none.csv: there is no such file"):
            Dataset.read(tmp_path / "none.csv")
        (tmp_path / "folder.csv").mkdir()
        with error("folder.csv: this is a directory, not a table"):
            Dataset.read(tmp_path / "folder.csv")
        with error("a.csv/b.csv: cannot be read: Not a directory"):
            Dataset.read(file(tmp_path, "a.csv", "a\n1\n") / "b.csv")


class TestDat:
    def test_declared_arities(self, tmp_path: Path) -> None:
        content = "a b c d\n3 3 3 2\n0 1 x ?\n1 3 y 0\n"
        dataset = Dataset.read(file(tmp_path, "a.dat", content), missing="state")
        assert dataset.states == (
            ("0", "1", "2"),
            ("1", "2", "3"),
            ("x", "y", "unseen_1"),
            ("0", "1", "missing"),
        )
        assert dataset.codes.tolist() == [[0, 1], [0, 2], [0, 1], [2, 0]]

    def test_values_beyond_the_arity_are_names(self, tmp_path: Path) -> None:
        dataset = Dataset.read(file(tmp_path, "a.dat", "a\n3\n10\n2\n"))
        assert dataset.states == (("2", "10", "unseen_1"),)

    def test_written_form(self, tmp_path: Path) -> None:
        write_table(ASIA, tmp_path / "a.dat")
        assert (tmp_path / "a.dat").read_text() == (
            "visit smoke tub\n2 3 2\n0 2 1\n1 0 1\n1 1 0\n0 0 0\n"
        )
        odd = Dataset(BINARY.codes, ("a b", "#c"), BINARY.states)
        with pytest.raises(DataError, match=r"rename 'a b', '#c'"):
            write_table(odd, tmp_path / "b.dat")


class TestData:
    def test_both_states_are_declared(self, tmp_path: Path) -> None:
        dataset = Dataset.read(file(tmp_path, "a.data", "0,1\n1,1\n1,1\n"))
        assert dataset.fingerprint == BINARY.fingerprint

    def test_only_0_and_1_can_be_written(self, tmp_path: Path) -> None:
        with pytest.raises(DataError, match=r"\(visit, smoke, tub\): write .csv or .parquet"):
            write_table(ASIA, tmp_path / "a.data")
        assert list(tmp_path.iterdir()) == []


class TestRoundTrips:
    @pytest.mark.parametrize("zipped", ["", ".gz"])
    @pytest.mark.parametrize("extension", WRITTEN)
    def test_every_extension(self, tmp_path: Path, extension: str, zipped: str) -> None:
        dataset = BINARY if extension in (".dat", ".data") else ASIA
        path = tmp_path / f"table{extension}{zipped}"
        write_table(dataset, path)
        assert Dataset.read(path).fingerprint == dataset.fingerprint
        assert list(tmp_path.iterdir()) == [path]

    @pytest.mark.parametrize("extension", [".parquet", ".arrow"])
    def test_declared_states_survive(self, tmp_path: Path, extension: str) -> None:
        dataset = Dataset(np.array([[3, 1]]), ("a b",), (("z", "a", "unseen", "9"),))
        write_table(dataset, tmp_path / f"a{extension}")
        assert Dataset.read(tmp_path / f"a{extension}").fingerprint == dataset.fingerprint

    def test_text_is_quoted_only_where_needed(self, tmp_path: Path) -> None:
        states = (("yes", "no"), ("a", 'b "quoted"', "é"))
        dataset = Dataset(np.array([[0, 1], [2, 1]]), ("plain", "with, comma"), states)
        write_table(dataset, tmp_path / "t.csv")
        expected = 'plain,"with, comma"\nyes,é\nno,"b ""quoted"""\n'
        assert (tmp_path / "t.csv").read_text(encoding="utf-8") == expected
        write_table(dataset, tmp_path / "t.tsv.gz")
        unzipped = gzip.decompress((tmp_path / "t.tsv.gz").read_bytes()).decode()
        assert unzipped == 'plain\twith, comma\nyes\té\nno\t"b ""quoted"""\n'

    def test_other_libraries_read_what_is_written(self, tmp_path: Path) -> None:
        write_table(ASIA, tmp_path / "a.parquet")
        assert as_dataset(pd.read_parquet(tmp_path / "a.parquet")).fingerprint == ASIA.fingerprint
        assert as_dataset(ASIA.to_frame().to_arrow()).fingerprint == ASIA.fingerprint

    def test_arrow_streams(self, tmp_path: Path) -> None:
        ASIA.to_frame().write_ipc_stream(tmp_path / "a.arrow")
        assert Dataset.read(tmp_path / "a.arrow").fingerprint == ASIA.fingerprint

    @given(
        st.lists(
            st.tuples(st.text("ab,\"' #", min_size=1).map(lambda text: f"_{text}_"), st.booleans()),
            min_size=1,
            max_size=8,
        ),
        st.sampled_from([".csv", ".tsv", ".txt", ".parquet"]),
    )
    def test_any_text(self, tmp_path_factory: Any, rows: list[Any], extension: str) -> None:
        frame = pl.DataFrame(rows, schema={"the text": pl.String, "flag": pl.Boolean}, orient="row")
        states = {"the text": sorted({*frame["the text"], "spare"})}
        dataset = Dataset.from_frame(frame, states=states)
        path = tmp_path_factory.mktemp("tables") / f"a{extension}"
        write_table(dataset, path)
        assert Dataset.read(path, states=states).fingerprint == dataset.fingerprint

    @given(st.binary(max_size=60), st.sampled_from([*EXTENSIONS, ".csv.gz"]))
    def test_garbage_is_an_error_or_a_table(
        self, tmp_path_factory: Any, content: bytes, extension: str
    ) -> None:
        path = file(tmp_path_factory.mktemp("garbage"), f"a{extension}", content)
        with suppress(ForebearError, UserWarning):
            Dataset.read(path, missing="state", discretize="quantile")


@pytest.mark.skipif(not SAMPLES, reason="the sample .data files are not on this machine")
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_benchmark_tables(path: Path) -> None:
    """Every table of 0s and 1s keeps its shape and its values, whatever reads it."""
    dataset = Dataset.read(path)
    table = np.loadtxt(path, delimiter=",", dtype=np.uint8, ndmin=2)
    assert (dataset.codes == table.T).all()
    assert set(dataset.arities.tolist()) == {2}
    assert dataset.names[-1] == str(table.shape[1] - 1)
