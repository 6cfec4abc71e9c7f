"""Splits: every row once, the states kept, mistakes refused."""

from __future__ import annotations

import numpy as np
import pytest

from forebear import DataError, Dataset, ForebearError
from forebear.validation.splitting import fold, hold_out


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


def test_rows_are_held_out_by_share() -> None:
    (split,) = hold_out(numbered(50), 0.1, seed=1)
    assert (split.train.n_rows, split.test.n_rows) == (45, 5)
    assert hold_out(numbered(50), 0.1, seed=1)[0].test.fingerprint == split.test.fingerprint
    several = hold_out(numbered(10), 0.4, seed=1, times=5)
    assert len(several) == 2
    assert len({int(row) for one in several for row in one.test.codes[0]}) == 8


@pytest.mark.parametrize("share", [0.001, 0.999])
def test_both_parts_have_rows(share: float) -> None:
    (split,) = hold_out(numbered(3), share, seed=1)
    assert split.train.n_rows >= 1
    assert split.test.n_rows >= 1


@pytest.mark.parametrize("share", [0.0, 1.0, 1.5])
def test_shares_that_make_no_sense(share: float) -> None:
    message = f"^holdout must be above 0 and below 1, got {share:g}$"
    with pytest.raises(ForebearError, match=message):
        hold_out(numbered(3), share, seed=1)


def test_too_few_rows() -> None:
    with pytest.raises(DataError) as caught:
        fold(numbered(3), 5, seed=1)
    assert str(caught.value) == "the table has 3 rows: holding out rows needs at least 5"
