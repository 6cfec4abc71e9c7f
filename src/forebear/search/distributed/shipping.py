"""From parent sets here to a search on an executor's workers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from forebear._util.executors import shipped
from forebear._util.watcher import Watcher
from forebear.data.formats.arrays import write_arrays
from forebear.parentsets.cps import write_cps
from forebear.search.distributed.remote import TABLE_FILE, RemoteChain, RemoteSearch
from forebear.search.persistence.saved_search import SavedSearch

if TYPE_CHECKING:
    from pathlib import Path

    from forebear.parentsets.collection import ParentSets
    from forebear.search.growth import Growth
    from forebear.search.incumbent import Incumbent
    from forebear.search.persistence.checkpoint import Checkpointer
    from forebear.search.persistence.recipe import Recipe
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
    table = None if growth is None else growth.job.data
    content = replace(parent_sets, path=None), table
    saved = SavedSearch(recipe, parent_sets, table, threads)
    saved.growth = growth

    def write(path: Path) -> None:
        if parent_sets.path is not None and parent_sets.path.suffix == ".cps":
            path.symlink_to(parent_sets.path.absolute())
        else:
            write_cps(parent_sets, path)
        if table is not None:
            write_arrays(table, path.with_name(TABLE_FILE))

    with shipped(executor, content, write, "sets.cps") as shipment:
        search = RemoteSearch(
            executor=executor,
            shipment=shipment,
            search=saved,
            chains=[RemoteChain(number) for number in range(1, chains + 1)],
            threads=threads,
            started=started,
            incumbent=incumbent,
            keeper=keeper,
            watcher=watcher,
        )
        watcher.started(search.cancel)
        return search.run()
