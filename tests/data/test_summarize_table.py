"""TableSummary: one line per column, what is missing together, and what is suspicious."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from forebear import Dataset, ReadOptions, as_dataset, summarize_table

N = 200
FRAME = pl.DataFrame(
    {
        "id": [f"p{i}" for i in range(N)],
        "sex": [("f", "m")[i % 2] for i in range(N)],
        "gender": [("woman", "man")[i % 2] for i in range(N)],
        "mood": [("good", "bad", "None")[i % 3] for i in range(N)],
        "height": np.random.default_rng(1).normal(170, 10, N).round(1),
        "answer": [None if i % 10 < 2 else i % 4 for i in range(N)],
        "reason": [None if i % 10 < 1 else "ab"[i // 2 % 2] for i in range(N)],
    }
)


def test_one_line_per_column() -> None:
    lines = str(summarize_table(FRAME)).splitlines()
    assert lines[0] == "200 rows, 7 columns"
    assert lines[2].split() == ["sex", "categorical", "f", "100,", "m", "100"]
    assert "duplicate (the same as sex)" in lines[3]
    assert "continuous, numbers" in lines[5]
    assert "20.0% missing" in lines[6]
    assert lines[8:] == [
        "160 of 200 rows (80.0%) are complete",
        "20 rows lack answer, reason",
        "20 rows lack answer",
    ]


def test_as_plain_values() -> None:
    found = summarize_table(FRAME).to_dict()
    assert found["complete_rows"] == 160
    by_name = {column["name"]: column for column in found["columns"]}
    assert by_name["sex"]["states"] == {"f": 100, "m": 100}
    assert by_name["height"]["range"] == [str(FRAME["height"].min()), str(FRAME["height"].max())]
    assert by_name["id"]["suspicions"] == {"identifier": "200 states in 200 rows"}
    assert len(by_name["id"]["states"]) == 100
    assert found["missing_together"][0] == {"columns": ["answer", "reason"], "rows": 20}


def test_options_are_shown() -> None:
    order = ["bad", "None", "good", "great"]
    mood = summarize_table(FRAME, drop=["id"], ordered={"mood": order}).columns[2]
    assert (mood.kind, mood.states, mood.counts) == ("ordered", tuple(order), (67, 66, 67, 0))
    # Values that are not declared are shown too.
    mood = summarize_table(FRAME, keep=["mood"], states={"mood": ["good"]}).columns[0]
    assert (mood.states, mood.counts) == (("good", "None", "bad"), (67, 66, 67))


def test_every_source_looks_the_same(tmp_path: Path) -> None:
    table = pl.DataFrame({"weight": [61.5, 70.25, None, 59.0], "smokes": ["no", "-", "no", "yes"]})
    table.write_csv(tmp_path / "table.csv")
    summary = summarize_table(table, ReadOptions(missing_tokens=["-"]))
    assert str(summarize_table(tmp_path / "table.csv", missing_tokens=["-"])) == str(summary)
    assert [(c.kind, c.n_missing) for c in summary.columns] == [
        ("continuous", 1),
        ("categorical", 1),
    ]


def test_the_summary_of_a_dataset() -> None:
    data = as_dataset("example:orchard")
    assert str(summarize_table(data)) == str(data.summary())
    table = Dataset.from_frame(
        FRAME.select("sex", "gender", "height"), discretize="quantile", bins=2
    )
    found = table.summary()
    assert [column.values for column in found.columns] == ["text", "text", "intervals"]
    assert "<table" in found._repr_html_()
