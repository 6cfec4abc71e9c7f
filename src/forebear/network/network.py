"""Network: a directed acyclic graph over named variables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from forebear._util.errors import ForebearError, Parameter
from forebear._util.text import listing
from forebear._util.variable_names import Variable
from forebear.data.coding import Coding, Unseen
from forebear.data.read_options import ReadOptions
from forebear.network import graphs
from forebear.network.dag import DAG
from forebear.network.drawing.picture_files import write_network_picture
from forebear.network.drawing.svg import network_figure, network_size
from forebear.network.graphs import Arc, PartialGraph, checked_parents

if TYPE_CHECKING:
    from forebear.network.fit_network import Smoothing
    from forebear.network.fitted_network import FittedNetwork


class Fittable:
    """The base of ``Network`` and ``Result``."""

    def fit(
        self,
        data: Any,
        *,
        smoothing: Smoothing | Literal["auto"] = "auto",
        ess: float | None = None,
        read: ReadOptions | None = None,
        unseen: Unseen = "error",
    ) -> FittedNetwork:
        """Estimate the probabilities of the network from data; see ``forebear.fit_network``.

        Parameters
        ----------
        data
            A path, a data frame, an array or a Dataset.
        smoothing
            "light", "medium" or "strong" back-off smoothing, or "ess". Default "auto": "ess" if
            ``ess`` is given, otherwise the strength that predicts held-out rows best, if a Result
            has been validated, or "medium".
        ess
            Equivalent sample size of the BDeu prior. Default: 1 with ``smoothing="ess"``.
        read
            How to read the data. Default None: as the table that the network was learned from.
        unseen
            What is done with states that table did not have: "error" (default), or "missing" to
            treat them as missing.

        Returns
        -------
        FittedNetwork
            The network with its probabilities.
        """
        from forebear.network.fit_network import fit_network  # it imports this module

        own: Any = self
        return fit_network(own, data, smoothing=smoothing, ess=ess, read=read, unseen=unseen)


@dataclass(frozen=True, repr=False)
class Network(DAG, Fittable):
    """A directed acyclic graph (DAG) over named variables.

    Methods accept a variable as its name or its index, and return names. The attributes
    ``parents``, ``children``, ``arcs``, ``order`` and ``compelled`` hold indices.

    Parameters
    ----------
    names
        The names of the variables.
    parents
        The parents of every variable, by index, in any order; ``parents[v]``
        are those of variable ``v``. They are stored in ascending order.
    coding
        How the table that the network was learned from was coded (cuts, categories, missing
        tokens), so that raw rows are coded in the same way. It does not count when networks are
        compared. Default None.
    row_sets
        For a table with experiments, a number per variable; two variables have the same number if
        they were set in the same rows. It determines which networks are equivalent. It does not
        count when networks are compared. Default None: a table without experiments.

    Raises
    ------
    ForebearError
        If the graph has a cycle, a name occurs twice, or a parent does not exist.

    Examples
    --------
    >>> from forebear import Network
    >>> network = Network(("rain", "sprinkler", "wet"), ((), (0,), (0, 1)))
    >>> network.arc_names
    (('rain', 'sprinkler'), ('rain', 'wet'), ('sprinkler', 'wet'))
    >>> network.markov_blanket("rain")
    ('sprinkler', 'wet')
    """

    names: tuple[str, ...]
    parents: tuple[tuple[int, ...], ...]
    coding: Coding | None = field(default=None, compare=False)
    row_sets: tuple[int, ...] | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", tuple(self.names))
        object.__setattr__(self, "parents", checked_parents(self.names, self.parents))
        if self.row_sets is not None:
            object.__setattr__(self, "row_sets", _checked_row_sets(self.row_sets, self.names))
        # Computing the order checks that there is no cycle.
        _ = self.order

    @classmethod
    def from_arcs(cls, names: Sequence[str], arcs: Iterable[tuple[Variable, Variable]]) -> Network:
        """Build a network from its arcs.

        Parameters
        ----------
        names
            The names of all variables, including those without arcs.
        arcs
            (parent, child) pairs, by name or by index.

        Returns
        -------
        Network
            The network.

        Examples
        --------
        >>> from forebear import Network
        >>> Network.from_arcs(["a", "b", "c"], [("a", "b")]).parents
        ((), (0,), ())
        """
        empty = cls(tuple(names), ((),) * len(names))
        parents: list[list[int]] = [[] for _ in names]
        for parent, child in arcs:
            parents[empty.index(child)].append(empty.index(parent))
        return cls(empty.names, tuple(map(tuple, parents)))

    def reordered(self, names: Sequence[str]) -> Network:
        """Return the same network with its variables in another order.

        Parameters
        ----------
        names
            The names of all variables in the new order.

        Returns
        -------
        Network
            The network with these names.
        """
        indices = self._indices_by_name
        if unknown := [name for name in names if name not in indices]:
            raise ForebearError(f"the network has no variables called {listing(unknown)}")
        given = set(names)
        if omitted := [name for name in self.names if name not in given]:
            raise ForebearError(f"the new order omits {listing(omitted)}")
        new_index = {indices[name]: v for v, name in enumerate(names)}
        families = (self.parents[indices[name]] for name in names)
        parents = tuple(tuple(new_index[p] for p in own) for own in families)
        own = self.row_sets
        row_sets = None if own is None else tuple(own[indices[name]] for name in names)
        return Network(tuple(names), parents, self.coding, row_sets)

    @cached_property
    def compelled(self) -> frozenset[Arc]:
        """The arcs that have the same direction in every equivalent network."""
        if self.row_sets is None:
            families = graphs.compelled_parents(self.parents, self.order)
        else:
            families = graphs.interventional_parents(self.parents, self.order, self.row_sets)
        return frozenset((p, v) for v, family in enumerate(families) for p in family)

    def cpdag(self) -> PartialGraph:
        """Return the CPDAG, which represents all equivalent networks.

        For a network learned from experiments, it is the interventional CPDAG (Hauser and Bühlmann,
        2012): arcs between variables that were not set in the same rows are compelled, too.

        Returns
        -------
        PartialGraph
            Compelled arcs are directed, the others undirected.
        """
        free = ((min(arc), max(arc)) for arc in self.arcs if arc not in self.compelled)
        directed = tuple(arc for arc in self.arcs if arc in self.compelled)
        return PartialGraph(self.names, directed, tuple(sorted(free)))

    def equivalent(self, other: NetworkLike) -> bool:
        """Return whether two networks imply the same independences.

        If one of them was learned from experiments, they must also agree on what these reveal.

        Parameters
        ----------
        other
            A Network, a FittedNetwork or a Result. Variables are matched by name.

        Returns
        -------
        bool
            True if both have the same CPDAG.
        """
        own, their = with_same_experiments(self, as_network(other).reordered(self.names))
        return own.cpdag() == their.cpdag()

    def draw(self, path: Path | str) -> None:
        """Draw the network in a file; arcs whose direction data cannot determine are dashed.

        Parameters
        ----------
        path
            A ``.svg``, ``.png`` or ``.pdf`` file. The last two require the package
            vl-convert-python (the extra "pictures").

        Raises
        ------
        FileError
            If the extension is another one, the package is missing, or the file cannot be written.
        """
        write_network_picture(self, path)

    def __repr__(self) -> str:
        """Show the numbers of variables and arcs."""
        return f"Network({network_size(self)})"

    def _repr_html_(self) -> str:
        """Show a picture in notebooks."""
        return network_figure(f"<strong>Network</strong> · {network_size(self)}", self)


def with_same_experiments(one: Network, other: Network) -> tuple[Network, Network]:
    """Give two networks of the same variables the same ``row_sets``, to compare their CPDAGs."""
    own = other.row_sets if one.row_sets is None else one.row_sets
    return replace(one, row_sets=own), replace(other, row_sets=own)


def _checked_row_sets(row_sets: Any, names: Sequence[str]) -> tuple[int, ...]:
    """Return the numbers, if there is one per variable; files may have anything."""
    numbers = tuple(row_sets) if isinstance(row_sets, list | tuple) else ()
    if len(numbers) != len(names) or any(type(number) is not int for number in numbers):
        raise ForebearError(Parameter("row_sets"), " must have a whole number per variable")
    return numbers


class HasNetwork(Protocol):
    """An object that has a network: a FittedNetwork or a Result."""

    @property
    def network(self) -> Network:
        """The structure."""


NetworkLike: TypeAlias = Network | HasNetwork


def as_network(value: NetworkLike) -> Network:
    """Return the structure of a Network, a FittedNetwork or a Result."""
    network = value if isinstance(value, Network) else getattr(value, "network", None)
    if isinstance(network, Network):
        return network
    is_path = isinstance(value, (str, Path))
    raise ForebearError(
        "a network is expected (a Network, a FittedNetwork or a Result), got "
        + (f"{str(value)!r}: read a file with read_network" if is_path else type(value).__name__)
    )
