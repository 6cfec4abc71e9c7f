"""The estimators with pgmpy's interface."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from expected import error

pytest.importorskip("pgmpy.causal_discovery", reason="pgmpy is not installed")

from pgmpy.base import DAG, PDAG
from pgmpy.causal_discovery import ExpertKnowledge
from pgmpy.models import DiscreteBayesianNetwork
from pgmpy.structure_score import BDeu as PgmpyBDeu
from pgmpy.structure_score import BICGauss
from sklearn.base import clone

from forebear import (
    BDeu,
    DataError,
    Dataset,
    ForebearError,
    Knowledge,
    find_network,
    score_network,
    score_parent_sets,
    simulate,
)
from forebear.interop import from_networkx
from forebear.pgmpy import SearchEstimator, StructureSearch

pytestmark = pytest.mark.filterwarnings("ignore")

QUICK: dict[str, Any] = {"generations": 5, "max_indegree": 2, "n_jobs": 1, "seed": 1}


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    made = simulate(6, 400, max_parents=2, seed=3).data
    return pd.DataFrame(made.codes.T.astype(int), columns=list(made.names))


def optimum(frame: pd.DataFrame, score: Any) -> float:
    sets = score_parent_sets(Dataset.from_frame(frame), score=score, max_parents=2)
    return find_network(sets, algorithm="exact", seed=1).score


@pytest.mark.parametrize(
    ("method", "score"),
    [
        ("bdeu", BDeu(10)),
        ("bic-d", "bic"),
        ("qnml", "qnml"),
        (BDeu(1), BDeu(1)),
    ],
    ids=str,
)
def test_both_find_the_best_network(frame: pd.DataFrame, method: Any, score: Any) -> None:
    search = StructureSearch(scoring_method=method, **QUICK).fit(frame)
    graph = SearchEstimator(frame).estimate(scoring_method=method, **QUICK)
    for one in (search.causal_graph_, graph):
        assert isinstance(one, DAG)
        assert list(one.nodes()) == list(frame.columns)
        found = score_network(from_networkx(one), frame, score)
        assert found == pytest.approx(optimum(frame, score))
    assert search.result_.score == pytest.approx(optimum(frame, score))
    assert search.adjacency_matrix_.to_numpy().sum() == len(graph.edges())


def test_a_score_of_pgmpy(frame: pd.DataFrame) -> None:
    search = StructureSearch(PgmpyBDeu(frame, equivalent_sample_size=3), **QUICK).fit(frame)
    assert search.result_.score == pytest.approx(optimum(frame, BDeu(3)))
    with pytest.raises(ForebearError, match="must be a score of discrete data, got bicgauss"):
        StructureSearch(BICGauss(frame.astype(float)), **QUICK).fit(frame)


def test_it_is_an_estimator_of_both_kinds(frame: pd.DataFrame) -> None:
    search = StructureSearch(**QUICK)
    again = clone(search)
    assert again.get_params() == search.get_params()
    assert search.fit(frame) is search
    assert again.fit(frame).causal_graph_.edges() == search.causal_graph_.edges()
    assert search.score(true_graph=search.causal_graph_) == pytest.approx(0.0)  # SHD
    estimator = SearchEstimator(frame)
    assert estimator.variables == list(frame.columns)
    assert estimator.state_names["X1"] == sorted(set(frame["X1"]))
    graph = estimator.estimate(**QUICK)
    assert estimator.result is not None
    model = DiscreteBayesianNetwork(graph.edges())
    model.add_nodes_from(graph.nodes())
    model.fit(frame)
    assert model.check_model()


def test_classes_of_networks(frame: pd.DataFrame) -> None:
    search = StructureSearch(return_type="pdag", **QUICK).fit(frame)
    assert isinstance(search.causal_graph_, PDAG)
    network = search.result_.network
    compelled = {(network.names[p], network.names[v]) for p, v in network.compelled}
    assert set(search.causal_graph_.directed_edges) == compelled
    with pytest.raises(ForebearError, match="return_type must be one of dag, pdag"):
        StructureSearch(return_type="mag", **QUICK).fit(frame)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["pgmpy", "forebear"])
def test_knowledge_holds(frame: pd.DataFrame, kind: str) -> None:
    free = SearchEstimator(frame).estimate(**QUICK)
    parent, child = next(iter(free.edges()))
    knowledge = (
        ExpertKnowledge(forbidden_edges=[(parent, child)], required_edges=[("X1", "X6")])
        if kind == "pgmpy"
        else Knowledge(forbidden=[(parent, child)], required=[("X1", "X6")])
    )
    graph = SearchEstimator(frame).estimate(expert_knowledge=knowledge, **QUICK)
    assert (parent, child) not in graph.edges()
    assert ("X1", "X6") in graph.edges()


def test_a_graph_to_start_from(frame: pd.DataFrame) -> None:
    best = SearchEstimator(frame).estimate(**QUICK)
    shuffled = DAG()
    shuffled.add_nodes_from(reversed(list(best.nodes())))
    shuffled.add_edges_from(best.edges())
    again = SearchEstimator(frame).estimate(start_dag=shuffled, **{**QUICK, "generations": 1})
    assert score_network(from_networkx(again), frame) == pytest.approx(
        score_network(from_networkx(best), frame)
    )
    with pytest.raises(ForebearError, match="start has none of the variables"):
        SearchEstimator(frame).estimate(start_dag=DAG([("a", "b")]), **QUICK)


def test_names_that_are_numbers_and_declared_states() -> None:
    made = simulate(4, 100, states=(2, 2), max_parents=1, seed=2).data
    frame = pd.DataFrame(made.codes.T.astype(int))
    graph = SearchEstimator(frame).estimate(**QUICK)
    assert list(graph.nodes()) == [0, 1, 2, 3]
    declared = SearchEstimator(frame, state_names={v: [0, 1, 2] for v in range(4)})
    declared.estimate(**QUICK)
    assert declared.result is not None
    assert declared.result.provenance["arities"] == [3] * 4


def test_mistakes_are_rejected(frame: pd.DataFrame) -> None:
    gaps = frame.astype(object)
    gaps.iloc[0, 0] = None
    with pytest.raises((DataError, ValueError), match=r"missing|NaN"):
        SearchEstimator(gaps).estimate(**QUICK)
    with pytest.raises(ForebearError, match="score must be one of"):
        StructureSearch(scoring_method="best", **QUICK).fit(frame)


def test_weights_count_as_repeated_rows(frame: pd.DataFrame) -> None:
    weights = np.random.default_rng(1).integers(0, 4, len(frame))
    found = StructureSearch(**QUICK).fit(frame, sample_weight=weights)
    expected = StructureSearch(**QUICK).fit(frame.loc[frame.index.repeat(weights)])
    assert found.result_.score == expected.result_.score
    assert found.result_.network == expected.result_.network
    with error("sample_weight must have one value per row, 400, got the shape (2,)"):
        StructureSearch(**QUICK).fit(frame, sample_weight=[1, 2])
    with error("qnml counts whole rows, but the weights are not whole numbers"):
        StructureSearch(scoring_method="qnml", **QUICK).fit(frame, sample_weight=weights + 0.5)


def test_experiments(frame: pd.DataFrame) -> None:
    mask = np.zeros(frame.shape, dtype=bool)
    mask[:100, 0] = True
    found = StructureSearch(**QUICK).fit(frame, intervened=mask)
    assert found.result_.network.row_sets is not None
    assert found.result_.network.row_sets[0] == 1
