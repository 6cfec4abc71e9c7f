"""``forebear bound``: prove an upper bound on the score of any network."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from forebear._util.atomic import check_writable
from forebear._util.checks import check_run
from forebear._util.errors import ForebearError, Parameter
from forebear._util.text import show_seconds
from forebear.cli._support.options import OPTIONS, OUTPUT, OWN_PRIOR, PROOF, Option
from forebear.cli._support.printing import print_json
from forebear.parentsets.collection import ParentSets
from forebear.proof.bound import Bound, find_bound
from forebear.result import Result
from forebear.result.report.wording import stop_words
from forebear.scoring.priors import with_prior


def bound(
    sets: Path,
    result: Annotated[
        Path | None, Option(PROOF, "RESULT", "Result of a search of these parent sets (.json).")
    ] = None,
    score: Annotated[float | None, Option(PROOF, "X", "Score of a known network.")] = None,
    output: Annotated[
        Path | None,
        Option(OUTPUT, "OUT", "Write the result with its bound (.json).", ("--output", "-o")),
    ] = None,
    prior: Annotated[str | None, OPTIONS["prior"]._replace(panel=PROOF, help=OWN_PRIOR)] = None,
    time_limit: Annotated[
        float | None,
        OPTIONS["time_limit"]._replace(panel=PROOF, help="Time limit in seconds.  [default: 60]"),
    ] = None,
    certificate: Path | None = None,
    threads: Annotated[int | None, OPTIONS["threads"]._replace(panel=PROOF)] = None,
    json_: bool = False,
    quiet: bool = False,
) -> None:
    """Prove an upper bound on the score of any network.

    With --result or --score, the command also shows how far that score can be
    from the optimum. Ctrl-C ends the proof and keeps the best bound so far.

    \b
    Examples:
      forebear bound orchard.cps --time-limit 10
      forebear bound audio.cps --result audio.json -o audio.json
      forebear bound audio.cps --certificate audio.cert
    """
    check_run(time_limit=time_limit, threads=threads)
    incumbent = _read_incumbent(result, score, output)
    if output is not None:
        check_writable(output)
    parent_sets = with_prior(ParentSets.load(sets, threads=threads), prior)
    if incumbent is not None:
        score = _score_in(parent_sets, incumbent)
    proven = find_bound(
        parent_sets, score=score, time_limit=time_limit, threads=threads, certificate=certificate
    )
    if incumbent is not None and output is not None:
        replace(incumbent, bound=proven.bound).save(output)
    if json_:
        print_json(_facts(proven))
    elif not quiet:
        print("\n".join(_summary(proven, len(parent_sets), output)))


def _read_incumbent(result: Path | None, score: float | None, output: Path | None) -> Result | None:
    if result is not None and score is not None:
        raise ForebearError(
            Parameter("result"),
            " contains a score, so it cannot be combined with ",
            Parameter("score"),
        )
    if output is not None and result is None:
        raise ForebearError(
            Parameter("output"),
            " writes the result with its bound, so it requires ",
            Parameter("result"),
        )
    return None if result is None else Result.load(result)


def _score_in(sets: ParentSets, incumbent: Result) -> float:
    """Return the score of a result; reject one that uses other parent sets."""
    if incumbent.network.names != sets.names:
        raise ForebearError("the result and the parent sets have different variables")
    for v, (members, choice) in enumerate(
        zip(incumbent.network.parents, incumbent.choices, strict=True)
    ):
        listed = sets.find(v, members)
        if listed is None or listed.score != choice.score:
            raise ForebearError(
                f"the parent set of {sets.names[v]} in the result is not in this file, or has "
                "another score there"
            )
    return incumbent.score


def _facts(proven: Bound) -> dict[str, Any]:
    about: dict[str, Any] = {
        "bound": proven.bound,
        "seconds": proven.seconds,
        "clusters": proven.clusters,
        "stop_reason": proven.stop_reason,
    }
    if proven.score is not None:
        about |= {"score": proven.score, "gap": proven.gap, "sets_left": proven.sets_left}
        about["reached"] = proven.reached
    return about


def _summary(proven: Bound, n_sets: int, output: Path | None) -> list[str]:
    lines = [f"No network scores more than {proven.bound:,.4f}"]
    if proven.score is not None and not proven.reached:
        lines = [f"No network of these parent sets scores {proven.score:,.4f} or more"]
    elif proven.score is not None and proven.gap is not None:
        lines += [
            f"Score {proven.score:,.4f} is at most {proven.bound - proven.score:,.4f} nats "
            f"({proven.gap:.4%}) below the best",
            f"{proven.sets_left:,} of {n_sets:,} parent sets can be in a network with at least "
            "this score",
        ]
    lines.append(f"Stopped after {show_seconds(proven.seconds)}: {stop_words(proven.stop_reason)}")
    return [*lines, f"Written to {output}"] if output is not None else lines
