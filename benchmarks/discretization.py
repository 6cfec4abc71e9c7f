"""How should continuous columns be cut: quantile, uniform or learned?

    python benchmarks/discretization.py
    python benchmarks/discretization.py --only wine --folds 2

Tables that come with scikit-learn are divided into folds. Each fold is predicted
by a network that is learnt from the others, with the cuts that are chosen on
these others. The figure is the mean logarithm of the density of a held-out row,
in nats: the probability of its intervals over their widths, a histogram in as
many dimensions as there are continuous columns. Outer intervals end a twentieth
of the range beyond the table, for every method. Higher is better.
"""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

import forebear
from forebear.data.discretization import as_numbers, cut_points
from forebear.data.encoding import code_columns, learned_cuts
from forebear.data.formats.table import load_table
from forebear.data.frames import enum_series

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Cuts = dict[str, NDArray[np.float64]]

METHODS = [
    *(("quantile", bins) for bins in (2, 3, 5, 8, 12)),
    *(("uniform", bins) for bins in (2, 3, 5, 8, 12)),
    ("learned", 12),
]
FEW = 10
"""The most distinct values of a column of states."""

TABLES = ("iris", "wine", "breast_cancer", "diabetes")


class Outcome(NamedTuple):
    """The figures of one method on one table."""

    densities: NDArray[np.float64]
    """Of every held-out row."""
    intervals: float
    arcs: float
    seconds: float


def bundled(name: str) -> pl.DataFrame:
    """Return a table of scikit-learn, with its target as the last column.

    Numbers with few distinct values, such as the sex in diabetes, become states: the density of an
    interval around a single value would grow without limit as it becomes narrower.
    """
    from sklearn import datasets

    loaded: Any = getattr(datasets, f"load_{name}")()
    frame = pl.DataFrame(loaded.data, schema=[str(n) for n in loaded.feature_names])
    frame = frame.with_columns(pl.Series("target", loaded.target))
    few = [column.name for column in frame.get_columns() if column.n_unique() <= FEW]
    return frame.with_columns(pl.col(few).rank("dense").cast(pl.Int64))


def choose_cuts(train: pl.DataFrame, method: str, bins: int) -> Cuts:
    """Cut the continuous columns of the rows to learn from."""
    options = forebear.ReadOptions(discretize="learned", bins=bins)
    columns = load_table(train, options).columns
    coded = code_columns(columns, forebear.ReadOptions())
    if method == "learned":
        found = learned_cuts(columns, coded, options)
        return {name: np.array(cuts) for name, cuts in found.items()}
    return {
        column.name: cut_points(as_numbers(column.values), method, bins, column.counts[:-1])  # type: ignore[arg-type]
        for column, one in zip(columns, coded, strict=True)
        if one is None
    }


def as_states(frame: pl.DataFrame, whole: pl.DataFrame, cuts: Cuts) -> pl.DataFrame:
    """Replace values by states; the states of the other columns are those of the whole table."""
    made = []
    for column in frame.get_columns():
        if column.name in cuts:
            own = cuts[column.name]
            codes = np.searchsorted(own, column.cast(pl.Float64).to_numpy(), side="left")
            made.append(enum_series(column.name, codes, range(len(own) + 1)))
        else:
            states = [str(value) for value in whole[column.name].unique().sort().to_list()]
            made.append(column.cast(pl.String).cast(pl.Enum(states)))
    return pl.DataFrame(made)


def log_widths(frame: pl.DataFrame, whole: pl.DataFrame, cuts: Cuts) -> NDArray[np.float64]:
    """Return the logarithm of the volume of the cell of every row."""
    total = np.zeros(frame.height)
    for name, own in cuts.items():
        values = whole[name].cast(pl.Float64).to_numpy()
        margin = 0.05 * (values.max() - values.min())
        edges = np.concatenate([[values.min() - margin], own, [values.max() + margin]])
        places = np.searchsorted(own, frame[name].cast(pl.Float64).to_numpy(), side="left")
        total += np.log(np.diff(edges)[places])
    return total


def measure(frame: pl.DataFrame, method: str, bins: int, options: argparse.Namespace) -> Outcome:
    """Predict every fold from the others."""
    order = np.random.default_rng(options.seed).permutation(frame.height)
    densities, intervals, arcs = np.empty(frame.height), [], []
    start = time.perf_counter()
    for fold in range(options.folds):
        held = order[fold :: options.folds]
        kept = np.setdiff1d(order, held)
        train, test = frame[kept], frame[held]
        cuts = choose_cuts(train, method, bins)
        data = forebear.Dataset.from_frame(as_states(train, frame, cuts))
        result = forebear.learn(
            data,
            score=options.score,
            max_parents=options.max_parents,
            generations=options.generations,
            seed=1,
            cache=False,
        )
        fitted = result.network.fit(data)
        likelihoods = fitted.log_likelihoods(as_states(test, frame, cuts))
        densities[held] = likelihoods - log_widths(test, frame, cuts)
        intervals.append(np.mean([len(own) + 1 for own in cuts.values()]))
        arcs.append(len(result.network.arcs))
    seconds = time.perf_counter() - start
    return Outcome(densities, float(np.mean(intervals)), float(np.mean(arcs)), seconds)


def main() -> None:
    """Print a table per data set."""
    import warnings

    warnings.simplefilter("ignore", forebear.ForebearWarning)
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", choices=TABLES, help="these tables only")
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--generations", type=int, default=5, help="of every search")
    parser.add_argument("--score", default="bdeu")
    parser.add_argument("--max-parents", type=int, default=3, help="more would not be fitted")
    parser.add_argument("--seed", type=int, default=1, help="of the folds")
    options = parser.parse_args()
    for name in options.only or TABLES:
        frame = bundled(name)
        print(f"\n{name}: {frame.height} rows, {frame.width} columns")
        outcomes = {m: measure(frame, *m, options) for m in METHODS}
        learned = outcomes["learned", 12].densities
        print(
            "| method | density of a held-out row | behind learned | intervals | arcs | seconds |"
        )
        print("|---|---|---|---|---|---|")
        for (method, bins), found in outcomes.items():
            behind = learned - found.densities
            error = behind.std(ddof=1) / np.sqrt(len(behind))
            shown = method if method == "learned" else f"{method}, {bins}"
            print(
                f"| {shown} | {found.densities.mean():.3f} | {behind.mean():.3f} ± {error:.3f} "
                f"| {found.intervals:.1f} | {found.arcs:.1f} | {found.seconds:.1f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
