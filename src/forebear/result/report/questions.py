"""What the page needs to answer questions: probabilities, a junction tree, strengths of arcs."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from forebear._util.errors import ForebearError, LimitError
from forebear._util.text import counted, printable
from forebear.network.fit_network import fit_network
from forebear.network.fitted_network import FittedNetwork
from forebear.network.junction_tree import JunctionTree
from forebear.result.report.strength import arc_strengths

if TYPE_CHECKING:
    from collections.abc import Callable

    from forebear.data.read_options import ReadOptions
    from forebear.result import Result

MOST_PROBABILITIES = 250_000
"""The most probabilities that a page holds: 1.3 MB of text. 500 variables with three states and
four parents each have half as many."""

MOST_CELLS = 2**20
"""The most cells of a junction tree in a page; with more, answers are sampled. In Chromium an exact
answer took 0.1 s with half as many cells, 0.2 s with 900,000, and 0.7 s with this many on a busy
machine."""

MOST_VARIABLES = 1000
"""With more variables no junction tree is tried: finding out that there is none took 1 s with 1,000
variables, 4 s with 2,000 and 10 s with 5,000, which the search can use better."""


@dataclass(frozen=True)
class Questions:
    """What the page needs to answer questions.

    Attributes
    ----------
    embedded
        The states and tables for the script, or None if the page has none.
    why_not
        Why the page cannot answer questions, in a sentence; None if it can.
    tree
        The junction tree for the script; None where answers are sampled, or there are none.
    strengths
        The strength of every arc in bits; None without probabilities.
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
"""Why a page answers nothing, in the usual case."""

UNANSWERABLE = Questions(None, NO_TABLE, None, None)
"""What a page without a table can answer."""


def questions_for(fit: Callable[[], FittedNetwork] | None) -> Questions:
    """Prepare the questions that a page can answer, from a function that fits probabilities.

    If the function raises LimitError, the page is written without probabilities, and explains why.
    """
    if fit is None:
        return UNANSWERABLE
    try:
        fitted = fit()
    except LimitError as error:
        return Questions(None, f"The page has no probabilities: {error}.", None, None)
    why_not = _why_not_embedded(fitted)
    strengths = arc_strengths(fitted)
    if why_not is not None:
        return Questions(None, why_not, None, strengths)
    return Questions(embedded(fitted), None, _tree_of(fitted), strengths)


def questions_about(result: Result, data: Any, read: ReadOptions | None = None) -> Questions:
    """Prepare the questions about a result, from a table or the network with probabilities.

    Raises
    ------
    ForebearError
        If the probabilities are those of another network, or the table does not fit.
    """
    if data is None:
        return UNANSWERABLE
    if not isinstance(data, FittedNetwork):
        return questions_for(partial(fit_network, result, data, read=read))
    if data.network != result.network:
        raise ForebearError(
            "the probabilities are those of another network: fit the network of this result with "
            "fit_network(result, table), or pass the table"
        )
    return questions_for(lambda: data)


def _tree_of(fitted: FittedNetwork) -> dict[str, Any] | None:
    """Return the junction tree, or None if it is too large for a page."""
    if fitted.n_variables > MOST_VARIABLES:
        return None
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
    """Return the states, an order with parents first, and all tables as one text of base64.

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
        "order": fitted.network.topological_order(),
        "cells": base64.b64encode(rounded.tobytes()).decode(),
    }


def _why_not_embedded(fitted: FittedNetwork) -> str | None:
    """Return why a page does not hold the probabilities, in a sentence; None if it does."""
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
