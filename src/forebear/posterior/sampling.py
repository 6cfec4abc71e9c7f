"""Runs the chains: warm-up, draws, and what the chains met."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from forebear import _core
from forebear._util.errors import ForebearError
from forebear._util.watcher import Watcher
from forebear.budget import (
    POSTERIOR_GROWTH_SHARE,
    POSTERIOR_MOST_DRAWS,
    POSTERIOR_WARM_UP_ROUNDS,
    POSTERIOR_WARM_UP_SHARE,
)
from forebear.network.graphs import topological_order
from forebear.posterior.posterior import Posterior
from forebear.posterior.tempering import adjusted, ladder

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from forebear.network.graphs import Arc
    from forebear.parentsets.collection import ParentSets
    from forebear.posterior.widening import Widening
    from forebear.result import Result

TAIL = 1e-6
"""A scan of a ranked list stops when the sets that are left have at most this share of the weight:
the chains then differ from exact ones by less than draws can show."""

_BLOCK_SECONDS = 0.2
"""The core is asked for so much work at a time: Ctrl-C is heard in between."""

_USED = 0.01
"""Parent sets that a variable has in this share of the sweeps of a round have their neighbours
scored. Those of rarer sets weigh less still. Judgement."""

Relations = list[list[tuple[int, int]]]
"""Pairs of variables: before, ancestors, not ancestors, adjacent."""


@dataclass(frozen=True)
class ChainSettings:
    """How chains run. Either ``seconds`` or ``sweeps`` ends them."""

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
    widening: Widening | None = None,
    watcher: Watcher | None = None,
) -> Posterior:
    """Draw networks of these parent sets; ``starts`` has the ranks of one network per chain.

    The starts respect the relations, and so do all draws. With ``widening``, whose sets these are,
    they grow during the warm-up. Interrupted, it returns the draws so far.
    """
    started = time.perf_counter()
    run = _Run(parent_sets, starts, settings, relations, widening, watcher or Watcher())
    reason = "sweeps" if settings.sweeps is not None else "time"
    try:
        run.warm_up()
        run.draw()
    except KeyboardInterrupt:
        if run.n_draws == 0:
            raise
        reason = "interrupted"
    about = {
        **{k: x for k, x in run.sets.provenance.items() if k != "arities"},
        "seed": settings.seed,
        "temperatures": run.betas,
        "sweeps": run.sampler.visits(0)[1],
        "thin": run.thin,
        "warm_up": run.warm_up_sweeps,
        "stop_reason": reason,
        "seconds": time.perf_counter() - started,
        "sets": len(run.sets),
        "left_out": run.sampler.left_out,
        "unexplored": run.unexplored(),
        "moves": run.moves(),
    }
    return run.posterior(about, result)


class _Run:
    def __init__(
        self,
        parent_sets: ParentSets,
        starts: NDArray[np.int32],
        settings: ChainSettings,
        relations: Relations | None,
        widening: Widening | None,
        watcher: Watcher,
    ) -> None:
        self.sets = parent_sets
        self.thin = 1
        self.warm_up_sweeps = 0
        self.n_draws = 0
        self._settings = settings
        self._relations = relations or [[], [], [], []]
        self._widening = widening
        self._watcher = watcher
        self._round = 0
        self._pace = 1.0  # seconds per sweep of all chains; measured as they run
        self._began, self._done = time.perf_counter(), 0
        self.betas = ladder(settings.temperatures, parent_sets.n_variables)
        self._make(np.repeat(starts, settings.temperatures, axis=0))

    def _make(self, networks: NDArray[np.int32]) -> None:
        """Begin a round from these networks, one per chain and temperature."""
        sets, chains = self.sets, self._settings.chains
        seeds = np.random.SeedSequence(self._settings.seed, spawn_key=(self._round,))
        words = seeds.generate_state(4 * chains, np.uint64)
        self._round += 1
        self.n_draws = 0
        self._explored = None if self._widening is None else self._widening.explored
        self.sampler = _core.Sampler(
            np.ascontiguousarray(sets.offsets),
            np.ascontiguousarray(sets.scores),
            np.ascontiguousarray(sets.parents),
            self.betas,
            np.ascontiguousarray(networks, dtype=np.int32),
            [_core.Random(words[4 * c : 4 * c + 4].tolist()) for c in range(chains)],
            TAIL,
            self._relations,
        )

    def warm_up(self) -> None:
        """Run in rounds; between two, adjust the temperatures and let the parent sets grow."""
        sweeps, seconds = self._settings.sweeps, self._settings.seconds or 0.0
        total = 0
        for number in range(POSTERIOR_WARM_UP_ROUNDS):
            share = POSTERIOR_WARM_UP_SHARE * (number + 1) / POSTERIOR_WARM_UP_ROUNDS
            if sweeps is not None:
                self._advance(int(sweeps * share) - total)
                total = int(sweeps * share)
            else:
                self._advance(None, share * seconds - (time.perf_counter() - self._began))
                total += int(self.sampler.visits(0)[1])
            if number + 1 < POSTERIOR_WARM_UP_ROUNDS:
                self._adjust(POSTERIOR_WARM_UP_SHARE * seconds / POSTERIOR_WARM_UP_ROUNDS)
        self.sampler.forget()
        self.warm_up_sweeps = total
        self.n_draws = 0
        self.thin = 1

    def _adjust(self, seconds: float) -> None:
        """Begin the next round, with other temperatures and perhaps more parent sets."""
        exchanges = np.array([self.sampler.exchanges(c) for c in range(self.sampler.chains)])
        if exchanges.size:
            self.betas = adjusted(self.betas, exchanges.sum(axis=0))
        networks = self.sampler.networks()
        visits, sweeps = self._visits()
        if self._widening is not None and sweeps > 0:
            timed = self._settings.sweeps is None
            budget = _core.Budget(POSTERIOR_GROWTH_SHARE * seconds if timed else None)
            if self._widening.grow(visits >= _USED * sweeps, budget):
                networks = translated(networks, self.sets, self._widening.sets)
                self.sets = self._widening.sets
        self.thin = 1
        self._make(networks)

    def draw(self) -> None:
        sweeps = self._settings.sweeps
        if sweeps is not None:
            left = max(1, sweeps - self.warm_up_sweeps)
            self.thin = max(1, left // (2 * POSTERIOR_MOST_DRAWS))
            self._advance(left // self.thin * self.thin)
        else:
            spent = time.perf_counter() - self._began
            self._advance(None, (self._settings.seconds or 0.0) - spent)

    def _advance(self, sweeps: int | None, seconds: float | None = None) -> None:
        """Run for a number of sweeps or seconds, a block at a time."""
        budget = _core.Budget(None if seconds is None else max(seconds, 0.0))
        left = sweeps
        while (left is None or left >= self.thin) and not budget.spent:
            block = max(1, int(_BLOCK_SECONDS / (self._pace * self.thin)))
            room = 2 * POSTERIOR_MOST_DRAWS - self.n_draws
            block = min(block, room if left is None else left // self.thin)
            began = time.perf_counter()
            self.sampler.advance(block, self.thin, self._settings.threads, budget)
            self._pace = max(1e-7, (time.perf_counter() - began) / (block * self.thin))
            self.n_draws += block
            self._done += block * self.thin
            self._watcher.sampling(self._fraction(), self._done)
            if left is not None:
                left -= block * self.thin
            elif self.n_draws >= 2 * POSTERIOR_MOST_DRAWS:
                self.sampler.halve()
                self.n_draws //= 2
                self.thin *= 2

    def _fraction(self) -> float:
        """Return how much of the work is done, warm-up included."""
        if self._settings.sweeps is not None:
            return min(1.0, self._done / self._settings.sweeps)
        spent = time.perf_counter() - self._began
        return min(1.0, spent / max(self._settings.seconds or 0.0, 1e-9))

    def _visits(self) -> tuple[NDArray[np.float64], int]:
        """Return the sweeps of all chains that ended with each set, and the number of sweeps."""
        visits, sweeps = np.zeros(len(self.sets)), 0
        for chain in range(self.sampler.chains):
            own, times = self.sampler.visits(chain)
            visits += own
            sweeps += times
        return visits, sweeps

    def unexplored(self) -> float | None:
        """Return the share of the families in the draws whose neighbours were not all scored."""
        if self._explored is None:
            return None
        visits, sweeps = self._visits()
        share = visits[self._explored == 0].sum() / max(1, sweeps * self.sets.n_variables)
        return float(share)

    def moves(self) -> dict[str, list[int]]:
        """Return how often every move was tried and accepted, over all chains."""
        totals: dict[str, list[int]] = {}
        for chain in range(self.sampler.chains):
            for name, (tried, accepted) in self.sampler.facts(chain).items():
                total = totals.setdefault(name, [0, 0])
                total[0] += tried
                total[1] += accepted
        return totals

    def posterior(self, about: dict[str, Any], result: Result | None) -> Posterior:
        sets, found = self.sets, [self.sampler.samples(c) for c in range(self.sampler.chains)]
        count = min(len(scores) for _, scores in found)
        if count == 0:
            raise ForebearError(
                "the time was over before every chain had a draw: allow more time, or fewer chains"
            )
        ranks = np.stack([own[:count] for own, _ in found])
        scores = np.stack([own[:count] for _, own in found])
        families, draws = [], np.empty_like(ranks)
        for v in range(sets.n_variables):
            used, places = np.unique(ranks[:, :, v], return_inverse=True)
            draws[:, :, v] = np.asarray(places).reshape(draws.shape[:2])
            columns = sets.parents[:, int(sets.offsets[v]) + used].T.tolist()
            families.append(tuple(tuple(p for p in own if p != sets.none) for own in columns))
        return Posterior(
            names=sets.names,
            families=tuple(families),
            draws=draws,
            scores=scores,
            arcs=self._arcs(),
            about=about,
            result=result,
        )

    def _arcs(self) -> dict[Arc, float]:
        """Return the share of all sweeps that ended with each arc."""
        sets = self.sets
        visits, sweeps = self._visits()
        used = np.flatnonzero(visits)
        child = np.searchsorted(sets.offsets, used, side="right") - 1
        n = sets.n_variables
        pairs, weights = [], []
        for slot in sets.parents[:, used]:
            held = slot != sets.none
            pairs.append(slot[held].astype(np.int64) * n + child[held])
            weights.append(visits[used[held]])
        distinct, places = np.unique(np.concatenate(pairs), return_inverse=True)
        totals = np.bincount(np.asarray(places).reshape(-1), weights=np.concatenate(weights))
        return {
            divmod(pair, n): min(1.0, times / sweeps)
            for pair, times in zip(distinct.tolist(), totals.tolist(), strict=True)
        }


def translated(
    networks: NDArray[np.int32], before: ParentSets, after: ParentSets
) -> NDArray[np.int32]:
    """Return the ranks that the sets of networks have in a larger collection."""
    result = np.empty_like(networks)
    for v in range(before.n_variables):
        used, places = np.unique(networks[:, v], return_inverse=True)
        ranks = []
        for rank in used.tolist():
            found = after.find(v, before.at(v, rank + 1).parents)
            if found is None:
                raise AssertionError("a set that a chain uses is gone")
            ranks.append(found.rank - 1)
        result[:, v] = np.array(ranks)[np.asarray(places).reshape(-1)]
    return result


def starts_of(
    parent_sets: ParentSets,
    networks: Sequence[Sequence[Sequence[int]]],
    chains: int,
    allowed: Callable[[Sequence[Sequence[int]]], bool] = lambda _: True,
) -> NDArray[np.int32]:
    """Return the ranks of one network per chain, spread over the given ones, the first included.

    A set that the collection lacks is replaced by the best one in the same order. Networks that
    are not allowed then are left out.
    """
    found = []
    for own in networks:
        sets = [parent_sets.find(v, own[v]) for v in range(parent_sets.n_variables)]
        if any(one is None or not np.isfinite(one.score) for one in sets):
            sets = list(parent_sets.best_of_order(topological_order(own)))
        chosen = [one for one in sets if one is not None]
        finite = all(np.isfinite(one.score) for one in chosen)
        if finite and allowed([one.parents for one in chosen]):
            found.append([one.rank - 1 for one in chosen])
    if not found:
        raise ForebearError(
            "no network that was found satisfies the knowledge with the parent sets that can be "
            "sampled: allow more time or more parents"
        )
    places = np.linspace(0, len(found) - 1, chains).round().astype(int).tolist()
    return np.array([found[place] for place in places], dtype=np.int32)
