"""A network's variables in a table: matched by name, states and all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from forebear._util.errors import DataError
from forebear._util.text import listing

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from forebear.data.dataset import Dataset


def find_columns(data: Dataset, names: Iterable[str]) -> list[int]:
    """Tell where the table has each of these variables; it may have others as well."""
    places = {name: column for column, name in enumerate(data.names)}
    wanted = list(names)
    if missing := [name for name in wanted if name not in places]:
        raise DataError(f"the network has variables that the table lacks: {listing(missing)}")
    return [places[name] for name in wanted]


def codes_as(data: Dataset, column: int, states: Sequence[str]) -> NDArray[Any]:
    """Code a column by these states, whatever other states it declares without having them."""
    declared = data.states[column]
    codes: NDArray[Any] = data.codes[column]
    if declared == tuple(states):
        return codes
    places = {state: k for k, state in enumerate(states)}
    place_of = np.array([places.get(state, -1) for state in declared], dtype=np.int32)
    translated: NDArray[np.int32] = place_of[codes]
    if (translated < 0).any():
        stranger = declared[int(codes[int(np.argmin(translated))])]
        raise DataError(
            f"column {data.names[column]!r} has the state {stranger!r}, "
            f"which the network does not know: it knows {listing(states)}"
        )
    return translated


def cells_of(
    columns: Sequence[NDArray[Any]], arities: Sequence[int], n_rows: int
) -> NDArray[np.intp]:
    """Tell which cell of a table each row falls in, the last column running fastest."""
    cells = np.zeros(n_rows, dtype=np.intp)
    for codes, arity in zip(columns, arities, strict=True):
        cells *= arity
        cells += codes
    return cells
