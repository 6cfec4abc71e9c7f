"""What is suspicious about a column: identifiers, counts, dates, duplicates and the like.

Whole numbers that are identifiers of rows or counts of rows are recognised by values that do not
repeat where values drawn by chance would. If ``n`` values were drawn from ``m`` equally probable
ones, ``n (n - 1) / 2 m`` pairs would be equal; if some are more probable than others, more.
"""

from __future__ import annotations

import hashlib
import math
import re
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from forebear._util.errors import Message, Parameter
from forebear._util.text import counted
from forebear.data.encoding import FEW

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from forebear.data.column_facts import ColumnFacts

# The share of the values of an identifier that may repeat by mistake, and of the equal pairs that
# chance predicts.
_REPEATED = 0.1
# Equal pairs that chance must predict before their absence is suspicious: with seven, none at all
# occur in fewer than 1 of 1,000 columns. With half of it, 1 of 30 sound columns would be suspected.
_FEWEST_EXPECTED = 7.0
# Rare states are common in sound tables, so only those in at most 1 row of 200 are worth a word.
_CONSTANT = 0.995
# Rows that must differ from the most common state before two columns count as duplicates:
# fewer are the same by chance in a table with many columns.
_FEWEST_DIFFERENT = 5
# Rows per state that tables of counts need, by the usual rule for expected counts; a column
# with few states is not worth a word.
_ROWS_PER_STATE, _FEW_STATES = 5, 10

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

_DATES = (
    re.compile(r"\d{1,2}[./-]\d{1,2}[./-](\d{2}|\d{4})"),
    re.compile(r"\d{4}[./-]\d{1,2}[./-]\d{1,2}([ T].*)?"),
    re.compile(r"(19|20)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])"),
)
_COMMA = re.compile(r"[+-]?\d+,\d+")
_PLAIN = re.compile(r"[+-]?\d+")
_NUMBERS_FOR_MISSING = ("-9", "-99", "-999", "-9999")
_MISSING = frozenset(
    ["NA", "N/A", "n/a", "na", "NaN", "nan", "null", "NULL", "Null", "None", "#N/A", "#NA"]
) | frozenset(["", "?", "*", "-", "--", "."])


class Suspect(Enum):
    """What a column may be that it should not be."""

    IDENTIFIER = "identifier"
    CONSTANT = "constant"
    NEARLY_CONSTANT = "nearly constant"
    COUNTS = "counts"
    DUPLICATE = "duplicate"
    DATE = "date"
    DECIMAL_COMMA = "decimal comma"
    MANY_STATES = "too many states"
    MISSING_STATE = "missing value as a state"
    SPELLING = "spelling"


class Suspicion(NamedTuple):
    """A suspicion about a column, in a few words."""

    suspect: Suspect
    words: str


_ADVICE: dict[Suspect, tuple[str, str, tuple[object, ...]]] = {
    Suspect.IDENTIFIER: (
        "looks like an identifier",
        "look like identifiers",
        (": leave out with ", Parameter("drop")),
    ),
    Suspect.CONSTANT: ("has only one state", "have only one state", ()),
    Suspect.NEARLY_CONSTANT: ("is nearly constant", "are nearly constant", ()),
    Suspect.COUNTS: (
        "may count rows",
        "may count rows",
        (": if so, repeat each row that often, or leave out with ", Parameter("drop")),
    ),
    Suspect.DUPLICATE: (
        "is a duplicate of another",
        "are duplicates of others",
        (": leave out with ", Parameter("drop")),
    ),
    Suspect.DATE: (
        "holds dates as text",
        "hold dates as text",
        (": write them as 2024-12-31, or leave out with ", Parameter("drop")),
    ),
    Suspect.DECIMAL_COMMA: (
        "may hold numbers with a decimal comma",
        "may hold numbers with a decimal comma",
        (": if so, pass ", Parameter("decimal_comma", True)),
    ),
    Suspect.MANY_STATES: (
        "has too many states for the rows",
        "have too many states for the rows",
        (": leave out with ", Parameter("drop")),
    ),
    Suspect.MISSING_STATE: (
        "has a state that may mean a missing value",
        "have states that may mean missing values",
        (": if so, name it in ", Parameter("missing_tokens")),
    ),
    Suspect.SPELLING: (
        "has states that differ only in case or spaces",
        "have states that differ only in case or spaces",
        (": if they mean the same, write them alike",),
    ),
}


def warning_about(suspect: Suspect, columns: str, count: int) -> Message:
    """Return the warning about all columns with one suspicion."""
    one, many, advice = _ADVICE[suspect]
    head = f"1 column {one}" if count == 1 else f"{count:,} columns {many}"
    return Message(f"{head} ({columns})", *advice)


def find_numberings(columns: Sequence[ColumnFacts]) -> dict[str, Suspicion]:
    """Return the columns whose whole numbers look like identifiers or like counts of rows."""
    found = {}
    counts = _count_columns(columns)
    for facts in columns:
        if facts.name in counts:
            words = "no combination of the other columns occurs twice"
            found[facts.name] = Suspicion(Suspect.COUNTS, words)
        elif reason := _identifier_words(facts):
            found[facts.name] = Suspicion(Suspect.IDENTIFIER, reason)
    return found


def suspicions_of(facts: ColumnFacts, numbering: Suspicion | None = None) -> list[Suspicion]:
    """Return what is suspicious about one column; ``numbering`` is what its numbers look like."""
    n_present, n_seen = len(facts.codes), facts.n_seen
    if n_seen < 2:
        words = "only one state" if n_seen else "no values"
        return [Suspicion(Suspect.CONSTANT, words)]
    found: list[Suspicion] = []
    others = n_present - int(facts.counts.max())
    if others <= (1 - _CONSTANT) * n_present:
        words = f"all but {counted(others, 'row')} the same"
        found.append(Suspicion(Suspect.NEARLY_CONSTANT, words))
    if numbering is not None:
        return [*found, numbering]
    if facts.continuous:
        return found
    if all(_looks_like_a_date(state) for state in facts.states):
        found.append(Suspicion(Suspect.DATE, "dates as text"))
    elif _has_commas(facts.states):
        found.append(Suspicion(Suspect.DECIMAL_COMMA, "numbers with a comma"))
    elif n_seen > FEW and n_seen >= (1 - _REPEATED) * n_present:
        found.append(Suspicion(Suspect.IDENTIFIER, f"{n_seen:,} states in {n_present:,} rows"))
    elif n_seen > _FEW_STATES and n_seen * _ROWS_PER_STATE > n_present:
        words = f"{n_present / n_seen:.1f} rows per state"
        found.append(Suspicion(Suspect.MANY_STATES, words))
    if state := _missing_state(facts.states):
        found.append(Suspicion(Suspect.MISSING_STATE, f"is {state!r} a missing value?"))
    if alike := _spelled_alike(facts.seen):
        found.append(Suspicion(Suspect.SPELLING, " and ".join(map(repr, alike))))
    return found


def find_duplicates(columns: Sequence[ColumnFacts]) -> dict[str, str]:
    """Return the duplicates of an earlier column, which may name its states otherwise.

    Columns are compared by hashes, so the time grows with their number, not its square.
    """
    first: dict[bytes, str] = {}
    found: dict[str, str] = {}
    for facts in columns:
        n_present = len(facts.codes)
        most = int(facts.counts.max(initial=0))
        if n_present - most < _FEWEST_DIFFERENT:
            continue
        codes = facts.codes if facts.continuous else _by_first_row(facts.codes, len(facts.counts))
        if not facts.continuous and (facts.counts == 1).sum() == n_present:
            continue  # Names of rows, which all look the same without their order.
        digest = hashlib.blake2b(np.ascontiguousarray(codes, np.uint32).tobytes(), digest_size=16)
        if facts.present is not None:
            digest.update(np.packbits(facts.present).tobytes())
        earlier = first.setdefault(digest.digest(), facts.name)
        if earlier != facts.name:
            found[facts.name] = earlier
    return found


def _by_first_row(codes: NDArray[Any], n_states: int) -> NDArray[np.int64]:
    """Number the states in the order of the first rows that have them."""
    first = np.full(n_states, len(codes), dtype=np.int64)
    # Backwards, so that the first row is the last to be written.
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    rank = np.empty(n_states, dtype=np.int64)
    rank[np.argsort(first, kind="stable")] = np.arange(n_states)
    ranked: NDArray[np.int64] = rank[codes]
    return ranked


def _looks_like_a_date(state: str) -> bool:
    return any(pattern.fullmatch(state) for pattern in _DATES)


def _has_commas(states: Sequence[str]) -> bool:
    commas = [_COMMA.fullmatch(state) is not None for state in states]
    return any(commas) and all(
        c or _PLAIN.fullmatch(s) for c, s in zip(commas, states, strict=True)
    )


def _spelled_alike(states: Sequence[str]) -> tuple[str, str] | None:
    """Return the first two states that differ only in case or in white space."""
    first: dict[str, str] = {}
    for state in states:
        if (earlier := first.setdefault(" ".join(state.casefold().split()), state)) != state:
            return earlier, state
    return None


def _missing_state(states: Sequence[str]) -> str | None:
    """Return a state that other programs write for a missing value."""
    if word := next((state for state in states if state in _MISSING), None):
        return word
    if states[0] in _NUMBERS_FOR_MISSING and not any(s.startswith("-") for s in states[1:]):
        return states[0]
    return None


def _identifier_words(facts: ColumnFacts) -> str | None:
    """Return in a few words why whole numbers look like an identifier; None if they do not."""
    n_present, n_seen = len(facts.codes), facts.n_seen
    if not facts.whole or n_seen < 2:
        return None
    low, high = _range(facts)
    expected = _expected_pairs(n_present, high - low + 1)
    equal = int((facts.counts * (facts.counts - 1)).sum()) / 2
    if expected >= _FEWEST_EXPECTED and equal <= _REPEATED * expected:
        if n_seen == n_present and (np.diff(facts.codes.astype(np.int64)) > 0).all():
            return "numbers that grow from row to row"
        return f"{n_seen:,} distinct numbers from {low} to {high}"
    if n_seen <= FEW:
        return None
    is_identifier = _ends_in(facts.name, _IDENTIFIER)
    may_be = is_identifier or _ends_in(facts.name, _PERHAPS)
    if (is_identifier and facts.continuous) or (may_be and n_seen >= (1 - _REPEATED) * n_present):
        return f"{n_seen:,} distinct numbers, by its name"
    return None


def _count_columns(columns: Sequence[ColumnFacts]) -> set[str]:
    """Find columns that may count rows.

    In a table of counts, no combination of the other columns occurs twice. A column is suspected if
    this is so although chance would predict otherwise, and if its name is that of a count or every
    combination occurs.
    """
    n_rows = max((len(facts.codes) for facts in columns), default=0)
    factors = {facts.name: facts for facts in columns if _is_factor(facts, n_rows)}
    sizes = {name: facts.n_seen for name, facts in factors.items()}
    # A product beyond 64 bits is inexact, and large enough all the same.
    cells = math.prod(map(float, sizes.values()))
    found = set()
    for facts in columns:
        n_cells = cells / sizes.get(facts.name, 1)
        if not facts.whole or _expected_pairs(n_rows, n_cells) < _FEWEST_EXPECTED:
            continue
        others = [one for name, one in factors.items() if name != facts.name]
        complete = len(facts.codes) == n_rows and facts.n_seen > 2 and _range(facts)[0] >= 0
        if len(others) < 2 or not complete:
            continue
        most = max(sizes[one.name] for one in others)
        varies = n_cells == n_rows and facts.n_seen > most and _identifier_words(facts) is None
        if (_ends_in(facts.name, _COUNT) or varies) and _all_differ(others, n_rows):
            found.add(facts.name)
    return found


def _range(facts: ColumnFacts) -> tuple[int, int]:
    """Return the smallest and the largest number that occurs."""
    numbers = [int(state) for state in (facts.states if facts.continuous else facts.seen)]
    return min(numbers), max(numbers)


def _expected_pairs(n_values: int, n_possible: float) -> float:
    """Return how many pairs of values would be equal by chance, at least."""
    return n_values * (n_values - 1) / (2 * n_possible)


def _ends_in(name: str, words: re.Pattern[str]) -> bool:
    """Return whether one of the words is the last of a name such as customer_id or CustomerID."""
    found = _WORD.findall(name)
    return bool(found) and words.fullmatch(found[-1].lower()) is not None


def _is_factor(facts: ColumnFacts, n_rows: int) -> bool:
    """Return whether a column can be one side of a table of counts."""
    if (
        facts.continuous
        or len(facts.codes) < n_rows
        or (facts.whole and _ends_in(facts.name, _COUNT))
    ):
        return False
    return 1 < facts.n_seen < n_rows


def _all_differ(columns: Sequence[ColumnFacts], n_rows: int) -> bool:
    """Return whether all rows differ in these columns."""
    cells = np.zeros(n_rows, dtype=np.int64)
    for facts in columns:
        seen = np.cumsum(facts.counts > 0) - 1  # few numbers, so that the cells fit in 64 bits
        cells = cells * (int(seen[-1]) + 1) + seen[facts.codes]
    return len(np.unique(cells)) == n_rows
