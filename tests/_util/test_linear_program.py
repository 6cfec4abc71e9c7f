"""HiGHS: on one thread."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs import run_python

# Solves a relaxation with cuts, and counts the threads that this starts.
SOLVE = """
import os, sys
import numpy as np
sys.path[:0] = sys.argv[1:]
from strategies import random_parent_sets
from forebear import _core
from forebear.budget import Clock
from forebear.proof.flat_sets import FlatSets
from forebear.proof.integer_costs import IntegerCosts
from forebear.proof.relaxation import Relaxation
from forebear.proof.separation import find_cuts

sets = FlatSets.of(IntegerCosts(random_parent_sets(20, 60, seed=1)))
everything = np.ones(len(sets), dtype=bool)
relaxation = Relaxation(sets, np.arange(len(sets)))
before = set(os.listdir("/proc/self/task"))
for _ in range(3):
    point = relaxation.solve(everything, 2**60, Clock())
    relaxation.add(find_cuts(point.solution, sets, _core.Budget(None), 1, 2)[0])
print(len(set(os.listdir("/proc/self/task")) - before), len(relaxation.cuts) > 0)
"""


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="counts the threads in /proc")
def test_highs_starts_no_thread() -> None:
    support = Path(__file__).parents[1] / "support"
    assert run_python(SOLVE, str(support)).split() == ["0", "True"]
