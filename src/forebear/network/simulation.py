"""Random networks, and tables drawn from networks: data with a known true structure."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from forebear._util.checks import check_parameter_names, check_whole
from forebear._util.errors import ForebearError, LimitError, Parameter
from forebear.data.dataset import Dataset
from forebear.data.read_options import MAX_ROWS
from forebear.network.fit_network import MOST_CELLS
from forebear.network.fitted_network import FittedNetwork, as_fitted
from forebear.network.network import Network


class Simulation(NamedTuple):
    """A random network, and a table drawn from it.

    Attributes
    ----------
    network
        The network with its probabilities.
    data
        The table.
    """

    network: FittedNetwork
    data: Dataset


@check_parameter_names
def simulate(
    variables: int,
    rows: int,
    *,
    max_parents: int = 3,
    states: tuple[int, int] = (2, 4),
    seed: int = 0,
) -> Simulation:
    """Generate a random network and draw rows from it.

    The network has a random order, random parents and random probabilities. It
    depends on the seed, but not on the number of rows.

    Parameters
    ----------
    variables
        The number of variables. They are named X1, X2, ...
    rows
        The number of rows to draw.
    max_parents
        The largest parent set; the average size is 1.75 or less. Default 3.
    states
        The smallest and the largest number of states of a variable. Default (2, 4).
    seed
        The same seed gives the same network and the same rows. Default 0.

    Returns
    -------
    Simulation
        ``network``, a FittedNetwork, and ``data``, a Dataset.

    Raises
    ------
    ForebearError
        If a value is not allowed.
    LimitError
        If a variable could have too many probabilities.

    Examples
    --------
    >>> from forebear import simulate
    >>> network, data = simulate(5, 100, max_parents=2, seed=1)
    >>> data
    Dataset with 100 rows and 5 variables
      variables: X1, X2, X3, X4, X5
      states: 2 to 3 per variable
    """
    check_whole(1, MAX_ROWS, rows=rows)
    network_rng, _ = _streams(seed)
    network = random_network(variables, max_parents=max_parents, states=states, rng=network_rng)
    return Simulation(network, simulate_from(network, rows, seed=seed))


def simulate_from(network: FittedNetwork, rows: int, *, seed: int = 0) -> Dataset:
    """Draw rows from a given network.

    Parameters
    ----------
    network
        A FittedNetwork.
    rows
        The number of rows to draw.
    seed
        The same seed gives the same rows. ``simulate`` uses this function with
        its own seed. Default 0.

    Returns
    -------
    Dataset
        The table.
    """
    check_whole(1, MAX_ROWS, rows=rows)
    _, rows_rng = _streams(seed)
    return as_fitted(network).sample(rows, rows_rng)


def random_network(
    variables: int,
    *,
    max_parents: int,
    states: tuple[int, int] = (2, 4),
    rng: Generator,
) -> FittedNetwork:
    """Generate a network with a random order, random parents and random probabilities.

    A variable has up to ``max_parents`` parents, 1.75 on average if the limit
    allows it, drawn from all variables before it in the order. The number of
    its states is uniform over the range ``states``, both ends included.
    Variables are named X1, X2, ... and states s0, s1, ..., padded with zeros so
    that they sort.
    """
    _check_shape(variables, max_parents, states)
    order = rng.permutation(variables)
    arities = rng.integers(states[0], states[1], size=variables, endpoint=True)
    parents = _random_parents(order, max_parents, rng)
    tables = []
    for v, family in enumerate(parents):
        # With a Dirichlet parameter below 1, the rows of a table differ clearly.
        shape = tuple(int(arities[u]) for u in (*family, v))
        tables.append(rng.dirichlet(np.full(shape[-1], 0.5), size=shape[:-1]))
    names = _numbered("X", 1, variables)
    labels = tuple(_numbered("s", 0, int(arity)) for arity in arities)
    return FittedNetwork(Network(names, parents), labels, tuple(tables))


def parse_states(text: str) -> tuple[int, int]:
    """Parse a range of numbers of states: ``2-4``, or ``3`` for exactly three."""
    low, dash, high = text.partition("-")
    try:
        states = (int(low), int(high if dash else low))
    except ValueError:
        raise ForebearError(
            Parameter("states"), f' must be a number or a range such as 2-4, got "{text}"'
        ) from None
    _check_states(states)
    return states


def _random_parents(
    order: NDArray[np.int64], max_parents: int, rng: Generator
) -> tuple[tuple[int, ...], ...]:
    """Draw the parents of every variable from those before it in the order."""
    # On average 1.75 parents, or three quarters of the limit if that is less.
    share = min(0.75, 1.75 / max(max_parents, 1))
    counts = rng.binomial(max_parents, share, size=len(order))
    parents: list[tuple[int, ...]] = [()] * len(order)
    for place, v in enumerate(order):
        chosen = rng.choice(place, size=min(place, int(counts[place])), replace=False)
        parents[v] = tuple(sorted(order[chosen].tolist()))
    return tuple(parents)


def _numbered(letter: str, first: int, count: int) -> tuple[str, ...]:
    """Return numbered names, padded with zeros so that they sort by number."""
    width = len(str(first + count - 1))
    return tuple(f"{letter}{k:0{width}}" for k in range(first, first + count))


def _streams(seed: int) -> tuple[Generator, Generator]:
    """Return one random stream for the network and one for the rows."""
    check_whole(0, math.inf, seed=seed)
    network, rows = np.random.SeedSequence(int(seed)).spawn(2)
    return np.random.default_rng(network), np.random.default_rng(rows)


def _check_shape(variables: int, max_parents: int, states: tuple[int, int]) -> None:
    check_whole(1, variables=variables)
    check_whole(0, max_parents=max_parents)
    _check_states(states)
    log_cells = (min(max_parents, variables - 1) + 1) * math.log10(states[1])
    if log_cells > math.log10(MOST_CELLS):
        raise LimitError(
            f"one variable could need 10^{log_cells:.0f} probabilities, more than the limit of "
            f"{MOST_CELLS:,}: lower ",
            Parameter("max_parents"),
            f" ({max_parents}) or ",
            Parameter("states"),
            f" ({states[1]})",
        )


def _check_states(states: tuple[int, int]) -> None:
    try:
        low, high = states
    except (TypeError, ValueError):
        raise ForebearError(
            Parameter("states"), f" must be a pair such as (2, 4), got {states!r}"
        ) from None
    for count in (low, high):
        check_whole(2, 1_000, states=count)
    if low > high:
        raise ForebearError(
            Parameter("states"), f" must be in ascending order, got {low} and {high}"
        )
