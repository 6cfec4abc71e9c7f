"""Knowledge as people type it: arcs such as ``A->B``, files of tiers, files of other programs."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from forebear._util.errors import ForebearError, Parameter
from forebear.knowledge.knowledge import Knowledge
from forebear.knowledge.statement_files import read_lines
from forebear.knowledge.statements import PAIR_KINDS, Kind, Statement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

ARROW = "->"
JOINED = "--"


@dataclass
class KnowledgeOptions:
    """The options about knowledge, as they were typed."""

    required: list[str] | None = None
    forbidden: list[str] | None = None
    tiers: Path | None = None
    knowledge: list[Path] | None = None
    ancestors: list[str] | None = None
    not_ancestors: list[str] | None = None
    before: list[str] | None = None
    adjacent: list[str] | None = None

    def as_knowledge(self, names: Callable[[], Sequence[str]]) -> Knowledge | None:
        """Join the knowledge of all options; None where nothing was given.

        ``names`` are asked for only where it is not clear which variables are meant.
        """
        statements = [
            Statement(kind, *_ends(name, typed, names), f'{Parameter(name).option} "{typed}"')
            for name, kind in PAIR_KINDS.items()
            for typed in getattr(self, name) or ()
        ]
        if self.tiers is not None:
            statements += _read_tiers(self.tiers)
        knowledge = Knowledge.of_statements(statements) if statements else None
        if self.knowledge:
            read = Knowledge.read(*self.knowledge)
            knowledge = read if knowledge is None else knowledge | read
        return knowledge


def _ends(option: str, typed: str, names: Callable[[], Sequence[str]]) -> tuple[str, str]:
    """Split a pair at its sign. If names contain such signs, the table says which one is meant."""
    sign = JOINED if option == "adjacent" else ARROW
    splits = list(_splits(typed, sign))
    if not splits:
        what = f'a pair such as "A{sign}B"'
        if option in ("required", "forbidden"):
            what = 'an arc such as "A->B" (parent->child)'
        raise ForebearError(Parameter(option), f' takes {what}, got "{typed}"')
    if len(splits) > 1:
        known = set(names())
        for first, second in splits:
            if first in known and second in known:
                return first, second
    return splits[0]


def _splits(typed: str, sign: str) -> Iterator[tuple[str, str]]:
    at = typed.find(sign)
    while at >= 0:
        yield typed[:at].strip(), typed[at + len(sign) :].strip()
        at = typed.find(sign, at + 1)


def _read_tiers(path: Path) -> list[Statement]:
    """Read tiers, first to last: one per line, names separated by commas."""
    statements: list[Statement] = []
    tier = 0
    for number, fields in enumerate(csv.reader(read_lines(path), skipinitialspace=True), start=1):
        names = [name.strip() for name in fields if name.strip()]
        tier += bool(names)
        statements += [Statement(Kind.TIER, name, tier, f"{path}:{number}") for name in names]
    return statements
