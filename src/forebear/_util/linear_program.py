"""new_linear_program(): a linear program for the solver HiGHS."""

from __future__ import annotations

from typing import Any


def new_linear_program() -> Any:
    """Return an empty linear program to minimize; HiGHS solves it silently on one thread."""
    # Importing highspy takes tenths of a second, and most runs do not need it.
    import highspy

    solver = highspy.Highs()  # type: ignore[no-untyped-call]
    solver.silent()
    solver.setOptionValue("threads", 1)
    return solver
