"""The finished parts of a scoring job: in memory, or in a folder beside the file they will become.

A run that is killed leaves the folder. The next run finds it, checks that it belongs to the same
job, and scores the missing parts. At the end all parts are merged variable by variable into the
file, and the folder is removed. One run at a time owns it.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any

import numpy as np

from forebear import _core
from forebear._util.atomic import atomic_path
from forebear._util.errors import FileError
from forebear._util.formats import Format
from forebear._util.machine import resident_bytes
from forebear._util.mapped import sparing
from forebear.parentsets.collection import ParentSets
from forebear.parentsets.coverage import SCORED_UP_TO
from forebear.parentsets.cps import CpsWriter
from forebear.parentsets.ranked_sets import RankedArrays
from forebear.scoring.parts import merge, merged_variables

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from forebear.scoring.job import Job

FORMAT = Format("forebear parts", 1)
"""Parts of an older format are removed: they hold minutes of work, and are scored again."""

_TRIES = 100
"""How often to try: another run may remove the folder before it is locked."""


class PartStore:
    """Finished parts of a job in memory.

    Attributes
    ----------
    lasts
        Whether another run finds the parts.
    """

    lasts = False

    def __init__(self, job: Job) -> None:
        self._job = job
        self._parts: dict[range, RankedArrays] = {}

    def get(self, part: range) -> RankedArrays | None:
        """Return a part if it is there."""
        return self._parts.get(part)

    def put(self, part: range, arrays: RankedArrays) -> None:
        """Keep a part."""
        self._parts[part] = arrays

    def collect(self, parts: Sequence[range], byte_limit: int) -> ParentSets:
        """Return the sets of these parts. All but the first may be missing."""
        job = self._job
        found = [self._parts[part] for part in parts if part in self._parts]
        if len(found) > 1:
            if resident_bytes() + sum(a.nbytes for part in found for a in part) > byte_limit:
                raise MemoryError
            found = [merge(job, found)]
        made = job.provenance
        if len(self._parts) < len(parts):
            made[SCORED_UP_TO] = self._sizes(parts)
        return ParentSets(job.data.names, *found[0], made, threads=job.threads)

    def _sizes(self, parts: Sequence[range]) -> int | list[int]:
        """Return the size up to which each variable is complete.

        The first of a child and its parents is the child or comes before it, so that a child is
        complete when the parts up to its own are done. All smaller sets are in the first part.
        """
        if self._job.max_sets is not None or self._job.max_candidates is not None:
            return 0
        missing = next(part for part in parts if part not in self._parts)
        most, n = self._job.max_parents, self._job.data.n_variables
        return [most if v < missing.start else most - 1 for v in range(n)]


class PartFolder(PartStore):
    """Finished parts of a job in a folder, which become a ``.cps`` file."""

    lasts = True

    def __init__(self, job: Job, folder: Path, path: Path | str) -> None:
        super().__init__(job)
        self.folder = folder
        self._path = path

    def get(self, part: range) -> RankedArrays | None:
        """Map a part if it exists and is whole."""
        name = _name(part)
        try:
            sums = json.loads((self.folder / f"{name}.json").read_text("utf-8"))
            files = {field: self.folder / f"{name}.{field}.npy" for field in RankedArrays._fields}
            arrays = {
                field: np.load(file, mmap_mode="r", allow_pickle=False)
                for field, file in files.items()
            }
            with sparing(*arrays.values()):
                if any(_sum(array) != sums[field] for field, array in arrays.items()):
                    return None
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return RankedArrays(**arrays)

    def put(self, part: range, arrays: RankedArrays) -> None:
        """Write a part."""
        sums = {}
        for field, array in arrays._asdict().items():
            with atomic_path(self.folder / f"{_name(part)}.{field}.npy") as temporary:
                _save(array, temporary)
            sums[field] = _sum(array)
        # Written last: a part is complete when this file exists.
        with atomic_path(self.folder / f"{_name(part)}.json") as temporary:
            temporary.write_text(json.dumps(sums), "utf-8")

    def collect(self, parts: Sequence[range], byte_limit: int) -> ParentSets:
        """Merge the parts into the file variable by variable, and open it."""
        job, n = self._job, self._job.data.n_variables
        found = [self._expect(part) for part in parts]
        offsets = np.zeros(n + 1, dtype=np.int64)
        np.cumsum([_merged_count(job, found, v) for v in range(n)], out=offsets[1:])
        about = (job.data.names, job.provenance, offsets, job.max_parents, job.id_type)
        with (
            CpsWriter(self._path, *about) as file,
            sparing(*(array for part in found for array in part)),
        ):
            for v, merged in enumerate(merged_variables(job, found)):
                file.put(int(offsets[v]), merged.scores, merged.parents)
        shutil.rmtree(self.folder, ignore_errors=True)
        return ParentSets.load(self._path, threads=job.threads)

    def _expect(self, part: range) -> RankedArrays:
        arrays = self.get(part)
        if arrays is None:
            raise FileError(f"{self.folder}: part {_name(part)} was changed by another program")
        return arrays


def _name(part: range) -> str:
    return f"{part.start}-{part.stop}"


def _save(array: np.ndarray, path: Path) -> None:
    """Write an .npy file. NumPy itself does not always notice that a disk is full."""
    whole = np.ascontiguousarray(array)
    with path.open("wb") as file:
        header = np.lib.format.header_data_from_array_1_0(whole)
        np.lib.format.write_array_header_1_0(file, header)
        file.write(whole.data.cast("B") if whole.size else b"")


def _sum(array: np.ndarray) -> str:
    flat = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    return f"{_core.checksum(flat) if flat.size else 0:016x}"


def _merged_count(job: Job, parts: Sequence[RankedArrays], v: int) -> int:
    """Count the sets of a variable after merging."""
    found = sum(int(part.offsets[v + 1] - part.offsets[v]) for part in parts)
    if job.constraints.required.get(v):
        found -= len(parts) - 1  # the empty set, which every part has
    return found if job.max_sets is None else min(found, job.max_sets)


def parts_folder(path: Path | str) -> Path:
    """Return the folder for the parts of a file."""
    target = Path(path)
    return target.with_name(f".{target.name}.parts")


@contextmanager
def folder_of_parts(path: Path | str, job: Job) -> Iterator[PartFolder]:
    """Open the folder of this job with the parts of an earlier run, or make an empty one.

    If another run owns it, this run gets a temporary folder of its own. A killed run owns nothing.
    """
    folder = parts_folder(path)
    label = json.dumps({**FORMAT.marks, "job": job.key})
    with _complaining_of(folder):
        lock = _take(folder)
    if lock is None:
        folder = folder.with_name(f"{folder.name}.{token_hex(4)}")
    try:
        with _complaining_of(folder):
            folder.mkdir(exist_ok=True)
            _label(folder, label)
        yield PartFolder(job, folder, path)
    except BaseException:
        if not list(folder.glob("[0-9]*.json")):  # no part is done: nothing to continue from
            shutil.rmtree(folder, ignore_errors=True)
        raise
    finally:
        if lock is None:
            shutil.rmtree(folder, ignore_errors=True)
        else:
            _release(folder, lock)


@contextmanager
def _complaining_of(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise FileError(f"{folder}: cannot be used: {error.strerror or error}") from error
    except KeyboardInterrupt:
        with suppress(OSError):
            folder.rmdir()  # if it is empty
        raise


def _take(folder: Path) -> int | None:
    """Lock the folder, and make it if needed. Return None if another run owns it."""
    for _ in range(_TRIES):
        folder.mkdir(parents=True, exist_ok=True)
        if sys.platform == "win32":
            return _take_on_windows(folder)
        try:
            lock = os.open(folder, os.O_RDONLY)
        except FileNotFoundError:
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            return None
        except OSError:
            pass  # a file system without locks: simultaneous runs cannot be told apart
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(lock), folder.stat()):
                return lock
        os.close(lock)
    raise FileError(f"{folder}: cannot be used: another program keeps removing it")


if sys.platform == "win32":

    def _take_on_windows(folder: Path) -> int | None:
        """Lock a file beside the folder: Windows opens no folders, and removes no open files."""
        lock = os.open(_lock_file(folder), os.O_RDWR | os.O_CREAT)
        try:
            msvcrt.locking(lock, msvcrt.LK_NBLCK, 1)
        except OSError:
            os.close(lock)
            return None
        return lock


def _lock_file(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.lock")


def _release(folder: Path, lock: int) -> None:
    os.close(lock)
    if sys.platform == "win32":
        with suppress(OSError):  # another run has opened it meanwhile
            _lock_file(folder).unlink()


def _label(folder: Path, about: str) -> None:
    """Write which job the parts belong to; remove parts of another job."""
    label = folder / "job.json"
    with suppress(OSError, UnicodeDecodeError):
        said = label.read_text("utf-8")
        if said == about:
            return
        FORMAT.refuse_newer(folder, *_claims(said))
    for old in folder.iterdir():
        old.unlink()
    with atomic_path(label) as temporary:
        temporary.write_text(about, "utf-8")


def _claims(label: str) -> tuple[Any, Any]:
    """Return the format that a label names, and the version of forebear that wrote it."""
    try:
        fields = json.loads(label)
        return fields["format"], fields["forebear"]
    except (KeyError, TypeError, ValueError, RecursionError):
        return None, None
