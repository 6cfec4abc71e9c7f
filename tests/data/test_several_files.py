"""Tables in several files, in folders and in lazy frames, and random samples of their rows."""

from __future__ import annotations

import gzip
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from expected import error

from forebear import (
    DataError,
    Dataset,
    FileError,
    LimitError,
    ReadOptions,
    as_dataset,
    learn,
)
from forebear.cli import main
from forebear.data.formats import text_stream
from forebear.data.row_parts import RowParts


def table(n_rows: int, seed: int = 1) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    sky = rng.choice(["sun", "rain", "snow"], n_rows)
    return pl.DataFrame(
        {
            "sky": sky,
            "wind": rng.integers(0, 4, n_rows),
            "wet": (sky != "sun") ^ (rng.random(n_rows) < 0.1),
        }
    )


WRITERS: dict[str, Callable[[pl.DataFrame, Path], Any]] = {
    ".csv": lambda frame, path: frame.write_csv(path),
    ".csv.gz": lambda frame, path: path.write_bytes(gzip.compress(frame.write_csv().encode())),
    ".parquet": lambda frame, path: frame.write_parquet(path),
    ".arrow": lambda frame, path: frame.write_ipc(path),
}


@pytest.mark.parametrize("extension", list(WRITERS))
def test_several_files_are_one_table(tmp_path: Path, extension: str) -> None:
    whole = table(300)
    expected = Dataset.from_frame(whole).fingerprint
    folder = tmp_path / "parts"
    folder.mkdir()
    for i in range(3):
        WRITERS[extension](whole[100 * i : 100 * (i + 1)], folder / f"part-{i}{extension}")
    (folder / "_SUCCESS").write_text("")
    (folder / "notes.md").write_text("")
    paths = sorted(folder.glob(f"*{extension}"))
    for source in (folder, str(folder / f"part-*{extension}"), paths, list(map(str, paths))):
        assert as_dataset(source).fingerprint == expected
    assert main(["info", str(folder)]) == 0
    assert main(["info", str(folder / f"part-*{extension}")]) == 0


def test_files_without_headers(tmp_path: Path) -> None:
    for i in range(2):
        (tmp_path / f"{i}.csv").write_text("no,1\nyes,0\nno,0\nyes,1\n")
    assert as_dataset(tmp_path).n_rows == 8


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ("a,c\n1,2\n", "2.csv: column 2 is 'c', but 'b' in "),
        ("a\n1\n", "2.csv: the file lacks column 'b', unlike "),
        ("a,b,c\n1,2,3\n", "2.csv: the file also has column 'c', unlike "),
        ("a,b\n1\n", "2.csv:2: expected 2 fields, got 1"),
        ("", "2.csv: the file is empty"),
    ],
)
def test_text_files_that_do_not_agree(tmp_path: Path, other: str, message: str) -> None:
    (tmp_path / "1.csv").write_text("a,b\n1,x\n0,y\n")
    (tmp_path / "2.csv").write_text(other)
    with error(message, FileError):
        as_dataset(tmp_path)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"a": [1]}, "2.parquet: the file lacks column 'b', unlike "),
        ({"a": [1], "b": ["x"], "c": [0]}, "2.parquet: the file also has column 'c', unlike "),
        ({"a": ["1"], "b": ["x"]}, "2.parquet: column 'a' has the type String, but Int64 in "),
    ],
)
def test_parquet_files_that_do_not_agree(tmp_path: Path, other: Any, message: str) -> None:
    pl.DataFrame({"a": [1, 0], "b": ["x", "y"]}).write_parquet(tmp_path / "1.parquet")
    pl.DataFrame(other).write_parquet(tmp_path / "2.parquet")
    with error(message, FileError):
        as_dataset(tmp_path)


def test_types_that_agree(tmp_path: Path) -> None:
    parts = [
        {
            "a": pl.Series([1, 2], dtype=pl.Int32),
            "b": pl.Series(["x"] * 2, dtype=pl.Enum(["x", "z"])),
        },
        {"b": pl.Series(["y", "x"], dtype=pl.Enum(["y", "x"])), "a": pl.Series([3.0, 1.0])},
    ]
    for i, part in enumerate(parts):
        pl.DataFrame(part).write_parquet(tmp_path / f"{i}.parquet")
    dataset = as_dataset(tmp_path)
    assert dataset.states == (("1", "2", "3"), ("x", "z", "y"))
    assert dataset.codes.tolist() == [[0, 1, 2, 0], [0, 0, 2, 0]]


def test_files_of_several_formats(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a\n1\n0\n")
    pl.DataFrame({"a": [0, 1]}).write_parquet(tmp_path / "b.parquet")
    with error("b.parquet: the file is not .csv like ", FileError):
        as_dataset(tmp_path)
    with error("none-*.csv: no file matches this pattern", FileError):
        as_dataset(str(tmp_path / "none-*.csv"))
    with error("the list of files or rows is empty", FileError):
        as_dataset([])


def test_lazy_frames_are_read_in_batches(tmp_path: Path) -> None:
    n_rows = 400_000
    frame = table(n_rows).with_columns(pl.col("sky") + "y day")
    frame.write_parquet(tmp_path / "a.parquet", row_group_size=10_000)
    expected = Dataset.from_frame(frame)
    lazy = pl.scan_parquet(tmp_path / "a.parquet")
    assert as_dataset(lazy).fingerprint == expected.fingerprint
    query = lazy.filter(pl.col("wind") > 0).with_columns(calm=pl.col("wind") < 2)
    assert as_dataset(query).fingerprint == Dataset.from_frame(query.collect()).fingerprint
    dataset = pytest.importorskip("pyarrow.dataset", reason="pyarrow is not installed")
    arrow = dataset.dataset(tmp_path / "a.parquet")
    assert as_dataset(arrow).fingerprint == expected.fingerprint


def test_queries_that_fail() -> None:
    with error("the query of the lazy frame fails: ", DataError):
        as_dataset(pl.LazyFrame({"a": ["1", "x"]}).select(pl.col("a").cast(pl.Int64)))
    with error("the query of the lazy frame fails: ", DataError):
        as_dataset(pl.LazyFrame({"a": ["1", "x"]}).select("b"))


def test_batches_are_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The codes take a byte per value; the text, ten bytes per value, is never held as a whole."""
    monkeypatch.setattr(text_stream, "BLOCK", 1 << 16)
    n_rows = 200_000
    path = tmp_path / "a.csv"
    with path.open("w") as file:
        file.write("a,b,c\n")
        for i in range(n_rows):
            file.write(f"some text {i % 3},other text {i % 2},more text {i % 5}\n")
    as_dataset(path)
    tracemalloc.start()
    try:
        dataset = as_dataset(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert dataset.n_rows == n_rows
    # What NumPy holds while a batch is translated or counted does not grow with the table.
    assert peak < 2 * dataset.codes.nbytes + 30_000_000


def test_measurements_are_not_looked_up(tmp_path: Path) -> None:
    """A column of more distinct texts than variables have states, in several blocks."""
    n_rows = 300_000
    numbers = np.random.default_rng(1).normal(size=n_rows).round(6)
    frame = table(n_rows).with_columns(size=pl.Series(numbers)).sort("size")
    frame = frame.with_columns(pl.when(pl.col("wind") > 0).then("size"))
    frame.write_csv(tmp_path / "a.csv")
    read: Any = {"discretize": "quantile", "missing": "state"}
    found = as_dataset(tmp_path / "a.csv", **read)
    assert found.fingerprint == Dataset.from_frame(frame, **read).fingerprint


@pytest.mark.parametrize("extension", list(WRITERS))
@pytest.mark.parametrize("block", [64, 1 << 22])
def test_samples_of_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, extension: str, block: int
) -> None:
    monkeypatch.setattr(text_stream, "BLOCK", block)
    frame = table(500).with_columns(row=pl.int_range(500))
    path = tmp_path / f"a{extension}"
    WRITERS[extension](frame, path)
    sample = as_dataset(path, rows=50, categorical=["row"])
    rows = [int(state) for state in sample.states[3]]
    # Lines are counted from 1, and the first is the header.
    first = 2 if ".csv" in extension else 0
    keys = RowParts(1, 50).keys(first, 500)
    assert keys is not None
    assert rows == sorted(np.argsort(keys)[:50].tolist())
    assert sample.fingerprint == Dataset.from_frame(frame[rows], categorical=["row"]).fingerprint
    every, whole = (as_dataset(path, rows=n, drop=["row"]) for n in (500, None))
    assert every.fingerprint == whole.fingerprint


def test_a_sample_keeps_rows_that_look_like_a_header(tmp_path: Path) -> None:
    """The header is recognized by all rows: in a sample, the first one would rarely occur again."""
    (tmp_path / "a.csv").write_text("".join(f"x{i % 50},{i % 2}\n" for i in range(500)))
    whole = as_dataset(tmp_path / "a.csv")
    assert whole.names == ("0", "1")
    for n_rows in (10, 20, 499, 500):
        sample = as_dataset(tmp_path / "a.csv", rows=n_rows)
        assert (sample.names, sample.n_rows) == (whole.names, n_rows)


def test_reading_ends_at_the_time_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_stream, "BLOCK", 1 << 12)
    table(5_000).write_csv(tmp_path / "a.csv")
    with error("reading takes longer than the time limit: only ", LimitError) as caught:
        learn(tmp_path / "a.csv", time_limit=1e-6)
    message = str(caught.value)
    assert " % of the table was read after 0.0 s; pass rows=100000 to read a random" in message
    with error("reading takes longer", LimitError) as caught:
        learn(tmp_path / "a.csv", time_limit=1e-6, read=ReadOptions(rows=100))
    assert str(caught.value).endswith(" after 0.0 s; increase time_limit")
    table(5_000).write_parquet(tmp_path / "a.parquet", row_group_size=500)
    with error("reading takes longer than the time limit: only ", LimitError):
        learn(tmp_path / "a.parquet", time_limit=1e-6)
    # A table that is read at once is learned from, however late it is.
    assert learn(table(100), time_limit=1e-6).network.n_variables == 3
