"""Four data sets of the paper, the scores to reach on them, and searches for these scores."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from common.files import need_file
from common.library import read_library
from forebear import Dataset, ParentSets, Target, find_network, score_parent_sets

if TYPE_CHECKING:
    from collections.abc import Iterator

    from forebear import Result

ROUNDED = 5e-4
"""Best known scores are given to three digits."""


@dataclass(frozen=True)
class Case:
    """One data set, the scores to reach, and the seconds allowed.

    ``minobs`` and ``ps_minobs`` are the scores that the paper reports after four hours.
    """

    name: str
    max_parents: int
    minobs: float
    ps_minobs: float
    best_known: float
    within: float

    @property
    def target(self) -> float:
        """The best known score, less what rounding may have added."""
        return self.best_known - ROUNDED


def _case(name: str, max_parents: int, within: float) -> Case:
    """Take the scores of a data set from the library."""
    problem = read_library()[name].problem("bdeu", max_parents)
    minobs, ps_minobs = (problem.reported[f"{one}, 4 h"] for one in ("MINOBS", "PS-MINOBS"))
    return Case(name, max_parents, minobs, ps_minobs, problem.target, within)


CASES = (
    _case("audio-train", 3, 10),
    _case("jester-train", 3, 20),
    _case("reuters-test", 2, 60),
    _case("pumsb-star-test", 3, 120),
)


def make_parser(description: str | None) -> argparse.ArgumentParser:
    """Make a parser with the options of all benchmarks on these data sets."""
    names = [case.name for case in CASES]
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "--data",
        type=Path,
        required=True,
        metavar="DIR",
        help="directory of the paper's tables (audio-train.data, ...)",
    )
    parser.add_argument(
        "--cache",
        type=Path,
        default=Path("build/benchmarks"),
        metavar="DIR",
        help="where scored parent sets are kept [default: build/benchmarks]",
    )
    parser.add_argument("--only", nargs="+", choices=names, default=names, help="data sets to use")
    parser.add_argument("--threads", type=int, default=2, help="number of threads [default: 2]")
    return parser


def add_seeds(parser: argparse.ArgumentParser, seeds: int) -> None:
    """Add the options of benchmarks that repeat searches with other seeds."""
    parser.add_argument(
        "--seeds", type=int, default=seeds, help=f"number of seeds [default: {seeds}]"
    )
    parser.add_argument("--first-seed", type=int, default=1, help="first seed [default: 1]")


def chosen_cases(options: argparse.Namespace) -> Iterator[tuple[Case, ParentSets]]:
    """Yield the chosen data sets with their parent sets."""
    for case in CASES:
        if case.name in options.only:
            yield case, parent_sets(case, options.data, options.cache)


def chosen_seeds(options: argparse.Namespace) -> range:
    """The seeds that the command line asks for."""
    return range(options.first_seed, options.first_seed + options.seeds)


def parent_sets(case: Case, data: Path, cache: Path) -> ParentSets:
    """Open the parent sets of a data set; score them first unless an earlier run did."""
    path = cache / f"{case.name}.cps"
    if not path.exists():
        table = Dataset.read(need_file(data, f"{case.name}.data"))
        cache.mkdir(parents=True, exist_ok=True)
        score_parent_sets(table, max_parents=case.max_parents).save(path)
    return ParentSets.load(path)


def search_best_known(
    case: Case,
    sets: ParentSets,
    *,
    time_limit: float,
    threads: int,
    seed: int,
) -> Result:
    """Search until the best known score is reached or the time is over; prove nothing."""
    return find_network(
        sets,
        time_limit=time_limit,
        generations=Target(case.target),
        certify=False,
        threads=threads,
        seed=seed,
    )


def reached(result: Result, score: float) -> float | None:
    """Return after how many seconds a score was reached, if it was."""
    return next((s.seconds for s in result.trace if s.score >= score - ROUNDED), None)
