"""Constraints: which parents a variable must have and may have."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from forebear._util.errors import ForebearError
from forebear.network.graphs import CycleError, topological_order

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from numpy.typing import NDArray

Variable: TypeAlias = "int | str"
ParentsOf: TypeAlias = (
    "Mapping[int, Collection[Variable]] | Mapping[str, Collection[Variable]]"
    " | Mapping[Variable, Collection[Variable]]"
)
"""Parents by child. A union, because the keys of a mapping are not covariant."""
Arcs: TypeAlias = "ParentsOf | Iterable[tuple[Variable, Variable]]"
"""Arcs as parents by child, or as (parent, child) pairs."""


@dataclass(frozen=True)
class Constraints:
    """Which parents each variable must have and may have.

    ``allowed[child, parent]`` says whether that arc is allowed; None means that all are.
    ``required[child]`` lists the parents that a variable must have. ``useful[child, parent]`` says
    whether knowledge about paths may need that arc: a set with useful parents is kept if it beats
    all its subsets that have the same ``most_useful`` of them, or fewer. None means that no arc is.
    ``direct`` are the (parent, child) arcs that satisfy such knowledge at once, which stay when
    candidates are chosen. ``complete_for_paths`` says whether all arcs that may be needed are
    useful.
    """

    n_variables: int
    allowed: NDArray[np.bool_] | None = None
    required: dict[int, tuple[int, ...]] = field(default_factory=dict)
    useful: NDArray[np.bool_] | None = None
    most_useful: int = 0
    direct: tuple[tuple[int, int], ...] = ()
    complete_for_paths: bool = True

    @classmethod
    def make(
        cls,
        names: Sequence[str],
        *,
        required: Arcs | None = None,
        forbidden: Arcs | None = None,
        tiers: Sequence[Collection[Variable]] | None = None,
    ) -> Constraints:
        """Make constraints from arcs and tiers, with variables by name or index.

        Arcs are ``{child: parents}`` or (parent, child) pairs. A variable of an earlier tier has no
        parent in a later tier. Variables in no tier are free.
        """
        places = {name: v for v, name in enumerate(names)}

        def index(variable: Variable) -> int:
            place = places.get(variable, -1) if isinstance(variable, str) else int(variable)
            if not 0 <= place < len(names):
                raise ForebearError(f"constraints name {variable!r}, which is not a variable")
            return place

        def arcs(given: Arcs | None) -> dict[int, set[int]]:
            return {
                index(v): {index(p) for p in parents} for v, parents in _by_child(given).items()
            }

        members = [[index(v) for v in tier] for tier in tiers or ()]
        allowed = _allowed(names, arcs(forbidden), members)
        must = {child: tuple(sorted(given)) for child, given in arcs(required).items() if given}
        _check_required(names, must, allowed)
        return cls(len(names), allowed, must)

    @cached_property
    def candidates(self) -> NDArray[np.int64]:
        """The number of allowed parents of each variable, required ones included."""
        if self.allowed is None:
            return np.full(self.n_variables, self.n_variables - 1)
        return np.asarray(self.allowed.sum(axis=1, dtype=np.int64)) - 1

    @property
    def least_parents(self) -> int:
        """The smallest sensible max_parents: 1, or what some variable must have."""
        return max((1, *map(len, self.required.values())))

    def families_by_size(self, max_parents: int) -> list[int]:
        """Count the allowed families by their number of parents."""
        required = [len(self.required.get(v, ())) for v in range(self.n_variables)]
        counts = [0] * (max_parents + 1)
        kinds = Counter(zip(self.candidates.tolist(), required, strict=True))
        for (candidates, must), variables in kinds.items():
            for size in range(must, max_parents + 1):
                counts[size] += variables * math.comb(candidates - must, size - must)
        return counts

    def families(self, max_parents: int) -> int:
        """Count the allowed families (without constraints: equation 5 of the paper)."""
        return sum(self.families_by_size(max_parents))


def _by_child(arcs: Arcs | None) -> Mapping[Any, Collection[Variable]]:
    if arcs is None:
        return {}
    if isinstance(arcs, Mapping):
        return arcs
    parents: dict[Variable, list[Variable]] = {}
    for arc in arcs:
        if not (isinstance(arc, tuple | list) and len(arc) == 2):
            raise ForebearError(f"an arc is a (parent, child) pair, got {arc!r}")
        parents.setdefault(arc[1], []).append(arc[0])
    return parents


def _allowed(
    names: Sequence[str], forbidden: Mapping[int, set[int]], tiers: Sequence[Sequence[int]]
) -> NDArray[np.bool_] | None:
    """Tabulate which arcs are allowed; None if all are."""
    if not any(forbidden.values()) and len(tiers) < 2:
        _tier_of(names, tiers)
        return None
    n = len(names)
    allowed = np.ones((n, n), dtype=bool)
    for child, parents in forbidden.items():
        allowed[child, list(parents)] = False
    tier_of = _tier_of(names, tiers)
    for tier in range(len(tiers)):
        allowed[np.ix_(tier_of == tier, tier_of > tier)] = False
    np.fill_diagonal(allowed, True)
    return None if allowed.all() else allowed


def _tier_of(names: Sequence[str], tiers: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    """Return the tier of every variable, -1 if it has none."""
    tier_of = np.full(len(names), -1)
    for tier, members in enumerate(tiers):
        for member in set(members):
            if tier_of[member] >= 0:
                raise ForebearError(f"variable {names[member]!r} is in two tiers")
            tier_of[member] = tier
    return tier_of


def _check_required(
    names: Sequence[str],
    required: Mapping[int, tuple[int, ...]],
    allowed: NDArray[np.bool_] | None,
) -> None:
    """Refuse required arcs that no network can have."""
    for child, parents in required.items():
        if child in parents:
            raise ForebearError(f"variable {names[child]!r} is required to be its own parent")
        for parent in parents:
            if allowed is not None and not allowed[child, parent]:
                raise ForebearError(
                    f"the arc {names[parent]} -> {names[child]} is both required and forbidden"
                )
    try:
        topological_order([required.get(v, ()) for v in range(len(names))])
    except CycleError as error:
        cycle = " -> ".join(names[v] for v in (*error.cycle, error.cycle[0]))
        raise ForebearError(f"the required arcs form a cycle: {cycle}") from None
