"""Names of variables: unique names, looked up by name or by index."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from functools import cached_property
from numbers import Integral
from typing import TypeAlias

from forebear._util.errors import ForebearError
from forebear._util.text import counted, listing

Variable: TypeAlias = "int | str"
"""A variable by name or by index; NumPy integers are indices too."""


class VariableNames:
    """The names of variables, and the index of each; a base of classes with variables."""

    names: tuple[str, ...]

    def __init__(self, names: Iterable[str]) -> None:
        self.names = tuple(names)

    @property
    def n_variables(self) -> int:
        """The number of variables."""
        return len(self.names)

    def index(self, variable: Variable) -> int:
        """Return the index of a variable.

        Parameters
        ----------
        variable
            Its name, or its index, which is checked.

        Returns
        -------
        int
            The index, from 0.

        Raises
        ------
        ForebearError
            If there is no such variable.
        """
        if isinstance(variable, str):
            if variable not in self._indices_by_name:
                raise ForebearError(no_variable(variable, self.names))
            return self._indices_by_name[variable]
        if not isinstance(variable, Integral) or isinstance(variable, bool):
            raise ForebearError(f"a variable must be a name or an index, got {variable!r}")
        if not 0 <= int(variable) < self.n_variables:
            are = "is" if self.n_variables == 1 else "are"
            raise ForebearError(
                f"there is no variable {variable}: "
                f"there {are} {counted(self.n_variables, 'variable')}, counted from 0"
            )
        return int(variable)

    @cached_property
    def _indices_by_name(self) -> dict[str, int]:
        """The index of every name."""
        return {name: v for v, name in enumerate(self.names)}


def no_variable(name: str, names: Iterable[str]) -> str:
    """Return the message that no variable has this name, with the closest name."""
    return f'no variable is called "{name}"' + did_you_mean(name, names)


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Return a hint at the closest name, after a colon; nothing if no name is close."""
    folded = {other.casefold(): other for other in names}
    close = [folded[near] for near in get_close_matches(name.casefold(), folded, n=1)]
    return f': did you mean "{close[0]}"?' if close else ""


def with_hints(names: Sequence[str], others: Iterable[str]) -> str:
    """List the first few names, each with a hint at the closest of some others."""
    others = list(others)
    return listing([*(f"{name}{did_you_mean(name, others)}" for name in names[:5]), *names[5:]])


def check_unique(names: Sequence[str], kind: str) -> None:
    """Reject names that occur more than once."""
    if len(set(names)) < len(names):
        twice = Counter(names).most_common(1)[0][0]
        raise ForebearError(f"{kind} {twice} is named twice")
