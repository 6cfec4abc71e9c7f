"""How do time and memory grow with the number of variables?

    python benchmarks/scale.py [--most 10000] [--rows 5000] -o docs/img/scale

For each number of variables a table is simulated, parent sets of up to two of the
100 best candidate parents of each variable are scored, and orders are climbed.
Every size runs in its own process, to measure its peak memory. Writes OUT.csv and
OUT.svg.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from common.lines import draw_lines

SIZES = (250, 500, 1000, 2000, 4000, 7000, 10_000)
CURVES = {"choosing candidates": "candidates", "scoring": "scoring", "one climb": "climb"}


def measure(n: int, rows: int) -> dict[str, float]:
    """Score a simulated table on two threads, and climb on one."""
    from forebear import simulate
    from forebear._core import Budget, Climber, Random
    from forebear._util.machine import peak_bytes
    from forebear.scoring.candidates import restrict_candidates
    from forebear.scoring.job import make_job
    from forebear.scoring.score_job import score_job
    from forebear.search.space import SearchSpace

    data = simulate(n, rows, seed=1).data
    begun = time.perf_counter()
    job = restrict_candidates(make_job(data, max_parents=2, threads=2), 100)
    chosen = time.perf_counter()
    sets = score_job(job)
    scored = time.perf_counter()
    space, random = SearchSpace(sets), Random([1, 2, 3, 4])
    laid_out = time.perf_counter()
    climbs = 4
    climber, no_limit = Climber(space.sets), Budget()
    for _ in range(climbs):
        climber.start(random.permutation(n))
        climber.climb(random, no_limit)
    return {
        "variables": n,
        "sets": len(sets),
        "candidates": chosen - begun,
        "scoring": scored - chosen,
        "climb": (time.perf_counter() - laid_out) / climbs,
        "peak_bytes": peak_bytes(),
    }


def exponent(rows: list[dict[str, float]], field: str) -> float:
    """Fit a line to the logarithms."""
    x = np.log([row["variables"] for row in rows])
    return float(np.polyfit(x, np.log([row[field] for row in rows]), 1)[0])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "--most", type=int, default=10_000, help="largest number of variables [default: 10000]"
    )
    parser.add_argument("--rows", type=int, default=5000, help="rows of each table [default: 5000]")
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        default=Path("build/benchmarks/scale"),
        metavar="OUT",
        help="path of the CSV and SVG files [default: build/benchmarks/scale]",
    )
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(options.one, options.rows)))
        return
    rows: list[dict[str, Any]] = []
    for n in (size for size in SIZES if size <= options.most):
        command = [sys.executable, __file__, "--one", str(n), "--rows", str(options.rows)]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        rows.append(json.loads(done.stdout))
        print("  ".join(f"{name} {value:,.4g}" for name, value in rows[-1].items()), flush=True)
    for name, field in CURVES.items():
        print(f"{name}: n^{exponent(rows, field):.2f}")
    options.output.parent.mkdir(parents=True, exist_ok=True)
    with options.output.with_suffix(".csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    lines = {
        f"{name}, n^{exponent(rows, field):.2f}": {row["variables"]: row[field] for row in rows}
        for name, field in CURVES.items()
    }
    figure = draw_lines(
        "Seconds by number of variables", lines, across="variables", unit="s", base=10
    )
    options.output.with_suffix(".svg").write_text(figure, encoding="utf-8")


if __name__ == "__main__":
    main()
