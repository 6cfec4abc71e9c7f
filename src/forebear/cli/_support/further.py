"""Commands to run next, with the options of this run that they need."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from forebear._util.errors import Parameter
from forebear.cli._support.knowledge import KNOWLEDGE_OPTIONS
from forebear.cli._support.reading import TABLE_OPTIONS
from forebear.data.formats.table import STANDARD_INPUT
from forebear.learning.posterior import NO_POSTERIOR

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from forebear.data.dataset import Dataset
    from forebear.result import Result


def with_options(command: str, params: Mapping[str, Any], names: Iterable[str] = ()) -> str:
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
    for name in (*TABLE_OPTIONS, *KNOWLEDGE_OPTIONS, *names):
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
        command = with_options("bootstrap", given, (*names, "alpha"))
        found.append(f"{command} says how often each arc is learnt from other samples of the rows")
    else:
        found.append(f"{with_options('posterior', given, names)} says how sure each arc is")
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
