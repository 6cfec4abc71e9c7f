"""summarize_table: the same look at a table from any source, before anything is decided."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

from forebear import DataError, ForebearError, ReadOptions, as_dataset, summarize_table

if TYPE_CHECKING:
    from pathlib import Path

TABLE = pl.DataFrame(
    {"weight": [61.5, 70.25, None, 59.0], "smokes": ["no", "-", "no", "yes"], "all": ["x"] * 4}
)


def test_a_file_and_a_frame_look_the_same(tmp_path: Path) -> None:
    TABLE.write_csv(tmp_path / "table.csv")
    read = ReadOptions(missing_tokens=["-"])
    summary = summarize_table(TABLE, read)
    assert str(summarize_table(tmp_path / "table.csv", missing_tokens=["-"])) == str(summary)
    weight, smokes, constant = summary.columns
    assert (weight.kind, weight.n_missing) == ("continuous", 1)
    assert smokes.n_missing == 1
    assert "constant" in constant.to_dict()["suspicions"]


def test_arrays_datasets_and_examples() -> None:
    array = np.array([[0.5, 1], [1.25, 0], [2.75, 1]])
    assert [column.kind for column in summarize_table(array).columns] == [
        "continuous",
        "categorical",
    ]
    data = as_dataset("example:orchard")
    assert str(summarize_table(data)) == str(data.summary())
    assert summarize_table("example:orchard").n_rows == data.n_rows


def test_what_is_no_table_is_refused() -> None:
    with pytest.raises(DataError, match="a table is expected"):
        summarize_table(17)
    with pytest.raises(DataError, match="has no effect on a Dataset"):
        summarize_table(as_dataset("example:orchard"), drop=["winter"])
    with pytest.raises(ForebearError, match="encoding"):
        summarize_table(TABLE, encoding="cp1252")
