"""learn_table(): from a table in memory to a network, with or without missing values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forebear.learning.pipeline import learn_once
from forebear.learning.structural_em import StructuralEM

if TYPE_CHECKING:
    from forebear.data.dataset import Dataset
    from forebear.knowledge.enforcement import Enforced
    from forebear.learning.request import SearchRequest
    from forebear.learning.steps import Means
    from forebear.result import Result
    from forebear.scoring.scores import Score


def learn_table(
    table: Dataset,
    score: Score,
    max_parents: int | None,
    known: Enforced,
    request: SearchRequest,
    means: Means,
) -> Result:
    """Learn in one search, or in several where missing values are completed in between."""
    if table.has_missing and table.missing == "em":
        learner = StructuralEM(table, score, max_parents, known, request, means)
        return learner.learn()
    return learn_once(table, score, max_parents, known, request, means)
