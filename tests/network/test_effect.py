"""Effects: by the truncated product, by simulation and by pyAgrum."""

from __future__ import annotations

from typing import Any

import naive_graphs
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from naive_inference import cut, joint_table, networks_to_ask, posterior

from forebear import FittedNetwork, ForebearError, Network, ReadOptions, as_dataset, read_fitted
from forebear.interop import to_pyagrum
from forebear.network.simulation import random_network

ORCHARD = read_fitted("example:orchard.bif")


@settings(deadline=None)
@given(networks_to_ask(5), st.data())
def test_effects_and_their_range(fitted: FittedNetwork, data: st.DataObject) -> None:
    n = fitted.n_variables
    assume(n > 1)
    smoothed = tuple(0.9 * table + 0.1 / table.shape[-1] for table in fitted.tables)
    fitted = FittedNetwork(fitted.network, fitted.states, smoothed)
    x, y = data.draw(st.permutations(range(n)))[:2]
    effect = fitted.effect(x, y, values=range(len(fitted.states[y])), cpdag=True)
    rows = [
        posterior(joint_table(cut(fitted, {x: s})), [y], {x: s})
        for s in range(len(fitted.states[x]))
    ]
    assert effect.probabilities == pytest.approx(np.array(rows), abs=1e-9)
    expectations = np.array(rows) @ np.arange(len(fitted.states[y]))
    assert effect.difference == pytest.approx(expectations[-1] - expectations[0], abs=1e-9)
    # Every network of the class has the same joint distribution.
    joint = joint_table(fitted)
    tables = []
    for arcs in naive_graphs.equivalence_class(n, frozenset(fitted.network.arcs)):
        member = with_joint(fitted, arcs, joint)
        tables.append(
            np.array(
                [
                    posterior(joint_table(cut(member, {x: s})), [y], {x: s})
                    for s in range(len(fitted.states[x]))
                ]
            )
        )
    assert effect.lowest == pytest.approx(np.min(tables, axis=0), abs=1e-9)
    assert effect.highest == pytest.approx(np.max(tables, axis=0), abs=1e-9)
    spread = np.ptp(tables, axis=0).max()
    assert effect.identified == (spread < 1e-9) or 1e-10 < spread < 1e-8


def with_joint(fitted: FittedNetwork, arcs: naive_graphs.Arcs, joint: Any) -> FittedNetwork:
    """Return the network with these arcs and the same joint distribution."""
    network = Network.from_arcs(fitted.network.names, arcs)
    tables = []
    for v, parents in enumerate(network.parents):
        own = posterior(joint, [*parents, v], {})
        tables.append(own / own.sum(axis=-1, keepdims=True))
    return FittedNetwork(network, fitted.states, tuple(tables))


def test_the_adjustment_formula_gives_the_effect() -> None:
    for x, y in (("spraying", "scab"), ("irrigation", "harvest"), ("bees", "price")):
        effect = ORCHARD.effect(x, y)
        assert effect.adjustment_set is not None
        joint = ORCHARD.query([*effect.adjustment_set, x, y]).probabilities
        joint = joint.reshape(-1, *joint.shape[-2:])
        rows = joint / joint.sum(axis=2, keepdims=True)
        adjusted = np.tensordot(joint.sum(axis=(1, 2)), rows, axes=1)
        assert effect.probabilities == pytest.approx(adjusted, abs=1e-9)


def test_simulation_agrees() -> None:
    forced = cut(ORCHARD, {ORCHARD.network.index("spraying"): 0})
    rows = forced.sample(200_000, seed=3)
    v = ORCHARD.network.index("scab")
    shares = np.bincount(rows.codes[v], minlength=3) / 200_000
    effect = ORCHARD.effect("spraying", "scab")[
        ORCHARD.states[ORCHARD.network.index("spraying")][0]
    ]
    assert list(effect.values()) == pytest.approx(shares, abs=0.005)
    assert effect.title == "P(scab | do(spraying=never))"


def test_pyagrum_agrees() -> None:
    causal = pytest.importorskip("pyagrum.causal")
    rng = np.random.default_rng(8)
    for seed in range(4):
        fitted = random_network(7, max_parents=3, states=(2, 3), rng=np.random.default_rng(seed))
        model = causal.CausalModel(to_pyagrum(fitted))
        for _ in range(4):
            x, y = (fitted.network.names[v] for v in rng.permutation(7)[:2])
            _, found, _ = causal.causalImpact(model, on=y, doing=x)
            effect = fitted.effect(x, y).probabilities
            if x in found.names:
                array = found.toarray()
                theirs = array if found.names[0] == y else array.T
            else:
                theirs = np.broadcast_to(found.toarray(), effect.shape)
            assert effect == pytest.approx(theirs, abs=1e-6)


def test_numbers_of_states() -> None:
    network = Network.from_arcs(["x", "y"], [("x", "y")])
    tables: Any = ([0.5, 0.5], [[0.9, 0.1], [0.4, 0.6]])

    def effect(*states: str, **options: Any) -> Any:
        return FittedNetwork(network, (("no", "yes"), states), tables).effect("x", "y", **options)

    assert effect("10", "30").difference == pytest.approx(10)
    assert effect("up_to_3.5", "above_3.5").difference == pytest.approx(0.5)
    assert effect("low", "high").difference is None
    assert effect("low", "high", values=[0, 2]).difference == pytest.approx(1)
    assert "yes minus no: 10" in repr(effect("10", "30"))
    read = ReadOptions(ordered={"y": ["low", "high"]}, missing="state")
    rows = {"x": ["no", "no", "yes", "yes"] * 5, "y": ["low", "low", "low", "high"] * 5}
    table = as_dataset(rows, read)
    fitted = Network(table.names, ((), (0,)), table.coding).fit(table, ess=0)
    assert fitted.effect("x", "y").difference == pytest.approx(0.5)
    table = as_dataset({**rows, "y": [None, *rows["y"][1:]]}, read)  # which gets no place
    fitted = Network(table.names, ((), (0,)), table.coding).fit(table)
    assert fitted.effect("x", "y").difference is None
    for wrong in ([0, "x"], {"low": 0}, 7):
        with pytest.raises(ForebearError, match="values must be"):
            effect("low", "high", values=wrong)
    with pytest.raises(ForebearError, match=r"one number per state \(low, high\), got 3 numbers"):
        effect("low", "high", values=[1, 2, 3])


def test_what_is_shown() -> None:
    effect = ORCHARD.effect("spraying", "harvest", values=range(4), cpdag=True)
    lines = repr(effect).splitlines()
    assert lines[0] == "P(harvest | do(spraying))"
    assert lines[5] == "  adjusted for rainfall"
    assert lines[7].startswith("  not identified: probabilities differ by up to 0.06088 in ")
    assert lines[-1] == "  if the arcs are causes, and no common cause is missing"
    for line in lines[5:]:  # also in notebooks
        assert f"<div>{line.strip()}</div>" in effect._repr_html_()
    reverse = ORCHARD.effect("scab", "spraying")
    assert "spraying is a parent of scab: there is no effect" in repr(reverse)
    assert reverse.identified is None
    assert ORCHARD.effect("hail", "quality", cpdag=True).to_frame().columns[0] == "hail"
    with pytest.raises(ForebearError, match="hail has no effect on itself"):
        ORCHARD.effect("hail", "hail")
    with pytest.raises(ForebearError, match="hail is in both do and evidence: keep one of them"):
        ORCHARD.query("price", {"hail": "no"}, do={"hail": "yes"})
    with pytest.raises(ForebearError, match="hail is queried, but do sets its state"):
        ORCHARD.query("hail", do={"hail": "yes"})
    certain = FittedNetwork(
        Network.from_arcs(["a", "b", "c"], [("a", "b"), ("b", "c")]),
        (("x", "y"),) * 3,
        (np.array([0.5, 0.5]), np.eye(2), np.full((2, 2), 0.5)),
    )
    with pytest.raises(ForebearError, match="the range of the effect is not determined"):
        certain.effect("b", "c", cpdag=True)
