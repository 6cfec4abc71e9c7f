"""pack() and merged_rows(): fewer stored rows, and the same scores, probabilities and counts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import networks, weighted_datasets

from forebear import Dataset, FittedNetwork, Network, fit_network, score_network
from forebear.data.packed_table import merged_rows, pack
from forebear.scoring.network_score import family_scores


def repeated(data: Dataset) -> Dataset:
    """Repeat every row so often that equal rows are merged."""
    own = np.ones(data.n_stored, np.int64) if data.weights is None else data.weights
    return replace(data, weights=own * 1000).expanded()


def sorted_rows(data: Dataset) -> list[tuple[Any, ...]]:
    return sorted(map(tuple, data.expanded().codes.T.tolist()))


def tables_of(fitted: FittedNetwork) -> list[Any]:
    return [table.tolist() for table in fitted.tables]


@settings(max_examples=15)
@given(weighted_datasets(max_variables=3), st.data())
def test_merged_rows_are_the_same_table(data: Dataset, draw: st.DataObject) -> None:
    table = repeated(replace(data, missing="available"))
    drawn = draw.draw(networks(max_variables=data.n_variables, min_variables=data.n_variables))
    network = Network(tuple(reversed(data.names)), drawn.parents)  # in another order
    scores, fitted = family_scores(network, table), fit_network(network, table)
    assert merged_rows(table) is table
    pack(table, 2)
    merged = merged_rows(table)
    assert merged.n_stored < table.n_stored
    assert merged is merged_rows(table)
    assert sorted_rows(merged) == sorted_rows(table)
    assert family_scores(network, table) == scores
    assert tables_of(fit_network(network, table)) == tables_of(fitted)


@settings(max_examples=15)
@given(weighted_datasets(max_variables=3, missing=False), st.integers(2, 7))
def test_completed_rows_are_merged(data: Dataset, copies: int) -> None:
    """They stand for parts of rows, but unlike real weights, scores of whole rows allow them."""
    table = replace(repeated(data), copies=copies, weights=None)
    network = Network(data.names, ((),) * data.n_variables)
    before, fitted = score_network(network, table, "fnml"), fit_network(network, table)
    pack(table, 1)
    assert merged_rows(table).copies == copies
    assert merged_rows(table).n_stored < table.n_stored
    assert score_network(network, table, "fnml") == before
    assert tables_of(fit_network(network, table)) == tables_of(fitted)


def test_a_table_without_equal_rows_stays_as_it_is() -> None:
    table = Dataset(np.arange(200)[np.newaxis], ("a",), (tuple(map(str, range(200))),))
    pack(table, 1)
    assert merged_rows(table) is table
