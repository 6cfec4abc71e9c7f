"""The prediction of a variable for every row of a table.

Rows in which the same variables matter are one computation. Where all variables of the target's
Markov blanket are observed, this is a product of rows of tables.
"""

from __future__ import annotations

import warnings
from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from forebear._util.errors import ForebearWarning
from forebear._util.names import did_you_mean
from forebear._util.text import counted, listing
from forebear.data.matching import observed_codes
from forebear.network.graphs import reachable
from forebear.network.junctiontree import MOST_CELLS, JunctionTree, log_sum, marginal

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from forebear.data.read_options import ReadOptions
    from forebear.network.conditional_tables import ConditionalTables
    from forebear.network.network import Network


class Prediction(NamedTuple):
    """What is predicted for the rows of a table.

    Attributes
    ----------
    labels
        The most probable state of every row; None where the row is impossible.
    probabilities
        Rows by states: the probability of every state; NaN where the row is impossible.
    """

    labels: NDArray[np.object_]
    probabilities: NDArray[np.float64]


def predict_rows(
    fitted: ConditionalTables,
    frame: Any,
    target: int,
    read: ReadOptions | None,
    cells_at_once: int = MOST_CELLS,
) -> Prediction:
    """Predict a variable for every row of a table; see ``FittedNetwork.predict``.

    Rows are computed together as long as their tables have no more than ``cells_at_once`` cells.
    """
    names = fitted.network.names
    codes, absent, ignored = observed_codes(frame, names, fitted.states, read)
    _warn_of_names([name for name in absent if name != names[target]], ignored)
    states = fitted.states[target]
    observed = codes >= 0
    observed[target] = False
    found = np.full((codes.shape[1], len(states)), np.nan)
    for (families, known), rows in _groups(fitted.network, target, observed).items():
        tree = JunctionTree.of(fitted, known=known, families=families, root=(target,))
        at_once = max(1, cells_at_once // tree.cells)
        for start in range(0, len(rows), at_once):
            some = rows[start : start + at_once]
            found[some] = _posteriors(tree, target, codes[:, some])
    impossible = np.isnan(found[:, 0])
    _warn_of(np.flatnonzero(impossible))
    best = np.argmax(np.where(np.isnan(found), -1.0, found), axis=1)
    labels = np.array([*states, None], dtype=object)[np.where(impossible, len(states), best)]
    return Prediction(labels, found)


def relevant_families(
    network: Network, target: int, known: Collection[int]
) -> tuple[frozenset[int], frozenset[int]]:
    """Find what matters for a variable, given others.

    Return the variables whose tables take part, and the given variables that occur in them.
    """
    above = reachable({target, *known}, network.parents)
    families: set[int] = set()
    reached, pending = {target}, [target]
    while pending:
        v = pending.pop()
        fresh = {v, *(c for c in network.children[v] if c in above)} - families
        families |= fresh
        for u in {u for f in fresh for u in (*network.parents[f], f)}:
            if u not in known and u not in reached:
                reached.add(u)
                pending.append(u)
    members = {u for f in families for u in (*network.parents[f], f)}
    return frozenset(families), frozenset(members.intersection(known))


def _groups(
    network: Network, target: int, observed: NDArray[np.bool_]
) -> dict[tuple[frozenset[int], frozenset[int]], NDArray[np.intp]]:
    """Put the rows together in which the same tables take part, with the same variables known."""
    packed = np.ascontiguousarray(np.packbits(observed, axis=0).T)
    # As text, which NumPy sorts faster than rows of numbers.
    keys = packed.view(f"S{packed.shape[1]}").ravel()
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    ends = np.cumsum(np.bincount(which))[:-1]
    alike = defaultdict(list)
    for row, rows in zip(first, np.split(np.argsort(which, kind="stable"), ends), strict=True):
        known = set(np.flatnonzero(observed[:, row]).tolist())
        alike[relevant_families(network, target, known)].append(rows)
    return {part: np.concatenate(rows) for part, rows in alike.items()}


def _posteriors(tree: JunctionTree, target: int, codes: NDArray[Any]) -> NDArray[np.float64]:
    """Return the probabilities of the target, which is in the root."""
    potentials = tree.potentials(codes)
    tree.collect(potentials)
    logs = marginal(potentials[0], tree.cliques[0], (target,))
    total = log_sum(logs, (1,))
    with np.errstate(invalid="ignore"):  # impossible rows are NaN
        found: NDArray[np.float64] = np.exp(logs - total[:, np.newaxis])
    return found


def _warn_of_names(absent: list[str], ignored: list[str]) -> None:
    """List the names that only the table or only the network has: they may be misspelt."""
    parts = []
    if ignored:
        columns = counted(len(ignored), "column of the table is", "columns of the table are")
        shown = [f"{name}{did_you_mean(name, absent)}" for name in ignored]
        parts.append(f"{columns} not in the network and ignored ({listing(shown)})")
    if absent:
        variables = counted(
            len(absent), "variable of the network is", "variables of the network are"
        )
        parts.append(f"{variables} not in the table, hence no evidence ({listing(absent)})")
    if parts:
        warnings.warn(ForebearWarning("; ".join(parts)), stacklevel=4)


def _warn_of(rows: NDArray[np.intp]) -> None:
    """Say which rows the network excludes."""
    if len(rows):
        has = "has" if len(rows) == 1 else "have"
        numbers = listing([f"{row + 1:,}" for row in rows])
        warnings.warn(
            ForebearWarning(
                f"{counted(len(rows), 'row')} {has} the probability 0 in this network, so that "
                f"nothing is predicted for {'it' if len(rows) == 1 else 'them'}: {numbers}, "
                "counted from 1"
            ),
            stacklevel=4,
        )
