"""Statements: single pieces of knowledge, each with the place where it was said."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class Kind(Enum):
    """What a statement says of its variables, in words."""

    REQUIRED = "{} -> {} is required"
    FORBIDDEN = "{} -> {} is forbidden"
    ADJACENT = "{} and {} are to be joined by an arc"
    BEFORE = "{} comes before {}"
    ANCESTOR = "{} is an ancestor of {}"
    NOT_ANCESTOR = "{} is not an ancestor of {}"
    TIER = "{} is in tier {}"
    MAX_PARENTS = "{} has at most {} parents"


class Statement(NamedTuple):
    """One piece of knowledge; the second term is a variable, a tier (from 1) or a number."""

    kind: Kind
    first: str
    second: str | int
    where: str = ""

    def __str__(self) -> str:
        """Say it, and where it was said."""
        said = self.kind.value.format(self.first, self.second)
        return f"{said} ({self.where})" if self.where else said
