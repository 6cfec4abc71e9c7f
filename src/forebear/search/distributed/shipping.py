"""From parent sets here to a search on an executor's workers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from forebear._util.executors import shipped
from forebear._util.watcher import Watcher
from forebear.data.formats.arrays import write_arrays
from forebear.parentsets.cps import write_cps
from forebear.search.distributed.remote import TABLE_FILE, RemoteChain, RemoteSearch

if TYPE_CHECKING:
    from pathlib import Path

    from forebear.parentsets.collection import ParentSets
    from forebear.search.growth import Growth
    from forebear.search.incumbent import Incumbent
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
    incumbent: Incumbent,
    growth: Growth | None = None,
    keeper: Checkpointer | None = None,
    watcher: Watcher | None = None,
) -> Outcome:
    """Send the parent sets to the workers, once, and search there; the table, if they grow."""
    watcher = watcher or Watcher()
    # On other machines the file is not there, so the arrays themselves are sent.
    content = replace(parent_sets, path=None), growth and growth.job.data

    def write(path: Path) -> None:
        if parent_sets.path is not None and parent_sets.path.suffix == ".cps":
            path.symlink_to(parent_sets.path.absolute())
        else:
            write_cps(parent_sets, path)
        if growth is not None:
            write_arrays(growth.job.data, path.with_name(TABLE_FILE))

    with shipped(executor, content, write, "sets.cps") as shipment:
        search = RemoteSearch(
            executor=executor,
            shipment=shipment,
            first=parent_sets,
            recipe=recipe,
            chains=[RemoteChain(number) for number in range(1, chains + 1)],
            threads=threads,
            started=started,
            incumbent=incumbent,
            keeper=keeper,
            watcher=watcher,
        )
        watcher.started(search.cancel)
        return search.run()
