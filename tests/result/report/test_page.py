"""The report as a file: it is complete, escapes names, and loads nothing."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest
from results import NASTY, random_dag, result_of, unsure_arcs

from forebear import (
    FileError,
    Network,
    Result,
    find_network,
    score_parent_sets,
    simulate,
)
from forebear.result import Choice
from forebear.result.report.page import report_html


class Page(HTMLParser):
    """The tags of a page with their attributes, and the text inside every kind of tag."""

    def __init__(self, content: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: dict[str, list[str]] = {}
        self.open: list[str] = []
        self.feed(content)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "link", "input", "option"):
            self.open.append(tag)
            self.text.setdefault(tag, []).append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        for tag in set(self.open):
            self.text[tag][-1] += data

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.fixture(scope="module")
def found() -> Result:
    sets = score_parent_sets(simulate(10, 500, max_parents=2, seed=4).data, max_parents=3)
    return find_network(sets, generations=5, seed=1)


@pytest.fixture(scope="module")
def nasty() -> Result:
    n = len(NASTY)
    network = Network(NASTY, tuple(tuple(range(max(0, v - 2), v)) for v in range(n)))
    return result_of(
        network,
        algorithm=NASTY[0],
        stop_reason=NASTY[1],
        settings={NASTY[2]: NASTY[2]},
        provenance={
            "rows": 3,
            "score": NASTY[4],
            NASTY[0]: NASTY[5],
            "parameters": {"a": NASTY[1]},
        },
        phases={NASTY[0]: 1.0},
        version=NASTY[2],
    )


def data_of(page: str) -> dict[str, object]:
    match = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert match is not None
    loaded = json.loads(match[1])
    assert isinstance(loaded, dict)
    return loaded


def test_a_report_is_written(found: Result, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    found.report(path)
    page = Page(path.read_text("utf-8"))
    assert page.text["h1"] == ["Bayesian network with 10 variables"]
    for landmark in ("main", "nav", "header", "footer"):
        assert landmark in page.text
    headings = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
    assert headings[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(headings))
    with pytest.raises(FileError, match="no directory"):
        found.report(tmp_path / "nowhere" / "report.html")


def test_a_report_loads_nothing_and_its_references_resolve(found: Result) -> None:
    page = Page(report_html(found))
    for tag, attributes in page.tags:
        for name in ("src", "href", "action", "data"):
            address = attributes.get(name)
            assert address is None or address.startswith(("#", "data:")), (tag, address)
    (policy,) = (a["content"] for a in page.of("meta") if "http-equiv" in a)
    assert policy is not None
    assert policy.startswith("default-src 'none'")
    assert "@import" not in page.text["style"][0]
    assert "url(" not in page.text["style"][0]
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(set(ids)) == len(ids)
    for _, attributes in page.tags:
        for name in ("aria-labelledby", "aria-describedby", "list"):
            assert attributes.get(name) is None or attributes[name] in ids
        href = attributes.get("href")
        assert href is None or not href.startswith("#") or href[1:] in ids


def test_names_are_inert_everywhere(nasty: Result, tmp_path: Path) -> None:
    nasty.report(tmp_path / "report.html")
    content = (tmp_path / "report.html").read_text("utf-8")
    page = Page(content)
    assert not page.of("img")
    assert len(page.of("script")) == 2
    assert not any(name.startswith("on") for _, attributes in page.tags for name in attributes)
    assert "alert(" not in page.text["script"][1]
    names = data_of(content)["names"]
    assert isinstance(names, list)
    assert names[:6] == list(NASTY[:6])
    assert [a["value"] for a in page.of("option")][:6] == list(NASTY[:6])


def test_infinite_scores_and_empty_networks(nasty: Result) -> None:
    choices = (Choice(1, 1, float("-inf")), *nasty.choices[1:])
    content = report_html(replace(nasty, choices=choices, score=float("-inf")))
    assert data_of(content)["choices"][0][2] is None  # type: ignore[index]
    assert "−∞" in content
    for network in (Network((), ()), Network(("only",), ((),))):
        assert len(Page(report_html(result_of(network))).of("option")) == network.n_variables


def test_large_reports_stay_small() -> None:
    network = random_dag(900, 6)
    assert len(network.arcs) > 2500
    content = report_html(
        result_of(network), unsure_arcs(network, random_dag(900, 6, seed=1).parents)
    )
    assert len(content.encode()) < 2_000_000
