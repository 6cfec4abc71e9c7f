"""Certificates in tests: making and checking them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import naive
import pytest

from forebear import Exact, ParentSets
from forebear.checker.check import CertifiedBound, check_certificate
from forebear.proof.exact_search import find_exact
from forebear.proof.proof_run import Effort

NO_ASCENT = Effort(ascent_rounds=1)
FEW_CUTS = Effort(ascent_rounds=1, depth=0, rounds=(1, 0))
"""No dual ascent and few cuts, so that proofs need nodes."""
ALL_CUTS = Effort(ascent_rounds=1, few_cuts=10**6)
"""No dual ascent, and cuts of all depths."""


def check(path: Path | str, sets: ParentSets) -> CertifiedBound:
    return check_certificate(path, sets.names, sets.offsets, sets.scores, sets.parents)


def certified(sets: ParentSets, path: Path, effort: Effort = Effort()) -> CertifiedBound:  # noqa: B008
    method = Exact("branch-and-cut")
    how: dict[str, Any] = {"certificate": path, "seed": 1, "threads": 1, "time_limit": 1e6}
    result, *_ = find_exact(sets, method, effort=effort, **how)
    checked = check(path, sets)
    assert checked.score is not None
    assert float(checked.score) == pytest.approx(result.score, abs=1e-9)
    assert result.bound is not None
    assert float(checked.bound) <= result.bound + 1e-9
    return checked


def optimum(sets: ParentSets) -> float:
    return naive.best_score(naive.as_lists(sets))
