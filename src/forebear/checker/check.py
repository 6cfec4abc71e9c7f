"""Check a certificate: a proof that no network of some parent sets costs less than it claims.

It may be about only those networks that respect some statements, such as "A is an ancestor of B".

This room shares no code with the programs that write certificates. It reads the certificate and
the parent sets, and does all arithmetic with whole numbers, so that nothing depends on rounding.
The page "Certificates" of the documentation describes the format and why a proof is valid.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from forebear.checker.cuts import Statements, read_cut, read_members, read_pair, read_statements
from forebear.checker.subproblem import (
    CertificateError,
    Ints,
    Sets,
    Subproblem,
    apply_decision,
    expect,
    expect_fields,
    has_network,
    propagate,
    read_integer,
    transitive_closure,
)


class CertifiedMargin(NamedTuple):
    """A bound on the score of the networks without some arcs.

    ``absent`` has these arcs as pairs of numbers, (parent, child). ``bound`` is an exact fraction
    of nats, or None if there is no such network.
    """

    absent: tuple[tuple[int, int], ...]
    bound: Fraction | None


class CertifiedBound(NamedTuple):
    """The bound that a certificate proves.

    No network that respects the statements scores more than ``bound``. ``score`` is the score of
    the network in the certificate, or None. Both are exact fractions of nats. ``nodes`` is the
    number of nodes of the proof, and ``cuts`` the number of cuts in the file. If ``no_network``, no
    network respects the statements, whatever its score. The scores include the ``prior`` over
    networks, and ``log_prior`` is its part of the score of the network. ``margins`` are bounds on
    the networks that lack some arcs.
    """

    bound: Fraction
    score: Fraction | None
    nodes: int
    cuts: int
    statements: Statements
    no_network: bool
    prior: str | float
    log_prior: float
    margins: tuple[CertifiedMargin, ...] = ()


def check_certificate(
    path: Path | str,
    names: Sequence[str],
    offsets: NDArray[np.int64],
    scores: NDArray[np.float64],
    parents: NDArray[Any],
) -> CertifiedBound:
    """Check a certificate against parent sets, given as the arrays of ``ParentSets``.

    Raises
    ------
    CertificateError
        If it is not a proof for these sets; the message explains why.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
        certificate = json.loads(text, object_pairs_hook=_without_repetition)
        expect(
            certificate["format"] == "forebear certificate",
            "the format is not that of a certificate",
        )
        version, writer = certificate["version"], certificate.get("forebear", "an unknown version")
        expect(
            type(version) is int and version == 1,
            f"it has version {version!r} of the format and was written by forebear {writer}, but "
            "this checker supports version 1 only: update forebear",
        )
        expect(certificate["variables"] == list(names), "it is for other variables")
        expect(certificate["sets"] == len(scores), "it is for other parent sets")
        checker = _Checker(certificate, offsets, scores, parents)
        checker.check_tree(0, checker.sets, checker.target)
        bound, no_network = checker.bound_of(checker.target), checker.no_network
        margins = tuple(map(checker.check_margin, certificate.get("margins", ())))
        return CertifiedBound(
            bound,
            checker.score(),
            checker.nodes,
            len(certificate["cuts"]),
            checker.statements,
            no_network,
            checker.prior,
            checker.log_prior(),
            margins,
        )
    except (LookupError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise CertificateError(
            f"it is not well formed ({type(error).__name__}: {error})"
        ) from error


def _without_repetition(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object; reject repeated fields, which other readers may resolve differently."""
    found = dict(fields)
    expect(len(found) == len(fields), "it has a field twice")
    return found


def _read_prior(given: Any) -> str | float:
    """Return the prior over networks that the scores include; reject anything else."""
    known = given in ("uniform", "sparse") or (type(given) is float and 0.0 < given <= 0.5)
    expect(known, f"{given!r} is not a prior over networks")
    prior: str | float = given
    return prior


class _Checker:
    def __init__(
        self,
        certificate: dict[str, Any],
        offsets: NDArray[np.int64],
        scores: NDArray[np.float64],
        parents: NDArray[Any],
    ) -> None:
        self.n = len(offsets) - 1
        self._nodes = certificate["nodes"]
        self._network = certificate["network"]
        self.target = read_integer(certificate["cost"], -(2**61))
        # Scores are rounded up to whole ticks, so no network seems worse than it is.
        self._ticks = 2.0 ** read_integer(certificate["ticks"], 0, 1000)
        allowed = np.flatnonzero(np.isfinite(scores))
        scaled = np.ceil(scores[allowed] * self._ticks)
        expect(bool((np.abs(scaled) <= 2.0**60).all()), "the ticks are too small")
        raised = scaled.astype(np.int64)
        child = np.repeat(np.arange(self.n), np.diff(offsets))[allowed]
        starts = np.searchsorted(child, np.arange(self.n + 1))
        expect(bool((np.diff(starts) > 0).all()), "a variable has no allowed set")
        self._best = np.maximum.reduceat(raised, starts[:-1])
        slots = np.sort(np.minimum(parents[:, allowed], self.n).T.astype(np.int64), axis=1)
        self.sets = Sets(child, self._best[child] - raised, slots, starts)
        self._scores = scores[allowed]
        # Files without statements are about all networks.
        self.statements = read_statements(certificate.get("statements", {}), self.n)
        self._cuts = [read_cut(cut, self.n, self.statements) for cut in certificate["cuts"]]
        # Files without a prior are about scores without one, or with the same for all networks.
        self.prior = _read_prior(certificate.get("prior", "uniform"))
        # Development versions of 0.1 let one variable stand for several.
        expect(not certificate.get("contracted"), "it contracts variables: write it again")
        self._reached: set[int] = set()
        self._dropped = False  # whether anything was dropped or closed because of the target

    # ---- what it claims ------------------------------------------------------------------------

    def bound_of(self, cost: int) -> Fraction:
        """Return the score that is this cost below the sum of the best scores."""
        return Fraction(sum(self._best.tolist()) - cost) / Fraction(self._ticks)

    @property
    def nodes(self) -> int:
        """The number of nodes that were reached."""
        return len(self._reached)

    @property
    def no_network(self) -> bool:
        """Whether no network exists, as the section "No network" of the page defines it."""
        return self._is_beyond(self.target) or not self._dropped or not has_network(self.sets)

    def _is_beyond(self, cost: int) -> bool:
        """Return whether a cost exceeds that of any choice of sets."""
        dearest = np.zeros(self.n, dtype=np.int64)
        np.maximum.at(dearest, self.sets.child, self.sets.cost)
        return cost > sum(dearest.tolist())

    def log_prior(self) -> float:
        """The log prior of the network; 0 without a network."""
        sizes = [len(members) for members in self._network or ()]
        if self.prior == "uniform":
            return 0.0
        if self.prior == "sparse":
            most = [min(size, (self.n - 1) // 2) for size in sizes]
            return -math.fsum(math.log(math.comb(self.n - 1, size)) for size in most)
        odds = float(self.prior) / (1.0 - float(self.prior))
        return sum(sizes) * math.log(odds)

    def score(self) -> Fraction | None:
        """The score of the network, which must be acyclic and respect the statements."""
        if self._network is None:
            return None
        expect(
            len(self._network) == self.n, "the network does not have one parent set per variable"
        )
        total, parents = Fraction(0), np.zeros((self.n, self.n), dtype=bool)
        for v, given in enumerate(self._network):
            own = self.sets.span(v)
            members = read_members(given, self.n)
            slots = self.sets.slots[own]
            same = (np.isin(slots, [*members, self.n]).all(axis=1)) & (
                (slots < self.n).sum(axis=1) == len(members)
            )
            expect(bool(same.any()), f"variable {v} has no such parent set as in the network")
            total += Fraction(float(self._scores[own][same][0]))
            parents[v, members] = True
        above = transitive_closure(parents)
        expect(not above.diagonal().any(), "the network has a cycle")
        statements = self.statements
        ordered = parents.copy()
        for first, then in statements["before"]:
            ordered[then, first] = True
        respects = (
            not transitive_closure(ordered).diagonal().any()
            and all(above[b, a] for a, b in statements["ancestors"])
            and not any(above[b, a] for a, b in statements["not_ancestors"])
            and all(parents[a, b] or parents[b, a] for a, b in statements["adjacent"])
        )
        expect(respects, "the network violates a statement")
        return total

    # ---- prices: what they prove ---------------------------------------------------------------

    def reduced(self, sets: Sets, step: Sequence[Sequence[int]]) -> tuple[Ints, int]:
        """Add up costs and prices times coefficients; return also prices times limits."""
        numbers, prices = step
        expect(len(numbers) == len(prices), "a step does not have one price per cut")
        reduced = sets.cost.copy()
        size, paid = 0, 0
        for number, given in zip(numbers, prices, strict=True):
            cut, price = (
                self._cuts[read_integer(number, 0, len(self._cuts) - 1)],
                read_integer(given),
            )
            size += price * max(cut.largest, cut.limit)
            expect(size < 2**60, "prices are so large that sums could overflow")
            paid += price * cut.limit
            for places, values in cut.coefficients(sets):
                reduced[places] += price * values
        return reduced, paid

    def _apply(self, problem: Subproblem, step: Sequence[Sequence[int]]) -> Subproblem | None:
        """Drop the sets that no network below the target has; None if no network is left."""
        sets = problem.sets
        reduced, paid = self.reduced(sets, step)
        least = sets.least(reduced)
        cost = sum(least[v] for v in problem.scope.tolist()) - paid
        if cost >= problem.target:
            self._dropped = True
            return None
        # The cost of this set and the cheapest ones of the other variables is below the target.
        extra = reduced - np.array(least)[sets.child]
        keep = extra < min(problem.target - cost, 2**62)
        self._dropped |= not keep.all()
        return propagate(problem._replace(sets=sets.kept(keep)))

    # ---- the tree ------------------------------------------------------------------------------

    def check_margin(self, given: dict[str, Any]) -> CertifiedMargin:
        """Check the proof of a bound on the networks without some arcs.

        They are the networks of fewer parent sets, so the rules are the same.
        """
        expect_fields(given, "absent", "cost", "node")
        absent = tuple(read_pair(arc, self.n) for arc in given["absent"])
        expect(
            bool(absent) and len(set(absent)) == len(absent), "a margin has no arc, or one twice"
        )
        has = np.zeros(len(self.sets.child), dtype=bool)
        for parent, child in absent:
            has |= (self.sets.child == child) & (self.sets.slots == parent).any(axis=1)
        cost = read_integer(given["cost"], -(2**61))
        self.check_tree(given["node"], self.sets.kept(~has), cost)
        return CertifiedMargin(absent, None if self._is_beyond(cost) else self.bound_of(cost))

    def check_tree(self, root: Any, sets: Sets, target: int) -> None:
        """Visit a tree from its root; every leaf must be closed."""
        # An ancestor comes before its descendants in every topological order.
        before = (*self.statements["before"], *self.statements["ancestors"])
        expect(self._node(root)["decision"] is None, "the root has a decision")
        whole = propagate(Subproblem(sets, np.arange(self.n), before, target))
        open_ = [] if whole is None else [(root, whole)]
        while open_:
            number, problem = open_.pop()
            node = self._nodes[number]
            left: Subproblem | None = problem
            for step in node["steps"]:
                left = left and self._apply(left, step)
            expect(not (node["parts"] and node["branches"]), "a node has parts and branches")
            if left is None:
                continue
            if node["parts"]:
                expect(number == root, "only the root may be split")
                open_ += self._split(left, node["parts"])
            else:
                open_ += self._branch(number, left, node["branches"])

    def _node(self, given: Any) -> dict[str, Any]:
        """Return a node that is reached for the first time."""
        number = read_integer(given, 0, len(self._nodes) - 1)
        expect(number not in self._reached, f"node {number} is reached twice")
        self._reached.add(number)
        node: dict[str, Any] = self._nodes[number]
        expect_fields(node, "decision", "steps", "branches", "parts")
        return node

    def _branch(
        self, number: int, problem: Subproblem, branches: Sequence[int]
    ) -> list[tuple[int, Subproblem]]:
        """Apply both decisions, which together must cover every network."""
        expect(len(branches) == 2, f"node {number} is neither closed nor split")
        (kind, *first), (other, *second) = (self._node(b)["decision"] for b in branches)
        sizes = {"arc": 3, "before": 2}
        expect(kind == other and sizes.get(kind) == len(first), "a decision has an unknown kind")
        opposite = [*first[:2], not first[2]] if kind == "arc" else first[::-1]
        expect(second == opposite, f"the branches of node {number} are not opposites")
        problems = [
            (branch, apply_decision(problem, kind, decision))
            for branch, decision in zip(branches, (first, second), strict=True)
        ]
        return [(branch, one) for branch, one in problems if one is not None]

    def _split(
        self, problem: Subproblem, parts: Sequence[tuple[list[int], int, int]]
    ) -> list[tuple[int, Subproblem]]:
        """Split into groups between which there is no cycle; each must reach its own target."""
        sets = problem.sets
        expect(not any(self.statements.values()), "statements may join the parts")
        home = np.arange(self.n) + len(parts)  # variables in no part are alone
        for i, (group, _, _) in enumerate(parts):
            places = read_members(group, self.n)
            new = bool(places) and bool((home[places] >= len(parts)).all())
            expect(new, "a part is empty, or a variable is in two parts")
            home[places] = i
        links = np.zeros((self.n + len(parts),) * 2, dtype=bool)
        children, members = np.nonzero(sets.counts())
        outside = home[children] != home[members]
        links[home[children[outside]], home[members[outside]]] = True
        expect(not transitive_closure(links).diagonal().any(), "there are cycles between the parts")
        cheapest = sets.least(sets.cost)
        total = sum(cheapest[v] for v in range(self.n) if home[v] >= len(parts))
        problems = []
        for i, (_, number, target) in enumerate(parts):
            total += read_integer(target, -(2**61))
            expect(self._node(number)["decision"] is None, "a part has a decision")
            inside = home == i
            own = sets.kept(inside[sets.child])
            own = replace(
                own, slots=np.where(np.append(inside, True)[own.slots], own.slots, self.n)
            )
            part = propagate(Subproblem(own, np.flatnonzero(inside), (), target))
            if part is not None:
                problems.append((number, part))
        expect(total >= problem.target, "the parts do not add up to the target")
        return problems
