"""The output of a run: files by extension, and a short summary."""

from __future__ import annotations

import json
import sys
from functools import cache, partial
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory, gettempdir
from typing import TYPE_CHECKING, Any, cast

from forebear._util.atomic import check_writable
from forebear._util.errors import FileError, ForebearError, Parameter
from forebear.cli._support.process import undisturbed
from forebear.cli._support.summary import show_facts, summary, written
from forebear.network.file_formats import (
    RESULT,
    STRUCTURE_ONLY,
    extensions_of,
    format_of,
    write_network,
)
from forebear.network.fitted import FittedNetwork
from forebear.network.fitting import fit_network
from forebear.network.network import Network
from forebear.parentsets.set_files import NATIVE
from forebear.result.report.page import write_report
from forebear.result.report.questions import questions_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from forebear.data.dataset import Dataset
    from forebear.network.file_formats import NetworkFormat
    from forebear.result import Result

STANDARD_OUTPUT = "-"

_PAGES = (".html", ".htm")


def check_outputs(
    paths: Iterable[Path], others: Iterable[Path | None] = (), *, fitted: bool
) -> None:
    """Refuse, before any work, outputs that cannot be written."""
    for path in paths:
        if str(path) == STANDARD_OUTPUT:
            continue
        if path.is_dir():
            raise FileError(f"{path}: cannot be written: it is a directory")
        if not _is_result(path) and _format_of(path).holds_probabilities and not fitted:
            raise FileError(
                f"{path}: there is no table to fit probabilities to: write the result "
                f"({RESULT}), or the structure only: {extensions_of(STRUCTURE_ONLY)}"
            )
        check_writable(path)
    for other in others:
        if other is not None:
            check_writable(other)


def _format_of(path: Path) -> NetworkFormat:
    """Return the format of a network; if there is none, a result could have been meant."""
    try:
        return format_of(path)
    except FileError as error:
        raise FileError(f"{error}; a {RESULT} file holds the whole result") from error


def check_report(path: Path | None) -> None:
    """Refuse, before any work, a report that is not an .html file."""
    if path is not None and path.suffix.lower() not in _PAGES:
        raise FileError(f"{path}: a report is written to an .html file")


def check_sets(path: Path | None) -> None:
    """Refuse, before any work, a file that cannot hold parent sets."""
    if path is not None:
        if path.suffix.lower() != NATIVE:
            raise ForebearError(Parameter("save_sets"), f" must be a {NATIVE} file, got {path}")
        check_writable(path)


def check_names(paths: Iterable[Path], names: tuple[str, ...]) -> None:
    """Refuse, before any work, formats that cannot hold these names."""
    empty = Network(names, ((),) * len(names))
    with TemporaryDirectory() as folder:
        for path in paths:
            if str(path) == STANDARD_OUTPUT or _is_result(path):
                continue
            if not format_of(path).holds_probabilities:
                write_network(empty, Path(folder) / path.name)


def _is_result(path: Path) -> bool:
    return path.suffix.lower() == RESULT


def keep(
    result: Result,
    outputs: Iterable[Path],
    report: Path | None = None,
    trace: Path | None = None,
    data: Dataset | None = None,
    sets: Path | None = None,
    *,
    smoothing: str = "auto",
    ess: float | None = None,
) -> None:
    """Write a result to all its files; signals wait until this is done.

    If one file cannot be written, the others are. The result then goes to the temporary folder.
    """
    fit = partial(fit_network, result, data, smoothing=cast("Any", smoothing), ess=ess)
    fitted = None if data is None else cache(fit)
    # Files first: the reader of standard output may be gone.
    ordered = sorted(outputs, key=lambda path: str(path) == STANDARD_OUTPUT)
    writers = [(path, partial(_write, result, path, fitted)) for path in ordered]
    if report is not None:
        writers.append((report, partial(_write_report, result, report, fitted)))
    if trace is not None:
        writers.append((trace, partial(result.trace.to_csv, trace)))
    if sets is not None and result.parent_sets is not None:
        writers.append((sets, partial(result.parent_sets.save, sets)))
    failures: list[str] = []
    kept = False
    with undisturbed():
        for path, write in writers:
            try:
                write()
                kept |= _is_result(path)
            except ForebearError as failure:
                failures.append(str(failure))
            except MemoryError:  # many parents make large tables
                failures.append(f"{path}: there is not enough memory to write it")
        if failures and not kept:
            failures.append(_rescued(result))
    if failures:
        raise FileError("; ".join(failures))


def _write(result: Result, path: Path, fitted: Callable[[], FittedNetwork] | None) -> None:
    """Write the result (.json, or - for standard output) or its network, by extension."""
    if str(path) == STANDARD_OUTPUT:
        sys.stdout.write(result.to_json())
    elif _is_result(path):
        result.save(path)
    else:
        write_network(result.network if fitted is None else fitted(), path)


def _write_report(result: Result, path: Path, fitted: Callable[[], FittedNetwork] | None) -> None:
    """Write the report, with probabilities if there is a table."""
    write_report(result, path, questions=questions_for(fitted))


def _rescued(result: Result) -> str:
    """Save a result in the temporary folder; say where, or why not."""
    path = Path(gettempdir()) / f"forebear-{token_hex(4)}.json"
    try:
        result.save(path)
    except FileError as error:
        return f"nor could the result be kept elsewhere ({error})"
    return f"the result is kept in {path}"


def to_standard_output(paths: Iterable[Path]) -> bool:
    """Whether the result goes to standard output, which then holds nothing else."""
    return any(str(path) == STANDARD_OUTPUT for path in paths)


def finish(
    result: Result,
    outputs: list[Path],
    report: Path | None,
    trace: Path | None = None,
    sets: Path | None = None,
    *,
    json_: bool,
    quiet: bool,
) -> None:
    """Write the output of a search without a table, and print a summary."""
    keep(result, outputs, report, trace, sets=sets)
    if json_:
        print_json(facts(result))
    elif not quiet and not to_standard_output(outputs):
        show_facts([*summary(result), *written([*outputs], report)])


def facts(result: Result) -> dict[str, Any]:
    """Return the main facts of a result for ``--json``."""
    return {
        "score": result.score,
        "bound": result.bound,
        "gap": result.gap,
        "status": result.status,
        "covers": result.covers,
        "held_out": result.held_out,
        "held_out_se": result.held_out_se,
        "validation": None if result.validation is None else result.validation.to_fields(),
        "missing": result.missing,
        "seconds": result.seconds,
        "arcs": len(result.network.arcs),
        "algorithm": result.algorithm,
        "seed": result.seed,
        "winner": result.winner,
        "stop_reason": result.stop_reason,
        "generations": list(result.generations),
    }


def print_json(about: dict[str, Any]) -> None:
    """Print one JSON object."""
    print(json.dumps(about, ensure_ascii=False))
