"""fit_network: from a network and data to a FittedNetwork."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from forebear._util.checks import known_parameters
from forebear.network.network import NetworkLike, as_network

if TYPE_CHECKING:
    from forebear.data.reading import ReadOptions
    from forebear.network.estimation import Smoothing
    from forebear.network.fitted import FittedNetwork


@known_parameters
def fit_network(
    network: NetworkLike,
    data: Any,
    *,
    smoothing: Smoothing | Literal["auto"] = "auto",
    ess: float | None = None,
    read: ReadOptions | None = None,
) -> FittedNetwork:
    """Estimate the probabilities of a network from data.

    With few rows per parent configuration, relative frequencies predict new rows badly. By
    default they are drawn towards the probabilities given fewer parents (back-off smoothing).
    How much is chosen for every variable by leave-one-out likelihood.

    Where values are missing, a family is counted over the rows where it is observed, or with
    ``missing="em"`` over rows completed by expectation maximisation.

    Parameters
    ----------
    network
        A Network, a FittedNetwork or a Result.
    data
        A path, a data frame, an array or a Dataset. Columns are matched with
        the variables by name, in any order; other columns are ignored. The
        states are those of the table.
    smoothing
        "light", "medium" or "strong" back-off smoothing: how much there is at
        least. "ess": posterior means under the BDeu prior; a configuration of
        the parents that does not occur has the uniform distribution. Default
        "auto": "ess" if ``ess`` is given, otherwise what the validation of a
        Result found best, or "medium".
    ess
        Equivalent sample size of the BDeu prior. 0 gives the relative
        frequencies (maximum likelihood), under which states that do not occur
        have probability 0. Default: 1 with ``smoothing="ess"``.
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
    found = as_network(network)
    if smoothing == "auto" and ess is None:
        smoothing = getattr(network, "smoothing", None) or "auto"
    return found.fit(data, smoothing=smoothing, ess=ess, read=read)
