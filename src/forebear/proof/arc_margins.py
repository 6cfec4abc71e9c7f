"""prove_arc_margins(): the margins of the arcs of a network, and their certificate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from forebear.budget import Clock
from forebear.knowledge.relations import Relations
from forebear.network.network import Network
from forebear.parentsets.collection import ParentSets
from forebear.parentsets.coverage import coverage
from forebear.proof.certificate import add_margins
from forebear.proof.dual_ascent import CoreCut
from forebear.proof.incumbents import Incumbents
from forebear.proof.integer_costs import IntegerCosts
from forebear.proof.proof_run import USUAL_EFFORT, Effort, ProofRun
from forebear.proof.restriction import Restriction
from forebear.result.arc_margins import ArcMargin, ArcMargins

if TYPE_CHECKING:
    from forebear.proof.margin_prover import MarginProof, MarginProver


@dataclass(frozen=True)
class _Claim:
    """A margin to prove: its kind, its variables, and the networks that it is about."""

    kind: str
    parent: int
    child: int
    restrictions: tuple[Restriction, ...]


def prove_arc_margins(
    parent_sets: ParentSets,
    network: Network,
    ranks: NDArray[np.integer],
    *,
    clock: Clock,
    threads: int,
    optimal: bool,
    margin: float | None = None,
    pairs: bool = False,
    relations: Relations | None = None,
    networks: Sequence[NDArray[np.integer]] = (),
    cuts: Sequence[CoreCut] = (),
    certificate: Path | str | None = None,
    most_passes: int | None = None,
    effort: Effort = USUAL_EFFORT,
) -> ArcMargins:
    """Prove the margins of the edges of a network; see ``certify_arcs``.

    ``ranks`` are those of the network's parent sets, from 0, and ``networks`` further networks.
    ``optimal`` is recorded in the result. ``cuts`` are those of the dual ascent of a proof of the
    network. ``certificate`` is the file with the proof of the
    network, to which the margins are added. ``most_passes`` limits the number of passes over the
    margins, each of which solves a limited number of linear programs per margin.
    """
    # It needs SciPy's sparse matrices and HiGHS, which double the time of the import.
    from forebear.proof.margin_prover import MarginProof, MarginProver

    incumbents = Incumbents(IntegerCosts(parent_sets), relations=relations)
    incumbents.offer(ranks)
    claims = _claims(network, pairs=pairs)
    run = ProofRun(clock, threads, effort)
    record = certificate is not None
    prover = MarginProver(incumbents, run, margin, networks, cuts, record=record)
    proofs = [MarginProof(one) for claim in claims for one in claim.restrictions]
    reason = "interrupted"
    with suppress(KeyboardInterrupt):
        prover.prove(proofs, most_passes)
        expired = "cancelled" if clock.cancelled else "time" if clock.expired else "limit"
        reason = "complete" if all(proof.closed for proof in proofs) else expired
    if certificate is not None:
        add_margins(certificate, proofs, incumbents.costs.above_all)
    return ArcMargins(
        parent_sets.names,
        tuple(_margins(claims, proofs, prover, incumbents.costs.ticks, margin)),
        incumbents.best,
        optimal,
        margin,
        coverage(parent_sets.provenance, parent_sets.n_variables, len(parent_sets)),
        reason,
        clock.spent(),
    )


def _claims(network: Network, *, pairs: bool) -> list[_Claim]:
    arcs = network.arcs
    claims = [_Claim("edge", p, c, (Restriction.without_edge(p, c),)) for p, c in arcs]
    claims += [
        _Claim("direction", p, c, (Restriction(absent=((p, c),)),))
        for p, c in arcs
        if (p, c) in network.compelled
    ]
    if pairs:
        adjacent = {frozenset(arc) for arc in arcs}
        claims += [
            _Claim(
                "pair",
                a,
                b,
                (Restriction(required=((a, b),)), Restriction(required=((b, a),))),
            )
            for a, b in combinations(range(network.n_variables), 2)
            if frozenset((a, b)) not in adjacent
        ]
    return claims


def _margins(
    claims: Sequence[_Claim],
    proofs: Sequence[MarginProof],
    prover: MarginProver,
    ticks: float,
    cutoff: float | None,
) -> list[ArcMargin]:
    """Return the margins in nats; that of a pair is the smaller one of its two directions."""
    left = iter(proofs)
    margins: list[ArcMargin] = []
    edges: dict[tuple[int, int], float] = {}
    for claim in claims:
        own = [next(left) for _ in claim.restrictions]
        losses = [_loss(proof.cost, prover.best, ticks) for proof in own if not proof.impossible]
        margin = min(losses, default=math.inf)
        found = [_loss(p.found, prover.best, ticks) for p in own if p.found is not None]
        at_most = min(found, default=math.inf)
        if claim.kind == "edge":
            edges[claim.parent, claim.child] = at_most
        elif claim.kind == "direction":  # a network without the edge does not have the direction
            at_most = min(at_most, edges[claim.parent, claim.child])
        if cutoff is not None and margin < math.inf:
            margin = min(margin, cutoff)
        margins.append(ArcMargin(claim.kind, claim.parent, claim.child, margin, at_most))
    return margins


def _loss(cost: int, best: int, ticks: float) -> float:
    return max(0.0, (cost - best) / ticks)
