"""How good is the network of ``learn`` under knowledge, and how soon?

    python benchmarks/knowledge.py --data DIR
    python benchmarks/knowledge.py --data DIR --only plants.train --kinds paths --seconds 5

DIR holds the tables, at any depth: plants.train.data, dna.train.data and audio.test.data. Each run
is the whole of ``learn`` on one thread, without a cache and without a proof. It ends after some
seconds of processor time, so that a busy machine changes little. The statements are drawn from the
seed 7:

- ``order``: as many pairs as variables, in the direction of a random order;
- ``paths``: 8 ancestors, 8 non-ancestors and 3 adjacent pairs of a network that was learnt before;
- ``false-paths``: 4 ancestors that this network does not have, in the direction of its order, and
  up to 3 non-ancestors that it does not have.

Prints the score after some seconds of processor time, and the largest parent set.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from common.files import need_file

from forebear import Dataset, Knowledge, Network, learn
from forebear._util.watcher import Watcher

if TYPE_CHECKING:
    from forebear.search.stop import Standing
    from forebear.search.trace import Improvement

TABLES = ("plants.train", "dna.train", "audio.test")
KINDS = ("order", "paths", "false-paths")
SHOWN = (1, 2, 5, 10)
_WALL = 8.0  # seconds per second of processor time, at most, on a busy machine


class Curve(Watcher):
    """Notes the best score by seconds of processor time."""

    def __init__(self) -> None:
        self.begun = time.process_time()
        self.steps: list[tuple[float, float]] = []

    def seconds(self) -> float:
        """Return the seconds of processor time."""
        return time.process_time() - self.begun

    def improved(self, improvement: Improvement) -> None:
        """Note a better network."""
        self.steps.append((self.seconds(), improvement.score))

    def at(self, seconds: float) -> str:
        """Return the score after some seconds."""
        best = max((score for when, score in self.steps if when <= seconds), default=None)
        return "none" if best is None else f"{best:,.2f}"


def run(table: Dataset, known: Knowledge, seconds: float, seed: int) -> tuple[Network, Curve]:
    """Learn for some seconds of processor time."""
    curve = Curve()

    def over(standing: Standing) -> str | None:
        del standing
        return "target" if curve.seconds() > seconds else None

    result = learn(
        table,
        knowledge=known,
        time_limit=_WALL * seconds,
        generations=over,
        threads=1,
        seed=seed,
        cache=False,
        certify=False,
        watcher=curve,
    )
    if known.violations(result):
        raise AssertionError("the network violates the knowledge")
    return result.network, curve


def draw(kind: str, good: Network) -> Knowledge:
    """Draw statements of a kind."""
    rng, n = np.random.default_rng(7), good.n_variables
    if kind == "order":
        hidden = rng.permutation(n).tolist()
        drawn = (sorted(rng.choice(n, 2, replace=False).tolist()) for _ in range(n))
        pairs = sorted({(a, b) for a, b in drawn})
        return Knowledge(before=[(hidden[a], hidden[b]) for a, b in pairs])
    below = [set(good.descendants(v)) for v in range(n)]
    yes = [(a, b) for a in range(n) for b in sorted(below[a])]
    no = [(a, b) for a in range(n) for b in range(n) if a != b and b not in below[a]]
    place = {v: i for i, v in enumerate(good.topological_order())}

    def some(pairs: list[tuple[int, int]], count: int) -> list[tuple[int, int]]:
        return [pairs[i] for i in sorted(rng.choice(len(pairs), count, replace=False).tolist())]

    if kind == "paths":
        arcs = [(p, v) for v, own in enumerate(good.parents) for p in own]
        return Knowledge(ancestors=some(yes, 8), not_ancestors=some(no, 8), adjacent=some(arcs, 3))
    forward = [(a, b) for a, b in no if place[a] < place[b]]
    ancestors, others = some(forward, 4), some(no, 3)
    return Knowledge(
        ancestors=ancestors, not_ancestors=[(a, b) for a, b in others if place[a] > place[b]]
    )


def main() -> None:
    """Print a line per table and kind."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="the tables")
    parser.add_argument("--only", choices=TABLES, help="one table")
    parser.add_argument("--kinds", nargs="*", choices=KINDS, default=KINDS, help="of statements")
    parser.add_argument("--seconds", type=float, default=10.0, help="of processor time")
    parser.add_argument("--seed", type=int, default=21, help="the seed of the runs")
    options = parser.parse_args()
    for name in TABLES if options.only is None else (options.only,):
        path = need_file(options.data, f"{name}.data")
        rows = np.loadtxt(path, delimiter=",", dtype=np.uint8)
        table = Dataset.from_array(rows)
        good, curve = run(table, Knowledge(), options.seconds, 1)
        print(f"{name}, without knowledge: {curve.at(options.seconds + 60)}", flush=True)
        for kind in options.kinds:
            found, curve = run(table, draw(kind, good), options.seconds, options.seed)
            scores = ", ".join(f"{s} s {curve.at(s)}" for s in SHOWN)
            print(
                f"{name}, {kind}: {scores}, at the end {curve.at(options.seconds + 60)}, "
                f"up to {max(map(len, found.parents))} parents",
                flush=True,
            )


if __name__ == "__main__":
    main()
