"""Parquet, Arrow and Excel files: damage that ends Polars, declared states, sheets."""

from __future__ import annotations

import base64
import gzip
import importlib.util
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from forebear import Dataset, FileError, ForebearWarning, Network, score_network
from forebear.cli import main
from forebear.data.formats import binary

if TYPE_CHECKING:
    from pathlib import Path

# A Parquet file without one of its bytes: Polars asks for more memory than there is, and aborts.
ENDS_POLARS = (
    "H4sIAAAAAAACA51UzU8TQRSf2V2WFRvExBl3zWo2BNYSCZRFaEtQOrRQqwVa0sT0RttlgQSpoQilN2P0QIghHky8GaMe"
    "OHjShHgwHj3gxZNHDv4LEi8a3+xHwQOJOtmd9/17v5m32RybHSASMYiVBYEQCr/r/2l03EfNhX1JEEkRq5fsiKSDyETW"
    "h1FYCYKqclTgQXQ+RCgngrUjYjy4i5GREIikDSG5Q1NxiYTojki/YHjMgqmcCAakLpFIFhoGwGc2PU51vm3yrQHUtjEZ"
    "Oc7NDuOGiutB0eQrhOYugDW4IVzuyjx5JqCR9IPnCgkFjMoeo1+YfsDmlmh+FI6BQIPHGin0EhG04OwewVAioHsw5neb"
    "S7e0YFT3D8/9P6RESEbn27/jvdORN13i51NGO2nTupEMnSte528a3cXmvjR6ErZ2VtCOrgbUo8lo1A/jOrwN7rD/yD8Y"
    "a6qhhJ+v0wJ5hCly1S2RrPnqvkR2XTcRtOwNabVaXSMyDKJbgLkhEuKy3I2yOk9p41YFwQE0XRs1Xwv6fwyZHrYSSr/K"
    "5DoyP0n6Xw6FbitQ9bSVdCLzsEX/5/ukLxSi0r1W6ErfXoQSU6HvpXP8DtQQm52duT1SqyzO3ympL4V+vuIZBmuCb7F1"
    "sOt533ZdtxirsaQr8+xKDuIbG9wPRQt+3hSIcdeY5hvj9ckih3aRx5mfz0NTzFupYR4HiDRjRZ7iZhU59FQBIrFKk5TX"
    "Z3zSr2S5Bo9PuH14qzSHTtU43gyPJ92sotcv4yJPLAAUl3mPR8qHivPzRFiTJZTe5KDJgE+eXUPqdK66XFqtGeG7m2uL"
    "1ZUeY31+tbZUXTGsvoG+iBEu31tato2oE49YZXvQcWwr6jgxyx64akVjpUi8ZMWHHMdyoqV5O271aKPwiXkP2hbgdwL/"
    "qt8s0EhgsAQAAA=="
)


def test_a_file_that_ends_the_program_that_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "bad.parquet"
    path.write_bytes(gzip.decompress(base64.b64decode(ENDS_POLARS)))
    with pytest.raises(FileError, match=r"bad.parquet: this file cannot be read as Parquet"):
        Dataset.read(path)


def test_a_process_that_dies_is_not_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = pl.DataFrame({"a": [0, 1, 0], "b": ["x", "y", "y"]})
    frame.write_parquet(tmp_path / "a.parquet")
    frame.write_ipc(tmp_path / "a.arrow")
    monkeypatch.setattr(binary, "_TRIAL", "import os; os.abort() # {}")
    for name in ("a.parquet", "a.arrow"):
        assert main(["info", str(tmp_path / name)]) == 2
        told = capsys.readouterr().err
        assert told.endswith("the file is damaged: it ends the program that reads it\n")
        assert told.count("\n") == 1
    monkeypatch.setattr("sys.executable", "")  # Python inside another program
    assert Dataset.read(tmp_path / "a.parquet").n_rows == 3


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
    network = Network(("a", "b"), ((), (0,)))
    assert score_network(network, from_file) == score_network(network, direct)


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
        FileError, match=r"needs the package fastexcel: run pip install fastexcel, or save"
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
    with pytest.warns(ForebearWarning, match=r"has 2 sheets \(first, second\), of which the first"):
        assert Dataset.read(tmp_path / "two.xlsx", missing="state").n_variables == 2
    assert Dataset.read(tmp_path / "two.xlsx", sheet="second").names == ("wind",)
    with pytest.raises(FileError, match="there is no sheet called 'third': it has first, second"):
        Dataset.read(tmp_path / "two.xlsx", sheet="third")
    (tmp_path / "bad.xlsx").write_bytes(b"PK nothing")
    with pytest.raises(FileError, match="this file cannot be read as an Excel workbook"):
        Dataset.read(tmp_path / "bad.xlsx")
