"""RestrictionSchedule: which restriction a search under relations keeps to, and which is next.

A search starts under the restriction that promises most, so that it has a network at once. When it
stalls, it continues without the relations, except for orders: if its network respects them all the
same, nothing is lost, and otherwise this network tells what they cost, and the cheapest restriction
follows. From then on each restriction is one around the best network that respects the relations,
but for one statement, which is satisfied in another way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from forebear._util.errors import LimitError, Parameter
from forebear.search.arc_costs import random_factors
from forebear.search.restrictions import (
    Restriction,
    choose_restriction,
    neighbouring_restriction,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from forebear.search.arc_costs import ArcCosts
    from forebear.search.restrictions import Parents, Problem

    CostsOf = Callable[[Parents], ArcCosts]

FIRST_TURNS = 2
"""Changes of the restriction that do not wait for more sets: to none, and to the cheapest one."""

FIRST_TRIES = 30
"""Choices with chance before a search under relations is given up. Judgement: a choice fails only
where statements leave few ways, and then others often succeed."""

NEXT_TRIES = 4
"""Choices for the next restriction; if all are the one before, it stays."""


class NoRestrictionError(LimitError):
    """No way to respect the relations was found; there may be one."""


def no_restriction() -> NoRestrictionError:
    """Return the error of a search under relations that has no network."""
    return NoRestrictionError(
        "no network was found that respects the knowledge: state less, or increase ",
        Parameter("max_parents"),
    )


class RestrictionSchedule:
    """The restrictions of one chain.

    Parameters
    ----------
    problem
        What restrictions have to take into account.
    entropy
        A number that chance depends on.
    number
        How many restrictions there were.
    """

    def __init__(self, problem: Problem, entropy: int, number: int = 0) -> None:
        self.problem = problem
        self.entropy = entropy
        self.number = number

    @property
    def free(self) -> Restriction:
        """The restriction to orders alone: networks under it may violate the other relations."""
        return Restriction(
            required=self.problem.given, orders=frozenset(self.problem.relations.orders)
        )

    def firsts(self, network: Parents, costs: ArcCosts) -> Iterator[Restriction]:
        """Yield what to start with, from every variable's best set; others if one does not fit."""
        for number in range(FIRST_TRIES):
            noise = None if number == 0 else self._noise(len(network), number)
            found = choose_restriction(self.problem, costs, network, noise)
            if found is not None:
                yield found

    def following(
        self, now: Restriction, free: Parents, best: Parents | None, costs_of: CostsOf
    ) -> Restriction:
        """Choose the next restriction.

        ``free`` is the best network without the relations, and ``best`` the best one that respects
        them, if there is one.
        """
        for _ in range(NEXT_TRIES):
            self.number += 1
            if self.number == 1:
                return self.free
            if self.number == FIRST_TURNS:
                found = choose_restriction(self.problem, costs_of(free), free)
            elif best is not None:
                # Each of the two networks makes other ways look cheap.
                other = costs_of(free) if self.number % 2 else None
                rng = self._rng(self.number)
                found = neighbouring_restriction(self.problem, costs_of(best), best, rng, other)
            else:
                noise = self._noise(len(free), FIRST_TRIES + self.number)
                found = choose_restriction(self.problem, costs_of(free), free, noise)
            if found is not None and found != now:
                return found
        return now

    def _rng(self, number: int) -> np.random.Generator:
        return np.random.default_rng([self.entropy, number])

    def _noise(self, n: int, number: int) -> NDArray[np.float64]:
        return random_factors(self._rng(number), n)
