"""MarginProver: bounds on the networks that lack an arc, or have one.

The distance of such a bound from the score of the incumbent is the margin of the arc. A network
without the arc is a network of fewer parent sets, so every bound of the whole problem remains
valid. The dual ascent and a linear program of the whole problem give first bounds for all
restrictions at once: a restriction adds the least extra cost of the sets that it leaves. Where
this does not suffice, each restriction is treated alone: branch and cut continues from the cuts and
the basis of that program. If linear programs could not hold all sets of the whole problem, the dual
ascent first continues from its cuts and prices. On smaller problems, linear programs are faster:
for 10 nats, diabetes took 2 processor seconds with them, and 15 with the dual ascent first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from forebear import _core
from forebear.network.graphs import topological_order
from forebear.proof.branch_and_cut import BranchAndCut
from forebear.proof.certificate import ProofTree
from forebear.proof.cut_kinds import ClusterCut, Cut
from forebear.proof.dual_ascent import CoreCut, DualAscent
from forebear.proof.flat_sets import FlatSets
from forebear.proof.incumbents import Incumbents
from forebear.proof.integer_costs import FORBIDDEN, NOT_ALLOWED
from forebear.proof.proof_run import ProofRun
from forebear.proof.relation_cuts import adjacency_cuts
from forebear.proof.relaxation import SETS_AT_ONCE, Relaxation
from forebear.proof.restriction import Restriction
from forebear.result import negligible
from forebear.search.alternatives import parents_of

_BATCH = 16
"""Restrictions that share a linear program, whatever the number of threads, so that results do not
depend on it. A new program of alarm takes 0.1 s; a restriction takes 0.06 s after that."""
_ROOT_PROGRAMS = 40
"""Linear programs for the first bounds. Alarm used 28, tables with smaller gaps fewer than ten."""
_FIRST_PROGRAMS, _FIRST_ROUNDS, _FACTOR = 50, 10, 4
"""Linear programs and rounds of the dual ascent for a restriction in the first pass, and the factor
for each further pass. All of alarm's 46 edges were decided in the first pass, with at most 33
programs."""

T = TypeVar("T")


class Prices(NamedTuple):
    """A bound on all networks: ``cost``, plus ``extra[s]`` for those with set s; and its cuts."""

    cost: int
    extra: NDArray[np.int64]
    cuts: Sequence[Cut]
    prices: NDArray[np.int64]


@dataclass
class MarginProof:
    """What is proven about the networks of a restriction, in ticks.

    Each of them costs ``cost`` or more. ``found`` is the cost of the cheapest one found, or None.
    ``closed`` is True if nothing remains to be proven: the cutoff is reached, or no network is
    cheaper than ``found``. ``impossible`` means that there is no network. ``tree`` is the record
    for a certificate. ``cuts`` are those of its own dual ascent, which may have ``stalled``.
    """

    restriction: Restriction
    cost: int = -1  # costs are not negative
    found: int | None = None
    closed: bool = False
    impossible: bool = False
    tree: ProofTree = field(default_factory=ProofTree)
    cuts: Sequence[CoreCut] = ()
    stalled: bool = False


class MarginProver:
    """Proves bounds for restrictions.

    Parameters
    ----------
    incumbents
        The network that margins refer to, and the relations that all networks respect.
    run
        The limits and the callbacks.
    margin
        Nats below the incumbent at which a bound suffices. None: prove exact bounds.
    networks
        Other networks (the ranks of their sets, from 0), the first incumbents of restrictions.
    cuts
        The first cuts of the dual ascent, from a proof of the whole problem.
    record
        Whether to record the proofs, for a certificate.
    """

    def __init__(
        self,
        incumbents: Incumbents,
        run: ProofRun,
        margin: float | None = None,
        networks: Sequence[NDArray[np.integer]] = (),
        cuts: Sequence[CoreCut] = (),
        *,
        record: bool = False,
    ) -> None:
        self._record = record
        self._incumbents = incumbents
        self._costs = costs = incumbents.costs
        self._run = run
        self._starts = costs.parent_sets.offsets[:-1]
        self.best = incumbents.cost()
        self._slack = int(min(negligible(incumbents.best) * costs.ticks / 2, 2.0**50))
        wanted = NOT_ALLOWED if margin is None else min(margin * costs.ticks, NOT_ALLOWED)
        self.cutoff = min(self.best + math.ceil(wanted), NOT_ALLOWED)
        self._networks = [*incumbents.all_ranks(), *networks]
        self._steps: list[Prices] = []
        self._sets = FlatSets.of(costs)
        self._cuts = cuts
        self._is_large = len(self._sets) > run.effort.most_sets

    def prove(self, proofs: Sequence[MarginProof], most_passes: int | None = None) -> None:
        """Raise the bounds of these proofs until all are closed or the time is over.

        ``most_passes`` limits the number of passes over them.
        """
        for proof in proofs:
            proof.impossible = proof.restriction.increase(self._sets, self._zeros()) >= FORBIDDEN
            proof.closed = proof.impossible
        self._apply(self._ascend(), proofs)
        if self._is_large:
            if self.cutoff >= self._costs.above_all:
                self._limit_sets(proofs)
            self._ascend_each(proofs)
            self._limit_sets(proofs)
        if all(proof.closed for proof in proofs) or self._run.clock.expired:
            return
        root = self._solve_root(proofs)
        passes = 0
        while not self._run.clock.expired and passes != most_passes:
            left = sorted((p for p in proofs if not p.closed), key=lambda proof: proof.cost)
            if not left:
                break
            self._solve(left, root, _FIRST_PROGRAMS * _FACTOR**passes)
            passes += 1

    def _zeros(self) -> NDArray[np.int64]:
        return np.zeros(len(self._sets), dtype=np.int64)

    # ---- bounds for all restrictions at once ---------------------------------------------------

    def _ascend(self) -> list[Prices]:
        """Run the dual ascent until it stalls; return all prices that drop sets, and the last."""
        ascent = DualAscent.of(self._costs, self._cuts, local_cuts=self._is_large)
        # Half of the time, because nothing but a first bound follows from this ascent.
        self._advance(ascent, self._run.clock.left() / 2, self._run.threads)
        self._cuts = ascent.proofs()[-1]
        kept = self._costs.of_sets < NOT_ALLOWED
        steps = self._prices(ascent, kept, self._run.threads)
        return [step._replace(extra=step.extra[self._sets.place]) for step in steps]

    def _advance(
        self,
        ascent: DualAscent,
        seconds: float,
        threads: int,
        most_rounds: float = math.inf,
        root_cost: int | None = None,
    ) -> bool:
        """Run a dual ascent until it stalls, or reaches a limit; return whether it stalls.

        The target of the whole problem is the incumbent. The target of a restriction is the cutoff;
        it starts from the bound of the whole problem (``root_cost``).
        """
        run = self._run
        if self.cutoff < self._costs.above_all:
            ascent.set_incumbent(self.cutoff, self.cutoff)
        budget = _core.Budget(None if seconds == math.inf else max(0.0, seconds))
        with run.clock.cancelling(budget.cancel):
            while not (budget.spent or ascent.closed or ascent.rounds > most_rounds):
                run.on_step()
                ascent.advance(budget, threads)
                gap = (
                    self.best - ascent.least_cost if root_cost is None else self.cutoff - root_cost
                )
                if ascent.stalls(gap, run.effort.rounds[0], run.effort.progress[0]):
                    return True
        return False

    def _prices(self, ascent: DualAscent, kept: NDArray[np.bool_], threads: int) -> list[Prices]:
        """Return the prices of a dual ascent, and drop sets that are too expensive."""
        steps = []
        for number, priced in enumerate(ascent.priced_cuts()):
            cost, extra = ascent.reduce_costs(number, priced, kept, threads)
            prices = np.array([price for _, price in priced], dtype=np.int64)
            steps.append(Prices(cost, extra, [cut for cut, _ in priced], prices))
            if cost < self.cutoff:
                kept &= extra < self.cutoff - cost
        return steps

    def _apply(self, steps: Sequence[Prices], proofs: Sequence[MarginProof]) -> None:
        """Raise all bounds by some prices, and drop the sets of networks beyond the cutoff."""
        self._steps += steps
        for step in steps:
            for proof in proofs:
                self._raise(proof, step)
        keep = np.ones(len(self._sets), dtype=bool)
        for step in steps:
            keep &= step.extra < self.cutoff - step.cost
        self._keep(keep)

    def _limit_sets(self, proofs: Sequence[MarginProof]) -> None:
        """Lower the cutoff, if necessary, so that linear programs can hold the sets below it."""
        most = self._run.effort.most_sets
        if len(self._sets) <= most:
            return
        last = self._steps[-1]
        extra = int(np.partition(last.extra, most)[most])
        self.cutoff = last.cost + extra
        self._keep(last.extra < extra)
        for proof in proofs:
            self._close(proof)

    def _keep(self, keep: NDArray[np.bool_]) -> None:
        self._steps = [step._replace(extra=step.extra[keep]) for step in self._steps]
        self._sets = self._sets.kept(keep)

    def _raise(self, proof: MarginProof, step: Prices) -> None:
        if proof.impossible:
            return
        cost = min(step.cost + proof.restriction.increase(self._sets, step.extra), self.cutoff)
        if cost > proof.cost:
            proof.cost, proof.tree = cost, self._tree()
        self._close(proof)

    def _close(self, proof: MarginProof) -> None:
        """Close a proof that reaches the cutoff, or that no network remains."""
        proof.impossible |= proof.cost >= self._costs.above_all
        proof.closed |= proof.impossible or proof.cost >= self.cutoff

    def _tree(self, more: Sequence[Prices] = ()) -> ProofTree:
        """Return the record of the bounds for all restrictions, and of further steps."""
        tree = ProofTree()
        for step in [*self._steps, *more] if self._record else ():
            tree.step(0, step.cuts, step.prices, self._sets.variables)
        return tree

    def _solve_root(self, proofs: Sequence[MarginProof]) -> Relaxation:
        """Solve a linear program of the whole problem, and raise all bounds by its prices."""
        sets, relations = self._sets, self._incumbents.relations
        clusters = [cut for cut in self._steps[-1].cuts if isinstance(cut, ClusterCut)]
        ranks = np.arange(len(sets)) - sets.starts[:-1][sets.child]
        used = np.isin(sets.place, self._incumbents.places)
        relaxation = Relaxation(
            sets,
            np.flatnonzero((ranks < SETS_AT_ONCE) | used),
            [*clusters, *(adjacency_cuts(relations) if relations else [])],
            may_fail=True,  # a restriction may leave no network
        )
        run = replace(self._run, tree=None)
        search = BranchAndCut(
            run, self._incumbents, sets, self._slack, (), 0, _nothing, relaxation=relaxation
        )
        search.run(_ROOT_PROGRAMS)
        everything = np.ones(len(sets), dtype=bool)
        point = relaxation.solve(everything, NOT_ALLOWED, run.clock)
        if point is not None:
            step = Prices(point.cost, point.extra, list(relaxation.cuts), point.prices)
            self._steps.append(step)
            for proof in proofs:
                self._raise(proof, step)
        return relaxation

    # ---- one restriction after another ---------------------------------------------------------

    def _ascend_each(self, proofs: Sequence[MarginProof]) -> None:
        """Continue the dual ascent for every restriction until it stalls, or reaches the cutoff."""
        rounds = _FIRST_ROUNDS
        while left := [proof for proof in proofs if not (proof.closed or proof.stalled)]:
            self._on_threads(left, partial(self._ascend_one, rounds))
            if self._run.clock.expired:
                break
            rounds *= _FACTOR

    def _ascend_one(self, most_rounds: int, proof: MarginProof) -> None:
        own = self._sets.kept(proof.restriction.allowed(self._sets))
        ascent = DualAscent.of_flat(own, proof.cuts or self._cuts, local_cuts=self._is_large)
        left = self._run.clock.left()
        proof.stalled = self._advance(ascent, left, 1, most_rounds, self._steps[-1].cost)
        proof.cuts = ascent.proofs()[-1]
        steps = self._prices(ascent, np.ones(len(own), dtype=bool), 1)
        cost = min(steps[-1].cost, self.cutoff)
        if cost > proof.cost:
            proof.cost, proof.tree = cost, self._tree(steps)
        self._close(proof)

    def _solve(self, proofs: Sequence[MarginProof], root: Relaxation, programs: int) -> None:
        """Continue the proofs on all threads, with a limit on the programs of each."""
        batches = [proofs[i : i + _BATCH] for i in range(0, len(proofs), _BATCH)]
        self._on_threads(batches, lambda batch: self._solve_batch(batch, root, programs))

    def _on_threads(self, items: Sequence[T], work: Callable[[T], None]) -> None:
        """Do some work for each item on all threads; an interrupt ends all of it."""
        with ThreadPoolExecutor(min(self._run.threads, len(items))) as pool:
            try:
                list(pool.map(work, items))
            except KeyboardInterrupt:
                self._run.clock.cancel()
                raise

    def _solve_batch(self, batch: Sequence[MarginProof], root: Relaxation, programs: int) -> None:
        """Continue some proofs one after another, from the same linear program."""
        if self._run.clock.expired:
            return
        relaxation, networks = root.copy(), list(self._networks)
        for proof in batch:
            if not self._run.clock.expired:
                self._solve_one(proof, relaxation, networks, programs)

    def _solve_one(
        self,
        proof: MarginProof,
        relaxation: Relaxation,
        networks: list[NDArray[np.integer]],
        programs: int,
    ) -> None:
        """Continue a proof by branch and cut."""
        fits = proof.restriction.allowed(self._sets)
        incumbents = self._known_networks(fits, networks)
        slack = self._slack if incumbents.worst_ranks is not None else 0
        goal = min(incumbents.cost() - slack, self.cutoff)
        tree = self._tree()
        for step in self._steps:
            cost, extra = self._restricted(step, fits)
            if cost < goal:
                fits &= extra < goal - cost
            fits |= proof.restriction.allowed(self._sets) & np.isin(
                self._sets.place, incumbents.places
            )
        search = BranchAndCut(
            replace(self._run, threads=1, tree=tree if self._record else None),
            incumbents,
            self._sets,
            slack,
            (),
            0,
            _nothing,
            relaxation=relaxation,
            allowed=fits,
            cutoff=self.cutoff,
        )
        done = search.run(programs)
        search.complete_record()
        ranks = incumbents.worst_ranks
        if ranks is not None:
            networks.append(ranks)
            proof.found = incumbents.cost()
        if search.cost >= proof.cost:
            proof.cost, proof.tree = search.cost, tree
        proof.closed = done
        proof.impossible = done and ranks is None and self.cutoff >= self._costs.above_all

    def _restricted(self, step: Prices, fits: NDArray[np.bool_]) -> tuple[int, NDArray[np.int64]]:
        """Return the bound of a step and the increases for the sets that fit."""
        extra = np.where(fits, step.extra, FORBIDDEN)
        least = self._sets.least(extra)
        if (least >= FORBIDDEN).any():  # sets were dropped because of the goal
            return NOT_ALLOWED, extra
        return step.cost + int(least.sum()), extra - least[self._sets.child]

    def _known_networks(
        self, fits: NDArray[np.bool_], networks: Sequence[NDArray[np.integer]]
    ) -> Incumbents:
        """Return the cheapest of the known networks that consist of the sets that fit.

        They also include the best network of the incumbent's order.
        """
        sets, relations = self._sets, self._incumbents.relations
        incumbents = Incumbents(self._costs, relations=relations)
        own = sets.kept(fits)
        usable = np.zeros(len(self._costs.of_sets), dtype=bool)
        usable[own.place] = True
        known = [ranks for ranks in networks if usable[self._starts + ranks].all()]
        if (own.starts[1:] > own.starts[:-1]).all():
            chosen = own.best_of_order(self._order)
            known += [] if chosen is None else [own.place[chosen] - self._starts]
        for ranks in known:
            incumbents.offer(ranks)
        return incumbents

    @property
    def _order(self) -> tuple[int, ...]:
        return topological_order(parents_of(self._costs.parent_sets, self._networks[0]))


def _nothing() -> None:
    """Do nothing after a node."""
