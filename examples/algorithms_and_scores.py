"""Several algorithms over the same parent sets; then the score to use, by held-out rows.

    python examples/algorithms_and_scores.py [FOLDER]

The table is drawn from one random network of 60 variables; what is best here
need not be so elsewhere. Writes curves.csv into the folder: every improvement of
every algorithm, with its time, for a plot of the score over time.
"""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl

import forebear
from forebear.learning.algorithms import ALGORITHMS
from forebear.network.simulation import simulate_from

SECONDS = 0.5
"""For each algorithm."""

SCORES: list[forebear.Score] = [
    forebear.BDeu(ess=0.1),
    forebear.BDeu(ess=1.0),
    forebear.BDeu(ess=10.0),
    forebear.BIC(),
    forebear.AIC(),
]


def compare_algorithms(sets: forebear.ParentSets) -> pl.DataFrame:
    """Run each algorithm for the same time, and return all their improvements."""
    print(f"{'algorithm':<16}{'score':>14}{'last improvement':>20}")
    curves = []
    for name in ALGORITHMS:
        result = forebear.find_network(sets, algorithm=name, time_limit=SECONDS, seed=1)
        best = max(result.trace, key=lambda step: step.score)
        print(f"{name:<16}{result.score:>14,.3f}{best.seconds:>18.2f} s")
        curves.append(result.trace.to_frame().select(pl.lit(name).alias("algorithm"), pl.all()))
    return pl.concat(curves)


def choose_score(train: forebear.Dataset, test: forebear.Dataset) -> None:
    """Learn by each score, and see which network predicts rows best that it has not seen."""
    print(f"{'score':<16}{'arcs':>6}{'held out':>12}")
    judged = {}
    for score in SCORES:
        result = forebear.learn(train, score=score, max_parents=2, generations=20, seed=1)
        held_out = result.network.fit(train).log_likelihood(test) / test.n_rows
        name = " ".join([score.name, *(f"{key} {v:g}" for key, v in score.parameters.items())])
        judged[name] = held_out
        print(f"{name:<16}{len(result.network.arcs):>6}{held_out:>12.4f}")
    print(f"Best for rows not seen: {max(judged, key=lambda name: judged[name])}")


def main(folder: Path) -> None:
    """Compare the algorithms, then the scores."""
    made = forebear.simulate(60, 2000, max_parents=4, states=(2, 2), seed=1)
    sets = forebear.score_parent_sets(made.data, max_parents=3)
    print(f"{len(sets):,} parent sets of {sets.n_variables} variables, {SECONDS:g} s each")
    curves = compare_algorithms(sets)
    folder.mkdir(parents=True, exist_ok=True)
    curves.write_csv(folder / "curves.csv")
    print(f"Written: {folder / 'curves.csv'}\n")
    choose_score(made.data, simulate_from(made.network, 2000, seed=2))


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
