"""How well does BayesianNetworkClassifier predict classes, compared with other classifiers?

    python benchmarks/classification.py --data DIR
    python benchmarks/classification.py --only iris wine
    python benchmarks/classification.py --data DIR --aside

Accuracy and log loss by cross-validation with five folds. Naive Bayes and TAN (structure by
pgmpy's TreeSearch) use the same five quantile intervals, chosen on the training rows, and posterior
means under the BDeu prior (equivalent sample size 10, pgmpy's default). Gradient boosting is
scikit-learn's HistGradientBoostingClassifier on the numbers themselves. With --aside, the
structures of the classifier are compared on the tables on which the default was chosen. No other
table was used for that.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

import forebear
from forebear.sklearn import MOST_PARENTS, BayesianNetworkClassifier

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

LEAST = 1e-15
"""The smallest probability in a logarithm, as scikit-learn's log_loss has it."""

FILES = {"mushroom": 0, "soybean": 0, "sensors": -1}
"""Tables of ``--data`` (CSV without a header, also .gz), and the column of the class."""

ASIDE = {
    "spectf.csv": 0,
    "parkinsons.csv": 16,
    "steel.csv": -1,
    "autos.csv": 0,
    "lung-cancer.csv": 0,
    "nltcs.train.data": 0,
    "jester-train.data": 0,
    "plants.valid.data": 3,
}
"""The tables on which the default structure was chosen: at most 2,000 rows of each."""

BUNDLED = ("iris", "wine", "breast_cancer", "digits", "diabetes", "anes96", "fair")


class Table(NamedTuple):
    """Features and classes."""

    features: pl.DataFrame
    classes: NDArray[np.int64]


def bundled(name: str) -> Table:
    """Return a table of scikit-learn or statsmodels."""
    if name in ("anes96", "fair"):
        import statsmodels.api as sm

        data = pl.DataFrame(getattr(sm.datasets, name).load_pandas().data.to_dict("list"))
        target = {"anes96": "vote", "fair": "affairs"}[name]
        values = data[target].to_numpy()
        return Table(data.drop(target), (values > 0).astype(np.int64))
    from sklearn import datasets

    loaded: Any = getattr(datasets, f"load_{name}")()
    frame = pl.DataFrame(loaded.data, schema=[str(n) for n in loaded.feature_names])
    if name == "diabetes":  # its target is a number
        return Table(frame, (loaded.target > np.median(loaded.target)).astype(np.int64))
    return Table(frame, loaded.target)


def from_file(folder: Path | None, name: str, target: int, most: int | None = None) -> Table | None:
    """Return a table of ``--data``; classes with fewer rows than folds are left out."""
    found = [] if folder is None else sorted(folder.rglob(f"{name}*"))
    if not found:
        print(f"{name}: not found, see --data")
        return None
    values = np.loadtxt(found[0], delimiter=",", dtype=np.int64)[:most]
    classes = values[:, target]
    values = np.delete(values, target, axis=1)
    _, codes, counts = np.unique(classes, return_inverse=True, return_counts=True)
    enough = (counts >= 5)[codes]
    frame = pl.DataFrame(values[enough], schema=[f"x{v}" for v in range(values.shape[1])])
    return Table(frame, classes[enough])


def of_structure(structure: Any, **settings: Any) -> Callable[..., NDArray[np.float64]]:
    """Return a function that learns a classifier and predicts the rows of a fold."""

    def predict(train: Table, test: Table) -> NDArray[np.float64]:
        classifier = BayesianNetworkClassifier(structure=structure, random_state=0, **settings)
        return classifier.fit(train.features, train.classes).predict_proba(test.features)

    return predict


def mutual_information(first: Any, second: Any) -> float:
    """Return what scikit-learn's mutual_info_score does, which takes minutes for digits."""
    u, v = np.asarray(first, np.int64), np.asarray(second, np.int64)
    joint = np.bincount(u * (v.max() + 1) + v, minlength=(u.max() + 1) * (v.max() + 1))
    shares = joint.reshape(u.max() + 1, -1) / len(u)
    alone = shares.sum(axis=1, keepdims=True) * shares.sum(axis=0)
    some = shares > 0
    return float((shares[some] * np.log(shares[some] / alone[some])).sum())


def by_arcs(tree: bool) -> Callable[..., NDArray[np.float64]]:
    """Return a function that predicts with naive Bayes, or with the tree of pgmpy."""

    def predict(train: Table, test: Table) -> NDArray[np.float64]:
        frame = train.features.clone().insert_column(
            0, pl.Series("class", train.classes).cast(pl.String)
        )
        data = forebear.as_dataset(frame, discretize="quantile")
        arcs = {("class", name) for name in data.names[1:]}
        if tree:
            from pgmpy.estimators import TreeSearch

            codes = pl.DataFrame(data.codes.T, schema=list(data.names)).to_pandas()
            found = TreeSearch(codes, root_node=data.names[1], n_jobs=1).estimate(
                estimator_type="tan",
                class_node="class",
                edge_weights_fn=mutual_information,
                show_progress=False,
            )
            arcs |= set(found.edges())
        network = forebear.Network.from_arcs(data.names, sorted(arcs))
        fitted = network.fit(data, smoothing="ess", ess=10)
        return fitted.predict(
            test.features, "class", probabilities=True, unseen="missing"
        ).probabilities

    return predict


def boosting(train: Table, test: Table) -> NDArray[np.float64]:
    """Predict by gradient boosting."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    model = HistGradientBoostingClassifier(random_state=0)
    model.fit(train.features.to_numpy(), train.classes)
    probabilities: NDArray[np.float64] = model.predict_proba(test.features.to_numpy())
    return probabilities


def measure(table: Table, predict: Callable[..., NDArray[np.float64]]) -> tuple[float, float]:
    """Return the accuracy and the log loss in the rows of all folds."""
    from sklearn.model_selection import StratifiedKFold

    codes = np.unique(table.classes, return_inverse=True)[1]
    hits: list[bool] = []
    logs: list[float] = []
    for kept, held in StratifiedKFold(5, shuffle=True, random_state=1).split(codes, codes):
        train, test = (Table(table.features[rows], codes[rows]) for rows in (kept, held))
        found = predict(train, test)
        hits.extend(found.argmax(axis=1) == test.classes)
        logs.extend(-np.log(np.maximum(found[np.arange(len(held)), test.classes], LEAST)))
    return float(np.mean(hits)), float(np.mean(logs))


def main() -> None:
    """Print a row per table."""
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, help="the folder with mushroom.csv and others")
    parser.add_argument("--only", nargs="+", help="these tables only")
    parser.add_argument("--aside", action="store_true", help="compare the structures")
    parser.add_argument("--generations", type=int, default=3, help="of every search")
    parser.add_argument("--max-parents", type=int, default=MOST_PARENTS, help="of every network")
    options = parser.parse_args()
    structures = ("averaged", "free", "augmented")
    settings = {"generations": options.generations, "max_parents": options.max_parents}
    ours = {name: of_structure(name, **settings) for name in structures}
    methods: dict[str, Callable[..., NDArray[np.float64]]] = (
        ours
        if options.aside
        else {
            "forebear": ours["averaged"],
            "naive Bayes": by_arcs(tree=False),
            "TAN (pgmpy)": by_arcs(tree=True),
            "gradient boosting": boosting,
        }
    )
    print(f"| table | rows | features | classes | {' | '.join(methods)} |")
    print("|---|---|---|---|" + "---|" * len(methods))
    names = list(ASIDE) if options.aside else [*BUNDLED, *FILES]
    for name in options.only or names:
        if name in BUNDLED:
            table: Table | None = bundled(name)
        elif name in ASIDE:
            table = from_file(options.data, name, ASIDE[name], 2000)
        else:
            table = from_file(options.data, name, FILES[name])
        if table is None:
            continue
        figures = [measure(table, predict) for predict in methods.values()]
        least = min(round(loss, 3) for _, loss in figures)
        shown = [
            f"{hits:.3f}, **{loss:.3f}**" if round(loss, 3) == least else f"{hits:.3f}, {loss:.3f}"
            for hits, loss in figures
        ]
        size = f"{table.features.height:,} | {table.features.width} | {len(set(table.classes))}"
        print(f"| {name.partition('.')[0]} | {size} | {' | '.join(shown)} |", flush=True)


if __name__ == "__main__":
    main()
