"""Constraints as people type them: arcs such as ``A->B``, and files of tiers."""

from __future__ import annotations

import csv
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING

from forebear._util.errors import FileError, ForebearError
from forebear._util.names import no_variable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

ARROW = "->"


def parse_arcs(option: str, arcs: Iterable[str], names: Sequence[str]) -> dict[str, list[str]]:
    """Gather ``parent->child`` arcs as the parents of every child."""
    parents: dict[str, list[str]] = {}
    for arc in arcs:
        parent, child = _ends(option, arc, names)
        parents.setdefault(child, []).append(parent)
    return parents


def check_acyclic(parents: Mapping[str, Sequence[str]]) -> None:
    """Refuse required arcs that no network can have all together."""
    try:
        TopologicalSorter(parents).prepare()
    except CycleError as error:
        cycle = " -> ".join(error.args[1])
        raise ForebearError(f"the arcs of --require make a cycle: {cycle}") from error


def _ends(option: str, arc: str, names: Sequence[str]) -> tuple[str, str]:
    splits = list(_splits(arc))
    if not splits:
        raise ForebearError(f'{option} takes an arc such as "A->B" (parent->child), got "{arc}"')
    for parent, child in splits:  # names may contain arrows themselves
        if parent in names and child in names:
            return parent, child
    parent, child = splits[0]
    stranger = child if parent in names else parent
    raise ForebearError(f'{option} "{arc}": {no_variable(stranger, names)}')


def _splits(arc: str) -> Iterator[tuple[str, str]]:
    at = arc.find(ARROW)
    while at >= 0:
        yield arc[:at].strip(), arc[at + len(ARROW) :].strip()
        at = arc.find(ARROW, at + 1)


def read_tiers(path: Path, names: Sequence[str]) -> list[list[str]]:
    """Read tiers, first to last: one a line, names separated by commas."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"{path}: cannot be read: {getattr(error, 'strerror', error)}") from error
    tiers = []
    for number, fields in enumerate(csv.reader(lines, skipinitialspace=True), start=1):
        tier = [name.strip() for name in fields if name.strip()]
        for name in tier:
            if name not in names:
                raise FileError.at(path, number, no_variable(name, names))
        if tier:
            tiers.append(tier)
    return tiers
