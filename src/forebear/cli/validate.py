"""``forebear validate``: compare scores and limits on parents on held-out rows."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from forebear._util.atomic import atomic_path, check_writable
from forebear._util.errors import FileError, ForebearError, Parameter
from forebear._util.watcher import Relay
from forebear.cli._support.inputs import resolve_table
from forebear.cli._support.option_groups import KnowledgeOptions, TableOptions
from forebear.cli._support.options import ONE_OF_SCORES, PRIOR_HELP, SEARCH, Option
from forebear.cli._support.printing import print_json, skipped_trials
from forebear.cli._support.process import Interrupted
from forebear.cli._support.terminal import show_progress
from forebear.learning.trials import DEFAULT_FOLDS
from forebear.learning.validate import validate as validate_table
from forebear.result.validation import Trial, Validation
from forebear.scoring.scores import Score, as_score, show_parameter


def validate(
    data: str,
    folds: Annotated[int, Option(SEARCH, "K", "Number of folds.")] = DEFAULT_FOLDS,
    score: Annotated[
        list[str] | None,
        f"{ONE_OF_SCORES}, optionally with a parameter as in bdeu:10. Repeatable.  "
        "[default: bic, bdeu:1, bdeu:10, fnml, aic; with --prior sparse: bdeu:1, bdeu:auto, fnml]",
    ] = None,
    prior: Annotated[
        str | None, f"{PRIOR_HELP}  [default: uniform; without --score, also sparse]"
    ] = None,
    output: Annotated[Path | None, "Write the trials to a .csv file."] = None,
    max_parents: int | None = None,
    time_limit: Annotated[
        float | None, "Total time limit in seconds.  [default: 60; none with --generations]"
    ] = None,
    generations: int | None = None,
    max_memory: str | None = None,
    threads: int | None = None,
    seed: int | None = None,
    *,
    knowledge_options: KnowledgeOptions,
    table_options: TableOptions,
    json_: bool = False,
    quiet: bool = False,
    verbose: bool = False,
) -> None:
    """Find out which score predicts held-out rows best.

    The rows are divided into folds, and each fold is predicted by networks learned
    from the other folds. First, the scores are compared. Then limits on the number
    of parents are compared for the best score. Values are log-likelihoods per row
    in nats; higher is better.
    "behind" is the difference from the best; standard errors are in parentheses.
    Ctrl-C keeps the folds that are finished, with exit code 130.

    \b
    Examples:
      forebear validate example:orchard --time-limit 20
      forebear validate example:survey --drop id --discretize quantile --score bic -o trials.csv
    """
    if output is not None:
        if output.suffix.lower() != ".csv":
            raise FileError(f"{output}: trials must be written to a .csv file")
        check_writable(output)
    with show_progress(enabled=not (quiet or json_), verbose=verbose) as view:
        validation = validate_table(
            resolve_table(data),
            scores=None if score is None else [_score_of(name) for name in score],
            prior=prior,
            max_parents=max_parents,
            folds=folds,
            knowledge=knowledge_options.as_knowledge(),
            time_limit=time_limit,
            generations=generations,
            max_memory=max_memory,
            threads=threads,
            seed=seed,
            read=table_options.as_read_options(),
            watcher=Relay(view, ["trial_finished", "started"]),
        )
    if output is not None:
        with atomic_path(output) as draft:
            validation.to_frame().write_csv(draft)
    if json_:
        print_json(facts(validation))
    elif not quiet:
        notes = [*_missed(validation, folds), *skipped_trials(validation)]
        print("\n".join([*listed(validation), *notes]))
        print(_advice(validation.best))
    if validation.stop_reason == "interrupted":
        raise Interrupted(f"after {validation.folds} of {folds} folds")


def _score_of(name: str) -> Score:
    """Read a score with a parameter, such as bdeu:10, bdeu:auto or mit:0.99."""
    kind, _, value = name.partition(":")
    if not value:
        return as_score(kind)
    parameter = next(iter(as_score(kind).parameters), None)
    if parameter is None:
        raise ForebearError(Parameter("score", name), f": the score {kind} has no parameter")
    try:
        number = value if (kind, value) == ("bdeu", "auto") else float(value)
    except ValueError:
        raise ForebearError(Parameter("score", name), f": {value} is not a number") from None
    return as_score(kind, **{parameter: number})


def facts(validation: Validation) -> dict[str, Any]:
    """Return everything for JSON."""
    best = validation.best
    return {
        "score": best.score,
        "parameters": best.parameters,
        "max_parents": best.max_parents,
        "smoothing": best.smoothing,
        "held_out": best.held_out,
        "held_out_se": best.held_out_se,
        **validation.to_fields(),
    }


def listed(validation: Validation) -> list[str]:
    """List the trials, the best first."""
    ranked = sorted(validation.trials, key=lambda trial: -trial.held_out)
    width = max(len(trial.name) for trial in ranked)
    lines = [f"{'':{width}}  held out    (s.e.)  behind   (s.e.)    arcs  smoothing"]
    lines += [
        f"{trial.name:{width}}  {trial.held_out:9.3f}  ({trial.held_out_se:5.3f})  "
        f"{trial.behind:6.3f}  ({trial.behind_se:5.3f})  {trial.arcs:6,.0f}  {trial.smoothing}"
        for trial in ranked
    ]
    return lines


def _missed(validation: Validation, folds: int) -> list[str]:
    """Return a line if not all folds were evaluated."""
    done = validation.folds
    if validation.stop_reason == "interrupted":
        return [f"Incomplete: interrupted after {done} of {folds} folds"]
    return [] if done == folds else [f"Incomplete: the time limit allowed {done} of {folds} folds"]


def _advice(best: Trial) -> str:
    options = [f"--score {best.score}"]
    options += [f"--{name} {show_parameter(value)}" for name, value in best.parameters.items()]
    if best.prior != "uniform":
        options.append(f"--prior {best.prior}")
    if best.max_parents is not None:
        options.append(f"--max-parents {best.max_parents}")
    options.append(f"--smoothing {best.smoothing}")
    return f"Best options for forebear learn: {' '.join(options)}"
