"""Algorithm 2 of the paper: search every sample in parallel, keep the best.

    parfor s = 1..m:  CPS'_s  <-  SAMPLING(s, sigma, p, CPS)        (sampling.py)
    parfor s = 1..m:  Score_s, G_s  <-  MINOBS(T, CPS'_s)           (minobs.py)
    s* = argmax Score_s;  return G_s*                               (runner.py)

A chain cannot exceed the best network of its sample. Therefore, unless
``widen`` is off, a chain that stalls continues with its population on a sample
of twice the rate, and finally on all sets, as plain MINOBS does. The sets of
the population and of the initial networks are added to the sample.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forebear import _core
from forebear._util.checks import check_positive, check_whole
from forebear._util.errors import ForebearError, Parameter
from forebear._util.machine import memory_bytes
from forebear.parentsets.collection import ParentSets
from forebear.search.alternatives import Alternative, alternatives_among, best_distinct
from forebear.search.chain import Chain, Solution
from forebear.search.minobs import MINOBS
from forebear.search.population import Population
from forebear.search.sampling import sample_ranks
from forebear.search.space import SearchSpace, as_orders
from forebear.search.threads import Workers

SAMPLED_SETS = 50_000_000
"""From this many sets on, a search starts on a sample of a quarter as many. Not measured: up to 20
million sets (the paper's tables), searching all of them was at least as good."""

_SAMPLED_BYTES = 24
"""Largest memory of a set in a sample."""


@dataclass(frozen=True)
class PSMINOBS:
    """PS-MINOBS: several chains, each running MINOBS on its own sample of the parent sets.

    Parameters
    ----------
    chains
        Number of chains (the paper's m). Default: 1, one population on all threads. With an
        executor and no generation limit, the default is the number of its workers.
    rate
        Share of each variable's sets that a chain samples (the paper's p), in (0, 1]. Default:
        all sets, or a sample of 12.5 million where there are 50 million or more.
    widen
        Whether a chain that stalls continues on a sample of twice the rate.
    minobs
        The settings of the population in each chain.
    """

    chains: int = 1
    rate: float | None = None
    widen: bool = True
    minobs: MINOBS = field(default_factory=MINOBS)

    def __post_init__(self) -> None:
        check_whole(1, chains=self.chains)
        if self.rate is not None:
            check_positive(rate=self.rate)
        if self.rate is not None and not 0.0 < self.rate <= 1.0:
            raise ForebearError(Parameter("rate"), f" must be in (0, 1], got {self.rate:g}")

    def chain(
        self,
        space: SearchSpace,
        number: int,
        seed: np.random.SeedSequence,
        orders: Sequence[NDArray[np.int32]] = (),
    ) -> SampleChain:
        """Create chain s = ``number`` (from 1), with its own random stream."""
        climbing, sampling = seed.spawn(2)
        # Chain 1 takes the first ranks; the others draw ranks at random (Algorithm 1).
        rng = None if number == 1 else np.random.default_rng(sampling)
        random = _core.Random(climbing.generate_state(4, np.uint64).tolist())
        chain = SampleChain(self, space, rng, self.first_rate(int(space.counts.sum())))
        sample = chain.draw([space.best_ranks(order) for order in orders])
        chain.population = self.minobs.start(sample, random, orders)
        return chain

    def resumed(self, space: SearchSpace, number: int, state: dict[str, Any]) -> SampleChain:
        """Create a chain that continues from a saved state."""
        rng = None if number == 1 else np.random.default_rng(0)
        if rng is not None:
            rng.bit_generator.state = state["rng"]
        chain = SampleChain(self, space, rng, float(state["rate"]))
        sample = chain.draw(as_orders(state["known"]))
        chain.population = self.minobs.resumed(sample, state["population"])
        chain.archive = as_orders(state["kept"])
        return chain

    def first_rate(self, n_sets: int) -> float:
        """Return the rate that a chain starts with."""
        if self.rate is not None:
            return self.rate
        return SAMPLED_SETS / 4 / n_sets if n_sets >= SAMPLED_SETS else 1.0


class SampleChain(Chain):
    """Chain s: MINOBS on a sample, which is widened when the search stalls."""

    def __init__(
        self,
        settings: PSMINOBS,
        all_sets: SearchSpace,
        rng: np.random.Generator | None,
        rate: float,
    ) -> None:
        self.population: Population  # created after the first sample is drawn
        # Good networks of earlier populations, as ranks (from 0) among all sets.
        self.archive: list[NDArray[np.int32]] = []
        self._best: Solution | None = None
        self._settings = settings
        self._all_sets = all_sets
        self._rng = rng
        self._rate = rate
        self._drawn: dict[str, Any] = {}
        self._runs = 0

    @property
    def runs(self) -> int:
        """The number of times that the population has stalled."""
        return self._runs

    @property
    def space(self) -> SearchSpace:
        """The sets that are currently searched."""
        return self.population.space

    @property
    def best(self) -> Solution:
        """The best network so far."""
        solution = Solution.of(self.space, self.population.best)
        # Members compete by rounded scores, so the best member may be worse than an earlier one.
        if self._best is None or solution.score > self._best.score:
            self._best = solution
        return self._best

    def parent_sets(self) -> ParentSets:
        """Return all sets, sampled or not."""
        return self._all_sets.parent_sets

    def networks(self) -> tuple[Alternative, ...]:
        """Return the best distinct networks of this and all previous populations."""
        return alternatives_among(self.parent_sets(), [*self.archive, *self.population.networks()])

    def suspend(self) -> None:
        """Release the threads."""
        self.population.suspend()

    def state(self) -> dict[str, Any]:
        """Return the state that is required to continue, as numbers and arrays."""
        return {
            **self._drawn,
            "population": self.population.state(),
            "kept": [ranks.tolist() for ranks in self.archive],
        }

    def run_generation(self, workers: Workers) -> bool:
        """Run one generation; return whether the population has stalled."""
        self.population.advance(workers)
        return self.population.stalled and not workers.budget.spent

    def restart(self, workers: Workers) -> None:
        """Widen the sample, or replace all but the best members."""
        population = self.population
        networks = population.networks()
        self.archive = list(best_distinct(self.parent_sets(), [*self.archive, *networks]))
        self._runs += 1
        if self._settings.widen and self._rate < 1.0 and self._wider_fits():
            self._rate = min(1.0, 2.0 * self._rate)
            population.transfer(workers, self.draw(networks))
        else:
            population.restart(workers)

    def offer(self, workers: Workers, solution: Solution) -> None:
        """Climb from the order of a network that was found elsewhere, on the sampled sets."""
        if self.population.members:
            self.population.climb_and_replace(workers, solution.order)

    def _wider_fits(self) -> bool:
        """Return whether a sample of twice the rate takes less than a quarter of the memory."""
        wider = min(1.0, 2.0 * self._rate)
        total = int(self._all_sets.counts.sum(dtype=np.int64))
        return wider == 1.0 or wider * total * _SAMPLED_BYTES < memory_bytes() / 4

    def draw(self, networks: Sequence[NDArray[np.int32]]) -> SearchSpace:
        """Draw a sample, and add the sets of the given networks (ranks of all variables) to it."""
        self._drawn = {
            "rate": self._rate,
            "rng": None if self._rng is None else self._rng.bit_generator.state,
            # If all sets are searched, those of the networks are among them.
            "known": list(networks) if self._rate < 1.0 else [],
        }
        if self._rate == 1.0:
            return self._all_sets
        ranks = sample_ranks(self._all_sets.counts, self._rate, self._rng)
        if networks:
            columns = np.stack(networks, axis=1)
            ranks = [np.union1d(*both) for both in zip(ranks, columns, strict=True)]
        return self._all_sets.sample(ranks)
