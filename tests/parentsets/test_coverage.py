"""What a collection covers, in words."""

from __future__ import annotations

import pytest

from forebear.parentsets.coverage import CUT_SHORT, coverage


@pytest.mark.parametrize(
    ("made", "words"),
    [
        ({}, "among networks with at most 2 parents"),
        (
            {"max_candidates": 9},
            "among networks with at most 2 parents, from 9 allowed candidates of each variable",
        ),
        ({"max_parents_of_all": 1}, "among networks of the 50 parent sets kept (all with up to"),
    ],
)
def test_a_time_limit_is_named(made: dict[str, int], words: str) -> None:
    about = {"max_parents": 2, **made}
    assert coverage(about, 20, 50).startswith(words)
    cut = coverage({**about, CUT_SHORT: True}, 20, 50)
    assert cut == f"{coverage(about, 20, 50)} (the time limit ended the scoring of larger sets)"
