"""The strength of the dependency along every arc."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from forebear.data.columns import cells_of
from forebear.network.fitted_network import FittedNetwork

Arc = tuple[int, int]

ROWS = 10_000
"""Rows simulated to weight the parent configurations. The standard error of a strength is then
about a hundredth of it, and two digits are shown. Four times as many rows would halve it."""


def arc_strengths(fitted: FittedNetwork) -> dict[Arc, float]:
    """Return the conditional mutual information of every arc, in bits.

    It is the information about the child that a parent adds to the other parents. Parent
    configurations are weighted by their frequency in rows simulated from the network.
    """
    if not fitted.network.arcs:
        return {}
    codes = fitted.sample(ROWS, seed=0).codes
    strengths: dict[Arc, float] = {}
    for v, parents in enumerate(fitted.network.parents):
        if parents:
            own = _strengths_of(fitted.tables[v], [codes[p] for p in parents])
            strengths |= {(p, v): bits for p, bits in zip(parents, own, strict=True)}
    return strengths


def _strengths_of(table: NDArray[np.float64], parents: list[NDArray[np.uint8]]) -> list[float]:
    """Return the strength of every arc to a variable, from its table and codes of its parents."""
    shape = table.shape[:-1]
    cells, counts = np.unique(cells_of(parents, shape, len(parents[0])), return_counts=True)
    given = table.reshape(-1, table.shape[-1])[cells]
    weights = counts / counts.sum()
    found = []
    for axis, place in enumerate(np.unravel_index(cells, shape)):
        stride = math.prod(shape[axis + 1 :])
        _, other = np.unique(cells - place * stride, return_inverse=True)
        # The distribution of the variable given the other parents.
        of_other = np.bincount(other, weights)
        sums = np.stack([np.bincount(other, weights * p) for p in given.T], axis=1)
        mixed = sums / of_other[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = np.where(given > 0, given * np.log2(given / mixed[other]), 0.0)
        found.append(max(0.0, float(weights @ terms.sum(axis=1))))
    return found
