"""Conversion of tables in memory: arrays of records."""

from __future__ import annotations

import numpy as np
from expected import error

from forebear import Dataset, summarize_table


def test_records_have_names() -> None:
    fields = [("age", "i4"), ("sex", "U1"), ("weight", "f8")]
    records = np.array([(30, "f", 61.5), (40, "m", 70.0), (30, "m", np.nan)], dtype=fields)
    for array in (records, records.view(np.recarray)):
        table = Dataset.from_array(array, discretize="uniform", bins=2)
        assert table.names == ("age", "sex", "weight")
        assert table.states[:2] == (("30", "40"), ("f", "m"))
        assert table.gaps.sum() == 1
    masked = np.ma.array(records, mask=[(True, False, False), (False,) * 3, (False,) * 3])
    table = Dataset.from_array(masked, drop=["weight"])
    assert table.gaps.tolist() == [[True, False, False], [False] * 3]
    assert str(summarize_table(records)).startswith("3 rows, 3 columns\nage ")
    with error("names is for plain arrays: the fields of records have names"):
        Dataset.from_array(records, names=["a", "b", "c"])
    with error("an array of records must have one dimension, the rows, got 2 dimensions"):
        Dataset.from_array(records[:, np.newaxis])
    with error("each field of a record must hold one value, but xy do not"):
        Dataset.from_array(np.zeros(3, dtype=[("id", "i4"), ("xy", "f8", 2)]))
