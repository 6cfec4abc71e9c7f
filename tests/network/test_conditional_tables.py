"""Tables of probabilities: what is checked, rescaled and kept."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from forebear import FittedNetwork, ForebearError, Network

COIN = Network(("coin",), ((),))
SIDES = (("heads", "tails"),)


@pytest.mark.parametrize(
    ("states", "tables", "message"),
    [
        (SIDES, [[0.5, 0.3, 0.2]], r"has the shape \(3,\), but .* require \(2,\)"),
        (SIDES, [[1.5, -0.5]], "the table of coin has a negative or undefined probability"),
        (SIDES, [[np.nan, 1.0]], "the table of coin has a negative or undefined probability"),
        (SIDES, [[0.5, 0.4]], "the table of coin has a row that sums to 0.9, not 1"),
        ((("heads", "heads"),), [[0.5, 0.5]], "coin: state heads is named twice"),
        (((),), [[]], "coin must have 1 to 65,536 states, got 0"),
        ((), (), "the network has 1 variable, but there are 0 lists of states and 0 tables"),
    ],
)
def test_what_does_not_fit_is_refused(states: Any, tables: Any, message: str) -> None:
    with pytest.raises(ForebearError, match=message):
        FittedNetwork(COIN, states, tables)


def test_rounded_rows_are_rescaled_and_exact_rows_are_kept() -> None:
    rounded = FittedNetwork(COIN, SIDES, (np.array([0.3333, 0.6663]),))
    assert rounded.tables[0].sum() == pytest.approx(1, abs=1e-15)
    mine = np.array([0.1, 0.9])
    exact = FittedNetwork(COIN, SIDES, (mine,))
    assert exact.tables[0].tolist() == [0.1, 0.9]
    mine[0] = 1.0
    assert exact.tables[0][0] == 0.1, "tables are copied"
    assert not exact.tables[0].flags.writeable
