"""Algorithm 1 of the paper: sample parent sets by rank, from a half-normal distribution.

Per variable i with N_i sets, ranks k = 1 (the best) to N_i (the empty set), and
a sampling rate p:

- strategy 1 (chain s = 1) takes the first p N_i sets;
- strategy 2 (s > 1) draws p N_i distinct ranks with weights proportional to
  exp(-k^2 / (2 sigma_i^2)) (equation 11), sigma_i = 0.5 p N_i (equation 13).

In both strategies, rank 1 and the empty set are kept, so every order has a
network. Variables with few sets keep them all.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FEW_SETS = 50
"""Variables with fewer sets keep them all, as in the authors' program."""


def sample_ranks(
    counts: NDArray[np.integer], rate: float, rng: np.random.Generator | None
) -> list[NDArray[np.int32]]:
    """Return the sampled ranks of every variable, counted from 0, ascending.

    With ``rng``, ranks are drawn from the half-normal distribution (strategy 2). Without it, the
    first ranks are taken (strategy 1).
    """
    return [_ranks(int(count), rate, rng) for count in counts]


def _ranks(count: int, rate: float, rng: np.random.Generator | None) -> NDArray[np.int32]:
    if rate == 1.0 or count < FEW_SETS:
        return np.arange(count, dtype=np.int32)
    size = max(1, round(rate * count))
    if rng is None:
        chosen = np.arange(size)
    else:
        chosen = draw_half_normal(count, size, 0.5 * rate * count, rng)
    always = np.array([0, count - 1])
    return np.unique(np.concatenate([chosen, always])).astype(np.int32)


def draw_half_normal(
    count: int, size: int, sigma: float, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Draw ``size`` distinct ranks (from 0) out of ``count``, weighted by a half-normal.

    To sample with weights and without replacement, each item gets a key Exp(1) / weight, and the
    smallest keys are taken (Efraimidis and Spirakis, 2006). Logarithms of the keys do not underflow
    in the tail.
    """
    k = np.arange(1, count + 1)
    log_keys = np.log(rng.exponential(size=count)) + k**2 / (2.0 * sigma**2)
    return np.argpartition(log_keys, size - 1)[:size]
