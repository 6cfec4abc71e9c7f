"""Amounts of memory and time as people write them."""

from __future__ import annotations

import math

import pytest

from forebear._util.errors import ForebearError
from forebear._util.text import parse_bytes, show_bytes, show_seconds


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("8GB", 8 * 10**9),
        ("500 MB", 5 * 10**8),
        ("2GiB", 2**31),
        ("1.5k", 1500),
        (" 64 kib ", 65_536),
        ("7b", 7),
        (1e6, 10**6),
    ],
)
def test_amounts_are_parsed(text: str | float, size: int) -> None:
    assert parse_bytes(text) == size


@pytest.mark.parametrize(
    "text", ["", "GB", "8 GBs", "-1", "1e3", "3iB", "0", "0.1", -5, "nan", math.nan, math.inf]
)
def test_invalid_amounts_are_rejected(text: str | float) -> None:
    with pytest.raises(ForebearError, match="amount of memory"):
        parse_bytes(text)


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (1, "1 byte"),
        (0, "0 bytes"),
        (1_500, "1.5 kB"),
        (12_345, "12 kB"),
        (123_456, "123 kB"),
        (999_600, "1 MB"),
        (1.23e15, "1,230 TB"),
    ],
)
def test_amounts_are_written(size: float, text: str) -> None:
    assert show_bytes(size) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.123, "0.12 s"),
        (0.9999, "1.0 s"),
        (9.99, "10 s"),
        (600, "10 min"),
        (7200, "2.0 h"),
        (1e9, "11,574 days"),
    ],
)
def test_durations_are_written(seconds: float, text: str) -> None:
    assert show_seconds(seconds) == text
