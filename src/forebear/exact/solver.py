"""The solver of linear programs: HiGHS."""

from __future__ import annotations

from typing import Any


def new_solver() -> Any:
    """Make an empty linear program, to be minimised, that is solved silently by one thread."""
    # Its import takes a moment that only exact search needs.
    import highspy

    solver = highspy.Highs()  # type: ignore[no-untyped-call]
    solver.silent()
    solver.setOptionValue("threads", 1)
    return solver
