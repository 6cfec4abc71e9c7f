"""What the tests of .jkl files share: a small file, and parent sets as plain lists."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from forebear.parentsets.collection import ParentSets

if TYPE_CHECKING:
    from pathlib import Path

SMALL = b"3\nA 2\n-1.5 1 C\n-2 0\nB 3\n-1 2 A C\n-3 1 A\n-4 0\nC 1\n-7 0\n"

Sets = list[tuple[float, tuple[int, ...]]]


def read_text(folder: Path, text: str | bytes) -> ParentSets:
    path = folder / "some.jkl"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return ParentSets.load(path)


def as_lists(parent_sets: ParentSets) -> list[Sets]:
    columns = [
        tuple(int(p) for p in column if p != parent_sets.none) for column in parent_sets.parents.T
    ]
    pairs = list(zip(parent_sets.scores.tolist(), columns, strict=True))
    offsets = parent_sets.offsets.tolist()
    return [pairs[i:j] for i, j in pairwise(offsets)]


def from_lists(names: tuple[str, ...], variables: list[Sets]) -> ParentSets:
    pairs = [pair for sets in variables for pair in sets]
    slots = max(len(members) for _, members in pairs)
    parents = np.full((slots, len(pairs)), 65535, np.uint16)
    for i, (_, members) in enumerate(pairs):
        parents[: len(members), i] = members
    offsets = np.cumsum([0, *map(len, variables)], dtype=np.int64)
    return ParentSets(names, offsets, np.array([score for score, _ in pairs]), parents)


def rank(pair: tuple[float, tuple[int, ...]]) -> tuple[float, int, tuple[int, ...]]:
    """The order of a variable's sets, as a sorting key."""
    score, members = pair
    return -score, len(members), members


def assert_same(left: ParentSets, right: ParentSets) -> None:
    assert left.names == right.names
    for name in ("offsets", "scores", "parents"):
        a, b = getattr(left, name), getattr(right, name)
        assert a.dtype == b.dtype
        assert a.shape == b.shape
        assert a.tobytes() == b.tobytes(), name
