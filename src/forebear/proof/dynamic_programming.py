"""Dynamic programming over sets of variables, in the core (Silander and Myllymäki, 2006)."""

from __future__ import annotations

import numpy as np

from forebear import _core
from forebear._util.errors import ForebearError, LimitError, Parameter
from forebear._util.machine import memory_bytes
from forebear._util.text import show_bytes
from forebear.budget import Clock
from forebear.proof.flat_sets import FlatSets

DYNAMIC_VARIABLES = 20
"""Up to this many variables, dynamic programming takes a second or two for any parent sets. Each
further variable doubles its time and memory."""

MOST_VARIABLES = 32
"""Largest number of variables: a set is a word of 32 bits. Most machines have memory for fewer."""


def programs(n: int) -> int:
    """Return how many linear programs of branch and cut take as long as dynamic programming.

    With 20 variables it takes 0.07 s, like a linear program of wdbc or soybean. Each further
    variable doubles that.
    """
    return 1 << max(0, n - DYNAMIC_VARIABLES)


def fits(n: int, threads: int, limit: int) -> bool:
    """Return whether the tables fit in the given number of bytes."""
    return n <= MOST_VARIABLES and _core.bytes_of_best_order(n, threads) <= limit


def check_memory(n: int, threads: int, limit: int | None = None) -> None:
    """Raise an error if there are too many variables, or if the tables do not fit in memory."""
    if n > MOST_VARIABLES:
        raise ForebearError(
            f"dynamic programming handles at most {MOST_VARIABLES} variables, got {n}: use ",
            Parameter("method", "branch-and-cut"),
        )
    limit = memory_bytes() if limit is None else limit
    if not fits(n, threads, limit):
        needed = _core.bytes_of_best_order(n, threads)
        raise LimitError(
            f"dynamic programming over {n} variables needs {show_bytes(needed)} of "
            f"memory, but {show_bytes(limit)} are available: use ",
            Parameter("method", "branch-and-cut"),
        )


def best_order(
    sets: FlatSets, clock: Clock, threads: int
) -> tuple[tuple[int, ...], int | None] | None:
    """Return the order of the cheapest network and its cost, or None if the time is over first.

    The cost is None if no network is allowed. Ties go to the order whose last variable has the
    smallest index, then the last but one, and so on.
    """
    check_memory(sets.n_variables, threads)
    masks = np.zeros(len(sets), dtype=np.uint32)
    for slot in sets.parents.T:
        used = slot < sets.n_variables
        masks[used] |= np.uint32(1) << slot[used].astype(np.uint32)
    tables = _core.SubsetOrder(sets.starts, masks, sets.cost.astype(np.float64))
    while not clock.expired:
        # In slices, so that a limit, a cancellation or Ctrl-C ends it soon.
        if tables.advance(_core.Budget(min(0.1, clock.left())), threads):
            cost, order = tables.order()
            return tuple(order), int(cost) if np.isfinite(cost) else None
    return None
