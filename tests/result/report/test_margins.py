"""How the report shows margins: the widths of arcs, the key, the table and the sentence."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path

import pytest
from results import result_of

from forebear import ArcMargin, ArcMargins, FileError, ForebearError, Network, Result
from forebear.result.report.margins import arc_widths, margin_levels, margin_rows
from forebear.result.report.page import report_html


def with_margins(result: Result, *margins: float) -> Result:
    arcs = result.network.arcs
    items = tuple(
        ArcMargin("edge", p, v, margin, margin)
        for (p, v), margin in zip(arcs, margins, strict=True)
    )
    names = result.network.names
    return replace(
        result,
        margins=ArcMargins(names, items, result.score, True, None, "among all", "complete"),
    )


@pytest.fixture
def result() -> Result:
    return with_margins(
        result_of(Network.from_arcs("abcd", [("a", "b"), ("b", "c"), ("c", "d")])), *MARGINS
    )


MARGINS = (math.inf, 4.0, 0.0)


def test_arcs_are_drawn_by_what_is_proven(result: Result) -> None:
    first, _, third = result.network.arcs
    assert arc_widths(result.margins) == {first: "strong", third: "open"}
    assert [level.arcs for level in margin_levels(result.margins)] == ["1 edge"] * 3
    assert (arc_widths(None), margin_levels(None), margin_rows(None)) == ({}, [], None)
    page = report_html(result)
    assert re.search(rf'fb-strong" data-arc="{first[0]} {first[1]}"', page)
    assert re.search(rf'fb-open" data-arc="{third[0]} {third[1]}"', page)


def test_the_table_and_the_sentence(result: Result) -> None:
    page = report_html(result)
    assert "Margin in nats" in page
    assert "1 of 3 edges are in every network within 10 nats of the best" in page
    data = json.loads(re.findall(r'id="data">(.*?)</script>', page)[0])
    assert [text for *_, text in data["margins"]] == ["all", "4.00", "0.00"]
    assert "Margin in nats" not in report_html(replace(result, margins=None))


def test_margins_in_the_file_of_a_result(result: Result, tmp_path: Path) -> None:
    path = tmp_path / "margins.json"
    result.save(path)
    assert Result.load(path).margins == result.margins
    fields = json.loads(path.read_text())
    del fields["margins"]  # a file of an earlier version
    path.write_text(json.dumps(fields))
    assert Result.load(path).margins is None
    fields["margins"] = {**json.loads(result.to_json())["margins"], "items": [["edge", 0, 9, 1, 1]]}
    path.write_text(json.dumps(fields))
    with pytest.raises(FileError):
        Result.load(path)


def test_questions_about_margins(result: Result) -> None:
    margins = result.margins
    assert margins is not None
    assert margins.margin("a", "b") == margins.margin("b", "a") == math.inf
    assert margins.proven("b", "c")
    assert margins.proven("b", "c", 4)
    assert not margins.proven("b", "c", 4.1)
    assert not margins.proven("c", "d")
    assert margins.to_frame()["margin"].to_list() == list(MARGINS)
    assert "needed by 3 nats: 2" in repr(margins)
    with pytest.raises(ForebearError, match="a and c are not adjacent in the network: pass pairs"):
        margins.margin("a", "c")
    with pytest.raises(ForebearError, match="not a compelled arc"):
        margins.margin("a", "b", direction=True)
