"""What the report shows of held-out rows: a curve over the number of parents, and the trials."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from forebear.report.wording import number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forebear.result import Result
    from forebear.validation.trials import Trial, Validation

_WIDTH, _HEIGHT = 560, 260
_LEFT, _RIGHT, _TOP, _BOTTOM = 80, 30, 20, 56
_TICKS = 4
_CAP = 5
"""Half of the width of the end of an error bar."""


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
        "smoothing": own.smoothing,
        "sentence": comparison(validation),
        "curve": curve_svg(validation.curve) if len(validation.curve) > 1 else None,
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
    limit = trial.max_parents
    return {
        "score": trial.score_name,
        "limit": "none" if limit is None else number(limit),
        "held_out": figure(trial.held_out),
        "se": figure(trial.held_out_se),
        "behind": figure(trial.behind),
        "behind_se": figure(trial.behind_se),
        "arcs": number(trial.arcs),
        "smoothing": trial.smoothing,
        "chosen": chosen,
    }


def curve_svg(trials: Sequence[Trial]) -> str:
    """Draw held-out likelihood over the limit on parents, with bars of one standard error."""
    low = min(trial.held_out - trial.held_out_se for trial in trials)
    high = max(trial.held_out + trial.held_out_se for trial in trials)
    pad = max(0.06 * (high - low), 1e-3 * abs(high), 1e-3)
    low, high = low - pad, high + pad
    step = (_WIDTH - _LEFT - _RIGHT) / len(trials)
    places = [_LEFT + step * (k + 0.5) for k in range(len(trials))]

    def y(value: float) -> float:
        return _TOP + (high - value) / (high - low) * (_HEIGHT - _TOP - _BOTTOM)

    parts = [
        f'<svg class="still" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        'aria-label="Held-out log-likelihood by limit on parents. The table has the numbers.">',
        *_grid(low, high, y),
    ]
    points = " ".join(
        f"{x:.1f},{y(trial.held_out):.1f}" for x, trial in zip(places, trials, strict=True)
    )
    parts.append(f'<polyline class="curve winner" points="{points}"/>')
    best = max(trials, key=lambda trial: trial.held_out)
    for x, trial in zip(places, trials, strict=True):
        parts += _point(x, trial, y, marked=trial is best)
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    title = (
        f'<text x="{middle:.1f}" y="{_HEIGHT - 12}" text-anchor="middle">Limit on parents</text>'
    )
    return "".join([*parts, title, "</svg>"])


def _grid(low: float, high: float, y: Any) -> list[str]:
    rough = (high - low) / _TICKS
    power = 10 ** math.floor(math.log10(rough))
    step = next(k * power for k in (1, 2, 5, 10) if k * power >= rough)
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    lines = []
    for k in range(math.ceil(low / step), math.floor(high / step) + 1):
        at = y(k * step)
        lines.append(
            f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>'
            f'<text x="{_LEFT - 10}" y="{at + 4:.1f}" text-anchor="end">'
            f"{number(k * step, digits)}</text>"
        )
    return lines


def _point(x: float, trial: Trial, y: Any, *, marked: bool) -> list[str]:
    top, bottom = (y(trial.held_out + side * trial.held_out_se) for side in (1, -1))
    label = "none" if trial.max_parents is None else number(trial.max_parents)
    ends = "".join(f"M{x - _CAP:.1f} {at:.1f}h{2 * _CAP}" for at in (top, bottom))
    return [
        f'<path class="error" d="M{x:.1f} {top:.1f}V{bottom:.1f}{ends}"/>',
        f'<circle class="{"spot marked" if marked else "spot"}" cx="{x:.1f}" '
        f'cy="{y(trial.held_out):.1f}" r="5"><title>{label}: {figure(trial.held_out)}</title>'
        "</circle>",
        f'<text x="{x:.1f}" y="{_HEIGHT - _BOTTOM + 20}" text-anchor="middle">{label}</text>',
    ]
