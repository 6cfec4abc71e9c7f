"""Checks of settings: what an algorithm could not work with is refused when it is made."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

from forebear._util.errors import ForebearError

MOST = 1_000_000
"""More of anything would keep a generation from ever ending."""


def check_whole(least: int, **values: Any) -> None:
    """Refuse settings that are not whole numbers, or too small, or beyond all use."""
    for name, value in values.items():
        if not isinstance(value, Integral):
            raise ForebearError(f"{name} must be a whole number, got {value!r}")
        _check_range(name, value, least)


def check_real(least: float, **values: Any) -> None:
    """Refuse settings that are not numbers, or too small."""
    for name, value in values.items():
        if not isinstance(value, Real):
            raise ForebearError(f"{name} must be a number, got {value!r}")
        if not float(value) >= least:
            raise ForebearError(f"{name} must be at least {least:g}, got {float(value):g}")


def _check_range(name: str, value: Any, least: int) -> None:
    if value < least:
        raise ForebearError(f"{name} must be at least {least}, got {value}")
    if value > MOST:
        raise ForebearError(f"{name} must be at most {MOST:,}, got {value:,}")


def check_seed(seed: int | None) -> None:
    """Refuse a seed that cannot be one."""
    if seed is not None and seed < 0:
        raise ForebearError(f"seed must not be negative, got {seed}")
