"""learn_once(): one search, from a table in memory to a network, once everything is decided."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from forebear.learning.searchable_sets import get_searchable_sets
from forebear.learning.searching import search_and_prove
from forebear.learning.steps import check_against_data, check_memory, reserved_seconds

if TYPE_CHECKING:
    from forebear.data.dataset import Dataset
    from forebear.knowledge.enforcement import Enforced
    from forebear.learning.request import SearchRequest
    from forebear.learning.steps import Means
    from forebear.parentsets.collection import ParentSets
    from forebear.result import Result
    from forebear.scoring.scores import Score


def learn_once(
    table: Dataset,
    score: Score,
    max_parents: int | None,
    known: Enforced,
    request: SearchRequest,
    means: Means,
) -> Result:
    """Score parent sets, search them and prove how good the network is."""
    found = get_searchable_sets(table, score, max_parents, known, request, means)
    scored, growth = found.sets, found.growth
    check_memory(scored, request.threads, means.max_memory)
    reserve = reserved_seconds(means.clock, table, request.watcher)

    def keep(grown: ParentSets) -> None:
        if growth is not None and request.timed:
            means.keep_grown(grown, growth.job, growth.max_parents)

    result = search_and_prove(
        scored,
        request,
        means.clock,
        reserve,
        growth,
        keep,
        known.relations,
        found.start,
    )
    known.check(result)
    with suppress(KeyboardInterrupt):  # the network is not lost if this check is cut short
        check_against_data(result, table, score)
    return result
