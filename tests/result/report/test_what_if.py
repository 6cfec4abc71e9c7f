"""The data for what-if questions: embedded tables, or why there are none."""

from __future__ import annotations

import base64
from pathlib import Path

import numpy as np
import pytest
from results import chain, random_dag, result_of

from forebear import FittedNetwork, ForebearError, LimitError, Network
from forebear.network.simulation import random_network
from forebear.result.report.page import report_html
from forebear.result.report.what_if import (
    MOST_PROBABILITIES,
    embedded,
    what_if_about,
    what_if_for,
)


def test_probabilities_of_another_network_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(ForebearError, match="another network"):
        result_of(random_dag(4, 2)).report(tmp_path / "page.html", chain())
    assert not list(tmp_path.iterdir())


def test_too_many_probabilities_are_explained() -> None:
    parents = (*((),) * 17, tuple(range(17)))
    network = Network(tuple(f"v{v}" for v in range(18)), parents)
    tables = tuple(np.full((2,) * (len(own) + 1), 0.5) for own in parents)
    fitted = FittedNetwork(network, (("no", "yes"),) * 18, tables)
    what_if = what_if_about(result_of(network), fitted)
    assert what_if.embedded is None
    assert what_if.strengths is not None
    assert f"262,178 probabilities, more than the {MOST_PROBABILITIES:,} that a page" in (
        report_html(result_of(network), what_if=what_if)
    )

    def too_large() -> FittedNetwork:
        raise LimitError("this network has too many probabilities to hold in memory")

    assert what_if_for(too_large).why_not == (
        "The page has no probabilities: this network has too many probabilities to hold in memory."
    )


def test_the_size_of_the_tree_decides_whether_answers_are_exact() -> None:
    for max_parents, exact in ((1, True), (3, False)):
        fitted = random_network(1200, max_parents=max_parents, rng=np.random.default_rng(1))
        assert (what_if_about(result_of(fitted.network), fitted).tree is not None) == exact


def test_tables_are_embedded_in_order() -> None:
    fitted = chain()
    about = embedded(fitted)
    cells = np.frombuffer(base64.b64decode(about["cells"]), "<f4")
    expected = np.concatenate([table.ravel() for table in fitted.tables])
    assert cells == pytest.approx(expected, rel=1e-6)
    assert about["stateLists"] == [["no", "yes"]]
    assert about["statesOf"] == [0, 0, 0, 0]
    tiny = FittedNetwork(Network(("a",), ((),)), (("x", "y", "z"),), (np.array([1e-60, 1.0, 0.0]),))
    small, _, none = np.frombuffer(base64.b64decode(embedded(tiny)["cells"]), "<f4")
    assert small > 0, "what is possible stays possible"
    assert none == 0
