"""The output files of a run; the extension determines the content."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory, gettempdir
from typing import Any

from forebear._util.atomic import check_writable
from forebear._util.checks import check_choice
from forebear._util.errors import FileError, ForebearError, Parameter
from forebear.cli._support.process import signals_ignored
from forebear.network.drawing.picture_files import check_picture
from forebear.network.file_formats import (
    PICTURE,
    RESULT,
    STRUCTURE_ONLY,
    extensions_of,
    format_of,
    write_network,
)
from forebear.network.fitted_network import FittedNetwork
from forebear.network.network import Network
from forebear.parentsets.parent_set_files import NATIVE
from forebear.result import Result
from forebear.result.report.page import write_report
from forebear.result.report.what_if import what_if_for

STANDARD_OUTPUT = "-"

_PAGES = (".html", ".htm")


@dataclass
class ResultFiles:
    """The options that name the files of a result, as they were typed."""

    output: list[Path] | None = None
    report: Path | None = None
    trace: Path | None = None
    save_sets: Path | None = None
    names: str = "original"

    @property
    def outputs(self) -> list[Path]:
        """The files of the result and its network."""
        return self.output or []

    @property
    def to_standard_output(self) -> bool:
        """Whether the result goes to standard output, which then holds nothing else."""
        return any(_is_standard(path) for path in self.outputs)

    def check(self, *others: Path | None, fitted: bool = False) -> None:
        """Reject files that cannot be written, before any work; ``others`` are checked, too."""
        check_choice(("original", "safe"), names=self.names)
        for path in self.outputs:
            if not _is_standard(path):
                _check_output(path, fitted=fitted)
        for other in (*others, self.report, self.trace, self.save_sets):
            if other is not None:
                check_writable(other)
        check_report(self.report)
        if self.save_sets is not None and self.save_sets.suffix.lower() != NATIVE:
            raise ForebearError(
                Parameter("save_sets"), f" must be a {NATIVE} file, got {self.save_sets}"
            )

    def check_names(self, names: tuple[str, ...]) -> None:
        """Reject formats that cannot hold these names, before any work."""
        empty = Network(names, ((),) * len(names))
        with TemporaryDirectory() as folder:
            for path in self.outputs:
                if _is_standard(path) or _is_result(path):
                    continue
                form = format_of(path)
                if not form.holds_probabilities and form.name != PICTURE:
                    names_: Any = self.names
                    with warnings.catch_warnings():  # those of the file itself follow later
                        warnings.simplefilter("ignore")
                        write_network(empty, Path(folder) / path.name, names=names_)

    def write(self, result: Result, fit: Callable[[], FittedNetwork] | None = None) -> None:
        """Write all files of a result; ignore signals meanwhile.

        If a file cannot be written, the others still are, and the result is saved to the
        temporary folder. ``fit`` computes the probabilities, if there is a table.
        """
        fitted = None if fit is None else cache(fit)
        # Files come first, because writing to a closed pipe fails.
        ordered = sorted(self.outputs, key=_is_standard)
        writers = [(path, partial(_write, result, path, fitted, self.names)) for path in ordered]
        if self.report is not None:
            writers.append((self.report, partial(_write_report, result, self.report, fitted)))
        if self.trace is not None:
            writers.append((self.trace, partial(result.trace.to_csv, self.trace)))
        if self.save_sets is not None and result.parent_sets is not None:
            writers.append((self.save_sets, partial(result.parent_sets.save, self.save_sets)))
        failures: list[str] = []
        kept = False
        with signals_ignored():
            for path, write in writers:
                try:
                    write()
                    kept |= _is_result(path)
                except ForebearError as failure:
                    failures.append(str(failure))
                except MemoryError:  # many parents make large tables
                    failures.append(f"{path}: there is not enough memory to write it")
            if failures and not kept:
                failures.append(_save_elsewhere(result))
        if failures:
            raise FileError("; ".join(failures))


def check_report(path: Path | None) -> None:
    """Reject a report that is not an .html file, before any work."""
    if path is not None and path.suffix.lower() not in _PAGES:
        raise FileError(f"{path}: a report must be an .html file")


def _check_output(path: Path, *, fitted: bool) -> None:
    if path.is_dir():
        raise FileError(f"{path}: cannot be written: it is a directory")
    if not _is_result(path):
        try:
            form = format_of(path)
        except FileError as error:
            raise FileError(f"{error}; a {RESULT} file holds the whole result") from error
        if form.name == PICTURE:
            check_picture(path)
        if form.holds_probabilities and not fitted:
            raise FileError(
                f"{path}: there is no table to fit probabilities to: write the result "
                f"({RESULT}), or the structure only: {extensions_of(STRUCTURE_ONLY)}"
            )
    check_writable(path)


def _is_standard(path: Path) -> bool:
    return str(path) == STANDARD_OUTPUT


def _is_result(path: Path) -> bool:
    return path.suffix.lower() == RESULT


def _write(
    result: Result, path: Path, fitted: Callable[[], FittedNetwork] | None, names: Any
) -> None:
    """Write the result (.json, or - for standard output) or its network, by extension."""
    if _is_standard(path):
        sys.stdout.write(result.to_json())
    elif _is_result(path):
        result.save(path)
    else:
        write_network(result.network if fitted is None else fitted(), path, names=names)


def _write_report(result: Result, path: Path, fitted: Callable[[], FittedNetwork] | None) -> None:
    """Write the report, with probabilities if there is a table."""
    write_report(result, path, what_if=what_if_for(fitted))


def _save_elsewhere(result: Result) -> str:
    """Save a result in the temporary folder; return a message about it."""
    path = Path(gettempdir()) / f"forebear-{token_hex(4)}.json"
    try:
        result.save(path)
    except FileError as error:
        return f"the result could not be saved elsewhere either ({error})"
    return f"the result was saved to {path}"
