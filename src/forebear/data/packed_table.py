"""pack(): the table for the core. merged_rows(): the same rows for NumPy, equal ones merged."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from forebear import _core
from forebear.data.dataset import Dataset

_PACKED: WeakKeyDictionary[Dataset, _core.PackedTable] = WeakKeyDictionary()
_MERGED: WeakKeyDictionary[Dataset, Dataset] = WeakKeyDictionary()


def pack(data: Dataset, threads: int) -> _core.PackedTable:
    """Return the packed table for the core. It is created once, and kept as long as the table."""
    packed = _PACKED.get(data)
    if packed is None:
        packed = _PACKED[data] = _core.PackedTable.make(
            codes=data.codes,
            arities=data.arities.tolist(),
            missing=data.has_missing,
            copies=data.copies,
            weights=data.weights,
            threads=threads,
        )
    return packed


def merged_rows(data: Dataset) -> Dataset:
    """Return the same table with fewer stored rows, if packing it has merged equal rows.

    The rows are in another order. Packing a table takes longer than counting the families of one
    network, so a table that has not been packed is returned as it is.
    """
    packed = _PACKED.get(data)
    if packed is None or packed.rows >= data.n_stored:
        return data
    if data not in _MERGED:
        codes, weights = packed.stored()
        _MERGED[data] = Dataset(codes, data.names, data.states, data.missing, data.copies, weights)
    return _MERGED[data]
