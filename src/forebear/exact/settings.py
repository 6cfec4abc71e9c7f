"""Exact: the settings of exact search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from forebear._util.checks import check_choice
from forebear.budget import DYNAMIC_VARIABLES

Method: TypeAlias = Literal["auto", "dynamic", "branch-and-cut"]


@dataclass(frozen=True)
class Exact:
    """Exact search: finds the best network and proves that no network scores higher.

    With a few dozen variables, optimality is usually proven within seconds. If the time is up
    first, the result is the best network found, with a bound on the score of any network.

    Parameters
    ----------
    method
        ``"auto"`` (default): dynamic programming up to 20 variables. Beyond, dual ascent drops
        parent sets, and branch and cut or dynamic programming solves what is left.
        ``"dynamic"``: dynamic programming over sets of variables, up to 32. Time and memory double
        with every variable, whatever the parent sets are; 26 variables need 0.5 GB.
        ``"branch-and-cut"``: dual ascent, then integer programming with cutting planes, for any
        number of variables.

    Raises
    ------
    ForebearError
        If ``method`` is none of these.

    Examples
    --------
    >>> import forebear
    >>> sets = forebear.score_parent_sets("example:orchard", max_parents=3)
    >>> result = forebear.find_network(sets, algorithm=forebear.Exact("branch-and-cut"))
    >>> result.status
    'optimal'
    """

    method: Method = "auto"

    def __post_init__(self) -> None:
        check_choice(get_args(Method), method=self.method)

    def chosen(self, n_variables: int) -> Method:
        """Return the method to use for this many variables."""
        if self.method != "auto":
            return self.method
        return "dynamic" if n_variables <= DYNAMIC_VARIABLES else "auto"
