"""Choice: which of its parent sets a variable has in a network."""

from __future__ import annotations

from typing import NamedTuple


class Choice(NamedTuple):
    """The parent set of one variable in the network.

    Attributes
    ----------
    rank
        Its rank among the variable's parent sets; 1 is the best.
    sets
        The number of parent sets of the variable.
    score
        Its local score.
    """

    rank: int
    sets: int
    score: float
