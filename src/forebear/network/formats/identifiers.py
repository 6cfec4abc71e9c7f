"""Identifiers derived from names, for formats in which a node needs a plain word."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_FOREIGN = re.compile(r"[^A-Za-z0-9_]")


def identifier_of(name: str) -> str:
    """Derive an identifier: letters, digits and underscores, not starting with a digit."""
    spelled = _FOREIGN.sub("_", name)
    return spelled if spelled and not spelled[0].isdigit() else f"_{spelled}"


def identifiers_of(names: Sequence[str], reserved: Collection[str] = ()) -> tuple[str, ...]:
    """Derive a distinct identifier from every name; names that are identifiers stay as they are."""
    taken = {name for name in names if identifier_of(name) == name} - set(reserved)
    chosen = []
    for name in names:
        wanted = identifier_of(name)
        if name in taken:
            chosen.append(name)
            continue
        spelled, number = wanted, 2
        while spelled in taken or spelled in reserved:
            spelled, number = f"{wanted}_{number}", number + 1
        taken.add(spelled)
        chosen.append(spelled)
    return tuple(chosen)


def stands_for(identifier: str, name: str, reserved: Collection[str] = ()) -> bool:
    """Tell whether ``identifiers_of`` could have derived this identifier from that name."""
    wanted = identifier_of(name)
    if wanted == name and name not in reserved:
        return identifier == name
    return re.fullmatch(rf"{re.escape(wanted)}(_\d+)?", identifier) is not None
