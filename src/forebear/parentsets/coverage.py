"""Which networks a collection of parent sets covers, in words: what a bound over it is about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from forebear._util.checks import check_choice
from forebear._util.text import counted, show_share

if TYPE_CHECKING:
    from collections.abc import Mapping


CUT_SHORT = "cut_short"
"""The field of the provenance that notes that the time limit ended the scoring of larger sets."""


PAIRS_SCORED = "pairs_scored"
"""The field that has the number of variables of which all pairs of parents were scored."""


def coverage(provenance: Mapping[str, Any], n_variables: int, n_sets: int) -> str:
    """Say which networks there are, by what the sets were made from and how many are kept."""
    # A result file may have been edited by hand, so what is no number counts as absent.
    made = {name: value for name, value in provenance.items() if isinstance(value, int)}
    most, all_of = made.get("max_parents"), made.get("max_parents_of_all")
    cut = " (the time limit ended the scoring of larger sets)" if made.get(CUT_SHORT) else ""
    if most is None:
        what = "among networks of these parent sets"
    elif all_of is not None and all_of < min(most, n_variables - 1):
        scored = _scored(all_of, made.get(PAIRS_SCORED, 0), n_variables)
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
    elif most < n_variables - 1 and not made.get("complete"):
        what = f"among networks with at most {counted(most, 'parent')}"
    else:
        what = "among all networks"
    return (
        what
        + (" that respect the constraints" if provenance.get("constrained") else "")
        + _SCORES_OF.get(_way(provenance), "")
        + cut
    )


def _scored(all_of: int, pairs_of: int, n_variables: int) -> str:
    """Describe which sets were scored; ``pairs_of`` variables have all pairs of parents."""
    if all_of < 2 <= pairs_of == n_variables:
        all_of = 2
    scored = f"all with up to {counted(all_of, 'parent')} were scored"
    if all_of < 2 and pairs_of:
        scored += f", all pairs of parents for {pairs_of:,} of the {n_variables:,} variables"
    return scored


_SCORES_OF = {
    "available": ", by the score of the available rows",
    "em": ", by the expected score of the rows as they were last completed",
}
"""What the score is of where values are missing: a bound is about that."""

_DONE = {
    "available": "families are scored on the rows where they are observed",
    "em": "they were completed by expectation maximisation",
}


def check_missing(provenance: Mapping[str, Any]) -> None:
    """Refuse a way to handle missing values that there is not."""
    if "missing" in provenance:
        check_choice(tuple(_DONE), missing=provenance["missing"])


def missing_done(provenance: Mapping[str, Any]) -> str | None:
    """Say how many values are missing and what was done about them; None if none is."""
    way, share = provenance.get("missing"), provenance.get("missing_share")
    # A result file may have been edited by hand.
    if not isinstance(way, str) or way not in _DONE or not isinstance(share, int | float):
        return None
    done = _DONE[way]
    if way == "em" and not provenance.get("em_completed"):
        why = "em found no better network"
        if not provenance.get("em_rounds"):
            why = "no network was learnt from completed rows"
        if isinstance(ended := provenance.get("em_ended"), str):
            why = f"{why}: {ended}"
        done = f"{_DONE['available']}; {why}"
    return f"{show_share(share)} of the values are missing: {done}"


def _way(provenance: Mapping[str, Any]) -> str:
    """What the score is of."""
    way = str(provenance.get("missing"))
    return "available" if way == "em" and not provenance.get("em_completed") else way
