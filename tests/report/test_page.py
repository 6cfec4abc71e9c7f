"""The report as a file: everything is in it, names are inert, nothing is fetched."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from typing import TYPE_CHECKING

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
from forebear.report.counts import degree_bars, rank_bars
from forebear.report.page import report_html
from forebear.report.wording import number, verdict
from forebear.result import Choice

if TYPE_CHECKING:
    from pathlib import Path


class Page(HTMLParser):
    """What a page holds: tags with attributes, and the text inside every kind of tag."""

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
    assert len(page.text["tr"]) > 10
    for landmark in ("main", "nav", "header", "footer"):
        assert landmark in page.text
    headings = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
    assert headings[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(headings))


def test_a_report_needs_no_connection(found: Result) -> None:
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


def test_the_parts_name_each_other(found: Result) -> None:
    page = Page(report_html(found))
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(set(ids)) == len(ids)
    for _, attributes in page.tags:
        for name in ("aria-labelledby", "aria-describedby", "list"):
            assert attributes.get(name) is None or attributes[name] in ids
        href = attributes.get("href")
        assert href is None or not href.startswith("#") or href[1:] in ids


def test_every_variable_is_in_the_table_and_the_picture(found: Result) -> None:
    page = Page(report_html(found))
    names = list(found.network.names)
    rows = [a["data-v"] for a in page.of("tr") if "data-v" in a]
    assert rows == [str(v) for v in range(len(names))]
    assert [a["value"] for a in page.of("option")] == names
    pictured = [a for a in page.of("g") if "fb-node" in (a.get("class") or "")]
    arcs = {a["data-arc"] for a in page.of("g") if "data-arc" in a}
    assert len(pictured) == len(names)
    assert arcs == {f"{p} {v}" for p, v in found.network.arcs}


def test_names_are_inert_everywhere(nasty: Result) -> None:
    content = report_html(nasty).encode("utf-8", "replace").decode()
    page = Page(content)
    assert not page.of("img")
    assert len(page.of("script")) == 2
    assert not any(name.startswith("on") for _, attributes in page.tags for name in attributes)
    assert "alert(" not in page.text["script"][1]
    names = data_of(content)["names"]
    assert isinstance(names, list)
    assert names[:6] == list(NASTY[:6])
    assert [a["value"] for a in page.of("option")][:6] == list(NASTY[:6])
    assert NASTY[5] in page.text["table"][0], "a name was taken for a template"


def test_awkward_names_can_be_written(nasty: Result, tmp_path: Path) -> None:
    nasty.report(tmp_path / "report.html")
    (tmp_path / "report.html").read_bytes().decode("utf-8")


def test_scores_that_are_not_finite(nasty: Result) -> None:
    choices = (Choice(1, 1, float("-inf")), *nasty.choices[1:])
    content = report_html(replace(nasty, choices=choices, score=float("-inf")))
    assert data_of(content)["choices"][0][2] is None  # type: ignore[index]
    assert "−∞" in content


def test_empty_and_single_networks() -> None:
    for network in (Network((), ()), Network(("only",), ((),))):
        page = Page(report_html(result_of(network)))
        assert len(page.of("tr")) >= network.n_variables


def test_what_is_said_of_the_quality() -> None:
    result = result_of(random_dag(9, 2))
    first, second = verdict(result)
    assert first.startswith("No bound was computed")
    assert second == "3 of 9 variables have their best parent set."
    near = replace(result, bound=result.score + 0.5)
    share = f"{50 / abs(result.score):.2g} %"
    assert verdict(near)[0] == (
        f"No network scores more than 0.50 nats higher ({share} of the score) {result.covers}. "
        "This is proven."
    )
    assert share in report_html(near)
    assert "This is proven" in verdict(replace(result, bound=result.score))[0]
    best = replace(result, choices=tuple(Choice(1, 5, -1.0) for _ in range(9)))
    assert verdict(best)[0].startswith("Every variable has its best parent set")


def test_numbers() -> None:
    assert number(-1234567.891, 2) == "−1,234,567.89"
    assert number(12) == "12"
    assert number(-(10**400)).startswith("−10,000,000,")
    assert number(float("nan")) == "not a number"


def test_what_the_charts_count() -> None:
    ranks = (1, 1, 2, 3, 4, 5, 8, 9, 17)
    result = result_of(Network(tuple("abcdefghi"), ((),) * 9))
    result = replace(result, choices=tuple(Choice(rank, 99, 0.0) for rank in ranks))
    assert rank_bars(result) == [
        ("1", 2), ("2", 1), ("3–4", 2), ("5–8", 2), ("9–16", 1), ("17–32", 1)
    ]  # fmt: skip
    assert degree_bars([(), (0,), (0, 1, 2)]) == [("0", 1), ("1", 1), ("2", 0), ("3", 1)]
    far = degree_bars([(0,) * k for k in (0, 7, 8, 15, 16, 40)])
    assert [bar for bar in far if bar.variables] == [
        ("0", 1), ("7", 1), ("8–15", 2), ("16–31", 1), ("32–63", 1)
    ]  # fmt: skip


def test_arc_probabilities() -> None:
    network = Network(tuple("abc"), ((), (0,), (1,)))
    content = report_html(result_of(network), unsure_arcs(network, ((1,), (), (1,))))
    assert data_of(content)["arcShares"] == [
        [1, 2, 1000, 1000], [0, 1, 667, 1000], [1, 0, 333, 1000]
    ]  # fmt: skip
    page = Page(content)
    assert "Arc probabilities" in page.text["h2"]
    assert "#arcs" in [a.get("href") for a in page.of("a")]
    assert {"Drawn by hand.", "The chains agree."} <= set(page.text["p"])
    assert "<figure><svg/><figcaption>ranks</figcaption></figure>" in content


def test_without_draws_there_is_no_such_section() -> None:
    content = report_html(result_of(Network(("a", "b"), ((), (0,)))))
    assert data_of(content)["arcShares"] is None
    assert "Arc probabilities" not in content
    assert "#arcs" not in [a.get("href") for a in Page(content).of("a")]


def test_large_reports_stay_small() -> None:
    network = random_dag(900, 6)
    assert len(network.arcs) > 2500
    content = report_html(
        result_of(network), unsure_arcs(network, random_dag(900, 6, seed=1).parents)
    )
    assert len(content.encode()) < 2_000_000


def test_places_that_cannot_be_written(found: Result, tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no directory"):
        found.report(tmp_path / "nowhere" / "report.html")
