"""Files with knowledge, as written for Bayesys, bnlearn and GOBNILP.

The name of a file determines its format:

- ``constraintsDirected*.csv`` (Bayesys), ``ID,Parent,Child``: required arcs.
- ``constraintsForbidden*.csv``, ``ID,Parent,Child``: forbidden arcs; with the header
  ``ID,Variable 1,Variable 2`` both directions are forbidden.
- ``constraintsUndirected*.csv``, ``ID,Variable 1,Variable 2``: adjacent pairs.
- ``constraintsTemporal*.csv``, ``ID,Tier 1,Tier 2,...,END``: tiers, one name per cell.
- ``*whitelist*.csv`` and ``*blacklist*.csv``, ``from,to``: required and forbidden arcs, as
  bnlearn uses them.
- anything else: the lines of GOBNILP's dagconstraints files. ``A<-B`` and ``~A<-B``: B is a
  parent of A, or is not. ``A--B`` and ``~A--B``, also with one dash: the two are adjacent, or are
  not. ``A<B``: A comes before B. ``#`` starts a comment. Two kinds of lines are extensions:
  ``A=>B`` and ``~A=>B``, A is an ancestor of B, or is not. Immoralities (``A->B<-C``),
  independences (``A_|_B|C``) and sinks are not supported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from forebear._util.errors import FileError
from forebear._util.text_files import read_rows, read_text
from forebear.knowledge.statements import Kind, Statement

_ARC = ("ID", "Parent", "Child")
_PAIR = ("ID", "Variable 1", "Variable 2")
_LIST = ("from", "to")

_PAIRS: dict[str, dict[tuple[str, ...], Kind]] = {
    "constraintsdirected": {_ARC: Kind.REQUIRED},
    "constraintsundirected": {_PAIR: Kind.ADJACENT},
    "constraintsforbidden": {_ARC: Kind.FORBIDDEN, _PAIR: Kind.FORBIDDEN},
    "whitelist": {_LIST: Kind.REQUIRED},
    "blacklist": {_LIST: Kind.FORBIDDEN},
}
"""CSV files of pairs: a part of the file name, and the kind of statement under each header."""


def read_statements(path: Path | str) -> list[Statement]:
    """Read the statements of one file; its name determines the format."""
    name = Path(path).name.lower()
    for mark, kinds in _PAIRS.items():
        if mark in name:
            return list(_read_pairs(path, kinds))
    return list(_read_temporal(path) if "constraintstemporal" in name else _read_gobnilp(path))


def read_lines(path: Path | str) -> list[str]:
    """Read the lines of a file with knowledge. An empty file is rejected."""
    text = read_text(path, "a file with knowledge")
    if not text.strip():
        raise FileError(f"{path}: the file is empty, but knowledge is expected")
    return text.splitlines()


def _read_pairs(path: Path | str, kinds: Mapping[tuple[str, ...], Kind]) -> Iterator[Statement]:
    rows = read_rows(path)
    header = tuple(next(rows, (0, [""]))[1])
    if header not in kinds:
        expected = " or ".join(map(",".join, kinds))
        raise FileError.at(path, 1, f"expected the header {expected}")
    for line, row in rows:
        if len(row) != len(header):
            raise FileError.at(path, line, f"expected {len(header)} fields, got {len(row)}")
        a, b = row[-2:]
        if not (a and b):
            raise FileError.at(path, line, "a name is missing")
        yield Statement(kinds[header], a, b, f"{path}:{line}")
        if kinds[header] is Kind.FORBIDDEN and header == _PAIR:  # in both directions
            yield Statement(Kind.FORBIDDEN, b, a, f"{path}:{line}")


def _read_temporal(path: Path | str) -> Iterator[Statement]:
    rows = read_rows(path)
    header = next(rows, (0, [""]))[1]
    tiers = [f"Tier {number}" for number in range(1, len(header) - 1)]
    if len(header) < 3 or header != ["ID", *tiers, "END"]:
        raise FileError.at(path, 1, "expected the header ID,Tier 1,Tier 2,...,END")
    for line, row in rows:
        # The column END is empty; some files leave it out.
        if len(row) not in (len(header) - 1, len(header)):
            raise FileError.at(path, line, f"expected {len(header)} fields, got {len(row)}")
        for tier, name in enumerate(row[1 : len(tiers) + 1], 1):
            if name:
                yield Statement(Kind.TIER, name, tier, f"{path}:{line}")


_NAME = r"\s*([^~<>|\s-](?:[^~<>|-]*[^~<>|\s-])?)\s*"
_LINE = re.compile(rf"(~?){_NAME}(=>|<-|--?|<){_NAME}")
_UNSUPPORTED = {
    "_|_": "independences are not supported",
    "->": "immoralities are not supported; write an arc as A<-B",
    "sink": "sinks are not supported: forbid the arcs that leave the variable",
}


def _read_gobnilp(path: Path | str) -> Iterator[Statement]:
    for number, line in enumerate(read_lines(path), 1):
        text = line.partition("#")[0].strip()
        if text:
            yield from _of_line(path, number, text)


def _of_line(path: Path | str, number: int, text: str) -> Iterator[Statement]:
    match = _LINE.fullmatch(text)
    reason = next((why for sign, why in _UNSUPPORTED.items() if sign in text), None)
    if match is None or (match[1] and match[3] == "<"):
        raise FileError.at(
            path,
            number,
            f'"{text}": {reason}'
            if reason and not match
            else f'"{text}" is not one of A<-B, ~A<-B, A--B, ~A--B, A<B, A=>B and ~A=>B',
        )
    denied, first, sign, second = match.groups()
    where = f"{path}:{number}"
    if sign == "<":
        yield Statement(Kind.BEFORE, first, second, where)
    elif sign == "=>":
        yield Statement(Kind.NOT_ANCESTOR if denied else Kind.ANCESTOR, first, second, where)
    elif sign.startswith("<"):
        kind = Kind.FORBIDDEN if denied else Kind.REQUIRED
        yield Statement(kind, second, first, where)
    elif denied:
        yield Statement(Kind.FORBIDDEN, first, second, where)
        yield Statement(Kind.FORBIDDEN, second, first, where)
    else:
        yield Statement(Kind.ADJACENT, first, second, where)
