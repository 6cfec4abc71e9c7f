"""Fixed jobs for the core alone, for ``instructions.py``.

    python benchmarks/common/kernel_jobs.py CORE INPUTS KERNELS JOB

This program imports only NumPy and the core: other libraries start threads that
spin, and their instructions would be counted, too.
"""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from typing import Any

import numpy as np

CLIMBS = 100


def load_core(path: str) -> Any:
    """Load the core from its file."""
    spec = spec_from_file_location("forebear._core", path)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{path}: not a module")
    core = module_from_spec(spec)
    spec.loader.exec_module(core)
    return core


def nothing(core: Any, inputs: Any) -> None:
    """Do nothing: the start-up, whose count is subtracted from the others."""
    del core, inputs


def scoring(core: Any, inputs: Any) -> None:
    """Count, score and prune all families of up to three parents."""
    run = core.Scoring.make(
        table=core.PackedTable.make(inputs["codes"], inputs["arities"].tolist()),
        score="bdeu",
        ess=[1.0],
        chi_squared={},
        max_parents=3,
        threads=1,
        max_sets=0,
        together=True,
        allowed=None,
        required=[],
        byte_limit=1 << 62,
    )
    if run.run(core.Budget()) != "done":
        raise SystemExit("the scoring did not finish")


def climbs(core: Any, inputs: Any) -> None:
    """Climb from random orders, which are the same in every run."""
    sets = core.OrderSets(inputs["offsets"], inputs["scores"], inputs["parents"])
    climber, random, budget = core.Climber(sets), core.Random([1, 2, 3, 4]), core.Budget()
    for _ in range(CLIMBS):
        climber.start(random.permutation(sets.n))
        climber.climb(random, budget)


JOBS = {job.__name__: job for job in (nothing, scoring, climbs)}


def main() -> None:
    """Run one job."""
    path, inputs, kernels, job = sys.argv[1:]
    core = load_core(path)
    if not core.use_kernels(kernels):
        raise SystemExit(f"this machine has no {kernels} kernels")
    with np.load(inputs) as loaded:
        arrays = dict(loaded)
    JOBS[job](core, arrays)


if __name__ == "__main__":
    main()
