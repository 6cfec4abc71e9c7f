"""Parent sets kept for the next run, found again by the table and settings they were made from."""

from __future__ import annotations

import hashlib
import os
import shutil
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from platformdirs import user_cache_path

from forebear._util.errors import FileError, ForebearError, ForebearWarning, Parameter
from forebear._util.text import show_bytes
from forebear.parentsets.collection import ParentSets
from forebear.parentsets.coverage import SCORED_UP_TO
from forebear.parentsets.cps import write_cps

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forebear.scoring.job import Job


class CacheSize(NamedTuple):
    """How much a cache holds."""

    files: int
    bytes: int


@dataclass(frozen=True)
class Cache:
    """A folder of parent sets. Runs that use it at the same time do not disturb each other.

    Parameters
    ----------
    folder
        Where the files are. It need not be there yet.
    most_bytes
        The files that were used least recently go when there is more than this. Default 10 GB:
        some ten large tables, and little beside a disk of today.
    """

    folder: Path
    most_bytes: int = 10 * 10**9

    @classmethod
    def at(cls, folder: Path | str) -> Cache:
        """Use a folder of the user's choice, which must be one or become one."""
        there = next(p for p in (Path(folder), *Path(folder).absolute().parents) if p.exists())
        if not there.is_dir():
            raise FileError(f"{folder}: cannot be used as a cache: {there} is not a directory")
        if not _permits(there):
            raise FileError(f"{folder}: cannot be used as a cache: {there} is not writable")
        return cls(Path(folder))

    @classmethod
    def of_user(cls) -> Cache:
        """Use the cache folder of the user, where the operating system has it."""
        return cls(user_cache_path("forebear", appauthor=False))

    def path(self, job: Job) -> Path:
        """Return the file for the sets of a job."""
        return self.folder / f"{job.key}.cps"

    def grown_path(self, job: Job, max_parents: Sequence[int]) -> Path:
        """Return the file for the sets that grew from the table of a job, within these limits."""
        limits = hashlib.blake2b(repr(list(max_parents)).encode(), digest_size=8).hexdigest()
        return self.folder / f"{replace(job, max_parents=1).key}-{limits}.cps"

    def read(self, job: Job) -> ParentSets | None:
        """Open the sets of a job; None if they are not there, with a warning if others are."""
        path = self.path(job)
        sets = self._open(path, job)
        if sets is None:
            return None
        made = dict(sets.provenance)
        if sets.is_complete:  # of any size: that of the largest worth having is noted
            made["max_parents"] = job.max_parents
            made.pop(SCORED_UP_TO, None)
        if sets.names == job.data.names and made == job.provenance:
            return sets
        warnings.warn(
            ForebearWarning(f"{path}: holds other parent sets; they are scored again"),
            stacklevel=2,
        )
        return None

    def read_grown(self, job: Job, max_parents: Sequence[int]) -> ParentSets | None:
        """Open the sets that an earlier run has grown, if they are there and fit the table."""
        sets = self._open(self.grown_path(job, max_parents), job)
        return sets if sets is not None and sets.names == job.data.names else None

    def _open(self, path: Path, job: Job) -> ParentSets | None:
        """Open a file, if it is there. A damaged one gives a warning, and None."""
        if not path.is_file():
            return None
        try:
            sets = ParentSets.load(path, threads=job.threads)
        except FileError as error:
            warnings.warn(ForebearWarning(f"{error}; it is scored again"), stacklevel=3)
            return None
        _touch(path)
        return sets

    def write(self, sets: ParentSets, path: Path) -> Path | None:
        """Keep sets in one of the cache's files. A failure only produces a warning."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            free = shutil.disk_usage(self.folder).free
            if free < 2 * sets.nbytes:  # leave as much to others
                raise FileError(
                    f"{self.folder}: {show_bytes(sets.nbytes)} of parent sets are not kept: "
                    f"only {show_bytes(free)} are free"
                )
            write_cps(sets, path)
            self.trim(path)
        except (OSError, FileError) as error:
            reason = error if isinstance(error, FileError) else f"{self.folder}: {error.strerror}"
            warnings.warn(ForebearWarning(f"{reason}; the next run scores again"), stacklevel=2)
            return None
        return path

    def size(self) -> CacheSize:
        """Count the files and their bytes."""
        sizes = [size for _, size, _ in self._files()]
        return CacheSize(len(sizes), sum(sizes))

    def trim(self, newest: Path | None = None) -> None:
        """Remove the files used least recently until the rest is small enough; keep the newest."""
        files = sorted(self._files(), key=lambda file: file[2])
        total = sum(size for _, size, _ in files)
        for path, size, _ in files:
            if total <= self.most_bytes:
                return
            if path != newest:
                path.unlink(missing_ok=True)
                total -= size

    def clear(self) -> CacheSize:
        """Remove everything that the cache holds, and tell how much that was."""
        held = self.size()
        for path, _, _ in self._files():
            path.unlink(missing_ok=True)
        for folder in self.folder.glob(".*.parts*"):
            shutil.rmtree(folder, ignore_errors=True)
        return held

    def _files(self) -> list[tuple[Path, int, float]]:
        """List the files with their sizes and when they were used last."""
        found = []
        for path in self.folder.glob("*.cps"):
            try:
                about = path.stat()
            except OSError:  # another run has removed it
                continue
            found.append((path, about.st_size, about.st_mtime))
        return found


def as_cache(cache: Path | str | bool | None, data: object) -> Cache | None:
    """Choose a cache: a folder, none (False), the user's (True); by default for files only."""
    if cache is None:
        cache = isinstance(data, Path | str) and str(data) != "-"
    if isinstance(cache, bool):
        return Cache.of_user() if cache else None
    if isinstance(cache, Path | str):
        return Cache.at(cache)
    raise ForebearError(Parameter("cache"), f" must be a folder, True or False, got {cache!r}")


def _touch(path: Path) -> None:
    """Note that a file was used."""
    try:
        os.utime(path)
    except OSError:  # somebody else's file: it just looks older
        return


def _permits(folder: Path) -> bool:
    """Whether files may be made in a folder. Root respects the folder's mode, too."""
    return os.access(folder, os.W_OK | os.X_OK) and bool(folder.stat().st_mode & 0o222)
