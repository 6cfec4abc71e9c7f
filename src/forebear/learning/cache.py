"""Cache: parent sets stored for later runs, identified by their table and settings."""

from __future__ import annotations

import hashlib
import os
import shutil
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from platformdirs import user_cache_path

from forebear._util.errors import FileError, ForebearError, ForebearWarning, Parameter
from forebear._util.text import show_bytes
from forebear.parentsets.collection import ParentSets
from forebear.parentsets.coverage import SCORED_UP_TO
from forebear.parentsets.cps import write_cps
from forebear.scoring.job import Job


class CacheSize(NamedTuple):
    """The number of files in a cache, and their total size."""

    files: int
    bytes: int


@dataclass(frozen=True)
class Cache:
    """A folder of parent sets. Several runs can use it at the same time.

    Parameters
    ----------
    folder
        The folder of the files. It is created when it is needed.
    most_bytes
        Maximum total size in bytes. Beyond it, the least recently used files are removed. Default:
        10 GB, enough for about ten large tables.
    """

    folder: Path
    most_bytes: int = 10 * 10**9

    @classmethod
    def in_folder(cls, folder: Path | str) -> Cache:
        """Return a cache in this folder. Raise FileError if the folder cannot be used."""
        existing = next(p for p in (Path(folder), *Path(folder).absolute().parents) if p.exists())
        if not existing.is_dir():
            raise FileError(f"{folder}: cannot be used as a cache: {existing} is not a directory")
        if not _permits(existing):
            raise FileError(f"{folder}: cannot be used as a cache: {existing} is not writable")
        return cls(Path(folder))

    @classmethod
    def of_user(cls) -> Cache:
        """Return the cache in the user's cache folder, as the operating system defines it."""
        return cls(user_cache_path("forebear", appauthor=False))

    def path(self, job: Job) -> Path:
        """Return the file for the sets of a job."""
        return self.folder / f"{job.key}.cps"

    def grown_path(self, job: Job, max_parents: Sequence[int]) -> Path:
        """Return the file for the sets that a search extended from a job, within these limits."""
        limits = hashlib.blake2b(repr(list(max_parents)).encode(), digest_size=8).hexdigest()
        return self.folder / f"{replace(job, max_parents=1).key}-{limits}.cps"

    def read(self, job: Job) -> ParentSets | None:
        """Return the sets of a job, or None if they are not cached; warn about other sets."""
        path = self.path(job)
        sets = self._open(path, job)
        if sets is None:
            return None
        provenance = dict(sets.provenance)
        if sets.is_complete:  # sets of all sizes: their provenance has the largest size that occurs
            provenance["max_parents"] = job.max_parents
            provenance.pop(SCORED_UP_TO, None)
        if sets.names == job.data.names and provenance == job.provenance:
            return sets
        warnings.warn(
            ForebearWarning(f"{path}: holds other parent sets; scoring them again"),
            stacklevel=2,
        )
        return None

    def read_grown(self, job: Job, max_parents: Sequence[int]) -> ParentSets | None:
        """Return the sets that an earlier search extended, or None if they are not cached."""
        sets = self._open(self.grown_path(job, max_parents), job)
        return sets if sets is not None and sets.names == job.data.names else None

    def _open(self, path: Path, job: Job) -> ParentSets | None:
        """Open a file if it exists. A damaged file produces a warning and None."""
        if not path.is_file():
            return None
        try:
            sets = ParentSets.load(path, threads=job.threads)
        except FileError as error:
            warnings.warn(ForebearWarning(f"{error}; scoring the parent sets again"), stacklevel=3)
            return None
        _touch(path)
        return sets

    def write(self, sets: ParentSets, path: Path) -> Path | None:
        """Store sets in a file of the cache. A failure only produces a warning."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            free = shutil.disk_usage(self.folder).free
            if free < 2 * sets.nbytes:  # leave as much space free
                raise FileError(
                    f"{self.folder}: {show_bytes(sets.nbytes)} of parent sets are not cached, "
                    f"because only {show_bytes(free)} are free"
                )
            write_cps(sets, path)
            self.trim(path)
        except (OSError, FileError) as error:
            reason = error if isinstance(error, FileError) else f"{self.folder}: {error.strerror}"
            warnings.warn(
                ForebearWarning(f"{reason}; the next run will score the parent sets again"),
                stacklevel=2,
            )
            return None
        return path

    def size(self) -> CacheSize:
        """Count the files and their bytes."""
        sizes = [size for _, size, _ in self._files()]
        return CacheSize(len(sizes), sum(sizes))

    def trim(self, newest: Path | None = None) -> None:
        """Remove the least recently used files until the rest fits; always keep the newest."""
        files = sorted(self._files(), key=lambda file: file[2])
        total = sum(size for _, size, _ in files)
        for path, size, _ in files:
            if total <= self.most_bytes:
                return
            if path != newest:
                path.unlink(missing_ok=True)
                total -= size

    def clear(self) -> CacheSize:
        """Remove all files of the cache, and return how much was removed."""
        held = self.size()
        for path, _, _ in self._files():
            path.unlink(missing_ok=True)
        for folder in self.folder.glob(".*.parts*"):
            shutil.rmtree(folder, ignore_errors=True)
        return held

    def _files(self) -> list[tuple[Path, int, float]]:
        """List the files with their sizes and the times of their last use."""
        files = []
        for path in self.folder.glob("*.cps"):
            try:
                about = path.stat()
            except OSError:  # another run has removed it
                continue
            files.append((path, about.st_size, about.st_mtime))
        return files


def as_cache(cache: Path | str | bool | None, data: object) -> Cache | None:
    """Return the cache that a user selects.

    A folder, True for the user's cache folder, or False for no cache. Default: the user's cache
    folder if the data are a file.
    """
    if cache is None:
        cache = isinstance(data, Path | str) and str(data) != "-"
    if isinstance(cache, bool):
        return Cache.of_user() if cache else None
    if isinstance(cache, Path | str):
        return Cache.in_folder(cache)
    raise ForebearError(Parameter("cache"), f" must be a folder, True or False, got {cache!r}")


def _touch(path: Path) -> None:
    """Record that a file was used."""
    try:
        os.utime(path)
    except OSError:  # a file of another user: it only seems older
        return


def _permits(folder: Path) -> bool:
    """Return whether files may be created in a folder. The folder's mode also applies to root."""
    return os.access(folder, os.W_OK | os.X_OK) and bool(folder.stat().st_mode & 0o222)
