"""Trials: ways to learn, each tried on the same held-out rows within a share of the time."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from forebear._util.errors import ForebearError, ForebearWarning, LimitError
from forebear._util.watcher import Watcher
from forebear.budget import (
    TRIAL_IDLE_SHARE,
    TRIAL_LEAST_SECONDS,
    TRIAL_LIMITED_WEIGHT,
    Clock,
)
from forebear.learning.pipeline import learn_table
from forebear.learning.steps import Means
from forebear.scoring.scores import AIC, BIC, FNML, BDeu
from forebear.search.stop import NoImprovement
from forebear.validation.evaluation import held_out_likelihoods
from forebear.validation.trials import Trial, Validation, compared

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from forebear.knowledge.enforcement import Enforced
    from forebear.learning.request import SearchRequest
    from forebear.network.smoothing import Strength
    from forebear.result import Result
    from forebear.scoring.scores import Score
    from forebear.validation.splitting import Split

SCORES_TRIED: tuple[Score, ...] = (BIC(), BDeu(1.0), BDeu(10.0), FNML(), AIC())
"""The scores that are tried by default, from few arcs to many. Each is the best for one of the
tables in benchmarks/results/generalisation.md, or close to the best for several."""

LIMITS_TRIED = (1, 2, 3)
"""The limits on parents that are tried by default, besides none."""

_STOPPED = ("interrupted", "cancelled")


class Setting(NamedTuple):
    """A way to learn: a score, and a limit on parents or None."""

    score: Score
    max_parents: int | None

    @property
    def weight(self) -> float:
        """Its part of the time, where a trial without a limit has 1."""
        limited = self.max_parents is not None and self.max_parents <= max(LIMITS_TRIED)
        return TRIAL_LIMITED_WEIGHT if limited else 1.0


@dataclass
class _Tried:
    """What came of one setting: the likelihoods of all held-out rows, and a network per fold."""

    setting: Setting
    likelihoods: dict[Strength, NDArray[np.float64]]
    results: list[Result]
    seconds: float

    def smoothing(self) -> Strength:
        """The strength that predicts best; of equals, the first."""
        return max(self.likelihoods, key=lambda strength: self.likelihoods[strength].mean())

    def likelihood(self) -> NDArray[np.float64]:
        """The log-likelihood of every row at that strength."""
        return self.likelihoods[self.smoothing()]

    def held_out(self) -> float:
        """The mean over the rows."""
        return float(self.likelihood().mean())

    def trial(self) -> Trial:
        """Describe it, as yet not compared with others."""
        score, limit = self.setting
        arcs = [len(result.network.arcs) for result in self.results]
        strength = self.smoothing()
        return Trial(
            score=score.name,
            parameters=score.parameters,
            max_parents=limit,
            smoothing=strength,
            held_out=self.held_out(),
            arcs=sum(arcs) / len(arcs),
            seconds=self.seconds,
        )


@dataclass
class Trials:
    """Tries settings on splits of a table, and shares a time limit between them.

    Parameters
    ----------
    splits
        The rows to learn from and those held out.
    known
        The knowledge that every network respects.
    request
        The algorithm, the threads, the seed and the generations.
    max_memory
        Bytes, or None.
    clock
        The time for all trials.
    """

    splits: Sequence[Split]
    known: Enforced
    request: SearchRequest
    max_memory: int | None
    clock: Clock
    done: list[_Tried] = field(default_factory=list)
    failure: ForebearError | None = None
    _evaluating: float = 0.0

    def run(self, settings: Sequence[Setting], later: float = 0.0) -> None:
        """Try settings; keep time for later ones, by their weight.

        A setting that does not fit in time or memory is left out.
        """
        waiting = [setting for setting in settings if setting not in self._settings()]
        while waiting:
            setting = waiting.pop(0)
            rest = later + sum(one.weight for one in waiting)
            try:
                tried = self._try(setting, rest)
            except ForebearError as failure:
                self.failure = failure
                continue
            self.done.append(tried)
            self.request.watcher.tried(tried.trial())

    def best(self) -> Setting:
        """Return the setting that predicts best; of equals, the first."""
        return max(self._some(), key=_Tried.held_out).setting

    def result_of(self, setting: Setting) -> Result:
        """Return what was learnt with a setting from the first split."""
        return self._of(setting).results[0]

    def limits_of(self, score: Score, max_parents: int | None) -> list[Setting]:
        """Return the settings with fewer parents that are worth trying for a score."""
        whole = self._of(Setting(score, max_parents)).results
        used = max(max(map(len, result.network.parents)) for result in whole)
        return [Setting(score, limit) for limit in LIMITS_TRIED if limit < used]

    def validation(self, chosen: Setting) -> Validation:
        """Compare all trials."""
        done = self._some()
        trials = compared([one.trial() for one in done], [one.likelihood() for one in done])
        place = self._settings().index(chosen)
        rows = sum(split.test.n_rows for split in self.splits)
        return Validation(trials, place, rows, len(self.splits))

    def _settings(self) -> list[Setting]:
        return [one.setting for one in self.done]

    def _of(self, setting: Setting) -> _Tried:
        for one in self._some():
            if one.setting == setting:
                return one
        raise self.failure or AssertionError("this setting was not tried")

    def _some(self) -> list[_Tried]:
        if not self.done:
            raise self.failure or LimitError("there was no time to try anything on held-out rows")
        return self.done

    def _try(self, setting: Setting, rest: float) -> _Tried:
        """Learn from every split and predict the rows held out."""
        started = time.perf_counter()
        results, likelihoods = [], []
        for place, split in enumerate(self.splits):
            folds = len(self.splits) - place
            part = setting.weight / (setting.weight * folds + rest * len(self.splits))
            results.append(self._learn(split, setting, part))
            evaluating = time.perf_counter()
            likelihoods.append(held_out_likelihoods(results[-1].network, split))
            self._evaluating = time.perf_counter() - evaluating
        joined = {
            strength: np.concatenate([one[strength] for one in likelihoods])
            for strength in likelihoods[0]
        }
        return _Tried(setting, joined, results, time.perf_counter() - started)

    def _learn(self, split: Split, setting: Setting, part: float) -> Result:
        """Learn one network in a part of the time left."""
        limit = None
        if self.clock.limit is not None:
            limit = max(part * self.clock.left() - self._evaluating, TRIAL_LEAST_SECONDS)
        watcher = _Quiet(self.request.watcher)
        request = replace(
            self.request,
            time_limit=limit,
            stop=None if limit is None else NoImprovement(seconds=TRIAL_IDLE_SHARE * limit),
            start=None,
            certify=False,
            executor=None,
            checkpoint=None,
            watcher=watcher,
        )
        if request.exact is not None:
            request = replace(request, stop=None)
        means = Means(Clock(limit), self.max_memory, None, watcher)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ForebearWarning)
            result = learn_table(
                split.train, setting.score, setting.max_parents, self.known, request, means
            )
        if result.stop_reason in _STOPPED:
            raise KeyboardInterrupt
        return result


class _Quiet(Watcher):
    """Hears nothing but how to cancel."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher

    def started(self, cancel: Callable[[], None]) -> None:
        """Let the trial be cancelled."""
        self._watcher.started(cancel)
