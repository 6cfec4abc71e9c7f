"""What the report shows of a posterior."""

from __future__ import annotations

import re

import numpy as np

from forebear.posterior.report import rank_plot


def test_ties_do_not_bend_a_rank_plot() -> None:
    rng = np.random.default_rng(1)
    plot = rank_plot(rng.integers(0, 2, (2, 4000)).astype(float))
    heights = [float(tall) for tall in re.findall(r'height="([\d.]+)" fill', plot)]
    assert len(heights) == 40
    assert min(heights) > 0.7 * max(heights)
