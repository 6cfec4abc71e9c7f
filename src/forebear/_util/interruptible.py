"""Long calls of the core that Ctrl-C ends."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from forebear import _core

T = TypeVar("T")


def interruptible(call: Callable[[], T], budget: _core.Budget) -> T:
    """Call a function of the core that watches a budget; an interrupt cancels the budget.

    Python hears of Ctrl-C only between two calls, so the call is made by another thread.
    """
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(call)
        try:
            return future.result()
        except BaseException:
            budget.cancel()
            raise
