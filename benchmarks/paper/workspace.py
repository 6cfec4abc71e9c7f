"""Workspace: the data and the settings of a reproduction."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from forebear import Dataset, FileError, ForebearError, read_fitted
from forebear._util.text import counted

if TYPE_CHECKING:
    from pathlib import Path

    from printed import Case

    from forebear import FittedNetwork


@dataclass(frozen=True)
class Workspace:
    """The data and the settings of a reproduction.

    ``data`` is the directory of tables and networks; they are found at any depth, compressed or
    not. ``hours`` is the time that replaces the paper's four hours.
    """

    data: Path | None = None
    hours: float = 0.01
    threads: int = 1
    seed: int = 1

    @property
    def seconds(self) -> float:
        """The seconds that replace the paper's four hours."""
        return 3600 * self.hours

    def tables(self) -> dict[str, Path]:
        """Return the files of all tables found, by name."""
        if self.data is None:
            return {}
        found = (path for end in ("", ".gz") for path in self.data.rglob(f"*.data{end}"))
        return {path.name.partition(".data")[0]: path for path in sorted(found)}

    def table(self, name: str) -> Dataset:
        """Read a table by name."""
        if (path := self.tables().get(name)) is None:
            raise self._missing(f"{name}.data")
        return Dataset.read(path)

    def network(self, name: str) -> FittedNetwork:
        """Read a network by name."""
        for path in () if self.data is None else sorted(self.data.rglob(f"{name}.bif*")):
            if path.name in (f"{name}.bif", f"{name}.bif.gz"):
                return read_fitted(path)
        raise self._missing(f"{name}.bif")

    def _missing(self, file: str) -> ForebearError:
        where = "" if self.data is None else f"{self.data}: "
        return FileError(f"{where}{file} not found: pass its directory as --data")


def mismatch(table: Dataset, case: Case) -> tuple[str, ...]:
    """Return a remark if a table is not the paper's: then the numbers cannot agree."""
    if (table.n_variables, table.n_rows) == (case.variables, case.rows):
        return ()
    return (
        f"This {case.name} is not the paper's: it has {counted(table.n_variables, 'variable')} "
        f"and {counted(table.n_rows, 'row')}, not {case.variables:,} and {case.rows:,}.",
    )


def report(line: str) -> None:
    """Print a line before work that takes long."""
    print(line, file=sys.stderr, flush=True)
