"""PartStore and PartFolder: the finished parts of a scoring job, in memory or in a folder.

The folder is next to the output file, and its name identifies the job. A killed run leaves the
folder behind. The next run of the same job reads the finished parts and scores the others. At the
end, all parts are merged into the file variable by variable, and the folder is removed.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from forebear._util.errors import FileError
from forebear._util.machine import resident_bytes
from forebear._util.memory_maps import release_pages
from forebear.parentsets.collection import ParentSets
from forebear.parentsets.coverage import SCORED_UP_TO
from forebear.parentsets.cps import Put, cps_writer, read_cps
from forebear.parentsets.ranked_sets import RankedArrays
from forebear.scoring.job import Job
from forebear.scoring.parts import merge, merge_variable


class PartStore:
    """Finished parts of a job in memory.

    Attributes
    ----------
    is_persistent
        Whether a later run can use the parts.
    """

    is_persistent = False

    def __init__(self, job: Job) -> None:
        self._job = job
        self._parts: dict[range, RankedArrays] = {}

    def close(self) -> None:
        """Release the store."""

    def get(self, part: range) -> RankedArrays | None:
        """Return a part, or None if it is not finished."""
        return self._parts.get(part)

    def put(self, part: range, arrays: RankedArrays) -> None:
        """Store a finished part."""
        self._parts[part] = arrays

    def collect(self, parts: Sequence[range], byte_limit: int) -> ParentSets:
        """Return the sets of these parts. All parts but the first may be unfinished."""
        job = self._job
        finished = [self._parts[part] for part in parts if part in self._parts]
        if len(finished) > 1:
            if resident_bytes() + sum(a.nbytes for part in finished for a in part) > byte_limit:
                raise MemoryError
            finished = [merge(job, finished)]
        provenance = job.provenance
        if len(self._parts) < len(parts):
            provenance[SCORED_UP_TO] = self._sizes(parts)
        return ParentSets(job.data.names, *finished[0], provenance, threads=job.threads)

    def _sizes(self, parts: Sequence[range]) -> int | list[int]:
        """Return the size up to which each variable is complete.

        A family belongs to the part of its child, or to that of its first variable, which precedes
        the child. A child is therefore complete when all parts up to its own are finished. The
        first part has all smaller families.
        """
        if self._job.max_sets is not None or self._job.max_candidates is not None:
            return 0
        missing = next(part for part in parts if part not in self._parts)
        most, n = self._job.max_parents, self._job.data.n_variables
        return [most if v < missing.start else most - 1 for v in range(n)]


class PartFolder(PartStore):
    """Finished parts of a job in a folder, as ``.cps`` files that are merged into one at the end.

    If another run of the same job finishes first, it removes the folder, and its parts are lost.
    """

    is_persistent = True

    def __init__(self, job: Job, path: Path | str) -> None:
        super().__init__(job)
        self._path = path
        self.folder = parts_folder(path, job)
        self._make()

    def _make(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(f"{self.folder}: cannot be used: {error.strerror or error}") from error

    def get(self, part: range) -> RankedArrays | None:
        """Return a part as a memory map, or None if its file is absent or damaged."""
        try:
            arrays = read_cps(self._file(part))
        except FileError:
            return None
        return RankedArrays(*(arrays[name] for name in RankedArrays._fields))

    def put(self, part: range, arrays: RankedArrays) -> None:
        """Write a part."""
        self._make()
        with self._writer(self._file(part), arrays.offsets) as put:
            put(0, arrays.scores, arrays.parents)

    def collect(self, parts: Sequence[range], byte_limit: int) -> ParentSets:
        """Merge the parts into the file variable by variable, and open it."""
        job, n = self._job, self._job.data.n_variables
        finished = [one for part in parts if (one := self.get(part)) is not None]
        if len(finished) < len(parts):
            raise FileError(f"{self.folder}: another program removed parts: score again")
        offsets = np.zeros(n + 1, dtype=np.int64)
        np.cumsum([_merged_count(job, finished, v) for v in range(n)], out=offsets[1:])
        with (
            self._writer(self._path, offsets) as put,
            release_pages(*(array for part in finished for array in part)),
        ):
            for v in range(n):
                merged = merge_variable(job, finished, v)
                put(int(offsets[v]), merged.scores, merged.parents)
        finished.clear()  # Windows does not remove files that are mapped
        own = re.compile(rf"\.{re.escape(Path(self._path).name)}\.[0-9a-f]+\.parts")
        for folder in self.folder.parent.glob(".*.parts"):
            if own.fullmatch(folder.name):  # also folders of other settings
                shutil.rmtree(folder, ignore_errors=True)
        return ParentSets.load(self._path, threads=job.threads)

    def close(self) -> None:
        """Remove the folder if it is empty, because there is nothing to resume."""
        with suppress(OSError):
            self.folder.rmdir()

    def _file(self, part: range) -> Path:
        return self.folder / f"{part.start}-{part.stop}.cps"

    def _writer(self, path: Path | str, offsets: NDArray[np.int64]) -> AbstractContextManager[Put]:
        job = self._job
        about = (job.data.names, job.provenance, offsets, job.max_parents, job.id_type)
        return cps_writer(path, *about)


def _merged_count(job: Job, parts: Sequence[RankedArrays], v: int) -> int:
    """Count the sets of a variable after merging."""
    count = sum(int(part.offsets[v + 1] - part.offsets[v]) for part in parts)
    if job.constraints.required.get(v):
        count -= len(parts) - 1  # every part has the empty set
    return count if job.max_sets is None else min(count, job.max_sets)


def parts_folder(path: Path | str, job: Job) -> Path:
    """Return the folder for the parts of an output file."""
    target = Path(path)
    return target.with_name(f".{target.name}.{job.key}.parts")
