"""fit_network: from a network and data to a FittedNetwork."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from forebear._util.checks import known_parameters
from forebear.network.network import NetworkLike, as_network

if TYPE_CHECKING:
    from forebear.data.reading import ReadOptions
    from forebear.network.fitted import FittedNetwork


@known_parameters
def fit_network(
    network: NetworkLike, data: Any, *, ess: float = 1.0, read: ReadOptions | None = None
) -> FittedNetwork:
    """Estimate the probabilities of a network from data.

    The probabilities are posterior means under the BDeu prior. If a parent
    configuration does not occur in the data, its row is uniform.

    Parameters
    ----------
    network
        A Network, a FittedNetwork or a Result.
    data
        A path, a data frame, an array or a Dataset. Columns are matched with
        the variables by name, in any order; other columns are ignored. The
        states are those of the table.
    ess
        Equivalent sample size of the prior. 0 gives the relative frequencies
        (maximum likelihood), under which states that do not occur have
        probability 0. Default 1.
    read
        How to read the data. Default None: missing values and continuous
        columns are refused.

    Returns
    -------
    FittedNetwork
        The network with its probabilities.

    Raises
    ------
    DataError
        If the data lacks a variable of the network, or cannot be read.
    LimitError
        If there are too many probabilities to hold in memory.

    Examples
    --------
    >>> import polars as pl
    >>> from forebear import Network, fit_network
    >>> data = pl.DataFrame({"rain": ["no", "yes", "no", "no"], "wet": ["no", "yes", "no", "yes"]})
    >>> network = Network.from_arcs(["rain", "wet"], [("rain", "wet")])
    >>> fit_network(network, data, ess=0).tables[0].tolist()
    [0.75, 0.25]
    """
    return as_network(network).fit(data, ess=ess, read=read)
