"""Knowledge as people type it: arcs such as ``A->B``, files of tiers, files of other programs."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from forebear._util.errors import FileError, ForebearError, Parameter
from forebear.data.dataset import as_dataset
from forebear.knowledge.knowledge import Knowledge
from forebear.knowledge.statements import Kind, Statement

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from forebear.data.reading import ReadOptions

ARROW = "->"


def knowledge_from(
    required: Sequence[str] | None,
    forbidden: Sequence[str] | None,
    tiers: Path | None,
    files: Sequence[Path] | None,
    table: Path | str,
    read: ReadOptions,
) -> Knowledge | None:
    """Join the knowledge of all options; None where nothing was given."""
    said: list[Statement] = []
    for name, kind, arcs in (
        ("required", Kind.REQUIRED, required),
        ("forbidden", Kind.FORBIDDEN, forbidden),
    ):
        for arc in arcs or ():
            parent, child = _ends(name, arc, table, read)
            said.append(Statement(kind, parent, child, f'{Parameter(name).option} "{arc}"'))
    if tiers is not None:
        said += _read_tiers(tiers)
    known = Knowledge.of_statements(said) if said else None
    if files:
        read_ = Knowledge.read(*files)
        known = read_ if known is None else known | read_
    return known


def _ends(name: str, arc: str, table: Path | str, read: ReadOptions) -> tuple[str, str]:
    """Split an arc at its arrow. If names contain arrows, the table says which one is meant."""
    splits = list(_splits(arc))
    if not splits:
        raise ForebearError(
            Parameter(name), f' takes an arc such as "A->B" (parent->child), got "{arc}"'
        )
    if len(splits) > 1:
        names = set(as_dataset(table, read).names)
        for parent, child in splits:
            if parent in names and child in names:
                return parent, child
    return splits[0]


def _splits(arc: str) -> Iterator[tuple[str, str]]:
    at = arc.find(ARROW)
    while at >= 0:
        yield arc[:at].strip(), arc[at + len(ARROW) :].strip()
        at = arc.find(ARROW, at + 1)


def _read_tiers(path: Path) -> list[Statement]:
    """Read tiers, first to last: one per line, names separated by commas."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"{path}: cannot be read: {getattr(error, 'strerror', error)}") from error
    said: list[Statement] = []
    tier = 0
    for number, fields in enumerate(csv.reader(lines, skipinitialspace=True), start=1):
        names = [name.strip() for name in fields if name.strip()]
        tier += bool(names)
        said += [Statement(Kind.TIER, name, tier, f"{path}:{number}") for name in names]
    return said
