"""Workspace: the data, networks and time of a reproduction, and its results so far."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from forebear._util.checks import check_positive
from forebear._util.errors import FileError, Parameter
from forebear._util.text import counted
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
    """The settings of a reproduction, and results that several tables share.

    ``kept`` is a folder for scored parent sets, because the folder of the data may be read-only.
    ``hours`` is the time that corresponds to the paper's four hours. ``say`` is called with a
    line before work that takes long.
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
        check_positive(hours=self.hours)
        for folder in (self.data, self.networks):
            if folder is not None and not folder.is_dir():
                raise FileError(f"{folder}: no such directory")

    @property
    def seconds(self) -> float:
        """The seconds that correspond to the paper's four hours."""
        return 3600 * self.hours

    def path(self, name: str) -> Path:
        """Return the file of a table."""
        return _find(self.data, name, _TABLES, "data")

    def network(self, name: str) -> FittedNetwork:
        """Read a network by name, from the folder of networks or else of the data."""
        folder = self.data if self.networks is None else self.networks
        return read_fitted(_find(folder, name, _NETWORKS, "networks"))

    def table_names(self) -> list[str]:
        """Return the names of all tables found."""
        if self.data is None:
            return []
        found = (path.name for path in self.data.iterdir() if path.name.endswith(_TABLES))
        return sorted({name.partition(".data")[0] for name in found})

    def mismatch(self, case: Case) -> tuple[str, ...]:
        """Return a remark if a table is not the paper's: then the numbers cannot agree."""
        table = Dataset.read(self.path(case.name))
        if (table.n_variables, table.n_rows) == (case.variables, case.rows):
            return ()
        return (
            f"This {case.name} is not the paper's: it has "
            f"{counted(table.n_variables, 'variable')} and {counted(table.n_rows, 'row')}, not "
            f"{case.variables:,} and {case.rows:,}.",
        )

    def parent_sets(
        self, name: str, max_parents: int | None = None, *, fresh: bool = False
    ) -> tuple[ParentSets, float]:
        """Score a table, or open the parent sets scored before; return them and the seconds."""
        table = Dataset.read(self.path(name))
        most = paper_max_parents(table.n_variables) if max_parents is None else max_parents
        job = make_job(table, max_parents=most, threads=self.threads)
        cache = Cache.at(self.kept)
        known = None if fresh else cache.find(job)
        start = time.perf_counter()
        sets = None if known is None else cache.read(known, job)
        if sets is None:
            self.say(f"{name}: scoring")
            sets = score_job(job)
            seconds = time.perf_counter() - start
            cache.write(sets, cache.path(job))
            return sets, seconds
        return sets, time.perf_counter() - start


def _find(folder: Path | None, name: str, extensions: tuple[str, ...], parameter: str) -> Path:
    if folder is None:
        raise FileError(
            f"{name}{extensions[0]} is needed: pass its directory as ", Parameter(parameter)
        )
    for extension in extensions:
        if (path := folder / f"{name}{extension}").is_file():
            return path
    raise FileError(
        f"{folder}: {name}{extensions[0]} not found: pass its directory as ", Parameter(parameter)
    )
