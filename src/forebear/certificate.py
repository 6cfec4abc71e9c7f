"""The file of a certificate: a proof that another program can check.

``docs/reference/certificates.md`` describes the format. ``checker/`` verifies it and shares no
code with what writes it.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from forebear._util.atomic import atomic_path
from forebear._util.formats import OWN_VERSION

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from forebear.parentsets.collection import ParentSets

FORMAT = "forebear certificate"
VERSION = 1


def write_certificate(
    path: Path | str,
    parent_sets: ParentSets,
    *,
    ticks: float,
    cost: int,
    network: Sequence[Sequence[int]] | None,
    cuts: Sequence[dict[str, Any]],
    nodes: Sequence[dict[str, Any]],
    statements: dict[str, list[list[int]]] | None = None,
    contracted: Sequence[Sequence[int]] = (),
) -> None:
    """Write that every network of some sets costs ``cost`` ticks or more, and why.

    With ``statements``, that is every network which respects them. If variables are
    ``contracted``, the first of each list stands for all of it in cuts.
    """
    content = {
        "format": FORMAT,
        "version": VERSION,
        "forebear": OWN_VERSION,
        "variables": list(parent_sets.names),
        "sets": len(parent_sets),
        "provenance": parent_sets.provenance,
        "statements": statements or {},
        "contracted": [[int(v) for v in part] for part in contracted],
        "ticks": round(math.log2(ticks)),
        "cost": cost,
        "network": None if network is None else [sorted(map(int, own)) for own in network],
        "cuts": cuts,
        "nodes": nodes,
    }
    with atomic_path(path) as draft, draft.open("w", encoding="utf-8") as file:
        json.dump(content, file, separators=(",", ":"), default=str)


def cluster_cut(members: Sequence[int], level: int) -> dict[str, Any]:
    """Describe the cut of a cluster."""
    return {"cluster": [int(v) for v in members], "level": level}


def local_cut(group: Sequence[int], values: NDArray[np.int64], limit: int) -> dict[str, Any]:
    """Describe a local cut: a row of values per variable, one value per subset of the group."""
    return {
        "group": [int(v) for v in group],
        "values": [_corners(row) for row in values],
        "limit": int(limit),
    }


def _corners(row: NDArray[np.int64]) -> list[list[int]]:
    """List the subsets that count more than each of their own subsets; these tell the others."""
    lower = np.zeros_like(row)
    masks = np.arange(len(row))
    for bit in range(len(row).bit_length() - 1):
        having = masks[masks >> bit & 1 == 1]
        lower[having] = np.maximum(lower[having], row[having ^ 1 << bit])
    return [[int(mask), int(row[mask])] for mask in np.flatnonzero(row > lower)]


def node(
    steps: Sequence[tuple[list[int], list[int]]],
    *,
    decision: list[Any] | None = None,
    branches: Sequence[int] = (),
    parts: Sequence[tuple[Sequence[int], int, int]] = (),
) -> dict[str, Any]:
    """Describe a node: prices of cuts, then two branches or some parts, if it is not closed."""
    return {
        "decision": decision,
        "steps": [list(step) for step in steps],
        "branches": list(branches),
        "parts": [[list(group), root, cost] for group, root, cost in parts],
    }
