"""Messages along a junction tree, in logarithms: sums, and greatest values.

Every array has an axis of rows first, so that many rows with values of the same variables are one
computation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from forebear.network.junctiontree import aligned

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from numpy.typing import NDArray

    from forebear.network.junctiontree import JunctionTree

    Logs = NDArray[np.float64]


def log_sum(logs: Logs, axes: tuple[int, ...]) -> Logs:
    """Sum probabilities that are given by their logarithms."""
    if not axes:
        return logs
    highest = logs.max(axis=axes, keepdims=True)
    highest[~np.isfinite(highest)] = 0.0  # all are 0
    with np.errstate(divide="ignore"):
        sums: Logs = np.log(np.exp(logs - highest).sum(axis=axes))
    sums += highest.reshape(sums.shape)
    return sums


def log_total(logs: Logs) -> float:
    """Sum all probabilities of an array."""
    return float(log_sum(logs, tuple(range(logs.ndim))))


def log_max(logs: Logs, axes: tuple[int, ...]) -> Logs:
    """Return the greatest of probabilities that are given by their logarithms."""
    found: Logs = logs.max(axis=axes)
    return found


def marginal(
    logs: Logs,
    clique: tuple[int, ...],
    kept: Collection[int],
    fold: Callable[[Logs, tuple[int, ...]], Logs] = log_sum,
) -> Logs:
    """Fold an array over a clique until it is over some of its variables."""
    return fold(logs, tuple(axis for axis, v in enumerate(clique, start=1) if v not in kept))


def collect(
    tree: JunctionTree,
    potentials: list[Logs],
    fold: Callable[[Logs, tuple[int, ...]], Logs] = log_sum,
) -> list[Logs]:
    """Pass messages to the root, and add them to the potentials.

    Parameters
    ----------
    tree
        The junction tree.
    potentials
        Those of the tree, changed in place. In the end that of the root is complete.
    fold
        ``log_sum`` or ``log_max``.

    Returns
    -------
    list
        The message of every clique to its parent, over the separator.
    """
    messages = list(potentials)
    for k in range(len(tree.cliques) - 1, 0, -1):
        parent = tree.parents[k]
        messages[k] = marginal(potentials[k], tree.cliques[k], tree.separators[k], fold)
        potentials[parent] = potentials[parent] + aligned(
            messages[k], tree.separators[k], tree.cliques[parent]
        )
    return messages


def distribute(tree: JunctionTree, potentials: list[Logs], messages: list[Logs]) -> None:
    """Pass messages from the root, so that every potential is complete (Hugin's division)."""
    for k in range(1, len(tree.cliques)):
        parent, separator = tree.parents[k], tree.separators[k]
        known = marginal(potentials[parent], tree.cliques[parent], separator)
        # What the clique has said itself is taken back. What it has excluded stays so.
        said = np.broadcast_to(messages[k], np.broadcast_shapes(messages[k].shape, known.shape))
        news = np.subtract(known, said, out=np.full(said.shape, -np.inf), where=said > -np.inf)
        potentials[k] = potentials[k] + aligned(news, separator, tree.cliques[k])
