"""Runs the chains: warm-up, draws, and what the chains met."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from forebear import _core
from forebear._util.errors import ForebearError
from forebear.budget import POSTERIOR_MOST_DRAWS, POSTERIOR_WARM_UP_SHARE
from forebear.network.graphs import topological_order
from forebear.posterior.posterior import Posterior

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from forebear.network.graphs import Arc
    from forebear.parentsets.collection import ParentSets
    from forebear.result import Result

TAIL = 1e-6
"""A scan of a ranked list stops when the sets that are left have at most this share of the weight:
the chains then differ from exact ones by less than draws can show."""

_STEP, _LARGEST_STEP = 2.0, 0.5
"""How the inverse temperature falls from one chain to its helper: by 2 / sqrt(n), at most by half.
Judgement."""

_BLOCK_SECONDS = 0.2
"""The core is asked for so much work at a time: Ctrl-C is heard in between."""


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
) -> Posterior:
    """Draw networks of these parent sets; ``starts`` has the ranks of one network per chain.

    Interrupted, it returns the draws so far.
    """
    started = time.perf_counter()
    run = _Run(parent_sets, starts, settings)
    reason = "sweeps" if settings.sweeps is not None else "time"
    try:
        run.warm_up()
        run.draw()
    except KeyboardInterrupt:
        if run.n_draws == 0:
            raise
        reason = "interrupted"
    about = {
        **{k: x for k, x in parent_sets.provenance.items() if k != "arities"},
        "seed": settings.seed,
        "temperatures": run.betas,
        "sweeps": run.sampler.visits(0)[1],
        "thin": run.thin,
        "warm_up": run.warm_up_sweeps,
        "stop_reason": reason,
        "seconds": time.perf_counter() - started,
        "sets": len(parent_sets),
        "left_out": run.sampler.left_out,
        "moves": run.moves(),
    }
    return run.posterior(about, result)


def ladder(temperatures: int, n_variables: int) -> list[float]:
    """Return the inverse temperatures of a chain and its helpers, from 1 downwards.

    The score of a chain varies by the root of the number of variables, so steps have to be
    smaller where there are many; otherwise exchanges are refused.
    """
    ratio = max(_LARGEST_STEP, 1.0 - _STEP / math.sqrt(n_variables))
    return [ratio**k for k in range(temperatures)]


class _Run:
    def __init__(
        self, parent_sets: ParentSets, starts: NDArray[np.int32], settings: ChainSettings
    ) -> None:
        self._sets = parent_sets
        self._settings = settings
        words = np.random.SeedSequence(settings.seed).generate_state(4 * settings.chains, np.uint64)
        self.betas = ladder(settings.temperatures, parent_sets.n_variables)
        self.sampler = _core.Sampler(
            np.ascontiguousarray(parent_sets.offsets),
            np.ascontiguousarray(parent_sets.scores),
            np.ascontiguousarray(parent_sets.parents),
            self.betas,
            np.ascontiguousarray(starts, dtype=np.int32),
            [_core.Random(words[4 * c : 4 * c + 4].tolist()) for c in range(settings.chains)],
            TAIL,
        )
        self.thin = 1
        self.warm_up_sweeps = 0
        self.n_draws = 0
        self._pace = 1.0  # seconds per sweep of all chains; measured as they run

    def warm_up(self) -> None:
        sweeps = self._settings.sweeps
        if sweeps is not None:
            self._advance(int(sweeps * POSTERIOR_WARM_UP_SHARE))
        else:
            self._advance(None, POSTERIOR_WARM_UP_SHARE * (self._settings.seconds or 0.0))
        self.warm_up_sweeps = int(self.sampler.visits(0)[1])
        self.sampler.forget()
        self.n_draws = 0
        self.thin = 1

    def draw(self) -> None:
        sweeps = self._settings.sweeps
        if sweeps is not None:
            left = max(1, sweeps - self.warm_up_sweeps)
            self.thin = max(1, left // (2 * POSTERIOR_MOST_DRAWS))
            self._advance(left // self.thin * self.thin)
        else:
            share = 1.0 - POSTERIOR_WARM_UP_SHARE
            self._advance(None, share * (self._settings.seconds or 0.0))

    def _advance(self, sweeps: int | None, seconds: float | None = None) -> None:
        """Run for a number of sweeps or seconds, a block at a time."""
        budget = _core.Budget(seconds)
        left = sweeps
        while (left is None or left >= self.thin) and not budget.spent:
            block = max(1, int(_BLOCK_SECONDS / (self._pace * self.thin)))
            room = 2 * POSTERIOR_MOST_DRAWS - self.n_draws
            block = min(block, room if left is None else left // self.thin)
            began = time.perf_counter()
            self.sampler.advance(block, self.thin, self._settings.threads, budget)
            self._pace = max(1e-7, (time.perf_counter() - began) / (block * self.thin))
            self.n_draws += block
            if left is not None:
                left -= block * self.thin
            elif self.n_draws >= 2 * POSTERIOR_MOST_DRAWS:
                self.sampler.halve()
                self.n_draws //= 2
                self.thin *= 2

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
        sets, found = self._sets, [self.sampler.samples(c) for c in range(self.sampler.chains)]
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
        sets = self._sets
        visits = np.zeros(len(sets))
        sweeps = 0
        for chain in range(self.sampler.chains):
            own, times = self.sampler.visits(chain)
            visits += own
            sweeps += times
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


def starts_of(
    parent_sets: ParentSets, networks: Sequence[Sequence[Sequence[int]]], chains: int
) -> NDArray[np.int32]:
    """Return the ranks of one network per chain, spread over the given ones, the first included.

    A set that the collection lacks is replaced by the best one in the same order.
    """
    places = np.linspace(0, len(networks) - 1, chains).round().astype(int).tolist()
    rows = []
    for place in places:
        own = networks[place]
        found = [parent_sets.find(v, own[v]) for v in range(parent_sets.n_variables)]
        if any(one is None or not np.isfinite(one.score) for one in found):
            chosen = parent_sets.best_of_order(topological_order(own))
            rows.append([one.rank - 1 for one in chosen])
        else:
            rows.append([one.rank - 1 for one in found if one is not None])
    return np.array(rows, dtype=np.int32)
