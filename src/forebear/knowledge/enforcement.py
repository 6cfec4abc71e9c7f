"""Enforcement: knowledge as constraints on scoring, on the search and on the proof.

Arcs, tiers and limits determine which parent sets are scored. Orders, ancestors, non-ancestors and
adjacent pairs are constraints on the search and the proof (``Relations``). They may require arcs
that lower the score, so dominated parent sets with such arcs are kept as well.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from forebear._util.errors import ForebearError, ForebearWarning, Parameter
from forebear._util.text import listing
from forebear.knowledge.contradictions import precedence, required_arcs
from forebear.knowledge.knowledge import Knowledge, Pair, as_knowledge
from forebear.knowledge.relations import Relations, as_orders, predecessors
from forebear.knowledge.statements import Kind
from forebear.network.network import NetworkLike
from forebear.parentsets.collection import ParentSets
from forebear.scoring.constraints import Constraints
from forebear.scoring.max_parents import MAX_PARENTS_LIMIT, possible_max_parents

KEPT_FAMILIES = 4_000_000
"""Knowledge about paths may require any arc. With more families than this, dominated sets are kept
only for arcs that alone satisfy a statement; the sets for all other arcs would take gigabytes."""


@dataclass(frozen=True)
class Enforcement:
    """Knowledge about the variables of a table, divided by what enforces it.

    Scoring enforces the ``rules``: required and forbidden arcs, and tiers. Search and proof enforce
    the ``relations``.
    """

    knowledge: Knowledge
    rules: Constraints
    relations: Relations

    @classmethod
    def of(cls, knowledge: Any, names: Sequence[str], *, certified: bool = False) -> Enforcement:
        """Prepare knowledge about these variables: a Knowledge, files or None.

        If orders can express the non-ancestors, they are converted to orders, which are easier to
        search under. Certificates refer to the original statements, so ``certified`` keeps them.
        """
        named = as_knowledge(knowledge).named(names)
        rules = implied_rules(named, names)
        relations = Relations.of(named, names, rules.required)
        orders = None if certified else as_orders(relations)
        return cls(named, rules, relations if orders is None else Relations(before=orders))

    def arc_constraints(self) -> Constraints:
        """Return the constraints on growing sets, without the sets that only paths require."""
        return replace(self.rules, complete_for_paths=not self.relations.n_arc_requirements)

    def constraints(self, max_parents: int) -> Constraints:
        """Return the constraints on parent sets of up to this size that scoring enforces.

        They also list the sets to keep because knowledge about paths may require them.
        """
        rules, n = self.rules, self.rules.n_variables
        if not self.relations.n_arc_requirements:
            return rules
        direct = tuple(
            (p, v)
            for p, v in self.relations.direct_arcs
            if rules.allowed is None or rules.allowed[v, p]
        )
        useful = self.relations.useful_arcs(n)
        complete = rules.families(min(max_parents, n - 1)) <= KEPT_FAMILIES
        if not complete:
            useful[:] = False
            for parent, child in direct:
                useful[child, parent] = True
        return replace(
            rules,
            useful=useful,
            most_useful=self.relations.n_arc_requirements,
            direct=direct,
            complete_for_paths=complete,
        )

    @property
    def has_parent_limits(self) -> bool:
        """Whether some variables have their own ``max_parents``."""
        return bool(self.knowledge.max_parents)

    def warn_of_relations(self) -> None:
        """Warn that parent sets alone do not enforce orders, ancestors and adjacent pairs."""
        kinds = (Kind.BEFORE, Kind.NOT_ANCESTOR, Kind.ANCESTOR, Kind.ADJACENT)
        statements = [str(one) for one in self.knowledge.statements if one.kind in kinds]
        if statements:
            warnings.warn(
                ForebearWarning(
                    f"parent sets alone do not enforce that {listing(statements)}: "
                    "use learn, or pass ",
                    Parameter("knowledge"),
                    " to the search as well",
                ),
                stacklevel=3,
            )

    def apply_limits(self, parent_sets: ParentSets) -> ParentSets:
        """Return the sets that respect the ``max_parents`` of their variable."""
        limits = self.knowledge.max_parents
        if not limits:
            return parent_sets
        most = np.full(parent_sets.n_variables, parent_sets.max_parents)
        for variable, limit in limits.items():
            most[parent_sets.index(variable)] = limit
        left = parent_sets.restrict(max_parents=most)
        return replace(left, provenance={**left.provenance, "constrained": True})

    def apply_rules(self, parent_sets: ParentSets) -> ParentSets:
        """Return the sets that respect required and forbidden arcs, tiers and limits."""
        if not self.knowledge.statements:
            return parent_sets
        rules, sets = self.rules, self.apply_limits(parent_sets)
        # Dominated sets that only this knowledge requires may have been pruned during scoring.
        complete = not self.relations.n_arc_requirements
        for v, parents in rules.required.items():
            for p in parents:
                own, has = sets.with_parent(v, p)
                complete &= bool((has | ~np.isfinite(sets.scores[own])).all())
        left = sets.restrict(allowed=rules.allowed, required=rules.required)
        if not left.has_allowed_sets:
            raise ForebearError(
                "no network of these parent sets has the required arcs: score them with the same ",
                Parameter("knowledge"),
            )
        provenance = {**sets.provenance, "constrained": True, "complete_for_paths": complete}
        return replace(left, provenance=provenance)

    @cached_property
    def max_parents_with_orders(self) -> int:
        """The largest parent set of a fixed collection, given the slots that orders take."""
        return MAX_PARENTS_LIMIT - max(
            map(len, predecessors(self.relations.orders).values()), default=0
        )

    def most_parents(self, n_variables: int) -> int:
        """Return the largest ``max_parents`` of a fixed collection."""
        # If orders leave no slot for a parent, the search raises a better error.
        return max(1, min(possible_max_parents(n_variables), self.max_parents_with_orders))

    def check(self, network: NetworkLike) -> None:
        """Raise an AssertionError if a network violates the knowledge."""
        if violations := self.knowledge.violations(network):
            raise AssertionError(f"the network violates the knowledge: {listing(violations)}")


def implied_rules(knowledge: Knowledge, names: Sequence[str]) -> Constraints:
    """Return the constraints on single arcs that follow from the knowledge.

    Orders and ancestors forbid the reverse arcs, not the reverse paths. An adjacent pair requires
    an arc only if one direction is ruled out.
    """
    required = required_arcs(knowledge.statements)
    forbidden = knowledge.forbidden | knowledge.pairs(Kind.NOT_ANCESTOR)
    forbidden |= {(b, a) for a, b in precedence(knowledge.statements, required)}
    place = {name: v for v, name in enumerate(names)}

    def by_child(arcs: Iterable[Pair]) -> dict[int, list[int]]:
        parents: dict[int, list[int]] = {}
        for a, b in arcs:
            parents.setdefault(place[b], []).append(place[a])
        return parents

    return Constraints.make(
        len(names),
        required=by_child(required),
        forbidden=by_child(forbidden),
        tiers=[[place[str(v)] for v in tier] for tier in knowledge.tiers],
    )
