"""Which option was meant."""

from __future__ import annotations

import pytest

from forebear.cli._support.usage import nearest_option

OPTIONS = ["--time-limit", "--idle-limit", "--max-parents", "--threads", "--forbid", "--seed"]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("--time-limt", "--time-limit"),
        ("--timelimit", "--time-limit"),
        ("--Max_Parents", "--max-parents"),
        ("--in-degree", "--max-parents"),
        ("--n_jobs", "--threads"),
        ("--random-state", "--seed"),
        ("-threads", "--threads"),
        ("--foo", None),
        ("-x", None),
    ],
)
def test_the_nearest_option(typed: str, meant: str | None) -> None:
    assert nearest_option(typed, OPTIONS) == meant
