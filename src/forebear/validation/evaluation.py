"""The likelihood of held-out rows under a network, for every strength of smoothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from forebear.network.expectation import expect
from forebear.network.smoothing import LEAST

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from forebear.network.network import Network
    from forebear.network.smoothing import Strength
    from forebear.validation.splitting import Split


def held_out_likelihoods(network: Network, split: Split) -> dict[Strength, NDArray[np.float64]]:
    """Fit a network to the rows to learn from, and predict those held out.

    Parameters
    ----------
    network
        The network, learnt from ``split.train``.
    split
        The rows.

    Returns
    -------
    dict
        The log-likelihood of every held-out row, by strength of smoothing. Where values are
        missing, that of the observed ones.
    """
    found = {}
    train = split.train
    if train.has_missing and train.missing == "em":  # the same completed rows for all
        train = expect(network, train).completed
    for name in LEAST:
        strength = cast("Strength", name)
        fitted = network.fit(train, smoothing=strength)
        found[strength] = fitted.log_likelihoods(split.test)
    return found
