"""Algorithm 1 of the paper: sample parent sets by rank, from a half-normal.

Per variable i with N_i sets, ranks k = 1 (the best) to N_i (the empty set), and
a sampling rate p:

- strategy 1 (chain s = 1) takes the first p N_i sets;
- strategy 2 (s > 1) draws p N_i distinct ranks with weights proportional to
  exp(-k^2 / (2 sigma_i^2)) (equation 11), sigma_i = 0.5 p N_i (equation 13).

In both strategies, rank 1 and the empty set are kept, so every order has a
network. Variables with few sets keep them all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

FEW_SETS = 50
"""Variables with fewer sets keep them all, as in the authors' program."""


def sample_ranks(
    counts: NDArray[np.integer], rate: float, rng: np.random.Generator | None
) -> list[NDArray[np.int32]]:
    """Draw every variable's ranks, counted from 0, ascending.

    With ``rng`` they are drawn from the half-normal (strategy 2), without it
    they are the first ones (strategy 1).
    """
    return [_ranks(int(count), rate, rng) for count in counts]


def _ranks(count: int, rate: float, rng: np.random.Generator | None) -> NDArray[np.int32]:
    if rate == 1.0 or count < FEW_SETS:
        return np.arange(count, dtype=np.int32)
    wanted = max(1, round(rate * count))
    if rng is None:
        chosen = np.arange(wanted)
    else:
        chosen = draw_half_normal(count, wanted, 0.5 * rate * count, rng)
    always = np.array([0, count - 1])
    return np.unique(np.concatenate([chosen, always])).astype(np.int32)


def draw_half_normal(
    count: int, wanted: int, sigma: float, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Draw distinct ranks (from 0) out of ``count``, weighted by a half-normal.

    Weighted sampling without replacement is a top-k of exponential keys
    (Efraimidis and Spirakis, 2006): the item whose Exp(1) / weight is smallest
    comes first. In logarithms nothing underflows, however far the tail.
    """
    k = np.arange(1, count + 1)
    log_keys = np.log(rng.exponential(size=count)) + k**2 / (2.0 * sigma**2)
    return np.argpartition(log_keys, wanted - 1)[:wanted]
