"""validate() and learn() on held-out rows: what is tried, chosen, reported and warned of."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from waiting import PATIENCE

from forebear import (
    BIC,
    BDeu,
    DataError,
    Dataset,
    ForebearError,
    ForebearWarning,
    Knowledge,
    LimitError,
    NoImprovement,
    Result,
    Trial,
    Validation,
    Watcher,
    fit_network,
    learn,
    simulate,
    validate,
)
from forebear.budget import Clock
from forebear.knowledge.enforcement import Enforced
from forebear.learning.held_out import default_holdout, warn_of_overfitting
from forebear.learning.request import SearchRequest
from forebear.learning.trying import SCORES_TRIED, Setting, Trials
from forebear.validation.splitting import fold
from forebear.validation.trials import compared

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def table() -> Dataset:
    return simulate(8, 400, max_parents=3, seed=5).data


class Heard(Watcher):
    """Writes down the trials."""

    def __init__(self) -> None:
        self.trials: list[str] = []

    def tried(self, trial: Trial) -> None:
        self.trials.append(trial.name)


def test_every_score_and_limit_is_tried_on_every_fold(table: Dataset) -> None:
    heard = Heard()
    found = validate(table, folds=3, generations=2, seed=1, watcher=heard)
    assert found.rows == table.n_rows
    assert found.folds == 3
    names = [trial.name for trial in found.trials]
    assert names == heard.trials
    assert names[:5] == ["bic", "bdeu (ess 1)", "bdeu (ess 10)", "fnml", "aic"]
    assert f"{found.best.score_name}, at most 1 parent" in names
    assert found.own == found.best
    same = validate(table, folds=3, generations=2, seed=1, threads=1)
    assert [t.held_out for t in same.trials] == [t.held_out for t in found.trials]


def test_figures_are_those_of_networks_learnt_from_the_other_rows(table: Dataset) -> None:
    found = validate(table, scores=["bic"], folds=2, generations=3, seed=4)
    rows = []
    for split in fold(table, 2, seed=4):
        network = learn(split.train, score="bic", generations=3, seed=4, certify=None).network
        fitted = fit_network(network, split.train, smoothing=found.trials[0].smoothing)
        rows.append(fitted.log_likelihoods(split.test))
    joined = np.concatenate(rows)
    assert found.trials[0].held_out == pytest.approx(joined.mean())
    assert found.trials[0].held_out_se == pytest.approx(joined.std(ddof=1) / 20)


def test_a_limit_and_knowledge_hold_for_all_trials(table: Dataset) -> None:
    known = Knowledge(forbidden=[("X1", "X2"), ("X2", "X1")])
    found = validate(
        table, scores=["aic"], max_parents=2, folds=2, generations=2, seed=1, knowledge=known
    )
    assert {trial.max_parents for trial in found.trials} <= {1, 2}


def test_what_validate_refuses(table: Dataset) -> None:
    with pytest.raises(ForebearError, match=r"^folds must be at least 2, got 1$"):
        validate(table, folds=1)
    with pytest.raises(ForebearError, match=r"^scores must name at least one score$"):
        validate(table, scores=[])
    with pytest.raises(DataError, match=r"^the table has one column, 'a': a network needs two$"):
        validate(Dataset(np.array([[0, 1]]), ("a",), (("x", "y"),)))


def test_an_interrupted_validation_is_marked(
    table: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = validate(table, scores=["bic"], folds=2, generations=1, seed=1)
    assert whole.stop_reason == "folds"

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Trials, "repeat", interrupted)
    with pytest.warns(ForebearWarning, match="interrupted: the result has 1 of 2 folds"):
        found = validate(table, scores=["bic"], folds=2, generations=1, seed=1)
    assert (found.folds, found.stop_reason) == (1, "interrupted")
    assert Validation.of_fields(found.to_fields()) == found


def test_the_time_limit_holds(table: Dataset) -> None:
    assert validate(table, time_limit=1, seed=1).trials


def test_the_score_is_chosen_by_held_out_rows(table: Dataset) -> None:
    result = learn(table, score="auto", generations=3, seed=1)
    found = result.validation
    assert found is not None
    assert found.own == found.simplest
    assert result.held_out == found.own.held_out
    assert result.held_out_se == found.own.held_out_se
    assert result.smoothing == found.own.smoothing
    assert result.provenance["score"] == found.own.score
    assert result.provenance["rows"] == table.n_rows
    assert "validate" in result.phases
    assert found.rows == round(0.25 * table.n_rows)
    fitted = fit_network(result, table)
    plain = fit_network(result.network, table, smoothing=found.own.smoothing)
    assert fitted.log_likelihood(table) == plain.log_likelihood(table)


def test_auto_ends_in_time(table: Dataset) -> None:
    result = learn(table, score="auto", time_limit=4, seed=1, cache=False)
    assert result.seconds < PATIENCE
    assert result.validation is not None


def test_a_rule_of_the_users_alone_does_not_let_trials_run_forever(
    table: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("forebear.learning.held_out.DEFAULT_SECONDS", 8.0)
    result = learn(table, score="auto", stop=NoImprovement(seconds=0.2), seed=1)
    assert result.validation is not None
    assert result.seconds < PATIENCE


@pytest.mark.parametrize(("score", "used"), [("auto", "bdeu (ess 1)"), ("aic", "aic")])
def test_without_time_for_trials_a_warning_says_so(
    table: Dataset, monkeypatch: pytest.MonkeyPatch, score: str, used: str
) -> None:
    def fail(*_: object) -> None:
        raise LimitError("there was no time")

    monkeypatch.setattr(Trials, "_predict", fail)
    with pytest.warns(ForebearWarning) as caught:
        result = learn(table, score=score, holdout=0.2, generations=2, seed=1)
    assert str(caught[0].message) == (
        f"held-out rows could not be predicted, so the score is {used}: there was no time"
    )
    assert result.validation is None
    assert result.provenance["score"] == used.partition(" ")[0]


def test_the_users_score_is_kept(table: Dataset) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ForebearWarning)
        result = learn(table, score="aic", holdout=0.25, generations=2, seed=1)
    found = result.validation
    assert found is not None
    assert found.own.name == "aic"
    assert found.rows == 100
    assert result.provenance["score"] == "aic"
    assert result.held_out is not None
    assert "held out: " in repr(result)


def test_the_figures_are_in_the_file(table: Dataset, tmp_path: Path) -> None:
    result = learn(table, score="auto", generations=2, seed=1)
    result.save(tmp_path / "found.json")
    again = Result.load(tmp_path / "found.json")
    assert again.validation == result.validation
    assert again.to_json() == result.to_json()
    assert '"held_out": -' in result.to_json()


def test_a_bad_share_is_refused_at_once() -> None:
    with pytest.raises(ForebearError, match=r"^holdout must be above 0 and below 1, got 2$"):
        learn("nowhere.csv", holdout=2.0)


def test_more_of_few_rows_are_held_out() -> None:
    assert default_holdout(100) == 0.25
    assert default_holdout(2_000) == 0.125
    assert default_holdout(100_000) == 0.1


def validation(own: list[float], other: list[float]) -> Validation:
    trials = [Trial("bdeu", {"ess": 1.0}, arcs=20), Trial("bic", arcs=10)]
    return Validation(compared(trials, [np.array(own), np.array(other)]), 0, len(own), 1)


def test_a_score_that_overfits_gets_a_warning_with_the_numbers() -> None:
    with pytest.warns(ForebearWarning) as caught:
        warn_of_overfitting(validation([-8.0, -9.0, -8.5], [-6.0, -6.5, -6.4]))
    assert str(caught[0].message) == (
        "bdeu (ess 1) overfits this table: its network gives held-out rows -8.50 nats each "
        "(standard error 0.29), compared with -6.30 with bic: choose one of these, or pass "
        'score="auto"'
    )


@pytest.mark.parametrize("other", [[-9.0, -9.9, -9.0], [-7.0, -9.5, -8.9]])
def test_no_warning_without_a_clear_difference(other: list[float]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_overfitting(validation([-8.0, -9.0, -8.5], other))


def test_no_warning_if_the_better_network_is_richer() -> None:
    found = validation([-8.0, -9.0, -8.5], [-6.0, -6.5, -6.4])
    richer = (found.trials[0], replace(found.trials[1], arcs=30))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_overfitting(replace(found, trials=richer))


def trials_of(table: Dataset, clock: Clock) -> Trials:
    first, *_ = fold(table, 2, seed=1)
    request = SearchRequest.checked(generations=2, seed=1)
    return Trials(first, Enforced.of(None, table.names), request, None, clock)


def test_a_setting_that_fails_is_left_out(table: Dataset) -> None:
    known = Knowledge(required=[("X1", "X3"), ("X2", "X3")])
    trials = trials_of(table, Clock())
    trials.known = Enforced.of(known, table.names)
    trials.run([Setting(BIC(), None), Setting(BIC(), 1)])
    assert len(trials.done) == 1
    assert trials.failure is not None
    assert trials.validation(trials.best()).left_out == ("bic, at most 1 parent",)


def test_nothing_is_tried_twice(table: Dataset) -> None:
    trials = trials_of(table, Clock())
    trials.run([Setting(BIC(), None)])
    trials.run([Setting(BIC(), None), Setting(BDeu(1.0), None)])
    assert [one.setting.score for one in trials.done] == [BIC(), BDeu(1.0)]


def test_without_time_there_is_still_one_trial(table: Dataset) -> None:
    trials = trials_of(table, Clock(1e-9))
    trials.run([Setting(score, None) for score in SCORES_TRIED])
    assert len(trials.done) <= 1
    assert len(trials.left_out) >= 4
