"""Packed tables: what the core makes of a table before it scores it, once for all of a run."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from forebear import _core

if TYPE_CHECKING:
    from collections.abc import Iterator

    from forebear.data.dataset import Dataset

_KEPT: WeakKeyDictionary[Dataset, _core.PackedTable | None] = WeakKeyDictionary()
"""The packed forms of tables that are being learnt from; None: it was not needed yet."""


def packed(data: Dataset, threads: int) -> _core.PackedTable:
    """Pack a table, or return its packed form if it is kept."""
    found = _KEPT.get(data)
    if found is None:
        found = _core.PackedTable.make(
            codes=np.ascontiguousarray(data.codes),
            arities=data.arities.tolist(),
            gaps=data.has_missing,
            copies=data.copies,
            threads=threads,
        )
        if data in _KEPT:
            _KEPT[data] = found
    return found


def keep_while_used(data: Dataset) -> None:
    """Pack a table at most once as long as anyone uses this object."""
    _KEPT.setdefault(data, None)


@contextmanager
def keep_packed(data: Dataset) -> Iterator[None]:
    """Pack a table at most once in this block. It is not kept longer, since it takes memory."""
    if data in _KEPT:
        yield
        return
    _KEPT[data] = None
    try:
        yield
    finally:
        _KEPT.pop(data, None)
