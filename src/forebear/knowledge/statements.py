"""Statements: single pieces of knowledge, each with the file and line that it comes from."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from forebear._util.errors import ForebearError
from forebear._util.text import counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from forebear._util.names import Variable


class Kind(Enum):
    """What a statement says about its variables."""

    REQUIRED = "{} -> {} is required"
    FORBIDDEN = "{} -> {} is forbidden"
    ADJACENT = "{} and {} must be adjacent"
    BEFORE = "{} comes before {}"
    ANCESTOR = "{} is an ancestor of {}"
    NOT_ANCESTOR = "{} is not an ancestor of {}"
    TIER = "{} is in tier {}"
    MAX_PARENTS = "{} has at most {}"

    @property
    def about_pair(self) -> bool:
        """Whether statements of this kind are about two variables."""
        return self not in (Kind.TIER, Kind.MAX_PARENTS)


class Statement(NamedTuple):
    """One piece of knowledge.

    ``first`` is a variable; ``second`` is a variable, a tier (from 1) or a number of parents.
    Variables are names, or indices where the names are not known yet. ``where`` is the file and
    line, if there is one.
    """

    kind: Kind
    first: Variable
    second: Variable
    where: str = ""

    def __str__(self) -> str:
        """Write the statement as a sentence, with its file and line."""
        parents = self.kind is Kind.MAX_PARENTS
        second = counted(self.number, "parent") if parents else self.second
        said = self.kind.value.format(self.first, second)
        return f"{said} ({self.where})" if self.where else said

    @property
    def pair(self) -> tuple[str, str]:
        """Both variables, by name."""
        return str(self.first), str(self.second)

    @property
    def number(self) -> int:
        """The tier, or the largest number of parents."""
        return int(self.second)

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables that the statement is about."""
        return (self.first, self.second) if self.kind.about_pair else (self.first,)

    def named(self, name_of: Callable[[Variable], str]) -> Statement:
        """Return the statement with its variables by name; unknown variables are an error."""
        try:
            first, *second = map(name_of, self.variables)
        except ForebearError as error:
            if not self.where:
                raise
            raise ForebearError(f"{self.where}: ", error.message) from None
        return Statement(self.kind, first, second[0] if second else self.second, self.where)
