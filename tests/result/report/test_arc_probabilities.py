"""Probabilities of arcs from bootstrap samples, in the report."""

from __future__ import annotations

from pathlib import Path

import pytest
from results import random_dag, result_of

from forebear import ForebearError, Network, bootstrap_averages, simulate


def test_bootstrap_samples_are_shown(tmp_path: Path) -> None:
    table = simulate(5, 200, seed=2).data
    averages = bootstrap_averages(table, replicates=3, generations=2, seed=1)
    result = result_of(Network.from_arcs(table.names, [(0, 1)]))
    result.report(tmp_path / "page.html", table, averages=averages)
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "3 bootstrap samples of the rows were drawn" in page
    assert 'id="arcs"' in page
    with pytest.raises(ForebearError, match="different variables"):
        result_of(random_dag(3, 1)).report(tmp_path / "other.html", averages=averages)
