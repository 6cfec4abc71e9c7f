"""Certificates of exact search: the tree of branch and cut in the form of the file."""

from __future__ import annotations

import warnings
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from forebear._util.errors import ForebearWarning
from forebear.certificate import cluster_cut, local_cut, node, write_certificate
from forebear.exact.cuts import ClusterCut, LocalCut
from forebear.exact.nodes import ArcDecision, OrderDecision
from forebear.exact.relationcuts import HeadsCut, TailsCut

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from forebear.exact.cuts import Cut
    from forebear.exact.problem import Solver
    from forebear.exact.tree import Record, Tree
    from forebear.knowledge.relations import Relations
    from forebear.parentsets.collection import ParentSets


def warn_of_no_certificate(path: Path | str) -> None:
    """Warn that a certificate was not written."""
    message = f"{path} was not written: the search ended before anything was proven"
    warnings.warn(ForebearWarning(message), stacklevel=2)


def write_tree(
    path: Path | str,
    parent_sets: ParentSets,
    tree: Tree,
    solver: Solver,
    network: Sequence[Sequence[int]],
) -> None:
    """Write what a solver has proven, and the network that it found."""
    solver.settle()
    write_certificate(
        path,
        parent_sets,
        ticks=solver.ticks,
        cost=solver.cost,
        network=network,
        cuts=[_cut(variables, cut) for variables, cut in tree.cuts],
        nodes=[_node(record) for record in tree.records],
        statements=_statements(solver.incumbents.relations),
    )


def _statements(relations: Relations | None) -> dict[str, list[list[int]]]:
    found = {} if relations is None else asdict(relations)
    return {kind: [list(pair) for pair in pairs] for kind, pairs in found.items() if pairs}


def _cut(variables: Sequence[int], cut: Cut) -> dict[str, Any]:
    def named(members: Sequence[int]) -> list[int]:
        return [variables[v] for v in members]

    if isinstance(cut, ClusterCut):
        return cluster_cut(named(cut.cluster), cut.k)
    if isinstance(cut, LocalCut):
        return local_cut(named(cut.group), cut.values, cut.limit)
    if isinstance(cut, HeadsCut):
        return (
            {"because": "before", "group": named(cut.group)}
            if cut.pair is None
            else {"because": "not_ancestors", "pair": named(cut.pair), "group": named(cut.group)}
        )
    if isinstance(cut, TailsCut):
        # Two sides are those of an adjacent pair.
        group = cut.pair if len(cut.sides) == 2 else cut.sides[0][1]
        kind = "adjacent" if len(cut.sides) == 2 else "ancestors"
        return {"because": kind, "pair": named(cut.pair), "group": named(group)}
    raise AssertionError("a cut of a kind that has no certificate")


def _node(record: Record) -> dict[str, Any]:
    variables = record.variables
    decision: list[Any] | None = None
    if isinstance(record.decision, ArcDecision):
        child, parent, present = record.decision
        decision = ["arc", variables[child], variables[parent], present]
    elif isinstance(record.decision, OrderDecision):
        decision = ["before", *(variables[v] for v in record.decision)]
    return node(
        [(numbers.tolist(), prices.tolist()) for numbers, prices in record.steps],
        decision=decision,
        branches=record.branches,
        parts=record.parts,
    )
