"""Trials: ways to learn, each tried on the same held-out rows within a share of the time."""

from __future__ import annotations

import math
import time
import warnings
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from forebear._util.errors import ForebearError, ForebearWarning, LimitError
from forebear._util.watcher import Quiet
from forebear.budget import (
    CORE_DYNAMIC_VARIABLES,
    LEAST_SEARCH_SECONDS,
    TRIAL_IDLE_SHARE,
    TRIAL_LEAST_SECONDS,
    TRIAL_LIMITED_WEIGHT,
    Clock,
)
from forebear.learning.dispatch import learn_table
from forebear.learning.steps import Means
from forebear.scoring.scores import AIC, BIC, FNML, BDeu
from forebear.search.stop import NoImprovement
from forebear.validation.evaluation import held_out_likelihoods
from forebear.validation.trials import Trial, Validation, compared

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from forebear.knowledge.enforcement import Enforced
    from forebear.learning.request import SearchRequest
    from forebear.network.smoothing import Strength
    from forebear.result import Result
    from forebear.scoring.scores import Score
    from forebear.validation.splitting import Split

    _Predicted: TypeAlias = tuple[Result, dict[Strength, NDArray[np.float64]]]

SCORES_TRIED: tuple[Score, ...] = (BIC(), BDeu(1.0), BDeu(10.0), FNML(), AIC())
"""The scores that are tried by default, from few arcs to many.
benchmarks/results/generalisation.md compares them."""

LIMITS_TRIED = (1, 2, 3)
"""The limits on parents that are tried by default, besides none."""

_STOPPED = ("interrupted", "cancelled")


class Setting(NamedTuple):
    """A way to learn: a score, and a limit on parents or None."""

    score: Score
    max_parents: int | None

    @property
    def name(self) -> str:
        """The name of a trial of it."""
        return Trial(self.score.name, self.score.parameters, self.max_parents).name

    @property
    def weight(self) -> float:
        """Its part of the time, where a trial without a limit has 1."""
        limited = self.max_parents is not None and self.max_parents <= max(LIMITS_TRIED)
        return TRIAL_LIMITED_WEIGHT if limited else 1.0


@dataclass
class _Tried:
    """What came of one setting: for every split a network and the likelihoods of its rows."""

    setting: Setting
    results: list[Result]
    likelihoods: list[dict[Strength, NDArray[np.float64]]]

    @property
    def seconds(self) -> float:
        """How long learning took, over all splits."""
        return sum(result.seconds for result in self.results)

    def smoothing(self) -> Strength:
        """The strength that predicts best; of equals, the first."""
        return max(self.likelihoods[0], key=lambda strength: self._rows(strength).mean())

    def likelihood(self) -> NDArray[np.float64]:
        """The log-likelihood of every held-out row at that strength."""
        return self._rows(self.smoothing())

    def held_out(self) -> float:
        """The mean over the rows."""
        return float(self.likelihood().mean())

    def _rows(self, strength: Strength) -> NDArray[np.float64]:
        return np.concatenate([one[strength] for one in self.likelihoods])

    def trial(self) -> Trial:
        """Describe it, as yet not compared with others."""
        score, limit = self.setting
        arcs = [len(result.network.arcs) for result in self.results]
        return Trial(
            score=score.name,
            parameters=score.parameters,
            max_parents=limit,
            smoothing=self.smoothing(),
            held_out=self.held_out(),
            arcs=sum(arcs) / len(arcs),
            seconds=self.seconds,
        )


@dataclass
class Trials:
    """Tries settings on one split of a table after the other, and shares the time between them.

    Parameters
    ----------
    split
        The first rows to hold out. ``repeat`` takes further ones.
    known
        The knowledge that every network respects.
    request
        The algorithm, the threads, the seed and the generations.
    max_memory
        Bytes, or None.
    clock
        The time for all trials on the first split.
    """

    split: Split
    known: Enforced
    request: SearchRequest
    max_memory: int | None
    clock: Clock
    rows: int = 0
    folds: int = 1
    done: list[_Tried] = field(default_factory=list)
    failure: ForebearError | None = None
    left_out: list[str] = field(default_factory=list)
    _evaluating: float = 0.0

    def __post_init__(self) -> None:
        self.rows = self.split.test.n_rows

    def run(self, settings: Sequence[Setting], later: float = 0.0) -> None:
        """Try settings on the first split; keep time for later ones, by their weight.

        A setting that does not fit in time or memory is left out.
        """
        waiting = [setting for setting in settings if setting not in self._settings()]
        while waiting and not (self.done and self.clock.expired):
            setting = waiting.pop(0)
            rest = later + sum(one.weight for one in waiting)
            part = setting.weight / (setting.weight + rest)
            try:
                start = self.done[-1].results[0] if self.done else None
                seconds = self._seconds(part)
                result, likelihoods = self._predict(self.split, setting, seconds, start)
            except ForebearError as failure:
                self.failure = failure
                self.left_out.append(setting.name)
                continue
            self.done.append(_Tried(setting, [result], [likelihoods]))
            self.request.watcher.tried(self.done[-1].trial())
        self.left_out += [setting.name for setting in waiting]

    def repeat(self, splits: Sequence[Split], clock: Clock) -> None:
        """Try everything on further splits, while there is time on this clock for a whole one."""
        for place, split in enumerate(splits):
            needed = [one.seconds / self.folds + self._evaluating for one in self.done]
            # More than last time, so that none fails because it is slower; most end before.
            spare = clock.left() / (sum(needed) * (len(splits) - place))
            if sum(needed) > clock.left():
                return
            further: list[_Predicted] = []
            try:
                for one, last in zip(self.done, needed, strict=True):
                    seconds = None if math.isinf(spare) else spare * last
                    start = further[-1][0] if further else None
                    further.append(self._predict(split, one.setting, seconds, start))
            except ForebearError:
                continue
            for one, (result, likelihoods) in zip(self.done, further, strict=True):
                one.results.append(result)
                one.likelihoods.append(likelihoods)
            self.rows += split.test.n_rows
            self.folds += 1

    def has(self, settings: Sequence[Setting]) -> bool:
        """Whether something was tried, and all of these."""
        return bool(self.done) and all(setting in self._settings() for setting in settings)

    def best(self) -> Setting:
        """Return the setting that predicts best; of equals, the first."""
        return max(self._some(), key=_Tried.held_out).setting

    def simplest(self) -> Setting:
        """Return the simplest setting of those that may be as good as the best."""
        found = self.validation(self.best())
        return self.done[found.trials.index(found.simplest)].setting

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
        return Validation(trials, place, self.rows, self.folds, tuple(self.left_out))

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

    def _seconds(self, part: float) -> float | None:
        """Return a part of the time left, but not too little to learn anything."""
        if self.clock.limit is None:
            return None
        left = max(self.clock.left(), 0.0)
        return max(part * left, min(TRIAL_LEAST_SECONDS, left))

    def _predict(
        self, split: Split, setting: Setting, seconds: float | None, start: Result | None
    ) -> _Predicted:
        """Learn one network and predict the rows held out, all in some seconds.

        The search starts from the network of the trial before, on the same rows. Scores with many
        arcs come last, and gain most from it.
        """
        if seconds is not None:
            seconds = max(seconds - self._evaluating, LEAST_SEARCH_SECONDS)
        result = self._learn(split, setting, seconds, start)
        started = time.perf_counter()
        likelihoods = held_out_likelihoods(result.network, split)
        self._evaluating = time.perf_counter() - started
        return result, likelihoods

    def _learn(
        self, split: Split, setting: Setting, limit: float | None, start: Result | None
    ) -> Result:
        """Learn one network; with few variables, a proof ends the search early."""
        watcher = Quiet(self.request.watcher)
        request = replace(
            self.request,
            time_limit=limit,
            stop=None if limit is None else NoImprovement(seconds=TRIAL_IDLE_SHARE * limit),
            start=start,
            certify=None if split.train.n_variables <= CORE_DYNAMIC_VARIABLES else False,
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
        return replace(result, seconds=means.clock.spent())
