"""Brute-force versions of the probabilities of a fitted network."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from forebear.network.fitted_network import FittedNetwork


def joint_log_probability(fitted: FittedNetwork, codes: Sequence[int]) -> float:
    """Return the log of the probability of one whole row, a factor a variable."""
    terms = []
    for v, (parents, table) in enumerate(zip(fitted.network.parents, fitted.tables, strict=True)):
        cell = table
        for u in (*parents, v):
            cell = cell[codes[u]]
        terms.append(math.log(float(cell)))
    return math.fsum(terms)


def back_off(
    rows: Sequence[tuple[int, ...]],
    state: int,
    given: Mapping[int, int],
    order: Sequence[int],
    levels: Sequence[tuple[float, float]],
    n_states: int,
) -> float:
    """Return a probability by back-off smoothing; the last entry of a row is the child's state."""
    if not levels:
        return 1 / n_states
    weight, share = levels[-1]
    like = [row for row in rows if all(row[p] == given[p] for p in order)]
    fewer = back_off(rows, state, given, order[:-1], levels[:-1], n_states)
    prior = (1 - share) * fewer + share / n_states
    return (sum(row[-1] == state for row in like) + weight * prior) / (len(like) + weight)


def left_out(
    rows: Sequence[tuple[int, ...]],
    order: Sequence[int],
    levels: Sequence[tuple[float, float]],
    n_states: int,
) -> float:
    """Predict every row from the others by back-off smoothing; sum the logarithms."""
    found = []
    for place, row in enumerate(rows):
        others = [*rows[:place], *rows[place + 1 :]]
        given = dict(enumerate(row[:-1]))
        found.append(math.log(back_off(others, row[-1], given, order, levels, n_states)))
    return math.fsum(found)
