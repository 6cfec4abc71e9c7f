"""Tables in files: every format there and back, and one clear sentence for every bad file."""

from __future__ import annotations

import gzip
import io
import re
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebear._util.errors import FileError, ForebearError
from forebear.data.dataset import Dataset, as_dataset
from forebear.data.formats.table import EXTENSIONS


def error(match: str) -> Any:
    return pytest.raises(FileError, match=re.escape(match))


def file(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    ("name", "content"),
    [
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
def test_same_table_in_many_forms(tmp_path: Path, name: str, content: Any) -> None:
    expected = Dataset.from_frame(pl.DataFrame({"a": [1, 2], "b": ["x", "y"]}))
    assert Dataset.read(file(tmp_path, name, content)).fingerprint == expected.fingerprint


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    text = io.TextIOWrapper(io.BytesIO(b"a,b\n1,x\n2,y\n"))
    monkeypatch.setattr(sys, "stdin", text)
    assert as_dataset("-").names == ("a", "b")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a,b\n1\n")))
    with error("standard input:2: expected 2 fields, got 1"):
        as_dataset("-")


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
        ("a.txt", "\t\n", "a.txt: the file is empty"),
        ("a.parquet", b"", "a.parquet: the file is empty"),
        ("a.csv", "a,b\n", "the only line is the header, so there are no rows"),
        ("a.csv", "a,b,a\n1,2,3\n", "a.csv:1: several columns have the same name (a): rename them"),
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
        ("a.data", "01\n01\n", "a.data:1: a .data file has only 0 and 1"),
        ("a.data", "0,1\n0\n", "a.data:2: expected 2 fields, got 1"),
        ("a.dat", "a b\n2 2\n", "a .dat file has a line of names, a line with the numbers of stat"),
        ("a.dat", "a b\n2\n0 0\n", "a.dat:2: expected 2 fields, got 1"),
        ("a.dat", "a b\n2 x\n0 0\n", "a.dat:2: expected the numbers of states of the columns, got"),
        ("a.dat", "a a\n2 2\n0 0\n", "a.dat:1: several columns have the same name (a): rename the"),
        ("a.dat", "#\na b\n2 2\n0 0\n0\n", "a.dat:5: expected 2 fields, got 1"),
        ("a.dat", "a b\n2 2\n0 0\n#\n1 7\n0 9\n", "a.dat:6: column 'b' has one value more, '9': o"),
    ],
)
def test_bad_files(tmp_path: Path, name: str, content: Any, message: str) -> None:
    with error(message) as caught:
        Dataset.read(file(tmp_path, name, content))
    assert "\n" not in str(caught.value)


def test_paths(tmp_path: Path) -> None:
    for address in ("https://a.org/t.csv", "ftp://a.org/table"):
        with error(f"{address}: forebear does not download files: download it and pass its path"):
            Dataset.read(address)
    with error("none.csv: there is no such file"):
        Dataset.read(tmp_path / "none.csv")
    (tmp_path / "folder.csv").mkdir()
    with error("folder.csv: the folder has no tables"):
        Dataset.read(tmp_path / "folder.csv")
    with error("a.csv/b.csv: cannot be read: Not a directory"):
        Dataset.read(file(tmp_path, "a.csv", "a\n1\n") / "b.csv")


@given(st.binary(max_size=60), st.sampled_from([*EXTENSIONS, ".csv.gz"]))
def test_garbage_is_an_error_or_a_table(
    tmp_path_factory: Any, content: bytes, extension: str
) -> None:
    path = file(tmp_path_factory.mktemp("garbage"), f"a{extension}", content)
    with suppress(ForebearError, UserWarning):
        Dataset.read(path, missing="state", discretize="quantile")


def test_file_objects(tmp_path: Path) -> None:
    frame = pl.DataFrame({"größe": ["x", "y", "x"], "b": [1, 0, 1]})
    text = frame.write_csv()
    expected = Dataset.from_frame(frame).fingerprint
    (tmp_path / "a.csv").write_text(text, encoding="utf-8")
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(text.encode()))
    frame.write_parquet(tmp_path / "a.parquet")
    for path in tmp_path.iterdir():
        with path.open("rb") as file:
            assert as_dataset(file).fingerprint == expected
    with (tmp_path / "a.csv").open(encoding="utf-8") as file:
        assert as_dataset(file).fingerprint == expected
    for opened in (io.BytesIO(text.encode()), io.StringIO(text)):
        assert as_dataset(opened).fingerprint == expected
    latin = io.BytesIO(text.encode("cp1252"))
    assert as_dataset(latin, encoding="cp1252").fingerprint == expected
    with error("the file object:2: expected 2 fields, got 1"):
        as_dataset(io.StringIO("a,b\n1\n"))
    with error("encoding has no effect on the file object, which is open as text"):
        as_dataset(io.StringIO(text), encoding="cp1252")


def test_file_objects_that_cannot_be_read(tmp_path: Path) -> None:
    path = file(tmp_path, "latin.csv", "é,b\n1,2\n2,1\n".encode("cp1252"))
    with path.open(encoding="utf-8") as latin, error("latin.csv: cannot be read: 'utf-8' codec"):
        as_dataset(latin)
    with error("latin.csv: cannot be read: I/O operation on closed file"):
        as_dataset(latin)


def test_tabs_in_text_files(tmp_path: Path) -> None:
    tabs = "first name\tb\n1\tx y\n2\t\n3\tz\n"
    dataset = as_dataset(file(tmp_path, "tabs.txt", tabs))
    assert dataset.names == ("first name", "b")
    assert dataset.states[1] == ("x y", "z")
    for blanks in ("a b\n1\tx\n2\ty\n", "a\t\tb\n1\t\tx\n2\t\ty\n", "a\tb\n1 x\n2 y\n"):
        assert as_dataset(file(tmp_path, "blanks.txt", blanks)).names == ("a", "b")
