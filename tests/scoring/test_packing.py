"""Packed tables: made once in a run, and not kept after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import forebear
from forebear import _core, simulate
from forebear.scoring.packing import keep_packed, packed

if TYPE_CHECKING:
    import numpy as np
    import pytest
    from numpy.typing import NDArray


def test_a_table_is_packed_once_in_a_block() -> None:
    data, other = (simulate(3, 20, seed=seed).data for seed in (1, 2))
    assert packed(data, 1) is not packed(data, 1)
    with keep_packed(data):
        one = packed(data, 1)
        with keep_packed(data):
            assert packed(data, 2) is one
        assert packed(data, 1) is one
        assert packed(other, 1) is not packed(other, 1)
    assert packed(data, 1) is not one


def test_a_search_packs_its_table_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once as it is, and once with its columns in the order in which pairs are scored."""
    data = simulate(25, 200, seed=1).data
    made: list[int] = []

    class Counted:
        @staticmethod
        def make(codes: NDArray[np.uint8], **how: object) -> _core.PackedTable:
            made.append(len(codes))
            return real.make(codes, **how)  # type: ignore[arg-type]

    real = _core.PackedTable
    monkeypatch.setattr(_core, "PackedTable", Counted)
    forebear.learn(data, generations=40, seed=1, threads=1, cache=False, certify=False)
    assert made.count(data.n_variables) == 2
