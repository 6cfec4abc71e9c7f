"""Where a reproduction finds its data, and what it has made of them so far."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from forebear._util.errors import FileError, ForebearError
from forebear.data.dataset import Dataset
from forebear.learning.cache import Cache
from forebear.network.files import read_fitted
from forebear.scoring.dispatch import score_job
from forebear.scoring.job import make_job
from forebear.scoring.max_parents import paper_max_parents

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from forebear.network.fitted import FittedNetwork
    from forebear.parentsets.collection import ParentSets
    from forebear.reproduce.paper import Case

_TABLES = (".data", ".data.gz")
_NETWORKS = (".bif", ".bif.gz")


@dataclass
class Workspace:
    """Folders of data and networks, the time to spend, and what several experiments share.

    ``kept`` is a folder for parent sets that were scored: data may lie where
    nothing is to be written. ``hours`` stands for the paper's four. ``say`` is
    told what takes a while.
    """

    kept: Path
    data: Path | None = None
    networks: Path | None = None
    hours: float = 0.01
    threads: int = 1
    seed: int = 1
    say: Callable[[str], None] = print
    made: dict[Any, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.hours > 0:
            raise ForebearError(f"--hours must be positive, got {self.hours:g}")
        for folder in (self.data, self.networks):
            if folder is not None and not folder.is_dir():
                raise FileError(f"{folder}: there is no such directory")

    @property
    def seconds(self) -> float:
        """What a search gets that had four hours in the paper."""
        return 3600 * self.hours

    def path(self, name: str) -> Path:
        """Find a table by its name."""
        return _find(self.data, name, _TABLES, "--data")

    def network(self, name: str) -> FittedNetwork:
        """Read a network by its name, from its own folder or the one of the data."""
        folder = self.data if self.networks is None else self.networks
        return read_fitted(_find(folder, name, _NETWORKS, "--networks"))

    def table_names(self) -> list[str]:
        """The names of all tables there are."""
        if self.data is None:
            return []
        found = (path.name for path in self.data.iterdir() if path.name.endswith(_TABLES))
        return sorted({name.partition(".data")[0] for name in found})

    def mismatch(self, case: Case) -> tuple[str, ...]:
        """Say so where a table is not the paper's, since then no number can agree."""
        table = Dataset.read(self.path(case.name))
        if (table.n_variables, table.n_rows) == (case.variables, case.rows):
            return ()
        return (
            f"This {case.name} is not the paper's: it has {table.n_variables:,} variables and "
            f"{table.n_rows:,} rows, not {case.variables:,} and {case.rows:,}.",
        )

    def parent_sets(
        self, name: str, max_parents: int | None = None, *, anew: bool = False
    ) -> tuple[ParentSets, float]:
        """Score a table, or open what was scored before; tell how long that took."""
        table = Dataset.read(self.path(name))
        most = paper_max_parents(table.n_variables) if max_parents is None else max_parents
        job = make_job(table, max_parents=most, threads=self.threads)
        cache = Cache.at(self.kept)
        known = None if anew else cache.find(job)
        start = time.perf_counter()
        sets = None if known is None else cache.read(known, job)
        if sets is None:
            self.say(f"{name}: scoring")
            sets = score_job(job)
            seconds = time.perf_counter() - start
            cache.write(sets, job)
            return sets, seconds
        return sets, time.perf_counter() - start


def _find(folder: Path | None, name: str, extensions: tuple[str, ...], option: str) -> Path:
    if folder is None:
        raise FileError(f"{name}{extensions[0]} is needed: give its directory with {option}")
    for extension in extensions:
        if (path := folder / f"{name}{extension}").is_file():
            return path
    raise FileError(
        f"{folder}: no {name}{extensions[0]} is there: give its directory with {option}"
    )
