"""Tables for tests: random ones, and those of the paper if available."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache

import numpy as np
import polars as pl
import pytest
from samples import SHARED

from forebear import _core
from forebear.data.dataset import Dataset
from forebear.data.raw_table import RawTable

DATA = SHARED / "data"


def raw_frame(table: RawTable) -> pl.DataFrame:
    """Return the values of a table that was read, row by row."""
    return pl.DataFrame(
        [
            c.values.append(c.values.clear().extend_constant(None, 1)).gather(c.codes).alias(c.name)
            for c in table.columns
        ]
    )


@cache
def shared_table(name: str) -> Dataset:
    """Read a published data set; the test is skipped where there is none."""
    path = DATA / name
    if not path.exists():
        pytest.skip(f"the table {name} is not on this machine (looked in {DATA})")
    return Dataset.read(path)


def random_table(arities: Sequence[int], n_rows: int, seed: int = 0) -> Dataset:
    """Draw columns that depend on one another: each mixes the one before with noise."""
    rng = np.random.default_rng(seed)
    codes = [rng.integers(0, arity, n_rows) for arity in arities]
    for v in range(1, len(codes)):
        copied = rng.random(n_rows) < 0.6
        codes[v][copied] = codes[v - 1][copied] % arities[v]
    return Dataset(
        codes=np.array(codes, dtype=np.uint16),
        names=tuple(f"X{v}" for v in range(len(arities))),
        states=tuple(tuple(f"s{k}" for k in range(arity)) for arity in arities),
    )


@contextmanager
def using_kernels(name: str) -> Iterator[None]:
    """Run with one of the instruction sets."""
    before = _core.kernels()
    assert _core.use_kernels(name)
    try:
        yield
    finally:
        _core.use_kernels(before)


def with_experiments(data: Dataset, most: int, seed: int = 0) -> Dataset:
    """Pretend that the first variables were set in some rows, and the last one in all rows.

    The first two were set in the same rows.
    """
    rng = np.random.default_rng(seed)
    mask = np.zeros(data.codes.shape, dtype=np.bool_)
    mask[:most] = rng.random((most, data.n_stored)) < 0.3
    mask[1], mask[-1] = mask[0], True
    return replace(data, intervened=mask)
