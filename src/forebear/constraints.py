"""What may be whose parent: required and forbidden parents, and tiers."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from forebear.errors import ForebearError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray

Variable: TypeAlias = "int | str"
ParentsOf: TypeAlias = (
    "Mapping[int, Collection[Variable]] | Mapping[str, Collection[Variable]]"
    " | Mapping[Variable, Collection[Variable]]"
)
"""Parents by child. A union, because the keys of a mapping are not covariant."""


@dataclass(frozen=True)
class Constraints:
    """Which parents each variable must have and may have.

    ``allowed[child, parent]`` says whether that arc may be there; ``None``
    means all may. ``required[child]`` lists parents that it must have.
    """

    n_variables: int
    allowed: NDArray[np.bool_] | None = None
    required: dict[int, tuple[int, ...]] = field(default_factory=dict)

    @classmethod
    def make(
        cls,
        names: Sequence[str],
        *,
        required: ParentsOf | None = None,
        forbidden: ParentsOf | None = None,
        tiers: Sequence[Collection[Variable]] | None = None,
    ) -> Constraints:
        """Gather constraints by name or number: ``{child: parents}``, and tiers first to last.

        A variable of an earlier tier has no parent in a later one. Variables
        in no tier are free.
        """
        places = {name: v for v, name in enumerate(names)}

        def index(variable: Variable) -> int:
            place = places.get(variable, -1) if isinstance(variable, str) else int(variable)
            if not 0 <= place < len(names):
                raise ForebearError(f"constraints name {variable!r}, which is not a variable")
            return place

        n = len(names)
        allowed = np.ones((n, n), dtype=bool)
        for child, parents in (forbidden or {}).items():
            allowed[index(child), [index(p) for p in parents]] = False
        tier_of = np.full(n, -1)
        for tier, members in enumerate(tiers or ()):
            for member in members:
                if tier_of[index(member)] >= 0:
                    raise ForebearError(f"variable {names[index(member)]!r} is in two tiers")
                tier_of[index(member)] = tier
        placed = tier_of >= 0
        allowed &= ~(placed[:, None] & placed[None, :] & (tier_of[:, None] < tier_of[None, :]))
        must = {
            index(child): tuple(sorted({index(p) for p in parents}))
            for child, parents in (required or {}).items()
            if parents
        }
        for child, parents in must.items():
            for parent in parents:
                if parent == child:
                    raise ForebearError(
                        f"variable {names[child]!r} is required to be its own parent"
                    )
                if not allowed[child, parent]:
                    raise ForebearError(
                        f"the arc {names[parent]} -> {names[child]} is both required and forbidden"
                    )
        np.fill_diagonal(allowed, True)
        return cls(n, None if allowed.all() else allowed, must)

    @cached_property
    def candidates(self) -> NDArray[np.int64]:
        """How many parents each variable may have, the required ones included."""
        if self.allowed is None:
            return np.full(self.n_variables, self.n_variables - 1)
        others: NDArray[np.int64] = self.allowed.sum(axis=1) - 1
        return others

    def families(self, max_parents: int) -> int:
        """Count all families that are allowed (without constraints: equation 5 of the paper)."""
        required = [len(self.required.get(v, ())) for v in range(self.n_variables)]
        kinds = zip(self.candidates.tolist(), required, strict=True)
        return sum(
            math.comb(candidates - must, size)
            for candidates, must in kinds
            for size in range(max_parents - must + 1)
        )
