"""k_best_networks(): not only the best network, but those that come close."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forebear._util.errors import ForebearError
from forebear.exact.settings import Exact
from forebear.exact.solve import find_exact

if TYPE_CHECKING:
    from collections.abc import Callable

    from forebear.parentsets.collection import ParentSets
    from forebear.result import Result
    from forebear.search.trace import Improvement


def k_best_networks(
    parent_sets: ParentSets,
    k: int,
    *,
    time_limit: float | None = None,
    threads: int | None = None,
    seed: int | None = None,
    on_improvement: Callable[[Improvement], None] | None = None,
    on_start: Callable[[Callable[[], None]], None] | None = None,
) -> list[Result]:
    """Find the k networks of the highest scores, best first; fewer if there are no more.

    They are made of the parent sets given: what scoring has dropped, since a
    subset scores as high, is not among them. They are proven to be the k best
    if ``stop_reason`` is "optimal"; after ``time_limit`` seconds (60), or
    interrupted, they are the best so far. The ``bound`` of each holds for all
    networks, so that its ``gap`` tells how far it may be from the best one.
    """
    if k < 1:
        raise ForebearError(f"k must be at least 1, got {k}")
    return find_exact(
        parent_sets,
        Exact("branch-and-cut"),
        k=k,
        time_limit=time_limit,
        threads=threads,
        seed=seed,
        on_improvement=on_improvement,
        on_start=on_start,
    )
