"""Find suspicious columns, such as identifiers and counts.

Whole numbers are recognized as identifiers if they repeat less often than random values would. If
``n`` values were drawn from ``m`` equally probable ones, ``n (n - 1) / 2 m`` pairs would be equal
on average; with unequal probabilities, more.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from enum import Enum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from forebear._util.errors import Message, Parameter
from forebear._util.text import counted
from forebear.data.column_facts import ColumnFacts, extreme_values
from forebear.data.distinct import are_whole
from forebear.data.encoding import FEW
from forebear.data.raw_table import Column

# A column looks like an identifier if at most this share of its values repeat, and if it has at
# most this share of the equal pairs of rows that chance predicts.
_REPEATED = 0.1
# Equal pairs that chance must predict before their absence is suspicious: if it predicts seven,
# fewer than 1 of 1,000 columns have none. With half of it, 1 of 30 sound columns would be
# suspected.
_FEWEST_EXPECTED = 7.0
# Rare states are common in sound tables, so only those in at most 1 row of 200 are reported.
_CONSTANT = 0.995
# The least number of rows per state of a sound column, by the usual rule for expected counts. It is
# also the least number of rows with other than the most common state for columns to be compared as
# duplicates: with fewer, they may agree by chance.
_FEWEST_ROWS = 5
# A column with up to this many states is not reported.
_FEW_STATES = 10

# The last word of the name of an identifier, such as customer_id or CustomerID.
_IDENTIFIER = re.compile(r"(?i:(.*[\W_])?(ids?|uuid|guid|identifier))|.*[a-z]I[dD]s?")

# The last word of the name of a column that counts the rows that each row stands for.
_COUNT = re.compile(r"(?i:(.*[\W_])?(counts?|freq|frequency|n|weights?))")

_DATES = (
    re.compile(r"\d{1,2}[./-]\d{1,2}[./-](\d{2}|\d{4})"),
    re.compile(r"\d{4}[./-]\d{1,2}[./-]\d{1,2}([ T].*)?"),
    re.compile(r"(19|20)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])"),
)
_COMMA = re.compile(r"[+-]?\d+,\d+")
_NUMBERS_FOR_MISSING = ("-9", "-99", "-999", "-9999")
_MISSING = frozenset(
    ["NA", "N/A", "n/a", "na", "NaN", "nan", "null", "NULL", "Null", "None", "#N/A", "#NA"]
) | frozenset(["", "?", "*", "-", "--", "."])
_WHOLE = re.compile(r"[+-]?\d+")


class Suspect(Enum):
    """The kinds of suspicious columns."""

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


_DROP = (": leave out with ", Parameter("drop"))
_ADVICE: dict[Suspect, tuple[str, str, tuple[object, ...]]] = {
    Suspect.IDENTIFIER: ("looks like an identifier", "look like identifiers", _DROP),
    Suspect.CONSTANT: ("has only one state", "have only one state", ()),
    Suspect.NEARLY_CONSTANT: ("is nearly constant", "are nearly constant", ()),
    Suspect.COUNTS: (
        "may count rows",
        "may count rows",
        (": if so, name it in ", Parameter("weights"), ", or leave out with ", Parameter("drop")),
    ),
    Suspect.DUPLICATE: ("is a duplicate of another", "are duplicates of others", _DROP),
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
        _DROP,
    ),
    Suspect.MISSING_STATE: (
        "has a state that may mean a missing value",
        "have states that may mean missing values",
        (": if so, name it in ", Parameter("missing_tokens")),
    ),
    Suspect.SPELLING: (
        "has states that differ only in case or spaces",
        "have states that differ only in case or spaces",
        (": if they mean the same, use one spelling",),
    ),
}
"""The words for one column and for several, and the advice."""


def warning_about(suspect: Suspect, columns: str, count: int) -> Message:
    """Return the warning about all columns with one suspicion."""
    one, many, advice = _ADVICE[suspect]
    head = f"1 column {one}" if count == 1 else f"{count:,} columns {many}"
    return Message(f"{head} ({columns})", *advice)


def suspicions_of(facts: ColumnFacts) -> list[Suspicion]:
    """Return what is suspicious about one column."""
    n_present, n_seen = facts.n_present, facts.n_seen
    if n_seen < 2:
        words = "only one state" if n_seen else "no values"
        return [Suspicion(Suspect.CONSTANT, words)]
    found: list[Suspicion] = []
    others = n_present - int(facts.counts.max())
    if others <= (1 - _CONSTANT) * n_present:
        words = f"all but {counted(others, 'row')} the same"
        found.append(Suspicion(Suspect.NEARLY_CONSTANT, words))
    if reason := facts.identifier or identifier_words(facts):
        return [*found, Suspicion(Suspect.IDENTIFIER, reason)]
    if facts.continuous:
        return found
    if all(_looks_like_a_date(state) for state in facts.states):
        found.append(Suspicion(Suspect.DATE, "dates as text"))
    elif _has_commas(facts.states):
        found.append(Suspicion(Suspect.DECIMAL_COMMA, "numbers with a comma"))
    elif n_seen > FEW and n_seen >= (1 - _REPEATED) * n_present:
        found.append(Suspicion(Suspect.IDENTIFIER, f"{n_seen:,} states in {n_present:,} rows"))
    elif n_seen > _FEW_STATES and n_seen * _FEWEST_ROWS > n_present:
        words = f"{n_present / n_seen:.1f} rows per state"
        found.append(Suspicion(Suspect.MANY_STATES, words))
    if state := _missing_state(facts.states):
        found.append(Suspicion(Suspect.MISSING_STATE, f"is {state!r} a missing value?"))
    if alike := _spelled_alike(facts.seen):
        found.append(Suspicion(Suspect.SPELLING, " and ".join(map(repr, alike))))
    return found


def find_duplicates(columns: Sequence[ColumnFacts]) -> dict[str, str]:
    """Return the duplicates of earlier columns; their states may have other names.

    Columns are compared by the counts of their values, and by hashes of their rows if these agree.
    The time grows with the number of columns, not its square.
    """
    alike: dict[bytes, list[ColumnFacts]] = {}
    for facts in columns:
        most = int(facts.counts.max(initial=0))
        if facts.n_present - most < _FEWEST_ROWS:
            continue
        if not facts.continuous and most == 1:
            continue  # Names of rows: any two such columns would look like duplicates.
        counts = np.sort(facts.counts[facts.counts > 0])
        alike.setdefault(counts.tobytes(), []).append(facts)
    found: dict[str, str] = {}
    for group in alike.values():
        first: dict[bytes, str] = {}
        for facts in group if len(group) > 1 else ():
            earlier = first.setdefault(_digest(facts), facts.name)
            if earlier != facts.name:
                found[facts.name] = earlier
    return found


def _digest(facts: ColumnFacts) -> bytes:
    """Return a hash of the rows of a column, with states numbered by their first rows."""
    codes = facts.codes if facts.continuous else _by_first_row(facts.codes, facts.n_values)
    digest = hashlib.blake2b(np.ascontiguousarray(codes, np.uint32).tobytes(), digest_size=16)
    digest.update(np.packbits(facts.missing).tobytes())
    return digest.digest()


def find_counts(columns: Sequence[ColumnFacts]) -> set[str]:
    """Return the columns that may count the rows that each row stands for, as in R's tables.

    The name of the column is that of a count, and more than half of the combinations of the other
    columns occur, each in one row.
    """
    found = set()
    for facts in columns:
        if not _COUNT.fullmatch(facts.name):
            continue
        others = [one for one in columns if one is not facts and not one.continuous]
        n_rows, cells = facts.n_rows, np.prod([float(one.n_seen) for one in others])
        if len(others) > 1 and n_rows <= cells < 2 * n_rows:
            rows = np.stack([one.codes for one in others], axis=1)
            if len(np.unique(rows, axis=0)) == n_rows:
                found.add(facts.name)
    return found


def _by_first_row(codes: NDArray[Any], n_values: int) -> NDArray[np.int64]:
    """Number the states, and a missing value, in the order of the first rows that have them."""
    first = np.full(n_values + 1, len(codes), dtype=np.int64)
    # Backwards, so that the first row is the last to be written.
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    ranked: NDArray[np.int64] = np.argsort(np.argsort(first, kind="stable"))[codes]
    return ranked


def _looks_like_a_date(state: str) -> bool:
    return any(pattern.fullmatch(state) for pattern in _DATES)


def _has_commas(states: Sequence[str]) -> bool:
    commas = [_COMMA.fullmatch(state) is not None for state in states]
    return any(commas) and all(
        c or _WHOLE.fullmatch(s) for c, s in zip(commas, states, strict=True)
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


def identifier_words(facts: ColumnFacts) -> str | None:
    """Return in a few words why whole numbers look like an identifier; None if they do not."""
    n_present, n_seen = facts.n_present, facts.n_seen
    if not facts.whole or n_seen < 2:
        return None
    numbers = [int(state) for state in (facts.states if facts.continuous else facts.seen)]
    low, high = min(numbers), max(numbers)
    expected = n_present * (n_present - 1) / (2 * (high - low + 1))
    equal = int((facts.counts * (facts.counts - 1)).sum()) / 2
    if expected >= _FEWEST_EXPECTED and equal <= _REPEATED * expected:
        ranks = facts.codes[~facts.missing].astype(np.int64)
        if n_seen == n_present and (np.diff(ranks) > 0).all():
            return "numbers that increase from row to row"
        return f"{n_seen:,} distinct numbers from {low} to {high}"
    if facts.continuous and _IDENTIFIER.fullmatch(facts.name):
        return f"{n_seen:,} distinct numbers, by its name"
    return None


def cut_identifiers(columns: Sequence[Column]) -> dict[str, str]:
    """Return why numbers that are cut into intervals look like identifiers, by name."""
    found = {}
    for column in columns:
        if not (column.dtype.is_numeric() and len(column.values) and are_whole(column.labels)):
            continue
        ends, size = extreme_values(column), len(column.values)
        weights = None if column.weights is None else column.weights.counts
        facts = ColumnFacts(
            column.name, "continuous", "whole numbers", ends, column.codes, size, weights=weights
        )
        if words := identifier_words(facts):
            found[column.name] = words
    return found
