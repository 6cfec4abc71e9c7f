"""Summaries: one line per column, what is missing together, and what is suspicious."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebear import Dataset, ForebearWarning, ReadOptions, learn
from forebear.data.looking import look_at
from forebear.data.suspicions import Suspect

if TYPE_CHECKING:
    from forebear.data.summary import TableSummary

RNG = np.random.default_rng(1)
N = 200
FRAME = pl.DataFrame(
    {
        "id": [f"p{i}" for i in range(N)],
        "row": range(N),
        "flat": ["same"] * N,
        "rare": ["no"] * (N - 1) + ["yes"],
        "sex": [("f", "m")[i % 2] for i in range(N)],
        "gender": [("woman", "man")[i % 2] for i in range(N)],
        "visit": [f"{i % 28 + 1}.12.2023" for i in range(N)],
        "price": [f"{i % 9 + 1},{i % 7}50" for i in range(N)],
        "town": [f"town {i % 90}" for i in range(N)],
        "mood": [("good", "bad", "None")[i % 3] for i in range(N)],
        "height": RNG.normal(170, 10, N).round(1),
        "answer": [None if i % 10 < 2 else i % 4 for i in range(N)],
        "reason": [None if i % 10 < 1 else "ab"[i // 2 % 2] for i in range(N)],
    }
)


def summary(frame: pl.DataFrame = FRAME, **options: Any) -> TableSummary:
    return look_at(frame, ReadOptions(**options))


def suspects(found: TableSummary) -> dict[str, list[Suspect]]:
    return {c.name: [s.suspect for s in c.suspicions] for c in found.columns if c.suspicions}


def test_every_suspicion() -> None:
    assert suspects(summary()) == {
        "id": [Suspect.IDENTIFIER],
        "row": [Suspect.IDENTIFIER],
        "flat": [Suspect.CONSTANT],
        "rare": [Suspect.NEARLY_CONSTANT],
        "gender": [Suspect.DUPLICATE],
        "visit": [Suspect.DATE],
        "price": [Suspect.DECIMAL_COMMA],
        "town": [Suspect.MANY_STATES],
        "mood": [Suspect.MISSING_STATE],
    }


def test_one_line_per_column() -> None:
    lines = str(summary()).splitlines()
    assert lines[0] == "200 rows, 13 columns"
    assert lines[5].split() == ["sex", "categorical", "f", "100,", "m", "100"]
    assert "duplicate (the same as sex)" in lines[6]
    height = next(line for line in lines if line.startswith("height"))
    assert "continuous, numbers" in height
    assert "values" in height
    assert "20.0% missing" in next(line for line in lines if line.startswith("answer"))
    assert lines[-3:] == [
        "160 of 200 rows (80.0%) are complete",
        "20 rows lack answer, reason",
        "20 rows lack answer",
    ]


def test_as_plain_values() -> None:
    found = summary().to_dict()
    assert found["complete_rows"] == 160
    by_name = {column["name"]: column for column in found["columns"]}
    assert by_name["sex"]["states"] == {"f": 100, "m": 100}
    assert by_name["answer"]["missing"] == 40
    assert by_name["height"]["kind"] == "continuous"
    assert by_name["height"]["range"] == [str(FRAME["height"].min()), str(FRAME["height"].max())]
    assert by_name["id"]["suspicions"] == {"identifier": "200 states in 200 rows"}
    assert len(by_name["id"]["states"]) == 100
    assert found["missing_together"][0] == {"columns": ["answer", "reason"], "rows": 20}


def test_what_is_said_of_the_columns_is_shown() -> None:
    found = summary(drop=["id", "row"], ordered={"mood": ["bad", "None", "good", "great"]})
    mood = next(column for column in found.columns if column.name == "mood")
    assert mood.kind == "ordered"
    assert mood.states == ("bad", "None", "good", "great")
    assert mood.counts == (67, 66, 67, 0)
    assert next(column.name for column in found.columns) == "flat"


def test_the_summary_of_a_dataset() -> None:
    table = Dataset.from_frame(
        FRAME.select("sex", "gender", "height"), discretize="quantile", bins=2
    )
    found = table.summary()
    assert [column.values for column in found.columns] == ["text", "text", "intervals"]
    assert suspects(found) == {"gender": [Suspect.DUPLICATE]}
    assert "<table" in found._repr_html_()


def test_learn_repeats_the_suspicions() -> None:
    frame = FRAME.select("id", "sex", "gender", "mood")
    with pytest.warns(ForebearWarning) as caught:
        learn(frame, generations=1, seed=1, max_parents=1)
    told = [str(warning.message) for warning in caught]
    assert told == [
        "1 column looks like an identifier (id: 200 states in 200 rows): leave out with drop",
        "1 column is a duplicate of another (gender: the same as sex): leave out with drop",
        "1 column has a state that may mean a missing value (mood: is 'None' a missing value?): "
        "if so, name it in missing_tokens",
    ]


def test_many_columns_are_summed_up_fast() -> None:
    codes = np.random.default_rng(2).integers(0, 3, (5000, 400), dtype=np.uint8)
    codes[2500:] = (codes[:2500] + 1) % 3
    table = Dataset(codes, tuple(f"x{i}" for i in range(5000)), (("a", "b", "c"),) * 5000)
    start = time.process_time()
    told = table.summary().warnings()
    assert time.process_time() - start < 20  # a comparison of all pairs would take minutes
    assert len(told) == 1
    assert str(told[0]).startswith("2,500 columns are duplicates of others (x2500: the same as x0,")


def partition(codes: list[int]) -> list[int]:
    """Number the states by their first rows, as plainly as possible."""
    seen: dict[int, int] = {}
    return [seen.setdefault(code, len(seen)) for code in codes]


@given(st.lists(st.lists(st.integers(0, 2), min_size=14, max_size=14), min_size=1, max_size=7))
def test_duplicates_are_columns_with_the_same_partition(table: list[list[int]]) -> None:
    names = tuple(f"c{i}" for i in range(len(table)))
    data = Dataset(np.array(table), names, (("a", "b", "c"),) * len(table))
    found = {
        c.name: s.words.removeprefix("the same as ")
        for c in data.summary().columns
        for s in c.suspicions
        if s.suspect is Suspect.DUPLICATE
    }
    telling = [i for i, own in enumerate(table) if 14 - max(map(own.count, own)) >= 5]
    expected = {}
    for k, i in enumerate(telling):
        for j in telling[:k]:
            if partition(table[i]) == partition(table[j]):
                expected[f"c{i}"] = f"c{j}"
                break
    assert found == expected


def test_a_column_without_values() -> None:
    found = summary(pl.DataFrame({"a": [None, None], "b": [1, 2]}))
    assert found.columns[0].content == "no values"
    assert found.n_complete == 0


def test_numbers_that_stand_for_missing_values() -> None:
    found = summary(pl.DataFrame({"a": [-9, 1, 2, 3] * 20, "b": [-9, -8, -7, -6] * 20}))
    assert suspects(found) == {"a": [Suspect.MISSING_STATE], "b": [Suspect.DUPLICATE]}


@pytest.mark.parametrize(
    ("states", "words"),
    [
        (["Yes", "no", "yes"], "'Yes' and 'yes'"),
        (["New  York", "Berlin", "new York "], "'New  York' and 'new York '"),
        (["yes", "yes!", "Yess"], None),
        (["a", "á"], None),
    ],
)
def test_states_that_differ_in_case_or_spaces(states: list[str], words: str | None) -> None:
    frame = pl.DataFrame({"answer": states * 20, "other": [0, 1, 1, 0] * 5 * len(states)})
    for found in (summary(frame), Dataset.from_frame(frame).summary()):
        suspicions = found.columns[0].suspicions
        assert suspicions == (((Suspect.SPELLING, words),) if words else ())
    if words:
        with pytest.warns(ForebearWarning) as caught:
            learn(frame, generations=1, max_parents=1, seed=1)
        assert str(caught[0].message) == (
            f"1 column has states that differ only in case or spaces (answer: {words}): "
            "if they mean the same, write them alike"
        )


def test_states_that_no_row_has_are_not_misspelt() -> None:
    frame = pl.DataFrame(
        {"answer": ["yes", "no"] * 20}, schema={"answer": pl.Enum(["Yes", "yes", "no"])}
    )
    assert suspects(summary(frame)) == {}


def test_columns_with_other_gaps_are_no_duplicates() -> None:
    frame = pl.DataFrame({"a": [0, 1, None, 1] * 9, "b": [1, 0, 0, None] * 9})
    for summary in (Dataset.from_frame(frame).summary(), look_at(frame, ReadOptions())):
        assert [c.n_missing for c in summary.columns] == [9, 9]
        assert not any(c.suspicions for c in summary.columns)
    same = frame.with_columns(b=1 - frame["a"])
    assert Dataset.from_frame(same).summary().columns[1].suspicions[0].words == "the same as a"
