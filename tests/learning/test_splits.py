"""Splits: every row once, the states kept, mistakes refused."""

from __future__ import annotations

import numpy as np
import pytest

from forebear import DataError, Dataset, ForebearError
from forebear.learning.splits import default_holdout, fold, hold_out


def numbered(n_rows: int) -> Dataset:
    """Make a table whose only column tells the row."""
    states = tuple(map(str, range(n_rows + 1)))
    return Dataset(np.arange(n_rows)[np.newaxis], ("row",), (states,))


@pytest.mark.parametrize("folds", [2, 3, 10])
def test_folds_hold_out_every_row_once(folds: int) -> None:
    table = numbered(10)
    splits = fold(table, folds, seed=1)
    assert len(splits) == folds
    assert sorted(np.concatenate([split.test.codes[0] for split in splits])) == list(range(10))
    for train, test in splits:
        assert sorted([*train.codes[0], *test.codes[0]]) == list(range(10))
        assert train.states == test.states == table.states


@pytest.mark.parametrize(
    ("rows", "share", "held_out"), [(50, 0.1, 5), (3, 0.001, 1), (3, 0.999, 2)]
)
def test_rows_are_held_out_by_share(rows: int, share: float, held_out: int) -> None:
    (split,) = hold_out(numbered(rows), share, seed=1)
    assert (split.train.n_rows, split.test.n_rows) == (rows - held_out, held_out)
    (again,) = hold_out(numbered(rows), share, seed=1)
    assert again.test.fingerprint == split.test.fingerprint


def test_other_rows_are_held_out_each_time() -> None:
    several = hold_out(numbered(10), 0.4, seed=1, times=5)
    assert len(several) == 2
    assert len({int(row) for one in several for row in one.test.codes[0]}) == 8


@pytest.mark.parametrize(("rows", "share"), [(100, 0.25), (2_000, 0.125), (100_000, 0.1)])
def test_more_of_few_rows_are_held_out(rows: int, share: float) -> None:
    assert default_holdout(rows) == share


def test_mistakes() -> None:
    for share in (0.0, 1.0, 1.5):
        message = f"^holdout must be above 0 and below 1, got {share:g}$"
        with pytest.raises(ForebearError, match=message):
            hold_out(numbered(3), share, seed=1)
    with pytest.raises(DataError, match="has 3 rows: holding out rows needs at least 5"):
        fold(numbered(3), 5, seed=1)
