"""What makes a graph a network: its names differ, its parents exist, and it has no cycle."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Any

from forebear._util.errors import ForebearError
from forebear._util.names import check_unique
from forebear._util.text import counted
from forebear.network import graphs

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_CYCLE_SHOWN = 10
"""Variables of a cycle that a message names: what fits on a line or two."""


def checked_parents(
    names: Sequence[str], parents: Iterable[Iterable[Any]]
) -> tuple[tuple[int, ...], ...]:
    """Return the parents of every variable in ascending order, if all of them exist."""
    try:
        families = tuple(tuple(sorted(map(index, family))) for family in parents)
    except TypeError as error:
        raise ForebearError(
            "parents are lists of indices: use Network.from_arcs for names"
        ) from error
    check_unique(names, "variable")
    if len(families) != len(names):
        raise ForebearError(
            f"the network has {counted(len(names), 'variable')}, "
            f"but {counted(len(families), 'list')} of parents"
        )
    for name, family in zip(names, families, strict=True):
        _check_family(name, family, len(names))
    return families


def _check_family(name: str, family: tuple[int, ...], n_variables: int) -> None:
    unknown = [p for p in family if not 0 <= p < n_variables]
    if unknown:
        there_are = "is" if n_variables == 1 else "are"
        raise ForebearError(
            f"{name} lists parent {unknown[0]}, but there {there_are} only "
            f"{counted(n_variables, 'variable')}, counted from 0"
        )
    if len(set(family)) < len(family):
        raise ForebearError(f"{name} lists the same parent twice")


def order_without_cycle(names: Sequence[str], parents: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Return the least topological order, or say which variables form a cycle."""
    try:
        return graphs.topological_order(parents)
    except graphs.CycleError as error:
        cycle = [names[v] for v in error.cycle]
    shown = cycle if len(cycle) <= _CYCLE_SHOWN else [*cycle[: _CYCLE_SHOWN - 1], "..."]
    raise ForebearError(f"the arcs form a cycle: {' -> '.join([*shown, cycle[0]])}")
