"""Whole numbers that measure nothing: identifiers of rows, and counts of rows.

Both are recognised by values that do not repeat where values drawn by chance would. If ``n``
values were drawn from ``m`` equally probable ones, ``n (n - 1) / 2 m`` pairs would be equal; if
some are more probable than others, more.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forebear.data.suspicions import Facts

# Equal pairs that chance must predict before their absence is suspicious: with seven, none at all
# occur in fewer than 1 of 1,000 columns. With half of it, 1 of 30 sound columns would be suspected.
_FEWEST_EXPECTED = 7.0
# The share of these pairs that may occur all the same: a few numbers may be entered twice.
_STILL_EQUAL = 0.1
# With fewer distinct numbers, those of an identifier are categories: shops, wards, years.
_FEWEST_NUMBERS = 33
# The share of the values that are distinct in an identifier whose name only hints at one.
_DISTINCT = 0.9

# The last word of a name that is an identifier's, whether its numbers repeat or not.
_IDENTIFIER = re.compile("ids?|uid|uuid|guid|identifier|rowid|userid")
# Those that may be an identifier's, if its numbers hardly repeat.
_PERHAPS = re.compile(
    "account|case|client|code|customer|customerid|employee|idx|index|invoice|key|kunde"
    "|kundennummer|member|no|nr|num|number|nummer|order|participant|passenger|patient|person"
    "|record|respondent|row|rownames|serial|student|subject|ticket|user"
)
_COUNT = re.compile(
    "anzahl|cases|controls|counts?|effectif|freq|frequency|häufigkeit|haeufigkeit|n|ncases"
    "|ncontrols|nobs|obs|total|weights?"
)
_WORD = re.compile(r"[A-ZÄÖÜ]?[a-zß-ÿ]+|[A-ZÄÖÜ]+(?![a-zß-ÿ])")


def identifier_words(facts: Facts) -> str | None:
    """Say in a few words why whole numbers look like an identifier; None if they do not."""
    n_present, n_seen = len(facts.codes), _n_seen(facts)
    if not facts.whole or n_seen < 2:
        return None
    low, high = _range(facts)
    expected = _expected_pairs(n_present, high - low + 1)
    equal = int((facts.counts * (facts.counts - 1)).sum()) / 2
    if expected >= _FEWEST_EXPECTED and equal <= _STILL_EQUAL * expected:
        if n_seen == n_present and (np.diff(facts.codes.astype(np.int64)) > 0).all():
            return "numbers that grow from row to row"
        return f"{n_seen:,} distinct numbers from {low} to {high}"
    if n_seen < _FEWEST_NUMBERS:
        return None
    is_identifier = _ends_in(facts.name, _IDENTIFIER)
    may_be = is_identifier or _ends_in(facts.name, _PERHAPS)
    if (is_identifier and facts.continuous) or (may_be and n_seen >= _DISTINCT * n_present):
        return f"{n_seen:,} distinct numbers, by its name"
    return None


def count_columns(columns: Sequence[Facts]) -> dict[str, str]:
    """Find columns that may count rows, each with the reason in a few words.

    In a table of counts, no combination of the other columns occurs twice. A column is suspected if
    this is so although chance would predict otherwise, and if its name is that of a count or every
    combination occurs.
    """
    n_rows = max((len(facts.codes) for facts in columns), default=0)
    factors = {facts.name: facts for facts in columns if _is_factor(facts, n_rows)}
    sizes = {name: _n_seen(facts) for name, facts in factors.items()}
    # A product beyond 64 bits is inexact, and large enough all the same.
    cells = math.prod(map(float, sizes.values()))
    found = {}
    for facts in columns:
        n_cells = cells / sizes.get(facts.name, 1)
        if not facts.whole or _expected_pairs(n_rows, n_cells) < _FEWEST_EXPECTED:
            continue
        others = [one for name, one in factors.items() if name != facts.name]
        complete = len(facts.codes) == n_rows and _n_seen(facts) > 2 and _range(facts)[0] >= 0
        if len(others) < 2 or not complete:
            continue
        most = max(sizes[one.name] for one in others)
        varies = n_cells == n_rows and _n_seen(facts) > most and identifier_words(facts) is None
        if (_ends_in(facts.name, _COUNT) or varies) and _all_differ(others, n_rows):
            found[facts.name] = "no combination of the other columns occurs twice"
    return found


def _n_seen(facts: Facts) -> int:
    """Return how many values occur."""
    return int((facts.counts > 0).sum())


def _range(facts: Facts) -> tuple[int, int]:
    """Return the smallest and the largest number that occurs."""
    ends = facts.states
    if not facts.continuous:
        ends = [state for state, count in zip(ends, facts.counts, strict=True) if count]
    numbers = [int(state) for state in ends]
    return min(numbers), max(numbers)


def _expected_pairs(n_values: int, n_possible: float) -> float:
    """Return how many pairs of values would be equal by chance, at least."""
    return n_values * (n_values - 1) / (2 * n_possible)


def _ends_in(name: str, words: re.Pattern[str]) -> bool:
    """Tell whether one of the words is the last of a name such as customer_id or CustomerID."""
    found = _WORD.findall(name)
    return bool(found) and words.fullmatch(found[-1].lower()) is not None


def _is_factor(facts: Facts, n_rows: int) -> bool:
    """Tell whether a column can be one side of a table of counts."""
    if (
        facts.continuous
        or len(facts.codes) < n_rows
        or (facts.whole and _ends_in(facts.name, _COUNT))
    ):
        return False
    return 1 < _n_seen(facts) < n_rows


def _all_differ(columns: Sequence[Facts], n_rows: int) -> bool:
    """Tell whether all rows differ in these columns."""
    cells = np.zeros(n_rows, dtype=np.int64)
    for facts in columns:
        seen = np.cumsum(facts.counts > 0) - 1  # few numbers, so that the cells fit in 64 bits
        cells = cells * (int(seen[-1]) + 1) + seen[facts.codes]
    return len(np.unique(cells)) == n_rows
