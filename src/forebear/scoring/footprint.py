"""The memory that the core takes for a scoring job, bounded from its dimensions.

The upper bound mirrors what the core allocates: bit vectors and tables, the levels of the walk, the
working memory of each thread, the lists of kept sets, and the ranked arrays at the end. A test
compares it with the peak memory of a real run. The lower bound is what no run can do without.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from forebear._util.errors import LimitError, Parameter
from forebear._util.machine import memory_bytes, resident_bytes
from forebear._util.text import counted, show_bytes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from forebear.scoring.job import Job

_RECORD = 16  # bytes of a kept set before it is ranked, as in the core
_LARGEST_PIECE = 16_384  # records; lists grow in pieces that double up to this, as in the core
_DISCARDED_PIECE = 4_096  # pieces of this size return to the system when they are ranked
_FIRST_BLOCK, _LARGEST_BLOCK = 1 << 18, 1 << 21  # bytes; pieces are cut from blocks of each thread
_MOST_TABLES = 256 << 20  # the core cuts its tables of terms at this size
_LONGEST_TABLE = 1 << 20  # the core tabulates the terms of counts up to this
_MOST_STATES = 16  # the core never counts variables with more states by bits
_SAMPLED_PREFIXES = 1_000  # enough for an estimate within a few percent


def least_bytes(job: Job) -> int:
    """Return memory that every run needs: a number for each set of variables that it walks over."""
    n = int(job.constraints.candidates.max(initial=0)) + 1
    return 8 * sum(math.comb(n, size) for size in range(job.max_parents + 1))


def most_bytes(job: Job) -> int:
    """Return the memory of a run that keeps every set."""
    families = job.constraints.families(job.max_parents)
    return walk_bytes(job) + kept_bytes(job, families)


def kept_bytes(job: Job, found: float) -> int:
    """Return the memory of this many kept sets, in lists or while they are ranked."""
    return max(_list_bytes(job, found), _ranking_bytes(job, found))


def fits_in_memory(job: Job, max_memory: int | None) -> bool:
    """Return whether a job fits in half of the memory even if it keeps every set."""
    limit = memory_bytes() if max_memory is None else max_memory
    return resident_bytes() + most_bytes(job) <= limit / 2


def check_room(job: Job, byte_limit: int) -> None:
    """Refuse a job that cannot fit, however few sets it keeps."""
    held = resident_bytes()
    if held >= byte_limit:
        raise LimitError(
            f"the limit of {show_bytes(byte_limit)} leaves no memory to score in: "
            f"the program and the table take {show_bytes(held)} already"
        )
    needed = held + least_bytes(job)
    if needed > byte_limit:
        families = job.constraints.families(job.max_parents)
        raise LimitError(
            f"scoring {families:,} families (up to {counted(job.max_parents, 'parent')}) needs "
            f"more than {show_bytes(needed)} of memory; the limit is {show_bytes(byte_limit)}: "
            "lower ",
            Parameter("max_parents"),
            ", or use fewer variables",
        )


def out_of_memory(byte_limit: int) -> LimitError:
    """Return the error of a run that reached its memory limit."""
    return LimitError(
        f"scoring reached the memory limit of {show_bytes(byte_limit)}: lower ",
        Parameter("max_parents"),
        ", or keep fewer sets with ",
        Parameter("max_sets_per_variable"),
    )


def walk_bytes(job: Job) -> int:
    """Return the memory of a run before it keeps any set."""
    arities = job.data.arities
    walks = 1
    if not job.together:  # each thread walks over one variable and its candidates
        arities = np.sort(arities)[::-1][: int(job.constraints.candidates.max()) + 1]
        walks = job.threads
    items = _items(job, arities)
    bits = int(items.sum()) * job.data.n_rows // 4
    levels = _level_bytes(job, arities) + _item_count_bytes(job, arities, items)
    return walks * (bits + levels) + _table_bytes(job) + job.threads * _scratch_bytes(job, items)


def _list_bytes(job: Job, found: float) -> int:
    """Return the memory of the lists of this many sets, with the room in their last pieces."""
    records, lists = _records_a_list(job, found)
    pieces = lists * _RECORD * min(2 * records + 16, records + _LARGEST_PIECE)
    return int(pieces) + _unused_blocks(job, pieces)


def _ranking_bytes(job: Job, found: float) -> int:
    """Return the memory of lists and ranked arrays while the sets are ranked."""
    n = job.data.n_variables
    records, lists = _records_a_list(job, found)
    kept = found if job.max_sets is None else min(found, n * job.max_sets)
    ranked = kept * (8 + job.id_type.itemsize * job.max_parents)
    held = lists * _RECORD * min(records, _DISCARDED_PIECE)
    # Room to sort the sets of a variable: 2.5 copies of twice the mean number.
    sorting = 2 * 2.5 * _RECORD * job.threads * min(found, records * lists) / n
    unused = _unused_blocks(job, lists * _RECORD * records)
    return int(held + max(lists * _RECORD * records - held, ranked) + sorting) + unused


def _unused_blocks(job: Job, used: float) -> int:
    """Bound what is left of the last block of each thread."""
    return job.threads * int(min(_LARGEST_BLOCK, _FIRST_BLOCK + 4 * used / job.threads))


def _records_a_list(job: Job, found: float) -> tuple[float, int]:
    """Return the number of sets per list, and the number of lists."""
    lists = job.data.n_variables * job.threads
    records = found / lists
    if job.max_sets is not None:
        # A list is cut when it holds twice what is wanted; one work item may overshoot.
        records = min(records, 2 * job.max_sets + 1024 + job.data.n_variables)
    return records, lists


def _items(job: Job, arities: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the number of bit vectors of every variable: with gaps, one for each state."""
    if not job.data.has_missing:
        return np.where(arities <= _MOST_STATES, arities - 1, 0)
    return np.where(arities <= _MOST_STATES, arities, 0)


def _level_bytes(job: Job, arities: NDArray[np.int32]) -> int:
    n = len(arities)
    classes = len(np.unique(arities))
    by_arity = 8 + 8 * classes
    per_set = {"k2": by_arity, "fnml": by_arity, "mit": by_arity}.get(job.score.name, 8)
    total = 0
    for size in range(job.max_parents + 1):
        by_child = 8 * max(size, 1)
        here = 12 + by_child if job.score.name == "bds" else per_set
        if job.data.has_missing:  # the value of every family
            here = by_child
        total += math.comb(n, size) * here + 8 * math.comb(n, max(size - 1, 0))
    return total


def _item_count_bytes(job: Job, arities: NDArray[np.int32], items: NDArray[Any]) -> int:
    """Estimate the counts that levels keep from a sample of the prefixes counted by bits."""
    if job.data.has_missing:
        return 0
    n, rows = len(arities), job.data.n_rows
    rng = np.random.default_rng(0)
    total = 0.0
    for size in range(1, min(job.max_parents, n)):
        prefixes = _some_prefixes(n, size, rng)
        combinations = np.prod(items[prefixes].astype(float), axis=1)
        cells = np.prod(arities[prefixes].astype(float), axis=1)
        # The rule of the core, for the instruction set that favours bits most.
        cost = 0.2 * combinations * math.ceil(rows / 64) + 2.5 * cells
        by_bits = cost <= 4.0 * rows * n / max(int(items.sum()), n)
        after = items[::-1].cumsum()[::-1][prefixes[:, -1]]
        total += math.comb(n, size) * float(np.mean(combinations * after * by_bits))
    return int(min(4 * total, 2**62))


def _some_prefixes(n: int, size: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw ascending sets of distinct variables."""
    places = np.sort(rng.integers(0, n - size + 1, (_SAMPLED_PREFIXES, size)), axis=1)
    return places + np.arange(size)


def _table_bytes(job: Job) -> int:
    """Bound the tables of terms by count, one for each possible number of cells."""
    kinds = len(np.unique(job.data.arities))
    table = 8 * (min(job.data.n_rows, _LONGEST_TABLE) + 1)
    if job.score.name == "bdeu":
        tables = sum(math.comb(kinds + size, size + 1) for size in range(job.max_parents + 1))
    elif job.score.name == "bds":
        largest = math.prod(sorted(map(float, job.data.arities))[-job.max_parents - 1 :])
        tables = int(min(largest, job.data.n_rows)) * (kinds + 1)
    else:
        tables = 1 + kinds
    shared = 16 * (job.data.n_rows + 1) if job.score.name in ("fnml", "qnml") else 0
    if job.score.name in ("bdeu", "bds"):
        shared = 2 * table
    return min(tables * table, _MOST_TABLES) + shared


def _scratch_bytes(job: Job, items: NDArray[Any]) -> int:
    """Bound the working memory of a thread: groups of rows by prefix, combined bits, cells."""
    rows = job.data.n_rows
    combined = math.prod(sorted(map(float, items))[-max(job.max_parents - 1, 0) :] or [1.0])
    bits = min(max(combined, 1.0), 640.0) * 2 + 4
    walk = int(rows * (bits / 8 + 6 * (job.max_parents + 1) + 8)) + 8 * 32 * len(items)
    if not job.data.has_missing:
        return walk
    # Rows and cells of a set, its rows sorted by cell, and the rows of counts of a group of sets.
    combinations = min(combined * float(items.max(initial=0)), rows)
    return walk + 40 * rows + int(4 * combinations * (items.sum() + 8))
