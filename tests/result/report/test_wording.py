"""How a result is described in words."""

from __future__ import annotations

from dataclasses import replace

import pytest
from results import random_dag, result_of

from forebear.result import Choice
from forebear.result.report.page import report_html
from forebear.result.report.wording import number, verdict


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


@pytest.mark.parametrize(
    ("value", "digits", "written"),
    [(-1234567.891, 2, "−1,234,567.89"), (12, 0, "12"), (float("nan"), 0, "not a number")],
)
def test_numbers(value: float, digits: int, written: str) -> None:
    assert number(value, digits) == written
    assert number(-(10**400)).startswith("−10,000,000,")
