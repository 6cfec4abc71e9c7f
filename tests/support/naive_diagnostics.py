"""A slow and obviously right version of the effective sample size (Vehtari et al., 2021)."""

from __future__ import annotations

import math
from statistics import NormalDist, fmean, variance


def effective_sample_size(chains: list[list[float]], *, normalize: bool = True) -> float:
    """Return the effective sample size of split chains, of their normalized ranks by default."""
    half = len(chains[0]) // 2
    halves = [part for own in chains for part in (own[:half], own[len(own) - half :])]
    if normalize:
        halves = _normal_quantiles(halves)
    within = fmean(variance(own) for own in halves)
    total = within * (half - 1) / half + variance([fmean(own) for own in halves])
    if total == 0.0:
        return float(len(halves) * half)

    def correlation(lag: int) -> float:
        if lag == 0:
            return 1.0
        return 1.0 - (within - fmean(_autocovariance(own, lag) for own in halves)) / total

    # Geyer's initial monotone sequence: sums of pairs, until one is negative.
    time, last = -1.0, math.inf
    for lag in range(0, half - 1, 2):
        pair = correlation(lag) + correlation(lag + 1)
        if pair < 0.0:
            break
        last = min(last, pair)
        time += 2.0 * last
    draws = len(halves) * half
    return draws / max(time, 1.0 / math.log10(draws))


def _autocovariance(draws: list[float], lag: int) -> float:
    mean = fmean(draws)
    products = [(a - mean) * (b - mean) for a, b in zip(draws, draws[lag:], strict=False)]
    return math.fsum(products) / len(draws)


def _normal_quantiles(chains: list[list[float]]) -> list[list[float]]:
    """Replace every draw by the normal quantile of its average rank among all."""
    ordered = sorted(draw for own in chains for draw in own)
    ranks = {
        draw: fmean(place for place, other in enumerate(ordered, start=1) if other == draw)
        for draw in set(ordered)
    }
    normal = NormalDist()
    return [
        [normal.inv_cdf((ranks[draw] - 0.375) / (len(ordered) + 0.25)) for draw in own]
        for own in chains
    ]
