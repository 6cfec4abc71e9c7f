"""Parquet, Arrow and Excel files: damage that ends Polars, declared states, sheets."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from forebear import Dataset, FileError, ForebearWarning
from forebear.cli import main
from forebear.data.formats import binary

# A Parquet file without one of its bytes: Polars asks for more memory than there is, and aborts.
ENDS_POLARS = Path(__file__).with_name("ends_polars.parquet")


def test_a_file_that_ends_the_program_that_reads_it() -> None:
    with pytest.raises(FileError, match=r"polars.parquet: this file cannot be read as Parquet"):
        Dataset.read(ENDS_POLARS)


def test_a_process_that_dies_is_not_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = pl.DataFrame({"a": [0, 1, 0], "b": ["x", "y", "y"]})
    frame.write_parquet(tmp_path / "a.parquet")
    content = (tmp_path / "a.parquet").read_bytes()
    (tmp_path / "a.parquet").write_bytes(content[:-5] + b"\xff" + content[-4:])
    frame.write_ipc(tmp_path / "a.arrow")
    monkeypatch.setattr(binary, "_TRIAL", "import os; os.abort() # {}")
    for name in ("a.parquet", "a.arrow"):
        assert main(["info", str(tmp_path / name)]) == 2
        told = capsys.readouterr().err
        assert told.endswith("the file is damaged: it ends the program that reads it\n")
        assert told.count("\n") == 1


def declared() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 2, 500), rng.integers(0, 3, 500)
    return pd.DataFrame(
        {
            "a": pd.Categorical.from_codes(a, categories=["x", "y", "never"]),
            "b": pd.Categorical.from_codes((a + b) % 3, categories=["no", "maybe", "yes", "else"]),
        }
    )


@pytest.mark.parametrize("extension", [".parquet", ".feather"])
def test_declared_states_of_pandas_survive(tmp_path: Path, extension: str) -> None:
    frame, path = declared(), tmp_path / f"a{extension}"
    frame.to_parquet(path) if extension == ".parquet" else frame.to_feather(path)
    from_file, direct = Dataset.read(path), Dataset.from_frame(frame)
    assert from_file.states == (("x", "y", "never"), ("no", "maybe", "yes", "else"))
    assert from_file.fingerprint == direct.fingerprint


def test_without_pyarrow_a_warning_says_what_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    declared().to_parquet(tmp_path / "a.parquet")
    find = importlib.util.find_spec

    def lacking(name: str) -> Any:
        return None if name == "pyarrow" else find(name)

    monkeypatch.setattr(importlib.util, "find_spec", lacking)
    with pytest.warns(ForebearWarning, match=r"a, b may declare states that no row has"):
        assert Dataset.read(tmp_path / "a.parquet").states[0] == ("x", "y")


def test_options_for_text_are_refused(tmp_path: Path) -> None:
    declared().to_parquet(tmp_path / "a.parquet")
    with pytest.raises(FileError, match=r"encoding is for text files, not for .parquet"):
        Dataset.read(tmp_path / "a.parquet", encoding="utf-8")
    with pytest.raises(FileError, match=r"sheet is for workbooks \(.xlsx\), not for .parquet"):
        Dataset.read(tmp_path / "a.parquet", sheet="one")


def test_a_workbook_without_fastexcel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.xlsx").write_bytes(b"PK")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(
        FileError, match=r"requires the package fastexcel: run pip install fastexcel, or save"
    ):
        Dataset.read(tmp_path / "a.xlsx")


def test_workbooks(tmp_path: Path) -> None:
    pytest.importorskip("fastexcel", reason="fastexcel is not installed")
    xlsxwriter = pytest.importorskip("xlsxwriter", reason="xlsxwriter is not installed")
    frame = pl.DataFrame({"sky": ["sun", "rain", None, "sun"], "wind": [1, 2, 2, 1]})
    frame.write_excel(tmp_path / "one.xlsx")
    same = Dataset.from_frame(frame, missing="state")
    assert Dataset.read(tmp_path / "one.xlsx", missing="state").fingerprint == same.fingerprint
    with xlsxwriter.Workbook(tmp_path / "two.xlsx") as book:
        frame.write_excel(book, "first")
        frame.select("wind").write_excel(book, "second")
    with pytest.warns(ForebearWarning, match=r"has 2 sheets \(first, second\), and the first"):
        assert Dataset.read(tmp_path / "two.xlsx", missing="state").n_variables == 2
    assert Dataset.read(tmp_path / "two.xlsx", sheet="second").names == ("wind",)
    with pytest.raises(FileError, match="there is no sheet 'third': it has first, second"):
        Dataset.read(tmp_path / "two.xlsx", sheet="third")
    (tmp_path / "bad.xlsx").write_bytes(b"PK nothing")
    with pytest.raises(FileError, match="this file cannot be read as an Excel workbook"):
        Dataset.read(tmp_path / "bad.xlsx")
