"""Run the Markov chains: warm-up, draws and the posterior.

Hotter copies help a chain to move between modes if neighboring temperatures exchange networks.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from functools import partial
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from forebear import _core
from forebear._util.errors import ForebearError
from forebear._util.executors import interruptible
from forebear._util.watcher import TICK_SECONDS, Watcher
from forebear.knowledge.relations import Relations
from forebear.network.graphs import topological_order
from forebear.parentsets.collection import ParentSets
from forebear.posterior.posterior import Posterior, sum_by_arc
from forebear.posterior.sampled_sets import as_networks
from forebear.result import Result
from forebear.scoring.growing_sets import GrowingSets

_WARM_UP = 0.2
"""Share of the sampling that is discarded, because the draws still depend on the initial networks.
With 1,000 rows of alarm, probabilities were as close to those of a long run with a tenth, and less
close with two fifths, which leave fewer draws."""

_ROUNDS = 4
"""Rounds of the warm-up. Between two rounds, the temperatures are adjusted and parent sets are
added. On the same table, two rounds gave slightly less close probabilities, and eight equally close
ones."""

_MOST_DRAWS = 4000
"""The most draws that a chain keeps. More would not be better, since consecutive draws of a long
chain are similar, and files and diagnostics would be large."""

_TAIL = 1e-6
"""A scan of a ranked list stops when the remaining sets have at most this share of the weight. The
error of the probabilities is then much smaller than their sampling error."""

_EXCHANGES = 0.3
"""Target share of accepted exchanges: 0.2 to 0.4 are the best rates in theory and practice
(Atchadé, Roberts and Rosenthal, 2011, find 0.23). On tables of hailfinder, started from random
orders, three temperatures with 0.25 to 0.45 agreed in 6 s, and two with 0.63 did not in 30 s."""


@dataclass(frozen=True)
class ChainSettings:
    """Settings of the chains. Either ``seconds`` or ``sweeps`` ends them."""

    chains: int
    temperatures: int
    threads: int
    seed: int
    seconds: float | None
    sweeps: int | None


def run_chains(
    parent_sets: ParentSets,
    starts: NDArray[np.int32],
    settings: ChainSettings,
    result: Result | None = None,
    *,
    relations: Relations | None = None,
    growing: GrowingSets | None = None,
    watcher: Watcher | None = None,
) -> Posterior:
    """Draw networks of these parent sets; ``starts`` has the ranks of one network per chain.

    The starts must respect the relations, and all draws do. With ``growing``, whose sets these
    are, sets are added during the warm-up. If it is interrupted, the draws so far are returned.
    """
    run = _Run(
        parent_sets, starts, settings, relations or Relations(), growing, watcher or Watcher()
    )
    reason = "sweeps" if settings.sweeps is not None else "time"
    try:
        run.warm_up()
        run.advance(1.0)
    except KeyboardInterrupt:
        if run.n_draws == 0:
            raise
        reason = "interrupted"
    return run.posterior(reason, result)


class _Run:
    """Running chains, with their parent sets and temperatures."""

    def __init__(
        self,
        parent_sets: ParentSets,
        starts: NDArray[np.int32],
        settings: ChainSettings,
        relations: Relations,
        growing: GrowingSets | None,
        watcher: Watcher,
    ) -> None:
        self._sets = parent_sets
        self._settings = settings
        self._relations = [list(pairs) for pairs in astuple(relations)]
        self._growing = growing
        self._watcher = watcher
        self._round = 0
        self._warm_up_sweeps = 0
        self._pace = 1.0  # seconds per sweep of all chains; measured as they run
        self._began, self._done = time.perf_counter(), 0
        self._betas = initial_temperatures(settings.temperatures, parent_sets.n_variables)
        self._begin_round(np.repeat(starts, settings.temperatures, axis=0))

    def _begin_round(self, networks: NDArray[np.int32]) -> None:
        """Create chains that start from these networks, one per chain and temperature."""
        sets, chains = self._sets, self._settings.chains
        seeds = np.random.SeedSequence(self._settings.seed, spawn_key=(self._round,))
        words = seeds.generate_state(4 * chains, np.uint64)
        self._round += 1
        self.n_draws, self._thin = 0, 1
        self._extended = None if self._growing is None else self._growing.extended(sets)
        self._sampler = _core.Sampler(
            np.ascontiguousarray(sets.offsets),
            np.ascontiguousarray(sets.scores),
            np.ascontiguousarray(sets.parents),
            self._betas,
            np.ascontiguousarray(networks, dtype=np.int32),
            [_core.Random(words[4 * c : 4 * c + 4].tolist()) for c in range(chains)],
            _TAIL,
            self._relations,
        )

    def warm_up(self) -> None:
        """Run in rounds; between rounds, adjust the temperatures and extend the parent sets."""
        total = 0
        for number in range(1, _ROUNDS + 1):
            self.advance(_WARM_UP * number / _ROUNDS)
            total += int(self._sampler.visits(0)[1])
            if number < _ROUNDS:
                self._adjust()
        self._sampler.forget()
        self._warm_up_sweeps = total
        self.n_draws, self._thin = 0, 1

    def _adjust(self) -> None:
        """Adjust the temperatures, add the neighbors of all sets in use, and begin a round."""
        exchanges = np.array([self._sampler.exchanges(c) for c in range(self._sampler.chains)])
        if exchanges.size:
            self._betas = adjust_temperatures(self._betas, exchanges.sum(axis=0))
        networks = self._sampler.networks()
        visits, sweeps = self._visits()
        if self._growing is not None and sweeps > 0:
            used = visits > 0
            used[self._sets.offsets[:-1] + networks] = True  # also those of higher temperatures
            networks = self._grow(self._growing, used, networks)
        self._begin_round(networks)

    def _grow(
        self, growing: GrowingSets, used: NDArray[np.bool_], networks: NDArray[np.int32]
    ) -> NDArray[np.int32]:
        """Add the neighbors of some sets; return the ranks of the networks in the new sets."""
        timed, seconds = self._settings.sweeps is None, self._settings.seconds or 0.0
        budget = _core.Budget(_WARM_UP / _ROUNDS * seconds / 2 if timed else None)
        threads, to_extend = self._settings.threads, as_networks(self._sets, used)
        if not interruptible(partial(growing.grow, to_extend, threads, budget), budget):
            return networks
        self._sets = growing.sets(threads)
        return growing.translate(networks.ravel()).reshape(networks.shape)

    def advance(self, until: float) -> None:
        """Run blocks of sweeps until this share of the sweeps or seconds is used."""
        settings = self._settings
        if settings.sweeps is not None:
            left, budget = int(settings.sweeps * until) - self._done, _core.Budget(None)
        else:
            spent = time.perf_counter() - self._began
            seconds = until * (settings.seconds or 0.0) - spent
            left, budget = 2**62, _core.Budget(max(seconds, 0.0))
        while left >= self._thin and not budget.spent:
            if self.n_draws == _MOST_DRAWS:
                self._sampler.halve()
                self.n_draws //= 2
                self._thin *= 2
                continue
            block = max(1, int(TICK_SECONDS / (self._pace * self._thin)))
            block = min(block, _MOST_DRAWS - self.n_draws, left // self._thin)
            began = time.perf_counter()
            self._sampler.advance(block, self._thin, settings.threads, budget)
            self._pace = max(1e-7, (time.perf_counter() - began) / (block * self._thin))
            self.n_draws += block
            self._done += block * self._thin
            left -= block * self._thin
            self._watcher.sampling(self._fraction(), self._done)

    def _fraction(self) -> float:
        """Return the fraction of the work that is done, including the warm-up."""
        if self._settings.sweeps is not None:
            return min(1.0, self._done / self._settings.sweeps)
        spent = time.perf_counter() - self._began
        return min(1.0, spent / max(self._settings.seconds or 0.0, 1e-9))

    def _visits(self) -> tuple[NDArray[np.float64], int]:
        """Return how many sweeps of all chains ended with each set, and the number of sweeps."""
        visits, sweeps = np.zeros(len(self._sets)), 0
        for chain in range(self._sampler.chains):
            own, times = self._sampler.visits(chain)
            visits += own
            sweeps += times
        return visits, sweeps

    def _moves(self) -> dict[str, list[int]]:
        """Return how often each kind of move was tried and accepted, over all chains."""
        totals: dict[str, list[int]] = {}
        for chain in range(self._sampler.chains):
            for name, (tried, accepted) in self._sampler.move_counts(chain).items():
                total = totals.setdefault(name, [0, 0])
                total[0] += tried
                total[1] += accepted
        return totals

    def posterior(self, reason: str, result: Result | None) -> Posterior:
        """Return the draws so far; ``reason`` is why the chains ended."""
        sets, sampler = self._sets, self._sampler
        samples = [sampler.samples(c) for c in range(sampler.chains)]
        count = min(len(scores) for _, scores in samples)
        if count == 0:
            raise ForebearError(
                "the time limit was reached before every chain had a draw: increase it, or use "
                "fewer chains"
            )
        ranks = np.stack([own[:count] for own, _ in samples])
        families, draws = [], np.empty_like(ranks)
        for v in range(sets.n_variables):
            used, places = np.unique(ranks[:, :, v], return_inverse=True)
            draws[:, :, v] = np.asarray(places).reshape(draws.shape[:2])
            columns = sets.parents[:, int(sets.offsets[v]) + used].T.tolist()
            families.append(tuple(tuple(p for p in own if p != sets.none) for own in columns))
        visits, sweeps = self._visits()
        unexplored = None
        if self._extended is not None:
            unexplored = float(visits[~self._extended].sum() / (sweeps * sets.n_variables))
        return Posterior(
            names=sets.names,
            families=tuple(families),
            draws=draws,
            scores=np.stack([own[:count] for _, own in samples]),
            arcs=sum_by_arc(sets, visits / sweeps),
            about={
                **{k: x for k, x in sets.provenance.items() if k != "arities"},
                "seed": self._settings.seed,
                "temperatures": self._betas,
                "sweeps": sampler.visits(0)[1],
                "thin": self._thin,
                "warm_up": self._warm_up_sweeps,
                "stop_reason": reason,
                "seconds": time.perf_counter() - self._began,
                "sets": len(sets),
                "left_out": sampler.left_out,
                # The share of sets in use whose neighbors were not all scored.
                "unexplored": unexplored,
                "moves": self._moves(),
            },
            result=result,
            parent_sets=sets,
        )


def start_ranks(
    parent_sets: ParentSets,
    networks: Sequence[Sequence[Sequence[int]]],
    chains: int,
    allowed: Callable[[Sequence[Sequence[int]]], bool] = lambda _: True,
) -> NDArray[np.int32]:
    """Return the ranks of one network per chain, spread over the given ones, including the first.

    If a network has a set that is not in the collection, it is replaced by the best network of its
    order. Networks that are not allowed are skipped.
    """
    starts = []
    for own in networks:
        sets = [parent_sets.find(v, own[v]) for v in range(parent_sets.n_variables)]
        if any(one is None or not np.isfinite(one.score) for one in sets):
            sets = list(parent_sets.best_of_order(topological_order(own)))
        chosen = [one for one in sets if one is not None]
        finite = all(np.isfinite(one.score) for one in chosen)
        if finite and allowed([one.parents for one in chosen]):
            starts.append([one.rank - 1 for one in chosen])
    if not starts:
        raise ForebearError(
            "no network that can be sampled satisfies the knowledge: allow more time or more "
            "parents"
        )
    places = np.linspace(0, len(starts) - 1, chains).round().astype(int).tolist()
    return np.array([starts[place] for place in places], dtype=np.int32)


def initial_temperatures(temperatures: int, n_variables: int) -> list[float]:
    """Return the initial inverse temperatures of a chain and its hotter copies, from 1 downwards.

    The standard deviation of the score is proportional to the square root of the number of
    variables n. Therefore each temperature is the previous one times 1 - 2 / sqrt(n), or times
    1/2 if that is larger.
    """
    ratio = max(0.5, 1.0 - 2.0 / math.sqrt(n_variables))
    return [ratio**k for k in range(temperatures)]


def adjust_temperatures(betas: list[float], exchanges: NDArray[np.int64]) -> list[float]:
    """Return inverse temperatures with about the target rate of exchanges between neighbors.

    ``exchanges`` has the numbers of exchanges that were tried and accepted, for every pair of
    neighbors. If scores are normally distributed, the rate is erfc(c * distance): c follows from
    the measured rate, and the new distance from the target rate. Fewer than 20 exchanges change
    nothing, and more change a distance by at most a factor of two. Chains with an inverse
    temperature below 0.05 would draw from the prior.
    """
    result = [1.0]
    for (cold, warm), (tried, accepted) in zip(
        itertools.pairwise(betas), exchanges.tolist(), strict=True
    ):
        # One success and one failure are added, because rates of 0 and 1 give no distance.
        rate = (accepted + 1) / (tried + 2)
        factor = _inverse_erfc(_EXCHANGES) / _inverse_erfc(rate) if tried >= 20 else 1.0
        distance = math.log(cold / warm) * min(max(factor, 0.5), 2.0)
        result.append(max(result[-1] * math.exp(-distance), 0.05 * 0.99 ** len(result)))
    return result


def _inverse_erfc(rate: float) -> float:
    """Return the inverse of erfc, up to a constant factor."""
    return max(-NormalDist().inv_cdf(rate / 2.0), 1e-3)
