"""The findings at the top of the report, also without a table or arcs."""

from __future__ import annotations

from dataclasses import replace

from results import chain, result_of, unsure_arcs

from forebear import Network
from forebear.result.report.findings import Finding, findings
from forebear.result.report.page import report_html
from forebear.result.report.what_if import NO_ANSWERS, what_if_about
from forebear.search.alternatives import Alternative


def plain(finding: Finding) -> str:
    parts = [part for sentence in finding.sentences for part in (*sentence, " ")]
    return "".join(part if isinstance(part, str) else part.name for part in parts).strip()


def test_dependencies_hubs_and_certainty() -> None:
    fitted = chain()
    result = result_of(fitted.network)
    strong, hubs, sure = findings(result, what_if_about(result, fitted), None)
    assert plain(strong).startswith("a and b depend on each other most.")
    assert [(arc.parent.name, arc.child.name) for arc in strong.arcs] == [("a", "b"), ("b", "c")]
    # 1 - H(0.1) bits, and the weaker arc below it.
    assert strong.arcs[0].bits == "0.53 bits"
    assert strong.arcs[1].bits == "0.03 bits"
    assert "conditional mutual information" in strong.remark
    assert plain(hubs) == "Most neighbors: b (2), a (1), c (1). 1 variable has no neighbors."
    assert "The data determine the direction of 0 of 2 arcs" in plain(sure)
    assert "Arc probabilities were not computed" in plain(sure)
    page = report_html(result, what_if=what_if_about(result, fitted))
    assert page.index("Strongest dependencies") < page.index('id="network"')


def test_how_sure_arcs_are() -> None:
    fitted = chain()
    result = result_of(fitted.network)
    arcs = unsure_arcs(fitted.network, ((), (0,), (), ()))
    sure = plain(findings(result, NO_ANSWERS, arcs)[-1])
    assert "1 of 2 pairs of neighbors are linked with a probability of at least 0.9" in sure
    assert "the least sure are b and c (0.667)" in sure
    assert "The chains agree." in sure
    sure = plain(findings(result, NO_ANSWERS, unsure_arcs(fitted.network))[-1])
    assert "All neighbors are linked in all or nearly all of these networks." in sure


def test_other_good_networks() -> None:
    fitted = chain()
    others = [((), (0,), (1,), ()), ((1,), (), (1,), ()), ((), (0,), (), ()), ((), (), (), ())]
    result = result_of(fitted.network)
    met = tuple(
        Alternative(result.score - behind, parents)
        for behind, parents in zip((0.0, 0.0, 1.0, 50.0), others, strict=True)
    )
    sure = plain(findings(replace(result, alternatives=met), NO_ANSWERS, None)[-1])
    assert "The search found 3 networks within 3 nats of the best score." in sure
    assert "All of them share 1 of 2 pairs of neighbors." in sure


def test_without_arcs() -> None:
    result = result_of(Network(("a", "b"), ((), ())))
    first = findings(result, NO_ANSWERS, None)[0]
    assert plain(first) == "No variable depends on another: the network has no arcs."
