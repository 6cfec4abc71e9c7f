"""FittedNetwork: a network with its conditional probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from forebear._util.checks import check_whole
from forebear._util.errors import ForebearError, Parameter
from forebear._util.text import counted, listing, show_facts, show_range
from forebear._util.variable_names import Variable
from forebear.data.coding import Unseen
from forebear.data.columns import cells_of, find_columns
from forebear.data.dataset import Dataset
from forebear.data.matching import rows_as
from forebear.data.read_options import MAX_ROWS, ReadOptions
from forebear.network.distribution import Prediction
from forebear.network.drawing.svg import network_figure, network_size
from forebear.network.expectation_maximization import observed_likelihoods
from forebear.network.inference import Inference, draw_states
from forebear.network.prediction import predict_rows
from forebear.network.queries import Queries


@dataclass(frozen=True, eq=False, repr=False)
class FittedNetwork(Queries):
    """A network with the states of its variables and their conditional probabilities.

    Create it with ``fit_network`` or ``read_fitted``, or directly from tables.

    Parameters
    ----------
    network
        The structure.
    states
        The states of every variable.
    tables
        The probabilities of every variable. ``tables[v]`` has one axis per
        parent, in the order of ``network.parents[v]``, and the states of ``v``
        along the last axis. Every row (last axis) must sum to 1 within 0.001
        and is rescaled to sum to 1.

    Raises
    ------
    ForebearError
        If the parts do not fit together, or a row does not sum to 1.

    Examples
    --------
    >>> from forebear import FittedNetwork, Network
    >>> network = Network.from_arcs(["rain", "wet"], [("rain", "wet")])
    >>> fitted = FittedNetwork(network, (("no", "yes"), ("no", "yes")),
    ...                        ([0.8, 0.2], [[0.9, 0.1], [0.2, 0.8]]))
    >>> fitted
    FittedNetwork with 2 variables, 1 arc
      variables: rain, wet
      states: 2 per variable
      free parameters: 3
    >>> fitted.sample(100, seed=1).n_rows
    100
    """

    def sample(
        self,
        n: int,
        seed: int | np.random.Generator | None = None,
        *,
        evidence: Mapping[Any, Any] | None = None,
    ) -> Dataset:
        """Draw independent rows.

        Parameters
        ----------
        n
            The number of rows, at least 1.
        seed
            A random seed or a NumPy generator. Default None: random.
        evidence
            A mapping from variables to their states. All rows have these states, and the others are
            drawn from their exact distribution given these. Default None: no evidence.

        Returns
        -------
        Dataset
            The rows. All states are declared, including those that do not occur.

        Raises
        ------
        ForebearError
            If the evidence is impossible.
        LimitError
            If the network is too densely connected for exact inference, with evidence only.
        """
        check_whole(1, MAX_ROWS, n=n)
        n, rng = int(n), as_generator(seed)
        most = max((len(states) for states in self.states), default=0)
        codes = np.zeros((self.n_variables, n), dtype=np.uint8 if most <= 256 else np.uint16)
        if evidence:
            codes[:] = Inference(self, evidence).sample(n, rng)
        else:
            for v in self.network.order:
                parents = [codes[p] for p in self.network.parents[v]]
                codes[v] = draw_states(self.tables[v], parents, n, rng)
        return Dataset(codes=codes, names=self.network.names, states=self.states)

    def log_likelihood(
        self, data: Any, *, read: ReadOptions | None = None, unseen: Unseen = "error"
    ) -> float:
        """Return the log-likelihood of a table: the sum over its rows.

        Parameters
        ----------
        data
            A path, a data frame, an array or a Dataset.
        read
            How to read the data. Default None: see ``log_likelihoods``.
        unseen
            What is done with states that the network does not have; see ``log_likelihoods``.

        Returns
        -------
        float
            The natural logarithm of the probability; see ``log_likelihoods``.
        """
        rows = rows_as(data, self.coding, read, unseen)
        logs = self._stored_likelihoods(rows)
        weights = np.ones(1) if rows.weights is None else rows.weights / rows.copies
        return float((logs * weights).sum())

    def log_likelihoods(
        self, data: Any, *, read: ReadOptions | None = None, unseen: Unseen = "error"
    ) -> NDArray[np.float64]:
        """Return the log-likelihood of every row.

        Parameters
        ----------
        data
            A path, a data frame, an array or a Dataset. Columns are matched by name; other columns
            are ignored. Raw rows are coded as the table of the network was: the same cuts,
            categories and missing tokens. Without a record of that, as in a network read from a
            file of another program, states are matched by name, and numbers are assigned to the
            intervals that the names state.
        read
            How to read the data. Default None: as the table of the network, but missing values are
            not observed, and every row counts once.
        unseen
            What is done with states that the network does not have: "error" (default), or
            "missing" to treat them as not observed.

        Returns
        -------
        numpy.ndarray
            The natural logarithm of the probability of every row, or of its
            observed values if some are missing. Minus infinity if the
            probability is 0. Values that were set by intervention have probability 1. A row with a
            whole weight is repeated that many times.

        Raises
        ------
        DataError
            If a variable is missing from the data, or if the data has a state that the network does
            not have.
        """
        rows = rows_as(data, self.coding, read, unseen)
        logs = self._stored_likelihoods(rows)
        return logs if rows.weights is None or rows.has_real_weights else logs.repeat(rows.weights)

    def _stored_likelihoods(self, rows: Dataset) -> NDArray[np.float64]:
        """Return the log-likelihood of every row, whatever its weight."""
        columns = find_columns(rows.names, self.network.names)
        codes = rows.codes[columns]
        if rows.has_missing:
            return observed_likelihoods(self, codes)
        total = np.zeros(rows.n_stored)
        for v, table in enumerate(self.tables):
            family = [codes[u] for u in (*self.network.parents[v], v)]
            with np.errstate(divide="ignore"):
                logs = np.log(table.ravel()[cells_of(family, table.shape, rows.n_stored)])
            if rows.intervened is not None:
                logs[rows.intervened[columns[v]]] = 0.0
            total += logs
        return total

    @overload
    def predict(
        self,
        frame: Any,
        target: Variable,
        *,
        probabilities: Literal[False] = False,
        read: ReadOptions | None = None,
        unseen: Unseen = "error",
    ) -> NDArray[np.object_]: ...

    @overload
    def predict(
        self,
        frame: Any,
        target: Variable,
        *,
        probabilities: Literal[True],
        read: ReadOptions | None = None,
        unseen: Unseen = "error",
    ) -> Prediction: ...

    def predict(
        self,
        frame: Any,
        target: Variable,
        *,
        probabilities: bool = False,
        read: ReadOptions | None = None,
        unseen: Unseen = "error",
    ) -> NDArray[np.object_] | Prediction:
        """Predict one variable from the others, for every row of a table.

        Missing values, and variables that are not in the table, are summed out exactly. Columns
        that are not in the network are ignored, and so is the column of the target. A warning lists
        the columns and variables without a counterpart.

        Parameters
        ----------
        frame
            A path, a data frame, an array or a Dataset, coded as in ``log_likelihoods``.
        target
            The variable to predict, by name or by index.
        probabilities
            Whether to return the probabilities of the states as well. Default False.
        read
            How to read the table. Default None: as the table of the network, but missing values are
            treated as unobserved.
        unseen
            What is done with states that the network does not have: "error" (default), or
            "missing" to treat them as unobserved.

        Returns
        -------
        numpy.ndarray or Prediction
            The most probable state of every row; the first in case of ties. A row that is
            impossible in this network gets None, and a warning is issued. With
            ``probabilities=True``, a tuple of these labels and the probabilities, rows by states.

        Raises
        ------
        DataError
            If the table has no variable of the network, or has a state that the network does not
            have.
        LimitError
            If exact inference takes too much memory because of the missing values.

        Examples
        --------
        >>> from forebear import read_fitted
        >>> from forebear.data.examples import example_path
        >>> fitted = read_fitted(example_path("orchard.bif"))
        >>> fitted.predict("example:orchard", "price")[:3]
        array(['very_low', 'very_low', 'low'], dtype=object)
        """
        prediction = predict_rows(self, frame, self.network.index(target), read, unseen)
        return prediction if probabilities else prediction.labels

    def draw(self, path: Path | str) -> None:
        """Draw the network in a file; see ``Network.draw``.

        Parameters
        ----------
        path
            A ``.svg``, ``.png`` or ``.pdf`` file.
        """
        self.network.draw(path)

    @property
    def _states_shown(self) -> str:
        counts = [len(states) for states in self.states] or [0]
        return show_range(min(counts), max(counts))

    def __repr__(self) -> str:
        """Show the size, the names, the numbers of states and of parameters."""
        facts = [
            ("variables", listing(self.network.names)),
            ("states", f"{self._states_shown} per variable"),
            ("free parameters", f"{self.n_parameters:,}"),
        ]
        return show_facts(f"FittedNetwork with {network_size(self.network)}", facts)

    def _repr_html_(self) -> str:
        """Show a picture and the size in notebooks."""
        size = f"{network_size(self.network)}, {self._states_shown} states per variable"
        parameters = counted(self.n_parameters, "free parameter")
        caption = f"<strong>FittedNetwork</strong> · {size}, {parameters}"
        return network_figure(caption, self.network)


def as_fitted(value: object) -> FittedNetwork:
    """Return a FittedNetwork unchanged; reject anything else with advice."""
    if isinstance(value, FittedNetwork):
        return value
    raise ForebearError(
        "a network with probabilities is expected (a FittedNetwork), got "
        f"{type(value).__name__}: fit it to data with fit_network, or read it with read_fitted"
    )


def as_generator(seed: Any) -> np.random.Generator:
    """Return a NumPy generator for a seed, a generator or None."""
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError):
        raise ForebearError(
            Parameter("seed"), f" must be a whole number or a NumPy generator, got {seed!r}"
        ) from None
