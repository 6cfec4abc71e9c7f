"""Scoring to a file in parts: for more sets than memory holds, and to resume after a kill.

Finished parts lie in a folder beside the file. A run that is killed leaves the folder. The next run
finds it, checks that it belongs to the same job, and scores the missing parts. At the end all parts
are merged variable by variable into the file, and the folder is removed.
"""

from __future__ import annotations

import json
import math
import shutil
from typing import TYPE_CHECKING

import numpy as np

from forebear import _core
from forebear._util.atomic import atomic_path
from forebear._util.errors import FileError, LimitError
from forebear._util.machine import resident_bytes
from forebear._util.mapped import sparing
from forebear._util.text import show_seconds
from forebear._util.watcher import Watcher
from forebear.budget import Clock
from forebear.parentsets.collection import ParentSets
from forebear.parentsets.cps import CpsWriter
from forebear.scoring.cost import Limits, check_room
from forebear.scoring.footprint import list_bytes, ranking_bytes, walk_bytes
from forebear.scoring.partfolder import folder_of_parts
from forebear.scoring.parts import PartArrays, merged_variables, score_part, split

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from forebear.scoring.cost import Cost
    from forebear.scoring.job import Job

PART_SECONDS = 20.0
"""The length of a part. A kill loses at most one part; shorter jobs are one part."""

MOST_PARTS = 256
"""More parts would spend their time on the smaller sets, which every part counts."""

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
    limits = Limits.given(byte_limit, None)
    cuts = split(job, n_parts)
    with folder_of_parts(path, job, cuts) as folder:
        _score_parts(job, cuts, folder, limits, clock, watcher)
        _assemble(job, [_expect_part(folder, number) for number in range(len(cuts))], path)
        shutil.rmtree(folder, ignore_errors=True)
    return ParentSets.load(path, threads=job.threads)


def _score_parts(
    job: Job, cuts: Sequence[range], folder: Path, limits: Limits, clock: Clock, watcher: Watcher
) -> None:
    """Score the parts that are not there yet."""
    for number, part in enumerate(cuts):
        if _read_part(folder, number) is None:
            if clock.expired:
                raise LimitError(
                    f"scoring takes longer than {show_seconds(clock.limit or 0)}. {number} of "
                    f"{len(cuts)} parts are done and kept: the same command continues there"
                )
            room = limits.bytes - resident_bytes()
            seconds = None if clock.limit is None else clock.left()
            found = score_part(job, part, byte_limit=room, seconds=seconds)
            _write_part(folder, number, found)
        watcher.scoring((number + 1) / len(cuts))


def choose_parts(job: Job, limits: Limits, cost: Cost) -> int:
    """Choose the number of parts: each fits in memory, and none takes much longer than 20 s."""
    check_room(job, limits)
    room = limits.bytes - resident_bytes() - walk_bytes(job)
    found = cost.parent_sets * 1.4  # predictions were up to 25 % low
    needed = max(list_bytes(job, found), ranking_bytes(job, found))
    by_memory = math.ceil(2 * needed / max(room, 1))  # parts differ in size
    by_time = math.ceil(cost.seconds / PART_SECONDS)
    return min(MOST_PARTS, max(1, by_memory, by_time))


def _write_part(folder: Path, number: int, part: PartArrays) -> None:
    sums = {}
    for name, array in part._asdict().items():
        with atomic_path(folder / f"{number}.{name}.npy") as temporary:
            _save(array, temporary)
        sums[name] = _sum(array)
    # Written last: a part is complete when this file exists.
    with atomic_path(folder / f"{number}.json") as temporary:
        temporary.write_text(json.dumps(sums), "utf-8")


def _save(array: np.ndarray, path: Path) -> None:
    """Write an .npy file. NumPy itself does not always notice that a disk is full."""
    whole = np.ascontiguousarray(array)
    with path.open("wb") as file:
        header = np.lib.format.header_data_from_array_1_0(whole)
        np.lib.format.write_array_header_1_0(file, header)
        file.write(whole.data.cast("B") if whole.size else b"")


def _read_part(folder: Path, number: int) -> PartArrays | None:
    """Map a part if it exists and is whole."""
    try:
        sums = json.loads((folder / f"{number}.json").read_text("utf-8"))
        arrays = {
            name: np.load(folder / f"{number}.{name}.npy", mmap_mode="r", allow_pickle=False)
            for name in PartArrays._fields
        }
        with sparing(*arrays.values(), large=LARGE_PART):
            if any(_sum(array) != sums[name] for name, array in arrays.items()):
                return None
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return PartArrays(**arrays)


def _expect_part(folder: Path, number: int) -> PartArrays:
    part = _read_part(folder, number)
    if part is None:
        raise FileError(f"{folder}: part {number} was changed by another program")
    return part


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
