"""Scores of networks from the data, written from the formulas and without forebear."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

Parents = dict[str, tuple[str, ...]]


def read_arcs(text: str) -> Parents:
    """Read a list of arcs: ``from,to``, and ``name,`` for a variable without arcs."""
    lines = text.split()
    if lines[0] != "from,to":
        raise ValueError("a list of arcs starts with from,to")
    parents: Parents = {}
    for line in lines[1:]:
        parent, child = line.split(",")
        parents.setdefault(parent, ())
        if child:
            parents[child] = (*parents.get(child, ()), parent)
    return parents


def is_acyclic(parents: Parents) -> bool:
    """Remove variables without parents until none is left."""
    left = {v: set(own) for v, own in parents.items()}
    while left:
        free = {v for v, own in left.items() if not own}
        if not free:
            return False
        left = {v: own - free for v, own in left.items() if v not in free}
    return True


def read_rows(content: bytes) -> NDArray[np.int64]:
    """Read rows of small whole numbers between commas."""
    lines = content.split()
    return np.array([line.split(b",") for line in lines]).astype(np.int64)


def score_of_rows(
    parents: Parents, rows: NDArray[np.int64], score: str, *, two_states: bool
) -> float:
    """Score a network; variables are named by the numbers of their columns."""
    columns = [np.unique(column, return_inverse=True) for column in rows.T]
    codes = [inverse for _, inverse in columns]
    arities = [2 if two_states else len(states) for states, _ in columns]
    local = {"bdeu": _bdeu, "bic": _bic}[score]
    total = []
    for v, own in parents.items():
        members = [int(u) for u in own]
        q = math.prod(arities[u] for u in members)
        total.append(local(_counts(codes, members, int(v)), arities[int(v)], q, len(rows)))
    return math.fsum(total)


def _counts(codes: Sequence[NDArray[np.intp]], members: list[int], v: int) -> list[list[int]]:
    """Count the states of a variable in every configuration of its parents that occurs."""
    where = np.zeros(len(codes[v]), dtype=np.int64)
    for u in members:  # numbered again after each parent, so that the numbers stay small
        where = np.unique(where * (int(codes[u].max()) + 1) + codes[u], return_inverse=True)[1]
    states = int(codes[v].max()) + 1
    table = np.bincount(where * states + codes[v], minlength=(int(where.max()) + 1) * states)
    return [[n for n in row if n] for row in table.reshape(-1, states).tolist()]


def _bdeu(counts: list[list[int]], r: int, q: int, rows: int) -> float:
    """BDeu with an equivalent sample size of 1 (Heckerman, Geiger and Chickering 1995)."""
    del rows
    whole, cell = 1.0 / q, 1.0 / (q * r)
    return math.fsum(
        math.lgamma(whole)
        - math.lgamma(whole + sum(row))
        + math.fsum(math.lgamma(cell + n) - math.lgamma(cell) for n in row)
        for row in counts
    )


def _bic(counts: list[list[int]], r: int, q: int, rows: int) -> float:
    """BIC (Schwarz 1978): the log-likelihood less half the logarithm of the rows per parameter."""
    likelihood = math.fsum(n * math.log(n / sum(row)) for row in counts for n in row)
    return likelihood - 0.5 * math.log(rows) * q * (r - 1)


def score_of_collection(parents: Parents, content: bytes) -> float:
    """Add up the scores that a collection of parent sets lists for the sets of a network."""
    listed = read_collection(content)
    return math.fsum(listed[v][frozenset(own)] for v, own in parents.items())


def read_collection(content: bytes) -> Mapping[str, Mapping[frozenset[str], float]]:
    """Read a ``.jkl`` file: per variable a header, then ``score size parent...``."""
    lines = [line.split() for line in content.decode().splitlines() if not line.startswith("#")]
    lines = [line for line in lines if line]
    listed: dict[str, dict[frozenset[str], float]] = {}
    at = 1
    while at < len(lines):
        name, count = lines[at]
        sets = lines[at + 1 : at + 1 + int(count)]
        listed[name] = {frozenset(words[2:]): float(words[0]) for words in sets}
        at += 1 + int(count)
    return listed
