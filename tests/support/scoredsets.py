"""Lists of scored parent sets, compared up to rounding."""

from __future__ import annotations

import math

import naive
import pytest

TOLERANCE = 1e-9


def assert_same_sets(found: naive.ScoredSets, expected: naive.ScoredSets) -> None:
    """Compare up to rounding: sets that tie within it may be kept or not, in either order."""
    for mine, theirs in zip(found, expected, strict=True):
        ours, twins = {p: s for s, p in mine}, {p: s for s, p in theirs}
        for parents in ours.keys() & twins.keys():
            assert ours[parents] == pytest.approx(twins[parents], rel=TOLERANCE, abs=1e-8)
        for parents in ours.keys() ^ twins.keys():
            scores = ours if parents in ours else twins
            rivals = [
                score
                for rival, score in scores.items()
                if set(rival) < set(parents) and math.isclose(score, scores[parents], abs_tol=1e-8)
            ]
            assert rivals, f"{parents} is kept by one of the two only, and ties with nothing"
        assert mine == naive.best_first(mine)
