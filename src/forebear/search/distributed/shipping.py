"""From parent sets here to a search on an executor's workers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from forebear._util.executors import shipped
from forebear.parentsets.cps import write_cps
from forebear.search.distributed.remote import Chain, RemoteSearch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from forebear.parentsets.collection import ParentSets
    from forebear.search.persistence.checkpoint import Checkpointer, Recipe
    from forebear.search.runner import Outcome
    from forebear.search.stop import Standing
    from forebear.search.trace import Improvement


def search_elsewhere(
    executor: Any,
    parent_sets: ParentSets,
    recipe: Recipe,
    n_processes: int,
    *,
    threads: int,
    started: float,
    keeper: Checkpointer | None = None,
    on_improvement: Callable[[Improvement], None] | None = None,
    on_start: Callable[[Callable[[], None]], None] | None = None,
    on_tick: Callable[[Sequence[Standing]], None] | None = None,
) -> Outcome:
    """Send the parent sets to the workers, once, and search there."""
    content = {
        "names": parent_sets.names,
        "offsets": parent_sets.offsets,
        "scores": parent_sets.scores,
        "parents": parent_sets.parents,
    }

    def write(path: Path) -> None:
        if parent_sets.path is not None and parent_sets.path.suffix == ".cps":
            path.symlink_to(parent_sets.path.absolute())
        else:
            write_cps(parent_sets, path)

    with shipped(executor, content, write, "sets.cps") as shipment:
        search = RemoteSearch(
            executor=executor,
            shipment=shipment,
            recipe=recipe,
            chains=[Chain(number) for number in range(1, n_processes + 1)],
            threads=threads,
            started=started,
            keeper=keeper,
            on_improvement=on_improvement,
            on_tick=on_tick,
        )
        if on_start:
            on_start(search.cancel)
        return search.run()
