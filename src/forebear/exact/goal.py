"""Goal: what branch and cut still has to find in some of the variables."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from forebear.exact.problem import Solver


class Goal:
    """What remains to be found in some variables: anything that costs less than the incumbents."""

    def __init__(self, solver: Solver, variables: NDArray[np.int64], slack: int) -> None:
        self.k = solver.incumbents.k
        # A network rules its class out only if the others of the class score the same. Otherwise
        # the networks are listed one by one, and the incumbents are the best of their classes.
        incumbents = solver.incumbents
        self.class_cuts = incumbents.classes and incumbents.score_equivalent
        self._solver = solver
        self._variables = variables
        self._slack = slack

    @property
    def cost(self) -> int:
        """The cost that a network must stay below, by more than rounding errors."""
        return self._solver.incumbent_cost(self._variables) - self._slack

    def offer(self, places: NDArray[np.int64]) -> None:
        """Take these sets, one per variable of the goal, and the incumbent's for the others."""
        self._solver.offer(places)

    def known(self) -> NDArray[np.int64]:
        """Return the places of the incumbents' sets."""
        return self._solver.known
