"""How a result is described in words."""

from __future__ import annotations

import pytest

from forebear.result.report.wording import format_number


@pytest.mark.parametrize(
    ("value", "digits", "written"),
    [(-1234567.891, 2, "−1,234,567.89"), (12, 0, "12"), (float("nan"), 0, "not a number")],
)
def test_numbers(value: float, digits: int, written: str) -> None:
    assert format_number(value, digits) == written
    assert format_number(-(10**400)).startswith("−10,000,000,")
