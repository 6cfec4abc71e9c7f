"""Learning with knowledge: what it means for scoring, for the search and for the network."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forebear._util.errors import ForebearError, ForebearWarning, Parameter
from forebear._util.text import listing
from forebear.knowledge.enforcement import (
    MOST_SLOTS,
    ordered_sets,
    predecessors,
    scoring_constraints,
)
from forebear.knowledge.knowledge import Knowledge
from forebear.scoring.constraints import Constraints
from forebear.scoring.max_parents import possible_max_parents

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forebear.parentsets.collection import ParentSets
    from forebear.result import Result
    from forebear.scoring.constraints import Variable


@dataclass(frozen=True)
class Informed:
    """Knowledge of these variables, made ready; without any, everything stays as it is."""

    knowledge: Knowledge | None = None
    required: list[tuple[Variable, Variable]] = field(default_factory=list)
    forbidden: list[tuple[Variable, Variable]] = field(default_factory=list)
    tiers: list[list[str]] = field(default_factory=list)
    orders: dict[int, tuple[int, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, knowledge: Any, names: Sequence[str]) -> Informed:
        """Make knowledge ready, whether it is an object or in files."""
        if knowledge is None:
            return cls()
        if isinstance(knowledge, Path | str):
            knowledge = [knowledge]
        if not isinstance(knowledge, Knowledge):
            knowledge = Knowledge.read(*knowledge)
        constraints = scoring_constraints(knowledge, names)
        return cls(
            knowledge,
            list(constraints.required),
            list(constraints.forbidden),
            constraints.tiers,
            predecessors(knowledge, names),
        )

    def constraints(self, names: Sequence[str]) -> Constraints:
        """Say it as what scoring keeps to."""
        return Constraints.make(
            names, required=self.required, forbidden=self.forbidden, tiers=self.tiers or None
        )

    @property
    def limits(self) -> bool:
        """Whether single variables have limits of their own on their parents."""
        return self.knowledge is not None and bool(self.knowledge.max_parents)

    def check_checkpoint(self, checkpoint: Path | str | None) -> None:
        """Refuse a checkpoint where it could not hold what is known."""
        if self.orders and checkpoint is not None:
            raise ForebearError(
                "order constraints cannot be saved in a checkpoint: leave ",
                Parameter("checkpoint"),
                " out",
            )

    def limited(self, parent_sets: ParentSets) -> ParentSets:
        """Leave out sets that are larger than single variables may have."""
        if self.knowledge is None or not self.knowledge.max_parents:
            return parent_sets
        return self.knowledge.limited(parent_sets)

    def ordered(self, parent_sets: ParentSets) -> ParentSets:
        """What is searched, so that all orders keep to what comes before what."""
        return ordered_sets(self.limited(parent_sets), self.orders)

    def most_parents(self, n_variables: int) -> int:
        """As many as sets of so many variables can have, if what comes before is held, too."""
        before = max(map(len, self.orders.values()), default=0)
        return min(possible_max_parents(n_variables), MOST_SLOTS - before)

    def settle(self, result: Result, scored: ParentSets) -> Result:
        """Give the result its own sets back, and make sure that it agrees with all."""
        if self.orders:
            result = result.over(scored)
        if self.knowledge is not None and (amiss := self.knowledge.violations(result.network)):
            warnings.warn(
                f"the network does not keep to all that is known: {listing(amiss)}",
                ForebearWarning,
                stacklevel=3,
            )
        return result
