"""The main facts of a result: the same wherever it is shown."""

from __future__ import annotations

from dataclasses import replace
from html import escape

from results import random_dag, result_of

from forebear.result.chance import Chance
from forebear.result.report.page import report_html
from forebear.result.summary import summary
from forebear.result.validation import Trial, Validation


def test_what_is_proven() -> None:
    result = result_of(random_dag(9, 2))
    assert dict(summary(result))["Proven"].startswith("nothing: no bound was computed")
    near = replace(result, bound=result.score + 0.5)
    share = f"{50 / abs(result.score):.2g} %"
    assert dict(summary(near))["Proven"] == (
        f"within 0.50 nats ({share}) of the best {result.covers}"
    )
    best = replace(result, bound=result.score)
    assert dict(summary(best))["Proven"] == f"optimal {result.covers}"


def test_the_same_words_everywhere() -> None:
    result = result_of(random_dag(9, 2))
    page, notebook, shown = report_html(result), result._repr_html_(), repr(result)
    for name, value in summary(result):
        assert f"<dt>{name}</dt><dd>{escape(value)}</dd>" in page
        assert f"<strong>{name}</strong> {escape(value)}" in notebook
        assert f"  {name:<8}  {value}" in shown


def test_seven_lines_that_fit() -> None:
    provenance = {
        "score": "bdeu",
        "parameters": {"ess": "auto"},
        "prior": "sparse",
        "rows": 1_000_000,
        "max_parents": 15,
        "scored_up_to": 2,
        "missing": "em",
        "missing_share": 0.125,
        "em_completed": 0,
        "em_rounds": 3,
    }
    trials = (
        Trial("bdeu", {"ess": "auto"}, held_out=-59.4, held_out_se=0.5, prior="sparse"),
        Trial("bdeu", {"ess": 1.0}, held_out=-59.3, held_out_se=0.5, prior="sparse"),
    )
    result = replace(
        result_of(random_dag(40, 2)),
        score=-1_234_567.8901,
        bound=-1_224_567.8901,
        provenance=provenance,
        chance=Chance(arcs=1_234, shuffled_arcs=1_200, generations=3, variables=40),
        validation=Validation(trials, 0, rows=20, folds=1),
    )
    names = [name for name, _ in summary(result)]
    assert names == ["Network", "Score", "Missing", "Proven", "Chance", "Held out", "Time"]
    long = [value for _, value in summary(result) if len(value) > 100 - len("Held out  ")]
    assert not long
