"""pack(): the table for the core. merged_rows(): the same rows for NumPy, equal ones merged."""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from forebear import _core
from forebear._util.errors import LimitError, Parameter
from forebear._util.machine import memory_bytes
from forebear._util.text import counted, show_bytes
from forebear.data.dataset import Dataset

_PACKED: WeakKeyDictionary[Dataset, _core.PackedTable] = WeakKeyDictionary()
_MERGED: WeakKeyDictionary[Dataset, Dataset] = WeakKeyDictionary()


def pack(data: Dataset, threads: int) -> _core.PackedTable:
    """Return the packed table for the core. It is created once, and kept as long as the table.

    Variables that were set in some rows have a table of the other rows, on which their families are
    scored; those that were set in the same rows share it.
    """
    packed = _PACKED.get(data)
    if packed is None:
        others = [
            (children, _pack(data, data.rows_not_set(children[0]), threads))
            for children in _children_by_rows(data)
        ]
        packed = _PACKED[data] = _pack(data, None, threads, others)
    return packed


def _pack(
    data: Dataset,
    rows: NDArray[np.intp] | None,
    threads: int,
    others: Sequence[tuple[list[int], _core.PackedTable]] = (),
) -> _core.PackedTable:
    """Pack some or all rows of a table."""
    codes, weights = data.codes, data.weights
    if rows is not None:
        codes = np.ascontiguousarray(codes[:, rows])
        weights = None if weights is None else weights[rows]
    return _core.PackedTable.make(
        codes=codes,
        arities=data.arities.tolist(),
        missing=data.has_missing,
        copies=data.copies,
        weights=weights,
        threads=threads,
        others=list(others),
    )


def _children_by_rows(data: Dataset) -> list[list[int]]:
    """Return the variables that were set, those that were set in the same rows together."""
    if data.row_sets is None:
        return []
    children: list[list[int]] = [[] for _ in range(max(data.row_sets))]
    for v, number in enumerate(data.row_sets):
        if number > 0:
            children[number - 1].append(v)
    needed = len(children) * data.codes.nbytes
    if needed > memory_bytes():
        raise LimitError(
            f"the variables were set in {counted(len(children), 'different set')} of rows, and the "
            f"tables of the others need {show_bytes(needed)} of memory: read fewer ",
            Parameter("rows"),
        )
    return children


def merged_rows(data: Dataset) -> Dataset:
    """Return the same table with fewer stored rows, if packing it has merged equal rows.

    The rows are in another order. Packing a table takes longer than counting the families of one
    network, so a table that has not been packed is returned as it is. So is one with experiments,
    whose equal rows may differ in what was set.
    """
    packed = _PACKED.get(data)
    if packed is None or packed.rows >= data.n_stored or data.intervened is not None:
        return data
    if data not in _MERGED:
        codes, weights = packed.stored()
        _MERGED[data] = Dataset(codes, data.names, data.states, data.missing, data.copies, weights)
    return _MERGED[data]
