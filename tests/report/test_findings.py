"""What the report opens with, and what it says where something is not known."""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from results import random_dag, result_of, unsure_arcs

from forebear import FittedNetwork, ForebearError, LimitError, Network, bootstrap_averages, simulate
from forebear.report import embedding
from forebear.report.embedding import embedded
from forebear.report.findings import Finding, findings
from forebear.report.page import report_html
from forebear.report.pictures import GROUPED_FROM, draw_pictures
from forebear.report.questions import UNANSWERABLE, questions_about, questions_for
from forebear.search.alternatives import Alternative

if TYPE_CHECKING:
    from pathlib import Path


def chain() -> FittedNetwork:
    """A strong arc a -> b, a weak one b -> c, and d alone."""
    network = Network.from_arcs(["a", "b", "c", "d"], [("a", "b"), ("b", "c")])
    tables = ([0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]], [[0.6, 0.4], [0.4, 0.6]], [0.2, 0.8])
    return FittedNetwork(network, (("no", "yes"),) * 4, tuple(map(np.array, tables)))


def plain(finding: Finding) -> str:
    parts = [part for sentence in finding.sentences for part in (*sentence, " ")]
    return "".join(part if isinstance(part, str) else part.name for part in parts).strip()


def test_the_page_opens_with_what_the_network_says() -> None:
    fitted = chain()
    result = result_of(fitted.network)
    strong, hubs, proven, sure = findings(result, questions_about(result, fitted), None)
    assert plain(strong).startswith("a and b depend on each other most.")
    assert [(arc.parent.name, arc.child.name) for arc in strong.arcs] == [("a", "b"), ("b", "c")]
    # 1 - H(0.1) bits, and the weaker arc below it.
    assert strong.arcs[0].bits == "0.53 bits"
    assert strong.arcs[1].bits == "0.03 bits"
    assert "conditional mutual information" in strong.remark
    assert plain(hubs) == (
        "b has the most neighbours (2), followed by a (1) and c (1). 1 variable has no "
        "neighbours: d."
    )
    assert plain(proven).startswith("No bound was computed")
    assert "The data determine the direction of 0 of 2 arcs" in plain(sure)
    assert "How probable each arc is was not computed" in plain(sure)
    assert "How well it predicts new rows was not measured" in plain(sure)
    page = report_html(result, questions=questions_about(result, fitted))
    assert page.index("Strongest dependencies") < page.index('id="network"')


def test_how_sure_arcs_are() -> None:
    fitted = chain()
    result = result_of(fitted.network)
    arcs = unsure_arcs(fitted.network, ((), (0,), (), ()))
    sure = plain(findings(result, UNANSWERABLE, arcs)[-1])
    assert "1 of 2 pairs of neighbours are linked with a probability of at least 0.9" in sure
    assert "the least sure are b and c (0.667)" in sure
    assert "The chains agree." in sure
    sure = plain(findings(result, UNANSWERABLE, unsure_arcs(fitted.network))[-1])
    assert "All neighbours are linked in all of these networks, or nearly all." in sure


def test_other_good_networks() -> None:
    fitted = chain()
    others = [((), (0,), (1,), ()), ((1,), (), (1,), ()), ((), (0,), (), ()), ((), (), (), ())]
    result = result_of(fitted.network)
    met = tuple(
        Alternative(result.score - behind, parents)
        for behind, parents in zip((0.0, 0.0, 1.0, 50.0), others, strict=True)
    )
    sure = plain(findings(replace(result, alternatives=met), UNANSWERABLE, None)[-1])
    assert "The search met 3 networks within 3 nats of the best score." in sure
    assert "All of them link the same 1 of 2 pairs of neighbours." in sure


def test_without_a_table_the_page_says_so() -> None:
    result = result_of(chain().network)
    page = report_html(result)
    assert page.count("This report was made without the table") == 2
    assert "result.report(path, data)" in page


def test_without_arcs() -> None:
    result = result_of(Network(("a", "b"), ((), ())))
    first = findings(result, UNANSWERABLE, None)[0]
    assert plain(first) == "No variable depends on another: the network has no arcs."


def test_probabilities_of_another_network_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ForebearError, match="another network"):
        result_of(random_dag(4, 2)).report(tmp_path / "page.html", chain())
    assert not list(tmp_path.iterdir())


def test_too_many_probabilities_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    fitted = chain()
    result = result_of(fitted.network)
    monkeypatch.setattr(embedding, "MOST_CELLS", 5)
    questions = questions_about(result, fitted)
    assert questions.embedded is None
    assert questions.strengths is not None
    assert "12 probabilities, more than the 5 that a page holds" in report_html(
        result, questions=questions
    )

    def too_large() -> FittedNetwork:
        raise LimitError("this network has too many probabilities to hold in memory")

    refused = questions_for(too_large)
    assert refused.why_not == (
        "The page has no probabilities: this network has too many probabilities to hold in memory."
    )


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


def test_bootstrap_samples_are_shown(tmp_path: Path) -> None:
    table = simulate(5, 200, seed=2).data
    averages = bootstrap_averages(table, replicates=3, generations=2, seed=1)
    result = result_of(Network.from_arcs(table.names, [(0, 1)]))
    result.report(tmp_path / "page.html", table, averages=averages)
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "3 bootstrap samples of the rows were drawn" in page
    assert 'id="arcs"' in page
    with pytest.raises(ForebearError, match="other variables"):
        result_of(random_dag(3, 1)).report(tmp_path / "other.html", averages=averages)


def test_small_networks_have_no_groups_and_large_ones_do() -> None:
    small, large = (random_dag(n, 2) for n in (GROUPED_FROM - 1, GROUPED_FROM))
    assert draw_pictures(small).groups == ()
    pictures = draw_pictures(large)
    members = [v for group in pictures.groups for v in group.variables]
    assert sorted(members) == list(range(GROUPED_FROM))
    home = {v: k for k, group in enumerate(pictures.groups) for v in group.variables}
    between = sum(home[p] != home[v] for p, v in large.arcs)
    assert sum(count for _, _, count in pictures.links) == between
    for group in pictures.groups:
        inside = [(p, v) for p, v in large.arcs if {p, v} <= set(group.variables)]
        assert group.svg.count("data-arc=") == len(inside)
