"""Random networks, and tables drawn from networks: data whose true structure is known."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from forebear._util.errors import ForebearError, LimitError
from forebear.network.fitted import FittedNetwork
from forebear.network.network import Network

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from forebear.data.dataset import Dataset

_MEAN_PARENTS = 1.75
_DENSEST = 0.75
"""The share of ``max_parents`` used on average when it is too low to reach the mean."""

_CONCENTRATION = 0.5
"""Dirichlet parameter of the rows: below 1 the rows differ enough to be learnt from data."""

_MOST_STATES = 1_000
_MOST_CELLS = 2**24


class Simulation(NamedTuple):
    """A random network, and a table drawn from it."""

    network: FittedNetwork
    data: Dataset


def simulate(
    n_variables: int,
    n_rows: int,
    *,
    max_parents: int = 3,
    states: tuple[int, int] = (2, 4),
    seed: int = 0,
) -> Simulation:
    """Make a random network and draw rows from it.

    The network depends on the seed and not on the number of rows, and
    ``simulate_from(network, n_rows, seed=seed)`` draws the same table again.
    """
    _at_least("n_rows", n_rows, 1)
    network_rng, _ = _streams(seed)
    network = random_network(n_variables, max_parents=max_parents, states=states, rng=network_rng)
    return Simulation(network, simulate_from(network, n_rows, seed=seed))


def simulate_from(network: FittedNetwork, n_rows: int, *, seed: int = 0) -> Dataset:
    """Draw rows from a given network."""
    _, rows_rng = _streams(seed)
    return network.sample(n_rows, rows_rng)


def random_network(
    n_variables: int,
    *,
    max_parents: int,
    states: tuple[int, int] = (2, 4),
    rng: Generator,
) -> FittedNetwork:
    """Make a network with a random order, random parents and random probabilities.

    A variable has up to ``max_parents`` parents, 1.75 on average where the
    limit allows it, drawn from all the variables before it in the order. The
    number of its states is uniform over the range ``states``, both ends
    included. Variables are called X1, X2, ..., padded with zeros so that they
    sort; states s0, s1, ... likewise.
    """
    _check_shape(n_variables, max_parents, states)
    order = rng.permutation(n_variables)
    arities = rng.integers(states[0], states[1], size=n_variables, endpoint=True)
    parents = _random_parents(order, max_parents, rng)
    tables = []
    for v, family in enumerate(parents):
        shape = tuple(int(arities[u]) for u in (*family, v))
        tables.append(rng.dirichlet(np.full(shape[-1], _CONCENTRATION), size=shape[:-1]))
    names = _numbered("X", 1, n_variables)
    labels = tuple(_numbered("s", 0, int(arity)) for arity in arities)
    return FittedNetwork(Network(names, parents), labels, tuple(tables))


def parse_states(text: str) -> tuple[int, int]:
    """Read a range of numbers of states: ``2-4``, or ``3`` for exactly three."""
    low, dash, high = text.partition("-")
    try:
        states = (int(low), int(high if dash else low))
    except ValueError:
        raise ForebearError(
            f'states must be a number or a range such as 2-4, got "{text}"'
        ) from None
    _check_states(states)
    return states


def _random_parents(
    order: NDArray[np.int64], max_parents: int, rng: Generator
) -> tuple[tuple[int, ...], ...]:
    """Draw the parents of every variable from those before it in the order."""
    share = min(_DENSEST, _MEAN_PARENTS / max(max_parents, 1))
    counts = rng.binomial(max_parents, share, size=len(order))
    parents: list[tuple[int, ...]] = [()] * len(order)
    for place, v in enumerate(order):
        chosen = rng.choice(place, size=min(place, int(counts[place])), replace=False)
        parents[v] = tuple(sorted(order[chosen].tolist()))
    return tuple(parents)


def _numbered(letter: str, first: int, count: int) -> tuple[str, ...]:
    """Name things by number, padded so that the names sort as the numbers do."""
    width = len(str(first + count - 1))
    return tuple(f"{letter}{k:0{width}}" for k in range(first, first + count))


def _streams(seed: int) -> tuple[Generator, Generator]:
    """Give one random stream for the network and one for the rows."""
    _at_least("seed", seed, 0)
    network, rows = np.random.SeedSequence(seed).spawn(2)
    return np.random.default_rng(network), np.random.default_rng(rows)


def _check_shape(n_variables: int, max_parents: int, states: tuple[int, int]) -> None:
    _at_least("n_variables", n_variables, 1)
    _at_least("max_parents", max_parents, 0)
    _check_states(states)
    cells = states[1] ** (min(max_parents, n_variables - 1) + 1)
    if cells > _MOST_CELLS:
        raise LimitError(
            f"one variable could need {cells:.1e} probabilities, and {_MOST_CELLS:.1e} are "
            f"possible: lower max_parents ({max_parents}) or the number of states ({states[1]})"
        )


def _check_states(states: tuple[int, int]) -> None:
    low, high = states
    if not 2 <= low <= high <= _MOST_STATES:
        raise ForebearError(
            f"states must be a range within 2 to {_MOST_STATES}, got {low} to {high}"
        )


def _at_least(name: str, value: int, least: int) -> None:
    if value < least:
        raise ForebearError(f"{name} must be at least {least}, got {value}")
