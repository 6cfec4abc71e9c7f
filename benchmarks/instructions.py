"""How many instructions do the kernels take? Other work on the machine does not change it.

    python benchmarks/instructions.py [--json FILE] [--kernels NAME]

Runs a fixed scoring job and fixed climbs, on simulated data, under valgrind's
callgrind, which must be installed. It does not support AVX-512, so the AVX2
kernels are counted, or the baseline kernels. --json FILE writes the counts for
``compare.py``.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from common import kernel_jobs
from common.measures import Measure, write_measures

from forebear import _core, score_parent_sets
from forebear.network.simulation import simulate

VARIABLES, ROWS = 40, 2_000


def write_inputs(path: Path) -> None:
    """Write the input of the jobs: a table, and its parent sets."""
    data = simulate(VARIABLES, ROWS, states=(2, 3), seed=1).data
    sets = score_parent_sets(data, max_parents=3, threads=1)
    np.savez(
        path,
        codes=np.ascontiguousarray(data.codes),
        arities=data.arities,
        offsets=sets.offsets,
        scores=sets.scores,
        parents=sets.parents,
    )


def count(job: str, inputs: Path, kernels: str) -> int:
    """Run one job under callgrind, and return the number of instructions."""
    script = Path(kernel_jobs.__file__)
    counted = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    # Nothing may differ from run to run.
    still = {"PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [*counted, sys.executable, "-B", "-s", "-P", script, _core.__file__, inputs, kernels, job],
        env={**os.environ, **still},
        capture_output=True,
        text=True,
        check=False,
    )
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or found is None:
        raise SystemExit(f"{job} failed under valgrind: {done.stderr.strip().splitlines()[-1]}")
    return int(found[1])


def measure(kernels: str) -> list[Measure]:
    """Count every job, without the start-up that all have in common."""
    with TemporaryDirectory() as folder:
        inputs = Path(folder) / "inputs.npz"
        write_inputs(inputs)
        counts = {job: count(job, inputs, kernels) for job in kernel_jobs.JOBS}
    common = counts.pop("nothing")
    return [
        Measure(f"{job}, {kernels}", "instructions", total - common)
        for job, total in counts.items()
    ]


def main() -> None:
    """Print the counts, and write them if asked to."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    known = [name for name in _core.available_kernels() if not name.startswith("avx512")]
    parser.add_argument("--kernels", choices=known, default=known[-1])
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the counts to this file")
    options = parser.parse_args()
    if shutil.which("valgrind") is None:
        raise SystemExit("valgrind is not installed")
    measures = measure(options.kernels)
    for one in measures:
        print(f"{one.name:<20} {one.value:18,.0f} instructions")
    if options.json:
        write_measures(options.json, measures)


if __name__ == "__main__":
    main()
