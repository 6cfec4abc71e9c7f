"""The structure of Parquet files: those of other programs are sound, damaged sizes are not."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebear.data.formats.parquet_structure import is_sound_parquet

ENDS_POLARS = Path(__file__).with_name("ends_polars.parquet")


def frame(n_rows: int = 500) -> pl.DataFrame:
    rng = np.random.default_rng(1)
    texts = [(None, "x", "yy")[code] for code in rng.integers(0, 3, n_rows)]
    return pl.DataFrame(
        {
            "number": rng.normal(size=n_rows),
            "whole": rng.integers(0, 5, n_rows),
            "text": texts,
            "flag": rng.random(n_rows) < 0.5,
            "enum": pl.Series(texts, dtype=pl.Enum(["x", "yy", "never"])),
        }
    )


def content(**settings: Any) -> bytes:
    out = io.BytesIO()
    frame().write_parquet(out, **settings)
    return out.getvalue()


@pytest.mark.parametrize("compression", ["zstd", "snappy", "gzip", "lz4", "uncompressed"])
def test_files_of_polars(compression: str, tmp_path: Path) -> None:
    data = content(compression=compression, row_group_size=100)
    assert is_sound_parquet(data)
    (tmp_path / "a.parquet").write_bytes(data)
    assert is_sound_parquet(tmp_path / "a.parquet")
    assert not is_sound_parquet(tmp_path / "none.parquet")


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_files_of_pyarrow(version: Any) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    out = io.BytesIO()
    parquet.write_table(frame().to_arrow(), out, data_page_version=version, row_group_size=100)
    assert is_sound_parquet(out.getvalue())


def test_a_file_that_ends_polars() -> None:
    assert not is_sound_parquet(ENDS_POLARS)


@given(st.data())
def test_a_file_without_some_of_its_bytes(data: st.DataObject) -> None:
    whole = content()
    # All pages but the last are before this: where that ends, only its own content tells.
    start = data.draw(st.integers(4, len(whole) // 2))
    end = data.draw(st.integers(start + 1, start + 50))
    assert not is_sound_parquet(whole[:start] + whole[end:])


@given(st.binary(max_size=200))
def test_garbage(data: bytes) -> None:
    assert not is_sound_parquet(data)
    assert not is_sound_parquet(b"PAR1" + data + b"PAR1")
