"""Gaps in complete tables: at random, at random given other columns, and not at random."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from forebear import Dataset
    from forebear.data.read_options import Missing

    Gaps = NDArray[np.bool_]

RATIO = 4.0
"""Where gaps depend on values, they are this many times as frequent for some as for others."""


def mcar(data: Dataset, share: float, rng: np.random.Generator) -> Gaps:
    """Remove every value with the same probability."""
    return rng.random(data.codes.shape) < share


def mar(data: Dataset, share: float, rng: np.random.Generator) -> Gaps:
    """Remove values by the state of another column, which has no gaps.

    A third of the columns has none. Each of the others has one of these that decides.
    """
    n = data.n_variables
    order = rng.permutation(n)
    complete, rest = order[: max(1, n // 3)], order[max(1, n // 3) :]
    gaps = np.zeros(data.codes.shape, dtype=bool)
    for v in rest:
        decides = data.codes[rng.choice(complete)]
        gaps[v] = rng.random(data.n_rows) < _by_value(decides, share * n / len(rest))
    return gaps


def mnar(data: Dataset, share: float, rng: np.random.Generator) -> Gaps:
    """Remove values by the value itself: rare states are missing more often."""
    gaps = [rng.random(data.n_rows) < _by_value(codes, share) for codes in data.codes]
    return np.array(gaps)


def _by_value(codes: NDArray[np.integer], share: float) -> NDArray[np.float64]:
    """Return probabilities: those of rarer states are larger, and their mean is the share."""
    rare = codes != np.bincount(codes).argmax()
    part = float(rare.mean())
    low = share / (RATIO * part + 1 - part)
    high = min(RATIO * low, 0.95)
    low = min((share - part * high) / (1 - part), 0.95) if part < 1 else low
    return np.where(rare, high, max(low, 0.0))


MECHANISMS: dict[str, Callable[[Dataset, float, np.random.Generator], Gaps]] = {
    "MCAR": mcar,
    "MAR": mar,
    "MNAR": mnar,
}


def with_gaps(data: Dataset, gaps: Gaps, way: Missing) -> Dataset:
    """Return the table with gaps, to be handled in one of the ways of forebear."""
    if way == "drop":
        return data.take(np.flatnonzero(~gaps.any(axis=0)))
    codes = np.where(gaps, data.arities[:, np.newaxis], data.codes)
    if way != "state":
        return replace(data, codes=codes, missing=way)
    states = tuple(
        (*own, "missing") if gap.any() else own for own, gap in zip(data.states, gaps, strict=True)
    )
    return replace(data, codes=codes, states=states)
