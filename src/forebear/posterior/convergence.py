"""Whether the chains of a posterior agree."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from forebear.posterior import diagnostics

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from forebear.network.graphs import Arc
    from forebear.posterior.posterior import Posterior

SCORE_RHAT = 1.01
"""The largest R-hat of the score: what Vehtari et al. (2021) recommend."""

LEAST_ESS_PER_CHAIN = 100
"""The effective sample size that the score needs, per chain: what they recommend."""

ARC_RHAT = 1.05
"""The largest R-hat of an arc. There are hundreds of arcs, so some exceed 1.01 by chance.
Judgement."""

LEAST_DOUBT = 0.01
"""Arcs nearer to 0 or 1 than this do not count: they occur too seldom for an R-hat to mean much,
and the probability is known well enough. Judgement."""

_AT_ONCE = 256
"""Arcs whose draws are held in memory at a time."""


@dataclass(frozen=True, eq=False)
class Diagnostics:
    """R-hat and effective sample size of the score and of every arc.

    Attributes
    ----------
    score_rhat
        R-hat of the score; near 1 if the chains agree.
    score_ess
        Effective sample size of the score: the number of independent draws that tell as much.
    arc_rhat
        R-hat of each arc that occurs in the draws.
    arc_ess
        Effective sample size of each arc.
    worst_arc
        The arc with the largest R-hat among those in doubt. None if there is none.
    converged
        Whether the chains agree: R-hat of the score below 1.01 with 100 effective draws per
        chain, and R-hat of all arcs in doubt below 1.05.
    reason
        What is wrong, in a few words; empty if nothing is.
    """

    score_rhat: float
    score_ess: float
    arc_rhat: Mapping[Arc, float]
    arc_ess: Mapping[Arc, float]
    worst_arc: Arc | None
    converged: bool
    reason: str

    def facts(self) -> list[tuple[str, str]]:
        """List the figures as text."""
        worst = self.arc_rhat[self.worst_arc] if self.worst_arc else 1.0
        return [
            ("score", f"R-hat {self.score_rhat:.3f}, worth {self.score_ess:,.0f} draws"),
            ("arcs", f"largest R-hat {worst:.3f}"),
            ("converged", "yes" if self.converged else f"no: {self.reason}"),
        ]


def diagnose(posterior: Posterior) -> Diagnostics:
    """Compute all diagnostics of a posterior."""
    score_rhat = diagnostics.rhat(posterior.scores)
    score_ess = diagnostics.ess(posterior.scores)
    arc_rhat: dict[Arc, float] = {}
    arc_ess: dict[Arc, float] = {}
    worst, largest = None, 0.0
    for arcs, there in indicators(posterior):
        shares = there.mean(axis=(1, 2))
        rhats = diagnostics.indicator_rhats(there).tolist()
        sizes = diagnostics.indicator_ess(there).tolist()
        arc_rhat.update(zip(arcs, rhats, strict=True))
        arc_ess.update(zip(arcs, sizes, strict=True))
        for arc, share, ratio in zip(arcs, shares.tolist(), rhats, strict=True):
            if LEAST_DOUBT <= share <= 1.0 - LEAST_DOUBT and ratio > largest:
                worst, largest = arc, ratio
    reason = _reason(posterior, score_rhat, score_ess, largest)
    return Diagnostics(score_rhat, score_ess, arc_rhat, arc_ess, worst, not reason, reason)


def _reason(posterior: Posterior, score_rhat: float, score_ess: float, arc_rhat: float) -> str:
    about = posterior.about
    if about.get("stop_reason") == "interrupted" and about.get("warm_up") == 0:
        return "it was interrupted during the warm-up"
    if math.isnan(score_rhat):
        return "there are too few draws"
    if posterior.n_chains < 2:
        return "one chain alone cannot tell"
    if score_rhat >= SCORE_RHAT:
        return f"the chains differ in their scores (R-hat {score_rhat:.3f})"
    if score_ess < LEAST_ESS_PER_CHAIN * posterior.n_chains:
        return f"the draws are worth only {score_ess:,.0f} independent ones"
    if arc_rhat >= ARC_RHAT:
        return f"the chains differ in an arc (R-hat {arc_rhat:.3f})"
    return ""


def indicators(posterior: Posterior) -> Iterator[tuple[list[Arc], NDArray[np.bool_]]]:
    """Yield arcs and in which draws they are, arcs by chains by draws, a few arcs at a time."""
    for v, families in enumerate(posterior.families):
        parents = sorted({p for family in families for p in family})
        own = posterior.draws[:, :, v]
        for start in range(0, len(parents), _AT_ONCE):
            part = parents[start : start + _AT_ONCE]
            holds = np.array([[p in family for family in families] for p in part])
            yield [(p, v) for p in part], holds[:, own]
