"""The section about held-out rows: a curve, a table, a sentence; absent without a validation."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest
from results import random_dag, result_of

from forebear import Result, Trial, Validation
from forebear.report.heldout import curve_svg, held_out
from forebear.report.page import report_html


def validated(chosen: int = 0) -> Result:
    trials = (
        Trial("bdeu", {"ess": 1.0}, None, "light", -9.5, 0.2, 0.5, 0.1, 30.0),
        Trial("bic", {}, None, "medium", -9.0, 0.2, 0.0, 0.0, 20.0),
        Trial("bdeu", {"ess": 1.0}, 2, "medium", -9.2, 0.2, 0.2, 0.2, 20.0),
        Trial("bdeu", {"ess": 1.0}, 1, "medium", -11.25, 0.2, 2.2, 0.2, 10.0),
    )
    return result_of(random_dag(6, 2, 1), validation=Validation(trials, chosen, 150, 1))


def test_without_a_validation_there_is_no_section() -> None:
    page = report_html(result_of(random_dag(6, 2, 1)))
    assert held_out(result_of(random_dag(6, 2, 1))) is None
    assert "held-out" not in page.replace("#held-out", "")


def test_the_section() -> None:
    page = report_html(validated())
    assert "Networks were learnt without 150 rows and then predicted them." in page
    assert "<strong>−9.500</strong><span>nats per row; standard error 0.200</span>" in page
    assert "With bic, they are predicted better by 0.500 nats each (standard error 0.100)." in page
    table = page.partition('id="held-out-table"')[2].partition("</table>")[0]
    rows = re.findall(r'<tr><th scope="row">(.*?)</th><td>(.*?)</td>', table)
    assert rows == [
        ("bic", "none"),
        ("bdeu (ess 1)", "2"),
        ("bdeu (ess 1) (used)", "none"),
        ("bdeu (ess 1)", "1"),
    ]


def test_the_best_may_be_ahead_by_chance() -> None:
    page = report_html(validated(chosen=2))
    assert "(standard error 0.200), which may be chance." in page
    assert "Of 4 ways to learn, the one used predicts them best." in report_html(validated(1))


def test_the_curve_goes_up_with_the_likelihood() -> None:
    found = validated().validation
    assert found is not None
    picture = ET.fromstring(curve_svg(found.curve))
    spots = picture.findall("circle")
    heights = [float(spot.attrib["cy"]) for spot in spots]
    places = [float(spot.attrib["cx"]) for spot in spots]
    assert places == sorted(places)
    assert heights[1] < heights[2] < heights[0]
    assert [spot.attrib["class"] for spot in spots] == ["spot", "spot marked", "spot"]
    labels = [text.text for text in picture.findall("text")]
    assert labels[-1] == "Limit on parents"
    assert {"1", "2", "none"} <= set(labels)


@pytest.mark.parametrize("spread", [0.0, 1e-6, 1e6])
def test_curves_of_any_spread(spread: float) -> None:
    for low in (-5.0, 0.0, -1e100):
        trials = [Trial("bic", {}, k, "light", low + k * spread) for k in (1, 2)]
        assert ET.fromstring(curve_svg(trials)).findall("circle")
