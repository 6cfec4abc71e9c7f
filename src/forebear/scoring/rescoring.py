"""The score of a network on a table, by code that shares nothing with the core."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from forebear._util.errors import LimitError
from forebear.data.columns import find_columns
from forebear.scoring.scores import as_score

if TYPE_CHECKING:
    from forebear.data.dataset import Dataset
    from forebear.network.network import Network
    from forebear.scoring.scores import Score


def score_network(network: Network, data: Dataset, score: Score | str = "bdeu") -> float:
    """Score a network on a table: the one it was learnt from, or another.

    Columns are matched by name. Scores depend on the number of states that the
    table declares, so tables that are to be compared should declare the same.
    """
    return math.fsum(family_scores(network, data, score))


def family_scores(
    network: Network, data: Dataset, score: Score | str = "bdeu"
) -> tuple[float, ...]:
    """Score every variable with its parents; the sum is the network's score."""
    chosen = as_score(score)
    columns = find_columns(data, network.names)
    scores = []
    for v, family in enumerate(network.parents):
        try:
            scores.append(chosen.local(data, columns[v], [columns[p] for p in family]))
        except OverflowError:
            raise LimitError(
                f"{network.names[v]} cannot be scored by {chosen.name}: "
                f"its {len(family):,} parents have too many configurations"
            ) from None
    return tuple(scores)
