"""Tables for benchmarks, drawn from known networks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forebear import Dataset

if TYPE_CHECKING:
    import numpy as np


def shuffled(data: Dataset, rng: np.random.Generator) -> Dataset:
    """Put the columns in random order: files often list parents first, which is a hint."""
    order = rng.permutation(data.n_variables).tolist()
    return Dataset(
        codes=data.codes[order],
        names=tuple(data.names[v] for v in order),
        states=tuple(data.states[v] for v in order),
    )
