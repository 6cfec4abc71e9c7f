"""What is suspicious about a column: identifiers, counts, dates, duplicates and the like."""

from __future__ import annotations

import hashlib
import re
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from forebear._util.errors import Message, Parameter
from forebear._util.text import counted
from forebear.data.numberings import count_columns, identifier_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

# A column with fewer values than this can have them all distinct by chance: no identifier.
_FEWEST_IDENTIFIERS = 33
# The share of the values that are distinct in an identifier: a few may repeat by mistake.
_DISTINCT = 0.9
# Rare states are common in sound tables, so only those in at most 1 row of 200 are worth a word;
# in a table with fewer rows than 100, not even a single row is rare.
_CONSTANT, _FEWEST_ROWS = 0.995, 100
# Rows that must differ from the most common state before two columns count as duplicates:
# fewer are the same by chance in a table with many columns.
_FEWEST_DIFFERENT = 5
# Rows per state that tables of counts need, by the usual rule for expected counts; a column
# with few states is not worth a word.
_ROWS_PER_STATE, _FEW_STATES = 5, 10

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
    """Say one suspicion about all columns that it is about."""
    one, many, advice = _ADVICE[suspect]
    head = f"1 column {one}" if count == 1 else f"{count:,} columns {many}"
    return Message(f"{head} ({columns})", *advice)


class Facts(NamedTuple):
    """What is known about a column: its states with their counts, and the codes of its rows."""

    name: str
    continuous: bool
    states: Sequence[str]
    counts: NDArray[np.int64]
    codes: NDArray[Any]
    """The codes of the rows that have a value, in the order of the values."""
    present: NDArray[np.bool_] | None = None
    """Which rows have a value; None if all do."""
    whole: bool = False
    """Whether all values are whole numbers."""


def find_numberings(columns: Sequence[Facts]) -> dict[str, Suspicion]:
    """Return the columns whose whole numbers look like identifiers or like counts of rows."""
    found = {}
    counts = count_columns(columns)
    for facts in columns:
        if facts.name in counts:
            found[facts.name] = Suspicion(Suspect.COUNTS, counts[facts.name])
        elif words := identifier_words(facts):
            found[facts.name] = Suspicion(Suspect.IDENTIFIER, words)
    return found


def suspicions_of(facts: Facts, numbering: Suspicion | None = None) -> list[Suspicion]:
    """Say what is suspicious about one column; ``numbering`` is what its numbers look like."""
    n_present = len(facts.codes)
    if n_present == 0:
        return [Suspicion(Suspect.CONSTANT, "no values")]
    n_seen = int((facts.counts > 0).sum())
    if n_seen == 1:
        return [Suspicion(Suspect.CONSTANT, "only one state")]
    found: list[Suspicion] = []
    most = int(facts.counts.max())
    if n_present >= _FEWEST_ROWS and most >= _CONSTANT * n_present:
        found.append(
            Suspicion(
                Suspect.NEARLY_CONSTANT, f"all but {counted(n_present - most, 'row')} the same"
            )
        )
    if numbering is not None:
        return [*found, numbering]
    if facts.continuous:
        return found
    if all(_looks_like_a_date(state) for state in facts.states):
        found.append(Suspicion(Suspect.DATE, "dates as text"))
    elif _has_commas(facts.states):
        found.append(Suspicion(Suspect.DECIMAL_COMMA, "numbers with a comma"))
    elif n_seen >= _FEWEST_IDENTIFIERS and n_seen >= _DISTINCT * n_present:
        found.append(Suspicion(Suspect.IDENTIFIER, f"{n_seen:,} states in {n_present:,} rows"))
    elif n_seen > _FEW_STATES and n_seen * _ROWS_PER_STATE > n_present:
        words = f"{n_present / n_seen:.1f} rows per state"
        found.append(Suspicion(Suspect.MANY_STATES, words))
    if state := _missing_state(facts.states):
        found.append(Suspicion(Suspect.MISSING_STATE, f"is {state!r} a missing value?"))
    seen = [state for state, count in zip(facts.states, facts.counts, strict=True) if count]
    if alike := _spelled_alike(seen):
        found.append(Suspicion(Suspect.SPELLING, " and ".join(map(repr, alike))))
    return found


def find_duplicates(columns: Sequence[Facts]) -> dict[str, str]:
    """Return the columns that say the same as an earlier one, which may name its states otherwise.

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
