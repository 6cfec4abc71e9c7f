"""How good is the network of ``learn`` without a limit on parents, and how soon?

    python benchmarks/growth.py --data DIR
    python benchmarks/growth.py --data DIR --only audio-train --seeds 2

DIR holds the tables, at any depth: audio-train.data, jester-train.data, plants.train.data,
dna.train.data and reuters-test.data. Each run is the whole of ``learn``, from the file to the
network, without a cache. Prints one line per seed: the final score, and when the goal was reached,
which is the best score known before parent sets could grow.
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path
from typing import NamedTuple

from common.files import need_file

from forebear import learn


class Case(NamedTuple):
    """A table, a score, and the goal."""

    table: str
    score: str
    goal: float
    seconds: float


CASES = (
    Case("audio-train", "bdeu", -613_589.731, 15.0),
    Case("jester-train", "bdeu", -490_297.995, 10.0),
    Case("plants.train", "bdeu", -227_128.116, 10.0),
    Case("dna.train", "bdeu", -128_750.001, 10.0),
    Case("reuters-test", "bic", -134_640.0, 60.0),
)

_ROUNDING = 2e-3  # goals are rounded to a thousandth


def run(case: Case, path: Path, options: argparse.Namespace, seed: int) -> tuple[float, float]:
    """Learn once; return the score and when the goal was reached."""
    started = time.perf_counter()
    result = learn(
        path,
        score=case.score,
        prior="uniform",
        time_limit=case.seconds * options.patience,
        threads=options.threads,
        seed=seed,
        cache=False,
    )
    before = time.perf_counter() - started - result.phases["search"]
    hits = [step.seconds for step in result.trace if step.score >= case.goal - _ROUNDING]
    return result.score, before + hits[0] if hits else float("inf")


def main() -> None:
    """Print a table per case."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="the tables")
    parser.add_argument("--only", choices=[case.table for case in CASES], help="one table")
    parser.add_argument("--seeds", type=int, default=10, help="number of seeds")
    parser.add_argument("--first-seed", type=int, default=501, help="the first seed")
    parser.add_argument("--threads", type=int, default=2, help="number of threads")
    parser.add_argument("--patience", type=float, default=1.0, help="factor for the time limits")
    options = parser.parse_args()
    for case in CASES:
        if options.only not in (None, case.table):
            continue
        path = need_file(options.data, f"{case.table}.data")
        print(f"\n{case.table}, {case.score}: goal {case.goal:,.3f} in {case.seconds:g} s")
        found = []
        for seed in range(options.first_seed, options.first_seed + options.seeds):
            score, when = run(case, path, options, seed)
            found.append((score, when))
            shown = "not reached" if when == float("inf") else f"{when:.2f} s"
            print(
                f"  seed {seed}: {score:,.3f} ({score - case.goal:+.3f}), goal {shown}", flush=True
            )
        scores = [score for score, _ in found]
        inside = sum(when <= case.seconds for _, when in found)
        print(
            f"  {inside} of {len(found)} reach the goal; best {max(scores):,.3f}, "
            f"median {statistics.median(scores):,.3f}, worst {min(scores):,.3f}"
        )


if __name__ == "__main__":
    main()
