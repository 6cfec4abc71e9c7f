"""Trials: compare scores and limits on parents on the same held-out rows, in the same time."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import NamedTuple, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from forebear._util.checks import check_real, check_whole
from forebear._util.errors import DataError, ForebearError, ForebearWarning, LimitError, Parameter
from forebear._util.text import counted
from forebear.budget import LEAST_STEP_SECONDS, Clock
from forebear.data.dataset import Dataset
from forebear.data.row_weights import reject_real_weights
from forebear.learning.learn_table import learn_table
from forebear.learning.problem import Problem
from forebear.learning.run import Run
from forebear.network.expectation_maximization import expect
from forebear.network.fit_network import LEAST, Strength
from forebear.network.network import Network
from forebear.proof.dynamic_programming import DYNAMIC_VARIABLES
from forebear.result import Result
from forebear.result.validation import Trial, Validation, compare_trials
from forebear.scoring.scores import AIC, BIC, FNML, BDeu, Score

_Likelihoods: TypeAlias = dict[Strength, NDArray[np.float64]]

SCORES_TRIED: tuple[Score, ...] = (
    BDeu(1.0, prior="sparse"),
    BDeu("auto", prior="sparse"),
    BIC(),
    FNML(prior="sparse"),
    BDeu(1.0),
    BDeu(10.0),
    FNML(),
    AIC(),
)
"""The scores to try by default, from few arcs to many.
benchmarks/results/generalisation.md compares them."""

LIMITS_TRIED = (1, 2, 3)
"""The limits on parents to try by default, besides no limit."""

DEFAULT_FOLDS = 5

_LEAST_SECONDS = 1.0
"""The least time for a trial, even if none is left for others. In less time, 18 variables could not
be scored on a busy machine."""


# ---- splits of the rows ---------------------------------------------------------------------


class Split(NamedTuple):
    """The training rows and the held-out rows."""

    train: Dataset
    test: Dataset


def hold_out(table: Dataset, share: float, seed: int, times: int = 1) -> list[Split]:
    """Return ``times`` splits, each with a random share of the rows held out.

    No row is held out twice, so there may be fewer splits.
    """
    check_share(share)
    size = min(max(round(share * table.n_rows), 1), table.n_rows - 1)
    times = min(times, table.n_rows // max(size, 1))
    return _split(table, [k * size for k in range(times + 1)], seed)


def fold(table: Dataset, folds: int, seed: int) -> list[Split]:
    """Divide the rows into folds of about the same size; every row is held out once."""
    check_whole(2, folds=folds)
    return _split(table, [k * table.n_rows // folds for k in range(folds + 1)], seed)


def check_share(holdout: float) -> None:
    """Reject a share of rows that is not between 0 and 1."""
    check_real(0, holdout=holdout)
    if not 0 < holdout < 1:
        raise ForebearError(Parameter("holdout"), f" must be above 0 and below 1, got {holdout:g}")


def _split(table: Dataset, ends: Sequence[int], seed: int) -> list[Split]:
    """Shuffle the rows. Each split holds out those between two consecutive ``ends``."""
    reject_real_weights(table, "rows are held out as a whole")
    least = max(2, len(ends) - 1)
    if table.n_rows < least:
        raise DataError(
            f"the table has {counted(table.n_rows, 'row')}, but validation needs at least {least:,}"
        )
    rows = np.random.default_rng(seed).permutation(table.n_rows)
    parts = [(np.delete(rows, slice(a, b)), rows[a:b]) for a, b in pairwise(ends)]
    return [Split(*(table.take(np.sort(part)) for part in both)) for both in parts]


# ---- trials ------------------------------------------------------------------------------


class Setting(NamedTuple):
    """A score, and a limit on parents or None."""

    score: Score
    max_parents: int | None

    @property
    def name(self) -> str:
        """The name of the setting in results."""
        score = self.score
        return Trial(score.name, score.parameters, self.max_parents, prior=score.prior).name


@dataclass
class _Attempt:
    """The results of one setting, and the likelihoods of the held-out rows, for every split."""

    setting: Setting
    results: list[Result]
    likelihoods: list[_Likelihoods]

    @property
    def seconds(self) -> float:
        """The time of learning over all splits."""
        return sum(result.seconds for result in self.results)

    def smoothing(self) -> Strength:
        """The strength that predicts best; the first one in a tie."""
        return max(self.likelihoods[0], key=lambda strength: self._rows(strength).mean())

    def likelihood(self) -> NDArray[np.float64]:
        """The log-likelihood of every held-out row at that strength."""
        return self._rows(self.smoothing())

    def _rows(self, strength: Strength) -> NDArray[np.float64]:
        return np.concatenate([one[strength] for one in self.likelihoods])

    def trial(self) -> Trial:
        """Return a description, without the comparison with other trials."""
        score, limit = self.setting
        arcs = [len(result.network.arcs) for result in self.results]
        return Trial(
            score=score.name,
            parameters=score.parameters,
            prior=score.prior,
            max_parents=limit,
            smoothing=self.smoothing(),
            held_out=float(self.likelihood().mean()),
            arcs=sum(arcs) / len(arcs),
            seconds=self.seconds,
        )


@dataclass
class Trials:
    """Tries settings on one split of a table after another, and divides the time between them.

    Parameters
    ----------
    problem
        The knowledge. The trials replace the table, the score and the limit on parents.
    run
        The settings of every search, and the time limit of all trials.
    splits
        The splits of the table.
    share
        The share of the time for the first split.
    """

    problem: Problem
    run: Run
    splits: Sequence[Split]
    share: float = 1.0
    folds: int = 1
    attempts: dict[Setting, _Attempt] = field(default_factory=dict)
    failure: ForebearError | None = None
    left_out: list[str] = field(default_factory=list)
    _evaluating: float = 0.0

    def try_all(self, settings: Sequence[Setting], own: Setting | None = None) -> None:
        """Try settings on the first split, then limits on parents, then all on the other splits.

        Limits on parents are tried with the user's setting (``own``); without one, with the best.
        A setting that exceeds the time or memory limit is left out.
        """
        expected = len(settings) + len(LIMITS_TRIED)
        part = self.run.clock.share(self.share)
        if part is not None:  # with little time, omit splits rather than trials
            part = max(part, min(self.run.clock.left(), _LEAST_SECONDS * expected))
        first = Clock(part)
        self._try(settings, first, later=len(LIMITS_TRIED))
        if self.has(own):
            self._try(self._limits_of(own or self.best()), first)
            self._repeat()

    def has(self, own: Setting | None) -> bool:
        """Return whether there are trials, and one of this setting if it is not None."""
        return bool(self.attempts) and (own is None or own in self.attempts)

    def best(self) -> Setting:
        """Return the setting that predicts best; the first one in a tie."""
        if not self.attempts:
            raise self.failure or LimitError(
                "no trial on held-out rows finished in time: increase ", Parameter("time_limit")
            )
        return max(self.attempts, key=lambda setting: self.attempts[setting].likelihood().mean())

    def simplest(self) -> Setting:
        """Return the simplest setting that is not clearly worse than the best."""
        validation = self.validation(self.best())
        return list(self.attempts)[validation.trials.index(validation.simplest)]

    def validation(self, chosen: Setting) -> Validation:
        """Compare all trials; ``chosen`` is the setting of the result."""
        rows = [one.likelihood() for one in self.attempts.values()]
        trials = compare_trials([one.trial() for one in self.attempts.values()], rows)
        place = list(self.attempts).index(chosen)
        return Validation(trials, place, len(rows[0]), self.folds, tuple(self.left_out))

    def _try(self, settings: Sequence[Setting], clock: Clock, later: int = 0) -> None:
        """Try settings on the first split; reserve the same time for each of ``later`` trials."""
        waiting = list(settings)
        while waiting and not (self.attempts and clock.expired):
            setting = waiting.pop(0)
            left = clock.share(1.0)
            seconds = None
            if left is not None:
                seconds = max(left / (1 + len(waiting) + later), min(_LEAST_SECONDS, left))
            try:
                start = [*self.attempts.values()][-1].results[0] if self.attempts else None
                result, likelihoods = self._predict(self.splits[0], setting, seconds, start)
            except ForebearError as failure:
                self.failure = failure
                self.left_out.append(setting.name)
                continue
            self.attempts[setting] = attempt = _Attempt(setting, [result], [likelihoods])
            self.run.watcher.trial_finished(attempt.trial())
        self.left_out += [setting.name for setting in waiting]

    def _limits_of(self, setting: Setting) -> list[Setting]:
        """Return settings with lower limits on parents than the network of a setting uses."""
        used = max(map(len, self.attempts[setting].results[0].network.parents))
        fewer = [Setting(setting.score, limit) for limit in LIMITS_TRIED if limit < used]
        return [one for one in fewer if one not in self.attempts]

    def _repeat(self) -> None:
        """Repeat all trials on the other splits, as long as there is time for a complete split."""
        done = list(self.attempts.values())
        for place, split in enumerate(self.splits[1:], 1):
            left = self.run.clock.left()
            needed = [one.seconds / self.folds + self._evaluating for one in done]
            if sum(needed) > left:
                return
            # More time than on the first split, so that slower trials do not fail.
            spare = left / (sum(needed) * (len(self.splits) - place))
            further: list[tuple[Result, _Likelihoods]] = []
            try:
                for one, last in zip(done, needed, strict=True):
                    seconds = None if math.isinf(spare) else spare * last
                    start = further[-1][0] if further else None
                    further.append(self._predict(split, one.setting, seconds, start))
            except ForebearError:
                continue
            for one, (result, likelihoods) in zip(done, further, strict=True):
                one.results.append(result)
                one.likelihoods.append(likelihoods)
            self.folds += 1

    def _predict(
        self, split: Split, setting: Setting, seconds: float | None, start: Result | None
    ) -> tuple[Result, _Likelihoods]:
        """Learn one network and predict the held-out rows, within these seconds.

        The search starts from the network of the previous trial on the same rows. Scores that favor
        many arcs come last and benefit most. With few variables, a proof ends the search early.
        """
        if seconds is not None:
            seconds = max(seconds - self._evaluating, LEAST_STEP_SECONDS)
        certify = None if split.train.n_variables <= DYNAMIC_VARIABLES else False
        run = self.run.network_only().part(seconds, start, stop=None, certify=certify)
        score, limit = setting
        problem = replace(self.problem, table=split.train, score=score, max_parents=limit)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ForebearWarning)
            result = learn_table(problem, run)
        if result.stop_reason in ("interrupted", "cancelled"):
            raise KeyboardInterrupt
        # The parent sets of all trials would fill the memory.
        result = replace(result, seconds=run.clock.spent(), parent_sets=None)
        started = time.perf_counter()
        likelihoods = held_out_likelihoods(result.network, split)
        self._evaluating = time.perf_counter() - started
        return result, likelihoods


def held_out_likelihoods(network: Network, split: Split) -> _Likelihoods:
    """Fit a network to the training rows, and predict the held-out rows.

    Returns the log-likelihood of every held-out row for each strength of smoothing. If values are
    missing, it is the log-likelihood of the observed values.
    """
    likelihoods = {}
    train = split.train
    if train.has_missing and train.missing == "em":  # all strengths use the same completed rows
        train = expect(network, train).completed
    for name in LEAST:
        strength = cast("Strength", name)
        fitted = network.fit(train, smoothing=strength)
        likelihoods[strength] = fitted.log_likelihoods(split.test)
    return likelihoods
