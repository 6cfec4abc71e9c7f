"""Descriptions of the networks that a collection covers."""

from __future__ import annotations

from typing import Any

import pytest

from forebear.parentsets.coverage import CUT_SHORT, complete_sizes, coverage, scored_sizes


@pytest.mark.parametrize(
    ("made", "words"),
    [
        ({}, "among networks with at most 2 parents"),
        (
            {"max_candidates": 9},
            "among networks with at most 2 parents, from 9 allowed candidates of each variable",
        ),
        ({"scored_up_to": 1}, "among networks of the 50 parent sets kept (all with up to 1"),
        ({"scored_up_to": 19}, "among all networks"),
        ({"scored_up_to": [2] * 5 + [1] * 15}, "among networks of the 50 parent sets kept (all "),
    ],
)
def test_a_time_limit_is_named(made: dict[str, Any], words: str) -> None:
    about = {"max_parents": 2, **made}
    assert coverage(about, 20, 50).startswith(words)
    cut = coverage({**about, CUT_SHORT: True}, 20, 50)
    assert cut == f"{coverage(about, 20, 50)} (the time limit ended the scoring of larger sets)"


@pytest.mark.parametrize(
    ("made", "scored", "complete"),
    [
        ({}, [3, 3, 3, 3, 3], [3, 3, 3, 3, 3]),
        ({"max_parents": 9}, [4] * 5, [4] * 5),
        ({"max_candidates": 2}, [0] * 5, [0] * 5),
        ({"scored_up_to": [2, 1, 1, 9, "x"]}, [2, 1, 1, 4, 0], [2, 1, 1, 4, 0]),
        ({"scored_up_to": 2, "dropped": True}, [2] * 5, [1] * 5),
    ],
)
def test_sizes_by_variable(made: dict[str, Any], scored: list[int], complete: list[int]) -> None:
    about = {"max_parents": 3, **made}
    assert scored_sizes(about, 5).tolist() == scored
    assert complete_sizes(about, 5).tolist() == complete


def test_some_variables_have_larger_sets() -> None:
    about = {"max_parents": 3, "scored_up_to": [2, 1, 1, 2, 1]}
    assert "all with up to 1 parent were scored, with up to 2 for 2 of the 5 variables" in coverage(
        about, 5, 50
    )


def test_files_of_the_former_field_claim_no_more_than_was_scored() -> None:
    made = {"max_parents": 4, "max_parents_of_all": 1}
    assert complete_sizes(made, 9).tolist() == [1] * 9
    assert coverage(made, 9, 50).startswith("among networks of the 50 parent sets kept (all with")
