"""Schema files: what is written is read back, what is said holds, and mistakes are named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebear import Dataset, ReadOptions
from forebear.cli import main
from forebear.data.formats.table import load_table, read_table
from forebear.data.schema import write_schema
from forebear.data.summarize_table import summarize_raw_table

SCHEMA = """
missing = "state"
discretize = "uniform"
bins = 3
missing_tokens = ["NA"]

[columns]
id = "drop"
age = { kind = "continuous", bins = [30, 60] }
size = { kind = "ordered", states = ["low", "mid", "high"] }
code = { kind = "categorical", missing_tokens = ["-9"] }
rest = "keep"
"""
TABLE = """id,age,size,code,rest,width
a,25,low,1,x,0.5
b,45,high,-9,y,1.5
c,NA,mid,3,x,2.5
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.toml").write_text(SCHEMA)
    (tmp_path / "a.csv").write_text(TABLE)
    return tmp_path


def test_what_a_schema_says_holds(folder: Path) -> None:
    table = Dataset.read(folder / "a.csv", schema=folder / "a.toml")
    assert table.names == ("age", "size", "code", "rest", "width")
    assert table.states == (
        ("up_to_30", "from_30_to_60", "above_60", "missing"),
        ("low", "mid", "high"),
        ("1", "3", "missing"),
        ("x", "y"),
        ("up_to_1.167", "from_1.167_to_1.833", "above_1.833"),
    )
    assert ReadOptions.from_schema(folder / "a.toml").drop == ["id"]


def test_options_go_before_the_schema(folder: Path) -> None:
    table = Dataset.read(
        folder / "a.csv",
        schema=folder / "a.toml",
        drop=["age", "width"],
        categorical=["id"],
        missing_tokens=[],
    )
    assert table.names == ("id", "size", "code", "rest")
    assert table.states[0] == ("a", "b", "c")
    fewer = ReadOptions.from_schema(folder / "a.toml", bins=2)
    assert fewer.default_bins == 2
    assert fewer.bins_by_column == {"age": [30, 60]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("colums = 1", "an option must be one of missing, discretize"),
        ("missing = 'x'", "missing must be one of error, drop, state, available, em, got 'x'"),
        ("drop = ['age']\n[columns]\nage = 'ordered'", "column 'age' is named in ordered and in"),
        ("columns = 3", "columns must be a table with a line per column"),
        ("[columns]\nage = 3", "column 'age' must be a kind or a table, got 3"),
        ("[columns]\nage = 'drp'", "the kind of column 'age' must be one of keep, drop, categ"),
        ("[columns]\nage = {knd = 'drop'}", "a setting of column 'age' must be one of kind, b"),
        ("[columns]\nage = 'drop'\n[columns]", "not a schema file"),
        (
            "[columns]\nage = {bins = 3}",
            'bins for single columns requires discretize="quantile" or',
        ),
        (b"\xff\xfe", "not a schema file: its text is not UTF-8"),
        (None, "there is no such file"),
    ],
)
def test_messages_name_the_file_and_its_key(
    tmp_path: Path, text: Any, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "t.csv").write_text("age,size\n" + "1,low\n2,high\n" * 9)
    path = tmp_path / "s.toml"
    if text is not None:
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    code = main(["learn", str(tmp_path / "t.csv"), "--schema", str(path), "--generations", "1"])
    shown = capsys.readouterr().err.splitlines()[-1]
    assert code == 2
    assert shown.startswith(f"forebear: {path}: {message}")
    assert "--" not in shown.replace(str(path), "")


def test_options_beside_a_schema_are_named_as_options(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "t.csv").write_text("age,size\n" + "1,low\n2,high\n" * 9)
    (tmp_path / "s.toml").write_text("drop = ['lost']")
    command = ["learn", str(tmp_path / "t.csv"), "--schema", str(tmp_path / "s.toml")]
    assert main([*command, "--bins", "1"]) == 2
    assert capsys.readouterr().err == "forebear: --bins must be at least 2, got 1\n"
    assert main(command) == 2
    assert capsys.readouterr().err == "forebear: --drop: there is no column 'lost'\n"
    # What the file lacks may be given beside it.
    (tmp_path / "s.toml").write_text("[columns]\nage = {bins = 2}")
    assert main([*command, "--discretize", "quantile", "--generations", "1", "-q"]) == 0


NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8).filter(str.strip)
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "missing": st.sampled_from(["error", "drop", "state"]),
        "discretize": st.sampled_from(["quantile", "uniform"]),
        "bins": st.integers(2, 9),
        "missing_tokens": st.lists(st.text(max_size=3), max_size=3),
        "header": st.booleans(),
        "encoding": st.sampled_from(["utf-8", "cp1252"]),
        "decimal_comma": st.booleans(),
        "comment": st.sampled_from(["#", "//", '"']),
    },
)


@given(st.lists(NAMES, unique=True, min_size=1, max_size=5), OPTIONS)
def test_what_is_written_is_read_back(
    tmp_path_factory: Any, names: list[str], options: Any
) -> None:
    path = tmp_path_factory.mktemp("schema") / "a.toml"
    made = ReadOptions(**options)
    frame = pl.DataFrame({name: ["x", "y"] for name in names})
    write_schema(
        summarize_raw_table(load_table(frame, ReadOptions()), made), made, path, "a\nb.csv"
    )
    again = ReadOptions.from_schema(path)
    assert list(again.categorical) == names
    for name, value in options.items():
        found = again.default_tokens if name == "missing_tokens" else getattr(again, name)
        found = again.default_bins if name == "bins" else found
        assert found == (tuple(value) if name == "missing_tokens" else value)


def test_a_written_schema_reads_the_same_table(folder: Path) -> None:
    how = ReadOptions(missing="state", discretize="quantile", bins={"width": 2})
    table = read_table(folder / "a.csv", how)
    write_schema(summarize_raw_table(table, how), how, folder / "new.toml", "a.csv")
    text = (folder / "new.toml").read_text()
    assert '"width" = { kind = "continuous", bins = 2 }  # 0.5 to 2.5, 3 values' in text
    direct = Dataset.read(folder / "a.csv", how)
    assert Dataset.read(folder / "a.csv", schema=folder / "new.toml").fingerprint == (
        direct.fingerprint
    )


def test_weights(folder: Path) -> None:
    (folder / "a.csv").write_text("a,n\nx,2\ny,3\n")
    command = ["info", folder / "a.csv", "--weights", "n", "--schema", folder / "new.toml"]
    assert main([str(part) for part in command]) == 0
    text = (folder / "new.toml").read_text()
    assert 'weights = "n"' in text
    assert '"n" =' not in text
    assert Dataset.read(folder / "a.csv", schema=folder / "new.toml").n_rows == 5
