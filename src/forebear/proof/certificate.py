"""Certificates: record and write proofs that another program can check.

``docs/reference/certificates.md`` describes the format. ``checker/`` verifies certificates and
shares no code with this module.
"""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from forebear._util.atomic import atomic_path
from forebear._util.errors import ForebearWarning
from forebear._util.file_kinds import OWN_VERSION, Format
from forebear.proof.cut_kinds import ClusterCut, Cut, LocalCut, StatementCut
from forebear.proof.flat_sets import FlatSets
from forebear.proof.integer_costs import NOT_ALLOWED
from forebear.proof.strong_branching import ArcDecision

if TYPE_CHECKING:
    from forebear.proof.margin_prover import MarginProof
    from forebear.proof.solver import Solver

Variables = Sequence[int] | NDArray[np.int64]

FORMAT = Format("forebear certificate", 1)


class ProofTree:
    """The nodes of a proof and the cuts that they use, as the certificate file contains them.

    In branch and cut, variables are numbered within their group. ``variables`` are their indices in
    the whole problem.
    """

    def __init__(self) -> None:
        self.nodes: list[dict[str, Any]] = []
        self.cuts: list[dict[str, Any]] = []
        self._numbers: dict[int, int] = {}
        self._used: list[Cut] = []  # kept alive, so that their identities do not recur
        self._add(None)

    def _add(self, decision: list[Any] | None) -> int:
        """Add a node and return its number."""
        self.nodes.append({"decision": decision, "steps": [], "branches": [], "parts": []})
        return len(self.nodes) - 1

    def step(
        self, node: int, cuts: Sequence[Cut], prices: NDArray[np.int64], variables: Variables
    ) -> None:
        """Record the prices of some cuts, which drop sets or close the node."""
        used = np.flatnonzero(prices)
        numbers = [self._number(cuts[i], variables) for i in used.tolist()]
        self.nodes[node]["steps"].append([numbers, prices[used].tolist()])

    def branch(self, node: int, decision: ArcDecision, variables: Variables) -> int:
        """Add a branch to a node and return its number."""
        child, parent, present = decision
        number = self._add(["arc", int(variables[child]), int(variables[parent]), present])
        self.nodes[node]["branches"].append(number)
        return number

    def split(self, node: int, groups: Sequence[list[int]]) -> list[int]:
        """Split a node into groups of variables; return the number of each part."""
        if not groups:  # the cheapest remaining sets form no cycle: their sum is the proof
            self.step(node, (), np.empty(0, dtype=np.int64), ())
        numbers = [self._add(None) for _ in groups]
        parts = zip(groups, numbers, strict=True)
        self.nodes[node]["parts"] = [[group, number, 0] for group, number in parts]
        return numbers

    def set_part_costs(self, node: int, costs: Sequence[int]) -> None:
        """Record the lower bound on the cost of each part, if the node was split."""
        for part, cost in zip(self.nodes[node]["parts"], costs, strict=False):
            part[2] = cost

    def append(self, other: ProofTree) -> int:
        """Add the nodes of a proof about all variables; return the number of its root."""
        root = len(self.nodes)
        numbers = [self._number(cut, range(2**16)) for cut in other._used]
        for node in other.nodes:
            steps = [[[numbers[i] for i in used], prices] for used, prices in node["steps"]]
            branches = [root + branch for branch in node["branches"]]
            self.nodes.append({**node, "steps": steps, "branches": branches})
        return root

    def _number(self, cut: Cut, variables: Variables) -> int:
        if id(cut) not in self._numbers:
            self._numbers[id(cut)] = len(self.cuts)
            self._used.append(cut)
            self.cuts.append(_fields(cut, variables))
        return self._numbers[id(cut)]


def _fields(cut: Cut, variables: Variables) -> dict[str, Any]:
    """Return a cut as an object of the certificate file."""

    def indices(members: Sequence[int]) -> list[int]:
        return [int(variables[v]) for v in members]

    if isinstance(cut, ClusterCut):
        return {"cluster": indices(cut.cluster), "level": cut.k}
    if isinstance(cut, LocalCut):
        # A row of values per variable, one value per subset of the group.
        values = [_corners(row) for row in cut.values]
        return {"group": indices(cut.group), "values": values, "limit": int(cut.limit)}
    if not isinstance(cut, StatementCut):
        raise AssertionError(f"{type(cut).__name__} cannot be in a certificate")
    pair = {} if cut.pair is None else {"pair": indices(cut.pair)}
    return {"because": cut.because, **pair, "group": indices(cut.group)}


def _corners(row: NDArray[np.int64]) -> list[list[int]]:
    """List the subsets with a larger value than all of their own subsets; they imply the others."""
    lower = np.zeros_like(row)
    masks = np.arange(len(row))
    for bit in range(len(row).bit_length() - 1):
        having = masks[masks >> bit & 1 == 1]
        lower[having] = np.maximum(lower[having], row[having ^ 1 << bit])
    return [[int(mask), int(row[mask])] for mask in np.flatnonzero(row > lower)]


def solution_table(sets: FlatSets, cost: int | None, above_all: int) -> LocalCut:
    """Return a cut over a group of variables that proves the cost of its cheapest network.

    The value of a subset of the group is the amount by which a variable becomes cheaper if it may
    choose its parents within the subset, instead of having none. For the order of any network, the
    values of the predecessors of all variables add up to at most ``limit``. So the sum of the
    cheapest sets and the largest values, minus the limit, is the cost of the cheapest network.
    ``above_all`` is more than any network costs, and is proven if there is no network (``cost`` is
    None).
    """
    n = sets.n_variables
    masks = (sets.members(np.arange(len(sets))) << np.arange(n)).sum(axis=1)
    values = np.empty((n, 1 << n), dtype=np.int64)
    for v in range(n):
        own = sets.span(v)
        cheapest = np.full(1 << n, NOT_ALLOWED)
        np.minimum.at(cheapest, masks[own], sets.cost[own])
        for bit in range(n):
            halves = cheapest.reshape(-1, 2, 1 << bit)
            np.minimum(halves[:, 1], halves[:, 0], out=halves[:, 1])
        values[v] = np.maximum(min(int(cheapest[0]), above_all) - cheapest, 0)
    largest = int((sets.least(sets.cost) + values[:, -1]).sum())
    return LocalCut(tuple(range(n)), values, largest - (above_all if cost is None else cost))


def write_certificate(
    path: Path | str, solver: Solver, network: Sequence[Sequence[int]] | None = None
) -> None:
    """Write the proof of a solver, and the best network if there is one."""
    solver.complete_record()
    tree, costs = solver.proof_run.tree, solver.incumbents.costs
    parent_sets = costs.parent_sets
    if tree is None:
        raise AssertionError("the proof was not recorded")
    relations = solver.incumbents.relations
    statements = {} if relations is None else asdict(relations)
    prior = parent_sets.provenance.get("prior", "uniform")
    content = {
        "format": FORMAT.name,
        "version": FORMAT.number,
        "forebear": OWN_VERSION,
        "variables": list(parent_sets.names),
        "sets": len(parent_sets),
        "provenance": parent_sets.provenance,
        **({} if prior == "uniform" else {"prior": prior}),
        "statements": {kind: pairs for kind, pairs in statements.items() if pairs},
        "ticks": round(math.log2(costs.ticks)),
        "cost": solver.cost,
        "network": None if network is None else [sorted(map(int, own)) for own in network],
        "cuts": tree.cuts,
        "nodes": tree.nodes,
    }
    with atomic_path(path) as draft, draft.open("w", encoding="utf-8") as file:
        json.dump(content, file, separators=(",", ":"), default=str)


def add_margins(path: Path | str, proofs: Sequence[MarginProof], above_all: int) -> None:
    """Add the proofs of margins to a certificate of the same parent sets.

    ``above_all`` is more than any network costs, and is proven if there is no network.
    """
    with Path(path).open(encoding="utf-8") as file:
        content = json.load(file)
    tree = ProofTree()
    tree.nodes, tree.cuts = content["nodes"], content["cuts"]
    content["margins"] = [
        {
            "absent": [list(arc) for arc in proof.restriction.absent],
            "cost": above_all if proof.impossible else proof.cost,
            "node": tree.append(proof.tree),
        }
        for proof in proofs
        if proof.impossible or proof.tree.nodes[0]["steps"]
    ]
    with atomic_path(path) as draft, draft.open("w", encoding="utf-8") as file:
        json.dump(content, file, separators=(",", ":"), default=str)


def warn_of_no_certificate(path: Path | str) -> None:
    """Warn that a certificate was not written."""
    message = f"{path} was not written: the search ended before a bound was proven"
    warnings.warn(ForebearWarning(message), stacklevel=2)
