"""From parent sets here to a search on an executor's workers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from forebear._util.executors import shipped
from forebear._util.watcher import Watcher
from forebear.parentsets.cps import write_cps
from forebear.search.distributed.remote import RemoteChain, RemoteSearch

if TYPE_CHECKING:
    from pathlib import Path

    from forebear.parentsets.collection import ParentSets
    from forebear.search.persistence.checkpoint import Checkpointer, Recipe
    from forebear.search.runner import Outcome


def search_elsewhere(
    executor: Any,
    parent_sets: ParentSets,
    recipe: Recipe,
    chains: int,
    *,
    threads: int,
    started: float,
    keeper: Checkpointer | None = None,
    watcher: Watcher | None = None,
) -> Outcome:
    """Send the parent sets to the workers, once, and search there."""
    watcher = watcher or Watcher()
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
            chains=[RemoteChain(number) for number in range(1, chains + 1)],
            threads=threads,
            started=started,
            keeper=keeper,
            watcher=watcher,
        )
        watcher.started(search.cancel)
        return search.run()
