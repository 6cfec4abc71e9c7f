"""Hypothesis strategies for tables, networks and parent sets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st
from naive import ScoredSet, allowed_sets, best_first, drop_dominated

from forebear.data.dataset import Dataset
from forebear.knowledge.relations import Relations
from forebear.network.network import Network
from forebear.parentsets.collection import ParentSets

# Ties are where orders and prunings go wrong, so scores on a coarse grid are as likely as any.
SCORES = st.one_of(
    st.integers(-20, 0).map(lambda halves: halves / 2),
    st.floats(-1e4, 0.0, allow_subnormal=False).map(lambda score: score + 0.0),
)


@st.composite
def _columns(draw: st.DrawFn, n_rows: int, max_arity: int) -> tuple[list[int], int]:
    """Draw one column and its declared arity, which may exceed the states seen."""
    seen = draw(st.integers(1, max_arity))
    declared = draw(st.one_of(st.just(seen), st.integers(seen, max_arity)))
    codes = draw(st.lists(st.integers(0, seen - 1), min_size=n_rows, max_size=n_rows))
    if draw(st.booleans()):
        # Otherwise an unseen state would always be the last one.
        codes = [declared - 1 - code for code in codes]
    return codes, declared


def _dataset(columns: Sequence[tuple[list[int], int]]) -> Dataset:
    return Dataset(
        codes=np.array([codes for codes, _ in columns], dtype=np.uint8),
        names=tuple(f"X{v}" for v in range(len(columns))),
        states=tuple(tuple(f"s{k}" for k in range(arity)) for _, arity in columns),
    )


@st.composite
def datasets(
    draw: st.DrawFn,
    max_variables: int = 6,
    max_rows: int = 60,
    max_arity: int = 4,
    min_variables: int = 1,
) -> Dataset:
    """Draw a table of at least one row.

    Half of them are binary; constant columns, states that are declared but
    not seen, and columns that repeat an earlier one are all common. In some, a
    row comes so often that the core stores rows that count several times.
    """
    n_variables = draw(st.integers(min_variables, max_variables))
    n_rows = draw(st.integers(1, max_rows))
    arity = min(2, max_arity) if draw(st.booleans()) else max_arity
    columns: list[tuple[list[int], int]] = []
    for _ in range(n_variables):
        fresh = _columns(n_rows, arity)
        columns.append(draw(st.one_of(fresh, st.sampled_from(columns)) if columns else fresh))
    if draw(st.integers(0, 5)) == 5:
        often = draw(st.integers(500, 700))
        columns = [([*codes, *codes[:1] * often], states) for codes, states in columns]
    return _dataset(columns)


@st.composite
def weighted_datasets(
    draw: st.DrawFn, max_variables: int = 5, min_variables: int = 1, missing: bool | None = None
) -> Dataset:
    """Draw a table with whole weights, in half of the cases with missing values."""
    data = draw(datasets(max_variables, max_rows=20, max_arity=3, min_variables=min_variables))

    def of_rows(values: st.SearchStrategy[int]) -> st.SearchStrategy[list[int]]:
        return st.lists(values, min_size=data.n_rows, max_size=data.n_rows)

    weights = draw(of_rows(st.integers(0, 6)).filter(any))
    codes, kept = data.codes, draw(st.booleans()) if missing is None else missing
    if kept:
        gaps = np.array([draw(of_rows(st.booleans())) for _ in data.names])
        codes = np.where(gaps, data.arities[:, np.newaxis], codes)
    return Dataset(
        codes, data.names, data.states, "available" if kept else "error", weights=np.array(weights)
    )


@st.composite
def experiments(
    draw: st.DrawFn, max_variables: int = 5, max_rows: int = 40, min_variables: int = 1
) -> Dataset:
    """Draw a table in whose rows some variables were set; some may be set in every row."""
    data = draw(datasets(max_variables, max_rows, max_arity=3, min_variables=min_variables))
    subsets = st.sets(st.integers(0, data.n_variables - 1))
    targets = draw(st.lists(subsets, min_size=1, max_size=4))
    rng = np.random.default_rng(draw(st.integers(0, 9)))
    mask = np.zeros(data.codes.shape, dtype=np.bool_)
    for row, number in enumerate(rng.integers(0, len(targets), data.n_rows)):
        mask[list(targets[number]), row] = True
    return replace(data, intervened=mask)


@st.composite
def networks(
    draw: st.DrawFn, max_variables: int = 6, max_parents: int | None = None, min_variables: int = 1
) -> Network:
    """Draw a network of any density whose variables stand in no particular order."""
    n = draw(st.integers(min_variables, max_variables))
    order = draw(st.permutations(range(n)))
    parents: list[tuple[int, ...]] = [()] * n
    for place, v in enumerate(order[1:], start=1):
        family = st.lists(st.sampled_from(order[:place]), unique=True, max_size=max_parents)
        parents[v] = tuple(draw(family))
    return Network(tuple(f"X{v}" for v in range(n)), tuple(parents))


@st.composite
def _scored_sets(
    draw: st.DrawFn, n_variables: int, child: int, max_parents: int, empty_score: float | None
) -> list[ScoredSet]:
    """Draw the candidate sets of one variable, none of them dominated, best first."""
    sets = allowed_sets(n_variables, child, max_parents)[1:]
    chosen = draw(st.lists(st.sampled_from(sets), unique=True)) if sets else []
    empty = draw(SCORES) if empty_score is None else empty_score
    return best_first(
        drop_dominated([*((draw(SCORES), parents) for parents in chosen), (empty, ())])
    )


def pack(scored: Sequence[Sequence[ScoredSet]]) -> ParentSets:
    """Lay lists of (score, parents) out as a ``ParentSets``."""
    flat = [item for sets in scored for item in sets]
    width = max(len(parents) for _, parents in flat)
    dtype = np.uint16
    columns = np.full((width, len(flat)), np.iinfo(dtype).max, dtype=dtype)
    for column, (_, parents) in enumerate(flat):
        columns[: len(parents), column] = parents
    return ParentSets(
        names=tuple(f"X{v}" for v in range(len(scored))),
        offsets=np.cumsum([0, *map(len, scored)], dtype=np.int64),
        scores=np.array([score for score, _ in flat], dtype=np.float64),
        parents=columns,
    )


@st.composite
def parent_set_collections(
    draw: st.DrawFn,
    max_variables: int = 6,
    max_parents: int = 3,
    min_variables: int = 1,
    required_parents: bool = False,
) -> ParentSets:
    """Draw a valid ``ParentSets``: best first, nothing dominated, the empty set last.

    With ``required_parents`` some variables may not do without parents: the
    score of their empty set is minus infinity, and so is that of some orders.
    """
    n_variables = draw(st.integers(min_variables, max_variables))
    scored = []
    for child in range(n_variables):
        barred = required_parents and draw(st.booleans())
        empty_score = -math.inf if barred else None
        scored.append(draw(_scored_sets(n_variables, child, max_parents, empty_score)))
    return pack(scored)


def random_parent_sets(
    n_variables: int,
    n_sets: int,
    max_parents: int = 3,
    seed: int = 0,
    grid: float | None = None,
) -> ParentSets:
    """Draw up to so many sets a variable, too many for hypothesis to draw.

    Larger sets tend to score higher, as in real collections; with ``grid``,
    scores are rounded to its multiples, so that ties are common.
    """
    rng = np.random.default_rng(seed)
    scored = []
    for child in range(n_variables):
        sets = _distinct_sets(rng, n_variables, child, n_sets, max_parents)
        scores = -rng.exponential(30.0, len(sets)) - 20.0 / np.array([len(s) for s in sets])
        if grid is not None:
            scores = np.round(scores / grid) * grid
        empty = float(scores.min(initial=-1.0)) - 1.0
        scored.append(best_first([*zip(scores.tolist(), sets, strict=True), (empty, ())]))
    return pack(scored)


def _distinct_sets(
    rng: np.random.Generator, n_variables: int, child: int, n_sets: int, max_parents: int
) -> list[tuple[int, ...]]:
    """Draw sets of one to ``max_parents`` others; those drawn twice count once."""
    largest = min(max_parents, n_variables - 1)
    if largest == 0:
        return []
    draws = rng.integers(0, n_variables - 1, (n_sets, largest))
    draws += draws >= child
    sizes = rng.integers(1, largest + 1, n_sets)
    rows = zip(draws.tolist(), sizes.tolist(), strict=True)
    return sorted({tuple(sorted(set(row[:size]))) for row, size in rows})


@st.composite
def problems(draw: st.DrawFn) -> tuple[Network, Dataset]:
    """Draw a table, and a network of some of its variables in another order."""
    data = draw(datasets(max_variables=5, max_rows=30, max_arity=3))
    shape = draw(networks(max_variables=data.n_variables))
    names = draw(st.permutations(data.names))[: shape.n_variables]
    return Network(tuple(names), shape.parents), data


def columns_of(network: Network, data: Dataset) -> list[int]:
    return [data.names.index(name) for name in network.names]


def crowded(n_parents: int) -> tuple[Network, Dataset]:
    """One variable with all the others as parents."""
    names = (*(f"p{k}" for k in range(n_parents)), "hub")
    network = Network(names, (*((),) * n_parents, tuple(range(n_parents))))
    return network, Dataset(np.zeros((n_parents + 1, 1), int), names, (("a", "b"),) * len(names))


RELATION_KINDS = ("before", "ancestors", "not_ancestors", "adjacent")


@st.composite
def relations_of(draw: st.DrawFn, n: int, most: int = 4) -> Relations:
    """Draw some statements about the order, the paths and the arcs of a network.

    They may well contradict each other.
    """
    pair = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda p: p[0] != p[1])
    found: dict[str, list[tuple[int, int]]] = {name: [] for name in RELATION_KINDS}
    for _ in range(draw(st.integers(1, most))):
        found[draw(st.sampled_from(sorted(RELATION_KINDS)))].append(draw(pair))
    return Relations(**{name: tuple(dict.fromkeys(pairs)) for name, pairs in found.items()})
