"""Diagnostics: do the chains of a posterior agree?

R-hat and effective sample size are the rank-normalized versions of Vehtari, Gelman, Simpson,
Carpenter and Bürkner (2021). Draws are arrays of chains by draws.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from forebear.network.graphs import Arc

if TYPE_CHECKING:
    from forebear.posterior.posterior import Posterior

Draws = NDArray[np.float64]

SCORE_RHAT = 1.01
"""The largest R-hat of the score: what Vehtari et al. (2021) recommend."""

LEAST_DRAWS_PER_CHAIN = 100
"""The effective sample size that the score needs, per chain: what they recommend."""

ARC_RHAT = 1.05
"""The largest R-hat of an arc. Where the scores agreed (1,000 rows of alarm, insurance and water,
four chains of 1,000 to 4,000 sweeps), the largest one was 1.040; 1.025 would have rejected three of
ten runs, and 1.1 none. Rare arcs cannot exceed it: an arc in 1 % of the draws of four chains has at
most 1.04."""

_LEAST_DRAWS = 4
"""With fewer draws in half of a chain, there are no diagnostics."""


@dataclass(frozen=True, eq=False)
class Diagnostics:
    """R-hat and effective sample size of the score and of every arc.

    Attributes
    ----------
    score_rhat
        R-hat of the score; near 1 if the chains agree.
    score_effective_sample_size
        Effective sample size of the score: the number of independent draws with the same
        information.
    arc_rhat
        R-hat of each arc that occurs in the draws.
    arc_effective_sample_size
        Effective sample size of each arc.
    worst_arc
        The arc with the largest R-hat. None if there is none, or if there are too few draws.
    converged
        Whether the chains agree: R-hat of the score below 1.01 with 100 effective draws per
        chain, and R-hat of all arcs below 1.05.
    reason
        Why the chains do not agree, in a few words; empty if they do.
    """

    score_rhat: float
    score_effective_sample_size: float
    arc_rhat: Mapping[Arc, float]
    arc_effective_sample_size: Mapping[Arc, float]
    worst_arc: Arc | None
    converged: bool
    reason: str

    def facts(self) -> list[tuple[str, str]]:
        """List the figures as text."""
        worst = self.arc_rhat[self.worst_arc] if self.worst_arc else 1.0
        size = self.score_effective_sample_size
        return [
            ("score", f"R-hat {self.score_rhat:.3f}, effective sample size {size:,.0f}"),
            ("arcs", f"largest R-hat {worst:.3f}"),
            ("converged", "yes" if self.converged else f"no: {self.reason}"),
        ]


def diagnose(posterior: Posterior) -> Diagnostics:
    """Compute all diagnostics of a posterior."""
    score_rhat, score_size = rhat(posterior.scores), effective_sample_size(posterior.scores)
    arc_rhats: dict[Arc, float] = {}
    arc_sizes: dict[Arc, float] = {}
    for arcs, present in arc_indicators(posterior):
        arc_rhats.update(zip(arcs, feature_rhats(present).tolist(), strict=True))
        arc_sizes.update(zip(arcs, feature_sample_sizes(present).tolist(), strict=True))
    measured = [arc for arc, ratio in arc_rhats.items() if not math.isnan(ratio)]
    worst = max(measured, key=arc_rhats.__getitem__, default=None)
    reason = _reason(posterior, score_rhat, score_size, 1.0 if worst is None else arc_rhats[worst])
    return Diagnostics(score_rhat, score_size, arc_rhats, arc_sizes, worst, not reason, reason)


def _reason(posterior: Posterior, score_rhat: float, score_size: float, arc_rhat: float) -> str:
    """Return why the chains do not agree, or nothing if they do."""
    about = posterior.about
    if about.get("stop_reason") == "interrupted" and about.get("warm_up") == 0:
        return "it was interrupted during the warm-up"
    if math.isnan(score_rhat):
        return "there are too few draws"
    if posterior.n_chains < 2:
        return "one chain is not enough to assess it"
    if score_rhat >= SCORE_RHAT:
        return f"the chains differ in their scores (R-hat {score_rhat:.3f})"
    if score_size < LEAST_DRAWS_PER_CHAIN * posterior.n_chains:
        return f"the effective sample size is only {score_size:,.0f}"
    if arc_rhat >= ARC_RHAT:
        return f"the chains differ in an arc (R-hat {arc_rhat:.3f})"
    return ""


def arc_indicators(posterior: Posterior) -> Iterator[tuple[list[Arc], NDArray[np.bool_]]]:
    """Yield arcs in batches, each with an array that marks the draws that contain each arc.

    The axes of the array are arcs, chains and draws.
    """
    for v, families in enumerate(posterior.families):
        parents = sorted({p for family in families for p in family})
        own = posterior.draws[:, :, v]
        for start in range(0, len(parents), 256):  # arcs in memory at once
            part = parents[start : start + 256]
            holds = np.array([[p in family for family in families] for p in part])
            yield [(p, v) for p in part], holds[:, own]


def rhat(draws: Draws) -> float:
    """Return the rank-normalized split R-hat: the larger of those of the bulk and the tails."""
    halves = split(draws)
    if halves.shape[1] < _LEAST_DRAWS:
        return math.nan  # none may be left
    folded = np.abs(halves - np.median(halves))
    return float(_rhats(np.stack([_normalized(halves), _normalized(folded)])).max())


def effective_sample_size(draws: Draws) -> float:
    """Return the bulk effective sample size: that of the normalized ranks of split chains."""
    return float(_effective_sample_sizes(_normalized(split(draws))[None])[0])


def feature_rhats(features: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return R-hat of many binary features: features by chains by draws.

    The ranks of two values are again two values, so normalizing and folding change nothing.
    """
    return _rhats(split(features.astype(np.float64)))


def feature_sample_sizes(
    features: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """Return the effective sample size of many features: features by chains by draws."""
    return _effective_sample_sizes(split(features.astype(np.float64)))


def split(draws: NDArray[np.float64]) -> NDArray[np.float64]:
    """Split every chain into halves; with an odd number of draws, the middle one is dropped."""
    count = draws.shape[-1]
    return np.concatenate([draws[..., : count // 2], draws[..., count - count // 2 :]], axis=-2)


def _normalized(draws: Draws) -> Draws:
    """Replace draws by the normal quantiles of their ranks among all."""
    from scipy.special import ndtri  # here: they would double the time of the import
    from scipy.stats import rankdata

    ranks = rankdata(draws, method="average").reshape(draws.shape)
    return np.asarray(ndtri((ranks - 0.375) / (draws.size + 0.25)), dtype=np.float64)


def _rhats(draws: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return R-hat, feature by feature.

    It is 1 if a feature is the same in all draws, and infinity if it differs only between chains.
    """
    count = draws.shape[-1]
    if count < _LEAST_DRAWS:
        return np.full(len(draws), np.nan)
    within = draws.var(axis=-1, ddof=1).mean(axis=-1)
    between = draws.mean(axis=-1).var(axis=-1, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.sqrt((count - 1) / count + between / within)
    # Computed variances of constants may differ from 0.
    constant = (draws == draws[..., :1]).all(axis=(-2, -1))
    same = (draws == draws[..., :1, :1]).all(axis=(-2, -1))
    return np.where(same, 1.0, np.where(constant, np.inf, ratio))


def _effective_sample_sizes(draws: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the effective sample size by Geyer's initial monotone sequence, feature by feature."""
    from scipy.fft import irfft, next_fast_len, rfft  # here, too

    n_features, chains, count = draws.shape
    if count < _LEAST_DRAWS:
        return np.full(n_features, np.nan)
    centered = draws - draws.mean(axis=-1, keepdims=True)
    length = next_fast_len(2 * count, real=True)
    spectrum = rfft(centered, n=length, axis=-1)
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
