"""The probabilities of a network, written compactly for the page."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import numpy as np

from forebear._util.text import counted, printable

if TYPE_CHECKING:
    from forebear.network.fitted import FittedNetwork

MOST_CELLS = 250_000
"""The most probabilities that a page holds: 1.3 MB of text. 500 variables with three states and
four parents each have half as many."""


def embedded(fitted: FittedNetwork) -> dict[str, Any]:
    """Return the states and all tables as one text of base64.

    The tables follow each other in the order of the variables, as float32 in little-endian order;
    in each of them the last parent varies faster than the others, and the variable fastest.
    """
    cells = np.concatenate([table.ravel() for table in fitted.tables] or [np.empty(0)])
    # What is possible stays possible, however small.
    small = np.finfo(np.float32).tiny
    rounded = np.where(cells > 0, np.maximum(cells, small), 0.0).astype("<f4")
    lists: dict[tuple[str, ...], int] = {}
    of_variable = [lists.setdefault(states, len(lists)) for states in fitted.states]
    return {
        "stateLists": [[printable(state) for state in states] for states in lists],
        "statesOf": of_variable,
        "cells": base64.b64encode(rounded.tobytes()).decode(),
    }


def why_not_embedded(fitted: FittedNetwork) -> str | None:
    """Say in a sentence why a page does not hold the probabilities; None if it does."""
    cells = sum(table.size for table in fitted.tables)
    if cells <= MOST_CELLS:
        return None
    largest = max(range(fitted.n_variables), key=lambda v: fitted.tables[v].size)
    return (
        f"The network has {cells:,} probabilities, more than the {MOST_CELLS:,} that a page holds, "
        "so it shows no distributions and cannot answer what-if questions. "
        f"{printable(fitted.network.names[largest])} alone, with "
        f"{counted(len(fitted.network.parents[largest]), 'parent')}, has "
        f"{fitted.tables[largest].size:,}."
    )
