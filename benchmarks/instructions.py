"""How many instructions do the kernels take? Other work on the machine does not change it.

    python benchmarks/instructions.py --json old.json       # before a change
    python benchmarks/instructions.py --against old.json    # after it

Runs a fixed scoring job and fixed climbs, on simulated data, under valgrind's
callgrind, which must be installed. It does not support AVX-512, so the AVX2
kernels are counted, or the baseline kernels. With --against, the exit code is 1
if a job takes more than 1 % more instructions than in the file.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from common import kernel_jobs

from forebear import _core, score_parent_sets
from forebear.network.simulation import simulate

VARIABLES, ROWS = 40, 2_000

MOST_GROWTH = 0.01
"""Two runs of the same build gave exactly the same counts on a busy machine."""


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


def measure(kernels: str) -> dict[str, int]:
    """Count every job, without the start-up that all have in common."""
    with TemporaryDirectory() as folder:
        inputs = Path(folder) / "inputs.npz"
        write_inputs(inputs)
        counts = {job: count(job, inputs, kernels) for job in kernel_jobs.JOBS}
    common = counts.pop("nothing")
    return {f"{job}, {kernels}": total - common for job, total in counts.items()}


def countable_kernels() -> list[str]:
    """Return the kernels of this machine that valgrind supports, fastest last."""
    return [name for name in _core.available_kernels() if not name.startswith("avx512")]


def grown(old: dict[str, int], new: dict[str, int], most: float = MOST_GROWTH) -> list[str]:
    """Return the jobs whose instruction counts rose by more than the given share."""
    return [
        f"{job}: {count:,.0f} instructions, was {old[job]:,.0f}"
        for job, count in new.items()
        if job in old and count > old[job] * (1 + most)
    ]


def main() -> None:
    """Print the counts; write or compare them if asked to."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    known = countable_kernels()
    parser.add_argument("--kernels", choices=known, default=known[-1])
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the counts to this file")
    parser.add_argument("--against", type=Path, metavar="FILE", help="compare with these counts")
    options = parser.parse_args()
    if shutil.which("valgrind") is None:
        raise SystemExit("valgrind is not installed")
    counts = measure(options.kernels)
    for job, total in counts.items():
        print(f"{job:<20} {total:18,.0f} instructions")
    if options.json:
        options.json.write_text(json.dumps(counts, indent=1) + "\n", "utf-8")
    if options.against:
        worse = grown(json.loads(options.against.read_text("utf-8")), counts)
        print("\n".join(worse) if worse else "nothing takes more instructions")
        raise SystemExit(1 if worse else 0)


if __name__ == "__main__":
    main()
