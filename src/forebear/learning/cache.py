"""Parent sets kept for the next run, found again by what they were made from."""

from __future__ import annotations

import os
import shutil
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from forebear._util.errors import FileError, ForebearWarning
from forebear._util.text import show_bytes
from forebear.parentsets.collection import ParentSets
from forebear.parentsets.cps import write_cps

if TYPE_CHECKING:
    from forebear.scoring.job import Job

FOLDER = ".forebear"
_ROOM = 2
"""So many times its size must be free on the disk before a file is written."""


@dataclass(frozen=True)
class Cache:
    """A folder of parent sets. Runs that use it at the same time do not disturb each other."""

    folder: Path

    @classmethod
    def at(cls, folder: Path | str) -> Cache:
        """The cache in a folder of the user's choice, which must be one or become one."""
        there = next(p for p in (Path(folder), *Path(folder).absolute().parents) if p.exists())
        if not there.is_dir():
            raise FileError(f"{folder}: no cache can be there: {there} is not a directory")
        if not _permits(there):
            raise FileError(f"{folder}: no cache can be there: {there} does not permit it")
        return cls(Path(folder))

    @classmethod
    def beside(cls, data: Path | str) -> Cache:
        """The cache that belongs to a table: a hidden folder beside it, if one may be there."""
        parent = Path(data).resolve().parent
        return cls(parent / FOLDER) if _permits(parent) else cls.of_user()

    @classmethod
    def of_user(cls) -> Cache:
        """The cache for tables that lie nowhere in particular."""
        home = os.environ.get("XDG_CACHE_HOME")
        return cls((Path(home) if home else Path.home() / ".cache") / "forebear")

    def path(self, job: Job) -> Path:
        """Where the sets of a job are, or would be."""
        return self.folder / f"{job.key}.cps"

    def new_path(self, job: Job) -> Path:
        """Where the sets of a job will be; the folder is there from now on."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(f"{self.folder}: cannot be made: {error.strerror}") from error
        return self.path(job)

    def find(self, job: Job) -> Path | None:
        """Tell where the sets of a job are, if they are there."""
        path = self.path(job)
        return path if path.is_file() else None

    def read(self, path: Path, job: Job) -> ParentSets | None:
        """Open sets found before. A damaged file is told of, and made anew."""
        try:
            sets = ParentSets.load(path)
        except FileError as error:
            warnings.warn(f"{error}; it is made anew", ForebearWarning, stacklevel=2)
            return None
        if sets.names != job.data.names or sets.provenance != job.provenance:
            warnings.warn(
                f"{path}: not what its name says; it is made anew", ForebearWarning, stacklevel=2
            )
            return None
        return sets

    def write(self, sets: ParentSets, job: Job) -> Path | None:
        """Keep the sets of a job; that this cannot be done is told, and no more than that."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            free = shutil.disk_usage(self.folder).free
            if free < _ROOM * sets.nbytes:
                raise FileError(
                    f"{self.folder}: {show_bytes(sets.nbytes)} of parent sets are not kept: "
                    f"only {show_bytes(free)} are free"
                )
            path = self.path(job)
            write_cps(sets, path)
        except (OSError, FileError) as error:
            reason = error if isinstance(error, FileError) else f"{self.folder}: {error.strerror}"
            warnings.warn(
                f"{reason}; the next run scores again",
                ForebearWarning,
                stacklevel=2,
            )
            return None
        return path


def _permits(folder: Path) -> bool:
    """Tell whether files may be made in a folder; who may do anything still keeps to its mode."""
    return os.access(folder, os.W_OK | os.X_OK) and bool(folder.stat().st_mode & 0o222)


def as_cache(cache: Path | str | bool | None, data: object) -> Cache | None:
    """Choose a cache: a folder, none (``False``), or the one that belongs to the data."""
    if cache is False:
        return None
    if isinstance(cache, Path | str):
        return Cache.at(cache)
    if isinstance(data, Path | str) and str(data) != "-":
        return Cache.beside(data)
    return Cache.of_user() if cache else None
