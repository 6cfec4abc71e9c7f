"""Inference against the table of all joint probabilities, and against pyAgrum."""

from __future__ import annotations

import datetime as dt
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_inference import cut, joint_table, networks_to_ask, posterior

from forebear import FittedNetwork, ForebearError, LimitError, Network, ReadOptions, as_dataset
from forebear.interop import to_pyagrum
from forebear.network.simulation import random_network


def rain() -> FittedNetwork:
    network = Network.from_arcs(["rain", "wet"], [("rain", "wet")])
    tables: Any = ([0.8, 0.2], [[0.9, 0.1], [0.0, 1.0]])
    return FittedNetwork(network, (("no", "yes"), ("no", "yes")), tables)


@settings(deadline=None, max_examples=50)
@given(networks_to_ask(), st.data())
def test_samples_given_evidence(fitted: FittedNetwork, data: st.DataObject) -> None:
    sizes = [len(states) for states in fitted.states]
    chosen = data.draw(st.sets(st.sampled_from(range(len(sizes))), min_size=1))
    known = {v: data.draw(st.integers(0, sizes[v] - 1)) for v in sorted(chosen)}
    joint = joint_table(fitted)
    total = float(posterior(joint, (), known))
    evidence: Any = {v: fitted.states[v][state] for v, state in known.items()}
    if total == 0:
        with pytest.raises(ForebearError, match="the evidence is impossible"):
            fitted.sample(5, seed=1, evidence=evidence)
        return
    rows = fitted.sample(4000, seed=1, evidence=evidence).codes.astype(int)
    assert all((rows[v] == state).all() for v, state in known.items())
    counts = np.zeros(sizes)
    np.add.at(counts, tuple(rows), 1)
    expected = 4000 * posterior(joint, range(len(sizes)), known) / total
    mask = tuple(
        slice(known[v], known[v] + 1) if v in known else slice(None) for v in range(len(sizes))
    )
    kept = counts[mask]
    assert (kept[expected == 0] == 0).all()
    # Five standard errors, and a little for rare cells.
    assert (np.abs(kept - expected) <= 5 * np.sqrt(expected) + 8).all()


@settings(max_examples=100)
@given(networks_to_ask(), st.data())
def test_answers_equal_the_joint_table(fitted: FittedNetwork, data: st.DataObject) -> None:
    """Queries, marginals and explanations, given evidence and interventions."""
    n, names, states = fitted.n_variables, fitted.network.names, fitted.states
    order = data.draw(st.permutations(range(n)))
    first, second = sorted(data.draw(st.tuples(*[st.integers(0, n - 1)] * 2)))
    known = {v: data.draw(st.integers(0, len(states[v]) - 1)) for v in order[:second]}
    do: Any = {v: states[v][known[v]] for v in order[:first]}
    evidence = {names[v]: states[v][known[v]] for v in order[first:second]}
    free = order[second:]
    query = free[: data.draw(st.integers(1, len(free)))]
    joint = joint_table(cut(fitted, {v: known[v] for v in do}))
    expected = posterior(joint, query, known)
    total = float(expected.sum())
    if total == 0:
        with pytest.raises(ForebearError, match="the evidence is impossible: "):
            fitted.query(query, evidence, do=do)
        return
    found = fitted.query(query, evidence, do=do)
    assert found.probabilities == pytest.approx(expected / total, abs=1e-12)
    assert found.log_evidence == pytest.approx(math.log(total), abs=1e-9)
    assert found.variables == tuple(names[v] for v in query)
    assert found.evidence == evidence
    assert found.do == {names[v]: state for v, state in do.items()}
    marginals = fitted.marginals(evidence, do=do)
    assert list(marginals) == [names[v] for v in sorted(free)]
    for v in free:
        own = posterior(joint, [v], known) / total
        assert marginals[names[v]].probabilities == pytest.approx(own, abs=1e-12)
    greatest = fitted.most_probable(evidence, do=do)
    cell = tuple(states[v].index(greatest.states[name]) for v, name in enumerate(names))
    assert all(cell[v] == code for v, code in known.items())
    best = posterior(joint, range(n), known).max()
    assert joint[cell] == pytest.approx(best, rel=1e-9)
    assert greatest.probability == pytest.approx(best / total, rel=1e-9)
    assert greatest.log_joint == pytest.approx(math.log(best), abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_answers_equal_those_of_pyagrum(seed: int) -> None:
    pyagrum = pytest.importorskip("pyagrum", reason="pyAgrum is not installed")
    rng = np.random.default_rng(seed)
    fitted = random_network(40, max_parents=3, states=(2, 4), rng=rng)
    names = fitted.network.names
    row = fitted.sample(1, seed=seed).codes[:, 0]
    evidence = {names[v]: fitted.states[v][row[v]] for v in rng.choice(40, 6, replace=False)}
    model = to_pyagrum(fitted)
    engine = pyagrum.LazyPropagation(model)
    engine.setEvidence(evidence)
    for name, found in fitted.marginals(evidence).items():
        assert found.probabilities == pytest.approx(engine.posterior(name).toarray(), abs=1e-9)
    both = pyagrum.LazyPropagation(model)
    both.setEvidence(evidence)
    pair = set([name for name in names if name not in evidence][:2])
    both.addJointTarget(pair)
    joint = both.jointPosterior(pair)
    together = fitted.query(list(reversed(joint.names)), evidence)
    assert together.probabilities == pytest.approx(joint.toarray(), abs=1e-9)
    assert math.exp(together.log_evidence) == pytest.approx(engine.evidenceProbability())


def test_underflow_does_not_give_zeros() -> None:
    # 2,000 children that each favour "yes" by 1000 to 1, and one that excludes it.
    n = 2000
    network = Network(("class", *(f"c{k}" for k in range(n))), ((), *((0,),) * n))
    table = np.array([[0.999, 0.001], [0.001, 0.999]])
    last = np.array([[0.5, 0.5], [1.0, 0.0]])
    fitted = FittedNetwork(
        network, (("no", "yes"),) * (n + 1), (np.array([0.5, 0.5]), *(table,) * (n - 1), last)
    )
    evidence = {f"c{k}": "yes" for k in range(n)}
    found = fitted.query("class", evidence)
    assert found["no"] == 1.0
    expected = math.log(0.25) + (n - 1) * math.log(0.001)
    assert found.log_evidence == pytest.approx(expected)
    assert fitted.marginals(evidence)["class"]["yes"] == 0.0
    assert fitted.most_probable(evidence).states["class"] == "no"


def test_descendants_without_evidence_are_not_used() -> None:
    # The tree of all variables is refused, but these questions need few of them.
    n = 80
    rng = np.random.default_rng(2)
    parents = tuple(tuple(rng.choice(v, min(v, 8), replace=False).tolist()) for v in range(n))
    network = Network(tuple(f"v{v}" for v in range(n)), parents)
    tables = tuple(rng.dirichlet([1, 1], size=(2,) * len(own)) for own in network.parents)
    fitted = FittedNetwork(network, (("a", "b"),) * n, tables)
    assert fitted.query("v1", {"v0": "b"}).probabilities == pytest.approx(tables[1][1])
    for ask in (fitted.marginals, fitted.most_probable, lambda: fitted.query(f"v{n - 1}")):
        with pytest.raises(
            LimitError, match=r"requires tables of [0-9,^]+ cells, more than the limit"
        ):
            ask()
    # Evidence cuts the network into small parts.
    evidence = {f"v{v}": "a" for v in range(n) if v % 10}
    assert fitted.query("v0", evidence).log_evidence < 0


@pytest.mark.parametrize(
    ("variables", "evidence", "message"),
    [
        ("rian", {}, 'no variable is called "rian": did you mean "rain"?'),
        ("rain", {"Wet": "yes"}, 'no variable is called "Wet": did you mean "wet"?'),
        ("rain", {"wet": "yess"}, 'wet has no state called "yess": did you mean "yes"?'),
        ("rain", {"wet": 3}, 'wet has no state called "3": it has no, yes'),
        ("rain", {"rain": "yes"}, "rain is queried, but evidence sets its state"),
        ("rain", {"wet": "no", 1: "no"}, "evidence sets wet twice: keep one of them"),
        (["rain", 0], {}, "rain is queried twice"),
        ([], {}, "variables is empty: name at least one variable"),
        ("rain", ["wet"], 'evidence must be a mapping such as {"rain": "yes"}, got list'),
    ],
)
def test_mistakes_are_rejected(variables: Any, evidence: Any, message: str) -> None:
    with pytest.raises(ForebearError) as caught:
        rain().query(variables, evidence)
    assert str(caught.value) == message


def test_impossible_evidence_is_refused() -> None:
    for ask in (rain().marginals, rain().most_probable):
        with pytest.raises(ForebearError) as caught:
            ask({"rain": "yes", "wet": "no"})
        assert str(caught.value) == (
            "the evidence is impossible: rain=yes, wet=no together has the probability 0 in this "
            "network"
        )


def test_a_number_selects_its_interval() -> None:
    network = Network.from_arcs(["age", "ill"], [("age", "ill")])
    tables: Any = ([0.2, 0.5, 0.3], [[0.9, 0.1], [0.8, 0.2], [0.3, 0.7]])
    states = (("up_to_18", "from_18_to_65.5", "above_65.5"), ("false", "true"))
    fitted = FittedNetwork(network, states, tables)
    for age, expected in [(18, 0.1), (18.5, 0.2), ("65.5", 0.2), (70, 0.7), ("above_65.5", 0.7)]:
        assert fitted.query("ill", {"age": age})["true"] == pytest.approx(expected)
    assert fitted.query("age", {"ill": True})["up_to_18"] == pytest.approx(0.02 / 0.33)
    with pytest.raises(ForebearError, match='age has no state called "old": it has up_to_18,'):
        fitted.query("ill", {"age": "old"})
    for nothing in (None, math.nan, np.float32("nan")):
        with pytest.raises(ForebearError, match="age is given without a state"):
            fitted.query("ill", {"age": nothing})


def test_evidence_is_coded_as_the_table_was() -> None:
    days = [dt.date(2020, 1, 1) + dt.timedelta(days=k) for k in range(200)]
    sizes = ["small", "medium", "large", "huge"] * 50
    read = ReadOptions(
        discretize="quantile",
        bins={"day": 4, "size": 2},
        ordered={"size": ["small", "medium", "large", "huge"]},
    )
    table = as_dataset({"day": days, "size": sizes, "even": [k % 2 == 0 for k in range(200)]}, read)
    network = Network(table.names, ((), (), (0, 1)), table.coding)
    fitted = network.fit(table)
    place = table.codes[0, 70]
    for day in (days[70], dt.datetime(2020, 3, 11, 12), "2020-03-11", "11.03.2020"):
        assert fitted.query("even", {"day": day}).evidence["day"] == table.states[0][place]
    assert fitted.query("even", {"size": "medium"}).evidence == {"size": "small_to_medium"}
    with pytest.raises(ForebearError, match='day has no state called "March"'):
        fitted.query("even", {"day": "March"})
