"""Networks as the objects of networkx, pgmpy and pyAgrum, and back.

None of these is needed to use forebear: each is imported when it is asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from forebear._util.errors import ForebearError
from forebear.network.fitted import FittedNetwork
from forebear.network.network import Network

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

# What other libraries make has no types here, since they need not be installed.
DiGraph: TypeAlias = Any
DiscreteBayesianNetwork: TypeAlias = Any
BayesNet: TypeAlias = Any


def to_networkx(network: Network | FittedNetwork) -> DiGraph:
    """Make a ``networkx.DiGraph`` with the names as nodes.

    Edges have ``compelled``: whether they point the same way in every
    equivalent network. Nodes of a FittedNetwork have their ``states``.
    """
    graph = _library("networkx").DiGraph()
    structure = _structure(network)
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
    """Read a network from a ``networkx.DiGraph``, whose nodes become names."""
    if not graph.is_directed():
        raise ForebearError("the arcs of a network are directed, but this graph is undirected")
    return _network([str(node) for node in graph], [(str(a), str(b)) for a, b in graph.edges()])


def to_pgmpy(network: Network | FittedNetwork) -> DiscreteBayesianNetwork:
    """Make a pgmpy ``DiscreteBayesianNetwork``; with its CPDs if the network is fitted."""
    models = _library("pgmpy.models")
    structure = _structure(network)
    names = structure.names
    model = models.DiscreteBayesianNetwork()
    model.add_nodes_from(names)
    model.add_edges_from((names[p], names[v]) for p, v in structure.arcs)
    if isinstance(network, FittedNetwork):
        make_cpd = _library("pgmpy.factors.discrete").TabularCPD
        model.add_cpds(*(make_cpd(**_cpd(network, v)) for v in range(network.n_variables)))
    return model


def from_pgmpy(model: DiscreteBayesianNetwork) -> FittedNetwork:
    """Read a network with its CPDs from pgmpy; ``from_networkx`` reads one that has none."""
    names = [str(node) for node in model.nodes()]
    cpds = {str(cpd.variable): cpd for cpd in model.get_cpds()}
    for name in names:
        if name not in cpds:
            raise ForebearError(
                f"{name} has no CPD: add it, or read the structure only with from_networkx"
            )
    network = _network(names, [(str(a), str(b)) for a, b in model.edges()])
    states = tuple(tuple(map(str, cpds[name].state_names[cpds[name].variable])) for name in names)
    tables = []
    for v, name in enumerate(names):
        members = [str(member) for member in cpds[name].variables]
        listed = [members.index(names[u]) for u in (*network.parents[v], v)]
        table = np.transpose(np.asarray(cpds[name].values, dtype=np.float64), listed)
        # A CPD may list the states of a parent in an order of its own.
        for axis, parent in enumerate(network.parents[v]):
            own = [str(s) for s in cpds[name].state_names[cpds[name].variables[listed[axis]]]]
            table = table.take([own.index(state) for state in states[parent]], axis=axis)
        tables.append(table)
    return FittedNetwork(network, states, tuple(tables))


def to_pyagrum(fitted: FittedNetwork) -> BayesNet:
    """Make a ``pyagrum.BayesNet`` with the states as labels, and its CPTs."""
    pyagrum = _library("pyagrum")
    names = fitted.network.names
    for name in (*names, *(state for states in fitted.states for state in states)):
        if "\0" in name:
            raise ForebearError(f"{name!r} cannot stand in pyAgrum, which cuts names at \\x00")
    model = pyagrum.BayesNet()
    for name, states in zip(names, fitted.states, strict=True):
        model.add(pyagrum.LabelizedVariable(name, name, list(states)))
    for p, v in fitted.network.arcs:
        model.addArc(names[p], names[v])
    for v, family in enumerate(fitted.network.parents):
        cpt = model.cpt(names[v])
        # It lists its variables in an order of its own, the one that varies fastest first.
        axes = {names[u]: axis for axis, u in enumerate((*family, v))}
        table = np.transpose(fitted.tables[v], [axes[member] for member in reversed(cpt.names)])
        cpt[:] = np.ascontiguousarray(table)
    return model


def from_pyagrum(model: BayesNet) -> FittedNetwork:
    """Read a network with its CPTs from a ``pyagrum.BayesNet``."""
    name_of = {node: model.variable(node).name() for node in model.nodes()}
    names = list(name_of.values())
    network = _network(names, [(name_of[a], name_of[b]) for a, b in model.arcs()])
    tables = []
    for v, name in enumerate(names):
        cpt = model.cpt(name)
        axes = list(reversed(cpt.names))
        order = [axes.index(names[u]) for u in (*network.parents[v], v)]
        tables.append(np.transpose(cpt.toarray(), order))
    states = tuple(tuple(model.variable(node).labels()) for node in name_of)
    return FittedNetwork(network, states, tuple(tables))


def _cpd(fitted: FittedNetwork, v: int) -> Mapping[str, Any]:
    """What pgmpy's TabularCPD is made of."""
    names, parents, table = fitted.network.names, fitted.network.parents[v], fitted.tables[v]
    n_states = table.shape[-1]
    return {
        "variable": names[v],
        "variable_card": n_states,
        "values": table.reshape(-1, n_states).T,
        "evidence": [names[p] for p in parents],
        "evidence_card": [len(fitted.states[p]) for p in parents],
        "state_names": {names[u]: list(fitted.states[u]) for u in (v, *parents)},
    }


def _structure(network: Network | FittedNetwork) -> Network:
    return network.network if isinstance(network, FittedNetwork) else network


def _network(names: Sequence[str], arcs: Iterable[tuple[str, str]]) -> Network:
    index = {name: v for v, name in enumerate(names)}
    parents: list[list[int]] = [[] for _ in names]
    for parent, child in arcs:
        parents[index[child]].append(index[parent])
    return Network(tuple(names), tuple(map(tuple, parents)))


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        package = name.partition(".")[0]
        if error.name != package:
            raise
        raise ForebearError(
            f"{package} is not installed: pip install 'forebear[interop]'"
        ) from None
