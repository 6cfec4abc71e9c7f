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
import math
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

SIZES = (250, 500, 1000, 2000, 4000, 7000, 10_000)
CURVES = {"choosing candidates": "candidates", "scoring": "scoring", "one climb": "climb"}
COLOURS = ("#1f5fae", "#c05a1d", "#2d7d46")


def measure(n: int, rows: int) -> dict[str, float]:
    """Score a simulated table on two threads, and climb on one."""
    from forebear import simulate
    from forebear._core import Random
    from forebear._util.machine import peak_bytes
    from forebear.scoring.candidates import restrict_candidates
    from forebear.scoring.dispatch import score_job
    from forebear.scoring.job import make_job
    from forebear.search.space import SearchSpace, climb
    from forebear.search.threads import Workers

    data = simulate(n, rows, seed=1).data
    begun = time.perf_counter()
    job = restrict_candidates(make_job(data, max_parents=2, threads=2), 100)
    chosen = time.perf_counter()
    sets = score_job(job)
    scored = time.perf_counter()
    space, random = SearchSpace(sets), Random([1, 2, 3, 4])
    laid_out = time.perf_counter()
    climbs = 4
    with Workers(1) as workers:
        for _ in range(climbs):
            climb(workers, space, random.permutation(n), random)
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


def draw(rows: list[dict[str, float]], path: Path) -> None:
    """Draw the curves on logarithmic axes."""
    width, height, left, bottom, top = 640, 400, 70, 50, 20
    sizes = [row["variables"] for row in rows]
    times = [row[field] for row in rows for field in CURVES.values()]
    low, high = 10 ** math.floor(math.log10(min(times))), 10 ** math.ceil(math.log10(max(times)))

    def x(value: float) -> float:
        share = math.log(value / sizes[0]) / math.log(sizes[-1] / sizes[0])
        return left + share * (width - left - 190)

    def y(value: float) -> float:
        share = math.log(value / low) / math.log(high / low)
        return height - bottom - share * (height - bottom - top)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        'font-family="system-ui, sans-serif" font-size="12" fill="currentColor">',
        "<title>Seconds by number of variables</title>",
        "<style>svg{color:#333;background:#fff}@media(prefers-color-scheme:dark)"
        "{svg{color:#ddd;background:#1b1b1b}}</style>",
    ]
    tick = low
    while tick <= high * 1.01:
        parts.append(
            f'<path d="M{left} {y(tick):.1f}H{width - 190}" stroke="currentColor" '
            f'opacity=".2"/><text x="{left - 8}" y="{y(tick) + 4:.1f}" text-anchor="end">'
            f"{tick:g} s</text>"
        )
        tick *= 10
    ticks = f'y="{height - bottom + 18}" text-anchor="middle"'
    parts += [f'<text x="{x(size):.1f}" {ticks}>{size:,.0f}</text>' for size in sizes]
    parts.append(f'<text x="{left}" y="{height - 10}">variables</text>')
    for colour, (name, field) in zip(COLOURS, CURVES.items(), strict=True):
        points = " ".join(f"{x(row['variables']):.1f},{y(row[field]):.1f}" for row in rows)
        end = rows[-1]
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
            f'<text x="{x(end["variables"]) + 8:.1f}" y="{y(end[field]) + 4:.1f}" fill="{colour}">'
            f"{name}, n^{exponent(rows, field):.2f}</text>"
        )
    path.write_text("\n".join([*parts, "</svg>\n"]), encoding="utf-8")


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
    draw(rows, options.output.with_suffix(".svg"))


if __name__ == "__main__":
    main()
