"""Identifiers and counts: suspected where they are, and not among ordinary whole numbers."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebear import Dataset, ForebearWarning, ReadOptions, learn, summarize_table
from forebear.data.suspicions import Suspect

# R's HairEyeColor, hair by eye, men then women.
HAIR, EYE = ("Black", "Brown", "Red", "Blond"), ("Brown", "Blue", "Hazel", "Green")
PEOPLE = [
    [32, 53, 10, 3, 11, 50, 10, 30, 10, 25, 7, 5, 3, 15, 7, 8],
    [36, 66, 16, 4, 9, 34, 7, 64, 5, 29, 7, 5, 2, 14, 7, 8],
]
COUNTS = pl.DataFrame(
    [
        (hair, eye, sex, n)
        for sex, counts in zip(("Male", "Female"), PEOPLE, strict=True)
        for (eye, hair), n in zip(itertools.product(EYE, HAIR), counts, strict=True)
    ],
    schema=["Hair", "Eye", "Sex", "Freq"],
    orient="row",
)


def suspects(frame: Any, **options: Any) -> dict[str, list[Suspect]]:
    found = summarize_table(frame, **options)
    return {c.name: [s.suspect for s in c.suspicions] for c in found.columns if c.suspicions}


def numbers(n: int = 400, seed: int = 1) -> dict[str, Any]:
    """Whole numbers that are identifiers, with the names that they need to be recognised."""
    rng = np.random.default_rng(seed)
    return {
        "a": np.arange(n),  # of the rows
        "b": rng.permutation(n) + 1,
        "c": np.where(np.arange(n) % 97 == 5, 7, rng.permutation(n)),  # with repeats by mistake
        "d": [None, *(rng.permutation(n - 1) + 0.0)],  # with a gap, hence as floats
        "Customer": rng.choice(900_000, n, replace=False) + 100_000,
        "PassengerId": rng.integers(1000, 1400, n),  # several rows each
    }


@pytest.mark.parametrize("column", numbers())
def test_identifiers_are_suspected(column: str) -> None:
    assert suspects(pl.DataFrame({column: numbers()[column]})) == {column: [Suspect.IDENTIFIER]}


def test_learn_warns_of_identifiers_that_are_cut() -> None:
    table = pl.DataFrame({**numbers(), "sex": ["f", "m"] * 200, "age": np.arange(400) % 70 + 0.5})
    with pytest.warns(ForebearWarning) as caught:
        learn(table, read=ReadOptions(discretize="quantile"), generations=1, max_parents=1, seed=1)
    assert [str(one.message) for one in caught] == [
        "6 columns look like identifiers (a: numbers that grow from row to row, "
        "b: 400 distinct numbers from 1 to 400, c: 395 distinct numbers from 0 to 399, ...): "
        "leave out with drop"
    ]


def test_a_dataset_keeps_the_suspicion_about_a_column_that_was_cut() -> None:
    table = Dataset.from_frame(pl.DataFrame({"b": numbers()["b"]}), discretize="uniform")
    (column,) = table.summary().columns
    assert (column.values, column.suspicions[0].suspect) == ("intervals", Suspect.IDENTIFIER)


@given(
    st.sampled_from([20, 60, 400, 3000]),
    st.sampled_from(["age", "income", "children", "steps", "year", "population"]),
    st.integers(0, 10**6),
)
def test_ordinary_numbers_are_not_suspected(n: int, name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    drawn = {
        "age": rng.integers(18, 90, n),
        "income": rng.integers(15_000, 95_000, n),
        "children": rng.poisson(1.5, n),
        "steps": rng.normal(8000, 2500, n).round().astype(int),
        "year": rng.integers(1950, 2025, n),
        "population": rng.lognormal(9, 2, n).astype(int),
    }[name]
    found = suspects(pl.DataFrame({name: drawn, "group": rng.integers(0, 2, n)}))
    assert not {Suspect.IDENTIFIER, Suspect.COUNTS} & set(found.get(name, ()))


def test_numbers_of_shops_are_categories() -> None:
    shops = np.random.default_rng(1).integers(1, 30, 2000)
    assert suspects(pl.DataFrame({"shop_id": shops})) == {}


@pytest.mark.parametrize(
    "table",
    [
        COUNTS,
        COUNTS.filter(pl.col("Freq") > 4),  # without the rare ones
        COUNTS.with_row_index("rownames", 1),  # as other programs write it
        COUNTS.with_columns(pl.col("Freq").cast(pl.Float64)),
    ],
)
def test_counts_are_suspected(table: pl.DataFrame) -> None:
    assert suspects(table)["Freq"] == [Suspect.COUNTS]


def test_a_count_of_any_name_is_suspected_where_all_combinations_occur() -> None:
    assert suspects(COUNTS.rename({"Freq": "people"})) == {"people": [Suspect.COUNTS]}


@pytest.mark.parametrize("discretize", [None, "quantile"])
def test_learn_warns_of_counts(discretize: Any) -> None:
    # Of more rows, so that the counts look continuous.
    more = pl.concat([COUNTS.with_columns(Year=pl.lit(y), Freq=pl.col("Freq") * y) for y in (3, 5)])
    table = more if discretize else COUNTS
    with pytest.warns(ForebearWarning) as caught:
        learn(table, read=ReadOptions(discretize=discretize), generations=1, max_parents=1, seed=1)
    assert [str(one.message) for one in caught] == [
        "1 column may count rows (Freq: no combination of the other columns occurs twice): if so, "
        "repeat each row that often, or leave out with drop"
    ]


def test_rows_that_were_repeated_are_no_counts() -> None:
    rows = COUNTS[np.repeat(np.arange(len(COUNTS)), COUNTS["Freq"])]
    assert suspects(rows.drop("Freq")) == {}
    assert suspects(rows.rename({"Freq": "n"})) == {}  # combinations repeat


def test_ordinary_numbers_called_count_are_not_suspected() -> None:
    rng = np.random.default_rng(2)
    columns = {f"x{i}": rng.integers(0, 3, 300) for i in range(12)}  # rows all differ by chance
    assert suspects(pl.DataFrame({**columns, "count": rng.poisson(4, 300)})) == {}


def test_a_table_of_a_function_has_no_counts() -> None:
    rows = list(itertools.product((0, 1), repeat=5))
    table = pl.DataFrame(rows, schema=list("abcde"), orient="row")
    assert suspects(table.with_columns(f=pl.col("a") & pl.col("b"))) == {}
