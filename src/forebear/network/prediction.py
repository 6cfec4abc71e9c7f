"""predict_rows(): predictions of one variable for the rows of a table.

Rows with the same relevant variables are computed together. If all variables of the target's Markov
blanket are observed, the prediction is a product of table rows.
"""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forebear._util.errors import ForebearWarning
from forebear._util.text import counted, listing
from forebear._util.variable_names import with_hints
from forebear.data.coding import Unseen
from forebear.data.matching import observed_codes
from forebear.data.read_options import ReadOptions
from forebear.network.conditional_tables import ConditionalTables
from forebear.network.distribution import Prediction
from forebear.network.graphs import reachable
from forebear.network.junction_tree import MOST_CELLS, JunctionTree, log_sum, marginal
from forebear.network.network import Network


def predict_rows(
    fitted: ConditionalTables,
    frame: Any,
    target: int,
    read: ReadOptions | None,
    unseen: Unseen = "error",
    cells_at_once: int = MOST_CELLS,
) -> Prediction:
    """Predict a variable for every row of a table; see ``FittedNetwork.predict``.

    Rows are processed in batches whose tables have about ``cells_at_once`` cells together.
    """
    names = fitted.network.names
    codes, absent, ignored = observed_codes(frame, names, fitted.coding, read, unseen)
    _warn_of_names([name for name in absent if name != names[target]], ignored)
    states = fitted.states[target]
    observed = codes >= 0
    observed[target] = False
    probabilities = np.full((codes.shape[1], len(states)), np.nan)
    for (families, evidence), rows in _groups(fitted.network, target, observed).items():
        tree = JunctionTree.of(fitted, evidence=evidence, families=families, root=(target,))
        at_once = max(1, cells_at_once // tree.cells)
        for start in range(0, len(rows), at_once):
            some = rows[start : start + at_once]
            probabilities[some] = _posteriors(tree, target, codes[:, some])
    impossible = np.isnan(probabilities[:, 0])
    _warn_of_rows(np.flatnonzero(impossible))
    best = np.argmax(np.where(np.isnan(probabilities), -1.0, probabilities), axis=1)
    labels = np.array([*states, None], dtype=object)[np.where(impossible, len(states), best)]
    return Prediction(labels, probabilities)


def relevant_families(
    network: Network, target: int, evidence: Collection[int]
) -> tuple[frozenset[int], frozenset[int]]:
    """Return the variables whose tables influence a target, and the evidence in these tables."""
    above = reachable({target, *evidence}, network.parents)
    families: set[int] = set()
    pending = {target}
    while pending:
        v = pending.pop()
        fresh = {v, *(c for c in network.children[v] if c in above)} - families
        families |= fresh
        pending |= {u for f in fresh for u in (*network.parents[f], f)}.difference(evidence)
    members = {u for f in families for u in (*network.parents[f], f)}
    return frozenset(families), frozenset(members.intersection(evidence))


def _groups(
    network: Network, target: int, observed: NDArray[np.bool_]
) -> dict[tuple[frozenset[int], frozenset[int]], NDArray[np.intp]]:
    """Group the rows for which the same tables are used, with evidence on the same variables."""
    packed = np.ascontiguousarray(np.packbits(observed, axis=0).T)
    # As bytes, which NumPy sorts faster than rows of numbers.
    keys = packed.view(f"S{packed.shape[1]}").ravel()
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    ends = np.cumsum(np.bincount(which))[:-1]
    groups = defaultdict(list)
    for row, rows in zip(first, np.split(np.argsort(which, kind="stable"), ends), strict=True):
        evidence = set(np.flatnonzero(observed[:, row]).tolist())
        groups[relevant_families(network, target, evidence)].append(rows)
    return {part: np.concatenate(rows) for part, rows in groups.items()}


def _posteriors(tree: JunctionTree, target: int, codes: NDArray[Any]) -> NDArray[np.float64]:
    """Return the probabilities of the target, which is in the root clique."""
    potentials = tree.potentials(codes)
    tree.collect(potentials)
    logs = marginal(potentials[0], tree.cliques[0], (target,))
    total = log_sum(logs, (1,))
    with np.errstate(invalid="ignore"):  # impossible rows are NaN
        posteriors: NDArray[np.float64] = np.exp(logs - total[:, np.newaxis])
    return posteriors


def _warn_of_names(absent: list[str], ignored: list[str]) -> None:
    """Warn of names that only the table or only the network has: they may be misspelled."""
    parts = []
    if ignored:
        columns = counted(len(ignored), "column of the table is", "columns of the table are")
        parts.append(f"{columns} not in the network and ignored ({with_hints(ignored, absent)})")
    if absent:
        variables = counted(
            len(absent), "variable of the network is", "variables of the network are"
        )
        parts.append(f"{variables} not in the table and treated as missing ({listing(absent)})")
    if parts:
        warnings.warn(ForebearWarning("; ".join(parts)), stacklevel=4)


def _warn_of_rows(rows: NDArray[np.intp]) -> None:
    """Warn of rows that are impossible in the network."""
    if len(rows):
        has = "has" if len(rows) == 1 else "have"
        numbers = listing([f"{row + 1:,}" for row in rows])
        warnings.warn(
            ForebearWarning(
                f"{counted(len(rows), 'row')} {has} the probability 0 in this network, so "
                f"nothing is predicted for {'it' if len(rows) == 1 else 'them'}: {numbers}, "
                "counted from 1"
            ),
            stacklevel=4,
        )
