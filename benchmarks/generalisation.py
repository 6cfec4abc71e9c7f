"""How well do networks predict rows that they were not learnt from?

    python benchmarks/generalisation.py --data DIR
    python benchmarks/generalisation.py --data DIR --only dna --time-limit 20

DIR holds the tables, at any depth, as in the README. Each network is learnt from one part of a
public split, and its probabilities are fitted to the same part. Prints the log-likelihood per row
of the other part, in nats, for every smoothing; "*" marks what forebear chose itself. pyAgrum and
pgmpy are left out where they are not installed or not finished in time.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from common.files import need_file
from common.library_runs import available, run_program
from common.library_searches import PGMPY, PYAGRUM

import forebear
from forebear import BDeu, Network, learn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from forebear import Dataset, Score
    from forebear.network.fit_network import Strength


class Case(NamedTuple):
    """A public split: the file to learn from and the file to predict."""

    name: str
    train: str
    test: str


CASES = (
    Case("nltcs", "nltcs.train", "nltcs.test"),
    Case("plants", "plants.train", "plants.test"),
    Case("audio", "audio-train", "audio.test"),
    Case("jester", "jester-train", "jester.test"),
    Case("dna", "dna.train", "dna.test"),
    Case("reuters", "reuters-test", "reuters.valid"),
)

SCORES: dict[str, Score | str] = {
    "bic": "bic",
    "bdeu 1": BDeu(1.0),
    "bdeu 10": BDeu(10.0),
    "fnml": "fnml",
    "aic": "aic",
}
SMOOTHING: tuple[Strength, ...] = ("light", "medium", "strong")


class Found(NamedTuple):
    """A network, how it was found, and the smoothing that its finder chose."""

    how: str
    network: Network
    seconds: float
    smoothing: str | None = None


def ours(train: Dataset, options: argparse.Namespace) -> Iterator[Found]:
    """Learn by each score in turn, and by the choice of forebear."""
    for name, score in {**SCORES, "auto": "auto"}.items():
        started = time.perf_counter()
        result = learn(
            train,
            score=score,
            time_limit=options.time_limit,
            threads=options.threads,
            seed=options.seed,
            max_memory=options.max_memory,
            certify=False,
        )
        how = f"forebear {name}"
        if result.validation is not None:
            how += f": {result.validation.own.name}"
        seconds = time.perf_counter() - started
        yield Found(how, result.network, seconds, result.smoothing)


def show(found: Found, train: Dataset, test: Dataset) -> None:
    """Print one line: the likelihood with the BDeu prior, and with every smoothing."""
    figures = [found.network.fit(train, ess=1.0).log_likelihoods(test).mean()]
    for smoothing in SMOOTHING:
        fitted = found.network.fit(train, smoothing=smoothing)
        figures.append(fitted.log_likelihoods(test).mean())
    marks = ["", *("*" if name == found.smoothing else "" for name in SMOOTHING)]
    shown = "".join(f"{x:11.4f}{mark:1}" for x, mark in zip(figures, marks, strict=True))
    most = max(map(len, found.network.parents))
    print(
        f"  {found.how:40} {len(found.network.arcs):6,} {most:4}{shown} {found.seconds:7.1f} s",
        flush=True,
    )


def main() -> None:
    """Print a table per split."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="the tables")
    parser.add_argument("--only", choices=[case.name for case in CASES], help="one split")
    parser.add_argument("--time-limit", type=float, default=60.0, help="seconds per network")
    parser.add_argument("--library-limit", type=float, default=60.0, help="seconds for libraries")
    parser.add_argument("--threads", type=int, default=2, help="number of threads")
    parser.add_argument("--max-memory", help="memory of forebear, such as 8GB")
    parser.add_argument("--seed", type=int, default=1, help="random seed")
    options = parser.parse_args()
    for case in CASES:
        if options.only not in (None, case.name):
            continue
        train, test = (
            forebear.as_dataset(need_file(options.data, f"{file}.data"))
            for file in (case.train, case.test)
        )
        print(f"\n{case.name}: {train.n_variables} variables, {train.n_rows:,} rows to learn from")
        print(
            f"  {'':40} {'arcs':>6} {'most':>4}{'ess 1':>11} "
            + " ".join(f"{name:>11}" for name in SMOOTHING)
        )
        for found in ours(train, options):
            show(found, train, test)
        for search in (PYAGRUM, PGMPY):
            if not available(search):
                continue
            network, seconds = run_program(search, train, options.library_limit)
            if network is None:
                print(f"  {search.name}: not finished after {seconds:.0f} s", flush=True)
            else:
                show(Found(search.name, network, seconds), train, test)


if __name__ == "__main__":
    main()
