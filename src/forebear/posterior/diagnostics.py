"""Diagnostics of Markov chains: R-hat and effective sample size.

Both are the rank-normalized versions of Vehtari, Gelman, Simpson, Carpenter and Bürkner (2021).
Draws are arrays of chains by draws.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft
from scipy.special import ndtri
from scipy.stats import rankdata

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Draws = NDArray[np.float64]

LEAST_DRAWS = 8
"""With fewer draws per chain nothing can be said."""


def rhat(draws: Draws) -> float:
    """Return the rank-normalized split R-hat: the larger one of the bulk and of the tails."""
    if draws.shape[1] < LEAST_DRAWS:
        return float("nan")
    halves = split(draws)
    folded = np.abs(halves - np.median(halves))
    return max(_plain_rhat(_normalized(halves)), _plain_rhat(_normalized(folded)))


def ess(draws: Draws) -> float:
    """Return the effective sample size of the bulk: of the ranks, normalized, of split chains."""
    if draws.shape[1] < LEAST_DRAWS:
        return float("nan")
    return float(_plain_ess(_normalized(split(draws))[None])[0])


def indicator_rhats(features: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return R-hat of many features that are there or not: features by chains by draws.

    Ranks of two values are two values, so normalizing changes nothing, and neither does folding.
    A feature that is the same in all draws has 1, one that only differs between chains infinity.
    """
    if features.shape[2] < LEAST_DRAWS:
        return np.full(len(features), np.nan)
    halves = split(features.astype(np.float64))
    count = halves.shape[-1]
    within = halves.var(axis=-1, ddof=1).mean(axis=-1)
    between = halves.mean(axis=-1).var(axis=-1, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.sqrt((count - 1) / count + between / within)
    ratio[(within == 0.0) & (between == 0.0)] = 1.0
    return np.asarray(ratio, dtype=np.float64)


def indicator_ess(features: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the effective sample size of many features: features by chains by draws."""
    if features.shape[2] < LEAST_DRAWS:
        return np.full(len(features), np.nan)
    return _plain_ess(split(features.astype(np.float64)))


def split(draws: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cut every chain into halves; an odd draw in the middle is dropped."""
    half = draws.shape[-1] // 2
    return np.concatenate([draws[..., :half], draws[..., -half:]], axis=-2)


def _normalized(draws: Draws) -> Draws:
    """Replace draws by the normal quantiles of their ranks among all."""
    ranks = rankdata(draws, method="average").reshape(draws.shape)
    return np.asarray(ndtri((ranks - 0.375) / (draws.size + 0.25)), dtype=np.float64)


def _plain_rhat(draws: Draws) -> float:
    count = draws.shape[1]
    within = float(draws.var(axis=1, ddof=1).mean())
    between = float(draws.mean(axis=1).var(ddof=1))
    if (draws == draws[:, :1]).all():  # computed variances of constants may differ from 0
        return 1.0 if (draws == draws[0, 0]).all() else float("inf")
    return float(np.sqrt((count - 1) / count + between / within))


def _plain_ess(draws: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the effective sample size by Geyer's initial monotone sequence, feature by feature."""
    n_features, chains, count = draws.shape
    centred = draws - draws.mean(axis=-1, keepdims=True)
    length = next_fast_len(2 * count, real=True)
    spectrum = rfft(centred, n=length, axis=-1)
    covariance = irfft(np.abs(spectrum) ** 2, n=length, axis=-1)[..., :count] / count
    within = covariance[..., 0].mean(axis=1) * count / (count - 1)
    variance = within * (count - 1) / count
    if chains > 1:
        variance = variance + draws.mean(axis=-1).var(axis=1, ddof=1)
    total = float(chains * count)
    result = np.full(n_features, total)
    moving = np.flatnonzero(variance > 0.0)
    mean_covariance = covariance.mean(axis=1)
    for f in moving:
        rho = 1.0 - (within[f] - mean_covariance[f]) / variance[f]
        rho[0] = 1.0
        pairs = rho[: count - count % 2].reshape(-1, 2).sum(axis=1)
        negative = np.flatnonzero(pairs < 0.0)
        used = pairs[: negative[0] if len(negative) else len(pairs)]
        time = max(-1.0 + 2.0 * float(np.minimum.accumulate(used).sum()), 1.0 / np.log10(total))
        result[f] = total / time
    return result
