"""score_network(): the score of a network on a table, computed independently of the core."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from forebear._util.errors import LimitError
from forebear._util.text import counted
from forebear.data.coding import Unseen
from forebear.data.columns import find_columns
from forebear.data.matching import table_as
from forebear.data.packed_table import merged_rows
from forebear.network.expectation_maximization import expect
from forebear.network.network import NetworkLike, as_network
from forebear.scoring.available_cases import AvailableCases, check_scorable
from forebear.scoring.scores import Score, as_score


def score_network(
    network: NetworkLike,
    data: Any,
    score: Score | str | None = None,
    *,
    prior: str | float | None = None,
    unseen: Unseen = "error",
) -> float:
    """Score a network on a table: the one it was learned from, or another.

    Parameters
    ----------
    network
        A Network, a FittedNetwork or a Result.
    data
        A path, a data frame, an array of rows by columns, or a Dataset. Columns are matched by
        name. A raw table is read with the options, the cuts and the states of the table that the
        network was learned from. Scores depend on the number of declared states, so declare the
        same states in tables that you compare. Missing values and interventions are handled as set
        in the Dataset. With "em", the rows are completed by this network before they are scored.
    score
        A name such as "bdeu", or an object such as ``BDeu(ess=10)``. Default: as in ``learn``.
    prior
        The prior over networks, which is part of the score: "uniform", "sparse" or the probability
        of an arc. Default: as in ``learn``.
    unseen
        What is done with states that table did not have: "error" (default), or "missing" to treat
        them as missing.

    Returns
    -------
    float
        The sum of the local scores, exactly rounded.
    """
    return math.fsum(family_scores(network, data, as_score(score, prior=prior), unseen))


def family_scores(
    network: NetworkLike, data: Any, score: Score | str | None = None, unseen: Unseen = "error"
) -> tuple[float, ...]:
    """Score every variable of a network with its parents.

    Parameters
    ----------
    network
        A Network, a FittedNetwork or a Result.
    data
        A path, a data frame, an array of rows by columns, or a Dataset.
    score
        A name such as "bdeu", or an object such as ``BDeu(ess=10)``. Default: as in ``learn``.
    unseen
        What is done with states that the network does not have; see ``score_network``.

    Returns
    -------
    tuple of float
        The local score of every variable; their sum is the score of the network.
    """
    structure, chosen = as_network(network), as_score(score)
    experiments = structure.row_sets is not None
    table = table_as(data, structure.coding, None, unseen, experiments=experiments)
    if table.has_missing and table.missing == "em":
        table = expect(
            structure, table.select(find_columns(table.names, structure.names))
        ).completed
    check_scorable(table, chosen)
    table = merged_rows(table)
    table = table.select(find_columns(table.names, structure.names))
    local = (
        AvailableCases(chosen, table).value if table.has_missing else partial(chosen.local, table)
    )
    scores = []
    for v, family in enumerate(structure.parents):
        try:
            scores.append(local(v, family))
        except OverflowError:
            raise LimitError(
                f"{structure.names[v]} cannot be scored by {chosen.name}, because its "
                f"{counted(len(family), 'parent')} have too many configurations"
            ) from None
    return tuple(scores)
