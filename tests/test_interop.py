"""Conversion of networks to and from other libraries."""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from fitted import arcs_by_name, assert_same, fitted_networks, nasty_network
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_fitting import joint_log_probability

from forebear import interop
from forebear._util.errors import ForebearError
from forebear.network.fitted_network import FittedNetwork
from forebear.network.network import Network
from forebear.network.simulation import random_network

EMPTY = Network((), ())
V_STRUCTURE = Network(("a", "b", "c", "alone"), ((), (), (0, 1), ()))


@pytest.fixture(autouse=True)
def _their_warnings_are_theirs() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def test_networkx_graphs_have_names_states_and_compelled_arcs() -> None:
    networkx = pytest.importorskip("networkx")
    graph = interop.to_networkx(V_STRUCTURE)
    assert list(graph) == ["a", "b", "c", "alone"]
    assert dict(graph.edges) == {("a", "c"): {"compelled": True}, ("b", "c"): {"compelled": True}}
    fitted = nasty_network()
    graph = interop.to_networkx(fitted)
    assert tuple(networkx.get_node_attributes(graph, "states").values()) == fitted.states
    for network in (V_STRUCTURE, EMPTY, fitted.network):
        assert interop.from_networkx(interop.to_networkx(network)) == network


def test_invalid_networkx_graphs_are_rejected() -> None:
    networkx = pytest.importorskip("networkx")
    with pytest.raises(ForebearError, match="got an undirected one"):
        interop.from_networkx(networkx.Graph([(1, 2)]))
    with pytest.raises(ForebearError, match="variable 1 is named twice"):
        interop.from_networkx(networkx.DiGraph([(1, 2), ("1", 2)]))
    assert arcs_by_name(interop.from_networkx(networkx.DiGraph([(1, 2)]))) == {("1", "2")}


CONVERTED = {
    "pgmpy": (interop.to_pgmpy, interop.from_pgmpy),
    "pyagrum": (interop.to_pyagrum, interop.from_pyagrum),
}


@pytest.mark.parametrize("package", CONVERTED)
@settings(max_examples=30)
@given(data=st.data())
def test_round_trip(package: str, data: st.DataObject) -> None:
    pytest.importorskip(package)
    there, back = CONVERTED[package]
    # pyAgrum would cut names at NUL.
    names = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
    fitted = data.draw(fitted_networks(st.text() if package == "pgmpy" else names))
    assert_same(back(there(fitted)), fitted)


def _labels(fitted: FittedNetwork, row: Any) -> dict[str, str]:
    states = [states[code] for states, code in zip(fitted.states, row, strict=True)]
    return dict(zip(fitted.network.names, states, strict=True))


def test_pgmpy_computes_the_same_joint_probabilities() -> None:
    inference = pytest.importorskip("pgmpy.inference")
    fitted = random_network(5, max_parents=3, rng=np.random.default_rng(2))
    model = interop.to_pgmpy(fitted)
    assert model.check_model()
    names = list(fitted.network.names)
    joint = inference.VariableElimination(model).query(names, show_progress=False)
    for row in fitted.sample(20, np.random.default_rng(0)).codes.T:
        theirs = joint.get_value(**_labels(fitted, row))
        assert math.log(theirs) == pytest.approx(joint_log_probability(fitted, row))


def test_pyagrum_computes_the_same_joint_probabilities() -> None:
    pyagrum = pytest.importorskip("pyagrum")
    fitted = random_network(7, max_parents=3, rng=np.random.default_rng(2))
    model = interop.to_pyagrum(fitted)
    for row in fitted.sample(20, np.random.default_rng(0)).codes.T:
        instantiation = pyagrum.Instantiation()
        for name, label in _labels(fitted, row).items():
            instantiation.add(model.variable(name))
            instantiation.chgVal(name, label)
        theirs = model.jointProbability(instantiation)
        assert math.log(theirs) == pytest.approx(joint_log_probability(fitted, row))


def test_a_structure_without_probabilities_in_pgmpy() -> None:
    pytest.importorskip("pgmpy")
    model = interop.to_pgmpy(V_STRUCTURE)
    assert set(model.edges()) == arcs_by_name(V_STRUCTURE)
    assert interop.from_networkx(model) == V_STRUCTURE
    with pytest.raises(ForebearError, match="a has no CPD: add one, or convert"):
        interop.from_pgmpy(model)


def test_states_in_another_order_in_pgmpy() -> None:
    """A CPD that lists the states of a parent the other way round means the same."""
    cpd = pytest.importorskip("pgmpy.factors.discrete").TabularCPD
    model = interop.to_pgmpy(Network(("a", "b"), ((), (0,))))
    model.add_cpds(
        cpd("a", 2, [[0.25], [0.75]], state_names={"a": ["n", "y"]}),
        cpd("b", 2, [[0.1, 0.6], [0.9, 0.4]], evidence=["a"], evidence_card=[2],
            state_names={"b": [0, 1], "a": ["y", "n"]}),
    )  # fmt: skip
    fitted = interop.from_pgmpy(model)
    assert fitted.states == (("n", "y"), ("0", "1"))
    np.testing.assert_array_equal(fitted.tables[1], [[0.6, 0.4], [0.1, 0.9]])


def test_pyagrum_would_cut_names_at_nul() -> None:
    pytest.importorskip("pyagrum")
    network = Network(("a",), ((),))
    with pytest.raises(ForebearError, match=r"cannot hold the name 'b\\x00'"):
        interop.to_pyagrum(FittedNetwork(network, (("b", "b\0"),), (np.array([0.5, 0.5]),)))


@pytest.mark.parametrize(
    ("convert", "package"),
    [
        (interop.to_networkx, "networkx"),
        (interop.to_pgmpy, "pgmpy"),
        (interop.to_pyagrum, "pyagrum"),
    ],
)
def test_missing_packages(convert: Any, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in [name for name in sys.modules if name.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setattr(sys, "meta_path", [])
    with pytest.raises(ForebearError) as caught:
        convert(nasty_network())
    assert str(caught.value) == f"{package} is not installed: install it with pip install {package}"
