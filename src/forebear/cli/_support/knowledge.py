"""Knowledge as people type it: arcs such as ``A->B``, files of tiers, files of other programs."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from forebear._util.errors import ForebearError, Parameter
from forebear.cli._support.gathered import gathers
from forebear.knowledge.files import read_lines
from forebear.knowledge.knowledge import Knowledge
from forebear.knowledge.statements import Kind, Statement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

ARROW = "->"
JOINED = "--"

_Pairs = list[str] | None

_KINDS = {
    "required": Kind.REQUIRED,
    "forbidden": Kind.FORBIDDEN,
    "ancestors": Kind.ANCESTOR,
    "not_ancestors": Kind.NOT_ANCESTOR,
    "before": Kind.BEFORE,
    "adjacent": Kind.ADJACENT,
}

KNOWLEDGE_OPTIONS: dict[str, Any] = {
    "required": Annotated[
        _Pairs,
        typer.Option(
            "--required", "--require", metavar="A->B", help="Require this arc. Repeatable."
        ),
    ],
    "forbidden": Annotated[
        _Pairs,
        typer.Option(
            "--forbidden", "--forbid", metavar="A->B", help="Forbid this arc. Repeatable."
        ),
    ],
    "ancestors": Annotated[
        _Pairs,
        typer.Option(
            "--ancestors",
            "--ancestor",
            metavar="A->B",
            help="Require a directed path from A to B. Repeatable.",
        ),
    ],
    "not_ancestors": Annotated[
        _Pairs,
        typer.Option(
            "--not-ancestors",
            "--not-ancestor",
            metavar="A->B",
            help="Forbid all directed paths from A to B. Repeatable.",
        ),
    ],
    "before": Annotated[
        _Pairs,
        typer.Option(metavar="A->B", help="A comes before B in the order. Repeatable."),
    ],
    "adjacent": Annotated[
        _Pairs,
        typer.Option(metavar="A--B", help="Require an arc between A and B. Repeatable."),
    ],
    "tiers": Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Tiers, first to last: one per line, names separated by commas."
        ),
    ],
    "knowledge": Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE", help="Knowledge file of Bayesys, GOBNILP or bnlearn. Repeatable."
        ),
    ],
}


@dataclass(frozen=True)
class Stated:
    """What the options of a command say about the network."""

    pairs: dict[str, list[str]]
    tiers: Path | None
    files: list[Path]

    def __bool__(self) -> bool:
        return bool(self.pairs or self.tiers or self.files)

    def as_knowledge(self, names: Callable[[], Sequence[str]]) -> Knowledge | None:
        """Join the knowledge of all options; None where nothing was given.

        ``names`` are asked for only where it is not clear which variables are meant.
        """
        said = [
            Statement(_KINDS[option], *_ends(option, typed, names), f'{_shown(option)} "{typed}"')
            for option, given in self.pairs.items()
            for typed in given
        ]
        if self.tiers is not None:
            said += _read_tiers(self.tiers)
        known = Knowledge.of_statements(said) if said else None
        if self.files:
            read = Knowledge.read(*self.files)
            known = read if known is None else known | read
        return known


def _stated(**options: Any) -> Stated:
    pairs = {name: options[name] for name in _KINDS if options[name]}
    return Stated(pairs, options["tiers"], options["knowledge"] or [])


takes_knowledge = gathers("stated", KNOWLEDGE_OPTIONS, _stated)
"""Gives a command the options about knowledge; it gets them together, as ``stated``."""


def _shown(option: str) -> str:
    return str(Parameter(option).option)


def _ends(option: str, typed: str, names: Callable[[], Sequence[str]]) -> tuple[str, str]:
    """Split a pair at its sign. If names contain such signs, the table says which one is meant."""
    sign = JOINED if option == "adjacent" else ARROW
    splits = list(_splits(typed, sign))
    if not splits:
        what = 'a pair such as "A--B"' if sign == JOINED else 'a pair such as "A->B"'
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
    said: list[Statement] = []
    tier = 0
    for number, fields in enumerate(csv.reader(read_lines(path), skipinitialspace=True), start=1):
        names = [name.strip() for name in fields if name.strip()]
        tier += bool(names)
        said += [Statement(Kind.TIER, name, tier, f"{path}:{number}") for name in names]
    return said
