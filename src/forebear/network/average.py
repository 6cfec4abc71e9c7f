"""FittedAverage: several fitted networks that predict together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from forebear._util.checks import check_whole, known_parameters
from forebear._util.errors import ForebearError, Parameter
from forebear._util.text import counted, show_facts
from forebear.data.dataset import Dataset, as_dataset
from forebear.data.encoding import MAX_ROWS
from forebear.data.matching import rows_as
from forebear.network.fitted import FittedNetwork, as_fitted, generator_of
from forebear.network.network import Network, as_network

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from forebear.data.reading import ReadOptions
    from forebear.network.estimation import Smoothing
    from forebear.network.network import NetworkLike

DEFAULT_MOST = 10
"""Networks to average: the number that benchmarks/results/generalisation.md was measured with."""


@dataclass(frozen=True, eq=False, repr=False)
class FittedAverage:
    """Several fitted networks of the same variables; the probability of a row is their mean.

    Where several networks are about equally good, their mean often predicts new rows better than
    any of them. It is no network itself, so no network format holds it.

    Parameters
    ----------
    networks
        The fitted networks. All have the same variables, in the same order, with the same states.

    Raises
    ------
    ForebearError
        If there are no networks, or their variables or states differ.

    Examples
    --------
    >>> from forebear import FittedAverage, FittedNetwork, Network
    >>> states = (("no", "yes"), ("no", "yes"))
    >>> apart = FittedNetwork(Network(("a", "b"), ((), ())), states, ([0.5, 0.5], [0.5, 0.5]))
    >>> joined = FittedNetwork(Network(("a", "b"), ((), (0,))), states,
    ...                        ([0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]]))
    >>> average = FittedAverage((apart, joined))
    >>> average.sample(100, seed=1).n_rows
    100
    """

    networks: tuple[FittedNetwork, ...]

    def __post_init__(self) -> None:
        networks = tuple(as_fitted(one) for one in self.networks)
        object.__setattr__(self, "networks", networks)
        if not networks:
            raise ForebearError("an average needs at least one network")
        first = networks[0]
        for one in networks[1:]:
            if (one.network.names, one.states) != (first.network.names, first.states):
                raise ForebearError("the networks of an average must have the same variables")

    @property
    def n_variables(self) -> int:
        """The number of variables."""
        return self.networks[0].n_variables

    @property
    def states(self) -> tuple[tuple[str, ...], ...]:
        """The states of every variable."""
        return self.networks[0].states

    def log_likelihood(self, data: Any, *, read: ReadOptions | None = None) -> float:
        """Return the log-likelihood of a table: the sum of those of its rows.

        Parameters
        ----------
        data
            A path, a data frame, an array or a Dataset.
        read
            How to read the data. Default None.

        Returns
        -------
        float
            The natural logarithm of the probability.
        """
        return float(self.log_likelihoods(data, read=read).sum())

    def log_likelihoods(self, data: Any, *, read: ReadOptions | None = None) -> NDArray[np.float64]:
        """Return the log-likelihood of every row: the logarithm of the mean probability.

        Parameters
        ----------
        data
            A path, a data frame, an array or a Dataset. Columns and states are matched by name, as
            by ``FittedNetwork.log_likelihoods``.
        read
            How to read the data. Default None: missing values are gaps.

        Returns
        -------
        numpy.ndarray
            The natural logarithm of the probability of every row.
        """
        first = self.networks[0]
        rows = rows_as(data, first.network.names, first.states, read)
        total = np.full(rows.n_rows, -np.inf)
        for one in self.networks:
            total = np.logaddexp(total, one.log_likelihoods(rows))
        total -= np.log(len(self.networks))
        return total

    def sample(self, n: int, seed: int | np.random.Generator | None = None) -> Dataset:
        """Draw independent rows, each from one of the networks.

        Parameters
        ----------
        n
            The number of rows, at least 1.
        seed
            A random seed or a NumPy generator. Default None: random.

        Returns
        -------
        Dataset
            The rows. It declares all states, whether they occur or not.
        """
        check_whole(1, MAX_ROWS, n=n)
        rng = generator_of(seed)
        counts = rng.multinomial(int(n), [1 / len(self.networks)] * len(self.networks))
        drawn = [
            one.sample(int(count), rng)
            for one, count in zip(self.networks, counts, strict=True)
            if count
        ]
        codes = np.concatenate([part.codes for part in drawn], axis=1)
        first = self.networks[0]
        return Dataset(
            codes=codes[:, rng.permutation(int(n))], names=first.network.names, states=first.states
        )

    def __repr__(self) -> str:
        """Show the number of networks and of variables."""
        facts = [("variables", self.n_variables)]
        return show_facts(f"FittedAverage of {counted(len(self.networks), 'network')}", facts)


@known_parameters
def fit_average(
    networks: NetworkLike | Sequence[NetworkLike],
    data: Any,
    *,
    most: int = DEFAULT_MOST,
    smoothing: Smoothing | str = "auto",
    ess: float | None = None,
    read: ReadOptions | None = None,
) -> FittedAverage:
    """Fit several networks to data and average their predictions.

    Parameters
    ----------
    networks
        A Result, whose alternatives are averaged; or several networks, such as the results of
        several runs.
    data
        A path, a data frame, an array or a Dataset.
    most
        The largest number of networks. More alternatives are thinned out, the best most densely
        kept; of a sequence, the first are taken.
    smoothing
        As in ``fit_network``.
    ess
        As in ``fit_network``.
    read
        How to read the data. Default None.

    Returns
    -------
    FittedAverage
        The fitted networks.

    Examples
    --------
    >>> import forebear
    >>> result = forebear.learn("example:orchard", generations=5, seed=1)
    >>> len(forebear.fit_average(result, "example:orchard", most=5).networks)
    5
    """
    check_whole(1, most=most)
    table = as_dataset(data, read)
    several = list(networks) if isinstance(networks, list | tuple) else _alternatives(networks)
    if not several:
        raise ForebearError(Parameter("networks"), " must name at least one network")
    if not isinstance(networks, list | tuple):
        places = np.geomspace(1, len(several), min(most, len(several))).round().astype(int)
        several = [several[place - 1] for place in _distinct(places, len(several))]
    if smoothing == "auto" and ess is None:
        smoothing = getattr(networks, "smoothing", None) or "auto"
    names = as_network(several[0]).names
    structures = [as_network(one).reordered(names) for one in several[:most]]
    fit: dict[str, Any] = {"smoothing": smoothing, "ess": ess}
    return FittedAverage(tuple(one.fit(table, **fit) for one in structures))


def _alternatives(value: Any) -> list[NetworkLike]:
    """Return the networks that a result knows, the best first; of a network, it alone."""
    network = as_network(value)
    others = [Network(network.names, one.parents) for one in getattr(value, "alternatives", ())]
    return [*others] or [network]


def _distinct(places: NDArray[Any], most: int) -> list[int]:
    """Move places that occur twice to the next free ones."""
    found: list[int] = []
    for place in places.tolist():
        found.append(max(place, found[-1] + 1) if found else place)
    return [place for place in found if place <= most]
