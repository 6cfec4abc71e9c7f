"""Networks: the proof that they are acyclic, their probabilities, and the rows drawn from them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

from forebear._util.errors import ForebearError, ForebearWarning
from forebear.data.dataset import Dataset
from forebear.data.examples import example_path
from forebear.data.reading import ReadOptions
from forebear.network.comparison import compare_networks
from forebear.network.fitted import FittedNetwork
from forebear.network.fitting import fit_network
from forebear.network.formats.bif import read_bif
from forebear.network.network import Network, as_network


@st.composite
def graphs(draw: st.DrawFn) -> tuple[tuple[int, ...], ...]:
    """Any directed graph without loops of one arc, cyclic or not."""
    n = draw(st.integers(1, 7))
    others = [[u for u in range(n) if u != v] for v in range(n)]
    families = [draw(st.sets(st.sampled_from(o), max_size=2)) if o else set() for o in others]
    return tuple(tuple(family) for family in families)


def is_acyclic(parents: tuple[tuple[int, ...], ...]) -> bool:
    """Remove variables without parents until none is left, or none can be removed."""
    left = set(range(len(parents)))
    while roots := {v for v in left if not left & set(parents[v])}:
        left -= roots
    return not left


def names(n: int) -> tuple[str, ...]:
    return tuple(f"v{k}" for k in range(n))


def coin(*table: float) -> FittedNetwork:
    return FittedNetwork(Network(("coin",), ((),)), (("heads", "tails"),), (np.array(table),))


@given(graphs())
def test_a_network_is_built_exactly_when_the_graph_is_acyclic(
    parents: tuple[tuple[int, ...], ...],
) -> None:
    if not is_acyclic(parents):
        with pytest.raises(ForebearError, match="the arcs form a cycle: "):
            Network(names(len(parents)), parents)
        return
    network = Network(names(len(parents)), parents)
    place = {v: k for k, v in enumerate(network.topological_order())}
    assert sorted(place) == list(range(network.n_variables))
    assert all(place[p] < place[v] for p, v in network.arcs)


def test_the_cycle_is_named_in_the_direction_of_its_arcs() -> None:
    # a -> b -> c -> a, with d hanging below.
    with pytest.raises(ForebearError) as caught:
        Network(("a", "b", "c", "d"), ((2,), (0,), (1,), (2,)))
    assert str(caught.value) in {
        "the arcs form a cycle: a -> b -> c -> a",
        "the arcs form a cycle: b -> c -> a -> b",
        "the arcs form a cycle: c -> a -> b -> c",
    }


def test_a_variable_cannot_be_its_own_parent() -> None:
    with pytest.raises(ForebearError, match=r"^the arcs form a cycle: b -> b$"):
        Network(("a", "b"), ((), (1,)))


def test_a_long_cycle_is_shortened() -> None:
    n = 10_000
    with pytest.raises(ForebearError) as caught:
        Network(names(n), tuple(((v - 1) % n,) for v in range(n)))
    assert "..." in str(caught.value)
    assert len(str(caught.value)) < 200


def test_parents_are_sorted_and_arcs_and_children_agree() -> None:
    network = Network(("a", "b", "c"), ((2, 1), (), (1,)))
    assert network.parents == ((1, 2), (), (1,))
    assert network.arcs == ((1, 0), (2, 0), (1, 2))
    assert network.children == ((), (0, 2), (0,))
    assert network.topological_order() == (1, 2, 0)
    assert network == Network(("a", "b", "c"), ((1, 2), (), (1,)))


def test_a_chain_of_ten_thousand_variables() -> None:
    n = 10_000
    network = Network(names(n), tuple((v + 1,) if v + 1 < n else () for v in range(n)))
    assert network.topological_order() == tuple(reversed(range(n)))


@pytest.mark.parametrize(
    ("variables", "parents", "message"),
    [
        (("a", "a"), ((), ()), "variable a is named twice"),
        (("a", "b"), ((),), "the network has 2 variables, but 1 list of parents"),
        (
            ("a", "b"),
            ((), (2,)),
            "b lists parent 2, but there are only 2 variables, counted from 0",
        ),
        (
            ("a", "b"),
            ((), (-1,)),
            "b lists parent -1, but there are only 2 variables, counted from 0",
        ),
        (("a", "b"), ((), (0, 0)), "b lists the same parent twice"),
    ],
)
def test_bad_graphs(
    variables: tuple[str, ...], parents: tuple[tuple[int, ...], ...], message: str
) -> None:
    with pytest.raises(ForebearError) as caught:
        Network(variables, parents)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ((0.5, 0.3, 0.2), r"the table of coin has the shape \(3,\), but .* require \(2,\)"),
        ((1.5, -0.5), "the table of coin has a negative or undefined probability"),
        ((float("nan"), 1.0), "the table of coin has a negative or undefined probability"),
        ((0.5, 0.4), "the table of coin has a row that sums to 0.9, not 1"),
    ],
)
def test_bad_tables(table: tuple[float, ...], message: str) -> None:
    with pytest.raises(ForebearError, match=message):
        coin(*table)


def test_bad_states() -> None:
    network = Network(("coin",), ((),))
    with pytest.raises(ForebearError, match="coin: state heads is named twice"):
        FittedNetwork(network, (("heads", "heads"),), (np.array([0.5, 0.5]),))
    with pytest.raises(ForebearError, match="coin must have 1 to 65,536 states, got 0"):
        FittedNetwork(network, ((),), (np.array([]),))
    with pytest.raises(
        ForebearError,
        match="the network has 1 variable, but there are 0 lists of states and 0 tables",
    ):
        FittedNetwork(network, (), ())


def test_rounded_rows_are_rescaled_and_exact_rows_are_kept() -> None:
    assert coin(0.3333, 0.6663).tables[0].sum() == pytest.approx(1, abs=1e-15)
    exact = coin(0.1, 0.9).tables[0]
    assert exact.tolist() == [0.1, 0.9]


def test_tables_are_copied_and_locked() -> None:
    mine = np.array([0.5, 0.5])
    fitted = FittedNetwork(Network(("coin",), ((),)), (("heads", "tails"),), (mine,))
    mine[0] = 1.0
    assert fitted.tables[0][0] == 0.5
    assert not fitted.tables[0].flags.writeable


def test_sampled_frequencies_match_the_tables() -> None:
    """Chi-square of every variable given its parents, with a fixed seed."""
    fitted = read_bif(example_path("orchard.bif"))
    data = fitted.sample(50_000, np.random.default_rng(7))
    for v, table in enumerate(fitted.tables):
        counts = np.zeros(table.shape)
        np.add.at(counts, tuple(data.codes[u] for u in (*fitted.network.parents[v], v)), 1)
        expected = counts.sum(axis=-1, keepdims=True) * table
        seen = expected.min(axis=-1) >= 5
        statistic = float((((counts - expected) ** 2) / expected)[seen].sum())
        freedom = int(seen.sum()) * (table.shape[-1] - 1)
        assert chi2.sf(statistic, freedom) > 1e-3, fitted.network.names[v]


def test_sampling_is_determined_by_the_generator() -> None:
    fitted = read_bif(example_path("orchard.bif"))
    once, again, other = (fitted.sample(100, np.random.default_rng(s)) for s in (1, 1, 2))
    assert once.fingerprint == again.fingerprint != other.fingerprint


def test_states_that_are_never_drawn_are_declared() -> None:
    data = coin(1.0, 0.0).sample(1_000, np.random.default_rng(0))
    assert data.states == (("heads", "tails"),)
    assert not data.codes.any()


def test_more_than_256_states_need_wider_codes() -> None:
    states = tuple(f"s{k}" for k in range(300))
    table = np.zeros(300)
    table[299] = 1.0
    data = FittedNetwork(Network(("v",), ((),)), (states,), (table,)).sample(
        10, np.random.default_rng(0)
    )
    assert data.codes.dtype == np.uint16
    assert (data.codes == 299).all()


def test_a_table_needs_a_row() -> None:
    with pytest.raises(ForebearError, match="n must be at least 1, got 0"):
        coin(0.5, 0.5).sample(0, np.random.default_rng(0))


class Learnt:
    """Anything with a network inside, such as a Result."""

    network = Network(("a", "b"), ((), (0,)))


def test_functions_take_whatever_has_a_network() -> None:
    network = Learnt.network
    fitted = network.fit(Dataset(np.array([[0, 1], [1, 0]]), ("a", "b"), (("x", "y"),) * 2))
    for value in (network, fitted, Learnt()):
        assert as_network(value) is network
        assert network.equivalent(value)
        assert compare_networks(value, value).shd == 0
        assert fit_network(value, pl.DataFrame({"a": [0, 1], "b": [0, 1]})).network is network


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (3, "(a Network, a FittedNetwork or a Result), got int"),
        ("net.bif", "got 'net.bif': read a file with read_network"),
        (Path("net.bif"), "got 'net.bif': read a file with read_network"),
    ],
)
def test_what_is_no_network(value: Any, message: str) -> None:
    with pytest.raises(ForebearError, match=re.escape(message)):
        as_network(value)


def test_parents_by_name_are_refused() -> None:
    with pytest.raises(ForebearError, match="parents are lists of indices: use Network"):
        Network(("a", "b"), ((), ("a",)))  # type: ignore[arg-type]


def test_sampling_takes_a_seed_or_a_generator() -> None:
    fitted = coin(0.5, 0.5)
    once = fitted.sample(50, seed=3)
    assert np.array_equal(once.codes, fitted.sample(50, np.random.default_rng(3)).codes)
    count: Any = np.int64(50)
    assert np.array_equal(once.codes, fitted.sample(count, count * 0 + 3).codes)
    assert fitted.sample(5).n_rows == 5
    with pytest.raises(ForebearError, match=r"seed must be a whole number or a NumPy generator"):
        fitted.sample(5, seed="x")  # type: ignore[arg-type]
    with pytest.raises(ForebearError, match=r"n must be a whole number, got 1\.5"):
        fitted.sample(1.5)  # type: ignore[arg-type]


def test_likelihoods_of_any_table(tmp_path: Path) -> None:
    fitted = coin(0.25, 0.75)
    frame = pl.DataFrame({"coin": ["tails", None, "heads"]})
    frame.write_csv(tmp_path / "coin.csv")
    read = ReadOptions(missing="drop")
    for data in (frame, tmp_path / "coin.csv"):
        with pytest.warns(ForebearWarning, match="left out 1 of 3 rows"):
            found = fitted.log_likelihood(data, read=read)
        assert found == pytest.approx(np.log(0.25 * 0.75))


def test_a_network_is_shown_by_its_size() -> None:
    assert repr(Network(("a", "b"), ((), (0,)))) == "Network(2 variables, 1 arc)"
    assert str(Network(("a",), ((),))) == "Network(1 variable, 0 arcs)"


def test_a_fitted_network_shows_its_size() -> None:
    fitted = read_bif(example_path("orchard.bif"))
    lines = repr(fitted).splitlines()
    assert lines[0].startswith("FittedNetwork with 18 variables, ")
    assert lines[-1] == f"  free parameters: {fitted.n_parameters:,}"
    assert len(lines) == 4
    assert "<svg" in fitted._repr_html_()
    assert fitted.n_parameters == sum(t[..., 1:].size for t in fitted.tables)
