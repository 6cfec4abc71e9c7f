"""Certificates in tests: making and checking them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import naive
import pytest

from forebear import Exact, ParentSets, find_network
from forebear.bound.ascent import Ascent
from forebear.checker.check import Checked, check_certificate
from forebear.exact import branchcut

if TYPE_CHECKING:
    from pathlib import Path


def check(path: Path | str, sets: ParentSets) -> Checked:
    return check_certificate(path, sets.names, sets.offsets, sets.scores, sets.parents)


def certified(sets: ParentSets, path: Path, **asked: Any) -> Checked:
    method = Exact("branch-and-cut")
    result = find_network(
        sets, algorithm=method, certificate=path, seed=1, threads=1, time_limit=60, **asked
    )
    checked = check(path, sets)
    assert checked.score is not None
    assert float(checked.score) == pytest.approx(result.score, abs=1e-9)
    assert result.bound is not None
    assert float(checked.bound) <= result.bound + 1e-9
    return checked


def optimum(sets: ParentSets) -> float:
    return naive.best_score(naive.as_lists(sets))


def find_few_cuts(patch: pytest.MonkeyPatch) -> None:
    """Stop the dual ascent at once and find few cuts, so that proofs need nodes."""
    patch.setattr(Ascent, "run", lambda self, budget, threads, **_: None)
    patch.setattr(branchcut, "_DEPTH", {True: 0, False: 0})
    patch.setattr(branchcut, "_PATIENCE", {True: 1, False: 0})
