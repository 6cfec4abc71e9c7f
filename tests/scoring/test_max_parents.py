"""The defaults and the limits of max_parents."""

from __future__ import annotations

import pytest
from tables import random_table

from forebear import ForebearWarning, LimitError
from forebear.scoring.job import make_job
from forebear.scoring.max_parents import paper_max_parents, preferred_max_parents


def test_sets_that_do_not_fit_in_a_word_are_rejected() -> None:
    data = random_table([2] * 40, 10)
    with pytest.raises(LimitError, match=r"sets of 11 among 40 variables .* to 10"):
        make_job(data, max_parents=11)
    assert make_job(data, max_parents=10).max_parents == 10


def test_the_default_max_parents_of_the_paper() -> None:
    assert [paper_max_parents(n) for n in (1, 2, 3, 4, 100, 499, 500, 2_000)] == [
        *(0, 1, 2, 3, 3, 3, 2, 2)
    ]
    with pytest.warns(ForebearWarning, match="max_parents=1 is much faster"):
        assert paper_max_parents(10_000) == 2


def test_the_default_max_parents_of_learn() -> None:
    assert [preferred_max_parents(n) for n in (19, 20, 29, 30, 60, 499, 500)] == [
        *(6, 5, 5, 4, 3, 3, 2)
    ]
