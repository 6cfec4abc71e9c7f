"""Constraints: which parents a variable must have and may have."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Constraints:
    """Which parents each variable must have and may have.

    ``allowed[child, parent]`` is True if that arc is allowed; None means that all are.
    ``required[child]`` lists the parents that a variable must have. ``useful[child, parent]`` is
    True if knowledge about paths may require that arc; None means that no arc is useful. A set with
    useful parents is kept if, for some choice of at most ``most_useful`` of them, it scores higher
    than all its subsets that contain the choice. ``direct`` lists the (parent, child) arcs that
    alone satisfy a statement; they are kept when candidates are restricted. ``complete_for_paths``
    is True if all arcs that may be required are useful.
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
        n_variables: int,
        *,
        required: Mapping[int, Collection[int]] | None = None,
        forbidden: Mapping[int, Collection[int]] | None = None,
        tiers: Sequence[Sequence[int]] = (),
    ) -> Constraints:
        """Create constraints from required parents, forbidden parents and tiers.

        A variable of an earlier tier has no parent in a later tier; variables in no tier are free.
        Nothing is checked here: ``Knowledge`` rejects statements that no network can satisfy.
        """
        must = {child: tuple(sorted(own)) for child, own in (required or {}).items() if own}
        if not forbidden and len(tiers) < 2:  # a matrix of all pairs may be large
            return cls(n_variables, None, must)
        allowed = np.ones((n_variables, n_variables), dtype=bool)
        for child, parents in (forbidden or {}).items():
            allowed[child, list(parents)] = False
        tier_of = np.full(n_variables, -1)
        for number, members in enumerate(tiers):
            tier_of[list(members)] = number
        for number in range(len(tiers)):
            allowed[np.ix_(tier_of == number, tier_of > number)] = False
        np.fill_diagonal(allowed, True)
        return cls(n_variables, None if allowed.all() else allowed, must)

    @cached_property
    def candidates(self) -> NDArray[np.int64]:
        """The number of allowed parents of each variable, required ones included."""
        if self.allowed is None:
            return np.full(self.n_variables, self.n_variables - 1)
        return np.asarray(self.allowed.sum(axis=1, dtype=np.int64)) - 1

    @property
    def core_arguments(self) -> dict[str, Any]:
        """The allowed arcs and the required parents as the core takes them."""
        required, variables = self.required, range(self.n_variables)
        return {
            "allowed": None if self.allowed is None else self.allowed.astype(np.uint8),
            "required": [list(required.get(v, ())) for v in variables] if required else [],
        }

    @property
    def core_useful(self) -> dict[str, Any]:
        """The useful arcs as the core takes them."""
        useful = None if self.useful is None else self.useful.astype(np.uint8)
        return {"useful": useful, "most_useful": self.most_useful}

    @property
    def least_parents(self) -> int:
        """The smallest sensible max_parents: 1, or the largest number of required parents."""
        return max((1, *map(len, self.required.values())))

    def families(self, max_parents: int) -> int:
        """Count the allowed families (without constraints: equation 5 of the paper)."""
        required = [len(self.required.get(v, ())) for v in range(self.n_variables)]
        kinds = Counter(zip(self.candidates.tolist(), required, strict=True))
        return sum(
            variables * math.comb(candidates - must, size - must)
            for (candidates, must), variables in kinds.items()
            for size in range(must, max_parents + 1)
        )
