"""Restriction: the networks that lack some arcs, or have one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from forebear.proof.flat_sets import FlatSets
from forebear.proof.integer_costs import FORBIDDEN

Arc = tuple[int, int]


@dataclass(frozen=True)
class Restriction:
    """The networks without some arcs, or with a required arc; arcs are (parent, child) pairs."""

    absent: tuple[Arc, ...] = ()
    required: tuple[Arc, ...] = ()

    @classmethod
    def without_edge(cls, a: int, b: int) -> Restriction:
        """Return the restriction to networks in which two variables are not adjacent."""
        return cls(absent=((a, b), (b, a)))

    def allowed(self, sets: FlatSets) -> NDArray[np.bool_]:
        """Return which parent sets these networks can have."""
        allowed = np.ones(len(sets), dtype=bool)
        for arcs, present in ((self.absent, False), (self.required, True)):
            for parent, child in arcs:
                allowed[sets.span(child)] &= sets.with_parent(child, parent) == present
        return allowed

    def increase(self, sets: FlatSets, extra: NDArray[np.int64]) -> int:
        """Return by how much the restriction raises a bound; ``FORBIDDEN`` or more if no set fits.

        ``extra`` is the increase of the bound for networks with a given set. For the cheapest set
        of every variable it is 0, so only variables that lose sets matter.
        """
        allowed = self.allowed(sets)
        children = {child for _, child in (*self.absent, *self.required)}
        spans = [sets.span(child) for child in sorted(children)]
        return sum(_least(extra[span][allowed[span]]) for span in spans)


def _least(values: NDArray[np.int64]) -> int:
    return int(values.min(initial=FORBIDDEN))


def edges_of(parents: Sequence[Sequence[int]]) -> list[Arc]:
    """List the arcs of a network, by child and then by parent."""
    return [(int(p), v) for v, own in enumerate(parents) for p in sorted(own)]
