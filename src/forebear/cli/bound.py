"""``forebear bound``: how good a network could be at best."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from forebear._util.atomic import check_writable
from forebear._util.checks import check_run
from forebear._util.errors import ForebearError, Parameter
from forebear._util.text import show_seconds
from forebear.cli._support.options import OUTPUT, SEARCH, Option
from forebear.cli._support.summary import print_json
from forebear.parentsets.collection import ParentSets
from forebear.proof.bound import Bound, find_bound
from forebear.result import Result

if TYPE_CHECKING:
    from forebear.parentsets.collection import ParentSets

_STOPPED = {
    "optimal": "no network is better",
    "time": "the time was up",
    "interrupted": "it was interrupted",
}


def bound(
    sets: Path,
    result: Annotated[
        Path | None, Option(SEARCH, "RESULT", "A result found in these sets (.json).")
    ] = None,
    score: Annotated[float | None, Option(SEARCH, "X", "The score of a known network.")] = None,
    output: Annotated[
        Path | None,
        Option(OUTPUT, "OUT", "The result with its bound (.json).", ("--output", "-o")),
    ] = None,
    time_limit: Annotated[float | None, "Seconds for the proof.  [default: 60]"] = None,
    certificate: Path | None = None,
    threads: int | None = None,
    json_: bool = False,
    quiet: bool = False,
) -> None:
    """Prove a score that no network exceeds.

    With a result, or the score of a network, it also shows how far that can be
    from the optimum. Ctrl-C ends the work and keeps the best bound so far.

    \b
    Examples:
      forebear bound orchard.cps --time-limit 10
      forebear bound audio.cps --result audio.json -o audio.json
      forebear bound audio.cps --certificate audio.cert
    """
    check_run(time_limit=time_limit, threads=threads)
    known = _known(result, score, output)
    if output is not None:
        check_writable(output)
    parent_sets = ParentSets.load(sets, threads=threads)
    if known is not None:
        score = _score_in(parent_sets, known)
    found = find_bound(
        parent_sets, score=score, time_limit=time_limit, threads=threads, certificate=certificate
    )
    if known is not None and output is not None:
        replace(known, bound=found.bound).save(output)
    if json_:
        print_json(_facts(found))
    elif not quiet:
        print("\n".join(_summary(found, len(parent_sets), output)))


def _known(result: Path | None, score: float | None, output: Path | None) -> Result | None:
    if result is not None and score is not None:
        raise ForebearError(
            Parameter("result"), " has a score: it cannot be combined with ", Parameter("score")
        )
    if output is not None and result is None:
        raise ForebearError(
            Parameter("output"), " is for the result with its bound: it needs ", Parameter("result")
        )
    return None if result is None else Result.load(result)


def _score_in(sets: ParentSets, known: Result) -> float:
    """Return the score of a result, which must be of these sets."""
    if known.network.names != sets.names:
        raise ForebearError("the result has other variables than the parent sets")
    for v, (members, choice) in enumerate(zip(known.network.parents, known.choices, strict=True)):
        found = sets.find(v, members)
        if found is None or found.score != choice.score:
            raise ForebearError(
                f"the result was not found in these parent sets: {sets.names[v]} has other parents"
            )
    return known.score


def _facts(found: Bound) -> dict[str, Any]:
    about: dict[str, Any] = {
        "bound": found.bound,
        "seconds": found.seconds,
        "clusters": found.clusters,
        "stop_reason": found.stop_reason,
    }
    if found.score is not None:
        about |= {"score": found.score, "gap": found.gap, "sets_left": found.sets_left}
        about["reached"] = found.reached
    return about


def _summary(found: Bound, n_sets: int, output: Path | None) -> list[str]:
    reason = _STOPPED.get(found.stop_reason, found.stop_reason)
    lines = [
        f"No network scores more than {found.bound:,.4f}, proven by {found.clusters:,} clusters",
    ]
    if found.score is not None and not found.reached:
        lines = [f"No network of these parent sets scores {found.score:,.4f} or more"]
    elif found.score is not None and found.gap is not None:
        lines += [
            f"Score {found.score:,.4f} is at most {found.bound - found.score:,.4f} nats "
            f"({found.gap:.4%}) below the best",
            f"{found.sets_left:,} of {n_sets:,} parent sets may be in a network as good",
        ]
    lines.append(f"Stopped after {show_seconds(found.seconds)}: {reason}")
    return [*lines, f"Written to {output}"] if output is not None else lines
