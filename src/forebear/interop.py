"""Conversion of networks to and from networkx, pgmpy and pyAgrum.

forebear does not require these libraries; each is imported when it is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, TypeAlias

import numpy as np

from forebear._util.errors import ForebearError
from forebear.network.fitted_network import FittedNetwork, as_fitted
from forebear.network.formats.parsing import NetworkBuilder
from forebear.network.network import Network, NetworkLike, as_network

# Classes of other libraries, which need not be installed.
DiGraph: TypeAlias = Any
DiscreteBayesianNetwork: TypeAlias = Any
BayesNet: TypeAlias = Any


def to_networkx(network: NetworkLike) -> DiGraph:
    """Convert a network to a networkx graph.

    Parameters
    ----------
    network
        A Network, a FittedNetwork or a Result.

    Returns
    -------
    networkx.DiGraph
        The nodes are the names; those of a FittedNetwork have the attribute
        ``states``. Edges have the attribute ``compelled``: whether they have
        the same direction in every equivalent network.

    Raises
    ------
    ForebearError
        If networkx is not installed.
    """
    structure = as_network(network)
    graph = _library("networkx").DiGraph()
    names = structure.names
    graph.add_nodes_from(names)
    if isinstance(network, FittedNetwork):
        for name, states in zip(names, network.states, strict=True):
            graph.nodes[name]["states"] = states
    for arc in structure.arcs:
        parent, child = arc
        graph.add_edge(names[parent], names[child], compelled=arc in structure.compelled)
    return graph


def from_networkx(graph: DiGraph) -> Network:
    """Convert a networkx graph to a network.

    Parameters
    ----------
    graph
        A ``networkx.DiGraph`` without cycles. Its nodes become the names.

    Returns
    -------
    Network
        The network.

    Raises
    ------
    ForebearError
        If the graph is undirected or has a cycle.
    """
    if not hasattr(graph, "is_directed"):
        raise ForebearError(f"a networkx.DiGraph is expected, got {type(graph).__name__}")
    if not graph.is_directed():
        raise ForebearError(
            "a directed graph is expected (networkx.DiGraph), got an undirected one"
        )
    return Network.from_arcs(
        [str(node) for node in graph], [(str(a), str(b)) for a, b in graph.edges()]
    )


def to_pgmpy(network: NetworkLike) -> DiscreteBayesianNetwork:
    """Convert a network to a pgmpy model.

    Parameters
    ----------
    network
        A Network, a FittedNetwork or a Result.

    Returns
    -------
    pgmpy.models.DiscreteBayesianNetwork
        The model; with its CPDs if the network is a FittedNetwork.

    Raises
    ------
    ForebearError
        If pgmpy is not installed.
    """
    structure = as_network(network)
    models = _library("pgmpy.models")
    names = structure.names
    model = models.DiscreteBayesianNetwork()
    model.add_nodes_from(names)
    model.add_edges_from((names[p], names[v]) for p, v in structure.arcs)
    if isinstance(network, FittedNetwork):
        make_cpd = _library("pgmpy.factors.discrete").TabularCPD
        for v, (parents, table) in enumerate(zip(structure.parents, network.tables, strict=True)):
            cpd = make_cpd(
                variable=names[v],
                variable_card=table.shape[-1],
                values=table.reshape(-1, table.shape[-1]).T,
                evidence=[names[p] for p in parents],
                evidence_card=table.shape[:-1],
                state_names={names[u]: list(network.states[u]) for u in (v, *parents)},
            )
            model.add_cpds(cpd)
    return model


def from_pgmpy(model: DiscreteBayesianNetwork) -> FittedNetwork:
    """Convert a pgmpy model with CPDs to a network.

    Parameters
    ----------
    model
        A ``DiscreteBayesianNetwork``. Use ``from_networkx`` for one without CPDs.

    Returns
    -------
    FittedNetwork
        The network with its probabilities.

    Raises
    ------
    ForebearError
        If a variable has no CPD.
    """
    cpds = {str(cpd.variable): cpd for cpd in model.get_cpds()}
    builder = NetworkBuilder()
    for name in map(str, model.nodes()):
        if name not in cpds:
            raise ForebearError(
                f"{name} has no CPD: add one, or convert only the structure with from_networkx"
            )
        builder.declare(name, map(str, cpds[name].state_names[cpds[name].variable]))
    for name, cpd in cpds.items():
        table = np.moveaxis(np.asarray(cpd.values, dtype=np.float64), 0, -1)
        evidence = cpd.variables[1:]
        # A CPD may list the states of a parent in another order.
        for axis, parent in enumerate(evidence):
            own = [str(state) for state in cpd.state_names[parent]]
            places = [own.index(state) for state in builder.states[str(parent)]]
            table = table.take(places, axis=axis)
        builder.add_table(name, [str(parent) for parent in evidence], table)
    return builder.build()


def to_pyagrum(fitted: FittedNetwork) -> BayesNet:
    """Convert a fitted network to a pyAgrum model.

    Parameters
    ----------
    fitted
        A FittedNetwork.

    Returns
    -------
    pyagrum.BayesNet
        The model, with the states as labels.

    Raises
    ------
    ForebearError
        If pyAgrum is not installed, the network has no probabilities, or a name
        contains a NUL character.
    """
    fitted = as_fitted(fitted)
    pyagrum = _library("pyagrum")
    names = fitted.network.names
    for name in (*names, *(state for states in fitted.states for state in states)):
        if "\0" in name:
            raise ForebearError(
                f"pyAgrum cannot hold the name {name!r}, because it ends names at \\x00: rename it"
            )
    model = pyagrum.BayesNet()
    for name, states in zip(names, fitted.states, strict=True):
        model.add(pyagrum.LabelizedVariable(name, name, list(states)))
    for p, v in fitted.network.arcs:
        model.addArc(names[p], names[v])
    for v, family in enumerate(fitted.network.parents):
        cpt = model.cpt(names[v])
        # pyAgrum orders the variables itself; the one that varies fastest is first.
        axes = {names[u]: axis for axis, u in enumerate((*family, v))}
        table = np.transpose(fitted.tables[v], [axes[member] for member in reversed(cpt.names)])
        cpt[:] = np.ascontiguousarray(table)
    return model


def from_pyagrum(model: BayesNet) -> FittedNetwork:
    """Convert a pyAgrum model to a network.

    Parameters
    ----------
    model
        A ``pyagrum.BayesNet``.

    Returns
    -------
    FittedNetwork
        The network with its probabilities.
    """
    builder = NetworkBuilder()
    for node in model.nodes():
        builder.declare(model.variable(node).name(), model.variable(node).labels())
    for name in builder.states:
        cpt = model.cpt(name)
        # The variable itself comes first and varies fastest.
        builder.add_table(name, list(reversed(cpt.names[1:])), cpt.toarray())
    return builder.build()


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        package = name.partition(".")[0]
        if error.name != package:
            raise
        raise ForebearError(
            f"{package} is not installed: install it with pip install {package}"
        ) from None
