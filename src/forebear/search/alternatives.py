"""Alternative: one of the distinct good networks that a search found."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from forebear._util.errors import ForebearError
from forebear.network.graphs import CycleError, topological_order
from forebear.parentsets.collection import ParentSets

Families = tuple[tuple[int, ...], ...]

MOST_NETWORKS = 100
"""Number of networks to keep with up to 10,000 variables. With more variables fewer are kept, so
that results stay small."""


class Alternative(NamedTuple):
    """A good network found by the search.

    Attributes
    ----------
    score
        Its score.
    parents
        The parents of every variable, as ascending indices.
    """

    score: float
    parents: Families


def parents_of(parent_sets: ParentSets, ranks: NDArray[np.integer]) -> Families:
    """Return the network of these ranks (from 0)."""
    none = parent_sets.none
    columns = parent_sets.parents[:, parent_sets.offsets[:-1] + ranks].T.tolist()
    return tuple(tuple(p for p in own if p != none) for own in columns)


def ranks_of(sets: ParentSets, network: Families) -> NDArray[np.int32]:
    """Return the ranks (from 0) of the sets of a network; 0 for sets not in the collection."""
    choices = [sets.find(v, own) for v, own in enumerate(network)]
    return np.array([0 if one is None else one.rank - 1 for one in choices], dtype=np.int32)


def best_distinct(
    parent_sets: ParentSets, networks: Sequence[NDArray[np.integer]]
) -> NDArray[np.int32]:
    """Return the best distinct networks, best first; ties keep their order.

    A network is the rank (from 0) of every variable's set; networks without a
    finite score are left out.
    """
    n = parent_sets.n_variables
    distinct = {row.tobytes(): row for row in (np.asarray(row, np.int32) for row in networks)}
    rows = np.stack(list(distinct.values())) if distinct else np.empty((0, n), dtype=np.int32)
    scores = parent_sets.scores[parent_sets.offsets[:-1] + rows].sum(axis=1)
    ranked = np.argsort(-scores, kind="stable")
    best: NDArray[np.int32] = rows[ranked[np.isfinite(scores[ranked])][: most_networks(n)]]
    return best


def check_networks(
    parent_sets: ParentSets, counts: NDArray[np.integer], networks: Sequence[NDArray[np.int32]]
) -> None:
    """Raise a ValueError if these ranks are not networks of these parent sets.

    ``counts`` is the number of sets of every variable.
    """
    for row in networks:
        if row.shape != counts.shape or (row < 0).any() or (row >= counts).any():
            raise ValueError("its other networks do not consist of these parent sets")
        try:
            topological_order(parents_of(parent_sets, row))
        except CycleError:
            raise ValueError("one of its other networks has a cycle") from None


def most_networks(n_variables: int) -> int:
    """Return the number of networks to keep, given the number of variables."""
    return max(1, min(MOST_NETWORKS, MOST_NETWORKS * 10_000 // max(1, n_variables)))


def alternatives_among(
    parent_sets: ParentSets, networks: Sequence[NDArray[np.integer]]
) -> tuple[Alternative, ...]:
    """Return the best distinct networks, best first, by their parents.

    A network is the rank (from 0) of every variable's set.
    """
    rows = best_distinct(parent_sets, networks)
    columns = rows + parent_sets.offsets[:-1]
    # Most networks share most sets, so each set is decoded once.
    used, places = np.unique(columns, return_inverse=True)
    none, members = parent_sets.none, parent_sets.parents[:, used].T.tolist()
    families = [tuple(p for p in own if p != none) for own in members]
    chosen: Any = places.reshape(columns.shape).tolist()
    return tuple(
        Alternative(math.fsum(scores), tuple(families[place] for place in row))
        for scores, row in zip(parent_sets.scores[columns], chosen, strict=True)
    )


def with_alternatives(
    winner: Alternative, others: Iterable[Alternative]
) -> tuple[Alternative, ...]:
    """Return the winner, followed by the other distinct networks, best first."""
    distinct = {one.parents: one for one in others if one.parents != winner.parents}
    ranked = sorted(distinct.values(), key=lambda one: -one.score)
    return (winner, *ranked[: most_networks(len(winner.parents)) - 1])


def to_fields(alternatives: Sequence[Alternative], parents: Families) -> list[dict[str, Any]]:
    """Convert alternatives to plain values: the differences of each from the network."""
    return [
        {
            "score": alternative.score,
            "changes": [
                [v, list(own)]
                for v, (own, usual) in enumerate(zip(alternative.parents, parents, strict=True))
                if own != usual
            ],
        }
        for alternative in alternatives
    ]


def of_fields(fields: Sequence[dict[str, Any]], parents: Families) -> tuple[Alternative, ...]:
    """Restore alternatives from plain values."""
    return tuple(
        Alternative(float(field["score"]), _changed(parents, field["changes"])) for field in fields
    )


def _changed(parents: Families, changes: Sequence[tuple[int, Sequence[int]]]) -> Families:
    families = list(parents)
    for v, family in changes:
        members = tuple(sorted({int(p) for p in family}))
        if not all(0 <= u < len(families) for u in (v, *members)) or v in members:
            raise ForebearError(f"an alternative has impossible parents of variable {v}")
        families[v] = members
    return tuple(families)
