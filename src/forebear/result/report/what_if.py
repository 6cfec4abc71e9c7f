"""WhatIf: the probabilities, junction tree and arc strengths that the page answers from."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from forebear._util.errors import ForebearError, LimitError
from forebear._util.text import counted, printable
from forebear.data.read_options import ReadOptions
from forebear.network.fit_network import fit_network
from forebear.network.fitted_network import FittedNetwork
from forebear.network.junction_tree import JunctionTree
from forebear.result.report.strength import arc_strengths

if TYPE_CHECKING:
    from forebear.result import Result

MOST_PROBABILITIES = 250_000
"""Maximum number of probabilities in a page: 1.3 MB of text. 500 variables with three states and
four parents each have half as many."""

MOST_CELLS = 2**20
"""Maximum number of cells of a junction tree in a page; with more, answers are sampled. In
Chromium, an exact answer took 0.1 s with half as many cells, 0.2 s with 900,000, and 0.7 s with
this many on a busy machine."""


@dataclass(frozen=True)
class WhatIf:
    """The data from which the page answers what-if questions.

    Attributes
    ----------
    embedded
        The states and tables for the script, or None if the page has none.
    why_not
        Why the page cannot answer questions, as a sentence; None if it can.
    tree
        The junction tree for the script; None if answers are sampled or impossible.
    strengths
        The strength of every arc in bits, or None without probabilities.
    """

    embedded: dict[str, Any] | None
    why_not: str | None
    tree: dict[str, Any] | None
    strengths: dict[tuple[int, int], float] | None


NO_TABLE = (
    "This report was written without the table, so it has no probabilities. It shows neither "
    "distributions nor the strength of dependencies, and cannot answer what-if questions. "
    "Reports of forebear learn and of result.report(path, data) can."
)
"""Why a page without a table answers no questions."""

NO_ANSWERS = WhatIf(None, NO_TABLE, None, None)
"""A page without a table answers no questions."""


def what_if_for(fit: Callable[[], FittedNetwork] | None) -> WhatIf:
    """Return the data for what-if questions, from a function that fits the probabilities.

    If the function raises LimitError, the page has no probabilities and explains why.
    """
    if fit is None:
        return NO_ANSWERS
    try:
        fitted = fit()
    except LimitError as error:
        return WhatIf(None, f"The page has no probabilities: {error}.", None, None)
    why_not = _why_not_embedded(fitted)
    strengths = arc_strengths(fitted)
    if why_not is not None:
        return WhatIf(None, why_not, None, strengths)
    return WhatIf(embedded(fitted), None, _tree_of(fitted), strengths)


def what_if_about(result: Result, data: Any, read: ReadOptions | None = None) -> WhatIf:
    """Return the data for what-if questions about a result.

    ``data`` is the table or the network with probabilities.

    Raises
    ------
    ForebearError
        If the probabilities belong to another network, or the columns do not match the variables.
    """
    if data is None:
        return NO_ANSWERS
    if not isinstance(data, FittedNetwork):
        return what_if_for(partial(fit_network, result, data, read=read))
    if data.network != result.network:
        raise ForebearError(
            "the probabilities belong to another network: pass the table, or the network that "
            "fit_network(result, table) returns"
        )
    return what_if_for(lambda: data)


def _tree_of(fitted: FittedNetwork) -> dict[str, Any] | None:
    """Return the junction tree, or None if it is too large for a page."""
    try:
        tree = JunctionTree.of(fitted, most_cells=MOST_CELLS)
    except LimitError:
        return None
    return {
        "cliques": tree.cliques,
        "parents": tree.parents,
        "separators": tree.separators,
        "homes": [tree.homes[v] for v in range(fitted.n_variables)],
    }


def embedded(fitted: FittedNetwork) -> dict[str, Any]:
    """Return the states, a topological order, and all tables as one base64 text.

    The tables are concatenated in the order of the variables, as little-endian float32. In each
    table, the variable varies fastest, then its last parent.
    """
    cells = np.concatenate([table.ravel() for table in fitted.tables] or [np.empty(0)])
    # A positive probability must not become 0.
    small = np.finfo(np.float32).tiny
    rounded = np.where(cells > 0, np.maximum(cells, small), 0.0).astype("<f4")
    lists: dict[tuple[str, ...], int] = {}
    of_variable = [lists.setdefault(states, len(lists)) for states in fitted.states]
    return {
        "stateLists": [[printable(state) for state in states] for states in lists],
        "statesOf": of_variable,
        "order": fitted.network.order,
        "cells": base64.b64encode(rounded.tobytes()).decode(),
    }


def _why_not_embedded(fitted: FittedNetwork) -> str | None:
    """Return why a page does not hold the probabilities, as a sentence; None if it does."""
    cells = sum(table.size for table in fitted.tables)
    if cells <= MOST_PROBABILITIES:
        return None
    largest = max(range(fitted.n_variables), key=lambda v: fitted.tables[v].size)
    return (
        f"The network has {cells:,} probabilities, more than the {MOST_PROBABILITIES:,} that a "
        "page holds, so it shows no distributions and cannot answer what-if questions. "
        f"{printable(fitted.network.names[largest])} alone, with "
        f"{counted(len(fitted.network.parents[largest]), 'parent')}, has "
        f"{fitted.tables[largest].size:,}."
    )
