"""Long calls of the core end with an interrupt."""

from __future__ import annotations

import pytest

from forebear import _core
from forebear._util.executors import interruptible


def test_an_interrupt_cancels_the_budget() -> None:
    budget = _core.Budget(None)
    assert interruptible(lambda: 7, budget) == 7
    assert not budget.cancelled

    def fail() -> int:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interruptible(fail, budget)
    assert budget.cancelled
