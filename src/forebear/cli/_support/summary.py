"""What a run ends with: a few lines that a person would quote, and commands to run next."""

from __future__ import annotations

import sys
from shlex import quote
from typing import TYPE_CHECKING, Any

from forebear._util.errors import Parameter
from forebear._util.text import counted, show_seconds
from forebear.cli._support.options import OPTIONS
from forebear.data.formats.table import STANDARD_INPUT
from forebear.learning.sample_posterior import NO_POSTERIOR
from forebear.result.report.wording import gap, most_parents, reason, score_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from forebear.data.dataset import Dataset
    from forebear.result import Result
    from forebear.result.validation import Validation

Facts = list[tuple[str, str]]

_ABOUT_THE_TABLE = [
    name for name, option in OPTIONS.items() if (option.parameter or name) in ("read", "knowledge")
]
"""The options that another command about the same table needs, too."""


def show_facts(facts: Sequence[tuple[str, str]]) -> None:
    """Print names and values in two columns; plain text where it is piped."""
    if not sys.stdout.isatty():
        width = max(len(name) for name, _ in facts)
        for name, value in facts:
            print(f"{name:<{width}}  {value}")
        return
    # Loaded here, so that commands in a pipe start faster.
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    for name, value in facts:
        table.add_row(Text(name, style="bold"), Text(value))
    Console().print(table)


def bar(count: int, most: int) -> str:
    """Draw a count as a bar, the longest for the greatest count."""
    return "█" * (max(1, round(24 * count / most)) if count else 0)


def summary(result: Result, unchecked: str | None = None) -> Facts:
    """Say what was found, what is proven of it, how well it predicts, and how long it took.

    ``unchecked`` is said where nothing is known about new rows.
    """
    checked = _held_out(result) or unchecked
    return [
        ("Network", _network(result)),
        *([] if result.missing is None else [("Gaps", _gaps(result))]),
        ("Proven", _proven(result)),
        *([] if checked is None else [("Checked", checked)]),
        ("Time", _time(result)),
    ]


def written(files: list[Path | None], report: Path | None = None, proof: str = "") -> Facts:
    """Say which files were written, what to do with them, and how to keep anything at all."""
    names = [str(path) for path in (*files, report) if path is not None]
    if not names:
        return [("Written", "nothing: -o network.bif --report network.html would keep it")]
    page = "" if report is None else "; open the page in a browser"
    return [("Written", f"{', '.join(names)}{page}{proof}")]


def not_tried(validation: Validation) -> list[str]:
    """Say what did not fit in time or memory."""
    left_out = validation.left_out
    return [f"Not tried, for lack of time or memory: {'; '.join(left_out)}"] if left_out else []


def _network(result: Result) -> str:
    network = result.network
    score = score_name(result.provenance) if result.provenance.get("score") else ""
    size = f"{counted(len(network.arcs), 'arc')} among {counted(network.n_variables, 'variable')}"
    parents = f"up to {counted(most_parents(network), 'parent')} each"
    return f"{size}, {parents}; {f'{score} ' if score else ''}score {result.score:,.4f}"


def _gaps(result: Result) -> str:
    """Say what was done about missing values."""
    about = result.missing or {}
    observed = about.get("observed_score")
    more = "" if observed is None else f" (the observed values score {observed:,.4f})"
    return f"{about['done']}{more}"


def _proven(result: Result) -> str:
    """Say how much better a network can be, and which networks that is about."""
    if result.bound is None:
        return "nothing: how much better a network can be is unknown without --certify"
    if result.status == "optimal":
        return f"no network scores higher, {result.covers}"
    return (
        f"no network scores more than {result.bound:,.4f}, {result.covers}: the gap is "
        f"{result.gap_nats:,.2f} nats, {gap(result)} of the score"
    )


def _held_out(result: Result) -> str | None:
    """Say how well held-out rows are predicted, and what was chosen by it."""
    if result.validation is None:
        return None
    own = result.validation.own
    others = [t for t in result.validation.by_score if t.score_name != own.score_name]
    best = f"; {others[0].held_out:.3f} with {others[0].name}" if others else ""
    left_out = "".join(f". {line}" for line in not_tried(result.validation))
    splits = result.validation.folds
    mean = f"mean of {splits} splits, " if splits > 1 else ""
    return (
        f"held-out rows have {own.held_out:.3f} nats each ({mean}standard error "
        f"{own.held_out_se:.3f}) with {own.name}{best}{left_out}"
    )


def _time(result: Result) -> str:
    return (
        f"{show_seconds(result.seconds)}, {reason(result)} ({result.algorithm}, seed {result.seed})"
    )


def command_for(command: str, params: Mapping[str, Any], names: Iterable[str] = ()) -> str:
    """Return a command about the same table, read in the same way, under the same knowledge.

    Parameters
    ----------
    command
        The name of the command.
    params
        The parameters of this run, as they were typed.
    names
        Further options that the command has, too.

    Returns
    -------
    str
        The command, quoted for a shell.
    """
    return " ".join(["forebear", command, quote(params["data"]), *_options(params, names)])


def _options(params: Mapping[str, Any], names: Iterable[str]) -> list[str]:
    found = []
    for name in (*_ABOUT_THE_TABLE, *names):
        value = params.get(name)
        several = value if isinstance(value, list | tuple) else [] if value is None else [value]
        found += [Parameter(name, one if isinstance(one, bool) else str(one)) for one in several]
    return [parameter.option for parameter in found]


def how_to_check(params: Mapping[str, Any], table: Dataset) -> str:
    """Name what tells how far to trust a network whose run did not look into that."""
    found = ["not on new rows"]
    # Held-out rows choose among limits on parents.
    if params["max_parents"] != "all":
        found[0] += ": --holdout 0.1 says how well they are predicted"
    if params["data"] == STANDARD_INPUT or params["max_parents"] == "0":
        return found[0]
    if params["max_parents"] == "all":
        params = {**params, "max_parents": None}
    names = ("max_parents", "score", "ess")
    given = {**params, "score": None if params["score"] == "bdeu" else params["score"]}
    if table.has_missing or params["score"] in NO_POSTERIOR:
        command = command_for("bootstrap", given, (*names, "alpha"))
        found.append(f"{command} says how often each arc is learnt from other samples of the rows")
    else:
        found.append(f"{command_for('posterior', given, names)} says how sure each arc is")
    return "; ".join(found)


def how_to_verify(proof: Path | None, result: Result, params: Mapping[str, Any]) -> str:
    """Name the command that verifies a proof, if the parent sets can be had again."""
    if proof is None:
        return ""
    made = result.provenance
    sets = params["save_sets"]
    if sets is None:
        again = not {"grown_families", "constrained"} & set(made) and not _options(params, ())
        if params["data"] == STANDARD_INPUT or not again:
            return ""
        sets = params["data"]
    return f"; forebear check {quote(str(proof))} {quote(str(sets))} verifies the proof"
