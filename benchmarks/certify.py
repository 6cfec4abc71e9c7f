"""How long does it take to prove the margins of all edges?

    python benchmarks/certify.py --data DIR
    python benchmarks/certify.py --data DIR --only alarm-5000 --margin 10
    python benchmarks/certify.py --data DIR --only audio-train --margin 10 --time-limit 600

DIR holds parent sets (alarm-5000.jkl, ...), networks (alarm.bif, from which 1,000 rows are drawn)
and tables (audio-train.data), at any depth. The proof of the network is timed first.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from common.files import need_file

from forebear import Exact, ParentSets, read_fitted, score_parent_sets
from forebear.budget import Clock
from forebear.learning.certify_arcs import ranks_in
from forebear.proof.arc_margins import prove_arc_margins
from forebear.proof.dual_ascent import CoreCut
from forebear.proof.exact_search import find_exact

if TYPE_CHECKING:
    from forebear import ArcMargins


@dataclass(frozen=True)
class Case:
    """A problem, the margin that suffices, and the time limit of the proof and of the margins."""

    name: str
    margin: float | None = None
    max_parents: int = 3

    def load(self, directory: Path) -> ParentSets:
        if self.name == "orchard":
            return score_parent_sets("example:orchard", max_parents=self.max_parents)
        if self.name == "alarm":
            network = read_fitted(need_file(directory, "alarm.bif"))
            rows = network.sample(1_000, np.random.default_rng(1))
            return score_parent_sets(rows, max_parents=self.max_parents)
        if self.name.endswith("train"):
            table = need_file(directory, f"{self.name}.data")
            return score_parent_sets(table, max_parents=self.max_parents)
        return ParentSets.load(need_file(directory, f"{self.name}.jkl"))


CASES = [
    Case("orchard", max_parents=4),
    Case("child-5000"),
    Case("alarm"),
    Case("alarm-5000"),
    Case("pathfinder-5000", margin=10),
    Case("diabetes-5000", margin=10),
    Case("audio-train", margin=10),
]


def main() -> None:
    """Print one line per problem."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, metavar="DIR")
    parser.add_argument("--only", nargs="+", choices=[case.name for case in CASES])
    parser.add_argument("--margin", type=float, help="nats at which a proof ends")
    parser.add_argument("--time-limit", type=float, default=60.0, help="seconds for the margins")
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    print(
        "| problem | sets | the proof: wall, CPU s | edges and directions | margins: wall, CPU s "
        "| edges >= 10 nats | >= 3 | > 0 | exact | least | stopped |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for case in CASES:
        if arguments.only is None or case.name in arguments.only:
            margin = case.margin if arguments.margin is None else arguments.margin
            sets = case.load(arguments.data)
            print(_line(case, sets, margin, arguments), flush=True)


def _line(case: Case, sets: ParentSets, margin: float | None, arguments: Any) -> str:
    limit, threads = arguments.time_limit, arguments.threads
    started = _now()
    cuts: list[CoreCut] = []
    found, *_ = find_exact(
        sets,
        Exact(),
        time_limit=limit,
        threads=threads,
        seed=1,
        solved=lambda solver: cuts.extend(solver.core_cuts),
    )
    proof = _since(started)
    started = _now()
    margins = prove_arc_margins(
        sets,
        found.network,
        ranks_in(sets, found.network.parents),
        clock=Clock(limit),
        threads=threads,
        optimal=found.status == "optimal",
        margin=margin,
        cuts=cuts,
    )
    return " | ".join([f"| {case.name}", f"{len(sets):,}", proof, *_cells(margins, started)]) + " |"


def _cells(margins: ArcMargins, started: tuple[float, float]) -> list[str]:
    edges, directions = margins.of_kind("edge"), margins.of_kind("direction")
    least = min((one.margin for one in edges), default=float("nan"))
    return [
        f"{len(edges)} + {len(directions)}",
        _since(started),
        *(str(margins.needed(level)) for level in (10.0, 3.0, 0.0)),
        str(sum(one.exact for one in edges)),
        f"{least:.2f}",
        margins.stop_reason,
    ]


def _now() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def _since(started: tuple[float, float]) -> str:
    return ", ".join(f"{now - then:.2f}" for now, then in zip(_now(), started, strict=True))


if __name__ == "__main__":
    main()
