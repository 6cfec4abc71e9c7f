"""What the report shows of held-out rows: a curve over the number of parents, and the trials."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from forebear.result.report.wording import number

if TYPE_CHECKING:
    from forebear.result import Result
    from forebear.result.validation import Trial, Validation


def held_out(result: Result) -> dict[str, Any] | None:
    """Return what the section about held-out rows shows; None without a validation."""
    validation = result.validation
    if validation is None:
        return None
    own = validation.own
    ranked = sorted(validation.trials, key=lambda trial: -trial.held_out)
    return {
        "rows": validation.rows,
        "folds": validation.folds,
        "own": own.name,
        "score": own.score_name,
        "sentence": comparison(validation),
        "curve": [
            (_limit(trial), trial.held_out, trial.held_out_se)
            for trial in validation.curve
            if math.isfinite(trial.held_out)
        ],
        "trials": [_row(trial, trial is own) for trial in ranked],
    }


def figure(value: float) -> str:
    """Write nats per row with three digits."""
    return number(value, 3)


def comparison(validation: Validation) -> str:
    """Compare the way to learn that was used with the best."""
    own, best = validation.own, validation.best
    if own is best:
        return f"Of {len(validation.trials)} ways to learn, the one used predicts them best."
    clear = "" if own.clearly_behind else ", which may be chance"
    return (
        f"With {best.name}, they are predicted better by {figure(own.behind)} nats each "
        f"(standard error {figure(own.behind_se)}){clear}."
    )


def _row(trial: Trial, chosen: bool) -> dict[str, Any]:
    return {
        "score": trial.score_name,
        "limit": _limit(trial),
        "held_out": figure(trial.held_out),
        "se": figure(trial.held_out_se),
        "behind": figure(trial.behind),
        "behind_se": figure(trial.behind_se),
        "arcs": number(trial.arcs),
        "smoothing": trial.smoothing,
        "chosen": chosen,
    }


def _limit(trial: Trial) -> str:
    return "none" if trial.max_parents is None else number(trial.max_parents)
