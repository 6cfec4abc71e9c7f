"""Suspicions: said of columns that deserve them, and not of ordinary ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebear import Dataset, ForebearWarning, ReadOptions, learn, summarize_table
from forebear.data.suspicions import Suspect

N = 400
RNG = np.random.default_rng(1)
IDENTIFIERS: dict[str, Any] = {
    "a": np.arange(N),  # of the rows
    "b": RNG.permutation(N) + 1,
    "c": np.where(np.arange(N) % 97 == 5, 7, RNG.permutation(N)),  # with repeats by mistake
    "d": [None, *(RNG.permutation(N - 1) + 0.0)],  # with a missing value, hence as floats
    "customer_id": RNG.choice(900_000, N, replace=False) + 100_000,
    "PassengerId": RNG.integers(1000, 1400, N),  # several rows each
}
COLUMNS: dict[Suspect | None, Any] = {
    Suspect.IDENTIFIER: [f"p{i}" for i in range(N)],
    Suspect.CONSTANT: ["same"] * N,
    Suspect.NEARLY_CONSTANT: ["no"] * (N - 2) + ["yes"] * 2,
    Suspect.DATE: [f"{i % 28 + 1}.12.2023" for i in range(N)],
    Suspect.DECIMAL_COMMA: [f"{i % 9 + 1},{i % 7}50" for i in range(N)],
    Suspect.MANY_STATES: [f"town {i % 90}" for i in range(N)],
    Suspect.MISSING_STATE: [("good", "bad", "None")[i % 3] for i in range(N)],
    Suspect.SPELLING: [("Yes", "no", "yes")[i % 3] for i in range(N)],
    None: RNG.normal(170, 10, N).round(1),
}


def suspects(data: Any, **options: Any) -> dict[str, list[Suspect]]:
    found = data.summary() if isinstance(data, Dataset) else summarize_table(data, **options)
    return {c.name: [s.suspect for s in c.suspicions] for c in found.columns if c.suspicions}


def warnings_of_learn(table: pl.DataFrame, **options: Any) -> list[str]:
    with pytest.warns(ForebearWarning) as caught:
        learn(table, read=ReadOptions(**options), generations=1, max_parents=1, seed=1)
    return [str(one.message) for one in caught]


@pytest.mark.parametrize("suspect", COLUMNS)
def test_every_suspicion(suspect: Suspect | None) -> None:
    assert suspects(pl.DataFrame({"x": COLUMNS[suspect]})) == ({"x": [suspect]} if suspect else {})


def test_learn_repeats_the_suspicions() -> None:
    table = {s.value: COLUMNS[s] for s in (Suspect.IDENTIFIER, Suspect.MISSING_STATE)}
    sexes = {"sex": ["f", "m"] * 200, "gender": ["w", "m"] * 200, "answer": ["No", "no"] * 200}
    assert warnings_of_learn(pl.DataFrame({**table, **sexes})) == [
        "1 column looks like an identifier (identifier: 400 states in 400 rows): leave out with "
        "drop",
        "2 columns are duplicates of others (gender: the same as sex, answer: the same as sex): "
        "leave out with drop",
        "1 column has a state that may mean a missing value (missing value as a state: is 'None' a "
        "missing value?): if so, name it in missing_tokens",
        "1 column has states that differ only in case or spaces (answer: 'No' and 'no'): if they "
        "mean the same, use one spelling",
    ]


@pytest.mark.parametrize("column", IDENTIFIERS)
def test_identifiers(column: str) -> None:
    frame = pl.DataFrame({column: IDENTIFIERS[column]})
    assert suspects(frame) == {column: [Suspect.IDENTIFIER]}
    # Also after the column was cut.
    assert suspects(Dataset.from_frame(frame, discretize="uniform")) == suspects(frame)


@pytest.mark.parametrize("discretize", [None, "quantile"])
def test_a_table_of_counts(discretize: Any) -> None:
    cells = pl.DataFrame({"sex": ["f", "m"]}).join(
        pl.DataFrame({"eye": ["blue", "brown", "green"]}), how="cross"
    )
    counts = cells.with_columns(Freq=pl.Series([32, 53, 10, 3, 11, 50]))
    assert suspects(counts, discretize=discretize) == {"Freq": [Suspect.COUNTS]}
    assert suspects(pl.concat([counts, counts]), discretize=discretize) == {}
    assert suspects(counts.rename({"Freq": "age"}), discretize=discretize) == {}


@given(
    st.sampled_from([20, 60, 400, 3000]),
    st.sampled_from(["age", "income", "children", "steps", "year", "population", "shop_id"]),
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
        "shop_id": rng.integers(1, 30, n),
    }[name]
    found = suspects(pl.DataFrame({name: drawn, "group": rng.integers(0, 2, n)}))
    assert Suspect.IDENTIFIER not in found.get(name, ())


def partition(codes: list[int]) -> list[int]:
    """Number the states by their first rows, as plainly as possible; 3 is a missing value."""
    seen = {3: 0}
    return [seen.setdefault(code, len(seen)) for code in codes]


@given(st.lists(st.lists(st.integers(0, 3), min_size=14, max_size=14), min_size=1, max_size=7))
def test_duplicates_are_columns_with_the_same_partition(table: list[list[int]]) -> None:
    names = tuple(f"c{i}" for i in range(len(table)))
    data = Dataset(np.array(table), names, (("a", "b", "c"),) * len(table), missing="em")
    found = {
        c.name: s.words.removeprefix("the same as ")
        for c in data.summary().columns
        for s in c.suspicions
        if s.suspect is Suspect.DUPLICATE
    }
    present = [[code for code in own if code < 3] for own in table]
    telling = [
        i for i, own in enumerate(present) if own and len(own) - max(map(own.count, own)) >= 5
    ]
    expected = {}
    for k, i in enumerate(telling):
        for j in telling[:k]:
            if partition(table[i]) == partition(table[j]):
                expected[f"c{i}"] = f"c{j}"
                break
    assert found == expected


def test_numbers_that_stand_for_missing_values() -> None:
    frame = pl.DataFrame({"a": [-9, 1, 2, 3] * 20, "b": [-9, -8, -7, -6] * 20})
    assert suspects(frame) == {"a": [Suspect.MISSING_STATE], "b": [Suspect.DUPLICATE]}


@pytest.mark.parametrize(
    ("states", "words"),
    [
        (["Yes", "no", "yes"], "'Yes' and 'yes'"),
        (["New  York", "Berlin", "new York "], "'New  York' and 'new York '"),
        (["a", "á"], None),
    ],
)
def test_states_that_differ_in_case_or_spaces(states: list[str], words: str | None) -> None:
    frame = pl.DataFrame({"answer": states * 20})
    for found in (summarize_table(frame), Dataset.from_frame(frame).summary()):
        assert found.columns[0].suspicions == (((Suspect.SPELLING, words),) if words else ())
