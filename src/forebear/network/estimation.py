"""Estimation of the probabilities of a network from a table."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from forebear._util.checks import check_choice, check_real
from forebear._util.errors import ForebearError, Parameter
from forebear.data.columns import find_columns
from forebear.data.dataset import as_dataset
from forebear.network.expectation import expect
from forebear.network.smoothing import DEFAULT_STRENGTH, LEAST, choose_back_off
from forebear.network.tables import fit_table, posterior_means

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from forebear.data.reading import ReadOptions
    from forebear.network.fitted import FittedNetwork
    from forebear.network.network import Network
    from forebear.network.smoothing import Strength

Smoothing: TypeAlias = Literal["light", "medium", "strong", "ess"]

_CHOICES = ("auto", *LEAST, "ess")


def check_smoothing(smoothing: str) -> None:
    """Refuse an unknown kind of smoothing."""
    check_choice(_CHOICES, smoothing=smoothing)


def estimate(
    network: Network,
    data: Any,
    *,
    smoothing: Smoothing | Literal["auto"] = "auto",
    ess: float | None = None,
    read: ReadOptions | None = None,
) -> FittedNetwork:
    """Estimate the probabilities of a network; see ``fit_network``."""
    method = _method_of(smoothing, ess)
    table = as_dataset(data, read)
    if table.has_missing and table.missing == "em":
        table = expect(network, table.select(find_columns(table, network.names))).completed
    return fit_table(network, table, method)


def _method_of(
    smoothing: str, ess: float | None
) -> Callable[[NDArray[np.int64]], NDArray[np.float64]]:
    """Return the function that makes probabilities of counts."""
    check_smoothing(smoothing)
    if smoothing == "auto":
        smoothing = DEFAULT_STRENGTH if ess is None else "ess"
    if smoothing in LEAST:
        if ess is not None:
            raise ForebearError(
                Parameter("ess"), " is for ", Parameter("smoothing", "ess"), ": leave one out"
            )
        strength = cast("Strength", smoothing)
        return lambda counts: choose_back_off(counts, strength).table(counts)
    weight = 1.0 if ess is None else ess
    check_real(0, ess=weight)
    if math.isinf(weight):
        raise ForebearError(Parameter("ess"), f" must be finite, got {weight}")
    return partial(posterior_means, ess=weight)
