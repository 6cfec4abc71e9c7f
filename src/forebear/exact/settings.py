"""How exact search is set up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from forebear._util.errors import ForebearError

Method: TypeAlias = Literal["auto", "dynamic", "astar", "branch-and-cut"]

FEW_VARIABLES = 20
"""Up to so many, dynamic programming takes a second or two whatever the sets are."""


@dataclass(frozen=True)
class Exact:
    """Exact search: by dynamic programming, A* or branch and cut.

    Left to choose (``auto``), it is dynamic programming for up to 20
    variables, and branch and cut beyond.
    """

    method: Method = "auto"

    def __post_init__(self) -> None:
        if self.method not in get_args(Method):
            raise ForebearError(
                f"no exact method is called {self.method!r}: "
                f"there are {', '.join(get_args(Method))}"
            )

    def chosen(self, n_variables: int) -> Method:
        """Choose the method."""
        if self.method != "auto":
            return self.method
        return "dynamic" if n_variables <= FEW_VARIABLES else "branch-and-cut"
