"""Fixed jobs for the core alone, without the rest of forebear, for ``instructions.py``.

    python benchmarks/kernel_jobs.py CORE INPUTS KERNELS JOB

Other libraries start threads that spin, and so spoil any count of instructions:
here are only Python, NumPy and the core.
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
    """What all jobs have in common: their count is subtracted from the others'."""
    del core, inputs


def scoring(core: Any, inputs: Any) -> None:
    """Count, score and prune all families of up to three parents."""
    run = core.Scoring.make(
        codes=inputs["codes"],
        arities=inputs["arities"].tolist(),
        score="bdeu",
        ess=1.0,
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
        raise SystemExit("the scoring did not come to its end")


def climbs(core: Any, inputs: Any) -> None:
    """Climb from random orders, the same every time."""
    sets = core.OrderSets(inputs["offsets"], inputs["scores"], inputs["parents"])
    climber, random, budget = core.Climber(sets), core.Random([1, 2, 3, 4]), core.Budget()
    for _ in range(CLIMBS):
        climber.start(random.permutation(sets.n))
        climber.climb(random, budget)


JOBS = {job.__name__: job for job in (nothing, scoring, climbs)}


def main() -> None:
    """Do one job."""
    path, inputs, kernels, job = sys.argv[1:]
    core = load_core(path)
    if not core.use_kernels(kernels):
        raise SystemExit(f"no kernels called {kernels} here")
    with np.load(inputs) as loaded:
        arrays = dict(loaded)
    JOBS[job](core, arrays)


if __name__ == "__main__":
    main()
