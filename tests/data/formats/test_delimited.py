"""Delimited text: which first lines are headers, what quotes mean, and which types are found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from expected import error

from forebear import Dataset, FileError
from forebear.data.writing import write_table

BINARY, WORDS = ("0", "1"), ("x", "y")
MARKS = ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "?", "*", '""']


def read(folder: Path, content: str, name: str = "a.csv", **options: Any) -> Dataset:
    (folder / name).write_text(content)
    return Dataset.read(folder / name, **options)


@pytest.mark.parametrize(
    ("content", "states"),
    [
        ("a,b\n1,x\n2,y\n10,x\n", (("1", "2", "10"), WORDS)),
        # Quoted fields hold anything; a quote inside a field is text.
        (
            'a,b\n"x, y",1\n"say ""hi""",0\n"two\nlines",1\n',
            (('say "hi"', "two\nlines", "x, y"), BINARY),
        ),
        ('a,b\n5" pipe,1\n6" pipe,"0"\n', (('5" pipe', '6" pipe'), BINARY)),
        # A state called NA is quoted as R does it; where everything is quoted, quotes say nothing.
        ('"a","b"\n"NA",1\nNA,0\n"x",1\n', (("NA", "x", "missing"), BINARY)),
        ('"a","b"\n"NA","1"\n"x","0"\n"y","1"\n', ((*WORDS, "missing"), BINARY)),
        # Blank lines are rows of a single column.
        ("a\n1\n\n0\n\n", ((*BINARY, "missing"),)),
        ("a,b,c\ntrue,True,TRUE\n false,False ,FALSE\n", (("false", "true"),) * 3),
        # The first rows let one guess wrong types.
        (
            "a,b,c,d\n" + "0,true,0, 1\n1,true,1, 1\n" * 100 + "x,no,1.0,2",
            ((*BINARY, "x"), ("no", "true"), BINARY, ("1", "2")),
        ),
        (
            "a,b\n1,1\nNone,0\n" + "".join(f"{mark},0\n" for mark in MARKS),
            (("1", "None", "missing"), BINARY),
        ),
    ],
)
def test_states(tmp_path: Path, content: str, states: Any) -> None:
    assert read(tmp_path, content, missing="state").states == states


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ("a,b\n1,2\n2,1\n", ("a", "b")),
        ("yes,no\nno,no\nmaybe,yes\n", ("yes", "no")),
        ("0,1,2\n1,0,1\n0,1,0\n", ("0", "1", "2")),
        ("1,2\n1,0\n0,1\n", ("1", "2")),
        ("2020,2022,2024\n1,0,1\n0,1,0\n", ("2020", "2022", "2024")),
        ('"",b,\nx,1,0\ny,2,1\n', ("column_1", "b", "column_3")),
    ],
)
def test_headers(tmp_path: Path, content: str, names: tuple[str, ...]) -> None:
    dataset = read(tmp_path, content)
    assert (dataset.names, dataset.n_rows) == (names, 2)


@pytest.mark.parametrize(
    "content",
    [
        "0,1\n1,0\n0,1\n",
        "0,1\n0,x\ny,1\n",
        "no,yes\nno,yes\nyes,no\n",
        "1,yes\n0,no\n1,yes\n",
        "NA,1\n0,0\n1,1\n",
        "true,1\nfalse,0\ntrue,1\n",
        "NA,NA\nx,0\ny,1\n",
        "1.0,1\n1,0\n0,1\n",
        "1,x\n2,1\n1,x\n",
        "2,3\n2,3\n1,0\n",
    ],
)
def test_first_rows_of_data(tmp_path: Path, content: str) -> None:
    dataset = read(tmp_path, content, missing="state")
    assert (dataset.names, dataset.n_rows) == (("0", "1"), 3)
    forced = read(tmp_path, content, missing="state", header=False)
    assert forced.fingerprint == dataset.fingerprint


def test_headers_that_are_forced(tmp_path: Path) -> None:
    assert read(tmp_path, "0,1\n1,0\n0,1\n", header=True).n_rows == 2
    assert read(tmp_path, "a,b\nx,y\n", header=False).states == (("a", "x"), ("b", "y"))
    # A first row of data may widen a type.
    dataset = read(tmp_path, "0.5,1\n1,0\n0,1\n", discretize="uniform", bins=2)
    assert dataset.states == (("up_to_0.5", "above_0.5"), BINARY)


def test_quoted_fields_between_blanks(tmp_path: Path) -> None:
    dataset = read(tmp_path, 'a b\n"x y"  1\n"two\nlines" 2\n"z" "1"\n', "a.txt")
    assert dataset.states == (("two\nlines", "x y", "z"), ("1", "2"))
    with error("a.txt:5: expected 2 fields, got 3", FileError):
        read(tmp_path, 'a b\n"x y" 1\n"two\nlines" 2\n3 4 5\n', "a.txt")


def test_states_called_na_are_written_and_read_back(tmp_path: Path) -> None:
    codes = np.array([[0, 1, 2, 0], [0, 1, 1, 1]])
    table = Dataset(codes, ("a", "NA"), (("NA", "x", "?"), ("no", "yes")))
    write_table(table, tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text().splitlines()[1] == '"NA",no'
    again = Dataset.read(tmp_path / "a.csv")
    assert (again.names, sorted(again.states[0])) == (("a", "NA"), ["?", "NA", "x"])
