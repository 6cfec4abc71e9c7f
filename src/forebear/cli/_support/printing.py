"""Print results: JSON, facts in two columns, and the summary of a run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from textwrap import wrap
from typing import Any

from forebear.cli._support.outputs import ResultFiles
from forebear.result import Result
from forebear.result.summary import Facts, summary
from forebear.result.validation import Validation

LINE = 100
"""Maximum characters per line, so that it fits on terminals and in mails."""


def print_json(about: dict[str, Any]) -> None:
    """Print one JSON object."""
    print(json.dumps(about, ensure_ascii=False))


def show_facts(facts: Sequence[tuple[str, str]]) -> None:
    """Print names and values in two columns; long values continue on further lines."""
    width = max(len(name) for name, _ in facts)
    for name, value in facts:
        lines = wrap(value, LINE - width - 2, break_long_words=False, break_on_hyphens=False)
        for label, line in zip_longest([name], lines or [""], fillvalue=""):
            print(f"{label:<{width}}  {line}")


def finish(result: Result, files: ResultFiles, *, json_: bool, quiet: bool) -> None:
    """Write the files of a search without a table, and print its summary."""
    files.write(result)
    if json_:
        print_json(facts(result))
    elif not quiet and not files.to_standard_output:
        show_facts([*summary(result), *saved_files(files.outputs, files.report)])


def facts(result: Result) -> dict[str, Any]:
    """Return the main facts of a result for ``--json``."""
    return {
        "score": result.score,
        "prior": result.prior,
        "log_prior": result.log_prior,
        "bound": result.bound,
        "gap": result.gap,
        "status": result.status,
        "covers": result.covers,
        "held_out": result.held_out,
        "held_out_se": result.held_out_se,
        "validation": None if result.validation is None else result.validation.to_fields(),
        "chance": None if result.chance is None else result.chance.to_fields(),
        "missing": result.missing,
        "seconds": result.seconds,
        "arcs": len(result.network.arcs),
        "algorithm": result.algorithm,
        "seed": result.seed,
        "winner": result.winner,
        "stop_reason": result.stop_reason,
        "generations": list(result.generations),
    }


def saved_files(files: Sequence[Path | None], report: Path | None = None, proof: str = "") -> Facts:
    """Return the files that were written, or how to keep the result."""
    names = [str(path) for path in (*files, report) if path is not None]
    if not names:
        return [("Saved", "nothing; to keep the result: -o network.bif --report network.html")]
    return [("Saved", f"{', '.join(names)}{proof}")]


def skipped_trials(validation: Validation) -> list[str]:
    """Return a line that lists the trials that were skipped for lack of time or memory."""
    left_out = validation.left_out
    return [f"Skipped for lack of time or memory: {'; '.join(left_out)}"] if left_out else []
