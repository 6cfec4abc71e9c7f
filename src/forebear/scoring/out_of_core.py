"""Scoring to a file in parts: for more sets than memory holds, and to resume after a kill.

Finished parts lie in a folder beside the file. A run that is killed leaves the folder. The next run
finds it, checks that it belongs to the same job, and scores the missing parts. At the end all parts
are merged variable by variable into the file, and the folder is removed.
"""

from __future__ import annotations

import json
import math
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from forebear import _core
from forebear._util.atomic import atomic_path
from forebear._util.errors import FileError, TimeLimitError
from forebear._util.machine import memory_bytes, resident_bytes
from forebear._util.mapped import sparing
from forebear._util.text import show_seconds
from forebear._util.watcher import Watcher
from forebear.budget import Clock
from forebear.parentsets.collection import ParentSets
from forebear.parentsets.cps import CpsWriter
from forebear.scoring.footprint import kept_bytes, out_of_memory, walk_bytes
from forebear.scoring.partfolder import folder_of_parts
from forebear.scoring.parts import PartArrays, merged_variables, score_part, split

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from forebear.scoring.job import Job

PART_WORK = 1_000_000_000_000
"""Families times rows of a part, some minutes at most. A kill loses at most one part; smaller jobs
are one part. Judgement."""

MOST_PARTS = 256
"""More parts would spend their time on the smaller sets, which every part counts."""

_REPEATED = 4
"""Parts that memory does not require repeat at most a quarter of the work. Judgement."""

LARGE_PART = 1 << 26
"""Bytes. The pages of larger mapped parts are released after reading."""


def score_to_file(
    job: Job,
    path: Path | str,
    n_parts: int,
    clock: Clock | None = None,
    byte_limit: int | None = None,
    watcher: Watcher | None = None,
) -> ParentSets:
    """Score a job to a ``.cps`` file in parts, and open it. Parts that are done are kept."""
    clock, watcher = clock or Clock(), watcher or Watcher()
    byte_limit = memory_bytes() if byte_limit is None else byte_limit
    cuts = split(job, n_parts)
    with folder_of_parts(path, job) as folder:
        _score_parts(job, cuts, folder, byte_limit, clock, watcher)
        _assemble(job, [_expect_part(folder, part) for part in cuts], path)
        shutil.rmtree(folder, ignore_errors=True)
    return ParentSets.load(path, threads=job.threads)


def _score_parts(
    job: Job, cuts: Sequence[range], folder: Path, byte_limit: int, clock: Clock, watcher: Watcher
) -> None:
    """Score the parts that are not there yet."""
    for number, part in enumerate(cuts):
        if _read_part(folder, part) is None:
            seconds = None if clock.limit is None else max(clock.left(), 1e-9)
            try:
                found = score_part(
                    job, part, byte_limit=byte_limit - resident_bytes(), seconds=seconds
                )
            except TimeLimitError:
                raise TimeLimitError(
                    f"the time limit of {show_seconds(clock.limit or 0)} ended scoring. {number} "
                    f"of {len(cuts)} parts are done and kept: the same command continues there"
                ) from None
            except MemoryError:
                raise out_of_memory(byte_limit) from None
            _write_part(folder, part, found)
        watcher.scoring((number + 1) / len(cuts))


def parts_by_work(job: Job) -> int:
    """Choose the number of parts so that a kill does not lose much."""
    wanted = math.ceil(job.work * job.data.n_rows / PART_WORK)
    repeated = replace(job, max_parents=max(job.max_parents - 1, 0)).work
    return _number_of_parts(job, min(wanted, job.work // (_REPEATED * max(repeated, 1))))


def parts_by_memory(job: Job, byte_limit: int) -> int:
    """Choose the number of parts so that each fits in memory even if it keeps every set."""
    room = byte_limit - resident_bytes() - walk_bytes(job)
    needed = kept_bytes(job, job.constraints.families(job.max_parents))
    return _number_of_parts(job, math.ceil(2 * needed / max(room, 1)))  # parts differ in size


def _number_of_parts(job: Job, wanted: int) -> int:
    return len(split(job, min(wanted, MOST_PARTS)))


def _write_part(folder: Path, part: range, arrays: PartArrays) -> None:
    sums = {}
    for name, array in arrays._asdict().items():
        with atomic_path(folder / f"{_name(part)}.{name}.npy") as temporary:
            _save(array, temporary)
        sums[name] = _sum(array)
    # Written last: a part is complete when this file exists.
    with atomic_path(folder / f"{_name(part)}.json") as temporary:
        temporary.write_text(json.dumps(sums), "utf-8")


def _save(array: np.ndarray, path: Path) -> None:
    """Write an .npy file. NumPy itself does not always notice that a disk is full."""
    whole = np.ascontiguousarray(array)
    with path.open("wb") as file:
        header = np.lib.format.header_data_from_array_1_0(whole)
        np.lib.format.write_array_header_1_0(file, header)
        file.write(whole.data.cast("B") if whole.size else b"")


def _name(part: range) -> str:
    return f"{part.start}-{part.stop}"


def _read_part(folder: Path, part: range) -> PartArrays | None:
    """Map a part if it exists and is whole."""
    try:
        sums = json.loads((folder / f"{_name(part)}.json").read_text("utf-8"))
        arrays = {
            name: np.load(folder / f"{_name(part)}.{name}.npy", mmap_mode="r", allow_pickle=False)
            for name in PartArrays._fields
        }
        with sparing(*arrays.values(), large=LARGE_PART):
            if any(_sum(array) != sums[name] for name, array in arrays.items()):
                return None
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return PartArrays(**arrays)


def _expect_part(folder: Path, part: range) -> PartArrays:
    arrays = _read_part(folder, part)
    if arrays is None:
        raise FileError(f"{folder}: part {_name(part)} was changed by another program")
    return arrays


def _sum(array: np.ndarray) -> str:
    flat = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    return f"{_core.checksum(flat) if flat.size else 0:016x}"


def _assemble(job: Job, parts: Sequence[PartArrays], path: Path | str) -> None:
    """Rank the sets of each variable and write them to the file."""
    n = job.data.n_variables
    counts = [_kept(job, parts, v) for v in range(n)]
    offsets = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(counts, out=offsets[1:])
    with (
        CpsWriter(
            path, job.data.names, job.provenance, offsets, job.max_parents, job.id_type
        ) as file,
        sparing(*(array for part in parts for array in part)),
    ):
        for v, merged in enumerate(merged_variables(job, parts)):
            file.put(int(offsets[v]), merged.scores, merged.parents)


def _kept(job: Job, parts: Sequence[PartArrays], v: int) -> int:
    """Count the sets of a variable after merging."""
    found = sum(int(part.offsets[v + 1] - part.offsets[v]) for part in parts)
    if job.constraints.required.get(v):
        found -= len(parts) - 1  # the empty set, which every part has
    return found if job.max_sets is None else min(found, job.max_sets)
