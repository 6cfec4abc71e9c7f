"""The score that is used if none is given: one rule for everything that learns or evaluates."""

from __future__ import annotations

import json
from typing import Any

import pytest

from forebear import (
    BDeu,
    Score,
    bootstrap_averages,
    certify_arcs,
    learn,
    sample_posterior,
    score_network,
    score_parent_sets,
    simulate,
)
from forebear.cli import main
from forebear.learning import bootstrap
from forebear.learning.trials import SCORES_TRIED
from forebear.scoring.scores import DEFAULT_SCORE, as_score, score_from

TABLE = simulate(4, 120, seed=1).data
FILE = "example:orchard"
LITERATURE = BDeu(1.0)

RULE: list[tuple[dict[str, Any], Score]] = [
    ({}, BDeu("auto", prior="sparse")),
    ({"score": "bdeu"}, LITERATURE),
    ({"prior": "uniform"}, LITERATURE),
    ({"prior": "sparse"}, BDeu(1.0, prior="sparse")),
    ({"prior": 0.1}, BDeu(1.0, prior=0.1)),
    ({"score": "bdeu", "prior": "sparse"}, BDeu(1.0, prior="sparse")),
]
OF_PARAMETERS: list[tuple[dict[str, Any], Score]] = [
    ({"ess": 10}, BDeu(10.0)),
    ({"ess": "auto"}, BDeu("auto")),
    ({"ess": 10, "prior": "sparse"}, BDeu(10.0, prior="sparse")),
]
rule = pytest.mark.parametrize(("given", "expected"), RULE)


@pytest.mark.parametrize(("given", "expected"), RULE + OF_PARAMETERS)
def test_the_rule(given: dict[str, Any], expected: Score) -> None:
    rest = {key: value for key, value in given.items() if key != "score"}
    assert as_score(given.get("score"), **rest) == expected


@rule
def test_learn_and_score_network(given: dict[str, Any], expected: Score) -> None:
    result = learn(TABLE, generations=2, seed=1, **given)
    assert score_from(result.provenance) == expected
    assert score_network(result, TABLE, **given) == pytest.approx(result.score, rel=1e-12)
    assert score_network(result, TABLE, expected) == pytest.approx(result.score, rel=1e-12)


@rule
def test_certify_arcs(given: dict[str, Any], expected: Score) -> None:
    margins = certify_arcs(TABLE, max_parents=3, seed=1, threads=1, **given)
    best = learn(TABLE, score=expected, max_parents=3, generations=9, seed=1)
    assert margins.score == pytest.approx(best.score, rel=1e-9)


@rule
def test_bootstrap(given: dict[str, Any], expected: Score, monkeypatch: pytest.MonkeyPatch) -> None:
    learned = []

    def note(*args: Any, **options: Any) -> Any:
        learned.append(learn(*args, **options))
        return learned[-1]

    monkeypatch.setattr(bootstrap, "learn", note)
    bootstrap_averages(TABLE, replicates=1, generations=1, seed=1, **given)
    assert [score_from(result.provenance) for result in learned] == [expected]


@rule
def test_posteriors_have_the_sparse_prior_unless_another_is_given(
    given: dict[str, Any], expected: Score
) -> None:
    about = sample_posterior(TABLE, sweeps=5, seed=1, **given).about
    assert about["parameters"] == expected.parameters
    assert about["prior"] == given.get("prior", "sparse")


@rule
def test_estimators(given: dict[str, Any], expected: Score) -> None:
    pytest.importorskip("sklearn")
    from forebear.sklearn import StructureLearner

    named = {"criterion" if key == "score" else key: value for key, value in given.items()}
    learner = StructureLearner(generations=1, random_state=1, **named)
    learner.fit(TABLE.to_frame())
    assert score_from(learner.result_.provenance) == expected


def test_parent_sets_have_the_score_of_the_literature() -> None:
    assert score_from(score_parent_sets(TABLE).provenance) == LITERATURE


def test_auto_tries_the_default() -> None:
    assert DEFAULT_SCORE in SCORES_TRIED
    result = learn(TABLE, score="auto", generations=1, seed=1)
    assert result.validation is not None
    tried = {
        (trial.score, str(trial.parameters), trial.prior) for trial in result.validation.trials
    }
    assert ("bdeu", str(DEFAULT_SCORE.parameters), DEFAULT_SCORE.prior) in tried


def as_options(given: dict[str, Any]) -> list[str]:
    return [part for name, value in given.items() for part in (f"--{name}", str(value))]


@pytest.mark.parametrize(("given", "expected"), RULE + OF_PARAMETERS)
def test_commands(
    given: dict[str, Any], expected: Score, capsys: pytest.CaptureFixture[str]
) -> None:
    search = ["--generations", "1", "--seed", "1", "--max-parents", "1"]
    assert main(["learn", FILE, *search, "--json", *as_options(given)]) == 0
    learned = json.loads(capsys.readouterr().out)
    assert main(["evaluate", f"{FILE}.bif", FILE, "--json", *as_options(given)]) == 0
    evaluated = json.loads(capsys.readouterr().out)
    for about in (learned, evaluated):
        assert about["score_name"] == expected.name
        assert about["score_parameters"] == expected.parameters
        assert about["prior"] == expected.prior


@pytest.mark.parametrize(("given", "expected"), RULE + OF_PARAMETERS)
@pytest.mark.parametrize("command", ["bootstrap", "certify"])
def test_commands_that_pass_the_score_on(
    command: str, given: dict[str, Any], expected: Score, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The Python function gets the score, and perhaps the same prior once more."""
    from importlib import import_module

    module = import_module(f"forebear.cli.{command}")
    passed: dict[str, Any] = {}

    def note(*args: Any, **options: Any) -> None:
        passed.update(options)
        raise KeyboardInterrupt

    function = {"bootstrap": "bootstrap_averages", "certify": "certify_arcs"}[command]
    monkeypatch.setattr(module, function, note)
    main([command, FILE, *as_options(given)])
    assert as_score(passed["score"], prior=passed["prior"]) == expected
