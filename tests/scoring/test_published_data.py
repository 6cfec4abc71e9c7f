"""Published data sets: the numbers of kept sets and the sums of scores come out exactly."""

from __future__ import annotations

import numpy as np
import pytest
from tables import shared_table

from forebear import score_parent_sets
from forebear.data.dataset import Dataset
from forebear.scoring.constraints import Constraints

# Table 6 of the paper where it has the data; sums of the best and of the empty sets' scores.
PUBLISHED = [
    ("paper/audio-train.data", 3, 7_343_077, -604_666.6, -735_857.1),
    ("paper/jester-train.data", 3, 10_307_532, -484_503.0, -573_792.6),
    pytest.param(
        *("paper/pumsb-star-test.data", 3, 19_346_718, -34_128.4, -186_627.1),
        marks=pytest.mark.slow,
    ),
    pytest.param(
        *("paper/reuters-test.data", 2, 10_487_832, -128_160.1, -166_613.4), marks=pytest.mark.slow
    ),
]


@pytest.mark.parametrize(("name", "max_parents", "kept", "best", "empty"), PUBLISHED)
def test_published_counts(
    name: str, max_parents: int, kept: int, best: float, empty: float
) -> None:
    sets = score_parent_sets(shared_table(name), max_parents=max_parents, threads=2)
    assert len(sets) == kept
    assert sets.scores[sets.offsets[:-1]].sum() == pytest.approx(best, abs=0.06)
    assert sets.scores[sets.offsets[1:] - 1].sum() == pytest.approx(empty, abs=0.06)


@pytest.mark.parametrize(
    ("name", "kept"), [("small/nltcs.train.data", 8_491), ("small/plants.valid.data", 988_141)]
)
def test_small_counts(name: str, kept: int) -> None:
    assert len(score_parent_sets(shared_table(name), max_parents=3)) == kept


def test_a_column_of_one_state_adds_nothing() -> None:
    """A parent of one state leaves every score as it is, to the last bit: such sets all go.

    Scorers that add up floating-point numbers keep thousands of them here,
    those whose rounding happened to come out higher.
    """
    plants = shared_table("small/plants.valid.data")
    (constant,) = np.flatnonzero(plants.codes.max(axis=1) == 0).tolist()
    declared = Dataset(
        codes=plants.codes,
        names=plants.names,
        states=tuple(s[:1] if v == constant else s for v, s in enumerate(plants.states)),
    )
    sets = score_parent_sets(declared, max_parents=3)
    assert len(sets) == 988_125
    assert sets.counts[constant] == 1
    assert not (sets.parents == constant).any()


# The paper's Table 2, rows by number of variables, columns by in-degree 1 to 5.
TABLE_2 = {
    10: (1.00e2, 4.60e2, 1.30e3, 2.56e3, 3.82e3),
    50: (2.50e3, 6.13e4, 9.83e5, 1.16e7, 1.07e8),
    100: (1.00e4, 4.95e5, 1.62e7, 3.93e8, 7.54e9),
    500: (2.50e5, 6.24e7, 1.04e10, 1.29e12, 1.28e14),
    1_000: (1.00e6, 4.99e8, 1.66e11, 4.14e13, 8.25e15),
    5_000: (2.50e7, 6.25e10, 1.04e14, 1.30e17, 1.29e20),
    10_000: (1.00e8, 4.99e11, 1.67e15, 4.16e18, 8.33e21),
}


@pytest.mark.parametrize(("n_variables", "counts"), TABLE_2.items())
def test_numbers_of_possible_sets(n_variables: int, counts: tuple[float, ...]) -> None:
    constraints = Constraints(n_variables)
    found = [constraints.families(max_parents) for max_parents in range(1, 6)]
    # The paper prints three digits, some rounded and some cut off.
    np.testing.assert_allclose(np.array(found, dtype=float), counts, rtol=0.008)
