"""Writing of tables: every format there and back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebear import Dataset, as_dataset
from forebear.data.formats.table import WRITTEN
from forebear.data.writing import write_table

ASIA = Dataset(
    np.array([[0, 1, 1, 0], [2, 0, 1, 0], [1, 1, 0, 0]]),
    ("visit", "smoke", "tub"),
    (("no", "yes"), ("1", "2", "10"), ("false", "true")),
)
BINARY = Dataset(np.array([[0, 1, 1], [1, 1, 1]]), ("0", "1"), (("0", "1"), ("0", "1")))


@pytest.mark.parametrize("zipped", ["", ".gz"])
@pytest.mark.parametrize("extension", WRITTEN)
def test_every_extension(tmp_path: Path, extension: str, zipped: str) -> None:
    dataset = BINARY if extension in (".dat", ".data") else ASIA
    path = tmp_path / f"table{extension}{zipped}"
    write_table(dataset, path)
    assert Dataset.read(path).fingerprint == dataset.fingerprint
    assert list(tmp_path.iterdir()) == [path]


def test_text_is_quoted_only_where_needed(tmp_path: Path) -> None:
    states = (("yes", "no"), ("a", 'b "quoted"', "é"))
    dataset = Dataset(np.array([[0, 1], [2, 1]]), ("plain", "with, comma"), states)
    write_table(dataset, tmp_path / "t.csv")
    expected = 'plain,"with, comma"\nyes,é\nno,"b ""quoted"""\n'
    assert (tmp_path / "t.csv").read_text(encoding="utf-8") == expected


def test_other_libraries_read_what_is_written(tmp_path: Path) -> None:
    write_table(ASIA, tmp_path / "a.parquet")
    assert as_dataset(pd.read_parquet(tmp_path / "a.parquet")).fingerprint == ASIA.fingerprint
    assert as_dataset(ASIA.to_frame().to_arrow()).fingerprint == ASIA.fingerprint


def test_arrow_streams(tmp_path: Path) -> None:
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
def test_any_text(tmp_path_factory: Any, rows: list[Any], extension: str) -> None:
    frame = pl.DataFrame(rows, schema={"the text": pl.String, "flag": pl.Boolean}, orient="row")
    states = {"the text": sorted({*frame["the text"], "spare"})}
    dataset = Dataset.from_frame(frame, states=states)
    path = tmp_path_factory.mktemp("tables") / f"a{extension}"
    write_table(dataset, path)
    assert Dataset.read(path, states=states).fingerprint == dataset.fingerprint
