"""Temperatures: hotter copies of a chain cross valleys, if neighbours exchange networks."""

from __future__ import annotations

import itertools
import math
from statistics import NormalDist
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_STEP, _LARGEST_STEP = 2.0, 0.5
"""How the inverse temperature falls from one chain to the next at first: by 2 / sqrt(n), at most by
half. The score of a chain varies by the root of the number of variables. Then it is adjusted."""

GOAL = 0.3
"""Share of the exchanges that should succeed: between 0.2 and 0.4, the best in theory and practice
(Atchadé, Roberts and Rosenthal, 2011, find 0.23). On tables of hailfinder, started from random
orders, three temperatures with 0.25 to 0.45 agreed in 6 s, and two with 0.63 did not in 30 s."""

_HOTTEST = 0.05
"""The smallest inverse temperature: hotter chains draw from the prior."""

_MOST_CHANGE = 2.0
"""A gap between two temperatures changes at most by this factor at a time: few exchanges measure
little."""


_FEWEST = 20
"""Exchanges between two temperatures that have to be tried before their gap changes."""


def ladder(temperatures: int, n_variables: int) -> list[float]:
    """Return the inverse temperatures of a chain and its helpers at first, from 1 downwards."""
    ratio = max(_LARGEST_STEP, 1.0 - _STEP / math.sqrt(n_variables))
    return [ratio**k for k in range(temperatures)]


def adjusted(betas: list[float], exchanges: NDArray[np.int64]) -> list[float]:
    """Return inverse temperatures with about as many exchanges as wanted between neighbours.

    ``exchanges`` has, for every pair of neighbours, how many were tried and how many succeeded.
    With scores that are distributed normally, the rate is erfc(c * gap): c is found from the rate,
    and then the gap that has the rate wanted.
    """
    result = [1.0]
    for (cold, warm), (tried, accepted) in zip(
        itertools.pairwise(betas), exchanges.tolist(), strict=True
    ):
        # One more success and failure each: rates of 0 and 1 say nothing about the gap.
        rate = (accepted + 1) / (tried + 2)
        factor = _depth(GOAL) / _depth(rate) if tried >= _FEWEST else 1.0
        gap = math.log(cold / warm) * min(max(factor, 1.0 / _MOST_CHANGE), _MOST_CHANGE)
        result.append(max(result[-1] * math.exp(-gap), _HOTTEST * 0.99 ** len(result)))
    return result


def _depth(rate: float) -> float:
    """Return the inverse of erfc, up to a constant factor."""
    return max(-NormalDist().inv_cdf(rate / 2.0), 1e-3)
