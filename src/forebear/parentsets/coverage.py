"""A description of the networks that a collection of parent sets, and a bound over it, covers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from forebear._util.checks import check_choice
from forebear._util.text import counted, show_share

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray


CUT_SHORT = "cut_short"
"""The field of the provenance that notes that the time limit ended the scoring of larger sets."""

SCORED_UP_TO = "scored_up_to"
"""The field that has the size up to which all sets of every variable were scored: one number, or
one for each. Without it, that is ``max_parents``."""

_FORMER = "max_parents_of_all"
"""The name of this field in earlier files."""

DROPPED = "dropped"
"""The field that notes that some of these sets were dropped, though no subset beats them. Those of
a single parent never are."""


def scored_field(sizes: NDArray[np.integer]) -> int | list[int]:
    """Return sizes as the provenance has them."""
    least = int(sizes.min())
    return least if least == sizes.max() else sizes.tolist()


def scored_sizes(provenance: Mapping[str, Any], n_variables: int) -> NDArray[np.int64]:
    """Return the size up to which all sets of every variable were scored."""
    most = n_variables - 1
    sizes = provenance.get(SCORED_UP_TO)
    if isinstance(sizes, list) and len(sizes) == n_variables:
        # A file may have been edited by hand, so what is no number counts as nothing.
        known = [size if isinstance(size, int) else 0 for size in sizes]
        return np.clip(np.array(known, dtype=np.int64), 0, most)
    made = _numbers(provenance)
    some = "max_candidates" in made or "max_sets_per_variable" in made
    size = made.get(SCORED_UP_TO, made.get(_FORMER, 0 if some else made.get("max_parents", 0)))
    return np.full(n_variables, min(max(size, 0), most), dtype=np.int64)


def complete_sizes(provenance: Mapping[str, Any], n_variables: int) -> NDArray[np.int64]:
    """Return the size up to which every variable has all sets that no subset beats."""
    sizes = scored_sizes(provenance, n_variables)
    dropped = provenance.get(DROPPED, _FORMER in provenance)
    return np.minimum(sizes, 1) if dropped else sizes


def _numbers(provenance: Mapping[str, Any]) -> dict[str, int]:
    return {name: value for name, value in provenance.items() if isinstance(value, int)}


def coverage(provenance: Mapping[str, Any], n_variables: int, n_sets: int) -> str:
    """Describe the networks that the parent sets allow, by their provenance and number."""
    made = _numbers(provenance)
    most = made.get("max_parents")
    cut = " (the time limit ended the scoring of larger sets)" if made.get(CUT_SHORT) else ""
    complete = int(complete_sizes(provenance, n_variables).min(initial=max(0, n_variables - 1)))
    if most is None:
        what = "among networks of these parent sets"
    elif provenance.keys() & {SCORED_UP_TO, _FORMER} and complete < min(most, n_variables - 1):
        scored = _scored(scored_sizes(provenance, n_variables))
        what = (
            f"among networks of the {n_sets:,} parent sets kept "
            f"({scored}, and some with up to {most})"
        )
    elif not made.get("complete_for_paths", True):
        what = f"among networks of the {n_sets:,} parent sets kept"
    elif "max_sets_per_variable" in made:
        best = made["max_sets_per_variable"]
        what = f"among networks of the {best:,} best parent sets of each variable"
    elif "max_candidates" in made:
        candidates = counted(made["max_candidates"], "allowed candidate")
        parents = counted(most, "parent")
        what = f"among networks with at most {parents}, from {candidates} of each variable"
        return what + _SCORES_OF.get(_way(provenance), "") + cut
    elif complete < n_variables - 1:
        what = f"among networks with at most {counted(most, 'parent')}"
    else:
        what = "among all networks"
    return (
        what
        + (" that respect the constraints" if provenance.get("constrained") else "")
        + _SCORES_OF.get(_way(provenance), "")
        + cut
    )


def _scored(sizes: NDArray[np.int64]) -> str:
    """Describe which sets were scored."""
    least, most = int(sizes.min()), int(sizes.max())
    scored = f"all with up to {counted(least, 'parent')} were scored"
    if most > least:
        some = int((sizes == most).sum())
        scored += f", with up to {most} for {some:,} of the {len(sizes):,} variables"
    return scored


_SCORES_OF = {
    "available": ", scored on the available rows",
    "em": ", by the expected score of the last completion of the rows",
}
"""What a bound covers where values are missing."""

_DONE = {
    "available": "families scored on observed rows",
    "em": "completed by expectation maximization",
}


def check_missing(provenance: Mapping[str, Any]) -> None:
    """Reject an unknown way to handle missing values."""
    if "missing" in provenance:
        check_choice(tuple(_DONE), missing=provenance["missing"])


def missing_done(provenance: Mapping[str, Any]) -> str | None:
    """Describe how many values are missing and how they are handled; None if none is missing."""
    way, share = provenance.get("missing"), provenance.get("missing_share")
    # A result file may have been edited by hand.
    if not isinstance(way, str) or way not in _DONE or not isinstance(share, int | float):
        return None
    done = _DONE[way]
    if way == "em" and not provenance.get("em_completed"):
        why = "em found no better network"
        if not provenance.get("em_rounds"):
            why = "no network was learned from completed rows"
        if isinstance(ended := provenance.get("em_ended"), str):
            why = f"{why}: {ended}"
        done = f"{_DONE['available']}; {why}"
    return f"{show_share(share)} of the values missing: {done}"


def _way(provenance: Mapping[str, Any]) -> str:
    """What the score is of."""
    way = str(provenance.get("missing"))
    return "available" if way == "em" and not provenance.get("em_completed") else way
