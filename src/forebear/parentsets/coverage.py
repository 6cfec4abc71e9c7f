"""coverage(): a description of the networks that a collection of parent sets covers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forebear._util.checks import check_choice
from forebear._util.text import counted, show_share

CUT_SHORT = "cut_short"
"""The field of the provenance that is true if the time limit ended the scoring of larger sets."""

SCORED_UP_TO = "scored_up_to"
"""The field with the size up to which all sets of every variable were scored: one number, or a list
with one per variable. Without this field, the size is ``max_parents``."""

_FORMER_FIELD = "max_parents_of_all"
"""The name of this field in files of earlier versions."""

DROPPED = "dropped"
"""The field that is true if some of these sets were dropped although they are not dominated. Sets
of one parent are never dropped."""


def scored_field(sizes: NDArray[np.integer]) -> int | list[int]:
    """Return the value of the field ``SCORED_UP_TO``."""
    least = int(sizes.min())
    return least if least == sizes.max() else sizes.tolist()


def scored_sizes(provenance: Mapping[str, Any], n_variables: int) -> NDArray[np.int64]:
    """Return the size up to which all sets of every variable were scored."""
    most = n_variables - 1
    sizes = provenance.get(SCORED_UP_TO)
    if isinstance(sizes, list) and len(sizes) == n_variables:
        # A file may have been edited by hand, so anything but a number counts as 0.
        numbers = [size if isinstance(size, int) else 0 for size in sizes]
        return np.clip(np.array(numbers, dtype=np.int64), 0, most)
    fields = _whole_numbers(provenance)
    limited = "max_candidates" in fields or "max_sets_per_variable" in fields
    default = 0 if limited else fields.get("max_parents", 0)
    size = fields.get(SCORED_UP_TO, fields.get(_FORMER_FIELD, default))
    return np.full(n_variables, min(max(size, 0), most), dtype=np.int64)


def complete_sizes(provenance: Mapping[str, Any], n_variables: int) -> NDArray[np.int64]:
    """Return the size up to which every variable has all sets that are not dominated."""
    sizes = scored_sizes(provenance, n_variables)
    dropped = provenance.get(DROPPED, _FORMER_FIELD in provenance)
    return np.minimum(sizes, 1) if dropped else sizes


def _whole_numbers(provenance: Mapping[str, Any]) -> dict[str, int]:
    return {name: value for name, value in provenance.items() if isinstance(value, int)}


def coverage(provenance: Mapping[str, Any], n_variables: int, n_sets: int) -> str:
    """Describe the networks of these parent sets, given their provenance and number."""
    fields = _whole_numbers(provenance)
    most = fields.get("max_parents")
    cut = " (the time limit ended the scoring of larger sets)" if fields.get(CUT_SHORT) else ""
    complete = int(complete_sizes(provenance, n_variables).min(initial=max(0, n_variables - 1)))
    is_recorded = bool(provenance.keys() & {SCORED_UP_TO, _FORMER_FIELD})
    if most is None:
        what = "among networks of these parent sets"
    elif is_recorded and complete < min(most, n_variables - 1):
        scored = _describe_sizes(scored_sizes(provenance, n_variables))
        what = (
            f"among networks of the {n_sets:,} parent sets kept "
            f"({scored}, and some with up to {most})"
        )
    elif not fields.get("complete_for_paths", True):
        what = f"among networks of the {n_sets:,} parent sets kept"
    elif "max_sets_per_variable" in fields:
        best = fields["max_sets_per_variable"]
        what = f"among networks of the {best:,} best parent sets of each variable"
    elif "max_candidates" in fields:
        candidates = counted(fields["max_candidates"], "allowed candidate")
        parents = counted(most, "parent")
        what = f"among networks with at most {parents}, from {candidates} of each variable"
        return what + _SCORES_OF.get(_scored_rows(provenance), "") + cut
    elif complete < n_variables - 1:
        what = f"among networks with at most {counted(most, 'parent')}"
    else:
        what = "among all networks"
    return (
        what
        + (" that respect the constraints" if provenance.get("constrained") else "")
        + _SCORES_OF.get(_scored_rows(provenance), "")
        + cut
    )


def _describe_sizes(sizes: NDArray[np.int64]) -> str:
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
"""What the scores are computed from if values are missing."""

_MISSING_METHODS = {
    "available": "scored on available rows",
    "em": "completed by expectation maximization",
}


def check_missing(provenance: Mapping[str, Any]) -> None:
    """Reject an unknown method of handling missing values."""
    if "missing" in provenance:
        check_choice(tuple(_MISSING_METHODS), missing=provenance["missing"])


def describe_missing(provenance: Mapping[str, Any]) -> str | None:
    """Describe how many values are missing and how they are handled; None if none are missing."""
    method, share = provenance.get("missing"), provenance.get("missing_share")
    handled = _MISSING_METHODS.get(str(method))
    # A result file may have been edited by hand.
    if handled is None or not isinstance(share, int | float):
        return None
    if method == "em" and not provenance.get("em_completed"):
        why = "em found no better network"
        if not provenance.get("em_rounds"):
            why = "no network was learned from completed rows"
        if isinstance(ended := provenance.get("em_ended"), str):
            why = f"{why}: {ended}"
        handled = f"{_MISSING_METHODS['available']}; {why}"
    return f"{show_share(share)} of the values missing: {handled}"


def _scored_rows(provenance: Mapping[str, Any]) -> str:
    """Return the method that determines which rows were scored."""
    method = str(provenance.get("missing"))
    return "available" if method == "em" and not provenance.get("em_completed") else method
