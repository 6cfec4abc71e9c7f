"""Temperatures: hotter copies of a chain cross valleys, if neighbours exchange networks."""

from __future__ import annotations

import itertools
import math
from statistics import NormalDist
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

GOAL = 0.3
"""Share of the exchanges that should succeed: between 0.2 and 0.4, the best in theory and practice
(Atchadé, Roberts and Rosenthal, 2011, find 0.23). On tables of hailfinder, started from random
orders, three temperatures with 0.25 to 0.45 agreed in 6 s, and two with 0.63 did not in 30 s."""


def initial_temperatures(temperatures: int, n_variables: int) -> list[float]:
    """Return the inverse temperatures of a chain and its helpers at first, from 1 downwards.

    The score of a chain varies by the root of the number of variables, so they fall by 2 / sqrt(n),
    at most by half. Then they are adjusted.
    """
    ratio = max(0.5, 1.0 - 2.0 / math.sqrt(n_variables))
    return [ratio**k for k in range(temperatures)]


def adjust_temperatures(betas: list[float], exchanges: NDArray[np.int64]) -> list[float]:
    """Return inverse temperatures with about as many exchanges as wanted between neighbours.

    ``exchanges`` has, for every pair of neighbours, how many were tried and how many succeeded.
    With scores that are distributed normally, the rate is erfc(c * gap): c is found from the rate,
    and then the gap that has the rate wanted. A few exchanges measure little, so fewer than 20
    change nothing, and others change a gap at most by a factor of two. Chains with an inverse
    temperature below 0.05 would draw from the prior.
    """
    result = [1.0]
    for (cold, warm), (tried, accepted) in zip(
        itertools.pairwise(betas), exchanges.tolist(), strict=True
    ):
        # One more success and failure each: rates of 0 and 1 say nothing about the gap.
        rate = (accepted + 1) / (tried + 2)
        factor = _depth(GOAL) / _depth(rate) if tried >= 20 else 1.0
        gap = math.log(cold / warm) * min(max(factor, 0.5), 2.0)
        result.append(max(result[-1] * math.exp(-gap), 0.05 * 0.99 ** len(result)))
    return result


def _depth(rate: float) -> float:
    """Return the inverse of erfc, up to a constant factor."""
    return max(-NormalDist().inv_cdf(rate / 2.0), 1e-3)
