"""Write certificates: proofs that another program can check. ``docs/certificates.md`` explains them."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from forebear._util.atomic import atomic_path
from forebear.exact.cuts import ClusterCut, LocalCut
from forebear.exact.nodes import ArcDecision, OrderDecision

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from forebear.exact.cuts import Cut
    from forebear.exact.tree import Record, Tree
    from forebear.parentsets.collection import ParentSets


def write_certificate(
    path: Path | str,
    parent_sets: ParentSets,
    tree: Tree,
    *,
    ticks: float,
    cost: int,
    network: Sequence[Sequence[int]] | None,
) -> None:
    """Write that every network costs ``cost`` or more, and why."""
    names = list(parent_sets.names)
    content = {
        "format": "forebear certificate",
        "version": 1,
        "variables": names,
        "sets": len(parent_sets),
        "provenance": parent_sets.provenance,
        "ticks": int(math.log2(ticks)),
        "cost": cost,
        "network": None if network is None else [sorted(map(int, own)) for own in network],
        "cuts": [_cut(variables, cut) for variables, cut in tree.cuts],
        "nodes": [_node(record) for record in tree.records],
    }
    with atomic_path(path) as draft, draft.open("w", encoding="utf-8") as file:
        json.dump(content, file, separators=(",", ":"), default=str)


def _cut(variables: Sequence[int], cut: Cut) -> dict[str, Any]:
    if isinstance(cut, ClusterCut):
        return {"cluster": [variables[v] for v in cut.cluster], "level": cut.k}
    if isinstance(cut, LocalCut):
        return {
            "group": [variables[v] for v in cut.group],
            "values": [_corners(row) for row in cut.values],
            "limit": int(cut.limit),
        }
    raise AssertionError("a cut of a kind that has no certificate")


def _corners(row: np.ndarray[Any, Any]) -> list[list[int]]:
    """List the subsets that count more than each of their own subsets; these tell the others."""
    lower = np.zeros_like(row)
    masks = np.arange(len(row))
    for bit in range(len(row).bit_length() - 1):
        having = masks[masks >> bit & 1 == 1]
        lower[having] = np.maximum(lower[having], row[having ^ 1 << bit])
    return [[int(mask), int(row[mask])] for mask in np.flatnonzero(row > lower)]


def _node(record: Record) -> dict[str, Any]:
    variables = record.variables
    decision: list[Any] | None = None
    if isinstance(record.decision, ArcDecision):
        child, parent, present = record.decision
        decision = ["arc", variables[child], variables[parent], present]
    elif isinstance(record.decision, OrderDecision):
        decision = ["before", *(variables[v] for v in record.decision)]
    return {
        "decision": decision,
        "steps": [[numbers.tolist(), prices.tolist()] for numbers, prices in record.steps],
        "branches": record.branches,
        "parts": [[list(group), root, cost] for group, root, cost in record.parts],
    }
