"""The sections of the report about a posterior: probabilities of arcs, and rank plots."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from forebear._util.text import counted
from forebear.posterior.posterior import Posterior
from forebear.result import Result
from forebear.result.report.arc_probabilities import ArcProbabilities, arc_rows


def arc_probabilities(posterior: Posterior, result: Result) -> ArcProbabilities:
    """Return the contents of the section about arcs."""
    diagnostics = posterior.diagnostics
    chains = counted(posterior.n_chains, "Markov chain")
    lead = (
        f"The share of networks with each arc, among networks drawn from the posterior "
        f"distribution by {chains}, {counted(posterior.n_draws, 'draw')} each. "
        f"The prior is {posterior.about.get('prior', 'uniform')}."
    )
    if diagnostics.converged:
        verdict = (
            f"The chains agree: R-hat of the score is {diagnostics.score_rhat:.3f}, and the "
            f"effective sample size is {diagnostics.score_effective_sample_size:,.0f}."
        )
    else:
        verdict = (
            f"The run has not converged: {diagnostics.reason}. Probabilities are rough and rounded "
            "to one digit."
        )
    title = "Ranks of the score in every chain: flat if the chains agree"
    return ArcProbabilities(
        lead,
        verdict,
        posterior.digits,
        arc_rows(posterior, result.network),
        [(title, rank_plot(posterior.scores))],
    )


def rank_plot(draws: NDArray[np.float64]) -> str:
    """Draw a histogram per chain of the ranks of its draws among all (Vehtari et al., 2021).

    Many draws are equal, as equivalent networks have the same score. Ties are broken at random,
    so that they spread over the bars alike in chains that agree.
    """
    bins, width, tallest, gap = 20, 640, 44, 8  # bars per chain; pixels
    ties = np.random.default_rng(0).permutation(draws.size)
    ranks = np.empty(draws.size)
    # Sums of the same scores in another order differ in their last digits.
    ranks[np.lexsort((ties, np.round(draws.ravel(), 6)))] = np.arange(1, draws.size + 1)
    edges = np.linspace(0.5, draws.size + 0.5, bins + 1)
    counts = np.stack([np.histogram(own, bins=edges)[0] for own in ranks.reshape(draws.shape)])
    most = max(1, int(counts.max()))
    expected = draws.shape[1] / bins
    height = len(counts) * (tallest + gap)
    parts = [
        f'<svg class="rank-plot" xmlns="http://www.w3.org/2000/svg" role="img" '
        f'aria-label="rank plots of {len(counts)} chains" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}">'
    ]
    step = width / bins
    for chain, own in enumerate(counts.tolist()):
        bottom = chain * (tallest + gap) + tallest
        for place, count in enumerate(own):
            tall = tallest * count / most
            parts.append(
                f'<rect x="{place * step + 1:.1f}" y="{bottom - tall:.1f}" '
                f'width="{step - 2:.1f}" height="{tall:.1f}" fill="#5b7fa6"/>'
            )
        level = bottom - tallest * expected / most
        parts.append(
            f'<line x1="0" x2="{width}" y1="{level:.1f}" y2="{level:.1f}" '
            'stroke="currentColor" stroke-dasharray="4 3"/>'
        )
    return "".join([*parts, "</svg>"])
